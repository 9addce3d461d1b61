//! Passphrases: what one is asked for, and who is asked.

use segue_share::crypt::{CryptError, Passphrase};

/// What a passphrase is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassphraseFor<'a> {
    /// A bundle.
    Bundle,
    /// The user's own key of this name.
    Key(&'a str),
}

/// Whoever knows passphrases.
pub type AskPassphrase<'a> = dyn FnMut(PassphraseFor<'_>) -> Result<Passphrase, CryptError> + 'a;
