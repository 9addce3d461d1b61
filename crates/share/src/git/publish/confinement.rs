//! Publishing from a repository that is not trusted: git works on its objects, refs and index, with
//! the user's own configuration and what is harmless of the repository's.
//!
//! Git has no word for "without the repository's configuration". But it takes everything that the
//! worktrees of a clone share from `GIT_COMMON_DIR`: that is a directory of ours here, with links to
//! the objects and refs, and with a configuration of ours.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::super::act::Confinement;
use super::super::{Git, GitError, GitSetting, Repo};
use super::harmless::{config_text, filters, is_address, is_harmless, local_path};
use super::{Content, Publication, PublishError};

const DIR: &str = "segue-untrusted-";
/// Protocols for which git starts no program that an address names.
const PROTOCOLS: &str = "https:http:ssh:git:file";

/// What belongs to all worktrees of a clone and runs nothing.
const SHARED: [&str; 6] = ["objects", "refs", "packed-refs", "logs", "reftable", "shallow"];

/// Git at the other end, where that is a directory that the repository names: whoever brought the
/// repository may have brought that, too.
const RECEIVE: &str = "--receive-pack=GIT_NO_LAZY_FETCH=1 git -c core.hooksPath=/dev/null \
                       -c core.fsmonitor=false -c core.alternateRefsCommand=true -c gc.auto=0 \
                       -c receive.autogc=false -c receive.denyCurrentBranch=refuse receive-pack";

/// A repository that is not trusted, while it is published from.
#[derive(Debug)]
pub(super) struct Untrusted {
    pub(super) confinement: Confinement,
    /// What is added to a push.
    pub(super) push: Option<&'static str>,
    /// What did not count, for the user.
    pub(super) notes: Vec<String>,
}

impl Untrusted {
    pub(super) fn begin(git: &Git, with: &Publication<'_>) -> Result<Self, PublishError> {
        let repo = with.repo;
        // With git's directory given, git would not ask whose it is.
        match git.read(&repo.top, &["rev-parse", "--git-dir"]) {
            Ok(_) => {}
            Err(error @ GitError::Failed { .. }) => {
                return Err(PublishError::config(error.to_string()));
            }
            Err(error) => return Err(error.into()),
        }
        let settings = git.settings(repo, ".")?;
        let urls = urls(&settings, with.remote);
        if with.push && urls.is_empty() && !is_address(with.remote) {
            // Git would take it for a directory of the work tree.
            return Err(PublishError::config(format!(
                "'{}' does not appear to be a git repository: no remote is called that",
                with.remote
            )));
        }
        let push = if with.push { push_option(git, repo, &urls)? } else { None };
        let hooks = Hooks::of(repo, &settings);
        let mut config = vec!["gc.auto=0".to_owned(), "maintenance.auto=false".to_owned()];
        let mut notes = Vec::new();
        if !hooks.may_run {
            config.push("core.hooksPath=/dev/null".to_owned());
        }
        if !hooks.passed.is_empty() {
            notes.push(format!(
                "hooks that were not run, because this repository is not trusted: {}",
                hooks.passed.join(", ")
            ));
        }
        if would_sign(&settings, true) && !would_sign(&settings, false) {
            notes.push(
                "not signed: the commit.gpgSign of a repository that is not trusted does not count"
                    .to_owned(),
            );
        }
        let common_dir = repo.git_dir.join(format!("{DIR}{}", std::process::id()));
        let confinement = Confinement {
            git_dir: repo.git_dir.clone(),
            work_tree: repo.top.clone(),
            common_dir,
            protocols: protocols(with.remote),
            config,
        };
        let untrusted = Self { confinement, push, notes };
        untrusted.lay_out(with, &settings).map_err(|source| PublishError::Io {
            what: "publish from a repository that is not trusted ('segue trust') without",
            path: untrusted.confinement.common_dir.display().to_string(),
            source,
        })?;
        Ok(untrusted)
    }

    fn lay_out(&self, with: &Publication<'_>, settings: &[GitSetting]) -> io::Result<()> {
        let (ours, theirs) = (&self.confinement.common_dir, &with.repo.common_dir);
        DirBuilder::new().create(ours)?;
        let _ = DirBuilder::new().create(theirs.join("logs"));
        // Of the others only what is there: git makes them as it needs them.
        let shared = SHARED.into_iter().map(PathBuf::from);
        for name in
            shared.filter(|name| name.ends_with("packed-refs") || theirs.join(name).exists())
        {
            link(&theirs.join(&name), &ours.join(&name))?;
        }
        let outside = matches!(with.content, Content::Outside { .. });
        DirBuilder::new().create(ours.join("info"))?;
        let info = if outside { &["exclude"][..] } else { &["exclude", "attributes"] };
        for name in info.iter().map(|name| Path::new("info").join(name)) {
            if theirs.join(&name).exists() {
                link(&theirs.join(&name), &ours.join(&name))?;
            }
        }
        let harmless = settings
            .iter()
            .filter(|one| one.is_repositorys && is_harmless(one, with.remote, outside));
        let mut text = config_text(harmless.map(|one| (one.key.as_str(), one.value.as_str())));
        let required = filters(settings).into_iter().map(|name| format!("filter.{name}.required"));
        let required: Vec<String> = required.collect();
        text.push_str(&config_text(required.iter().map(|key| (key.as_str(), "true"))));
        File::create_new(ours.join("config"))?.write_all(text.as_bytes())
    }
}

impl Drop for Untrusted {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.confinement.common_dir);
    }
}

/// Removes what a killed run of ours left; nobody may be publishing.
pub(super) fn remove_left(repo: &Repo) {
    for entry in fs::read_dir(&repo.git_dir).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(DIR) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn link(to: &Path, at: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(to, at);
    #[cfg(windows)]
    return if to.is_dir() {
        std::os::windows::fs::symlink_dir(to, at)
    } else {
        std::os::windows::fs::symlink_file(to, at)
    };
}

/// Where a push to this name goes, if the repository has a say in it.
fn urls<'s>(settings: &'s [GitSetting], remote: &str) -> Vec<&'s GitSetting> {
    let keys = ["url", "pushurl"].map(|name| format!("remote.{remote}.{name}"));
    settings.iter().filter(|one| keys.contains(&one.key)).collect()
}

/// What a push to these addresses needs, if the repository names one of them.
fn push_option(
    git: &Git,
    repo: &Repo,
    urls: &[&GitSetting],
) -> Result<Option<&'static str>, PublishError> {
    if !urls.iter().any(|one| one.is_repositorys) {
        return Ok(None);
    }
    let paths: Vec<&str> = urls.iter().filter_map(|one| local_path(&one.value)).collect();
    if paths.is_empty() {
        return Ok(None);
    }
    let refuse = |why: &str| {
        Err(PublishError::config(format!(
            "{why}, and this repository, which names it, is not trusted; 'segue trust' lets it count"
        )))
    };
    if paths.len() < urls.len() {
        return refuse("the remote is in several places, one of them a directory");
    }
    for path in paths {
        if has_hooks(git, repo, path) {
            return refuse(&format!("the remote {path} would run its hooks on this machine"));
        }
    }
    Ok(Some(RECEIVE))
}

/// Whether a repository on this machine has hooks, wherever git would look for it.
fn has_hooks(git: &Git, repo: &Repo, path: &str) -> bool {
    ["", "/.git", ".git", ".git/.git"].iter().any(|ending| {
        let dir = repo.top.join(format!("{}{ending}", path.trim_end_matches('/')));
        let shown = dir.to_string_lossy();
        let set = ["--git-dir", &shown, "config", "--local", "--get", "core.hooksPath"];
        !hooks_in(&dir.join("hooks")).is_empty()
            || (dir.join("config").exists() && git.read(&repo.top, &set).is_ok())
    })
}

/// Which hooks run for a repository that is not trusted.
struct Hooks {
    /// Whether those of the user's own configuration may.
    may_run: bool,
    /// The names of those that do not.
    passed: Vec<String>,
}

impl Hooks {
    fn of(repo: &Repo, settings: &[GitSetting]) -> Self {
        let path = |one: &GitSetting| repo.top.join(&one.value);
        let set = |is_repositorys: bool| {
            let fits = |one: &&GitSetting| {
                one.key == "core.hookspath" && one.is_repositorys == is_repositorys
            };
            settings.iter().rfind(fits)
        };
        let mut dirs = vec![repo.common_dir.join("hooks")];
        dirs.extend(set(true).map(path));
        let own = set(false);
        // From the top of the work tree it is the repository's.
        let absolute = |one: &&GitSetting| {
            one.value.starts_with(['/', '~']) || Path::new(&one.value).is_absolute()
        };
        dirs.extend(own.filter(|one| !absolute(one)).map(path));
        let mut passed: Vec<String> = dirs.iter().flat_map(|dir| hooks_in(dir)).collect();
        // The user's hooks often run the repository's, too.
        let may_run = passed.is_empty() && own.is_some_and(|one| absolute(&one));
        if !may_run {
            passed.extend(own.map(path).iter().flat_map(|dir| hooks_in(dir)));
        }
        passed.sort_unstable();
        passed.dedup();
        Self { may_run, passed }
    }
}

/// The names of the hooks in a directory.
fn hooks_in(dir: &Path) -> Vec<String> {
    let found = fs::read_dir(dir).into_iter().flatten().flatten();
    let names = found.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_hook = |name: &String| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    names.filter(is_hook).collect()
}

fn would_sign(settings: &[GitSetting], with_repositorys: bool) -> bool {
    let fits = |one: &&GitSetting| {
        one.key == "commit.gpgsign" && (with_repositorys || !one.is_repositorys)
    };
    let value = settings.iter().rfind(fits).map(|one| one.value.to_ascii_lowercase());
    value.is_some_and(|value| !matches!(value.as_str(), "false" | "no" | "off" | "0"))
}

/// The protocols that a remote may have. One that the user names by its address may have its own.
fn protocols(remote: &str) -> String {
    let own = remote.split_once("::").or_else(|| remote.split_once("://")).map(|(own, _)| own);
    let is_name = |own: &&str| own.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    match own.filter(is_name).filter(|own| !matches!(*own, "ext" | "fd" | "")) {
        Some(own) => format!("{PROTOCOLS}:{own}"),
        None => PROTOCOLS.to_owned(),
    }
}
