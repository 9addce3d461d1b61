//! Dialects: how an agent calls the events of its hooks, and what it takes for an answer.

use serde::Serialize;

use crate::Agent;
use crate::agent::AGENTS;

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

/// Our words for events.
const WORDS: &[(HookEvent, &str)] = &[
    (HookEvent::SessionStart, "session-start"),
    (HookEvent::Prompt, "prompt"),
    (HookEvent::Stop, "stop"),
    (HookEvent::PreCompact, "pre-compact"),
    (HookEvent::SessionEnd, "session-end"),
];

impl HookEvent {
    /// The event that a word means, ours or an agent's.
    pub fn of(word: &str) -> Option<Self> {
        let own = WORDS.iter().map(|(event, own)| (*own, *event));
        let dialects = AGENTS.iter().filter_map(|agent| Some(&agent.hooks.as_ref()?.dialect));
        let theirs = dialects.flat_map(|dialect| dialect.events.iter());
        let mut all = own.chain(theirs.map(|event| (event.name, event.means)));
        all.find(|(known, _)| *known == word).map(|(_, event)| event)
    }

    /// Our word for it.
    pub fn word(self) -> &'static str {
        WORDS.iter().find(|(event, _)| *event == self).map_or("", |(_, word)| word)
    }
}

/// The shape of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}`
    Specific,
    /// `{"additionalContext":…}`
    Camel,
    /// `{"additional_context":…}`
    Snake,
    /// `{"cancel":false,"contextModification":…,"errorMessage":""}`
    Modification,
    /// The text as it is.
    Plain,
}

/// An event of an agent.
#[derive(Debug)]
pub(crate) struct AgentEvent {
    /// The agent's name of it.
    pub(crate) name: &'static str,
    pub(crate) means: HookEvent,
    /// The shape of an answer, if the model gets one.
    pub(crate) answer: Option<Shape>,
}

impl AgentEvent {
    /// An event at which the model hears something.
    pub(crate) const fn answered(name: &'static str, means: HookEvent, shape: Shape) -> Self {
        Self { name, means, answer: Some(shape) }
    }

    /// An event at which the model hears nothing.
    pub(crate) const fn silent(name: &'static str, means: HookEvent) -> Self {
        Self { name, means, answer: None }
    }
}

/// How one agent is answered.
#[derive(Debug)]
pub struct Dialect {
    /// Bytes that an answer's text may have.
    pub most: usize,
    /// Whether it says that it is about to sum up before each request, whether or not it does.
    pub compacts_for_show: bool,
    /// Whether the briefing goes with the first prompt, because nothing said at the start arrives.
    pub briefs_at_prompt: bool,
    /// Whether a hook can keep it from stopping, with a reason that the model gets.
    pub blocks_stop: bool,
    /// Its events, in the order in which hooks for them are installed.
    pub(crate) events: &'static [AgentEvent],
}

/// Claude Code passes on 10,000 characters, Codex 2,500 tokens of four bytes; the others more.
const MOST: usize = 9_500;

impl Dialect {
    /// One without anything special.
    pub(crate) const fn plain(events: &'static [AgentEvent]) -> Self {
        Self {
            most: MOST,
            compacts_for_show: false,
            briefs_at_prompt: false,
            blocks_stop: false,
            events,
        }
    }

    /// The dialect of an agent, by its word.
    pub fn of(agent: &str) -> Option<&'static Self> {
        let agent = AGENTS.iter().find(|row| row.slug == agent)?;
        Some(&agent.hooks.as_ref()?.dialect)
    }

    /// Whether anything that is said at an event reaches the model.
    pub fn listens(&self, event: HookEvent) -> bool {
        self.events.iter().any(|own| own.means == event && own.answer.is_some())
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
        struct Modification<'a> {
            cancel: bool,
            context_modification: &'a str,
            error_message: &'a str,
        }
        let own = self.events.iter().find(|own| own.means == event)?;
        let said = match own.answer? {
            Shape::Plain => return Some(text.to_owned()),
            Shape::Modification => {
                let said =
                    Modification { cancel: false, context_modification: text, error_message: "" };
                return serde_json::to_string(&said).ok();
            }
            Shape::Specific => Said::HookSpecificOutput(Specific {
                hook_event_name: own.name,
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
    agent.hooks.as_ref().is_some_and(|hooks| hooks.dialect.briefs_at_prompt)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: HookEvent = HookEvent::SessionStart;

    #[test]
    fn words_of_every_dialect_mean_an_event() {
        for word in ["session-start", "SessionStart", "sessionStart"] {
            assert_eq!(HookEvent::of(word), Some(HookEvent::SessionStart));
        }
        for word in ["UserPromptSubmit", "userPromptSubmitted", "beforeSubmitPrompt", "PreToolUse"]
        {
            assert_eq!(HookEvent::of(word), Some(HookEvent::Prompt));
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
}
