//! Which settings of a repository that is not trusted count. Pure.
//!
//! What is not listed here does not count: git learns new settings that name programs.

use super::super::GitSetting;

/// Whether git is to know a setting of such a repository. `remote` is what is published to;
/// `outside`: the files are not those of the work tree.
pub(super) fn is_harmless(setting: &GitSetting, remote: &str, outside: bool) -> bool {
    let (section, sub, name) = parts(&setting.key);
    // No value is "true" for git, and empty here.
    if setting.value.is_empty() || setting.value.contains(char::is_control) {
        return false;
    }
    match (section, sub) {
        ("core", None) => CORE.contains(&name) || (name == "attributesfile" && !outside),
        ("extensions", None) => name != "worktreeconfig",
        ("index", None) => name == "sparse",
        ("user" | "author" | "committer", None) => true,
        ("i18n", None) => name == "commitencoding",
        // An address is the user's: the repository has no say in where it leads.
        ("remote", Some(sub)) if is_address(sub) => false,
        ("remote", Some(_)) => REMOTE.contains(&name),
        // That is how a CI job gives its credentials to a clone.
        ("http", _) => name == "extraheader" && !is_address(remote),
        _ => false,
    }
}

const CORE: [&str; 18] = [
    "autocrlf",
    "bigfilethreshold",
    "checkroundtripencoding",
    "checkstat",
    "compression",
    "eol",
    "excludesfile",
    "filemode",
    "ignorecase",
    "logallrefupdates",
    "longpaths",
    "precomposeunicode",
    "repositoryformatversion",
    "safecrlf",
    "sharedrepository",
    "sparsecheckout",
    "sparsecheckoutcone",
    "symlinks",
];

const REMOTE: [&str; 5] = ["url", "pushurl", "fetch", "promisor", "partialclonefilter"];

/// Whether a remote is an address and no name.
pub(super) fn is_address(remote: &str) -> bool {
    remote.contains(['/', ':', '\\'])
}

/// The filters that such a repository defines. A file that needs one of them cannot be published
/// as it is: a filter may encrypt.
pub(super) fn filters(settings: &[GitSetting]) -> Vec<&str> {
    let defined =
        settings.iter().filter(|one| one.is_repositorys).filter_map(|one| match parts(&one.key) {
            ("filter", Some(name), "clean" | "process" | "required") => Some(name),
            _ => None,
        });
    let mut names: Vec<&str> = defined.filter(|name| !name.contains(char::is_control)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The text of a configuration file with these settings.
pub(super) fn config_text<'a>(settings: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = String::new();
    for (key, value) in settings {
        let (section, sub, name) = parts(key);
        let sub = sub.map_or(String::new(), |sub| format!(" \"{}\"", quoted(sub)));
        text.push_str(&format!("[{section}{sub}]\n\t{name} = \"{}\"\n", quoted(value)));
    }
    text
}

/// The path of an address on this machine.
pub(super) fn local_path(url: &str) -> Option<&str> {
    if let Some(path) = url.strip_prefix("file://") {
        return Some(path);
    }
    let before = url.split('/').next().unwrap_or(url);
    // A drive, or a host.
    let is_local = !before.contains(':') || (cfg!(windows) && before.find(':') == Some(1));
    is_local.then_some(url)
}

/// Section, what is between the dots, and name.
fn parts(key: &str) -> (&str, Option<&str>, &str) {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    match rest.rsplit_once('.') {
        Some((sub, name)) => (section, Some(sub), name),
        None => (section, None, rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(key: &str) -> GitSetting {
        GitSetting { key: key.to_owned(), value: "x".to_owned(), is_repositorys: true }
    }

    #[test]
    fn what_an_ordinary_clone_has_counts_and_programs_do_not() {
        for key in [
            "core.autocrlf",
            "core.attributesfile",
            "extensions.objectformat",
            "user.name",
            "remote.origin.url",
            "remote.origin.promisor",
            "http.https://example.org/.extraheader",
        ] {
            assert!(is_harmless(&setting(key), "origin", false), "{key}");
        }
        for key in [
            "core.sshcommand",
            "core.gitproxy",
            "core.hookspath",
            "core.fsmonitor",
            "core.askpass",
            "core.editor",
            "core.alternaterefscommand",
            "core.worktree",
            "extensions.worktreeconfig",
            "commit.gpgsign",
            "gpg.program",
            "gpg.ssh.program",
            "credential.helper",
            "filter.x.clean",
            "merge.x.driver",
            "hook.x.command",
            "include.path",
            "protocol.ext.allow",
            "remote.origin.receivepack",
            "remote.origin.vcs",
            "remote.https://example.org/x.git.pushurl",
            "url.ext::x.insteadof",
            "http.proxy",
            "http.https://example.org/.sslcert",
            "uploadpack.packobjectshook",
            "submodule.x.update",
            "what.is.new",
        ] {
            assert!(!is_harmless(&setting(key), "origin", false), "{key}");
        }
        let own = "https://example.org/x.git";
        assert!(!is_harmless(&setting("http.extraheader"), own, false), "the remote is the user's");
        assert!(!is_harmless(&setting("core.attributesfile"), "origin", true));
        let two_lines = GitSetting { value: "a\n[core]".to_owned(), ..setting("user.name") };
        assert!(!is_harmless(&two_lines, "origin", false));
    }

    #[test]
    fn values_are_quoted() {
        let text = config_text([("remote.a.b \"c.url", "x\\ # \"y\"")].into_iter());
        assert_eq!(text, "[remote \"a.b \\\"c\"]\n\turl = \"x\\\\ # \\\"y\\\"\"\n");
        assert_eq!(config_text([("core.eol", "lf")].into_iter()), "[core]\n\teol = \"lf\"\n");
    }

    #[test]
    fn an_address_is_a_path_of_this_machine_or_not() {
        for (url, path) in [
            ("../x.git", Some("../x.git")),
            ("x", Some("x")),
            ("/a:b", Some("/a:b")),
            ("file:///a", Some("/a")),
            ("host:x", None),
            ("https://host/x", None),
            ("ext::sh", None),
        ] {
            assert_eq!(local_path(url), path, "{url}");
        }
    }
}
