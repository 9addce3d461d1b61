//! Of two archives that are merged, every handoff of either side is still there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::{Archive, Merged, merge_layer_file};

fuzz_target!(|sides: (&str, &str, u8)| {
    let (ours, theirs, layer) = sides;
    let path = match layer % 3 {
        0 => "layer1/2026-11/api-2026-11-15-a3f9c12e.md",
        1 => "layer2/current-state.md",
        _ => "layer3/2026-11-api-archive.md",
    };
    let merged = merge_layer_file(path, None, Some(ours.as_bytes()), Some(theirs.as_bytes()));
    if let (Merged::File(text), 2, Ok(one), Ok(other)) =
        (&merged, layer % 3, Archive::parse(ours), Archive::parse(theirs))
    {
        let text = std::str::from_utf8(text).expect("of two texts");
        let both = Archive::parse(text).expect("ours");
        for entry in one.entries.iter().chain(&other.entries) {
            assert!(both.entries.iter().any(|kept| kept.source == entry.source));
        }
    }
});
