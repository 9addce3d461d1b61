//! What of Segue is in which agent.

use std::fs;
use std::path::{Path, PathBuf};

use segue_agents::{INSTALLATIONS, Part, Presence, Scope, Wish};

use crate::Segue;

/// One agent, and what of Segue is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentStatus {
    /// The agent, by its word.
    pub agent: &'static str,
    /// By what it is seen on this machine: its program or its directory.
    pub found: Option<PathBuf>,
    /// Part by part, for the user and for the project here.
    pub parts: Vec<PartStatus>,
}

/// One part in one scope.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Not there.
    Missing,
    /// The agent has no such part.
    None,
    /// The file cannot be read.
    Unreadable(String),
}

impl Segue {
    /// What of Segue is in each agent that it can be installed in.
    pub fn install_status(&self, program: &Path) -> Vec<AgentStatus> {
        let places = self.places();
        let of = |row: &'static segue_agents::Installation| {
            let scopes = [Scope::User, Scope::Project].into_iter();
            let each = scopes.flat_map(|scope| Part::ALL.map(|part| (scope, part)));
            let parts = each.map(|(scope, part)| match self.wish(row, part, scope, program) {
                Some(wish) => {
                    let (path, standing) = self.standing(&wish);
                    PartStatus { part, scope, path: Some(path), standing }
                }
                None => PartStatus { part, scope, path: None, standing: Standing::None },
            });
            AgentStatus { agent: row.agent, found: row.found(&places), parts: parts.collect() }
        };
        INSTALLATIONS.iter().map(of).collect()
    }

    fn standing(&self, wish: &Wish) -> (PathBuf, Standing) {
        let mut first = None;
        for path in &wish.paths {
            let standing = match fs::read_to_string(path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Standing::Missing,
                Err(error) => Standing::Unreadable(error.to_string()),
                Ok(text) => match wish.content.is_in(&text) {
                    Ok(Presence::Yes) => Standing::Installed,
                    Ok(Presence::Old) => Standing::Old,
                    Ok(Presence::No) => Standing::Missing,
                    Err(error) => Standing::Unreadable(error.to_string()),
                },
            };
            if standing != Standing::Missing {
                return (path.clone(), standing);
            }
            first.get_or_insert_with(|| path.clone());
        }
        (first.unwrap_or_default(), Standing::Missing)
    }
}
