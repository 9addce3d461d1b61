//! The workspace: SOUL.md, MEMORY.md and HANDOFF.md of a directory. They are the user's files.

use std::fs;
use std::path::{Path, PathBuf};

use segue_agents::instruction_files;
use segue_core::{
    FileText, HANDOFF, Handoff, HandoffFile, ItemSource, ItemSources, MAX_HANDOFF_BYTES, MEMORY,
    SOUL, WorkspaceTexts, current_state, handoff_template, memory_template, soul_template,
};
use segue_share::git::Repo;
use segue_store::{Replaced, create_workspace_file, read_workspace_file, replace_workspace_file};

use crate::Error;
use crate::handoffs::{EDITED, Handoffs, SaveRequest};
use crate::here::Here;
use crate::redacted::redacted_copy;

/// What of a file a briefing reads at most. More would not fit into any budget.
const READ_LIMIT: u64 = 1024 * 1024;

/// How to lay out a workspace.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InitRequest {
    /// The agent's name, for SOUL.md.
    pub name: String,
    /// Replace what is there; the old files are kept.
    pub force: bool,
}

impl InitRequest {
    /// A workspace for an agent of this name; files that are there stay.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), force: false }
    }
}

/// What came of it, file by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InitOutcome {
    /// Files that were written.
    pub created: Vec<PathBuf>,
    /// Files that were there and stayed.
    pub skipped: Vec<PathBuf>,
    /// Files that were replaced, and where the old ones are kept.
    pub kept: Vec<(PathBuf, PathBuf)>,
    /// What the user should know of it.
    pub warnings: Vec<String>,
}

/// A HANDOFF.md that was made anew.
pub(crate) struct Refreshed {
    pub(crate) path: PathBuf,
    /// Its whole text.
    pub(crate) text: String,
}

/// The workspace of a directory: where its SOUL.md, MEMORY.md and HANDOFF.md are.
#[derive(Debug)]
pub struct Workspace<'s> {
    here: Here<'s>,
    /// The directory of these files.
    pub(crate) root: PathBuf,
}

impl<'s> Workspace<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        let dir = here.directory().unwrap_or(here.dir());
        Self { root: workspace_of(dir, here.claimed_repo()), here: here.clone() }
    }

    /// Lays out a workspace in the directory itself: the files that are not there yet.
    pub fn init(&self, request: &InitRequest) -> Result<InitOutcome, Error> {
        let name = request.name.trim();
        if name.is_empty() || name.chars().any(char::is_control) || name.chars().count() > 200 {
            return Err(Error::Usage(
                "a name needs a character, no line breaks and at most 200 characters".to_owned(),
            ));
        }
        let dir = self.here.directory()?;
        let now = self.here.now();
        let files = [
            (SOUL, soul_template(name, &dir.display().to_string(), now)),
            (MEMORY, memory_template(now)),
            (HANDOFF, handoff_template(now)),
        ];
        // Looked at before anything is written: all of it or nothing.
        for (file, _) in &files {
            let path = dir.join(file);
            let there = fs::symlink_metadata(&path).is_ok();
            if there && request.force && !fs::metadata(&path).is_ok_and(|meta| meta.is_file()) {
                return Err(Error::NotAFile(path));
            }
            if there && request.force && leaves(&path, dir) {
                return Err(Error::LinksOut(path));
            }
        }
        let mut outcome = InitOutcome::default();
        for (file, text) in files {
            let path = dir.join(file);
            if create_workspace_file(&path, text.as_bytes())? {
                outcome.created.push(path);
            } else if !request.force {
                outcome.skipped.push(path);
            } else {
                let warnings = &mut outcome.warnings;
                let kept = self.replace_keeping(&path, file, text.as_bytes(), warnings)?;
                outcome.created.push(path.clone());
                outcome.kept.push((path, kept));
            }
        }
        Ok(outcome)
    }

    /// Replaces a file of the workspace; the old one goes to the memory's `kept/` first.
    fn replace_keeping(
        &self,
        path: &Path,
        name: &str,
        text: &[u8],
        warnings: &mut Vec<String>,
    ) -> Result<PathBuf, Error> {
        let there =
            read_workspace_file(path, u64::MAX)?.ok_or_else(|| Error::NotAFile(path.to_owned()))?;
        let kept = self.keep_copy(name, &there.bytes, warnings)?;
        match replace_workspace_file(path, &there.bytes, text)? {
            Replaced::Done => Ok(kept),
            Replaced::Changed => Err(Error::ChangedMeanwhile(path.to_owned())),
        }
    }

    /// Puts a copy of a file into the memory's `kept/`, without the file's secrets.
    fn keep_copy(
        &self,
        name: &str,
        bytes: &[u8],
        warnings: &mut Vec<String>,
    ) -> Result<PathBuf, Error> {
        let (copy, taken_out) = redacted_copy(&*self.here.redactor()?, bytes);
        let (view, project) = self.here.create_or_update_own_project()?;
        let kept = self.here.store.lock(&view, &project)?.keep(name, &copy, self.here.now())?;
        let told = |what| format!("the copy of {name}: taken out before it was saved: {what}");
        warnings.extend(taken_out.map(told));
        Ok(kept)
    }

    /// Whether there is a HANDOFF.md to refresh.
    pub(crate) fn is_refreshable(&self, warnings: &mut Vec<String>) -> Result<bool, Error> {
        let path = self.root.join(HANDOFF);
        // That it cannot be told is no word on whether something stands in it.
        if read_workspace_file(&path, 0)?.is_none() {
            return Ok(false);
        }
        if leaves(&path, self.inside()) {
            warnings.push(Error::LinksOut(path).to_string());
            return Ok(false);
        }
        Ok(true)
    }

    /// What no link may lead out of.
    pub(crate) fn inside(&self) -> &Path {
        self.here.claimed_repo().map_or(&self.root, |repo| &repo.top)
    }

    /// Makes the block of HANDOFF.md anew, where there is such a file. `block` is what it shall say;
    /// none is what layer 2 says of this handoff.
    ///
    /// A block that somebody edited is saved as a handoff first, unless it is the one that was saved
    /// already; a file that never had a block is kept aside once, as it was.
    pub(crate) fn refresh_handoff_file(
        &self,
        handoff: &Handoff,
        block: Option<&str>,
        saved: Option<&str>,
        warnings: &mut Vec<String>,
    ) -> Option<Refreshed> {
        let path = self.root.join(HANDOFF);
        let own;
        let block = match block {
            Some(block) => block,
            None => {
                own = format!("{}\n{}", current_state(handoff), see_also(&self.root));
                &own
            }
        };
        let mut known = saved.map(str::to_owned);
        let mut why = "it keeps changing".to_owned();
        // An editor may be saving it just now: then it is read again.
        for _ in 0..3 {
            match self.try_refresh(&path, handoff, block, known.as_deref(), warnings) {
                Ok(Tried::Done(text)) => return Some(Refreshed { path, text }),
                Ok(Tried::Changed) => {}
                Ok(Tried::Edited(body)) => match self.save_block(&body, warnings) {
                    Ok(()) => known = Some(body),
                    Err(error) => {
                        why = error.to_string();
                        break;
                    }
                },
                Ok(Tried::Absent) => return None,
                Err(error) => {
                    why = error.to_string();
                    break;
                }
            }
        }
        warnings.push(format!("{} was not refreshed: {why}", path.display()));
        None
    }

    fn try_refresh(
        &self,
        path: &Path,
        handoff: &Handoff,
        block: &str,
        known: Option<&str>,
        warnings: &mut Vec<String>,
    ) -> Result<Tried, Error> {
        let Some(there) = read_workspace_file(path, MAX_HANDOFF_BYTES)? else {
            return Ok(Tried::Absent);
        };
        if there.is_cut() {
            return Err(Error::Usage("it is too large".to_owned()));
        }
        let file =
            HandoffFile::parse(&there.bytes).map_err(|error| Error::Usage(error.to_string()))?;
        if let Some(body) = file.edited_block().filter(|body| known != Some(body)) {
            return Ok(Tried::Edited(body));
        }
        if !file.has_block() && !there.bytes.is_empty() {
            self.keep_copy(HANDOFF, &there.bytes, warnings)?;
        }
        let text = file.refreshed(block, Some(&handoff.head.id));
        Ok(match replace_workspace_file(path, &there.bytes, &text)? {
            Replaced::Done => Tried::Done(String::from_utf8_lossy(&text).into_owned()),
            Replaced::Changed => Tried::Changed,
        })
    }

    /// Saves a block of HANDOFF.md that somebody edited, before it is made anew; gives its text.
    pub(crate) fn save_edited_block(
        &self,
        warnings: &mut Vec<String>,
    ) -> Result<Option<String>, Error> {
        let path = self.root.join(HANDOFF);
        let Ok(Some(there)) = read_workspace_file(&path, MAX_HANDOFF_BYTES) else {
            return Ok(None);
        };
        let Ok(file) = HandoffFile::parse(&there.bytes) else { return Ok(None) };
        let Some(body) = file.edited_block().filter(|_| !there.is_cut()) else { return Ok(None) };
        self.save_block(&body, warnings)?;
        Ok(Some(body))
    }

    fn save_block(&self, body: &str, warnings: &mut Vec<String>) -> Result<(), Error> {
        let handoffs = Handoffs::of(&self.here);
        // One that was interrupted between saving and making anew finds the same edit again.
        if handoffs.newest_body()?.as_deref() == Some(body) {
            return Ok(());
        }
        let title = Some(format!("{HANDOFF} as it was edited"));
        let tags = vec![EDITED.parse()?];
        let body = body.to_owned();
        let sources = ItemSources::all(ItemSource::Repository);
        let request = SaveRequest { title, tags, body, sources, ..SaveRequest::default() };
        let saved = handoffs.write(&request, None, None, None)?;
        warnings.push(format!(
            "{HANDOFF} was edited between its marks: that is saved as {}",
            saved.handoff.head.id.short()
        ));
        Ok(())
    }

    /// Reads what the workspace says. What cannot be read is told.
    pub(crate) fn read_texts(&self, warnings: &mut Vec<String>) -> WorkspaceTexts {
        read_texts(&self.root, self.here.claimed_repo(), warnings)
    }
}

/// How far a refresh came.
enum Tried {
    Done(String),
    /// Somebody else wrote it meanwhile.
    Changed,
    /// Its block was edited to this.
    Edited(String),
    Absent,
}

/// Whether a path leads out of a directory by a link. A repository of somebody else's could point
/// it at any file of the user's.
pub(crate) fn leaves(path: &Path, inside: &Path) -> bool {
    let link = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
    link && !fs::canonicalize(path).is_ok_and(|real| real.starts_with(inside))
}

/// The workspace of a directory: the nearest one upwards, within its repository, that has a file of
/// a workspace; else the directory itself.
pub(crate) fn workspace_of(dir: &Path, repo: Option<&Repo>) -> PathBuf {
    let has = |dir: &&Path| [SOUL, MEMORY, HANDOFF].iter().any(|name| dir.join(name).is_file());
    let top = repo.map_or(dir, |repo| &repo.top);
    let inside = dir.ancestors().take_while(|above| above.starts_with(top));
    inside.into_iter().find(has).unwrap_or(dir).to_owned()
}

/// Where a reader of HANDOFF.md finds the rest.
pub(crate) fn see_also(workspace: &Path) -> String {
    let there: Vec<&str> =
        [SOUL, MEMORY].into_iter().filter(|name| workspace.join(name).is_file()).collect();
    match there[..] {
        [] => String::new(),
        _ => format!("See also {}.\n", there.join(" and ")),
    }
}

/// Reads what a workspace says. What cannot be read is told.
fn read_texts(workspace: &Path, repo: Option<&Repo>, warnings: &mut Vec<String>) -> WorkspaceTexts {
    let inside = repo.map_or(workspace, |repo| &repo.top);
    let mut read = |dir: &Path, name: &str| -> Option<(Vec<u8>, FileText)> {
        let path = dir.join(name);
        if leaves(&path, inside) {
            warnings.push(Error::LinksOut(path).to_string());
            return None;
        }
        match read_workspace_file(&path, READ_LIMIT) {
            Ok(there) => there.map(|file| {
                let text = file_text(name, &file.bytes, file.is_cut().then_some(file.size));
                (file.bytes, text)
            }),
            Err(error) => {
                warnings.push(error.to_string());
                None
            }
        }
    };
    let soul = read(workspace, SOUL).map(|(_, text)| text);
    let memory = read(workspace, MEMORY).map(|(_, text)| text);
    let words = read(workspace, HANDOFF).and_then(|(bytes, text)| {
        let file = HandoffFile::parse(&bytes).ok()?;
        // What was written between the marks is not saved yet, but it stands there.
        let text_of = |part: String| if part.is_empty() { part } else { part + "\n" };
        let words = text_of(file.words()) + &file.edited_block().unwrap_or_default();
        Some(FileText { text: words, ..text })
    });
    let mut instructions = Vec::new();
    for dir in std::iter::once(workspace).chain(repo.map(|repo| repo.top.as_path())) {
        for name in instruction_files() {
            if !instructions.iter().any(|file: &FileText| file.name == name) {
                instructions.extend(read(dir, name).map(|(_, text)| text));
            }
        }
    }
    WorkspaceTexts { soul, memory, words, instructions }
}

fn file_text(name: &str, bytes: &[u8], cut_from: Option<u64>) -> FileText {
    let mut remarks = Vec::new();
    let utf16 = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> =
            bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    let text = match bytes {
        [0xff, 0xfe, ..] => utf16(u16::from_le_bytes),
        [0xfe, 0xff, ..] => utf16(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    if let Some(size) = cut_from {
        remarks.push(format!("only its first MiB of {} was read", size.div_ceil(1024 * 1024)));
    }
    // Where a file is cut, a character may be too.
    let whole = text.trim_end_matches('\u{fffd}');
    if whole.contains('\u{fffd}') || (whole.len() < text.len() && cut_from.is_none()) {
        remarks.push("it has bytes that are not UTF-8, shown as \u{fffd}".to_owned());
    }
    FileText {
        name: name.to_owned(),
        text: text.trim_start_matches('\u{feff}').replace("\r\n", "\n"),
        remark: (!remarks.is_empty()).then(|| remarks.join("; ")),
    }
}
