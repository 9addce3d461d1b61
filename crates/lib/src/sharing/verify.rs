//! Verify: what a bundle is and who signed it, without importing it.

use segue_core::{HandoffId, Timestamp};

use super::bundle::{BundleFormat, BundleInput, Bundles};
use super::provenance::{Provenance, ProvenanceReader};
use crate::Error;

/// What a bundle is, without importing it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Verified {
    /// Its format.
    pub format: BundleFormat,
    /// Whether it was encrypted.
    pub encrypted: bool,
    /// Who signed it.
    pub provenance: Provenance,
    /// The ids and titles of what is in it.
    pub handoffs: Vec<(HandoffId, Timestamp, String)>,
}

impl Bundles<'_> {
    /// Reads a bundle whole and proves it. Changes nothing.
    pub fn verify(&self, input: BundleInput<'_>) -> Result<Verified, Error> {
        let bundle = self.open("verify", input)?;
        let handoffs = bundle.coming.iter();
        Ok(Verified {
            format: bundle.format,
            encrypted: bundle.encrypted,
            provenance: ProvenanceReader::of(self.store).of_signer(bundle.signer.as_ref()),
            handoffs: handoffs
                .map(|one| (one.id.clone(), one.created, one.title.clone()))
                .collect(),
        })
    }
}
