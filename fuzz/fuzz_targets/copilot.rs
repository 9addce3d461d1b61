//! Any bytes are read as a transcript of this agent.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    segue_fuzz::transcript("copilot-cli", "events.jsonl", bytes);
});
