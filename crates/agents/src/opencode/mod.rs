//! OpenCode: all sessions in one SQLite database, as messages and their parts.

mod database;
mod places;
mod record;
mod tools;

pub(crate) use database::{is_database, read};
pub(crate) use places::{in_file, newest_in, of_id, subagents};
