//! Bundles: one signed handoff out and in, beside the program's own start and beside the bare writes
//! of an import; the same encrypted; and a whole store in one bundle.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::Failure;
use crate::contest::{self, Entry};
use crate::ground::Ground;
use crate::rows::SEGUE;
use crate::sheet::Sheet;
use crate::store::Store;
use crate::{floor, resident};

pub(crate) fn measure(
    ground: &Ground,
    store: &Store,
    runs: usize,
    sheet: &mut Sheet,
) -> Result<(), Failure> {
    let size = store.size.to_string();
    let dir = ground.plain.join(format!("bundles-{size}"));
    // Homes lie where the stores lie; commands run outside of any repository.
    let disk = ground.disk.join("bundles");
    let (sender, bare) = (disk.join("sender"), disk.join("floor"));
    fs::create_dir_all(&dir)?;
    for part in ["proofs", "layer1", "layer2"] {
        fs::create_dir_all(bare.join(part))?;
    }
    let at = |name: &str| dir.join(name).display().to_string();
    let run = |home: &Path, words: &[&str]| done(ground.command(SEGUE, &dir, home).args(words));
    run(&sender, &["keys", "new", "bench"])?;
    run(&sender, &["keys", "export", "--output", &at("bench.pub")])?;
    run(&store.home, &["keys", "trust", &at("bench.pub")])?;
    done(ground.fed(SEGUE, &dir, &sender)?.args(["save", "--title", "First"]))?;
    let export = |file: &str| {
        vec!["export", "--sign-key", "bench", "--force", "--output", file]
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    run(&sender, &["export", "--sign-key", "bench", "--output", &at("here.segue")])?;
    run(&store.home, &["import", &at("here.segue")])?;

    let own = std::env::current_exe()?.display().to_string();
    let count = Cell::new(0);
    let of = |what: &str, home: &Path, words: Vec<String>| {
        let home = home.to_owned();
        Entry {
            what: what.to_owned(),
            command: Box::new(move || {
                let mut command = ground.command(SEGUE, &ground.plain, &home);
                command.args(&words).env("PASS", "correct horse battery staple");
                Ok(command)
            }),
        }
    };
    let words = |text: &[&str]| text.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let plain_json = at("plain.json");
    let sealed_json = at("sealed.json");
    let new_one = Entry {
        what: "import of one, signed".to_owned(),
        command: Box::new(|| {
            // Made outside the time: a handoff that is new over there.
            count.set(count.get() + 1);
            done(ground.fed(SEGUE, &dir, &sender)?.args([
                "save",
                "--title",
                &format!("N{}", count.get()),
            ]))?;
            done(ground.command(SEGUE, &dir, &sender).args(export(&at("new.segue"))))?;
            let mut command = ground.command(SEGUE, &ground.plain, &store.home);
            command.args(["import", &at("new.segue")]);
            Ok(command)
        }),
    };
    let entries = [
        of("start-up (--version)", &store.home, words(&["--version"])),
        Entry {
            what: "floor of an import: its writes and syncs".to_owned(),
            command: Box::new(|| {
                let mut command = ground.command(&own, &dir, &store.home);
                command.args([floor::IMPORT, &bare.display().to_string()]);
                Ok(command)
            }),
        },
        of("export of one, signed", &store.home, {
            run(&store.home, &["keys", "new", "bench2"])?;
            words(&[
                "export",
                "--id",
                &store.id,
                "--sign-key",
                "bench2",
                "--force",
                "--output",
                &at("out.segue"),
            ])
        }),
        new_one,
        of("import of one that is here", &store.home, words(&["import", &at("here.segue")])),
        of("verify of one", &store.home, words(&["verify", &at("here.segue")])),
        of(
            "export of one, json",
            &store.home,
            words(&["export", "--id", &store.id, "--force", "--output", &plain_json]),
        ),
        of(
            "export of one, json, encrypted",
            &store.home,
            words(&[
                "export",
                "--id",
                &store.id,
                "--passphrase-env",
                "PASS",
                "--force",
                "--output",
                &sealed_json,
            ]),
        ),
    ];
    let empty = || Ok(ground.command("/bin/true", &dir, &store.home));
    let timed = contest::run(&empty, &entries, runs)?;
    let start = timed[0].own.median;
    for one in &timed {
        let result = match one.what.as_str() {
            "import of one, signed" => format!(
                "{:+.2} above start-up, {:+.2} above the floor",
                one.own.median - start,
                one.own.median - timed[1].own.median
            ),
            what if what.starts_with("start-up") || what.starts_with("floor") => String::new(),
            _ => format!("{:+.2} above start-up", one.own.median - start),
        };
        sheet.timed(&size, one, result);
    }
    many(ground, store, &dir, sheet)
}

/// The whole store in one bundle, and into an empty one.
fn many(ground: &Ground, store: &Store, dir: &Path, sheet: &mut Sheet) -> Result<(), Failure> {
    let size = store.size.to_string();
    let bundle = dir.join("all.segue").display().to_string();
    let receiver = ground.disk.join("bundles").join("receiver");
    let public = dir.join("bench2.pub").display().to_string();
    let home = &store.home;
    done(ground.command(SEGUE, dir, home).args(["keys", "export", "bench2", "--output", &public]))?;
    done(ground.command(SEGUE, dir, &receiver).args(["keys", "trust", &public]))?;
    let export = [
        "export",
        "--all-projects",
        "--expired",
        "--sign-key",
        "bench2",
        "--force",
        "--output",
        &bundle,
    ];
    let import = ["import", &bundle];
    for (what, words, home) in [
        ("export of all in one bundle", &export[..], home),
        ("import of all in one bundle", &import, &receiver),
    ] {
        let mut command = ground.command(SEGUE, dir, home);
        command.args(words);
        let begun = Instant::now();
        let most = resident::most(&command, &ground.disk)?;
        let time = begun.elapsed().as_secs_f64();
        let memory =
            most.map_or_else(|| "memory not measured".to_owned(), |most| format!("{most:.1} MB"));
        let rate = store.size as f64 / time;
        sheet.figure(&size, what, format!("{time:.2} s, {rate:.0} a second, {memory}"));
    }
    Ok(())
}

fn done(command: &mut Command) -> Result<(), Failure> {
    let status = command.stderr(std::process::Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}").into()) }
}
