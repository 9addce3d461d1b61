//! `resume` and `snapshot` in a small and in a large repository, beside the questions to git that
//! they ask.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::contest::{self, Entry};
use crate::ground::{Ground, put};
use crate::rows::SEGUE;
use crate::sheet::Sheet;
use crate::store::Store;

/// Files of the large repository.
const MANY: usize = 50_000;

/// The questions that a briefing asks, as flags of git.
const STATUS: &str = "--no-optional-locks -c core.fsmonitor=false status --porcelain=v2 --branch -z \
    --renames --untracked-files=normal --ignore-submodules=dirty -- .";
const NUMSTAT: &str = "--no-optional-locks -c core.fsmonitor=false diff --numstat -z \
    --find-renames --no-ext-diff --no-textconv --ignore-submodules=dirty HEAD -- .";

pub(crate) fn measure(
    ground: &Ground,
    store: &Store,
    runs: usize,
    sheet: &mut Sheet,
) -> Result<(), Failure> {
    let small = ground.repo.clone();
    race(ground, store, &small, "a small repository", runs, sheet)?;
    let large = lay_large(ground, store)?;
    race(ground, store, &large, "50k files", runs, sheet)
}

/// A repository of many files, a few of them changed.
fn lay_large(ground: &Ground, store: &Store) -> Result<PathBuf, Failure> {
    let dir = ground.disk.join(format!("large-{}", store.size));
    for n in 0..MANY {
        let below = dir.join(format!("part{:03}", n / 100));
        if n % 100 == 0 {
            fs::create_dir_all(&below)?;
        }
        put(&below.join(format!("file{n}.rs")), "fn part() {}\n")?;
    }
    for words in ["init -q -b main", "add .", "commit -q -m First"] {
        git(ground, store, &dir, words)?;
    }
    for n in 0..3 {
        put(&dir.join(format!("part{n:03}/file{}.rs", n * 100)), "fn changed() {}\n")?;
    }
    Ok(dir)
}

fn git(ground: &Ground, store: &Store, dir: &Path, words: &str) -> Result<(), Failure> {
    let mut git = ground.command("git", dir, &store.home);
    git.args(["-c", "user.name=Bench", "-c", "user.email=bench@localhost"]);
    if !git.args(words.split_whitespace()).status()?.success() {
        return Err(format!("git {words} failed").into());
    }
    Ok(())
}

fn race(
    ground: &Ground,
    store: &Store,
    dir: &Path,
    place: &str,
    runs: usize,
    sheet: &mut Sheet,
) -> Result<(), Failure> {
    let program = |program: &str, words: &str| -> Result<Command, Failure> {
        let mut command = ground.command(program, dir, &store.home);
        command.args(words.split_whitespace());
        Ok(command)
    };
    // A handoff, and two commits since.
    let mut save = ground.fed(SEGUE, dir, &store.home)?;
    save.args(["save", "--title", "Bench", "--next", "Go on"]).status()?;
    for n in 0..2 {
        git(ground, store, dir, &format!("commit -q --allow-empty -m Since-{n}"))?;
    }
    let entry = |what: &str, name: &'static str, words: &'static str| Entry {
        what: format!("{what}, {place}"),
        command: Box::new(move || program(name, words)),
    };
    // What a snapshot asks is asked at once, and two processes share what the machine has.
    let both = Entry {
        what: format!("both at once, {place}"),
        command: Box::new(|| {
            let mut command = ground.command("/bin/sh", dir, &store.home);
            command.args(["-c", &format!("git {STATUS} & git {NUMSTAT}; wait")]);
            Ok(command)
        }),
    };
    let empty = || program("/bin/true", "");
    let entries = [
        entry("git status", "git", STATUS),
        entry("git diff --numstat", "git", NUMSTAT),
        both,
        entry("resume", SEGUE, "resume"),
        entry("resume --json", SEGUE, "resume --json"),
        entry("snapshot", SEGUE, "snapshot"),
    ];
    let timed = contest::run(&empty, &entries, runs)?;
    let (status, both) = (timed[0].own.median, timed[2].own.median);
    for one in &timed {
        let above = |git: f64, what: &str| format!("{:+.2} above {what}", one.own.median - git);
        let result = if one.what.starts_with("resume") {
            above(status, "git status")
        } else if one.what.starts_with("snapshot") {
            above(both, "both at once")
        } else {
            String::new()
        };
        sheet.timed(&store.size.to_string(), one, result);
    }
    Ok(())
}
