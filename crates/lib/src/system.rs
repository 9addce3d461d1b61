//! The system's own clock, randomness and home, for a program that has no wishes of its own. The one file of
//! the library that asks for them; everything else takes them out of [`Env`].

use std::env;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use etcetera::BaseStrategy;

use crate::{Env, Error};

impl Env {
    /// The system's clock and randomness, the user's home and configuration, and the environment's variables.
    /// An error if nobody knows where the user's home is, or if `SEGUE_HOME` is no absolute path.
    #[expect(
        clippy::disallowed_methods,
        reason = "who asks for the system's own gets it from here, and from nowhere else"
    )]
    pub fn system(dir: impl Into<PathBuf>) -> Result<Self, Error> {
        let unknown = |what: &str| Error::Usage(format!("{what}; set SEGUE_HOME to a directory"));
        let dirs = etcetera::choose_base_strategy();
        let given = env::var_os("SEGUE_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let home = match (given, &dirs) {
            (Some(home), _) if home.is_absolute() => home,
            (Some(_), _) => return Err(unknown("SEGUE_HOME is not an absolute path")),
            (None, Ok(dirs)) if !dirs.data_dir().is_absolute() => {
                return Err(unknown("HOME is not an absolute path"));
            }
            (None, Ok(dirs)) => dirs.data_dir().join("segue"),
            (None, Err(_)) => return Err(unknown("nobody knows where your home directory is")),
        };
        let random = || {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            getrandom::u32().unwrap_or_else(|_| since.map_or(1, |since| since.subsec_nanos()))
        };
        let mut env = Self::new(home, dir, SystemTime::now, random);
        env.vars = |name| env::var_os(name);
        env.config = dirs.ok().map(|dirs| dirs.config_dir().join("segue").join("config.toml"));
        env.user_home = etcetera::home_dir().ok();
        Ok(env)
    }
}

#[cfg(test)]
mod tests {
    use crate::Segue;

    #[test]
    fn opening_creates_nothing_and_needs_no_directory() {
        let temp = tempfile::tempdir().unwrap();
        let segue = Segue::open(temp.path().join("gone")).unwrap();
        assert!(segue.env().home.is_absolute() && segue.env().user_home.is_some());
        assert!(!temp.path().join("gone").exists());
        assert!(segue.env().now() > "2026-01-01T00:00:00Z".parse().unwrap());
    }
}
