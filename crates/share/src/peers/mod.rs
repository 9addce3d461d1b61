//! The stores of the four peers, read as handoffs.
//!
//! Nothing in a source is ever changed: no expired entry is purged, no journal is played back, no file
//! is left beside it. The same entry gives the same handoff at every reading. One entry that cannot
//! be read never costs the others.

mod agent_handoff;
mod agent_handover;
mod database;
mod gathered;
mod handoff_db;
mod session_handoff;
mod source;
mod written_time;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use segue_core::Handoff;

/// A tool whose store can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    /// Records in one JSON file.
    SessionHandoff,
    /// Packages in a SQLite database.
    Handoff,
    /// Notes in three layers of a directory.
    AgentHandover,
    /// SOUL.md, MEMORY.md and HANDOFF.md of a workspace.
    AgentHandoff,
}

/// What a peer's store holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerStore {
    /// What was read: a file, or the directory of the files.
    pub path: PathBuf,
    /// Its handoffs, oldest first.
    pub handoffs: Vec<PeerHandoff>,
    /// What could not be read, or not as it is.
    pub bad: Vec<BadEntry>,
}

/// One handoff of a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerHandoff {
    /// The handoff, without what an import adds to it.
    pub handoff: Handoff,
    /// The directory that it belonged to, if the peer knows.
    pub project_path: Option<String>,
    /// What the peer calls its project.
    pub project_label: Option<String>,
}

/// An entry that was left out, or that could not be taken exactly as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadEntry {
    /// Which one: `record 2 (20261115-183650)`, `package c0037acc`, the path of a file.
    pub what: String,
    /// Why, as a sentence about it: `its 'title' is empty`.
    pub reason: String,
}

/// Why a store cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// No peer has this name.
    #[error("'{0}' is none of {names}", names = names())]
    Unknown(String),
    /// Nothing is there.
    #[error("nothing of {peer} is at {path}", path = path.display())]
    NotFound {
        /// Whose store was looked for.
        peer: Peer,
        /// Where.
        path: PathBuf,
    },
    /// Something else is there.
    #[error("{path} is not such a store: {reason}", path = path.display())]
    NotOne {
        /// What was looked at.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another program is writing it right now.
    #[error("{path} is being written by another program", path = path.display())]
    Busy {
        /// What is being written.
        path: PathBuf,
    },
    /// It is larger than what is read.
    #[error("{path} is larger than {} MiB", max / 1024 / 1024, path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How many bytes are read at most.
        max: u64,
    },
    /// The system refused.
    #[error("cannot {what} {path}", path = path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Peer {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::SessionHandoff, Self::Handoff, Self::AgentHandover, Self::AgentHandoff];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionHandoff => "session-handoff",
            Self::Handoff => "handoff",
            Self::AgentHandover => "agent-handover",
            Self::AgentHandoff => "agent-handoff",
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Peer {
    type Err = PeerError;

    fn from_str(text: &str) -> Result<Self, PeerError> {
        let named = Self::ALL.into_iter().find(|peer| peer.name() == text);
        named.ok_or_else(|| PeerError::Unknown(text.to_owned()))
    }
}

/// The names of all peers, for a message.
fn names() -> String {
    Peer::ALL.map(Peer::name).join(", ")
}

/// Where a peer keeps its store unless told otherwise. `variable` gives environment variables, `dir`
/// is the current directory. Whether anything is there is not looked at.
pub fn default_path(
    peer: Peer,
    dir: &Path,
    home: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<PathBuf> {
    match peer {
        Peer::SessionHandoff => session_handoff::default_path(home, variable),
        Peer::Handoff => handoff_db::default_path(dir, home, variable),
        Peer::AgentHandover => Some(dir.join(agent_handover::MEMORY_DIR)),
        Peer::AgentHandoff => Some(dir.to_owned()),
    }
}

/// Reads the whole store of a peer and changes nothing in it.
pub fn read(peer: Peer, path: &Path) -> Result<PeerStore, PeerError> {
    match peer {
        Peer::SessionHandoff => session_handoff::read(path),
        Peer::Handoff => handoff_db::read(path),
        Peer::AgentHandover => agent_handover::read(path),
        Peer::AgentHandoff => agent_handoff::read(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_known_by_its_name() {
        for peer in Peer::ALL {
            assert_eq!(peer.name().parse::<Peer>().unwrap(), peer);
        }
        assert_eq!(
            "handover".parse::<Peer>().unwrap_err().to_string(),
            "'handover' is none of session-handoff, handoff, agent-handover, agent-handoff"
        );
    }

    #[test]
    fn a_store_is_looked_for_where_its_peer_keeps_it() {
        let (dir, home) = (Path::new("/work/app"), Some(Path::new("/home/ana")));
        let at = |peer| default_path(peer, dir, home, &|_| None).unwrap();
        assert_eq!(at(Peer::Handoff), Path::new("/home/ana/.handoff/handoff.db"));
        assert_eq!(at(Peer::AgentHandover), Path::new("/work/app/memory"));
        assert_eq!(at(Peer::AgentHandoff), Path::new("/work/app"));
        let named = |name: &str| (name == "HANDOFF_DB").then(|| "my.db".to_owned());
        let there = default_path(Peer::Handoff, dir, None, &named);
        assert_eq!(there.unwrap(), Path::new("/work/app/my.db"));
        assert_eq!(default_path(Peer::Handoff, dir, None, &|_| None), None);
    }
}
