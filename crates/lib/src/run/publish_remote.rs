//! Where the user wants a memory to be published without a plan: `segue.remote` in git's configuration.
//!
//! The configuration of a repository that somebody unpacked was written by whoever packed it. Until the
//! user trusts it, it neither names a remote nor changes where one leads.

use std::path::Path;

use segue_share::git::{GitSetting, Repo};

use crate::Error;
use crate::here::{Here, Trust, trust_of};

/// Everything in git's configuration that has a say in where a push goes.
const SETTINGS: &str = r"^(segue\.(remote|branch)|remote\..*|url\..*|core\.(sshcommand|gitproxy)|credential\..*|http\..*)$";

/// Where to publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PublishRemote {
    Unset,
    /// Only the repository says so, or it would decide where that leads, and it is not trusted.
    Untrusted,
    Set {
        remote: String,
        branch: Option<String>,
    },
}

impl PublishRemote {
    /// The remote that `git config segue.remote` sets for a repository, and the branch.
    pub(super) fn of(here: &Here<'_>, repo: &Repo) -> Result<Self, Error> {
        // A question without an answer is not a no: then it is not known where to publish.
        let settings = here.git().settings(repo, SETTINGS);
        let settings = settings.map_err(|error| Error::NoAnswer(error.to_string()))?;
        Ok(Self::choose(&settings, trust_of(here.store, repo) == Trust::Yes))
    }

    fn choose(settings: &[GitSetting], is_trusted: bool) -> Self {
        let last = |key: &str| {
            let counts = |one: &&GitSetting| {
                one.key == key && !one.value.is_empty() && (is_trusted || !one.is_repositorys)
            };
            settings.iter().rfind(counts).map(|one| one.value.clone())
        };
        let remote = last("segue.remote");
        match remote {
            Some(remote) if is_trusted || leads_where_the_user_says(&remote, settings) => {
                Self::Set { remote, branch: last("segue.branch") }
            }
            Some(_) => Self::Untrusted,
            None if settings.iter().any(|one| one.key == "segue.remote") => Self::Untrusted,
            None => Self::Unset,
        }
    }
}

/// Whether nothing in the repository's own configuration has a say in where a remote leads.
fn leads_where_the_user_says(remote: &str, settings: &[GitSetting]) -> bool {
    let of_remote = format!("remote.{remote}.");
    let url = format!("{of_remote}url");
    let is_described = settings.iter().any(|one| !one.is_repositorys && one.key == url);
    let is_address = remote.contains(':') || Path::new(remote).is_absolute();
    let redirects = |one: &GitSetting| {
        let key = one.key.as_str();
        let other = key.starts_with("segue.") || key.starts_with("remote.");
        one.is_repositorys && (key.starts_with(&of_remote) || !other)
    };
    (is_described || is_address) && !settings.iter().any(redirects)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_user(key: &str, value: &str) -> GitSetting {
        GitSetting { key: key.to_owned(), value: value.to_owned(), is_repositorys: false }
    }

    fn of_repository(key: &str, value: &str) -> GitSetting {
        GitSetting { is_repositorys: true, ..of_user(key, value) }
    }

    fn set(remote: &str) -> PublishRemote {
        PublishRemote::Set { remote: remote.to_owned(), branch: None }
    }

    const URL: &str = "https://example.org/notes.git";

    #[test]
    fn a_trusted_repository_has_the_last_word() {
        let both = [of_user("segue.remote", URL), of_repository("segue.remote", "origin")];
        assert_eq!(PublishRemote::choose(&both, true), set("origin"));
        assert_eq!(PublishRemote::choose(&both, false), set(URL));
        assert_eq!(PublishRemote::choose(&both[1..], false), PublishRemote::Untrusted);
        assert_eq!(PublishRemote::choose(&[], true), PublishRemote::Unset);
        assert_eq!(PublishRemote::choose(&[], false), PublishRemote::Unset);
    }

    #[test]
    fn an_untrusted_repository_has_no_say_in_where_a_remote_leads() {
        let own_origin = of_repository("remote.origin.url", "https://example.com/evil.git");
        for theirs in [
            of_repository("url.https://example.com/.insteadof", "https://example.org/"),
            of_repository("url.https://example.com/.pushinsteadof", "https://example.org/"),
            of_repository(&format!("remote.{URL}.pushurl"), "https://example.com/evil.git"),
            of_repository("core.sshcommand", "evil"),
            of_repository("http.proxy", "http://example.com"),
            of_repository("credential.helper", "!evil"),
        ] {
            let all = [of_user("segue.remote", URL), own_origin.clone(), theirs];
            assert_eq!(PublishRemote::choose(&all, false), PublishRemote::Untrusted, "{all:?}");
            assert_eq!(PublishRemote::choose(&all, true), set(URL));
        }
        let all = [of_user("segue.remote", URL), own_origin];
        assert_eq!(PublishRemote::choose(&all, false), set(URL), "every clone has an origin");
    }

    #[test]
    fn a_name_counts_if_the_user_described_it() {
        let named = of_user("segue.remote", "notes");
        let described = of_user("remote.notes.url", URL);
        let theirs = of_repository("remote.notes.url", "https://example.com/evil.git");
        for (all, wanted) in [
            (vec![named.clone(), described.clone()], set("notes")),
            (vec![named.clone()], PublishRemote::Untrusted),
            (vec![named.clone(), theirs.clone()], PublishRemote::Untrusted),
            (vec![named, described, theirs], PublishRemote::Untrusted),
        ] {
            assert_eq!(PublishRemote::choose(&all, false), wanted, "{all:?}");
        }
    }
}
