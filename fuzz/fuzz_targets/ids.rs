//! What is an id is written as it was read, and can be no path.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::{HandoffId, ProjectId, Selector, slug};

fuzz_target!(|text: &str| {
    if let Ok(id) = text.parse::<HandoffId>() {
        assert_eq!(id.as_str(), text);
        assert!(text.ends_with(id.short()) && id.month().len() == 7);
    }
    if let Ok(id) = text.parse::<ProjectId>() {
        assert_eq!(id.as_str(), text);
        assert!(!text.contains(['/', '\\', '.', '\0']));
    }
    if let Ok(selector) = text.parse::<Selector>() {
        assert_eq!(selector.to_string().parse(), Ok(selector));
    }
    let _ = Selector::id_prefix(text);
    assert!(
        format!("{}-12345678", slug(text))
            .parse::<ProjectId>()
            .is_ok()
    );
});
