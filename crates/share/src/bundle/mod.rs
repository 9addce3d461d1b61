//! Bundles: handoffs in one portable file, signed and encrypted if wanted.
//!
//! Two formats: our own, and that of session-handoff. Reading one proves who made it and that it is
//! whole; whether that somebody is trusted is for the reader to say.

mod object;
mod own;
pub mod peer;

pub use own::{
    BundleError, BundleReader, BundleWriter, HandoffProblem, MAGIC, MAX_BUNDLE_BYTES, MAX_HANDOFFS,
    MAX_PAYLOAD, Signer, Statement, fits,
};
use segue_core::PayloadDigest;

/// What a signature that was kept still proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Who signed.
    pub signer: Signer,
    /// The payloads that are covered.
    pub covers: Vec<PayloadDigest>,
}

impl Proof {
    /// Checks a proof that was kept, of whichever format; `None` if it proves nothing.
    pub fn check(text: &str) -> Option<Self> {
        if let Ok(statement) = Statement::check(text) {
            return Some(Self { signer: statement.signer, covers: statement.covers });
        }
        let bundle = peer::read(text).ok()?;
        let handoff = bundle.record.to_handoff().ok()?;
        Some(Self { signer: bundle.signer?, covers: vec![PayloadDigest::of(handoff.source())] })
    }
}
