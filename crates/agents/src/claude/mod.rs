//! Claude Code: one JSONL file a session, in a directory named after where it ran.

mod answers;
mod background;
mod places;
mod prompt;
mod record;
mod subagents;
mod user;

pub(crate) use places::{is_of, names_in};

use serde_json::json;

use crate::agent::{Agent, Environment, Ways};
use crate::dialect::{AgentEvent, Dialect, HookEvent, Shape};
use crate::hooks::Hooks;
use crate::installation::entry::{self, Entry, UserFile};
use crate::installation::{Content, Installation};
use crate::launch::{self, Launch, Start, Way};
use crate::lines::read_lines;
use crate::settings::command::Program;
use crate::settings::json::Nesting;
use crate::transcript::Transcripts;

const SLUG: &str = "claude-code";
/// Its instructions in a repository.
pub(crate) const INSTRUCTIONS: &str = "CLAUDE.md";
/// Its instructions for all that the user does, below the home, unless the user moved them.
pub(crate) const USER_INSTRUCTIONS: &str = ".claude/CLAUDE.md";

pub(crate) const AGENT: Agent = Agent {
    slug: SLUG,
    title: "Claude Code",
    aliases: &["claude"],
    environment: Environment {
        marks: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT"],
        session: Some("CLAUDE_CODE_SESSION_ID"),
        rank: 9,
    },
    ways: Ways {
        instructions: INSTRUCTIONS,
        mentions: true,
        start: Some(r#"claude "$(segue resume --target claude-code)""#),
        again: Some("claude --resume "),
        ..Ways::PLAIN
    },
    launch: Some(Launch {
        programs: &["claude"],
        talk: Start::by(Way::Argument(&[])),
        once: Start::by(Way::Input(&["-p"])),
        reads: Some("--add-dir"),
        resumed: &[
            "-p",
            "--resume",
            launch::SESSION_ID,
            "--no-session-persistence",
            launch::PROMPT,
        ],
    }),
    hooks: Some(Hooks {
        off_setting: Some("disableAllHooks"),
        project_variable: Some("CLAUDE_PROJECT_DIR"),
        ..Hooks::plain(Dialect { blocks_stop: true, ..Dialect::plain(EVENTS) })
    }),
    transcripts: Some(Transcripts {
        agent: SLUG,
        is_one,
        is_database: None,
        read: |path, capture| read_lines(path, capture, &mut record::take),
        subagents: Some(subagents::subagents),
        in_file: None,
        own_places: places::own_places,
        of_id: places::of_id,
        newest_in: places::newest_in,
        live: places::live,
    }),
    installation: Some(Installation {
        agent: SLUG,
        programs: &["claude"],
        root: places::root,
        hooks: Entry {
            user: &[UserFile::InRoot("settings.json")],
            project: &[".claude/settings.json"],
            content: |program| hooks(program, false),
        },
        prompt_hooks: Some(|program| hooks(program, true)),
        mcp: Entry {
            user: &[UserFile::Found(places::settings_of_user)],
            project: &[".mcp.json"],
            content: |program| entry::server(json!({"type": "stdio"}), program),
        },
        skill: Entry::skill(
            &[UserFile::InRoot("skills/segue/SKILL.md")],
            &[".claude/skills/segue/SKILL.md"],
        ),
        // Without a CLAUDE.md it reads AGENTS.md, which a new CLAUDE.md would hide.
        instructions: Entry::instructions(
            &[UserFile::InRoot(INSTRUCTIONS)],
            &[INSTRUCTIONS, "AGENTS.md"],
        ),
        after_hooks: None,
    }),
    mcp_clients: &[],
    models: &[
        ("claude-opus-4-5", 200_000),
        ("claude-opus-4-1", 200_000),
        ("claude-opus-4-2", 200_000),
        ("claude-opus-4", 1_000_000),
        ("claude-opus-5", 1_000_000),
        ("claude-sonnet-5", 1_000_000),
        ("claude-sonnet-4", 200_000),
        ("claude-haiku-4", 200_000),
        ("claude-fable-5", 1_000_000),
    ],
};

const EVENTS: &[AgentEvent] = &[
    AgentEvent::answered("SessionStart", HookEvent::SessionStart, Shape::Specific),
    AgentEvent::answered("UserPromptSubmit", HookEvent::Prompt, Shape::Specific),
    AgentEvent::silent("Stop", HookEvent::Stop),
    // What it is told before it sums up becomes part of its instructions for that.
    AgentEvent::answered("PreCompact", HookEvent::PreCompact, Shape::Plain),
    AgentEvent::silent("SessionEnd", HookEvent::SessionEnd),
];

fn hooks(program: &Program, at_prompts: bool) -> Content {
    let handlers = entry::hooks(Nesting::Groups, EVENTS, at_prompts, |event| {
        match program.is_plain() {
            true => {
                let command = entry::line(program, SLUG, event);
                json!({"type": "command", "command": command, "timeout": 10})
            }
            // It can run a program without a shell in between.
            false => {
                let args = ["hook", SLUG, event.word()];
                json!({"type": "command", "command": program.word(), "args": args, "timeout": 10})
            }
        }
    });
    entry::of_json(vec![handlers])
}

/// Whether a record is of this agent, by what stands in its first bytes.
pub(crate) fn is_one(head: &str) -> bool {
    // Qwen Code has the same envelope.
    if crate::qwen::is_one(head) {
        return false;
    }
    head.contains("\"sessionId\"")
        && (head.contains("\"parentUuid\"") || head.contains("\"leafUuid\""))
        || head.contains("\"isSidechain\"")
        || head.contains("\"type\":\"file-history-snapshot\"")
        || head.contains("\"type\":\"queue-operation\"")
}
