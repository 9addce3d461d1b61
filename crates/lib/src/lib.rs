//! Segue as a library: leave a handoff at the end of a session, pick it up in the next.
//!
//! ```
//! use segue_lib::handoffs::{SaveRequest, Selector};
//! use segue_lib::{Env, Segue};
//!
//! let temp = tempfile::tempdir()?;
//! let env = Env::new(temp.path().join("home"), temp.path(), std::time::SystemTime::now, || getrandom::u32().unwrap_or(1));
//! let segue = Segue::new(env);
//! let mut request = SaveRequest::default();
//! request.title = Some("Auth half done".into());
//! request.body = "Tests are next.\n".into();
//! let saved = segue.handoffs().save(&request)?;
//! let found = segue.handoffs().find(&Selector::Latest)?;
//! assert_eq!(found.handoff.head.id, saved.handoff.head.id);
//! assert_eq!(found.handoff.body(), "Tests are next.\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Segue`] is opened for one home and one directory and gives the nouns: [`Segue::handoffs`],
//! [`Segue::briefer`], [`Segue::runs`] and so on. What a noun does, takes and gives stands in the module of its
//! subject: [`handoffs`], [`briefing`], [`sessions`], [`search`], [`hook`], [`run`], [`agents`],
//! [`sharing`], [`maintenance`], [`snapshot`], [`workspace`].
//!
//! The library never prints, exits, reads the environment or asks the clock: what it needs of the
//! world comes in with [`Env`], and what it found comes back as values. Who has no wishes of its own opens it
//! with [`Segue::open`], which asks the system.
#![warn(missing_docs)]

pub mod agents;
pub mod briefing;
mod config;
mod drafts;
mod env;
mod error;
mod file_chars;
pub mod handoffs;
mod here;
pub mod hook;
pub mod maintenance;
mod near;
mod redacted;
pub mod run;
pub mod search;
pub mod sessions;
mod settings;
pub mod sharing;
pub mod snapshot;
pub mod state;
mod system;
pub mod workspace;

pub use config::ConfigError;
pub use env::{Env, Lookup};
pub use error::{
    BundleProblem, ContinueProblem, Error, KeyFrom, KeyProblem, Kind, Match, PassedOver,
    PassedOverFor, VaultProblem,
};
pub use here::ProjectRef;
pub use redacted::OutputRedactor;

pub use segue_core::{
    ProjectId, SpanError, Timestamp, age, ago, code_span, parse_since, parse_span, parse_until,
    visible, visible_line,
};
pub use segue_store::{OpenTo, OutputFile, StoreError, too_open};

use std::fmt;
use std::path::PathBuf;
use std::rc::Rc;

use agents::{AgentSetup, Launcher};
use briefing::Briefer;
use handoffs::Handoffs;
use here::{Here, Tree};
use hook::AgentHooks;
use maintenance::{Compaction, Doctor, Maintenance, Projects, Scrubber};
use run::Runs;
use search::HandoffSearch;
use segue_store::{Outside, Store};
use sessions::{Drafts, Sessions};
use settings::Settings;
use sharing::{Bundles, Exports, Imports, Keys, MemoryVault, ProvenanceReader, TrustedTrees};
use snapshot::Snapshots;
use state::OpenItems;
use workspace::Workspace;

/// Segue, opened for one home and one directory.
///
/// Each noun that it gives begins a use case: what the noun looks up of the directory (its project, what git says)
/// it looks up once and keeps. Who wants to see what has changed since asks for the noun again.
pub struct Segue {
    env: Env,
    store: Store,
    settings: Settings,
    tree: Rc<Tree>,
}

impl fmt::Debug for Segue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segue").field("env", &self.env).finish_non_exhaustive()
    }
}

impl Segue {
    /// Opens the user's own store (`SEGUE_HOME`, else the platform's data directory) for a directory.
    ///
    /// ```no_run
    /// use segue_lib::Segue;
    /// use segue_lib::briefing::ResumeRequest;
    ///
    /// let segue = Segue::open("/work/shop")?;
    /// let mut request = ResumeRequest::default();
    /// request.budget = 800;
    /// let resumed = segue.briefer().resume(&request, None)?;
    /// for part in &resumed.briefing.parts {
    ///     println!("{}: {} shown, {} left out", part.key, part.shown.len(), part.left_out.len());
    /// }
    /// # Ok::<(), segue_lib::Error>(())
    /// ```
    ///
    /// Nothing is created before something is saved, and a directory that is not there is an error of the
    /// first use case, not of this.
    pub fn open(dir: impl Into<PathBuf>) -> Result<Self, Error> {
        Ok(Self::new(Env::system(dir)?))
    }

    /// Opens nothing yet: each use case opens what it needs.
    pub fn new(env: Env) -> Self {
        let outside =
            Outside { clock: env.file_clock, progress: env.progress, hurried: env.hurried };
        let store = Store::new(env.home.clone(), outside);
        let (settings, tree) = (Settings::new(&env), Tree::new(env.dir.clone()));
        Self { env, store, settings, tree }
    }

    /// The same for another directory.
    pub fn in_dir(self, dir: impl Into<PathBuf>) -> Self {
        let mut env = self.env;
        env.dir = dir.into();
        Self::new(env)
    }

    /// What this was opened with.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// A use case begins in the directory.
    fn here(&self) -> Here<'_> {
        Here::new(&self.env, &self.store, &self.settings, Rc::clone(&self.tree))
    }
}

/// The nouns.
impl Segue {
    /// To save, find, list, change and forget handoffs.
    pub fn handoffs(&self) -> Handoffs<'_> {
        Handoffs::of(&self.here())
    }

    /// To see what is open, to close it and to note more.
    pub fn open_items(&self) -> OpenItems<'_> {
        OpenItems::of(&self.here())
    }

    /// To brief the next session.
    pub fn briefer(&self) -> Briefer<'_> {
        Briefer::of(&self.here())
    }

    /// To search the text of handoffs.
    pub fn search(&self) -> HandoffSearch<'_> {
        HandoffSearch::of(&self.here())
    }

    /// To take snapshots.
    pub fn snapshots(&self) -> Snapshots<'_> {
        Snapshots::of(&self.here())
    }

    /// To find and read the sessions of agents.
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions::of(&self.here())
    }

    /// To see what sessions would leave that go on.
    pub fn drafts(&self) -> Drafts<'_> {
        Drafts::of(&self.here())
    }

    /// To do what an agent's hook asks for.
    pub fn hooks(&self) -> AgentHooks<'_> {
        AgentHooks::of(&self.here())
    }

    /// To put Segue into agents and out of them, and to see how it is doing there.
    pub fn agents(&self) -> AgentSetup<'_> {
        AgentSetup::of(&self.here())
    }

    /// To start agents: one that is asked, or one that goes on.
    pub fn launcher(&self) -> Launcher<'_> {
        Launcher::of(&self.here())
    }

    /// To run plans, to look at runs, and to stop them.
    pub fn runs(&self) -> Runs<'_> {
        Runs::of(&self.here())
    }

    /// To lay out SOUL.md, MEMORY.md and HANDOFF.md.
    pub fn workspace(&self) -> Workspace<'_> {
        Workspace::of(&self.here())
    }

    /// To write handoffs into portable files.
    pub fn exports(&self) -> Exports<'_> {
        Exports::of(&self.here())
    }

    /// To take handoffs in, from bundles and from other tools.
    pub fn imports(&self) -> Imports<'_> {
        Imports::of(&self.here())
    }

    /// To look into bundles without importing them.
    pub fn bundles(&self) -> Bundles<'_> {
        Bundles::new(&self.env, &self.store)
    }

    /// To make, find and trust keys.
    pub fn keys(&self) -> Keys<'_> {
        Keys::new(&self.env, &self.store)
    }

    /// To tell where imported handoffs come from.
    pub fn provenance(&self) -> ProvenanceReader<'_> {
        ProvenanceReader::of(&self.store)
    }

    /// To trust repositories, and to make one carry its own memory.
    pub fn trusted_trees(&self) -> TrustedTrees<'_> {
        TrustedTrees::of(&self.here())
    }

    /// To push to MemoryVault and pull from it.
    pub fn memory_vault(&self) -> MemoryVault<'_> {
        MemoryVault::of(&self.here())
    }

    /// To see which projects there are, and to put right which directory belongs to which.
    pub fn projects(&self) -> Projects<'_> {
        Projects::of(&self.here())
    }

    /// To see whether everything is as it should be.
    pub fn doctor(&self) -> Doctor<'_> {
        Doctor::of(&self.here())
    }

    /// To archive what has expired, and to rebuild or verify the index.
    pub fn maintenance(&self) -> Maintenance<'_> {
        Maintenance::new(&self.env, &self.store)
    }

    /// To move old handoffs into archives.
    pub fn compaction(&self) -> Compaction<'_> {
        Compaction::of(&self.here())
    }

    /// To take secrets out of what is stored.
    pub fn scrubber(&self) -> Scrubber<'_> {
        Scrubber::of(&self.here())
    }

    /// To take secrets out of what goes out.
    pub fn redactor(&self) -> OutputRedactor {
        OutputRedactor::new(self.settings.redactor_out())
    }
}
