//! Fills the slots of a sentence with what the project has.

use std::fmt::Write as _;

use crate::invent;
use crate::rng::Rng;
use crate::world::World;

/// Who and what a sentence is about; the same cast fills several sentences alike.
#[derive(Clone, Debug)]
pub(crate) struct Cast {
    pub(crate) component: usize,
    pub(crate) other: usize,
    pub(crate) part: usize,
    pub(crate) noun: usize,
    pub(crate) second: usize,
    pub(crate) tech: usize,
    /// A word that the project does not have.
    pub(crate) absent: &'static str,
}

/// Writes the sentences of one handoff.
pub(crate) struct Pen<'a> {
    pub(crate) world: &'a World<'a>,
    pub(crate) rng: Rng,
    /// The component that the handoff is mostly about.
    pub(crate) focus: usize,
    /// How many handoffs the project had before.
    pub(crate) age: usize,
}

impl Pen<'_> {
    /// A cast for the next sentence.
    pub(crate) fn cast(&mut self) -> Cast {
        let world = self.world;
        let count = world.components.len();
        let rng = &mut self.rng;
        let component = if rng.percent(60) { self.focus } else { rng.skewed(count) };
        let mut other = rng.below(count);
        if other == component {
            other = (other + 1) % count;
        }
        let noun = rng.skewed(world.nouns.len());
        let mut second = rng.below(world.nouns.len());
        if second == noun {
            second = (second + 1) % world.nouns.len();
        }
        Cast {
            component,
            other,
            part: rng.below(world.domain.parts.len()),
            noun,
            second,
            tech: rng.skewed(world.domain.tech.len()),
            absent: "",
        }
    }

    /// One of these sentences, filled.
    pub(crate) fn say(&mut self, out: &mut String, templates: &[&'static str]) {
        let template = self.rng.pick(templates);
        let cast = self.cast();
        self.fill(out, template, &cast);
    }

    /// A sentence with its slots filled, and a capital where a word begins it.
    pub(crate) fn fill(&mut self, out: &mut String, template: &str, cast: &Cast) {
        let begin = out.len();
        let mut rest = template;
        while let Some(at) = rest.find('{') {
            out.push_str(&rest[..at]);
            let article = out.ends_with(" a ");
            let before = out.len();
            let Some(end) = rest[at..].find('}') else { break };
            self.slot(out, &rest[at + 1..at + end], cast);
            if article && out[before..].starts_with(['a', 'e', 'i', 'o']) {
                out.insert(before - 1, 'n');
            }
            rest = &rest[at + end + 1..];
        }
        out.push_str(rest);
        let word =
            ["{p}", "{n}", "{ns}", "{ms}", "{x}"].iter().any(|slot| template.starts_with(slot));
        if word && template.ends_with(|c: char| c.is_lowercase() || c == '.' || c == '}') {
            let first = out[begin..].chars().next();
            if let Some(first) = first.filter(char::is_ascii_lowercase) {
                out.replace_range(
                    begin..=begin,
                    first.to_ascii_uppercase().encode_utf8(&mut [0; 4]),
                );
            }
        }
    }

    pub(crate) fn filled(&mut self, template: &str, cast: &Cast) -> String {
        let mut out = String::new();
        self.fill(&mut out, template, cast);
        out
    }

    fn slot(&mut self, out: &mut String, slot: &str, cast: &Cast) {
        let world = self.world;
        let domain = world.domain;
        match slot {
            "C" => out.push_str(&world.components[cast.component].name),
            "D" => out.push_str(&world.components[cast.other].name),
            "s" => out.push_str(&world.components[cast.component].slug),
            "p" => out.push_str(domain.parts[cast.part]),
            "n" => out.push_str(world.nouns[cast.noun].0),
            "ns" => out.push_str(&world.nouns[cast.noun].1),
            "n1" => out.push_str(&world.nouns[cast.noun].0.replace([' ', '-'], "_")),
            "m" => out.push_str(world.nouns[cast.second].0),
            "ms" => out.push_str(&world.nouns[cast.second].1),
            "t" => out.push_str(domain.tech[cast.tech]),
            "Z" => out.push_str(cast.absent),
            "a" => out.push_str(self.rng.pick(&domain.acts)),
            "x" => out.push_str(self.rng.pick(&domain.failures)),
            "i" => out.push_str(&self.function()),
            "j" => out.push_str(&self.kind()),
            "f" | "g" => out.push_str(&self.path(cast)),
            "e" => out.push_str(&self.code()),
            "o" => {
                let coined = self.rng.skewed(self.age * 2 + 12);
                out.push_str(&world.coined(coined));
            }
            "k" => push(out, self.rng.between(2, 95)),
            "K" => {
                let digits = self.rng.between(2, 5);
                push(out, self.rng.between(101, 10_usize.pow(digits as u32 + 1)));
            }
            "h" => {
                let _ = write!(out, "{:09x}", self.rng.next() >> 28);
            }
            "v" => {
                let (a, b, c) = (self.rng.below(9), self.rng.below(30), self.rng.below(12));
                let _ = write!(out, "{a}.{b}.{c}");
            }
            "w" => out.push_str(self.rng.pick(&[
                "Monday",
                "Tuesday",
                "Wednesday",
                "Thursday",
                "Friday",
            ])),
            _ => out.push_str(slot),
        }
    }

    fn noun_word(&mut self) -> &'static str {
        let at = self.rng.below(self.world.nouns.len());
        self.world.nouns[at].0.rsplit([' ', '-']).next().unwrap_or_default()
    }

    /// A function: `merge_ledger_cursor`.
    fn function(&mut self) -> String {
        let verb = self.world.lists.verb(&mut self.rng);
        let noun = self.noun_word();
        match self.rng.below(4) {
            0 => format!("{verb}_{noun}_{}", self.world.lists.role(&mut self.rng)),
            1 => {
                let coined = self.rng.skewed(self.age + 8);
                format!("{verb}_{}", self.world.coined(coined).to_lowercase())
            }
            _ => format!("{verb}_{noun}"),
        }
    }

    /// A type: `LedgerCursor`.
    fn kind(&mut self) -> String {
        let noun = invent::capital(self.noun_word());
        format!("{noun}{}", invent::capital(self.world.lists.role(&mut self.rng)))
    }

    pub(crate) fn path(&mut self, cast: &Cast) -> String {
        let slug = &self.world.components[cast.component].slug;
        let (noun, role) = (self.noun_word(), self.world.lists.role(&mut self.rng));
        let dir = self.rng.pick(&["src", "src", "lib", "internal", "tests", "cmd"]);
        match self.rng.below(3) {
            0 => format!("{dir}/{slug}/{noun}.{}", self.world.extension),
            1 => format!("{dir}/{slug}/{noun}_{role}.{}", self.world.extension),
            _ => format!("{dir}/{slug}.{}", self.world.extension),
        }
    }

    /// An error code; those from 5000 on stand only where they were put on purpose.
    fn code(&mut self) -> String {
        match self.rng.below(3) {
            0 => format!("E{}", self.rng.between(1000, 4999)),
            1 => format!("ERR_{}_{}", self.noun_word().to_uppercase(), self.rng.between(10, 99)),
            _ => format!("HTTP {}", self.rng.pick(&["400", "404", "409", "429", "500", "503"])),
        }
    }

    /// A sentence about a subject and what was chosen for it, as an item of the Key Decisions.
    pub(crate) fn decision(&mut self, subject: &str, choices: &[&str], chosen: usize) -> String {
        let choice = choices[chosen];
        let rejected = choices[(chosen + 1) % choices.len()];
        let reasons = &self.world.words.sentences.reasons;
        let mut reason = String::new();
        self.say(&mut reason, reasons);
        let thing = |choice: &str| {
            let article = ["a ", "an ", "the ", "one ", "our ", "two "];
            choice.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
                || article.iter().any(|word| choice.starts_with(word))
        };
        let capital = invent::capital(subject);
        match self.rng.below(if thing(choice) { 7 } else { 4 }) {
            0 => format!("**{capital}**: {choice}, {reason}."),
            1 => format!("{capital}: {choice}, {reason}"),
            2 => format!("{capital} → {choice}"),
            3 => format!("**{capital}:** {choice} ({reason})"),
            4 => format!("Use {choice} for {subject} {reason}"),
            5 if thing(rejected) => format!("We chose {choice} over {rejected} for {subject}"),
            _ => format!("Decided: use {choice} for {subject}"),
        }
    }
}

fn push(out: &mut String, number: usize) {
    let _ = write!(out, "{number}");
}
