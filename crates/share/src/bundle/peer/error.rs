//! Why a bundle of session-handoff cannot be taken.

use segue_core::{RecordError, visible_line};
use serde_json::error::Category;

use crate::keys::KeyError;

/// Why a bundle of session-handoff cannot be taken or made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PeerBundleError {
    /// More than `MAX_PEER_BYTES`.
    #[error("it is too large: more than 64 MiB")]
    TooLarge,
    /// It begins with U+FEFF.
    #[error("it begins with a byte order mark")]
    ByteOrderMark,
    /// The text ends before the object does.
    #[error("it ends too early")]
    CutOff,
    /// Something follows the object.
    #[error("it goes on after its end")]
    Trailing,
    /// Not JSON at all.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// JSON, but with a field that is unknown, missing, doubled or of another kind.
    #[error("it is not made as a bundle of session-handoff is: {0}")]
    Shape(String),
    /// A version that is not known.
    #[error("it is a bundle of version {0}, and this Segue reads versions 1 to 3")]
    Version(String),
    /// Versions 2 and 3 have a checksum.
    #[error("it is of version {0} and has no checksum")]
    NoChecksum(u32),
    /// The checksum is not that of the record.
    #[error("its record is not what its checksum says")]
    Checksum,
    /// Versions 1 and 2 are not signed.
    #[error("it is of version {0}, which is never signed, and has a '{1}'")]
    SignedInVersion(u32, &'static str),
    /// Version 3 names a signer.
    #[error("it is of version 3 and names no signer")]
    NoSigner,
    /// Version 3 is signed.
    #[error("it is of version 3 and has no signature")]
    NoSignature,
    /// The signer's public key is none.
    #[error("its signer's key cannot be used: {0}")]
    Key(KeyError),
    /// The signer's key id is that of another key.
    #[error("its signer's 'key_id' is not that of its key")]
    KeyId,
    /// The signer's name is too long.
    #[error("its signer's name is too long")]
    NameTooLong,
    /// The signature is not 64 bytes in base64.
    #[error("its signature is not 64 bytes in base64")]
    SignatureForm,
    /// The signature is not by that key over that checksum.
    #[error("the signature does not fit: it was altered, or is by another key")]
    Signature,
    /// The record in it cannot be taken.
    #[error("its record cannot be taken: {0}")]
    Record(RecordError),
    /// It must be decrypted before it can be read.
    #[error("it is encrypted")]
    Encrypted,
    /// It is not encrypted, so there is nothing to decrypt.
    #[error("it is not encrypted")]
    NotEncrypted,
    /// What shall be encrypted is no bundle.
    #[error("it is no bundle of session-handoff")]
    NotABundle,
    /// An encrypted bundle within another.
    #[error("what is encrypted in it is encrypted once more")]
    EncryptedTwice,
    /// An encrypted bundle of a version that is not known.
    #[error("it is an encrypted bundle of version {0}, and this Segue reads version 1")]
    EncryptedVersion(String),
    /// Encrypted in another way.
    #[error("it is encrypted in a way that this Segue does not know: {0}")]
    Algorithm(String),
    /// Its key is derived in another way.
    #[error("its key is derived in a way that this Segue does not know: {0}")]
    KeyDerivation(String),
    /// The salt is not 16 bytes in base64.
    #[error("its salt is not 16 bytes in base64")]
    Salt,
    /// The nonce is not 12 bytes in base64.
    #[error("its nonce is not 12 bytes in base64")]
    Nonce,
    /// The ciphertext is not base64, or too short to be one.
    #[error("its ciphertext is not base64 of at least 16 bytes")]
    Ciphertext,
    /// No passphrase, or one of blanks alone.
    #[error("the passphrase is empty")]
    BlankPassphrase,
    /// The tag does not fit.
    #[error("it cannot be decrypted: the passphrase is wrong, or it was altered")]
    Undecryptable,
    /// What was encrypted is not UTF-8.
    #[error("what is encrypted in it is not text")]
    NotText,
    /// The cipher could not be used.
    #[error("it cannot be encrypted on this machine")]
    Cipher,
}

impl PeerBundleError {
    /// What JSON had to say, without the bytes that could act on a terminal.
    pub(super) fn of_json(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        match error.classify() {
            Category::Eof => Self::CutOff,
            Category::Syntax if text.starts_with("trailing characters") => Self::Trailing,
            Category::Data => Self::Shape(shown(&text)),
            Category::Syntax | Category::Io => Self::NotJson(shown(&text)),
        }
    }
}

/// A foreign text as it can be shown in a message.
pub(super) fn shown(text: &str) -> String {
    visible_line(&text.chars().take(200).collect::<String>()).into_owned()
}
