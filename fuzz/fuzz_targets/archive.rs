//! What an archive holds is still there, whole, after it was written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::Archive;

fuzz_target!(|source: &str| {
    let Ok(read) = Archive::parse(source) else {
        return;
    };
    for entry in &read.entries {
        assert!(source[entry.offset..].starts_with(&entry.source));
    }
    let mut again = Archive::parse(&read.render("2026-11", "api")).expect("ours");
    assert_eq!(again.entries.len(), read.entries.len());
    for (new, old) in again.entries.iter_mut().zip(&read.entries) {
        new.offset = old.offset;
    }
    if read.head.is_empty() {
        // A file without a header gets one.
        again.head.clear();
    }
    assert_eq!(again, read);
});
