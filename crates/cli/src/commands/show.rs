use clap::Args;
use segue_lib::{Found, Name, ProjectRef, Segue, Selector};

use crate::error::CommandError;
use crate::json;
use crate::ui::Ui;

/// Show one handoff
///
/// The selector is 'latest', an id, the beginning of one, or an id that it had in another tool. Ids
/// are looked for in the whole store, 'latest' and names in this project. Prints the body's exact
/// bytes; in a terminal control characters are made visible.
#[derive(Args, Debug)]
#[command(visible_alias = "retrieve")]
pub(crate) struct ShowArgs {
    /// Which one [default: latest]
    #[arg(value_name = "SELECTOR")]
    selector: Option<String>,
    /// The same as SELECTOR
    #[arg(long, value_name = "SELECTOR", conflicts_with = "selector")]
    id: Option<String>,
    /// The newest of this name
    #[arg(long)]
    name: Option<String>,
    /// With --name, or for the latest: of this project, a label or a path
    #[arg(long)]
    project: Option<String>,
    /// Print the whole file, front matter included
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ShowArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let selector = args.selector.as_deref().or(args.id.as_deref());
    let found = find(selector, args.name.as_deref(), args.project.as_deref(), segue)?;
    super::say_of(&found, ui);
    let handoff = &found.handoff;
    if args.json {
        let (title, next) = (handoff.display_title(), handoff.next());
        let shown =
            json::ShownJson::new(handoff, &found.listed, &title, &next, found.expired.is_some());
        return Ok(ui.line(&json::pretty(&shown))?);
    }
    Ok(ui.stored(if args.raw { handoff.source() } else { handoff.body() })?)
}

/// The handoff that selector, name and project mean together. A selector beats a name.
pub(crate) fn find(
    selector: Option<&str>,
    name: Option<&str>,
    project: Option<&str>,
    segue: &Segue,
) -> Result<Found, CommandError> {
    let project = project.map_or(ProjectRef::Here, |project| ProjectRef::Given(project.to_owned()));
    let selector: Option<Selector> =
        selector.map(str::parse).transpose().map_err(segue_lib::Error::from)?;
    Ok(match (selector, name) {
        (Some(selector @ Selector::Word(_)), _) => segue.find(&selector)?,
        (_, Some(name)) => {
            let name: Name = name.parse().map_err(segue_lib::Error::from)?;
            segue.newest(&project, Some(name.as_str()))?
        }
        (_, None) => segue.newest(&project, None)?,
    })
}
