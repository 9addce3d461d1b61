//! What a project's handoffs are about: its components, words, languages, and what is kept for questions.

use crate::Failure;
use crate::invent::{self, Lists};
use crate::plan::Project;
use crate::rng::Rng;
use crate::words::{Domain, Language, Subject, Words};

/// One project's subject matter.
#[derive(Debug)]
pub(crate) struct World<'a> {
    pub(crate) words: &'a Words,
    pub(crate) lists: Lists,
    pub(crate) project: &'a Project,
    pub(crate) domain: &'a Domain,
    pub(crate) components: Vec<Component>,
    /// Nouns of the domain with their plurals.
    pub(crate) nouns: Vec<(&'static str, String)>,
    /// The project's and everybody's.
    pub(crate) subjects: Vec<&'a Subject>,
    pub(crate) languages: Vec<&'a Language>,
    pub(crate) extension: &'static str,
    pub(crate) kept: Kept,
    pub(crate) seed: u64,
}

/// An invented module or service.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) name: String,
    pub(crate) slug: String,
}

/// What only planted handoffs may tell, so that the answer of a question is certain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) stories: Vec<usize>,
    /// By place in `World::subjects`.
    pub(crate) subjects: Vec<usize>,
    /// Of a language (by place in `World::languages`), which story.
    pub(crate) told: Vec<(usize, usize)>,
}

impl<'a> World<'a> {
    pub(crate) fn new(words: &'a Words, project: &'a Project, seed: u64) -> Result<Self, Failure> {
        let mut rng = Rng::of(seed, &[2, project.number as u64]);
        let domain = words.domains.get(project.domain).ok_or("a domain that is not there")?;
        let count = 10 + ((project.handoffs as f64).sqrt() / 3.0) as usize;
        let mut components: Vec<Component> = Vec::new();
        while components.len() < count {
            let name = invent::component(&mut rng);
            let slug = slug_of(&name);
            let stem = slug.split('-').next().unwrap_or_default().to_owned();
            if components.iter().all(|other| !other.slug.starts_with(&stem)) {
                components.push(Component { name, slug });
            }
        }
        let mut languages: Vec<&Language> = words.languages.iter().collect();
        // Each project takes up where the one before ended, so that all languages are used alike.
        languages.rotate_left((project.number * 3) % words.languages.len());
        languages.truncate(3);
        Ok(Self {
            words,
            lists: Lists::new(),
            project,
            domain,
            components,
            nouns: domain.nouns.iter().map(|noun| (*noun, invent::plural(noun))).collect(),
            subjects: domain.subjects.iter().chain(&words.subjects).collect(),
            languages,
            extension: rng.pick(&["rs", "go", "ts", "py", "kt", "cpp"]),
            kept: Kept::default(),
            seed,
        })
    }

    /// The n-th word that the project has made up.
    pub(crate) fn coined(&self, n: usize) -> String {
        let mut rng = Rng::of(self.seed, &[3, self.project.number as u64, n as u64]);
        invent::capital(&invent::word(&mut rng))
    }
}

/// `VelmoraSync` as `velmora-sync`.
fn slug_of(name: &str) -> String {
    let mut slug = String::new();
    for (at, c) in name.chars().enumerate() {
        if c.is_uppercase() && at > 0 {
            slug.push('-');
        }
        slug.extend(c.to_lowercase());
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_part_words() {
        let made = ["Velmora", "velmora-sync", "VelmoraSync"].map(slug_of);
        assert_eq!(made, ["velmora", "velmora-sync", "velmora-sync"]);
    }
}
