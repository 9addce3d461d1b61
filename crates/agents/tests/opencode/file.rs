//! The files: untouched, damaged, of another version, of another program.

use std::fs;
use std::io::Write;
use std::time::Duration;

use rusqlite::Connection;
use segue_agents::{Places, Transcripts, Where};
use segue_core::session::TodoStatus;
use serde_json::json;

use crate::made::{commands, opencode, prompts, said, todos, words, worked};

#[test]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "another process has to hold the lock")]
fn nothing_is_changed_beside_a_database_and_its_writer_is_not_hindered() {
    use std::ffi::OsString;
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    use std::time::SystemTime;

    let made = worked();
    let dir = made.path().parent().unwrap().to_owned();
    let seen = || -> Vec<(OsString, SystemTime, Vec<u8>)> {
        let mut all: Vec<_> = fs::read_dir(&dir)
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let modified = entry.metadata().unwrap().modified().unwrap();
                (entry.file_name(), modified, fs::read(entry.path()).unwrap())
            })
            .collect();
        all.sort();
        all.push((OsString::new(), fs::metadata(&dir).unwrap().modified().unwrap(), Vec::new()));
        all
    };
    // With a log that nobody has open any more, as after a crash.
    let (database, log) = (made.path(), dir.join("opencode.db-wal"));
    let bytes = [&database, &log].map(|path| fs::read(path).unwrap());
    let whole = made.read();
    drop(made.db);
    for (path, bytes) in [&database, &log].into_iter().zip(bytes) {
        fs::File::create(path).unwrap().write_all(&bytes).unwrap();
    }
    let before = seen();
    assert_eq!(before.len(), 3);
    assert_eq!(opencode().read(&database).unwrap().recorder.session(), &whole);
    assert_eq!(Transcripts::of_file(&database).unwrap().unwrap().agent, "opencode");
    assert_eq!(seen(), before);
    // While another process is in the middle of a transaction that excludes all others.
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "file::a_writer", "--ignored", "--nocapture"])
        .env("OPENCODE_DB", &database)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    assert!(lines.by_ref().any(|line| line.unwrap().contains("in the middle")));
    let before = seen();
    let session = opencode().read(&database).unwrap().recorder.into_session();
    assert_eq!(session.title.as_deref(), Some("Committed"));
    assert_eq!(seen(), before);
    writer.stdin.take().unwrap().write_all(b"go on\n").unwrap();
    assert!(lines.by_ref().any(|line| line.unwrap().contains("written")));
    assert!(writer.wait().unwrap().success());
    // All is in the file now, and no log is there.
    let before = seen();
    assert_eq!(before.len(), 2);
    let session = opencode().read(&database).unwrap().recorder.into_session();
    assert_eq!(session.title.as_deref(), Some("Written"));
    assert_eq!(seen(), before);
}

#[test]
#[ignore = "no test of its own: the other process that the test above starts"]
#[expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "talks with that test")]
fn a_writer() {
    let Some(path) = std::env::var_os("OPENCODE_DB") else { return };
    let db = Connection::open(path).unwrap();
    db.busy_timeout(Duration::ZERO).unwrap();
    db.execute_batch(
        "UPDATE session SET title = 'Committed'; PRAGMA cache_size = 1; BEGIN EXCLUSIVE;
         UPDATE session SET title = 'Written'; UPDATE part SET time_updated = 1;",
    )
    .unwrap();
    println!("in the middle");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    db.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    println!("written");
}

#[test]
fn other_databases_are_not_opencodes() {
    let dir = tempfile::tempdir().unwrap();
    for (name, tables) in [
        ("crush.db", "CREATE TABLE sessions (id); CREATE TABLE messages (id, session_id)"),
        (
            "view.db",
            "CREATE TABLE session (id, directory); CREATE TABLE part (id, message_id, data);
            CREATE VIEW message AS SELECT 1 AS id, 2 AS session_id, 3 AS data",
        ),
        ("less.db", "CREATE TABLE session (id); CREATE TABLE message (id); CREATE TABLE part (id)"),
    ] {
        let path = dir.path().join(name);
        Connection::open(&path).unwrap().execute_batch(tables).unwrap();
        assert!(Transcripts::of_file(&path).unwrap().is_none(), "{name}");
        assert!(opencode().read(&path).is_err(), "{name}");
    }
}

#[test]
fn damage_costs_what_is_damaged() {
    let made = worked();
    let whole = made.read();
    let long = "x".repeat(13 << 20);
    let made =
        made.answers(&[said(&long), json!([1]), json!({"type": "brand-new"}), said("There.")]);
    let made = made.run(
        "UPDATE part SET data = '{torn' WHERE data LIKE '%reasoning%';
         INSERT INTO message VALUES ('msg_9998', 'ses_1', 9e12, 1, x'ff00');
         INSERT INTO message VALUES ('msg_9999', 'ses_1', 'soon', 1, '{\"role\": \"user\", \"time\": 7}');
         INSERT INTO part VALUES ('prt_9', 'msg_9999', 'ses_1', 1, 1, x'7b2274797065223a2274657874222c2274657874223a2268c3227d');",
    );
    let session = made.read();
    assert_eq!((session.damaged, session.unknown), (4, 1));
    assert_eq!(commands(&session), commands(&whole));
    assert_eq!(words(&session).last(), Some(&"There."));
    assert_eq!(prompts(&session).len(), 2);
    // Files that are no databases, or no whole ones.
    made.db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let bytes = fs::read(made.path()).unwrap();
    let file = made.dir.path().join("x.db");
    for (bytes, said) in [
        (&b""[..], "empty"),
        (b"{}", "no SQLite database"),
        (&[7; 9_000], "encrypted"),
        (&bytes[..3_000], "malformed"),
        (&bytes[..5_000], "malformed"),
        (&bytes[..bytes.len() / 2], "malformed"),
    ] {
        fs::File::create(&file).unwrap().write_all(bytes).unwrap();
        let error = opencode().read(&file).unwrap_err().to_string();
        assert!(error.contains(said) || error.contains("not a database"), "{said}: {error}");
        let _ = Transcripts::of_file(&file);
    }
    let mut torn = bytes.clone();
    for at in (4_096..torn.len()).step_by(61) {
        torn[at] ^= 0x5a;
    }
    fs::File::create(&file).unwrap().write_all(&torn).unwrap();
    let _ = opencode().read(&file);
}

#[test]
fn columns_and_tables_may_be_missing() {
    let made = worked();
    let whole = made.read();
    let made = made.run(
        "DROP TABLE todo; DROP TABLE workspace; DROP INDEX message_idx;
         ALTER TABLE message DROP COLUMN time_created; ALTER TABLE session DROP COLUMN title;
         ALTER TABLE session DROP COLUMN parent_id; ALTER TABLE session DROP COLUMN revert;
         ALTER TABLE session DROP COLUMN time_archived; ALTER TABLE session DROP COLUMN version;
         ALTER TABLE session DROP COLUMN time_updated; ALTER TABLE session DROP COLUMN workspace_id;",
    );
    let session = made.read();
    assert_eq!((session.title.as_deref(), session.version.as_deref()), (None, None));
    assert_eq!(todos(&session), [("Fix the totals", TodoStatus::Begun)]);
    assert_eq!(prompts(&session), prompts(&whole));
    assert_eq!(session.files, whole.files);
    let places = Places { home: Some(made.dir.path().to_owned()), vars: |_| None };
    assert_eq!(opencode().newest_in(&places, &Where::from("/work/shop"), 9).unwrap().len(), 1);
}
