//! Run: which plan, which memory, which checkpoint; then the engine works.

use std::path::{Path, PathBuf};

use segue_core::run::{Input, Opening, open_run};
use segue_core::{MAX_HANDOFF_BYTES, Tag};
use segue_store::{RunFiles, Scope, run_name, run_root};

use super::engine::{Engine, Orders, RunOutcome};
use super::ground::Ground;
use super::plan::{Plan, Step, StepKind};
use super::plan_file::{Overrides, PlanFile};
use super::seen::Runs;
use super::target::{PEER_DIR, PEER_TAG, Target, other_plan};
use crate::here::{Brake, Paused, trust_of};
use crate::{Error, Segue, Trust};

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
    target: Target,
    brake: Brake,
    orders: Orders,
    warnings: Vec<String>,
}

impl Segue {
    /// Runs a plan: an interrupted run is finished first, then what is given is handed over.
    pub fn run(&self, request: &RunRequest) -> Result<RunOutcome, Error> {
        if let Some(dropped) = self.drop_lost(request)? {
            return Ok(dropped);
        }
        let Prepared { ground, plan, target, brake, orders, warnings } = self.prepare(request)?;
        let mut engine = Engine::on(self, plan, target, brake, ground);
        let mut outcome = engine.run_with(&orders)?;
        outcome.warnings.splice(0..0, warnings);
        Ok(outcome)
    }

    /// What `run` would do; writes nothing.
    pub fn plan_run(&self, request: &RunRequest) -> Result<RunPreview, Error> {
        let Prepared { ground, plan, target, brake, orders, mut warnings } =
            self.prepare(request)?;
        let files = self.known_run_files(&target)?;
        let seen = files.as_ref().map(RunFiles::look).transpose()?.unwrap_or_default();
        let mut old = seen.checkpoint.filter(|_| !request.fresh);
        other_plan(old.as_ref(), &target)?;
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
            checkpoint: files.map(|files| files.checkpoint()),
            memory: ground.memory_place()?,
            warnings,
        })
    }

    /// The files of a run, in this project's memory. The project is made known for it.
    pub(crate) fn run_files(&self, target: &Target) -> Result<RunFiles, Error> {
        if let Some(known) = self.known_run_files(target)?.filter(|known| known.dir().is_some()) {
            return Ok(known);
        }
        let (_, own) = self.here().create_or_update_own_project()?;
        let memory = self.store.layout().memory(&own);
        let files = RunFiles::new(&memory, &target.root, &target.what(), target.view.clone());
        files.note_place(&self.env.home)?;
        Ok(files)
    }

    /// The files of a run that there was before, or what somebody else left at its checkpoint.
    fn known_run_files(&self, target: &Target) -> Result<Option<RunFiles>, Error> {
        let root = run_root(&target.root);
        let name = format!("{root}-{}", run_name(&target.what()));
        for memory in RunFiles::memories(&self.env.home, &root)? {
            if !RunFiles::of_memory(&memory, &|found| found == name)?.is_empty() {
                let (root, what) = (&target.root, target.what());
                return Ok(Some(RunFiles::new(&memory, root, &what, target.view.clone())));
            }
        }
        Ok(target.view.clone().map(RunFiles::viewing))
    }

    /// The directory of this project's memory, or where it will be.
    pub(crate) fn known_memory(&self) -> Result<PathBuf, Error> {
        let here = self.here();
        let place = self.store.ask_files(&Scope::Projects, |view| match here.place(view) {
            Ok(place) => Ok(place.project().map(|id| view.layers_dir(id)).transpose()?),
            Err(Error::Store(error)) => Err(error),
            Err(_) => Ok(None),
        })?;
        Ok(place.unwrap_or_else(|| self.store.layout().projects()))
    }

    /// Drops the run of a plan whose file is gone. What waits for it goes to the standard plan.
    fn drop_lost(&self, request: &RunRequest) -> Result<Option<RunOutcome>, Error> {
        let Some(config) = request.config.as_deref().filter(|_| request.fresh) else {
            return Ok(None);
        };
        let ground = Ground::here(self)?;
        let here = super::plain_path::plain(&self.env.expand_from(&self.env.dir, config));
        let top = super::plain_path::plain(&ground.root.join(config));
        if here.exists() || top.exists() {
            return Ok(None);
        }
        self.here().brake()?.check()?;
        let standard = Target { root: ground.root.clone(), plan: None, view: None, given: None };
        for path in [here, top] {
            let plan =
                path.strip_prefix(&ground.root).unwrap_or(&path).to_string_lossy().into_owned();
            let all = RunFiles::memories(&self.env.home, &run_root(&ground.root))?;
            for memory in all {
                for dir in RunFiles::of_memory(&memory, &|_| true)? {
                    let files = RunFiles::found(dir);
                    if files.belongs_to(&plan) {
                        return Ok(Some(Engine::drop_lost(self, &files, &standard, &plan)?));
                    }
                }
            }
        }
        Ok(None)
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
        let mut brake = self.here().brake()?;
        if let Some(file) = &file {
            Runs::of(&self.here()).add_brakes(file, &ground.root, &mut brake);
        }
        let memory_dir = file.as_ref().and_then(PlanFile::memory_path);
        let memory_dir = memory_dir.map(|dir| self.env.expand_from(&ground.root, dir));
        let named = match (&request.checkpoint, file.as_ref().and_then(PlanFile::checkpoint_path)) {
            (Some(given), _) => Some(self.env.expand_from(&self.env.dir, given)),
            (None, Some(path)) => Some(self.env.expand_from(&ground.root, path)),
            (None, None) => None,
        };
        let view = named.map(|view| super::plain_path::plain(&view));
        let tag = file.as_ref().and_then(|file| file.tag.clone());
        let tag = tag.or_else(|| peer.then(|| PEER_TAG.to_owned()));
        if let Some(tag) = &tag {
            tag.parse::<Tag>()?;
        }
        let ground = ground.with_memory(memory_dir).with_tag(tag);
        for place in view.as_deref().into_iter().chain(ground.memory_dir()) {
            self.allow_place(place)?;
        }
        if let Some(file) = &file {
            self.allow(file, &ground, view.as_deref().filter(|_| request.checkpoint.is_none()))?;
        }
        let mut warnings = Vec::new();
        let mut planned = None;
        let mut plan_path = None;
        let plan = match file {
            None => Plan::standard(!request.no_push),
            Some(file) => {
                // From the top, as it can be said again from anywhere in the tree.
                plan_path = Some(file.name_from(&ground.root));
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
        let bytes = |text: &Option<String>| text.as_ref().map_or(0, String::len) as u64;
        for input in input.iter().chain(&planned) {
            if bytes(&input.note) + bytes(&input.state) > MAX_HANDOFF_BYTES {
                return Err(Error::TooLarge);
            }
        }
        if input.is_some() && !plan.takes_inputs() {
            return Err(Error::Usage(
                "the plan has no step that takes a note or a state".to_owned(),
            ));
        }
        let given = view.as_deref().filter(|_| request.checkpoint.is_some());
        let given = given.map(|view| view.strip_prefix(&ground.root).unwrap_or(view));
        let given = given.map(|view| view.to_string_lossy().into_owned());
        let target = Target { root: ground.root.clone(), plan: plan_path.clone(), view, given };
        let command = target.command();
        let of_plan = |input: Input| Input {
            plan: plan_path.clone(),
            command: Some(command.clone()),
            ..input
        };
        let orders = Orders {
            input: input.map(of_plan),
            planned: planned.map(of_plan),
            fresh: request.fresh,
        };
        Ok(Prepared { ground, plan, target, brake, orders, warnings })
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
        let here = self.env.expand_from(&self.env.dir, path);
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

    /// Refuses places that nobody's plan may write to: git's own directories, and what is ours.
    fn allow_place(&self, place: &Path) -> Result<(), Error> {
        let refuse =
            |why: &str| Err(Error::BadPlace { path: place.to_owned(), why: why.to_owned() });
        let home = std::fs::canonicalize(&self.env.home).unwrap_or_else(|_| self.env.home.clone());
        if place.components().any(|part| part.as_os_str() == ".git") {
            return refuse("it is git's own");
        }
        if lies_in(place, &home) {
            return refuse("Segue's home is for Segue alone");
        }
        Ok(())
    }

    /// What a plan that lies in a repository may do before somebody has said `segue trust` there:
    /// write into its own tree, and publish the memory to a remote that this clone has by name.
    fn allow(
        &self,
        file: &PlanFile,
        ground: &Ground<'_>,
        view: Option<&Path>,
    ) -> Result<(), Error> {
        let path = std::fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
        let dir = path.parent().unwrap_or(Path::new("."));
        let Some(repo) = self.here().repo_at(dir) else { return Ok(()) };
        if trust_of(&self.store, &repo) == Trust::Yes {
            return Ok(());
        }
        let top = &repo.top;
        let refuse = |what: String| Err(Error::Untrusted { what, top: top.clone() });
        let command = |step: &&Step<'_>| matches!(step.kind(), Some(StepKind::Command { .. }));
        if let Some(step) = file.plan.steps.iter().find(command) {
            return refuse(format!("its step '{}' runs a command", step.name));
        }
        for step in &file.plan.steps {
            let Some(StepKind::Publish(to) | StepKind::Push(to)) = step.kind() else { continue };
            if to.nowhere {
                continue;
            }
            let url = |remote: &&str| remote.contains(['/', ':', '\\']);
            if let Some(remote) = to.remote.as_deref().filter(url) {
                let remote = segue_share::git::without_credentials(remote);
                return refuse(format!("it publishes to '{remote}', which is no remote of yours"));
            }
            let from = to.repo_dir.as_deref().map(|dir| self.env.expand_from(&ground.root, dir));
            if let Some(dir) = from.filter(|dir| !lies_in(dir, top)) {
                return refuse(format!("it publishes from {}", dir.display()));
            }
            let memory = ground.memory_dir().map(super::plain_path::plain);
            for path in &to.paths {
                let full = super::plain_path::plain(&self.env.expand_from(top, path));
                if !memory.as_ref().is_some_and(|memory| full.starts_with(memory)) {
                    return refuse(format!("it publishes '{path}' besides the memory"));
                }
            }
        }
        for place in ground.memory_dir().into_iter().chain(view) {
            let shared = top.join(".segue");
            if !lies_in(place, top) || lies_in(place, &shared) || place.starts_with(&shared) {
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
    !up && real.join(rest).starts_with(dir)
}

/// The directory above agent-handover's, if the file lies in one.
fn above_peer_dir(path: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(path).ok()?;
    let dir = real.parent()?;
    (dir.file_name()? == PEER_DIR).then(|| dir.parent().map(Path::to_owned)).flatten()
}
