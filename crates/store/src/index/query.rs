//! Questions to the index.

use std::fmt::Write as _;
use std::path::PathBuf;

use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value as Sql;
use rusqlite::{Row, params, params_from_iter};
use segue_core::{HandoffId, HandoffKind, Key, KeyKind, KnownProject, ProjectId, Timestamp};

use super::attached::Unattached;
use super::row::{COLUMNS, Listed, listed, tag_needle};
use super::{BadFile, View};
use crate::error::StoreError;

/// Which memories a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    All,
    /// Only which projects there are.
    Projects,
    Parts(Vec<ScopePart>),
}

/// One memory, or what was saved into it from another project's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopePart {
    pub memory: ProjectId,
    pub saved_from: Option<ProjectId>,
    /// Where it lies, if nobody has attached it to the store yet.
    pub unattached: Option<Unattached>,
}

impl Scope {
    pub(crate) fn covers(&self, project: &ProjectId) -> bool {
        match self {
            Self::All => true,
            Self::Projects => false,
            Self::Parts(parts) => parts.iter().any(|part| part.memory == *project),
        }
    }
}

/// What a list is narrowed by. Empty narrows nothing.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Leave out what has expired by then, and what is archived.
    pub offered_at: Option<Timestamp>,
    /// Leave out what is dated further ahead of that than clocks differ.
    pub credible_at: Option<Timestamp>,
    /// Only of these kinds.
    pub kinds: Vec<HandoffKind>,
    /// Leave out what only repeats HANDOFF.md.
    pub without_repeats: bool,
    /// Leave out snapshots of memories in which something else can be the latest.
    pub snapshots_alone: bool,
    pub id_prefix: Option<String>,
    pub tool: Option<String>,
    pub query: Option<String>,
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    pub tags: Vec<String>,
    pub name: Option<String>,
    /// Left on this branch; the inner `None` is one left on no branch.
    pub branch: Option<Option<String>>,
    /// Left in this worktree.
    pub worktree: Option<String>,
    /// Each place of a handoff that lies in several, not just one.
    pub every_copy: bool,
    pub limit: Option<u64>,
    /// Leave these out.
    pub except: Vec<HandoffId>,
}

impl Filter {
    /// Whether few will fit, so that it is cheaper to find those than to walk in order of time.
    fn is_selective(&self) -> bool {
        self.query.is_some() || self.id_prefix.is_some() || self.name.is_some()
    }
}

/// A project's label, and where else its handoffs may lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectNames {
    pub label: String,
    /// Other memories that hold handoffs saved from its directories.
    pub also: Vec<ProjectId>,
    /// Ids under which it was known before it was linked.
    pub was: Vec<ProjectId>,
    /// Memories that belong to it wholly.
    pub includes: Vec<ProjectId>,
}

/// A project as the index knows it.
#[derive(Clone, Debug)]
pub struct ProjectRow {
    pub id: ProjectId,
    pub label: String,
    pub keys: Vec<Key>,
    pub also: Vec<ProjectId>,
    /// Memories that belong to it wholly.
    pub includes: Vec<ProjectId>,
    /// Where its layers lie.
    pub path: PathBuf,
    /// Whether that is somewhere in the user's trees: then it is a memory and no project.
    pub attached: bool,
    /// Handoffs in layer 1.
    pub handoffs: u64,
    /// Handoffs in the archive.
    pub archived: u64,
    pub newest: Option<Timestamp>,
}

impl View {
    /// The handoffs of a scope, newest first, one by one.
    pub fn list(
        &self,
        scope: &Scope,
        filter: &Filter,
        each: &mut dyn FnMut(Listed) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (wheres, mut values) = conditions(filter);
        if filter.query.is_some() {
            self.define_holds()?;
        }
        // Left to itself SQLite takes sorting the whole store for cheaper than its newest few.
        let walk = match scope {
            Scope::All if filter.limit.is_some() && !filter.is_selective() => {
                " INDEXED BY handoff_time"
            }
            _ => "",
        };
        let select = |part: &str| {
            format!(
                "SELECT {COLUMNS} FROM handoff h{walk} JOIN memory m ON m.n = h.memory WHERE {part}{STAYS_FORGOTTEN}{wheres}"
            )
        };
        let Some(mut sql) = self.selects(scope, &mut values, &select)? else { return Ok(()) };
        // A union is ordered by number: created, id, where the layers lie (our own first: another's
        // file may say the same id), offset, memory, file.
        sql.push_str(" ORDER BY 9 DESC, 10 DESC, 13, 4, 11, 3");
        // With room for those that lie in two places. A limit also tells SQLite to walk in order of
        // time instead of sorting everything.
        let mut room = filter.limit.map(|limit| limit.saturating_mul(2).saturating_add(16));
        let mut given = 0;
        while self.give(&sql, &values, filter, room, &mut given, each)? == Given::NoRoom {
            room = room.map(|room| room.saturating_mul(16));
        }
        Ok(())
    }

    /// One selection for each part of a scope, together. `None` if there is nothing in it.
    pub(super) fn selects(
        &self,
        scope: &Scope,
        values: &mut Vec<Sql>,
        select: &dyn Fn(&str) -> String,
    ) -> Result<Option<String>, StoreError> {
        Ok(match scope {
            Scope::Projects => None,
            Scope::All => Some(select("1")),
            Scope::Parts(parts) => {
                let mut selects = Vec::new();
                for part in parts {
                    let Some(n) = self.memory_number(&part.memory)? else {
                        continue;
                    };
                    let mut wanted = format!("h.memory = {n}");
                    if let Some(from) = &part.saved_from {
                        values.push(Sql::Text(from.to_string()));
                        let _ = write!(wanted, " AND h.origin = ?{}", values.len());
                    }
                    selects.push(select(&wanted));
                }
                (!selects.is_empty()).then(|| selects.join(" UNION ALL "))
            }
        })
    }

    /// Defines `holds(text…, needle)`: whether one of the texts has it, whatever its case.
    fn define_holds(&self) -> rusqlite::Result<()> {
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
        self.conn.create_scalar_function("holds", 5, flags, |given| {
            let needle = given.get_raw(4).as_str().unwrap_or_default();
            let has = |at: usize| {
                let text = given.get_raw(at).as_str().unwrap_or_default();
                text.contains(needle) || text.to_lowercase().contains(needle)
            };
            Ok((0..4).any(has))
        })
    }

    /// Gives what was not given yet, and says how it ended.
    fn give(
        &self,
        sql: &str,
        values: &[Sql],
        filter: &Filter,
        room: Option<u64>,
        given: &mut u64,
        each: &mut dyn FnMut(Listed) -> Result<(), StoreError>,
    ) -> Result<Given, StoreError> {
        let room = room.map(|room| room.min(i64::MAX as u64));
        let sql = room.map_or_else(|| sql.to_owned(), |room| format!("{sql} LIMIT {room}"));
        let mut statement = self.conn.prepare(&sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        let (mut seen, mut visited) = (0, 0);
        let mut last = String::new();
        while filter.limit.is_none_or(|limit| *given < limit) {
            let Some(row) = rows.next()? else {
                // As many as there was room for: there may be more behind those that lie in several
                // places.
                return Ok(if Some(visited) == room { Given::NoRoom } else { Given::All });
            };
            visited += 1;
            // What was interrupted leaves a handoff in two places, and two clones of a repository
            // have the same one each: it is still one.
            let id = row.get_ref(9)?.as_str().unwrap_or_default();
            if id == last && !filter.every_copy {
                continue;
            }
            id.clone_into(&mut last);
            if let Some(found) = listed(row, &self.layout)? {
                seen += 1;
                if seen > *given {
                    *given += 1;
                    each(found)?;
                }
            }
        }
        Ok(Given::All)
    }

    /// The latest of a scope, among what a filter leaves: a snapshot only where nothing else is.
    pub fn latest(&self, scope: &Scope, filter: &Filter) -> Result<Option<Listed>, StoreError> {
        for kinds in [&HandoffKind::LATEST[..], &[HandoffKind::Snapshot]] {
            let filter = Filter { kinds: kinds.to_vec(), limit: Some(1), ..filter.clone() };
            if let Some(found) = self.listed(scope, &filter)?.pop() {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Every place in which a handoff lies, those in the user's trees first.
    pub fn copies(&self, id: &HandoffId) -> Result<Vec<Listed>, StoreError> {
        self.by_id("h.id = ?1 ORDER BY m.at IS NULL, m.dir, h.offset IS NOT NULL, h.file", id)
    }

    /// What imports have replaced by a handoff.
    pub fn formers(&self, id: &HandoffId) -> Result<Vec<Listed>, StoreError> {
        self.by_id("h.id > ?1 || '~' AND h.id < ?1 || '~a' ORDER BY h.id", id)
    }

    /// Every row that an id selects, forgotten or not.
    fn by_id(&self, wanted: &str, id: &HandoffId) -> Result<Vec<Listed>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM handoff h JOIN memory m ON m.n = h.memory WHERE {wanted}"
        );
        let mut statement = self.conn.prepare(&sql)?;
        let mut rows = statement.query([id.as_str()])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.extend(listed(row, &self.layout)?);
        }
        Ok(found)
    }

    /// As `list`, gathered.
    pub fn listed(&self, scope: &Scope, filter: &Filter) -> Result<Vec<Listed>, StoreError> {
        let mut found = Vec::new();
        self.list(scope, filter, &mut |row| {
            found.push(row);
            Ok(())
        })?;
        Ok(found)
    }

    /// The time of the newest handoff of a memory, or of the newest before a moment.
    pub fn newest(
        &self,
        project: &ProjectId,
        before: Option<Timestamp>,
    ) -> Result<Option<Timestamp>, StoreError> {
        let Some(n) = self.memory_number(project)? else {
            return Ok(None);
        };
        let micros: Option<i64> = self.conn.query_row(
            "SELECT max(created) FROM handoff WHERE memory = ?1 AND offset IS NULL AND created < ?2",
            [n, before.map_or(i64::MAX, Timestamp::micros)],
            |row| row.get(0),
        )?;
        Ok(micros.and_then(Timestamp::from_micros))
    }

    /// Whether a short id was ever used here, by a handoff, an alias or a forgotten one.
    pub fn is_used(&self, short: &str) -> Result<bool, StoreError> {
        Ok(self.conn.query_row(
            "SELECT EXISTS(SELECT 1 FROM handoff WHERE short = ?1) \
                 OR EXISTS(SELECT 1 FROM alias WHERE alias = ?1) \
                 OR EXISTS(SELECT 1 FROM forgotten WHERE id LIKE '%-' || ?1)",
            [short],
            |row| row.get(0),
        )?)
    }

    /// Whether a handoff of this id was removed for good, from whichever memory.
    pub fn is_forgotten(&self, id: &HandoffId) -> Result<bool, StoreError> {
        Ok(self.conn.query_row(
            "SELECT EXISTS(SELECT 1 FROM forgotten WHERE id = ?1)",
            [id.as_str()],
            |row| row.get(0),
        )?)
    }

    /// The projects that have any of these keys, with all their keys.
    pub fn with_keys(&self, keys: &[Key]) -> Result<Vec<KnownProject>, StoreError> {
        let mut found: Vec<KnownProject> = Vec::new();
        let mut owners = self.conn.prepare(
            "SELECT m.n, m.dir FROM project_key k JOIN memory m ON m.n = k.memory WHERE k.kind = ?1 AND k.value = ?2",
        )?;
        for key in keys {
            let rows = owners.query_map(params![key.kind.as_str(), key.value], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
            })?;
            for row in rows {
                let (n, dir) = row?;
                if let Ok(id) = dir.parse::<ProjectId>()
                    && !found.iter().any(|project| project.id == id)
                {
                    found.push(KnownProject { id, keys: self.keys_of(n)? });
                }
            }
        }
        Ok(found)
    }

    /// The keys of a project.
    pub fn keys(&self, project: &ProjectId) -> Result<Vec<Key>, StoreError> {
        self.memory_number(project)?.map_or_else(|| Ok(Vec::new()), |n| self.keys_of(n))
    }

    fn keys_of(&self, memory: i64) -> Result<Vec<Key>, StoreError> {
        let mut rows =
            self.conn.prepare("SELECT kind, value FROM project_key WHERE memory = ?1")?;
        let rows = rows
            .query_map([memory], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let keys = rows.filter_map(|row| {
            row.map(|(kind, value)| Some(Key { kind: KeyKind::parse(&kind)?, value })).transpose()
        });
        Ok(keys.collect::<rusqlite::Result<_>>()?)
    }

    /// The projects of this label, or the one of this id. A memory that is part of a project means
    /// that project.
    pub fn labelled(&self, label: &str) -> Result<Vec<ProjectId>, StoreError> {
        let mut rows = self.conn.prepare(
            "SELECT dir FROM memory WHERE (label = ?1 OR dir = ?1) AND at IS NULL ORDER BY dir",
        )?;
        let rows = rows.query_map([label], |row| row.get::<_, String>(0))?;
        let ids = rows.filter_map(|row| row.map(|dir| dir.parse().ok()).transpose());
        let ids: Vec<ProjectId> = ids.collect::<rusqlite::Result<_>>()?;
        match label.parse::<ProjectId>() {
            Ok(memory) if ids.is_empty() => {
                let owner = self.owner(&memory)?;
                Ok(if owner == memory { ids } else { vec![owner] })
            }
            _ => Ok(ids),
        }
    }

    /// What a project is called and where else its handoffs may lie.
    pub fn project(&self, id: &ProjectId) -> Result<Option<ProjectNames>, StoreError> {
        let mut rows = self.conn.prepare("SELECT label, also FROM memory WHERE dir = ?1")?;
        let mut rows = rows.query([id.as_str()])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let also: String = row.get(1)?;
        let after = |mark: char| {
            also.lines().filter_map(|line| line.strip_prefix(mark)?.parse().ok()).collect()
        };
        let (was, includes) = (after('='), after('+'));
        let also = also.lines().filter_map(|line| line.parse().ok()).collect();
        Ok(Some(ProjectNames { label: row.get(0)?, also, was, includes }))
    }

    /// Every project, by label.
    pub fn projects(&self) -> Result<Vec<ProjectRow>, StoreError> {
        let mut rows = self.conn.prepare(
            "SELECT m.n, m.dir, m.label, m.also, count(h.n) - count(h.offset), count(h.offset), max(h.created), m.at \
             FROM memory m LEFT JOIN handoff h ON h.memory = m.n GROUP BY m.n ORDER BY m.label, m.dir",
        )?;
        let rows = rows.query_map([], |row| {
            let also: String = row.get(3)?;
            let dir: String = row.get(1)?;
            let row_of = |id: ProjectId, row: &Row<'_>| -> rusqlite::Result<(i64, ProjectRow)> {
                let at = row.get::<_, Option<String>>(7)?.map(PathBuf::from);
                Ok((
                    row.get(0)?,
                    ProjectRow {
                        attached: at.is_some(),
                        path: at.unwrap_or_else(|| self.memory_dir(&id)),
                        id,
                        label: row.get(2)?,
                        keys: Vec::new(),
                        also: also.lines().filter_map(|id| id.parse().ok()).collect(),
                        includes: also
                            .lines()
                            .filter_map(|line| line.strip_prefix('+')?.parse().ok())
                            .collect(),
                        handoffs: row.get::<_, i64>(4)?.unsigned_abs(),
                        archived: row.get::<_, i64>(5)?.unsigned_abs(),
                        newest: row.get::<_, Option<i64>>(6)?.and_then(Timestamp::from_micros),
                    },
                ))
            };
            dir.parse().ok().map(|id| row_of(id, row)).transpose()
        })?;
        let mut found = Vec::new();
        for row in rows {
            if let Some((n, mut project)) = row? {
                project.keys = self.keys_of(n)?;
                found.push(project);
            }
        }
        Ok(found)
    }

    /// The files of a scope that could not be read.
    pub fn bad_files(&self, scope: &Scope) -> Result<Vec<BadFile>, StoreError> {
        let mut rows = self.conn.prepare(
            "SELECT m.dir, b.dir, b.file, b.reason, m.at FROM bad b JOIN memory m ON m.n = b.memory",
        )?;
        let mut rows = rows.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let memory: String = row.get(0)?;
            let (dir, file): (String, String) = (row.get(1)?, row.get(2)?);
            if let Ok(id) = memory.parse::<ProjectId>()
                && (scope.covers(&id) || dir.is_empty())
            {
                // The project's own file is never elsewhere.
                let at = row.get::<_, Option<String>>(4)?.filter(|_| !dir.is_empty());
                let mut path = at.map_or_else(|| self.memory_dir(&id), PathBuf::from);
                path.extend([dir, file].iter().filter(|part| !part.is_empty()));
                found.push(BadFile { path, reason: row.get(3)? });
            }
        }
        Ok(found)
    }

    /// How many handoffs the index knows.
    pub fn count(&self) -> Result<u64, StoreError> {
        Ok(self
            .conn
            .query_row("SELECT count(*) FROM handoff", [], |row| row.get::<_, i64>(0))?
            .unsigned_abs())
    }

    pub(super) fn memory_number(&self, id: &ProjectId) -> Result<Option<i64>, StoreError> {
        let mut rows = self.conn.prepare("SELECT n FROM memory WHERE dir = ?1")?;
        let mut rows = rows.query([id.as_str()])?;
        Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
    }
}

/// How a walk through the rows ended.
#[derive(PartialEq)]
enum Given {
    All,
    NoRoom,
}

/// What was forgotten can come back into the user's trees, as by `git pull`: it is not shown. In our
/// own directories it can only be there because forgetting was interrupted, and is to be seen.
pub(super) const STAYS_FORGOTTEN: &str =
    " AND (m.at IS NULL OR NOT EXISTS (SELECT 1 FROM forgotten f WHERE f.id = h.id))";

/// The conditions of a filter as SQL, and the values for its places.
fn conditions(filter: &Filter) -> (String, Vec<Sql>) {
    let mut sql = String::new();
    let mut values = Vec::new();
    let mut and = |condition: &str, value: Sql| {
        values.push(value);
        sql.push_str(" AND ");
        sql.push_str(&condition.replace("??", &format!("?{}", values.len())));
    };
    if let Some(now) = filter.offered_at {
        and(
            "h.offset IS NULL AND (h.expires IS NULL OR h.expires > ??)",
            Sql::Integer(now.micros()),
        );
    }
    if let Some(now) = filter.credible_at {
        and("h.created <= ??", Sql::Integer(now.latest_credible().micros()));
    }
    if !filter.kinds.is_empty() {
        let kinds: Vec<&str> = filter.kinds.iter().map(|kind| kind.as_str()).collect();
        // Between commas, so that one value is enough for all of them.
        and("instr(??, ',' || h.kind || ',') > 0", Sql::Text(format!(",{},", kinds.join(","))));
    }
    if filter.without_repeats {
        and("h.repeats = ??", Sql::Integer(0));
    }
    if filter.snapshots_alone {
        let now = filter.offered_at.map_or(i64::MIN, Timestamp::micros);
        and(
            "(h.kind <> 'snapshot' OR NOT EXISTS (SELECT 1 FROM handoff o WHERE o.memory = h.memory \
             AND o.kind IN ('handoff', 'session', 'decision') AND o.offset IS NULL \
             AND (o.expires IS NULL OR o.expires > ??)))",
            Sql::Integer(now),
        );
    }
    if let Some(prefix) = &filter.id_prefix {
        // `g` sorts after every hex digit and after `-`.
        and(
            "((h.id >= ?? AND h.id < ?? || 'g') OR (h.short >= ?? AND h.short < ?? || 'g'))",
            Sql::Text(prefix.to_ascii_lowercase()),
        );
    }
    if let Some(tool) = &filter.tool {
        and("h.tool = ??", Sql::Text(tool.to_lowercase()));
    }
    if let Some(query) = &filter.query {
        // Few will match: it is cheaper to sort those than to visit every row in order of time.
        and(
            "likelihood(holds(h.title, h.name, h.summary, h.next, ??), 0.001)",
            Sql::Text(query.to_lowercase()),
        );
    }
    if let Some(since) = filter.since {
        and("h.created >= ??", Sql::Integer(since.micros()));
    }
    if let Some(until) = filter.until {
        and("h.created <= ??", Sql::Integer(until.micros()));
    }
    for tag in &filter.tags {
        and("instr(h.tags, ??) > 0", tag_needle(tag));
    }
    if let Some(name) = &filter.name {
        and("h.name = ??", Sql::Text(name.clone()));
    }
    if !filter.except.is_empty() {
        let ids: String = filter.except.iter().map(|id| format!("{id},")).collect();
        and("instr(??, ',' || h.id || ',') = 0", Sql::Text(format!(",{ids}")));
    }
    if let Some(branch) = &filter.branch {
        and("h.branch IS ??", branch.clone().map_or(Sql::Null, Sql::Text));
    }
    if let Some(worktree) = &filter.worktree {
        and("h.worktree = ??", Sql::Text(worktree.clone()));
    }
    (sql, values)
}
