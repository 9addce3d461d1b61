//! Who calls: the agent behind the client, as it names itself or as the environment shows.

use segue_lib::agents::{Agent, agent_of, agent_of_mcp_client, detect_agent};
use segue_lib::{Segue, visible_line};

use crate::host;

/// How much of a name that nobody knows is kept, in characters.
const NAME: usize = 40;

/// Who calls, and in which session.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) tool: Option<String>,
    pub(super) session: Option<String>,
    /// The agent, if it is a known one.
    pub(super) agent: Option<&'static Agent>,
    /// The same, if it is the client that says so.
    named: Option<&'static Agent>,
}

impl Caller {
    /// By the name that the client gives itself.
    pub(super) fn new(client: Option<&str>) -> Self {
        Self::seen_by(client, host::variable)
    }

    /// The session that something is saved in. Of an agent that tells its servers none, it is the one that goes
    /// on where the client works.
    pub(super) fn session_in(&self, segue: &Segue) -> Option<String> {
        let going_on = || segue.sessions().going_on(self.named?.slug);
        self.session.clone().or_else(going_on)
    }

    fn seen_by(client: Option<&str>, variable: impl Fn(&str) -> Option<String> + Copy) -> Self {
        let client = client.map(str::trim).filter(|name| !name.is_empty());
        let named = client.and_then(agent_of_mcp_client);
        let given = named.map(|agent| agent.slug.to_owned());
        let (tool, session) = agent_of(given, variable);
        let agent = named.or_else(|| detect_agent(variable).map(|(agent, _)| agent));
        let own_name =
            || client.map(|name| visible_line(name).chars().take(NAME).collect::<String>());
        Self { tool: tool.or_else(own_name), session, agent, named }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(client: Option<&str>, vars: &[(&str, &str)]) -> (Option<String>, Option<String>) {
        let lookup = |name: &str| {
            vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        let caller = Caller::seen_by(client, lookup);
        (caller.tool, caller.session)
    }

    #[test]
    fn a_client_of_no_known_agent_keeps_its_own_name() {
        assert_eq!(seen(Some("cursor-vscode"), &[]).0.as_deref(), Some("cursor"));
        assert_eq!(seen(Some("claude-ai"), &[]).0.as_deref(), Some("claude-ai"));
        assert_eq!(seen(Some("x\n# y"), &[]).0.as_deref(), Some("x␊# y"));
        assert_eq!(seen(None, &[]), (None, None));
    }

    #[test]
    fn a_session_of_another_agent_is_not_its_session() {
        let claude = [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "s1")];
        let own = Some("s1".to_owned());
        assert_eq!(seen(Some("claude-code"), &claude), (Some("claude-code".into()), own.clone()));
        assert_eq!(seen(Some("codex-mcp-client"), &claude), (Some("codex".into()), None));
        assert_eq!(seen(Some("inspector"), &claude), (Some("claude-code".into()), own));
    }
}
