//! What stands outside the marks of a HANDOFF.md is never changed, whatever bytes it is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::HandoffFile;

fuzz_target!(|input: (&[u8], &str)| {
    let (bytes, block) = input;
    let Ok(file) = HandoffFile::parse(bytes) else { return };
    let _ = file.edited_block();
    let words = file.words();
    let made = file.refreshed(block, None);
    let again = HandoffFile::parse(&made).expect("ours");
    assert!(again.has_block());
    assert_eq!(again.edited_block(), None);
    if file.has_block() {
        assert_eq!(again.words(), words);
        assert_eq!(again.refreshed(block, None), made);
    }
});
