//! The store: the only owner of `$SEGUE_HOME`.
//!
//! Files are the truth: a save is done when its file and its directory are on disk. The index is a
//! view of them; whatever happens to it, every question is still answered from the files.

mod archive_file;
mod ask_file;
mod atomic;
mod attach;
mod briefings;
mod commit_as;
mod ended_files;
mod error;
mod hook_log;
mod incoming;
mod index;
mod installed;
mod key_files;
mod layers;
mod layout;
mod live_files;
mod lock;
mod locked_projects;
mod locked_run;
mod memory;
mod memory_dir;
mod output_file;
mod pause_file;
mod platform;
mod project_file;
mod read;
mod rewrite;
mod run_files;
mod started_files;
mod store;
mod trust_file;
mod workspace_file;

pub use archive_file::{GcPlan, GcResult};
pub use ask_file::Asks;
pub use atomic::{Stage, Written};
pub use attach::{count_handoffs, is_newer_memory, looks_like_memory};
pub use commit_as::Drawn;
pub use error::{IoContext, StoreError};
pub use hook_log::{HookLog, MAX_REMARK};
pub use incoming::Incoming;
pub use index::{
    AttachedRow, BadFile, Candidate, Candidates, Filter, FoundRow, IndexState, Listed, Located,
    NotedPayload, ProjectNames, ProjectRow, RowReader, Scope, ScopePart, Snapshot, StateDepth,
    Successor, TextState, Unattached, View, Window,
};
pub use installed::{Installed, InstalledPart};
pub use key_files::{OwnKey, TrustedKey};
pub use layout::Layout;
pub use live_files::{LiveDraft, LiveFiles, LockedLive, SweepStates};
pub use locked_projects::LockedProjects;
pub use locked_run::{LockedRun, Waiting};
pub use memory::{Committed, LockedMemory, Removed, Stamp};
pub use memory_dir::{MemoryDir, Notes};
pub use output_file::OutputFile;
pub use platform::{OpenTo, OwnedByOthers, moving_identity, owned_by_others, too_open};
pub use project_file::{Attached, ProjectFile, ProjectFileError, Standing};
pub use rewrite::{Rewrite, Rewritten, StoredText, StoredTexts, TextKind};
pub use run_files::{RunFiles, RunSeen, run_name, run_root};
pub use store::{Outside, Store, Turn, WriterView};
pub use trust_file::TrustRecord;
pub use workspace_file::{
    Replaced, WorkspaceFile, create_workspace_dir, create_workspace_file, create_workspace_program,
    missing_dirs, read_workspace_file, remove_workspace_file, replace_workspace_file,
    sweep_workspace_file,
};
