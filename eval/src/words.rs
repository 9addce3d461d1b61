//! The words that texts are made of: blocks of `key: value` lines in `words/`.

use crate::Failure;

/// A field of work with words of its own.
#[derive(Debug)]
pub(crate) struct Domain {
    pub(crate) name: &'static str,
    pub(crate) nouns: Vec<&'static str>,
    pub(crate) parts: Vec<&'static str>,
    pub(crate) tech: Vec<&'static str>,
    pub(crate) acts: Vec<&'static str>,
    pub(crate) failures: Vec<&'static str>,
    pub(crate) subjects: Vec<Subject>,
}

/// What is decided about, and what can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) choices: Vec<&'static str>,
}

/// Sentences with slots, by where they stand.
#[derive(Debug)]
pub(crate) struct Sentences {
    pub(crate) titles: Vec<&'static str>,
    pub(crate) summaries: Vec<&'static str>,
    pub(crate) contexts: Vec<&'static str>,
    pub(crate) states: Vec<&'static str>,
    pub(crate) next: Vec<&'static str>,
    pub(crate) warnings: Vec<&'static str>,
    pub(crate) files: Vec<&'static str>,
    pub(crate) reasons: Vec<&'static str>,
    pub(crate) errors: Vec<&'static str>,
    pub(crate) commands: Vec<&'static str>,
    pub(crate) notes: Vec<&'static str>,
}

/// A language other than English.
#[derive(Debug)]
pub(crate) struct Language {
    pub(crate) name: &'static str,
    pub(crate) titles: Vec<&'static str>,
    pub(crate) summaries: Vec<&'static str>,
    pub(crate) texts: Vec<&'static str>,
    pub(crate) next: Vec<&'static str>,
    pub(crate) warnings: Vec<&'static str>,
    /// What happened, and how somebody asks for it.
    pub(crate) stories: Vec<(&'static str, &'static str)>,
}

/// All words.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) domains: Vec<Domain>,
    /// What every project decides about.
    pub(crate) subjects: Vec<Subject>,
    pub(crate) sentences: Sentences,
    pub(crate) languages: Vec<Language>,
    pub(crate) stories: Vec<Story>,
    pub(crate) matters: Vec<Matter>,
    pub(crate) absent: Absent,
    /// The lists that any handoff may draw from, as they lie in their files.
    pub(crate) everyday: [&'static str; 4],
}

/// Something that happened once in a project, and three ways to ask for it.
#[derive(Debug)]
pub(crate) struct Story {
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
    pub(crate) keyword: &'static str,
    pub(crate) ask: &'static str,
    pub(crate) paraphrase: &'static str,
}

/// Something that is told again and again as it changes.
#[derive(Debug)]
pub(crate) struct Matter {
    /// The end of its name; empty if one handoff supersedes the other by id.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// What the older ones say around it, in many words.
    pub(crate) around: &'static str,
    /// What each version says, from the oldest.
    pub(crate) versions: Vec<&'static str>,
    pub(crate) asks: Vec<&'static str>,
}

/// What no project has.
#[derive(Debug)]
pub(crate) struct Absent {
    pub(crate) tech: Vec<&'static str>,
    pub(crate) asks: Vec<&'static str>,
    pub(crate) strange: Vec<&'static str>,
}

impl Words {
    pub(crate) fn read() -> Result<Self, Failure> {
        let sentences = Block::all(include_str!("../words/sentences.txt"));
        let pick = |key: &str| -> Vec<&'static str> {
            sentences.iter().flat_map(|block| block.all_of(key)).collect()
        };
        let subjects = Block::all(include_str!("../words/subjects.txt"));
        let absent = Block::all(include_str!("../words/absent.txt"));
        let absent = |key: &str| -> Vec<&'static str> {
            absent.iter().flat_map(|block| block.all_of(key)).collect()
        };
        Ok(Self {
            domains: Block::all(include_str!("../words/domains.txt"))
                .iter()
                .map(Domain::read)
                .collect::<Result<_, _>>()?,
            subjects: subjects
                .iter()
                .flat_map(|block| block.all_of("subject"))
                .map(Subject::read)
                .collect::<Result<_, _>>()?,
            sentences: Sentences {
                titles: pick("title"),
                summaries: pick("summary"),
                contexts: pick("context"),
                states: pick("state"),
                next: pick("next"),
                warnings: pick("warning"),
                files: pick("file"),
                reasons: pick("reason"),
                errors: pick("error"),
                commands: pick("command"),
                notes: pick("note"),
            },
            languages: Block::all(include_str!("../words/languages.txt"))
                .iter()
                .map(Language::read)
                .collect::<Result<_, _>>()?,
            stories: Block::all(include_str!("../words/stories.txt"))
                .iter()
                .map(Story::read)
                .collect::<Result<_, _>>()?,
            matters: Block::all(include_str!("../words/matters.txt"))
                .iter()
                .map(Matter::read)
                .collect::<Result<_, _>>()?,
            absent: Absent {
                tech: absent("tech").iter().flat_map(|list| list.split(", ")).collect(),
                asks: absent("ask"),
                strange: absent("strange"),
            },
            everyday: [
                include_str!("../words/sentences.txt"),
                include_str!("../words/subjects.txt"),
                include_str!("../words/matters.txt"),
                include_str!("../words/domains.txt"),
            ],
        })
    }
}

impl Domain {
    fn read(block: &Block) -> Result<Self, Failure> {
        let list = |key: &str| -> Result<Vec<&'static str>, Failure> {
            Ok(block.one(key)?.split(", ").collect())
        };
        Ok(Self {
            name: block.one("domain")?,
            nouns: list("nouns")?,
            parts: list("parts")?,
            tech: list("tech")?,
            acts: list("acts")?,
            failures: block.all_of("failure").collect(),
            subjects: block.all_of("subject").map(Subject::read).collect::<Result<_, _>>()?,
        })
    }
}

impl Subject {
    fn read(line: &'static str) -> Result<Self, Failure> {
        let (name, choices) =
            line.split_once(" = ").ok_or_else(|| format!("no choices: {line}"))?;
        Ok(Self { name, choices: choices.split(" | ").collect() })
    }
}

impl Language {
    fn read(block: &Block) -> Result<Self, Failure> {
        let all = |key: &str| -> Vec<&'static str> { block.all_of(key).collect() };
        Ok(Self {
            name: block.one("language")?,
            titles: all("title"),
            summaries: all("summary"),
            texts: all("text"),
            next: all("next"),
            warnings: all("warning"),
            stories: all("story").into_iter().zip(all("ask")).collect(),
        })
    }
}

impl Story {
    fn read(block: &Block) -> Result<Self, Failure> {
        Ok(Self {
            title: block.one("title")?,
            text: block.one("text")?,
            keyword: block.one("keyword")?,
            ask: block.one("ask")?,
            paraphrase: block.one("paraphrase")?,
        })
    }
}

impl Matter {
    fn read(block: &Block) -> Result<Self, Failure> {
        Ok(Self {
            name: block.one("name").unwrap_or_default(),
            title: block.one("title")?,
            around: block.one("around")?,
            versions: block.all_of("version").collect(),
            asks: block.all_of("ask").collect(),
        })
    }
}

/// Lines up to the next blank one.
struct Block(Vec<(&'static str, &'static str)>);

impl Block {
    fn all(text: &'static str) -> Vec<Self> {
        text.split("\n\n")
            .map(|block| Self(block.lines().filter_map(|line| line.split_once(": ")).collect()))
            .filter(|block| !block.0.is_empty())
            .collect()
    }

    fn all_of(&self, key: &str) -> impl Iterator<Item = &'static str> {
        self.0.iter().filter(move |(name, _)| *name == key).map(|(_, value)| *value)
    }

    fn one(&self, key: &str) -> Result<&'static str, Failure> {
        let first = self.0.first().map_or("an empty block", |(_, value)| *value);
        self.all_of(key).next().ok_or_else(|| format!("'{key}' is missing in: {first}").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_words() {
        let words = Words::read().unwrap();
        assert!(words.domains.len() >= 24);
        for domain in &words.domains {
            assert!(domain.nouns.len() >= 10 && domain.parts.len() >= 6, "{}", domain.name);
            assert!(domain.subjects.len() >= 5 && domain.failures.len() >= 4, "{}", domain.name);
        }
        let choices = words.domains.iter().flat_map(|domain| &domain.subjects);
        assert!(choices.chain(&words.subjects).all(|subject| subject.choices.len() >= 3));
        assert_eq!(words.languages.len(), 8);
        for language in &words.languages {
            assert!(language.stories.len() >= 3 && language.texts.len() >= 6, "{}", language.name);
        }
        assert!(words.stories.len() >= 40);
        assert!(words.matters.iter().all(|matter| matter.versions.len() >= 2));
    }
}
