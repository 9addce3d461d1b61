//! The rows of a session in OpenCode's database.

use std::io;
use std::path::Path;

use rusqlite::Result;
use rusqlite::types::ToSql;
use segue_core::session::{Recorder, TodoStatus};

use super::SLUG;
use super::record::{self, Message};
use crate::json::{self, text, wire};
use crate::lines::{Capture, Settled};
use crate::sqlite::{self, Foreign, LONGEST_VALUE};

/// Messages of a session that are read at most.
const MOST: usize = 1_000_000;
/// To-dos that are asked for at most.
const TODOS: usize = 500;
/// How a session is called before it has a title.
const UNTITLED: &[&str] = &["New session - ", "Child session - "];

/// Whether a database is OpenCode's.
pub(super) fn is_database(db: &Foreign) -> Result<bool> {
    Ok(db.has("session", &["id", "directory"])?
        && db.has("message", &["id", "session_id", "data"])?
        && db.has("part", &["id", "message_id", "data"])?)
}

/// Which sessions are asked for.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'w> {
    Id(&'w str),
    /// In a directory, by the user.
    In(&'w str),
    /// Below a directory, by the user.
    Below(&'w str),
    /// Of the subagents of a session.
    StartedBy(&'w str),
    /// In the whole database; those by the user first.
    Newest,
}

/// A session, as its row says.
#[derive(Default)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) updated: i64,
    is_subagent: bool,
    directory: String,
    title: String,
    version: String,
    workspace: Option<String>,
    /// The message, and maybe its part, back to before which the user went.
    back_to: Option<(String, Option<String>)>,
}

/// The sessions that are asked for, newest first. Columns that are not there are empty.
pub(super) fn sessions(db: &Foreign, wanted: Wanted<'_>, most: usize) -> Result<Vec<Row>> {
    if !is_database(db)? {
        return Ok(Vec::new());
    }
    let there = db.columns("session")?;
    let column = |name| if there.iter().any(|one| one == name) { name } else { "NULL" };
    let (parent, archived) = (column("parent_id"), column("time_archived"));
    let updated = column("time_updated");
    let (condition, value): (_, &dyn ToSql) = match &wanted {
        Wanted::Id(id) => ("id = ?1".to_owned(), id),
        Wanted::In(dir) => {
            (format!("directory = ?1 AND {parent} IS NULL AND {archived} IS NULL"), dir)
        }
        Wanted::Below(dir) => (
            format!(
                "substr(directory, 1, length(?1) + 1) = ?1 || '/' AND {parent} IS NULL AND {archived} IS NULL"
            ),
            dir,
        ),
        Wanted::StartedBy(session) => (format!("{parent} = ?1"), session),
        Wanted::Newest => ("?1 IS NULL".to_owned(), &None::<i64>),
    };
    let query = format!(
        "SELECT id, {updated}, {parent} IS NOT NULL, directory, {}, {}, {}, {} FROM session
         WHERE {condition}
         ORDER BY {parent} IS NOT NULL, {archived} IS NOT NULL, {updated} DESC, id LIMIT {most}",
        column("title"),
        column("version"),
        column("workspace_id"),
        column("revert"),
    );
    let mut rows = Vec::new();
    db.each(&query, [value], |row| {
        let at = |column| sqlite::text(row, column).unwrap_or_default().into_owned();
        rows.push(Row {
            id: at(0),
            updated: sqlite::number(row, 1).unwrap_or(0),
            is_subagent: sqlite::number(row, 2) == Some(1),
            directory: at(3),
            title: at(4),
            version: at(5),
            workspace: sqlite::text(row, 6).map(|id| id.into_owned()),
            back_to: sqlite::text(row, 7).and_then(|revert| back_to(&revert)),
        });
        Ok(())
    })?;
    Ok(rows)
}

fn back_to(revert: &str) -> Option<(String, Option<String>)> {
    wire! {
        struct Revert<'a> {
            message = "messageID",
            part = "partID",
        }
    }
    let revert: Revert<'_> = json::read(revert)?;
    Some((text(revert.message)?.into_owned(), text(revert.part).map(|part| part.into_owned())))
}

/// Reads what was not read yet.
pub(super) fn read(path: &Path, capture: &mut Capture) -> io::Result<()> {
    let wanted = capture.session.clone();
    let wanted = wanted.as_deref().map_or(Wanted::Newest, Wanted::Id);
    let read = sqlite::read(path, |db| {
        let Some(row) = sessions(db, wanted, 1)?.pop() else { return Ok(None) };
        read_session(db, row, capture).map(Some)
    })?;
    let missing = || io::Error::new(io::ErrorKind::NotFound, "it does not hold this session");
    let mut read = read.ok_or_else(missing)?;
    (read.subagents, read.most) = (std::mem::take(&mut capture.subagents), capture.most);
    *capture = read;
    Ok(())
}

fn read_session(db: &Foreign, row: Row, known: &Capture) -> Result<Capture> {
    let mut all = messages(db, &row.id)?;
    let mut parts_before = None;
    if let Some((message, part)) = &row.back_to
        && let Some(at) = all.iter().position(|one| one == message)
    {
        all.truncate(if part.is_some() { at + 1 } else { at });
        parts_before = part.as_deref().map(|part| (message.as_str(), part));
    }
    let up_to = |message: &str| {
        parts_before.filter(|(in_message, _)| *in_message == message).map(|(_, part)| part)
    };
    // What was read before counts if it is still there.
    let before = match known.settled.as_deref() {
        Some(before)
            if before.messages > 0
                && all.get(before.messages - 1) == Some(&before.last)
                && before.recorder.session().began_in.as_deref() == Some(&row.directory)
                && count_parts(db, &before.last, up_to(&before.last))? == before.parts =>
        {
            Some(before)
        }
        _ => None,
    };
    let (mut recorder, done) = match before {
        Some(before) => (before.recorder.clone(), before.messages),
        None => (begun(&row, known.recorder.anew()), 0),
    };
    let settled_at = last_settled(db, &all, done)?;
    let mut settled = before.cloned();
    for (at, id) in all.iter().enumerate().skip(done) {
        read_message(db, id, up_to(id), &mut recorder)?;
        if settled_at == Some(at) {
            let parts = count_parts(db, id, up_to(id))?;
            let (recorder, last) = (recorder.clone(), id.clone());
            settled = Some(Settled { recorder, messages: at + 1, last, parts });
        }
    }
    finish(db, &row, &mut recorder)?;
    let mut capture = Capture::of(SLUG, &row.id);
    (capture.recorder, capture.settled) = (recorder, settled.map(Box::new));
    Ok(capture)
}

fn begun(row: &Row, mut recorder: Recorder) -> Recorder {
    recorder.id(&row.id);
    recorder.cwd(&row.directory);
    if row.is_subagent {
        recorder.all_aside();
    }
    recorder
}

/// The ids of a session's messages in their order. The ids alone are not enough for that: the time
/// in them starts anew every two years.
fn messages(db: &Foreign, session: &str) -> Result<Vec<String>> {
    let has_time = db.has("message", &["time_created"])?;
    let time = if has_time { "time_created" } else { "NULL" };
    let query = format!("SELECT id, {time} FROM message WHERE session_id = ?1 LIMIT {MOST}");
    let mut all = Vec::new();
    db.each(&query, [session], |row| {
        if let Some(id) = sqlite::text(row, 0) {
            all.push((sqlite::number(row, 1), id.into_owned()));
        }
        Ok(())
    })?;
    all.sort();
    Ok(all.into_iter().map(|(_, id)| id).collect())
}

/// The last message up to which nothing changes any more: an answer that came to its end, and no
/// earlier one did not.
fn last_settled(db: &Foreign, all: &[String], from: usize) -> Result<Option<usize>> {
    let mut last = None;
    for (at, id) in all.iter().enumerate().skip(from) {
        let mut goes_on = true;
        data_of(db, "message WHERE id = ?1", [id], |_, data| {
            match data.and_then(Message::of) {
                Some(message) if message.is_unfinished() => goes_on = false,
                Some(message) if message.is_answer() => last = Some(at),
                _ => {}
            }
            Ok(())
        })?;
        if !goes_on {
            break;
        }
    }
    Ok(last)
}

/// Asks for ids and their data, which is none if it is damaged or too long.
fn data_of(
    db: &Foreign,
    from: &str,
    values: impl rusqlite::Params,
    mut take: impl FnMut(&str, Option<&str>) -> Result<()>,
) -> Result<()> {
    let query = format!(
        "SELECT id, CASE WHEN octet_length(data) <= {LONGEST_VALUE} THEN data END FROM {from}"
    );
    db.each(&query, values, |row| {
        let id = sqlite::text(row, 0).unwrap_or_default();
        take(&id, sqlite::text(row, 1).as_deref())
    })
}

fn count_parts(db: &Foreign, message: &str, up_to: Option<&str>) -> Result<u64> {
    let mut count = 0;
    let query = "SELECT count(*) FROM part WHERE message_id = ?1 AND (?2 IS NULL OR id < ?2)";
    db.each(query, (message, up_to), |row| {
        count = sqlite::number(row, 0).and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
        Ok(())
    })?;
    Ok(count)
}

/// Takes down a message and its parts, up to the part of an id.
fn read_message(
    db: &Foreign,
    id: &str,
    up_to: Option<&str>,
    recorder: &mut Recorder,
) -> Result<()> {
    data_of(db, "message WHERE id = ?1", [id], |_, data| {
        recorder.next_record();
        let Some(message) = data.and_then(Message::of) else {
            recorder.damaged();
            return Ok(());
        };
        message.begins(recorder);
        let mut taker = record::Parts::of(&message);
        let from = "part WHERE message_id = ?1 AND (?2 IS NULL OR id < ?2) ORDER BY id";
        data_of(db, from, (id, up_to), |part, data| {
            recorder.next_record();
            taker.take(part, data, recorder);
            Ok(())
        })?;
        message.ends(id, taker, recorder);
        Ok(())
    })
}

/// What stands beside the messages and is as it is now.
fn finish(db: &Foreign, row: &Row, recorder: &mut Recorder) -> Result<()> {
    recorder.version(&row.version);
    if !UNTITLED.iter().any(|begins| row.title.starts_with(begins)) {
        recorder.title(&row.title);
    }
    if let Some(workspace) = &row.workspace
        && db.has("workspace", &["id", "branch"])?
    {
        db.each("SELECT branch FROM workspace WHERE id = ?1", [workspace], |row| {
            sqlite::text(row, 0).iter().for_each(|branch| recorder.branch(branch));
            Ok(())
        })?;
    }
    if db.has("session", &["parent_id"])? {
        db.each("SELECT 1 FROM session WHERE parent_id = ?1", [&row.id], |_| {
            recorder.subagent();
            Ok(())
        })?;
    }
    if !db.has("todo", &["session_id", "content", "status", "position"])? {
        return Ok(());
    }
    let mut todos = Vec::new();
    let query = format!(
        "SELECT content, status FROM todo WHERE session_id = ?1 ORDER BY position LIMIT {TODOS}"
    );
    db.each(&query, [&row.id], |row| {
        if let (Some(what), Some(status)) = (sqlite::text(row, 0), sqlite::text(row, 1)) {
            todos.push((what.into_owned(), TodoStatus::of(&status)));
        }
        Ok(())
    })?;
    let known = recorder.session().todos.iter().map(|todo| (todo.text.as_str(), todo.status));
    let same = known.eq(todos.iter().map(|(what, status)| (what.trim(), *status)));
    if !todos.is_empty() && !same {
        recorder.todos(todos.iter().map(|(what, status)| (None, what.as_str(), *status)));
    }
    Ok(())
}
