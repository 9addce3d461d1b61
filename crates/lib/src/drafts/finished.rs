//! Sessions that have ended: their drafts become handoffs, and what is known of them goes.

use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use segue_core::Timestamp;
use segue_store::{LiveFiles, StoreError, SweepStates};
use serde::{Deserialize, Serialize};

use super::session_key::key_of;
use super::state::state_transcript;
use super::still_running::QUIET;
use super::{CatchUpLimits, Drafts, SessionGoingOn};
use crate::Error;

/// A session that has ended, as it is noted before a handoff is made of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EndedSession {
    /// The agent, by its word.
    pub(crate) agent: String,
    /// The agent's id of it.
    pub(crate) session: String,
    #[serde(default)]
    pub(crate) transcript: Option<PathBuf>,
    /// The directory that it was about.
    pub(crate) dir: PathBuf,
    /// The project that the directory was for that process, if that was said.
    #[serde(default)]
    pub(crate) named: Option<String>,
    /// How often its handoff was begun by another session and not finished.
    #[serde(default)]
    pub(crate) attempts: u32,
}

/// So many noted ends and drafts are looked at each time; the rest the next time.
const AT_A_TIME: usize = 4;

/// Which of the sessions that have ended are picked up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PickUp {
    /// Those that nobody has tried.
    New,
    /// Those whose handoff was begun and not finished: reading them may take all the time that there is.
    Failed,
}

/// A session whose handoff was begun so often and never finished is not picked up any more. Its transcript stays.
const MOST_ATTEMPTS: u32 = 4;

/// Removes what is known of sessions that nobody can go on with any more.
pub(crate) fn sweep_states(live: &LiveFiles, now: Timestamp, states: SweepStates) {
    let now = UNIX_EPOCH + Duration::from_micros(now.micros().unsigned_abs());
    let is_gone = |state: &[u8]| state_transcript(state).is_some_and(|path| !path.exists());
    if let Ok(locked) = live.lock() {
        locked.sweep(now, states, is_gone);
    }
}

impl Drafts<'_> {
    /// The sessions that may still be going on in this directory's project.
    pub fn going_on(&self) -> Vec<SessionGoingOn> {
        let live = self.files().ok().flatten();
        let drafts = live.map(|live| self.newest(&live)).unwrap_or_default().into_iter();
        let going_on = drafts.filter(|draft| self.goes_on(&draft.handoff));
        going_on
            .map(|draft| SessionGoingOn {
                title: draft.handoff.display_title(),
                agent: draft.handoff.head.fields.tool.unwrap_or_default(),
            })
            .collect()
    }

    /// Makes handoffs of sessions that have ended without one, for a command that has written something. That this
    /// fails is no failure of the command.
    pub(crate) fn catch_up(&self, besides: Option<&str>) {
        let is_paused = self.here.brake().map_or(true, |brake| brake.pulled().is_some());
        if is_paused {
            return;
        }
        if let Err(error) = self.adopt_finished(besides, CatchUpLimits::OF_COMMAND) {
            tracing::info!("sessions without a handoff: not all were captured: {error}");
        }
    }

    /// Makes handoffs of what sessions left that have ended without one: some of them, those that wait longest
    /// first. Then of sessions that are only known by their transcripts.
    pub(crate) fn adopt_finished(
        &self,
        asking: Option<&str>,
        limits: CatchUpLimits,
    ) -> Result<usize, Error> {
        let (ended, looked_at) = self.adopt_ended(asking, PickUp::New, AT_A_TIME);
        let drafts = match self.files()? {
            Some(live) => self.adopt_quiet(&live, asking, AT_A_TIME - looked_at),
            None => Ok(0),
        };
        // That a draft cannot be written is no reason to pass over the others.
        let unsaved = self.capture_unsaved(asking, limits);
        Ok(ended + drafts? + unsaved?)
    }

    /// Makes a handoff of a session that another tried and did not finish. Nobody waits for an answer then.
    pub(crate) fn adopt_failed(&self, asking: Option<&str>) {
        self.adopt_ended(asking, PickUp::Failed, 1);
    }

    /// Notes that a session of this directory has ended, before anything is waited for.
    pub(crate) fn note_ended(&self, ended: &EndedSession) -> Result<(), Error> {
        let key = key_of(&ended.agent, &ended.session);
        let note = serde_json::to_vec(ended);
        let note = note.map_err(|error| Error::Internal(error.to_string()))?;
        Ok(self.here.store.note_ended(&key, &note)?)
    }

    /// Takes that note back: what the session left is a handoff, or it left nothing.
    pub(crate) fn remove_ended(&self, agent: &str, session: &str) {
        self.here.store.remove_ended(&key_of(agent, session));
    }

    /// What a session knew that has ended and of which there is no transcript.
    pub(crate) fn remove_state_of(&self, agent: &str, session: &str) -> Result<(), Error> {
        let (Some(live), key) = (self.files()?, key_of(agent, session)) else { return Ok(()) };
        if live.state(&key).is_some() && live.draft(&key).is_none() {
            live.lock()?.remove_state(&key);
        }
        Ok(())
    }

    /// Makes handoffs of sessions whose end was noted and not dealt with: the hook was ended, or the store was in
    /// use for too long. Gives how many became handoffs, and how many were looked at.
    fn adopt_ended(&self, asking: Option<&str>, which: PickUp, most: usize) -> (usize, usize) {
        let (mut count, mut looked_at) = (0, 0);
        let is_other = |ended: &EndedSession| {
            asking != Some(&ended.session)
                && ended.named.as_deref() == self.here.named()
                && (ended.attempts > 0) == (which == PickUp::Failed)
        };
        let read = |key: String| {
            let note = self.here.store.ended_note(&key)?;
            let ended: Option<EndedSession> = serde_json::from_slice(&note).ok();
            if ended.is_none() {
                self.here.store.remove_ended(&key);
            }
            Some((key, ended?))
        };
        let noted = self.here.store.ended().into_iter().filter_map(read);
        for (key, ended) in noted.filter(|(_, ended)| is_other(ended)).take(most) {
            looked_at += 1;
            // The process may be ended while it reads: the next session that starts shall not lose its time, too.
            let begun = EndedSession { attempts: ended.attempts + 1, ..ended.clone() };
            if begun.attempts < MOST_ATTEMPTS {
                let _ = self.note_ended(&begun);
            } else {
                self.here.store.remove_ended(&key);
            }
            match self.adopt_one_that_ended(&ended) {
                Ok(adopted) => count += usize::from(adopted),
                // Tried again later, after the others.
                Err(Error::Store(
                    StoreError::Busy { .. } | StoreError::Io { .. } | StoreError::NoProject(_),
                )) => {
                    let _ = self.note_ended(&ended);
                    continue;
                }
                Err(_) => {}
            }
            self.here.store.remove_ended(&key);
        }
        (count, looked_at)
    }

    fn adopt_one_that_ended(&self, ended: &EndedSession) -> Result<bool, Error> {
        let drafts = Drafts::of(&self.here.at(ended.dir.clone()));
        let (agent, id) = (&ended.agent, Some(ended.session.as_str()));
        let Some(seen) = drafts.sessions.of_hook(agent, ended.transcript.as_deref(), id) else {
            return Ok(false);
        };
        let kept = drafts.keep(&seen)?;
        let key = key_of(seen.agent, kept.state.id_in_files());
        drafts.adopt(&key, "which ended and left none")
    }

    fn adopt_quiet(
        &self,
        live: &LiveFiles,
        asking: Option<&str>,
        most: usize,
    ) -> Result<usize, Error> {
        let mut count = 0;
        let turn = self.here.now().micros().unsigned_abs() / 1_000_000;
        for draft in live.some_drafts(most, turn) {
            let session = draft.handoff.head.fields.session.as_deref();
            if session.is_some() && session == asking || self.goes_on(&draft.handoff) {
                continue;
            }
            // One that was written to since is told as it is now.
            let found = session.map(|session| self.sessions.of_id(session));
            if let Some(Ok(Some(seen))) = found {
                if self.here.env.since(seen.modified) < QUIET {
                    continue;
                }
                let state = self.state(live, &draft.key);
                // What it said last is read where it was: in another worktree it would be another's.
                let away = state.as_ref().and_then(|state| state.dir.as_ref());
                let is_away = away.is_some_and(|dir| dir != self.here.dir() && dir.is_dir());
                if !state.as_ref().is_some_and(|state| state.is_current(&seen)) {
                    if is_away {
                        continue;
                    }
                    self.keep(&seen)?;
                }
            }
            count += usize::from(self.adopt(&draft.key, "which ended and left none")?);
        }
        sweep_states(live, self.here.now(), SweepStates::Part);
        Ok(count)
    }
}
