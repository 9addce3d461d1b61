//! The brake: while one of these files exists, nothing that runs by itself writes anything.

use std::fmt;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use segue_core::visible_line;
use segue_share::git::discover;
use segue_store::Scope;

use crate::shared::Shared;
use crate::{CheckRequest, Error, ProjectRef, Segue};

/// The name of the file that stops everything.
pub(crate) const PAUSE: &str = "PAUSE";
/// agent-handover's, in the user's home directory.
const PEERS: &str = ".agent_handover";

/// A brake that is pulled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paused {
    /// The file that says so.
    pub by: PathBuf,
    /// What stands in it.
    pub reason: Option<String>,
    /// Whether `unpause` lets go of it.
    pub ours: bool,
    /// The plan that names it, if it stops only that.
    pub plan: Option<String>,
    /// Whether that plan is of a repository that is not trusted: then nothing in the file is read.
    pub foreign: bool,
}

impl fmt::Display for Paused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "paused by {}", self.by.display())?;
        if let Some(plan) = &self.plan {
            write!(f, ", which stops the plan {plan}")?;
        }
        match &self.reason {
            Some(reason) => write!(f, ": {}", visible_line(reason)),
            None => Ok(()),
        }
    }
}

/// The files that would stop a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Brake {
    files: Vec<PathBuf>,
    /// Those that a plan names: the plan, and whether it is foreign.
    of_plans: Vec<(PathBuf, String, bool)>,
    /// Below this they are ours.
    home: PathBuf,
}

impl Brake {
    pub(crate) fn add(&mut self, file: PathBuf) {
        if !self.files.contains(&file) {
            self.files.push(file);
        }
    }

    /// Adds a file that a plan names.
    pub(crate) fn add_of_plan(&mut self, file: PathBuf, plan: String, foreign: bool) {
        if !self.files.contains(&file) {
            self.of_plans.push((file, plan, foreign));
        }
    }

    /// Whether it is pulled. What cannot be told counts as pulled: a brake must not fail open.
    pub(crate) fn pulled(&self) -> Option<Paused> {
        if let Some(found) = self.files.iter().find_map(|file| pulled(file)) {
            let ours = !self.home.as_os_str().is_empty() && found.by.starts_with(&self.home);
            return Some(Paused { ours, ..found });
        }
        self.of_plans.iter().find_map(|(file, plan, foreign)| {
            let found = pulled(file)?;
            let reason = found.reason.filter(|_| !foreign);
            Some(Paused { reason, plan: Some(plan.clone()), foreign: *foreign, ..found })
        })
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.pulled() {
            Some(paused) => Err(Error::Paused(paused)),
            None => Ok(()),
        }
    }
}

fn pulled(file: &Path) -> Option<Paused> {
    match fs::symlink_metadata(file) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            None
        }
        Err(error) => {
            let reason = Some(error.to_string());
            Some(Paused { by: file.to_owned(), reason, ours: false, plan: None, foreign: false })
        }
        Ok(meta) => {
            let reason = meta.is_file().then(|| read_reason(file)).flatten();
            Some(Paused { by: file.to_owned(), reason, ours: false, plan: None, foreign: false })
        }
    }
}

/// The first line that says something.
fn read_reason(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(4096).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

impl Segue {
    /// The brakes that hold for everything of this user.
    pub(crate) fn brake(&self) -> Brake {
        let mut brake = Brake { home: self.env.home.clone(), ..Brake::default() };
        brake.add(self.env.home.join(PAUSE));
        if let Some(home) = &self.env.user_home {
            brake.add(home.join(PEERS).join(PAUSE));
        }
        brake
    }

    /// As `brake`, with the one in this directory's memory. Changes nothing, not even the index.
    pub(crate) fn brake_here(&self) -> Result<Brake, Error> {
        let mut brake = self.brake();
        if let Shared::Used(memory) = self.shared(discover(&self.env.dir).as_ref()) {
            brake.add(memory.join(PAUSE));
        }
        // Hardly anybody has one: the project is looked up only then.
        let memories = self.store.memories_with(PAUSE)?;
        if !memories.is_empty() {
            let project = self.store.ask_files(&Scope::Projects, |view| {
                match self.place(view, &ProjectRef::Here) {
                    Ok(place) => Ok(place.project().cloned()),
                    Err(Error::Store(error)) => Err(error),
                    Err(_) => Ok(None),
                }
            })?;
            if let Some(memory) = project.map(|id| self.store.layout().memory(&id))
                && memories.contains(&memory)
            {
                brake.add(memory.join(PAUSE));
            }
        }
        Ok(brake)
    }

    /// The brake that holds here, if one is pulled.
    pub fn paused(&self) -> Result<Option<Paused>, Error> {
        Ok(self.brake_here()?.pulled())
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
            files.push(self.pause_file(true)?);
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
            Err(_) => self.brake_here()?.pulled(),
        };
        Ok(Unpaused { released, still })
    }

    fn pause_file(&self, here: bool) -> Result<PathBuf, Error> {
        if !here {
            return Ok(self.env.home.join(PAUSE));
        }
        let (_, project) = self.own_project(&ProjectRef::Here)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_has_the_name_is_a_brake() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(PAUSE);
        let mut brake = Brake::default();
        brake.add(file.clone());
        assert_eq!(brake.pulled(), None);
        fs::create_dir(&file).unwrap();
        assert_eq!(brake.pulled().unwrap().reason, None);
        fs::remove_dir(&file).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/nowhere/at/all", &file).unwrap();
            assert!(brake.pulled().is_some(), "a link to nothing is one too");
            fs::remove_file(&file).unwrap();
        }
        std::io::Write::write_all(&mut File::create(&file).unwrap(), b"\n  release day \nx")
            .unwrap();
        assert_eq!(brake.pulled().unwrap().reason.as_deref(), Some("release day"));
    }
}
