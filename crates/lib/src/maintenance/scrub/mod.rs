//! Scrub: takes secrets out of what is stored already. The one use case that rewrites handoffs.
//!
//! What is secret in one place is secret in all: every text is looked at twice, the second time with
//! the values that were found in the others. Where a value stands without anything that says what it is
//! it goes first, so that whoever goes on after an interruption still knows it from the other places.

mod outside;
mod report;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use segue_core::{KnownSecrets, ProjectId, Redactor};
use segue_store::{
    LockedMemory, Rewrite, Rewritten, RunFiles, Scope, StoreError, StoredText, TextKind, View,
};

use crate::here::Here;
use crate::{Error, ProjectRef};
use outside::{OutsideText, texts_outside};
pub use report::{ScrubLeft, ScrubReport, Scrubbed};
use report::{cannot, note};
use text::{Clean, Cleaner};

/// What to look at.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ScrubRequest {
    /// The whole store, not only this directory's project.
    pub all_projects: bool,
}

/// What a scrub would do.
#[derive(Debug)]
#[non_exhaustive]
pub struct ScrubPlan {
    /// What was found.
    pub report: ScrubReport,
    /// Whether nothing is saved here, so that the whole store was looked at.
    pub elsewhere: bool,
    /// Whether a scrub was cut off, so that the index has to be made anew whatever is found.
    pub unfinished: bool,
    redactor: Rc<Redactor>,
    known: KnownSecrets,
    texts: Vec<Planned>,
    outside: Vec<OutsideText>,
}

impl ScrubPlan {
    /// Whether there is anything to do.
    pub fn is_empty(&self) -> bool {
        self.report.scrubbed.is_empty() && !self.unfinished
    }
}

/// A file to rewrite.
#[derive(Debug)]
struct Planned {
    text: StoredText,
    /// Whether it has values that only other texts tell to be secret.
    by_others: bool,
}

/// What takes secrets out of what is stored already, as seen from a directory.
#[derive(Debug)]
pub struct Scrubber<'s> {
    here: Here<'s>,
}

impl<'s> Scrubber<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }
}

impl Scrubber<'_> {
    /// Looks for secrets in what is stored. Changes nothing.
    pub fn plan(&self, request: &ScrubRequest) -> Result<ScrubPlan, Error> {
        let redactor = self.here.redactor()?;
        let (memories, elsewhere) = self.memories_to_scrub(request)?;
        let mut report = ScrubReport::default();
        let mut texts = Vec::new();
        for memory in &memories {
            match self.here.store.texts(memory) {
                Ok(found) => {
                    texts.extend(found.texts);
                    report.left.extend(found.untrusted.map(|path| ScrubLeft {
                        path,
                        secrets: Vec::new(),
                        why: "it is not trusted, and was not looked at".to_owned(),
                    }));
                }
                Err(error) => report.failed.push(error.to_string()),
            }
        }
        let outside = texts_outside(&self.here, &memories, &texts)?;
        // The first look tells what is secret, the second where.
        let none = KnownSecrets::default();
        let alone = Cleaner { redactor: &redactor, known: &none };
        let mut values = Vec::new();
        let mut counts = Vec::with_capacity(texts.len());
        for text in &texts {
            let clean = look(alone, text, &mut report.failed);
            counts.push(clean.as_ref().map_or(0, Clean::count));
            values.extend(clean.map(|clean| clean.values).unwrap_or_default());
        }
        for text in &outside {
            values.extend(text.look(alone).map(|seen| seen.values).unwrap_or_default());
        }
        let known = KnownSecrets::new(values);
        let cleaner = Cleaner { redactor: &redactor, known: &known };
        let mut planned = Vec::new();
        for (text, count) in texts.into_iter().zip(counts) {
            // What could not be read was told the first time.
            let Some(clean) = look(cleaner, &text, &mut Vec::new()) else { continue };
            if text.kind == TextKind::Project {
                report.left.push(ScrubLeft {
                    path: text.path,
                    secrets: clean.parts.into_iter().flat_map(|part| part.found).collect(),
                    why: "it says what the project is recognised by".to_owned(),
                });
                continue;
            }
            let by_others = clean.count() > count;
            note(&mut report.scrubbed, &place(&text.path, &clean), &clean);
            planned.push(Planned { text, by_others });
        }
        for text in &outside {
            if let Some(seen) = text.look(cleaner) {
                seen.note(text, &mut report);
            }
        }
        let unfinished = self.here.store.is_scrubbing();
        Ok(ScrubPlan { report, elsewhere, unfinished, redactor, known, texts: planned, outside })
    }

    /// The memories to look at, and whether they are all because nothing is here.
    fn memories_to_scrub(&self, request: &ScrubRequest) -> Result<(Vec<ProjectId>, bool), Error> {
        let ask = |view: &View| -> Result<_, Error> {
            let all: Vec<ProjectId> = view.projects()?.into_iter().map(|row| row.id).collect();
            if request.all_projects {
                return Ok((all, false));
            }
            match self.here.scope(view, &ProjectRef::Here)? {
                Some(Scope::Parts(parts)) => {
                    let mut memories: Vec<ProjectId> = Vec::new();
                    for part in parts {
                        if !memories.contains(&part.memory) && all.contains(&part.memory) {
                            memories.push(part.memory);
                        }
                    }
                    Ok((memories, false))
                }
                // It would name what other projects have.
                _ if self.here.env.here_only && !all.is_empty() => Err(Error::NothingHere),
                _ => Ok((all, true)),
            }
        };
        // From the files, so that looking alone changes nothing.
        self.here.store.ask_files(&Scope::Projects, |view| match ask(view) {
            Err(Error::Store(error)) => Err(error),
            other => Ok(other),
        })?
    }

    /// Does what was planned: takes the secrets out, and makes the index anew.
    pub fn scrub(&self, plan: &ScrubPlan) -> Result<ScrubReport, Error> {
        let mut report = ScrubReport { left: plan.report.left.clone(), ..ScrubReport::default() };
        report.failed.clone_from(&plan.report.failed);
        if plan.is_empty() {
            return Ok(report);
        }
        // Nothing comes in meanwhile, and what was cut off on its way in is in.
        let _incoming = self.here.store.incoming()?;
        self.here.store.begin_scrub()?;
        for by_others in [true, false] {
            let round = || plan.texts.iter().filter(|one| one.by_others == by_others);
            let memories: BTreeSet<&str> = round().map(|one| one.text.memory.as_str()).collect();
            for memory in memories {
                let mine =
                    || round().map(|one| &one.text).filter(|one| one.memory.as_str() == memory);
                self.scrub_runs(plan, mine().filter(|text| text.run.is_some()), &mut report);
                let texts: Vec<_> = mine().filter(|text| text.run.is_none()).collect();
                self.scrub_memory(plan, &texts, &mut report)?;
            }
        }
        for text in &plan.outside {
            text.scrub(self.here.store, plan.cleaner(), &mut report);
        }
        if let Err(error) = self.here.store.end_scrub() {
            report.failed.push(format!(
                "the index may still hold what was taken out: {error}; 'segue scrub' makes it anew"
            ));
        }
        Ok(report)
    }

    fn scrub_memory(
        &self,
        plan: &ScrubPlan,
        texts: &[&StoredText],
        report: &mut ScrubReport,
    ) -> Result<(), Error> {
        let Some(first) = texts.first() else { return Ok(()) };
        let view = self.here.store.writer_view()?;
        let locked: LockedMemory<'_> = match self.here.store.lock(&view, &first.memory) {
            Ok(locked) => locked,
            Err(error) => {
                report.failed.push(error.to_string());
                return Ok(());
            }
        };
        for text in texts {
            plan.rewrite(text, report, |change| locked.rewrite(text, change));
        }
        Ok(())
    }

    /// The files of runs, each under the lock of its run.
    fn scrub_runs<'t>(
        &self,
        plan: &ScrubPlan,
        texts: impl Iterator<Item = &'t StoredText>,
        report: &mut ScrubReport,
    ) {
        let mut runs: BTreeMap<&Path, Vec<&StoredText>> = BTreeMap::new();
        for text in texts {
            runs.entry(text.run.as_deref().unwrap_or(&text.path)).or_default().push(text);
        }
        for (run, texts) in runs {
            match RunFiles::found(run.to_owned()).lock() {
                Ok(locked) => {
                    for text in texts {
                        plan.rewrite(text, report, |change| locked.rewrite(text, change));
                    }
                }
                Err(error) => report.failed.push(error.to_string()),
            }
        }
    }
}

impl ScrubPlan {
    fn cleaner(&self) -> Cleaner<'_> {
        Cleaner { redactor: &self.redactor, known: &self.known }
    }

    /// Rewrites one file by what it is now, which need not be what was planned on.
    fn rewrite(
        &self,
        text: &StoredText,
        report: &mut ScrubReport,
        with: impl FnOnce(&mut Rewrite<'_>) -> Result<Option<PathBuf>, StoreError>,
    ) {
        let mut done: Option<Clean> = None;
        let mut failed = None;
        let rewritten =
            with(&mut |bytes| match self.cleaner().file(text.kind, &text.path, bytes) {
                Ok(Some(mut clean)) => {
                    let bytes = std::mem::take(&mut clean.bytes);
                    let name = clean.name.clone();
                    done = Some(clean);
                    Ok(Some(Rewritten { bytes, name }))
                }
                Ok(None) => Ok(None),
                Err(why) => {
                    failed = Some(why);
                    Ok(None)
                }
            });
        let moved = |error: &StoreError| error.io_kind() == Some(std::io::ErrorKind::NotFound);
        match (rewritten, done) {
            (Ok(Some(path)), Some(clean)) => note(&mut report.scrubbed, &path, &clean),
            (Ok(_), _) => report.failed.extend(failed.map(|why| cannot(&text.path, &why))),
            (Err(error), _) if moved(&error) => report.failed.push(format!(
                "{} was moved meanwhile; 'segue scrub' finds it where it is now",
                text.path.display()
            )),
            (Err(error), _) => report.failed.push(error.to_string()),
        }
    }
}

/// What a file is without its secrets, as it is now.
fn look(cleaner: Cleaner<'_>, text: &StoredText, failed: &mut Vec<String>) -> Option<Clean> {
    let bytes = match fs::read(&text.path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => {
            failed.push(cannot(&text.path, &error.to_string()));
            return None;
        }
    };
    match cleaner.file(text.kind, &text.path, &bytes) {
        Ok(clean) => clean,
        Err(why) => {
            failed.push(cannot(&text.path, &why));
            None
        }
    }
}

/// Where a file will lie.
fn place(path: &Path, clean: &Clean) -> PathBuf {
    clean.name.as_ref().map_or_else(|| path.to_owned(), |name| path.with_file_name(name))
}
