//! The index made anew: its metadata, its text, what that takes, and what a kill in the middle costs.

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

use crate::Failure;
use crate::contest::{self, Lap, Pace, Timed, once};
use crate::resident;
use crate::scale::Site;
use crate::scale_growth::Growth;

/// One rebuild of a large store takes minutes.
const PACE: Pace = Pace { warm_up: 0, fewest: 3, most: 10 };
const METADATA: [&str; 4] = ["list", "--limit", "1", "--all-projects"];

impl Site<'_> {
    /// Leaves a whole index behind.
    pub(crate) fn rebuilds(&mut self, word: &str) -> Result<(), Failure> {
        let text = ["search", "--all-projects", word];
        let most = [Cell::new(0.0), Cell::new(0.0)];
        let bytes = Cell::new(0);
        // In turn: the text is read into the index that the metadata has just begun.
        let laps = [
            Lap {
                what: "rebuild, metadata".to_owned(),
                time: Box::new(|| {
                    self.store.without_index()?;
                    let time = self.watched(&METADATA, &most[0])?;
                    bytes.set(self.store.index_bytes()?);
                    Ok(time)
                }),
            },
            Lap {
                what: "rebuild, text".to_owned(),
                time: Box::new(|| self.watched(&text, &most[1])),
            },
        ];
        let pace = Pace { most: PACE.most.min(self.runs), ..PACE };
        let timed = contest::race(&|| self.empty(), &laps, pace)?;
        drop(laps);
        let (metadata, whole) = (bytes.get(), self.store.index_bytes()?);
        for one in &timed {
            let rate = self.store.files.len() as f64 / one.own.median * 1e3;
            self.sheet.timed(&self.size(), one, format!("{rate:.0} handoffs/s"));
            self.chart.timed(one, Growth::Store);
        }
        for (one, most) in timed.iter().zip(&most) {
            let what = format!("memory: {}", one.what);
            match most.get() {
                0.0 => self.sheet.figure(&self.size(), &what, "needs GNU time".to_owned()),
                most => {
                    self.sheet.figure(&self.size(), &what, format!("{most:.1} MB"));
                    self.chart.figure(&what, "MB", Growth::Largest, most);
                }
            }
        }
        for (what, bytes) in [("index, metadata alone", metadata), ("index, with text", whole)] {
            let ratio = bytes as f64 / self.store.bytes as f64;
            let (index, files) = (bytes as f64 / 1e6, self.store.bytes as f64 / 1e6);
            let result = format!("{index:.1} MB for {files:.1} MB of files, {ratio:.2}");
            self.sheet.figure(&self.size(), &format!("size: {what}"), result);
            self.chart.figure(&format!("size: {what}, to the files"), "", Growth::Constant, ratio);
        }
        self.killed(&timed, &text)
    }

    /// Time of a process, which tells how much memory it had where GNU time is there.
    fn watched(&self, words: &[&str], most: &Cell<f64>) -> Result<Duration, Failure> {
        let begun = Instant::now();
        if let Some(had) = resident::most(&self.segue(words)?, &self.ground.disk)? {
            let time = begun.elapsed();
            most.set(had.max(most.get()));
            return Ok(time);
        }
        once(self.segue(words)?)
    }

    /// Killed when half of its time is over, and begun again.
    fn killed(&mut self, timed: &[Timed], text: &[&str]) -> Result<(), Failure> {
        let right = self.indexed()?;
        for (at, words) in [&METADATA[..], text].into_iter().enumerate() {
            self.store.without_index()?;
            if at == 1 {
                once(self.segue(&METADATA)?)?;
            }
            let whole = timed[at].own.median / 1e3;
            let begun = Instant::now();
            let mut child = self.segue(words)?.spawn()?;
            thread::sleep(Duration::from_secs_f64(whole / 2.0));
            let ended = child.try_wait()?.is_some();
            child.kill()?;
            child.wait()?;
            let first = begun.elapsed();
            let second = once(self.segue(words)?)?;
            if at == 0 {
                // What is not finished here is the text, which is not asked for.
                once(self.segue(text)?)?;
            }
            let now = self.indexed()?;
            let in_all = (first + second).as_secs_f64();
            let same = if now == right {
                format!("{} handoffs as before", now.0)
            } else {
                format!("**{} handoffs, {} without text; before {right:?}**", now.0, now.1)
            };
            let early = if ended { ", had ended before the kill" } else { "" };
            let what = format!("{}, killed half way and gone on", timed[at].what);
            let result = format!("{in_all:.2} s, undisturbed {whole:.2} s, {same}{early}");
            self.sheet.figure(&self.size(), &what, result);
            self.chart.figure(&what, "ms", Growth::Store, in_all * 1e3);
        }
        Ok(())
    }

    /// Handoffs in the index, and how many of them have no text there.
    fn indexed(&self) -> Result<(u64, u64), Failure> {
        let told = self.told(&["index", "--json"])?;
        let told: serde_json::Value = serde_json::from_str(&told)?;
        let of = |key: &str| told[key].as_u64().ok_or_else(|| format!("index --json has no {key}"));
        Ok((of("handoffs")?, of("unindexed")?))
    }
}
