//! Codex CLI: one JSONL file a session, packed after some days; a single JSON in the oldest versions.

mod answers;
mod fork;
pub(crate) mod patch;
mod places;
mod prompt;
mod record;
mod subagents;
mod tools;
mod trust;

use std::io;
use std::path::Path;

use serde_json::json;

use crate::agent::{Agent, Environment, Ways};
use crate::dialect::{AgentEvent, Dialect, HookEvent, Shape};
use crate::hooks::{Hooks, TrustQuestion};
use crate::installation::content::Kind;
use crate::installation::entry::{self, Entry, UserFile};
use crate::installation::{Content, Installation};
use crate::launch::{self, Launch, Start, Way};
use crate::lines::{Capture, read_lines, read_whole};
use crate::settings::command::Program;
use crate::settings::json::{NAME, Nesting};
use crate::settings::toml::Table;
use crate::transcript::Transcripts;

const SLUG: &str = "codex";

pub(crate) const AGENT: Agent = Agent {
    slug: SLUG,
    title: "Codex CLI",
    aliases: &["codex-cli"],
    environment: Environment {
        marks: &["CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX"],
        session: Some("CODEX_SESSION_ID"),
        rank: 3,
    },
    ways: Ways {
        start: Some(r#"codex "$(segue resume --target codex)""#),
        again: Some("codex resume "),
        ..Ways::PLAIN
    },
    launch: Some(Launch {
        programs: &["codex"],
        talk: Start::by(Way::Argument(&[])),
        once: Start::by(Way::Input(&["exec", "-"])),
        // It may read everything.
        reads: None,
        resumed: &["exec", "resume", "--skip-git-repo-check", launch::SESSION_ID, launch::PROMPT],
    }),
    hooks: Some(Hooks {
        trust: Some(TrustQuestion {
            answer: trust::trust_of_hooks,
            remedy: "start codex once and choose Trust",
        }),
        // Its terminal leaves them to a daemon that outlives it.
        runs_detached: true,
        ..Hooks::plain(Dialect { blocks_stop: true, ..Dialect::plain(EVENTS) })
    }),
    transcripts: Some(Transcripts {
        agent: SLUG,
        is_one,
        is_database: None,
        read,
        subagents: Some(subagents::subagents),
        in_file: Some(places::in_file),
        own_places: places::own_places,
        of_id: places::of_id,
        newest_in: places::newest_in,
        // Only the environment of its commands tells.
        live: |_, _| None,
    }),
    installation: Some(Installation {
        agent: SLUG,
        programs: &["codex"],
        root: places::root,
        hooks: Entry {
            user: &[UserFile::InRoot("hooks.json")],
            project: &[".codex/hooks.json"],
            content: |program| hooks(program, false),
        },
        prompt_hooks: Some(|program| hooks(program, true)),
        mcp: Entry {
            user: &[UserFile::InRoot("config.toml")],
            project: &[".codex/config.toml"],
            content: server,
        },
        skill: Entry::SHARED_SKILL,
        instructions: Entry::instructions(&[UserFile::InRoot("AGENTS.md")], &["AGENTS.md"]),
        after_hooks: Some(
            "Codex runs new hooks only after you trusted them: start codex once and choose Trust",
        ),
    }),
    mcp_clients: &["codex-mcp-client"],
    models: &[
        ("gpt-5", 272_000),
        ("gpt-6", 272_000),
        ("gpt-4.1", 1_047_576),
        ("o3", 200_000),
        ("o4-mini", 200_000),
    ],
};

const EVENTS: &[AgentEvent] = &[
    AgentEvent::answered("SessionStart", HookEvent::SessionStart, Shape::Specific),
    AgentEvent::answered("UserPromptSubmit", HookEvent::Prompt, Shape::Specific),
    AgentEvent::silent("Stop", HookEvent::Stop),
    AgentEvent::silent("PreCompact", HookEvent::PreCompact),
    AgentEvent::silent("SessionEnd", HookEvent::SessionEnd),
];

fn hooks(program: &Program, at_prompts: bool) -> Content {
    let handlers = entry::hooks(Nesting::Groups, EVENTS, at_prompts, |event| {
        // Three seconds are the most that it allows there.
        let timeout = if event == HookEvent::SessionEnd { 3 } else { 10 };
        let command = entry::line(program, SLUG, event);
        json!({"type": "command", "command": command, "timeout": timeout})
    });
    entry::of_json(vec![handlers])
}

fn server(program: &Program) -> Content {
    let command = program.word().to_owned();
    Content(Kind::Toml(Table { under: "mcp_servers", name: NAME, command, args: &["mcp"] }))
}

/// Whether a record is of this agent, by what stands in its first bytes.
fn is_one(head: &str) -> bool {
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let plain = head.get(..2_000).unwrap_or(head).replace("\": ", "\":");
    let envelope = ["session_meta", "response_item", "event_msg", "turn_context"];
    let has = |text: &str| plain.contains(text) || head.contains(text);
    has("\"payload\":") && envelope.iter().any(|kind| has(&format!("\"type\":\"{kind}\"")))
        || is_bare(&plain)
        || is_single(head)
}

/// The first record of versions that had no envelope.
fn is_bare(head: &str) -> bool {
    let first = head.lines().next().unwrap_or(head);
    first.starts_with("{\"id\":\"")
        && first.contains("\"timestamp\":\"")
        && first.contains("\"instructions\":")
}

/// The versions before Rust: one value with everything.
fn is_single(head: &str) -> bool {
    let Some(rest) = head.strip_prefix('{') else { return false };
    let Some(rest) = rest.trim_start().strip_prefix("\"session\"") else { return false };
    rest.trim_start_matches([':', ' ']).starts_with('{') && rest.contains("\"instructions\"")
}

/// Reads what was not read yet.
fn read(path: &Path, capture: &mut Capture) -> io::Result<()> {
    if path.extension().is_some_and(|end| end == "json") {
        return read_whole(path, capture, &mut record::take_single);
    }
    read_lines(path, capture, &mut record::take)
}
