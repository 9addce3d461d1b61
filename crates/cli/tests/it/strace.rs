//! Faults at chosen system calls, by `strace`: which calls a command makes, and one of them failing.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::ground::TestEnv;

/// Whether every fault is tried, rather than a sample of them.
pub(crate) fn all_faults() -> bool {
    std::env::var_os("SEGUE_TEST_ALL_FAULTS").is_some()
}

/// Whether strace can inject faults here; says so where it cannot.
pub(crate) fn works(env: &TestEnv) -> bool {
    let tried = env
        .command("strace")
        .args(["-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "inject=fsync:error=EIO:when=1"])
        .arg("true")
        .output();
    let works = tried.is_ok_and(|output| output.status.success());
    if !works {
        println!("skipped: strace cannot trace here");
    }
    works
}

/// A system call: its name, and how many of that name the same thread had made with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) nth: usize,
}

/// The calls of one run, each once. The counts of strace are per thread: the same call of several
/// threads is one that the first of them to come to it is hit at.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// Of every thread and child.
    pub(crate) all: Vec<Call>,
    /// Of the main thread, from the program's own start on: what the loader does is not ours.
    pub(crate) own: Vec<Call>,
}

impl Trace {
    /// Reads what `strace -f -o` wrote.
    pub(crate) fn read(log: &Path) -> Self {
        let text = fs::read_to_string(log).unwrap();
        let mut trace = Self::default();
        let mut made: HashMap<(&str, &str), usize> = HashMap::new();
        let mut main = None;
        let mut started = false;
        for line in text.lines() {
            let Some((thread, name)) = call(line) else {
                continue;
            };
            let nth = made.entry((thread, name)).or_default();
            *nth += 1;
            let call = Call { name: name.to_owned(), nth: *nth };
            if !trace.all.contains(&call) {
                trace.all.push(call.clone());
            }
            if *main.get_or_insert(thread) == thread {
                // The first thing that the runtime does: it looks at its three streams.
                started |= name == "poll";
                if started {
                    trace.own.push(call);
                }
            }
        }
        trace
    }
}

/// Thread and name of a call in a line such as `4711  openat(AT_FDCWD, ...`.
fn call(line: &str) -> Option<(&str, &str)> {
    let (thread, rest) = line.split_once(' ')?;
    let (name, _) = rest.trim_start().split_once('(')?;
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_name.then_some((thread, name))
}

/// The words that run a program under strace and write down every call.
pub(crate) fn watching(log: &str) -> Vec<&str> {
    vec!["strace", "-f", "-o", log]
}

/// The words that run a program under strace, with a fault at one call: `signal=KILL`, `error=EIO`.
pub(crate) fn striking(call: &Call, fault: &str) -> Vec<String> {
    let Call { name, nth } = call;
    let mut words = vec!["strace", "-f", "-qq", "-o", "/dev/null"];
    if fault.starts_with("error=") {
        // The filter in the kernel spares the other calls a stop. It loses signals, though.
        words.push("--seccomp-bpf");
    }
    let trace = format!("trace={name}");
    let inject = format!("inject={name}:{fault}:when={nth}");
    words.extend(["-e", &trace, "-e", &inject]);
    words.into_iter().map(str::to_owned).collect()
}
