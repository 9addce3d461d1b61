//! Pi.

use crate::agent::{Agent, Environment, Ways};
use crate::launch::{Launch, Start, Way};

pub(crate) const AGENT: Agent = Agent {
    slug: "pi",
    title: "Pi",
    environment: Environment {
        marks: &["PI_SESSION_ID", "PI_SESSION_FILE"],
        session: Some("PI_SESSION_ID"),
        rank: 6,
    },
    ways: Ways {
        start: Some(r#"pi "$(segue resume --target pi)""#),
        again: Some("pi --session "),
        ..Ways::PLAIN
    },
    launch: Some(Launch {
        talk: Start::by(Way::Argument(&[])),
        once: Start::by(Way::Argument(&["-p"])),
        ..Launch::plain(&["pi"])
    }),
    ..Agent::PLAIN
};
