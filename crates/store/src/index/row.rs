//! One handoff as the index knows it: the head of its file, and a few words of its body.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row, Statement, params};
use segue_core::search::TermReader;
use segue_core::{Handoff, HandoffId, HandoffKind, Head, PayloadDigest, ProjectId, StateEntry};

use crate::error::{IoContext, StoreError};
use crate::layers::Layers;
use crate::layout::Layout;
use crate::platform::{self, Mark};

/// A handoff in a list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The memory that it lies in.
    pub project: ProjectId,
    /// That project's label.
    pub label: String,
    pub head: Head,
    /// Whether it only repeats what stands in HANDOFF.md.
    pub repeats_handoff_file: bool,
    /// Title, name or first words.
    pub title: String,
    /// Items of its Next Steps.
    pub next: Vec<String>,
    /// Its file, or the archive that it is in.
    pub path: PathBuf,
    /// Offset and length inside an archive.
    pub archived: Option<(u64, u64)>,
    /// Where its memory's layers lie, if that is somewhere in the user's trees.
    pub layers: Option<PathBuf>,
    /// What the index knows of the text of an imported handoff.
    pub payload: Option<NotedPayload>,
}

/// The digest of an imported handoff's payload, and the file of which it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotedPayload {
    digest: PayloadDigest,
    size: u64,
    mark: Mark,
}

impl NotedPayload {
    /// The digest, if the file at this path is still the same by its size, time and inode.
    pub(crate) fn digest_of(&self, path: &Path) -> Option<PayloadDigest> {
        let now = platform::size_and_mark(path).ok()?;
        (now == (self.size, self.mark)).then_some(self.digest)
    }
}

/// Where a handoff lies, and nothing else of it.
#[derive(Clone, Debug)]
pub struct Located {
    pub id: HandoffId,
    pub project: ProjectId,
    pub path: PathBuf,
    pub archived: Option<(u64, u64)>,
    pub layers: Option<PathBuf>,
}

impl Located {
    /// Reads it from where it lies. Needs no store, so that several threads can.
    pub fn read(&self, layout: &Layout) -> Result<Handoff, StoreError> {
        let layers = match &self.layers {
            Some(at) => Layers::Elsewhere(at.clone()),
            None => Layers::Own(layout.memory(&self.project)),
        };
        let handoff = layers.read_piece(&self.path, self.archived)?;
        // An archive that was written anew has another handoff there.
        if self.archived.is_some() && !self.id.is_former() && handoff.head.id != self.id {
            let error = io::Error::new(io::ErrorKind::NotFound, "another handoff is there");
            return Err(error).at("read", &self.path);
        }
        Ok(handoff)
    }
}

impl Listed {
    pub fn located(&self) -> Located {
        Located {
            id: self.head.id.clone(),
            project: self.project.clone(),
            path: self.path.clone(),
            archived: self.archived,
            layers: self.layers.clone(),
        }
    }
}

/// Where a row's handoff lies.
pub(crate) struct Place<'a> {
    pub(crate) memory: i64,
    pub(crate) dir: &'a str,
    pub(crate) file: &'a str,
    /// Offset inside an archive.
    pub(crate) offset: Option<usize>,
    pub(crate) mark: Mark,
}

/// Prepared statements that put handoffs into the index.
pub(crate) struct Inserter<'c> {
    conn: &'c Connection,
    handoff: Statement<'c>,
    alias: Statement<'c>,
    supersedes: Statement<'c>,
    pending: Statement<'c>,
    entry: Statement<'c>,
    /// Made with the first handoff.
    reader: Option<TermReader>,
}

impl<'c> Inserter<'c> {
    pub(crate) fn new(conn: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            conn,
            handoff: conn.prepare(
                "INSERT INTO handoff(memory, dir, file, offset, size, mtime, inode, id, short, origin, created, expires, \
                 name, tool, tags, title, next, summary, head, branch, worktree, kind, repeats, payload) \
                 VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22,?23,?24)",
            )?,
            alias: conn.prepare("INSERT OR IGNORE INTO alias(alias, handoff) VALUES (?1, ?2)")?,
            supersedes: conn
                .prepare("INSERT OR IGNORE INTO supersedes(old, handoff) VALUES (?1, ?2)")?,
            pending: conn.prepare("INSERT INTO pending(memory, handoff) VALUES (?1, ?2)")?,
            entry: conn.prepare("INSERT INTO state_entry(handoff, entry, lasts) VALUES (?1, ?2, ?3)")?,
            reader: None,
        })
    }

    pub(crate) fn insert(&mut self, place: &Place<'_>, handoff: &Handoff) -> rusqlite::Result<()> {
        let head = &handoff.head;
        let fields = &head.fields;
        let (head_text, title, next) = texts(handoff);
        self.handoff.execute(params![
            place.memory,
            place.dir,
            place.file,
            place.offset.map(|offset| offset as i64),
            handoff.source().len() as i64,
            place.mark.mtime,
            place.mark.inode,
            head.id.as_str(),
            head.id.short(),
            fields.saved_from.project,
            head.created.micros(),
            fields.expires.map(|at| at.micros()),
            fields.name,
            fields.tool.as_ref().map(|tool| tool.to_lowercase()),
            tag_text(&fields.tags),
            title,
            next,
            fields.summary,
            head_text,
            fields.git.branch,
            fields.saved_from.worktree,
            fields.kind.as_str(),
            fields.repeats_handoff_file(),
            payload_to_note(place, handoff).map(|digest| digest.0),
        ])?;
        let n = self.conn.last_insert_rowid();
        self.pending.execute(params![place.memory, n])?;
        let reader = self.reader.get_or_insert_default();
        let entry = StateEntry::of(handoff, reader);
        if let Some((json, lasts)) =
            entry.and_then(|entry| Some((serde_json::to_string(&entry).ok()?, entry.lasts())))
        {
            self.entry.execute(params![n, json, lasts])?;
        }
        for alias in &fields.aliases {
            self.alias.execute(params![alias, n])?;
        }
        for old in &fields.supersedes {
            self.supersedes.execute(params![old, n])?;
        }
        Ok(())
    }
}

/// The digest that is noted: only signatures ask for it, so only of what was imported and has a file of its own.
fn payload_to_note(place: &Place<'_>, handoff: &Handoff) -> Option<PayloadDigest> {
    let is_signed_file = handoff.head.fields.imported.is_some() && place.offset.is_none();
    is_signed_file.then(|| PayloadDigest::of(&handoff.payload()))
}

/// What a row keeps of a handoff's text: its head, title and next steps.
pub(crate) fn texts(handoff: &Handoff) -> (String, String, String) {
    let source = handoff.source();
    let head = source[..source.len() - handoff.body().len()].to_owned();
    (head, handoff.display_title(), handoff.next().join("\n"))
}

/// Tags as one text in which each stands between line ends.
fn tag_text(tags: &[String]) -> String {
    if tags.is_empty() { String::new() } else { format!("\n{}\n", tags.join("\n")) }
}

/// The text by which `tag_text` finds one tag.
pub(crate) fn tag_needle(tag: &str) -> Sql {
    Sql::Text(format!("\n{tag}\n"))
}

pub(crate) const COLUMNS: &str = "h.memory, h.dir, h.file, h.offset, h.size, h.title, h.next, h.head, h.created, h.id, m.dir, m.label, m.at, h.kind, h.repeats, h.payload, h.mtime, h.inode";

/// Reads a row of `COLUMNS`. `None` if its head no longer parses, which a rebuild mends.
pub(crate) fn listed(row: &Row<'_>, layout: &Layout) -> rusqlite::Result<Option<Listed>> {
    let head: String = row.get(7)?;
    let project: String = row.get(10)?;
    let (Ok(mut handoff), Ok(project)) = (Handoff::parse(head), project.parse::<ProjectId>())
    else {
        return Ok(None);
    };
    // Without its body a file of format 1 does not show it.
    let kind: String = row.get(13)?;
    handoff.head.fields.kind = kind.parse().unwrap_or(HandoffKind::Other);
    let dir: String = row.get(1)?;
    let file: String = row.get(2)?;
    let offset: Option<i64> = row.get(3)?;
    let size: i64 = row.get(4)?;
    let next: String = row.get(6)?;
    let digest: Option<[u8; 32]> = row.get(15)?;
    let payload = match digest {
        Some(digest) => Some(NotedPayload {
            digest: PayloadDigest(digest),
            size: size.unsigned_abs(),
            mark: Mark { mtime: row.get(16)?, inode: row.get(17)? },
        }),
        None => None,
    };
    let layers = row.get::<_, Option<String>>(12)?.map(PathBuf::from);
    let root = layers.clone().unwrap_or_else(|| layout.memory(&project));
    Ok(Some(Listed {
        path: root.join(dir).join(file),
        layers,
        project,
        label: row.get(11)?,
        head: handoff.head,
        repeats_handoff_file: row.get(14)?,
        title: row.get(5)?,
        next: next.lines().map(str::to_owned).collect(),
        archived: offset.map(|offset| (offset.unsigned_abs(), size.unsigned_abs())),
        payload,
    }))
}
