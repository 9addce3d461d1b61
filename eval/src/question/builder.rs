//! Plants the facts of one project and writes down the questions about them.

use std::collections::BTreeSet;

use super::{Half, Kind, Question};
use crate::Failure;
use crate::compose::Plant;
use crate::generate::Plants;
use crate::pen::{Cast, Pen};
use crate::rng::Rng;
use crate::world::World;

/// The questions of one project in the making.
pub(super) struct Builder<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) pen: Pen<'a>,
    pub(super) half: Half,
    pub(super) plants: Plants,
    questions: Vec<Question>,
    used: BTreeSet<usize>,
}

/// What a question is about, before it has a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Fact {
    pub(super) answers: Vec<usize>,
    pub(super) superseded: Vec<usize>,
    pub(super) as_of: Option<String>,
    pub(super) proof: String,
}

impl Fact {
    pub(super) fn at(n: usize, proof: &str) -> Self {
        Self { answers: vec![n], proof: proof.to_owned(), ..Self::default() }
    }
}

impl<'a> Builder<'a> {
    pub(super) fn new(world: &'a World<'a>, half: Half) -> Self {
        let rng = Rng::of(world.seed, &[6, world.project.number as u64]);
        Self {
            world,
            pen: Pen { world, rng, focus: 0, age: world.project.handoffs },
            half,
            plants: Plants::default(),
            questions: Vec::new(),
            used: BTreeSet::new(),
        }
    }

    pub(super) fn done(self) -> (Vec<Question>, Plants) {
        (self.questions, self.plants)
    }

    /// A cast about any component, each as often as the other.
    pub(super) fn cast(&mut self) -> Cast {
        self.pen.focus = self.pen.rng.below(self.world.components.len());
        let mut cast = self.pen.cast();
        cast.component = self.pen.focus;
        if cast.other == cast.component {
            cast.other = (cast.other + 1) % self.world.components.len();
        }
        cast
    }

    /// A handoff between these two that nothing is planted in yet.
    pub(super) fn place(&mut self, first: usize, end: usize) -> usize {
        loop {
            let n = first + self.pen.rng.below(end - first);
            if self.used.insert(n) {
                return n;
            }
        }
    }

    pub(super) fn anywhere(&mut self) -> usize {
        self.place(0, self.world.project.handoffs)
    }

    /// Places for versions of one matter, in order and well apart.
    pub(super) fn places(&mut self, count: usize) -> Vec<usize> {
        let wide = self.world.project.handoffs / count;
        (0..count).map(|at| self.place(at * wide + wide / 5, at * wide + wide * 4 / 5)).collect()
    }

    pub(super) fn plant(&mut self, n: usize, plant: Plant) {
        self.plants.at.insert(n, plant);
    }

    /// The day in the middle between two handoffs.
    pub(super) fn day_between(&self, early: usize, late: usize) -> Result<String, Failure> {
        let project = self.world.project;
        let (early, late) = (project.created(early)?, project.created(late)?);
        Ok(late.saturating_sub_micros((late.micros() - early.micros()) / 2).day())
    }

    pub(super) fn ask(
        &mut self,
        kind: Kind,
        sort: &str,
        text: String,
        fact: Fact,
    ) -> Result<(), Failure> {
        let project = self.world.project;
        let ids = |numbers: &[usize]| -> Result<Vec<String>, Failure> {
            numbers.iter().map(|n| Ok(project.id_of(*n)?.to_string())).collect()
        };
        let id = format!("{}-{:02}-{kind}", project.label, self.questions.len() + 1);
        self.questions.push(Question {
            id,
            kind,
            sort: sort.to_owned(),
            half: self.half,
            project: project.label.clone(),
            text,
            as_of: fact.as_of,
            answers: ids(&fact.answers)?,
            superseded: ids(&fact.superseded)?,
            proof: fact.proof,
        });
        Ok(())
    }

    /// Numbers of this half, shuffled.
    pub(super) fn ours(&mut self, numbers: impl Iterator<Item = usize>) -> Vec<usize> {
        let half = self.half;
        let mut ours: Vec<usize> = numbers.filter(|number| Half::of(*number) == half).collect();
        self.pen.rng.shuffle(&mut ours);
        ours
    }

    /// Things that happened once: asked in few words, as a question, and in other words.
    pub(super) fn stories(&mut self) -> Result<(), Failure> {
        let words = self.world.words;
        let ours = self.ours(0..words.stories.len());
        let kinds = [Kind::Keyword, Kind::Question, Kind::Paraphrase];
        for (turn, at) in ours.into_iter().take(7).enumerate() {
            self.plants.kept.stories.push(at);
            let story = &words.stories[at];
            let cast = self.cast();
            let text = self.pen.filled(story.text, &cast);
            let mut plant = Plant::default();
            let sort = match (turn + self.world.project.number / 2) % 4 {
                0 | 1 => {
                    plant.title = Some(self.pen.filled(story.title, &cast));
                    plant.state.push(text.clone());
                    "titled"
                }
                2 => {
                    plant.state.push(text.clone());
                    "buried"
                }
                _ => {
                    plant.warnings.push(text.clone());
                    "buried"
                }
            };
            let n = self.anywhere();
            self.plant(n, plant);
            let kind = kinds[turn % 3];
            let template = match kind {
                Kind::Keyword => story.keyword,
                Kind::Question => story.ask,
                _ => story.paraphrase,
            };
            let question = lower(self.pen.filled(template, &cast), template);
            self.ask(kind, sort, question, Fact::at(n, &text))?;
            if kind != Kind::Paraphrase {
                self.near_misses(template, &cast);
            }
            // One handoff can be remembered in several ways.
            if turn == 1 || turn == 3 {
                let template = story.paraphrase;
                let question = lower(self.pen.filled(template, &cast), template);
                self.ask(Kind::Paraphrase, sort, question, Fact::at(n, &text))?;
            }
        }
        Ok(())
    }

    /// Other handoffs that have two words of a question, and are about another component.
    fn near_misses(&mut self, template: &str, cast: &Cast) {
        const EVERYWHERE: [&str; 8] =
            ["what", "were", "does", "from", "with", "when", "have", "which"];
        let mut words: Vec<&str> = template
            .split_whitespace()
            .filter(|word| !word.contains('{'))
            .map(|word| word.trim_end_matches(['?', ',']))
            .filter(|word| word.len() > 3 && !EVERYWHERE.contains(word))
            .collect();
        self.pen.rng.shuffle(&mut words);
        for (turn, pair) in words.chunks_exact(2).take(2).enumerate() {
            let (first, second) = (pair[0], pair[1]);
            let line =
                format!("Searched for \"{first}\" and \"{second}\" in {{D}}: another matter.");
            let title = format!("Loose ends of {{D}}: {first}, {second}");
            let plant = Plant {
                title: (turn == 0).then(|| self.pen.filled(&title, cast)),
                state: vec![self.pen.filled(&line, cast)],
                ..Plant::default()
            };
            let n = self.anywhere();
            self.plant(n, plant);
        }
    }

    /// Things that are told again as they change, under one name or by naming what they replace.
    pub(super) fn matters(&mut self) -> Result<(), Failure> {
        let words = self.world.words;
        let named = |at: &usize| !words.matters[*at].name.is_empty();
        let all = 0..words.matters.len();
        let by_name = self.ours(all.clone().filter(named));
        let by_id = self.ours(all.filter(|at| !named(at)));
        for at in [by_name, by_id].into_iter().filter_map(|list| list.first().copied()) {
            self.matter(at)?;
        }
        Ok(())
    }

    fn matter(&mut self, at: usize) -> Result<(), Failure> {
        let matter = &self.world.words.matters[at];
        let cast = self.cast();
        let slug = match matter.title.contains("{p}") {
            true => self.world.domain.parts[cast.part].replace(' ', "-"),
            false => self.world.components[cast.component].slug.clone(),
        };
        let name = (!matter.name.is_empty()).then(|| format!("{slug}-{}", matter.name));
        let places = self.places(matter.versions.len());
        let mut proofs = Vec::new();
        for (turn, (n, version)) in places.iter().zip(&matter.versions).enumerate() {
            let newest = turn + 1 == places.len();
            let text = self.pen.filled(version, &cast);
            let mut plant = Plant {
                title: Some(self.pen.filled(matter.title, &cast)),
                name: name.clone(),
                state: vec![text.clone()],
                short: newest,
                ..Plant::default()
            };
            if !newest {
                plant.context.push(self.pen.filled(matter.around, &cast));
            }
            if name.is_none() && turn > 0 {
                plant.supersedes.push(places[turn - 1]);
            }
            self.plant(*n, plant);
            proofs.push(text);
        }
        let sort = if name.is_some() { "by name" } else { "by id" };
        let template = self.pen.rng.pick(&matter.asks);
        let question = lower(self.pen.filled(template, &cast), template);
        self.versions(sort, &question, &places, &proofs)
    }

    /// Asks for what holds now, and for what held on a day between two versions.
    pub(super) fn versions(
        &mut self,
        sort: &str,
        question: &str,
        places: &[usize],
        proofs: &[String],
    ) -> Result<(), Failure> {
        let newest = places.len() - 1;
        let fact = Fact {
            answers: vec![places[newest]],
            superseded: places[..newest].to_vec(),
            as_of: None,
            proof: proofs[newest].clone(),
        };
        self.ask(Kind::Current, sort, question.to_owned(), fact)?;
        let then = self.pen.rng.below(newest);
        let others = |n: &usize| *n != places[then];
        let fact = Fact {
            answers: vec![places[then]],
            superseded: places.iter().copied().filter(others).collect(),
            as_of: Some(self.day_between(places[then], places[then + 1])?),
            proof: proofs[then].clone(),
        };
        self.ask(Kind::AsOf, sort, question.to_owned(), fact)
    }

    /// Things that happened once, told and asked in another language.
    pub(super) fn languages(&mut self) -> Result<(), Failure> {
        for at in 0..self.world.languages.len() {
            let language = self.world.languages[at];
            let story = self.ours(0..language.stories.len()).first().copied().unwrap_or(0);
            self.plants.kept.told.push((at, story));
            let (told, asked) = language.stories[story];
            let cast = self.cast();
            let text = self.pen.filled(told, &cast);
            let n = self.anywhere();
            let plant =
                Plant { language: Some(at), warnings: vec![text.clone()], ..Plant::default() };
            self.plant(n, plant);
            let question = self.pen.filled(asked, &cast);
            self.ask(Kind::Language, language.name, question, Fact::at(n, &text))?;
        }
        Ok(())
    }
}

/// A question as it is typed: without the capital that begins a sentence.
pub(super) fn lower(filled: String, template: &str) -> String {
    let typed = ["{p}", "{n}", "{ns}"].iter().any(|slot| template.starts_with(slot));
    let mut chars = filled.chars();
    match chars.next() {
        Some(first) if typed => first.to_lowercase().chain(chars).collect(),
        _ => filled,
    }
}
