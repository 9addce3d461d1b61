//! Stores from a thousand to a million handoffs: what each command costs there, and how that grows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Failure;
use crate::contest::{self, Entry, Lap, Pace, Timed};
use crate::ground::Ground;
use crate::options::Options;
use crate::rows::SEGUE;
use crate::scale_growth::{Chart, Growth};
use crate::scale_picture as picture;
use crate::scale_store::{Grown, PutBack, SAVED};
use crate::scale_words::{Census, Chosen, MOST};
use crate::sheet::Sheet;

/// Shares of the passages that have a word.
const RARE: std::ops::Range<f64> = 0.000_2..0.01;
const COMMON: std::ops::Range<f64> = 0.03..1.0;
const IN_PROJECT: std::ops::Range<f64> = 0.002..0.2;

/// How many words a query has.
const LENGTHS: [usize; 3] = [1, 3, MOST];

/// Measures every size and prints both tables.
pub(crate) fn measure(options: &Options) -> Result<(), Failure> {
    let ground = Ground::lay()?;
    let keep = options
        .keep
        .clone()
        .unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("scale"));
    fs::create_dir_all(&keep)?;
    let keep = fs::canonicalize(keep)?;
    let (mut sheet, mut chart) = (Sheet::default(), Chart::default());
    let mut sizes = options.sizes.clone();
    sizes.sort_unstable();
    for size in sizes {
        let store = Grown::at(keep.join(format!("h{size}")), size)?;
        eprintln!("measuring {size} handoffs in {}", store.home.display());
        chart.begin(&store);
        let here = lay_here(&ground, &store)?;
        let mut site = Site {
            ground: &ground,
            store: &store,
            here,
            runs: options.runs,
            sheet: &mut sheet,
            chart: &mut chart,
        };
        site.measure()?;
    }
    print!("{}\n{}", sheet.render(), chart.render());
    Ok(())
}

/// A repository that belongs to the project.
fn lay_here(ground: &Ground, store: &Grown) -> Result<PathBuf, Failure> {
    let here = ground.plain.join(format!("here-{}", store.files.len()));
    fs::create_dir_all(&here)?;
    let origin = format!("https://{}", store.project.origin);
    let steps: [&[&str]; 2] =
        [&["init", "-q", "-b", "main"], &["remote", "add", "origin", &origin]];
    for words in steps {
        if !ground.command("git", &here, &store.home).args(words).status()?.success() {
            return Err(format!("git {} failed", words.join(" ")).into());
        }
    }
    Ok(here)
}

/// One store while it is measured.
pub(crate) struct Site<'a> {
    pub(crate) ground: &'a Ground,
    pub(crate) store: &'a Grown,
    /// A repository of the project.
    here: PathBuf,
    pub(crate) runs: usize,
    pub(crate) sheet: &'a mut Sheet,
    pub(crate) chart: &'a mut Chart,
}

impl Site<'_> {
    fn measure(&mut self) -> Result<(), Failure> {
        let census = Census::of(&self.store.files)?;
        let (rare, common) = (census.choose(&RARE)?, census.choose(&COMMON)?);
        let project = Census::of(&self.store.project.files)?.choose(&IN_PROJECT)?;
        self.rebuilds(&rare.words[0])?;
        let put_back = PutBack::of(&self.store.project)?;
        self.saves()?;
        self.reads()?;
        self.pictures()?;
        self.searches(&project, &rare, &common)?;
        self.searches_after_save(&project, &rare)?;
        drop(put_back);
        Ok(())
    }

    /// Segue in the repository of the project.
    pub(crate) fn segue(&self, words: &[&str]) -> Result<Command, Failure> {
        let mut command = self.ground.fed(SEGUE, &self.here, &self.store.home)?;
        // What it tells while it indexes, and that nothing was found, is of no interest here.
        command.args(words).stderr(Stdio::null());
        Ok(command)
    }

    /// What Segue prints.
    pub(crate) fn told(&self, words: &[&str]) -> Result<String, Failure> {
        let output = self.segue(words)?.stdout(Stdio::piped()).output()?;
        if !output.status.success() {
            return Err(format!("segue {} ended with {}", words.join(" "), output.status).into());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    pub(crate) fn empty(&self) -> Result<Command, Failure> {
        self.ground.fed("/bin/true", &self.here, &self.store.home)
    }

    pub(crate) fn size(&self) -> String {
        self.store.files.len().to_string()
    }

    fn entry<'b>(&'b self, what: &str, words: &'b [&'b str]) -> Entry<'b> {
        Entry { what: what.to_owned(), command: Box::new(move || self.segue(words)) }
    }

    fn contest(&self, entries: &[Entry<'_>]) -> Result<Vec<Timed>, Failure> {
        contest::run(&|| self.empty(), entries, self.runs)
    }

    fn note(&mut self, timed: &Timed, claim: Growth, result: String) {
        self.sheet.timed(&self.size(), timed, result);
        self.chart.timed(timed, claim);
    }

    fn save(&self) -> Result<Command, Failure> {
        self.segue(&["save", "--title", SAVED])
    }

    fn saved(&self) -> Result<(), Failure> {
        contest::once(self.save()?).map(|_| ())
    }

    fn saves(&mut self) -> Result<(), Failure> {
        let save = Entry {
            what: "save of 2 KB in a repository".to_owned(),
            command: Box::new(|| self.save()),
        };
        let list = Entry {
            what: "list, 20 newest, right after a save".to_owned(),
            command: Box::new(|| {
                self.saved()?;
                self.segue(&["list", "--limit", "20"])
            }),
        };
        let mut timed = self.contest(&[save])?;
        timed.extend(self.contest(&[list])?);
        for one in &timed {
            self.note(one, Growth::Constant, String::new());
        }
        Ok(())
    }

    fn reads(&mut self) -> Result<(), Failure> {
        let id = self.store.id.clone();
        let rows: [(&str, &[&str], Growth); 5] = [
            ("list, 20 newest", &["list", "--limit", "20"], Growth::Constant),
            (
                "list, 20 newest of all projects",
                &["list", "--limit", "20", "--all-projects"],
                Growth::Months,
            ),
            ("show by id", &["show", &id], Growth::Constant),
            ("status", &["status"], Growth::Constant),
            ("index: is it up to date", &["index"], Growth::Store),
        ];
        let entries: Vec<Entry<'_>> =
            rows.iter().map(|(what, words, _)| self.entry(what, words)).collect();
        let timed = self.contest(&entries)?;
        drop(entries);
        for (one, (_, _, claim)) in timed.iter().zip(rows) {
            self.note(one, claim, String::new());
        }
        Ok(())
    }

    fn pictures(&mut self) -> Result<(), Failure> {
        let rows: [(&str, &[&str], Growth); 2] = [
            ("select, first picture", &[], Growth::Constant),
            ("select --all-projects, first picture", &["--all-projects"], Growth::Months),
        ];
        let laps: Vec<Lap<'_>> = rows
            .iter()
            .map(|(what, words, _)| Lap {
                what: (*what).to_owned(),
                time: Box::new(|| picture::time(self.ground, &self.here, &self.store.home, words)),
            })
            .collect();
        let pace = Pace { warm_up: 1, fewest: 5, most: self.runs };
        let timed = contest::race(&|| self.empty(), &laps, pace)?;
        drop(laps);
        for (one, (_, _, claim)) in timed.iter().zip(rows) {
            self.note(one, claim, String::new());
        }
        Ok(())
    }

    fn searches(
        &mut self,
        project: &Chosen,
        rare: &Chosen,
        common: &Chosen,
    ) -> Result<(), Failure> {
        let kinds = [
            ("search", project, Growth::Project),
            ("search --all-projects, rare", rare, Growth::Store),
            ("search --all-projects, common", common, Growth::Store),
        ];
        for (kind, chosen, claim) in kinds {
            let mut asked = Vec::new();
            for length in LENGTHS {
                let words = query(&chosen.words[..length], claim == Growth::Store);
                let plural = if length == 1 { "word" } else { "words" };
                asked.push((format!("{kind}, {length} {plural}"), words));
            }
            let words: Vec<Vec<&str>> =
                asked.iter().map(|(_, words)| words.iter().map(String::as_str).collect()).collect();
            let entries: Vec<Entry<'_>> = asked
                .iter()
                .zip(&words)
                .map(|((what, _), words)| self.entry(what, words))
                .collect();
            let timed = self.contest(&entries)?;
            drop(entries);
            for (one, words) in timed.iter().zip(&words) {
                let hits = self.told(words)?.lines().count().saturating_sub(1);
                self.note(one, claim, format!("{hits} shown"));
            }
            let result = format!(
                "{} (in {:.2} to {:.2} % of the passages)",
                chosen.words.join(" "),
                chosen.least,
                chosen.most
            );
            self.sheet.figure(&self.size(), &format!("words of {kind}"), result);
        }
        Ok(())
    }

    /// The first search after a save indexes the text of what was saved.
    fn searches_after_save(&mut self, project: &Chosen, rare: &Chosen) -> Result<(), Failure> {
        let rows = [
            ("search, 3 words, right after a save", project, Growth::Project),
            ("search --all-projects, rare, 3 words, right after a save", rare, Growth::Store),
        ];
        for (what, chosen, claim) in rows {
            let words = query(&chosen.words[..3], claim == Growth::Store);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let entry = Entry {
                what: what.to_owned(),
                command: Box::new(|| {
                    self.saved()?;
                    self.segue(&words)
                }),
            };
            let timed = self.contest(&[entry])?;
            for one in &timed {
                self.note(one, claim, String::new());
            }
        }
        Ok(())
    }
}

fn query(words: &[String], everywhere: bool) -> Vec<String> {
    let flags: &[&str] = if everywhere { &["search", "--all-projects"] } else { &["search"] };
    flags.iter().map(|flag| (*flag).to_owned()).chain(words.iter().cloned()).collect()
}
