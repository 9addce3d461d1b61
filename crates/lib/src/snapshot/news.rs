//! Whether anything is new since the last snapshot of a directory.
//!
//! What that one was taken of is noted beside the handoffs, as digests, and not in its file: the file travels, and a
//! digest of what is not committed is nobody else's business. Where the note is missing, one more snapshot is saved.

use segue_core::{
    HANDOFF, HandoffFile, HandoffKind, MAX_HANDOFF_BYTES, MEMORY, SOUL, SnapshotPart,
    SnapshotState, TakenSnapshot, Timestamp,
};
use segue_store::{Filter, Listed, read_workspace_file};

use super::request::SnapshotRequest;
use super::see_git::Snapshots;
use super::sources::SnapshotSources;
use super::tree_contents::TreeContents;
use crate::Error;
use crate::handoffs::{SaveOutcome, is_made};
use crate::sessions::Captured;
use crate::workspace::{Workspace, leaves};

/// What is compared of SOUL.md and MEMORY.md, besides their size.
const COMPARED: u64 = 1024 * 1024;

impl Snapshots<'_> {
    /// What a snapshot would be taken of.
    pub(super) fn state_of(
        &self,
        request: &SnapshotRequest,
        sources: &SnapshotSources<'_>,
        tree: &TreeContents,
    ) -> SnapshotState {
        let mut state = SnapshotState::default();
        if let Some(mode) = &request.mode {
            state.add(SnapshotPart::Mode, mode.as_bytes());
        }
        for (part, name) in [(SnapshotPart::Soul, SOUL), (SnapshotPart::Memory, MEMORY)] {
            if let Some((mut bytes, size)) = read(&sources.file, name, COMPARED) {
                bytes.extend(size.to_string().bytes());
                state.add(part, &bytes);
            }
        }
        if let Some((bytes, size)) = read(&sources.file, HANDOFF, MAX_HANDOFF_BYTES) {
            let outside = HandoffFile::parse(&bytes).map(|file| file.outside_lines());
            let is_whole = size == bytes.len() as u64;
            let outside = outside.ok().filter(|_| is_whole);
            let outside = outside.unwrap_or_else(|| [bytes, size.to_be_bytes().to_vec()].concat());
            state.add(SnapshotPart::HandoffFile, &outside);
        }
        if let Some((told, _)) = &sources.told {
            state.add(SnapshotPart::Session, told.as_bytes());
        }
        let dir = self.here.dir();
        let types = segue_core::project_types(|name| dir.join(name).exists());
        let text = format!("{}\n{}", types.join(" "), tree.text);
        state.add(SnapshotPart::Tree, text.as_bytes());
        state
    }

    /// The last snapshot of this directory and session, if nothing is new since.
    pub(super) fn unchanged_since(
        &self,
        state: &SnapshotState,
        captured: Option<&Captured>,
        by_itself: bool,
    ) -> Result<Option<SaveOutcome>, Error> {
        let Some(project) = self.here.known_project()? else { return Ok(None) };
        let log = self.here.store.snapshots(&project, &self.directory_key());
        let Some(last) = log.last_of(session_key(captured).as_deref()) else { return Ok(None) };
        let mut changed = state.changed_since(&last.state);
        // Only somebody who asks for a snapshot asks for a mode.
        changed.retain(|part| !(by_itself && *part == SnapshotPart::Mode));
        let id = last.id.short();
        if !changed.is_empty() {
            let titles: Vec<&str> = changed.iter().map(|part| part.title()).collect();
            tracing::info!("new since the snapshot {id}: {}", titles.join(", "));
            return Ok(None);
        }
        tracing::info!("nothing is new since the snapshot {id}");
        let filter = Filter {
            id_prefix: Some(last.id.to_string()),
            offered_at: Some(self.here.now()),
            limit: Some(1),
            ..Filter::default()
        };
        // One that was forgotten, or has expired, is taken again.
        let there = self.handoffs.listed(&filter)?.pop();
        there.map(|listed| self.existing(&listed)).transpose()
    }

    /// Notes what a snapshot was taken of. Not noted means that one more is saved, which loses nothing.
    pub(super) fn note_state(
        &self,
        saved: &SaveOutcome,
        state: SnapshotState,
        captured: Option<&Captured>,
    ) -> Result<(), Error> {
        let (store, key) = (self.here.store, self.directory_key());
        let view = store.writer_view()?;
        let locked = store.lock(&view, &saved.project)?;
        let mut log = store.snapshots(&saved.project, &key);
        let id = saved.handoff.head.id.clone();
        log.remember(session_key(captured).as_deref(), TakenSnapshot { id, state });
        Ok(locked.note_snapshots(&key, &log)?)
    }

    /// The newest handoff here, if somebody saved it at this very state and nothing was said or changed since.
    pub(super) fn saved_at_this_state(
        &self,
        words: &str,
        tree: &TreeContents,
    ) -> Result<Option<SaveOutcome>, Error> {
        let now = self.here.now();
        let filter = Filter {
            offered_at: Some(now),
            credible_at: Some(now),
            kinds: [&HandoffKind::LATEST[..], &[HandoffKind::Snapshot]].concat(),
            limit: Some(1),
            ..Filter::default()
        };
        let newest = self.handoffs.listed(&filter)?.pop().filter(|newest| !is_made(newest));
        let Some(newest) = newest else { return Ok(None) };
        let fields = &newest.head.fields;
        let is_of_this_tree = fields.git.branch == tree.branch
            && fields.git.head == tree.head
            && fields.changed == tree.changed;
        let written = newest.head.written();
        let is_changed_since =
            tree.last_change.is_some_and(|change| Timestamp::from(change) > written);
        if !is_of_this_tree || is_changed_since {
            return Ok(None);
        }
        let Ok(there) = self.existing(&newest) else { return Ok(None) };
        let says_it = there.handoff.body().contains(words.trim());
        Ok(says_it.then_some(there))
    }

    fn existing(&self, listed: &Listed) -> Result<SaveOutcome, Error> {
        let project = self.here.known_project()?;
        Ok(SaveOutcome {
            handoff: self.here.store.read(listed)?,
            path: listed.path.clone(),
            project: project.unwrap_or_else(|| listed.project.clone()),
            label: listed.label.clone(),
            warnings: Vec::new(),
            similar: Vec::new(),
        })
    }

    fn directory_key(&self) -> String {
        self.here.directory().unwrap_or(self.here.dir()).display().to_string()
    }
}

fn session_key(captured: Option<&Captured>) -> Option<String> {
    captured.map(|captured| format!("{} {}", captured.seen.agent, captured.id()))
}

/// The beginning of a workspace's file, and its whole size. One that cannot be read is another file than one that
/// is not there.
fn read(workspace: &Workspace<'_>, name: &str, limit: u64) -> Option<(Vec<u8>, u64)> {
    let path = workspace.root.join(name);
    if leaves(&path, workspace.inside()) {
        return None;
    }
    match read_workspace_file(&path, limit) {
        Ok(file) => file.map(|file| (file.bytes, file.size)),
        Err(_) => Some((b"cannot be read".to_vec(), 0)),
    }
}
