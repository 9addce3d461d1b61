use clap::Args;
use segue_lib::{RenderRequest, Segue};

use crate::error::CommandError;
use crate::ui::Ui;

/// Render a handoff as Markdown for another agent to read
#[derive(Args, Debug)]
pub(crate) struct RenderArgs {
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
    /// The agent that will read it, such as claude-code, codex or gemini-cli
    #[arg(long, default_value = "generic", value_name = "AGENT")]
    target: String,
}

pub(crate) fn run(args: &RenderArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let selector = args.selector.as_deref().or(args.id.as_deref());
    let found = super::show::find(selector, args.name.as_deref(), args.project.as_deref(), segue)?;
    super::say_of(&found, ui);
    let text = segue.render(&found, &RenderRequest { target: args.target.clone() })?;
    Ok(ui.stored(&text)?)
}
