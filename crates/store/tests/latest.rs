//! Which handoff of a memory is its latest, for layer 2 and for whoever asks the index.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs;
use std::path::PathBuf;

use segue_core::{
    Draft, Fields, HandoffKind, ItemSource, ItemSources, Key, KeyKind, ProjectId, Timestamp,
};
use segue_store::{Filter, Scope, ScopePart, Store};

struct Memory {
    temp: tempfile::TempDir,
    store: Store,
    project: ProjectId,
    saved: u32,
}

impl Memory {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let outside =
            segue_store::Outside { clock: || i64::MAX, progress: |_, _, _| {}, hurried: false };
        let store = Store::new(temp.path().join("home"), outside);
        let view = store.writer_view().unwrap();
        let keys = [Key::new(KeyKind::Label, "app")];
        let project = store.create_project(&view, "app", &keys).unwrap();
        drop(view);
        Self { temp, store, project, saved: 0 }
    }

    fn save(&mut self, kind: HandoffKind, sources: ItemSources) {
        self.saved += 1;
        let title = Some(format!("{kind} {}", self.saved));
        let fields = Fields { kind, title, sources, ..Fields::default() };
        let draft = Draft { fields, body: "- x\n".to_owned(), ..Draft::default() };
        let seconds = 1_700_000_000 + i64::from(self.saved);
        let now = Timestamp::from_micros(seconds * 1_000_000).unwrap();
        let view = self.store.writer_view().unwrap();
        let memory = self.store.lock(&view, &self.project).unwrap();
        let saved = memory.commit(&draft, now, None, &|| 0xa000_0000 + self.saved).unwrap();
        saved.state.unwrap();
    }

    fn saves(&mut self, kind: HandoffKind) -> &mut Self {
        self.save(kind, ItemSources::default());
        self
    }

    fn state(&self) -> Option<String> {
        let layers = self.temp.path().join("home/projects").join(self.project.to_string());
        let text = fs::read_to_string(layers.join("layer2/current-state.md")).ok()?;
        Some(text.lines().find_map(|line| line.strip_prefix("# ")).unwrap().to_owned())
    }

    fn scope(&self) -> Scope {
        let part = ScopePart::whole(self.project.clone());
        Scope::Parts(vec![part])
    }

    fn latest(&self) -> Option<String> {
        let scope = self.scope();
        let latest = self.store.ask(&scope, |view| view.latest(&scope, &Filter::default()));
        latest.unwrap().map(|listed| listed.title)
    }

    fn titles(&self, filter: &Filter) -> Vec<String> {
        let scope = Scope::All;
        let listed = self.store.ask(&scope, |view| view.listed(&scope, filter)).unwrap();
        listed.into_iter().map(|listed| listed.title).collect()
    }
}

#[test]
fn a_snapshot_is_the_latest_until_something_else_is_there() {
    let mut memory = Memory::new();
    memory.saves(HandoffKind::Note);
    assert_eq!((memory.latest(), memory.state()), (None, None));
    memory.saves(HandoffKind::Snapshot).saves(HandoffKind::Closing);
    let both = |title: &str| (Some(title.to_owned()), Some(title.to_owned()));
    assert_eq!((memory.latest(), memory.state()), both("snapshot 2"));
    memory.saves(HandoffKind::Snapshot);
    assert_eq!((memory.latest(), memory.state()), both("snapshot 4"));
    memory.saves(HandoffKind::Session).saves(HandoffKind::Snapshot).saves(HandoffKind::Note);
    assert_eq!((memory.latest(), memory.state()), both("session 5"));
    memory.saves(HandoffKind::Decision);
    assert_eq!((memory.latest(), memory.state()), both("decision 8"));
    // By the files alone, too.
    fs::remove_file(memory.temp.path().join("home/index.db")).unwrap();
    assert_eq!((memory.latest(), memory.state()), both("decision 8"));
}

#[test]
fn kinds_and_repeats_narrow_a_list() {
    let mut memory = Memory::new();
    memory.saves(HandoffKind::Handoff).saves(HandoffKind::Snapshot).saves(HandoffKind::Note);
    let of_file = [(ItemSource::Repository, "- x\n"), (ItemSource::Tool, "- seen\n")];
    memory.save(HandoffKind::Handoff, ItemSources::of_texts(&of_file));
    let handoffs = Filter { kinds: vec![HandoffKind::Handoff], ..Filter::default() };
    assert_eq!(memory.titles(&handoffs), ["handoff 4", "handoff 1"]);
    let said = Filter { without_repeats: true, ..handoffs };
    assert_eq!(memory.titles(&said), ["handoff 1"]);
    let alone = Filter { snapshots_alone: true, ..Filter::default() };
    assert_eq!(memory.titles(&alone), ["handoff 4", "note 3", "handoff 1"]);
}

#[test]
fn an_index_of_before_there_were_kinds_is_built_anew() {
    let mut memory = Memory::new();
    memory.saves(HandoffKind::Decision);
    let index: PathBuf = memory.temp.path().join("home/index.db");
    memory.store.close();
    let connection = rusqlite::Connection::open(&index).unwrap();
    connection.execute_batch("ALTER TABLE handoff DROP COLUMN repeats").unwrap();
    connection.pragma_update(None, "user_version", 7).unwrap();
    drop(connection);
    let decisions = Filter { kinds: vec![HandoffKind::Decision], ..Filter::default() };
    assert_eq!(memory.titles(&decisions), ["decision 1"]);
}
