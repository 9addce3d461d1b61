//! OpenCode: all sessions in one SQLite database, as messages and their parts.

mod answers;
mod database;
mod places;
mod prompt;
mod record;
mod tools;

use serde_json::{Value, json};

use crate::agent::{Agent, Environment, Ways};
use crate::claude;
use crate::dialect::{AgentEvent, Dialect, HookEvent, Shape};
use crate::hooks::Hooks;
use crate::installation::entry::{self, Entry, UserFile};
use crate::installation::{Content, Installation};
use crate::launch::{self, Launch, Start, Way};
use crate::settings::command::Program;
use crate::settings::json;
use crate::transcript::Transcripts;

const SLUG: &str = "opencode";

pub(crate) const AGENT: Agent = Agent {
    slug: SLUG,
    title: "OpenCode",
    aliases: &[],
    // The plugin that goes in with the hooks sets the one of the session.
    environment: Environment {
        marks: &["OPENCODE", "OPENCODE_PID"],
        session: Some("OPENCODE_SESSION_ID"),
        rank: 4,
    },
    ways: Ways {
        mentions: true,
        start: Some(r#"opencode --prompt "$(segue resume --target opencode)""#),
        again: Some("opencode -s "),
        ..Ways::PLAIN
    },
    launch: Some(Launch {
        programs: &["opencode"],
        talk: Start::by(Way::Argument(&["--prompt"])),
        // It puts an argument with spaces between quotation marks; its input it takes as it is.
        once: Start::by(Way::Input(&["run"])),
        reads: None,
        resumed: &["run", "-s", launch::SESSION_ID, launch::PROMPT],
    }),
    hooks: Some(Hooks::plain(Dialect::plain(EVENTS))),
    transcripts: Some(Transcripts {
        agent: SLUG,
        is_one: |_| false,
        is_database: Some(database::is_database),
        read: database::read,
        subagents: Some(places::subagents),
        in_file: Some(places::in_file),
        own_places: places::own_places,
        of_id: places::of_id,
        newest_in: places::newest_in,
        // It tells its commands that it runs them, but not for which session.
        live: |_, _| None,
    }),
    installation: Some(Installation {
        agent: SLUG,
        programs: &["opencode"],
        root: places::settings,
        hooks: Entry {
            user: &[UserFile::InRoot("plugins/segue.js")],
            project: &[".opencode/plugins/segue.js"],
            content: plugin,
        },
        prompt_hooks: None,
        mcp: Entry {
            user: &[UserFile::InRoot("opencode.json"), UserFile::InRoot("opencode.jsonc")],
            project: &["opencode.json", "opencode.jsonc"],
            content: server,
        },
        skill: Entry::SHARED_SKILL,
        // Without an AGENTS.md it reads those of Claude Code, which a new AGENTS.md would hide.
        instructions: Entry::instructions(
            &[UserFile::InRoot("AGENTS.md"), UserFile::InHome(claude::USER_INSTRUCTIONS)],
            &["AGENTS.md", claude::INSTRUCTIONS],
        ),
        after_hooks: None,
    }),
    ..Agent::PLAIN
};

/// Our own plugin asks, in our words.
const EVENTS: &[AgentEvent] = &[
    AgentEvent::answered("session-start", HookEvent::SessionStart, Shape::Camel),
    AgentEvent::answered("prompt", HookEvent::Prompt, Shape::Camel),
    AgentEvent::answered("pre-compact", HookEvent::PreCompact, Shape::Camel),
];

fn server(program: &Program) -> Content {
    let command = json!([program.word(), "mcp"]);
    let value = json!({"type": "local", "command": command, "enabled": true});
    entry::of_json(vec![json::Entry::Server { under: "mcp", value }])
}

fn plugin(program: &Program) -> Content {
    let word = Value::from(program.word()).to_string();
    entry::naming(include_str!("plugin.js"), "\"@PROGRAM@\"", &word, false)
}
