//! The memory of agent-handover: notes, the current state and archives, in three layers.
//!
//! A memory in which Segue has written is one of its own; what is Segue's in it is passed over.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use segue_core::{
    Draft, Fields, FrontMatter, Handoff, HandoffId, Tag, Timestamp, Value, read_peer_note,
    visible_line,
};

use super::gathered::Gathered;
use super::source::{SourceText, absolute, look, no_handoff, read_text, text_alias};
use super::{Peer, PeerError, PeerHandoff, PeerStore};

/// The directory of the layers.
pub(super) const MEMORY_DIR: &str = "memory";
/// The key under which a handoff keeps the name of the file that it was.
const KEPT: &str = "agent_handover";
const STATE: &str = "current-state";

/// A layer, in the order in which files of one day are told: what is newest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    Archives,
    Notes,
    State,
}

impl Layer {
    const ALL: [Self; 3] = [Self::Archives, Self::Notes, Self::State];

    fn dir(self) -> &'static str {
        match self {
            Self::Archives => "layer3",
            Self::Notes => "layer1",
            Self::State => "layer2",
        }
    }
}

/// A file of the memory.
struct Note<'a> {
    layer: Layer,
    /// Its path below the memory, with slashes.
    below: String,
    name: &'a str,
    text: &'a str,
}

/// Reads a memory: this directory, or the one in it.
pub(super) fn read(path: &Path) -> Result<PeerStore, PeerError> {
    let memory = memory_at(path)?;
    let mut gathered = Gathered::new(Peer::AgentHandover);
    let project = project_of(&memory);
    for layer in Layer::ALL {
        let dir = memory.join(layer.dir());
        if fs::symlink_metadata(&dir).is_ok() {
            walk(&mut gathered, &dir, 0, &mut |gathered, file| {
                add(gathered, layer, &memory, file, project.as_deref());
            });
        }
    }
    Ok(gathered.into_store(&memory))
}

/// The directory that has the layers.
fn memory_at(path: &Path) -> Result<PathBuf, PeerError> {
    let refuse =
        |reason: &str| PeerError::NotOne { path: path.to_owned(), reason: reason.to_owned() };
    if !look(Peer::AgentHandover, path)?.is_dir() {
        return Err(refuse("it is not a directory"));
    }
    let layered = |dir: &Path| Layer::ALL.iter().any(|layer| dir.join(layer.dir()).is_dir());
    let below = path.join(MEMORY_DIR);
    match () {
        () if layered(path) => Ok(path.to_owned()),
        () if layered(&below) => Ok(below),
        () => Err(refuse("it has none of the directories layer1, layer2 and layer3")),
    }
}

/// The directory that a memory is of, going by the name that it has unless told otherwise.
fn project_of(memory: &Path) -> Option<PathBuf> {
    let memory = absolute(memory)?;
    (memory.file_name() == Some(OsStr::new(MEMORY_DIR)))
        .then(|| memory.parent())?
        .map(Path::to_owned)
}

/// Gives every file below a directory, by name. Links are told, not followed.
fn walk(
    gathered: &mut Gathered,
    dir: &Path,
    depth: usize,
    each: &mut dyn FnMut(&mut Gathered, &Path),
) {
    let shown = |path: &Path| path.display().to_string();
    let is_link = fs::symlink_metadata(dir).is_ok_and(|meta| meta.is_symlink());
    if is_link {
        return gathered.note(&shown(dir), "it is a link, which is not followed");
    }
    let entries = fs::read_dir(dir).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
    let mut paths = match entries {
        Ok(entries) => entries.iter().map(fs::DirEntry::path).collect::<Vec<_>>(),
        Err(error) => return gathered.note(&shown(dir), format!("it cannot be read: {error}")),
    };
    paths.sort();
    for path in paths.iter().filter(|path| !is_hidden(path)) {
        match fs::symlink_metadata(path) {
            Ok(meta) if meta.is_symlink() => {
                gathered.note(&shown(path), "it is a link, which is not followed");
            }
            // The peer has one directory a month, and none below that.
            Ok(meta) if meta.is_dir() && depth > 0 => {
                gathered.note(&shown(path), "it is a directory where none belongs");
            }
            Ok(meta) if meta.is_dir() => walk(gathered, path, depth + 1, each),
            _ => each(gathered, path),
        }
    }
}

/// Whether a file is none of the peer's, but of the system or an editor.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn add(gathered: &mut Gathered, layer: Layer, memory: &Path, file: &Path, project: Option<&Path>) {
    let what = file.display().to_string();
    let SourceText { text, exact } = match read_text(file) {
        Ok(text) => text,
        Err(error) => return gathered.note(&what, error.to_string()),
    };
    if is_segues(&text) {
        return;
    }
    let below = file.strip_prefix(memory).unwrap_or(file);
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    let name = file.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    let note = Note { layer, below: parts.join("/"), name: &name, text: &text };
    let handoff = note.handoff();
    if handoff.is_ok() {
        gathered.note_unless_exact(&what, exact);
    }
    let entry = handoff.map(|handoff| PeerHandoff {
        handoff,
        project_path: project.and_then(Path::to_str).map(str::to_owned),
        project_label: project.and_then(Path::file_name).and_then(OsStr::to_str).map(str::to_owned),
    });
    gathered.add(&what, entry);
}

/// Whether Segue wrote a file: a handoff, its current state or its archive.
fn is_segues(text: &str) -> bool {
    text.starts_with("<!-- segue | ")
        || FrontMatter::parse(text).is_ok_and(|(front, _)| front.get("segue").is_some())
}

impl Note<'_> {
    /// The handoff that it is.
    fn handoff(&self) -> Result<Handoff, String> {
        let no_header = || format!("it has no header line of {}", self.layer.dir());
        let (mut draft, id, created) = match self.layer {
            Layer::Notes => {
                let note = read_peer_note(self.text, self.name).ok_or_else(no_header)?;
                (note.to_draft(), note.head.id.clone(), note.head.created)
            }
            Layer::State | Layer::Archives => {
                let (created, body) = self.header().ok_or_else(no_header)?;
                let draft = Draft { body: body.to_owned(), ..Draft::default() };
                let seed = format!("{}\0{}\0{}", Peer::AgentHandover, self.below, self.text);
                (draft, HandoffId::derived(created, seed.as_bytes()), created)
            }
        };
        self.put_fields(&mut draft.fields);
        let kept = vec![("file".to_owned(), Value::Text(self.below.clone()))];
        draft.extra.push(format!("{KEPT}: {}\n", Value::Map(kept).render()));
        Handoff::parse(draft.render(&id, created)).map_err(|error| no_handoff(&error))
    }

    /// The day in its header line, and what is below that.
    fn header(&self) -> Option<(Timestamp, &str)> {
        let (mark, body) = self.text.split_once('\n')?;
        let mark = mark.trim_end().strip_prefix("<!-- agent-handover | ")?;
        let day = mark.strip_prefix(self.layer.dir())?.strip_prefix(" | ")?.strip_suffix(" -->")?;
        Some((format!("{day}T00:00:00Z").parse().ok()?, body))
    }

    /// Its title, tag and alias.
    fn put_fields(&self, fields: &mut Fields) {
        let stem = self.name.strip_suffix(".md").unwrap_or(self.name);
        let tag = match self.layer {
            Layer::Notes => fields.tags.pop().unwrap_or_default(),
            Layer::Archives => archive_tag(stem).to_owned(),
            Layer::State => stem.to_owned(),
        };
        fields.title = match self.layer {
            Layer::Notes => None,
            Layer::State if stem == STATE => Some("Current state".to_owned()),
            Layer::State | Layer::Archives => Some(visible_line(stem).into_owned()),
        };
        match tag.parse::<Tag>() {
            Ok(fit) => fields.tags = vec![fit.as_str().to_owned()],
            // Its exact name is kept with the file's.
            Err(_) if fields.title.is_none() && !tag.is_empty() => {
                fields.title = Some(visible_line(&tag).into_owned());
            }
            Err(_) => {}
        }
        fields.aliases = vec![text_alias(Peer::AgentHandover, self.text)];
    }
}

/// `refactor` of `2026-07-refactor-archive`.
fn archive_tag(stem: &str) -> &str {
    let stem = stem.strip_suffix("-archive").unwrap_or(stem);
    let month = stem.split_at_checked(8).filter(|(month, _)| {
        month.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
    });
    month.map_or(stem, |(_, tag)| tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handoff(layer: Layer, name: &str, text: &str) -> Result<Handoff, String> {
        Note { layer, below: format!("{}/{name}", layer.dir()), name, text }.handoff()
    }

    #[test]
    fn each_layer_becomes_handoffs() {
        let note = "<!-- agent-handover | layer1 | 2026-07-01 -->\r\nLogin works.\r\n";
        let note = handoff(Layer::Notes, "feat-2026-07-01.md", note).unwrap();
        assert_eq!(note.body(), "Login works.\r\n");
        assert_eq!(note.head.fields.tags, ["feat"]);
        assert_eq!(note.to_draft().extra, ["agent_handover: {file: layer1/feat-2026-07-01.md}\n"]);
        let state = "<!-- agent-handover | layer2 | 2026-07-02 -->\nHere we are";
        let state = handoff(Layer::State, "current-state.md", state).unwrap();
        assert_eq!(state.display_title(), "Current state");
        assert_eq!(state.head.fields.tags, ["current-state"]);
        assert_eq!(state.head.created.short(), "2026-07-02T00:00:00Z");
        assert_eq!(state.body(), "Here we are");
        let archive = "<!-- agent-handover | layer3 | 2026-07-31 -->\nAll of it\n";
        let archive = handoff(Layer::Archives, "2026-07-my-tag-archive.md", archive).unwrap();
        assert_eq!(archive.display_title(), "2026-07-my-tag-archive");
        assert_eq!(archive.head.fields.tags, ["my-tag"]);
        for handoff in [note, state, archive] {
            let [alias] = &handoff.head.fields.aliases[..] else { panic!("{handoff:?}") };
            assert!(alias.starts_with("agent-handover:") && alias.len() == 31, "{alias}");
            assert!(handoff.problems.is_empty());
        }
    }

    #[test]
    fn a_name_that_is_no_tag_becomes_the_title() {
        let note = "<!-- agent-handover | layer1 | 2026-07-01 -->\nx";
        let odd = handoff(Layer::Notes, "a,\u{1b}b-2026-07-01.md", note).unwrap();
        assert_eq!(odd.head.fields.tags, Vec::<String>::new());
        assert_eq!(odd.display_title(), "a,␛b");
        let odd = handoff(Layer::Notes, "-2026-07-01.md", note).unwrap();
        assert_eq!((odd.head.fields.tags.len(), odd.head.fields.title), (0, None));
    }

    #[test]
    fn a_header_of_another_layer_or_day_is_none() {
        for text in [
            "",
            "plain\n",
            "<!-- agent-handover | layer2 | 2026-07-31 -->\n",
            "<!-- agent-handover | layer3 | 2026-07-32 -->\n",
            "<!-- agent-handover | layer3 | 2026-07-31 -->",
        ] {
            let refused = handoff(Layer::Archives, "2026-07-x-archive.md", text).unwrap_err();
            assert_eq!(refused, "it has no header line of layer3");
        }
        let text = "<!-- agent-handover | layer3 | 2026-07-31 -->\n";
        assert_eq!(
            handoff(Layer::Notes, "x.md", text).unwrap_err(),
            "it has no header line of layer1"
        );
    }

    #[test]
    fn the_tag_of_an_archive_is_in_its_name() {
        for (stem, tag) in [
            ("2026-07-refactor-archive", "refactor"),
            ("2026-07-a-b", "a-b"),
            ("refactor", "refactor"),
            ("2026-07-", ""),
            ("2026-0é-x-archive", "2026-0é-x"),
        ] {
            assert_eq!(archive_tag(stem), tag);
        }
    }

    #[test]
    fn what_segue_wrote_is_known() {
        assert!(is_segues("---\nsegue: 1\n---\n"));
        assert!(is_segues("<!-- segue | layer2 | 2026-11-15 | 20261115-174500-a3f9c12e -->\n"));
        assert!(!is_segues("---\ntitle: x\n---\n"));
        assert!(!is_segues("<!-- agent-handover | layer2 | 2026-11-15 -->\n---\nsegue: 1\n---\n"));
    }
}
