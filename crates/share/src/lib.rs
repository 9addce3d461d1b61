//! What leaves and enters the machine's projects. The only caller of git.

pub mod bundle;
mod child;
pub mod command;
pub mod crypt;
pub mod git;
pub mod keys;
pub mod peers;
pub mod vault;
