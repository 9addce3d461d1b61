//! Cursor: an editor with a command line agent. It runs the hooks of Claude Code besides its own.

use serde_json::json;

use crate::agent::{Agent, Environment, Ways};
use crate::dialect::{AgentEvent, Dialect, HookEvent, Shape};
use crate::hooks::{BorrowedHooks, BorrowerMark, Hooks};
use crate::installation::entry::{self, Entry, MARKED, UserFile};
use crate::installation::{Content, INSTRUCTIONS, Installation};
use crate::launch::{Launch, Start, Way};
use crate::settings::command::Program;
use crate::settings::json::Nesting;

const SLUG: &str = "cursor";

pub(crate) const AGENT: Agent = Agent {
    slug: SLUG,
    title: "Cursor",
    aliases: &["cursor-agent"],
    environment: Environment {
        marks: &["CURSOR_TRANSCRIPT_PATH", "CURSOR_PROJECT_DIR", "CURSOR_AGENT"],
        session: None,
        rank: 8,
    },
    ways: Ways {
        mentions: true,
        start: Some(r#"cursor-agent "$(segue resume --target cursor)""#),
        again: Some("cursor-agent --resume "),
        ..Ways::PLAIN
    },
    launch: Some(Launch {
        talk: Start::by(Way::Argument(&[])),
        once: Start::by(Way::Argument(&["-p"])),
        // Newer ones call it `agent`, which may be anybody's.
        ..Launch::plain(&["cursor-agent"])
    }),
    hooks: Some(Hooks {
        borrows: Some(BorrowedHooks {
            shown_by: BorrowerMark::PayloadField("cursor_version"),
            own_files: &[".cursor/hooks.json"],
        }),
        // The editor is seldom started from a shell.
        runs_detached: true,
        ..Hooks::plain(Dialect::plain(EVENTS))
    }),
    installation: Some(Installation {
        agent: SLUG,
        programs: &["cursor-agent", "cursor"],
        root: |places| Some(places.home.as_ref()?.join(".cursor")),
        hooks: Entry {
            user: &[UserFile::InRoot("hooks.json")],
            project: &[".cursor/hooks.json"],
            content: hooks,
        },
        prompt_hooks: None,
        mcp: Entry {
            user: &[UserFile::InRoot("mcp.json")],
            project: &[".cursor/mcp.json"],
            content: entry::plain_server,
        },
        skill: Entry::SHARED_PROJECT_SKILL,
        instructions: Entry {
            user: &[],
            project: &[".cursor/rules/segue.mdc"],
            content: |_| entry::whole(format!("{RULE_HEAD}{INSTRUCTIONS}{MARKED}")),
        },
        after_hooks: None,
    }),
    mcp_clients: &["cursor-vscode"],
    ..Agent::PLAIN
};

const EVENTS: &[AgentEvent] = &[
    AgentEvent::answered("sessionStart", HookEvent::SessionStart, Shape::Snake),
    AgentEvent::silent("beforeSubmitPrompt", HookEvent::Prompt),
    AgentEvent::silent("stop", HookEvent::Stop),
    AgentEvent::silent("preCompact", HookEvent::PreCompact),
    AgentEvent::silent("sessionEnd", HookEvent::SessionEnd),
];

/// What makes a rule of a file, one that counts in every session.
const RULE_HEAD: &str = "---\ndescription: Handoffs between sessions\nalwaysApply: true\n---\n\n";

fn hooks(program: &Program) -> Content {
    let handlers = entry::hooks(
        Nesting::Flat,
        EVENTS,
        false,
        |event| json!({"command": entry::line(program, SLUG, event), "timeout": 10}),
    );
    entry::of_json(vec![entry::version(), handlers])
}
