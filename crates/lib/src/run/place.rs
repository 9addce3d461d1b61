//! Run: which plan, which memory, which checkpoint; then the engine works.

use std::path::{Path, PathBuf};

use segue_core::run::{Input, Opening, open_run};
use segue_core::{MAX_HANDOFF_BYTES, Tag};
use segue_store::{RunFiles, run_root};

use super::allow::{allow, allow_place};
use super::engine::{Engine, Orders};
use super::ground::Ground;
use super::ids::queue_key;
use super::inputs::drop_lost;
use super::outcome::RunOutcome;
use super::plain_path::plain;
use super::plan::{Plan, StepKind};
use super::plan_file::{Overrides, PlanFile};
use super::seen::Runs;
use super::target::{PEER_DIR, PEER_TAG, Target, other_plan};
use crate::Error;
use crate::here::{Brake, Paused};

/// What to run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
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
#[non_exhaustive]
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

impl<'s> Runs<'s> {
    /// Runs a plan: an interrupted run is finished first, then what is given is handed over.
    pub fn run(&self, request: &RunRequest) -> Result<RunOutcome, Error> {
        if let Some(dropped) = self.drop_lost(request)? {
            return Ok(dropped);
        }
        let Prepared { ground, plan, target, brake, orders, warnings } = self.prepare(request)?;
        let mut engine = Engine::on(&self.here, plan, target, brake, ground);
        let mut outcome = engine.run_with(&orders)?;
        outcome.warnings.splice(0..0, warnings);
        Ok(outcome)
    }

    /// What [`run`](Self::run) would do; writes nothing.
    pub fn plan(&self, request: &RunRequest) -> Result<RunPreview, Error> {
        let Prepared { ground, plan, target, brake, orders, mut warnings } =
            self.prepare(request)?;
        let files = target.known_files(&self.here)?;
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

    /// Drops the run of a plan whose file is gone. What waits for it goes to the standard plan.
    fn drop_lost(&self, request: &RunRequest) -> Result<Option<RunOutcome>, Error> {
        let Some(config) = request.config.as_deref().filter(|_| request.fresh) else {
            return Ok(None);
        };
        let ground = Ground::of(&self.here)?;
        let here = plain(&self.here.env.expand_from(&self.here.env.dir, config));
        let top = plain(&ground.root.join(config));
        if here.exists() || top.exists() {
            return Ok(None);
        }
        self.here.brake()?.check()?;
        let standard = Target { root: ground.root.clone(), plan: None, view: None, given: None };
        for path in [here, top] {
            let plan =
                path.strip_prefix(&ground.root).unwrap_or(&path).to_string_lossy().into_owned();
            let all = RunFiles::memories(&self.here.env.home, &run_root(&ground.root))?;
            for memory in all {
                for dir in RunFiles::of_memory(&memory, &|_| true)? {
                    let files = RunFiles::found(dir);
                    if files.belongs_to(&plan) {
                        return Ok(Some(drop_lost(&self.here, &files, &standard, &plan)?));
                    }
                }
            }
        }
        Ok(None)
    }

    fn prepare(&self, request: &RunRequest) -> Result<Prepared<'s>, Error> {
        let mut ground = Ground::of(&self.here)?;
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
        let mut brake = self.here.brake()?;
        if let Some(file) = &file {
            self.add_brakes(file, &ground.root, &mut brake);
        }
        let memory_dir = file.as_ref().and_then(PlanFile::memory_path);
        let memory_dir = memory_dir.map(|dir| self.here.env.expand_from(&ground.root, dir));
        let named = match (&request.checkpoint, file.as_ref().and_then(PlanFile::checkpoint_path)) {
            (Some(given), _) => Some(self.here.env.expand_from(&self.here.env.dir, given)),
            (None, Some(path)) => Some(self.here.env.expand_from(&ground.root, path)),
            (None, None) => None,
        };
        let view = named.map(|view| plain(&view));
        let tag = file.as_ref().and_then(|file| file.tag.clone());
        let tag = tag.or_else(|| peer.then(|| PEER_TAG.to_owned()));
        if let Some(tag) = &tag {
            tag.parse::<Tag>()?;
        }
        let ground = ground.with_memory(memory_dir).with_tag(tag);
        for place in view.as_deref().into_iter().chain(ground.memory_dir()) {
            allow_place(&self.here, place)?;
        }
        if let Some(file) = &file {
            allow(
                &self.here,
                file,
                &ground,
                view.as_deref().filter(|_| request.checkpoint.is_none()),
            )?;
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
            key: queue_key(self.here.env),
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
        let here = self.here.env.expand_from(&self.here.env.dir, path);
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
}

/// The directory above agent-handover's, if the file lies in one.
fn above_peer_dir(path: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(path).ok()?;
    let dir = real.parent()?;
    (dir.file_name()? == PEER_DIR).then(|| dir.parent().map(Path::to_owned)).flatten()
}
