//! Why a push or pull failed.

use std::path::PathBuf;

use segue_share::vault::VaultError;

use super::key_from::KeyFrom;
use super::kind::Kind;

/// Why a push or pull failed.
#[derive(Debug, thiserror::Error)]
pub enum VaultProblem {
    /// No place gives an API key.
    #[error("there is no API key for MemoryVault")]
    NoKey {
        /// The file that could hold one.
        config: Option<PathBuf>,
    },
    /// The service does not take the key.
    #[error("{error}; the key is from {from}")]
    Refused {
        /// What it said.
        error: VaultError,
        /// Where the key came from.
        from: KeyFrom,
    },
    /// The service failed in another way.
    #[error(transparent)]
    Service(#[from] VaultError),
    /// There is no HANDOFF.md and no handoff.
    #[error("there is nothing to push: no HANDOFF.md and no handoff in {}", .0.display())]
    Nothing(PathBuf),
    /// What is there cannot be pushed.
    #[error("cannot push {}: {reason}", .path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The service has nothing under this key.
    #[error("MemoryVault has nothing under '{0}'")]
    NoValue(String),
    /// What the service has under this key is empty.
    #[error("what MemoryVault has under '{0}' is empty")]
    EmptyValue(String),
}

impl VaultProblem {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::NoKey { .. } => Kind::Usage,
            Self::Nothing(_) | Self::NoValue(_) => Kind::NotFound,
            Self::Unfit { .. } | Self::EmptyValue(_) => Kind::Input,
            Self::Refused { .. } => Kind::Failed,
            Self::Service(
                VaultError::BadUrl { .. } | VaultError::BadKey | VaultError::BadProxy,
            ) => Kind::Usage,
            Self::Service(VaultError::Trouble { .. }) => Kind::Busy,
            Self::Service(_) => Kind::Failed,
        }
    }
}
