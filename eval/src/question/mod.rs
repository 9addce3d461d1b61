//! Questions with known answers: each fact is planted in a project once, so that its label is certain.

mod builder;
mod decisions;
mod identifiers;
mod nothing;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::generate::Plants;
use crate::plan::Plan;
use crate::words::Words;
use crate::world::World;
use builder::Builder;

/// A project needs room for what is planted among what is not.
const LEAST_HANDOFFS: usize = 100;

/// What a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Keyword,
    Question,
    Current,
    AsOf,
    Identifier,
    Paraphrase,
    Language,
    None,
}

impl Kind {
    pub(crate) const ALL: [Self; 8] = [
        Self::Keyword,
        Self::Question,
        Self::Current,
        Self::AsOf,
        Self::Identifier,
        Self::Paraphrase,
        Self::Language,
        Self::None,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Keyword => "keyword",
            Self::Question => "question",
            Self::Current => "current",
            Self::AsOf => "as-of",
            Self::Identifier => "identifier",
            Self::Paraphrase => "paraphrase",
            Self::Language => "language",
            Self::None => "none",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What may be looked at while a search is made better, and what may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Half {
    Tune,
    HeldOut,
}

impl Half {
    pub(crate) const ALL: [Self; 2] = [Self::Tune, Self::HeldOut];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Tune => "tune",
            Self::HeldOut => "held-out",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|half| half.as_str() == text)
    }

    /// The half that a project, a story or a matter with this number belongs to.
    fn of(number: usize) -> Self {
        Self::ALL[number % 2]
    }
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) kind: Kind,
    /// Which sort of its kind it is.
    pub(crate) sort: String,
    pub(crate) half: Half,
    pub(crate) project: String,
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) as_of: Option<String>,
    /// Any of these is right; empty if nothing is.
    pub(crate) answers: Vec<String>,
    /// The same matter as it does not stand: superseded, or not yet so on the day of `as_of`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) superseded: Vec<String>,
    /// What the answer says and nothing else in the project does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) proof: String,
}

/// The questions of all projects, and what has to be planted for them.
pub(crate) fn questions(
    words: &Words,
    plan: &Plan,
) -> Result<(Vec<Question>, BTreeMap<usize, Plants>), Failure> {
    let mut all = Vec::new();
    let mut planted = BTreeMap::new();
    for project in &plan.projects {
        if project.handoffs < LEAST_HANDOFFS {
            return Err(format!(
                "{} has {} handoffs, questions need {LEAST_HANDOFFS} in each project; take more --handoffs or fewer --projects",
                project.label, project.handoffs
            )
            .into());
        }
        let world = World::new(words, project, plan.seed)?;
        let mut builder = Builder::new(&world, Half::of(project.number));
        builder.stories()?;
        builder.matters()?;
        builder.decisions()?;
        builder.identifiers()?;
        builder.languages()?;
        builder.nothing(plan)?;
        let (questions, plants) = builder.done();
        all.extend(questions);
        planted.insert(project.number, plants);
    }
    Ok((all, planted))
}

#[cfg(test)]
mod tests;
