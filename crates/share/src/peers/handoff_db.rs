//! The packages of handoff: one table of a SQLite database.
//!
//! What has expired is read like all else: only the peer deletes by reading.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};
use segue_core::{
    Draft, Fields, Handoff, HandoffId, Label, MAX_HANDOFF_BYTES, Name, ShortId, Tag, Timestamp,
    Value, visible_line,
};

use super::database::Database;
use super::gathered::Gathered;
use super::source::{decode_utf8, file_at, no_handoff, text_alias};
use super::written_time::written_time;
use super::{Peer, PeerError, PeerHandoff, PeerStore};

const FILE: &str = "handoff.db";
const TABLE: &str = "packages";
const COLUMNS: [&str; 8] =
    ["id", "name", "summary", "content", "tags", "project", "created_at", "expires_at"];
/// Without these there is no package.
const REQUIRED: [&str; 3] = ["id", "content", "created_at"];
/// The key under which a handoff keeps what a package has and a handoff has not.
const KEPT: &str = "handoff";

/// What `HANDOFF_DB` names, else `.handoff/handoff.db` in the user's home.
pub(super) fn default_path(
    dir: &Path,
    home: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let home = || home.map(Path::to_owned).or_else(|| set("HOME").map(PathBuf::from));
    let named = set("HANDOFF_DB").map(|path| dir.join(path));
    named.or_else(|| Some(home()?.join(".handoff").join(FILE)))
}

/// Reads a store: the database, or the one in this directory.
pub(super) fn read(path: &Path) -> Result<PeerStore, PeerError> {
    let file = file_at(Peer::Handoff, path, FILE)?;
    let database = Database::open(&file)?;
    let not_one = |reason: String| PeerError::NotOne { path: file.clone(), reason };
    let columns = columns(&database.connection).map_err(not_one)?;
    let mut gathered = Gathered::new(Peer::Handoff);
    let whole = file.display().to_string();
    if let Some(remark) = database.remark {
        gathered.note(&whole, remark);
    }
    let (rows, damage) = rows(&database.connection);
    if let Some(error) = damage {
        gathered.note(&whole, format!("a part of it cannot be read: {error}"));
    }
    for row in rows {
        match package(&database.connection, &columns, row) {
            Ok(Some(package)) => add(&mut gathered, &package, row),
            // Deleted since the rows were counted.
            Ok(None) => {}
            Err(reason) => gathered.note(&format!("the package in row {row}"), reason),
        }
    }
    match database.is_sound() {
        true => Ok(gathered.into_store(&file)),
        false => Err(PeerError::Busy { path: file }),
    }
}

/// What is selected of each column: the column, or nothing where the table has none of this name.
fn columns(connection: &Connection) -> Result<[&'static str; 8], String> {
    let unread = |error: rusqlite::Error| format!("its tables cannot be read: {error}");
    let mut query =
        connection.prepare("SELECT lower(name) FROM pragma_table_info(?1)").map_err(unread)?;
    let names = query.query_map([TABLE], |row| row.get::<_, String>(0)).map_err(unread)?;
    let names: Vec<String> = names.collect::<Result<_, _>>().map_err(unread)?;
    if names.is_empty() {
        return Err(format!("it has no table '{TABLE}'"));
    }
    let has = |column: &str| names.iter().any(|name| name == column);
    if let Some(column) = REQUIRED.into_iter().find(|column| !has(column)) {
        return Err(format!("its table '{TABLE}' has no column '{column}'"));
    }
    Ok(COLUMNS.map(|column| if has(column) { column } else { "NULL" }))
}

/// The numbers of all rows, from both ends of the table if it is damaged in between; and the damage.
fn rows(connection: &Connection) -> (BTreeSet<i64>, Option<rusqlite::Error>) {
    let mut rows = BTreeSet::new();
    let damage = list_rows(connection, "ASC", &mut rows).err();
    if damage.is_some() {
        // It ends at the same place, or it finds what lies behind that.
        let _ = list_rows(connection, "DESC", &mut rows);
    }
    (rows, damage)
}

fn list_rows(
    connection: &Connection,
    order: &str,
    rows: &mut BTreeSet<i64>,
) -> rusqlite::Result<()> {
    // Not by an index: that may be damaged, or of another age than the table.
    let sql = format!("SELECT rowid FROM {TABLE} NOT INDEXED ORDER BY rowid {order}");
    let mut query = connection.prepare(&sql)?;
    let mut found = query.query([])?;
    while let Some(row) = found.next()? {
        rows.insert(row.get(0)?);
    }
    Ok(())
}

/// A value of the table as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Cell {
    text: String,
    /// Whether all of it could be read as text.
    exact: bool,
}

/// A row of the table; what is NULL there is empty here.
struct Package {
    id: Cell,
    name: Cell,
    summary: Cell,
    content: Cell,
    tags: Cell,
    project: Cell,
    created_at: Cell,
    expires_at: Cell,
}

/// Reads one row, unless it is gone or too large.
fn package(
    connection: &Connection,
    columns: &[&str; 8],
    row: i64,
) -> Result<Option<Package>, String> {
    let failed = |error: rusqlite::Error| format!("it cannot be read: {error}");
    let sizes = columns.map(|column| format!("coalesce(octet_length({column}), 0)")).join(" + ");
    let ask = |what: &str| format!("SELECT {what} FROM {TABLE} NOT INDEXED WHERE rowid = ?1");
    let size: Option<i64> =
        connection.query_row(&ask(&sizes), [row], |row| row.get(0)).optional().map_err(failed)?;
    if size.is_some_and(|size| u64::try_from(size).is_ok_and(|size| size > MAX_HANDOFF_BYTES)) {
        return Err(format!("it is larger than {} MiB", MAX_HANDOFF_BYTES / 1024 / 1024));
    }
    connection.query_row(&ask(&columns.join(", ")), [row], read_row).optional().map_err(failed)
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<Package> {
    let cell = |at: usize| {
        let text = |text: String| Cell { text, exact: true };
        Ok::<_, rusqlite::Error>(match row.get_ref(at)? {
            ValueRef::Null => text(String::new()),
            ValueRef::Integer(number) => text(number.to_string()),
            ValueRef::Real(number) => text(number.to_string()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                let read = decode_utf8(bytes);
                Cell { text: read.text, exact: read.exact }
            }
        })
    };
    Ok(Package {
        id: cell(0)?,
        name: cell(1)?,
        summary: cell(2)?,
        content: cell(3)?,
        tags: cell(4)?,
        project: cell(5)?,
        created_at: cell(6)?,
        expires_at: cell(7)?,
    })
}

fn add(gathered: &mut Gathered, package: &Package, row: i64) {
    let id: String = visible_line(&package.id.text).chars().take(40).collect();
    let what = match id.trim().is_empty() {
        true => format!("the package in row {row}"),
        false => format!("package {id}"),
    };
    let handoff = package.handoff();
    if handoff.is_ok() {
        gathered.note_unless_exact(&what, package.is_exact());
    }
    gathered.add(&what, handoff);
}

impl Package {
    fn is_exact(&self) -> bool {
        [&self.id, &self.name, &self.summary, &self.content, &self.tags, &self.project]
            .iter()
            .all(|cell| cell.exact)
    }

    /// The handoff that it is.
    fn handoff(&self) -> Result<PeerHandoff, String> {
        let created = written_time(&self.created_at.text).ok_or_else(|| {
            let shown: String = visible_line(&self.created_at.text).chars().take(60).collect();
            format!("its 'created_at' is not a time: {shown}")
        })?;
        let mut kept = vec![("id", text(&self.id.text))];
        let project = Project::of(&self.project.text);
        let mut fields = Fields {
            project: project.label.clone(),
            summary: Some(self.summary.text.clone()).filter(|summary| !summary.is_empty()),
            expires: written_time(&self.expires_at.text),
            aliases: vec![self.alias()],
            ..Fields::default()
        };
        if !self.project.text.is_empty() {
            kept.push(("project", text(&self.project.text)));
        }
        self.put_name(&mut fields, &mut kept);
        self.put_tags(&mut fields, &mut kept);
        kept.push(("created_at", text(&self.created_at.text)));
        if !self.expires_at.text.is_empty() {
            kept.push(("expires_at", text(&self.expires_at.text)));
        }
        let kept = kept.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let extra = vec![format!("{KEPT}: {}\n", Value::Map(kept).render())];
        let draft = Draft { fields, extra, body: self.content.text.clone() };
        let handoff = Handoff::parse(draft.render(&self.handoff_id(created), created))
            .map_err(|error| no_handoff(&error))?;
        Ok(PeerHandoff { handoff, project_path: project.path, project_label: project.label })
    }

    /// Its own eight digits, if they can be ours; else some that are always the same.
    fn handoff_id(&self, created: Timestamp) -> HandoffId {
        let id = self.id.text.as_str();
        let hex = id.len() == 8 && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let number = u32::from_str_radix(id, 16).ok().filter(|_| hex);
        match number.and_then(ShortId::from_random) {
            Some(short) => HandoffId::new(created, short),
            None if id.is_empty() => HandoffId::derived(created, self.seed().as_bytes()),
            None => HandoffId::derived(created, format!("{}\0{id}", Peer::Handoff).as_bytes()),
        }
    }

    /// Its id; what cannot be typed, or means something else, is no alias.
    fn alias(&self) -> String {
        let id = self.id.text.as_str();
        match id.parse::<Name>() {
            Ok(name) if name.as_str() == id && id != "latest" => id.to_owned(),
            _ => text_alias(Peer::Handoff, &self.seed()),
        }
    }

    /// What makes it this package and no other.
    fn seed(&self) -> String {
        [&self.id, &self.name, &self.created_at, &self.content]
            .map(|cell| cell.text.as_str())
            .join("\0")
    }

    /// A name that is none here becomes the title.
    fn put_name(&self, fields: &mut Fields, kept: &mut Vec<(&'static str, Value)>) {
        let name = self.name.text.as_str();
        match name.parse::<Name>() {
            Ok(fit) => fields.name = Some(fit.into()),
            Err(_) if name.trim().is_empty() => {}
            Err(_) => fields.title = Some(visible_line(name).into_owned()),
        }
        if fields.name.as_deref() != Some(name) {
            kept.push(("name", text(name)));
        }
    }

    /// Tags that are some here; all of them as they were, if there are others.
    fn put_tags(&self, fields: &mut Fields, kept: &mut Vec<(&'static str, Value)>) {
        let raw = self.tags.text.as_str();
        let Some(tags) = tags(raw) else {
            kept.push(("tags", text(raw)));
            return;
        };
        for tag in tags.iter().filter_map(|tag| tag.parse::<Tag>().ok()) {
            if !fields.tags.iter().any(|known| known == tag.as_str()) {
                fields.tags.push(tag.as_str().to_owned());
            }
        }
        if fields.tags != tags {
            kept.push(("tags", Value::List(tags.into_iter().map(Value::Text).collect())));
        }
    }
}

/// The tags in a JSON list; nothing, `null` and an empty text are an empty list.
fn tags(raw: &str) -> Option<Vec<String>> {
    if raw.trim().is_empty() {
        return Some(Vec::new());
    }
    serde_json::from_str::<Option<Vec<String>>>(raw).ok().map(Option::unwrap_or_default)
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// What a package says of its project.
struct Project {
    path: Option<String>,
    label: Option<String>,
}

impl Project {
    /// A label, or the path of a directory whose name is the label.
    fn of(text: &str) -> Self {
        let drive = text.as_bytes().get(1..3).is_some_and(|rest| matches!(rest, b":\\" | b":/"));
        let path = (text.starts_with('/') || drive).then(|| text.to_owned());
        let name = match &path {
            Some(path) => path.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()),
            None => Some(text),
        };
        let label = name.and_then(|name| name.parse::<Label>().ok()).map(String::from);
        Self { path, label }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> Cell {
        Cell { text: text.to_owned(), exact: true }
    }

    fn package() -> Package {
        Package {
            id: cell("c0037acc"),
            name: cell("state"),
            summary: cell(""),
            content: cell("---\nbody\r\n"),
            tags: cell("null"),
            project: cell("app"),
            created_at: cell("2026-11-15 18:36:52.072724679 +0000 UTC"),
            expires_at: cell("2036-11-12 18:36:52.072724679 +0000 UTC"),
        }
    }

    fn handoff(package: &Package) -> Handoff {
        let handoff = package.handoff().unwrap().handoff;
        assert_eq!(handoff.problems, Vec::<String>::new());
        handoff
    }

    #[test]
    fn a_package_keeps_its_id_and_its_times() {
        let handoff = handoff(&package());
        assert_eq!(handoff.head.id.as_str(), "20261115-183652-c0037acc");
        assert_eq!(handoff.head.created.to_string(), "2026-11-15T18:36:52.072724Z");
        let fields = &handoff.head.fields;
        assert_eq!(fields.aliases, ["c0037acc"]);
        assert_eq!(fields.expires.unwrap().short(), "2036-11-12T18:36:52.072724Z");
        assert_eq!((fields.name.as_deref(), fields.summary.as_deref()), (Some("state"), None));
        assert_eq!(handoff.body(), "---\nbody\r\n");
        assert_eq!(
            handoff.to_draft().extra,
            [
                "handoff: {id: c0037acc, project: app, created_at: \"2026-11-15 18:36:52.072724679 +0000 UTC\", expires_at: \"2036-11-12 18:36:52.072724679 +0000 UTC\"}\n"
            ]
        );
    }

    #[test]
    fn an_id_that_is_none_here_is_an_alias_of_one_that_lasts() {
        for id in ["20261115", "C0037ACC", "my own id", "c0037acc0"] {
            let odd = Package { id: cell(id), ..package() };
            let read = handoff(&odd);
            assert_eq!(read.head.fields.aliases, [id]);
            assert!(read.head.id.short().bytes().any(|b| b.is_ascii_lowercase()), "{id}");
            assert_eq!(handoff(&odd), read);
        }
        for id in ["", "latest", "a\u{1b}[2J", " x"] {
            let read = handoff(&Package { id: cell(id), ..package() });
            assert!(read.head.fields.aliases[0].starts_with("handoff:"), "{id}");
        }
    }

    #[test]
    fn names_and_tags_that_forge_rows_are_kept_apart_c9() {
        let forged = Package {
            name: cell("a\nffffffff fake"),
            tags: cell(r#"["x", "y", "", "a,b", "x", "\u001b[2J"]"#),
            ..package()
        };
        let handoff = handoff(&forged);
        let fields = &handoff.head.fields;
        assert_eq!(
            (fields.name.as_deref(), fields.title.as_deref()),
            (None, Some("a␊ffffffff fake"))
        );
        assert_eq!(fields.tags, ["x", "y"]);
        let extra = handoff.to_draft().extra.concat();
        assert!(extra.contains(r#"name: "a\nffffffff fake""#), "{extra}");
        assert!(extra.contains(r#"tags: [x, "y", "", "a,b", x, "#), "{extra}");
    }

    #[test]
    fn tags_that_are_no_list_are_kept_as_they_are() {
        for (raw, wanted) in
            [("", ""), ("null", ""), ("[]", ""), ("[1]", "tags: \"[1]\""), ("x", "tags: x")]
        {
            let handoff = handoff(&Package { tags: cell(raw), ..package() });
            assert!(handoff.to_draft().extra.concat().contains(wanted), "{raw}");
            assert_eq!(handoff.to_draft().extra.concat().contains("tags"), !wanted.is_empty());
        }
    }

    #[test]
    fn a_project_is_a_label_or_the_path_of_one() {
        let of = |text| {
            let Project { path, label } = Project::of(text);
            (path, label.unwrap_or_default())
        };
        assert_eq!(of("todo-api"), (None, "todo-api".to_owned()));
        assert_eq!(
            of("/srv/todo-api/"),
            (Some("/srv/todo-api/".to_owned()), "todo-api".to_owned())
        );
        assert_eq!(of(r"C:\src\app"), (Some(r"C:\src\app".to_owned()), "app".to_owned()));
        assert_eq!(of("").1, "");
        assert_eq!(of("a\tb").1, "");
    }

    #[test]
    fn a_time_that_is_none_is_told() {
        let bad = Package { created_at: cell("1794766169"), ..package() };
        assert_eq!(bad.handoff().unwrap_err(), "its 'created_at' is not a time: 1794766169");
        let endless = Package { expires_at: cell("9999999"), ..package() };
        let handoff = handoff(&endless);
        assert_eq!(handoff.head.fields.expires, None);
        assert!(handoff.to_draft().extra.concat().contains("expires_at: \"9999999\""));
    }
}
