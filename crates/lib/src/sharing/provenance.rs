//! Where an imported handoff comes from, and whether its signer is trusted. Computed on reading, so
//! that trust can be taken back.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use segue_core::{Handoff, Imported, PayloadDigest};
use segue_share::bundle::{Proof, Signer};
use segue_store::{Listed, Store};

/// What is known of an imported handoff's origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// Nobody signed it.
    Unsigned,
    /// Somebody signed it.
    Signed {
        /// The fingerprint of the key.
        fingerprint: String,
        /// What the user calls the key, if it is trusted.
        name: Option<String>,
        /// Whether the key is trusted.
        trusted: bool,
        /// What the signer calls itself.
        says: Option<String>,
    },
    /// It says that somebody signed it, and that cannot be proved here.
    Unproven {
        /// The fingerprint that it names.
        fingerprint: String,
    },
}

impl Provenance {
    /// What a briefing says of it: nothing that the signer chose.
    pub fn told(&self) -> String {
        match self.clone() {
            Self::Signed { fingerprint, name, trusted, .. } => {
                Self::Signed { fingerprint, name, trusted, says: None }.to_string()
            }
            other => other.to_string(),
        }
    }

    /// The key that is named, if one is.
    fn fingerprint(&self) -> Option<&str> {
        match self {
            Self::Unsigned => None,
            Self::Signed { fingerprint, .. } | Self::Unproven { fingerprint } => Some(fingerprint),
        }
    }

    /// One word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Unsigned => "unsigned",
            Self::Signed { trusted: true, .. } => "trusted",
            Self::Signed { trusted: false, .. } => "untrusted",
            Self::Unproven { .. } => "unproven",
        }
    }
}

impl std::fmt::Display for Provenance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let short = |print: &str| print.chars().take(16).collect::<String>();
        match self {
            Self::Unsigned => f.write_str("nobody signed it"),
            Self::Signed { fingerprint, name: Some(name), trusted: true, .. } => {
                write!(f, "signed by {name} ({}), who is trusted", short(fingerprint))
            }
            Self::Signed { fingerprint, trusted: true, .. } => {
                write!(f, "signed by {}, which is trusted", short(fingerprint))
            }
            Self::Signed { fingerprint, says: Some(says), .. } => {
                write!(
                    f,
                    "signed by {}, which is not trusted and calls itself '{says}'",
                    short(fingerprint)
                )
            }
            Self::Signed { fingerprint, .. } => {
                write!(f, "signed by {}, which is not trusted", short(fingerprint))
            }
            Self::Unproven { fingerprint } => write!(
                f,
                "it says that {} signed it, which cannot be proved here",
                short(fingerprint)
            ),
        }
    }
}

/// Answers for many handoffs; each proof is checked once.
pub struct ProvenanceReader<'a> {
    store: &'a Store,
    proofs: RefCell<HashMap<String, Option<Rc<Proved>>>>,
    names: RefCell<HashMap<String, Option<Option<String>>>>,
}

/// A proof that holds.
struct Proved {
    signer: Signer,
    fingerprint: String,
    covers: HashSet<PayloadDigest>,
}

impl<'a> ProvenanceReader<'a> {
    pub(crate) fn of(store: &'a Store) -> Self {
        Self { store, proofs: RefCell::default(), names: RefCell::default() }
    }

    /// Where a handoff in a list comes from; `None` if it was made here. Whether somebody has altered its file is seen by
    /// the file's size, time and inode; [`of_handoff`](Self::of_handoff) looks at the text itself.
    pub fn of_listed(&self, listed: &Listed) -> Option<Provenance> {
        let imported = listed.head.fields.imported.as_ref()?;
        Some(self.of_imported(imported, self.store.payload_digest(listed).ok()))
    }

    /// Where a handoff comes from; `None` if it was made here.
    pub fn of_handoff(&self, handoff: &Handoff) -> Option<Provenance> {
        let imported = handoff.head.fields.imported.as_ref()?;
        Some(self.of_imported(imported, Some(PayloadDigest::of(&handoff.payload()))))
    }

    fn of_imported(&self, imported: &Imported, payload: Option<PayloadDigest>) -> Provenance {
        // Anything else was not written by an import.
        let is_fingerprint =
            |text: &&str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let claimed = imported.signer.as_deref().filter(is_fingerprint);
        let name = imported.from.as_deref().and_then(proof_name);
        let proof = |name: &str| {
            let covers =
                |proof: &Rc<Proved>| payload.is_some_and(|payload| proof.covers.contains(&payload));
            self.proof(name)
                .filter(covers)
                .map(|proof| self.signed(&proof.signer, proof.fingerprint.clone()))
        };
        let own = claimed.zip(name).and_then(|(claimed, name)| {
            proof(name).filter(|from| from.fingerprint() == Some(claimed))
        });
        if own.as_ref().is_some_and(|from| from.word() == "trusted") {
            return own.unwrap_or(Provenance::Unsigned);
        }
        // The same text may have come again, signed by somebody who is trusted.
        let others = payload.map(|payload| self.store.proofs_of(&payload.to_string()));
        let others: Vec<Provenance> =
            others.unwrap_or_default().iter().filter_map(|name| proof(name)).collect();
        let trusted = others.iter().find(|from| from.word() == "trusted").cloned();
        match (trusted, own, others.into_iter().next(), claimed) {
            (Some(known), ..) | (None, Some(known), ..) | (None, None, Some(known), _) => known,
            (None, None, None, Some(claimed)) => {
                Provenance::Unproven { fingerprint: claimed.to_owned() }
            }
            (None, None, None, None) => Provenance::Unsigned,
        }
    }

    /// What a bundle's own signature is worth, which was proved when the bundle was opened.
    pub(crate) fn of_signer(&self, signer: Option<&Signer>) -> Provenance {
        let signed = |signer: &Signer| self.signed(signer, signer.key.fingerprint().to_string());
        signer.map_or(Provenance::Unsigned, signed)
    }

    fn signed(&self, signer: &Signer, fingerprint: String) -> Provenance {
        let name = self.trusted_name(&fingerprint);
        Provenance::Signed {
            trusted: name.is_some(),
            name: name.flatten(),
            says: signer.name.clone(),
            fingerprint,
        }
    }

    fn proof(&self, name: &str) -> Option<Rc<Proved>> {
        let mut proofs = self.proofs.borrow_mut();
        let check = || {
            let Proof { signer, covers } = Proof::check(&self.store.proof(name)?)?;
            let fingerprint = signer.key.fingerprint().to_string();
            Some(Rc::new(Proved { signer, fingerprint, covers: covers.into_iter().collect() }))
        };
        proofs.entry(name.to_owned()).or_insert_with(check).clone()
    }

    fn trusted_name(&self, fingerprint: &str) -> Option<Option<String>> {
        let mut names = self.names.borrow_mut();
        let look = || self.store.trusted_key(fingerprint).map(|key| key.name);
        names.entry(fingerprint.to_owned()).or_insert_with(look).clone()
    }
}

/// The name of the proof that `imported.from` refers to.
fn proof_name(from: &str) -> Option<&str> {
    from.rsplit_once("sha256:").map(|(_, name)| name)
}
