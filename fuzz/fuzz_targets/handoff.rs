//! A handoff keeps its file's bytes, and a successor of it says the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::Handoff;

fuzz_target!(|source: &str| {
    let Ok(read) = Handoff::parse(source) else {
        return;
    };
    assert_eq!(read.source(), source);
    assert!(source.ends_with(read.body()));
    let _ = (read.display_title(), read.next());
    if !read.head.version.is_newer() {
        let draft = read.to_draft();
        let again = Handoff::parse(draft.render(&read.head.id, read.head.created)).expect("ours");
        assert_eq!(again.to_draft(), draft);
        assert!(again.problems.is_empty());
    }
});
