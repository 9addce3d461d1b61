//! Any output of git is read or refused, and never listed in another order or beyond the limit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_share::git::{MAX_CHANGED, parse_status};

fuzz_target!(|output: &[u8]| {
    if let Ok(status) = parse_status(output) {
        let changed = status.changed();
        assert!(changed.len() <= MAX_CHANGED && changed.is_sorted());
        assert!(status.more == 0 || changed.len() == MAX_CHANGED);
        assert!(changed.iter().all(|path| !path.contains('\0')));
    }
});
