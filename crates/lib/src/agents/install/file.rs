//! One file of another program: what is to become of it, and doing that.

use std::fs;
use std::path::{Path, PathBuf};

use segue_agents::{Content, Part, Presence, Program, Scope, Wish, installation};
use segue_core::digest;
use segue_store::{
    Installed, InstalledPart, Replaced, create_workspace_dir, create_workspace_file,
    create_workspace_program, missing_dirs, read_workspace_file, remove_workspace_file,
    replace_workspace_file, sweep_workspace_file,
};

use super::diff::diff;
use super::item::{Act, FileChange, InstallFate, InstallItem, Way};
use crate::Segue;
use crate::sessions::capture::places;

/// Nobody has settings of this size.
const LARGEST: u64 = 64 << 20;
/// How often a file is read again that somebody else writes at the same time.
const ATTEMPTS: usize = 8;

/// Said of what was ours before it was installed.
const WAS_THERE: &str = "it had an entry of Segue before 'segue install', and is as it was then; \
     'segue uninstall' once more takes that out";

/// Said of an entry of ours that nothing was noted of.
const BY_HAND: &str = "it has an entry of Segue that 'segue install' did not make; 'segue uninstall' \
     once more takes that out";

/// Everything that is about one file.
pub(super) struct Group {
    /// As it is named.
    path: PathBuf,
    /// Where links lead.
    target: PathBuf,
    scope: Scope,
    parts: Vec<(&'static str, Part, Content)>,
}

/// Adds a wish to those about the same file.
pub(super) fn join(
    groups: &mut Vec<Group>,
    path: PathBuf,
    target: PathBuf,
    wish: &Wish,
    scope: Scope,
) {
    let one = (wish.agent, wish.part, wish.content.clone());
    match groups.iter_mut().find(|group| group.target == target) {
        Some(group) => group.parts.push(one),
        None => groups.push(Group { path, target, scope, parts: vec![one] }),
    }
}

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

/// A file as it is, and what is known of it.
struct Seen {
    text: Option<String>,
    record: Option<Installed>,
    /// What it is to be again without us, if that is known; empty for what was not there.
    base: Option<String>,
    /// Whether it is as it was left.
    as_left: bool,
}

/// What is to become of it.
struct Decided {
    fates: Vec<InstallFate>,
    /// The new text; `None`: it goes.
    text: Option<String>,
    /// The new record and base; `None`: forgotten.
    record: Option<(Installed, Option<String>)>,
}

enum Done {
    Yes,
    /// Somebody else wrote it meanwhile.
    Again,
}

impl Segue {
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
                Err(_) if way == Way::Out && self.store.installed(&group.target).is_none() => {
                    let fates = group.parts.iter().map(|_| InstallFate::Unchanged).collect();
                    return (group.items(fates), None);
                }
                Err(error) => {
                    why = error;
                    break;
                }
            };
            let decided = match way {
                Way::In => self.decide_in(group, &seen),
                Way::Out => self.decide_out(group, &seen, noted),
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
        let record = self.store.installed(&group.target);
        let base = record.as_ref().and_then(|record| match record.created {
            true => Some(String::new()),
            false => self.store.installed_base(record),
        });
        let as_left = match (&record, &text) {
            (Some(record), Some(text)) => base.is_some() && record.wrote == digest(text),
            _ => false,
        };
        Ok(Seen { text, record, base, as_left })
    }

    fn decide_in(&self, group: &Group, seen: &Seen) -> Decided {
        let old = seen.text.as_deref().unwrap_or_default();
        let mut now = old.to_owned();
        let mut fates = Vec::new();
        for (_, _, content) in &group.parts {
            let changed_by_hand = content.is_whole()
                && !seen.as_left
                && !old.trim().is_empty()
                && !content.is_as_made(old);
            fates.push(match content.put(&now) {
                Ok(put) if put == now => InstallFate::Unchanged,
                Ok(_) if changed_by_hand => InstallFate::Left(
                    "somebody changed it; remove it to have Segue's again".to_owned(),
                ),
                Ok(put) => {
                    now = put;
                    match seen.text {
                        Some(_) => InstallFate::Changed,
                        None => InstallFate::Created,
                    }
                }
                Err(error) if content.is_whole() => InstallFate::Left(error.to_string()),
                Err(error) => InstallFate::Failed(error.to_string()),
            });
        }
        let mut record = seen.record.clone();
        let mut base = seen.base.clone();
        // What was there already is noted too: so it stays when ours go.
        let was_there = seen.record.is_none() && fates.contains(&InstallFate::Unchanged);
        if now != old || seen.text.is_none() || was_there {
            // What was there at first comes back, also an entry that somebody made by hand; later, what
            // somebody changed since it was left is what is to stay.
            let whole = group.parts.iter().all(|(_, _, content)| content.is_as_made(old));
            if seen.record.is_none() {
                // A whole file of ours is nobody else's, and neither is what stands between our marks.
                let marked = group.parts.iter().filter(|(_, _, content)| content.is_marked());
                let rest = marked.fold(old.to_owned(), |text, (_, _, content)| {
                    content.take(&text, None).unwrap_or(text)
                });
                base = Some(if whole { String::new() } else { rest });
            } else if !seen.as_left {
                base = Some(self.without_us(group, seen, old));
            }
            let created = match &seen.record {
                _ if seen.text.is_none() || whole && seen.record.is_none() => true,
                Some(record) => record.created && base.as_deref().is_some_and(str::is_empty),
                None => false,
            };
            let parts = match (&seen.record, &seen.text) {
                (Some(record), Some(_)) => record.parts.clone(),
                _ => Vec::new(),
            };
            record = Some(Installed {
                path: group.target.clone(),
                created,
                wrote: digest(&now),
                base: base.as_deref().filter(|_| !created).map(digest),
                parts,
                since: seen.record.as_ref().map_or(Some(self.env.now()), |record| record.since),
            });
        }
        if let Some(record) = &mut record {
            for ((agent, part, _), fate) in group.parts.iter().zip(&fates) {
                let one = group.part(agent, *part);
                let is_in = matches!(
                    fate,
                    InstallFate::Created | InstallFate::Changed | InstallFate::Unchanged
                );
                if is_in && !record.parts.contains(&one) {
                    record.parts.push(one);
                }
            }
        }
        let nothing = now.is_empty() && seen.text.is_none();
        let record = record.filter(|record| !record.parts.is_empty()).map(|record| (record, base));
        Decided { fates, text: (!nothing).then_some(now), record }
    }

    /// What a text would be without anything of ours.
    fn without_us(&self, group: &Group, seen: &Seen, text: &str) -> String {
        let noted = seen.record.iter().flat_map(|record| &record.parts).filter_map(|noted| {
            let row = installation(&noted.agent)?;
            let part = Part::ALL.into_iter().find(|part| part.word() == noted.part)?;
            let project = (noted.scope == Scope::Project.word()).then_some(Path::new("/"));
            let places = places(&self.env);
            Some(row.wish(part, project, &places, &Program::on_path())?.content)
        });
        let now = group.parts.iter().map(|(_, _, content)| content.clone());
        let all: Vec<Content> = noted.chain(now).filter(|content| !content.is_whole()).collect();
        all.iter().rev().fold(text.to_owned(), |text, content| {
            content.take(&text, seen.base.as_deref()).unwrap_or(text)
        })
    }

    /// `agents` are those for which something is noted as installed.
    fn decide_out(&self, group: &Group, seen: &Seen, agents: &[String]) -> Decided {
        let Some(old) = seen.text.as_deref() else {
            let fates = group.parts.iter().map(|_| InstallFate::Unchanged).collect();
            return Decided { fates, text: None, record: None };
        };
        let mut parts: Vec<InstalledPart> =
            seen.record.as_ref().map(|record| record.parts.clone()).unwrap_or_default();
        let going: Vec<InstalledPart> =
            group.parts.iter().map(|(agent, part, _)| group.part(agent, *part)).collect();
        parts.retain(|part| !going.contains(part));
        // Nobody touched it, and nothing of ours stays: then nothing has to be taken apart.
        let as_before = seen.as_left && parts.is_empty();
        let noted = |part: &InstalledPart| {
            seen.record.as_ref().is_none_or(|record| record.parts.contains(part))
        };
        let mut now = old.to_owned();
        let mut fates = Vec::new();
        let base = seen.base.as_deref().unwrap_or_default();
        let had = |content: &Content| content.is_in(base).is_ok_and(|there| there != Presence::No);
        for ((agent, part, content), gone) in group.parts.iter().zip(&going) {
            let others = parts.iter().filter(|other| other.part == part.word());
            let others: Vec<&str> = others.map(|other| other.agent.as_str()).collect();
            if !others.is_empty() || as_before {
                fates.push(match others[..] {
                    _ if !noted(gone) => InstallFate::Unchanged,
                    [] if had(content) => InstallFate::Left(WAS_THERE.to_owned()),
                    [] => InstallFate::Changed,
                    _ => InstallFate::Left(format!("{} uses it too", others.join(", "))),
                });
                continue;
            }
            // Where it is known what was installed, what else is there was made by hand.
            let by_hand = seen.record.is_none() && agents.iter().any(|known| known == agent);
            if by_hand && content.is_in(&now).is_ok_and(|there| there != Presence::No) {
                fates.push(InstallFate::Left(BY_HAND.to_owned()));
                continue;
            }
            let taken = match content.is_whole() && seen.as_left {
                true => Ok(String::new()),
                false => content.take(&now, seen.base.as_deref()),
            };
            fates.push(match taken {
                Ok(taken) if had(content) && noted(gone) => {
                    now = taken;
                    InstallFate::Left(WAS_THERE.to_owned())
                }
                Ok(taken) if taken == now => InstallFate::Unchanged,
                Ok(taken) => {
                    now = taken;
                    InstallFate::Changed
                }
                Err(error) if content.is_whole() => InstallFate::Left(error.to_string()),
                Err(_) if seen.record.is_none() && !old.contains("segue") => InstallFate::Unchanged,
                Err(error) => {
                    parts.push(gone.clone());
                    InstallFate::Failed(error.to_string())
                }
            });
        }
        // The same part of several agents is taken out once.
        if fates.contains(&InstallFate::Changed) {
            let twice =
                |at: usize| {
                    let part = group.parts[at].1;
                    group.parts.iter().zip(&fates).any(|((_, other, _), fate)| {
                        *other == part && *fate == InstallFate::Changed
                    })
                };
            let again: Vec<usize> = (0..fates.len())
                .filter(|at| {
                    fates[*at] == InstallFate::Unchanged && noted(&going[*at]) && twice(*at)
                })
                .collect();
            again.into_iter().for_each(|at| fates[at] = InstallFate::Changed);
        }
        let created = seen.record.as_ref().is_some_and(|record| record.created);
        let whole = group.parts.iter().all(|(_, _, content)| content.is_whole());
        let text = match &seen.base {
            Some(_) if as_before && created => None,
            Some(base) if as_before => Some(base.clone()),
            _ if now != old && now.trim().is_empty() && (created || whole) => None,
            _ => Some(now.clone()),
        };
        if text.is_none() {
            let changed = |fate: &&mut InstallFate| **fate == InstallFate::Changed;
            fates.iter_mut().filter(changed).for_each(|fate| *fate = InstallFate::Removed);
        }
        let record = seen.record.clone().filter(|_| !parts.is_empty()).map(|record| {
            let wrote = if seen.as_left { digest(&now) } else { record.wrote };
            (Installed { parts, wrote, ..record }, seen.base.clone())
        });
        Decided { fates, text, record }
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
            self.store.note_installed(record, original, base).map_err(said)?;
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
            let _ = self.store.forget_installed(target);
            let _ = self.store.sweep_made();
        }
        let done = done?;
        if done == Replaced::Changed {
            return Ok(Done::Again);
        }
        if decided.record.is_none() && seen.record.is_some() {
            self.store.forget_installed(target).map_err(said)?;
        }
        Ok(Done::Yes)
    }

    fn create(&self, group: &Group, text: &str) -> Result<Replaced, String> {
        let said = |error: segue_store::StoreError| error.to_string();
        if let Some(dir) = group.target.parent() {
            // Noted first: what was made and not noted would stay.
            let missing = missing_dirs(dir);
            self.store.note_made(&missing).map_err(said)?;
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

impl Group {
    fn items(&self, fates: Vec<InstallFate>) -> Vec<InstallItem> {
        let each = self.parts.iter().zip(fates);
        let item = |((agent, part, _), fate): (&(&'static str, Part, Content), InstallFate)| {
            InstallItem { agent, part: *part, path: self.path.clone(), fate }
        };
        each.map(item).collect()
    }

    fn part(&self, agent: &str, part: Part) -> InstalledPart {
        InstalledPart {
            agent: agent.to_owned(),
            part: part.word().to_owned(),
            scope: self.scope.word().to_owned(),
        }
    }
}
