//! Publishing, against real git and real bare repositories.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

mod branches;
mod ground;
mod hooks;
mod merges;
mod outside;
mod remotes;
mod retries;
mod staged;
mod untrusted;
