//! Pause: pulls the brake and lets go of it.

use std::path::PathBuf;

use super::seen::{CheckRequest, Runs};
use crate::Error;
use crate::here::{PAUSE, Paused, pulled};

impl Runs<'_> {
    /// Pulls the brake: for everything, or for this directory's memory.
    pub fn pause(&self, reason: Option<&str>, only_here: bool) -> Result<Paused, Error> {
        let here = &self.here;
        let file = match only_here {
            true => {
                let (_, project) = here.create_or_update_own_project()?;
                here.store.layout().memory(&project).join(PAUSE)
            }
            false => here.env.home.join(PAUSE),
        };
        let text = reason.map(|reason| format!("{}\n", reason.trim())).unwrap_or_default();
        here.store.write_pause(&file, &text)?;
        let reason = reason.map(|reason| reason.trim().to_owned());
        let reason = reason.filter(|reason| !reason.is_empty());
        Ok(Paused { by: file, reason, ours: true, plan: None, foreign: false })
    }

    /// Lets go of the brakes that [`pause`](Self::pause) pulls, and says which still hold.
    pub fn unpause(&self) -> Result<Unpaused, Error> {
        let here = &self.here;
        let mut released = Vec::new();
        let mut files = vec![here.env.home.join(PAUSE)];
        if !here.store.memories_with(PAUSE)?.is_empty() {
            // Where there is no project, none of them is of here.
            let project = here.known_project()?;
            files.extend(project.map(|id| here.store.layout().memory(&id).join(PAUSE)));
        }
        for file in files {
            if pulled(&file).is_some() {
                here.store.remove_pause(&file)?;
                released.push(file);
            }
        }
        // Also those that plans of this directory name.
        let still = match self.look(&CheckRequest::default()) {
            Ok(seen) => seen.paused,
            Err(_) => here.brake()?.pulled(),
        };
        Ok(Unpaused { released, still })
    }
}

/// Which brakes were let go of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unpaused {
    /// The files that are gone.
    pub released: Vec<PathBuf>,
    /// A brake that somebody else pulled.
    pub still: Option<Paused>,
}
