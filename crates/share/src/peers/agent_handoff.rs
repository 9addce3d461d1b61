//! The workspace of agent-handoff: SOUL.md, MEMORY.md and HANDOFF.md, a handoff each.
//!
//! HANDOFF.md is the latest of them, whatever its time says: it is where the work goes on. What Segue
//! generated in it is left out, all else is taken as it is, a template too.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use segue_core::{
    Draft, Fields, GitState, HANDOFF, Handoff, HandoffFile, HandoffId, Label, MEMORY, SOUL,
    Timestamp, Value, sections, visible_line,
};

use super::gathered::Gathered;
use super::source::{absolute, is_absent, look, no_handoff, read_text, text_alias};
use super::written_time::{written_day, written_time};
use super::{Peer, PeerError, PeerHandoff, PeerStore};

/// The files, in the order in which a session reads them.
const FILES: [&str; 3] = [SOUL, MEMORY, HANDOFF];
/// The key under which a handoff keeps the name of the file that it was.
const KEPT: &str = "agent_handoff";

/// The directory that is read.
struct Workspace {
    path: PathBuf,
    project_path: Option<String>,
    name: String,
}

/// Reads a workspace: the directory, or one of its files.
pub(super) fn read(path: &Path) -> Result<PeerStore, PeerError> {
    let workspace = Workspace::at(path)?;
    let mut gathered = Gathered::new(Peer::AgentHandoff);
    let mut latest: Option<Timestamp> = None;
    for name in FILES {
        let after = latest.filter(|_| name == HANDOFF);
        if let Some(created) = workspace.add(&mut gathered, name, after) {
            latest = latest.max(Some(created));
        }
    }
    Ok(gathered.into_store(&workspace.path))
}

impl Workspace {
    fn at(path: &Path) -> Result<Self, PeerError> {
        let is_dir = look(Peer::AgentHandoff, path)?.is_dir();
        let named = path.file_name().is_some_and(|name| FILES.iter().any(|file| name == *file));
        let dir = match path.parent() {
            _ if is_dir => path.to_owned(),
            // The parent of a bare name is where we are.
            Some(dir) if dir.as_os_str().is_empty() => PathBuf::from("."),
            Some(dir) => dir.to_owned(),
            None => path.to_owned(),
        };
        let there = |file: &&str| fs::symlink_metadata(dir.join(file)).is_ok();
        let refuse = |reason: String| Err(PeerError::NotOne { path: path.to_owned(), reason });
        if !is_dir && !named {
            return refuse(format!("it is neither a directory nor {HANDOFF}"));
        }
        if !FILES.iter().any(there) {
            return refuse(format!("it has none of {}", FILES.join(", ")));
        }
        let whole = absolute(&dir);
        let name = whole.as_deref().and_then(Path::file_name).unwrap_or(OsStr::new("/"));
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            project_path: whole.as_deref().and_then(Path::to_str).map(str::to_owned),
            path: dir,
        })
    }

    /// Reads one of its files, if it is there, to be later than `after`; gives its time.
    fn add(
        &self,
        gathered: &mut Gathered,
        name: &'static str,
        after: Option<Timestamp>,
    ) -> Option<Timestamp> {
        let path = self.path.join(name);
        let what = path.display().to_string();
        let meta = match fs::metadata(&path) {
            Ok(meta) => meta,
            Err(error) => {
                // A link that leads nowhere is there, and is told.
                if !is_absent(&error) || path.is_symlink() {
                    gathered.note(&what, format!("it cannot be read: {error}"));
                }
                return None;
            }
        };
        let source = match read_text(&path) {
            Ok(source) => source,
            Err(error) => {
                gathered.note(&what, error.to_string());
                return None;
            }
        };
        let text = users_text(name, source.text);
        let own = time_in(&text).unwrap_or_else(|| file_time(&meta));
        let created = after.map_or(own, |after| own.max(after.next()));
        let entry = self.entry(name, text, created);
        if entry.is_ok() {
            gathered.note_unless_exact(&what, source.exact);
        }
        gathered.add(&what, entry);
        Some(created)
    }

    /// The handoff of a file.
    fn entry(&self, name: &str, text: String, created: Timestamp) -> Result<PeerHandoff, String> {
        let label = self.name.parse::<Label>().ok().map(String::from);
        let said = |key: &str| bullet(&text, key).filter(|_| name == HANDOFF).map(str::to_owned);
        let fields = Fields {
            project: label.clone(),
            title: Some(format!("{name} of {}", visible_line(&self.name))),
            mode: said("Mode"),
            git: GitState { branch: said("Branch"), ..GitState::default() },
            aliases: vec![text_alias(Peer::AgentHandoff, &text)],
            ..Fields::default()
        };
        let seed = format!("{}\0{name}\0{text}", Peer::AgentHandoff);
        let id = HandoffId::derived(created, seed.as_bytes());
        let kept = Value::Map(vec![("file".to_owned(), Value::Text(name.to_owned()))]);
        let extra = vec![format!("{KEPT}: {}\n", kept.render())];
        let draft = Draft { fields, extra, body: text };
        let handoff = Handoff::parse(draft.render(&id, created));
        Ok(PeerHandoff {
            handoff: handoff.map_err(|error| no_handoff(&error))?,
            project_path: self.project_path.clone(),
            project_label: label,
        })
    }
}

/// A file's text without what Segue generated in it.
fn users_text(name: &str, text: String) -> String {
    match HandoffFile::parse(text.as_bytes()) {
        Ok(file) if name == HANDOFF && file.has_block() => {
            String::from_utf8_lossy(&file.outside()).into_owned()
        }
        _ => text,
    }
}

/// The time that a file says it is of.
fn time_in(text: &str) -> Option<Timestamp> {
    let updated = || {
        let sections = sections(text);
        let last = sections.iter().find(|section| is_last_updated(section.title))?;
        let line = last.text.lines().map(str::trim).find(|line| !line.is_empty())?;
        moment(line.trim_start_matches(['-', '*', ' ']))
    };
    let said = |key: &str| bullet(text, key).and_then(moment);
    said("When").or_else(updated).or_else(|| said("Created"))
}

fn is_last_updated(title: &str) -> bool {
    title.trim_end_matches(':').eq_ignore_ascii_case("last updated")
}

/// A time, or a day.
fn moment(text: &str) -> Option<Timestamp> {
    written_time(text).or_else(|| written_day(text))
}

/// When the file was last written, in whole seconds: not every file system knows more.
fn file_time(meta: &fs::Metadata) -> Timestamp {
    let since = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since
        .and_then(|since| Timestamp::EPOCH.checked_add_seconds(since.as_secs()))
        .unwrap_or(Timestamp::EPOCH)
}

/// What `- **Key**: value` says, unless a template left it open.
fn bullet<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches(['-', '*', ' ']);
        // The stars before the key are gone; those behind it stand before or after the colon.
        let rest = line.strip_prefix(key)?;
        let value = rest.strip_prefix("**:").or_else(|| rest.strip_prefix(":**"))?.trim();
        let open = value.starts_with('[') && value.ends_with(']');
        (!value.is_empty() && !open).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Option<String> {
        time_in(text).map(Timestamp::short)
    }

    #[test]
    fn a_file_says_when_it_is_of() {
        assert_eq!(
            time("# H\r\n\r\n- **When**: 2026-11-15T18:36:52Z\r\n- **Created**: 2026-01-01T00:00:00Z\r\n").as_deref(),
            Some("2026-11-15T18:36:52Z")
        );
        assert_eq!(time("* **Created:** 2026-11-15").as_deref(), Some("2026-11-15T00:00:00Z"));
        assert_eq!(
            time("- **Created**: 2026-01-01\n## Last updated\n\n- 2026-11-15 18:36\n").as_deref(),
            Some("2026-11-15T18:36:00Z")
        );
        assert_eq!(time("- **When**: [soon]\n## Last Updated\n"), None);
        assert_eq!(time(""), None);
    }

    #[test]
    fn what_a_template_left_open_is_not_said() {
        let text = "- **Mode**: [how]\n- **Branch**:\n- **Branch**: main \n- **Model**: x\n";
        assert_eq!((bullet(text, "Mode"), bullet(text, "Branch")), (None, Some("main")));
    }

    #[test]
    fn what_segue_generated_is_left_out() {
        let text = "\n# H\r\n<!-- segue:begin -->\nours\n<!-- segue:end -->\nmine\n";
        assert_eq!(users_text(HANDOFF, text.to_owned()), "\n# H\r\nmine\n");
        assert_eq!(users_text(MEMORY, text.to_owned()), text);
        assert_eq!(
            users_text(HANDOFF, "<!-- segue:begin -->\n".to_owned()),
            "<!-- segue:begin -->\n"
        );
    }
}
