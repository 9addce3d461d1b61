//! Whose words a text of a transcript is, as types: what the user typed, and what a tool gave back. A reader
//! that wants to say that the user said something has to vouch for it.

use std::borrow::Cow;

/// The user's own words: typed in a prompt, as an answer to the agent's own question, or while refusing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Typed<'t>(&'t str);

impl<'t> Typed<'t> {
    /// The caller vouches that the record, by its own type and field, holds what the user typed and that
    /// everything a machine put around it is cut off.
    pub fn by_record(text: &'t str) -> Self {
        Self(text)
    }

    /// The caller vouches that the agent itself wrote this result, and neither a program, a file, a server nor
    /// another agent. `find` gives the user's part of it.
    pub fn in_own_result(
        result: &'t ToolText<'_>,
        find: impl FnOnce(&'t str) -> Option<&'t str>,
    ) -> Option<Self> {
        find(&result.0).map(Self)
    }

    pub fn as_str(self) -> &'t str {
        self.0
    }

    pub fn is_empty(self) -> bool {
        self.0.trim().is_empty()
    }
}

/// In the tests of this crate, what is asked and answered is the user's.
#[cfg(test)]
impl<'t, T: AsRef<str> + ?Sized> From<&'t T> for Typed<'t> {
    fn from(text: &'t T) -> Self {
        Self(text.as_ref())
    }
}

/// What a tool gave back: what it printed, what a file contains, what an error says. No part of it is the
/// user's by how it reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolText<'o>(Cow<'o, str>);

impl<'o> ToolText<'o> {
    pub fn new(text: impl Into<Cow<'o, str>>) -> Self {
        Self(text.into())
    }

    /// The text, to look at how the call ended.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_text(self) -> Cow<'o, str> {
        self.0
    }
}
