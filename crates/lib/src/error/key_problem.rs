//! Why a key cannot be used.

use std::path::PathBuf;

use segue_share::crypt::CryptError;
use segue_share::keys::KeyError;

use super::kind::Kind;

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyProblem {
    /// There is no such file and no such key.
    #[error("there is no key '{0}'")]
    NoKey(String),
    /// A file is not a key.
    #[error("cannot use the key {}: {why}", .path.display())]
    BadKey {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: KeyError,
    },
    /// A file could not be decrypted, or holds no identity.
    #[error("cannot open {}: {why}", .path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: CryptError,
    },
    /// A key of this name is there already.
    #[error("there is a key '{0}' already")]
    Exists(String),
    /// Some digits fit several keys.
    #[error("'{word}' fits several keys")]
    Ambiguous {
        /// What was given.
        word: String,
        /// Their fingerprints.
        fingerprints: Vec<String>,
    },
    /// What was to be trusted is signed by nobody.
    #[error("nobody signed {}", .0.display())]
    NotSigned(PathBuf),
    /// The system gave no randomness, or the like.
    #[error(transparent)]
    Crypt(#[from] CryptError),
}

impl KeyProblem {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::NoKey(_) => Kind::NotFound,
            Self::Ambiguous { .. } => Kind::Usage,
            Self::Crypt(CryptError::Blank | CryptError::NoPassphrase | CryptError::Asked(_))
            | Self::Crypt(CryptError::NotARecipient(_))
            | Self::Locked { why: CryptError::Blank | CryptError::NoPassphrase, .. } => Kind::Usage,
            Self::Exists(_) | Self::Crypt(_) => Kind::Failed,
            Self::BadKey { .. } | Self::Locked { .. } | Self::NotSigned(_) => Kind::Input,
        }
    }
}
