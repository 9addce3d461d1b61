//! The handoff and everything about it that needs no file, clock, environment, process or network.
//!
//! Values in, values out. What touches the disk is `segue-store`; what runs git is `segue-share`.

mod age;
mod archive;
mod block;
mod briefing;
mod check;
mod claim;
mod constraint;
mod current_state;
mod decision_note;
mod distil;
mod editable;
mod format_1;
mod freshness;
mod front_matter;
mod handoff;
mod handoff_file;
mod head;
mod head_key;
mod id;
mod identity;
mod kind;
mod merge_layers;
mod name;
mod origin;
mod origin_of_words;
mod own_words;
mod part;
mod pasted_head;
mod payload;
mod peer_note;
mod peer_record;
mod project;
mod redact;
mod render;
pub mod run;
mod scalar;
pub mod search;
mod section;
mod selector;
pub mod session;
mod slug;
mod snapshot;
mod snapshot_state;
mod snapshot_summary;
mod source;
mod span;
mod state;
mod timestamp;
mod tokens;
mod visible;
mod words_check;
mod workspace;

pub use age::{age, ago};
pub use archive::{Archive, ArchiveError, ArchivedEntry, ChangeHandoff};
pub use block::{Block, BlockKind, blocks};
pub use briefing::{
    BriefedPart, Briefing, CommitLine, Conventions, DEFAULT_BUDGET, FIRST_LINE,
    FIRST_LINE_ELSEWHERE, Facts, FileText, GO_ON, GitToday, LEAST_BUDGET, Left, OtherHandoff,
    Rechecked, SinceThen, TAKES_OVER, TreeToday, UnreadableHandoff, Unsaved, Verify,
    WorkspaceTexts, code_span,
};
pub use check::{Check, NeedsShell, checks, command_words};
pub use claim::FileFate;
pub use constraint::{StandingRule, inherited_rules, told_rules, unproven_rules};
pub use current_state::{current_state, current_state_id};
pub use decision_note::DecisionNote;
pub use distil::{
    CAPTURE_BUDGET, DistilRequest, Distilled, SessionStatus, distil, failing_checks, judge_steps,
    session_title,
};
pub use editable::{Editable, EditableError};
pub use freshness::{Freshness, RACY_WINDOW_NS, freshness};
pub use front_matter::{Entry, FrontMatter, FrontMatterError};
pub use handoff::{Draft, Handoff, HandoffError, MAX_HANDOFF_BYTES};
pub use handoff_file::{HandoffFile, Utf16, digest, digest_of_bytes, handoff_template};
pub use head::{Fields, FormatVersion, GitState, Head, Imported, SavedFrom, came_from};
pub use id::{HandoffId, IdError, ShortId};
pub use identity::{
    DirFacts, Identity, KnownProject, identify, identify_unanswered, identify_unasked,
    is_same_directory,
};
pub use kind::{HandoffKind, KindError};
pub use merge_layers::{Merged, merge_layer_file};
pub use name::{Label, Name, NameError, Tag};
pub use origin::{Origin, normalise_origin};
pub use own_words::{
    ASKED_SECTIONS, MOST_WORDS, UnusableAnswer, WordsWritten, ask_for_words, complete_words,
    completed_sources, request_to_save, words_of_answer,
};
pub(crate) use part::Part;
pub use pasted_head::PastedHead;
pub use payload::PayloadDigest;
pub use peer_note::read_peer_note;
pub use peer_record::{GoJson, PeerRecord, RecordError};
pub use project::{Key, KeyKind, ProjectId};
pub use redact::{
    FoundSecret, KnownSecrets, RedactError, RedactRules, Redacted, RedactedHandoff, RedactedJson,
    Redactor, SecretIn, UserRule, json_strings,
};
pub use render::{Markdown, frame_of, readable_body, render_for};
pub use scalar::{Value, ValueError};
pub use section::{Section, next_items, recommended_template, sections, with_next_items};
pub use selector::{Selector, SelectorError};
pub use slug::slug;
pub use snapshot::{LastWords, Seen, SeenChange, SeenGit, SeenTree};
pub use snapshot_state::{SnapshotLog, SnapshotPart, SnapshotState, TakenSnapshot};
pub use snapshot_summary::{SessionSummary, SnapshotSummary};
pub use source::{ItemMark, ItemSource, ItemSources, SourceError};
pub use span::{SpanError, Ttl, parse_since, parse_span, parse_until};
pub use state::{
    BranchFate, ClosingLine, EntryItem, EntryOrigin, IdleSession, ItemClosing, ItemStatus, Lane,
    LaneFates, LaneSummary, Ledger, Mention, Stamp, StateEntry, StateItem, StateItemId,
    StateItemIdError, StateItemKind, StateView, ViewedItem, WorkedBranch,
};
pub use timestamp::{Timestamp, TimestampError};
pub use tokens::{Tokenizer, estimate_tokens};
pub use visible::{visible, visible_line};
pub use words_check::{Elsewhere, find_contradictions};
pub use workspace::{
    HANDOFF, MEMORY, SOUL, Soul, memory_facts, memory_template, project_types, read_soul,
    soul_template,
};
