//! Continue: plans the start of another agent with the briefing. What starts it is a door's.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use segue_agents::{Agent, Launch, Place, Room, Word, marks, on_path};
use segue_core::{FIRST_LINE, FIRST_LINE_ELSEWHERE};
use segue_store::{Store, StoreError};

use super::launcher::Launcher;
use super::start_note::StartNote;
use crate::briefing::{Briefer, ResumeOutcome, ResumeRequest};
use crate::sessions::capture::places;
use crate::sharing::Provenance;
use crate::{ContinueProblem, Error};

/// So much of a prompt is an argument: a fifth of what Linux takes, and less than what `cmd.exe` does.
const ROOM: usize = if cfg!(windows) { 7_000 } else { 24 * 1024 };

/// Every system takes so much into a pipe before anybody reads it.
const IN_A_PIPE: usize = if cfg!(windows) { 4 * 1024 } else { 16 * 1024 };

/// Parts of a briefing that tell nothing of a session.
const AROUND: [&str; 5] = ["orientation", "verify", "rechecked", "memory", "instructions"];

/// Which agent goes on, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContinueRequest {
    /// The agent.
    pub agent: &'static Agent,
    /// What the agent is briefed on.
    pub resume: ResumeRequest,
    /// One answer instead of a conversation.
    pub once: bool,
    /// What the agent is given besides.
    pub args: Vec<OsString>,
}

impl ContinueRequest {
    /// An agent goes on from the newest handoff, in a conversation.
    pub fn new(agent: &'static Agent) -> Self {
        let resume = ResumeRequest {
            target: Some(agent),
            check_limit: Duration::ZERO,
            from_inside: true,
            ..ResumeRequest::default()
        };
        Self { agent, resume, once: false, args: Vec::new() }
    }
}

/// An agent that is to be started.
#[derive(Debug)]
#[non_exhaustive]
pub struct ContinuePlan {
    /// The agent.
    pub agent: &'static Agent,
    /// The briefing and what it was made from.
    pub briefed: ResumeOutcome,
    /// The agent's program.
    pub program: PathBuf,
    /// What it is called with.
    pub words: Vec<Word>,
    /// The briefing behind a line that says what it is.
    pub prompt: String,
    /// That line.
    pub first_line: &'static str,
    /// Where the agent gets that.
    pub place: Place,
    /// The file that it is written into, if that is the place.
    pub file: PathBuf,
    /// Variables of the session that we are in, which is not the agent's.
    pub unset: Vec<&'static str>,
}

impl ContinuePlan {
    /// The id of the handoff that the agent goes on from; empty if there is none in the store.
    pub fn handoff_id(&self) -> &str {
        self.briefed.handoff.as_ref().map_or("", |(handoff, _)| handoff.head.id.as_str())
    }
}

impl Launcher<'_> {
    /// Briefs another agent and says how it is to be started. Writes nothing.
    pub fn plan_continue(&self, request: &ContinueRequest) -> Result<ContinuePlan, Error> {
        let here = &self.here;
        let agent = request.agent;
        let launch = Launch::of(agent).filter(|launch| !launch.programs.is_empty());
        let launch = launch.ok_or(ContinueProblem::NoProgram(agent))?;
        let start = if request.once { &launch.once } else { &launch.talk };
        let start = start.as_ref().ok_or(ContinueProblem::NotSo { agent, once: request.once })?;
        let vars = here.env.vars;
        let places = places(here.env);
        let found = launch.programs.iter().find_map(|name| on_path(&places, name));
        let missing = ContinueProblem::NotInstalled { agent, programs: launch.programs };
        let program = found.ok_or(missing)?;
        let briefed = Briefer::of(here).resume(&request.resume, None)?;
        if !tells_of_work(&briefed) {
            return Err(ContinueProblem::Nothing.into());
        }
        let vouched = |from: &Provenance| matches!(from, Provenance::Signed { trusted: true, .. });
        let first_line = match briefed.provenance.as_ref().is_none_or(vouched) {
            true => FIRST_LINE,
            false => FIRST_LINE_ELSEWHERE,
        };
        let prompt = format!("{first_line}\n\n{}", briefed.briefing.text);
        let room = Room { bytes: ROOM, one_line: is_batch(&program) };
        let name = format!("{}-{:08x}", here.now().compact(), here.env.random());
        let file = here.store.briefing_file(&name);
        let given = launch.give(start, &prompt, room, &file);
        let mut words = given.words;
        words.extend(request.args.iter().cloned().map(Word::Plain));
        let unset = marks().filter(|name| vars(name).is_some()).collect();
        let place = given.place;
        Ok(ContinuePlan { agent, briefed, program, words, prompt, first_line, place, file, unset })
    }

    /// Puts the prompt where the agent gets it from, which is its standard input if there is a file. What its hook has
    /// to know is noted, where that does not see the variables that say so.
    pub fn lay_out(&self, plan: &ContinuePlan) -> Result<Option<Stdio>, Error> {
        let store = self.here.store;
        // An agent whose hook does not hear of it gets the briefing twice, which is no reason not to start it.
        let _ = StartNote::put(&self.here, plan.agent, plan.handoff_id());
        store.sweep_briefings();
        let input = match plan.place {
            Place::Argument => None,
            Place::File => {
                store.write_briefing(&plan.file, &plan.prompt)?;
                None
            }
            Place::Input => {
                let spooled = spooled(store, &plan.prompt).map(Stdio::from);
                // A store that cannot be written to can still be continued from.
                Some(spooled.or_else(|error| in_a_pipe(&plan.prompt).ok_or(error))?)
            }
        };
        // Whoever starts the agent is there as long as it is, or is replaced by it.
        store.close();
        Ok(input)
    }
}

/// The input of an agent as a file that nobody else sees.
fn spooled(store: &Store, prompt: &str) -> Result<File, Error> {
    let mut spool = store.spool()?;
    let written = spool.write_all(prompt.as_bytes()).and_then(|()| spool.rewind());
    let path = store.layout().home().to_owned();
    written.map_err(|source| StoreError::Io { what: "write into", path, source })?;
    Ok(spool)
}

/// The input of an agent as a pipe that has all of it already, if it has room for that.
fn in_a_pipe(prompt: &str) -> Option<Stdio> {
    if prompt.len() > IN_A_PIPE {
        return None;
    }
    let (reader, mut writer) = std::io::pipe().ok()?;
    writer.write_all(prompt.as_bytes()).ok()?;
    Some(reader.into())
}

/// Whether a program is a batch file, which takes no argument of several lines.
fn is_batch(program: &Path) -> bool {
    let ending = program.extension().and_then(OsStr::to_str).unwrap_or_default();
    cfg!(windows) && ["bat", "cmd"].iter().any(|batch| ending.eq_ignore_ascii_case(batch))
}

fn tells_of_work(briefed: &ResumeOutcome) -> bool {
    let parts = &briefed.briefing.parts;
    briefed.handoff.is_some()
        || briefed.session.is_some()
        || parts.iter().any(|part| !AROUND.contains(&part.key))
}
