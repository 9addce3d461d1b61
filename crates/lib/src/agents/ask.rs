//! Ask: the agent of a session is asked, in that session and by its own command, for a handoff in its
//! own words. Nothing is run before the user agreed to the command.

use std::path::PathBuf;
use std::time::Duration;

use segue_agents::{Agent, Launch, find, marks, on_path};
use segue_core::{Redactor, UnusableAnswer, ask_for_words, visible_line, words_of_answer};
use segue_share::command::{Answered, CommandRun, Ended, run_answering};

use super::launcher::Launcher;
use crate::redacted::clean;
use crate::sessions::Captured;
use crate::sessions::capture::places;
use crate::snapshot::{SnapshotRequest, Snapshots};
use crate::{Env, Error};

/// Set for an agent that is asked: its hooks neither brief it nor keep what it says.
pub const ASKED: &str = "SEGUE_ASKED";

/// Bytes of an answer. A handoff of 350 words has a tenth of them.
const LONGEST_ANSWER: usize = 32 * 1024;

/// Characters of an error message that are shown.
const SHOWN: usize = 200;

/// The session that is to be asked, and how.
#[derive(Debug)]
#[non_exhaustive]
pub struct AskPlan {
    /// The agent.
    pub agent: &'static Agent,
    /// Its program, and what it is called with.
    pub command: Vec<String>,
    /// The directory of the session.
    pub dir: PathBuf,
    /// Variables of the session that we are in, which is not the one that is asked.
    pub unset: Vec<&'static str>,
}

/// A session that was looked for so that it can be asked.
#[derive(Debug)]
#[non_exhaustive]
pub struct AskableSession {
    /// The session as it was before anybody asked it.
    pub captured: Option<Captured>,
    /// How it is asked, or why it cannot be.
    pub plan: Result<AskPlan, AskProblem>,
    /// What did not go as it should.
    pub warnings: Vec<String>,
}

/// Why no session can be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskProblem {
    /// There is none.
    #[error("there is no session here to ask")]
    NoSession,
    /// Segue runs inside of it.
    #[error("this is the session itself; 'segue save' takes its own words")]
    OwnSession,
    /// The agent has no command for it.
    #[error("{0} has no command that asks the session {1} without a terminal")]
    NoCommand(&'static str, String),
    /// The agent is not installed.
    #[error("{} is not installed: no program '{}' is on the PATH", .0.title, .1.join("' or '"))]
    NotInstalled(&'static Agent, &'static [&'static str]),
    /// The session's directory is gone.
    #[error("its directory {} is not there any more", .0.display())]
    NoDirectory(PathBuf),
}

/// Why an agent that was asked gave no handoff.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskFailure {
    /// Its program did not start.
    #[error("it could not be started: {0}")]
    NotStarted(String),
    /// It ended with an error.
    #[error("it ended with exit code {code}{}", said(.line))]
    Exit {
        /// The code.
        code: i32,
        /// The last line that it printed.
        line: String,
    },
    /// A signal ended it.
    #[error("a signal ended it")]
    Killed,
    /// It took too long.
    #[error("it had not answered after {} s and was ended", .0.as_secs())]
    TimedOut(Duration),
    /// The user did not want to wait any more.
    #[error("it was interrupted")]
    Interrupted,
    /// Its answer is no handoff.
    #[error("{0}")]
    Unusable(#[from] UnusableAnswer),
    /// Its answer is far too long.
    #[error("its answer has more than {} KiB", LONGEST_ANSWER / 1024)]
    TooLong,
}

fn said(line: &str) -> String {
    if line.is_empty() { String::new() } else { format!(": {line}") }
}

impl Launcher<'_> {
    /// Finds the session of a snapshot and says how its agent is asked. Runs nothing.
    pub fn plan_ask(&self, request: &SnapshotRequest) -> Result<AskableSession, Error> {
        let mut warnings = Vec::new();
        let captured = Snapshots::of(&self.here).session_for(request, &mut warnings)?;
        let plan = match &captured {
            Some(captured) => plan_for(self.here.env, captured, request.session.as_deref()),
            None => Err(AskProblem::NoSession),
        };
        Ok(AskableSession { captured, plan, warnings })
    }

    /// Asks. The agent and whatever it started are ended at the limit.
    pub fn ask(
        &self,
        plan: &AskPlan,
        limit: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<String, AskFailure> {
        // Nothing of ours is open while somebody else works.
        self.here.store.close();
        let answered = run_answering(&CommandRun {
            words: &plan.command,
            dir: &plan.dir,
            env: &[(ASKED, plan.agent.slug)],
            unset: &plan.unset,
            stdin: b"",
            limit,
            stop,
        });
        let Answered { ended, stdout, stderr } = answered;
        match ended {
            Ended::Exit(0) if stdout.len() > LONGEST_ANSWER => Err(AskFailure::TooLong),
            Ended::Exit(0) => Ok(words_of_answer(&String::from_utf8_lossy(&stdout))?),
            Ended::Exit(code) => {
                let line = last_line(&self.here.redactor_out(), &stdout, &stderr);
                Err(AskFailure::Exit { code, line })
            }
            Ended::Killed => Err(AskFailure::Killed),
            Ended::TimedOut => Err(AskFailure::TimedOut(limit)),
            Ended::Stopped => Err(AskFailure::Interrupted),
            Ended::NotStarted(why) => Err(AskFailure::NotStarted(why)),
        }
    }
}

/// How the agent of a session is asked; it cannot be from inside of that session.
fn plan_for(env: &Env, captured: &Captured, inside: Option<&str>) -> Result<AskPlan, AskProblem> {
    let id = captured.id();
    if inside.is_some_and(|inside| [id, &captured.seen.id].contains(&inside)) {
        return Err(AskProblem::OwnSession);
    }
    let no_command = |title| AskProblem::NoCommand(title, id.to_owned());
    let agent = find(captured.seen.agent).ok_or_else(|| no_command(captured.seen.agent))?;
    let launch = Launch::of(agent).ok_or_else(|| no_command(agent.title))?;
    let words = launch.resume_words(id, &ask_for_words());
    let words = words.ok_or_else(|| no_command(agent.title))?;
    let places = places(env);
    let program = launch.programs.iter().find_map(|name| on_path(&places, name));
    let program = program.ok_or(AskProblem::NotInstalled(agent, launch.programs))?;
    // Agents look for their sessions where those began.
    let dir = captured.session.began_in.as_ref().map(PathBuf::from);
    let dir = dir.unwrap_or_else(|| env.dir.clone());
    if !dir.is_dir() {
        return Err(AskProblem::NoDirectory(dir));
    }
    let command = std::iter::once(program.to_string_lossy().into_owned()).chain(words);
    let vars = env.vars;
    let unset = marks().filter(|name| vars(name).is_some()).collect();
    Ok(AskPlan { agent, command: command.collect(), dir, unset })
}

/// The last line that a program printed: of its errors, else of its output.
fn last_line(redactor: &Redactor, stdout: &[u8], stderr: &[u8]) -> String {
    let last = |bytes: &[u8]| {
        // Before it is cut: a secret is known by its end, too, and by what stands above it.
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        clean(redactor, &mut text);
        let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
        line.map(|line| line.chars().take(SHOWN).collect::<String>())
    };
    let line = last(stderr).or_else(|| last(stdout)).unwrap_or_default();
    visible_line(&line).into_owned()
}
