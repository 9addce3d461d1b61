//! Runs a program without a shell, with a time limit. Whatever it started ends with it.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::child::ended;

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Exit(i32),
    /// A signal ended it.
    Killed,
    /// The time limit did.
    TimedOut,
    /// It could not be started, and why.
    NotStarted(String),
}

/// Runs a program in a directory, without input or output. What it leaves running is ended.
pub fn run_command(words: &[String], dir: &Path, limit: Duration) -> Ended {
    let Some((program, args)) = words.split_first() else {
        return Ended::NotStarted("there is no program".to_owned());
    };
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // A group of its own, so that what it starts can be ended with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let until = Instant::now() + limit;
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ended::NotStarted(error.to_string()),
    };
    let status = ended(&mut child, until);
    end_group(&child);
    match status {
        Some(status) => status.code().map_or(Ended::Killed, Ended::Exit),
        None => {
            let _ = child.kill();
            let _ = child.wait();
            Ended::TimedOut
        }
    }
}

/// Ends what the program started and did not wait for.
fn end_group(child: &Child) {
    signal_group(child, GroupSignal::Kill);
}

/// How a process group is ended.
#[derive(Clone, Copy)]
pub(crate) enum GroupSignal {
    /// It may clean up behind itself.
    End,
    Kill,
}

/// Sends a signal to the process group that a child leads.
pub(crate) fn signal_group(child: &Child, signal: GroupSignal) {
    #[cfg(not(unix))]
    let _ = (child, signal);
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let signal = match signal {
            GroupSignal::End => rustix::process::Signal::TERM,
            GroupSignal::Kill => rustix::process::Signal::KILL,
        };
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn ran(words: &[&str], limit: Duration) -> Ended {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        run_command(&words, Path::new("."), limit)
    }

    #[test]
    fn each_end() {
        let long = Duration::from_secs(20);
        assert_eq!(ran(&["true"], long), Ended::Exit(0));
        assert_eq!(ran(&["sh", "-c", "exit 3"], long), Ended::Exit(3));
        assert_eq!(ran(&["sh", "-c", "kill -9 $$"], long), Ended::Killed);
        assert!(matches!(ran(&["/nonexistent"], long), Ended::NotStarted(_)));
        assert!(matches!(ran(&[], long), Ended::NotStarted(_)));
    }

    #[test]
    fn what_it_started_ends_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let mark = dir.path().join("mark");
        let line = format!("(sleep 2; touch {}) & sleep 30", mark.display());
        let begun = Instant::now();
        assert_eq!(ran(&["sh", "-c", &line], Duration::from_millis(300)), Ended::TimedOut);
        assert!(begun.elapsed() < Duration::from_secs(10));
        let line = format!("(sleep 2; touch {}) & exit 0", mark.display());
        assert_eq!(ran(&["sh", "-c", &line], Duration::from_secs(20)), Ended::Exit(0));
        std::thread::sleep(Duration::from_millis(2500));
        assert!(!mark.exists(), "a child of it went on");
    }

    #[test]
    fn one_that_talks_without_end_is_stopped_by_the_limit_only() {
        assert_eq!(ran(&["yes"], Duration::from_millis(500)), Ended::TimedOut);
    }
}
