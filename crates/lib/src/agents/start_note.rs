//! That an agent was started with the briefing, for its hook: a daemon that runs the hook does not see the variables
//! that the agent was started with.

use std::path::{Path, PathBuf};
use std::time::Duration;

use segue_agents::Agent;
use segue_core::{Timestamp, digest};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::here::Here;

/// Until then the session has begun. What is older was never taken, and says nothing of a session that begins now.
const VALID: Duration = Duration::from_secs(10 * 60);

/// An agent that was started with the briefing.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct StartNote {
    agent: String,
    dir: PathBuf,
    /// The handoff that it goes on from; empty if there is none in the store.
    pub(crate) from: String,
    at: Timestamp,
}

impl StartNote {
    /// Notes a start in this directory, where the agent's hooks need that.
    pub(crate) fn put(here: &Here<'_>, agent: &Agent, from: &str) -> Result<(), Error> {
        if !agent.hooks.as_ref().is_some_and(|hooks| hooks.runs_detached) {
            return Ok(());
        }
        let dir = real(here.dir());
        let key = key_of(agent, &dir);
        let agent = agent.slug.to_owned();
        let note = Self { agent, dir, from: from.to_owned(), at: here.now() };
        let note = serde_json::to_vec(&note).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(here.store.note_started(&key, &note)?)
    }

    /// Takes the note of the start of an agent in this directory, if it was started just now.
    pub(crate) fn take(here: &Here<'_>, agent: &Agent) -> Option<Self> {
        let dir = real(here.dir());
        let note = here.store.take_started(&key_of(agent, &dir))?;
        let note: Self = serde_json::from_slice(&note).ok()?;
        let is_fresh = !note.at.is_ahead_of(here.now()) && here.env.since(note.at) < VALID;
        (is_fresh && note.agent == agent.slug && note.dir == dir).then_some(note)
    }
}

fn key_of(agent: &Agent, dir: &Path) -> String {
    let mut key = digest(&format!("{}\n{}", agent.slug, dir.display()));
    key.truncate(16);
    key
}

fn real(dir: &Path) -> PathBuf {
    dir.canonicalize().unwrap_or_else(|_| dir.to_owned())
}
