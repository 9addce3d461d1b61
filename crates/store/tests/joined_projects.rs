//! Projects that become part of another one while others use them.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs;
use std::path::PathBuf;

use segue_core::{Key, KeyKind, ProjectId};
use segue_store::{LiveFiles, Outside, Store, StoreError};

struct Ground {
    _temp: tempfile::TempDir,
    store: Store,
}

impl Ground {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let outside = Outside { clock: || i64::MAX, progress: |_, _, _| {}, hurried: true };
        Self { store: Store::new(temp.path().join("home"), outside), _temp: temp }
    }

    fn project(&self, label: &str) -> ProjectId {
        let view = self.store.writer_view().unwrap();
        self.store.create_project(&view, label, &[Key::new(KeyKind::Label, label)]).unwrap()
    }

    fn join(&self, from: &ProjectId, to: &ProjectId) -> Result<u64, StoreError> {
        let view = self.store.writer_view().unwrap();
        let (from, to) =
            (self.store.lock(&view, from).unwrap(), self.store.lock(&view, to).unwrap());
        from.move_into(&to)
    }

    fn dir(&self, project: &ProjectId) -> PathBuf {
        self.store.layout().memory(project)
    }

    fn live(&self, project: &ProjectId) -> LiveFiles {
        self.store.live(project)
    }
}

const DRAFT: &str =
    "---\nsegue: 1\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\n---\nwork\n";

#[test]
fn who_comes_too_late_is_told_that_there_is_no_such_project() {
    let ground = Ground::new();
    let (own, target) = (ground.project("own"), ground.project("target"));
    let live = ground.live(&own);
    live.lock().unwrap().put("5e55", DRAFT, b"{}").unwrap();
    ground.join(&own, &target).unwrap();
    assert!(matches!(live.lock(), Err(StoreError::NoProject(_))));
    let view = ground.store.writer_view().unwrap();
    let changed = ground.store.change_project(&view, &own, |_| true);
    assert!(matches!(changed, Err(StoreError::NoProject(_))), "{changed:?}");
    assert!(matches!(ground.store.lock(&view, &own), Err(StoreError::NoProject(_))));
    assert!(!ground.dir(&own).exists(), "nothing is made of it again");
    let moved = ground.live(&target);
    assert!(moved.draft("5e55").is_some() && moved.state("5e55").is_some());
    moved.lock().unwrap().remove("5e55").unwrap();
}

#[test]
fn a_project_in_which_somebody_keeps_a_draft_is_joined_afterwards() {
    let ground = Ground::new();
    let (own, target) = (ground.project("own"), ground.project("target"));
    let live = ground.live(&own);
    let locked = live.lock().unwrap();
    let joined = ground.join(&own, &target);
    assert!(matches!(joined, Err(StoreError::Busy { .. })), "{joined:?}");
    locked.put("5e55", DRAFT, b"{}").unwrap();
    drop(locked);
    ground.join(&own, &target).unwrap();
    assert!(ground.live(&target).draft("5e55").is_some());
    assert!(!ground.dir(&own).exists());
}

#[test]
fn who_waited_for_drafts_that_were_moved_meanwhile_is_told_so() {
    let ground = Ground::new();
    let own = ground.project("own");
    let live = ground.live(&own);
    let locked = live.lock().unwrap();
    let waiting = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| live.lock().map(drop));
        // What a join does while it holds the lock.
        fs::remove_file(ground.dir(&own).join("project.toml")).unwrap();
        drop(locked);
        waiting.join().unwrap()
    });
    assert!(matches!(waiting, Err(StoreError::NoProject(_))), "{waiting:?}");
}
