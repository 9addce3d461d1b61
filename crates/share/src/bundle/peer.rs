//! Bundles of session-handoff.
