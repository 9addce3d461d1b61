//! Why no agent can be started.

use segue_agents::Agent;

use super::kind::Kind;

/// Why no agent can be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContinueProblem {
    /// Neither a handoff nor a session.
    #[error("there is nothing to continue here: no handoff and no session of an agent")]
    Nothing,
    /// It has no program of its own.
    #[error("{} is not started from a command line", .0.title)]
    NoProgram(&'static Agent),
    /// It cannot begin a conversation with a prompt, or answer just one.
    #[error("{} cannot be started with a first prompt {}", .agent.title, if *.once { "and end after its answer" } else { "and go on from there" })]
    NotSo {
        /// The agent.
        agent: &'static Agent,
        /// What was asked for.
        once: bool,
    },
    /// Its program is not there.
    #[error("{} is not installed: no program '{}' is on the PATH", .agent.title, .programs.join("' or '"))]
    NotInstalled {
        /// The agent.
        agent: &'static Agent,
        /// What its program is called.
        programs: &'static [&'static str],
    },
}

impl ContinueProblem {
    /// What kind of failure it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Nothing | Self::NotInstalled { .. } => Kind::NotFound,
            Self::NoProgram(_) | Self::NotSo { .. } => Kind::Usage,
        }
    }
}
