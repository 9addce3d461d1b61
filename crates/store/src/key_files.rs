//! Keys on disk: the user's own, the ones that the user trusts, and proofs of what was signed.
//!
//! What is in a key is nothing that the store knows; here they are texts with names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use segue_core::Timestamp;
use toml_edit::{DocumentMut, Item, value};

use crate::atomic::{self, TEMP_PREFIX, Written};
use crate::error::{IoContext, StoreError};
use crate::lock::{Kind, Lock, PATIENCE};
use crate::memory::listing;
use crate::platform;
use crate::store::Store;

const VERSION: i64 = 1;
const SIGNING: &str = ".pem";
const IDENTITY: &str = ".identity";
const PUBLIC: &str = ".pub";
/// Below the proofs: by payload, which other proofs there are.
const ALSO: &str = "also";
const ENCRYPTED: &str = ".age";

/// A key that the user trusts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedKey {
    /// Its fingerprint, 64 hex digits.
    pub fingerprint: String,
    /// The key itself in base64, if it was seen.
    pub key: Option<String>,
    /// What the user calls it.
    pub name: Option<String>,
    /// Whom to encrypt for, if its file said so.
    pub recipient: Option<String>,
    /// Whether the user signs with it.
    pub own: bool,
    /// When it was said.
    pub since: Option<Timestamp>,
}

/// A key of the user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnKey {
    /// What the user calls it.
    pub name: String,
    /// The file of its public half.
    pub public: PathBuf,
    /// The file of the key that signs.
    pub signing: PathBuf,
    /// The file of the identity that opens what is encrypted for it, if there is one.
    pub identity: Option<PathBuf>,
    /// Whether its files are encrypted.
    pub encrypted: bool,
}

impl TrustedKey {
    fn parse(source: &str) -> Option<Self> {
        let document: DocumentMut = source.parse().ok()?;
        let text = |name: &str| document.get(name).and_then(Item::as_str).map(str::to_owned);
        Some(Self {
            fingerprint: text("fingerprint")?,
            key: text("key"),
            name: text("name"),
            recipient: text("recipient"),
            own: document.get("own").and_then(Item::as_bool).unwrap_or_default(),
            since: text("since").and_then(|time| time.parse().ok()),
        })
    }

    fn render(&self) -> String {
        let mut document = DocumentMut::new();
        document["segue"] = value(VERSION);
        document["fingerprint"] = value(&self.fingerprint);
        if let Some(key) = &self.key {
            document["key"] = value(key);
        }
        if let Some(name) = &self.name {
            document["name"] = value(name);
        }
        if let Some(recipient) = &self.recipient {
            document["recipient"] = value(recipient);
        }
        if self.own {
            document["own"] = value(true);
        }
        if let Some(since) = self.since {
            document["since"] = value(since.to_string());
        }
        document.to_string()
    }
}

impl Store {
    fn trusted_key_file(&self, fingerprint: &str) -> PathBuf {
        self.layout.trusted_keys().join(format!("{fingerprint}.toml"))
    }

    /// Every key that the user trusts. What cannot be read is not trusted.
    pub fn trusted_keys(&self) -> Result<Vec<TrustedKey>, StoreError> {
        let names = listing(&self.layout.trusted_keys())?;
        let prints = names.iter().filter_map(|name| name.strip_suffix(".toml"));
        Ok(prints.filter_map(|print| self.trusted_key(print)).collect())
    }

    /// The key of this fingerprint, if the user trusts it.
    pub fn trusted_key(&self, fingerprint: &str) -> Option<TrustedKey> {
        let source = fs::read_to_string(self.trusted_key_file(fingerprint)).ok()?;
        let shaped = fingerprint.len() == 64 && fingerprint.bytes().all(|b| b.is_ascii_hexdigit());
        TrustedKey::parse(&source).filter(|key| shaped && key.fingerprint == fingerprint)
    }

    /// Notes that the user trusts a key.
    pub fn trust_key(&self, key: &TrustedKey) -> Result<(), StoreError> {
        atomic::create_dirs(&self.layout.trusted_keys())?;
        atomic::replace_itself(&self.trusted_key_file(&key.fingerprint), key.render().as_bytes())
    }

    /// Trusts a key no more. Whether it was trusted.
    pub fn untrust_key(&self, fingerprint: &str) -> Result<bool, StoreError> {
        let path = self.trusted_key_file(fingerprint);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error).at("remove", &path),
        }
    }

    /// The user's own keys, by name.
    pub fn own_keys(&self) -> Result<Vec<OwnKey>, StoreError> {
        let dir = self.layout.own_keys();
        let names = listing(&dir)?;
        let found = names.iter().filter_map(|file| {
            let (stem, encrypted) = match file.strip_suffix(ENCRYPTED) {
                Some(stem) => (stem, true),
                None => (file.as_str(), false),
            };
            let name = stem.strip_suffix(SIGNING)?;
            let ending = if encrypted { ENCRYPTED } else { "" };
            let identity = format!("{name}{IDENTITY}{ending}");
            let identity = names.contains(&identity).then(|| dir.join(identity));
            let public = dir.join(format!("{name}{PUBLIC}"));
            let (name, signing) = (name.to_owned(), dir.join(file));
            Some(OwnKey { name, public, signing, identity, encrypted })
        });
        Ok(found.collect())
    }

    /// Writes a new key of the user's own: its public half, its identity, and the key that signs.
    /// Never replaces one.
    pub fn write_own_key(
        &self,
        name: &str,
        [public, identity, signing]: [&[u8]; 3],
        encrypted: bool,
    ) -> Result<OwnKey, StoreError> {
        let dir = self.layout.own_keys();
        atomic::create_dirs(&dir)?;
        let _lock = Lock::take(&self.layout.store_lock(), Kind::Exclusive, PATIENCE)?;
        let taken = self.own_keys()?.into_iter().find(|key| key.name == name);
        if let Some(taken) = taken {
            return Err(StoreError::Exists { path: taken.signing });
        }
        let ending = if encrypted { ENCRYPTED } else { "" };
        let identity_path = dir.join(format!("{name}{IDENTITY}{ending}"));
        let signing_path = dir.join(format!("{name}{SIGNING}{ending}"));
        let public_path = dir.join(format!("{name}{PUBLIC}"));
        // The key that signs comes last: only with it there is a key.
        atomic::replace_itself(&public_path, public)?;
        atomic::replace_itself(&identity_path, identity)?;
        atomic::write_new(&signing_path, signing)?;
        let name = name.to_owned();
        let (public, signing, identity) = (public_path, signing_path, Some(identity_path));
        Ok(OwnKey { name, public, signing, identity, encrypted })
    }

    /// Keeps the proof of what was signed. Nothing happens if it is kept already.
    pub fn keep_proof(&self, name: &str, proof: &str) -> Result<(), StoreError> {
        let dir = self.layout.proofs();
        let path = dir.join(name);
        if is_plain(&path) {
            return Ok(());
        }
        atomic::create_dirs(&dir)?;
        match atomic::write_new(&path, proof.as_bytes())? {
            Written::New | Written::Same => Ok(()),
        }
    }

    /// Notes that another proof covers a payload that is here already.
    pub fn also_proved(&self, payload: &str, proof: &str) -> Result<(), StoreError> {
        let known = self.proofs_of(payload);
        if known.iter().any(|name| name == proof) {
            return Ok(());
        }
        let dir = self.layout.proofs().join(ALSO);
        atomic::create_dirs(&dir)?;
        let mut text = known.join("\n");
        text.push_str(if text.is_empty() { "" } else { "\n" });
        atomic::replace_itself(&dir.join(payload), format!("{text}{proof}\n").as_bytes())
    }

    /// Other proofs of a payload than the one that it came with.
    pub fn proofs_of(&self, payload: &str) -> Vec<String> {
        let text = fs::read_to_string(self.layout.proofs().join(ALSO).join(payload));
        text.unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// Every proof that was kept.
    pub fn proofs(&self) -> Vec<String> {
        let names = listing(&self.layout.proofs()).unwrap_or_default();
        names.iter().filter_map(|name| self.proof(name)).collect()
    }

    /// A file that nobody else sees, for what is put aside while it is looked at.
    pub fn spool(&self) -> Result<fs::File, StoreError> {
        let dir = self.layout.home();
        atomic::create_dirs(dir)?;
        if let Some(file) = platform::create_unnamed(dir).at("create a file in", dir)? {
            return Ok(file);
        }
        let path = dir.join(format!("{TEMP_PREFIX}{}-spool", std::process::id()));
        let _ = fs::remove_file(&path);
        let file = platform::create_new(&path).at("create", &path)?;
        // Where an open file can go on without a name, nothing is left behind.
        let _ = fs::remove_file(&path);
        Ok(file)
    }

    /// A proof that was kept. The name comes from a file and is not believed.
    pub fn proof(&self, name: &str) -> Option<String> {
        let hex = name.len() == 64 && name.bytes().all(|b| b.is_ascii_hexdigit());
        fs::read_to_string(self.layout.proofs().join(hex.then_some(name)?)).ok()
    }
}

fn is_plain(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file())
}
