//! Aider: it reads files that it is given, and takes headings for something else.

use crate::agent::{Agent, Ways};
use crate::launch::{Launch, Start, Way};

pub(crate) const AGENT: Agent = Agent {
    slug: "aider",
    title: "Aider",
    ways: Ways {
        instructions: "CONVENTIONS.md",
        labels: true,
        start: Some("aider --read <(segue resume --target aider)"),
        ..Ways::PLAIN
    },
    launch: Some(Launch {
        talk: Start::by(Way::File(&["--read"])),
        once: Start::by(Way::File(&["--message-file"])),
        ..Launch::plain(&["aider"])
    }),
    ..Agent::PLAIN
};
