//! Texts outside the memories: files that Segue writes into the user's trees, and the user's own beside
//! them, which are named and left alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use segue_core::run::Checkpoint;
use segue_core::{
    HANDOFF, HandoffFile, KeyKind, MAX_HANDOFF_BYTES, MEMORY, ProjectId, SOUL, SecretIn,
};
use segue_store::{
    Replaced, RunFiles, Scope, Store, StoredText, TextKind, read_workspace_file,
    replace_workspace_file,
};

use super::report::{ScrubLeft, ScrubReport, cannot, note};
use super::text::{Clean, Cleaner};
use crate::Error;
use crate::here::Here;
use crate::workspace::{leaves, workspace_of};

/// What a text outside is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// HANDOFF.md, of which one block is ours.
    HandoffFile,
    /// A checkpoint that a plan names.
    View,
    /// What stops everything that runs by itself.
    Pause,
    /// The user's.
    Theirs,
}

/// A text outside the memories.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OutsideText {
    path: PathBuf,
    what: What,
}

/// What was seen in it.
#[derive(Debug, Default)]
pub(super) struct Seen {
    read: Vec<u8>,
    /// What is ours, without its secrets.
    ours: Option<Clean>,
    /// What was found in the rest.
    theirs: Vec<SecretIn>,
    pub(super) values: Vec<(String, String)>,
}

/// Files beside the memories that may have text of theirs in them.
pub(super) fn texts_outside(
    here: &Here<'_>,
    memories: &[ProjectId],
    texts: &[StoredText],
) -> Result<Vec<OutsideText>, Error> {
    let mut found = BTreeSet::new();
    let mut dirs = BTreeSet::from([here.env.dir.clone()]);
    here.store.ask_files(&Scope::Projects, |view| {
        for memory in memories {
            for key in view.keys(memory)? {
                let path = PathBuf::from(&key.value);
                match key.kind {
                    KeyKind::Path => _ = dirs.insert(path),
                    KeyKind::GitDir if path.ends_with(".git") => {
                        dirs.extend(path.parent().map(Path::to_owned));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    })?;
    for dir in dirs.iter().filter_map(|dir| fs::canonicalize(dir).ok()) {
        let repo = here.claimed_repo_at(&dir);
        let workspace = workspace_of(&dir, repo.as_ref());
        let inside = repo.as_ref().map_or(&workspace, |repo| &repo.top);
        for name in [HANDOFF, SOUL, MEMORY] {
            let path = workspace.join(name);
            if path.is_file() && !leaves(&path, inside) {
                let what = if name == HANDOFF { What::HandoffFile } else { What::Theirs };
                found.insert(OutsideText { path, what });
            }
        }
    }
    for run in texts.iter().filter_map(|text| text.run.clone()).collect::<BTreeSet<_>>() {
        let files = RunFiles::found(run);
        let view =
            files.view().filter(|view| fs::symlink_metadata(view).is_ok_and(|meta| meta.is_file()));
        found.extend(view.map(|view| OutsideText { path: view.to_owned(), what: What::View }));
    }
    let pause = here.store.layout().pause();
    if pause.is_file() {
        found.insert(OutsideText { path: pause, what: What::Pause });
    }
    Ok(found.into_iter().collect())
}

impl OutsideText {
    /// What is secret in it; `None` if nothing is.
    pub(super) fn look(&self, cleaner: Cleaner<'_>) -> Option<Seen> {
        let there = read_workspace_file(&self.path, MAX_HANDOFF_BYTES).ok()??;
        let plain = |bytes: &[u8]| cleaner.file(TextKind::Text, &self.path, bytes).ok().flatten();
        let mut seen = Seen::default();
        let theirs = |bytes: &[u8], seen: &mut Seen| {
            if let Some(clean) = plain(bytes) {
                seen.theirs.extend(clean.parts.into_iter().flat_map(|part| part.found));
                seen.values.extend(clean.values);
            }
        };
        match self.what {
            _ if there.is_cut() => theirs(&there.bytes, &mut seen),
            What::Theirs => theirs(&there.bytes, &mut seen),
            What::Pause => seen.ours = plain(&there.bytes),
            What::View => {
                let text = String::from_utf8_lossy(&there.bytes);
                // One without our mark is agent-handover's.
                match Checkpoint::parse(&text).is_ok_and(|checkpoint| checkpoint.head.is_some()) {
                    true => {
                        let clean = cleaner.file(TextKind::Json, &self.path, &there.bytes);
                        seen.ours = clean.ok().flatten();
                    }
                    false => theirs(&there.bytes, &mut seen),
                }
            }
            What::HandoffFile => match HandoffFile::parse(&there.bytes) {
                Ok(file) => {
                    let mut ours = None;
                    let new = file.with_block(&mut |block| {
                        let clean = plain(block.as_bytes())?;
                        let text = String::from_utf8_lossy(&clean.bytes).into_owned();
                        ours = Some(clean);
                        Some(text)
                    });
                    if let (Some(bytes), Some(clean)) = (new, ours) {
                        seen.ours = Some(Clean { bytes, ..clean });
                    }
                    match file.edited_block() {
                        Some(_) => theirs(&there.bytes, &mut seen),
                        None => theirs(&file.outside(), &mut seen),
                    }
                }
                Err(_) => theirs(&there.bytes, &mut seen),
            },
        }
        if let Some(ours) = &seen.ours {
            seen.values.extend(ours.values.iter().cloned());
        }
        seen.read = there.bytes;
        (seen.ours.is_some() || !seen.theirs.is_empty()).then_some(seen)
    }

    /// Rewrites what is ours in it.
    pub(super) fn scrub(&self, store: &Store, cleaner: Cleaner<'_>, report: &mut ScrubReport) {
        let Some(seen) = self.look(cleaner) else { return };
        let Some(clean) = &seen.ours else { return };
        let done = match self.what {
            What::Pause => {
                let text = String::from_utf8_lossy(&clean.bytes);
                store.write_pause(&self.path, &text).map(|()| Replaced::Done)
            }
            _ => replace_workspace_file(&self.path, &seen.read, &clean.bytes),
        };
        match done {
            Ok(Replaced::Done) => note(&mut report.scrubbed, &self.path, clean),
            Ok(Replaced::Changed) => {
                report.failed.push(cannot(&self.path, "somebody changed it meanwhile"));
            }
            Err(error) => report.failed.push(error.to_string()),
        }
    }
}

impl Seen {
    /// Notes what would be rewritten and what is left.
    pub(super) fn note(self, text: &OutsideText, report: &mut ScrubReport) {
        if let Some(clean) = &self.ours {
            note(&mut report.scrubbed, &text.path, clean);
        }
        if !self.theirs.is_empty() {
            let path = text.path.clone();
            let why = "it is yours, and stays as it is".to_owned();
            report.left.push(ScrubLeft { path, secrets: self.theirs, why });
        }
    }
}
