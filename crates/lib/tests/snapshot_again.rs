//! A second snapshot is taken only where something is new: what counts as new, and what does not.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use segue_lib::handoffs::{HandoffKind, SaveRequest, Selector};
use segue_lib::run::AutoRequest;
use segue_lib::snapshot::{SnapshotOutcome, SnapshotRequest};
use segue_lib::workspace::InitRequest;
use segue_lib::{Env, Segue};
use serde_json::{Value, json};

const SESSION: &str = "5e55-77";
/// 2026-11-15T17:00:00Z.
const BEGAN: u64 = 1_794_762_000;

/// A repository, a home with an agent's transcripts, and a clock.
struct Ground {
    temp: tempfile::TempDir,
    repo: PathBuf,
    records: Vec<Value>,
}

impl Ground {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        let ground = Self { repo: root.join("shop"), temp, records: Vec::new() };
        ground.put("tax.py", "a");
        ground.put(".gitignore", "*.log\n");
        ground.git(&["init", "-q", "-b", "main"]);
        ground.commit("first");
        ground
    }

    fn root(&self) -> &Path {
        self.repo.parent().unwrap()
    }

    fn put(&self, name: &str, text: &str) {
        put(&self.repo.join(name), text);
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.repo.join(name)).unwrap()
    }

    fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        #[expect(clippy::disallowed_methods, reason = "a test lays out its repository")]
        let mut git = Command::new("git");
        let git = git.arg("-C").arg(&self.repo).args(identity).args(args);
        assert!(git.env("HOME", self.temp.path()).output().unwrap().status.success(), "{args:?}");
    }

    fn commit(&self, subject: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", subject]);
    }

    /// A process that begins so many minutes after the session.
    fn open(&self, minute: u64) -> Segue {
        self.open_in(&self.repo, minute)
    }

    fn open_in(&self, dir: &Path, minute: u64) -> Segue {
        let now = move || at(minute);
        let mut env = Env::new(self.root().join("store"), dir, now, || getrandom::u32().unwrap());
        env.user_home = Some(self.root().to_owned());
        env.git_deadline = Duration::from_secs(30);
        Segue::new(env)
    }

    fn init(&self) {
        self.open(1).workspace().init(&InitRequest::new("Aria")).unwrap();
    }

    fn take(&self, minute: u64) -> SnapshotOutcome {
        self.take_as(minute, "build")
    }

    fn take_as(&self, minute: u64, mode: &str) -> SnapshotOutcome {
        self.open(minute).snapshots().take(&request(mode)).unwrap()
    }

    /// Whether a snapshot is new, and that the next one is not.
    fn is_news(&self, minute: u64) -> bool {
        let first = self.take(minute);
        let second = self.take(minute + 1);
        assert!(!second.is_new(), "{second:?}");
        assert_eq!(id(&second), id(&first));
        first.is_new()
    }

    fn user(&mut self, minute: u64, text: &str) {
        self.record(minute, json!({"type": "user", "message": {"role": "user", "content": text}}));
    }

    fn agent(&mut self, minute: u64, text: &str) {
        let content = json!([{"type": "text", "text": text}]);
        let message = json!({"id": format!("m{minute}"), "role": "assistant", "model": "x", "content": content});
        self.record(minute, json!({"type": "assistant", "message": message}));
    }

    fn call(&mut self, minute: u64, command: &str) {
        let content = json!([{"type": "tool_use", "id": format!("t{minute}"), "name": "Bash",
            "input": {"command": command}}]);
        let message = json!({"id": format!("m{minute}"), "role": "assistant", "model": "x", "content": content});
        self.record(minute, json!({"type": "assistant", "message": message}));
    }

    fn result(&mut self, minute: u64, text: &str) {
        let content =
            json!([{"type": "tool_result", "tool_use_id": format!("t{minute}"), "content": text}]);
        self.record(
            minute,
            json!({"type": "user", "message": {"role": "user", "content": content}}),
        );
    }

    /// Writes a record into the transcript.
    fn record(&mut self, minute: u64, mut record: Value) {
        let head = json!({"parentUuid": null, "isSidechain": false, "sessionId": SESSION, "gitBranch": "main",
            "version": "2.1.325", "cwd": self.repo, "timestamp": format!("2026-11-15T17:{minute:02}:00.000Z")});
        for (key, value) in head.as_object().unwrap() {
            record[key] = value.clone();
        }
        self.records.push(record);
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let enc: String = self.repo.to_string_lossy().chars().map(plain).collect();
        let path = self.root().join(".claude/projects").join(enc).join(format!("{SESSION}.jsonl"));
        let lines: String = self.records.iter().map(|record| format!("{record}\n")).collect();
        put(&path, &lines);
        File::options().append(true).open(path).unwrap().set_modified(at(minute)).unwrap();
    }

    /// How many handoffs the store has.
    fn handoffs(&self) -> usize {
        let mut count = 0;
        let mut dirs = vec![self.root().join("store")];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                let text = path.to_string_lossy().into_owned();
                if path.is_dir() {
                    dirs.push(path);
                } else if text.ends_with(".md") && text.contains("layer1") {
                    count += 1;
                }
            }
        }
        count
    }
}

fn request(mode: &str) -> SnapshotRequest {
    let mut request = SnapshotRequest::default();
    request.mode = Some(mode.to_owned());
    request
}

fn id(outcome: &SnapshotOutcome) -> &str {
    outcome.snapshot.handoff.head.id.as_str()
}

fn summary(outcome: &SnapshotOutcome) -> String {
    outcome.captured.as_ref().unwrap().to_string()
}

fn at(minute: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(BEGAN + minute * 60)
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

#[test]
fn twice_in_a_row_is_one_snapshot_and_handoff_md_is_not_touched() {
    let ground = Ground::new();
    ground.init();
    let first = ground.take(10);
    assert!(first.is_new() && first.handoff_file.is_some());
    assert_eq!(summary(&first), "git state only (branch main, 2 changed files)");
    let (path, text) = (ground.repo.join("HANDOFF.md"), ground.read("HANDOFF.md"));
    File::options().append(true).open(&path).unwrap().set_modified(at(3)).unwrap();
    for minute in [11, 12, 600] {
        let again = ground.take(minute);
        assert!(!again.is_new());
        assert_eq!((id(&again), &again.document), (id(&first), &first.document));
        assert_eq!(again.handoff_file.as_deref(), Some(path.as_path()));
        assert!(again.warnings.is_empty(), "{:?}", again.warnings);
    }
    assert_eq!(ground.read("HANDOFF.md"), text);
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), at(3));
    assert_eq!(ground.handoffs(), 1);
}

#[test]
fn each_change_is_news_once() {
    let ground = Ground::new();
    ground.init();
    assert!(ground.is_news(10));
    let words = |text: &str| {
        let file = ground.read("HANDOFF.md");
        ground.put("HANDOFF.md", &(file + text));
    };
    let changes: [(&str, &dyn Fn()); 17] = [
        ("SOUL.md", &|| ground.put("SOUL.md", "# Who\n")),
        ("MEMORY.md", &|| ground.put("MEMORY.md", "# What\n")),
        ("words in HANDOFF.md", &|| words("\n## What's Next\n- ship it\n")),
        ("more of them", &|| words("- and tell Mia\n")),
        ("a changed file", &|| ground.put("tax.py", "b")),
        ("the same file, as long as before", &|| ground.put("tax.py", "c")),
        ("it is staged", &|| ground.git(&["add", "tax.py"])),
        ("an untracked file", &|| ground.put("new.py", "1")),
        ("its content", &|| ground.put("new.py", "2")),
        ("a file in an untracked directory", &|| ground.put("notes/a/b.md", "1")),
        ("another one there", &|| ground.put("notes/c.md", "1")),
        ("its content", &|| ground.put("notes/a/b.md", "2")),
        ("a file is gone", &|| fs::remove_file(ground.repo.join("new.py")).unwrap()),
        ("a commit", &|| ground.commit("second")),
        ("a deleted file", &|| fs::remove_file(ground.repo.join("tax.py")).unwrap()),
        ("another branch", &|| ground.git(&["checkout", "-qb", "other"])),
        ("no MEMORY.md", &|| fs::remove_file(ground.repo.join("MEMORY.md")).unwrap()),
    ];
    for (at, (what, change)) in changes.iter().enumerate() {
        change();
        assert!(ground.is_news(20 + 2 * at as u64), "{what}");
    }
    assert!(ground.take_as(80, "debug").is_new(), "another mode");
    assert!(!ground.take_as(81, "debug").is_new());
    assert!(ground.take(82).is_new(), "back to the first mode");
}

#[test]
fn what_changes_nothing_of_the_tree_is_no_news() {
    let ground = Ground::new();
    ground.put("notes/a.md", "1");
    ground.put("tax.py", "b");
    assert!(ground.is_news(10));
    ground.put("notes/a.log", "ignored");
    ground.put("tax.py", "b");
    let file = File::options().append(true).open(ground.repo.join("tax.py")).unwrap();
    file.set_modified(at(900)).unwrap();
    assert!(!ground.is_news(20));
}

#[test]
fn the_block_of_a_tracked_handoff_md_is_no_change_of_the_tree() {
    let ground = Ground::new();
    ground.put("HANDOFF.md", "# HANDOFF.md\n\nwords\n");
    ground.commit("with HANDOFF.md");
    let first = ground.take(10);
    assert!(ground.read("HANDOFF.md").contains("segue:begin"));
    assert!(!ground.is_news(12));
    // Git takes the block away: it comes back as it was, and nothing is saved for that.
    let made = ground.read("HANDOFF.md");
    ground.git(&["checkout", "-q", "HANDOFF.md"]);
    assert!(!ground.read("HANDOFF.md").contains("segue:begin"));
    let again = ground.take(20);
    assert!(!again.is_new());
    assert_eq!((ground.read("HANDOFF.md"), &again.document), (made, &first.document));
    assert_eq!(ground.handoffs(), 1);
}

#[test]
fn without_handoff_md_the_document_is_the_same_again() {
    let ground = Ground::new();
    let (first, second) = (ground.take(10), ground.take(11));
    assert!(first.document.contains("## Observed"), "{}", first.document);
    assert_eq!(second.document, first.document);
    assert!(!second.is_new() && second.handoff_file.is_none());
}

#[test]
fn an_edited_block_is_news() {
    let ground = Ground::new();
    ground.init();
    ground.take(10);
    let edited = ground.read("HANDOFF.md").replace("## Observed\n", "- call Mia\n\n## Observed\n");
    ground.put("HANDOFF.md", &edited);
    assert!(ground.is_news(20));
    assert!(!ground.read("HANDOFF.md").contains("call Mia"));
}

#[test]
fn a_snapshot_that_was_forgotten_is_taken_again() {
    let ground = Ground::new();
    let first = ground.take(10);
    let selector: Selector = id(&first).parse().unwrap();
    let segue = ground.open(11);
    let handoffs = segue.handoffs();
    handoffs.forget(&handoffs.find_here(&selector).unwrap()).unwrap();
    assert!(ground.is_news(12));
}

#[test]
fn each_worktree_has_its_own_last_snapshot() {
    let ground = Ground::new();
    let tree = ground.root().join("tree");
    ground.git(&["worktree", "add", "-q", tree.to_str().unwrap(), "-b", "feature"]);
    let take = |dir: &Path, minute| {
        ground.open_in(dir, minute).snapshots().take(&request("build")).unwrap().is_new()
    };
    assert!(take(&ground.repo, 10) && take(&tree, 11));
    assert!(!take(&ground.repo, 12) && !take(&tree, 13));
}

#[test]
fn auto_is_quiet_after_a_snapshot_and_sees_a_second_edit() {
    let ground = Ground::new();
    let auto = |minute| {
        let mut auto = AutoRequest::default();
        auto.snapshot = request("auto");
        auto.snapshot.by_itself = true;
        ground.open(minute).runs().auto(&auto).unwrap().saved.is_some()
    };
    ground.put("tax.py", "b");
    ground.take(10);
    assert!(!auto(11), "the same tree, whatever the mode");
    ground.put("tax.py", "c");
    assert!(auto(12));
    assert!(!auto(13));
    // Words at this very state are enough for a snapshot that nobody asked for.
    ground.commit("taxes");
    let mut words = SaveRequest::default();
    words.title = Some("By hand".to_owned());
    ground.open(14).handoffs().save(&words).unwrap();
    assert!(!auto(15));
    assert!(ground.take(16).is_new());
}

#[test]
fn a_session_is_captured_again_only_after_another_turn() {
    let mut ground = Ground::new();
    ground.user(1, "Round taxes. Never touch schema.sql.");
    ground.call(2, "pytest -q");
    ground.result(2, "3 passed");
    ground.agent(3, "Taxes are rounded.");
    let first = ground.take(5);
    assert!(summary(&first).starts_with("session of Claude Code, 1 turn"), "{}", summary(&first));
    assert_eq!(first.snapshot.handoff.head.fields.kind, HandoffKind::Session);
    // Long after its end too, however it is asked for.
    for minute in [6, 30, 600] {
        let again = ground.take(minute);
        assert!(!again.is_new(), "{again:?}");
        assert_eq!((id(&again), &again.document), (id(&first), &first.document));
        assert!(again.warnings.is_empty(), "{:?}", again.warnings);
    }
    ground.user(40, "Now the discounts.");
    let third = ground.take(41);
    assert!(third.is_new() && summary(&third).contains("2 turns"), "{}", summary(&third));
    assert!(third.snapshot.handoff.head.fields.supersedes.contains(&id(&first).to_owned()));
    // Its tree changes after its end: git's state alone is new, once.
    ground.put("tax.py", "b");
    let fourth = ground.take(58);
    assert!(fourth.is_new());
    assert_eq!(summary(&fourth), "git state only (branch main, 1 changed file)");
    assert_eq!(id(&ground.take(59)), id(&fourth));
}

#[test]
fn the_snapshot_that_an_agent_takes_is_no_news_for_its_next_one() {
    let mut ground = Ground::new();
    ground.user(1, "Round taxes.");
    ground.call(2, "segue snapshot");
    let take = |ground: &Ground, minute| {
        let mut request = request("build");
        request.tool = Some("claude-code".to_owned());
        request.session = Some(SESSION.to_owned());
        ground.open(minute).snapshots().take(&request).unwrap()
    };
    let first = take(&ground, 2);
    assert!(first.is_new());
    ground.result(2, "a3f9c12e");
    ground.call(3, "segue snapshot");
    let second = take(&ground, 3);
    assert!(!second.is_new(), "{}\n{}", first.document, second.document);
    ground.result(3, "a3f9c12e");
    ground.agent(4, "Saved. Half cents are still open.");
    assert!(take(&ground, 4).is_new());
}

#[test]
fn a_snapshot_without_words_is_never_preferred_to_words() {
    let ground = Ground::new();
    let mut words = SaveRequest::default();
    words.title = Some("Words".to_owned());
    words.next = vec!["Ship it".to_owned()];
    ground.open(5).handoffs().save(&words).unwrap();
    let latest = |minute| ground.open(minute).handoffs().find(&Selector::Latest).unwrap();
    assert!(ground.take(10).is_new());
    assert!(latest(11).handoff.body().contains("Ship it"));
    // Nor where HANDOFF.md is there and cannot be read.
    let utf16: Vec<u8> = [0xff, 0xfe, b'x', 0].to_vec();
    File::create(ground.repo.join("HANDOFF.md")).unwrap().write_all(&utf16).unwrap();
    let second = ground.take(20);
    assert_eq!(second.snapshot.handoff.head.fields.kind, HandoffKind::Snapshot);
    assert!(latest(21).handoff.body().contains("Ship it"));
    assert!(!ground.take(22).is_new());
}
