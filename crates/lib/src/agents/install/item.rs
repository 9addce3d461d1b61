//! What is to be installed, and what became of it, part by part.

use std::path::PathBuf;

use segue_agents::{Part, Scope};
use segue_store::Asks;

/// How an installation changes when agents are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskChange {
    /// As it was chosen before.
    #[default]
    Leave,
    /// Also at these times.
    Add(Asks),
    /// Never again.
    Never,
}

/// What to install, and where. The same for taking it out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InstallRequest {
    /// The agents, by their words.
    pub agents: Vec<&'static str>,
    /// For the user or for the project here.
    pub scope: Scope,
    /// Which parts; none means all that an agent has.
    pub parts: Vec<Part>,
    /// The program that runs now, for hooks where there is none on the path.
    pub program: PathBuf,
    /// When the agents are asked for handoffs in their own words.
    pub asks: AskChange,
}

impl InstallRequest {
    /// Every part, for the user, in no agent yet. `program` is the one that runs now.
    pub fn new(program: PathBuf) -> Self {
        let (agents, scope, parts) = (Vec::new(), Scope::User, Vec::new());
        Self { agents, scope, parts, program, asks: AskChange::default() }
    }
}

/// What became of one part of one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstallItem {
    /// The agent, by its word.
    pub agent: &'static str,
    /// The part.
    pub part: Part,
    /// The file.
    pub path: PathBuf,
    /// What became of it.
    pub fate: InstallFate,
}

/// What became of a part, or would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstallFate {
    /// The file was made.
    Created,
    /// The file was changed.
    Changed,
    /// The file was removed, since nothing else was in it.
    Removed,
    /// It was there already, or when taken out, it was not there.
    Unchanged,
    /// The file stays as it is, for this reason.
    Left(String),
    /// The file could not be changed, for this reason.
    Failed(String),
}

/// A file as it would be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileChange {
    /// The file.
    pub path: PathBuf,
    /// Lines that go (`-`) and come (`+`), with some around them.
    pub diff: String,
}

/// What was installed or taken out, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstallOutcome {
    /// Part by part.
    pub items: Vec<InstallItem>,
    /// File by file.
    pub changes: Vec<FileChange>,
    /// What the user has to know or do.
    pub notes: Vec<String>,
}

impl InstallOutcome {
    /// Whether something could not be done.
    pub fn failed(&self) -> bool {
        self.items.iter().any(|item| matches!(item.fate, InstallFate::Failed(_)))
    }

    /// Whether something was changed, or would be.
    pub fn changed(&self) -> bool {
        !self.changes.is_empty()
    }
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    In,
    Out,
}

/// Whether it is done or only looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Plan,
    Do,
}

/// The parts that are meant.
pub(super) fn parts(request: &InstallRequest) -> Vec<Part> {
    match &request.parts[..] {
        [] => Part::ALL.to_vec(),
        some => some.to_vec(),
    }
}
