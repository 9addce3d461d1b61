//! Where a repository was cloned from, written so that every way of spelling it is the same text.

use crate::redact::without_path_secrets;

/// A normalised `origin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `github.com/example/todo-api`: no scheme, no credentials, no `.git`, and marks for what is secret in its path.
    Host(String),
    /// A path on this machine.
    Local(String),
}

/// Normalises a remote's URL. `None` if there is nothing in it.
pub fn normalise_origin(url: &str) -> Option<Origin> {
    let url = url.trim();
    if url.is_empty() || url.chars().any(char::is_control) {
        return None;
    }
    if let Some((scheme, rest)) = url.split_once("://") {
        return match scheme.to_ascii_lowercase().as_str() {
            "file" => Some(Origin::Local(local(rest))),
            scheme => host_and_path(rest, '/', default_port(scheme)),
        };
    }
    // `C:\repo` is a drive; `host:path` with no slash before the colon is ssh.
    let drive =
        url.len() > 1 && url.as_bytes()[1] == b':' && url.as_bytes()[0].is_ascii_alphabetic();
    match url.split_once(':') {
        Some((host, _)) if !drive && !host.contains('/') => host_and_path(url, ':', None),
        _ => Some(Origin::Local(local(url))),
    }
}

fn default_port(scheme: &str) -> Option<&'static str> {
    match scheme {
        "https" => Some("443"),
        "http" => Some("80"),
        "ssh" | "git+ssh" | "ssh+git" => Some("22"),
        "git" => Some("9418"),
        _ => None,
    }
}

fn host_and_path(rest: &str, separator: char, default_port: Option<&str>) -> Option<Origin> {
    let (authority, path) = match separator {
        '/' => rest.split_once('/').unwrap_or((rest, "")),
        _ => rest.split_once(separator)?,
    };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
    let host = match host.rsplit_once(':') {
        Some((name, port)) if Some(port) == default_port || port.is_empty() => name.to_owned(),
        _ => host,
    };
    let path = path.split(['?', '#']).next().unwrap_or("");
    let path = stem(path.trim_matches('/'));
    // A port is no name; the colons of an address in brackets begin none.
    let name = match host.find(':') {
        Some(port) if !host.starts_with('[') => &host[..port],
        _ => &host,
    };
    if !name.contains(char::is_alphanumeric) {
        return None;
    }
    Some(Origin::Host(match path {
        "" => host,
        path => format!("{host}/{}", without_path_secrets(path)),
    }))
}

fn local(path: &str) -> String {
    stem(path.trim_end_matches(['/', '\\'])).to_owned()
}

fn stem(path: &str) -> &str {
    let stem = path.strip_suffix(".git").unwrap_or(path);
    // `/srv/x/.git` is the work tree `/srv/x`.
    stem.trim_end_matches(['/', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_for_every_spelling() {
        for url in [
            "https://github.com/example/todo-api.git",
            "https://user:ghp_secret@GitHub.com/example/todo-api/",
            "https://github.com:443/example/todo-api",
            "ssh://git@github.com:22/example/todo-api.git",
            "git@github.com:example/todo-api.git",
            "github.com:/example/todo-api",
            "git://github.com/example/todo-api.git?x=1",
        ] {
            assert_eq!(
                normalise_origin(url),
                Some(Origin::Host("github.com/example/todo-api".into())),
                "{url}"
            );
        }
    }

    #[test]
    fn other_ports_and_paths_stay_apart() {
        assert_eq!(
            normalise_origin("ssh://git@host:2222/a/b.git"),
            Some(Origin::Host("host:2222/a/b".into()))
        );
        assert_eq!(normalise_origin("/srv/git/a.git"), Some(Origin::Local("/srv/git/a".into())));
        assert_eq!(
            normalise_origin("file:///srv/git/a.git/"),
            Some(Origin::Local("/srv/git/a".into()))
        );
        assert_eq!(normalise_origin("../a"), Some(Origin::Local("../a".into())));
        assert_eq!(normalise_origin("C:\\repos\\a"), Some(Origin::Local("C:\\repos\\a".into())));
        assert_eq!(normalise_origin("./a:b"), Some(Origin::Local("./a:b".into())));
        assert_eq!(normalise_origin("  "), None);
        assert_eq!(normalise_origin("https://"), None);
        for url in ["https://user@::/a/b", "https://::443/a", "svn://:443", "svn://^:443"] {
            assert_eq!(normalise_origin(url), None, "{url}");
        }
        assert_eq!(
            normalise_origin("ssh://git@[::1]:22/a.git"),
            Some(Origin::Host("[::1]/a".into()))
        );
    }

    #[test]
    fn secrets_in_the_path_never_survive() {
        let token = ["ghp_", "zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"].concat();
        for url in [
            format!("https://git.example.org/{token}/app/api.git"),
            format!("git@git.example.org:{token}/app/api.git"),
        ] {
            assert_eq!(
                normalise_origin(&url),
                Some(Origin::Host("git.example.org/[redacted: github token]/app/api".into()))
            );
        }
        let of = |id: &str| normalise_origin(&format!("https://git.example.org/k/{id}/api.git"));
        let (one, other) = (of("q8Zk31xW9v7pM2m4Zz5qTr"), of("w3Lp90rTq6Yb2n8XcVd4Ks"));
        let Some(Origin::Host(text)) = &one else { panic!("{one:?}") };
        assert!(text.starts_with("git.example.org/k/[redacted: key x"), "{text}");
        assert_ne!(one, other, "two repositories stay two");
        assert_eq!(one, of("q8Zk31xW9v7pM2m4Zz5qTr"));
    }

    #[test]
    fn paths_without_secrets_stay() {
        for path in [
            "github.com/example/todo-api",
            "dev.azure.com/acme/Shop%20One/_git/Shop.Backend2",
            "gitlab.example.org/group/sub-group/password-manager2024",
            "git.overleaf.com/5f2c8a1b9e3d4c7a6b0f1e2d",
            "gist.github.com/9f86d081884c7d659a2feaa0c55ad015",
            "git.example.org/550e8400-e29b-41d4-a716-446655440000",
            "git-codecommit.eu-west-1.amazonaws.com/v1/repos/MyVeryLongRepositoryName2024",
            "git.example.org/Acme/AcmeCustomerPortalBackendServiceV2",
            "git.example.org/secrets/token-service",
        ] {
            assert_eq!(
                normalise_origin(&format!("https://{path}.git")),
                Some(Origin::Host(path.into()))
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn credentials_never_survive(user in "[a-z]{1,8}", secret in "[A-Z0-9]{12}") {
            for url in [format!("https://{user}:{secret}@example.org/a/b"), format!("ssh://{secret}@example.org/a/b")] {
                let Some(Origin::Host(text)) = normalise_origin(&url) else { panic!() };
                proptest::prop_assert!(!text.contains(&secret));
            }
        }

        #[test]
        fn no_input_panics(url: String) {
            let _ = normalise_origin(&url);
        }
    }
}
