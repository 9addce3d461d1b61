//! Segue as a library: leave a handoff at the end of a session, pick it up in the next.
//!
//! ```
//! use segue_lib::{Env, SaveRequest, Segue, Selector};
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
//! The library never prints, exits, reads the environment or asks the clock: what it needs of the
//! world comes in with [`Env`], and what it found comes back as values.
#![warn(missing_docs)]

mod agents;
mod briefing;
mod config;
mod drafts;
mod env;
mod error;
mod handoffs;
mod here;
mod hook;
mod maintenance;
mod near;
mod redacted;
mod run;
mod search;
mod sessions;
mod settings;
mod sharing;
mod snapshot;
mod workspace;

pub use agents::agent_health::AgentHealth;
pub use agents::ask::{ASKED, AskFailure, AskPlan, AskProblem, AskableSession};
pub use agents::continue_in::{ContinuePlan, ContinueRequest};
pub use agents::install::{
    AgentStatus, AskChange, FileChange, InstallFate, InstallItem, InstallOutcome, InstallRequest,
    PartStatus, Standing, installable, installable_agents,
};
pub use briefing::resume::ResumeOutcome;
pub use briefing::resume_request::ResumeRequest;
pub use config::ConfigError;
pub use drafts::{SessionGoingOn, SessionTold};
pub use env::{Env, Lookup};
pub use error::{
    BundleProblem, ContinueProblem, Error, KeyFrom, KeyProblem, Kind, Match, VaultProblem,
};
pub use handoffs::{
    DecideRequest, EditOutcome, EditRequest, Forgotten, Found, ListOutcome, ListRequest, Readable,
    RenderRequest, SaveOutcome, SaveRequest,
};
pub use here::{Brings, NotUsed, Paused, ProjectRef, Trust};
pub use hook::log::HookFired;
pub use hook::{Continued, HookDone, HookOutcome, HookRequest};
pub use maintenance::compact::{COMPACT_AFTER_DAYS, CompactPlan, CompactRequest};
pub use maintenance::doctor::{Finding, Health, Report};
pub use maintenance::gc::GcOutcome;
pub use maintenance::index::{IndexAction, IndexReport};
pub use maintenance::project::{Linked, Split};
pub use maintenance::scrub::{ScrubLeft, ScrubPlan, ScrubReport, ScrubRequest, Scrubbed};
pub use run::auto::{AutoOutcome, AutoRequest, PushState};
pub use run::pause::Unpaused;
pub use run::{
    CheckRequest, EXAMPLE_PLAN, Engine, Git, Layer, Memory, Null, Plan, Publish, PublishTo, RunEnd,
    RunOutcome, RunPreview, RunRequest, RunState, RunStatusReport, RunsSeen, Step, StepDone,
    StepFailure, StepKind, StepRun, Unfinished, When,
};
pub use search::{Because, Hit, HitPassage, SearchOutcome, SearchRequest, SupersededBy};
pub use sessions::capture::{Captured, SessionRef, SessionSeen, SessionStory, readable_agents};
pub use sharing::arrived::{Arrived, Fate};
pub use sharing::bundle::{AskPassphrase, BundleFormat, BundleInput, PassphraseFor};
pub use sharing::export::{ExportFormat, ExportOutcome, ExportRequest, Exported};
pub use sharing::import::{ImportOutcome, ImportRequest, OnConflict};
pub use sharing::keys::{KeyInfo, Signing};
pub use sharing::provenance::{Provenance, ProvenanceReader};
pub use sharing::pull::{PullRequest, Pulled};
pub use sharing::push::{PushRequest, PushSource, Pushed};
pub use sharing::shared::ShareOutcome;
pub use sharing::trust::{TrustOutcome, TrustedTree};
pub use sharing::vault::{GivenKey, VaultRequest};
pub use sharing::verify::Verified;
pub use snapshot::{SnapshotOutcome, SnapshotRequest};
pub use workspace::{InitOutcome, InitRequest};

pub use segue_agents::{
    AGENTS, Agent, HookEvent, Part, Payload, Place as PromptPlace, SKILL, Scope, Word, agent_of,
    agent_of_mcp_client, briefs_at_prompt, detect as detect_agent, find as find_agent,
    project_of_hook, really_by,
};
pub use segue_core::run::{Checkpoint, Outcome, RunStatus, StepMark, StepRecord};
pub use segue_core::search::MAX_QUERY_TERMS;
pub use segue_core::session::{Judgement, Outcome as SessionOutcome, Session, Told, ToldKind};
pub use segue_core::{
    BriefedPart, Briefing, Check, CommitLine, DEFAULT_BUDGET, DecisionNote, Distilled, Draft,
    Editable, EditableError, FIRST_LINE, Fields, GitToday, Handoff, HandoffId, HandoffKind, Head,
    Imported, Key, KindError, LEAST_BUDGET, Label, MAX_HANDOFF_BYTES, Name, NameError,
    OtherHandoff, ProjectId, Rechecked, SecretIn, Selector, SelectorError, SinceThen, SpanError,
    Tag, Timestamp, Tokenizer, TreeToday, Ttl, Verify, age, ago, came_from, code_span, parse_since,
    parse_span, parse_until, recommended_template, visible, visible_line,
};
pub use segue_share::bundle::{BundleError, MAX_HANDOFFS};
pub use segue_share::crypt::{CryptError, Identity, Lock, Passphrase, Recipient};
pub use segue_share::keys::{KeyError, SecretKey};
pub use segue_share::peers::{Peer, PeerError};
pub use segue_share::vault::{ApiKey, Network, VaultError};
pub use segue_store::{
    Asks, BadFile, GcPlan, IndexState, Listed, OpenTo, OutputFile, ProjectRow, StoreError,
    TextState, too_open,
};

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
