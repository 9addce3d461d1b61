//! One run of git: fixed flags, cleared environment, a deadline.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Repo;
use super::git_file::read_git_bytes;
use crate::child::{collect, ended};

/// How git is run.
#[derive(Clone, Debug)]
pub struct Git {
    pub program: PathBuf,
    pub deadline: Duration,
}

/// Why git gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("git is not installed")]
    NotInstalled,
    #[error("git could not be started")]
    Start(#[source] std::io::Error),
    #[error("git {what} did not answer in time")]
    TimedOut { what: String },
    #[error("git {what} failed: {message}")]
    Failed { what: String, message: String },
    #[error("git's answer is not understood: {0}")]
    Unexpected(String),
}

/// Variables that would point git at another repository than the directory's own.
pub(super) const REDIRECTING: [&str; 12] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_EXTERNAL_DIFF",
    "GIT_CEILING_DIRECTORIES",
];

impl Git {
    /// Asks git something that changes nothing.
    pub(super) fn read(&self, dir: &Path, args: &[&str]) -> Result<Vec<u8>, GitError> {
        self.run(dir, args, &[])
    }

    /// As `read`, with the filters that the repository itself defines switched off: `git status`
    /// runs a clean filter over files whose times changed.
    pub(super) fn read_without_filters(
        &self,
        dir: &Path,
        repo: &Repo,
        args: &[&str],
    ) -> Result<Vec<u8>, GitError> {
        let filters = if names_filters(repo) { self.own_filters(dir)? } else { BTreeSet::new() };
        let off: Vec<(String, &str)> = filters
            .iter()
            .flat_map(|name| {
                [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")]
                    .map(|(key, value)| (format!("filter.{name}.{key}"), value))
            })
            .collect();
        self.run(dir, args, &off)
    }

    fn own_filters(&self, dir: &Path) -> Result<BTreeSet<String>, GitError> {
        let args = [
            "config",
            "--includes",
            "--name-only",
            "-z",
            "--get-regexp",
            r"^filter\..*\.(clean|smudge|process)$",
        ];
        let mut names = BTreeSet::new();
        for place in ["--local", "--worktree"] {
            let mut args = args.to_vec();
            args.insert(1, place);
            let output = match self.run(dir, &args, &[]) {
                Ok(output) => output,
                Err(GitError::Failed { .. }) => continue,
                Err(error) => return Err(error),
            };
            for key in String::from_utf8_lossy(&output).split('\0') {
                if let Some((name, _)) =
                    key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.'))
                {
                    names.insert(name.to_owned());
                }
            }
        }
        Ok(names)
    }

    pub(super) fn run(
        &self,
        dir: &Path,
        args: &[&str],
        config: &[(String, &str)],
    ) -> Result<Vec<u8>, GitError> {
        let null = if cfg!(windows) { "NUL" } else { "/dev/null" };
        let mut command = Command::new(&self.program);
        command
            .arg("-C")
            .arg(dir)
            .args(["--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-c"])
            .arg(format!("core.hooksPath={null}"))
            .args(["-c", "safe.bareRepository=explicit", "-c", "core.quotePath=false"])
            .args(args)
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_CONFIG_COUNT", config.len().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for name in REDIRECTING {
            command.env_remove(name);
        }
        for (at, (key, value)) in config.iter().enumerate() {
            command
                .env(format!("GIT_CONFIG_KEY_{at}"), key)
                .env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        let what = args.first().copied().unwrap_or("").to_owned();
        let child = command.spawn().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => GitError::NotInstalled,
            _ => GitError::Start(error),
        })?;
        wait(child, what, self.deadline)
    }
}

/// Whether the repository's own configuration could define a filter. Looks at the text only.
fn names_filters(repo: &Repo) -> bool {
    [repo.common_dir.join("config"), repo.git_dir.join("config.worktree")].iter().any(|path| {
        let text = read_git_bytes(path).unwrap_or_default().to_ascii_lowercase();
        ["filter", "include"]
            .iter()
            .any(|word| text.windows(word.len()).any(|part| part == word.as_bytes()))
    })
}

fn wait(mut child: Child, what: String, deadline: Duration) -> Result<Vec<u8>, GitError> {
    let until = Instant::now() + deadline;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let output = stdout.recv_timeout(deadline);
    let exited = output.is_ok().then(|| ended(&mut child, until)).flatten();
    let (Ok(output), Some(status)) = (output, exited) else {
        // Too late: what it still had to say is not waited for.
        let _ = child.kill();
        let _ = child.wait();
        return Err(GitError::TimedOut { what });
    };
    if status.success() {
        return Ok(output);
    }
    let message = stderr.recv_timeout(Duration::from_millis(100)).unwrap_or_default();
    let message = String::from_utf8_lossy(&message);
    let line = message.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    Err(GitError::Failed { what, message: line.trim_start_matches("fatal: ").to_owned() })
}
