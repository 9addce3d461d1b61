//! What leaves this machine and what comes in, and whom the user trusts.

pub(crate) mod arrived;
pub(crate) mod bundle;
pub(crate) mod coming;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod import_from;
pub(crate) mod import_redacted;
pub(crate) mod keys;
pub(crate) mod provenance;
pub(crate) mod pull;
pub(crate) mod push;
pub(crate) mod shared;
pub(crate) mod trust;
pub(crate) mod vault;
pub(crate) mod verify;
