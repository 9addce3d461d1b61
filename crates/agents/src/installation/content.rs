//! What goes into a file of an agent's, and how it comes out again.

use crate::settings::{SettingsError, block, json, toml, yaml};

/// Something of ours in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Content(pub(crate) Kind);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Entries in JSON, with comments or without.
    Json(Vec<json::Entry>),
    /// A table in TOML.
    Toml(toml::Table),
    /// An entry in YAML.
    Yaml(yaml::Entry),
    /// A block in Markdown.
    Block(&'static str),
    /// The whole file: what stands before and behind the program that it names, if it names one.
    Whole { text: String, around: Option<(String, String)>, program: bool },
}

/// Whether something of ours is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    No,
    Yes,
    /// Not all of it, or not as it would be put in now.
    Old,
}

/// By which a whole file is known to be ours.
const MARK: &str = "made by 'segue install'";

impl Content {
    /// A text with it. One that has it stays as it is.
    pub fn put(&self, text: &str) -> Result<String, SettingsError> {
        match &self.0 {
            Kind::Json(entries) => {
                entries.iter().try_fold(text.to_owned(), |text, entry| json::put(&text, entry))
            }
            Kind::Toml(table) => toml::put(text, table),
            Kind::Yaml(entry) => yaml::put(text, entry),
            Kind::Block(words) => block::put(text, words),
            Kind::Whole { text: own, .. } => match text {
                _ if text.trim().is_empty() || text.contains(MARK) => Ok(own.clone()),
                _ => Err(SettingsError::new("it is not Segue's")),
            },
        }
    }

    /// A text without it; an empty one if there is nothing else in it. `before` is what the text was
    /// when it was not yet in, if that is known.
    pub fn take(&self, text: &str, before: Option<&str>) -> Result<String, SettingsError> {
        match &self.0 {
            Kind::Json(entries) => entries.iter().rev().try_fold(text.to_owned(), |now, entry| {
                match entry {
                    // Only what comes with ours can be ours.
                    json::Entry::Needed { .. } if now == text => Ok(now),
                    _ => json::take(&now, entry, before),
                }
            }),
            Kind::Toml(table) => toml::take(text, table, before),
            Kind::Yaml(entry) => yaml::take(text, entry, before),
            Kind::Block(_) => block::take(text),
            Kind::Whole { text: own, .. } => match text {
                _ if text == own || self.is_as_made(text) => Ok(String::new()),
                _ if text.contains(MARK) => {
                    Err(SettingsError::new("somebody changed it; remove it by hand"))
                }
                _ => Ok(text.to_owned()),
            },
        }
    }

    /// Whether a text has it.
    pub fn is_in(&self, text: &str) -> Result<Presence, SettingsError> {
        if let Kind::Toml(table) = &self.0 {
            return Ok(match toml::is_in(text, table)? {
                None => Presence::No,
                Some(true) => Presence::Yes,
                Some(false) => Presence::Old,
            });
        }
        let out = match self.0 {
            Kind::Whole { .. } if !text.contains(MARK) => return Ok(Presence::No),
            Kind::Whole { .. } => String::new(),
            _ => self.take(text, None)?,
        };
        Ok(match () {
            () if out == text => Presence::No,
            () if self.put(text).is_ok_and(|put| put == text) => Presence::Yes,
            () => Presence::Old,
        })
    }

    /// Whether a whole file is as it was put in, by whichever program.
    pub fn is_as_made(&self, text: &str) -> bool {
        match &self.0 {
            Kind::Whole { text: own, around, .. } => {
                let named = |(before, behind): &(String, String)| {
                    let long = text.len() >= before.len() + behind.len();
                    long && text.starts_with(before.as_str()) && text.ends_with(behind.as_str())
                };
                text == own || around.as_ref().is_some_and(named)
            }
            _ => false,
        }
    }

    /// Whether it stands between marks of ours, which nobody writes by hand.
    pub fn is_marked(&self) -> bool {
        matches!(self.0, Kind::Block(_))
    }

    /// Whether the file holds nothing else.
    pub fn is_whole(&self) -> bool {
        matches!(self.0, Kind::Whole { .. })
    }

    /// Whether the file is a program, which may be run.
    pub fn is_program(&self) -> bool {
        matches!(self.0, Kind::Whole { program: true, .. })
    }
}
