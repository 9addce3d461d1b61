//! What the declared steps of a run stand on, and what each of them does.

use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};

use segue_core::run::{Input, RunFacts, RunHead};
use segue_core::{HandoffId, Tag, Timestamp, Ttl};
use segue_share::git::Repo;

use super::StepRun;
use super::memory::{Memory, known_memory};
use super::plan::{COMMAND_LIMIT, Plan, PublishTo, StepDone, StepFailure, StepKind, When};
use super::publish::{Null, Publish, publisher};
use super::publish_remote::PublishRemote;
use crate::Error;
use crate::handoffs::{Fixed, Handoffs, SaveRequest, ahead_of_clock};
use crate::here::{GitStateAnswer, Here};
use crate::maintenance::CompactRequest;
use crate::maintenance::compact::Compaction;
use crate::sessions::SessionRef;
use crate::snapshot::{SnapshotRequest, Snapshots};

/// Where a run happens.
#[derive(Debug)]
pub(crate) struct Ground<'a> {
    here: Here<'a>,
    /// The top of the work tree, else the directory.
    pub(crate) root: PathBuf,
    pub(crate) repo: Option<Repo>,
    /// The directory of a memory that is not this project's own in the store.
    memory_dir: Option<PathBuf>,
    tag: Option<String>,
    memory: OnceCell<Memory<'a>>,
    /// What git said in this process.
    asked: RefCell<Option<GitStateAnswer>>,
    /// Inputs whose handoff was written in this process.
    written: RefCell<Vec<String>>,
    warnings: RefCell<Vec<String>>,
    /// Whether only a repository that is not trusted says where to publish.
    needs_trust: Cell<bool>,
}

impl<'a> Ground<'a> {
    /// The current directory, with its own memory.
    pub(crate) fn of(here: &Here<'a>) -> Result<Self, Error> {
        let dir = here.directory()?;
        let repo = here.repo().cloned();
        let root = here.claimed_repo().map_or(dir, |repo| &repo.top).to_owned();
        Ok(Self {
            here: here.clone(),
            root,
            repo,
            memory_dir: None,
            tag: None,
            memory: OnceCell::new(),
            asked: RefCell::default(),
            written: RefCell::default(),
            warnings: RefCell::default(),
            needs_trust: Cell::default(),
        })
    }

    pub(crate) fn with_memory(self, memory_dir: Option<PathBuf>) -> Self {
        Self { memory_dir, ..self }
    }

    pub(crate) fn with_tag(self, tag: Option<String>) -> Self {
        Self { tag, ..self }
    }

    pub(crate) fn warn(&self, warnings: impl IntoIterator<Item = String>) {
        let mut known = self.warnings.borrow_mut();
        for warning in warnings {
            if !known.contains(&warning) {
                known.push(warning);
            }
        }
    }

    pub(crate) fn needs_trust(&self) -> bool {
        self.needs_trust.get()
    }

    pub(crate) fn take_warnings(&self) -> Vec<String> {
        self.warnings.take()
    }

    /// The memory that the run writes to.
    pub(crate) fn memory(&self) -> Result<&Memory<'a>, Error> {
        if self.memory.get().is_none() {
            let memory = match &self.memory_dir {
                Some(dir) => Memory::at(&self.here, dir),
                None => Memory::own(&self.here),
            };
            return Ok(self.memory.get_or_init(|| memory));
        }
        self.memory.get().ok_or_else(|| Error::Internal("there is no memory".to_owned()))
    }

    /// The memory's directory; the store's home if it is not known yet which it will be.
    pub(crate) fn memory_place(&self) -> Result<PathBuf, Error> {
        match &self.memory_dir {
            Some(dir) => Ok(super::plain_path::plain(dir)),
            None => known_memory(&self.here),
        }
    }

    pub(crate) fn memory_dir(&self) -> Option<&Path> {
        self.memory_dir.as_deref()
    }

    /// Whether what lies in the memory is not briefed from: then the project's own gets a copy of
    /// what the run writes.
    fn is_foreign(&self) -> Result<bool, Error> {
        match &self.memory_dir {
            Some(_) => self.memory()?.is_foreign(),
            None => Ok(false),
        }
    }

    /// Gives each input the id and the moment that its handoff will have.
    pub(crate) fn fix(&self, inputs: &mut [Input]) -> Result<(), Error> {
        if inputs.is_empty() {
            return Ok(());
        }
        let drawn = self.memory()?.draw(inputs.len())?;
        self.warn(drawn.ahead.map(ahead_of_clock));
        // One that was fixed before keeps what it has: it may have been written.
        let unfixed = inputs.iter_mut().filter(|input| input.id.is_none());
        for (input, (id, created)) in unfixed.zip(drawn.ids) {
            input.id = Some(id.to_string());
            input.created = Some(created.to_string());
        }
        Ok(())
    }

    /// What a new run fixes before its first step.
    pub(crate) fn begin(&self, plan: &Plan<'_>, head: &mut RunHead) {
        let collects = plan.steps.iter().any(|step| step.kind() == Some(&StepKind::Collect));
        if !collects && plan.takes_inputs() && !head.inputs.is_empty() {
            // agent-handover's plans have no such step; the facts belong to the note all the same.
            self.collect(head);
        }
    }

    fn collect(&self, head: &mut RunHead) -> Option<String> {
        let repo = self.repo.as_ref()?;
        // Asked anew each time: the steps of a run change the tree.
        let here = self.here.afresh();
        let asked = here.git_answers().state(here.dir(), repo);
        let said = match asked.status.as_ref() {
            Ok(status) => {
                head.facts = Some(asked.facts());
                let branch = status.branch.as_deref().unwrap_or("no branch");
                let changed = status.entries.len() + status.more;
                Some(format!("on {branch}, {changed} changed files"))
            }
            Err(error) => {
                self.warn([format!("git gave no answer: {error}")]);
                Some(format!("git gave no answer: {error}"))
            }
        };
        *self.asked.borrow_mut() = Some(asked);
        said
    }

    /// Why a step is not done now; `None` if it is.
    pub(crate) fn unmet(
        &self,
        when: &When,
        head: &RunHead,
        failed: bool,
        kind: Option<&StepKind>,
    ) -> Result<Option<String>, StepFailure> {
        let unless = |met: bool, why: &str| Ok((!met).then(|| why.to_owned()));
        let inputs = &head.inputs;
        match when {
            When::Always => Ok(None),
            When::Note => {
                unless(inputs.iter().any(|input| input.note.is_some()), "there is no note")
            }
            When::State => {
                unless(inputs.iter().any(|input| input.state.is_some()), "there is no state")
            }
            When::Success => unless(!failed, "a step before has failed"),
            When::Failure => unless(failed, "no step before has failed"),
            When::Changes => unless(self.has_changes()?, "nothing in the work tree has changed"),
            When::Branch(name) => {
                let branch = self.repo.as_ref().and_then(Repo::branch);
                unless(branch.as_deref() == Some(name), &format!("this is not the branch '{name}'"))
            }
            When::Remote => {
                let to = match kind {
                    Some(StepKind::Publish(to) | StepKind::Push(to)) => to.clone(),
                    _ => PublishTo::default(),
                };
                self.no_remote(&to).map_err(StepFailure::from)
            }
        }
    }

    fn has_changes(&self) -> Result<bool, StepFailure> {
        let asked = self.asked.borrow();
        let status = asked.as_ref().and_then(|asked| asked.status.as_ref().as_ref().ok());
        match (status, &self.repo) {
            (Some(status), _) => Ok(!status.entries.is_empty()),
            (None, Some(repo)) => {
                let status = self.here.afresh().git().status(&self.root, repo)?;
                Ok(!status.entries.is_empty())
            }
            (None, None) => Ok(false),
        }
    }

    /// Why there is no remote: neither the step names one, nor is one set for this repository.
    fn no_remote(&self, to: &PublishTo) -> Result<Option<String>, Error> {
        let set = match (&to.remote, self.here.claimed_repo()) {
            (Some(_), _) => return Ok(None),
            (None, Some(repo)) => PublishRemote::of(&self.here.afresh(), repo)?,
            (None, None) => PublishRemote::Unset,
        };
        let why = match set {
            PublishRemote::Set { .. } => return Ok(None),
            PublishRemote::Unset => "no remote is set",
            PublishRemote::Untrusted => {
                self.needs_trust.set(true);
                "the configuration of this repository says where to publish, and it is not trusted; \
                 'segue trust' lets it count"
            }
        };
        Ok(Some(why.to_owned()))
    }

    /// Does a declared step.
    pub(crate) fn act(
        &self,
        kind: &StepKind,
        step: &StepRun<'_>,
        head: &mut RunHead,
    ) -> Result<StepDone, StepFailure> {
        if matches!(kind, StepKind::Command { .. } | StepKind::Publish(_) | StepKind::Push(_)) {
            // It may take long, and nobody shall wait for the index meanwhile.
            self.here.store.close();
        }
        let said = match kind {
            StepKind::Collect => self.collect(head),
            StepKind::Note => self.hand_over(head)?,
            StepKind::State => self.state(head)?,
            StepKind::Snapshot => self.snapshot(step, head)?,
            StepKind::Compact { older_than } => self.compact(*older_than)?,
            StepKind::Publish(to) => {
                return self.told(self.publisher(to)?.publish(step, &message(to)));
            }
            StepKind::Push(to) => return self.told(self.publisher(to)?.push(step)),
            StepKind::Command { words } => return self.command(words, step, head),
        };
        Ok(StepDone { said, output: None })
    }

    /// What a publication has to say besides is for the user, at once.
    fn told(&self, done: Result<StepDone, StepFailure>) -> Result<StepDone, StepFailure> {
        if let Ok(StepDone { output: Some(notes), .. }) = &done {
            self.warn(notes.lines().map(str::to_owned));
        }
        done
    }

    /// Writes the handoff of every input.
    fn hand_over(&self, head: &RunHead) -> Result<Option<String>, Error> {
        let mut ids = Vec::new();
        for input in &head.inputs {
            ids.push(self.write_note(input, head.facts.as_ref())?.short().to_owned());
        }
        Ok((!ids.is_empty()).then(|| ids.join(", ")))
    }

    fn write_note(&self, input: &Input, facts: Option<&RunFacts>) -> Result<HandoffId, Error> {
        let fixed = self.fixed(input)?;
        let id = fixed.id.clone();
        if self.written.borrow().contains(&input.key) {
            return Ok(id);
        }
        let tags: Vec<Tag> = self.tag.iter().map(|tag| tag.parse()).collect::<Result<_, _>>()?;
        let request = SaveRequest {
            body: body(input),
            tags,
            ttl: Ttl::Never,
            tool: input.tool.clone(),
            session: input.session.clone(),
            ..SaveRequest::default()
        };
        let asked = self.asked.borrow_mut().take();
        let asked = asked.or_else(|| facts.map(GitStateAnswer::from_facts));
        let saved =
            Handoffs::of(&self.here.afresh()).write(&request, asked.as_ref(), None, Some(&fixed));
        *self.asked.borrow_mut() = asked;
        self.warn(saved?.warnings);
        self.written.borrow_mut().push(input.key.clone());
        Ok(id)
    }

    fn fixed(&self, input: &Input) -> Result<Fixed, Error> {
        let damaged = || Error::Internal(format!("the input {} has no id", input.key));
        let id = input.id.as_deref().and_then(|id| id.parse().ok()).ok_or_else(damaged)?;
        let created: Option<Timestamp> = input.created.as_deref().and_then(|at| at.parse().ok());
        let memory = match &self.memory_dir {
            Some(_) => Some(self.memory()?.id()?.clone()),
            None => None,
        };
        let copy = self.is_foreign()?;
        Ok(Fixed { id, created: created.ok_or_else(damaged)?, memory, copy })
    }

    /// Makes layer 2 be about the last input, or the newest handoff if that is newer.
    fn state(&self, head: &RunHead) -> Result<Option<String>, Error> {
        for input in &head.inputs {
            // A plan without a note hands over its state all the same.
            self.write_note(input, head.facts.as_ref())?;
        }
        let about = self.memory()?.refresh_state()?;
        Ok(about.map(|id| id.short().to_owned()))
    }

    fn snapshot(&self, step: &StepRun<'_>, head: &RunHead) -> Result<Option<String>, Error> {
        let memory = match &self.memory_dir {
            Some(_) => Some(self.memory()?.id()?.clone()),
            None => None,
        };
        let copy = self.is_foreign()?;
        let fixed = Fixed { id: step.handoff_id(), created: step.began, memory, copy };
        let last = head.inputs.last();
        let outcome = Snapshots::of(&self.here.afresh()).take_as(
            &SnapshotRequest {
                tool: last.and_then(|input| input.tool.clone()),
                session: last.and_then(|input| input.session.clone()),
                from: SessionRef::Current,
                ..SnapshotRequest::default()
            },
            &fixed,
        )?;
        self.warn(outcome.warnings);
        self.memory()?.refresh_state()?;
        Ok(Some(outcome.snapshot.handoff.head.id.short().to_owned()))
    }

    fn compact(&self, older_than: u64) -> Result<Option<String>, StepFailure> {
        let memory = self.memory()?.id()?;
        let compaction = Compaction::of(&self.here);
        let request = CompactRequest::OlderThan(older_than);
        let plan = compaction.plan_of(memory, &request)?;
        let outcome = compaction.archive(&plan)?;
        if let Some(error) = outcome.failed.first() {
            return Err(Error::Usage(error.to_string()).into());
        }
        Ok(Some(format!("{} handoffs", outcome.archived)))
    }

    fn publisher(&self, to: &PublishTo) -> Result<Box<dyn Publish + 'a>, Error> {
        if to.nowhere {
            return Ok(Box::new(Null));
        }
        let tree = (self.root.as_path(), self.here.claimed_repo());
        publisher(&self.here, tree, self.memory()?, to)
    }

    fn command(
        &self,
        words: &[String],
        step: &StepRun<'_>,
        head: &RunHead,
    ) -> Result<StepDone, StepFailure> {
        let limit = step.timeout.unwrap_or(COMMAND_LIMIT);
        let stdin = self.handoff_json(head);
        super::command::run(words, &self.root, &stdin, step, limit)
    }

    /// The handoff that a command gets on its standard input: the run's last, else the newest.
    fn handoff_json(&self, head: &RunHead) -> String {
        let last = head.inputs.last().and_then(|input| input.id.as_deref());
        let last = last.and_then(|id| id.parse().ok());
        let handoff = self.memory().ok().and_then(|memory| memory.handoff(last.as_ref()));
        match (&handoff, head.inputs.last()) {
            (Some(handoff), _) => super::command::handoff_json(handoff),
            // Not written yet: what will be.
            (None, Some(input)) => super::command::input_json(input, &body(input)),
            (None, None) => "null".to_owned(),
        }
    }
}

fn message(to: &PublishTo) -> String {
    to.message.clone().unwrap_or_else(|| "handover: session".to_owned())
}

/// The body of an input's handoff: the note, then the state if it says something else.
fn body(input: &Input) -> String {
    let note = input.note.as_deref().unwrap_or("").trim_end();
    let state = input.state.as_deref().map(str::trim_end).filter(|state| *state != note);
    match state {
        None => format!("{note}\n"),
        Some(state) if note.is_empty() => format!("## Current State\n\n{state}\n"),
        Some(state) => format!("{note}\n\n## Current State\n\n{state}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_is_the_note_is_not_said_twice() {
        let input = |note: Option<&str>, state: Option<&str>| Input {
            note: note.map(str::to_owned),
            state: state.map(str::to_owned),
            ..Input::default()
        };
        assert_eq!(body(&input(Some("a\n"), Some("a"))), "a\n");
        assert_eq!(body(&input(Some("a"), None)), "a\n");
        assert_eq!(body(&input(Some("a"), Some("b"))), "a\n\n## Current State\n\nb\n");
        assert_eq!(body(&input(None, Some("b"))), "## Current State\n\nb\n");
    }
}
