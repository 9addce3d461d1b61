//! The tools, one row each. Every word here is in the context of every session: there are few.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::answer::{Answer, Trouble};
use super::arguments::Arguments;
use super::caller::Caller;
use super::desk::Place;
use super::{leave, pick_up};

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
                    "limit": at_most(pick_up::HITS.1),
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
        input: || {
            object(json!({"limit": at_most(pick_up::ROWS.1), "all_projects": boolean()}), &[])
        },
        output: || found("handoffs"),
        act: pick_up::list,
    },
    Tool {
        name: "note",
        title: "Note one thing",
        about: "Note one thing for the next briefing.",
        effect: Effect::Adds,
        input: || {
            object(
                json!({
                    "kind": {"type": "string", "enum": leave::KINDS},
                    "text": text("subject: choice"),
                    "why": plain(),
                    "rejected": texts(),
                }),
                &["kind", "text"],
            )
        },
        output: saved,
        act: leave::note,
    },
];

/// Tools that older installations call: they are answered and not listed.
const HIDDEN: &[Tool] = &[Tool {
    name: "decide",
    title: "Record a decision",
    about: "Record one decision.",
    effect: Effect::Adds,
    input: || object(json!({"text": plain(), "why": plain(), "rejected": texts()}), &["text"]),
    output: saved,
    act: leave::decide,
}];

/// The tool of a name.
pub(super) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().chain(HIDDEN).find(|tool| tool.name == name)
}

/// Arguments that fit their schema, as a tool takes them.
pub(super) fn read<T: DeserializeOwned>(arguments: Arguments) -> Result<T, Trouble> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Trouble::new(format!("The arguments do not fit: {error}. Call again.")))
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

fn at_most(most: u64) -> Value {
    json!({"type": "integer", "maximum": most})
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
