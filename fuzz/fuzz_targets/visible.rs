//! Nothing that acts on a terminal is left, and doing it twice changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::{visible, visible_line};

fuzz_target!(|text: &str| {
    let shown = visible(text);
    assert!(
        !shown
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t')
    );
    assert_eq!(visible(&shown), shown);
    let line = visible_line(text);
    assert!(!line.chars().any(char::is_control));
    assert_eq!(visible_line(&line), line);
});
