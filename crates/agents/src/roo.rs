//! Roo Code: it lives in an editor, so nothing starts it.

use crate::agent::{Agent, Environment};

pub(crate) const AGENT: Agent = Agent {
    slug: "roo-code",
    title: "Roo Code",
    aliases: &["roo"],
    environment: Environment { marks: &["ROO_ACTIVE"], session: None, rank: 12 },
    ..Agent::PLAIN
};
