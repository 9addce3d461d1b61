//! A store, and directories and real repositories beside it.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use segue_lib::briefing::ResumeRequest;
use segue_lib::handoffs::{ListRequest, Listed, SaveOutcome, SaveRequest};
use segue_lib::maintenance::DirectoryNote;
use segue_lib::{Env, Segue};

pub(crate) const ORIGIN: &str = "https://example.com/ada/shop.git";

/// A store, and directories beside it.
pub(crate) struct Ground {
    _temp: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        Self { root, _temp: temp }
    }

    pub(crate) fn git(&self, dir: &str, args: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        #[expect(clippy::disallowed_methods, reason = "a test lays out its repository")]
        let mut git = Command::new("git");
        let git = git.arg("-C").arg(self.root.join(dir)).args(identity).args(args);
        let output = git.env("HOME", &self.root).env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
    }

    /// A repository with one commit that no other repository has.
    pub(crate) fn repository(&self, dir: &str, origin: Option<&str>) {
        fs::create_dir_all(self.root.join(dir)).unwrap();
        put(&self.root.join(dir).join("name.txt"), dir);
        self.git(dir, &["init", "-q", "-b", "main"]);
        self.git(dir, &["add", "."]);
        self.git(dir, &["commit", "-qm", &format!("first of {dir}")]);
        if let Some(origin) = origin {
            self.git(dir, &["remote", "add", "origin", origin]);
        }
    }

    /// A copy of a repository with all its commits, whose `origin` is another address.
    pub(crate) fn clone(&self, from: &str, to: &str, depth: &[&str], origin: Option<&str>) {
        let url = format!("file://{}", self.root.join(from).display());
        self.git(".", &[&["clone", "-q"], depth, &[&url, to]].concat());
        match origin {
            Some(origin) => self.git(to, &["remote", "set-url", "origin", origin]),
            None => self.git(to, &["remote", "remove", "origin"]),
        }
    }

    pub(crate) fn open(&self, dir: &str) -> Segue {
        Segue::new(self.env(dir))
    }

    pub(crate) fn env(&self, dir: &str) -> Env {
        #[expect(clippy::disallowed_methods, reason = "a clock that goes on orders the handoffs")]
        let now = SystemTime::now;
        let dir = self.root.join(dir);
        let mut env = Env::new(self.root.join("store"), dir, now, || getrandom::u32().unwrap());
        env.user_home = Some(self.root.clone());
        env.git_deadline = Duration::from_secs(30);
        env
    }

    /// The same with a git that does not answer a question in time; any question if it is empty.
    #[cfg(unix)]
    pub(crate) fn open_with_slow_git(&self, dir: &str, question: &str) -> Segue {
        use std::os::unix::fs::PermissionsExt;
        let slow = self.root.join(format!("slow-git-{question}"));
        let text = format!(
            "#!/bin/sh\ncase \" $* \" in *\"{question}\"*) exec sleep 60;; esac\nexec git \"$@\"\n"
        );
        put(&slow, &text);
        fs::set_permissions(&slow, fs::Permissions::from_mode(0o755)).unwrap();
        let mut env = self.env(dir);
        env.git_program = slow;
        env.git_deadline = Duration::from_millis(if question.is_empty() { 200 } else { 2000 });
        Segue::new(env)
    }

    /// Saves, and says which projects this may be.
    pub(crate) fn save(&self, dir: &str, title: &str) -> Vec<String> {
        let saved = save(&self.open(dir), title);
        saved.similar.into_iter().map(|similar| similar.label).collect()
    }

    /// The titles of what is here, newest first.
    pub(crate) fn titles(&self, dir: &str) -> Vec<String> {
        let mut titles = Vec::new();
        let mut note = |listed: Listed| {
            titles.push(listed.title);
            true
        };
        let listed = self.open(dir).handoffs().list(&ListRequest::default(), &mut note).unwrap();
        if listed.elsewhere { Vec::new() } else { titles }
    }

    /// The projects that people are told of in a directory.
    pub(crate) fn may_be(&self, dir: &str) -> Vec<String> {
        named(&self.open(dir))
    }

    /// How many projects there are.
    pub(crate) fn projects(&self) -> usize {
        self.open(".").projects().all().unwrap().0.len()
    }

    /// What a directory goes on with.
    pub(crate) fn goes_on_with(&self, dir: &str) -> Option<String> {
        goes_on_with(&self.open(dir))
    }
}

pub(crate) fn put(path: &Path, text: &str) {
    File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

pub(crate) fn save(segue: &Segue, title: &str) -> SaveOutcome {
    let mut request = SaveRequest::default();
    request.title = Some(title.to_owned());
    segue.handoffs().save(&request).unwrap()
}

/// What somebody goes on with.
pub(crate) fn goes_on_with(segue: &Segue) -> Option<String> {
    let outcome = segue.briefer().resume(&ResumeRequest::default(), None).unwrap();
    outcome.handoff.map(|(handoff, _)| handoff.display_title())
}

/// The projects that people are told of.
pub(crate) fn named(segue: &Segue) -> Vec<String> {
    let notes = segue.projects().directory_notes().unwrap().into_iter();
    let similar = notes.filter_map(|note| match note {
        DirectoryNote::Similar(similar) => Some(similar.label),
        _ => None,
    });
    similar.collect()
}
