//! Redacting twice changes nothing more, marks stay, and only what was found changes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::{RedactRules, Redactor};

fuzz_target!(|text: &str| {
    let redactor = Redactor::new(&RedactRules::default()).expect("no rules");
    let redacted = redactor.redact(text);
    let mut rest: &str = &redacted.text;
    let mut at = 0;
    for found in &redacted.found {
        rest = rest
            .strip_prefix(&text[at..found.range.start])
            .expect("what was not found stays");
        assert!(rest.starts_with(&format!("[redacted: {}", found.kind)));
        rest = &rest[rest.find(']').expect("a mark") + 1..];
        at = found.range.end;
    }
    assert_eq!(rest, &text[at..]);
    assert_eq!(redactor.redact(&redacted.text).text, redacted.text);
});
