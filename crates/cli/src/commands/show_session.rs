use segue_lib::Segue;
use segue_lib::sessions::{Session, SessionOutcome, SessionSeen, SessionStory, Told, ToldKind};
use serde::Serialize;

use crate::error::CommandError;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

#[derive(Serialize)]
struct StoryJson<'a> {
    schema: u32,
    agent: &'a str,
    session: &'a str,
    path: String,
    title: String,
    began: Option<String>,
    ended: Option<String>,
    turns: u64,
    story: &'a [Told],
    left_out: usize,
}

/// Prints a session as it went: what was said and done, in its order.
pub(crate) fn run(id: &str, json: bool, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let Some(seen) = segue.sessions().of_id(id)? else {
        return Err(segue_lib::Error::NoSession(id.to_owned()).into());
    };
    let SessionStory { session, told: story, left_out, .. } = segue.sessions().story(&seen)?;
    let title = segue.sessions().distilled_out(&session, 0).title;
    if json {
        return Ok(ui.line(&pretty(&StoryJson {
            schema: SCHEMA,
            agent: seen.agent,
            session: session.id.as_deref().unwrap_or(&seen.id),
            path: seen.path.display().to_string(),
            title,
            began: session.began.map(|at| at.to_string()),
            ended: session.ended.map(|at| at.to_string()),
            turns: session.turns,
            story: &story,
            left_out,
        }))?);
    }
    let about = segue.redactor().text(about(&seen, &session));
    ui.stored(&text(&title, &about, &story))?;
    if left_out > 0 {
        ui.warning(&format!("it is too long to be told whole: {left_out} more things happened"));
    }
    Ok(())
}

fn text(title: &str, about: &str, story: &[Told]) -> String {
    let mut out = format!("# {title}\n\n{about}\n");
    // Who spoke last: what the same one says is not announced again.
    let mut speaker = None;
    for told in story {
        let heading = match told.kind {
            ToldKind::User => Some("User"),
            ToldKind::Compacted | ToldKind::Interrupted | ToldKind::Answered => None,
            _ => Some("Agent"),
        };
        let says = matches!(told.kind, ToldKind::User | ToldKind::Agent | ToldKind::Planned);
        if says && !out.ends_with("\n\n") {
            out.push('\n');
        }
        if heading.is_some() && (heading != speaker || told.kind == ToldKind::User) {
            let at = told.at.map(|at| format!(", {}", at.whole_second().short()));
            out.push_str(&format!(
                "## {} #{}{}\n\n",
                heading.unwrap_or_default(),
                told.record,
                at.unwrap_or_default()
            ));
            speaker = heading;
        }
        out.push_str(&line(told));
    }
    out
}

fn about(seen: &SessionSeen, session: &Session) -> String {
    let version = session.version.as_deref().map(|version| format!(" {version}"));
    let mut all = vec![
        format!("{}{}", seen.agent, version.unwrap_or_default()),
        format!("session {}", session.id.as_deref().unwrap_or(&seen.id)),
    ];
    all.extend(session.began_in.clone());
    all.extend(session.branch.as_ref().map(|branch| format!("on {branch}")));
    all.extend(session.model.clone());
    if let (Some(began), Some(ended)) = (session.began, session.ended) {
        all.push(format!("{} to {}", began.whole_second().short(), ended.whole_second().short()));
    }
    all.push(if session.turns == 1 {
        "1 turn".to_owned()
    } else {
        format!("{} turns", session.turns)
    });
    format!("{}\n", all.join(" · "))
}

fn line(told: &Told) -> String {
    let ended = match (told.outcome, told.exit) {
        (Some(SessionOutcome::Failed), Some(exit)) => format!(" (failed, exit {exit})"),
        (Some(SessionOutcome::Failed), None) => " (failed)".to_owned(),
        (Some(SessionOutcome::Stopped), _) => " (stopped)".to_owned(),
        _ => String::new(),
    };
    let why = told.error.as_ref().map(|error| format!("  {error}\n")).unwrap_or_default();
    let text = &told.text;
    match told.kind {
        ToldKind::User | ToldKind::Agent => format!("{text}\n\n"),
        ToldKind::Answered => format!("The user answered: {text}\n\n"),
        ToldKind::Planned => format!("Plan{ended}:\n{text}\n\n"),
        ToldKind::Interrupted => "*The user interrupted.*\n\n".to_owned(),
        ToldKind::Compacted => "*The agent compacted what was said until here.*\n\n".to_owned(),
        ToldKind::Ran => format!("$ {}{ended}\n{why}", text.replace('\n', "\n  ")),
        ToldKind::Created => format!("wrote {text}{ended}\n{why}"),
        ToldKind::Edited => format!("edited {text}{ended}\n{why}"),
        ToldKind::Deleted => format!("deleted {text}{ended}\n{why}"),
        ToldKind::Renamed => format!("renamed {text}{ended}\n{why}"),
        ToldKind::Read => format!("read {text}{ended}\n{why}"),
        ToldKind::Called => format!("used {text}{ended}\n{why}"),
    }
}
