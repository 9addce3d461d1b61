//! Why something was not published, in git's own words.

use std::time::Duration;

use super::super::GitError;
use super::super::act::Answer;
use super::words::told;

/// Why the caller said no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Stopped(pub String);

/// Why something was not published. Messages are git's own, without credentials; they are foreign
/// text.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    #[error("the remote's branch '{branch}' changed again and again while we pushed: {message}")]
    NonFastForward { branch: String, message: String },
    #[error("the remote does not accept it: {message}")]
    Rejected { message: String },
    #[error("the remote cannot be reached: {message}")]
    Unreachable { message: String },
    #[error("{what} took longer than {} s", .limit.as_secs_f32())]
    TimedOut { what: String, limit: Duration },
    #[error("changed here and on the remote's branch '{branch}': {}", .files.join(", "))]
    Conflict { branch: String, files: Vec<String> },
    #[error("{message}")]
    Config { message: String },
    #[error("stopped before the next change: {0}")]
    Stopped(#[from] Stopped),
    #[error("{message}")]
    Other { message: String },
    #[error(transparent)]
    Git(GitError),
    #[error("cannot {what} {path}")]
    Io { what: &'static str, path: String, source: std::io::Error },
}

impl PublishError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Conflict { branch, .. } => Some(format!(
                "`git pull --no-rebase` on '{branch}' merges them by hand; then publish again"
            )),
            _ => None,
        }
    }

    pub(super) fn config(message: impl Into<String>) -> Self {
        Self::Config { message: message.into() }
    }

    /// What kind of failure a git that touches no network reports.
    pub(super) fn local(answer: &Answer) -> Self {
        const CONFIGURED: [&str; 6] = [
            "tell me who you are",
            "empty ident name",
            "no email was given",
            "no name was given",
            "gpg failed to sign",
            "dubious ownership",
        ];
        let said = [told(&answer.stderr), told(&String::from_utf8_lossy(&answer.stdout))];
        let message = said.into_iter().find(|said| !said.is_empty());
        let message = message.unwrap_or_else(|| told_code(answer));
        let message = format!("git {} failed: {message}", answer.what);
        if CONFIGURED.iter().any(|words| answer.stderr.contains(words)) {
            return Self::Config { message };
        }
        Self::Other { message }
    }

    /// What kind of failure a git that talks to a remote reports; `reason` is the remote's.
    pub(super) fn remote(answer: &Answer, reason: Option<&str>, known: bool) -> Self {
        const UNREACHABLE: [&str; 14] = [
            "Could not resolve host",
            "Name or service not known",
            "unable to look up",
            "Connection refused",
            "unable to connect",
            "Couldn't connect",
            "Failed to connect",
            "Connection timed out",
            "Connection reset",
            "Connection closed",
            "Network is unreachable",
            "No route to host",
            "hung up unexpectedly",
            "early EOF",
        ];
        const REFUSED: [&str; 6] = [
            "Authentication failed",
            "could not read Username",
            "could not read Password",
            "Permission denied",
            "Host key verification failed",
            "The requested URL returned error: 40",
        ];
        let has = |words: &[&str]| words.iter().any(|words| answer.stderr.contains(words));
        let mut message = told(&answer.stderr);
        if let Some(reason) = reason.filter(|reason| !message.contains(reason)) {
            message = format!("{reason}\n{message}").trim_end().to_owned();
        }
        if message.is_empty() {
            message = told_code(answer);
        }
        if reason.is_some() || has(&REFUSED) {
            return Self::Rejected { message };
        }
        if has(&["does not appear to be a git repository"]) && !known {
            return Self::Config { message };
        }
        let gone = ["does not appear to be a git repository", "does not exist", "not found"];
        if has(&UNREACHABLE) || has(&gone) {
            return Self::Unreachable { message };
        }
        Self::Other { message: format!("git {} failed: {message}", answer.what) }
    }
}

impl From<GitError> for PublishError {
    fn from(error: GitError) -> Self {
        match error {
            // The limit is put in by whoever knows it.
            GitError::TimedOut { what } => {
                Self::TimedOut { what: format!("git {what}"), limit: Duration::ZERO }
            }
            other => Self::Git(other),
        }
    }
}

fn told_code(answer: &Answer) -> String {
    match answer.code {
        Some(code) => format!("exit code {code}, without a word"),
        None => "it was killed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(stderr: &str) -> Answer {
        Answer { what: "push".into(), code: Some(1), stdout: Vec::new(), stderr: stderr.to_owned() }
    }

    #[test]
    fn each_failure_has_its_kind() {
        let remote = |stderr: &str| PublishError::remote(&answer(stderr), None, true);
        assert!(matches!(
            remote("fatal: unable to access 'https://x/': Could not resolve host: x"),
            PublishError::Unreachable { .. }
        ));
        assert!(matches!(
            remote("fatal: could not read Username for 'https://x': terminal prompts disabled"),
            PublishError::Rejected { .. }
        ));
        assert!(matches!(
            remote("fatal: '/x' does not appear to be a git repository"),
            PublishError::Unreachable { .. }
        ));
        assert!(matches!(remote("fatal: something else"), PublishError::Other { .. }));
        let unknown = answer("fatal: 'origin' does not appear to be a git repository");
        let unknown = PublishError::remote(&unknown, None, false);
        assert!(matches!(unknown, PublishError::Config { .. }));
        let disk = "remote: fatal: write error: No space left on device";
        let full = PublishError::remote(&answer(disk), Some("unpacker error"), true);
        assert_eq!(
            full.to_string(),
            format!("the remote does not accept it: unpacker error\n{disk}")
        );
    }
}
