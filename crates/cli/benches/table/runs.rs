//! Runs: a note and a state without publishing, beside a process that does the same writes and syncs;
//! `check`; and plans of many steps.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::Failure;
use crate::contest::{self, Entry};
use crate::floor;
use crate::ground::{Ground, put};
use crate::rows::SEGUE;
use crate::sheet::Sheet;
use crate::store::Store;

/// agent-handover's plan without publishing: a note, a state, and nothing sent.
const PLAN: &str = "[backend]\ntype = \"null\"\n";
const STEPS: [usize; 2] = [1_000, 10_000];

pub(crate) fn measure(
    ground: &Ground,
    store: &Store,
    runs: usize,
    sheet: &mut Sheet,
) -> Result<(), Failure> {
    let size = store.size.to_string();
    // Outside of any repository, which the target directory may lie in.
    let ground_dir = ground.plain.join("runs");
    let home = &store.home;
    let plain = ground_dir.join(format!("run-{size}"));
    let repo = ground_dir.join(format!("run-repo-{size}"));
    let bare = ground_dir.join(format!("run-floor-{size}"));
    let fresh = ground_dir.join(format!("run-none-{size}"));
    for dir in ["queue", "run", "layer1", "layer2"] {
        fs::create_dir_all(bare.join(dir))?;
    }
    for dir in [&plain, &repo, &fresh] {
        fs::create_dir_all(dir)?;
        put(&dir.join("plan.toml"), PLAN)?;
    }
    let git = ground.command("git", &repo, home).args(["init", "-q", "-b", "main"]).status()?;
    if !git.success() {
        return Err("git init failed".into());
    }
    let own = std::env::current_exe()?.display().to_string();
    let note = "The lexer is split out; the parser's error recovery is next.";
    let of = |what: &str, program: &str, dir: &Path, words: &[&str]| {
        let (program, dir) = (program.to_owned(), dir.to_owned());
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Entry {
            what: what.to_owned(),
            command: Box::new(move || {
                let mut command = ground.command(&program, &dir, home);
                command.args(&words);
                Ok(command)
            }),
        }
    };
    let bare = bare.display().to_string();
    let run = ["run", "--config", "plan.toml", "--note", note];
    let entries = [
        of("floor of a run: its writes and syncs", &own, &plain, &[floor::RUN, &bare]),
        of("run: note + state, nothing published", SEGUE, &plain, &run),
        of("run: note + state, in a repository", SEGUE, &repo, &run),
        of("check, never a run", SEGUE, &fresh, &["check"]),
        of("check, a run completed", SEGUE, &plain, &["check"]),
        of("status", SEGUE, &plain, &["status"]),
    ];
    let empty = || Ok(ground.command("/bin/true", &plain, home));
    let timed = contest::run(&empty, &entries, runs)?;
    let floor = timed[0].own.median;
    for one in &timed {
        let result = if one.what.starts_with("run") {
            format!("{:+.2} above the floor", one.own.median - floor)
        } else {
            String::new()
        };
        sheet.timed(&size, one, result);
    }
    for steps in STEPS {
        let dir = ground_dir.join(format!("run-steps-{steps}"));
        fs::create_dir_all(&dir)?;
        let mut plan = String::new();
        for n in 0..steps {
            writeln!(plan, "[[step]]\nkind = \"command\"\nname = \"s{n}\"\ncommand = [\"true\"]")?;
        }
        put(&dir.join("plan.toml"), &plan)?;
        let begun = Instant::now();
        let done =
            ground.command(SEGUE, &dir, home).args(["run", "--config", "plan.toml"]).status()?;
        let time = begun.elapsed().as_secs_f64() * 1e3;
        if !done.success() {
            return Err(format!("a plan of {steps} steps ended with {done}").into());
        }
        let what = format!("a plan of {steps} commands");
        sheet.figure(&size, &what, format!("{time:.0} ms, {:.2} ms a step", time / steps as f64));
    }
    Ok(())
}
