//! Kimi Code: it takes a prompt only for one answer.

use crate::agent::{Agent, Ways};
use crate::launch::{Launch, Start, Way};

pub(crate) const AGENT: Agent = Agent {
    slug: "kimi-code",
    title: "Kimi Code",
    aliases: &["kimi"],
    ways: Ways {
        start: Some(r#"kimi -p "$(segue resume --target kimi-code)""#),
        again: Some("kimi -S "),
        ..Ways::PLAIN
    },
    launch: Some(Launch { once: Start::by(Way::Argument(&["-p"])), ..Launch::plain(&["kimi"]) }),
    models: &[("kimi-k2", 262_144), ("kimi-k3", 1_048_576)],
    ..Agent::PLAIN
};
