//! MCP clients: the agent behind the name that a client gives itself.

use crate::agent::{AGENTS, Agent, find};

/// What clients put behind their agent's name.
const SUFFIXES: [&str; 6] = ["mcp", "client", "vscode", "developer", "cli", "agent"];
/// Behind this some clients put the name of the server.
const BEFORE_SERVER: &str = "-mcp-client";

/// The agent whose client calls itself so: as its row says, else by its word with what clients put behind.
pub fn agent_of_mcp_client(client: &str) -> Option<&'static Agent> {
    let name = client.to_lowercase().replace([' ', '_'], "-");
    let end = name.find(BEFORE_SERVER);
    let name_of_client = end.map_or(name.as_str(), |end| &name[..end + BEFORE_SERVER.len()]);
    let listed = AGENTS.iter().find(|agent| agent.mcp_clients.contains(&name_of_client));
    listed.or_else(|| {
        let mut word = end.map_or(name.as_str(), |end| &name[..end]);
        loop {
            if let Some(agent) = find(word) {
                return Some(agent);
            }
            let (rest, last) = word.rsplit_once('-')?;
            word = SUFFIXES.contains(&last).then_some(rest)?;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_known_by_what_they_call_themselves() {
        for (client, agent) in [
            ("claude-code", "claude-code"),
            ("codex-mcp-client", "codex"),
            ("gemini-cli-mcp-client", "gemini-cli"),
            ("qwen-cli-mcp-client-segue", "qwen-code"),
            ("cursor-vscode", "cursor"),
            ("github-copilot-developer", "copilot-cli"),
            ("Roo Code", "roo-code"),
            ("opencode", "opencode"),
            ("goose-cli", "goose"),
        ] {
            let found = agent_of_mcp_client(client).map(|agent| agent.slug);
            assert_eq!(found, Some(agent), "{client}");
        }
        for client in ["claude-ai", "inspector", "-mcp-client", ""] {
            assert_eq!(agent_of_mcp_client(client), None, "{client}");
        }
    }
}
