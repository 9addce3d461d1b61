//! Our own bundle format, version 1. `docs/bundle.md` describes it for others to implement.
//!
//! ```text
//! segue-bundle 1
//! {"purpose":"handoffs","created":"…","count":2,"algorithm":"ed25519","signer":{"name":"ana","key":"…"}}
//! handoff 1234
//! <1234 bytes>
//! handoff 99
//! <99 bytes>
//! digest <SHA-256 of the statement>
//! signature <Ed25519 over the statement>
//! ```
//!
//! What is signed is the statement: `segue-bundle 1 statement`, the second line as it stands, and the
//! SHA-256 of each handoff, a line each. It is all that is needed to prove later that a handoff came
//! with this signature, so an import keeps it.

use std::io::{self, BufRead, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use segue_core::{
    Handoff, HandoffError, Head, MAX_HANDOFF_BYTES, PayloadDigest, Timestamp, visible_line,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::object::{object_there, read_object, there};
use crate::keys::{KeyError, PublicKey, SecretKey};

/// The first line of a bundle.
pub const MAGIC: &str = "segue-bundle 1\n";
/// How a bundle of any version begins.
const MAGIC_STEM: &str = "segue-bundle ";
/// The first line of a statement.
const STATEMENT: &str = "segue-bundle 1 statement\n";
const PURPOSE: &str = "handoffs";
const ED25519: &str = "ed25519";
const NONE: &str = "none";

/// At most so many handoffs are in one bundle.
pub const MAX_HANDOFFS: usize = 100_000;
/// A bundle has at most so many bytes, decrypted.
pub const MAX_BUNDLE_BYTES: u64 = 1024 * 1024 * 1024;
/// A payload leaves room for the line that an import adds to it.
pub const MAX_PAYLOAD: u64 = MAX_HANDOFF_BYTES - 1024;
/// The second line has at most so many bytes.
const MAX_HEADER: u64 = 16 * 1024;
/// A signer's name has at most so many characters.
const MAX_NAME: usize = 200;

/// Who a bundle says it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signer {
    /// What the signer calls itself. Anybody can call themselves anything.
    pub name: Option<String>,
    /// The key that the signature was checked with.
    pub key: PublicKey,
}

/// Why a bundle cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    #[error("cannot read it: {0}")]
    Read(#[from] io::Error),
    #[error("it is a bundle of version {0}, and this Segue reads version 1")]
    Version(String),
    #[error("it is no bundle")]
    NotABundle,
    #[error("it is a bundle of another kind: {0}")]
    Purpose(String),
    #[error("it is signed in a way that this Segue does not know: {0}")]
    Algorithm(String),
    #[error("it ends too early")]
    CutOff,
    #[error("it goes on after its end")]
    Trailing,
    #[error("it is damaged: {0}")]
    Damaged(String),
    #[error("its content is not what its digest says")]
    Digest,
    #[error("the signature does not fit: it was altered, or is by another key")]
    Signature,
    #[error("its signer's key cannot be used: {0}")]
    Key(KeyError),
    #[error("handoff {number} in it cannot be taken: {why}")]
    Handoff { number: usize, why: HandoffProblem },
    #[error("it is too large: {0}")]
    TooLarge(String),
}

/// What is wrong with a handoff in a bundle.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandoffProblem {
    #[error(transparent)]
    Unreadable(#[from] HandoffError),
    #[error("it is of a newer format than this Segue knows")]
    Newer,
    #[error("it says that it was imported, which only the importer can say")]
    SaysImported,
    #[error("its id and its time do not agree")]
    OtherTime,
    #[error("its id is one of a handoff that was replaced")]
    Former,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    purpose: String,
    created: String,
    count: usize,
    algorithm: String,
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "object_there")]
    signer: Option<HeaderSigner>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderSigner {
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "there")]
    name: Option<String>,
    key: String,
}

impl Header {
    fn read(line: &str) -> Result<(Self, Option<Signer>), BundleError> {
        let damaged = |what: &str| BundleError::Damaged(format!("its second line {what}"));
        let header: Self = read_object(line).map_err(|error| {
            damaged(&format!("is not as it should be: {}", visible_line(&error.to_string())))
        })?;
        if header.purpose != PURPOSE {
            return Err(BundleError::Purpose(shown(&header.purpose)));
        }
        if header.created.parse::<Timestamp>().is_err() {
            return Err(damaged("has no time"));
        }
        if header.count == 0 {
            return Err(damaged("says that nothing is in it"));
        }
        if header.count > MAX_HANDOFFS {
            return Err(BundleError::TooLarge(format!(
                "{} handoffs, at most {MAX_HANDOFFS} are taken at once",
                header.count
            )));
        }
        let signer = match (header.algorithm.as_str(), &header.signer) {
            (ED25519, Some(signer)) => {
                let key = PublicKey::from_base64(&signer.key).map_err(BundleError::Key)?;
                let long = |name: &String| name.chars().count() > MAX_NAME;
                if signer.name.as_ref().is_some_and(long) {
                    return Err(damaged("has a signer's name that is too long"));
                }
                Some(Signer { name: signer.name.clone(), key })
            }
            (ED25519, None) => return Err(damaged("names no signer")),
            (NONE, None) => None,
            (NONE, Some(_)) => return Err(damaged("names a signer and says that nobody signed")),
            (other, _) => return Err(BundleError::Algorithm(shown(other))),
        };
        Ok((header, signer))
    }
}

/// A foreign text as it can be shown in a message.
fn shown(text: &str) -> String {
    visible_line(&text.chars().take(60).collect::<String>()).into_owned()
}

/// Writes a bundle, one handoff after the other.
pub struct BundleWriter<W> {
    out: W,
    statement: String,
    key: Option<SecretKey>,
    left: usize,
}

impl<W: Write> BundleWriter<W> {
    /// Begins a bundle of so many handoffs.
    pub fn new(
        mut out: W,
        created: Timestamp,
        count: usize,
        key: Option<&SecretKey>,
        name: Option<&str>,
    ) -> io::Result<Self> {
        let header = Header {
            purpose: PURPOSE.to_owned(),
            created: created.short(),
            count,
            algorithm: if key.is_some() { ED25519 } else { NONE }.to_owned(),
            signer: key.map(|key| HeaderSigner {
                name: name.map(str::to_owned),
                key: key.public().to_base64(),
            }),
        };
        let line = serde_json::to_string(&header)?;
        // What could not be read again is not written.
        Header::read(&line).map_err(io::Error::other)?;
        out.write_all(format!("{MAGIC}{line}\n").as_bytes())?;
        let statement = format!("{STATEMENT}{line}\n");
        Ok(Self { out, statement, key: key.cloned(), left: count })
    }

    /// Adds a handoff: its payload.
    pub fn add(&mut self, payload: &str) -> io::Result<()> {
        let Some(left) = self.left.checked_sub(1) else {
            return Err(io::Error::other("more handoffs than were announced"));
        };
        self.left = left;
        self.out.write_all(format!("handoff {}\n", payload.len()).as_bytes())?;
        self.out.write_all(payload.as_bytes())?;
        self.out.write_all(b"\n")?;
        self.statement.push_str(&format!("{}\n", PayloadDigest::of(payload)));
        Ok(())
    }

    /// Ends the bundle.
    pub fn finish(mut self) -> io::Result<W> {
        if self.left > 0 {
            return Err(io::Error::other("fewer handoffs than were announced"));
        }
        self.out.write_all(format!("digest {}\n", hex_digest(&self.statement)).as_bytes())?;
        if let Some(key) = &self.key {
            let signature = STANDARD.encode(key.sign(self.statement.as_bytes()));
            self.out.write_all(format!("signature {signature}\n").as_bytes())?;
        }
        Ok(self.out)
    }
}

/// What a signature was found to cover. It can be kept and checked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Who signed.
    pub signer: Signer,
    /// The payloads that are covered.
    pub covers: Vec<PayloadDigest>,
    /// The statement and its signature, as `Statement::check` reads them.
    pub proof: String,
}

impl Statement {
    /// Checks a statement that was kept.
    pub fn check(proof: &str) -> Result<Self, BundleError> {
        let damaged = || BundleError::Damaged("it is no statement".to_owned());
        let at = proof.rfind("signature ").ok_or_else(damaged)?;
        let (statement, signature) = proof.split_at(at);
        let mut lines = statement.strip_prefix(STATEMENT).ok_or_else(damaged)?.split('\n');
        let (header, signer) = Header::read(lines.next().unwrap_or_default())?;
        let signer = signer.ok_or_else(damaged)?;
        check_signature(&signer.key, statement, signature)?;
        // Of a text that ends with a newline the last piece is empty.
        if lines.next_back() != Some("") {
            return Err(damaged());
        }
        let covers: Option<Vec<_>> = lines.map(digest).collect();
        let covers = covers.filter(|covers| covers.len() == header.count).ok_or_else(damaged)?;
        Ok(Self { signer, covers, proof: proof.to_owned() })
    }
}

fn check_signature(key: &PublicKey, statement: &str, line: &str) -> Result<(), BundleError> {
    let text = line.strip_prefix("signature ").and_then(|text| text.strip_suffix('\n'));
    let signature = text.and_then(|text| STANDARD.decode(text).ok());
    let signature = signature
        .ok_or_else(|| BundleError::Damaged("its last line is not a signature".to_owned()))?;
    key.verify(statement.as_bytes(), &signature).map_err(|_| BundleError::Signature)
}

fn digest(line: &str) -> Option<PayloadDigest> {
    let mut bytes = [0; 32];
    if line.len() != 64 || !line.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&line[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(PayloadDigest(bytes))
}

fn hex_digest(text: &str) -> String {
    PayloadDigest(Sha256::digest(text).into()).to_string()
}

/// Reads a bundle, one handoff after the other. Nothing that it gave may be believed before `finish`
/// has said that the whole is sound.
pub struct BundleReader<R> {
    input: R,
    statement: String,
    covers: Vec<PayloadDigest>,
    signer: Option<Signer>,
    count: usize,
    taken: u64,
}

impl<R: BufRead> BundleReader<R> {
    /// Reads as far as the first handoff.
    pub fn new(mut input: R) -> Result<Self, BundleError> {
        let first = match line(&mut input, 64) {
            Err(BundleError::Damaged(_) | BundleError::CutOff) => {
                return Err(BundleError::NotABundle);
            }
            other => other?,
        };
        if first != MAGIC {
            let version = first.strip_prefix(MAGIC_STEM).map(str::trim_end);
            let version = version.filter(|version| !version.is_empty());
            if version == Some("1") {
                return Err(BundleError::Damaged(
                    "its line ends were changed on the way".to_owned(),
                ));
            }
            return Err(version
                .map_or(BundleError::NotABundle, |version| BundleError::Version(shown(version))));
        }
        let header = line(&mut input, MAX_HEADER)?;
        let statement = format!("{STATEMENT}{header}");
        let (header, signer) = Header::read(header.trim_end_matches('\n'))?;
        Ok(Self { input, statement, covers: Vec::new(), signer, count: header.count, taken: 0 })
    }

    /// The next handoff; `None` after the last one.
    pub fn next_handoff(&mut self) -> Result<Option<Handoff>, BundleError> {
        let number = self.covers.len() + 1;
        if number > self.count {
            return Ok(None);
        }
        let damaged =
            || BundleError::Damaged(format!("handoff {number} does not begin as it should"));
        let begin = line(&mut self.input, 64)?;
        let length = begin.strip_prefix("handoff ").and_then(|text| text.strip_suffix('\n'));
        let length = length.and_then(plain_number).ok_or_else(damaged)?;
        let refuse = |why| BundleError::Handoff { number, why };
        if length > MAX_PAYLOAD {
            return Err(refuse(HandoffError::TooLarge.into()));
        }
        self.taken += length;
        if self.taken > MAX_BUNDLE_BYTES {
            return Err(BundleError::TooLarge(format!("more than {MAX_BUNDLE_BYTES} bytes")));
        }
        let mut bytes = Vec::new();
        self.input.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Err(BundleError::CutOff);
        }
        if line(&mut self.input, 1)? != "\n" {
            return Err(damaged());
        }
        let handoff = Handoff::parse_bytes(bytes).map_err(|error| refuse(error.into()))?;
        let digest = PayloadDigest::of(handoff.source());
        self.statement.push_str(&format!("{digest}\n"));
        self.covers.push(digest);
        acceptable(&handoff).map_err(refuse)?;
        Ok(Some(handoff))
    }

    /// Reads the end and says whether all of it was sound. Gives the proof of what was signed.
    pub fn finish(mut self) -> Result<Option<Statement>, BundleError> {
        while self.next_handoff()?.is_some() {}
        let end = line(&mut self.input, 128)?;
        let digest = end.strip_prefix("digest ").and_then(|text| text.strip_suffix('\n'));
        let digest = digest
            .ok_or_else(|| BundleError::Damaged("after the handoffs is no digest".to_owned()))?;
        if digest != hex_digest(&self.statement) {
            return Err(BundleError::Digest);
        }
        let statement = match self.signer.take() {
            Some(signer) => {
                let end = line(&mut self.input, 128)?;
                check_signature(&signer.key, &self.statement, &end)?;
                let proof = format!("{}{end}", self.statement);
                Some(Statement { signer, covers: self.covers, proof })
            }
            None => None,
        };
        match self.input.fill_buf()?.is_empty() {
            true => Ok(statement),
            false => Err(BundleError::Trailing),
        }
    }
}

/// Whether a handoff with this head can go in a bundle.
pub fn fits(head: &Head) -> Result<(), HandoffProblem> {
    if head.version.is_newer() {
        return Err(HandoffProblem::Newer);
    }
    if !head.id.as_str().starts_with(&head.created.compact()) {
        return Err(HandoffProblem::OtherTime);
    }
    Ok(())
}

/// Whether a handoff can come in a bundle.
fn acceptable(handoff: &Handoff) -> Result<(), HandoffProblem> {
    let head = &handoff.head;
    fits(head)?;
    // Whatever stands there: a key of the wrong shape counts as absent elsewhere.
    if handoff.payload() != handoff.source() {
        return Err(if head.id.is_former() {
            HandoffProblem::Former
        } else {
            HandoffProblem::SaysImported
        });
    }
    Ok(())
}

/// One line with its end, of at most so many bytes.
fn line(input: &mut impl BufRead, most: u64) -> Result<String, BundleError> {
    let mut bytes = Vec::new();
    input.by_ref().take(most).read_until(b'\n', &mut bytes)?;
    if bytes.last() != Some(&b'\n') {
        return Err(match (bytes.len() as u64) < most {
            true => BundleError::CutOff,
            false => BundleError::Damaged("a line is too long".to_owned()),
        });
    }
    String::from_utf8(bytes).map_err(|_| BundleError::Damaged("a line is not UTF-8".to_owned()))
}

/// A decimal number in its one spelling.
fn plain_number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}
