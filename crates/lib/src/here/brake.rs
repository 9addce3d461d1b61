//! The brake: while one of these files exists, nothing that runs by itself writes anything.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use segue_store::Scope;

use super::directory::Here;
use super::paused::Paused;
use super::trusted::Shared;
use crate::Error;

/// The name of the file that stops everything.
pub(crate) const PAUSE: &str = "PAUSE";
/// agent-handover's, in the user's home directory.
const PEERS: &str = ".agent_handover";

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
        self.pulled().map_or(Ok(()), |paused| Err(paused.into()))
    }
}

pub(crate) fn pulled(file: &Path) -> Option<Paused> {
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

impl Here<'_> {
    /// The brakes that hold for everything of this user.
    fn brake_of_user(&self) -> Brake {
        let mut brake = Brake { home: self.env.home.clone(), ..Brake::default() };
        brake.add(self.env.home.join(PAUSE));
        if let Some(home) = &self.env.user_home {
            brake.add(home.join(PEERS).join(PAUSE));
        }
        brake
    }

    /// The brakes that hold here: the user's, and the one in this directory's memory. Changes nothing, not
    /// even the index.
    pub(crate) fn brake(&self) -> Result<Brake, Error> {
        let mut brake = self.brake_of_user();
        if let Shared::Used(memory) = self.shared() {
            brake.add(memory.join(PAUSE));
        }
        // Hardly anybody has one: the project is looked up only then.
        let memories = self.store.memories_with(PAUSE)?;
        if !memories.is_empty() {
            let project =
                self.store.ask_files(&Scope::Projects, |view| match self.place(view) {
                    Ok(place) => Ok(place.project().cloned()),
                    Err(Error::Store(error)) => Err(error),
                    Err(_) => Ok(None),
                })?;
            if let Some(memory) = project.map(|id| self.store.layout().memory(&id))
                && memories.contains(&memory)
            {
                brake.add(memory.join(PAUSE));
            }
        }
        Ok(brake)
    }
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
