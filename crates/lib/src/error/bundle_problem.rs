//! Why a bundle is not taken.

use segue_core::{HandoffId, Timestamp};
use segue_share::bundle::BundleError;
use segue_share::bundle::peer::PeerBundleError;
use segue_share::crypt::CryptError;

use super::kind::Kind;

/// Why a bundle is not taken.
#[derive(Debug, thiserror::Error)]
pub enum BundleProblem {
    /// It is not sound.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// It is not sound, and of session-handoff.
    #[error(transparent)]
    Peer(#[from] PeerBundleError),
    /// It could not be decrypted.
    #[error(transparent)]
    Crypt(#[from] CryptError),
    /// Nobody signed it.
    #[error("nobody signed it")]
    Unsigned,
    /// Somebody signed it whom nobody here trusts.
    #[error("the signature is not by a trusted key")]
    Untrusted {
        /// The key's fingerprint.
        fingerprint: String,
        /// What the signer calls itself.
        name: Option<String>,
    },
    /// A handoff in it is dated in the future.
    #[error("the handoff {id} is dated {created}, which is yet to come")]
    Future {
        /// Its id.
        id: HandoffId,
        /// When it says it was made.
        created: Timestamp,
    },
    /// A handoff is in it twice.
    #[error("the handoff {0} is in it twice")]
    Twice(HandoffId),
    /// Other handoffs of the same ids are here.
    #[error("{} in it {} here with other content", count(.0.len()), if .0.len() == 1 { "is" } else { "are" })]
    Conflict(Vec<HandoffId>),
    /// What is to be replaced is not ours to replace.
    #[error("{0} lies in a memory of a repository, where nothing is replaced")]
    Elsewhere(HandoffId),
}

fn count(number: usize) -> String {
    if number == 1 { "a handoff".to_owned() } else { format!("{number} handoffs") }
}

impl BundleProblem {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Conflict(_) | Self::Elsewhere(_) => Kind::Failed,
            Self::Bundle(BundleError::Read(_)) | Self::Crypt(CryptError::Io(_)) => Kind::Failed,
            Self::Crypt(CryptError::Blank | CryptError::NoPassphrase | CryptError::Asked(_)) => {
                Kind::Usage
            }
            _ => Kind::Input,
        }
    }
}
