//! A bundle that comes in: opened, decrypted and proved, before anybody believes a word of it.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom, Write};
use std::rc::Rc;

use segue_core::{Handoff, PayloadDigest, PeerRecord, Redactor};
use segue_share::bundle::peer::{self, Looks, MAX_PEER_BYTES, PeerBundleError};
use segue_share::bundle::{BundleError, BundleReader, MAX_BUNDLE_BYTES, Signer, Statement};
use segue_share::crypt::{self, CryptError, Identity, Passphrase, Unlock};
use segue_store::{Store, StoreError};

use super::coming::Coming;
use super::import_redacted::{note_secrets, redact_incoming};
use super::keys::Keys;
use super::passphrase::{AskPassphrase, PassphraseFor};
use crate::{BundleProblem, Env, Error};

/// So much of a bundle is held in memory; what is larger is put aside in a file.
const IN_MEMORY: u64 = 8 * 1024 * 1024;
/// An encrypted or framed bundle is a little larger than what is in it.
const OVERHEAD: u64 = 64 * 1024 * 1024;

/// A bundle to look at.
pub struct BundleInput<'a> {
    /// What it is called in messages.
    pub name: String,
    /// Its bytes.
    pub input: Box<dyn Read + 'a>,
    /// Asked for a passphrase if one is needed.
    pub ask: &'a mut AskPassphrase<'a>,
    /// Identities besides the user's own.
    pub identities: Vec<Identity>,
}

/// Which format a bundle has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BundleFormat {
    /// Our own.
    Segue,
    /// session-handoff's, of this version.
    SessionHandoff(u32),
}

/// A bundle that is sound. Whether its signer is trusted is another question.
pub(crate) struct OpenBundle {
    pub(crate) name: String,
    pub(crate) format: BundleFormat,
    pub(crate) encrypted: bool,
    pub(crate) signer: Option<Signer>,
    /// The proof of what was signed.
    pub(crate) proof: Option<String>,
    /// The name under which that is kept.
    pub(crate) proof_name: Option<String>,
    pub(crate) coming: Vec<Coming>,
    /// What takes secrets out of what comes in.
    redactor: Option<Rc<Redactor>>,
    /// The record as it will be here, if it has secrets.
    kept_record: Option<PeerRecord>,
    content: Content,
}

enum Content {
    Own(Spool),
    Peer(Box<(PeerRecord, Handoff)>),
}

/// Bytes that are read more than once.
enum Spool {
    Memory(Vec<u8>),
    File(File),
}

impl Spool {
    /// Whether it begins as JSON does.
    fn is_json(&mut self) -> Result<bool, BundleError> {
        Ok(self.reader()?.fill_buf()?.trim_ascii_start().first() == Some(&b'{'))
    }

    fn text(&mut self) -> Result<String, BundleError> {
        let mut text = String::new();
        let read = self.reader()?.take(MAX_PEER_BYTES + 1).read_to_string(&mut text);
        match read {
            Ok(_) if text.len() as u64 > MAX_PEER_BYTES => {
                let most = MAX_PEER_BYTES / 1024 / 1024;
                Err(BundleError::TooLarge(format!("session-handoff's have at most {most} MiB")))
            }
            Ok(_) => Ok(text),
            Err(_) => Err(BundleError::NotABundle),
        }
    }

    fn reader(&mut self) -> Result<Box<dyn BufRead + '_>, BundleError> {
        Ok(match self {
            Self::Memory(bytes) => Box::new(Cursor::new(bytes)),
            Self::File(file) => {
                file.seek(SeekFrom::Start(0))?;
                Box::new(BufReader::with_capacity(256 * 1024, file))
            }
        })
    }
}

impl OpenBundle {
    /// The record, if it is a bundle of session-handoff.
    pub(crate) fn record(&self) -> Option<&PeerRecord> {
        match &self.content {
            Content::Own(_) => None,
            Content::Peer(both) => Some(&both.0),
        }
    }

    /// Looks for secrets in what comes in. From now on they are not in it any more.
    pub(crate) fn redact(&mut self, redactor: Rc<Redactor>) -> Result<(), Error> {
        let mut coming = self.coming.clone();
        let mut kept = None;
        self.each(|at, handoff| {
            kept = note_secrets(&redactor, &mut coming[at], &handoff)?;
            Ok(())
        })?;
        let record = self.record().zip(kept);
        self.kept_record = record.map(|(record, kept)| PeerRecord::of(&kept, &record.project));
        self.coming = coming;
        self.redactor = Some(redactor);
        Ok(())
    }

    /// Gives each handoff as it will be stored.
    pub(crate) fn each_kept(
        &mut self,
        each: &mut dyn FnMut(usize, Handoff) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let redactor = self.redactor.take();
        let secret: Vec<bool> = self.coming.iter().map(|one| one.kept.is_some()).collect();
        let done = self.each(|at, handoff| match &redactor {
            Some(redactor) if secret[at] => each(at, redact_incoming(redactor, handoff)?),
            _ => each(at, handoff),
        });
        self.redactor = redactor;
        done
    }

    /// Whether what is here is what comes in, with its secrets or without them.
    pub(crate) fn is_here(&self, at: usize, here: &Handoff) -> bool {
        let digest = PayloadDigest::of(&here.payload());
        // What is here may have been made here: then it has no project in the peer's sense.
        let record = |record: &PeerRecord| PeerRecord::of(here, &record.project) == *record;
        self.coming[at].is(digest)
            || self.record().is_some_and(record)
            || self.kept_record.as_ref().is_some_and(record)
    }

    /// Gives each handoff, in the order of `coming`, as it was when it was looked at.
    pub(crate) fn each(
        &mut self,
        mut each: impl FnMut(usize, Handoff) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let failed = |error: BundleError| Error::Bundle {
            doing: "read",
            what: self.name.clone(),
            why: Box::new(error.into()),
        };
        match &mut self.content {
            Content::Peer(both) => each(0, both.1.clone()),
            Content::Own(spool) => {
                let mut reader =
                    BundleReader::new(spool.reader().map_err(failed)?).map_err(failed)?;
                let mut at = 0;
                while let Some(handoff) = reader.next_handoff().map_err(failed)? {
                    // What was proved is what is taken.
                    let same = self
                        .coming
                        .get(at)
                        .is_some_and(|coming| coming.digest == PayloadDigest::of(handoff.source()));
                    if !same {
                        return Err(failed(BundleError::Digest));
                    }
                    each(at, handoff)?;
                    at += 1;
                }
                Ok(())
            }
        }
    }
}

/// Opens bundles, with the user's own keys where they are encrypted.
#[derive(Clone, Copy)]
pub struct Bundles<'s> {
    env: &'s Env,
    pub(super) store: &'s Store,
}

impl<'s> Bundles<'s> {
    pub(crate) fn new(env: &'s Env, store: &'s Store) -> Self {
        Self { env, store }
    }
}

impl Bundles<'_> {
    /// Reads a bundle whole and proves it.
    pub(crate) fn open(
        &self,
        doing: &'static str,
        input: BundleInput<'_>,
    ) -> Result<OpenBundle, Error> {
        let name = input.name.clone();
        self.try_open(input).map_err(|problem| match problem {
            Problem::Bundle(why) => Error::Bundle { doing, what: name, why: Box::new(why) },
            Problem::Store(error) => error.into(),
        })
    }

    fn try_open(&self, input: BundleInput<'_>) -> Result<OpenBundle, Problem> {
        let BundleInput { name, input, ask, identities } = input;
        let limit = MAX_BUNDLE_BYTES + OVERHEAD;
        let mut input = BufReader::with_capacity(64 * 1024, input.take(limit));
        let mut keyring = Keyring { keys: Keys::new(self.env, self.store), ask, identities };
        let encrypted = crypt::is_encrypted(input.fill_buf().map_err(BundleError::Read)?);
        let mut spool = if encrypted {
            let decrypted = crypt::decrypt(input, &mut keyring).map_err(BundleProblem::from)?;
            self.spool(decrypted)?
        } else {
            self.spool(input)?
        };
        if !spool.is_json()? {
            return own(name, encrypted, spool);
        }
        let text = spool.text()?;
        let (text, encrypted) = match peer::looks(&text) {
            Looks::Encrypted => {
                let passphrase = keyring.passphrase().map_err(BundleProblem::from)?;
                let text =
                    peer::decrypt(&text, passphrase.expose()).map_err(BundleProblem::from)?;
                (text.to_string(), true)
            }
            Looks::Plain => (text, encrypted),
            Looks::Neither => return Err(BundleProblem::from(BundleError::NotABundle).into()),
        };
        Ok(of_peer(name, encrypted, &text)?)
    }

    /// Takes everything in, in memory or in a file that nobody else sees.
    fn spool(&self, mut input: impl Read) -> Result<Spool, Problem> {
        let read = |error| Problem::Bundle(read_error(error));
        let mut bytes = Vec::new();
        input.by_ref().take(IN_MEMORY).read_to_end(&mut bytes).map_err(read)?;
        if (bytes.len() as u64) < IN_MEMORY {
            return Ok(Spool::Memory(bytes));
        }
        let mut file = self.store.spool()?;
        let home = &self.env.home;
        let written = file.write_all(&bytes);
        written.map_err(|source| StoreError::Io {
            what: "write to",
            path: home.clone(),
            source,
        })?;
        drop(bytes);
        let mut piece = vec![0; 256 * 1024];
        let mut size = IN_MEMORY;
        loop {
            let length = match input.read(&mut piece) {
                Ok(0) => return Ok(Spool::File(file)),
                Ok(length) => length,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(read(error)),
            };
            size += length as u64;
            if size > MAX_BUNDLE_BYTES + OVERHEAD - 1 {
                let most = MAX_BUNDLE_BYTES / 1024 / 1024;
                let why = BundleError::TooLarge(format!("it has more than {most} MiB"));
                return Err(BundleProblem::from(why).into());
            }
            file.write_all(&piece[..length]).map_err(|source| StoreError::Io {
                what: "write to",
                path: home.clone(),
                source,
            })?;
        }
    }
}

/// What a bundle is opened with.
struct Keyring<'a> {
    keys: Keys<'a>,
    ask: &'a mut AskPassphrase<'a>,
    identities: Vec<Identity>,
}

impl Unlock for Keyring<'_> {
    fn passphrase(&mut self) -> Result<Passphrase, CryptError> {
        (self.ask)(PassphraseFor::Bundle)
    }

    fn identities(&mut self) -> Result<Vec<Identity>, CryptError> {
        let mut all = std::mem::take(&mut self.identities);
        all.extend(self.keys.own_identities(false, self.ask)?);
        Ok(all)
    }

    fn locked_identities(&mut self) -> Result<Vec<Identity>, CryptError> {
        self.keys.own_identities(true, self.ask)
    }
}

/// A damaged age file shows itself while it is read.
fn read_error(error: io::Error) -> BundleProblem {
    match error.kind() {
        ErrorKind::InvalidData => CryptError::WrongPassphrase.into(),
        ErrorKind::UnexpectedEof => BundleError::CutOff.into(),
        _ => BundleError::Read(error).into(),
    }
}

fn own(name: String, encrypted: bool, mut spool: Spool) -> Result<OpenBundle, Problem> {
    let (coming, statement) = look(&mut spool).map_err(BundleProblem::from)?;
    let mut seen = HashSet::new();
    if let Some(twice) = coming.iter().find(|coming| !seen.insert(&coming.id)) {
        return Err(BundleProblem::Twice(twice.id.clone()).into());
    }
    let (signer, proof) = statement.map(|one| (one.signer, one.proof)).unzip();
    let (format, content) = (BundleFormat::Segue, Content::Own(spool));
    let proof_name = proof.as_deref().map(proof_name);
    Ok(OpenBundle {
        name,
        format,
        encrypted,
        signer,
        proof,
        proof_name,
        coming,
        redactor: None,
        kept_record: None,
        content,
    })
}

fn look(spool: &mut Spool) -> Result<(Vec<Coming>, Option<Statement>), BundleError> {
    let mut reader = BundleReader::new(spool.reader()?)?;
    let mut coming = Vec::new();
    while let Some(handoff) = reader.next_handoff()? {
        coming.push(Coming {
            remote: handoff.head.fields.git.remote.clone(),
            ..Coming::of(&handoff)
        });
    }
    Ok((coming, reader.finish()?))
}

fn of_peer(name: String, encrypted: bool, text: &str) -> Result<OpenBundle, BundleProblem> {
    let bundle = peer::read(text)?;
    let handoff = bundle.record.to_handoff().map_err(PeerBundleError::Record)?;
    let dir = Some(bundle.record.project.clone());
    Ok(OpenBundle {
        name,
        format: BundleFormat::SessionHandoff(bundle.version),
        encrypted,
        signer: bundle.signer,
        proof_name: bundle.proof.as_deref().map(proof_name),
        proof: bundle.proof,
        coming: vec![Coming { dir, ..Coming::of(&handoff) }],
        redactor: None,
        kept_record: None,
        content: Content::Peer(Box::new((bundle.record, handoff))),
    })
}

fn proof_name(proof: &str) -> String {
    PayloadDigest::of(proof).to_string()
}

impl std::fmt::Display for BundleFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Segue => f.write_str("segue bundle 1"),
            Self::SessionHandoff(version) => write!(f, "session-handoff bundle {version}"),
        }
    }
}

enum Problem {
    Bundle(BundleProblem),
    Store(StoreError),
}

impl From<BundleProblem> for Problem {
    fn from(problem: BundleProblem) -> Self {
        Self::Bundle(problem)
    }
}

impl From<BundleError> for Problem {
    fn from(error: BundleError) -> Self {
        Self::Bundle(error.into())
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
