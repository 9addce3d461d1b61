//! The program as people and agents use it: a real binary, a real store, real git, real processes.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

mod auto;
mod bad_input;
mod basics;
mod bundle;
mod capture;
mod continue_in;
mod crash;
mod cut_secrets;
mod full_disk;
mod ground;
mod here;
mod hook;
mod house;
mod index;
mod install;
mod interop;
mod keep;
mod many;
mod mcp;
mod mended;
mod mount;
mod odd_trees;
mod output;
mod peers;
mod power;
mod received;
mod recheck_sources;
mod resume;
mod resume_choice;
mod run;
#[path = "../../../share/tests/scripted/mod.rs"]
mod scripted;
mod scrub;
mod search;
mod select;
mod session_place;
mod shared;
mod shared_attacks;
mod snapshot_ask;
mod store_0_1;
mod strace;
mod terminal;
mod vault;
mod witness;
mod workspace;
