//! A machine with a remote and clones of it, apart from the machine that the tests run on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use segue_share::git::{
    Content, Git, Publication, PublishError, Published, Repo, Stopped, discover,
};
use tempfile::TempDir;

pub(crate) struct Ground {
    _temp: TempDir,
    pub(crate) dir: PathBuf,
    pub(crate) git: Git,
}

pub(crate) fn put(path: impl AsRef<Path>, text: &str) {
    let path = path.as_ref();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = fs::File::create(path).unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
}

/// Written by another process: while one of ours has it open for writing, a thread that starts a
/// program hands that on, and nobody can run the file.
pub(crate) fn script(path: impl AsRef<Path>, text: &str) {
    let path = path.as_ref();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let status = Command::new("sh")
        .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .arg(text)
        .status();
    assert!(status.unwrap().success());
}

pub(crate) fn go_on() -> Result<(), Stopped> {
    Ok(())
}

impl Ground {
    /// A remote with one commit on `main`.
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let dir = fs::canonicalize(temp.path()).unwrap();
        // The machine's own configuration must not decide what a test says.
        script(
            dir.join("git"),
            &format!(
                "export HOME={0} XDG_CONFIG_HOME={0} GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null\nunset SSH_AUTH_SOCK GIT_SSH GIT_SSH_COMMAND EMAIL\nexec git \"$@\"",
                dir.display()
            ),
        );
        let git = Git { program: dir.join("git"), deadline: Duration::from_secs(20) };
        let ground = Self { _temp: temp, dir, git };
        ground.run(&ground.dir, &["init", "-q", "--bare", "-b", "main", "origin.git"]);
        let seed = ground.clone_as("seed");
        put(seed.join("README.md"), "readme\n");
        put(seed.join("code.rs"), "fn main() {}\n");
        ground.run(&seed, &["add", "."]);
        ground.run(&seed, &["commit", "-qm", "first"]);
        ground.run(&seed, &["push", "-q", "origin", "main"]);
        ground
    }

    pub(crate) fn clone_as(&self, name: &str) -> PathBuf {
        self.run(&self.dir, &["clone", "-q", "origin.git", name]);
        let dir = self.dir.join(name);
        self.run(&dir, &["config", "user.name", name]);
        self.run(&dir, &["config", "user.email", "t@example.org"]);
        dir
    }

    pub(crate) fn origin(&self) -> PathBuf {
        self.dir.join("origin.git")
    }

    /// Runs git and gives its output.
    pub(crate) fn run(&self, dir: &Path, args: &[&str]) -> String {
        let output =
            Command::new(&self.git.program).arg("-C").arg(dir).args(args).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The files of a branch.
    pub(crate) fn tree(&self, dir: &Path, branch: &str) -> Vec<String> {
        let output = self.run(dir, &["ls-tree", "-r", "-z", "--name-only", branch]);
        output.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    /// How many commits of a branch carry this run.
    pub(crate) fn commits_of(&self, dir: &Path, branch: &str, run: &str) -> usize {
        let messages = self.run(dir, &["log", "--format=%B", branch, "--"]);
        messages.lines().filter(|line| *line == format!("Segue-Run: {run}")).count()
    }

    /// Everything of a repository that a publication could change.
    pub(crate) fn state(&self, dir: &Path) -> String {
        [
            &["for-each-ref", "refs/heads", "refs/remotes", "refs/tags"][..],
            &["ls-files", "--stage", "--debug"],
            &["status", "--porcelain", "--branch"],
        ]
        .map(|args| self.run(dir, args))
        .concat()
    }
}

/// A clone with a memory in its work tree.
pub(crate) struct Clone<'a> {
    pub(crate) ground: &'a Ground,
    pub(crate) dir: PathBuf,
    pub(crate) repo: Repo,
    pub(crate) memory: PathBuf,
}

impl<'a> Clone<'a> {
    pub(crate) fn new(ground: &'a Ground, name: &str) -> Self {
        let dir = ground.clone_as(name);
        Self::of(ground, dir)
    }

    pub(crate) fn of(ground: &'a Ground, dir: PathBuf) -> Self {
        let repo = discover(&dir).unwrap();
        let memory = dir.join("memory");
        Self { ground, dir, repo, memory }
    }

    pub(crate) fn note(&self, name: &str) {
        put(self.memory.join("layer1/2026-11").join(name), &format!("{name}\n"));
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.ground.run(&self.dir, args)
    }

    /// Publishing the memory to the branch that is checked out.
    pub(crate) fn publication<'b>(&'b self, run: &'b str) -> Publication<'b> {
        Publication {
            repo: &self.repo,
            is_trusted: true,
            content: Content::InTree { paths: std::slice::from_ref(&self.memory) },
            memory: Some(&self.memory),
            forgotten: &[],
            branch: None,
            remote: "origin",
            message: "handover: session",
            run,
            push: true,
            before_effect: &go_on,
            limit: Duration::from_secs(20),
        }
    }

    pub(crate) fn publish(&self, run: &str) -> Result<Published, PublishError> {
        self.ground.git.publish(&self.publication(run))
    }

    pub(crate) fn publish_to(&self, branch: &str, run: &str) -> Result<Published, PublishError> {
        let publication = Publication { branch: Some(branch), ..self.publication(run) };
        self.ground.git.publish(&publication)
    }
}
