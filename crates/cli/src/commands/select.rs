use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Read, Write};

use clap::Args;
use segue_lib::handoffs::{HandoffId, ListOutcome, ListRequest, Listed, Selector};
use segue_lib::{ProjectRef, Segue, visible_line};

use super::filter::{FilterArgs, is_narrow};
use crate::error::CommandError;
use crate::host::variable;
use crate::picker::{self, Deed, Left};
use crate::table::fit;
use crate::ui::Ui;
use crate::{cli, help};

/// How many the numbered form offers unless told otherwise.
const SCREENFUL: u64 = 20;

/// Pick a handoff from a list that is searched as you type
///
/// Drawn on the terminal, so that only the id of the handoff that was picked goes to standard output:
/// id=$(segue select). '?' shows the keys: show it, resume from it, export it, copy its id, filter by tag
/// or project. Where there is no terminal, a numbered list on standard error asks for a number on
/// standard input. Leaving with Esc is exit code 1, with Ctrl-C 130.
#[derive(Args, Debug)]
pub(crate) struct SelectArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// At most so many; 0 is all [default: all; 20 in the numbered form]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Print the id of the newest that fits, and ask nothing
    #[arg(long)]
    print_id: bool,
}

pub(crate) fn run(args: &SelectArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    if args.print_id {
        let request = args.filter.request(segue, Some(1))?;
        let (rows, outcome) = rows(&request, segue)?;
        talk(&outcome, ui);
        let newest = rows.first().ok_or_else(|| nothing(&request, &outcome, segue))?;
        return Ok(ui.line(&printed(segue, &newest.head.id))?);
    }
    let limit = args.limit.filter(|limit| *limit > 0);
    let dumb = variable("TERM").is_none_or(|term| term == "dumb") && !cfg!(windows);
    if io::stdin().is_terminal() && !dumb && picker::is_possible() {
        let request = args.filter.request(segue, limit)?;
        let colour = variable("NO_COLOR").is_none();
        return match picker::pick(&request, segue, colour, &|id| printed(segue, id))? {
            Left::Chosen(id, deed) => act(&printed(segue, &id), deed, ui),
            Left::Empty => Err(CommandError::quiet(1)),
            Left::Interrupted => Err(CommandError::quiet(130)),
            Left::Nothing(outcome) => {
                talk(&outcome, ui);
                Err(nothing(&request, &outcome, segue))
            }
        };
    }
    let limit = if args.limit.is_none() { Some(SCREENFUL) } else { limit };
    let request = args.filter.request(segue, limit)?;
    let (rows, outcome) = rows(&request, segue)?;
    talk(&outcome, ui);
    if rows.is_empty() {
        return Err(nothing(&request, &outcome, segue));
    }
    let number = ask(&rows, outcome.more, ui)?;
    Ok(ui.line(&printed(segue, &rows[number - 1].head.id))?)
}

/// What a picked handoff is for; the other commands do it as they always do.
fn act(id: &str, deed: Deed, ui: &mut Ui) -> Result<(), CommandError> {
    let command = match deed {
        Deed::Id => return Ok(ui.line(id)?),
        Deed::Show => "show",
        Deed::Resume => "resume",
        Deed::Export => "export",
    };
    let words = ["segue", command, "--id", id].map(OsString::from);
    match cli::parse(words.to_vec()) {
        Ok(cli) => super::run(cli, ui),
        Err(error) => help::answer(&error, ui),
    }
}

fn rows(request: &ListRequest, segue: &Segue) -> Result<(Vec<Listed>, ListOutcome), CommandError> {
    let mut rows = Vec::new();
    let outcome = segue.handoffs().list(request, &mut |listed| {
        rows.push(listed);
        true
    })?;
    Ok((rows, outcome))
}

/// The id as `save` prints it; the whole one if another handoff has the same eight digits.
fn printed(segue: &Segue, id: &HandoffId) -> String {
    match segue.handoffs().find(&Selector::Word(id.short().to_owned())) {
        Ok(found) if found.handoff.head.id == *id => id.short().to_owned(),
        _ => id.to_string(),
    }
}

/// Shows the rows with numbers and gives the one that was typed. All of it is talk: standard output
/// has the id and nothing else.
fn ask(rows: &[Listed], more: bool, ui: &mut Ui) -> Result<usize, CommandError> {
    for (number, row) in (1..).zip(rows) {
        let clean = |text: &str| visible_line(text).into_owned();
        let tool = clean(row.head.fields.tool.as_deref().unwrap_or("-"));
        let title = clean(&row.title.chars().take(200).collect::<String>());
        let title = fit(&title, 100);
        let id = row.head.id.short();
        ui.note(format!("{number}) {id}  {} {}", fit(&tool, 10), title.trim_end()).trim_end());
    }
    if more {
        ui.note("there are more: --limit 0 shows all");
    }
    let mut talk = io::stderr();
    let _ = write!(talk, "Select number: ").and_then(|()| talk.flush());
    let mut typed = Vec::new();
    // A line of digits is short; whatever else comes is not read.
    let read = io::stdin().lock().take(64).read_until(b'\n', &mut typed);
    let typed = String::from_utf8_lossy(&typed);
    let typed = typed.trim();
    if read.is_err() || typed.is_empty() {
        // The next line shall not stick to the prompt.
        let _ = writeln!(talk);
        return Err(CommandError::usage("no number was given")
            .hinted("--print-id takes the newest without asking"));
    }
    match typed.parse() {
        Ok(number) if (1..=rows.len()).contains(&number) => Ok(number),
        _ => Err(CommandError::usage(format!("'{typed}' is not a number of the list"))
            .hinted(format!("give one from 1 to {}", rows.len()))),
    }
}

fn talk(outcome: &ListOutcome, ui: &mut Ui) {
    for file in &outcome.bad {
        ui.warning(&format!("cannot read {}: {}", file.path.display(), file.reason));
    }
    if let Some(brings) = &outcome.brings {
        ui.note(&brings.to_string());
    }
    if outcome.elsewhere && outcome.count > 0 {
        ui.note("nothing is saved here; this is of the whole store");
    }
}

/// The error for a list in which there is nothing to pick.
fn nothing(request: &ListRequest, outcome: &ListOutcome, segue: &Segue) -> CommandError {
    if outcome.hidden {
        return CommandError::not_found("no handoff fits that has not expired")
            .hinted("--expired also offers what has");
    }
    if let Some(id) = &request.id {
        return segue_lib::Error::NoId(id.clone()).into();
    }
    if request.all_projects && !is_narrow(request) {
        return segue_lib::Error::None("in the store".to_owned()).into();
    }
    let name = request.name.as_ref().map(segue_lib::handoffs::Name::as_str);
    let mut plain = request.clone();
    plain.name = None;
    if !request.all_projects && !is_narrow(&plain) {
        // The question that `show` asks has the better answer.
        if let Err(error) = segue.handoffs().newest(&request.project, name) {
            return error.into();
        }
    }
    let place = match &request.project {
        ProjectRef::Given(project) => format!(" in the project '{project}'"),
        ProjectRef::Here => String::new(),
    };
    CommandError::not_found(format!("no handoff fits{place}"))
        .hinted("'segue list --all-projects' shows what there is")
}
