//! Which directories are the same project: by real repositories.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

mod claims;
mod clones;
mod ground;
mod named;
mod old_place;
#[cfg(unix)]
mod slow_git;
