//! What an editor gave back reads the same when it is shown again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::{Editable, Handoff};

fuzz_target!(|source: &str| {
    if let Ok(edited) = Editable::parse(source) {
        assert_eq!(Editable::parse(&edited.render()), Ok(edited));
    }
    if let Ok(handoff) = Handoff::parse(source) {
        let shown = Editable::new(&handoff.head.fields, handoff.body());
        assert!(
            Editable::parse(&shown.render()).is_ok_and(|back| back.body == shown.body)
                || !shown.tags.is_empty()
        );
    }
});
