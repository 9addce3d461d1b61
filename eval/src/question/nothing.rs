//! Questions that nothing answers, although words of them stand in many handoffs.

use std::collections::BTreeSet;

use super::Kind;
use super::builder::{Builder, Fact, lower};
use crate::Failure;
use crate::plan::Plan;
use crate::words::Words;
use crate::world::World;

impl Builder<'_> {
    pub(super) fn nothing(&mut self, plan: &Plan) -> Result<(), Failure> {
        let words = self.world.words;
        let mut cast = self.cast();
        let place = |list: Vec<usize>| list.first().copied().unwrap_or_default();
        let absent = place(self.ours(0..words.absent.tech.len()));
        cast.absent = words.absent.tech[absent];
        let ask = place(self.ours(0..words.absent.asks.len()));
        let template = words.absent.asks[ask];
        let question = lower(self.pen.filled(template, &cast), template);
        self.ask(Kind::None, "technology", question, Fact::default())?;

        let strange = place(self.ours(0..words.absent.strange.len()));
        let template = words.absent.strange[strange];
        let question = lower(self.pen.filled(template, &cast), template);
        self.ask(Kind::None, "matter", question, Fact::default())?;

        // What happened elsewhere and never here, if no word of it could be here by chance.
        let untold = self.ours(0..words.stories.len());
        let untold = untold
            .into_iter()
            .filter(|at| !self.plants.kept.stories.contains(at))
            .find(|at| has_own_word(words, *at));
        if let Some(at) = untold {
            self.plants.kept.stories.push(at);
            let cast = self.cast();
            let template = words.stories[at].ask;
            let question = lower(self.pen.filled(template, &cast), template);
            self.ask(Kind::None, "story", question, Fact::default())?;
        }

        let question = if self.pen.rng.percent(50) {
            let part = self.world.domain.parts[cast.part];
            format!("how did we fix E{} in the {part}?", self.pen.rng.between(50_000, 99_999))
        } else {
            let at = (self.world.project.number + 2) % plan.projects.len();
            let neighbour = World::new(words, &plan.projects[at], plan.seed)?;
            let component = &neighbour.components[0].name;
            let part = self.world.domain.parts[cast.part];
            format!("why does {component} call the {part}?")
        };
        self.ask(Kind::None, "name", question, Fact::default())
    }
}

/// Whether the question about a story has a word that is in no other text.
fn has_own_word(words: &Words, at: usize) -> bool {
    let others = words.stories.iter().enumerate().filter(|(other, _)| *other != at);
    let others: BTreeSet<&str> = words
        .everyday
        .into_iter()
        .chain(others.flat_map(|(_, story)| [story.title, story.text]))
        .flat_map(plain_words)
        .collect();
    plain_words(words.stories[at].ask)
        .any(|word| word.len() > 3 && word != "does" && !others.contains(word))
}

fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
}
