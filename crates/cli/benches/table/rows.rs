//! Which processes are measured, on which stores.

use std::fs;
use std::process::Command;

use crate::Failure;
use crate::contest::{self, Entry, Timed};
use crate::ground::Ground;
use crate::options::Options;
use crate::sheet::Sheet;
use crate::store::{COMMON_NAME, RARE_NAME, RARE_WORD, Store};
use crate::{briefings, bundles, floor, peers, read_all, resident, runs};

/// The release binary.
pub(crate) const SEGUE: &str = env!("CARGO_BIN_EXE_segue");

/// The store beside which briefings are measured.
const BRIEFED: usize = 10_000;

/// Measures everything and prints the table.
pub(crate) fn measure(options: &Options) -> Result<(), Failure> {
    let ground = Ground::lay()?;
    let mut sheet = Sheet::default();
    let bytes = fs::metadata(SEGUE)?.len();
    sheet.figure("", "size of the binary", format!("{:.2} MB", bytes as f64 / 1e6));
    for (at, &size) in options.sizes.iter().enumerate() {
        eprintln!("measuring {size} handoffs");
        let home = ground.disk.join(size.to_string());
        let store = Store::generate(home, size, &ground.plain)?;
        let bench = Bench { ground: &ground, store: &store, runs: options.runs };
        bench.segue(&["index", "--rebuild"])?.status()?;
        if options.only_bundles {
            bundles::measure(&ground, &store, options.runs, &mut sheet)?;
            continue;
        }
        if at == 0 {
            bench.start(&mut sheet)?;
        }
        // Saves first: what they leave behind in the index is there for whoever reads.
        bench.saves(&mut sheet)?;
        bench.reads(&mut sheet)?;
        bench.searches(&mut sheet)?;
        bench.residents(&mut sheet)?;
        bench.whole(&mut sheet)?;
        if options.sizes.len() == 1 || size == BRIEFED {
            briefings::measure(&ground, &store, options.runs, &mut sheet)?;
            runs::measure(&ground, &store, options.runs, &mut sheet)?;
            bundles::measure(&ground, &store, options.runs, &mut sheet)?;
        }
    }
    if !options.only_bundles {
        peers::measure(&ground, options, &mut sheet)?;
    }
    print!("{}", sheet.render());
    Ok(())
}

struct Bench<'a> {
    ground: &'a Ground,
    store: &'a Store,
    runs: usize,
}

impl Bench<'_> {
    /// Segue in the directory of the project that has most handoffs.
    fn segue(&self, words: &[&str]) -> Result<Command, Failure> {
        let mut command = self.ground.fed(SEGUE, &self.ground.plain, &self.store.home)?;
        command.args(words);
        Ok(command)
    }

    fn entry<'b>(&'b self, what: &str, words: &'b [&'b str]) -> Entry<'b> {
        Entry { what: what.to_owned(), command: Box::new(move || self.segue(words)) }
    }

    fn contest(&self, entries: &[Entry<'_>]) -> Result<Vec<Timed>, Failure> {
        let empty = || {
            let (dir, store) = (&self.ground.plain, &self.store.home);
            self.ground.fed("/bin/true", dir, store)
        };
        contest::run(&empty, entries, self.runs)
    }

    fn size(&self) -> String {
        self.store.size.to_string()
    }

    fn start(&self, sheet: &mut Sheet) -> Result<(), Failure> {
        let empty = Entry {
            what: "/bin/true, once more".to_owned(),
            command: Box::new(|| {
                self.ground.fed("/bin/true", &self.ground.plain, &self.store.home)
            }),
        };
        for timed in self.contest(&[empty, self.entry("--version", &["--version"])])? {
            sheet.timed("", &timed, String::new());
        }
        Ok(())
    }

    fn reads(&self, sheet: &mut Sheet) -> Result<(), Failure> {
        let (id, short) = (self.store.id.as_str(), self.store.short());
        let rows: [(&str, &[&str]); 9] = [
            ("list, 20 newest", &["list", "--limit", "20"]),
            ("list, 20 newest of all projects", &["list", "--limit", "20", "--all-projects"]),
            ("list --json --latest", &["list", "--json", "--latest"]),
            ("show by id", &["show", id]),
            ("show by short id", &["show", short]),
            ("show by 7 digits", &["show", &short[..7]]),
            ("show by prefix of the full id", &["show", &id[..15]]),
            ("show by name", &["show", "--name", COMMON_NAME]),
            ("show by name of the oldest", &["show", "--name", RARE_NAME]),
        ];
        let entries: Vec<Entry<'_>> =
            rows.iter().map(|(what, words)| self.entry(what, words)).collect();
        for timed in self.contest(&entries)? {
            sheet.timed(&self.size(), &timed, String::new());
        }
        Ok(())
    }

    fn searches(&self, sheet: &mut Sheet) -> Result<(), Failure> {
        let own = std::env::current_exe()?.display().to_string();
        let read_all = Entry {
            what: "reading all files".to_owned(),
            command: Box::new(|| {
                let mut command = self.ground.fed(&own, &self.ground.plain, &self.store.home)?;
                command.arg(read_all::MODE).arg(&self.store.home).arg(RARE_WORD);
                Ok(command)
            }),
        };
        let timed = self.contest(&[
            self.entry("list --query", &["list", "--query", RARE_WORD]),
            self.entry(
                "list --query --all-projects",
                &["list", "--query", RARE_WORD, "--all-projects"],
            ),
            read_all,
        ])?;
        let slowest = timed.last().map_or(0.0, |timed| timed.own.median);
        for one in &timed {
            let times = format!("{:.1}x faster than reading all", slowest / one.own.median);
            sheet.timed(&self.size(), one, times);
        }
        Ok(())
    }

    /// What looks at every handoff.
    fn whole(&self, sheet: &mut Sheet) -> Result<(), Failure> {
        let listed = [self.entry("list of everything", &["list", "--all-projects"])];
        let rebuilt = [self.entry("index --rebuild", &["index", "--rebuild"])];
        for entries in [listed, rebuilt] {
            for timed in self.contest(&entries)? {
                let rate = self.store.size as f64 / timed.own.median * 1e3;
                sheet.timed(&self.size(), &timed, format!("{rate:.0} handoffs/s"));
            }
        }
        Ok(())
    }

    fn residents(&self, sheet: &mut Sheet) -> Result<(), Failure> {
        let body = self.ground.body.display().to_string();
        let rows: [(&str, &[&str]); 7] = [
            ("list, 20 newest", &["list", "--limit", "20"]),
            ("list of everything into a pipe", &["list", "--all-projects"]),
            ("list --json of everything into a pipe", &["list", "--all-projects", "--json"]),
            ("list --query --all-projects", &["list", "--query", RARE_WORD, "--all-projects"]),
            ("show by id", &["show", &self.store.id]),
            ("save of 2 KB", &["save", "--title", "Bench", "--file", &body]),
            ("index --rebuild", &["index", "--rebuild"]),
        ];
        for (what, words) in rows {
            let most = resident::most(&self.segue(words)?, &self.ground.disk)?;
            let most = most.map_or("needs GNU time".to_owned(), |most| format!("{most:.1} MB"));
            sheet.figure(&self.size(), &format!("memory: {what}"), most);
        }
        Ok(())
    }

    fn saves(&self, sheet: &mut Sheet) -> Result<(), Failure> {
        let own = std::env::current_exe()?.display().to_string();
        let bare = self.ground.disk.join(format!("floor-{}", self.store.size));
        for layer in ["layer1", "layer2"] {
            fs::create_dir_all(bare.join(layer))?;
        }
        let floor = Entry {
            what: "floor of a save: its writes and syncs".to_owned(),
            command: Box::new(|| {
                let mut command = self.ground.fed(&own, &self.ground.plain, &self.store.home)?;
                command.arg(floor::MODE).arg(&bare);
                Ok(command)
            }),
        };
        let save = ["save", "--title", "Bench", "--name", "bench-state"];
        let in_repo = Entry {
            what: "save of 2 KB in a repository".to_owned(),
            command: Box::new(|| {
                let (dir, store) = (&self.ground.repo, &self.store.home);
                let mut command = self.ground.fed(SEGUE, dir, store)?;
                command.args(save);
                Ok(command)
            }),
        };
        let timed = self.contest(&[floor, self.entry("save of 2 KB", &save), in_repo])?;
        let floor = timed[0].own;
        for one in &timed {
            let above = format!(
                "above the floor: min {:+.2}, median {:+.2}",
                one.own.min - floor.min,
                one.own.median - floor.median
            );
            sheet.timed(&self.size(), one, above);
        }
        self.list_after_save(&save, sheet)
    }

    /// The first reader after a save looks at the month again.
    fn list_after_save(&self, save: &[&str], sheet: &mut Sheet) -> Result<(), Failure> {
        let entry = Entry {
            what: "list, 20 newest, right after a save".to_owned(),
            command: Box::new(|| {
                self.segue(save)?.status()?;
                self.segue(&["list", "--limit", "20"])
            }),
        };
        for timed in self.contest(&[entry])? {
            sheet.timed(&self.size(), &timed, String::new());
        }
        Ok(())
    }
}
