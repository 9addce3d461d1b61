//! Whatever parses is kept byte for byte, and the body begins right after it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::FrontMatter;

fuzz_target!(|source: &str| {
    let Ok((front, body_at)) = FrontMatter::parse(source) else {
        return;
    };
    let raw: String = front.entries.iter().map(|e| e.raw.as_str()).collect();
    let head = &source[..body_at];
    let opening = head.find('\n').expect("an opening fence") + 1;
    assert!(head[opening..].starts_with(&raw));
    assert!(head[opening + raw.len()..].starts_with("---"));
    let mut line = 2;
    for entry in &front.entries {
        assert_eq!(entry.line, line);
        line += entry.raw.matches('\n').count();
    }
});
