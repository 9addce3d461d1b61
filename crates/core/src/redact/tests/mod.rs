//! What is taken out, what stays, and what always holds.

mod drawn;
mod heads;
mod kinds;
mod pasted;
mod places;
mod properties;
mod rules;
mod stays;
mod taken;
mod unusual;

use super::{RedactRules, Redacted, Redactor};

pub(super) fn redact(text: &str) -> Redacted<'_> {
    Redactor::new(&RedactRules::default()).unwrap().redact(text)
}

/// Each text becomes the other, and that one stays as it is.
fn becomes(cases: &[(&str, &str)]) {
    for (text, wanted) in cases {
        assert_eq!(redact(text).text, *wanted, "from {text:?}");
        assert_eq!(redact(wanted).text, *wanted, "the second time");
    }
}

pub(super) const GITHUB: &str = "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";
/// The same with a checksum that does not hold.
const NOT_GITHUB: &str = "ghp_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq18";
const KEY: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
