//! Spans and moments are exact or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::{Timestamp, Ttl, parse_since};

fuzz_target!(|text: &str| {
    let now: Timestamp = "2026-11-15T17:45:00.123456Z".parse().expect("a time");
    if let Ok(ttl) = text.parse::<Ttl>()
        && let Ok(Some(expires)) = ttl.expires(now)
    {
        assert!(expires > now);
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        assert_eq!(at.to_string().parse(), Ok(at));
        assert_eq!(at.short().parse(), Ok(at));
        assert!(at.compact().starts_with(&at.month().replace('-', "")));
    } else if let Ok(since) = parse_since(text, now) {
        // A day may lie ahead; a span, which ends with its unit, never does.
        assert!(since <= now || !text.trim_end().ends_with(char::is_alphabetic));
    }
});
