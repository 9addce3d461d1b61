//! Goose: its hooks cannot add to the context, so only the MCP server goes into it.

use std::path::PathBuf;

use serde_json::Value;

use crate::agent::{Agent, Environment, Ways};
use crate::installation::content::Kind;
use crate::installation::entry::{Entry, UserFile};
use crate::installation::{Content, Installation};
use crate::launch::{Launch, Start, Way};
use crate::places::Places;
use crate::settings::command::Program;
use crate::settings::json::NAME;
use crate::settings::yaml;

const SLUG: &str = "goose";

pub(crate) const AGENT: Agent = Agent {
    slug: SLUG,
    title: "Goose",
    environment: Environment { marks: &["GOOSE_TERMINAL"], session: None, rank: 10 },
    ways: Ways {
        start: Some(r#"goose run -s -t "$(segue resume --target goose)""#),
        again: Some("goose session -r --session-id "),
        ..Ways::PLAIN
    },
    launch: Some(Launch {
        talk: Some(Start {
            way: Way::Argument(&["run", "-s", "-t"]),
            long: Some(Way::File(&["run", "-s", "-i"])),
        }),
        once: Some(Start {
            way: Way::Argument(&["run", "-t"]),
            long: Some(Way::File(&["run", "-i"])),
        }),
        ..Launch::plain(&["goose"])
    }),
    installation: Some(Installation {
        agent: SLUG,
        programs: &["goose"],
        root,
        hooks: Entry::NONE,
        prompt_hooks: None,
        mcp: Entry { user: &[UserFile::InRoot("config.yaml")], project: &[], content: extension },
        skill: Entry::NONE,
        instructions: Entry::NONE,
        after_hooks: None,
    }),
    ..Agent::PLAIN
};

fn root(places: &Places) -> Option<PathBuf> {
    if let Some(root) = places.var("GOOSE_PATH_ROOT") {
        return Some(PathBuf::from(root).join("config"));
    }
    if cfg!(windows) {
        return Some(PathBuf::from(places.var("APPDATA")?).join("Block/goose/config"));
    }
    Some(places.dir("XDG_CONFIG_HOME", ".config")?.join("goose"))
}

fn extension(program: &Program) -> Content {
    let cmd = match program.is_plain() {
        true => program.word().to_owned(),
        false => Value::from(program.word()).to_string(),
    };
    let lines = vec![
        ("enabled", "true".to_owned()),
        ("type", "stdio".to_owned()),
        ("name", NAME.to_owned()),
        ("cmd", cmd),
        ("args", "[mcp]".to_owned()),
        ("envs", "{}".to_owned()),
        ("timeout", "60".to_owned()),
    ];
    Content(Kind::Yaml(yaml::Entry { under: "extensions", name: NAME, lines }))
}
