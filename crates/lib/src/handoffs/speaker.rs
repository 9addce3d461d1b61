//! Who says what is left in a handoff.

use segue_core::ItemSource;

/// Who speaks. Whoever cannot show that it is the user is an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speaker {
    /// An agent, a program, a file: whatever nobody typed.
    #[default]
    Agent,
    /// The user, who typed it in a terminal outside any agent.
    User,
}

impl Speaker {
    pub(crate) fn source(self) -> ItemSource {
        match self {
            Self::Agent => ItemSource::Agent,
            Self::User => ItemSource::User,
        }
    }
}
