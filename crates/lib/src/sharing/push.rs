//! Push: the state of a directory goes to MemoryVault, whole.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use segue_core::{HandoffId, current_state, digest};

use super::vault::{MemoryVault, Opened, VaultRequest};
use crate::handoffs::Handoffs;
use crate::redacted::redacted_text;
use crate::workspace::leaves;
use crate::{Error, VaultProblem};

/// What to push.
pub type PushRequest = VaultRequest;

/// A larger text is refused.
const MAX_BYTES: u64 = 1024 * 1024;

/// What was pushed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushSource {
    /// This HANDOFF.md.
    File(PathBuf),
    /// This handoff.
    Handoff(HandoffId),
}

/// A push that arrived.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pushed {
    /// The key that it lies under.
    pub key: String,
    /// Whether nothing was there before.
    pub created: bool,
    /// What was pushed.
    pub source: PushSource,
    /// Its size.
    pub bytes: usize,
    /// What somebody should look at.
    pub warnings: Vec<String>,
}

impl MemoryVault<'_> {
    /// Pushes the directory's HANDOFF.md, else its newest handoff. An error means that it did not
    /// arrive; [`VaultProblem::NoKey`] that nobody has set up a MemoryVault.
    pub fn push(&self, request: &PushRequest) -> Result<Pushed, Error> {
        self.here.brake()?.check()?;
        let opened = self.open(request)?;
        Ok(self.push_opened(opened, false)?.1)
    }

    /// As `push`, unless the very same text was pushed there last time. `None` if it was.
    pub(crate) fn push_if_new(&self, request: &PushRequest) -> Result<Option<Pushed>, Error> {
        let opened = self.open(request)?;
        let (arrived, pushed) = self.push_opened(opened, true)?;
        Ok(arrived.then_some(pushed))
    }

    /// Pushes, and says whether anything was sent.
    fn push_opened(&self, mut opened: Opened, only_if_new: bool) -> Result<(bool, Pushed), Error> {
        let (text, source) = match read_handoff_file(&opened.dir)? {
            Some((path, text)) => (text, PushSource::File(path)),
            None => self.newest_state(&mut opened)?,
        };
        let text = redacted_text(&self.here.redactor_out(), &text).unwrap_or(text);
        let seal = pushed_seal(&opened, &text);
        let bytes = text.len();
        if only_if_new && self.last_pushed(&opened).as_deref() == Some(seal.as_str()) {
            let Opened { key, warnings, .. } = opened;
            return Ok((false, Pushed { key, created: false, source, bytes, warnings }));
        }
        let tags = ["handoff", "session", &opened.name];
        let stored = opened.vault.store(&opened.key, &text, &tags);
        let created = stored.map_err(|error| opened.failed(error))?.created;
        // Not noted means pushed once more, which changes nothing.
        let _ = self.note_pushed(&opened, &seal);
        let Opened { key, warnings, .. } = opened;
        Ok((true, Pushed { key, created, source, bytes, warnings }))
    }

    fn last_pushed(&self, opened: &Opened) -> Option<String> {
        let project = self.here.of(&opened.project).ok()?.known_project().ok()??;
        self.here.store.pushed(&project, &opened.key).ok()?
    }

    fn note_pushed(&self, opened: &Opened, seal: &str) -> Result<(), Error> {
        let here = self.here.of(&opened.project)?;
        let view = self.here.store.writer_view()?;
        if let Some(project) = here.place(&view)?.project() {
            self.here.store.lock(&view, project)?.note_pushed(&opened.key, seal)?;
        }
        Ok(())
    }

    fn newest_state(&self, opened: &mut Opened) -> Result<(String, PushSource), Error> {
        let handoffs = Handoffs::of(&self.here).in_project(&opened.project)?;
        let found = match handoffs.newest_here(&opened.project, None) {
            Ok(None) | Err(Error::None(_)) => {
                return Err(VaultProblem::Nothing(opened.dir.clone()).into());
            }
            Ok(Some(found)) => found,
            Err(error) => return Err(error),
        };
        opened.warnings.extend(
            found
                .bad
                .iter()
                .map(|file| format!("cannot read {}: {}", file.path.display(), file.reason)),
        );
        let text = current_state(&found.handoff);
        if text.len() as u64 > MAX_BYTES {
            return Err(too_large(&found.listed.path));
        }
        Ok((text, PushSource::Handoff(found.handoff.head.id)))
    }
}

/// What tells one push from another: where it went, and what it was.
fn pushed_seal(opened: &Opened, text: &str) -> String {
    digest(&format!("{}\n{}\n{text}", opened.url, opened.key))
}

fn unfit(path: &Path, reason: impl Into<String>) -> Error {
    VaultProblem::Unfit { path: path.to_owned(), reason: reason.into() }.into()
}

fn too_large(path: &Path) -> Error {
    unfit(path, format!("it is larger than {} MiB", MAX_BYTES / 1024 / 1024))
}

/// The whole HANDOFF.md of a directory; `None` if there is none.
fn read_handoff_file(dir: &Path) -> Result<Option<(PathBuf, String)>, Error> {
    let path = dir.join("HANDOFF.md");
    if leaves(&path, dir) {
        return Err(unfit(&path, "it is a link that leads out of the directory, or to nothing"));
    }
    match fs::metadata(&path) {
        Ok(meta) if meta.is_file() => {}
        Ok(_) => return Err(unfit(&path, "it is not a file")),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unfit(&path, error.to_string())),
    }
    let mut bytes = Vec::new();
    File::open(&path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| unfit(&path, error.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large(&path));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        unfit(&path, format!("it is not UTF-8 (first bad byte at offset {at})"))
    })?;
    // Nothing shall not replace what is there.
    if text.trim().is_empty() {
        return Err(unfit(&path, "it is empty"));
    }
    Ok(Some((path, text)))
}
