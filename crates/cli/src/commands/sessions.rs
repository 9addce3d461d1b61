use clap::Args;
use segue_lib::{Segue, SessionSeen, visible_line};
use serde::Serialize;

use crate::error::CommandError;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// List the sessions that agents have had in this directory, newest first
///
/// Finds the transcripts that the agents themselves keep. 'segue snapshot' makes a handoff out of
/// the newest, 'segue extract' shows what one says.
#[derive(Args, Debug)]
pub(crate) struct SessionsArgs {
    /// Print an object
    #[arg(long)]
    json: bool,
    /// At most so many; 0 is all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

#[derive(Serialize)]
struct SessionsJson {
    schema: u32,
    sessions: Vec<SessionJson>,
    more: usize,
}

#[derive(Serialize)]
struct SessionJson {
    agent: &'static str,
    session: String,
    modified: String,
    size: u64,
    path: String,
    turns: u64,
    title: Option<String>,
}

pub(crate) fn run(args: &SessionsArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let mut seen = segue.sessions()?;
    let most = if args.limit == 0 { seen.len() } else { args.limit.min(seen.len()) };
    let more = seen.len() - most;
    seen.truncate(most);
    let sessions: Vec<SessionJson> = seen.into_iter().map(|seen| read(segue, seen, ui)).collect();
    if args.json {
        return Ok(ui.line(&pretty(&SessionsJson { schema: SCHEMA, sessions, more }))?);
    }
    if sessions.is_empty() {
        ui.note("no agent that is known has had a session in this directory");
        return Ok(());
    }
    ui.line("AGENT\tSESSION\tLAST\tTURNS\tABOUT")?;
    for one in sessions {
        let title = one.title.as_deref().map_or("-".into(), visible_line);
        ui.line(&format!(
            "{}\t{}\t{}\t{}\t{title}",
            one.agent, one.session, one.modified, one.turns
        ))?;
    }
    if more > 0 {
        ui.hint(&format!("{more} more; '--limit 0' lists all"));
    }
    Ok(())
}

fn read(segue: &Segue, seen: SessionSeen, ui: &mut Ui) -> SessionJson {
    let read = segue.read_session(seen.clone());
    if let Err(error) = &read {
        ui.warning(&error.to_string());
    }
    let session = read.ok().map(|read| read.session);
    SessionJson {
        agent: seen.agent,
        session: seen.id,
        modified: seen.modified.whole_second().short(),
        size: seen.size,
        path: seen.path.display().to_string(),
        turns: session.as_ref().map_or(0, |session| session.turns),
        title: session.map(|session| segue_lib::session_title(&session)),
    }
}
