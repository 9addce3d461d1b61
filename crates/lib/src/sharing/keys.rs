//! Keys: the user's own, and whose signature the user trusts.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use segue_core::{Name, Timestamp, visible_line};
use segue_share::crypt::{self, CryptError, Identity, Passphrase, Recipient};
use segue_share::keys::{KeyError, PublicKey, SecretKey};
use segue_store::{OpenTo, OwnKey, Store, StoreError, TrustedKey, too_open};
use zeroize::Zeroizing;

use super::key_text::{file_stem, is_digits, is_plain_name, public_file, public_of, recipient_in};
use super::passphrase::{AskPassphrase, PassphraseFor};
use crate::{Env, Error, KeyProblem};

/// A key file is never larger.
const MAX_KEY_FILE: u64 = 64 * 1024;
/// A key, as far as it is known here.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyInfo {
    /// SHA-256 of the public key, 64 hex digits.
    pub fingerprint: String,
    /// What the user calls it.
    pub name: Option<String>,
    /// Whether the user signs with it.
    pub own: bool,
    /// Since when it is trusted, if it is.
    pub trusted: Option<Timestamp>,
    /// Whether it is trusted.
    pub is_trusted: bool,
    /// The public key as a PEM file, if it was seen.
    pub pem: Option<String>,
    /// Whom to encrypt for, if that is known.
    pub recipient: Option<String>,
    /// The file that others can trust and encrypt for, if it is the user's own.
    pub public_file: Option<String>,
    /// The file of the private key, if it lies in the store.
    pub file: Option<PathBuf>,
    /// Whether that file is encrypted.
    pub encrypted: bool,
}

/// A key to sign with.
#[non_exhaustive]
pub struct Signing {
    /// The key.
    pub key: SecretKey,
    /// What the user calls it, if it is one of the store.
    pub name: Option<String>,
    /// What should be said of it.
    pub warnings: Vec<String>,
}

/// The keys of a store: the user's own, and those that are trusted.
#[derive(Clone, Copy)]
pub struct Keys<'s> {
    pub(super) env: &'s Env,
    pub(super) store: &'s Store,
}

impl<'s> Keys<'s> {
    pub(crate) fn new(env: &'s Env, store: &'s Store) -> Self {
        Self { env, store }
    }
}

impl Keys<'_> {
    /// Makes a key of the user's own, which is trusted from then on.
    pub fn create(&self, name: &Name, passphrase: Option<&Passphrase>) -> Result<KeyInfo, Error> {
        let name = file_stem(name)?;
        let taken = |key: &KeyInfo| {
            key.name.as_deref().is_some_and(|other| other.eq_ignore_ascii_case(&name))
        };
        if self.all()?.iter().any(taken) {
            return Err(KeyProblem::Exists(name).into());
        }
        let key = SecretKey::from_seed(&Zeroizing::new(crypt::random_bytes()?));
        let identity = Identity::generate();
        let (pem, opens) = (key.to_pem(), identity.to_file());
        let (pem, opens) = match passphrase {
            Some(passphrase) => (
                Zeroizing::new(crypt::encrypt_text(&pem, passphrase)?),
                Zeroizing::new(crypt::encrypt_text(&opens, passphrase)?),
            ),
            None => (pem, opens),
        };
        let public = public_file(&key, &identity.recipient());
        let files = [public.as_bytes(), opens.as_bytes(), pem.as_bytes()];
        match self.store.write_own_key(&name, files, passphrase.is_some()) {
            Ok(_) => {}
            Err(StoreError::Exists { .. }) => return Err(KeyProblem::Exists(name).into()),
            Err(error) => return Err(error.into()),
        }
        self.note_trust(
            &key.public(),
            Trusting { said: Some(&name), own: true, ..Trusting::default() },
        )?;
        self.find(&key.public().fingerprint().to_string())
    }

    /// Every key that is known here: own ones first, then by name.
    pub fn all(&self) -> Result<Vec<KeyInfo>, Error> {
        let mut known: Vec<KeyInfo> = Vec::new();
        for own in self.store.own_keys()? {
            if let Some(info) = own_info(&own) {
                known.push(info);
            }
        }
        for trusted in self.store.trusted_keys()? {
            match known.iter_mut().find(|known| known.fingerprint == trusted.fingerprint) {
                Some(info) => {
                    info.is_trusted = true;
                    info.trusted = trusted.since;
                }
                None => known.push(trusted_info(trusted)),
            }
        }
        known.sort_by_key(|key| (!key.own, key.name.clone(), key.fingerprint.clone()));
        Ok(known)
    }

    /// The key of this fingerprint or name, or of the beginning of a fingerprint.
    pub fn find(&self, word: &str) -> Result<KeyInfo, Error> {
        let known = self.all()?;
        let lower = word.to_ascii_lowercase();
        // A fingerprint is a fingerprint, whatever somebody is called.
        if let Some(exact) = known.iter().find(|key| key.fingerprint == lower) {
            return Ok(exact.clone());
        }
        let named: Vec<_> = known.iter().filter(|key| key.name.as_deref() == Some(word)).collect();
        let begun = |key: &&KeyInfo| is_digits(&lower) && key.fingerprint.starts_with(&lower);
        let fit = if named.is_empty() { known.iter().filter(begun).collect() } else { named };
        match &fit[..] {
            [one] => Ok((*one).clone()),
            [] => Err(KeyProblem::NoKey(word.to_owned()).into()),
            several => Err(KeyProblem::Ambiguous {
                word: word.to_owned(),
                fingerprints: several.iter().map(|key| key.fingerprint.clone()).collect(),
            }
            .into()),
        }
    }

    /// A name for a key, if it can be shown beside words of ours and no other key has it.
    pub(super) fn free_name(&self, name: &str, fingerprint: &str) -> Result<String, Error> {
        if !is_plain_name(name) {
            return Err(Error::Usage(format!(
                "'{}' is no name for a key: use letters, digits, blanks and - _ . @, and not digits only",
                visible_line(name)
            )));
        }
        let taken = |key: &KeyInfo| {
            key.name.as_deref().is_some_and(|other| other.eq_ignore_ascii_case(name))
                && key.fingerprint != fingerprint
        };
        match self.all()?.iter().any(taken) {
            true => Err(KeyProblem::Exists(name.to_owned()).into()),
            false => Ok(name.to_owned()),
        }
    }

    /// Trusts a key no more. What it signed stays, and is shown as it then is.
    pub fn untrust(&self, word: &str) -> Result<KeyInfo, Error> {
        let key = self.find(word)?;
        self.store.untrust_key(&key.fingerprint)?;
        Ok(KeyInfo { trusted: None, is_trusted: false, ..key })
    }

    pub(crate) fn note_trust(&self, key: &PublicKey, trusting: Trusting<'_>) -> Result<(), Error> {
        let fingerprint = key.fingerprint().to_string();
        let there = self.store.trusted_key(&fingerprint);
        let was = there.clone().unwrap_or_default();
        let name = match (trusting.said, was.name) {
            (Some(said), _) => Some(self.free_name(said, &fingerprint)?),
            (None, Some(name)) => Some(name),
            // What nobody said is taken if nothing is against it.
            (None, None) => {
                trusting.suggested.and_then(|name| self.free_name(name, &fingerprint).ok())
            }
        };
        let wanted = TrustedKey {
            key: Some(key.to_base64()),
            name,
            recipient: trusting.recipient.or(was.recipient),
            own: trusting.own || was.own,
            since: was.since.or(Some(self.env.now())),
            fingerprint,
        };
        // Signing says it each time; it is written once.
        if there.as_ref() != Some(&wanted) {
            self.store.trust_key(&wanted)?;
        }
        Ok(())
    }

    /// The key to sign with: one of the store by its name, or a PEM file.
    pub fn signing_key(&self, word: &str, ask: &mut AskPassphrase<'_>) -> Result<Signing, Error> {
        let own = self.store.own_keys()?.into_iter().find(|own| own.name == word);
        let path = match &own {
            Some(own) => own.signing.clone(),
            None => self.env.dir.join(word),
        };
        if own.is_none() && !path.is_file() {
            return Err(KeyProblem::NoKey(word.to_owned()).into());
        }
        let mut warnings = Vec::new();
        if too_open(&path).is_ok_and(|open| open == OpenTo::Others) {
            warnings.push(format!(
                "others on this machine can read the key {}: 'chmod 600' keeps it yours",
                path.display()
            ));
        }
        let text = read_secret(&path, PassphraseFor::Key(word), ask)?;
        let key = SecretKey::from_pem(&text)
            .map_err(|why| KeyProblem::BadKey { path: path.clone(), why })?;
        Ok(Signing { key, name: own.map(|own| own.name), warnings })
    }

    /// Whom to encrypt for: an `age1…`, a file that has one in it, or one's own key by its name.
    pub fn recipient(&self, word: &str) -> Result<Recipient, Error> {
        if let Ok(recipient) = word.parse() {
            return Ok(recipient);
        }
        if let Ok(KeyInfo { recipient: Some(recipient), .. }) = self.find(word) {
            return Ok(recipient.parse().map_err(KeyProblem::from)?);
        }
        let path = self.env.dir.join(word);
        let found = path.is_file().then(|| read_limited(&path)).transpose()?;
        let found = found.map(|text| String::from_utf8_lossy(&text).into_owned());
        let found = match found {
            // A file of 'keys export': its key answers for the recipient.
            Some(text) if text.contains("-----BEGIN ") => {
                let shown = public_of(&text).map_err(|why| KeyProblem::BadKey { path, why })?;
                shown.1.and_then(|recipient| recipient.parse().ok())
            }
            Some(text) => recipient_in(&text),
            None => None,
        };
        found.ok_or_else(|| KeyProblem::from(CryptError::NotARecipient(word.to_owned())).into())
    }

    /// The identities of a file.
    pub fn identities(
        &self,
        file: &Path,
        ask: &mut AskPassphrase<'_>,
    ) -> Result<Vec<Identity>, Error> {
        let path = self.env.dir.join(file);
        let shown = path.display().to_string();
        let text = read_secret(&path, PassphraseFor::Key(&shown), ask)?;
        Ok(Identity::from_file(&text).map_err(|why| KeyProblem::Locked { path, why })?)
    }

    /// The identities of the user's own keys.
    pub(crate) fn own_identities(
        &self,
        encrypted: bool,
        ask: &mut AskPassphrase<'_>,
    ) -> Result<Vec<Identity>, CryptError> {
        let asked = |error: Error| CryptError::Asked(error.to_string());
        let keys = self.store.own_keys().map_err(|error| asked(error.into()))?;
        let mut found = Vec::new();
        for own in keys.iter().filter(|own| own.encrypted == encrypted) {
            if let Some(path) = &own.identity {
                let text = read_secret(path, PassphraseFor::Key(&own.name), ask).map_err(asked)?;
                found.extend(Identity::from_file(&text)?);
            }
        }
        Ok(found)
    }
}

/// How a key comes to be trusted.
#[derive(Default)]
pub(crate) struct Trusting<'a> {
    /// The name that the user gave it.
    pub(crate) said: Option<&'a str>,
    /// A name that would do.
    pub(crate) suggested: Option<&'a str>,
    pub(crate) recipient: Option<String>,
    /// Whether the user signs with it.
    pub(crate) own: bool,
}

fn own_info(own: &OwnKey) -> Option<KeyInfo> {
    let text = fs::read_to_string(&own.public).ok()?;
    let (key, recipient) = public_of(&text).ok()?;
    Some(KeyInfo {
        fingerprint: key.fingerprint().to_string(),
        name: Some(own.name.clone()),
        own: true,
        trusted: None,
        is_trusted: false,
        pem: Some(key.to_pem()),
        recipient,
        public_file: Some(text),
        file: Some(own.signing.clone()),
        encrypted: own.encrypted,
    })
}

fn trusted_info(trusted: TrustedKey) -> KeyInfo {
    let key = trusted.key.as_deref().and_then(|key| PublicKey::from_base64(key).ok());
    KeyInfo {
        pem: key.map(|key| key.to_pem()),
        fingerprint: trusted.fingerprint,
        name: trusted.name,
        own: trusted.own,
        trusted: trusted.since,
        is_trusted: true,
        recipient: trusted.recipient,
        public_file: None,
        file: None,
        encrypted: false,
    }
}

pub(super) fn read_limited(path: &Path) -> Result<Zeroizing<Vec<u8>>, Error> {
    let failed = |source| StoreError::Io { what: "read", path: path.to_owned(), source };
    let mut bytes = Zeroizing::new(Vec::new());
    let file = fs::File::open(path).map_err(failed)?;
    file.take(MAX_KEY_FILE).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// The text of a file that may be encrypted.
fn read_secret(
    path: &Path,
    what: PassphraseFor<'_>,
    ask: &mut AskPassphrase<'_>,
) -> Result<Zeroizing<String>, Error> {
    let bytes = read_limited(path)?;
    let locked = |why| KeyProblem::Locked { path: path.to_owned(), why };
    if crypt::is_encrypted(&bytes) {
        let passphrase = ask(what).map_err(locked)?;
        return Ok(crypt::decrypt_text(&bytes, &passphrase).map_err(locked)?);
    }
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| KeyProblem::BadKey { path: path.to_owned(), why: KeyError::NotAKey })?;
    Ok(Zeroizing::new(text.to_owned()))
}
