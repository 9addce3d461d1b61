//! Roo Code: it lives in an editor, so nothing starts it.

use crate::agent::Agent;

pub(crate) const AGENT: Agent =
    Agent { slug: "roo-code", title: "Roo Code", aliases: &["roo"], ..Agent::PLAIN };
