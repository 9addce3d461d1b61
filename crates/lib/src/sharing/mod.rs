//! What leaves this machine and what comes in, and whom the user trusts.

pub(crate) mod arrived;
pub(crate) mod bundle;
mod coming;
pub(crate) mod export;
pub(crate) mod import;
mod import_from;
mod import_plan;
mod import_redacted;
pub(crate) mod import_request;
mod key_text;
pub(crate) mod keys;
pub(crate) mod passphrase;
pub(crate) mod provenance;
pub(crate) mod pull;
pub(crate) mod push;
pub(crate) mod shared;
pub(crate) mod trust;
mod trust_key;
pub(crate) mod vault;
pub(crate) mod verify;
