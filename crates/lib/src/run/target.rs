//! What tells one run from another: its root, its plan, its checkpoint.

use std::path::{Path, PathBuf};

use segue_core::run::Checkpoint;
use segue_store::{RunFiles, run_name, run_root};

use crate::Error;
use crate::here::Here;

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

    /// The files of a run, in this project's memory. The project is made known for it.
    pub(super) fn create_files(&self, here: &Here<'_>) -> Result<RunFiles, Error> {
        if let Some(known) = self.known_files(here)?.filter(|known| known.dir().is_some()) {
            return Ok(known);
        }
        let (_, own) = here.afresh().create_or_update_own_project()?;
        let memory = here.store.layout().memory(&own);
        let files = RunFiles::new(&memory, &self.root, &self.what(), self.view.clone());
        files.note_place(&here.env.home)?;
        Ok(files)
    }

    /// The files of a run that there was before, or what somebody else left at its checkpoint.
    pub(super) fn known_files(&self, here: &Here<'_>) -> Result<Option<RunFiles>, Error> {
        let root = run_root(&self.root);
        let name = format!("{root}-{}", run_name(&self.what()));
        for memory in RunFiles::memories(&here.env.home, &root)? {
            if !RunFiles::of_memory(&memory, &|found| found == name)?.is_empty() {
                let (root, what) = (&self.root, self.what());
                return Ok(Some(RunFiles::new(&memory, root, &what, self.view.clone())));
            }
        }
        Ok(self.view.clone().map(RunFiles::viewing))
    }

    /// What its plans and checkpoints are told apart by.
    fn what(&self) -> String {
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
