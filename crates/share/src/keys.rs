//! Keys that sign bundles: Ed25519, in the PEM files that OpenSSL and the peers use.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePublicKey};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// A key that signs.
#[derive(Clone)]
pub struct SecretKey(SigningKey);

/// The public half: checks what was signed.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// SHA-256 of a public key: by this people compare keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint([u8; 32]);

/// Why something is not a key, a fingerprint or a signature by one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("it is an OpenSSH key; only Ed25519 keys in PKCS#8 PEM files can sign yet")]
    OpenSsh,
    #[error("it is an encrypted PEM file; only plain ones can be read")]
    EncryptedPem,
    #[error("it holds a public key, and signing needs a private one")]
    NotPrivate,
    #[error("it holds a private key, and what is asked for is a public one")]
    NotPublic,
    #[error("it is not an Ed25519 key in a PKCS#8 PEM file")]
    NotAKey,
    #[error("it is a key that anybody could sign with")]
    Weak,
    #[error("'{0}' is not a fingerprint of 64 hex digits")]
    NotAFingerprint(String),
    #[error("what it says besides the key is not signed by it")]
    BadSignature,
}

impl SecretKey {
    /// The key of 32 random bytes.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// Reads a PKCS#8 PEM file.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        match label(text) {
            Some("PRIVATE KEY") => {}
            Some("OPENSSH PRIVATE KEY") => return Err(KeyError::OpenSsh),
            Some("ENCRYPTED PRIVATE KEY") => return Err(KeyError::EncryptedPem),
            Some("PUBLIC KEY") => return Err(KeyError::NotPrivate),
            _ => return Err(KeyError::NotAKey),
        }
        let key = SigningKey::from_pkcs8_pem(block(text)).map_err(|_| KeyError::NotAKey)?;
        Ok(Self(key))
    }

    /// The key as a PKCS#8 PEM file: the private half alone, as OpenSSL and the peer write it.
    pub fn to_pem(&self) -> Zeroizing<String> {
        // Version 1 of PKCS#8: Go refuses files that also hold the public half.
        let mut der = Zeroizing::new(Vec::with_capacity(48));
        der.extend_from_slice(&PKCS8_ED25519);
        der.extend_from_slice(self.0.as_bytes());
        let text = Zeroizing::new(STANDARD.encode(&*der));
        Zeroizing::new(format!(
            "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
            *text
        ))
    }

    /// The public half.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Signs a message.
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

/// The DER of a PKCS#8 Ed25519 key up to its 32 bytes.
const PKCS8_ED25519: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

impl PublicKey {
    /// The key of its 32 bytes.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| KeyError::NotAKey)?;
        if key.is_weak() {
            return Err(KeyError::Weak);
        }
        Ok(Self(key))
    }

    /// The key of its bytes in base64.
    pub fn from_base64(text: &str) -> Result<Self, KeyError> {
        let bytes = STANDARD.decode(text).map_err(|_| KeyError::NotAKey)?;
        Self::from_bytes(&bytes.try_into().map_err(|_| KeyError::NotAKey)?)
    }

    /// Reads a PEM file with a public key.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        match label(text) {
            Some("PUBLIC KEY") => {}
            Some("OPENSSH PRIVATE KEY") => return Err(KeyError::OpenSsh),
            Some("PRIVATE KEY" | "ENCRYPTED PRIVATE KEY") => return Err(KeyError::NotPublic),
            _ => return Err(KeyError::NotAKey),
        }
        let key = VerifyingKey::from_public_key_pem(block(text)).map_err(|_| KeyError::NotAKey)?;
        Self::from_bytes(key.as_bytes())
    }

    /// The key as a PEM file.
    pub fn to_pem(&self) -> String {
        self.0.to_public_key_pem(LineEnding::LF).unwrap_or_default()
    }

    /// Its bytes in base64.
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.0.as_bytes())
    }

    /// SHA-256 of its bytes.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint(Sha256::digest(self.0.as_bytes()).into())
    }

    /// Whether this key signed this message.
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), KeyError> {
        let signature = Signature::from_slice(signature).map_err(|_| KeyError::BadSignature)?;
        self.0.verify_strict(message, &signature).map_err(|_| KeyError::BadSignature)
    }
}

impl Fingerprint {
    /// The first 16 digits, which session-handoff calls the key's id.
    pub fn short(&self) -> String {
        self.to_string()[..16].to_owned()
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for Fingerprint {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let bad = || KeyError::NotAFingerprint(text.chars().take(80).collect());
        let digits = text.as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 64 {
            return Err(bad());
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            let digit =
                |c: u8| char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            let (Some(high), Some(low)) = (digit(pair[0]), digit(pair[1])) else {
                return Err(bad());
            };
            *byte = high << 4 | low;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({})", self.public().fingerprint().short())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.to_base64())
    }
}

/// Bytes in base64.
pub fn encoded(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes of base64.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// What the first PEM block of a text says that it is.
fn label(text: &str) -> Option<&str> {
    let after = &text[text.find("-----BEGIN ")? + 11..];
    Some(&after[..after.find("-----")?])
}

/// The first PEM block of a text, which may have words around it.
fn block(text: &str) -> &str {
    let start = text.find("-----BEGIN ").unwrap_or(0);
    let end = text[start..].find("-----END ").map_or(text.len(), |at| {
        let rest = &text[start + at..];
        start + at + rest.find('\n').map_or(rest.len(), |line| line + 1)
    });
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ed25519_dalek::pkcs8::EncodePrivateKey;

    #[test]
    fn keys_survive_their_files() {
        let key = SecretKey::from_seed(&[7; 32]);
        let read = SecretKey::from_pem(&key.to_pem()).unwrap();
        assert_eq!(read.public(), key.public());
        let public = PublicKey::from_pem(&format!("a remark\r\n{}more\n", key.public().to_pem()));
        assert_eq!(public.unwrap(), key.public());
        let base64 = PublicKey::from_base64(&key.public().to_base64());
        assert_eq!(base64.unwrap(), key.public());
        assert!(!format!("{key:?}").contains("07"), "a secret in {key:?}");
    }

    #[test]
    fn a_private_key_is_the_file_that_openssl_writes() {
        let pem = SecretKey::from_seed(&[7; 32]).to_pem();
        assert_eq!(pem.lines().map(str::len).collect::<Vec<_>>(), [27, 64, 25]);
        let der = STANDARD.decode(pem.lines().nth(1).unwrap()).unwrap();
        assert_eq!((der.len(), der[..16] == PKCS8_ED25519), (48, true));
        let theirs = SigningKey::from_bytes(&[7; 32]).to_pkcs8_pem(LineEnding::LF).unwrap();
        assert_eq!(
            SecretKey::from_pem(&theirs).unwrap().public(),
            SecretKey::from_pem(&pem).unwrap().public()
        );
    }

    #[test]
    fn what_is_not_a_key_is_named() {
        let refuse = |text: &str| SecretKey::from_pem(text).unwrap_err();
        let public = SecretKey::from_seed(&[7; 32]).public();
        assert_eq!(refuse(&public.to_pem()), KeyError::NotPrivate);
        assert_eq!(refuse("-----BEGIN OPENSSH PRIVATE KEY-----\n"), KeyError::OpenSsh);
        assert_eq!(refuse("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"), KeyError::EncryptedPem);
        assert_eq!(
            refuse("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
            KeyError::NotAKey
        );
        assert_eq!(refuse("-----BEGIN "), KeyError::NotAKey);
        assert_eq!(refuse(""), KeyError::NotAKey);
        let secret = SecretKey::from_seed(&[7; 32]).to_pem();
        assert_eq!(PublicKey::from_pem(&secret), Err(KeyError::NotPublic));
        let mut small = [0; 32];
        small[0] = 1;
        assert_eq!(PublicKey::from_bytes(&small), Err(KeyError::Weak));
        assert!("5f1c".parse::<Fingerprint>().is_err());
        assert!("é".repeat(32).parse::<Fingerprint>().is_err());
    }

    #[test]
    fn a_signature_is_by_one_key_over_one_message() {
        let key = SecretKey::from_seed(&[7; 32]);
        let signature = key.sign(b"one");
        assert_eq!(key.public().verify(b"one", &signature), Ok(()));
        assert_eq!(key.public().verify(b"two", &signature), Err(KeyError::BadSignature));
        assert_eq!(key.public().verify(b"one", &signature[..63]), Err(KeyError::BadSignature));
        let other = SecretKey::from_seed(&[8; 32]).public();
        assert_eq!(other.verify(b"one", &signature), Err(KeyError::BadSignature));
        let print = key.public().fingerprint();
        assert_eq!(print.to_string().parse(), Ok(print));
        assert!(print.to_string().starts_with(&print.short()));
    }
}
