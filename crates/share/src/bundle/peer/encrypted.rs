//! The encrypted form of a bundle of session-handoff: AES-256-GCM with a key that scrypt derives
//! from a passphrase.
//!
//! There is one way to encrypt, and the bundle has no say in it: fields that name another are refused.

use aes_gcm::aead::AeadInPlace;
use aes_gcm::{Aes256Gcm, Key, KeyInit, Nonce, Tag};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Number;
use zeroize::{Zeroize, Zeroizing};

use super::error::shown;
use super::{Looks, MAX_PEER_BYTES, PeerBundleError, array, bytes, check_text, looks};
use crate::bundle::object::read_object;

const ALGORITHM: &str = "aes-256-gcm";
const KEY_DERIVATION: &str = "scrypt(N=32768,r=8,p=1)";
const LOG_N: u8 = 15;
const TAG: usize = 16;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    version: Number,
    algorithm: String,
    kdf: String,
    salt: String,
    nonce: String,
    ciphertext: String,
}

/// What is needed beside the passphrase.
struct Sealed {
    salt: [u8; 16],
    nonce: [u8; 12],
    /// Without its tag.
    ciphertext: Vec<u8>,
    tag: [u8; TAG],
}

impl Sealed {
    fn read(text: &str) -> Result<Self, PeerBundleError> {
        check_text(text)?;
        if looks(text) == Looks::Plain {
            return Err(PeerBundleError::NotEncrypted);
        }
        let wire: Wire = read_object(text).map_err(|error| PeerBundleError::of_json(&error))?;
        if wire.version.as_u64() != Some(1) {
            return Err(PeerBundleError::EncryptedVersion(shown(&wire.version.to_string())));
        }
        if wire.algorithm != ALGORITHM {
            return Err(PeerBundleError::Algorithm(shown(&wire.algorithm)));
        }
        if wire.kdf != KEY_DERIVATION {
            return Err(PeerBundleError::KeyDerivation(shown(&wire.kdf)));
        }
        let salt = bytes(&wire.salt).and_then(array).ok_or(PeerBundleError::Salt)?;
        let nonce = bytes(&wire.nonce).and_then(array).ok_or(PeerBundleError::Nonce)?;
        let mut ciphertext = bytes(&wire.ciphertext).ok_or(PeerBundleError::Ciphertext)?;
        let body = ciphertext.len().checked_sub(TAG).ok_or(PeerBundleError::Ciphertext)?;
        let tag = array(ciphertext.split_off(body)).ok_or(PeerBundleError::Ciphertext)?;
        Ok(Self { salt, nonce, ciphertext, tag })
    }

    fn render(&self) -> String {
        let whole = [self.ciphertext.as_slice(), &self.tag].concat();
        format!(
            "{{\n  \"version\": 1,\n  \"algorithm\": \"{ALGORITHM}\",\n  \"kdf\": \"{KEY_DERIVATION}\",\n  \"salt\": \"{}\",\n  \"nonce\": \"{}\",\n  \"ciphertext\": \"{}\"\n}}\n",
            STANDARD.encode(self.salt),
            STANDARD.encode(self.nonce),
            STANDARD.encode(whole)
        )
    }
}

/// Decrypts a bundle. What comes out is for `read` to judge.
pub fn decrypt(text: &str, passphrase: &str) -> Result<Zeroizing<String>, PeerBundleError> {
    let sealed = Sealed::read(text)?;
    let cipher = cipher(passphrase, &sealed.salt)?;
    let mut plain = sealed.ciphertext;
    cipher
        .decrypt_in_place_detached(
            Nonce::from_slice(&sealed.nonce),
            b"",
            &mut plain,
            Tag::from_slice(&sealed.tag),
        )
        .map_err(|_| PeerBundleError::Undecryptable)?;
    let plain = String::from_utf8(plain).map(Zeroizing::new).map_err(|error| {
        error.into_bytes().zeroize();
        PeerBundleError::NotText
    })?;
    match looks(&plain) {
        Looks::Encrypted => Err(PeerBundleError::EncryptedTwice),
        Looks::Plain | Looks::Neither => Ok(plain),
    }
}

/// The encrypted form of what `write` gave, with the newline at its end. A salt and a nonce must be
/// random, and never be used again.
pub fn encrypt(
    bundle: &str,
    passphrase: &str,
    salt: [u8; 16],
    nonce: [u8; 12],
) -> Result<String, PeerBundleError> {
    match looks(bundle) {
        Looks::Plain => {}
        Looks::Encrypted => return Err(PeerBundleError::EncryptedTwice),
        Looks::Neither => return Err(PeerBundleError::NotABundle),
    }
    // The peer encrypts what it writes before it adds the newline.
    let plain = bundle.strip_suffix('\n').unwrap_or(bundle);
    let text = seal(plain.as_bytes(), passphrase, salt, nonce)?.render();
    match text.len() as u64 > MAX_PEER_BYTES {
        true => Err(PeerBundleError::TooLarge),
        false => Ok(text),
    }
}

fn seal(
    plain: &[u8],
    passphrase: &str,
    salt: [u8; 16],
    nonce: [u8; 12],
) -> Result<Sealed, PeerBundleError> {
    let cipher = cipher(passphrase, &salt)?;
    let mut ciphertext = plain.to_vec();
    let tag = cipher
        .encrypt_in_place_detached(Nonce::from_slice(&nonce), b"", &mut ciphertext)
        .map_err(|_| PeerBundleError::Cipher)?;
    Ok(Sealed { salt, nonce, ciphertext, tag: tag.into() })
}

/// The cipher with the key of a passphrase: its bytes as they are, blanks around it included.
fn cipher(passphrase: &str, salt: &[u8; 16]) -> Result<Aes256Gcm, PeerBundleError> {
    if passphrase.trim().is_empty() {
        return Err(PeerBundleError::BlankPassphrase);
    }
    let mut key = Zeroizing::new([0; 32]);
    let params =
        scrypt::Params::new(LOG_N, 8, 1, key.len()).map_err(|_| PeerBundleError::Cipher)?;
    scrypt::scrypt(passphrase.as_bytes(), salt, &params, &mut *key)
        .map_err(|_| PeerBundleError::Cipher)?;
    Ok(Aes256Gcm::new(Key::<Aes256Gcm>::from_slice(&*key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of decrypting what somebody else encrypted.
    fn opened(plain: &[u8]) -> Result<Zeroizing<String>, PeerBundleError> {
        decrypt(&seal(plain, "p", [1; 16], [2; 12]).unwrap().render(), "p")
    }

    #[test]
    fn an_encrypted_bundle_in_an_encrypted_one_is_refused() {
        let inner = seal(b"{}", "p", [1; 16], [2; 12]).unwrap().render();
        assert_eq!(opened(inner.as_bytes()), Err(PeerBundleError::EncryptedTwice));
    }

    #[test]
    fn what_was_encrypted_must_be_text() {
        assert_eq!(opened(b"\xff{}"), Err(PeerBundleError::NotText));
        assert_eq!(*opened(b"").unwrap(), "");
    }
}
