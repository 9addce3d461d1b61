//! The index's log stays short, however many processes write once each.

use std::fs;

use segue_core::{Draft, Key, KeyKind, Timestamp};
use segue_store::Store;

#[test]
fn the_log_stays_short_over_many_saves() {
    let home = tempfile::tempdir().unwrap();
    let keys = [Key::new(KeyKind::Label, "app")];
    let now: Timestamp = "2026-11-15T17:45:00Z".parse().unwrap();
    let mut longest = 0;
    for n in 0..60_u32 {
        // A store of its own each time, as each process has.
        let store = Store::new(
            home.path(),
            segue_store::Outside { clock: || 0, progress: |_, _, _| {}, hurried: false },
        );
        let view = store.writer_view().unwrap();
        let project = store.create_project(&view, "app", &keys).unwrap();
        let memory = store.lock(&view, &project).unwrap();
        memory.commit(&Draft::default(), now, None, &|| 0xa000_0000 + n).unwrap();
        drop(memory);
        drop(view);
        longest = longest.max(fs::metadata(home.path().join("index.db-wal")).unwrap().len());
    }
    assert!(longest < 512 * 1024, "{longest}");
}
