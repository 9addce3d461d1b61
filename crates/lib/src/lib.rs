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

mod agent_health;
mod ask;
mod auto;
mod bundle;
mod capture;
mod choice;
mod compact;
mod config;
mod continue_in;
mod decide;
mod doctor;
mod edit;
mod env;
mod error;
mod export;
mod find;
mod forget;
mod gc;
mod here;
mod hook;
mod hook_log;
mod import;
mod import_from;
mod import_redacted;
mod index;
mod install;
mod keys;
mod list;
mod live;
mod near;
mod nearness;
mod pause;
mod project;
mod provenance;
mod pull;
mod push;
mod recheck;
mod redacted;
mod redacted_session;
mod render;
mod resume;
mod run;
mod save;
mod scrub;
mod search;
mod session_place;
mod shared;
mod snapshot;
mod today;
mod trust;
mod vault;
mod verify;
mod workspace;

pub use agent_health::AgentHealth;
pub use ask::{ASKED, AskFailure, AskPlan, AskProblem, AskableSession};
pub use auto::{AutoOutcome, AutoRequest, PushState};
pub use bundle::{AskPassphrase, BundleFormat, BundleInput, BundleProblem, PassphraseFor};
pub use capture::{Captured, SessionRef, SessionSeen, SessionStory, readable_agents};
pub use compact::{COMPACT_AFTER_DAYS, CompactPlan, CompactRequest};
pub use config::ConfigError;
pub use continue_in::{ContinuePlan, ContinueProblem, ContinueRequest};
pub use decide::DecideRequest;
pub use doctor::{Finding, Health, Report};
pub use edit::{EditOutcome, EditRequest};
pub use env::Env;
pub use error::{Error, Kind, Match};
pub use export::{ExportFormat, ExportOutcome, ExportRequest, Exported};
pub use find::Found;
pub use forget::Forgotten;
pub use gc::GcOutcome;
pub use here::ProjectRef;
pub use hook::{Continued, HookDone, HookOutcome, HookRequest};
pub use hook_log::HookFired;
pub use import::{Arrived, Fate, ImportOutcome, ImportRequest, OnConflict};
pub use index::{IndexAction, IndexReport};
pub use install::{
    AgentStatus, AskChange, FileChange, InstallFate, InstallItem, InstallOutcome, InstallRequest,
    PartStatus, Standing, installable, installable_agents,
};
pub use keys::{KeyInfo, KeyProblem, Signing};
pub use list::{ListOutcome, ListRequest};
pub use live::{SessionGoingOn, SessionTold};
pub use pause::{Paused, Unpaused};
pub use project::{Linked, Split};
pub use provenance::{Provenance, ProvenanceReader};
pub use pull::{PullRequest, Pulled};
pub use push::{PushRequest, PushSource, Pushed};
pub use render::{Readable, RenderRequest};
pub use resume::{ResumeOutcome, ResumeRequest};
pub use run::{
    CheckRequest, EXAMPLE_PLAN, Engine, Git, Layer, Memory, Null, Plan, Publish, PublishTo, RunEnd,
    RunOutcome, RunPreview, RunRequest, RunState, RunStatusReport, RunsSeen, Step, StepDone,
    StepFailure, StepKind, StepRun, Unfinished, When,
};
pub use save::{SaveOutcome, SaveRequest};
pub use scrub::{ScrubLeft, ScrubPlan, ScrubReport, ScrubRequest, Scrubbed};
pub use search::{Because, Hit, HitPassage, SearchOutcome, SearchRequest, SupersededBy};
pub use shared::{Brings, NotUsed, ShareOutcome};
pub use snapshot::{SnapshotOutcome, SnapshotRequest};
pub use trust::{Trust, TrustOutcome, TrustedTree};
pub use vault::{GivenKey, KeyFrom, VaultProblem, VaultRequest};
pub use verify::Verified;
pub use workspace::{InitOutcome, InitRequest};

pub use segue_agents::{
    AGENTS, Agent, HookEvent, Part, Payload, Place as PromptPlace, SKILL, Scope, Word, agent_of,
    briefs_at_prompt, detect as detect_agent, find as find_agent, really_by,
};
pub use segue_core::run::{Checkpoint, Outcome, RunStatus, StepMark, StepRecord};
pub use segue_core::search::MAX_QUERY_TERMS;
pub use segue_core::session::{Judgement, Outcome as SessionOutcome, Session, Told, ToldKind};
pub use segue_core::{
    BriefedPart, Briefing, Check, CommitLine, DEFAULT_BUDGET, DecisionNote, Distilled, Draft,
    Editable, EditableError, FIRST_LINE, Fields, GitToday, Handoff, HandoffId, Head, Imported, Key,
    LEAST_BUDGET, Label, MAX_HANDOFF_BYTES, Name, NameError, OtherHandoff, ProjectId, Rechecked,
    SecretIn, Selector, SelectorError, SinceThen, SpanError, Tag, Timestamp, Tokenizer, TreeToday,
    Ttl, Verify, age, ago, came_from, code_span, parse_since, parse_span, parse_until,
    recommended_template, visible, visible_line,
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

use std::cell::{Cell, RefCell};
use std::fmt;

use segue_store::{Outside, Store};

/// Segue, opened for one home and one directory.
pub struct Segue {
    env: Env,
    store: Store,
    /// What git was asked before somebody needs it.
    ahead: Cell<Option<today::Ahead>>,
    /// The project of the directory, where a hook found it out already.
    hooked_in: RefCell<Option<ProjectId>>,
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
        Self { env, store, ahead: Cell::new(None), hooked_in: RefCell::new(None) }
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
}
