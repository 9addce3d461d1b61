//! Pause: pulls the brake and lets go of it.

use std::path::PathBuf;

use crate::here::{PAUSE, pulled};
use crate::{CheckRequest, Error, Paused, Segue};

impl Segue {
    /// The brake that holds here, if one is pulled.
    pub fn paused(&self) -> Result<Option<Paused>, Error> {
        Ok(self.here().brake()?.pulled())
    }

    /// Pulls the brake: for everything, or for this directory's memory.
    pub fn pause(&self, reason: Option<&str>, here: bool) -> Result<Paused, Error> {
        let file = self.pause_file(here)?;
        let text = reason.map(|reason| format!("{}\n", reason.trim())).unwrap_or_default();
        self.store.write_pause(&file, &text)?;
        let reason = reason.map(|reason| reason.trim().to_owned());
        let reason = reason.filter(|reason| !reason.is_empty());
        Ok(Paused { by: file, reason, ours: true, plan: None, foreign: false })
    }

    /// Lets go of the brakes that `pause` pulls, and says which still hold.
    pub fn unpause(&self) -> Result<Unpaused, Error> {
        let mut released = Vec::new();
        let mut files = vec![self.env.home.join(PAUSE)];
        if !self.store.memories_with(PAUSE)?.is_empty() {
            // Where there is no project, none of them is of here.
            let project = self.here().known_project()?;
            files.extend(project.map(|id| self.store.layout().memory(&id).join(PAUSE)));
        }
        for file in files {
            if pulled(&file).is_some() {
                self.store.remove_pause(&file)?;
                released.push(file);
            }
        }
        // Also those that plans of this directory name.
        let still = match self.runs(&CheckRequest::default()) {
            Ok(seen) => seen.paused,
            Err(_) => self.here().brake()?.pulled(),
        };
        Ok(Unpaused { released, still })
    }

    fn pause_file(&self, here: bool) -> Result<PathBuf, Error> {
        if !here {
            return Ok(self.env.home.join(PAUSE));
        }
        let (_, project) = self.here().create_or_update_own_project()?;
        Ok(self.store.layout().memory(&project).join(PAUSE))
    }
}

/// Which brakes were let go of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpaused {
    /// The files that are gone.
    pub released: Vec<PathBuf>,
    /// A brake that somebody else pulled.
    pub still: Option<Paused>,
}
