//! Amp.

use crate::agent::{Agent, Environment, Ways};
use crate::launch::{Launch, Start, Way};

pub(crate) const AGENT: Agent = Agent {
    slug: "amp",
    title: "Amp",
    environment: Environment {
        marks: &["AMP_CURRENT_THREAD_ID"],
        session: Some("AMP_CURRENT_THREAD_ID"),
        rank: 13,
    },
    ways: Ways { start: Some(r#"amp "$(segue resume --target amp)""#), ..Ways::PLAIN },
    launch: Some(Launch {
        talk: Start::by(Way::Argument(&[])),
        once: Start::by(Way::Argument(&["-x"])),
        ..Launch::plain(&["amp"])
    }),
    ..Agent::PLAIN
};
