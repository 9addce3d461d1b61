//! Where everything lies under `$SEGUE_HOME`.

use std::path::{Path, PathBuf};

use segue_core::ProjectId;

/// The paths of one store.
#[derive(Clone, Debug)]
pub struct Layout {
    home: PathBuf,
}

impl Layout {
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Self { home: home.into() }
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn projects(&self) -> PathBuf {
        self.home.join("projects")
    }

    pub fn index(&self) -> PathBuf {
        self.home.join("index.db")
    }

    pub(crate) fn index_lock(&self) -> PathBuf {
        self.home.join("index.lock")
    }

    pub(crate) fn store_lock(&self) -> PathBuf {
        self.home.join("store.lock")
    }

    pub(crate) fn incoming(&self) -> PathBuf {
        self.home.join("incoming")
    }

    /// What an import that is under way has yet to do.
    pub(crate) fn incoming_journal(&self) -> PathBuf {
        self.incoming().join("journal")
    }

    /// Proofs of what was signed, of bundles that were imported.
    pub(crate) fn proofs(&self) -> PathBuf {
        self.home.join("proofs")
    }

    /// Briefings in files, for agents that are started with one.
    pub(crate) fn briefings(&self) -> PathBuf {
        self.home.join("briefings")
    }

    /// The user's own keys.
    pub(crate) fn own_keys(&self) -> PathBuf {
        self.home.join("keys")
    }

    /// Keys that the user trusts.
    pub(crate) fn trusted_keys(&self) -> PathBuf {
        self.home.join("trusted-keys")
    }

    pub(crate) fn trusted(&self) -> PathBuf {
        self.home.join("trusted")
    }

    /// Which agents may be asked for handoffs.
    pub(crate) fn asks(&self) -> PathBuf {
        self.home.join("asks.toml")
    }

    /// What was put into files of other programs.
    pub(crate) fn installed(&self) -> PathBuf {
        self.home.join("installed")
    }

    /// There while handoffs are rewritten.
    pub(crate) fn scrubbing(&self) -> PathBuf {
        self.home.join("scrubbing")
    }

    /// What stops everything that runs by itself.
    pub fn pause(&self) -> PathBuf {
        self.home.join("PAUSE")
    }

    /// Sessions that have ended and of which no handoff was made yet.
    pub(crate) fn ended(&self) -> PathBuf {
        self.home.join("ended")
    }

    /// Agents that were started with a briefing and whose hooks have not fired yet.
    pub(crate) fn started(&self) -> PathBuf {
        self.home.join("started")
    }

    /// How the hooks of agents went.
    pub(crate) fn hook_log(&self) -> PathBuf {
        self.home.join("hooks.log")
    }

    pub fn memory(&self, project: &ProjectId) -> PathBuf {
        self.projects().join(project.as_str())
    }
}

/// Names inside a memory.
pub(crate) const PROJECT_FILE: &str = "project.toml";
pub(crate) const MEMORY_LOCK: &str = ".lock";
pub(crate) const TURN_LOCK: &str = ".turn";
pub(crate) const LAYER1: &str = "layer1";
pub(crate) const LAYER2: &str = "layer2";
pub(crate) const LAYER3: &str = "layer3";
pub(crate) const FORGOTTEN: &str = "forgotten";
pub(crate) const KEPT: &str = "kept";
pub(crate) const PUSHED: &str = "pushed";
pub(crate) const SNAPSHOTS: &str = "snapshots";
pub(crate) const RUN: &str = "run";
pub(crate) const LIVE: &str = "live";
pub(crate) const CURRENT_STATE: &str = "current-state.md";

/// Whether a directory of layer 1 is a month: `2026-11`.
pub(crate) fn is_month(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.len() == 7
        && bytes[4] == b'-'
        && bytes.iter().enumerate().all(|(at, b)| at == 4 || b.is_ascii_digit())
}

/// Whether a file is one that people keep handoffs in: not hidden, not temporary, `.md`.
pub(crate) fn is_markdown(name: &str) -> bool {
    name.ends_with(".md") && !name.starts_with('.')
}
