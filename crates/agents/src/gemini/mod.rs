//! Gemini CLI: one file a session, an event log in which the last word on a message counts. Older
//! versions wrote the session as one value.

mod answers;
mod call;
mod places;
mod prompt;
mod record;

use std::fs::File;
use std::io;
use std::path::Path;

use segue_core::GO_ON;
use serde_json::json;

use crate::agent::{Agent, Environment, Ways};
use crate::dialect::{AgentEvent, Dialect, HookEvent, Shape};
use crate::hooks::Hooks;
use crate::installation::entry::{self, Entry, UserFile};
use crate::installation::{Content, Installation};
use crate::launch::{self, Launch, Start, Way};
use crate::lines::{Capture, read_lines, read_whole};
use crate::places::head_of;
use crate::settings::command::Program;
use crate::settings::json::Nesting;
use crate::transcript::Transcripts;

const SLUG: &str = "gemini-cli";

pub(crate) const AGENT: Agent = Agent {
    slug: SLUG,
    title: "Gemini CLI",
    aliases: &["gemini"],
    environment: Environment {
        marks: &["GEMINI_CLI", "GEMINI_SESSION_ID"],
        session: Some("GEMINI_SESSION_ID"),
        rank: 1,
    },
    ways: Ways {
        instructions: "GEMINI.md",
        mentions: true,
        start: Some(r#"gemini -i "$(segue resume --target gemini-cli)""#),
        again: Some("gemini -r "),
        ..Ways::PLAIN
    },
    launch: Some(Launch {
        programs: &["gemini"],
        talk: Start::by(Way::Argument(&["-i"])),
        // Its input comes before what `-p` says, without which a terminal would open a conversation.
        once: Start::by(Way::Input(&["-p", GO_ON])),
        reads: Some("--include-directories"),
        resumed: &["--resume", launch::SESSION_ID, "-p", launch::PROMPT],
    }),
    hooks: Some(Hooks::plain(Dialect { compacts_for_show: true, ..Dialect::plain(EVENTS) })),
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
        programs: &["gemini"],
        root: places::root,
        hooks: Entry {
            user: &[UserFile::InRoot("settings.json")],
            project: &[".gemini/settings.json"],
            content: hooks,
        },
        prompt_hooks: Some(hooks),
        mcp: Entry {
            user: &[UserFile::InRoot("settings.json")],
            project: &[".gemini/settings.json"],
            content: entry::plain_server,
        },
        skill: Entry::SHARED_SKILL,
        instructions: Entry::instructions(&[UserFile::InRoot("GEMINI.md")], &["GEMINI.md"]),
        after_hooks: None,
    }),
    mcp_clients: &["gemini-cli-mcp-client"],
    models: &[("gemini-2.5", 1_048_576), ("gemini-3", 1_048_576)],
};

const EVENTS: &[AgentEvent] = &[
    AgentEvent::answered("SessionStart", HookEvent::SessionStart, Shape::Specific),
    AgentEvent::answered("BeforeAgent", HookEvent::Prompt, Shape::Specific),
    AgentEvent::silent("AfterAgent", HookEvent::Stop),
    AgentEvent::silent("PreCompress", HookEvent::PreCompact),
    AgentEvent::silent("SessionEnd", HookEvent::SessionEnd),
];

fn hooks(program: &Program) -> Content {
    let handlers = entry::hooks(Nesting::Groups, EVENTS, true, |event| {
        let command = entry::line(program, SLUG, event);
        json!({"name": "segue", "type": "command", "command": command, "timeout": 10_000})
    });
    entry::of_json(vec![handlers])
}

/// Whether a record is of this agent, by what stands in its first bytes.
fn is_one(head: &str) -> bool {
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let first = if is_spread(head) { head } else { head.lines().next().unwrap_or_default() };
    let is_header = ["\"sessionId\"", "\"startTime\"", "\"lastUpdated\""]
        .iter()
        .all(|field| first.contains(field));
    head.starts_with('{')
        && (is_header
            || head.contains("\"type\":\"gemini\"")
            || head.contains("\"type\": \"gemini\""))
}

/// Whether this begins a value that is spread over lines.
fn is_spread(head: &str) -> bool {
    // Without a line end it may be the beginning of a record.
    head.split_once('\n').is_some_and(|(line, _)| line.trim_end() == "{")
}

/// Reads what was not read yet.
fn read(path: &Path, capture: &mut Capture) -> io::Result<()> {
    let head = head_of(File::open(path)?, 64)?;
    if is_spread(head.trim_start_matches('\u{feff}').trim_start()) {
        let root = places::root_of(path);
        return read_whole(path, capture, &mut |value, recorder| {
            recorder.next_record();
            root.iter().for_each(|root| recorder.cwd(root));
            record::take_whole(value, recorder)
        });
    }
    let mut root = places::root_of(path);
    read_lines(path, capture, &mut |line, recorder| {
        // No record says where the session ran.
        root.take().iter().for_each(|root| recorder.cwd(root));
        record::take(line, recorder)
    })
}
