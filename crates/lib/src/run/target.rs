//! What tells one run from another: its root, its plan, its checkpoint.

use std::path::{Path, PathBuf};

use segue_core::run::Checkpoint;

use crate::Error;

/// agent-handover's directory, and its checkpoint in it.
pub(crate) const PEER_DIR: &str = ".agent-handover";
pub(crate) const PEER_CHECKPOINT: &str = ".agent-handover/checkpoint.json";
pub(crate) const PEER_MEMORY: &str = "memory";
pub(super) const PEER_TAG: &str = "general";

/// What tells one run from another.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The top of the work tree.
    pub(crate) root: PathBuf,
    /// The plan's file, from the top if it lies below; `None` for the standard plan.
    pub(crate) plan: Option<String>,
    /// The checkpoint that is named.
    pub(crate) view: Option<PathBuf>,
    /// That checkpoint, if the command line names it.
    pub(crate) given: Option<String>,
}

impl Target {
    /// The command that goes on with its run.
    pub(crate) fn command(&self) -> String {
        let quoted = |text: &str| match text.contains(' ') {
            true => format!("\"{text}\""),
            false => text.to_owned(),
        };
        let mut command = "segue run".to_owned();
        for (flag, value) in [("config", &self.plan), ("checkpoint", &self.given)] {
            if let Some(value) = value {
                command.push_str(&format!(" --{flag} {}", quoted(value)));
            }
        }
        command
    }

    /// What its plans and checkpoints are told apart by.
    pub(super) fn what(&self) -> String {
        match (&self.view, &self.plan) {
            (Some(view), _) => view_key(view),
            (None, plan) => plan.clone().unwrap_or_default(),
        }
    }
}

/// A checkpoint's path, the same wherever it is named from.
pub(crate) fn view_key(view: &Path) -> String {
    super::plain_path::plain(view).to_string_lossy().into_owned()
}

/// Refuses to go on with a run that another plan began under the same checkpoint.
pub(crate) fn other_plan(old: Option<&Checkpoint>, target: &Target) -> Result<(), Error> {
    let Some(head) = old.filter(|old| old.is_interrupted()).and_then(|old| old.head.as_ref())
    else {
        return Ok(());
    };
    if head.plan == target.plan {
        return Ok(());
    }
    Err(Error::OtherPlan { plan: head.plan.clone() })
}
