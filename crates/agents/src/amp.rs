//! Amp.

use crate::agent::{Agent, Ways};
use crate::launch::{Launch, Start, Way};

pub(crate) const AGENT: Agent = Agent {
    slug: "amp",
    title: "Amp",
    ways: Ways { start: Some(r#"amp "$(segue resume --target amp)""#), ..Ways::PLAIN },
    launch: Some(Launch {
        talk: Start::by(Way::Argument(&[])),
        once: Start::by(Way::Argument(&["-x"])),
        ..Launch::plain(&["amp"])
    }),
    ..Agent::PLAIN
};
