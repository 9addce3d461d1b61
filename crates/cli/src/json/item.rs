//! Items of the state as `--json` prints them.

use segue_lib::state::{LaneSummary, OpenItem};
use serde::Serialize;

/// What `open --json` prints.
#[derive(Serialize)]
pub(crate) struct OpenListJson<'a> {
    pub(crate) schema: u32,
    pub(crate) lane: &'a str,
    pub(crate) items: Vec<OpenItemJson<'a>>,
    pub(crate) quiet: usize,
    pub(crate) elsewhere: usize,
    pub(crate) lanes: Vec<LaneJson>,
}

/// One item.
#[derive(Serialize)]
pub(crate) struct OpenItemJson<'a> {
    id: String,
    kind: &'static str,
    text: &'a str,
    source: &'static str,
    lane: Option<&'a str>,
    here: bool,
    quiet: bool,
    mentioned_at: Option<String>,
    mentioned_by: &'a str,
    /// Why it is closed, if it is.
    closed: Option<&'static str>,
    closed_by: Option<&'a str>,
}

impl<'a> OpenItemJson<'a> {
    pub(crate) fn of(item: &'a OpenItem) -> Self {
        Self {
            id: item.id.to_string(),
            kind: item.kind.as_str(),
            text: &item.text,
            source: item.source.as_str(),
            lane: item.lane.as_deref(),
            here: item.is_here,
            quiet: item.is_quiet,
            mentioned_at: item.mentioned.map(|at| at.to_string()),
            mentioned_by: item.by.as_str(),
            closed: item.closing.as_ref().map(|(why, _)| why.as_str()),
            closed_by: item.closing.as_ref().map(|(_, by)| by.as_str()),
        }
    }
}

/// Another lane.
#[derive(Serialize)]
pub(crate) struct LaneJson {
    lane: String,
    gone: bool,
    open: Vec<String>,
}

impl LaneJson {
    pub(crate) fn of(lane: &LaneSummary) -> Self {
        Self {
            lane: lane.lane.name(),
            gone: lane.is_gone,
            open: lane.open.iter().map(ToString::to_string).collect(),
        }
    }
}

/// What `close` and `reopen --json` print.
#[derive(Serialize)]
pub(crate) struct ChangedJson<'a> {
    pub(crate) schema: u32,
    /// The handoff that says so; null if nothing changed.
    pub(crate) id: Option<&'a str>,
    pub(crate) changed: Vec<OpenItemJson<'a>>,
    pub(crate) unchanged: Vec<OpenItemJson<'a>>,
}

/// What `why --json` prints.
#[derive(Serialize)]
pub(crate) struct HistoryJson<'a> {
    pub(crate) schema: u32,
    pub(crate) item: OpenItemJson<'a>,
    pub(crate) first_mentioned_at: Option<String>,
    pub(crate) first_mentioned_by: &'a str,
    pub(crate) closed_at: Option<String>,
}
