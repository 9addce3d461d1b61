//! The agents Segue knows, one row each. A row stands in the agent's own folder or file and holds everything
//! about it; code elsewhere asks the row and names no agent.

use std::fmt;

use crate::hooks::Hooks;
use crate::installation::Installation;
use crate::launch::Launch;
use crate::transcript::Transcripts;
use crate::{
    aider, amp, claude, cline, codex, copilot, crush, cursor, droid, gemini, goose, kimi, opencode,
    pi, qwen, roo,
};

/// One coding agent.
pub struct Agent {
    /// The word for it in a handoff's `tool` and in `--target`.
    pub slug: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Other words by which people call it.
    pub aliases: &'static [&'static str],
    /// What it leaves in the environment of the commands it runs.
    pub environment: Environment,
    /// How it wants to be told where a session stopped.
    pub ways: Ways,
    /// How it is started; `None` if it lives in an editor.
    pub launch: Option<Launch>,
    /// Its hooks, if it has some that are answered.
    pub hooks: Option<Hooks>,
    /// How its sessions are found and read, if they can be.
    pub transcripts: Option<Transcripts>,
    /// Where Segue goes into it, if it can.
    pub installation: Option<Installation>,
    /// What its MCP client calls itself besides the agent's words, in small letters with `-` between.
    pub mcp_clients: &'static [&'static str],
    /// The beginnings of the names of its maker's models, and their context windows in tokens. The
    /// first that fits counts.
    pub models: &'static [(&'static str, u64)],
}

/// The variables by which an agent is recognised.
pub struct Environment {
    /// Variables that only this agent sets.
    pub marks: &'static [&'static str],
    /// Variable that holds the id of its session.
    pub session: Option<&'static str>,
    /// Where the marks of several agents are set, the one with the lowest number counts: an agent that
    /// also sets another's marks has a lower number than that one.
    pub rank: u8,
}

/// An agent's conventions for what it reads, and how it is started.
#[derive(Debug, PartialEq, Eq)]
pub struct Ways {
    /// The file in which a repository instructs it.
    pub instructions: &'static str,
    /// Whether it takes `@path` for a file.
    pub mentions: bool,
    /// Whether headings mean something of its own to it, so that parts are labelled instead.
    pub labels: bool,
    /// Starts it with a briefing.
    pub start: Option<&'static str>,
    /// Goes on in a session of its own, whose id comes behind.
    pub again: Option<&'static str>,
}

/// The file in which a repository instructs any agent.
const SHARED_INSTRUCTIONS: &str = "AGENTS.md";

impl Ways {
    /// Of an agent without conventions of its own.
    pub(crate) const PLAIN: Self = Self {
        instructions: SHARED_INSTRUCTIONS,
        mentions: false,
        labels: false,
        start: None,
        again: None,
    };
}

impl Environment {
    /// Of an agent that leaves no mark.
    pub(crate) const UNMARKED: Self = Self { marks: &[], session: None, rank: u8::MAX };
}

impl Agent {
    /// An agent of which nothing is known.
    pub(crate) const PLAIN: Self = Self {
        slug: "",
        title: "",
        aliases: &[],
        environment: Environment::UNMARKED,
        ways: Ways::PLAIN,
        launch: None,
        hooks: None,
        transcripts: None,
        installation: None,
        mcp_clients: &[],
        models: &[],
    };
}

/// An agent is known by its word.
impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.slug == other.slug
    }
}

impl Eq for Agent {}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Agent").field(&self.slug).finish()
    }
}

/// Every known agent, in the order in which they are listed and asked.
pub static AGENTS: &[Agent] = &[
    claude::AGENT,
    codex::AGENT,
    gemini::AGENT,
    copilot::AGENT,
    qwen::AGENT,
    opencode::AGENT,
    cursor::AGENT,
    cline::AGENT,
    goose::AGENT,
    crush::AGENT,
    pi::AGENT,
    droid::AGENT,
    aider::AGENT,
    amp::AGENT,
    kimi::AGENT,
    roo::AGENT,
];

/// The agent that set the environment, and its session's id.
pub fn detect(
    variable: impl Fn(&str) -> Option<String>,
) -> Option<(&'static Agent, Option<String>)> {
    let set = |name: &&str| variable(name).is_some_and(|value| !value.is_empty());
    let marked = AGENTS.iter().filter(|agent| agent.environment.marks.iter().any(set));
    let agent = marked.min_by_key(|agent| agent.environment.rank)?;
    let session = agent.environment.session.and_then(&variable).filter(|id| !id.is_empty());
    Some((agent, session))
}

/// The agent that leaves a handoff, and its session: as it was given, else as the environment
/// shows. A session of another agent than the given one is not its session.
pub fn agent_of(
    given: Option<String>,
    variable: impl Fn(&str) -> Option<String>,
) -> (Option<String>, Option<String>) {
    let Some((seen, session)) = detect(variable) else { return (given, None) };
    match given {
        None => (Some(seen.slug.to_owned()), session),
        Some(given) => {
            let same = find(&given).is_some_and(|agent| agent == seen);
            (Some(given), session.filter(|_| same))
        }
    }
}

/// The files in which repositories instruct agents: the one for all first, then those of single agents.
pub fn instruction_files() -> Vec<&'static str> {
    let mut files = vec![SHARED_INSTRUCTIONS];
    for agent in AGENTS {
        if !files.contains(&agent.ways.instructions) {
            files.push(agent.ways.instructions);
        }
    }
    files
}

/// The agent that people call so.
pub fn find(word: &str) -> Option<&'static Agent> {
    let word = word.to_lowercase();
    AGENTS.iter().find(|agent| agent.slug == word || agent.aliases.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(vars: &[(&str, &str)]) -> Option<(&'static str, Option<String>)> {
        let lookup = |name: &str| {
            vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        detect(lookup).map(|(agent, session)| (agent.slug, session))
    }

    #[test]
    fn the_environment_shows_the_agent() {
        assert_eq!(
            detected(&[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "s1")]),
            Some(("claude-code", Some("s1".into())))
        );
        assert_eq!(detected(&[("CODEX_SESSION_ID", "s2")]), Some(("codex", Some("s2".into()))));
        assert_eq!(
            detected(&[("GEMINI_CLI", "1"), ("CLAUDE_PROJECT_DIR", "/x")]),
            Some(("gemini-cli", None))
        );
        assert_eq!(detected(&[("CLAUDECODE", "")]), None);
        assert_eq!(detected(&[]), None);
    }

    #[test]
    fn an_agent_is_started_with_its_own_briefing() {
        for agent in AGENTS {
            if let Some(start) = agent.ways.start {
                assert!(start.contains(&format!("--target {}", agent.slug)), "{start}");
            }
        }
    }

    #[test]
    fn words_for_agents_are_unique() {
        let mut words: Vec<&str> = AGENTS
            .iter()
            .flat_map(|agent| std::iter::once(&agent.slug).chain(agent.aliases))
            .copied()
            .collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
        assert_eq!(find("Claude").map(|agent| agent.slug), Some("claude-code"));
        assert_eq!(find("nobody"), None);
    }

    #[test]
    fn no_two_agents_with_marks_have_the_same_rank() {
        let marked = AGENTS.iter().filter(|agent| !agent.environment.marks.is_empty());
        let mut ranks: Vec<u8> = marked.map(|agent| agent.environment.rank).collect();
        let count = ranks.len();
        ranks.sort_unstable();
        ranks.dedup();
        assert_eq!(ranks.len(), count);
    }

    #[test]
    fn the_parts_of_a_row_are_of_its_agent() {
        for agent in AGENTS {
            let parts = [
                agent.transcripts.as_ref().map(|part| part.agent),
                agent.installation.as_ref().map(|part| part.agent),
            ];
            assert!(parts.into_iter().flatten().all(|slug| slug == agent.slug), "{agent:?}");
        }
    }

    #[test]
    fn the_instructions_for_all_agents_are_looked_for_first() {
        let files = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "CONVENTIONS.md"];
        assert_eq!(instruction_files(), files);
    }
}
