//! Segue as a library: leave a handoff at the end of a session, pick it up in the next.
//!
//! ```
//! use segue_lib::handoffs::{SaveRequest, Selector};
//! use segue_lib::{Env, Segue};
//!
//! let temp = tempfile::tempdir()?;
//! let env = Env::new(temp.path().join("home"), temp.path(), std::time::SystemTime::now, || getrandom::u32().unwrap_or(1));
//! let segue = Segue::new(env);
//! let saved = segue.save(&SaveRequest { title: Some("Auth half done".into()), body: "Tests are next.\n".into(), ..SaveRequest::default() })?;
//! let found = segue.find(&Selector::Latest)?;
//! assert_eq!(found.handoff.head.id, saved.handoff.head.id);
//! assert_eq!(found.handoff.body(), "Tests are next.\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Segue`] is the door to every use case. What a use case takes and gives stands in the module of its
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
mod system;
pub mod workspace;

pub use config::ConfigError;
pub use env::{Env, Lookup};
pub use error::{
    BundleProblem, ContinueProblem, Error, KeyFrom, KeyProblem, Kind, Match, PassedOver,
    PassedOverFor, VaultProblem,
};
pub use here::ProjectRef;

pub use segue_core::{
    ProjectId, SpanError, Timestamp, age, ago, code_span, parse_since, parse_span, parse_until,
    visible, visible_line,
};
pub use segue_store::{OpenTo, OutputFile, StoreError, too_open};

use std::fmt;
use std::rc::Rc;

use here::{Here, Tree};
use segue_store::{Outside, Store};
use settings::Settings;

/// Segue, opened for one home and one directory.
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
    /// Opens nothing yet: each use case opens what it needs.
    pub fn new(env: Env) -> Self {
        let outside =
            Outside { clock: env.file_clock, progress: env.progress, hurried: env.hurried };
        let store = Store::new(env.home.clone(), outside);
        let (settings, tree) = (Settings::new(&env), Tree::new(env.dir.clone()));
        Self { env, store, settings, tree }
    }

    /// The same for another directory.
    pub fn in_dir(self, dir: impl Into<std::path::PathBuf>) -> Self {
        let mut env = self.env;
        env.dir = dir.into();
        Self::new(env)
    }

    /// What this was opened with.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// A use case begins in the directory.
    pub(crate) fn here(&self) -> Here<'_> {
        Here::new(&self.env, &self.store, &self.settings, Rc::clone(&self.tree))
    }
}
