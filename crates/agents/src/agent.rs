//! The agents Segue knows, one row each.

/// One coding agent.
#[derive(Debug, PartialEq, Eq)]
pub struct Agent {
    /// The word for it in a handoff's `tool` and in `--target`.
    pub slug: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Other words by which people call it.
    pub aliases: &'static [&'static str],
    /// Variables that only this agent sets for the commands it runs.
    pub marks: &'static [&'static str],
    /// Variable that holds the id of its session.
    pub session: Option<&'static str>,
    /// How it wants to be told where a session stopped.
    pub ways: Ways,
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

const PLAIN: Ways =
    Ways { instructions: "AGENTS.md", mentions: false, labels: false, start: None, again: None };

/// Every known agent. Order matters for `detect`: an agent that also sets another's marks comes
/// before it.
pub const AGENTS: &[Agent] = &[
    Agent {
        slug: "qwen-code",
        title: "Qwen Code",
        aliases: &["qwen"],
        marks: &["QWEN_CODE_SESSION_ID", "QWEN_CODE_PROJECT_DIR"],
        session: Some("QWEN_CODE_SESSION_ID"),
        ways: Ways {
            instructions: "QWEN.md",
            mentions: true,
            start: Some(r#"qwen -i "$(segue resume --target qwen-code)""#),
            again: Some("qwen --resume "),
            ..PLAIN
        },
    },
    Agent {
        slug: "gemini-cli",
        title: "Gemini CLI",
        aliases: &["gemini"],
        marks: &["GEMINI_CLI", "GEMINI_SESSION_ID"],
        session: Some("GEMINI_SESSION_ID"),
        ways: Ways {
            instructions: "GEMINI.md",
            mentions: true,
            start: Some(r#"gemini -i "$(segue resume --target gemini-cli)""#),
            again: Some("gemini -r "),
            ..PLAIN
        },
    },
    Agent {
        slug: "copilot-cli",
        title: "Copilot CLI",
        aliases: &["copilot", "github-copilot"],
        marks: &["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"],
        session: Some("COPILOT_AGENT_SESSION_ID"),
        ways: Ways {
            mentions: true,
            start: Some(r#"copilot -i "$(segue resume --target copilot-cli)""#),
            again: Some("copilot --resume="),
            ..PLAIN
        },
    },
    Agent {
        slug: "codex",
        title: "Codex CLI",
        aliases: &["codex-cli"],
        marks: &["CODEX_SESSION_ID", "CODEX_THREAD_ID"],
        session: Some("CODEX_SESSION_ID"),
        ways: Ways {
            start: Some(r#"codex "$(segue resume --target codex)""#),
            again: Some("codex resume "),
            ..PLAIN
        },
    },
    Agent {
        slug: "opencode",
        title: "OpenCode",
        aliases: &[],
        marks: &["OPENCODE", "OPENCODE_PID"],
        // Set by the plugin that `segue install` brings.
        session: Some("OPENCODE_SESSION_ID"),
        ways: Ways {
            mentions: true,
            start: Some(r#"opencode --prompt "$(segue resume --target opencode)""#),
            again: Some("opencode -s "),
            ..PLAIN
        },
    },
    Agent {
        slug: "crush",
        title: "Crush",
        aliases: &[],
        marks: &["CRUSH", "CRUSH_SESSION_ID"],
        session: Some("CRUSH_SESSION_ID"),
        ways: Ways {
            start: Some(r#"crush run "$(segue resume --target crush)""#),
            again: Some("crush -s "),
            ..PLAIN
        },
    },
    Agent {
        slug: "pi",
        title: "Pi",
        aliases: &[],
        marks: &["PI_SESSION_ID", "PI_SESSION_FILE"],
        session: Some("PI_SESSION_ID"),
        ways: Ways {
            start: Some(r#"pi "$(segue resume --target pi)""#),
            again: Some("pi --session "),
            ..PLAIN
        },
    },
    Agent {
        slug: "droid",
        title: "Droid",
        aliases: &["factory"],
        marks: &["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR"],
        session: None,
        ways: Ways {
            start: Some(r#"droid "$(segue resume --target droid)""#),
            again: Some("droid -r "),
            ..PLAIN
        },
    },
    Agent {
        slug: "cursor",
        title: "Cursor",
        aliases: &["cursor-agent"],
        marks: &["CURSOR_TRANSCRIPT_PATH", "CURSOR_PROJECT_DIR"],
        session: None,
        ways: Ways {
            mentions: true,
            start: Some(r#"cursor-agent "$(segue resume --target cursor)""#),
            again: Some("cursor-agent --resume "),
            ..PLAIN
        },
    },
    Agent {
        slug: "claude-code",
        title: "Claude Code",
        aliases: &["claude"],
        marks: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"],
        session: Some("CLAUDE_CODE_SESSION_ID"),
        ways: Ways {
            instructions: "CLAUDE.md",
            mentions: true,
            start: Some(r#"claude "$(segue resume --target claude-code)""#),
            again: Some("claude --resume "),
            ..PLAIN
        },
    },
    Agent {
        slug: "aider",
        title: "Aider",
        aliases: &[],
        marks: &[],
        session: None,
        ways: Ways {
            instructions: "CONVENTIONS.md",
            labels: true,
            start: Some("aider --read <(segue resume --target aider)"),
            ..PLAIN
        },
    },
    Agent {
        slug: "amp",
        title: "Amp",
        aliases: &[],
        marks: &[],
        session: None,
        ways: Ways { start: Some(r#"amp "$(segue resume --target amp)""#), ..PLAIN },
    },
    Agent {
        slug: "cline",
        title: "Cline",
        aliases: &[],
        marks: &[],
        session: None,
        ways: Ways {
            start: Some(r#"cline -i "$(segue resume --target cline)""#),
            again: Some("cline --id "),
            ..PLAIN
        },
    },
    Agent {
        slug: "goose",
        title: "Goose",
        aliases: &[],
        marks: &[],
        session: None,
        ways: Ways {
            start: Some(r#"goose run -s -t "$(segue resume --target goose)""#),
            again: Some("goose session -r --session-id "),
            ..PLAIN
        },
    },
    Agent {
        slug: "kimi-code",
        title: "Kimi Code",
        aliases: &["kimi"],
        marks: &[],
        session: None,
        ways: Ways {
            start: Some(r#"kimi -p "$(segue resume --target kimi-code)""#),
            again: Some("kimi -S "),
            ..PLAIN
        },
    },
    Agent {
        slug: "roo-code",
        title: "Roo Code",
        aliases: &["roo"],
        marks: &[],
        session: None,
        ways: PLAIN,
    },
];

/// The agent that set the environment, and its session's id.
pub fn detect(
    variable: impl Fn(&str) -> Option<String>,
) -> Option<(&'static Agent, Option<String>)> {
    let set = |name: &&str| variable(name).is_some_and(|value| !value.is_empty());
    let agent = AGENTS.iter().find(|agent| agent.marks.iter().any(set))?;
    let session = agent.session.and_then(&variable).filter(|id| !id.is_empty());
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
}
