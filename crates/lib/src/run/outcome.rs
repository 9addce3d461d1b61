//! What a call of the engine did, and how it ended.

use crate::here::Paused;

/// How a call of the engine ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Everything is done.
    Completed,
    /// Another run took the inputs along, and has done with them.
    TakenAlong,
    /// A step failed; the run can be resumed.
    Failed {
        /// The step.
        step: String,
        /// Why.
        why: String,
        /// The end of what its command printed.
        output: Option<String>,
    },
    /// Somebody pulled the brake; the run can be resumed.
    Paused(Paused),
}

/// What a call of the engine did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunOutcome {
    /// How it ended.
    pub end: RunEnd,
    /// The ids of the runs that it worked on.
    pub runs: Vec<String>,
    /// The steps that were executed, in their order.
    pub executed: Vec<String>,
    /// The steps that were passed over, each with the reason.
    pub skipped: Vec<(String, String)>,
    /// The steps that failed and were allowed to, each with the reason.
    pub failed: Vec<(String, String)>,
    /// Whether an interrupted run was finished on the way.
    pub resumed: bool,
    /// The handoffs that were handed over.
    pub handoffs: Vec<String>,
    /// Whether what was given still waits, because no step wrote it.
    pub put_back: bool,
    /// Whether nothing was published because only a repository that is not trusted says where to.
    pub needs_trust: bool,
    /// Whether an old run was put aside.
    pub dropped: bool,
    /// The command that goes on with it.
    pub command: String,
    /// What somebody should know.
    pub warnings: Vec<String>,
}

impl RunOutcome {
    pub(super) fn new(command: String) -> Self {
        Self {
            end: RunEnd::Completed,
            runs: Vec::new(),
            executed: Vec::new(),
            skipped: Vec::new(),
            failed: Vec::new(),
            resumed: false,
            handoffs: Vec::new(),
            put_back: false,
            needs_trust: false,
            dropped: false,
            command,
            warnings: Vec::new(),
        }
    }
}
