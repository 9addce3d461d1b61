//! Any bytes are read as a transcript of this agent: lines, or the single value of its first versions.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    segue_fuzz::transcript("codex", "rollout.jsonl", bytes);
    segue_fuzz::transcript("codex", "rollout.json", bytes);
});
