//! Transcripts: how those of an agent are found and read.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use segue_core::session::{Recorder, Session};

use crate::agent::AGENTS;
use crate::lines::{Capture, unpacked};
use crate::places::{Places, Transcript, Where, head_of};
use crate::sqlite::{self, Foreign};
use crate::subagents::{Subagent, started_by};

type Started = fn(&Path, &Session) -> io::Result<Vec<Subagent>>;
type InFile = fn(&Path, Option<&str>) -> io::Result<Option<Transcript>>;

/// How the sessions of one agent are found and read.
pub struct Transcripts {
    /// The agent, by its word.
    pub agent: &'static str,
    /// Whether a file with this beginning is one of its transcripts.
    pub(crate) is_one: fn(&str) -> bool,
    /// Whether a database is one in which it keeps its sessions.
    pub(crate) is_database: Option<fn(&Foreign) -> rusqlite::Result<bool>>,
    /// Reads what was not read yet.
    pub(crate) read: fn(&Path, &mut Capture) -> io::Result<()>,
    /// The transcripts of the subagents of a session, the newest first.
    pub(crate) subagents: Option<Started>,
    /// The session of a file: where it holds many, the one of an id, else the newest. `None`: the file holds one
    /// session and has its id for a name.
    pub(crate) in_file: Option<InFile>,
    /// The directories and files in which it keeps the transcripts of its sessions.
    pub(crate) own_places: fn(&Places) -> Vec<PathBuf>,
    /// The session of an id.
    pub(crate) of_id: fn(&Places, &str) -> io::Result<Option<Transcript>>,
    /// The sessions that ran in one of these directories, the newest so many.
    pub(crate) newest_in: fn(&Places, &Where, usize) -> io::Result<Vec<Transcript>>,
    /// The id of a session that goes on in a directory now, if the agent tells.
    pub(crate) live: fn(&Places, &Path) -> Option<String>,
}

/// Those of every agent whose transcripts can be read.
pub fn transcripts() -> impl Iterator<Item = &'static Transcripts> {
    AGENTS.iter().filter_map(|agent| agent.transcripts.as_ref())
}

/// Bytes by which a transcript is recognised.
const HEAD: u64 = 4_096;

impl Transcripts {
    /// Those of an agent, by its word.
    pub fn of(agent: &str) -> Option<&'static Self> {
        transcripts().find(|row| row.agent == agent)
    }

    /// The row of the agent that wrote a file.
    pub fn of_file(path: &Path) -> io::Result<Option<&'static Self>> {
        // Opening a pipe would wait for somebody who writes into it.
        if !std::fs::metadata(path)?.is_file() {
            return Ok(None);
        }
        let head = head_of(unpacked(File::open(path)?)?, HEAD)?;
        if head.starts_with(sqlite::BEGINS) {
            return sqlite::read(path, |database| {
                for row in transcripts() {
                    if let Some(is_one) = row.is_database
                        && is_one(database)?
                    {
                        return Ok(Some(row));
                    }
                }
                Ok(None)
            });
        }
        Ok(transcripts().find(|row| (row.is_one)(&head)))
    }

    /// The transcript in a file: of the session of an id where it holds many, else of the newest.
    pub fn in_file(&self, path: &Path, id: Option<&str>) -> io::Result<Option<Transcript>> {
        match self.in_file {
            Some(in_file) => in_file(path, id),
            None => Transcript::at(self.agent, path.to_owned()).map(Some),
        }
    }

    /// Reads a transcript from its beginning; of a file that holds many sessions, the newest.
    pub fn read(&self, path: &Path) -> io::Result<Capture> {
        let mut capture = Capture::new(self.agent);
        self.read_on(path, &mut capture)?;
        Ok(capture)
    }

    /// Reads a session that was found from its beginning.
    pub fn read_session(&self, path: &Path, id: &str) -> io::Result<Capture> {
        let mut capture = Capture::of(self.agent, id);
        self.read_on(path, &mut capture)?;
        Ok(capture)
    }

    /// Reads a session that was found, with its story.
    pub fn story(&self, path: &Path, id: &str) -> io::Result<Recorder> {
        let mut capture = Capture::of(self.agent, id);
        capture.recorder = Recorder::telling(self.agent);
        self.read_on(path, &mut capture)?;
        Ok(capture.recorder)
    }

    /// Reads what was not read yet.
    pub fn read_on(&self, path: &Path, capture: &mut Capture) -> io::Result<()> {
        (self.read)(path, capture)?;
        self.read_subagents(path, capture);
        Ok(())
    }

    /// Reads what was not read yet of the subagents. Whatever is wrong with them, the session itself
    /// was read.
    fn read_subagents(&self, path: &Path, capture: &mut Capture) {
        let Some(subagents) = self.subagents else { return };
        let Ok(found) = subagents(path, capture.recorder.session()) else { return };
        let notes = &capture.recorder.notes;
        let records = capture.recorder.session().records;
        let started = |one: &Subagent| {
            let by = [Some(&one.id), one.call.as_ref()].into_iter().flatten();
            let noted = by.filter_map(|id| notes.get(&started_by(id))).next();
            noted.and_then(|record| record.parse().ok()).unwrap_or(records)
        };
        let left = capture.subagents.read(self.agent, found, capture.most, started, self.read);
        capture.cut |= left;
    }

    /// Whether one file holds many sessions.
    pub fn holds_many(&self) -> bool {
        self.is_database.is_some()
    }

    /// Whether a file really lies where the agent keeps its transcripts. Only what lies there can be what the user
    /// typed; any other file can be from anybody. A place that the environment moved into `untrusted` is not one.
    pub fn is_own(&self, places: &Places, path: &Path, untrusted: Option<&Path>) -> bool {
        let Ok(path) = path.canonicalize() else { return false };
        let in_home = places.in_home();
        let usual = (self.own_places)(&in_home);
        let moved = (self.own_places)(places).into_iter();
        let moved = moved.filter(|dir| dir.is_absolute()).filter_map(|dir| dir.canonicalize().ok());
        let moved = moved.filter(|dir| untrusted.is_none_or(|tree| !dir.starts_with(tree)));
        let usual = usual.into_iter().filter_map(|dir| dir.canonicalize().ok());
        moved.chain(usual).any(|dir| path.starts_with(dir))
    }

    pub fn of_id(&self, places: &Places, id: &str) -> io::Result<Option<Transcript>> {
        (self.of_id)(places, id)
    }

    /// The sessions that ran in one of these directories: the newest so many, newest first.
    pub fn newest_in(
        &self,
        places: &Places,
        place: &Where,
        most: usize,
    ) -> io::Result<Vec<Transcript>> {
        (self.newest_in)(places, place, most)
    }

    pub fn live(&self, places: &Places, dir: &Path) -> Option<String> {
        (self.live)(places, dir)
    }
}
