//! Bundles of session-handoff: one record as JSON, with a checksum and a signature if wanted.
//!
//! What is written here is what the peer writes, byte for byte. What is read must be exact: the peer
//! takes unknown and doubled keys, a signer who is not the one that signed, and any version. A
//! version tells here what must be there, so that a signed bundle cannot be made an unsigned one of
//! the same version.

mod encrypted;
mod error;

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use segue_core::{GoJson, PeerRecord};
use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Number;

use super::Signer;
use super::object::{object, object_there, read_object, there};
use crate::keys::{PublicKey, SecretKey};

pub use encrypted::{decrypt, encrypt};
pub use error::PeerBundleError;
use error::shown;

/// A bundle of session-handoff has at most so many bytes, encrypted or not.
pub const MAX_PEER_BYTES: u64 = 64 * 1024 * 1024;
/// A signer's name has at most so many characters.
const MAX_NAME: usize = 200;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A bundle that was read, and of which all that it says about itself was found true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerBundle {
    /// 1, 2 or 3. Only the last is signed, and the first may lack a checksum.
    pub version: u32,
    /// What is in it.
    pub record: PeerRecord,
    /// Whose signature over the record was verified. It covers the key, not the name: that may have
    /// been changed by anybody on the way.
    pub signer: Option<Signer>,
    /// The text as read, if it is signed: reading it again proves it again.
    pub proof: Option<String>,
}

/// What a text seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// A bundle that is not encrypted: it has a `record`.
    Plain,
    /// An encrypted one: it has a `ciphertext`.
    Encrypted,
    /// Neither of the two.
    Neither,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    version: Number,
    #[serde(default, deserialize_with = "there")]
    checksum: Option<String>,
    #[serde(deserialize_with = "object")]
    record: PeerRecord,
    #[serde(default, deserialize_with = "object_there")]
    signer: Option<WireSigner>,
    #[serde(default, deserialize_with = "there")]
    signature: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSigner {
    #[serde(default, deserialize_with = "there")]
    name: Option<String>,
    key_id: String,
    public_key: String,
}

/// Whether a text is an encrypted bundle, a plain one or neither: by the first of the two fields that
/// tell, without reading on.
pub fn looks(text: &str) -> Looks {
    let mut found = Looks::Neither;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut json = serde_json::Deserializer::from_str(text);
    // It stops in the middle of the object, which is an error there and none here.
    let _ = serde::Deserializer::deserialize_map(&mut json, FirstField(&mut found));
    found
}

struct FirstField<'a>(&'a mut Looks);

impl<'de> Visitor<'de> for FirstField<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            *self.0 = match key.as_str() {
                "ciphertext" => Looks::Encrypted,
                "record" => Looks::Plain,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            break;
        }
        Ok(())
    }
}

/// Reads a bundle that is not encrypted, and proves what can be proved. Versions 1 and 2 have no
/// signer: whether they are taken is for the caller to say.
pub fn read(text: &str) -> Result<PeerBundle, PeerBundleError> {
    check_text(text)?;
    if looks(text) == Looks::Encrypted {
        return Err(PeerBundleError::Encrypted);
    }
    let wire: Wire = read_object(text).map_err(|error| PeerBundleError::of_json(&error))?;
    let version = wire.known_version()?;
    wire.check_checksum(version)?;
    let signer = match version {
        3 => Some(wire.verified_signer()?),
        _ => wire.check_unsigned(version).map(|()| None)?,
    };
    wire.record.check().map_err(PeerBundleError::Record)?;
    let proof = signer.is_some().then(|| text.to_owned());
    Ok(PeerBundle { version, record: wire.record, signer, proof })
}

/// What holds for the text of any bundle.
fn check_text(text: &str) -> Result<(), PeerBundleError> {
    if text.len() as u64 > MAX_PEER_BYTES {
        return Err(PeerBundleError::TooLarge);
    }
    if text.starts_with(BYTE_ORDER_MARK) {
        return Err(PeerBundleError::ByteOrderMark);
    }
    Ok(())
}

impl Wire {
    fn known_version(&self) -> Result<u32, PeerBundleError> {
        let known = self.version.as_u64().filter(|version| (1..=3).contains(version));
        known
            .and_then(|version| u32::try_from(version).ok())
            .ok_or_else(|| PeerBundleError::Version(shown(&self.version.to_string())))
    }

    fn check_checksum(&self, version: u32) -> Result<(), PeerBundleError> {
        let Some(checksum) = &self.checksum else {
            return match version {
                1 => Ok(()),
                _ => Err(PeerBundleError::NoChecksum(version)),
            };
        };
        let fits = |json| self.record.checksum(json) == *checksum;
        match fits(GoJson::Now) || fits(GoJson::Before) {
            true => Ok(()),
            false => Err(PeerBundleError::Checksum),
        }
    }

    fn check_unsigned(&self, version: u32) -> Result<(), PeerBundleError> {
        let refuse = |key| Err(PeerBundleError::SignedInVersion(version, key));
        match (&self.signer, &self.signature) {
            (Some(_), _) => refuse("signer"),
            (None, Some(_)) => refuse("signature"),
            (None, None) => Ok(()),
        }
    }

    /// The signer, if the signature is theirs. The checksum was found to be the record's before.
    fn verified_signer(&self) -> Result<Signer, PeerBundleError> {
        let signer = self.signer.as_ref().ok_or(PeerBundleError::NoSigner)?;
        let signature = self.signature.as_ref().ok_or(PeerBundleError::NoSignature)?;
        let checksum = self.checksum.as_ref().ok_or(PeerBundleError::NoChecksum(3))?;
        let key = PublicKey::from_base64(&signer.public_key).map_err(PeerBundleError::Key)?;
        if key.fingerprint().short() != signer.key_id {
            return Err(PeerBundleError::KeyId);
        }
        let name = signer.name.clone().filter(|name| !name.is_empty());
        if name.as_ref().is_some_and(|name| name.chars().count() > MAX_NAME) {
            return Err(PeerBundleError::NameTooLong);
        }
        let signature: [u8; 64] =
            bytes(signature).and_then(array).ok_or(PeerBundleError::SignatureForm)?;
        key.verify(checksum.as_bytes(), &signature).map_err(|_| PeerBundleError::Signature)?;
        Ok(Signer { name, key })
    }
}

/// The bytes of a base64 text.
fn bytes(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// Bytes of which there must be so many.
fn array<const N: usize>(bytes: Vec<u8>) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

/// The bundle of a record: version 2 without a key, version 3 with one. Exactly what the peer writes,
/// with the newline at its end. Of a signer's name, what is too long to be read again is left out.
pub fn write(record: &PeerRecord, key: Option<&SecretKey>, name: Option<&str>) -> String {
    let checksum = record.checksum(GoJson::Now);
    let version = if key.is_some() { 3 } else { 2 };
    let signed = key.map(|key| signed_part(key, name, &checksum)).unwrap_or_default();
    format!(
        "{{\n  \"version\": {version},\n  \"checksum\": \"{checksum}\",\n  \"record\": {}{signed}\n}}\n",
        record.pretty("  ")
    )
}

/// What a signature adds after the record.
fn signed_part(key: &SecretKey, name: Option<&str>, checksum: &str) -> String {
    let public = key.public();
    let name: String = name.unwrap_or_default().chars().take(MAX_NAME).collect();
    let name = match name.trim().is_empty() {
        true => String::new(),
        false => format!("    \"name\": {},\n", GoJson::Now.quote(&name)),
    };
    format!(
        ",\n  \"signer\": {{\n{name}    \"key_id\": \"{}\",\n    \"public_key\": \"{}\"\n  }},\n  \"signature\": \"{}\"",
        public.fingerprint().short(),
        public.to_base64(),
        STANDARD.encode(key.sign(checksum.as_bytes()))
    )
}
