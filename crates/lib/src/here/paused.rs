//! A brake that is pulled.

use std::fmt;
use std::path::PathBuf;

use segue_core::visible_line;

/// A brake that is pulled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Paused {
    /// The file that says so.
    pub by: PathBuf,
    /// What stands in it.
    pub reason: Option<String>,
    /// Whether `unpause` lets go of it.
    pub ours: bool,
    /// The plan that names it, if it stops only that.
    pub plan: Option<String>,
    /// Whether that plan is of a repository that is not trusted: then nothing in the file is read.
    pub foreign: bool,
}

impl fmt::Display for Paused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "paused by {}", self.by.display())?;
        if let Some(plan) = &self.plan {
            write!(f, ", which stops the plan {plan}")?;
        }
        match &self.reason {
            Some(reason) => write!(f, ": {}", visible_line(reason)),
            None => Ok(()),
        }
    }
}
