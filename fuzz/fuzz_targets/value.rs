//! What is written reads the same, and is written the same again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::Value;

fuzz_target!(|text: &str| {
    let own = Value::Text(text.to_owned());
    assert_eq!(Value::parse(&own.render()), Ok(own));
    if let Ok(value) = Value::parse(text) {
        let written = value.render();
        assert!(!written.contains(['\n', '\r']));
        assert_eq!(Value::parse(&written), Ok(value));
    }
});
