//! Identifiers, asked for in another spelling than the text has.

use super::Kind;
use super::builder::{Builder, Fact};
use crate::Failure;
use crate::compose::Plant;
use crate::invent;

/// How the words of an identifier are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    Snake,
    Camel,
    Pascal,
    Kebab,
    Screaming,
    Words,
}

impl Spelling {
    fn of(self, words: &[&str]) -> String {
        match self {
            Self::Snake => words.join("_"),
            Self::Kebab => words.join("-"),
            Self::Words => words.join(" "),
            Self::Screaming => words.join("_").to_uppercase(),
            Self::Pascal => words.iter().map(|word| invent::capital(word)).collect(),
            Self::Camel => {
                let (first, rest) = words.split_at(1);
                first[0].to_owned() + &Self::Pascal.of(rest)
            }
        }
    }
}

impl Builder<'_> {
    pub(super) fn identifiers(&mut self) -> Result<(), Failure> {
        let first = self.pen.rng.below(6);
        let mut rare = Vec::new();
        for turn in 0..3 {
            let mut words = invent::rare_words(&mut self.pen.rng);
            while rare.contains(&words[1]) {
                words = invent::rare_words(&mut self.pen.rng);
            }
            rare.push(words[1]);
            self.identifier((first + turn * 2 + turn / 2) % 6, words)?;
            self.decoy(words);
        }
        Ok(())
    }

    fn identifier(&mut self, sort: usize, words: [&'static str; 3]) -> Result<(), Failure> {
        use Spelling::{Camel, Kebab, Pascal, Screaming, Snake, Words};
        let cast = self.cast();
        let slug = self.world.components[cast.component].slug.clone();
        let extension = self.world.extension;
        let pair = &words[1..];
        let mut plant = Plant::default();
        let (name, written, line, question) = match sort {
            0 => {
                let written = Snake.of(&words);
                let line =
                    format!("`{written}` takes {{ns}} out of {{C}} before they are too old.");
                let asked = [Camel.of(&words), Words.of(&words), Snake.of(&words[..2])];
                ("function", written, line, asked)
            }
            1 => {
                let written = Pascal.of(pair);
                let line = format!("`{written}` is where {{C}} and {{D}} meet; it has no lock.");
                let asked = [Snake.of(pair), Words.of(pair), Kebab.of(pair)];
                ("type", written, line, asked)
            }
            2 => {
                let written = format!("src/{slug}/{}.{extension}", Snake.of(pair));
                let line = format!("`{written}`: what {{C}} does with a {{n}}");
                plant.changed.push(written.clone());
                let asked = [
                    format!("{}.{extension}", Snake.of(pair)),
                    format!("{slug}/{}", Snake.of(pair)),
                    Pascal.of(pair),
                ];
                ("path", written, line, asked)
            }
            3 => {
                let code = self.pen.rng.between(5000, 9999);
                let written = format!("E{code}");
                let line =
                    format!("`{written}` means that {{C}} was asked before {{D}} had started.");
                let asked = [
                    format!("e{code}"),
                    format!("what does error {written} mean"),
                    format!("{written} {}", self.world.components[cast.component].name),
                ];
                ("error code", written, line, asked)
            }
            4 => {
                let written = format!("ERR_{}", Screaming.of(pair));
                let line = format!("The {{p}} ends with `{written}` when a {{n}} has no {{m}}.");
                let asked = [
                    format!("err {}", Words.of(pair)),
                    format!("Err{}", Pascal.of(pair)),
                    Snake.of(pair),
                ];
                ("error name", written, line, asked)
            }
            _ => {
                let written = format!("enable-{}", Kebab.of(pair));
                let line = format!("The flag `{written}` is on in {{C}} and off in {{D}}.");
                let asked = [
                    format!("enable{}", Pascal.of(pair)),
                    format!("ENABLE_{}", Screaming.of(pair)),
                    format!("{} flag", Words.of(pair)),
                ];
                ("flag", written, line, asked)
            }
        };
        let line = self.pen.filled(&line, &cast);
        let n = self.anywhere();
        match sort {
            2 => plant.files.push(line),
            3 | 4 => {
                plant.warnings.push(line);
                plant.code = Some(format!("{slug}: fatal: {written}"));
            }
            _ => plant.state.push(line),
        }
        self.plant(n, plant);
        let at = self.pen.rng.below(question.len());
        self.ask(Kind::Identifier, name, question[at].clone(), Fact::at(n, &written))
    }

    /// Another identifier with the rare word of this one.
    fn decoy(&mut self, words: [&'static str; 3]) {
        let mut other = invent::rare_words(&mut self.pen.rng);
        while other[0] == words[0] || other[2] == words[2] {
            other = invent::rare_words(&mut self.pen.rng);
        }
        let name = Spelling::Snake.of(&[other[0], words[1], other[2]]);
        let cast = self.cast();
        let line = self.pen.filled(&format!("`{name}` of {{C}} has {{k}} tests."), &cast);
        let n = self.anywhere();
        self.plant(n, Plant { state: vec![line], ..Plant::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_those_of_programmers() {
        use Spelling::{Camel, Kebab, Pascal, Screaming, Snake, Words};
        let made = [Snake, Camel, Pascal, Kebab, Screaming, Words]
            .map(|spelling| spelling.of(&["trim", "stale", "lease"]));
        let right = [
            "trim_stale_lease",
            "trimStaleLease",
            "TrimStaleLease",
            "trim-stale-lease",
            "TRIM_STALE_LEASE",
            "trim stale lease",
        ];
        assert_eq!(made, right);
    }
}
