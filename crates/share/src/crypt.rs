//! Encryption of our own bundles: age files.
