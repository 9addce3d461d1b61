//! The user's configuration and what follows from it: read once a process, when it is first needed.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use segue_core::{RedactError, Redactor};

use crate::Error;
use crate::config::{Config, ConfigError, ConfigFile};
use crate::env::{Env, Lookup};

/// What the user has configured.
pub(crate) struct Settings {
    path: Option<PathBuf>,
    on_lookup: fn(Lookup),
    file: OnceCell<ConfigFile>,
    redactor: OnceCell<Result<Rc<Redactor>, RedactError>>,
}

impl Settings {
    pub(crate) fn new(env: &Env) -> Self {
        Self {
            path: env.config.clone(),
            on_lookup: env.on_lookup,
            file: OnceCell::new(),
            redactor: OnceCell::new(),
        }
    }

    /// Where the configuration is, whether or not it exists.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    fn file(&self) -> &ConfigFile {
        self.file.get_or_init(|| match &self.path {
            Some(path) => {
                (self.on_lookup)(Lookup::Configuration);
                ConfigFile::read(path)
            }
            None => ConfigFile::default(),
        })
    }

    /// Everything that is configured.
    pub(crate) fn config(&self) -> Result<&Config, ConfigError> {
        self.file().config()
    }

    /// What takes secrets out, by the user's rules too. If those cannot be read nothing is stored.
    pub(crate) fn redactor(&self) -> Result<Rc<Redactor>, Error> {
        let rules = self.file().redact_rules()?;
        let redactor = self.redactor.get_or_init(|| Redactor::new(rules).map(Rc::new));
        Ok(redactor.clone()?)
    }

    /// The same where something goes out: rules that cannot be read leave what is built in.
    pub(crate) fn redactor_out(&self) -> Rc<Redactor> {
        self.redactor().unwrap_or_default()
    }
}
