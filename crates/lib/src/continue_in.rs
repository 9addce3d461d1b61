//! Continue: plans the start of another agent with the briefing. What starts it is a door's.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

use segue_agents::{Agent, Launch, Place, Room, Word, marks, on_path};
use segue_core::FIRST_LINE;
use segue_store::StoreError;

use crate::{Error, Kind, ResumeOutcome, ResumeRequest, Segue};

/// So much of a prompt is an argument: a fifth of what Linux takes, and less than what `cmd.exe` does.
const ROOM: usize = if cfg!(windows) { 7_000 } else { 24 * 1024 };

/// Parts of a briefing that tell nothing of a session.
const AROUND: [&str; 5] = ["orientation", "verify", "rechecked", "memory", "instructions"];

/// Which agent goes on, and how.
#[derive(Clone, Debug)]
pub struct ContinueRequest {
    /// The agent.
    pub agent: &'static Agent,
    /// What to be briefed on; its target is the agent.
    pub resume: ResumeRequest,
    /// One answer instead of a conversation.
    pub once: bool,
    /// What the agent is given besides.
    pub args: Vec<OsString>,
}

/// An agent that is to be started.
#[derive(Debug)]
pub struct ContinuePlan {
    /// The briefing and what it was made from.
    pub briefed: ResumeOutcome,
    /// The agent's program.
    pub program: PathBuf,
    /// What it is called with.
    pub words: Vec<Word>,
    /// The briefing behind a line that says what it is.
    pub prompt: String,
    /// Where the agent gets that.
    pub place: Place,
    /// The file that it is written into, if that is the place.
    pub file: PathBuf,
    /// Variables of the session that we are in, which is not the agent's.
    pub unset: Vec<&'static str>,
}

/// Why no agent can be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContinueProblem {
    /// Neither a handoff nor a session.
    #[error("there is nothing to continue here: no handoff and no session of an agent")]
    Nothing,
    /// It has no program of its own.
    #[error("{} is not started from a command line", .0.title)]
    NoProgram(&'static Agent),
    /// It cannot begin a conversation with a prompt, or answer just one.
    #[error("{} cannot be started with a first prompt {}", .agent.title, if *.once { "and end after its answer" } else { "and go on from there" })]
    NotSo {
        /// The agent.
        agent: &'static Agent,
        /// What was asked for.
        once: bool,
    },
    /// Its program is not there.
    #[error("{} is not installed: no program '{}' is on the PATH", .agent.title, .programs.join("' or '"))]
    NotInstalled {
        /// The agent.
        agent: &'static Agent,
        /// What its program is called.
        programs: &'static [&'static str],
    },
}

impl ContinueProblem {
    /// What kind of failure it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Nothing | Self::NotInstalled { .. } => Kind::NotFound,
            Self::NoProgram(_) | Self::NotSo { .. } => Kind::Usage,
        }
    }
}

impl Segue {
    /// Briefs another agent and says how it is to be started. Writes nothing.
    pub fn plan_continue(&self, request: &ContinueRequest) -> Result<ContinuePlan, Error> {
        let agent = request.agent;
        let launch = Launch::of(agent).filter(|launch| !launch.programs.is_empty());
        let launch = launch.ok_or(ContinueProblem::NoProgram(agent))?;
        let start = if request.once { &launch.once } else { &launch.talk };
        let start = start.as_ref().ok_or(ContinueProblem::NotSo { agent, once: request.once })?;
        let vars = self.env.vars;
        let places = self.places();
        let found = launch.programs.iter().find_map(|name| on_path(&places, name));
        let missing = ContinueProblem::NotInstalled { agent, programs: launch.programs };
        let program = found.ok_or(missing)?;
        let briefed = self.resume(&request.resume, None)?;
        if !tells_of_work(&briefed) {
            return Err(ContinueProblem::Nothing.into());
        }
        let prompt = format!("{FIRST_LINE}\n\n{}", briefed.briefing.text);
        let room = Room { bytes: ROOM, one_line: is_batch(&program) };
        let name = format!("{}-{:08x}", self.env.now().compact(), self.env.random());
        let file = self.store.briefing_file(&name);
        let given = launch.give(start, &prompt, room, &file);
        let mut words = given.words;
        words.extend(request.args.iter().cloned().map(Word::Plain));
        let unset = marks().filter(|name| vars(name).is_some()).collect();
        Ok(ContinuePlan { briefed, program, words, prompt, place: given.place, file, unset })
    }

    /// Puts the prompt where the agent gets it from, which is its standard input if there is a file.
    pub fn lay_out(&self, plan: &ContinuePlan) -> Result<Option<File>, Error> {
        self.store.sweep_briefings();
        let input = match plan.place {
            Place::Argument => None,
            Place::File => {
                self.store.write_briefing(&plan.file, &plan.prompt)?;
                None
            }
            Place::Input => {
                let mut spool = self.store.spool()?;
                spool.write_all(plan.prompt.as_bytes()).and_then(|()| spool.rewind()).map_err(
                    |source| StoreError::Io {
                        what: "write into",
                        path: self.env.home.clone(),
                        source,
                    },
                )?;
                Some(spool)
            }
        };
        // Whoever starts the agent is there as long as it is, or is replaced by it.
        self.store.close();
        Ok(input)
    }
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
