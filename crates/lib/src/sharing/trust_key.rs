//! Trust in a key: by its fingerprint, by the file that shows it, or by what it signed.

use std::fs;
use std::path::Path;

use segue_core::Name;
use segue_share::crypt;
use segue_share::keys::{Fingerprint, PublicKey};
use segue_store::{StoreError, TrustedKey};

use super::bundle::{BundleInput, Bundles};
use super::key_text::{is_digits, public_of};
use super::keys::{KeyInfo, Keys, Trusting, read_limited};
use super::passphrase::AskPassphrase;
use crate::{Error, KeyProblem};

/// A key that a file shows.
struct ShownKey {
    key: PublicKey,
    name: Option<String>,
    recipient: Option<String>,
}

impl Keys<'_> {
    /// Trusts a key: one by its fingerprint, that of a PEM file, or the signer of a bundle.
    pub fn trust(
        &self,
        what: &str,
        name: Option<&Name>,
        ask: &mut AskPassphrase<'_>,
    ) -> Result<KeyInfo, Error> {
        let said = name.map(Name::as_str);
        if let Ok(fingerprint) = what.parse::<Fingerprint>() {
            return self.trust_fingerprint(&fingerprint.to_string(), said);
        }
        let path = self.env.dir.join(what);
        if !path.is_file() {
            return self.trust_seen(what, said);
        }
        let shown = self.key_in(&path, ask)?;
        let trusting = Trusting {
            said,
            suggested: shown.name.as_deref(),
            recipient: shown.recipient,
            own: false,
        };
        self.note_trust(&shown.key, trusting)?;
        self.find(&shown.key.fingerprint().to_string())
    }

    fn trust_fingerprint(&self, fingerprint: &str, said: Option<&str>) -> Result<KeyInfo, Error> {
        let seen = self.seen_keys();
        match seen.iter().find(|key| key.fingerprint().to_string() == fingerprint) {
            Some(key) => self.note_trust(key, Trusting { said, ..Trusting::default() })?,
            None => {
                let name = said.map(|said| self.free_name(said, fingerprint)).transpose()?;
                let was = self.store.trusted_key(fingerprint).unwrap_or_default();
                self.store.trust_key(&TrustedKey {
                    name: name.or(was.name.clone()),
                    since: was.since.or(Some(self.env.now())),
                    fingerprint: fingerprint.to_owned(),
                    ..was
                })?;
            }
        }
        self.find(fingerprint)
    }

    /// Trusts a key that was seen here, by some digits of its fingerprint, or one's own by its name.
    fn trust_seen(&self, word: &str, said: Option<&str>) -> Result<KeyInfo, Error> {
        let lower = word.to_ascii_lowercase();
        let seen = self.seen_keys();
        let begun = |key: &&PublicKey| {
            is_digits(&lower) && key.fingerprint().to_string().starts_with(&lower)
        };
        let fit: Vec<&PublicKey> = seen.iter().filter(begun).collect();
        match &fit[..] {
            [key] => self.trust_fingerprint(&key.fingerprint().to_string(), said),
            // One's own key that is not trusted any more.
            [] => {
                let key = self.find(word)?;
                let public = key.pem.as_deref().and_then(|pem| PublicKey::from_pem(pem).ok());
                let public = public.ok_or_else(|| KeyProblem::NoKey(word.to_owned()))?;
                let suggested = key.name.as_deref();
                let trusting = Trusting { said, suggested, own: key.own, recipient: None };
                self.note_trust(&public, trusting)?;
                self.find(&key.fingerprint)
            }
            several => Err(KeyProblem::Ambiguous {
                word: word.to_owned(),
                fingerprints: several.iter().map(|key| key.fingerprint().to_string()).collect(),
            }
            .into()),
        }
    }

    /// The key that a file shows: a public one in PEM, or the signer of a bundle.
    fn key_in(&self, path: &Path, ask: &mut AskPassphrase<'_>) -> Result<ShownKey, Error> {
        let start = read_limited(path)?;
        let text = String::from_utf8_lossy(&start);
        let pem = text.contains("-----BEGIN ") && !crypt::is_encrypted(&start);
        if pem && !text.starts_with("segue-bundle") {
            let shown = public_of(&text);
            let (key, recipient) =
                shown.map_err(|why| KeyProblem::BadKey { path: path.to_owned(), why })?;
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            return Ok(ShownKey { key, name, recipient });
        }
        let input = fs::File::open(path);
        let input = input.map_err(|source| StoreError::Io {
            what: "read",
            path: path.to_owned(),
            source,
        })?;
        let bundle = Bundles::new(self.env, self.store).open(
            "trust the signer of",
            BundleInput {
                name: path.display().to_string(),
                input: Box::new(input),
                ask: &mut |what| ask(what),
                identities: Vec::new(),
            },
        )?;
        let signer = bundle.signer.ok_or_else(|| KeyProblem::NotSigned(path.to_owned()))?;
        // What the signer calls itself is no name that the user gave it.
        Ok(ShownKey { key: signer.key, name: None, recipient: None })
    }

    /// Keys of signers of what was imported.
    fn seen_keys(&self) -> Vec<PublicKey> {
        let mut seen: Vec<PublicKey> = Vec::new();
        for proof in self.store.proofs() {
            if let Some(proof) = segue_share::bundle::Proof::check(&proof)
                && !seen.contains(&proof.signer.key)
            {
                seen.push(proof.signer.key);
            }
        }
        seen
    }
}
