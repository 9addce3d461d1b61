//! Run: which plan, which memory, which checkpoint; then the engine works.

use std::path::{Path, PathBuf};

use segue_core::Tag;
use segue_core::run::{Input, Opening, open_run};
use segue_share::git::discover;
use segue_store::{RunFiles, Scope};

use super::engine::{Engine, Orders, RunOutcome};
use super::ground::Ground;
use super::plan::{Plan, StepKind};
use super::plan_file::{Overrides, PlanFile};
use crate::pause::{Brake, Paused};
use crate::{Error, ProjectRef, Segue, Trust};

/// agent-handover's directory, and its checkpoint in it.
pub(crate) const PEER_DIR: &str = ".agent-handover";
pub(crate) const PEER_CHECKPOINT: &str = ".agent-handover/checkpoint.json";
const PEER_MEMORY: &str = "memory";
const PEER_TAG: &str = "general";

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct RunRequest {
    /// The plan's file; without one the standard plan.
    pub config: Option<PathBuf>,
    /// What happened.
    pub note: Option<String>,
    /// Where we are now.
    pub state: Option<String>,
    /// Commit, but push nothing.
    pub no_push: bool,
    /// Put an interrupted run aside instead of finishing it.
    pub fresh: bool,
    /// The checkpoint instead of the plan's.
    pub checkpoint: Option<PathBuf>,
    /// The agent that leaves it.
    pub tool: Option<String>,
    /// The agent's own session id.
    pub session: Option<String>,
}

/// What a run would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPreview {
    /// Steps of an interrupted run that would be finished first.
    pub pending: Vec<String>,
    /// Steps of the new run, each with its kind; none if there would be none.
    pub steps: Vec<(String, String)>,
    /// Notes and states that wait in the queue.
    pub waiting: usize,
    /// The brake that would stop it.
    pub paused: Option<Paused>,
    /// The checkpoint's file; `None` if it is not known yet where it will be.
    pub checkpoint: Option<PathBuf>,
    /// The memory's directory.
    pub memory: PathBuf,
    /// What somebody should know.
    pub warnings: Vec<String>,
}

/// Everything that a run needs, looked up and checked, nothing written.
struct Prepared<'s> {
    ground: Ground<'s>,
    plan: Plan<'static>,
    /// `None`: the project's own, which is not known yet.
    files: Option<RunFiles>,
    brake: Brake,
    orders: Orders,
    warnings: Vec<String>,
}

impl Segue {
    /// Runs a plan: an interrupted run is finished first, then what is given is handed over.
    pub fn run(&self, request: &RunRequest) -> Result<RunOutcome, Error> {
        let Prepared { ground, plan, files, brake, orders, warnings } = self.prepare(request)?;
        // Nothing at all is written behind a brake, not even which project this is.
        brake.check()?;
        let files = match files {
            Some(files) => files,
            None => {
                let (_, own) = self.own_project(&ProjectRef::Here)?;
                RunFiles::of_memory(&self.store.layout().memory(&own))
            }
        };
        let mut engine = Engine::on(self, plan, files, brake, ground);
        let mut outcome = engine.run_with(&orders)?;
        outcome.warnings.splice(0..0, warnings);
        Ok(outcome)
    }

    /// What `run` would do; writes nothing.
    pub fn plan_run(&self, request: &RunRequest) -> Result<RunPreview, Error> {
        let Prepared { ground, plan, files, brake, orders, mut warnings } =
            self.prepare(request)?;
        let seen = files.as_ref().map(RunFiles::look).transpose()?.unwrap_or_default();
        let mut old = seen.checkpoint.filter(|_| !request.fresh);
        let opening = open_run(old.as_mut(), &plan.planned())?;
        let mut pending = Vec::new();
        if let (Opening::Resume { explained }, Some(old)) = (&opening, &old) {
            warnings.extend(explained.iter().cloned());
            pending = old.pending().map(|step| step.name.clone()).collect();
        }
        let given = orders.input.is_some() || seen.waiting > 0;
        let idle = opening == Opening::Begin;
        if idle && !given && orders.planned.is_none() && plan.needs_input() {
            return Err(Error::NothingToHandOver);
        }
        let steps = plan.steps.iter().filter(|_| idle || given).map(|step| {
            let kind = step.kind().map_or("own", StepKind::word);
            (step.name.clone(), kind.to_owned())
        });
        Ok(RunPreview {
            pending,
            steps: steps.collect(),
            waiting: seen.waiting,
            paused: brake.pulled(),
            checkpoint: files.map(|files| files.checkpoint().to_owned()),
            memory: ground.memory_place()?,
            warnings,
        })
    }

    /// The directory of this project's memory, or where it will be.
    pub(crate) fn known_memory(&self) -> Result<PathBuf, Error> {
        let place = self.store.ask_files(&Scope::Projects, |view| {
            match self.place(view, &ProjectRef::Here) {
                Ok(place) => Ok(place.project().map(|id| view.layers_dir(id)).transpose()?),
                Err(Error::Store(error)) => Err(error),
                Err(_) => Ok(None),
            }
        })?;
        Ok(place.unwrap_or_else(|| self.store.layout().projects()))
    }

    fn prepare(&self, request: &RunRequest) -> Result<Prepared<'_>, Error> {
        let mut ground = Ground::here(self)?;
        let file = match &request.config {
            Some(path) => Some(self.plan_file(path, &ground, request.no_push)?),
            None => None,
        };
        let peer = file.as_ref().is_some_and(|file| file.peer);
        if let Some(file) = &file
            && ground.repo.is_none()
            && let Some(above) = above_peer_dir(&file.path)
        {
            ground.root = above;
        }
        let brake_file = file.as_ref().and_then(|file| file.pause_file.clone());
        let mut brake = self.brake_here()?;
        brake.add_all(brake_file.map(|path| self.expand_from(&ground.root, &path)));
        let memory_dir = match &file {
            Some(file) if peer => Some(file.memory_dir.as_deref().unwrap_or(PEER_MEMORY)),
            Some(file) => file.memory_dir.as_deref(),
            None => None,
        };
        let memory_dir = memory_dir.map(|dir| self.expand_from(&ground.root, dir));
        brake.add_all(memory_dir.as_ref().map(|dir| dir.join(crate::pause::PAUSE)));
        let files = self.run_files(request, file.as_ref(), &ground)?;
        let tag = file.as_ref().and_then(|file| file.tag.clone());
        let tag = tag.or_else(|| peer.then(|| PEER_TAG.to_owned()));
        if let Some(tag) = &tag {
            tag.parse::<Tag>()?;
        }
        let ground = ground.with_memory(memory_dir).with_tag(tag);
        if let Some(file) = &file {
            self.allow(file, &ground, files.as_ref())?;
        }
        let mut warnings = Vec::new();
        let mut planned = None;
        let mut plan_path = None;
        let plan = match file {
            None => Plan::standard(!request.no_push),
            Some(file) => {
                // From the top, as it can be said again from anywhere in the tree.
                let path = std::fs::canonicalize(&file.path).unwrap_or(file.path);
                let path = path.strip_prefix(&ground.root).unwrap_or(&path);
                plan_path = Some(path.display().to_string());
                warnings = file.warnings;
                planned = self.input(request, file.note, file.state);
                file.plan
            }
        };
        let given = self.input(request, request.note.clone(), request.state.clone());
        // What only the plan's file says is said once a run, not once a call.
        let input = given.map(|given| match &planned {
            Some(planned) => Input {
                note: given.note.or_else(|| planned.note.clone()),
                state: given
                    .state
                    .or_else(|| planned.state.clone().filter(|_| request.note.is_none())),
                ..planned.clone()
            },
            None => given,
        });
        let orders = Orders { input, planned, fresh: request.fresh, plan: plan_path };
        Ok(Prepared { ground, plan, files, brake, orders, warnings })
    }

    fn input(
        &self,
        request: &RunRequest,
        note: Option<String>,
        state: Option<String>,
    ) -> Option<Input> {
        let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let (note, state) = (said(note), said(state));
        (note.is_some() || state.is_some()).then(|| Input {
            key: self.queue_key(),
            note,
            state,
            tool: request.tool.clone(),
            session: request.session.clone(),
            ..Input::default()
        })
    }

    /// The plan's file: from this directory, else from the top of the work tree.
    fn plan_file(
        &self,
        path: &Path,
        ground: &Ground<'_>,
        no_push: bool,
    ) -> Result<PlanFile, Error> {
        let here = self.expand_from(&self.env.dir, path);
        let over = Overrides { no_push };
        match PlanFile::read(&here, over) {
            Err(Error::NoPlan(_)) if path.is_relative() => {
                let from_top = PlanFile::read(&ground.root.join(path), over);
                from_top.map_err(|error| match error {
                    Error::NoPlan(_) => Error::NoPlan(here),
                    other => other,
                })
            }
            other => other,
        }
    }

    fn run_files(
        &self,
        request: &RunRequest,
        file: Option<&PlanFile>,
        ground: &Ground<'_>,
    ) -> Result<Option<RunFiles>, Error> {
        if let Some(given) = &request.checkpoint {
            let path = self.expand_from(&self.env.dir, given);
            return Ok(Some(RunFiles::at(path)));
        }
        match file.and_then(PlanFile::checkpoint_path) {
            Some(path) => Ok(Some(RunFiles::at(self.expand_from(&ground.root, path)))),
            None => self.known_run_files(&self.directory_of(&ProjectRef::Here)?),
        }
    }

    /// What a plan that lies in a repository may do before somebody has said `segue trust` there.
    fn allow(
        &self,
        file: &PlanFile,
        ground: &Ground<'_>,
        files: Option<&RunFiles>,
    ) -> Result<(), Error> {
        let path = std::fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
        let dir = path.parent().unwrap_or(Path::new("."));
        let Some(repo) = discover(dir) else { return Ok(()) };
        if self.trust_of(&repo) == Trust::Yes {
            return Ok(());
        }
        let top = &repo.top;
        let refuse = |what: String| Err(Error::Untrusted { what, top: top.clone() });
        if let Some(step) = file
            .plan
            .steps
            .iter()
            .find(|step| matches!(step.kind(), Some(StepKind::Command { .. })))
        {
            return refuse(format!("its step '{}' runs a command", step.name));
        }
        for step in &file.plan.steps {
            let Some(StepKind::Publish(to) | StepKind::Push(to)) = step.kind() else { continue };
            if to.nowhere {
                continue;
            }
            if let Some(remote) =
                to.remote.as_deref().filter(|remote| remote.contains(['/', ':', '\\']))
            {
                let remote = segue_share::git::without_credentials(remote);
                return refuse(format!("it publishes to '{remote}', which is no remote of yours"));
            }
            let outside = to.repo_dir.as_deref().map(|dir| self.expand_from(&ground.root, dir));
            if let Some(dir) = outside.filter(|dir| !lies_in(dir, top)) {
                return refuse(format!("it publishes from {}", dir.display()));
            }
            for path in &to.paths {
                let full = self.expand_from(top, path);
                if !lies_in(&full, top) || full.is_file() {
                    return refuse(format!("it publishes '{path}'"));
                }
            }
        }
        let own = &self.env.home;
        for place in [ground.memory_dir(), files.map(RunFiles::dir)].into_iter().flatten() {
            if !lies_in(place, top) && !place.starts_with(own) {
                return refuse(format!("it writes to {}", place.display()));
            }
        }
        Ok(())
    }
}

/// Whether a path lies in a directory, links in what exists of it resolved.
fn lies_in(path: &Path, dir: &Path) -> bool {
    let there = path.ancestors().find_map(|part| {
        let real = std::fs::canonicalize(part).ok()?;
        Some((real, path.strip_prefix(part).ok()?.to_owned()))
    });
    let Some((real, rest)) = there else { return false };
    let up = rest.components().any(|part| matches!(part, std::path::Component::ParentDir));
    !up && real.starts_with(dir)
}

/// The directory above agent-handover's, if the file lies in one.
fn above_peer_dir(path: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(path).ok()?;
    let dir = real.parent()?;
    (dir.file_name()? == PEER_DIR).then(|| dir.parent().map(Path::to_owned)).flatten()
}
