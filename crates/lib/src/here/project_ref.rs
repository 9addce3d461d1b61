//! Which project a command is about: the current directory's, a path's or a label's.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use crate::Error;

/// Which project a command is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProjectRef {
    /// The project of the current directory.
    #[default]
    Here,
    /// What `--project` said: a path or a label.
    Given(String),
}

impl ProjectRef {
    /// The path that it names, if it is one: `.`, `..`, `~…`, or anything with a separator.
    pub(super) fn as_path(&self) -> Option<&str> {
        let Self::Given(text) = self else { return None };
        let path = text == "."
            || text == ".."
            || text.starts_with('~')
            || text.contains(['/', MAIN_SEPARATOR]);
        path.then_some(text)
    }

    /// Whether it is a label rather than a path or the current directory.
    pub(crate) fn is_label(&self) -> bool {
        matches!(self, Self::Given(_)) && self.as_path().is_none()
    }

    /// The label, if it is one.
    pub(crate) fn label(&self) -> Option<&str> {
        match self {
            Self::Given(text) if self.as_path().is_none() => Some(text),
            _ => None,
        }
    }
}

/// A path as it was typed, from a directory on. `~` is the user's home.
pub(super) fn expand(text: &str, dir: &Path, user_home: Option<&Path>) -> Result<PathBuf, Error> {
    let path = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with(['/', MAIN_SEPARATOR]) => {
            let home = user_home.ok_or_else(|| Error::NoDirectory(PathBuf::from(text)))?;
            home.join(rest.trim_start_matches(['/', MAIN_SEPARATOR]))
        }
        _ => PathBuf::from(text),
    };
    Ok(dir.join(path))
}
