//! Sections lie in order in the body, and a step that is added is found again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::{next_items, sections, with_next_items};

fuzz_target!(|body: &str| {
    let mut from = 0;
    for section in sections(body) {
        assert!(section.end >= from && section.end <= body.len());
        assert!(body[..section.end].ends_with(section.text));
        from = section.end;
    }
    let before = next_items(body);
    let mut wanted = before.clone();
    wanted.push("step".to_owned());
    assert_eq!(
        next_items(&with_next_items(body, &["step".to_owned()])),
        wanted
    );
    assert_eq!(with_next_items(body, &[]), body);
    let _ = with_next_items("", &[body.to_owned()]);
});
