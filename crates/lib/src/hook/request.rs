//! What a hook tells, and what comes of it.

use std::path::PathBuf;

use segue_agents::{Agent, HookEvent, Payload};

use crate::Error;
use crate::drafts::{LiveState, key_of};

/// What happens, and in which session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookRequest {
    /// The agent in which it happens.
    pub agent: &'static Agent,
    /// The agent in whose dialect it is asked: another may run its hooks.
    pub dialect: &'static Agent,
    /// What happens.
    pub event: HookEvent,
    /// What the agent tells of it.
    pub payload: Payload,
    /// How the agent was started, if that was by `segue continue` and it is to be briefed now.
    pub continued: Option<Continued>,
}

impl HookRequest {
    /// An event in an agent, asked in its own dialect.
    pub fn new(agent: &'static Agent, event: HookEvent, payload: Payload) -> Self {
        Self { agent, dialect: agent, event, payload, continued: None }
    }

    /// What the session is called among the live drafts.
    pub(super) fn live_key(&self, state: Option<&LiveState>) -> String {
        let told = self.payload.session.as_deref().unwrap_or_default();
        let id = state.map_or(told, |state| state.id_in_files());
        key_of(self.agent.slug, id)
    }
}

/// A start by `segue continue`: the agent has the briefing already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continued {
    /// The id of the handoff that it is about; `None` if that was not in the store yet.
    pub from: Option<String>,
}

/// What a hook did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookDone {
    /// There was nothing to do.
    Nothing,
    /// The brake is pulled.
    Paused,
    /// The session was told something.
    Told,
    /// What the session would leave was made anew.
    Kept,
    /// A handoff was made of that.
    Saved,
    /// The agent was asked for a handoff in its own words.
    Asked,
}

impl HookDone {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Paused => "paused",
            Self::Told => "told",
            Self::Kept => "kept",
            Self::Saved => "saved",
            Self::Asked => "asked",
        }
    }
}

/// What came of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct HookOutcome {
    /// What is to be printed, in the agent's dialect.
    pub answer: Option<String>,
    /// What was done.
    pub done: HookDone,
    /// What did not go as it should, though there is an answer.
    pub failed: Option<Error>,
}

impl HookOutcome {
    pub(super) fn of(done: HookDone) -> Self {
        Self { answer: None, done, failed: None }
    }
}

/// The directory that a hook is about: the project's, as the agent says, or where it is now.
pub fn hook_directory(payload: &Payload, project: Option<PathBuf>) -> Option<PathBuf> {
    let there = |dir: &PathBuf| dir.is_dir();
    let cwd = payload.cwd.clone().filter(there);
    // An agent that was started by another inherits its variables.
    let project = project.filter(there).filter(|project| match &cwd {
        Some(cwd) => cwd.starts_with(project),
        None => true,
    });
    project.or(cwd)
}
