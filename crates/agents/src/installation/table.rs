//! The table: for each agent the files, their shapes, and what goes into them.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::content::Kind;
use super::{Content, Entry, INSTRUCTIONS, Installation, Place, SKILL};
use crate::settings::command::Program;
use crate::settings::json::{self, Nesting};
use crate::settings::toml::Table;
use crate::settings::yaml;
use crate::{Places, claude, codex, copilot, gemini, qwen};

/// The words for events on our command line.
const START: &str = "session-start";
const PROMPT: &str = "prompt";
const STOP: &str = "stop";
const COMPACT: &str = "pre-compact";
const END: &str = "session-end";

const SHARED_SKILL: &str = ".agents/skills/segue/SKILL.md";

/// Every agent that Segue can be installed in.
pub const INSTALLATIONS: &[Installation] = &[
    Installation {
        agent: "claude-code",
        programs: &["claude"],
        root: claude::places::root,
        hooks: Entry {
            user: &[Place::Own("settings.json")],
            project: &[".claude/settings.json"],
            content: claude_hooks,
        },
        prompt_hooks: Some(claude_prompt_hooks),
        mcp: Entry {
            user: &[Place::Said(claude_json)],
            project: &[".mcp.json"],
            content: |program| server(json!({"type": "stdio"}), program),
        },
        skill: Entry {
            user: &[Place::Own("skills/segue/SKILL.md")],
            project: &[".claude/skills/segue/SKILL.md"],
            content: skill,
        },
        // Without a CLAUDE.md it reads AGENTS.md, which a new CLAUDE.md would hide.
        instructions: Entry {
            user: &[Place::Own("CLAUDE.md")],
            project: &["CLAUDE.md", "AGENTS.md"],
            content: instructions,
        },
        after_hooks: None,
    },
    Installation {
        agent: "codex",
        programs: &["codex"],
        root: codex::places::root,
        hooks: Entry {
            user: &[Place::Own("hooks.json")],
            project: &[".codex/hooks.json"],
            content: codex_hooks,
        },
        prompt_hooks: Some(codex_prompt_hooks),
        mcp: Entry {
            user: &[Place::Own("config.toml")],
            project: &[".codex/config.toml"],
            content: codex_server,
        },
        skill: Entry {
            user: &[Place::Home(SHARED_SKILL)],
            project: &[SHARED_SKILL],
            content: skill,
        },
        instructions: Entry {
            user: &[Place::Own("AGENTS.md")],
            project: &["AGENTS.md"],
            content: instructions,
        },
        after_hooks: Some(
            "Codex runs new hooks only after you trusted them: start codex once and choose Trust",
        ),
    },
    Installation {
        agent: "gemini-cli",
        programs: &["gemini"],
        root: gemini::places::root,
        hooks: Entry {
            user: &[Place::Own("settings.json")],
            project: &[".gemini/settings.json"],
            content: gemini_hooks,
        },
        prompt_hooks: Some(gemini_hooks),
        mcp: Entry {
            user: &[Place::Own("settings.json")],
            project: &[".gemini/settings.json"],
            content: |program| server(json!({}), program),
        },
        skill: Entry {
            user: &[Place::Home(SHARED_SKILL)],
            project: &[SHARED_SKILL],
            content: skill,
        },
        instructions: Entry {
            user: &[Place::Own("GEMINI.md")],
            project: &["GEMINI.md"],
            content: instructions,
        },
        after_hooks: None,
    },
    Installation {
        agent: "copilot-cli",
        programs: &["copilot"],
        root: copilot::places::root,
        hooks: Entry {
            user: &[Place::Own("hooks/segue.json")],
            project: &[".github/hooks/segue.json"],
            content: copilot_hooks,
        },
        prompt_hooks: Some(copilot_hooks),
        mcp: Entry {
            user: &[Place::Own("mcp-config.json")],
            project: &[".github/mcp.json"],
            content: |program| server(json!({"type": "local", "tools": ["*"]}), program),
        },
        skill: Entry {
            user: &[Place::Home(SHARED_SKILL)],
            project: &[SHARED_SKILL],
            content: skill,
        },
        instructions: Entry {
            user: &[Place::Own("copilot-instructions.md")],
            project: &[".github/copilot-instructions.md"],
            content: instructions,
        },
        after_hooks: None,
    },
    Installation {
        agent: "qwen-code",
        programs: &["qwen"],
        root: qwen::places::root,
        hooks: Entry {
            user: &[Place::Own("settings.json")],
            project: &[".qwen/settings.json"],
            content: qwen_hooks,
        },
        prompt_hooks: Some(qwen_prompt_hooks),
        mcp: Entry {
            user: &[Place::Own("settings.json")],
            project: &[".qwen/settings.json"],
            content: |program| server(json!({}), program),
        },
        skill: Entry {
            user: &[Place::Own("skills/segue/SKILL.md")],
            project: &[".qwen/skills/segue/SKILL.md"],
            content: skill,
        },
        instructions: Entry {
            user: &[Place::Own("QWEN.md")],
            project: &["QWEN.md"],
            content: instructions,
        },
        after_hooks: None,
    },
    Installation {
        agent: "opencode",
        programs: &["opencode"],
        root: opencode_root,
        hooks: Entry {
            user: &[Place::Own("plugins/segue.js")],
            project: &[".opencode/plugins/segue.js"],
            content: opencode_plugin,
        },
        prompt_hooks: None,
        mcp: Entry {
            user: &[Place::Own("opencode.json"), Place::Own("opencode.jsonc")],
            project: &["opencode.json", "opencode.jsonc"],
            content: opencode_server,
        },
        skill: Entry {
            user: &[Place::Home(SHARED_SKILL)],
            project: &[SHARED_SKILL],
            content: skill,
        },
        // Without an AGENTS.md it reads CLAUDE.md, which a new AGENTS.md would hide.
        instructions: Entry {
            user: &[Place::Own("AGENTS.md"), Place::Home(".claude/CLAUDE.md")],
            project: &["AGENTS.md", "CLAUDE.md"],
            content: instructions,
        },
        after_hooks: None,
    },
    Installation {
        agent: "cursor",
        programs: &["cursor-agent", "cursor"],
        root: |places| Some(places.home.as_ref()?.join(".cursor")),
        hooks: Entry {
            user: &[Place::Own("hooks.json")],
            project: &[".cursor/hooks.json"],
            content: cursor_hooks,
        },
        prompt_hooks: None,
        mcp: Entry {
            user: &[Place::Own("mcp.json")],
            project: &[".cursor/mcp.json"],
            content: |program| server(json!({}), program),
        },
        skill: Entry { user: &[], project: &[SHARED_SKILL], content: skill },
        instructions: Entry {
            user: &[],
            project: &[".cursor/rules/segue.mdc"],
            content: |_| {
                let head =
                    "---\ndescription: Handoffs between sessions\nalwaysApply: true\n---\n\n";
                whole(format!("{head}{INSTRUCTIONS}{MARKED}"))
            },
        },
        after_hooks: None,
    },
    Installation {
        agent: "cline",
        programs: &["cline"],
        root: cline_root,
        hooks: Entry {
            user: if cfg!(windows) { &[] } else { &[Place::Own("hooks/PreToolUse")] },
            project: &[],
            content: cline_script,
        },
        prompt_hooks: None,
        mcp: Entry {
            user: &[Place::Said(cline_servers)],
            project: &[],
            content: |program| server(json!({}), program),
        },
        skill: Entry { user: &[], project: &[SHARED_SKILL], content: skill },
        instructions: Entry {
            user: &[],
            project: &[".clinerules/segue.md"],
            content: |_| whole(format!("{INSTRUCTIONS}{MARKED}")),
        },
        after_hooks: None,
    },
    // Its hooks cannot add to the context.
    Installation {
        agent: "goose",
        programs: &["goose"],
        root: goose_root,
        hooks: NONE,
        prompt_hooks: None,
        mcp: Entry { user: &[Place::Own("config.yaml")], project: &[], content: goose_extension },
        skill: NONE,
        instructions: NONE,
        after_hooks: None,
    },
];

/// What an agent does not have.
const NONE: Entry = Entry { user: &[], project: &[], content: skill };

/// The end of a file of ours that is Markdown.
const MARKED: &str = "\n<!-- made by 'segue install' -->\n";

fn claude_json(places: &Places) -> Option<PathBuf> {
    let dir = places.var("CLAUDE_CONFIG_DIR").map(PathBuf::from).or_else(|| places.home.clone());
    Some(dir?.join(".claude.json"))
}

fn opencode_root(places: &Places) -> Option<PathBuf> {
    let config = places.var("XDG_CONFIG_HOME").map(PathBuf::from);
    Some(config.or_else(|| Some(places.home.as_ref()?.join(".config")))?.join("opencode"))
}

fn cline_root(places: &Places) -> Option<PathBuf> {
    let said = places.var("CLINE_DIR").map(PathBuf::from);
    said.or_else(|| Some(places.home.as_ref()?.join(".cline")))
}

fn cline_servers(places: &Places) -> Option<PathBuf> {
    if let Some(said) = places.var("CLINE_MCP_SETTINGS_PATH") {
        return Some(said.into());
    }
    let data = places.var("CLINE_DATA_DIR").map(PathBuf::from);
    let data = data.or_else(|| Some(cline_root(places)?.join("data")))?;
    Some(data.join("settings/cline_mcp_settings.json"))
}

fn goose_root(places: &Places) -> Option<PathBuf> {
    if let Some(root) = places.var("GOOSE_PATH_ROOT") {
        return Some(PathBuf::from(root).join("config"));
    }
    if cfg!(windows) {
        return Some(PathBuf::from(places.var("APPDATA")?).join("Block/goose/config"));
    }
    let config = places.var("XDG_CONFIG_HOME").map(PathBuf::from);
    Some(config.or_else(|| Some(places.home.as_ref()?.join(".config")))?.join("goose"))
}

fn skill(_: &Program) -> Content {
    whole(SKILL.to_owned())
}

fn instructions(_: &Program) -> Content {
    Content(Kind::Block(INSTRUCTIONS))
}

fn whole(text: String) -> Content {
    Content(Kind::Whole { text, around: None, program: false })
}

/// A file that names the program in one place.
fn naming(template: &str, place: &str, word: &str, program: bool) -> Content {
    let (before, behind) = template.split_once(place).unwrap_or((template, ""));
    let around = Some((before.to_owned(), behind.to_owned()));
    Content(Kind::Whole { text: format!("{before}{word}{behind}"), around, program })
}

fn of_json(entries: Vec<json::Entry>) -> Content {
    Content(Kind::Json(entries))
}

fn server(mut value: Value, program: &Program) -> Content {
    value["command"] = program.word().into();
    value["args"] = json!(["mcp"]);
    of_json(vec![json::Entry::Server { under: "mcpServers", value }])
}

fn codex_server(program: &Program) -> Content {
    let command = program.word().to_owned();
    Content(Kind::Toml(Table { under: "mcp_servers", name: json::NAME, command, args: &["mcp"] }))
}

fn goose_extension(program: &Program) -> Content {
    let cmd = match program.is_plain() {
        true => program.word().to_owned(),
        false => Value::from(program.word()).to_string(),
    };
    let lines = vec![
        ("enabled", "true".to_owned()),
        ("type", "stdio".to_owned()),
        ("name", json::NAME.to_owned()),
        ("cmd", cmd),
        ("args", "[mcp]".to_owned()),
        ("envs", "{}".to_owned()),
        ("timeout", "60".to_owned()),
    ];
    Content(Kind::Yaml(yaml::Entry { under: "extensions", name: json::NAME, lines }))
}

fn opencode_server(program: &Program) -> Content {
    let command = json!([program.word(), "mcp"]);
    let value = json!({"type": "local", "command": command, "enabled": true});
    of_json(vec![json::Entry::Server { under: "mcp", value }])
}

fn opencode_plugin(program: &Program) -> Content {
    let word = Value::from(program.word()).to_string();
    naming(include_str!("texts/opencode.js"), "\"@PROGRAM@\"", &word, false)
}

fn cline_script(program: &Program) -> Content {
    naming(include_str!("texts/cline.sh"), "@PROGRAM@", &program.quoted(), true)
}

/// The command line of a hook: plain words, which need no shell and mean the same in any.
fn line(program: &Program, agent: &str, event: &str) -> String {
    format!("{} hook {agent} {event}", program.quoted())
}

fn hooks(
    nesting: Nesting,
    events: &[(&'static str, &'static str)],
    handler: impl Fn(&'static str) -> Value,
) -> json::Entry {
    let handlers = events.iter().map(|(theirs, ours)| (*theirs, handler(ours))).collect();
    json::Entry::Hooks { nesting, handlers }
}

const CLAUDE_EVENTS: [(&str, &str); 4] =
    [("SessionStart", START), ("Stop", STOP), ("PreCompact", COMPACT), ("SessionEnd", END)];

/// The same, with the user's prompts.
const CLAUDE_PROMPT_EVENTS: [(&str, &str); 5] = [
    ("SessionStart", START),
    ("UserPromptSubmit", PROMPT),
    ("Stop", STOP),
    ("PreCompact", COMPACT),
    ("SessionEnd", END),
];

fn claude_hooks(program: &Program) -> Content {
    claude_hooks_at(program, &CLAUDE_EVENTS)
}

fn claude_prompt_hooks(program: &Program) -> Content {
    claude_hooks_at(program, &CLAUDE_PROMPT_EVENTS)
}

fn claude_hooks_at(program: &Program, events: &[(&'static str, &'static str)]) -> Content {
    of_json(vec![hooks(Nesting::Groups, events, |event| match program.is_plain() {
        true => {
            let command = line(program, "claude-code", event);
            json!({"type": "command", "command": command, "timeout": 10})
        }
        // It can run a program without a shell in between.
        false => {
            let args = ["hook", "claude-code", event];
            json!({"type": "command", "command": program.word(), "args": args, "timeout": 10})
        }
    })])
}

fn codex_hooks(program: &Program) -> Content {
    codex_hooks_at(program, &CLAUDE_EVENTS)
}

fn codex_prompt_hooks(program: &Program) -> Content {
    codex_hooks_at(program, &CLAUDE_PROMPT_EVENTS)
}

fn codex_hooks_at(program: &Program, events: &[(&'static str, &'static str)]) -> Content {
    of_json(vec![hooks(Nesting::Groups, events, |event| {
        // Three seconds are the most that it allows there.
        let timeout = if event == END { 3 } else { 10 };
        let command = line(program, "codex", event);
        json!({"type": "command", "command": command, "timeout": timeout})
    })])
}

fn gemini_hooks(program: &Program) -> Content {
    let events = [
        ("SessionStart", START),
        ("BeforeAgent", PROMPT),
        ("AfterAgent", STOP),
        ("PreCompress", COMPACT),
        ("SessionEnd", END),
    ];
    of_json(vec![hooks(Nesting::Groups, &events, |event| {
        let command = line(program, "gemini-cli", event);
        json!({"name": "segue", "type": "command", "command": command, "timeout": 10_000})
    })])
}

fn qwen_hooks(program: &Program) -> Content {
    qwen_hooks_at(program, &CLAUDE_EVENTS)
}

fn qwen_prompt_hooks(program: &Program) -> Content {
    qwen_hooks_at(program, &CLAUDE_PROMPT_EVENTS)
}

fn qwen_hooks_at(program: &Program, events: &[(&'static str, &'static str)]) -> Content {
    of_json(vec![hooks(Nesting::Groups, events, |event| {
        let command = line(program, "qwen-code", event);
        json!({"type": "command", "command": command, "timeout": 10_000})
    })])
}

/// Files of these agents are not read without it.
fn version() -> json::Entry {
    json::Entry::Needed { key: "version", value: json!(1) }
}

fn copilot_hooks(program: &Program) -> Content {
    let events = [
        ("sessionStart", START),
        ("userPromptSubmitted", PROMPT),
        ("agentStop", STOP),
        ("preCompact", COMPACT),
        ("sessionEnd", END),
    ];
    let handlers = hooks(Nesting::Flat, &events, |event| {
        let bash = line(program, "copilot-cli", event);
        // PowerShell takes a quoted path for a text, unless it is told to run it.
        let powershell = if program.is_plain() { bash.clone() } else { format!("& {bash}") };
        json!({"type": "command", "bash": bash, "powershell": powershell, "timeoutSec": 10})
    });
    of_json(vec![version(), handlers])
}

fn cursor_hooks(program: &Program) -> Content {
    let events =
        [("sessionStart", START), ("stop", STOP), ("preCompact", COMPACT), ("sessionEnd", END)];
    let handlers = hooks(
        Nesting::Flat,
        &events,
        |event| json!({"command": line(program, "cursor", event), "timeout": 10}),
    );
    of_json(vec![version(), handlers])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::installation::{Part, Presence, Scope};

    #[test]
    fn every_row_is_an_agent_and_what_it_has_goes_in_and_out() {
        let places = Places { home: Some("/home/u".into()), vars: |_| None };
        for row in INSTALLATIONS {
            assert!(crate::find(row.agent).is_some_and(|agent| agent.slug == row.agent));
            for program in [Program::on_path(), Program::at("/a b/it's/segue".as_ref())] {
                for part in Part::ALL {
                    for (scope, top) in [(Scope::User, None), (Scope::Project, Some("/p".as_ref()))]
                    {
                        let wish = row.wish(part, top, &places, &program);
                        assert_eq!(wish.is_some(), row.has(part, scope), "{}", row.agent);
                        let Some(wish) = wish else { continue };
                        let put = wish.content.put("").unwrap();
                        assert_eq!(wish.content.put(&put).unwrap(), put);
                        assert_eq!(wish.content.is_in(&put).unwrap(), Presence::Yes, "{put}");
                        assert_eq!(wish.content.is_in("").unwrap(), Presence::No);
                        assert_eq!(wish.content.take(&put, Some("")).unwrap(), "", "{put}");
                    }
                }
            }
        }
    }

    #[test]
    fn hooks_for_prompts_come_and_go() {
        let places = Places { home: Some("/home/u".into()), vars: |_| None };
        let program = Program::on_path();
        for row in INSTALLATIONS.iter().filter(|row| row.hooks_prompts()) {
            let wish = |with| row.wish_with(Part::Hooks, None, &places, &program, with).unwrap();
            let (plain, asking) = (wish(false).content, wish(true).content);
            let put = asking.put("").unwrap();
            assert!(put.contains(&format!("hook {} prompt", row.agent)), "{put}");
            assert_eq!(asking.is_in(&put).unwrap(), Presence::Yes);
            assert_eq!(plain.put(&put).unwrap(), plain.put("").unwrap(), "{}", row.agent);
            assert_eq!(plain.take(&put, Some("")).unwrap(), "");
        }
    }

    #[test]
    fn texts_for_agents_are_short() {
        for (text, most) in [(SKILL, 300), (INSTRUCTIONS, 90)] {
            let words = text.split_whitespace().count();
            assert!(words <= most, "{words}");
        }
    }
}
