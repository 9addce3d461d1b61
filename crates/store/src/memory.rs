//! One project's memory, and what may be done with it while its lock is held.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use segue_core::{
    Draft, Handoff, HandoffId, HandoffKind, ProjectId, ShortId, SnapshotLog, Timestamp,
    current_state, current_state_id, digest, slug,
};

use crate::atomic::{self, Written};
use crate::error::{IoContext, StoreError};
use crate::index::{Filter, Listed, Scope, ScopePart, View};
use crate::layers::Layers;
use crate::layout::{
    CURRENT_STATE, FORGOTTEN, KEPT, LAYER1, LAYER2, LAYER3, LIVE, MEMORY_LOCK, PROJECT_FILE,
    PUSHED, SNAPSHOTS, TURN_LOCK, is_markdown, is_month,
};
use crate::live_files::LiveFiles;
use crate::lock::{Kind, Lock};
use crate::platform;
use crate::project_file::ProjectFile;

/// A memory whose lock is held. Only this can change what lies in it.
pub struct LockedMemory<'a> {
    pub(crate) project: ProjectId,
    /// Its directory in `$SEGUE_HOME`: locks, tombstones, what was put aside.
    pub(crate) dir: PathBuf,
    pub(crate) layers: Layers,
    pub(crate) view: &'a View,
    _lock: Lock,
}

/// A directory's time before and after a write, in nanoseconds; `None` where it was not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub name: String,
    pub before: Option<i64>,
    pub after: Option<i64>,
}

/// How thoroughly a handoff was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    Wholly,
    /// Its head may still be in the index's pages or log, because somebody else was using it.
    HeadInIndex,
}

/// A handoff that is safely on disk.
#[derive(Debug)]
pub struct Committed {
    pub handoff: Handoff,
    pub path: PathBuf,
    /// The newest handoff of all, if it is dated further ahead than clocks differ.
    pub ahead_of_clock: Option<Timestamp>,
    /// Why layer 2 could not be refreshed.
    pub state: Result<(), StoreError>,
}

impl<'a> LockedMemory<'a> {
    pub(crate) fn take(view: &'a View, project: &ProjectId) -> Result<Self, StoreError> {
        let dir = view.memory_dir(project);
        if !platform::is_dir(&dir).at("read", &dir)? {
            return Err(StoreError::NoProject(project.to_string()));
        }
        let patience = view.outside.patience();
        let lock = match Lock::take(&dir.join(MEMORY_LOCK), Kind::Exclusive, patience) {
            // It was moved into another project just now.
            Err(error) if error.io_kind() == Some(io::ErrorKind::NotFound) => {
                return Err(StoreError::NoProject(project.to_string()));
            }
            lock => lock?,
        };
        let attached = match ProjectFile::read(&dir.join(PROJECT_FILE)) {
            Ok(file) => file.attached,
            // While we waited it may have been moved into another project.
            Err(error) if error.io_kind() == Some(io::ErrorKind::NotFound) => {
                return Err(StoreError::NoProject(project.to_string()));
            }
            // One that is damaged is as it was when it was last read.
            Err(_) => view.attached_as(project)?,
        };
        let layers = match attached {
            Some(attached) => Layers::Elsewhere(attached.at),
            None => Layers::Own(dir.clone()),
        };
        Ok(Self { project: project.clone(), dir, layers, view, _lock: lock })
    }

    /// Writes a handoff: its file and its row, then layer 2.
    ///
    /// `newest` is the newest moment elsewhere that it shall come after, as far as a clock may be off.
    pub fn commit(
        &self,
        draft: &Draft,
        now: Timestamp,
        newest: Option<Timestamp>,
        random: &dyn Fn() -> u32,
    ) -> Result<Committed, StoreError> {
        let (created, ahead_of_clock) = self.next_moment(now, newest)?;
        let (handoff, path) = self.put_unused(draft, created, random)?;
        // The commit point is behind us: from here on nothing may fail the save.
        let state = self.write_state_after(&handoff, now);
        Ok(Committed { handoff, path, ahead_of_clock, state })
    }

    /// Where a draft's handoff of this id lies.
    pub(crate) fn place_of(&self, draft: &Draft, id: &HandoffId, created: Timestamp) -> PathBuf {
        let file = format!("{}-{}-{}.md", draft.fields.file_tag(), created.day(), id.short());
        self.layers.at(&[LAYER1, &created.month(), &file])
    }

    /// Writes a handoff's file, never over another, and notes it in the index.
    pub(crate) fn put(
        &self,
        draft: &Draft,
        id: &HandoffId,
        created: Timestamp,
    ) -> Result<(Handoff, PathBuf, Written), StoreError> {
        let path = self.place_of(draft, id, created);
        let handoff = Handoff::parse(draft.render(id, created))
            .map_err(|source| StoreError::BadHandoff { path: path.clone(), source })?;
        let written = self.put_handoff(&handoff, &path)?;
        Ok((handoff, path, written))
    }

    /// Where a handoff as it is lies in this memory.
    pub(crate) fn own_place_of(&self, handoff: &Handoff) -> PathBuf {
        self.layers.at(&[LAYER1, &handoff.head.created.month(), &handoff.file_name()])
    }

    /// Writes a handoff as it is to a place in the directory of its month, never over another.
    pub(crate) fn put_handoff(
        &self,
        handoff: &Handoff,
        path: &Path,
    ) -> Result<Written, StoreError> {
        let month = handoff.head.created.month();
        let (layer1, month_dir) = (self.layers.at(&[LAYER1]), self.layers.at(&[LAYER1, &month]));
        let time = |path: &Path| platform::mtime(path).at("read", path);
        self.layers.check(&month_dir)?;
        let before = [time(&layer1)?, time(&month_dir)?];
        self.layers.create_dirs(&month_dir)?;
        let written = atomic::write_new(path, handoff.source().as_bytes())?;
        let after = [&layer1, &month_dir].map(|path| time(path).ok().flatten());
        let dir = format!("{LAYER1}/{month}");
        let stamps = [
            Stamp { name: LAYER1.to_owned(), before: before[0], after: after[0] },
            Stamp { name: dir.clone(), before: before[1], after: after[1] },
        ];
        if let (Written::New, Some(file)) = (written, path.file_name()) {
            // A row that could not be written is found by the next reader through the times.
            let file = file.to_string_lossy();
            let _ = self.view.note_saved(&self.project, &dir, &file, handoff, &stamps);
        }
        Ok(written)
    }

    /// The moment of the next handoff: the clock's, but after the newest one so far. Also the newest of all, if
    /// it is dated so far ahead that nothing is dated after it.
    pub(crate) fn next_moment(
        &self,
        now: Timestamp,
        elsewhere: Option<Timestamp>,
    ) -> Result<(Timestamp, Option<Timestamp>), StoreError> {
        let credible = now.latest_credible();
        let newest_of_all = self.newest_moment(None)?;
        let ahead = newest_of_all.filter(|newest| newest.is_ahead_of(now));
        let newest = match ahead {
            Some(_) => self.newest_moment(Some(credible))?,
            None => newest_of_all,
        };
        let newest = newest.max(elsewhere.filter(|at| *at < credible));
        let created = newest.filter(|newest| *newest >= now).map_or(now, Timestamp::next);
        Ok((created, ahead))
    }

    /// The newest handoff's time, or that of the newest before a moment.
    fn newest_moment(&self, before: Option<Timestamp>) -> Result<Option<Timestamp>, StoreError> {
        if self.view.is_complete()
            && let Ok(Some(newest)) = self.view.newest(&self.project, before)
        {
            return Ok(Some(newest));
        }
        let newest = newest_of_memory(&self.layers, before, &|_| true)?;
        Ok(newest.map(|handoff| handoff.head.created))
    }

    pub(crate) fn unused_short(&self, random: &dyn Fn() -> u32) -> Result<ShortId, StoreError> {
        loop {
            if let Some(short) = ShortId::from_random(random())
                && !self.view.is_used(&short.to_string()).unwrap_or(false)
            {
                return Ok(short);
            }
        }
    }

    /// Makes layer 2 be about this handoff, which is the newest: if it can be the latest, or nothing else can.
    fn write_state_after(&self, handoff: &Handoff, now: Timestamp) -> Result<(), StoreError> {
        match handoff.head.fields.kind {
            kind if kind.can_be_latest() => self.write_state(handoff),
            HandoffKind::Snapshot => self.refresh_state(now).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Makes layer 2 be about this handoff. A text there that we did not make is put aside first.
    pub fn write_state(&self, handoff: &Handoff) -> Result<(), StoreError> {
        let path = self.layers.at(&[LAYER2, CURRENT_STATE]);
        match self.layers.read(&path) {
            Ok(there) if !there.is_empty() && !there.starts_with(b"<!-- segue | layer2 |") => {
                self.keep(CURRENT_STATE, &there, handoff.head.created)?;
            }
            _ => {}
        }
        self.layers.create_dirs(&self.layers.at(&[LAYER2]))?;
        atomic::sweep(&path);
        self.layers.replace(&path, current_state(handoff).as_bytes())
    }

    /// Removes a handoff for good: a tombstone first, then every place it lies in.
    ///
    /// `newest` is what layer 2 shall be about if it was about this one.
    pub fn forget(&self, target: &Listed, newest: Option<&Handoff>) -> Result<Removed, StoreError> {
        let id = &target.head.id;
        if !self.layers.is_elsewhere() {
            self.bury(id)?;
        }
        // Layer 2 before the rest: it would keep the text, and nobody could ask for its removal.
        let state = self.layers.at(&[LAYER2, CURRENT_STATE]);
        let about = match self.layers.read(&state) {
            Ok(text) => current_state_id(&String::from_utf8_lossy(&text)),
            Err(error) if error.io_kind() == Some(io::ErrorKind::NotFound) => None,
            // It may hold the text: then nothing is forgotten yet.
            Err(error) => return Err(error),
        };
        if about.as_ref() == Some(id) {
            match newest {
                Some(newest) => self.write_state(newest)?,
                None => self.layers.remove_file(&state)?,
            }
        }
        // Archives first: what lies in both is found by its file if this is interrupted.
        self.remove_from_archives(id)?;
        if target.archived.is_none() {
            self.layers.remove_file(&target.path)?;
            let month = target.path.parent().unwrap_or(&self.dir);
            platform::sync_dir(month).at("sync", month)?;
        }
        if self.layers.is_elsewhere() {
            // Last: what has a tombstone is not shown there, and nobody could ask for its removal.
            self.bury(id)?;
        }
        // The handoff is gone; what the index could not do now is told, not failed.
        Ok(self.view.note_removed(target).unwrap_or(Removed::HeadInIndex))
    }

    /// Whether a handoff was removed for good from here.
    pub(crate) fn is_buried(&self, id: &HandoffId) -> bool {
        self.dir.join(FORGOTTEN).join(id.as_str()).exists()
    }

    /// The tombstone of a handoff.
    fn bury(&self, id: &HandoffId) -> Result<(), StoreError> {
        let tombstones = self.dir.join(FORGOTTEN);
        atomic::create_dirs(&tombstones)?;
        atomic::write_new(&tombstones.join(id.as_str()), b"").map(|_| ())
    }

    /// Moves everything of this memory into another one, and this one out of the store.
    pub fn move_into(&self, other: &LockedMemory<'_>) -> Result<u64, StoreError> {
        // What lies in the user's trees is theirs to move.
        if let Some(elsewhere) = [self, other].into_iter().find(|one| one.layers.is_elsewhere()) {
            return Err(StoreError::NoProject(elsewhere.project.to_string()));
        }
        // Who keeps a draft here must not be at it when that is moved.
        let live = LiveFiles::of(&self.dir);
        let _live = live.path().is_dir().then(|| live.lock()).transpose()?;
        let mut moved = 0;
        // One that cannot be moved does not keep the others; it is told at the end.
        let mut failed = None;
        let layer1 = self.dir.join(LAYER1);
        for month in listing(&layer1)?.into_iter().filter(|name| is_month(name)) {
            let (from, to) = (layer1.join(&month), other.dir.join(LAYER1).join(&month));
            atomic::create_dirs(&to)?;
            for file in listing(&from)?.into_iter().filter(|name| is_markdown(name)) {
                match move_file(&from.join(&file), &to.join(&file)) {
                    Ok(()) => moved += 1,
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
            platform::sync_dir(&from).at("sync", &from)?;
            let _ = fs::remove_dir(&from);
        }
        match self.move_archives_into(other) {
            Ok(archived) => moved += archived,
            Err(error) => failed = failed.or(Some(error)),
        }
        for id in listing(&self.dir.join(FORGOTTEN))? {
            atomic::create_dirs(&other.dir.join(FORGOTTEN))?;
            atomic::write_new(&other.dir.join(FORGOTTEN).join(&id), b"")?;
            let path = self.dir.join(FORGOTTEN).join(&id);
            fs::remove_file(&path).at("remove", &path)?;
        }
        // The index does not know yet what was moved.
        other.state_by_files()?;
        if let Some(error) = failed {
            return Err(error);
        }
        // Only what is ours and empty goes; anything else keeps the directory.
        let _ = fs::remove_file(self.dir.join(LAYER2).join(CURRENT_STATE));
        self.move_kept_into(other)?;
        for name in listing(&self.dir.join(LIVE))?.into_iter().filter(|name| !name.starts_with('.'))
        {
            let (from, to) = (self.dir.join(LIVE).join(&name), other.dir.join(LIVE).join(&name));
            atomic::create_dirs(&other.dir.join(LIVE))?;
            // What the other has of the same session is as good; both come from the transcript.
            let _ = if to.exists() { fs::remove_file(&from) } else { fs::rename(&from, &to) };
        }
        for dir in [PUSHED, SNAPSHOTS] {
            let _ = fs::remove_dir_all(self.dir.join(dir));
        }
        for dir in [LAYER1, LAYER2, LAYER3, FORGOTTEN, KEPT] {
            let _ = fs::remove_dir(self.dir.join(dir));
        }
        let left = listing(&self.dir)?;
        let ours = [MEMORY_LOCK, TURN_LOCK, PROJECT_FILE, LIVE];
        if left.iter().all(|name| ours.contains(&name.as_str())) {
            // Comments and foreign entries in its project.toml are somebody's.
            let kept = other.dir.join(KEPT);
            atomic::create_dirs(&kept)?;
            let name = format!("{}-{PROJECT_FILE}", self.project);
            move_file(&self.dir.join(PROJECT_FILE), &kept.join(name))?;
            // From here on nobody keeps a draft in it, whoever waits for their lock.
            let _ = fs::remove_dir_all(self.dir.join(LIVE));
            let _ = fs::remove_file(self.dir.join(TURN_LOCK));
            let _ = fs::remove_file(self.dir.join(MEMORY_LOCK));
            let _ = fs::remove_dir(&self.dir);
        }
        Ok(moved)
    }

    /// What was put aside here is put aside there.
    fn move_kept_into(&self, other: &LockedMemory<'_>) -> Result<(), StoreError> {
        let dir = self.dir.join(KEPT);
        for name in listing(&dir)? {
            atomic::create_dirs(&other.dir.join(KEPT))?;
            move_file(&dir.join(&name), &other.dir.join(KEPT).join(&name))?;
        }
        Ok(())
    }

    /// Puts a file aside that is about to be replaced. It is not a handoff; nothing here reads it. Whoever calls
    /// has taken the secrets out of it.
    pub fn keep(&self, name: &str, bytes: &[u8], now: Timestamp) -> Result<PathBuf, StoreError> {
        let dir = self.dir.join(KEPT);
        atomic::create_dirs(&dir)?;
        atomic::write_unused(&dir, &now.compact(), name, bytes)
    }

    /// Notes what was pushed last under a key of a remote.
    pub fn note_pushed(&self, key: &str, seal: &str) -> Result<(), StoreError> {
        let dir = self.dir.join(PUSHED);
        atomic::create_dirs(&dir)?;
        atomic::replace(&dir.join(pushed_name(key)), seal.as_bytes())
    }

    /// Notes what the last snapshots of a directory were taken of.
    pub fn note_snapshots(&self, dir: &str, log: &SnapshotLog) -> Result<(), StoreError> {
        let below = self.dir.join(SNAPSHOTS);
        atomic::create_dirs(&below)?;
        atomic::replace(&below.join(&digest(dir)[..16]), log.render().as_bytes())
    }

    /// The newest credible handoff by the index, which saves reading all of its day.
    fn newest_indexed(&self, now: Timestamp) -> Option<Handoff> {
        if !self.view.is_complete() {
            return None;
        }
        let part = ScopePart::whole(self.project.clone());
        let filter = Filter { every_copy: true, credible_at: Some(now), ..Filter::default() };
        let newest = self.view.latest(&Scope::Parts(vec![part]), &filter).ok()??;
        let there = newest.archived.is_none().then(|| self.layers.read_handoff(&newest.path));
        there?.ok().filter(|handoff| handoff.head.id == newest.head.id)
    }

    /// Makes layer 2 be about the newest handoff that lies here and is not dated ahead.
    pub fn refresh_state(&self, now: Timestamp) -> Result<Option<HandoffId>, StoreError> {
        let newest = match self.newest_indexed(now) {
            Some(newest) => Some(newest),
            None => latest_of_memory(&self.layers, Some(now.latest_credible()))?,
        };
        self.write_state_of(newest)
    }

    /// As `refresh_state`, when the index does not know yet what lies here.
    pub(crate) fn state_by_files(&self) -> Result<Option<HandoffId>, StoreError> {
        self.write_state_of(latest_of_memory(&self.layers, None)?)
    }

    fn write_state_of(&self, newest: Option<Handoff>) -> Result<Option<HandoffId>, StoreError> {
        let Some(newest) = newest else { return Ok(None) };
        self.write_state(&newest)?;
        Ok(Some(newest.head.id))
    }
}

/// The file that notes what was pushed under a key.
pub(crate) fn pushed_name(key: &str) -> String {
    format!("{}-{}", slug(key), &digest(key)[..8])
}

/// Moves a file without ever replacing one.
fn move_file(from: &Path, to: &Path) -> Result<(), StoreError> {
    let bytes = fs::read(from).at("read", from)?;
    atomic::write_new(to, &bytes)?;
    fs::remove_file(from).at("remove", from)
}

/// The latest handoff by looking at files, or the latest before a moment.
fn latest_of_memory(
    memory: &Layers,
    before: Option<Timestamp>,
) -> Result<Option<Handoff>, StoreError> {
    let latest = newest_of_memory(memory, before, &HandoffKind::can_be_latest)?;
    match latest {
        None => newest_of_memory(memory, before, &|kind| kind == HandoffKind::Snapshot),
        found => Ok(found),
    }
}

/// The newest handoff of some kinds by looking at files, or the newest before a moment: those of the last day
/// that has one.
fn newest_of_memory(
    memory: &Layers,
    before: Option<Timestamp>,
    fits_kind: &dyn Fn(HandoffKind) -> bool,
) -> Result<Option<Handoff>, StoreError> {
    let layer1 = memory.at(&[LAYER1]);
    memory.check(&layer1)?;
    let (last_month, last_day) = (before.map(Timestamp::month), before.map(Timestamp::day));
    let months = listing(&layer1)?;
    let fits = |name: &&String| {
        is_month(name) && last_month.as_ref().is_none_or(|last| name.as_str() <= last.as_str())
    };
    for month in months.iter().rev().filter(fits) {
        let dir = layer1.join(month);
        memory.check(&dir)?;
        let files: Vec<String> =
            listing(&dir)?.into_iter().filter(|name| is_markdown(name)).collect();
        let mut days: Vec<Option<&str>> = files.iter().map(|file| day_of(file)).collect();
        days.sort_unstable();
        days.dedup();
        let fits = |day: &&Option<&str>| {
            last_day.as_deref().is_none_or(|last| day.is_none_or(|day| day <= last))
        };
        for day in days.iter().rev().filter(fits) {
            let newest = files
                .iter()
                .filter(|file| day_of(file) == *day)
                .filter_map(|file| memory.read_handoff(&dir.join(file)).ok())
                .filter(|handoff| before.is_none_or(|before| handoff.head.created < before))
                .filter(|handoff| fits_kind(handoff.head.fields.kind))
                .max_by_key(|handoff| handoff.head.created);
            if newest.is_some() {
                return Ok(newest);
            }
        }
    }
    Ok(None)
}

/// `2026-11-15` of `api-2026-11-15-a3f9c12e.md`, or of a peer's `api-2026-11-15.md`.
pub(crate) fn day_of(file: &str) -> Option<&str> {
    let stem = file.strip_suffix(".md")?;
    let is_day = |text: &&str| {
        text.bytes()
            .enumerate()
            .all(|(at, b)| if matches!(at, 4 | 7) { b == b'-' } else { b.is_ascii_digit() })
    };
    let ours = stem.len().checked_sub(19).and_then(|at| stem.get(at..at + 10)).filter(is_day);
    ours.or_else(|| stem.len().checked_sub(10).and_then(|at| stem.get(at..)).filter(is_day))
}

/// The sorted names in a directory, none if it is not there.
pub(crate) fn listing(path: &Path) -> Result<Vec<String>, StoreError> {
    Ok(listing_with_inodes(path)?.into_iter().map(|(name, _)| name).collect())
}

/// As `listing`, with the inode of each.
pub(crate) fn listing_with_inodes(path: &Path) -> Result<Vec<(String, i64)>, StoreError> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(Vec::new());
        }
        Err(source) => {
            return Err(StoreError::Io { what: "list", path: path.to_owned(), source });
        }
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.at("list", path)?;
        // Names that are not UTF-8 are not ours.
        if let Ok(name) = entry.file_name().into_string() {
            found.push((name, platform::entry_inode(&entry)));
        }
    }
    found.sort_unstable();
    Ok(found)
}
