//! Sessions that have ended and left no handoff, because no hook of theirs ran or none said that they end: whoever
//! writes next makes handoffs of them.

use std::path::Path;
use std::time::Duration;

use segue_agents::Transcripts;
use segue_core::session::Session;
use segue_store::LiveFiles;

use super::Drafts;
use super::session_key::key_of;
use super::state::{ReadMark, read_mark, state_directory};
use super::still_running::QUIET;
use crate::Error;
use crate::sessions::SessionSeen;

/// How much is done at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CatchUpLimits {
    /// Sessions that are looked at: the newest.
    listed: usize,
    /// Sessions of these that are read.
    sessions: usize,
    /// Bytes of their transcripts.
    bytes: u64,
    /// After so long no other one is begun.
    time: Duration,
}

impl CatchUpLimits {
    /// For the hook at the start of a session, whose briefing somebody waits for.
    pub(crate) const AT_START: Self =
        Self { listed: 32, sessions: 4, bytes: 48 << 20, time: Duration::from_millis(700) };
    /// For the hook at the end of a session, which its agent may stop at any time.
    pub(crate) const AT_END: Self =
        Self { listed: 8, sessions: 1, bytes: 8 << 20, time: Duration::from_millis(100) };
    /// For a command.
    pub(crate) const OF_COMMAND: Self =
        Self { listed: 256, sessions: 16, bytes: 512 << 20, time: Duration::from_secs(3) };
}

/// An older session is left alone: what was done with it may not be known any more.
const OLDEST: Duration = Duration::from_secs(30 * 86_400);

impl Drafts<'_> {
    /// Makes handoffs of the sessions of this directory that have ended and left none, the newest first.
    pub(crate) fn capture_unsaved(
        &self,
        besides: Option<&str>,
        limits: CatchUpLimits,
    ) -> Result<usize, Error> {
        let began = self.here.env.now();
        let live = self.files()?;
        let (mut captured, mut read, mut bytes) = (0, 0, 0);
        let mut failed = None;
        for seen in self.sessions.newest(limits.listed)?.into_iter().take(limits.listed) {
            if read == limits.sessions || self.here.env.since(began) > limits.time {
                break;
            }
            let size = if holds_many(seen.agent) { 0 } else { seen.size };
            let is_due = besides != Some(&seen.id)
                && self.has_ended(&seen)
                && bytes + size <= limits.bytes
                && !self.is_settled(live.as_ref(), &seen);
            if !is_due {
                continue;
            }
            (read, bytes) = (read + 1, bytes + size);
            match self.capture_session(&seen) {
                Ok(is_new) => captured += usize::from(is_new),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(captured), Err)
    }

    /// Makes a handoff of a session that has ended.
    fn capture_session(&self, seen: &SessionSeen) -> Result<bool, Error> {
        let kept = self.keep_if(seen, &|session| self.is_of_here(session))?;
        match kept.draft {
            Some(_) => self.adopt(&key_of(seen.agent, &seen.id), "whose hooks did not run"),
            None => Ok(false),
        }
    }

    /// Whether a session is over: nothing was written for a while, and it has no process.
    fn has_ended(&self, seen: &SessionSeen) -> bool {
        let now = self.here.now();
        let ago = self.here.env.since(seen.modified);
        !seen.modified.is_ahead_of(now)
            && (QUIET..OLDEST).contains(&ago)
            && !self.is_running(seen.agent, &seen.id)
    }

    /// Whether everything of a session is in a handoff or was forgotten. Only the beginning of its state is read.
    fn is_settled(&self, live: Option<&LiveFiles>, seen: &SessionSeen) -> bool {
        let key = key_of(seen.agent, &seen.id);
        let Some(live) = live.filter(|live| live.knows(&key)) else {
            // A session that another project knows is that project's.
            let known = self.here.store.live_with(&key).and_then(|live| live.state_beginning(&key));
            let dir = known.as_ref().map(|state| state_directory(state));
            return dir.is_some_and(|dir| dir.is_none_or(|dir| !self.is_dir_of_here(&dir)));
        };
        let mark = live.state_beginning(&key).and_then(|state| read_mark(&state));
        let is_read = |mark: ReadMark| {
            mark.transcript == seen.path
                && mark.modified == seen.modified.micros()
                // What was not read to its end is read on.
                && mark.size > 0
        };
        mark.is_some_and(is_read) && live.draft(&key).is_none()
    }

    /// Whether a session belongs to this project: a directory below may be another repository.
    pub(super) fn is_of_here(&self, session: &Session) -> bool {
        let dirs = [session.began_in.as_deref(), session.cwd.as_deref()];
        let mut there = dirs.into_iter().flatten().map(Path::new).filter(|dir| dir.is_dir());
        // Of a directory that is gone nobody knows more than that it was here.
        there.next().is_none_or(|dir| self.is_dir_of_here(dir))
    }

    fn is_dir_of_here(&self, dir: &Path) -> bool {
        let Ok(dir) = dir.canonicalize() else { return false };
        match self.here.claimed_repo() {
            Some(repo) => {
                let found = self.here.claimed_repo_at(&dir);
                found.is_some_and(|found| found.common_dir == repo.common_dir)
            }
            None => self.here.dir().canonicalize().is_ok_and(|here| here == dir),
        }
    }
}

/// Whether a file of an agent's holds many sessions: then its size says nothing of one.
fn holds_many(agent: &str) -> bool {
    Transcripts::of(agent).is_some_and(Transcripts::holds_many)
}
