//! The tools, one row each. Every word here is in the context of every session: there are few.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::answer::{Answer, Trouble};
use super::caller::Caller;
use super::desk::Place;
use super::{leave, pick_up};

/// Arguments as they come.
pub(super) type Arguments = Map<String, Value>;

type Act = fn(&Place, &Caller, Arguments) -> Result<Answer, Trouble>;

/// What a call does to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Reads,
    /// Adds a handoff; nothing that is there is changed.
    Adds,
}

/// One tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) effect: Effect,
    /// Schemas of what goes in and what comes out.
    pub(super) input: fn() -> Value,
    pub(super) output: fn() -> Value,
    pub(super) act: Act,
}

/// Every tool.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "briefing",
        title: "Where the last session stopped",
        about: "What the last session left, what changed since, what to verify first. Call it at the start; with id or name, about that handoff.",
        effect: Effect::Reads,
        input: || {
            object(
                json!({
                    "budget": integer("tokens, default 1000"),
                    "id": plain(),
                    "name": plain(),
                    "target": text("agent that reads it"),
                }),
                &[],
            )
        },
        output: || object(json!({"briefing": plain()}), &["briefing"]),
        act: pick_up::briefing,
    },
    Tool {
        name: "save",
        title: "Leave a handoff",
        about: "Leave a handoff for the next session. Secrets are taken out. Git's state is noted by itself.",
        effect: Effect::Adds,
        input: || {
            let body = "Markdown with ## Context, Key Decisions, Current State, Next Steps, Warnings / Gotchas, Files of Note";
            object(
                json!({
                    "title": text("one line"),
                    "body": text(body),
                    "name": plain(),
                    "tags": texts(),
                    "next": texts(),
                }),
                &["title", "body"],
            )
        },
        output: saved,
        act: leave::save,
    },
    Tool {
        name: "search",
        title: "Search handoffs",
        about: "Search the text of handoffs, what still holds first. Words, \"a phrase\", -word, tag:x, file:path, section:decisions.",
        effect: Effect::Reads,
        input: || {
            object(
                json!({
                    "query": plain(),
                    "limit": whole(),
                    "all_projects": boolean(),
                }),
                &["query"],
            )
        },
        output: || found("hits"),
        act: pick_up::search,
    },
    Tool {
        name: "show",
        title: "Read a handoff",
        about: "The text of one handoff.",
        effect: Effect::Reads,
        input: || {
            let offset = "next_offset of a long one";
            object(
                json!({
                    "id": text("id, its beginning, or 'latest'"),
                    "offset": integer(offset),
                }),
                &["id"],
            )
        },
        output: || {
            let properties = json!({
                "id": plain(), "text": plain(), "next_offset": whole(),
            });
            object(properties, &["id", "text"])
        },
        act: pick_up::show,
    },
    Tool {
        name: "list",
        title: "List handoffs",
        about: "The newest handoffs here.",
        effect: Effect::Reads,
        input: || object(json!({"limit": whole(), "all_projects": boolean()}), &[]),
        output: || found("handoffs"),
        act: pick_up::list,
    },
    Tool {
        name: "decide",
        title: "Record a decision",
        about: "Record one decision at once, so that search finds it and tells later ones from earlier.",
        effect: Effect::Adds,
        input: || {
            object(
                json!({
                    "text": text("subject: what was decided"),
                    "why": plain(),
                    "rejected": texts(),
                }),
                &["text"],
            )
        },
        output: saved,
        act: leave::decide,
    },
];

/// The tool of a name.
pub(super) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Arguments as a tool takes them. A wrong one is the model's to mend, so it is told which.
pub(super) fn read<T: DeserializeOwned>(arguments: Arguments) -> Result<T, Trouble> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Trouble::new(format!("The arguments do not fit: {error}. Call again.")))
}

/// A list of texts, or one text by itself.
pub(super) fn some_texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        One(String),
        Many(Vec<String>),
        None,
    }
    Ok(match Given::deserialize(from)? {
        Given::One(text) => vec![text],
        Given::Many(texts) => texts,
        Given::None => Vec::new(),
    })
}

/// A number, as such or as a text.
pub(super) fn some_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Whole(u64),
        Float(f64),
        Text(String),
        None,
    }
    let bad = || serde::de::Error::custom("a whole number of 0 or more is wanted");
    match Given::deserialize(from)? {
        Given::Whole(number) => Ok(Some(number)),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and within bounds"
        )]
        Given::Float(number) if number.fract() == 0.0 && (0.0..1e15).contains(&number) => {
            Ok(Some(number as u64))
        }
        Given::Float(_) => Err(bad()),
        Given::Text(text) => text.trim().parse().map(Some).map_err(|_| bad()),
        Given::None => Ok(None),
    }
}

fn object(properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn plain() -> Value {
    json!({"type": "string"})
}

fn text(about: &str) -> Value {
    json!({"type": "string", "description": about})
}

fn texts() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

fn whole() -> Value {
    json!({"type": "integer"})
}

fn integer(about: &str) -> Value {
    json!({"type": "integer", "description": about})
}

fn boolean() -> Value {
    json!({"type": "boolean"})
}

fn saved() -> Value {
    object(json!({"id": plain(), "warnings": texts()}), &["id"])
}

fn found(what: &str) -> Value {
    object(json!({what: {"type": "array", "items": {"type": "object"}}}), &[what])
}
