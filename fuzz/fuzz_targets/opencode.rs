//! Any bytes are a database of this agent, or what stands in one: a line a message (`m`), part (`p`)
//! or to-do (`t`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| segue_fuzz::database(bytes));
