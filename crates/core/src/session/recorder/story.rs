//! The session as a story: what was said and done, in its order. Only for somebody who reads it, since
//! nothing of it is left out.

use super::super::{Outcome, Told, ToldKind};
use super::{Act, End, Recorder, Write};
use crate::redact::trimmed;

/// Bytes kept of one thing, and of the whole.
const LONGEST: usize = 64 << 10;
const MOST: usize = 24 << 20;

/// A story in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    told: Vec<Told>,
    bytes: usize,
    /// What was not told any more because it is so long.
    left_out: usize,
}

impl Recorder {
    /// A recorder that also keeps the story.
    pub fn telling(agent: &str) -> Self {
        Self { story: Some(Story::default()), ..Self::new(agent) }
    }

    /// One that has heard nothing yet, and keeps the story if this one does.
    pub fn anew(&self) -> Self {
        let story = self.story.as_ref().map(|_| Story::default());
        let is_subagents = self.is_subagents;
        Self { story, is_subagents, ..Self::new(&self.session.agent) }
    }

    /// The story so far.
    pub fn story(&self) -> &[Told] {
        self.story.as_ref().map_or(&[], |story| &story.told)
    }

    /// How many things the story leaves out at its end, because it is so long.
    pub fn left_out(&self) -> usize {
        self.story.as_ref().map_or(0, |story| story.left_out)
    }

    /// Tells something. Its place in the story, if there is one.
    pub(super) fn tell(&mut self, kind: ToldKind, text: &str) -> Option<usize> {
        let (record, at, aside) = (self.record, self.at, self.aside);
        let story = self.story.as_mut()?;
        if aside {
            return None;
        }
        if story.bytes >= MOST {
            story.left_out += 1;
            return None;
        }
        let text = super::cut(&trimmed(text), LONGEST).into_owned();
        story.bytes += text.len();
        story.told.push(Told { record, at, kind, text, outcome: None, exit: None, error: None });
        Some(story.told.len() - 1)
    }

    pub(super) fn tell_act(&mut self, act: &Act, what: &str) -> Option<usize> {
        self.story.as_ref()?;
        let (kind, text) = match act {
            Act::Run { .. } => (ToldKind::Ran, what.to_owned()),
            Act::Read { path } => (ToldKind::Read, path.clone()),
            Act::Plan(plan) => (ToldKind::Planned, plan.clone()),
            Act::Todos(_) | Act::Skill(_) | Act::Other => (ToldKind::Called, what.to_owned()),
            Act::Write { path, how } => match how {
                Write::Create => (ToldKind::Created, path.clone()),
                Write::Edit => (ToldKind::Edited, path.clone()),
                Write::Delete => (ToldKind::Deleted, path.clone()),
                Write::Rename(from) => (ToldKind::Renamed, format!("{from} → {path}")),
            },
        };
        self.tell(kind, &text)
    }

    /// How something ended that was told.
    pub(super) fn tell_end(&mut self, places: &[usize], end: End, error: Option<&str>) {
        let Some(story) = &mut self.story else { return };
        for at in places {
            if let Some(told) = story.told.get_mut(*at) {
                told.outcome = Some(end.outcome);
                told.exit = end.exit;
                if end.outcome == Outcome::Failed {
                    told.error = error.filter(|error| !error.is_empty()).map(str::to_owned);
                }
            }
        }
    }
}
