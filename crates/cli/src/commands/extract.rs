use std::path::PathBuf;

use clap::Args;
use segue_lib::handoffs::Speaker;
use segue_lib::sessions::{Captured, Judgement, Session, SessionRef};
use segue_lib::{Segue, visible_line};
use serde::Serialize;

use crate::error::CommandError;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// Print what a session's transcript says: requests, commands, files, commits, to-dos
///
/// Reads the transcript that an agent keeps and changes nothing. Without --json it prints what a
/// handoff out of it would say, whole.
///
/// Example: segue extract --explain | grep dropped
#[derive(Args, Debug)]
pub(crate) struct ExtractArgs {
    /// The transcript [default: the session that goes on here, or the newest]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The session of this id; with FILE, the one of that file
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print the facts as an object
    #[arg(long)]
    json: bool,
    /// At most so many tokens
    #[arg(long, value_name = "N", conflicts_with = "json")]
    budget: Option<usize>,
    /// Say of every sentence, to-do and failure that could count which rule kept or dropped it
    #[arg(long, conflicts_with = "budget")]
    explain: bool,
}

#[derive(Serialize)]
struct ExplainJson<'a> {
    schema: u32,
    path: String,
    judgements: &'a [Judgement],
}

#[derive(Serialize)]
struct ExtractJson<'a> {
    schema: u32,
    path: String,
    #[serde(flatten)]
    session: &'a Session,
}

pub(crate) fn run(args: &ExtractArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let wanted = match (&args.file, &args.session) {
        (Some(path), session) => {
            let (path, session) = (path.clone(), session.clone());
            SessionRef::File { path, session, by: Speaker::Agent }
        }
        (None, Some(id)) => SessionRef::Id(id.clone()),
        (None, None) => SessionRef::Current,
    };
    let (tool, session) = super::agent(None, None);
    let captured = segue.sessions().captured(&wanted, (tool.as_deref(), session.as_deref()))?;
    let Some(captured) = captured else {
        return Err(CommandError::not_found("no agent has had a session in this directory")
            .hinted("name a transcript, or a session with --session"));
    };
    if args.explain {
        return explain(args, segue, &captured, ui);
    }
    if args.json {
        let facts = pretty(&ExtractJson {
            schema: SCHEMA,
            path: captured.seen.path.display().to_string(),
            session: &captured.session,
        });
        return Ok(ui.line(&segue.redactor().json(facts))?);
    }
    let distilled =
        segue.sessions().distilled_out(&captured.session, args.budget.unwrap_or(usize::MAX));
    ui.stored(&format!("# {}\n\n{}", distilled.title, distilled.body))?;
    Ok(())
}

/// A line for each thing: whether it was kept, where, by which rule, and its words.
fn explain(
    args: &ExtractArgs,
    segue: &Segue,
    captured: &Captured,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let judgements = segue.sessions().judge(captured)?;
    if args.json {
        let path = captured.seen.path.display().to_string();
        let json = pretty(&ExplainJson { schema: SCHEMA, path, judgements: &judgements });
        return Ok(ui.line(&segue.redactor().json(json))?);
    }
    for one in &judgements {
        let kept = if one.kept { "kept" } else { "dropped" };
        let text: String = visible_line(&one.text).chars().take(200).collect();
        ui.stored(&format!("{kept}\t{}\t#{}\t{}\t{text}\n", one.section, one.record, one.rule))?;
    }
    Ok(())
}
