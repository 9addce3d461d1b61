//! Pages of pull requests, and of which repository each is.

use super::{Record, Session};
use crate::redact::without_path_secrets;

/// What stands in the address of a pull request between its repository and its number.
const PAGES: &[&str] =
    &["/-/merge_requests/", "/merge_requests/", "/pull/", "/pull-requests/", "/pullrequest/"];

/// The addresses of pull requests in what was printed, also within JSON.
pub(super) fn pull_requests(output: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || "\"'\\<>,)]}".contains(c);
    let links = output.match_indices("https://").map(move |(at, _)| {
        let link = &output[at..];
        link.split(ends).next().unwrap_or(link)
    });
    links.filter(|link| repository_of(link).is_some())
}

/// The address of the repository that a pull request is of, where an address is the page of one: it ends with
/// its number.
fn repository_of(link: &str) -> Option<&str> {
    PAGES.iter().find_map(|part| {
        let (repository, number) = link.split_once(part)?;
        let number = number.trim_end_matches(['/', '.']);
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(repository)
    })
}

impl Session {
    /// Whether a page of a pull request came out of it, so that it matters where the repository is from.
    pub fn links_pull_request(&self) -> bool {
        self.links.iter().any(|link| repository_of(link).is_some())
    }

    /// Whether all pull requests that it shows are of another repository than the one that it worked in.
    pub(crate) fn proposed_elsewhere(&self) -> bool {
        let Some(own) = self.origin.as_deref().map(name_of) else { return false };
        let mut shown = self.links.iter().filter_map(|link| repository_of(link)).peekable();
        // An `origin` has marks for what is secret in its path.
        let is_other = |other| !without_path_secrets(name_of(other)).eq_ignore_ascii_case(own);
        shown.peek().is_some() && shown.all(is_other)
    }

    /// Where a pull request of the repository was last opened.
    pub(crate) fn opened_pull_request(&self) -> Option<Record> {
        self.pull_request.filter(|_| !self.proposed_elsewhere())
    }

    /// Whether it shows a pull request of the repository, whoever opened it.
    pub(crate) fn shows_pull_request(&self) -> bool {
        self.opened_pull_request().is_some()
            || self.links_pull_request() && !self.proposed_elsewhere()
    }
}

/// The name of a repository by its address. Whose it is differs between a fork and what it is a fork of, and the
/// host between a remote and the pages of a forge.
fn name_of(address: &str) -> &str {
    let address = address.trim_end_matches('/');
    let name = address.rsplit(['/', ':']).next().unwrap_or(address);
    name.strip_suffix(".git").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(origin: Option<&str>, links: &[&str]) -> bool {
        let links = links.iter().map(|link| (*link).to_owned()).collect();
        let origin = origin.map(str::to_owned);
        let session = Session { pull_request: Some(3), origin, links, ..Session::default() };
        assert_eq!(session.opened_pull_request().is_some(), session.shows_pull_request());
        session.shows_pull_request()
    }

    #[test]
    fn a_pull_request_of_another_repository_is_not_one_of_this() {
        let page = "https://github.com/ada/shop/pull/7";
        for origin in [
            "github.com/ada/shop",
            "github.com/bob/shop",
            "work-ssh/ada/Shop",
            "https://github.com/ada/shop.git",
        ] {
            assert!(opened(Some(origin), &[page]), "{origin}");
        }
        assert!(opened(None, &[page]));
        assert!(!opened(Some("github.com/ada/docs"), &[page]));
        assert!(opened(Some("github.com/ada/docs"), &[page, "https://github.com/ada/docs/pull/1"]));
        assert!(opened(Some("github.com/ada/docs"), &[]));
        for (page, name) in [
            ("https://gitlab.com/g/sub/shop/-/merge_requests/7", "shop"),
            ("https://bitbucket.org/ada/shop/pull-requests/7/", "shop"),
            ("https://dev.azure.com/o/p/_git/shop/pullrequest/7", "shop"),
        ] {
            assert_eq!(repository_of(page).map(name_of), Some(name));
            assert!(!opened(Some("gitlab.com/ada/docs"), &[page]), "{page}");
        }
        assert_eq!(repository_of("https://github.com/ada/shop/pulls"), None);
    }
}
