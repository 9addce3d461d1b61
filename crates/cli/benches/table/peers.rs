//! Other programs that keep handoffs, doing the same on stores of their own, where they are on PATH.
//!
//! They fill their stores by their own commands, which is why only small sizes are measured.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::contest::{self, Entry};
use crate::ground::{Ground, put};
use crate::options::Options;
use crate::sheet::Sheet;
use crate::store::COMMON_NAME;

/// Larger stores take them too long to fill.
const LARGEST: usize = 1_000;

/// A program and what it is asked to do.
struct Peer {
    program: &'static str,
    /// Leaves one handoff. The body is on standard input.
    save: Vec<String>,
    /// What is measured besides, by name.
    reads: Vec<(&'static str, Vec<String>)>,
    store: PathBuf,
}

pub(crate) fn measure(
    ground: &Ground,
    options: &Options,
    sheet: &mut Sheet,
) -> Result<(), Failure> {
    for program in ["handoff", "session-handoff", "agent-handoff", "agent-handover"] {
        if !on_path(program) {
            sheet.figure("", program, "not on PATH".to_owned());
            continue;
        }
        let sizes = options.sizes.iter().filter(|size| **size <= LARGEST);
        for &size in sizes {
            eprintln!("measuring {program} with {size} handoffs");
            let store = ground.disk.join(format!("{program}-{size}"));
            fs::create_dir_all(&store)?;
            let peer = Peer::new(program, ground, store)?;
            // The two that keep one state and no list have nothing to fill.
            let filled = if peer.keeps_many() { size } else { 1 };
            for _ in 0..filled {
                run(peer.command(ground, &peer.save)?)?;
            }
            peer.race(ground, filled, options.runs, sheet)?;
            if !peer.keeps_many() {
                break;
            }
        }
    }
    Ok(())
}

impl Peer {
    fn new(program: &'static str, ground: &Ground, store: PathBuf) -> Result<Self, Failure> {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let named = |text: &str, value: &Path| {
            let mut words = words(text);
            words.push(value.display().to_string());
            words
        };
        let (save, reads) = match program {
            "handoff" => (
                words(&format!("store --name {COMMON_NAME} --project service0")),
                vec![
                    ("list", words("list")),
                    ("retrieve by name", words(&format!("retrieve --name {COMMON_NAME}"))),
                ],
            ),
            "session-handoff" => (
                named(
                    "save --tool codex --title Bench --summary State --next Tests --project",
                    &ground.repo,
                ),
                vec![
                    ("list", words("list")),
                    ("list --query", words("list --query Tests --limit 10")),
                    ("render", words("render")),
                ],
            ),
            "agent-handoff" => {
                (named("snapshot", &ground.repo), vec![("resume", named("resume", &ground.repo))])
            }
            _ => {
                let config = store.join("run.toml");
                let memory = store.join("memory").display().to_string();
                let note = ground.body.display().to_string();
                put(
                    &config,
                    &format!(
                        "[handover]\nmemory_dir = '{memory}'\n[note]\nsession = '{note}'\n[backend]\ntype = 'null'\n"
                    ),
                )?;
                (named("run --config", &config), vec![("status", words("status"))])
            }
        };
        Ok(Self { program, save, reads, store })
    }

    fn keeps_many(&self) -> bool {
        matches!(self.program, "handoff" | "session-handoff")
    }

    fn command(&self, ground: &Ground, words: &[String]) -> Result<Command, Failure> {
        let mut command = ground.fed(self.program, &ground.plain, &self.store)?;
        command
            .args(words)
            .env("HANDOFF_DB", self.store.join("handoff.db"))
            .env("XDG_CONFIG_HOME", &self.store);
        Ok(command)
    }

    fn race(
        &self,
        ground: &Ground,
        size: usize,
        runs: usize,
        sheet: &mut Sheet,
    ) -> Result<(), Failure> {
        let entry = |what: &str, words: &'_ [String]| {
            let words = words.to_vec();
            Entry {
                what: format!("{} {what}", self.program),
                command: Box::new(move || self.command(ground, &words)),
            }
        };
        let reads: Vec<Entry<'_>> =
            self.reads.iter().map(|(what, words)| entry(what, words)).collect();
        // Saves apart, for they change the store.
        for entries in [reads, vec![entry(&self.save[0], &self.save)]] {
            let empty = || ground.fed("/bin/true", &ground.plain, &self.store);
            for timed in contest::run(&empty, &entries, runs)? {
                sheet.timed(&size.to_string(), &timed, String::new());
            }
        }
        Ok(())
    }
}

fn on_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

fn run(mut command: Command) -> Result<(), Failure> {
    let status = command.status()?;
    if !status.success() {
        return Err(format!("{command:?} ended with {status}").into());
    }
    Ok(())
}
