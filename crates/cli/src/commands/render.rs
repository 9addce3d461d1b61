use clap::Args;
use segue_lib::Segue;

use super::which::Which;
use crate::error::CommandError;
use crate::ui::Ui;

/// Render a handoff as Markdown for another agent to read
#[derive(Args, Debug)]
pub(crate) struct RenderArgs {
    #[command(flatten)]
    which: Which,
    /// The agent that will read it, such as claude-code, codex or gemini-cli
    #[arg(long, default_value = "generic", value_name = "AGENT")]
    target: String,
}

pub(crate) fn run(args: &RenderArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let found = args.which.find(segue)?;
    super::say_of(&found, segue, ui);
    let text = segue.handoffs().render(&found, &args.target)?;
    Ok(ui.stored(&text)?)
}
