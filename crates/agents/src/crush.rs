//! Crush: it takes a prompt only for one answer.

use crate::agent::{Agent, Environment, Ways};
use crate::launch::{Launch, Start, Way};

pub(crate) const AGENT: Agent = Agent {
    slug: "crush",
    title: "Crush",
    environment: Environment {
        marks: &["CRUSH", "CRUSH_SESSION_ID"],
        session: Some("CRUSH_SESSION_ID"),
        rank: 5,
    },
    ways: Ways {
        start: Some(r#"crush run "$(segue resume --target crush)""#),
        again: Some("crush -s "),
        ..Ways::PLAIN
    },
    launch: Some(Launch { once: Start::by(Way::Argument(&["run"])), ..Launch::plain(&["crush"]) }),
    ..Agent::PLAIN
};
