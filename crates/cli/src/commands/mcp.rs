use std::io::IsTerminal;

use clap::Args;

use crate::error::CommandError;
use crate::mcp;
use crate::ui::Ui;

/// Serve an agent over MCP, on standard input and output
///
/// An agent starts this by itself, once it is told of it: 'claude mcp add segue -- segue mcp', 'codex
/// mcp add segue -- segue mcp'. It offers six tools (briefing, save, search, show, list, note), the handoffs as
/// resources, and the prompts hand-off and resume, and does nothing that the commands do not. It ends with its
/// input. To try it: npx @modelcontextprotocol/inspector segue mcp
#[derive(Args, Debug)]
pub(crate) struct McpArgs {}

pub(crate) fn run(_: &McpArgs, ui: &mut Ui) -> Result<(), CommandError> {
    if std::io::stdin().is_terminal() {
        ui.note("waiting for an MCP client on standard input; Ctrl-D ends it");
    }
    mcp::run()
}
