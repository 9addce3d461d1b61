//! One file of another program: it is read, and what was decided is done.

use std::fs;
use std::path::{Path, PathBuf};

use segue_agents::{Content, Part, Program, Scope, installation};
use segue_core::digest;
use segue_store::{
    Installed, InstalledPart, Replaced, create_workspace_dir, create_workspace_file,
    create_workspace_program, missing_dirs, read_workspace_file, remove_workspace_file,
    replace_workspace_file, sweep_workspace_file,
};

use super::decide::{Decided, Seen, decide_in, decide_out};
use super::diff::diff;
use super::group::Group;
use super::item::{Act, FileChange, InstallFate, InstallItem, Way};
use super::setup::AgentSetup;
use crate::sessions::capture::places;

/// Nobody has settings of this size.
const LARGEST: u64 = 64 << 20;
/// How often a file is read again that somebody else writes at the same time.
const ATTEMPTS: usize = 8;

/// Where a path leads, links followed. It need not be there yet. What leads out of a project is not
/// followed: anybody's repository could point it at any file of the user's.
pub(super) fn resolved(path: &Path, top: Option<&Path>) -> Result<PathBuf, String> {
    let links = |path: &Path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(_) if links(path) => {
            return Err("it is a link to something that is not there".to_owned());
        }
        Err(_) => {
            let above = path.ancestors().skip(1).find(|above| links(above) || above.exists());
            let above = above.unwrap_or(Path::new("/"));
            let real = fs::canonicalize(above).map_err(|_| {
                format!("{} is a link to something that is not there", above.display())
            })?;
            path.strip_prefix(above).map_or_else(|_| path.to_owned(), |rest| real.join(rest))
        }
    };
    let top = top.map(|top| fs::canonicalize(top).unwrap_or_else(|_| top.to_owned()));
    match top {
        Some(top) if !target.starts_with(&top) => {
            Err("it is a link that leads out of the project".to_owned())
        }
        _ => Ok(target),
    }
}

/// The text of a file; `None` if it is not there.
pub(super) fn read(target: &Path) -> Result<Option<String>, String> {
    let is_there = fs::symlink_metadata(target).is_ok();
    let read = read_workspace_file(target, LARGEST).map_err(|error| error.to_string())?;
    match read {
        None if is_there => Err("it is not a regular file".to_owned()),
        None => Ok(None),
        Some(file) if file.is_cut() => Err("it is too large".to_owned()),
        Some(file) => String::from_utf8(file.bytes).map(Some).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
            format!("line {}: it is not UTF-8", line + 1)
        }),
    }
}

enum Done {
    Yes,
    /// Somebody else wrote it meanwhile.
    Again,
}

impl AgentSetup<'_> {
    /// Changes one file, or says how it would be changed.
    pub(super) fn change(
        &self,
        group: &Group,
        way: Way,
        act: Act,
        noted: &[String],
    ) -> (Vec<InstallItem>, Option<FileChange>) {
        let mut why = "somebody else writes it all the time; try again".to_owned();
        if act == Act::Do {
            // It is our turn, so that nobody else of us is at it.
            sweep_workspace_file(&group.target);
        }
        for _ in 0..ATTEMPTS {
            let seen = match self.see(group) {
                Ok(seen) => seen,
                // What cannot be read and was never changed holds nothing of ours.
                Err(_) if way == Way::Out && self.here.store.installed(&group.target).is_none() => {
                    let fates = group.parts.iter().map(|_| InstallFate::Unchanged).collect();
                    return (group.items(fates), None);
                }
                Err(error) => {
                    why = error;
                    break;
                }
            };
            let decided = match way {
                Way::In => decide_in(group, &seen, self.here.now()),
                Way::Out => decide_out(group, &seen, noted),
            };
            let changes = decided.text != seen.text;
            let read_only =
                || fs::metadata(&group.target).is_ok_and(|meta| meta.permissions().readonly());
            let done = match act {
                _ if changes && read_only() => Err("it is read-only".to_owned()),
                Act::Plan => Ok(Done::Yes),
                Act::Do => self.carry_out(group, &seen, &decided),
            };
            match done {
                Ok(Done::Again) => continue,
                Ok(Done::Yes) => {
                    let (old, new) =
                        (seen.text.unwrap_or_default(), decided.text.unwrap_or_default());
                    let path = group.path.clone();
                    let change = changes.then(|| FileChange { path, diff: diff(&old, &new) });
                    return (group.items(decided.fates), change);
                }
                Err(error) => {
                    why = error;
                    break;
                }
            }
        }
        let fates = group.parts.iter().map(|_| InstallFate::Failed(why.clone())).collect();
        (group.items(fates), None)
    }

    fn see(&self, group: &Group) -> Result<Seen, String> {
        let text = read(&group.target)?;
        let record = self.here.store.installed(&group.target);
        let base = record.as_ref().and_then(|record| match record.created {
            true => Some(String::new()),
            false => self.here.store.installed_base(record),
        });
        let as_left = match (&record, &text) {
            (Some(record), Some(text)) => base.is_some() && record.wrote == digest(text),
            _ => false,
        };
        let noted = record.as_ref().map(|record| self.noted_contents(record)).unwrap_or_default();
        Ok(Seen { text, record, base, noted, as_left })
    }

    /// What is noted as put into a file, as it would be put in now.
    fn noted_contents(&self, record: &Installed) -> Vec<Content> {
        let places = places(self.here.env);
        let content = |noted: &InstalledPart| {
            let row = installation(&noted.agent)?;
            let part = Part::ALL.into_iter().find(|part| part.word() == noted.part)?;
            let project = (noted.scope == Scope::Project.word()).then_some(Path::new("/"));
            Some(row.wish(part, project, &places, &Program::on_path())?.content)
        };
        record.parts.iter().filter_map(content).collect()
    }

    fn carry_out(&self, group: &Group, seen: &Seen, decided: &Decided) -> Result<Done, String> {
        let target = &group.target;
        let said = |error: segue_store::StoreError| error.to_string();
        let old = seen.text.as_deref();
        let changes = decided.text.as_deref() != old;
        // Kept before anything is written.
        if let Some((record, base)) = &decided.record
            && seen.record.as_ref() != Some(record)
        {
            let base = base.as_deref().filter(|_| !record.created);
            let original = old.filter(|_| seen.record.is_none());
            self.here.store.note_installed(record, original, base).map_err(said)?;
        }
        let done = match (&decided.text, old) {
            _ if !changes => Ok(Replaced::Done),
            (Some(text), Some(old)) => {
                replace_workspace_file(target, old.as_bytes(), text.as_bytes()).map_err(said)
            }
            (Some(text), None) => self.create(group, text),
            (None, Some(old)) => remove_workspace_file(target, old.as_bytes()).map_err(said),
            (None, None) => Ok(Replaced::Done),
        };
        if done.is_err() && seen.record.is_none() {
            let _ = self.here.store.forget_installed(target);
            let _ = self.here.store.sweep_made();
        }
        let done = done?;
        if done == Replaced::Changed {
            return Ok(Done::Again);
        }
        if decided.record.is_none() && seen.record.is_some() {
            self.here.store.forget_installed(target).map_err(said)?;
        }
        Ok(Done::Yes)
    }

    fn create(&self, group: &Group, text: &str) -> Result<Replaced, String> {
        let said = |error: segue_store::StoreError| error.to_string();
        if let Some(dir) = group.target.parent() {
            // Noted first: what was made and not noted would stay.
            let missing = missing_dirs(dir);
            self.here.store.note_made(&missing).map_err(said)?;
            for dir in &missing {
                create_workspace_dir(dir).map_err(said)?;
            }
        }
        let program = group.parts.iter().any(|(_, _, content)| content.is_program());
        let create = if program { create_workspace_program } else { create_workspace_file };
        Ok(match create(&group.target, text.as_bytes()).map_err(said)? {
            true => Replaced::Done,
            false => Replaced::Changed,
        })
    }
}
