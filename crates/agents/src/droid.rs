//! Droid, by Factory: its hooks are answered where the user set them up.

use crate::agent::{Agent, Environment, Ways};
use crate::dialect::{AgentEvent, Dialect, HookEvent, Shape};
use crate::hooks::Hooks;
use crate::launch::{Launch, Start, Way};

pub(crate) const AGENT: Agent = Agent {
    slug: "droid",
    title: "Droid",
    aliases: &["factory"],
    environment: Environment {
        marks: &["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR"],
        session: None,
        rank: 7,
    },
    ways: Ways {
        start: Some(r#"droid "$(segue resume --target droid)""#),
        again: Some("droid -r "),
        ..Ways::PLAIN
    },
    launch: Some(Launch {
        talk: Start::by(Way::Argument(&[])),
        once: Some(Start { way: Way::Argument(&["exec"]), long: Some(Way::File(&["exec", "-f"])) }),
        ..Launch::plain(&["droid"])
    }),
    hooks: Some(Hooks::plain(Dialect::plain(&[AgentEvent::answered(
        "SessionStart",
        HookEvent::SessionStart,
        Shape::Specific,
    )]))),
    ..Agent::PLAIN
};
