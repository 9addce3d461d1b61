//! Stores of the peers as they are found: whole, damaged, in use, and of the real programs.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]
#![expect(clippy::disallowed_macros, reason = "a test that is skipped says so")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use rusqlite::{Connection, params};
use segue_share::peers::{Peer, PeerError, PeerHandoff, PeerStore, read};
use tempfile::TempDir;

fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path).unwrap().write_all(bytes.as_ref()).unwrap();
}

/// Everything below a directory: what it is, its bytes, and when it changed.
type Tree = BTreeMap<PathBuf, (Vec<u8>, SystemTime)>;

fn tree(path: &Path) -> Tree {
    let mut found = Tree::new();
    let meta = fs::symlink_metadata(path).unwrap();
    let bytes = if meta.is_file() { fs::read(path).unwrap() } else { Vec::new() };
    found.insert(path.to_owned(), (bytes, meta.modified().unwrap()));
    if meta.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            found.extend(tree(&entry.unwrap().path()));
        }
    }
    found
}

/// Reads twice: the same comes out, and nothing in the directory has changed.
fn read_at(peer: Peer, path: &Path, dir: &Path) -> Result<PeerStore, PeerError> {
    let before = tree(dir);
    let first = read(peer, path);
    let second = read(peer, path);
    assert!(before == tree(dir), "{peer} changed {}", dir.display());
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
    if let Ok(store) = &first {
        let created = |entry: &PeerHandoff| entry.handoff.head.created;
        assert!(store.handoffs.is_sorted_by_key(created));
        for entry in &store.handoffs {
            assert_eq!(entry.handoff.payload(), entry.handoff.source());
            assert_eq!(entry.handoff.problems, Vec::<String>::new());
        }
    }
    first
}

fn bodies(store: &PeerStore) -> Vec<&str> {
    store.handoffs.iter().map(|entry| entry.handoff.body()).collect()
}

fn titles(store: &PeerStore) -> Vec<String> {
    store.handoffs.iter().map(|entry| entry.handoff.display_title()).collect()
}

fn reasons(store: &PeerStore) -> Vec<String> {
    store.bad.iter().map(|bad| format!("{}: {}", bad.what, bad.reason)).collect()
}

fn refusal(result: Result<PeerStore, PeerError>) -> String {
    result.unwrap_err().to_string()
}

// session-handoff

fn record(id: &str, created_at: &str, more: &str) -> String {
    format!(
        r#"{{"id": "{id}", "created_at": "{created_at}", "tool": "codex", "project": "/srv/app", "title": "T {id}", "summary": "S", "next": ["go on"]{more}}}"#
    )
}

fn json_store(records: &[String]) -> (TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("handoffs.json");
    put(&path, format!(r#"{{"version": 1, "items": [{}]}}"#, records.join(", ")));
    (temp, path)
}

#[test]
fn records_are_read_by_file_or_directory_and_a_lock_is_ignored_s6() {
    let (temp, path) = json_store(&[
        record("20261115-183650", "2026-11-15T18:36:50Z", ""),
        record("20261115-183649", "2026-11-15T18:36:49Z", ""),
    ]);
    put(&temp.path().join("handoffs.json.lock"), "pid=1\n");
    let store = read_at(Peer::SessionHandoff, &path, temp.path()).unwrap();
    assert_eq!(titles(&store), ["T 20261115-183649", "T 20261115-183650"]);
    assert_eq!(store.path, path);
    assert_eq!(store.handoffs[0].project_path.as_deref(), Some("/srv/app"));
    assert_eq!(store.handoffs[0].project_label.as_deref(), Some("app"));
    assert_eq!(store.handoffs[0].handoff.head.fields.aliases, ["20261115-183649"]);
    assert_eq!(read(Peer::SessionHandoff, temp.path()).unwrap(), store);
}

#[test]
fn one_bad_record_does_not_cost_the_others_s7() {
    let good = |n: u32| record(&format!("good-{n}"), "2026-11-15T18:36:49Z", "");
    let (temp, path) = json_store(&[
        good(1),
        record("20261115-2", "2026-11-15T18:36:49.5Z", ""),
        "7".into(),
        "{}".into(),
        good(2).replace("\"codex\"", "{}"),
        good(3).replace("[\"go on\"]", "[1]"),
        record("\\u001b[2J", "2026-11-15T18:36:49Z", ""),
        good(4),
    ]);
    let store = read_at(Peer::SessionHandoff, &path, temp.path()).unwrap();
    assert_eq!(titles(&store), ["T good-1", "T good-4"]);
    assert_eq!(
        reasons(&store),
        [
            "record 2 (20261115-2): its 'created_at' is not a time like 2026-11-15T18:36:49Z: 2026-11-15T18:36:49.5Z",
            "record 3: it is not a JSON object",
            "record 4: its 'id' is empty",
            "record 5 (good-2): its 'tool' is not a text",
            "record 6 (good-3): its 'next' is not a list of texts",
            "record 7 (␛[2J): its id is not one: ␛[2J",
        ]
    );
}

#[test]
fn what_a_later_version_writes_is_kept_s8() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("handoffs.json");
    let more = r#", "future": {"a": [1, null]}, "TITLE": "last \ud83d wins""#;
    let item = record("x", "2026-11-15T18:36:49Z", more);
    put(&path, format!("\u{feff}{{\"version\": 7, \"extra\": true, \"items\": [{item}]}}\n"));
    let store = read_at(Peer::SessionHandoff, &path, temp.path()).unwrap();
    assert_eq!(titles(&store), ["last \u{fffd} wins"]);
    let extra = store.handoffs[0].handoff.to_draft().extra.concat();
    assert!(extra.contains(r#"session_handoff_more: "{\"future\":{\"a\":[1,null]}}""#), "{extra}");
    assert_eq!(store.bad, []);
}

#[test]
fn two_records_of_one_id_both_stay() {
    let (temp, path) = json_store(&[
        record("same", "2026-11-15T18:36:49Z", ""),
        record("same", "2026-11-15T18:36:49Z", r#", "changed": ["a"]"#),
        record("same", "2026-11-15T18:36:50Z", ""),
    ]);
    let store = read_at(Peer::SessionHandoff, &path, temp.path()).unwrap();
    let heads: Vec<_> = store.handoffs.iter().map(|entry| &entry.handoff.head).collect();
    assert_eq!(heads.len(), 3);
    assert_ne!(heads[0].id, heads[1].id);
    assert_eq!(heads[0].fields.aliases, ["same"]);
    assert_ne!(heads[1].fields.aliases, heads[0].fields.aliases);
    assert_ne!(heads[2].fields.aliases, heads[0].fields.aliases);
}

#[test]
fn what_is_no_store_of_records_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("handoffs.json");
    let refuse = |path: &Path| refusal(read_at(Peer::SessionHandoff, path, temp.path()));
    let shown = path.display();
    assert_eq!(refuse(&path), format!("nothing of session-handoff is at {shown}"));
    assert_eq!(refuse(temp.path()), format!("nothing of session-handoff is at {shown}"));
    put(&path, "");
    assert_eq!(refuse(&path), format!("{shown} is not such a store: it is empty"));
    assert!(refuse(&path.join("below")).starts_with("nothing of session-handoff is at "));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(
        refuse(temp.path()),
        format!("{shown} is not such a store: it is not a regular file")
    );
    fs::remove_dir(&path).unwrap();
    fs::File::create(&path).unwrap().set_len(256 * 1024 * 1024 + 1).unwrap();
    let large = read(Peer::SessionHandoff, &path).unwrap_err();
    assert_eq!(large.to_string(), format!("{shown} is larger than 256 MiB"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_bytes_as_a_store_of_records_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        cut in 0_usize..400,
        at in 0_usize..400,
        byte: u8,
    ) {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("handoffs.json");
        put(&path, &bytes);
        let _ = read(Peer::SessionHandoff, &path);
        // And a real one that is cut off or has one other byte.
        let item = record("x\\ud83d", "2026-11-15T18:36:49Z", "");
        let mut whole = format!("{{\"items\": [{item}]}}").into_bytes();
        if let Some(place) = whole.get_mut(at) {
            *place = byte;
        }
        whole.truncate(cut.max(10));
        put(&path, &whole);
        let _ = read(Peer::SessionHandoff, &path);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_bytes_as_a_note_or_a_workspace_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        text in "(- \\*\\*(When|Mode)\\*\\*: |## Last Updated\n|2026-11-1|é|\r\n|<!-- segue:(begin|end) -->\n){0,8}",
        name in "[a-z0-9,é -]{1,12}",
    ) {
        let temp = tempfile::tempdir().unwrap();
        let layers = ["layer1/2026-11", "layer2", "layer3"];
        for (layer, dir) in (1_u32..).zip(layers) {
            let path = temp.path().join(dir);
            put(&path.join(format!("{name}.md")), &bytes);
            put(&path.join("b.md"), header(layer, "2026-11-15") + &text);
        }
        for (file, bytes) in [("SOUL.md", &bytes[..]), ("MEMORY.md", text.as_bytes())] {
            put(&temp.path().join(file), bytes);
            put(&temp.path().join("HANDOFF.md"), text.as_bytes());
        }
        let memory = read_at(Peer::AgentHandover, temp.path(), temp.path()).unwrap();
        prop_assert!(memory.handoffs.len() >= 3);
        let workspace = read_at(Peer::AgentHandoff, temp.path(), temp.path()).unwrap();
        let last = workspace.handoffs.last().unwrap();
        prop_assert!(last.handoff.display_title().starts_with("HANDOFF.md of "));
    }
}

// handoff

const SCHEMA: &str = "CREATE TABLE packages (id TEXT PRIMARY KEY, name TEXT NOT NULL, summary TEXT DEFAULT '',
    content TEXT NOT NULL, tags TEXT DEFAULT '[]', project TEXT DEFAULT '', created_at DATETIME NOT NULL,
    expires_at DATETIME NOT NULL);
    CREATE INDEX idx_packages_name ON packages(name);
    CREATE INDEX idx_packages_project ON packages(project);
    CREATE INDEX idx_packages_expires_at ON packages(expires_at);";
const CREATED: &str = "2026-11-15 18:36:52.072724679 +0000 UTC";
/// Long ago: whoever purges deletes it.
const EXPIRED: &str = "2020-11-15 18:36:52 +0000 UTC";

fn insert(connection: &Connection, id: &str, content: &str) {
    let sql = "INSERT INTO packages VALUES (?1, 'state', 'Sum', ?2, '[\"a\"]', 'app', ?3, ?4)";
    connection.execute(sql, params![id, content, CREATED, EXPIRED]).unwrap();
}

fn database() -> (TempDir, PathBuf, Connection) {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("handoff.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    (temp, path, connection)
}

#[test]
fn packages_are_read_and_never_purged_c8() {
    let (temp, path, connection) = database();
    insert(&connection, "c0037acc", "two\r\nlines \0 here");
    insert(&connection, "12345678", "digits");
    drop(connection);
    let store = read_at(Peer::Handoff, &path, temp.path()).unwrap();
    assert_eq!(bodies(&store), ["two\r\nlines \0 here", "digits"]);
    assert_eq!(store.bad, []);
    let handoff = &store.handoffs[0].handoff;
    assert_eq!(handoff.head.id.as_str(), "20261115-183652-c0037acc");
    assert_eq!(handoff.head.fields.name.as_deref(), Some("state"));
    assert_eq!(handoff.head.fields.summary.as_deref(), Some("Sum"));
    assert_eq!(handoff.head.fields.tags, ["a"]);
    assert_eq!(handoff.head.fields.expires.unwrap().short(), "2020-11-15T18:36:52Z");
    assert_eq!(store.handoffs[0].project_label.as_deref(), Some("app"));
    assert_eq!(store.handoffs[1].handoff.head.fields.aliases, ["12345678"]);
    assert_eq!(read(Peer::Handoff, temp.path()).unwrap(), store);
}

#[test]
fn one_bad_package_does_not_cost_the_others_s7() {
    let (temp, path, connection) = database();
    insert(&connection, "aaaaaaaa", "first");
    let sql = "INSERT INTO packages VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let none = Option::<String>::None;
    let nulls = params!["bbbbbbbb", "n", none, "nulls", none, none, CREATED, EXPIRED];
    connection.execute(sql, nulls).unwrap();
    let latin = params!["cccccccc", "n", "", b"caf\xe9".as_slice(), "null", "", CREATED, EXPIRED];
    connection.execute(sql, latin).unwrap();
    let late = params!["dddddddd", "n", "", "no time", "null", "", "soon", EXPIRED];
    connection.execute(sql, late).unwrap();
    let large = "x".repeat(17 * 1024 * 1024);
    let large = params!["eeeeeeee", "n", "", large, "null", "", CREATED, EXPIRED];
    connection.execute(sql, large).unwrap();
    let nameless = params![none, "n", "", "nameless", "null", "", CREATED, EXPIRED];
    connection.execute(sql, nameless).unwrap();
    connection.execute(sql, nameless).unwrap();
    insert(&connection, "ffffffff", "last");
    drop(connection);
    let store = read_at(Peer::Handoff, &path, temp.path()).unwrap();
    assert_eq!(bodies(&store), ["first", "nulls", "caf\u{fffd}", "nameless", "last"]);
    assert_eq!(
        reasons(&store),
        [
            "package cccccccc: its text is not UTF-8; replaced where it is not",
            "package dddddddd: its 'created_at' is not a time: soon",
            "the package in row 5: it is larger than 16 MiB",
        ]
    );
}

#[test]
fn a_thousand_packages_are_read_c13() {
    let (temp, path, connection) = database();
    connection.execute_batch("BEGIN").unwrap();
    for n in 0..1000_u32 {
        insert(&connection, &format!("{:08x}", n * 4_000_000), &"text\n".repeat(400));
    }
    connection.execute_batch("COMMIT").unwrap();
    drop(connection);
    let store = read_at(Peer::Handoff, &path, temp.path()).unwrap();
    assert_eq!((store.handoffs.len(), store.bad.len()), (1000, 0));
}

#[test]
fn what_is_no_database_of_packages_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("handoff.db");
    let refuse = || refusal(read_at(Peer::Handoff, &path, temp.path()));
    let shown = path.display();
    assert_eq!(refuse(), format!("nothing of handoff is at {shown}"));
    for (bytes, reason) in [
        (&b""[..], "it is empty"),
        (b"plain text", "it is not a SQLite database"),
        (b"SQLite format 3\0", "it is cut off"),
    ] {
        put(&path, bytes);
        assert_eq!(refuse(), format!("{shown} is not such a store: {reason}"));
    }
    put(&path, [&b"SQLite format 3\0"[..], &[0x5a; 5000]].concat());
    assert!(refuse().contains("it cannot be read as a SQLite database"), "{}", refuse());
    fs::remove_file(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE other (a)").unwrap();
    assert_eq!(refuse(), format!("{shown} is not such a store: it has no table 'packages'"));
    other.execute_batch("CREATE TABLE packages (id, created_at)").unwrap();
    let reason = "its table 'packages' has no column 'content'";
    assert_eq!(refuse(), format!("{shown} is not such a store: {reason}"));
    drop(other);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(refuse(), format!("nothing of handoff is at {}", path.join("handoff.db").display()));
}

#[test]
fn of_a_damaged_database_is_read_what_can_be() {
    let (temp, path, connection) = database();
    for n in 0..200_u32 {
        insert(&connection, &format!("{:08x}", 0xa000_0000 + n), &format!("{n} ").repeat(900));
    }
    drop(connection);
    let whole = fs::read(&path).unwrap();
    let mut holed = whole.clone();
    let middle = holed.len() / 2 / 4096 * 4096;
    holed[middle..middle + 4096].fill(0xff);
    put(&path, &holed);
    let store = read_at(Peer::Handoff, &path, temp.path()).unwrap();
    assert!(store.handoffs.len() > 150 && store.handoffs.len() < 200, "{}", store.handoffs.len());
    assert!(!store.bad.is_empty());
    for cut in [whole.len() / 2, 4096 * 3, 4096, 1000] {
        put(&path, &whole[..cut]);
        match read_at(Peer::Handoff, &path, temp.path()) {
            Ok(store) => assert!(!store.bad.is_empty(), "cut at {cut}"),
            Err(PeerError::NotOne { .. }) => {}
            Err(error) => panic!("cut at {cut}: {error}"),
        }
    }
}

/// Another process that has a database open until this is dropped.
struct Holder(Child);

impl Holder {
    /// One that has executed this.
    fn of(path: &Path, sql: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "holds_a_database", "--nocapture"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let sql = sql.replace('\n', " ");
        writeln!(child.stdin.as_mut().unwrap(), "{}\n{sql}", path.display()).unwrap();
        let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        let ready = lines.map_while(Result::ok).any(|line| line.contains("holding"));
        assert!(ready, "the other process did not start");
        Self(child)
    }

    /// Ends it without a chance to tidy up.
    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[test]
// Run by the tests below: `peers --exact holds_a_database --ignored`, with a path and SQL on standard input.
#[ignore = "no test of its own: the other process that the tests of locks and logs start"]
fn holds_a_database() {
    let mut lines = std::io::stdin().lines();
    let (Some(Ok(path)), Some(Ok(sql))) = (lines.next(), lines.next()) else { return };
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(&sql).unwrap();
    println!("holding");
    // Until the other side closes it.
    assert!(lines.next().is_none());
}

fn insert_sql(id: &str) -> String {
    format!(
        "INSERT INTO packages VALUES ('{id}', 'n', '', 'by another', 'null', '', '{CREATED}', '{EXPIRED}');"
    )
}

#[test]
fn the_log_of_a_writer_is_read_and_left_alone() {
    let (temp, path, connection) = database();
    insert(&connection, "aaaaaaaa", "first");
    drop(connection);
    let sql = format!("PRAGMA journal_mode = WAL; {}", insert_sql("bbbbbbbb"));
    let holder = Holder::of(&path, &sql);
    assert!(fs::metadata(temp.path().join("handoff.db-wal")).unwrap().len() > 0);
    let read_both = || {
        let store = read_at(Peer::Handoff, &path, temp.path()).unwrap();
        assert_eq!(bodies(&store), ["first", "by another"]);
        assert_eq!(store.bad, []);
    };
    read_both();
    // Nobody has it open any more, and the log is still there.
    holder.kill();
    read_both();
    // As in a copy of the two files.
    fs::remove_file(temp.path().join("handoff.db-shm")).unwrap();
    read_both();
}

#[test]
fn a_database_in_wal_mode_gets_no_files_beside_it() {
    let (temp, path, connection) = database();
    insert(&connection, "aaaaaaaa", "first");
    connection.execute_batch("PRAGMA journal_mode = WAL; VACUUM;").unwrap();
    drop(connection);
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
    let store = read_at(Peer::Handoff, &path, temp.path()).unwrap();
    assert_eq!(bodies(&store), ["first"]);
    put(&temp.path().join("handoff.db-wal"), "");
    assert_eq!(bodies(&read_at(Peer::Handoff, &path, temp.path()).unwrap()), ["first"]);
}

#[test]
fn a_lock_of_another_program_does_not_hide_what_is_there_c3() {
    let (temp, path, connection) = database();
    insert(&connection, "aaaaaaaa", "first");
    drop(connection);
    let holder = Holder::of(&path, "BEGIN EXCLUSIVE");
    let store = read_at(Peer::Handoff, &path, temp.path()).unwrap();
    assert_eq!(bodies(&store), ["first"]);
    drop(holder);
    // One that is writing is waited for, and then told.
    let holder = Holder::of(&path, &format!("BEGIN EXCLUSIVE; {}", insert_sql("bbbbbbbb")));
    let busy = read_at(Peer::Handoff, &path, temp.path());
    assert!(matches!(busy, Err(PeerError::Busy { .. })), "{busy:?}");
    drop(holder);
    assert_eq!(bodies(&read_at(Peer::Handoff, &path, temp.path()).unwrap()), ["first"]);
}

#[test]
fn an_unfinished_transaction_is_not_played_back() {
    let (temp, path, connection) = database();
    insert(&connection, "aaaaaaaa", "first");
    drop(connection);
    // With a cache of one page the change is on disk before its end, and so is the journal.
    let sql = format!(
        "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; {} UPDATE packages SET content = 'half ' || hex(zeroblob(90000));",
        insert_sql("bbbbbbbb")
    );
    Holder::of(&path, &sql).kill();
    let journal = temp.path().join("handoff.db-journal");
    assert!(fs::metadata(&journal).unwrap().len() > 512, "no journal was left");
    let store = read_at(Peer::Handoff, &path, temp.path()).unwrap();
    let told = reasons(&store).concat();
    assert!(told.contains("a change to it was never finished"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_database_that_nobody_may_write_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let (temp, path, connection) = database();
    insert(&connection, "aaaaaaaa", "first");
    connection.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    drop(connection);
    let mode =
        |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    mode(&path, 0o444);
    mode(temp.path(), 0o555);
    let store = read_at(Peer::Handoff, &path, temp.path());
    mode(temp.path(), 0o755);
    assert_eq!(bodies(&store.unwrap()), ["first"]);
    // By a link, with a name that means something in a URI.
    let link = temp.path().join("a?mode=rw#%41.db");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert_eq!(bodies(&read_at(Peer::Handoff, &link, temp.path()).unwrap()), ["first"]);
}

#[cfg(unix)]
#[test]
fn a_log_that_nobody_may_write_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let (temp, path, connection) = database();
    insert(&connection, "aaaaaaaa", "first");
    drop(connection);
    Holder::of(&path, &format!("PRAGMA journal_mode = WAL; {}", insert_sql("bbbbbbbb"))).kill();
    let mode =
        |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    let read_locked_away = || {
        for entry in fs::read_dir(temp.path()).unwrap() {
            mode(&entry.unwrap().path(), 0o444);
        }
        mode(temp.path(), 0o555);
        let store = read_at(Peer::Handoff, &path, temp.path());
        mode(temp.path(), 0o755);
        assert_eq!(bodies(&store.unwrap()), ["first", "by another"]);
    };
    read_locked_away();
    fs::remove_file(temp.path().join("handoff.db-shm")).unwrap();
    read_locked_away();
}

// agent-handover

fn header(layer: u32, day: &str) -> String {
    format!("<!-- agent-handover | layer{layer} | {day} -->\n")
}

#[test]
fn three_layers_are_read_and_every_other_file_is_told() {
    let temp = tempfile::tempdir().unwrap();
    let memory = temp.path().join("memory");
    let note = |name: &str, text: String| put(&memory.join(name), text);
    note("layer1/2026-11/api-2026-11-15.md", header(1, "2026-11-15") + "same");
    note("layer1/2026-11/web-2026-11-15.md", header(1, "2026-11-15") + "same");
    note("layer1/2026-07/api-2026-07-01.md", header(1, "2026-07-01") + "older");
    note("layer2/current-state.md", header(2, "2026-11-15") + "state");
    note("layer3/2026-07-api-archive.md", header(3, "2026-07-31") + "archive");
    note("layer1/2026-11/plain.md", "no header".to_owned());
    note("layer1/2026-11/ours-2026-11-15-a3f9c12e.md", "---\nsegue: 1\n---\nours".to_owned());
    note("layer1/2026-11/.DS_Store", "system".to_owned());
    note("layer1/2026-11/deep/x-2026-11-15.md", header(1, "2026-11-15"));
    put(&memory.join("layer3/latin.md"), [header(3, "2026-08-31").as_bytes(), b"caf\xe9"].concat());
    let store = read_at(Peer::AgentHandover, &memory, temp.path()).unwrap();
    assert_eq!(bodies(&store), ["older", "archive", "caf\u{fffd}", "same", "same", "state"]);
    assert_eq!(titles(&store)[5], "Current state");
    let [api, web] = [3, 4].map(|at: usize| &store.handoffs[at].handoff.head);
    assert_eq!(
        (&api.fields.tags[..], &web.fields.tags[..]),
        (&["api".to_owned()][..], &["web".to_owned()][..])
    );
    assert_ne!(api.id, web.id);
    assert_ne!(api.fields.aliases, web.fields.aliases);
    let shown = |name: &str| memory.join(name).display().to_string();
    assert_eq!(
        reasons(&store),
        [
            format!(
                "{}: its text is not UTF-8; replaced where it is not",
                shown("layer3/latin.md")
            ),
            format!("{}: it is a directory where none belongs", shown("layer1/2026-11/deep")),
            format!("{}: it has no header line of layer1", shown("layer1/2026-11/plain.md")),
        ]
    );
    // By the directory that has it.
    let project = read(Peer::AgentHandover, temp.path()).unwrap();
    assert_eq!(project, store);
    assert_eq!(project.handoffs[0].project_path.as_deref(), temp.path().to_str());
}

#[cfg(unix)]
#[test]
fn links_in_a_memory_are_not_followed() {
    let temp = tempfile::tempdir().unwrap();
    let memory = temp.path().join("memory");
    let secret = temp.path().join("secret.md");
    put(&secret, header(1, "2026-11-15") + "secret");
    put(&memory.join("layer1/2026-11/a-2026-11-15.md"), header(1, "2026-11-15") + "a");
    std::os::unix::fs::symlink(&secret, memory.join("layer1/2026-11/b-2026-11-15.md")).unwrap();
    std::os::unix::fs::symlink(temp.path(), memory.join("layer1/2026-12")).unwrap();
    std::os::unix::fs::symlink(temp.path(), memory.join("layer3")).unwrap();
    let store = read_at(Peer::AgentHandover, &memory, temp.path()).unwrap();
    assert_eq!(bodies(&store), ["a"]);
    assert_eq!(store.bad.len(), 3, "{:?}", store.bad);
    assert!(store.bad.iter().all(|bad| bad.reason == "it is a link, which is not followed"));
}

#[test]
fn what_is_no_memory_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let refuse = |path: &Path| refusal(read_at(Peer::AgentHandover, path, temp.path()));
    let none = "it has none of the directories layer1, layer2 and layer3";
    assert!(refuse(temp.path()).ends_with(none));
    put(&temp.path().join("a.md"), "x");
    assert!(refuse(&temp.path().join("a.md")).ends_with("it is not a directory"));
    assert!(refuse(&temp.path().join("gone")).starts_with("nothing of agent-handover is at "));
}

// agent-handoff

#[test]
fn a_workspace_is_read_and_handoff_md_is_the_latest() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("my-app");
    put(&dir.join("SOUL.md"), "# SOUL.md\n- **Created**: 2026-11-16T00:00:00Z\n");
    put(
        &dir.join("MEMORY.md"),
        "\u{feff}# MEMORY.md\r\n## Last Updated\r\n2026-11-14T00:00:00Z\r\n",
    );
    let words = "# HANDOFF.md\n- **When**: 2026-11-15T18:36:52Z\n- **Mode**: build\n- **Branch**: main\n\n## What's Next\n- Go on\n";
    put(
        &dir.join("HANDOFF.md"),
        format!("{words}<!-- segue:begin -->\nours\n<!-- segue:end -->\n"),
    );
    let store = read_at(Peer::AgentHandoff, &dir, temp.path()).unwrap();
    assert_eq!(
        titles(&store),
        ["MEMORY.md of my-app", "SOUL.md of my-app", "HANDOFF.md of my-app"]
    );
    assert_eq!(bodies(&store)[0], "# MEMORY.md\r\n## Last Updated\r\n2026-11-14T00:00:00Z\r\n");
    assert_eq!(bodies(&store)[2], words);
    let last = &store.handoffs[2].handoff;
    assert_eq!(last.head.created.to_string(), "2026-11-16T00:00:00.000001Z");
    assert_eq!(last.head.fields.mode.as_deref(), Some("build"));
    assert_eq!(last.head.fields.git.branch.as_deref(), Some("main"));
    assert_eq!(last.next(), ["Go on"]);
    assert_eq!(store.handoffs[2].project_path.as_deref(), dir.to_str());
    assert_eq!(store.handoffs[2].project_label.as_deref(), Some("my-app"));
    assert_eq!(read(Peer::AgentHandoff, &dir.join("HANDOFF.md")).unwrap(), store);
    assert_eq!(store.bad, []);
}

#[test]
fn without_a_time_in_it_a_file_has_its_own_and_the_alias_stays() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("HANDOFF.md");
    let read_aged = |seconds: u64| {
        put(&path, "- go on\n");
        let time = SystemTime::UNIX_EPOCH + Duration::new(seconds, 5_000_000);
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        let store = read_at(Peer::AgentHandoff, &path, temp.path()).unwrap();
        store.handoffs[0].handoff.head.clone()
    };
    let (first, second) = (read_aged(1_794_766_169), read_aged(1_794_766_170));
    assert_eq!(first.created.micros(), 1_794_766_169_000_000);
    assert_eq!(first.id.short(), second.id.short());
    assert_eq!(first.fields.aliases, second.fields.aliases);
    assert!(first.fields.aliases[0].starts_with("agent-handoff:"));
}

#[test]
fn utf_16_is_read_and_what_is_no_text_is_replaced_and_told_a7() {
    let temp = tempfile::tempdir().unwrap();
    let units = "\u{feff}- plan é\r\n".encode_utf16();
    put(&temp.path().join("MEMORY.md"), units.flat_map(u16::to_le_bytes).collect::<Vec<_>>());
    put(&temp.path().join("SOUL.md"), b"- **Created**: 2026-11-15\ncaf\xe9\n");
    let large = fs::File::create(temp.path().join("HANDOFF.md")).unwrap();
    large.set_len(16 * 1024 * 1024 + 1).unwrap();
    let store = read_at(Peer::AgentHandoff, temp.path(), temp.path()).unwrap();
    let mut bodies = bodies(&store);
    bodies.sort_unstable();
    assert_eq!(bodies, ["- **Created**: 2026-11-15\ncaf\u{fffd}\n", "- plan é\r\n"]);
    let reasons = reasons(&store);
    assert!(reasons[0].ends_with("SOUL.md: its text is not UTF-8; replaced where it is not"));
    assert!(reasons[1].ends_with("HANDOFF.md: it is larger than 16 MiB"), "{reasons:?}");
}

#[test]
fn what_is_no_workspace_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let refuse = |path: &Path| refusal(read_at(Peer::AgentHandoff, path, temp.path()));
    assert!(refuse(temp.path()).ends_with("it has none of SOUL.md, MEMORY.md, HANDOFF.md"));
    put(&temp.path().join("a.md"), "x");
    assert!(refuse(&temp.path().join("a.md")).ends_with("neither a directory nor HANDOFF.md"));
    assert!(refuse(&temp.path().join("gone")).starts_with("nothing of agent-handoff is at "));
    fs::create_dir(temp.path().join("HANDOFF.md")).unwrap();
    let store = read_at(Peer::AgentHandoff, temp.path(), temp.path()).unwrap();
    assert_eq!(
        (store.handoffs.len(), store.bad[0].reason.as_str()),
        (0, "it is not a regular file")
    );
}

// The real programs

/// Real files of the peers, copied to where they can be looked at, if they are at hand.
fn real(name: &str) -> Option<(TempDir, PathBuf)> {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/peers").join(name);
    if !from.exists() {
        println!("skipped: {} is not here", from.display());
        return None;
    }
    let temp = tempfile::tempdir().unwrap();
    copy(&from, &temp.path().join(name));
    let path = temp.path().join(name);
    Some((temp, path))
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        put(to, fs::read(from).unwrap());
    }
}

#[test]
fn the_real_store_of_session_handoff_is_read() {
    let Some((temp, dir)) = real("session-handoff") else { return };
    let path = dir.join("store-v1-handoffs.json");
    let store = read_at(Peer::SessionHandoff, &path, temp.path()).unwrap();
    assert_eq!((store.handoffs.len(), store.bad.len()), (3, 0));
    assert_eq!(titles(&store)[2], "Same second");
    // Its bundles are no stores.
    for name in ["bundle-v2-plain.json", "bundle-enc-v2.json", "checksum-vectors.json"] {
        let refused = read_at(Peer::SessionHandoff, &dir.join(name), temp.path());
        assert!(matches!(refused, Err(PeerError::NotOne { .. })), "{name}");
    }
}

#[test]
fn the_real_database_of_handoff_is_read() {
    let Some((temp, dir)) = real("handoff") else { return };
    let store = read_at(Peer::Handoff, &dir, temp.path()).unwrap();
    assert_eq!(store.bad, []);
    let ids = fs::read_to_string(dir.join("ids.txt")).unwrap();
    let shorts: Vec<_> = store.handoffs.iter().map(|entry| entry.handoff.head.id.short()).collect();
    assert_eq!(shorts, ids.lines().collect::<Vec<_>>());
    assert_eq!(bodies(&store)[2], fs::read_to_string(dir.join("retrieve-by-name.txt")).unwrap());
    assert_eq!(store.handoffs[2].handoff.head.fields.tags, ["x", "y"]);
}

#[test]
fn the_real_memory_of_agent_handover_is_read() {
    let Some((temp, dir)) = real("agent-handover") else { return };
    let store = read_at(Peer::AgentHandover, &dir, temp.path()).unwrap();
    assert_eq!(store.bad, []);
    let tags: Vec<_> = store.handoffs.iter().map(|e| &e.handoff.head.fields.tags[0]).collect();
    assert_eq!(tags, ["feat-login_page", "refactor", "refactor", "current-state"]);
}

#[test]
fn the_real_workspaces_of_agent_handoff_are_read() {
    let Some((temp, dir)) = real("agent-handoff") else { return };
    let store = read_at(Peer::AgentHandoff, &dir.join("init"), temp.path()).unwrap();
    assert_eq!(titles(&store), ["SOUL.md of init", "MEMORY.md of init", "HANDOFF.md of init"]);
    assert_eq!(store.bad, []);
    let last = &store.handoffs[2].handoff.head;
    assert_eq!(last.created.to_string(), "2026-11-15T18:36:52.000001Z");
    for (name, branch) in [("git", Some("main")), ("nogit", None)] {
        let to = temp.path().join(name).join("HANDOFF.md");
        copy(&dir.join(format!("HANDOFF.snapshot-{name}.md")), &to);
        let store = read_at(Peer::AgentHandoff, &to, temp.path()).unwrap();
        let head = &store.handoffs[0].handoff.head;
        assert_eq!(head.fields.git.branch.as_deref(), branch);
        assert_eq!(head.created.short(), "2026-11-15T18:36:52Z");
        assert_eq!(bodies(&store), [fs::read_to_string(&to).unwrap()]);
    }
}
