//! Decisions: made once, or made again with another outcome.

use super::Kind;
use super::builder::{Builder, Fact};
use crate::Failure;
use crate::compose::Plant;

const AROUND: &str = "Most of the session went into the {Z}. There were good arguments about the {Z} on every side, and the {Z} touches {D} as well. Whoever works on the {Z} should read this first.";

impl Builder<'_> {
    pub(super) fn decisions(&mut self) -> Result<(), Failure> {
        // Half of them the project's own subjects, half those that every project has.
        let own = self.world.domain.subjects.len();
        let mut special: Vec<usize> = (0..own).collect();
        let mut general: Vec<usize> = (own..self.world.subjects.len()).collect();
        self.pen.rng.shuffle(&mut special);
        self.pen.rng.shuffle(&mut general);
        self.decided(special[0], Kind::Keyword)?;
        self.decided(special[1], Kind::Question)?;
        self.decided(general[0], Kind::Question)?;
        let again = if self.pen.rng.percent(50) { special[2] } else { general[1] };
        self.decided_again(again)
    }

    /// A decision about one component; others decide the same for other components.
    fn decided(&mut self, at: usize, kind: Kind) -> Result<(), Failure> {
        self.plants.kept.subjects.push(at);
        let subject = self.world.subjects[at];
        let cast = self.cast();
        let component = self.world.components[cast.component].name.clone();
        let chosen = self.pen.rng.below(subject.choices.len());
        let line =
            self.pen.decision(&format!("{component} {}", subject.name), &subject.choices, chosen);
        let n = self.anywhere();
        self.plant(n, Plant { decisions: vec![line.clone()], ..Plant::default() });
        self.decoys(at, cast.component);
        let (name, choice) = (subject.name, subject.choices[chosen]);
        let question = match (kind, self.pen.rng.below(3)) {
            (Kind::Keyword, _) => format!("{component} {name}"),
            (_, 0) => format!("why did we choose {choice} for {component} {name}?"),
            (_, 1) => format!("what did we decide about the {name} of {component}?"),
            _ => format!("what does {component} use for {name}, and why?"),
        };
        self.ask(kind, "decision", question, Fact::at(n, &line))
    }

    /// The same subject for two other components.
    fn decoys(&mut self, at: usize, component: usize) {
        let subject = self.world.subjects[at];
        let count = self.world.components.len();
        for step in 1..=2 {
            let other = self.world.components[(component + step) % count].name.clone();
            let chosen = self.pen.rng.below(subject.choices.len());
            let line =
                self.pen.decision(&format!("{other} {}", subject.name), &subject.choices, chosen);
            let n = self.anywhere();
            self.plant(n, Plant { decisions: vec![line], ..Plant::default() });
        }
    }

    /// A decision that was taken again, with another outcome each time.
    fn decided_again(&mut self, at: usize) -> Result<(), Failure> {
        self.plants.kept.subjects.push(at);
        let subject = self.world.subjects[at];
        let mut cast = self.cast();
        let component = self.world.components[cast.component].name.clone();
        // Half of the subjects are the whole project's; then no component decides them apart.
        let whole = self.pen.rng.percent(50);
        let about = match whole {
            true => subject.name.to_owned(),
            false => format!("{component} {}", subject.name),
        };
        let count = self.pen.rng.between(2, subject.choices.len());
        let places = self.places(count);
        let first = self.pen.rng.below(subject.choices.len());
        let mut proofs = Vec::new();
        for (turn, n) in places.iter().enumerate() {
            let chosen = (first + turn) % subject.choices.len();
            let line = self.pen.decision(&about, &subject.choices, chosen);
            let newest = turn + 1 == places.len();
            let mut plant =
                Plant { decisions: vec![line.clone()], short: newest, ..Plant::default() };
            if !newest {
                cast.absent = subject.name;
                let around = self.pen.filled(AROUND, &cast);
                plant.context.push(match whole {
                    true => around,
                    false => around.replacen(
                        subject.name,
                        &format!("{} of {component}", subject.name),
                        2,
                    ),
                });
            }
            self.plant(*n, plant);
            proofs.push(line);
        }
        if !whole {
            self.decoys(at, cast.component);
        }
        let question = match self.pen.rng.below(4) {
            0 => about.clone(),
            1 => format!("what is our {about}?"),
            2 => format!("what did we decide about {about}?"),
            _ => format!("{about} decision"),
        };
        self.versions("by decision", &question, &places, &proofs)
    }
}
