//! Dialects: how each agent calls the events of its hooks, and what it takes for an answer. One row an
//! agent.

use serde::Serialize;

use crate::{Agent, Payload, detect, find};

/// When a hook fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HookEvent {
    /// A session begins, or goes on after something took its memory.
    SessionStart,
    /// The user said something, and the agent has not answered yet.
    Prompt,
    /// The agent came to the end of its turn.
    Stop,
    /// The conversation is about to be summed up.
    PreCompact,
    SessionEnd,
}

/// Why a session begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    #[default]
    Startup,
    /// An earlier session goes on, with all that was said in it.
    Resume,
    /// The user wanted a clean slate.
    Clear,
    /// The conversation was summed up.
    Compact,
}

impl Source {
    pub fn of(word: Option<&str>) -> Self {
        match word {
            Some("resume" | "fork") => Self::Resume,
            Some("clear") => Self::Clear,
            Some("compact") => Self::Compact,
            _ => Self::Startup,
        }
    }
}

/// Events by their words: ours first, then those of agents.
const EVENTS: &[(HookEvent, &[&str])] = &[
    (HookEvent::SessionStart, &["session-start", "SessionStart", "sessionStart"]),
    (
        HookEvent::Prompt,
        &[
            "prompt",
            "UserPromptSubmit",
            "userPromptSubmitted",
            "BeforeAgent",
            "beforeSubmitPrompt",
            "PreToolUse",
        ],
    ),
    (HookEvent::Stop, &["stop", "Stop", "AfterAgent", "agentStop"]),
    (HookEvent::PreCompact, &["pre-compact", "PreCompact", "preCompact", "PreCompress"]),
    (HookEvent::SessionEnd, &["session-end", "SessionEnd", "sessionEnd"]),
];

impl HookEvent {
    /// The event that a word means, ours or an agent's.
    pub fn of(word: &str) -> Option<Self> {
        EVENTS.iter().find(|(_, words)| words.contains(&word)).map(|(event, _)| *event)
    }

    /// Our word for it.
    pub fn word(self) -> &'static str {
        EVENTS.iter().find(|(event, _)| *event == self).map_or("", |(_, words)| words[0])
    }
}

/// The shape of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}`
    Specific,
    /// `{"additionalContext":…}`
    Camel,
    /// `{"additional_context":…}`
    Snake,
    /// `{"cancel":false,"contextModification":…,"errorMessage":""}`
    Cline,
    /// The text as it is.
    Plain,
}

/// How one agent is answered.
#[derive(Debug)]
pub struct Dialect {
    /// The agent, by its word.
    pub agent: &'static str,
    /// Bytes that an answer's text may have.
    pub most: usize,
    /// Whether it says that it is about to sum up before each request, whether or not it does.
    pub compacts_for_show: bool,
    /// Whether the briefing goes with the first prompt, because nothing said at the start arrives.
    pub briefs_at_prompt: bool,
    /// Whether a hook can keep it from stopping, with a reason that the model gets.
    pub blocks_stop: bool,
    /// Which events take an answer, the agent's name of each, and its shape.
    answers: &'static [(HookEvent, &'static str, Shape)],
}

/// Claude Code passes on 10,000 characters, Codex 2,500 tokens of four bytes; the others more.
const MOST: usize = 9_500;

const START: HookEvent = HookEvent::SessionStart;

/// Every agent that is answered.
pub(crate) const DIALECTS: &[Dialect] = &[
    Dialect {
        // What it is told before it sums up becomes part of its instructions for that.
        answers: &[
            (START, "SessionStart", Shape::Specific),
            (HookEvent::Prompt, "UserPromptSubmit", Shape::Specific),
            (HookEvent::PreCompact, "PreCompact", Shape::Plain),
        ],
        blocks_stop: true,
        ..plain("claude-code")
    },
    Dialect {
        answers: &[
            (START, "SessionStart", Shape::Specific),
            (HookEvent::Prompt, "UserPromptSubmit", Shape::Specific),
        ],
        blocks_stop: true,
        ..plain("codex")
    },
    Dialect {
        answers: &[
            (START, "SessionStart", Shape::Specific),
            (HookEvent::Prompt, "BeforeAgent", Shape::Specific),
        ],
        compacts_for_show: true,
        ..plain("gemini-cli")
    },
    Dialect {
        answers: &[
            (START, "SessionStart", Shape::Specific),
            (HookEvent::Prompt, "UserPromptSubmit", Shape::Specific),
        ],
        blocks_stop: true,
        ..plain("qwen-code")
    },
    Dialect {
        answers: &[(START, "", Shape::Camel), (HookEvent::Prompt, "", Shape::Camel)],
        blocks_stop: true,
        ..plain("copilot-cli")
    },
    Dialect {
        // Our own plugin asks.
        answers: &[
            (START, "", Shape::Camel),
            (HookEvent::Prompt, "", Shape::Camel),
            (HookEvent::PreCompact, "", Shape::Camel),
        ],
        ..plain("opencode")
    },
    Dialect { answers: &[(START, "", Shape::Snake)], ..plain("cursor") },
    Dialect {
        answers: &[(HookEvent::Prompt, "", Shape::Cline)],
        briefs_at_prompt: true,
        ..plain("cline")
    },
    Dialect { answers: &[(START, "SessionStart", Shape::Specific)], ..plain("droid") },
];

const fn plain(agent: &'static str) -> Dialect {
    Dialect {
        agent,
        most: MOST,
        compacts_for_show: false,
        briefs_at_prompt: false,
        blocks_stop: false,
        answers: &[],
    }
}

impl Dialect {
    /// The row of an agent.
    pub fn of(agent: &str) -> Option<&'static Self> {
        DIALECTS.iter().find(|row| row.agent == agent)
    }

    /// Whether anything that is said at an event reaches the model.
    pub fn listens(&self, event: HookEvent) -> bool {
        self.answers.iter().any(|(of, _, _)| *of == event)
    }

    /// What is printed so that the agent does not stop yet, and gets a reason.
    pub fn block_stop(&self, reason: &str) -> Option<String> {
        #[derive(Serialize)]
        struct Block<'a> {
            decision: &'a str,
            reason: &'a str,
        }
        let block = Block { decision: "block", reason };
        self.blocks_stop.then(|| serde_json::to_string(&block).ok()).flatten()
    }

    /// What is printed so that the model gets a text. Nothing but fields that the agent knows: Codex
    /// drops the whole answer for one that it does not.
    pub fn answer(&self, event: HookEvent, text: &str) -> Option<String> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Specific<'a> {
            hook_event_name: &'a str,
            additional_context: &'a str,
        }
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        enum Said<'a> {
            HookSpecificOutput(Specific<'a>),
            AdditionalContext(&'a str),
            #[serde(rename = "additional_context")]
            Snake(&'a str),
        }
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Cline<'a> {
            cancel: bool,
            context_modification: &'a str,
            error_message: &'a str,
        }
        let (_, name, shape) = self.answers.iter().find(|(of, _, _)| *of == event)?;
        let said = match shape {
            Shape::Plain => return Some(text.to_owned()),
            Shape::Cline => {
                let said = Cline { cancel: false, context_modification: text, error_message: "" };
                return serde_json::to_string(&said).ok();
            }
            Shape::Specific => Said::HookSpecificOutput(Specific {
                hook_event_name: name,
                additional_context: text,
            }),
            Shape::Camel => Said::AdditionalContext(text),
            Shape::Snake => Said::Snake(text),
        };
        serde_json::to_string(&said).ok()
    }
}

/// Whether an agent gets its briefing with the first prompt.
pub fn briefs_at_prompt(agent: &Agent) -> bool {
    Dialect::of(agent.slug).is_some_and(|dialect| dialect.briefs_at_prompt)
}

/// The agent that runs a hook which was installed for another: Cursor and others run those of
/// Claude Code. None if it is the one for which it was installed.
pub fn really_by(
    installed_for: &Agent,
    payload: &Payload,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<&'static Agent> {
    let by_cursor = payload.by_cursor.then(|| find("cursor")).flatten();
    // Copilot tells its hooks who it is; an agent in the terminal of another would inherit that of
    // the outer one, so nothing is made of the variables of the others, nor of its where the transcript
    // lies as Claude Code's do.
    let own = payload.transcript.as_ref().is_some_and(|path| {
        let named = path.file_stem().and_then(|stem| stem.to_str());
        named.is_some() && named == payload.session.as_deref()
    });
    let by_copilot = || {
        if own {
            return None;
        }
        let seen = detect(&variable).map(|(agent, _)| agent)?;
        (seen.slug == "copilot-cli" && installed_for.slug == "claude-code").then_some(seen)
    };
    by_cursor.or_else(by_copilot).filter(|agent| *agent != installed_for)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_dialect_mean_an_event() {
        for word in ["session-start", "SessionStart", "sessionStart"] {
            assert_eq!(HookEvent::of(word), Some(HookEvent::SessionStart));
        }
        assert_eq!(HookEvent::of("AfterAgent"), Some(HookEvent::Stop));
        assert_eq!(HookEvent::of("PreCompress"), Some(HookEvent::PreCompact));
        assert_eq!(HookEvent::of("SubagentStop"), None);
        assert_eq!(HookEvent::PreCompact.word(), "pre-compact");
    }

    #[test]
    fn an_answer_has_only_what_the_agent_knows() {
        let said = |agent: &str, event| Dialect::of(agent).unwrap().answer(event, "a \"b\"\n");
        assert_eq!(
            said("codex", START).unwrap(),
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a \"b\"\n"}}"#
        );
        assert_eq!(
            said("gemini-cli", HookEvent::Prompt).unwrap(),
            r#"{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"a \"b\"\n"}}"#
        );
        assert_eq!(said("copilot-cli", START).unwrap(), r#"{"additionalContext":"a \"b\"\n"}"#);
        assert_eq!(said("cursor", START).unwrap(), r#"{"additional_context":"a \"b\"\n"}"#);
        assert_eq!(
            said("cline", HookEvent::Prompt).unwrap(),
            r#"{"cancel":false,"contextModification":"a \"b\"\n","errorMessage":""}"#
        );
        assert_eq!(said("claude-code", HookEvent::PreCompact).unwrap(), "a \"b\"\n");
        for (agent, event) in [
            ("codex", HookEvent::PreCompact),
            ("codex", HookEvent::Stop),
            ("claude-code", HookEvent::SessionEnd),
            ("cursor", HookEvent::Prompt),
        ] {
            assert_eq!(said(agent, event), None, "{agent}");
        }
    }

    #[test]
    fn a_stop_is_blocked_with_a_reason() {
        let said = |agent: &str| Dialect::of(agent).unwrap().block_stop("a \"b\"");
        let wanted = r#"{"decision":"block","reason":"a \"b\""}"#;
        for agent in ["claude-code", "codex", "qwen-code", "copilot-cli"] {
            assert_eq!(said(agent).as_deref(), Some(wanted), "{agent}");
        }
        assert_eq!(said("cursor"), None);
    }

    #[test]
    fn every_dialect_is_of_a_known_agent() {
        for row in DIALECTS {
            assert!(find(row.agent).is_some(), "{}", row.agent);
        }
    }

    #[test]
    fn who_runs_the_hooks_of_another_is_seen() {
        let claude = find("claude-code").unwrap();
        let nobody = |_: &str| None;
        let told = r#"{"session_id":"s","cursor_version":"3.1"}"#;
        let payload = Payload::read(told).unwrap();
        let by = |agent: Option<&'static Agent>| agent.map(|agent| agent.slug);
        assert_eq!(by(really_by(claude, &payload, nobody)), Some("cursor"));
        assert_eq!(by(really_by(find("cursor").unwrap(), &payload, nobody)), None);
        let payload = Payload::read(r#"{"session_id":"s"}"#).unwrap();
        assert_eq!(by(really_by(claude, &payload, nobody)), None);
        let copilot = |name: &str| (name == "COPILOT_CLI").then(|| "1".to_owned());
        assert_eq!(by(really_by(claude, &payload, copilot)), Some("copilot-cli"));
        assert_eq!(by(really_by(find("codex").unwrap(), &payload, copilot)), None);
        let told = r#"{"session_id":"s","transcript_path":"/h/.claude/projects/-x/s.jsonl"}"#;
        assert_eq!(by(really_by(claude, &Payload::read(told).unwrap(), copilot)), None);
        let told =
            r#"{"sessionId":"s","transcriptPath":"/h/.copilot/session-state/s/events.jsonl"}"#;
        let payload = Payload::read(told).unwrap();
        assert_eq!(by(really_by(claude, &payload, copilot)), Some("copilot-cli"));
    }
}
