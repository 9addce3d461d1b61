//! Check and status: how far runs are, looked up without changing anything.

use std::path::{Path, PathBuf};

use segue_core::run::{Checkpoint, RunStatus};
use segue_core::visible_line;
use segue_store::{RunFiles, RunSeen, run_name, run_root};

use super::plan_file::{Overrides, PEER_PLAN, PlanFile, peer_plan};
use super::target::{PEER_CHECKPOINT, PEER_DIR, view_key};
use crate::Error;
use crate::here::{Brake, Here, PAUSE, Paused, Trust, trust_of};

/// What drops a run whose plan is gone.
const FRESH: &str = " --fresh";

/// Which runs to look at; without either, all that belong to this directory.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckRequest {
    /// This checkpoint.
    pub checkpoint: Option<PathBuf>,
    /// The checkpoint of this plan.
    pub config: Option<PathBuf>,
}

/// How runs are, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunState {
    /// None was ever begun.
    Nothing,
    /// The last one is over.
    Completed,
    /// Inputs wait, and nobody is at work.
    Waiting,
    /// One was begun and not finished, and nobody is at work.
    Interrupted,
    /// A process is at work.
    AtWork,
}

/// One run's files, looked at.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunStatusReport {
    /// The checkpoint's file.
    pub path: PathBuf,
    /// What stands in it.
    pub checkpoint: Option<Checkpoint>,
    /// Inputs that no run has taken.
    pub waiting: usize,
    /// How it is.
    pub state: RunState,
    /// The command that goes on with it.
    pub command: String,
}

impl RunStatusReport {
    fn new(files: &RunFiles, seen: RunSeen, dir: &Path, in_repo: bool) -> Self {
        let command = command(files, &seen, dir, in_repo);
        let interrupted = seen.checkpoint.as_ref().is_some_and(Checkpoint::is_interrupted);
        let state = match &seen.checkpoint {
            _ if seen.at_work => RunState::AtWork,
            _ if interrupted => RunState::Interrupted,
            _ if seen.waiting > 0 => RunState::Waiting,
            Some(checkpoint) if checkpoint.status != RunStatus::None => RunState::Completed,
            _ => RunState::Nothing,
        };
        Self {
            path: files.checkpoint(),
            checkpoint: seen.checkpoint,
            waiting: seen.waiting,
            state,
            command,
        }
    }

    /// What `segue run` would do with it.
    pub fn next(&self) -> String {
        let waiting = match self.waiting {
            0 => String::new(),
            1 => ", then hands over 1 input that waits".to_owned(),
            count => format!(", then hands over {count} inputs that wait"),
        };
        let command = &self.command;
        if command.ends_with(FRESH) && self.state != RunState::AtWork {
            return format!("its plan is gone; '{command}' puts it aside, and keeps what waits");
        }
        match (self.state, &self.checkpoint) {
            (RunState::AtWork, _) => format!("a run is at work; '{command}' waits for it"),
            (RunState::Interrupted, Some(checkpoint)) => {
                let names: Vec<&str> =
                    checkpoint.pending().map(|step| step.name.as_str()).collect();
                format!("'{command}' does {}{waiting}", listed(&names))
            }
            (RunState::Waiting, _) => {
                format!("'{command}' {}", waiting.trim_start_matches(", then "))
            }
            _ => format!("'{command}' begins a new run"),
        }
    }
}

/// The command that goes on with a run, as it can be given in a directory.
fn command(files: &RunFiles, seen: &RunSeen, dir: &Path, in_repo: bool) -> String {
    let head = seen.checkpoint.as_ref().and_then(|checkpoint| checkpoint.head.as_ref());
    let interrupted = seen.checkpoint.as_ref().is_some_and(Checkpoint::is_interrupted);
    let given = seen.given_by.clone().filter(|_| !interrupted);
    let view = files.view().and_then(Path::parent);
    let peer = view.is_some_and(|dir| dir.file_name().is_some_and(|name| name == PEER_DIR));
    let own = given.or_else(|| head.and_then(|head| head.command.clone()));
    let command = match own {
        Some(command) => command,
        None if peer => format!("segue run --config {PEER_DIR}/{PEER_PLAN}"),
        None => "segue run".to_owned(),
    };
    let Some(head) = head else { return command };
    let (Some(root), Some(plan)) = (head.root.as_deref().map(Path::new), &head.plan) else {
        return command;
    };
    let fresh = if root.join(plan).exists() { "" } else { FRESH };
    // From below, another plan of that name may be meant, or another place.
    let elsewhere = dir != root && (!in_repo || dir.join(plan).exists());
    let cd = if elsewhere { format!("cd {} && ", root.display()) } else { String::new() };
    format!("{cd}{command}{fresh}")
}

/// The first few names.
fn listed(names: &[&str]) -> String {
    const MOST: usize = 10;
    // A clone can bring names of any kind.
    let shown = names.iter().take(MOST).map(|name| visible_line(name).into_owned());
    let first = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// What is to be said of the runs of a directory.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunsSeen {
    /// The worst of them, which decides.
    pub state: RunState,
    /// Each that was ever begun, or the one that was asked for.
    pub runs: Vec<RunStatusReport>,
    /// The brake that is pulled.
    pub paused: Option<Paused>,
}

/// The runs of a directory.
#[derive(Debug)]
pub struct Runs<'s> {
    pub(super) here: Here<'s>,
}

impl<'s> Runs<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }
}

impl Runs<'_> {
    /// Looks at runs. Starts no git and opens no index.
    pub fn look(&self, request: &CheckRequest) -> Result<RunsSeen, Error> {
        let mut runs = Vec::new();
        let named = request.checkpoint.is_some() || request.config.is_some();
        let dir = self.here.directory()?;
        let repo = self.here.claimed_repo();
        // Without a repository a run may have been begun in any directory above.
        let roots: Vec<&Path> = match repo {
            Some(repo) => vec![&repo.top],
            None => dir.ancestors().collect(),
        };
        let mut brake = self.here.brake()?;
        for files in self.files_to_see(request, dir, &roots, &mut brake)? {
            let report = RunStatusReport::new(&files, files.look()?, dir, repo.is_some());
            if let Some(head) = report.checkpoint.as_ref().and_then(|seen| seen.head.as_ref())
                && let (Some(plan), Some(root)) = (&head.plan, &head.root)
            {
                self.brake_of_plan(&Path::new(root).join(plan), Path::new(root), &mut brake);
            }
            if named || report.state != RunState::Nothing || report.checkpoint.is_some() {
                runs.push(report);
            }
        }
        let state = runs.iter().map(|run| run.state).max().unwrap_or(RunState::Nothing);
        Ok(RunsSeen { state, runs, paused: brake.pulled() })
    }

    /// Adds the brakes that a plan's file names, if it can be read.
    fn brake_of_plan(&self, path: &Path, root: &Path, brake: &mut Brake) {
        if let Ok(plan) = PlanFile::read(path, Overrides::default()) {
            self.add_brakes(&plan, root, brake);
        }
    }

    /// Adds the brakes that a plan names.
    pub(super) fn add_brakes(&self, plan: &PlanFile, root: &Path, brake: &mut Brake) {
        let file = plan.pause_file.as_ref().map(|file| self.here.env.expand_from(root, file));
        let memory = plan.memory_path().map(|dir| self.here.env.expand_from(root, dir).join(PAUSE));
        let dir = plan.path.parent().unwrap_or(Path::new("."));
        let repo = std::fs::canonicalize(dir).ok().and_then(|dir| self.here.claimed_repo_at(&dir));
        let foreign = repo.is_some_and(|repo| trust_of(self.here.store, &repo) != Trust::Yes);
        for file in file.into_iter().chain(memory) {
            brake.add_of_plan(file, plan.name_from(root), foreign);
        }
    }

    fn files_to_see(
        &self,
        request: &CheckRequest,
        dir: &Path,
        roots: &[&Path],
        brake: &mut Brake,
    ) -> Result<Vec<RunFiles>, Error> {
        let find = |part: &str| -> Result<Vec<RunFiles>, Error> {
            let mut found = Vec::new();
            let fits = |name: &str| name.split('-').any(|other| other == part);
            for memory in RunFiles::memories(&self.here.env.home, part)? {
                found.extend(RunFiles::of_memory(&memory, &fits)?.into_iter().map(RunFiles::found));
            }
            Ok(found)
        };
        let named = |view: PathBuf| -> Result<RunFiles, Error> {
            let known = find(&run_name(&view_key(&view)))?.pop();
            Ok(known.map_or_else(|| RunFiles::viewing(view.clone()), |known| known.seen_at(&view)))
        };
        if let Some(given) = &request.checkpoint {
            return Ok(vec![named(self.here.env.expand_from(self.here.dir(), given))?]);
        }
        let root = roots.first().copied().unwrap_or(dir);
        if let Some(config) = &request.config {
            let path = self.here.env.expand_from(self.here.dir(), config);
            let path = if path.exists() { path } else { root.join(config) };
            let plan = PlanFile::read(&path, Overrides::default())?;
            self.add_brakes(&plan, root, brake);
            if let Some(checkpoint) = plan.checkpoint_path() {
                return Ok(vec![named(self.here.env.expand_from(root, checkpoint))?]);
            }
            let name = format!("{}-{}", run_root(root), run_name(&plan.name_from(root)));
            let mut found = find(&run_root(root))?;
            found.retain(|files| files.dir().is_some_and(|dir| dir.ends_with(&name)));
            return Ok(found);
        }
        let mut all = Vec::new();
        for root in roots {
            all.extend(find(&run_root(root))?);
        }
        let above =
            dir.ancestors().take_while(|above| roots.iter().any(|root| above.starts_with(root)));
        let peer = above.map(|above| above.join(PEER_DIR)).find(|peer| peer.is_dir());
        if let Some(root) = peer.as_deref().and_then(Path::parent) {
            let plan = peer_plan(root);
            if let Some(plan) = &plan {
                self.add_brakes(plan, root, brake);
            }
            let checkpoint = plan.and_then(|plan| plan.checkpoint);
            let view =
                self.here.env.expand_from(root, checkpoint.as_deref().unwrap_or(PEER_CHECKPOINT));
            let files = named(view)?;
            if !all.iter().any(|known| known.dir().is_some() && known.dir() == files.dir()) {
                all.insert(0, files);
            }
        }
        Ok(all)
    }

    /// What somebody should be told of a run that was not finished here.
    pub fn unfinished(&self) -> Option<Unfinished> {
        let seen = match self.look(&CheckRequest::default()) {
            Ok(seen) => seen,
            Err(error) => {
                let what = format!("A handover run cannot be looked at: {error}.");
                return Some(Unfinished { what, command: "segue run --fresh".to_owned() });
            }
        };
        let run = seen.runs.iter().max_by_key(|run| run.state)?;
        let what = match (run.state, &run.checkpoint) {
            (RunState::Interrupted, Some(checkpoint)) => format!(
                "A handover run was interrupted with {} of {} steps to do.",
                checkpoint.pending().count(),
                checkpoint.steps.len()
            ),
            (RunState::Waiting, _) => match run.waiting {
                1 => "1 input of a handover run waits to be written.".to_owned(),
                count => format!("{count} inputs of a handover run wait to be written."),
            },
            _ => return None,
        };
        Some(Unfinished { what, command: run.command.clone() })
    }
}

/// A run that somebody should finish.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unfinished {
    /// How it is, in a sentence.
    pub what: String,
    /// The command that finishes it.
    pub command: String,
}
