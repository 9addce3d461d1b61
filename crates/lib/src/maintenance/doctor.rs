//! Doctor: looks at everything once and says what is not as it should be.

use segue_core::{KeyKind, visible_line};
use segue_store::{
    BadFile, Filter, IndexState, Listed, OpenTo, ProjectRow, Scope, Standing, owned_by_others,
    too_open,
};

use crate::here::{Here, Shared, similar_pairs};
use crate::maintenance::gc::DAY_NS;
use crate::maintenance::unproven::{UnprovenRule, unproven};
use crate::run::{CheckRequest, RunState, Runs};

/// So many handoffs that are dated ahead are named.
const DATED_AHEAD: u64 = 10;
/// So many of the newest handoffs are read.
const READ: u64 = 1_000;
/// So many files that belong to another user are named.
const OWNED_BY_OTHERS: usize = 5;
/// So many pairs of projects that may be one are named.
const SIMILAR: usize = 5;

/// How a part of the whole is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// As it should be.
    Good,
    /// Works, but somebody should look.
    Warning,
    /// Does not work.
    Bad,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What was looked at.
    pub what: &'static str,
    /// How it is.
    pub health: Health,
    /// What was seen.
    pub found: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Everything that was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// In a fixed order.
    pub findings: Vec<Finding>,
}

impl Report {
    fn add(
        &mut self,
        what: &'static str,
        health: Health,
        found: impl Into<String>,
        hint: Option<String>,
    ) {
        self.findings.push(Finding { what, health, found: found.into(), hint });
    }

    /// The worst that was seen.
    pub fn worst(&self) -> Health {
        let has = |health| self.findings.iter().any(|finding| finding.health == health);
        if has(Health::Bad) {
            Health::Bad
        } else if has(Health::Warning) {
            Health::Warning
        } else {
            Health::Good
        }
    }
}

/// Who looks at everything once, and notes what was seen.
#[derive(Debug)]
pub struct Doctor<'s> {
    here: Here<'s>,
    report: Report,
}

impl<'s> Doctor<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone(), report: Report::default() }
    }
}

impl Doctor<'_> {
    /// Looks at home, permissions, owners, store, index, git and this directory.
    pub fn look(mut self) -> Report {
        self.check_home();
        self.check_owners();
        self.check_store();
        match self.here.git().version() {
            Ok(version) => self.report.add("git", Health::Good, version, None),
            Err(error) => self.report.add(
                "git",
                Health::Warning,
                error.to_string(),
                Some("handoffs are saved without git's state".to_owned()),
            ),
        }
        match self.here.known_place() {
            Ok(place) => {
                let by = if place.is_named { ", named by SEGUE_PROJECT" } else { "" };
                let found = match place.project() {
                    Some(id) => format!("project '{}' ({id}){by}", place.label),
                    None => format!("no project yet; the first save will make '{}'", place.label),
                };
                self.report.add("here", Health::Good, found, None);
                for note in self.here.find_directory_notes().unwrap_or_default() {
                    self.report.add("here", Health::Good, note.to_string(), None);
                }
            }
            Err(error) => self.report.add("here", Health::Bad, error.to_string(), None),
        }
        self.check_rules();
        self.check_shared();
        self.check_runs();
        self.check_import();
        self.report
    }

    /// Rules that held before sources were known, and are told as an agent's now.
    fn check_rules(&mut self) {
        for UnprovenRule { handoff, rule } in unproven(&self.here) {
            let hint = "if you said it, say it to the agent once more, or write it under Standing Constraints in the editor of 'segue save'";
            self.report.add(
                "rule",
                Health::Good,
                format!("{handoff} has a rule that nothing shows to be yours: “{rule}”; it is told as the agent's"),
                Some(hint.to_owned()),
            );
        }
    }

    /// An import that was cut off is finished by whatever opens the store; here it is said why not.
    fn check_import(&mut self) {
        if !self.here.store.has_unfinished_import() {
            return;
        }
        let finished =
            self.here.store.writer_view().and_then(|view| self.here.store.finish_incoming(&view));
        if let Err(error) = finished {
            let hint =
                "an import was cut off and cannot be finished; see to that, then repeat the import";
            self.report.add("import", Health::Bad, error.to_string(), Some(hint.to_owned()));
        }
    }

    fn check_runs(&mut self) {
        match Runs::of(&self.here).look(&CheckRequest::default()) {
            Ok(seen) => {
                for run in &seen.runs {
                    let (health, found) = match run.state {
                        RunState::Nothing => continue,
                        RunState::Completed => (Health::Good, "the last one completed".to_owned()),
                        RunState::AtWork => (Health::Good, "one is at work".to_owned()),
                        RunState::Waiting => {
                            (Health::Warning, format!("{} in the queue", run.waiting))
                        }
                        RunState::Interrupted => (Health::Warning, "interrupted".to_owned()),
                    };
                    let hint = (health == Health::Warning).then(|| run.next());
                    self.report.add("run", health, found, hint);
                }
                if let Some(paused) = seen.paused {
                    let hint = paused.ours.then(|| "segue unpause".to_owned());
                    self.report.add("paused", Health::Warning, paused.to_string(), hint);
                }
            }
            Err(error) => {
                let hint = "'segue run --fresh' puts a damaged checkpoint aside".to_owned();
                self.report.add("run", Health::Bad, error.to_string(), Some(hint));
            }
        }
    }

    /// What this repository brings, and memories elsewhere that are not what was trusted.
    fn check_shared(&mut self) {
        match self.here.shared() {
            Shared::None => {}
            Shared::Used(at) => {
                self.report.add(
                    "shared",
                    Health::Good,
                    format!("{} (trusted)", at.display()),
                    None,
                );
            }
            Shared::NotUsed(brings) => {
                self.report.add("shared", Health::Warning, brings.to_string(), None);
            }
        }
        let attached = self.here.store.ask(&Scope::Projects, |view| view.attached());
        for row in attached.unwrap_or_default() {
            let at = row.attached.at.clone();
            let is_here = self.here.claimed_repo().is_some_and(|repo| at.starts_with(&repo.top));
            // A tree that is gone, such as a worktree that was removed, is nothing to look at.
            if row.attached.standing() == Standing::Changed && !is_here && at.exists() {
                let top = at.parent().unwrap_or(&at).display().to_string();
                self.report.add(
                    "memory",
                    Health::Warning,
                    format!("{} is not what was trusted, and is not used", at.display()),
                    Some(format!("'segue trust --remove {top}', or 'segue trust {top}'")),
                );
            }
        }
    }

    fn check_home(&mut self) {
        let home = &self.here.env.home;
        if !home.is_dir() && std::fs::symlink_metadata(home).is_ok() {
            let found = format!("{} is not a directory", home.display());
            let hint = "move it away, or set SEGUE_HOME to a directory".to_owned();
            return self.report.add("home", Health::Bad, found, Some(hint));
        }
        if !home.is_dir() {
            self.report.add(
                "home",
                Health::Good,
                format!("{} (not made yet)", home.display()),
                None,
            );
            return;
        }
        self.report.add("home", Health::Good, home.display().to_string(), None);
        let layout = self.here.store.layout();
        let open: Vec<String> = [home.clone(), layout.projects(), layout.index()]
            .iter()
            .filter(|path| too_open(path).is_ok_and(|open| open == OpenTo::Others))
            .map(|path| path.display().to_string())
            .collect();
        if open.is_empty() {
            self.report.add("permissions", Health::Good, "for you alone", None);
        } else {
            let hint = format!("chmod -R go= {}", home.display());
            self.report.add(
                "permissions",
                Health::Warning,
                format!("others can open {}", open.join(", ")),
                Some(hint),
            );
        }
    }

    /// What belongs to somebody else than the home itself, such as to root after `sudo segue`: the user can neither
    /// write to it nor, mostly, read it.
    fn check_owners(&mut self) {
        let home = &self.here.env.home;
        let others = owned_by_others(home, OWNED_BY_OTHERS);
        if others.count == 0 {
            return;
        }
        let names: Vec<String> =
            others.named.iter().map(|path| path.display().to_string()).collect();
        let more = match others.count - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let right = others.right.display();
        let found = format!("another user than that of {right} owns {}{more}", names.join(", "));
        let hint =
            format!("after 'sudo segue': sudo chown -R --reference={right} {}", home.display());
        self.report.add("owner", Health::Warning, found, Some(hint));
    }

    /// Handoffs that are dated further ahead than clocks differ.
    fn check_dates(&mut self) {
        let now = self.here.now();
        let ahead = Filter {
            since: Some(now.latest_credible().next()),
            limit: Some(DATED_AHEAD),
            ..Filter::default()
        };
        let ahead = self.here.store.ask(&Scope::All, |view| view.listed(&Scope::All, &ahead));
        for listed in ahead.unwrap_or_default() {
            let short = listed.head.id.short();
            self.report.add(
                "date",
                Health::Warning,
                format!(
                    "the handoff {short} of '{}' is dated {}, later than this machine's clock; it is never 'latest'",
                    listed.label,
                    listed.head.created.whole_second().short()
                ),
                Some(format!(
                    "check the clock; if it is right, 'segue edit {short}' saves it again with today's date"
                )),
            );
        }
    }

    /// Handoffs that the index knows as they were before somebody damaged their files, among the newest.
    fn damaged_in_place(&self) -> Vec<BadFile> {
        let filter = Filter { limit: Some(READ), ..Filter::default() };
        let newest = self.here.store.ask(&Scope::All, |view| view.listed(&Scope::All, &filter));
        let unread = |listed: Listed| {
            let error = self.here.store.read(&listed).err()?;
            let reason = format!("{} (the handoff {})", error.reason(), listed.head.id.short());
            error.is_of_file().then_some(BadFile { path: listed.path, reason })
        };
        newest.unwrap_or_default().into_iter().filter_map(unread).collect()
    }

    fn check_store(&mut self) {
        let looked = self.here.store.ask(&Scope::All, |view| {
            Ok((view.projects()?, view.bad_files(&Scope::All)?, view.state.clone()))
        });
        let (projects, bad, state) = match looked {
            Ok(looked) => looked,
            Err(error) => return self.report.add("store", Health::Bad, error.to_string(), None),
        };
        let handoffs: u64 = projects.iter().map(|project| project.handoffs).sum();
        let archived: u64 = projects.iter().map(|project| project.archived).sum();
        self.report.add(
            "store",
            Health::Good,
            format!(
                "{handoffs} handoffs and {archived} archived in {} projects",
                projects.iter().filter(|project| !project.attached).count()
            ),
            None,
        );
        check_similar(&projects, &mut self.report);
        check_shallow_origins(&projects, &mut self.report);
        for file in bad.into_iter().chain(self.damaged_in_place()) {
            let hint =
                "it is left as it is; mend it by hand or move it out of the store".to_owned();
            self.report.add(
                "file",
                Health::Bad,
                format!("cannot read {}: {}", file.path.display(), file.reason),
                Some(hint),
            );
        }
        self.check_dates();
        match state {
            IndexState::Found => self.report.add("index", Health::Good, "sound", None),
            IndexState::Rebuilt(why) => {
                self.report.add("index", Health::Good, format!("rebuilt just now: {why}"), None)
            }
            IndexState::InMemory(why) if projects.is_empty() => {
                self.report.add("index", Health::Good, why, None)
            }
            IndexState::InMemory(why) => {
                let hint = format!(
                    "answers are right but slow; make {} writable",
                    self.here.store.layout().index().display()
                );
                self.report.add(
                    "index",
                    Health::Warning,
                    format!("cannot be used: {why}"),
                    Some(hint),
                );
            }
        }
        if self.here.store.is_scrubbing() {
            self.report.add(
                "scrub",
                Health::Warning,
                "one was cut off; the index may hold what it took out",
                Some("segue scrub --all-projects".to_owned()),
            );
        }
        if let Ok(stale) =
            self.here.store.stale_files((self.here.env.file_clock)().saturating_sub(DAY_NS))
            && !stale.is_empty()
        {
            self.report.add(
                "left over",
                Health::Warning,
                format!("{} old temporary files", stale.len()),
                Some("segue gc".to_owned()),
            );
        }
    }
}

/// Projects as which every shallow clone with an address counts, which anybody can write.
fn check_shallow_origins(projects: &[ProjectRow], report: &mut Report) {
    for row in projects {
        for key in row.keys.iter().filter(|key| key.kind == KeyKind::ShallowOrigin) {
            let found = format!(
                "every shallow clone whose origin is {} counts as '{}' ({})",
                visible_line(&key.value),
                visible_line(&row.label),
                row.id
            );
            report.add("projects", Health::Good, found, None);
        }
    }
}

/// Projects that share an `origin`, a root commit or their place: whether they are one, only the user knows.
fn check_similar(projects: &[ProjectRow], report: &mut Report) {
    let pairs = similar_pairs(projects);
    for (one, other, why) in pairs.iter().take(SIMILAR) {
        let found = format!(
            "'{}' ({}) and '{}' ({}) {why}",
            visible_line(&one.label),
            one.id,
            visible_line(&other.label),
            other.id
        );
        let hint = format!(
            "if they are the same, 'segue project link {}' in a directory of the other makes them one",
            one.id
        );
        report.add("projects", Health::Good, found, Some(hint));
    }
    if pairs.len() > SIMILAR {
        let more = pairs.len() - SIMILAR;
        report.add("projects", Health::Good, format!("and {more} more such pairs"), None);
    }
}
