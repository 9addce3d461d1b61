//! Copilot CLI: a directory a session, with its events in one JSONL file.

mod answers;
mod denial;
mod places;
mod prompt;
mod record;
mod sql;
mod usage;

use std::io;
use std::path::Path;

use serde_json::json;

use crate::agent::{Agent, Environment, Ways};
use crate::claude;
use crate::dialect::{AgentEvent, Dialect, HookEvent, Shape};
use crate::hooks::{BorrowedHooks, BorrowerMark, Hooks};
use crate::installation::entry::{self, Entry, UserFile};
use crate::installation::{Content, Installation};
use crate::launch::{self, Launch, Start, Way};
use crate::lines::{Capture, read_lines};
use crate::settings::command::Program;
use crate::settings::json::Nesting;
use crate::transcript::Transcripts;

const SLUG: &str = "copilot-cli";

pub(crate) const AGENT: Agent = Agent {
    slug: SLUG,
    title: "Copilot CLI",
    aliases: &["copilot", "github-copilot"],
    environment: Environment {
        marks: &["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"],
        session: Some("COPILOT_AGENT_SESSION_ID"),
        rank: 2,
    },
    ways: Ways {
        mentions: true,
        start: Some(r#"copilot -i "$(segue resume --target copilot-cli)""#),
        again: Some("copilot --resume="),
        ..Ways::PLAIN
    },
    launch: Some(Launch {
        programs: &["copilot"],
        talk: Start::by(Way::Argument(&["-i"])),
        once: Start::by(Way::Argument(&["-p"])),
        reads: Some("--add-dir"),
        resumed: &["--resume={id}", "-s", "-p", launch::PROMPT],
    }),
    hooks: Some(Hooks {
        borrows: Some(BorrowedHooks {
            // It tells its hooks who it is.
            shown_by: BorrowerMark::EnvironmentIn(claude::AGENT.slug),
            own_files: &[".copilot/hooks/segue.json", ".github/hooks/segue.json"],
        }),
        ..Hooks::plain(Dialect { blocks_stop: true, ..Dialect::plain(EVENTS) })
    }),
    transcripts: Some(Transcripts {
        agent: SLUG,
        is_one,
        is_database: None,
        read,
        subagents: None,
        in_file: Some(places::in_file),
        own_places: places::own_places,
        of_id: places::of_id,
        newest_in: places::newest_in,
        live: places::live,
    }),
    installation: Some(Installation {
        agent: SLUG,
        programs: &["copilot"],
        root: places::root,
        hooks: Entry {
            user: &[UserFile::InRoot("hooks/segue.json")],
            project: &[".github/hooks/segue.json"],
            content: hooks,
        },
        prompt_hooks: Some(hooks),
        mcp: Entry {
            user: &[UserFile::InRoot("mcp-config.json")],
            project: &[".github/mcp.json"],
            content: |program| entry::server(json!({"type": "local", "tools": ["*"]}), program),
        },
        skill: Entry::SHARED_SKILL,
        instructions: Entry::instructions(
            &[UserFile::InRoot("copilot-instructions.md")],
            &[".github/copilot-instructions.md"],
        ),
        after_hooks: None,
    }),
    mcp_clients: &["github-copilot-developer"],
    ..Agent::PLAIN
};

const EVENTS: &[AgentEvent] = &[
    AgentEvent::answered("sessionStart", HookEvent::SessionStart, Shape::Camel),
    AgentEvent::answered("userPromptSubmitted", HookEvent::Prompt, Shape::Camel),
    AgentEvent::silent("agentStop", HookEvent::Stop),
    AgentEvent::silent("preCompact", HookEvent::PreCompact),
    AgentEvent::silent("sessionEnd", HookEvent::SessionEnd),
];

fn hooks(program: &Program) -> Content {
    let handlers = entry::hooks(Nesting::Flat, EVENTS, true, |event| {
        let bash = entry::line(program, SLUG, event);
        // PowerShell takes a quoted path for a text, unless it is told to run it.
        let powershell = if program.is_plain() { bash.clone() } else { format!("& {bash}") };
        json!({"type": "command", "bash": bash, "powershell": powershell, "timeoutSec": 10})
    });
    entry::of_json(vec![entry::version(), handlers])
}

/// Whether a record is of this agent, by what stands in its first bytes. An editor's extension
/// writes the same events, but its sessions are not this agent's.
fn is_one(head: &str) -> bool {
    let first = head.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|first| {
        (first.contains("\"type\":\"session.start\"")
            || first.contains("\"type\":\"session.resume\"")
            || first.contains("\"type\": \"session.start\""))
            && first.contains("\"data\"")
            && !first.contains("\"vscodeVersion\"")
    })
}

/// Reads what was not read yet.
fn read(path: &Path, capture: &mut Capture) -> io::Result<()> {
    let mut name = places::name_of(path);
    read_lines(path, capture, &mut |line, recorder| {
        // What an event called it later counts.
        let name = name.take().filter(|_| recorder.session().title.is_none());
        name.iter().for_each(|name| recorder.title(name));
        record::take(line, recorder)
    })
}
