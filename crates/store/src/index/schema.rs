//! The tables of the index. Derived: a changed schema is a new version, and the index is built anew.

/// Kept in SQLite's `user_version`. Count up with every change below.
pub(crate) const VERSION: i64 = 10;

/// Kept in SQLite's `application_id`: "Sgue".
pub(crate) const APPLICATION: i64 = 0x5367_7565;

/// The tables, and what filling them needs.
pub(crate) const TABLES: &str = "
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE memory(
  n INTEGER PRIMARY KEY,
  dir TEXT NOT NULL UNIQUE,
  label TEXT NOT NULL,
  -- A line each: memories with handoffs from here, after '=' projects that were linked into it, after
  -- '+' memories that belong to it wholly.
  also TEXT NOT NULL,
  -- Where its layers lie, if not in its own directory.
  at TEXT,
  identity TEXT,
  trusted INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX memory_label ON memory(label);
CREATE TABLE project_key(kind TEXT NOT NULL, value TEXT NOT NULL, memory INTEGER NOT NULL,
  PRIMARY KEY(kind, value, memory)) WITHOUT ROWID;
CREATE TABLE stamp(memory INTEGER NOT NULL, name TEXT NOT NULL, mtime INTEGER NOT NULL,
  noted INTEGER NOT NULL, PRIMARY KEY(memory, name)) WITHOUT ROWID;
CREATE TABLE handoff(
  -- Never given again: the text index may still have terms of a row that is gone.
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  memory INTEGER NOT NULL,
  dir TEXT NOT NULL,
  file TEXT NOT NULL,
  offset INTEGER,
  size INTEGER NOT NULL,
  mtime INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  id TEXT NOT NULL,
  short TEXT NOT NULL,
  origin TEXT,
  created INTEGER NOT NULL,
  expires INTEGER,
  kind TEXT NOT NULL,
  -- Whether it only repeats HANDOFF.md.
  repeats INTEGER NOT NULL,
  name TEXT,
  tool TEXT,
  branch TEXT,
  worktree TEXT,
  tags TEXT NOT NULL,
  title TEXT NOT NULL,
  summary TEXT,
  next TEXT NOT NULL,
  head TEXT NOT NULL,
  -- Digest of what was imported, as long as the file has this size, mtime and inode.
  payload BLOB
);
-- What each handoff contributes to the state of its project, as JSON, and whether that matters however old it is.
CREATE TABLE state_entry(handoff INTEGER PRIMARY KEY, entry TEXT NOT NULL, lasts INTEGER NOT NULL);
CREATE INDEX state_entry_lasts ON state_entry(lasts) WHERE lasts;
CREATE TRIGGER state_entry_goes AFTER DELETE ON handoff BEGIN
  DELETE FROM state_entry WHERE handoff = OLD.n;
END;
CREATE INDEX handoff_place ON handoff(memory, dir, file);
CREATE TABLE alias(alias TEXT NOT NULL, handoff INTEGER NOT NULL, PRIMARY KEY(alias, handoff)) WITHOUT ROWID;
CREATE INDEX alias_handoff ON alias(handoff);
CREATE TABLE supersedes(old TEXT NOT NULL, handoff INTEGER NOT NULL, PRIMARY KEY(old, handoff)) WITHOUT ROWID;
CREATE INDEX supersedes_handoff ON supersedes(handoff);
CREATE TABLE forgotten(memory INTEGER NOT NULL, id TEXT NOT NULL, PRIMARY KEY(id, memory)) WITHOUT ROWID;
CREATE TABLE bad(memory INTEGER NOT NULL, dir TEXT NOT NULL, file TEXT NOT NULL, reason TEXT NOT NULL,
  mtime INTEGER NOT NULL,
  PRIMARY KEY(memory, dir, file)) WITHOUT ROWID;
-- Handoffs whose text is not indexed yet.
CREATE TABLE pending(memory INTEGER NOT NULL, handoff INTEGER NOT NULL, PRIMARY KEY(memory, handoff)) WITHOUT ROWID;
-- Handoffs that are gone while their terms are still in the text index.
CREATE TABLE dropped(memory INTEGER NOT NULL, handoff INTEGER NOT NULL, PRIMARY KEY(memory, handoff)) WITHOUT ROWID;
-- The text index, in pieces that are written once: which passages of which handoffs a piece has, and
-- for every term in which of them it is.
CREATE TABLE segment(n INTEGER PRIMARY KEY AUTOINCREMENT, memory INTEGER NOT NULL, handoffs INTEGER NOT NULL,
  passages INTEGER NOT NULL, words INTEGER NOT NULL, docs BLOB NOT NULL);
CREATE INDEX segment_memory ON segment(memory);
CREATE TABLE posting(segment INTEGER NOT NULL, term TEXT NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(segment, term)) WITHOUT ROWID;
-- What decisions are about, as a hash.
CREATE TABLE decision(memory INTEGER NOT NULL, subject INTEGER NOT NULL, created INTEGER NOT NULL,
  handoff INTEGER NOT NULL, PRIMARY KEY(memory, subject, created, handoff)) WITHOUT ROWID;
";

/// What only questions need. Made after the rows it is faster than row by row.
pub(crate) const INDEXES: &str = "
CREATE INDEX IF NOT EXISTS handoff_id ON handoff(id);
CREATE INDEX IF NOT EXISTS handoff_short ON handoff(short);
CREATE INDEX IF NOT EXISTS handoff_time ON handoff(created, id);
CREATE INDEX IF NOT EXISTS handoff_memory ON handoff(memory, created, id);
CREATE INDEX IF NOT EXISTS handoff_kind ON handoff(memory, kind);
CREATE INDEX IF NOT EXISTS handoff_name ON handoff(name, memory, created, id) WHERE name IS NOT NULL;
";
