//! A checkpoint that can be read is the same after it was written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::run::{Checkpoint, Input, Mark};

fuzz_target!(|source: &str| {
    if let Some(mark) = Mark::parse(source) {
        assert_eq!(Mark::parse(&mark.render()), Some(mark));
    }
    if let Ok(input) = Input::parse(source) {
        assert_eq!(Input::parse(&input.render()), Ok(input));
    }
    if let Ok(read) = Checkpoint::parse(source) {
        assert_eq!(Checkpoint::parse(&read.render()).expect("ours"), read);
    }
});
