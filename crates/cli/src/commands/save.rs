use std::path::PathBuf;

use clap::Args;
use segue_lib::Segue;
use segue_lib::handoffs::{
    Editable, Name, SaveOutcome, SaveRequest, Selector, Speaker, Tag, Ttl, recommended_template,
};

use crate::error::CommandError;
use crate::input::{Stdin, read_file, read_stdin, stdin_kind};
use crate::ui::Ui;
use crate::{editor, json};

/// Leave a handoff for the next session
///
/// The body is Markdown on standard input (a pipe or file); recommended sections are Context, Key
/// Decisions, Current State, Next Steps, Standing Constraints, Warnings / Gotchas, Files of Note. In a
/// terminal without any flag your editor opens: what you write under Standing Constraints there binds
/// later sessions; what comes from a pipe or file is told as the agent's. Prints the short id. Git's
/// branch, commit and changed files are noted.
#[derive(Args, Debug)]
#[command(visible_alias = "store")]
pub(crate) struct SaveArgs {
    /// Name by which it can be asked for; the newest of a name is the current one
    #[arg(long)]
    name: Option<String>,
    /// One line that says what it is about
    #[arg(long)]
    title: Option<String>,
    /// A few sentences that say where things stand
    #[arg(long)]
    summary: Option<String>,
    /// A next step; repeat it for more
    #[arg(long, value_name = "STEP")]
    next: Vec<String>,
    /// Tags, separated by commas; may be repeated
    #[arg(long, visible_alias = "tag", value_name = "TAGS")]
    tags: Vec<String>,
    /// How long it is offered: 90m, 6h, 14d, 2w, 1d12h, or never
    #[arg(long, default_value = "never")]
    ttl: String,
    /// Project: a label, or a path if it contains a slash or is '.' [default: this directory's]
    #[arg(long)]
    project: Option<String>,
    /// The agent that leaves it [default: the one that the environment shows]
    #[arg(long)]
    tool: Option<String>,
    /// The agent's own session id [default: the one that the environment shows]
    #[arg(long)]
    session: Option<String>,
    /// What kind of work it was, such as build or review
    #[arg(long)]
    mode: Option<String>,
    /// A handoff that this one replaces; may be repeated
    #[arg(long, value_name = "ID")]
    supersedes: Vec<String>,
    /// Read the body from this file; '-' is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "no_stdin")]
    file: Option<PathBuf>,
    /// Do not read standard input
    #[arg(long)]
    no_stdin: bool,
    /// Print an object with the full id, the path and the warnings
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: SaveArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let name: Option<Name> =
        args.name.as_deref().map(str::parse).transpose().map_err(segue_lib::Error::from)?;
    let ttl: Ttl = args.ttl.parse().map_err(segue_lib::Error::from)?;
    let tags = parse_tags(&args.tags, segue)?;
    if args.next.iter().any(|step| step.trim().is_empty()) {
        return Err(CommandError::usage("a --next step is empty"));
    }
    let supersedes =
        args.supersedes.iter().map(|word| full_id(segue, word)).collect::<Result<_, _>>()?;
    // What comes out of a file was typed by nobody.
    let by = match &args.file {
        Some(_) => Speaker::Agent,
        None => super::speaker(args.tool.as_deref(), ui),
    };
    let (tool, session) = super::agent(args.tool.as_deref(), args.session.clone());
    let mut request = SaveRequest::default();
    request.title = args.title.clone();
    request.summary = args.summary.clone();
    request.name = name;
    request.next = args.next.clone();
    request.tags = tags;
    request.ttl = ttl;
    request.project = super::project_ref(args.project.as_deref());
    request.tool = tool;
    request.by = by;
    request.session = session;
    request.mode = args.mode.clone();
    request.supersedes = supersedes;
    let in_words = args.title.is_some() || args.summary.is_some() || !args.next.is_empty();
    match (&args.file, stdin_kind()) {
        (Some(path), _) if path.as_os_str() != "-" => request.body = read_file(path)?,
        (Some(_), _) => request.body = read_stdin(ui)?,
        (None, _) if args.no_stdin => {}
        (None, Stdin::File | Stdin::Stream) => request.body = read_stdin(ui)?,
        (None, Stdin::Terminal) if !in_words => return from_editor(request, args.json, segue, ui),
        (None, Stdin::Terminal | Stdin::Device) => {}
    }
    let saved = segue.handoffs().save(&request)?;
    print(&saved, args.json, ui)
}

/// The body and a few keys, written in the user's editor.
fn from_editor(
    mut request: SaveRequest,
    as_json: bool,
    segue: &Segue,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let template = Editable {
        name: request.name.as_ref().map(|name| name.as_str().to_owned()).unwrap_or_default(),
        tags: request.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
        body: recommended_template().to_owned(),
        ..Editable::default()
    };
    let edited = editor::edit(&template.render(), &|| segue.env().random())?;
    let save = || -> Result<SaveOutcome, CommandError> {
        let text = Editable::parse(&edited.text)
            .map_err(|error| CommandError::input(error.to_string()))?;
        if text == template {
            return Err(CommandError::input("nothing was written, so nothing is saved"));
        }
        request.title = Some(text.title);
        request.summary = Some(text.summary);
        request.name = match text.name.as_str() {
            "" => None,
            name => Some(name.parse().map_err(segue_lib::Error::from)?),
        };
        request.tags = parse_tags(&text.tags, segue)?;
        request.body = text.body;
        Ok(segue.handoffs().save(&request)?)
    };
    let mut save = save;
    match save() {
        Ok(saved) => {
            edited.done();
            print(&saved, as_json, ui)
        }
        Err(error) if edited.text == template.render() => {
            edited.done();
            Err(error)
        }
        Err(error) => Err(edited.kept(error)),
    }
}

/// Says what was saved.
pub(crate) fn print(saved: &SaveOutcome, as_json: bool, ui: &mut Ui) -> Result<(), CommandError> {
    for warning in &saved.warnings {
        ui.warning(warning);
    }
    if as_json {
        return Ok(ui.line(&json::pretty(&json::SavedJson::new(saved)))?);
    }
    let id = saved.handoff.head.id.short();
    ui.line(id).and_then(|()| ui.finish()).map_err(|error| {
        CommandError::from(error).hinted(format!("the handoff itself is saved, as {id}"))
    })?;
    if ui.is_terminal() {
        ui.note(&format!(
            "saved for the project '{}'; 'segue show {}' shows it",
            saved.label,
            saved.handoff.head.id.short()
        ));
        for similar in &saved.similar {
            ui.note(&similar.to_string());
        }
    }
    Ok(())
}

/// Tags. What only the whole list shows to be a secret goes before it is split; the rest goes, and is named, as in any
/// other text.
pub(crate) fn parse_tags(lists: &[String], segue: &Segue) -> Result<Vec<Tag>, CommandError> {
    let list = lists.join(",");
    let redactor = segue.redactor();
    let clean = redactor.text(list.clone());
    let (as_given, pieces): (Vec<&str>, Vec<&str>) =
        (list.split(',').collect(), clean.split(',').collect());
    let is_known = |tag: &str| redactor.text(tag.to_owned()) != tag;
    let list = match as_given.len() == pieces.len() {
        true => {
            let both = as_given.iter().zip(&pieces);
            let chosen = both.map(|(given, piece)| if is_known(given) { *given } else { *piece });
            chosen.collect::<Vec<_>>().join(",")
        }
        false => clean,
    };
    Ok(Tag::parse_list(&list).map_err(segue_lib::Error::from)?)
}

fn full_id(segue: &Segue, word: &str) -> Result<String, CommandError> {
    let selector: Selector = word.parse().map_err(segue_lib::Error::from)?;
    Ok(segue.handoffs().find_here(&selector)?.handoff.head.id.to_string())
}
