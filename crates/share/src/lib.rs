//! What leaves and enters the machine's projects. The only caller of git.

pub mod git;
pub mod vault;
