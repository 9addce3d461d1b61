//! Imports under way.
//!
//! Handoffs that come in together are staged, synced as a batch and then moved under a journal. The
//! journal is the commit point: before it nothing happened, after it whoever opens the store next
//! finishes what it says. One import is under way at a time.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use segue_core::{Archive, ArchivedEntry, Handoff, HandoffId, PayloadDigest, ProjectId};

use crate::archive_file::{month_and_tag, read_archive};
use crate::atomic::{self, Written};
use crate::error::{IoContext, StoreError};
use crate::index::{Located, View};
use crate::layout::{LAYER1, LAYER3, is_markdown};
use crate::lock::{Kind, Lock, PATIENCE};
use crate::memory::{LockedMemory, listing};
use crate::platform;
use crate::store::Store;

const LOCK: &str = ".lock";
const JOURNAL: &str = "journal";
const FIRST_LINE: &str = "segue-import 1";

/// The place of the import that is under way.
pub struct Incoming {
    dir: PathBuf,
    steps: Vec<Step>,
    staged: usize,
    /// Places that steps will fill, and places that they will leave.
    filled: HashSet<String>,
    left: HashSet<String>,
    _lock: Lock,
}

/// What a journal says, one step a line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// A file of layer 1, or an entry of an archive, is kept under the id of one that was replaced.
    Former { memory: ProjectId, place: String, seal: String, id: HandoffId, kept_as: HandoffId },
    /// A staged file becomes a file of layer 1, unless its id was forgotten meanwhile.
    Put { memory: ProjectId, id: HandoffId, month: String, file: String, staged: String },
}

impl Store {
    /// Begins an import; waits for another one to end.
    pub fn incoming(&self) -> Result<Incoming, StoreError> {
        let dir = self.layout.incoming();
        atomic::create_dirs(&dir)?;
        let lock = Lock::take(&dir.join(LOCK), Kind::Exclusive, PATIENCE)?;
        match self.layout.incoming_journal().exists() {
            true => drop(apply(&*self.writer_view()?, &dir)?),
            // What was left without a journal never happened.
            false => clear(&dir)?,
        }
        let (filled, left) = (HashSet::new(), HashSet::new());
        Ok(Incoming { dir, steps: Vec::new(), staged: 0, filled, left, _lock: lock })
    }

    /// Whether an import was cut off after its commit point, or is under way.
    pub fn has_unfinished_import(&self) -> bool {
        self.layout.incoming_journal().exists()
    }

    /// Finishes an import that was cut off after its commit point. Whether there was one.
    pub fn finish_incoming(&self, view: &View) -> Result<bool, StoreError> {
        let dir = self.layout.incoming();
        if !self.has_unfinished_import() {
            return Ok(false);
        }
        let _lock = match Lock::take(&dir.join(LOCK), Kind::Exclusive, Duration::ZERO) {
            Ok(lock) => lock,
            // It is under way.
            Err(StoreError::Busy { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        apply(view, &dir)
    }
}

impl Incoming {
    /// Stages a handoff for a memory. Nothing of it is seen before `commit`.
    pub fn stage(
        &mut self,
        view: &View,
        to: &ProjectId,
        handoff: &Handoff,
    ) -> Result<(), StoreError> {
        let staged = format!("{:06}.md", self.staged);
        let path = self.dir.join(&staged);
        let mut file = platform::create_new(&path).at("create", &path)?;
        file.write_all(handoff.source().as_bytes()).at("write", &path)?;
        if !platform::CAN_SYNC_ALL {
            file.sync_all().at("sync", &path)?;
        }
        self.staged += 1;
        let month = handoff.head.created.month();
        let name = handoff.file_name();
        let mut file = name.clone();
        for number in 1.. {
            let place = format!("{LAYER1}/{month}/{file}");
            let there = view.memory_dir(to).join(&place).exists();
            let place = format!("{to}/{place}");
            // What is replaced makes room for its successor.
            if (!there || self.left.contains(&place)) && self.filled.insert(place) {
                break;
            }
            file = format!("{}-{number}.md", name.trim_end_matches(".md"));
        }
        let id = handoff.head.id.clone();
        self.steps.push(Step::Put { memory: to.clone(), id, month, file, staged });
        Ok(())
    }

    /// Says that what lies there is replaced by what is staged next; it is kept under this id.
    pub fn replace(
        &mut self,
        view: &View,
        old: &Located,
        id: &HandoffId,
        kept_as: &HandoffId,
    ) -> Result<(), StoreError> {
        let root = view.memory_dir(&old.project);
        let place = old.path.strip_prefix(&root).ok().and_then(Path::to_str);
        let Some(place) = place.filter(|_| old.layers.is_none()) else {
            return Err(StoreError::Link { path: old.path.clone() });
        };
        let seal = match old.archived {
            Some(_) => "-".to_owned(),
            None => seal(&fs::read(&old.path).at("read", &old.path)?),
        };
        let place = place.replace(std::path::MAIN_SEPARATOR, "/");
        self.left.insert(format!("{}/{place}", old.project));
        self.steps.push(Step::Former {
            memory: old.project.clone(),
            place,
            seal,
            id: id.clone(),
            kept_as: kept_as.clone(),
        });
        Ok(())
    }

    /// The commit point, and what follows from it.
    pub fn commit(self, view: &View) -> Result<(), StoreError> {
        if self.steps.is_empty() {
            return Ok(());
        }
        platform::sync_all_of(&self.dir).at("sync", &self.dir)?;
        let mut text = format!("{FIRST_LINE}\n");
        for step in &self.steps {
            text.push_str(&step.render());
        }
        text.push_str(&format!("end {}\n", self.steps.len()));
        atomic::write_new(&self.dir.join(JOURNAL), text.as_bytes())?;
        apply(view, &self.dir)?;
        Ok(())
    }

    /// Writes one handoff that replaces nothing: by itself it is all or nothing without a journal.
    pub fn put(
        self,
        view: &View,
        to: &ProjectId,
        handoff: &Handoff,
    ) -> Result<PathBuf, StoreError> {
        let memory = LockedMemory::take(view, to)?;
        let mut path = memory.own_place_of(handoff);
        if memory.is_buried(&handoff.head.id) {
            return Ok(path);
        }
        let name = handoff.file_name();
        for number in 1.. {
            match memory.put_handoff(handoff, &path) {
                Ok(Written::New | Written::Same) => break,
                Err(StoreError::Exists { .. }) => {
                    path.set_file_name(format!("{}-{number}.md", name.trim_end_matches(".md")));
                }
                Err(error) => return Err(error),
            }
        }
        // A file is in: what layer 2 says can be made again, and fails nothing.
        let newest = view.newest(to, None).unwrap_or_default();
        if newest.is_none_or(|newest| newest <= handoff.head.created) {
            let _ = memory.write_state(handoff);
        }
        Ok(path)
    }
}

impl Drop for Incoming {
    /// What was staged and not committed is gone: a disk that was full has its room again.
    fn drop(&mut self) {
        if !self.dir.join(JOURNAL).exists() {
            let _ = clear(&self.dir);
        }
    }
}

impl Step {
    fn render(&self) -> String {
        match self {
            Self::Former { memory, place, seal, id, kept_as } => {
                format!("former {memory} {seal} {id} {kept_as} {place}\n")
            }
            Self::Put { memory, id, month, file, staged } => {
                format!("put {memory} {id} {month} {staged} {file}\n")
            }
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ')?;
        let mut words = rest.splitn(5, ' ');
        let memory = words.next()?.parse().ok()?;
        match word {
            "former" => Some(Self::Former {
                memory,
                seal: words.next()?.to_owned(),
                id: words.next()?.parse().ok()?,
                kept_as: words.next()?.parse().ok()?,
                place: words.next()?.to_owned(),
            }),
            "put" => Some(Self::Put {
                memory,
                id: words.next()?.parse().ok()?,
                month: words.next()?.to_owned(),
                staged: words.next()?.to_owned(),
                file: words.next()?.to_owned(),
            }),
            _ => None,
        }
    }

    fn memory(&self) -> &ProjectId {
        match self {
            Self::Former { memory, .. } | Self::Put { memory, .. } => memory,
        }
    }
}

/// Does what the journal says; what was done already is left as it is.
fn apply(view: &View, dir: &Path) -> Result<bool, StoreError> {
    let journal = dir.join(JOURNAL);
    let text = match fs::read_to_string(&journal) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error).at("read", &journal),
    };
    let steps = parse(&text).ok_or_else(|| StoreError::BadJournal { path: journal.clone() })?;
    let memories: BTreeSet<&str> = steps.iter().map(|step| step.memory().as_str()).collect();
    for name in memories {
        let mine: Vec<&Step> = steps.iter().filter(|step| step.memory().as_str() == name).collect();
        let Some(first) = mine.first() else { continue };
        let memory = LockedMemory::take(view, first.memory())?;
        keep_formers(&memory, &mine)?;
        let mut months = BTreeSet::new();
        for step in mine {
            let Step::Put { id, month, file, staged, .. } = step else { continue };
            if memory.is_buried(id) {
                continue;
            }
            let to = memory.dir.join(LAYER1).join(month);
            if months.insert(month) {
                atomic::create_dirs(&to)?;
            }
            put(&dir.join(staged), &to.join(file))?;
        }
        for month in months {
            let path = memory.dir.join(LAYER1).join(month);
            platform::sync_dir(&path).at("sync", &path)?;
        }
        // The index does not know yet what came in. Layer 2 can be made again and fails nothing.
        let _ = memory.state_by_files();
    }
    fs::remove_file(&journal).at("remove", &journal)?;
    platform::sync_dir(dir).at("sync", dir)?;
    clear(dir)?;
    Ok(true)
}

fn parse(text: &str) -> Option<Vec<Step>> {
    let mut lines = text.lines();
    if lines.next() != Some(FIRST_LINE) {
        return None;
    }
    let mut steps = Vec::new();
    for line in lines {
        match line.strip_prefix("end ") {
            Some(count) => return (count == steps.len().to_string()).then_some(steps),
            None => steps.push(Step::parse(line)?),
        }
    }
    None
}

fn put(staged: &Path, to: &Path) -> Result<(), StoreError> {
    match atomic::name_temp(staged, to) {
        Ok(()) => Ok(()),
        // Named before.
        Err(error) if error.kind() == io::ErrorKind::NotFound && to.exists() => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let same = fs::read(to).at("read", to)? == fs::read(staged).at("read", staged)?;
            if same { Ok(()) } else { Err(StoreError::Exists { path: to.to_owned() }) }
        }
        Err(error) => Err(error).at("write", to),
    }
}

/// Keeps what is replaced in archives, under its new id, and removes it from where it lies: each archive
/// is written once, before anything is removed.
fn keep_formers(memory: &LockedMemory<'_>, steps: &[&Step]) -> Result<(), StoreError> {
    let mut archives: BTreeMap<PathBuf, Archive> = BTreeMap::new();
    let mut gone = Vec::new();
    // Which archive an id lies in, should it have been archived since the import was planned.
    let mut archived: Option<HashMap<HandoffId, PathBuf>> = None;
    for step in steps {
        let Step::Former { place, seal: was, id, kept_as, .. } = step else { continue };
        let path = memory.dir.join(place);
        let bad = |source| StoreError::BadHandoff { path: path.clone(), source };
        let (old, lies_in) = match layer1_file(&path, was)? {
            Some(bytes) => {
                gone.push(path.clone());
                (Handoff::parse_bytes(bytes).map_err(bad)?, None)
            }
            None => {
                if archived.is_none() {
                    archived = Some(ids_in_archives(memory)?);
                }
                // Kept already, or forgotten meanwhile.
                let Some(lies_in) = archived.as_ref().and_then(|ids| ids.get(id)) else { continue };
                let archive = opened(&mut archives, memory, lies_in)?;
                let Some(entry) = archive.get(id).cloned() else { continue };
                (Handoff::parse(entry.source).map_err(bad)?, Some(lies_in.clone()))
            }
        };
        let former = old.replaced_as(kept_as).map_err(bad)?;
        let (month, tag) = (former.head.created.month(), former.head.fields.file_tag());
        let to = memory.layers.at(&[LAYER3, &format!("{month}-{tag}-archive.md")]);
        let to = lies_in.unwrap_or(to);
        let archive = opened(&mut archives, memory, &to)?;
        archive.remove(id);
        keep_in(archive, &former);
    }
    if !archives.is_empty() {
        memory.layers.create_dirs(&memory.layers.at(&[LAYER3]))?;
    }
    for (path, archive) in &archives {
        let (month, tag) = month_and_tag(path);
        memory.layers.replace(path, archive.render(&month, &tag).as_bytes())?;
    }
    let mut dirs = BTreeSet::new();
    for path in &gone {
        memory.layers.remove_file(path)?;
        dirs.insert(atomic::parent(path));
    }
    dirs.into_iter().try_for_each(|dir| platform::sync_dir(dir).at("sync", dir))
}

/// The bytes of a file of layer 1, if it is still what it was.
fn layer1_file(path: &Path, was: &str) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(bytes) if seal(&bytes) == was => Ok(Some(bytes)),
        // Its successor is there already, or it is an archive.
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).at("read", path),
    }
}

fn ids_in_archives(memory: &LockedMemory<'_>) -> Result<HashMap<HandoffId, PathBuf>, StoreError> {
    let dir = memory.layers.at(&[LAYER3]);
    let mut ids = HashMap::new();
    for name in listing(&dir)?.into_iter().filter(|name| is_markdown(name)) {
        let path = dir.join(name);
        // One that is damaged keeps what is in it.
        if let Ok(archive) = read_archive(&memory.layers, &path) {
            ids.extend(archive.entries.into_iter().map(|entry| (entry.id, path.clone())));
        }
    }
    Ok(ids)
}

fn opened<'a>(
    archives: &'a mut BTreeMap<PathBuf, Archive>,
    memory: &LockedMemory<'_>,
    path: &Path,
) -> Result<&'a mut Archive, StoreError> {
    if !archives.contains_key(path) {
        archives.insert(path.to_owned(), read_archive(&memory.layers, path)?);
    }
    Ok(archives.entry(path.to_owned()).or_default())
}

fn keep_in(archive: &mut Archive, former: &Handoff) {
    if archive.get(&former.head.id).is_none() {
        archive.add(ArchivedEntry {
            id: former.head.id.clone(),
            file: former.file_name(),
            source: former.source().to_owned(),
            offset: 0,
            gap: String::new(),
        });
    }
}

fn seal(bytes: &[u8]) -> String {
    PayloadDigest::of_bytes(bytes).to_string()
}

/// Removes everything of an import but the lock and a journal.
fn clear(dir: &Path) -> Result<(), StoreError> {
    for entry in fs::read_dir(dir).at("read", dir)? {
        let path = entry.at("read", dir)?.path();
        let name = path.file_name().unwrap_or_default();
        if name != LOCK && name != JOURNAL {
            fs::remove_file(&path).at("remove", &path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_read_whole_or_not_at_all() {
        let id: HandoffId = "20261115-174500-a3f9c12e".parse().unwrap();
        let memory: ProjectId = "todo-api-5f1c2d3e".parse().unwrap();
        let steps = vec![
            Step::Former {
                memory: memory.clone(),
                place: "layer1/2026-11/a b-2026-11-15-a3f9c12e.md".into(),
                seal: "00ff".into(),
                kept_as: id.former(1),
                id,
            },
            Step::Put {
                memory,
                id: "20261115-174500-a3f9c12e".parse().unwrap(),
                month: "2026-11".into(),
                file: "a-2026-11-15-a3f9c12e.md".into(),
                staged: "000000.md".into(),
            },
        ];
        let mut text = format!("{FIRST_LINE}\n");
        steps.iter().for_each(|step| text.push_str(&step.render()));
        let whole = format!("{text}end 2\n");
        assert_eq!(parse(&whole), Some(steps));
        assert_eq!(parse(&text), None);
        assert_eq!(parse(&format!("{text}end 3\n")), None);
        assert_eq!(parse("segue-import 2\nend 0\n"), None);
        assert_eq!(parse(""), None);
    }
}
