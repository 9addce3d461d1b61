//! One run of git that may change something: the user's own configuration, hooks and credential
//! helpers work, but nothing ever asks, and nothing outlives its limit. Those of a repository that is
//! not trusted do not work.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::process::REDIRECTING;
use super::{Git, GitError};
use crate::child::{MAX_OUTPUT, ended};
use crate::command::{GroupSignal, signal_group};

/// How long a git that was told to end may take to remove its lock files.
const GRACE: Duration = Duration::from_secs(1);
/// How long output is waited for after the end: a connection that stays open can hold the pipe.
const QUIET: Duration = Duration::from_millis(200);

/// What git is to take instead of a repository's own configuration and hooks.
#[derive(Debug)]
pub(super) struct Confinement {
    pub(super) git_dir: PathBuf,
    pub(super) work_tree: PathBuf,
    /// Has the objects and refs of the repository, and a configuration and hooks of ours.
    pub(super) common_dir: PathBuf,
    /// The protocols that a remote may have, with `:` between them.
    pub(super) protocols: String,
    /// Settings as `key=value`.
    pub(super) config: Vec<String>,
}

/// What is asked of git.
#[derive(Clone, Copy, Default)]
pub(super) struct Call<'a> {
    pub(super) args: &'a [&'a str],
    /// Another index than the repository's.
    pub(super) index: Option<&'a Path>,
    /// Git's directory and another work tree than the repository's.
    pub(super) work_tree: Option<(&'a Path, &'a Path)>,
    pub(super) confinement: Option<&'a Confinement>,
    pub(super) stdin: Option<&'a [u8]>,
    /// Settings as `key=value`.
    pub(super) config: &'a [String],
    /// Where its process is noted: it may outlive us.
    pub(super) noted: Option<&'a Path>,
}

/// How it ended and what it said.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) what: String,
    /// `None` if a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

impl Answer {
    pub(super) fn done(&self) -> bool {
        self.code == Some(0)
    }

    /// Its first line.
    pub(super) fn line(&self) -> String {
        String::from_utf8_lossy(&self.stdout).lines().next().unwrap_or("").trim().to_owned()
    }
}

impl Git {
    /// Runs git in a directory, for as long as the deadline allows.
    pub(super) fn act(&self, dir: &Path, call: Call<'_>) -> Result<Answer, GitError> {
        let mut command = Command::new(&self.program);
        command
            .arg("-C")
            .arg(dir)
            .args(["--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false"])
            .args(["-c", "core.quotePath=false", "-c", "core.fsync=committed,reference,index"])
            .args(["-c", "core.fsyncMethod=fsync", "-c", "advice.addEmbeddedRepo=false"]);
        // The latter contradict that paths are taken as they are.
        let globs = ["GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"];
        for name in REDIRECTING.into_iter().chain(globs) {
            command.env_remove(name);
        }
        if let Some(index) = call.index {
            // A shared part of it would stay behind.
            command.args(["-c", "core.splitIndex=false"]).env("GIT_INDEX_FILE", index);
        }
        if let Some(confinement) = call.confinement {
            command
                .env("GIT_DIR", &confinement.git_dir)
                .env("GIT_WORK_TREE", &confinement.work_tree)
                .env("GIT_COMMON_DIR", &confinement.common_dir)
                .env("GIT_ALLOW_PROTOCOL", &confinement.protocols);
            for setting in &confinement.config {
                command.args(["-c", setting]);
            }
        }
        if let Some((git_dir, work_tree)) = call.work_tree {
            command.env("GIT_DIR", git_dir).env("GIT_WORK_TREE", work_tree);
        }
        for setting in call.config {
            command.args(["-c", setting]);
        }
        command
            .args(call.args)
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            // Set and empty: no program is asked, not even the configured one.
            .env("GIT_ASKPASS", "")
            .env("SSH_ASKPASS", "")
            .env("SSH_ASKPASS_REQUIRE", "never")
            .env("GCM_INTERACTIVE", "never")
            .stdin(if call.stdin.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let what = call.args.first().copied().unwrap_or("").to_owned();
        let until = Instant::now() + self.deadline;
        let mut child = command.spawn().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => GitError::NotInstalled,
            _ => GitError::Start(error),
        })?;
        if let Some(path) = call.noted {
            let _ = File::create(path).and_then(|mut file| write!(file, "{}", child.id()));
        }
        feed(&mut child, call.stdin);
        let stdout = chunks(child.stdout.take());
        let stderr = chunks(child.stderr.take());
        let Some(status) = ended(&mut child, until) else {
            end(&mut child);
            return Err(GitError::TimedOut { what });
        };
        let stderr = String::from_utf8_lossy(&gathered(&stderr)).into_owned();
        Ok(Answer { what, code: status.code(), stdout: gathered(&stdout), stderr })
    }
}

/// Ends it and what it started: first asked, because a git that is killed leaves its lock files.
fn end(child: &mut Child) {
    signal_group(child, GroupSignal::End);
    let gone = ended(child, Instant::now() + GRACE);
    signal_group(child, GroupSignal::Kill);
    if gone.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn feed(child: &mut Child, stdin: Option<&[u8]>) {
    if let (Some(mut pipe), Some(bytes)) = (child.stdin.take(), stdin) {
        let bytes = bytes.to_vec();
        // Without a thread git sees an empty input, which it answers with an error of its own.
        let _ = thread::Builder::new().spawn(move || {
            let _ = pipe.write_all(&bytes);
        });
    }
}

/// Reads a pipe piece by piece, in a thread of its own.
fn chunks(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    if let Some(pipe) = pipe {
        let _ = thread::Builder::new().spawn(move || {
            let mut pipe = pipe.take(MAX_OUTPUT);
            let mut buffer = vec![0; 64 * 1024];
            while let Ok(read @ 1..) = pipe.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

/// What was said until the pipe was closed or fell silent.
fn gathered(chunks: &Receiver<Vec<u8>>) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        match chunks.recv_timeout(QUIET) {
            Ok(chunk) => out.extend(chunk),
            Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => return out,
        }
    }
}
