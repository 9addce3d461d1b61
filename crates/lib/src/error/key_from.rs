//! Where an API key came from.

use std::fmt;
use std::path::PathBuf;

/// Where an API key came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyFrom {
    /// The command line.
    Flag,
    /// The environment.
    Variable,
    /// This configuration file.
    Config(PathBuf),
}

impl fmt::Display for KeyFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("--api-key"),
            Self::Variable => f.write_str("MEMORYVAULT_API_KEY"),
            Self::Config(path) => path.display().fmt(f),
        }
    }
}
