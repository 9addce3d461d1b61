//! Which MemoryVault: key, URL and name, each from the nearest place that says it.

use std::path::{Path, PathBuf};

use segue_core::Name;
use segue_share::vault::{ApiKey, Vault, VaultError};

use crate::config::Config;
use crate::here::Here;
use crate::{Error, KeyFrom, ProjectRef, VaultProblem};

/// Where the service is, unless somebody says otherwise.
const URL: &str = "https://memoryvault.link";

/// What to push or pull.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct VaultRequest {
    /// The agent's name, which the key in MemoryVault has in it; `None` is `agent`.
    pub name: Option<String>,
    /// The API key, if it was given; else the configuration's.
    pub api_key: Option<GivenKey>,
    /// The base URL, if it was given; else the configuration's, else the public one.
    pub url: Option<String>,
}

/// An API key and who gave it.
#[derive(Clone, Debug)]
pub struct GivenKey {
    /// The key.
    pub key: ApiKey,
    /// Where it came from.
    pub from: KeyFrom,
}

/// A request, looked at.
pub(super) struct Opened {
    pub(super) dir: PathBuf,
    pub(super) project: ProjectRef,
    pub(super) name: String,
    /// The key of the text, not the API key.
    pub(super) key: String,
    pub(super) url: String,
    pub(super) vault: Vault,
    pub(super) warnings: Vec<String>,
    from: KeyFrom,
}

impl Opened {
    /// The service's failure, with where the key is from if that is what it does not like.
    pub(super) fn failed(&self, error: VaultError) -> Error {
        Error::from(match error {
            VaultError::Refused { .. } => VaultProblem::Refused { error, from: self.from.clone() },
            error => VaultProblem::Service(error),
        })
    }
}

/// MemoryVault, as it is used from a directory.
#[derive(Debug)]
pub struct MemoryVault<'s> {
    pub(super) here: Here<'s>,
}

impl<'s> MemoryVault<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }
}

impl MemoryVault<'_> {
    /// Finds out what a request means. Connects to nothing.
    pub(super) fn open(&self, request: &VaultRequest) -> Result<Opened, Error> {
        let (dir, project) = self.directory()?;
        let name = vault_name(request.name.as_deref())?;
        // A key and a URL that are both given need no file.
        let none = Config::default();
        let config = match request.api_key.is_none() || request.url.is_none() {
            true => self.here.config()?,
            false => &none,
        };
        let path = self.here.config_path().map(Path::to_owned);
        let configured = config.api_key.clone().zip(path.clone());
        let given = request.api_key.clone().or_else(|| {
            configured.map(|(key, path)| GivenKey { key, from: KeyFrom::Config(path) })
        });
        let Some(GivenKey { key: api_key, from }) = given else {
            return Err(VaultProblem::NoKey { config: path }.into());
        };
        let url =
            request.url.clone().or_else(|| config.url.clone()).unwrap_or_else(|| URL.to_owned());
        let vault =
            Vault::new(&url, api_key, self.here.env.network.clone()).map_err(VaultProblem::from)?;
        let key = format!("handoff/{name}/latest");
        Ok(Opened { dir, project, name, key, url, vault, warnings: config.warnings.clone(), from })
    }

    /// The directory itself, and as a project: never any other's, as `Here` can be.
    fn directory(&self) -> Result<(PathBuf, ProjectRef), Error> {
        let real = self.here.directory()?.to_owned();
        let Some(text) = real.to_str() else {
            return Err(Error::Usage(format!("the path {} is not UTF-8", real.display())));
        };
        let project = ProjectRef::Given(text.to_owned());
        Ok((real, project))
    }
}

/// The name as a part of the key. A part that a URL could not carry is refused.
fn vault_name(given: Option<&str>) -> Result<String, Error> {
    let name: Name = given.unwrap_or("agent").parse()?;
    if name.as_str().split('/').any(|part| matches!(part.trim(), "" | "." | "..")) {
        return Err(Error::Usage(format!(
            "the name '{name}' has an empty part, '.' or '..' in it"
        )));
    }
    Ok(name.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn names_that_no_url_can_carry_are_refused_a13() {
        assert_eq!(vault_name(None).unwrap(), "agent");
        assert_eq!(vault_name(Some("my bot/x?y é")).unwrap(), "my bot/x?y é");
        for name in ["", " ", "a/../b", "..", "a//b", "/a", "a/", "a/. /b", "a\nb", "a\u{202e}b"] {
            assert_eq!(vault_name(Some(name)).unwrap_err().kind(), Kind::Usage, "{name:?}");
        }
    }
}
