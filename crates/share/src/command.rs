//! Runs a program without a shell, with a time limit. Whatever it started ends with it.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::child::{Waited, wait_for};

/// Of what a program prints, so much of the end is kept.
const TAIL: usize = 64 * 1024;

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Exit(i32),
    /// A signal ended it.
    Killed,
    /// The time limit did.
    TimedOut,
    /// The caller did not want it to go on.
    Stopped,
    /// It could not be started, and why.
    NotStarted(String),
}

/// A program to run, and what it gets.
pub struct CommandRun<'a> {
    pub words: &'a [String],
    pub dir: &'a Path,
    /// Added to the environment.
    pub env: &'a [(&'a str, &'a str)],
    /// Taken out of it.
    pub unset: &'a [&'a str],
    pub stdin: &'a [u8],
    pub limit: Duration,
    /// Asked again and again while it runs.
    pub stop: &'a dyn Fn() -> bool,
}

/// A program that ended, and the end of what it printed to either output.
pub struct Captured {
    pub ended: Ended,
    pub output: Vec<u8>,
}

/// A program that ended, and the end of each of its outputs.
pub struct Answered {
    pub ended: Ended,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Runs a program in a directory, without input or output. What it leaves running is ended.
pub fn run_command(words: &[String], dir: &Path, limit: Duration) -> Ended {
    match command_of(words, dir) {
        Ok(mut command) => {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            match command.spawn() {
                Ok(child) => wait(child, limit, &|| false),
                Err(error) => Ended::NotStarted(error.to_string()),
            }
        }
        Err(ended) => ended,
    }
}

/// Runs a program with input, and keeps what it prints. What it leaves running is ended.
pub fn run_captured(run: &CommandRun<'_>) -> Captured {
    let failed = |why: String| Captured { ended: Ended::NotStarted(why), output: Vec::new() };
    let mut command = match command_of(run.words, run.dir) {
        Ok(command) => command,
        Err(ended) => return Captured { ended, output: Vec::new() },
    };
    // One pipe for both outputs, so that they come in their order.
    let pipes =
        std::io::pipe().and_then(|(reader, writer)| Ok((reader, writer.try_clone()?, writer)));
    let (reader, out, err) = match pipes {
        Ok(pipes) => pipes,
        Err(error) => return failed(error.to_string()),
    };
    run.set_env(&mut command);
    command.stdin(Stdio::piped()).stdout(out).stderr(err);
    let spawned = command.spawn();
    // The writing ends that it holds would keep the pipe open.
    drop(command);
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => return failed(error.to_string()),
    };
    let output = tail(reader);
    if let Some(mut pipe) = child.stdin.take() {
        let bytes = run.stdin.to_vec();
        // A program need not read what it is given.
        let _ = thread::Builder::new().spawn(move || pipe.write_all(&bytes));
    }
    let ended = wait(child, run.limit, run.stop);
    let output = output.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
    Captured { ended, output }
}

/// Runs a program without input, and keeps what it prints to each output. What it leaves running is
/// ended.
pub fn run_answering(run: &CommandRun<'_>) -> Answered {
    let not = |ended| Answered { ended, stdout: Vec::new(), stderr: Vec::new() };
    let mut command = match command_of(run.words, run.dir) {
        Ok(command) => command,
        Err(ended) => return not(ended),
    };
    run.set_env(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return not(Ended::NotStarted(error.to_string())),
    };
    let out = child.stdout.take().map(tail);
    let err = child.stderr.take().map(tail);
    let ended = wait(child, run.limit, run.stop);
    let rest = |pipe: Option<Receiver<Vec<u8>>>| {
        pipe.and_then(|pipe| pipe.recv_timeout(Duration::from_secs(1)).ok()).unwrap_or_default()
    };
    Answered { ended, stdout: rest(out), stderr: rest(err) }
}

impl CommandRun<'_> {
    fn set_env(&self, command: &mut Command) {
        for name in self.unset {
            command.env_remove(name);
        }
        command.envs(self.env.iter().copied());
    }
}

fn command_of(words: &[String], dir: &Path) -> Result<Command, Ended> {
    let Some((program, args)) = words.split_first() else {
        return Err(Ended::NotStarted("there is no program".to_owned()));
    };
    let mut command = Command::new(program);
    command.args(args).current_dir(dir);
    // A group of its own, so that what it starts can be ended with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(command)
}

fn wait(mut child: Child, limit: Duration, stop: &dyn Fn() -> bool) -> Ended {
    let waited = wait_for(&mut child, Instant::now() + limit, stop);
    end_group(&child);
    if !matches!(waited, Waited::Ended(_)) {
        let _ = child.kill();
        let _ = child.wait();
    }
    match waited {
        Waited::Ended(status) => status.code().map_or(Ended::Killed, Ended::Exit),
        Waited::TooLate => Ended::TimedOut,
        Waited::Stopped => Ended::Stopped,
    }
}

/// Reads a pipe to its end and keeps the end of it, in a thread of its own.
fn tail(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    let _ = thread::Builder::new().spawn(move || {
        let mut kept = Vec::new();
        let mut part = [0; 8192];
        while let Ok(count @ 1..) = pipe.read(&mut part) {
            kept.extend_from_slice(&part[..count]);
            if kept.len() > 2 * TAIL {
                kept.drain(..kept.len() - TAIL);
            }
        }
        kept.drain(..kept.len().saturating_sub(TAIL));
        let _ = sender.send(kept);
    });
    receiver
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

/// Whether a process of this number is running, as far as can be told.
pub(crate) fn is_alive(pid: &str) -> bool {
    // One that has ended and was not waited for is not running.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    if stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')) {
        return false;
    }
    #[cfg(unix)]
    return pid
        .parse()
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok());
    #[cfg(not(unix))]
    {
        let _ = pid;
        false
    }
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
        thread::sleep(Duration::from_millis(2500));
        assert!(!mark.exists(), "a child of it went on");
    }

    #[test]
    fn input_environment_and_the_end_of_the_output() {
        let captured = |line: &str, stop: &dyn Fn() -> bool| {
            let words = ["sh", "-c", line].map(str::to_owned);
            let env = [("SEGUE_STEP", "tests")];
            let (dir, limit) = (Path::new("."), Duration::from_secs(20));
            let unset = &["HOME"];
            run_captured(&CommandRun {
                words: &words,
                dir,
                env: &env,
                unset,
                stdin: b"in\n",
                limit,
                stop,
            })
        };
        let ran = captured("cat; echo $SEGUE_STEP >&2; echo out; exit 3", &|| false);
        assert_eq!(ran.ended, Ended::Exit(3));
        assert_eq!(String::from_utf8(ran.output).unwrap(), "in\ntests\nout\n");
        let ran = captured("head -c 10000000 /dev/zero; echo end", &|| false);
        assert!(ran.output.len() <= TAIL && ran.output.ends_with(b"end\n"));
        let begun = Instant::now();
        let ran =
            captured("echo begun; sleep 30", &|| begun.elapsed() > Duration::from_millis(200));
        assert_eq!(ran.ended, Ended::Stopped);
        assert!(begun.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn the_two_outputs_are_kept_apart() {
        let run = |line: &str, limit: u64| {
            let words = ["sh", "-c", line].map(str::to_owned);
            run_answering(&CommandRun {
                words: &words,
                dir: Path::new("."),
                env: &[("SEGUE_STEP", "x")],
                unset: &["HOME"],
                stdin: b"",
                limit: Duration::from_millis(limit),
                stop: &|| false,
            })
        };
        let ran = run("cat; echo \"$SEGUE_STEP ${HOME-none}\"; echo no >&2; exit 3", 20_000);
        assert_eq!(
            (ran.ended, &ran.stdout[..], &ran.stderr[..]),
            (Ended::Exit(3), &b"x none\n"[..], &b"no\n"[..])
        );
        // What a child of it holds open is not waited for.
        let ran = run("echo half; sleep 30 & sleep 30", 300);
        assert_eq!((ran.ended, &ran.stdout[..]), (Ended::TimedOut, &b"half\n"[..]));
        let ran = run("head -c 10000000 /dev/zero; echo end", 20_000);
        assert!(ran.stdout.len() <= TAIL && ran.stdout.ends_with(b"end\n"));
    }

    #[test]
    fn one_that_talks_without_end_is_stopped_by_the_limit_only() {
        assert_eq!(ran(&["yes"], Duration::from_millis(500)), Ended::TimedOut);
    }
}
