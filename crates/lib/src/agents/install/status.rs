//! What of Segue is in which agent.

use std::path::{Path, PathBuf};

use segue_agents::{Content, Part, Presence, Scope, Wish, installations};
use segue_core::digest;
use segue_store::Asks;

use super::file;
use super::setup::AgentSetup;
use crate::sessions::capture::places;

/// One agent, and what of Segue is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentStatus {
    /// The agent, by its word.
    pub agent: &'static str,
    /// By what it is seen on this machine: its program or its directory.
    pub found: Option<PathBuf>,
    /// Part by part, for the user and for the project here.
    pub parts: Vec<PartStatus>,
    /// When it is asked for handoffs in its own words.
    pub asks: Asks,
}

/// One part in one scope.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartStatus {
    /// The part.
    pub part: Part,
    /// For whom.
    pub scope: Scope,
    /// The file, if the agent has such a part.
    pub path: Option<PathBuf>,
    /// Whether it is there.
    pub standing: Standing,
}

/// Whether a part is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// As it would be put in now.
    Installed,
    /// In another shape, or not all of it: installing again puts that right.
    Old,
    /// A whole file of ours that somebody changed: it is theirs now.
    Edited,
    /// Not there.
    Missing,
    /// The agent has no such part.
    None,
    /// The file cannot be read.
    Unreadable(String),
}

impl AgentSetup<'_> {
    /// What of Segue is in each agent that it can be installed in, part by part.
    pub fn status(&self, program: &Path) -> Vec<AgentStatus> {
        let places = places(self.here.env);
        let of = |row: &'static segue_agents::Installation| {
            let scopes = [Scope::User, Scope::Project].into_iter();
            let each = scopes.flat_map(|scope| Part::ALL.map(|part| (scope, part)));
            let asks = self.here.store.asks(row.agent);
            let wish = |part, scope| {
                // In the user's home both would be the same files.
                let apart = scope == Scope::User || !self.is_home_of_user(scope);
                apart.then(|| self.wish(row, part, scope, program, asks)).flatten()
            };
            let parts = each.map(|(scope, part)| match wish(part, scope) {
                Some(wish) => {
                    let top = self.scope_top(scope);
                    let (path, standing) = self.standing(&wish, top.as_deref());
                    PartStatus { part, scope, path: Some(path), standing }
                }
                None => PartStatus { part, scope, path: None, standing: Standing::None },
            });
            let parts = parts.collect();
            AgentStatus { agent: row.agent, found: row.found(&places), parts, asks }
        };
        installations().map(of).collect()
    }

    fn standing(&self, wish: &Wish, top: Option<&Path>) -> (PathBuf, Standing) {
        let mut first = None;
        for path in &wish.paths {
            let standing = self.standing_in(path, &wish.content, top);
            if standing != Standing::Missing {
                return (path.clone(), standing);
            }
            first.get_or_insert_with(|| path.clone());
        }
        (first.unwrap_or_default(), Standing::Missing)
    }

    fn standing_in(&self, path: &Path, content: &Content, top: Option<&Path>) -> Standing {
        let read = file::resolved(path, top).and_then(|target| {
            let read = file::read(&target)?;
            Ok(read.map(|text| (text, self.here.store.installed(&target))))
        });
        let (text, record) = match read {
            Err(why) => return Standing::Unreadable(why),
            Ok(None) => return Standing::Missing,
            Ok(Some(read)) => read,
        };
        let by_hand = || record.is_some_and(|record| record.wrote != digest(&text));
        match content.is_in(&text) {
            Ok(Presence::Yes) => Standing::Installed,
            Ok(Presence::Old) if content.is_whole() && by_hand() => Standing::Edited,
            Ok(Presence::Old) => Standing::Old,
            Ok(Presence::No) => Standing::Missing,
            Err(error) => Standing::Unreadable(error.to_string()),
        }
    }
}
