use clap::Args;
use segue_lib::sessions::{SessionSeen, read_session};
use segue_lib::{Segue, Timestamp, age, visible_line};
use serde::Serialize;

use crate::error::CommandError;
use crate::json::{SCHEMA, pretty};
use crate::table::fit;
use crate::ui::{Role, Ui};

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
    #[serde(skip)]
    last: Timestamp,
}

pub(crate) fn run(args: &SessionsArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let mut seen = segue.sessions().all()?;
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
    if ui.is_terminal() {
        as_table(&sessions, segue, ui)?;
    } else {
        as_lines(&sessions, ui)?;
    }
    if more > 0 {
        ui.hint(&format!("{more} more; '--limit 0' lists all"));
    }
    Ok(())
}

fn as_lines(sessions: &[SessionJson], ui: &mut Ui) -> std::io::Result<()> {
    ui.line("AGENT\tSESSION\tLAST\tTURNS\tABOUT")?;
    for one in sessions {
        let (id, title) = (visible_line(&one.session), about(one));
        ui.line(&format!("{}\t{id}\t{}\t{}\t{title}", one.agent, one.modified, one.turns))?;
    }
    Ok(())
}

fn as_table(sessions: &[SessionJson], segue: &Segue, ui: &mut Ui) -> std::io::Result<()> {
    let widest = |cell: fn(&SessionJson) -> usize, least: usize| {
        sessions.iter().map(cell).max().unwrap_or(0).max(least)
    };
    let agent = widest(|one| one.agent.len(), "AGENT".len());
    let turns = widest(|one| one.turns.to_string().len(), "TURNS".len());
    let id = distinct(sessions);
    let now = segue.env().now();
    let rest = ui.width().saturating_sub(agent + turns + id + 4 + 8).max(12);
    let head = format!(
        "{}  {}   AGE  {:>turns$}  ABOUT",
        fit("SESSION", id),
        fit("AGENT", agent),
        "TURNS"
    );
    ui.line(&ui.paint(Role::Heading, &head))?;
    for one in sessions {
        let id = ui.paint(Role::Id, &fit(&visible_line(&one.session), id).replace('…', " "));
        let title = ui.paint(Role::Title, fit(&about(one), rest).trim_end());
        let age = age(one.last, now);
        ui.line(&format!(
            "{id}  {}  {age:>4}  {:>turns$}  {title}",
            fit(one.agent, agent),
            one.turns
        ))?;
    }
    Ok(())
}

fn about(one: &SessionJson) -> String {
    one.title.as_deref().map_or("-".into(), |title| visible_line(title).into_owned())
}

/// How much of an id tells the sessions apart.
fn distinct(sessions: &[SessionJson]) -> usize {
    let longest = sessions.iter().map(|one| one.session.chars().count()).max().unwrap_or(0);
    let apart = |length: &usize| {
        let mut short: Vec<String> =
            sessions.iter().map(|one| one.session.chars().take(*length).collect()).collect();
        short.sort();
        short.windows(2).all(|two| two[0] != two[1])
    };
    // One more, for the mark of what was cut.
    (8..longest).find(apart).map_or(longest, |length| length + 1).max("SESSION".len())
}

fn read(segue: &Segue, seen: SessionSeen, ui: &mut Ui) -> SessionJson {
    let read = read_session(seen.clone());
    if let Err(error) = &read {
        ui.warning(&error.to_string());
    }
    let session = read.ok().map(|read| read.session);
    SessionJson {
        agent: seen.agent,
        session: seen.id,
        modified: seen.modified.whole_second().short(),
        last: seen.modified,
        size: seen.size,
        path: seen.path.display().to_string(),
        turns: session.as_ref().map_or(0, |session| session.turns),
        title: session.map(|session| segue.sessions().title(&session)),
    }
}
