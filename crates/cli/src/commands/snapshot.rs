use std::io::{self, Read};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use segue_lib::agents::find_agent;
use segue_lib::hook::Payload;
use segue_lib::sessions::SessionRef;
use segue_lib::snapshot::SnapshotRequest;
use segue_lib::{Segue, ago, parse_span};
use serde::Serialize;

use crate::ask::{Asked, ask};
use crate::error::CommandError;
use crate::json::{SavedJson, pretty};
use crate::ui::Ui;

/// Save a handoff from what can be seen: the session, git's state, HANDOFF.md
///
/// Out of the transcript that the agent keeps come the requests, what the user forbade, commands,
/// checks, files and what is still open. The handoff then has the time and place of that session.
/// Without a session it has what git shows: the branch, recent commits and uncommitted changes.
/// What was written into HANDOFF.md goes into the handoff and stays in the file; only the
/// block between its marks is made anew. Prints the short id.
///
/// Where nothing is new since the last snapshot of the directory, nothing is saved, HANDOFF.md stays as it is, and the
/// id is that snapshot's. New is another --mode, a change of SOUL.md, MEMORY.md or HANDOFF.md (outside the block),
/// another turn of the session, and any change of the tree.
///
/// With --ask the session's own agent is asked for the handoff first, by its own command and with one call
/// of its model: 'segue snapshot --ask --session 5e55' shows the command, for example 'claude -p --resume
/// 5e55… --no-session-persistence …', and runs it after a yes. Its answer comes first in the handoff, and
/// what it leaves out is added from the transcript. If it does not answer, the snapshot is saved without it.
#[derive(Args, Debug)]
pub(crate) struct SnapshotArgs {
    /// The directory [default: the current one]
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// What kind of work it was
    #[arg(long, default_value = "build")]
    mode: String,
    /// The session: an agent, a transcript, none, or - for a hook's payload on standard input [default: the one that goes on here, or the newest]
    #[arg(long, value_name = "AGENT|FILE|none|-", conflicts_with = "session")]
    from: Option<String>,
    /// The session of this id
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Ask the session's agent for a handoff in its own words (six sections, at most 350 words)
    #[arg(long, conflicts_with = "from")]
    ask: bool,
    /// With --ask: run the agent's command without asking you
    #[arg(long, short, requires = "ask")]
    yes: bool,
    /// With --ask: how long the agent may take, such as 90s or 5m; then it is ended
    #[arg(long, value_name = "SPAN", default_value = "120s", requires = "ask")]
    timeout: String,
    /// Print the whole document instead of the id
    #[arg(long, conflicts_with = "json")]
    stdout: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

/// The longest time that an agent can be given.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(3_600);

impl SnapshotArgs {
    fn limit(&self) -> Result<Duration, CommandError> {
        let limit = parse_span(self.timeout.trim()).ok();
        limit.filter(|limit| *limit <= LONGEST_TIMEOUT).ok_or_else(|| {
            CommandError::usage(format!("'{}' is no time limit", self.timeout))
                .hinted("a span of at most an hour, such as 90s or 5m")
        })
    }

    fn wanted(&self, ui: &Ui) -> Result<SessionRef, CommandError> {
        if let Some(id) = &self.session {
            return Ok(SessionRef::Id(id.clone()));
        }
        Ok(match self.from.as_deref() {
            None => SessionRef::Current,
            Some("none") => SessionRef::None,
            Some("-") => SessionRef::Payload(told()?),
            Some(word) => match find_agent(word) {
                Some(agent) => SessionRef::Agent(agent.slug.to_owned()),
                None => SessionRef::File {
                    path: PathBuf::from(word),
                    session: None,
                    by: super::speaker(None, ui),
                },
            },
        })
    }
}

/// The longest payload of a hook.
const LONGEST_PAYLOAD: u64 = 16 << 20;

/// What a hook was told.
fn told() -> Result<Payload, CommandError> {
    let mut told = Vec::new();
    io::stdin().take(LONGEST_PAYLOAD).read_to_end(&mut told)?;
    Payload::read(&String::from_utf8_lossy(&told)).ok_or_else(|| {
        CommandError::input("what came on standard input is no payload of a hook")
            .hinted("it is an object with 'session_id' or 'transcript_path'")
    })
}

#[derive(Serialize)]
struct SnapshotJson<'a> {
    #[serde(flatten)]
    saved: SavedJson<'a>,
    /// Whether it was saved just now.
    new: bool,
    /// What was captured; null if nothing was new.
    summary: Option<String>,
    handoff_file: Option<String>,
    document: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<Asked>,
}

pub(crate) fn run(args: &SnapshotArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let (tool, session) = super::agent(None, None);
    let mut request = SnapshotRequest::default();
    request.mode = Some(args.mode.clone()).filter(|mode| !mode.trim().is_empty());
    request.tool = tool;
    request.session = session;
    request.from = args.wanted(ui)?;
    let limit = args.limit()?;
    let asked = match args.ask {
        true => Some(ask(segue, &mut request, limit, args.yes, ui)?),
        false => None,
    };
    let outcome = segue.snapshots().take(&request)?;
    for warning in &outcome.warnings {
        ui.warning(warning);
    }
    let head = &outcome.snapshot.handoff.head;
    let id = head.id.short();
    match &outcome.captured {
        // An object says it by itself.
        Some(_) if args.json => {}
        Some(captured) => ui.note(&format!("Saved {id}: {captured}")),
        None => ui.note(&format!(
            "Nothing new since {id} ({}); nothing saved.",
            ago(head.written(), segue.env().now())
        )),
    }
    if args.json {
        return Ok(ui.line(&pretty(&SnapshotJson {
            saved: SavedJson::new(&outcome.snapshot),
            new: outcome.is_new(),
            summary: outcome.captured.as_ref().map(ToString::to_string),
            handoff_file: outcome.handoff_file.as_ref().map(|path| path.display().to_string()),
            document: &outcome.document,
            asked,
        }))?);
    }
    if args.stdout {
        return Ok(ui.stored(&outcome.document)?);
    }
    ui.line(id)?;
    match &outcome.handoff_file {
        Some(path) if outcome.is_new() => ui.note(&format!(
            "Snapshot written to {} ({} lines, {} characters)",
            path.display(),
            outcome.document.lines().count(),
            outcome.document.chars().count()
        )),
        None if outcome.is_new() && ui.is_terminal() => {
            ui.note("There is no HANDOFF.md here to refresh ('segue init' makes one).");
        }
        _ => {}
    }
    Ok(())
}
