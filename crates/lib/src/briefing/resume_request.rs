//! What to be briefed on, and how.

use std::time::Duration;

use segue_agents::Agent;
use segue_core::{DEFAULT_BUDGET, Name, Selector};

/// What to be briefed on, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResumeRequest {
    /// Tokens that the briefing may have.
    pub budget: usize,
    /// The agent that will read it.
    pub target: Option<&'static Agent>,
    /// This handoff instead of the newest.
    pub id: Option<Selector>,
    /// The newest of this name.
    pub name: Option<Name>,
    /// The newest of this branch.
    pub branch: Option<String>,
    /// The newest of the project, whatever its branch.
    pub any_branch: bool,
    /// How long a command may take that is run again.
    pub check_limit: Duration,
    /// The session that asks, by its agent's id: it is not what was left.
    pub asking: Option<String>,
    /// Whether the agent that will read it is running and asks: nothing tells how to start it.
    pub from_inside: bool,
}

/// How long a command may take that is run again, unless somebody says otherwise.
const CHECK_LIMIT: Duration = Duration::from_secs(120);

impl Default for ResumeRequest {
    fn default() -> Self {
        Self {
            budget: DEFAULT_BUDGET,
            target: None,
            id: None,
            name: None,
            branch: None,
            any_branch: false,
            check_limit: CHECK_LIMIT,
            asking: None,
            from_inside: false,
        }
    }
}

impl ResumeRequest {
    /// Whether it is about the state of the project, and not about one handoff.
    pub(crate) fn is_of_state(&self) -> bool {
        self.id.is_none() && self.name.is_none()
    }

    /// Whether no handoff in particular is asked for.
    pub(crate) fn is_open(&self) -> bool {
        self.id.is_none() && self.name.is_none() && self.branch.is_none()
    }
}
