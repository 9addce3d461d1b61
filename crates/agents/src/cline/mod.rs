//! Cline: hooks are scripts, and only what it is told with a prompt arrives.

use std::path::PathBuf;

use crate::agent::{Agent, Environment, Ways};
use crate::dialect::{AgentEvent, Dialect, HookEvent, Shape};
use crate::hooks::Hooks;
use crate::installation::entry::{self, Entry, MARKED, UserFile};
use crate::installation::{Content, INSTRUCTIONS, Installation};
use crate::launch::{Launch, Start, Way};
use crate::places::Places;
use crate::settings::command::Program;

const SLUG: &str = "cline";

pub(crate) const AGENT: Agent = Agent {
    slug: SLUG,
    title: "Cline",
    environment: Environment { marks: &["CLINE_ACTIVE"], session: None, rank: 11 },
    ways: Ways {
        start: Some(r#"cline -i "$(segue resume --target cline)""#),
        again: Some("cline --id "),
        ..Ways::PLAIN
    },
    launch: Some(Launch {
        talk: Start::by(Way::Argument(&["-i"])),
        once: Start::by(Way::Argument(&[])),
        ..Launch::plain(&["cline"])
    }),
    hooks: Some(Hooks {
        // They are run by a hub that outlives the terminal.
        runs_detached: true,
        ..Hooks::plain(Dialect {
            briefs_at_prompt: true,
            ..Dialect::plain(&[AgentEvent::answered(
                "PreToolUse",
                HookEvent::Prompt,
                Shape::Modification,
            )])
        })
    }),
    installation: Some(Installation {
        agent: SLUG,
        programs: &["cline"],
        root,
        hooks: Entry {
            user: if cfg!(windows) { &[] } else { &[UserFile::InRoot("hooks/PreToolUse")] },
            project: &[],
            content: hook_script,
        },
        prompt_hooks: None,
        mcp: Entry {
            user: &[UserFile::Found(server_settings)],
            project: &[],
            content: entry::plain_server,
        },
        skill: Entry::SHARED_PROJECT_SKILL,
        instructions: Entry {
            user: &[],
            project: &[".clinerules/segue.md"],
            content: |_| entry::whole(format!("{INSTRUCTIONS}{MARKED}")),
        },
        after_hooks: None,
    }),
    ..Agent::PLAIN
};

fn root(places: &Places) -> Option<PathBuf> {
    places.dir("CLINE_DIR", ".cline")
}

fn server_settings(places: &Places) -> Option<PathBuf> {
    if let Some(said) = places.var("CLINE_MCP_SETTINGS_PATH") {
        return Some(said.into());
    }
    let data = places.var("CLINE_DATA_DIR").map(PathBuf::from);
    let data = data.or_else(|| Some(root(places)?.join("data")))?;
    Some(data.join("settings/cline_mcp_settings.json"))
}

fn hook_script(program: &Program) -> Content {
    entry::naming(include_str!("hook.sh"), "@PROGRAM@", &program.quoted_with_variable(), true)
}
