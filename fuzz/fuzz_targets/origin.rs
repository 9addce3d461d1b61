//! A normalised origin is normal: no control character, and the same when it is read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::{Origin, normalise_origin};

fuzz_target!(|url: &str| match normalise_origin(url) {
    Some(Origin::Host(text)) => {
        assert!(!text.is_empty() && !text.chars().any(char::is_control));
        let again = normalise_origin(&format!("https://{text}"));
        assert!(matches!(again, Some(Origin::Host(_))), "{text:?}");
    }
    Some(Origin::Local(text)) => assert!(!text.chars().any(char::is_control)),
    None => {}
});
