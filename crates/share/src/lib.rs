//! What leaves and enters the machine's projects. The only caller of git.

mod child;
pub mod command;
pub mod git;
pub mod peers;
pub mod vault;
