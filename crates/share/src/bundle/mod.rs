//! Bundles: handoffs in one portable file, signed and encrypted if wanted.
//!
//! Two formats: our own, and that of session-handoff. Reading one proves who made it and that it is
//! whole; whether that somebody is trusted is for the reader to say.

mod object;
mod own;
pub mod peer;

pub use own::{
    BundleError, BundleReader, BundleWriter, MAGIC, MAX_BUNDLE_BYTES, MAX_HANDOFFS, Signer,
    Statement,
};
