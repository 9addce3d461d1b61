//! Memories whose layers lie in the user's trees: written, read and listed there, and never
//! through a link.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use segue_core::{Draft, Fields, ProjectId, Timestamp};
use segue_store::{Filter, Listed, Scope, ScopePart, Standing, Store, StoreError};

struct Ground {
    _temp: tempfile::TempDir,
    root: PathBuf,
    store: Store,
}

fn ground() -> Ground {
    let temp = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(temp.path()).unwrap();
    fs::create_dir_all(root.join("app/.git")).unwrap();
    let store = Store::new(
        root.join("home"),
        segue_store::Outside { clock: || i64::MAX, progress: |_, _, _| {}, hurried: false },
    );
    Ground { _temp: temp, root, store }
}

impl Ground {
    fn at(&self) -> PathBuf {
        self.root.join("app/.segue")
    }

    fn attach(&self, trusted: bool) -> ProjectId {
        let view = self.store.writer_view().unwrap();
        self.store.attach(&view, &self.at(), "app", trusted).unwrap()
    }

    fn commit(&self, memory: &ProjectId, title: &str, micros: i64) -> Result<PathBuf, StoreError> {
        let view = self.store.writer_view().unwrap();
        let fields = Fields { title: Some(title.to_owned()), ..Fields::default() };
        let draft = Draft { fields, extra: Vec::new(), body: "text\n".to_owned() };
        let now = Timestamp::from_micros(1_800_000_000_000_000 + micros).unwrap();
        let second = u32::from(title == "two") << 8;
        let random = move || 0xabc0_0000 | second | micros as u32;
        Ok(self.store.lock(&view, memory)?.commit(&draft, now, None, &random)?.path)
    }

    fn listed(&self, scope: &Scope) -> Vec<Listed> {
        self.store.ask(scope, |view| view.listed(scope, &Filter::default())).unwrap()
    }

    fn titles(&self) -> Vec<String> {
        self.listed(&Scope::All).into_iter().map(|one| one.title).collect()
    }

    fn bad(&self) -> Vec<PathBuf> {
        let bad = self.store.ask(&Scope::All, |view| view.bad_files(&Scope::All)).unwrap();
        bad.into_iter().map(|file| file.path).collect()
    }
}

fn names(dir: &Path) -> usize {
    fs::read_dir(dir).unwrap().count()
}

#[test]
fn layers_lie_there_and_the_rest_here() {
    let ground = ground();
    let id = ground.attach(true);
    assert_eq!(ground.attach(false), id, "said again it changes nothing");
    let path = ground.commit(&id, "one", 1).unwrap();
    assert!(path.starts_with(ground.at().join("layer1")), "{}", path.display());
    assert!(ground.at().join("layer2/current-state.md").is_file());
    let pointer = ground.store.layout().memory(&id);
    assert!(pointer.join(".lock").exists() && !pointer.join("layer1").exists());
    let one = ground.listed(&Scope::All).pop().unwrap();
    assert_eq!((one.path.clone(), &one.project, one.label.as_str()), (path, &id, "app"));
    assert_eq!(ground.store.read(&one).unwrap().body(), "text\n");
    ground.store.rebuild_index().unwrap();
    assert_eq!(ground.titles(), ["one"]);
    ground.store.ask(&Scope::All, |view| view.verify()).unwrap();
    assert_eq!(ground.titles(), ["one"]);
    // It is no project: no label finds it.
    let found = ground.store.ask(&Scope::Projects, |view| view.labelled("app")).unwrap();
    assert_eq!(found, []);
}

#[test]
fn what_is_not_trusted_is_written_and_not_indexed() {
    let ground = ground();
    let id = ground.attach(false);
    ground.commit(&id, "one", 1).unwrap();
    ground.commit(&id, "two", 1).unwrap();
    assert_eq!(ground.titles(), Vec::<String>::new());
    let view = ground.store.writer_view().unwrap();
    let locked = ground.store.lock(&view, &id).unwrap();
    assert_eq!(locked.standing().unwrap(), Standing::Untrusted);
    let own = locked.handoffs().unwrap();
    assert_eq!(own.len(), 2);
    drop(locked);
    assert!(ground.store.set_trusted(&view, &id, true).unwrap());
    drop(view);
    assert_eq!(ground.titles(), ["two", "one"], "the second came after the first");
    let view = ground.store.writer_view().unwrap();
    assert!(ground.store.set_trusted(&view, &id, false).unwrap());
    drop(view);
    assert_eq!(ground.titles(), Vec::<String>::new());
    assert_eq!(names(&ground.at().join("layer1")), 1, "nothing was deleted");
}

#[test]
fn another_repository_at_the_same_place_is_not_trusted() {
    let ground = ground();
    let id = ground.attach(true);
    ground.commit(&id, "one", 1).unwrap();
    assert_eq!(ground.titles(), ["one"]);
    fs::rename(ground.root.join("app/.git"), ground.root.join("old")).unwrap();
    fs::create_dir(ground.root.join("app/.git")).unwrap();
    assert_eq!(ground.titles(), Vec::<String>::new());
    // Not even by what the index knew, without looking at the memory.
    let known = ground.store.ask(&Scope::Projects, |view| view.select("abc00001", 2)).unwrap();
    assert!(known.is_empty());
    let rows = ground.store.ask(&Scope::Projects, |view| view.attached()).unwrap();
    assert_eq!(rows[0].attached.standing(), Standing::Changed);
}

#[test]
fn links_are_never_followed() {
    for link in ["layer1", "layer2", "layer3", ".segue"] {
        let ground = ground();
        let id = ground.attach(true);
        ground.commit(&id, "one", 1).unwrap();
        assert_eq!(ground.titles(), ["one"]);
        let out = ground.root.join("out");
        let place = if link == ".segue" { ground.at() } else { ground.at().join(link) };
        match fs::rename(&place, &out) {
            Ok(()) => {}
            Err(_) => fs::create_dir(&out).unwrap(),
        }
        let before = names(&out);
        symlink(&out, &place).unwrap();
        let saved = ground.commit(&id, "two", 2);
        match link {
            // The handoff is safe; only the view of it is not made.
            "layer2" | "layer3" => assert!(saved.is_ok(), "{link}"),
            _ => assert!(matches!(saved, Err(StoreError::Link { .. })), "{link}: {saved:?}"),
        }
        assert_eq!(names(&out), before, "{link}");
        let titles = ground.titles();
        match link {
            "layer2" | "layer3" => assert_eq!(titles, ["two", "one"]),
            _ => assert_eq!(titles, Vec::<String>::new(), "{link}"),
        }
        if link != "layer2" {
            assert!(!ground.bad().is_empty(), "{link}");
        }
        // Once it is what it was, so is everything.
        fs::remove_file(&place).unwrap();
        fs::rename(&out, &place).unwrap();
        assert!(ground.titles().contains(&"one".to_owned()), "{link}");
        assert_eq!(ground.bad(), Vec::<PathBuf>::new(), "{link}");
    }
}

#[test]
fn a_month_and_a_file_that_become_links_are_named() {
    let ground = ground();
    let id = ground.attach(true);
    let file = ground.commit(&id, "one", 1).unwrap();
    assert_eq!(ground.titles(), ["one"]);
    let secret = ground.root.join("secret.md");
    fs::rename(&file, &secret).unwrap();
    symlink(&secret, &file).unwrap();
    assert_eq!((ground.titles(), ground.bad()), (vec![], vec![file.clone()]));
    fs::remove_file(&file).unwrap();
    fs::rename(&secret, &file).unwrap();
    assert_eq!((ground.titles(), ground.bad()), (vec!["one".to_owned()], vec![]));
    let month = file.parent().unwrap().to_owned();
    let out = ground.root.join("out");
    fs::rename(&month, &out).unwrap();
    symlink(&out, &month).unwrap();
    assert_eq!((ground.titles(), ground.bad()), (vec![], vec![month.clone()]));
    fs::remove_file(&month).unwrap();
    assert_eq!((ground.titles(), ground.bad()), (vec![], vec![]));
    fs::rename(&out, &month).unwrap();
    assert_eq!((ground.titles(), ground.bad()), (vec!["one".to_owned()], vec![]));
}

#[test]
fn the_same_handoff_in_several_memories_is_one() {
    let ground = ground();
    let id = ground.attach(true);
    for n in 0..5 {
        ground.commit(&id, &format!("t{n}"), n).unwrap();
    }
    let mut parts = vec![ScopePart::whole(id.clone())];
    for clone in ["b", "c", "d", "e"] {
        let at = ground.root.join(clone).join(".segue");
        fs::create_dir_all(ground.root.join(clone).join(".git")).unwrap();
        copy(&ground.at().join("layer1"), &at.join("layer1"));
        let view = ground.store.writer_view().unwrap();
        let memory = ground.store.attach(&view, &at, "app", true).unwrap();
        parts.push(ScopePart::whole(memory));
    }
    for scope in [Scope::All, Scope::Parts(parts)] {
        for limit in [None, Some(1), Some(3), Some(5), Some(9)] {
            let filter = Filter { limit, ..Filter::default() };
            let given =
                ground.store.ask(&scope, |view| Ok(view.listed(&scope, &filter)?.len())).unwrap();
            assert_eq!(given as u64, limit.unwrap_or(5).min(5), "{limit:?}");
        }
    }
    let select = |word: &str, limit| {
        ground.store.ask(&Scope::All, |view| Ok(view.select(word, limit)?.len())).unwrap()
    };
    assert_eq!((select("abc00003", 2), select("abc00", 11), select("abc00", 2)), (1, 5, 2));
    let one = ground.listed(&Scope::All).remove(0);
    let copies = ground.store.ask(&Scope::All, |view| view.copies(&one.head.id)).unwrap();
    assert_eq!(copies.len(), 5);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => _ = fs::copy(&path, &target).unwrap(),
        }
    }
}

#[test]
fn what_was_forgotten_and_comes_back_is_not_shown() {
    let ground = ground();
    let id = ground.attach(true);
    let path = ground.commit(&id, "one", 1).unwrap();
    let bytes = fs::read_to_string(&path).unwrap();
    let one = ground.listed(&Scope::All).remove(0);
    let view = ground.store.writer_view().unwrap();
    ground.store.lock(&view, &id).unwrap().forget(&one, None).unwrap();
    drop(view);
    assert!(!path.exists() && !ground.at().join("forgotten").exists());
    // As by a pull.
    std::io::Write::write_all(&mut fs::File::create(&path).unwrap(), bytes.as_bytes()).unwrap();
    assert_eq!(ground.titles(), Vec::<String>::new());
    let found = ground.store.ask(&Scope::All, |view| view.select("abc00001", 2)).unwrap();
    assert!(found.is_empty());
    ground.store.rebuild_index().unwrap();
    assert_eq!(ground.titles(), Vec::<String>::new());
}
