//! All memories of this user, under one home.

use std::cell::Cell;
use std::fmt;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use segue_core::{Handoff, ItemSource, ItemSources, PayloadDigest, ProjectId, SnapshotLog, digest};

use crate::atomic::{self, TEMP_PREFIX};
use crate::error::{IoContext, StoreError};
use crate::index::{IndexState, Listed, Located, Scope, View};
use crate::layers::Layers;
use crate::layout::{
    FORGOTTEN, LAYER1, LAYER2, LAYER3, Layout, MEMORY_LOCK, PROJECT_FILE, PUSHED, SNAPSHOTS,
    TURN_LOCK,
};
use crate::lock::{Kind, Lock, PATIENCE};
use crate::memory::{LockedMemory, listing, pushed_name};
use crate::platform;
use crate::project_file::{ProjectFile, Standing};

/// What the store needs of the world.
#[derive(Clone, Copy)]
pub struct Outside {
    /// Nanoseconds since 1970 by the clock that stamps files.
    pub clock: fn() -> i64,
    /// Is told what takes long, how much of it is done and how much there is.
    pub progress: fn(&'static str, usize, usize),
    /// Whether somebody waits who cannot: nothing is waited for that can be done without.
    pub hurried: bool,
}

impl Outside {
    /// How long somebody waits for a lock.
    pub(crate) fn patience(self) -> Duration {
        if self.hurried { PATIENCE_IN_A_HURRY } else { PATIENCE }
    }

    /// How long a reader waits while another process rebuilds the index.
    fn reader_patience(self) -> Duration {
        if self.hurried { WRITER_PATIENCE } else { READER_PATIENCE }
    }
}

/// How long a reader waits while another process rebuilds the index; a writer goes on without it.
pub(crate) const READER_PATIENCE: Duration = Duration::from_secs(5);
const WRITER_PATIENCE: Duration = Duration::from_millis(100);
/// A hook has seconds, and what it has to say besides does not need the lock.
const PATIENCE_IN_A_HURRY: Duration = Duration::from_millis(300);

/// What is brought up to date before a question.
#[derive(Clone, Copy)]
enum Look {
    AtProjects,
    OnlyAtHandoffs,
}

/// A store that need not exist yet: reading an absent one finds nothing and creates nothing.
pub struct Store {
    pub(crate) layout: Layout,
    outside: Outside,
    /// The index as the last question left it, still open for the next one: opening it costs more
    /// than most questions do. Meanwhile nobody can replace the file, so a process that stays makes
    /// a new store for each request.
    open: Cell<Option<View>>,
    /// Whether it was looked for an import that was cut off.
    looked: Cell<bool>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("layout", &self.layout).finish_non_exhaustive()
    }
}

impl Store {
    pub fn new(home: impl Into<PathBuf>, outside: Outside) -> Self {
        Self { layout: Layout::new(home), outside, open: Cell::new(None), looked: Cell::new(false) }
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn outside(&self) -> Outside {
        self.outside
    }

    /// Answers a question from the index, brought up to date for this scope.
    ///
    /// An index that is missing, old, foreign or broken is rebuilt; where that is not possible the
    /// question is answered from the files.
    pub fn ask<T>(
        &self,
        scope: &Scope,
        question: impl FnMut(&View) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.answer(scope, Look::AtProjects, question)
    }

    /// As `ask`, for who asked something before and has changed nothing since: which projects there
    /// are is not looked at again.
    pub fn ask_on<T>(
        &self,
        scope: &Scope,
        question: impl FnMut(&View) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.answer(scope, Look::OnlyAtHandoffs, question)
    }

    fn answer<T>(
        &self,
        scope: &Scope,
        look: Look,
        mut question: impl FnMut(&View) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let projects = self.layout.projects();
        if !platform::is_dir(&projects).at("read", &projects)? {
            return question(&View::in_memory(
                &self.layout,
                self.outside,
                "there is no store yet",
            )?);
        }
        self.finish_left();
        if scope.has_unattached() {
            let view = View::in_memory(&self.layout, self.outside, "a memory is not attached yet")?;
            view.refresh(&Scope::Projects)?;
            view.note_unattached(scope)?;
            view.refresh_handoffs(scope)?;
            return question(&view);
        }
        let why = match self.try_found(scope, look, &mut question)? {
            Ok(answer) => return Ok(answer),
            Err(why) => why,
        };
        let why = if why.rebuild {
            match View::rebuild(&self.layout, self.outside, &why.reason) {
                Ok(view) => match question(&view) {
                    Err(StoreError::Index(error)) => error.to_string(),
                    other => return other,
                },
                Err(error) => error.to_string(),
            }
        } else {
            why.reason
        };
        let view = View::in_memory(&self.layout, self.outside, &why)?;
        view.refresh(scope)?;
        question(&view)
    }

    fn try_found<T>(
        &self,
        scope: &Scope,
        look: Look,
        question: &mut impl FnMut(&View) -> Result<T, StoreError>,
    ) -> Result<Result<T, Unanswered>, StoreError> {
        let known = self.open.take();
        let only_handoffs = known.is_some() && matches!(look, Look::OnlyAtHandoffs);
        let opened = match known {
            Some(view) => Ok(view),
            None => View::open(&self.layout, self.outside, self.outside.reader_patience()),
        };
        let view = match opened {
            Ok(view) => view,
            Err(reason) => {
                return Ok(Err(Unanswered { reason, rebuild: true }));
            }
        };
        let looked = if only_handoffs { view.refresh_handoffs(scope) } else { view.refresh(scope) };
        let answer = looked.and_then(|()| question(&view));
        match answer {
            Err(StoreError::Index(error)) => {
                use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
                let busy = matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked));
                Ok(Err(Unanswered { reason: error.to_string(), rebuild: !busy }))
            }
            other => {
                self.open.set(Some(view));
                other.map(Ok)
            }
        }
    }

    /// Builds the index anew, now.
    pub fn rebuild_index(&self) -> Result<View, StoreError> {
        atomic::create_dirs(&self.layout.projects())?;
        self.close();
        View::rebuild(&self.layout, self.outside, "it was asked for")
    }

    /// Lets go of the index file, without which nobody can replace it, this process included. Whoever
    /// does something that takes long does this first.
    pub fn close(&self) {
        drop(self.open.take());
    }

    /// A view for a writer: the index if it is sound, else only the projects, from their files.
    /// A writer never waits for a rebuild.
    pub fn writer_view(&self) -> Result<WriterView<'_>, StoreError> {
        atomic::create_dirs(&self.layout.projects())?;
        self.finish_left();
        let of = |view: View| Ok(WriterView { view: Some(view), store: self });
        // What was open a moment ago knows which projects there are; whoever does something long
        // in between closes it.
        if let Some(view) = self.open.take() {
            return of(view);
        }
        let opened = View::open(&self.layout, self.outside, WRITER_PATIENCE);
        let reason = match opened {
            Ok(view) => match view.refresh(&Scope::Projects) {
                Ok(()) => return of(view),
                Err(StoreError::Index(error)) => error.to_string(),
                Err(error) => return Err(error),
            },
            Err(reason) => reason,
        };
        // Nothing to index yet: then the index is as quickly made as not.
        if reason == MISSING
            && listing(&self.layout.projects())?.is_empty()
            && let Ok(view) = View::rebuild(&self.layout, self.outside, &reason)
        {
            return of(view);
        }
        let view = View::in_memory(&self.layout, self.outside, &reason)?;
        view.refresh(&Scope::Projects)?;
        of(view)
    }

    /// Finishes an import that was cut off, once. Where that fails `doctor` says so; what was asked
    /// for is answered.
    fn finish_left(&self) {
        if !self.looked.replace(true) && self.layout.incoming_journal().exists() {
            let _ = self.writer_view().and_then(|view| self.finish_incoming(&view));
        }
    }

    /// The lock on one memory; the view notes what is done.
    pub fn lock<'a>(
        &self,
        view: &'a View,
        project: &ProjectId,
    ) -> Result<LockedMemory<'a>, StoreError> {
        LockedMemory::take(view, project)
    }

    /// Keeps everybody else from changing a memory. Not for those who will lock it themselves.
    pub fn hold(&self, project: &ProjectId) -> Result<Turn, StoreError> {
        Turn::take(&self.layout.memory(project).join(MEMORY_LOCK))
    }

    /// Reads a handoff from where a list says that it lies. What lies in a repository can be anybody's, whatever it
    /// says of its sources.
    pub fn read(&self, listed: &Listed) -> Result<Handoff, StoreError> {
        let mut handoff = self.read_at(&listed.located())?;
        if listed.layers.is_some() {
            handoff.head.fields.sources = ItemSources::all(ItemSource::Imported);
        }
        Ok(handoff)
    }

    /// The digest of what a handoff says itself. For a list it is taken from the index, as long as the file has the size,
    /// time and inode that were noted with it.
    pub fn payload_digest(&self, listed: &Listed) -> Result<PayloadDigest, StoreError> {
        match listed.payload.and_then(|noted| noted.digest_of(&listed.path)) {
            Some(digest) => Ok(digest),
            None => Ok(PayloadDigest::of(&self.read(listed)?.payload())),
        }
    }

    /// Reads a handoff from where a list says that it lies, or from where it was moved meanwhile.
    pub fn read_at(&self, listed: &Located) -> Result<Handoff, StoreError> {
        match listed.read(&self.layout) {
            Ok(handoff) => Ok(handoff),
            Err(missing) => self.read_moved(listed)?.ok_or(missing),
        }
    }

    /// As `read_at`; none if it was forgotten meanwhile.
    pub fn read_if_there(&self, listed: &Located) -> Result<Option<Handoff>, StoreError> {
        match listed.read(&self.layout) {
            Ok(handoff) => Ok(Some(handoff)),
            Err(_) => self.read_moved(listed),
        }
    }

    /// Reads a handoff that does not lie any more where it did: it was archived, or its archive was written anew.
    fn read_moved(&self, listed: &Located) -> Result<Option<Handoff>, StoreError> {
        let found = self.ask(&Scope::All, |view| view.copies(&listed.id))?;
        let same = found.iter().find(|one| one.project == listed.project);
        same.or(found.first()).map(|one| one.located().read(&self.layout)).transpose()
    }

    /// Waits until no other process does the same that has to be done one after the other. Others may
    /// read and save meanwhile.
    pub fn turn(&self, project: &ProjectId) -> Result<Turn, StoreError> {
        Turn::take(&self.layout.memory(project).join(TURN_LOCK))
    }

    /// Ids of handoffs that were removed for good from a memory.
    pub fn forgotten(&self, project: &ProjectId) -> Result<Vec<String>, StoreError> {
        listing(&self.layout.memory(project).join(FORGOTTEN))
    }

    /// What was pushed last under a key of a remote, as it was noted then.
    pub fn pushed(&self, project: &ProjectId, key: &str) -> Result<Option<String>, StoreError> {
        let path = self.layout.memory(project).join(PUSHED).join(pushed_name(key));
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).at("read", &path),
        }
    }

    /// What the last snapshots of a directory were taken of. What cannot be read says nothing.
    pub fn snapshots(&self, project: &ProjectId, dir: &str) -> SnapshotLog {
        let path = self.layout.memory(project).join(SNAPSHOTS).join(&digest(dir)[..16]);
        fs::read_to_string(path)
            .map_or_else(|_| SnapshotLog::default(), |text| SnapshotLog::parse(&text))
    }

    /// Temporary files older than this time that a killed process left behind.
    pub fn stale_files(&self, older_than: i64) -> Result<Vec<PathBuf>, StoreError> {
        let mut found = Vec::new();
        let mut look = |dir: &Path, prefix: &str| -> Result<(), StoreError> {
            for name in listing(dir)?.into_iter().filter(|name| name.starts_with(prefix)) {
                let path = dir.join(name);
                if platform::mtime(&path).at("read", &path)?.is_some_and(|mtime| mtime < older_than)
                {
                    found.push(path);
                }
            }
            Ok(())
        };
        look(self.layout.home(), "index.db.tmp-")?;
        look(self.layout.home(), "index.db.half")?;
        for memory in listing(&self.layout.projects())? {
            let dir = self.layout.projects().join(memory);
            look(&dir, TEMP_PREFIX)?;
            let attached =
                ProjectFile::read(&dir.join(PROJECT_FILE)).ok().and_then(|file| file.attached);
            let layers = match attached {
                None => Layers::Own(dir),
                Some(attached) if attached.standing() == Standing::Trusted => {
                    Layers::Elsewhere(attached.at)
                }
                Some(_) => continue,
            };
            let mut places = vec![layers.at(&[LAYER2]), layers.at(&[LAYER3])];
            let layer1 = layers.at(&[LAYER1]);
            if layers.check(&layer1).is_ok() {
                places.extend(listing(&layer1)?.iter().map(|month| layer1.join(month)));
            }
            // Links are told elsewhere; here they are only left alone.
            for place in places.iter().filter(|place| layers.check(place).is_ok()) {
                look(place, TEMP_PREFIX)?;
            }
        }
        Ok(found)
    }
}

/// A view for a writer. The index stays open for the next one.
pub struct WriterView<'s> {
    view: Option<View>,
    store: &'s Store,
}

impl Deref for WriterView<'_> {
    type Target = View;

    fn deref(&self) -> &View {
        // Taken out only when it is dropped.
        self.view.as_ref().expect("a view until it is dropped")
    }
}

impl Drop for WriterView<'_> {
    fn drop(&mut self) {
        // One that stands on memory alone knows the projects, not what is in them.
        self.store.open.set(self.view.take().filter(|view| view.state == IndexState::Found));
    }
}

/// One's turn; it ends when this is dropped.
#[derive(Debug)]
pub struct Turn {
    _lock: Lock,
}

impl Turn {
    pub(crate) fn take(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { _lock: Lock::take(path, Kind::Exclusive, PATIENCE)? })
    }
}

/// The reason that `View::open` gives for an index that is not there.
pub(crate) const MISSING: &str = "it is missing";

/// Why the index file as found gave no answer, and whether a new one would.
struct Unanswered {
    reason: String,
    rebuild: bool,
}
