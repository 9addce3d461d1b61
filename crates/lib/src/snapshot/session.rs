//! The session that a snapshot is made out of: which one it is, what it tells, when and where it was.

use std::path::Path;

use segue_core::session::Session;
use segue_core::{CAPTURE_BUDGET, Distilled, Handoff, ItemSources, SeenGit, WordsWritten};
use segue_share::git::Discovery;
use segue_store::Listed;

use super::request::SnapshotRequest;
use super::see_git::{Commits, Snapshots};
use crate::Error;
use crate::handoffs::is_in_own_words;
use crate::here::GitStateAnswer;
use crate::sessions::session_place::SessionPlace;
use crate::sessions::{Captured, SessionRef};

/// A session that a snapshot tells.
pub(super) struct CapturedSession {
    pub(super) session: Session,
    /// What its agent calls it.
    pub(super) session_id: String,
    pub(super) distilled: Distilled,
    pub(super) place: SessionPlace,
    /// Whether git's state of now is the one that the session left.
    pub(super) shows_git: bool,
    /// What its agent saved in its own words.
    pub(super) saved_words: Option<Handoff>,
}

impl CapturedSession {
    /// Whether the session goes on, or ended just now.
    pub(super) fn is_of_now(&self) -> bool {
        self.place.is_fresh()
    }
}

impl Snapshots<'_> {
    /// The handoff that has all of a session already, if the session came to its end long ago and nobody asked for
    /// it by name: then it is not what goes on now.
    pub(super) fn captured_before(
        &self,
        captured: &Captured,
        request: &SnapshotRequest,
    ) -> Result<Option<Listed>, Error> {
        let asked_for = request.from != SessionRef::Current || request.session.is_some();
        if asked_for || request.captured.is_some() {
            return Ok(None);
        }
        let is_captured =
            |listed: &Listed| self.handoffs.was_written_after(listed, captured.seen.modified);
        let all = self.handoffs.of_session(captured.id(), captured.session.began)?;
        Ok(all.into_iter().find(is_captured))
    }

    /// The session that a snapshot is about. That none can be read is no reason to take none.
    pub(crate) fn session_for(
        &self,
        request: &SnapshotRequest,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Captured>, Error> {
        let said = (request.tool.as_deref(), request.session.as_deref());
        let captured = match self.sessions.captured(&request.from, said) {
            Err(error) if request.from == SessionRef::Current => {
                warnings.push(format!("the session is not in the snapshot: {error}"));
                return Ok(None);
            }
            other => other?,
        };
        let named = said.1.filter(|_| request.from == SessionRef::Current);
        let is_named =
            |one: &Captured| named.is_none_or(|id| [one.id(), &one.seen.id].contains(&id));
        if let Some(id) = named.filter(|_| !captured.as_ref().is_some_and(is_named)) {
            // The commands of an agent run before its transcript is there.
            let instead = captured.as_ref().map(|one| {
                format!("; the newest one here is told, {} of {}", one.id(), one.seen.agent)
            });
            let instead = instead.unwrap_or_default();
            warnings.push(format!("no transcript was found of the session {id}{instead}"));
        }
        Ok(captured)
    }

    /// Says which session is taken, and why.
    pub(super) fn log_session(&self, captured: Option<&Captured>, request: &SnapshotRequest) {
        let Some(captured) = captured else {
            let why = match request.from {
                SessionRef::None => "as asked",
                _ => "there is none to take",
            };
            return tracing::info!("no session: {why}");
        };
        let is_named = request.session.as_deref() == Some(captured.id());
        let why = match &request.from {
            SessionRef::Current if is_named => "the one that this is called from",
            SessionRef::Current => "the one that goes on here, or the newest here",
            SessionRef::Agent(_) => "the newest here of the agent that was asked for",
            SessionRef::File { .. } => "of the transcript that was asked for",
            SessionRef::Id(_) => "asked for by its id",
            SessionRef::Payload(_) => "the one that the hook is of",
            SessionRef::None => "read before",
        };
        tracing::info!("session {} of {}: {why}", captured.id(), captured.seen.agent);
    }

    /// What a session tells, and when and where it was. None if it tells nothing.
    pub(super) fn describe_session(
        &self,
        captured: &Captured,
        request: &SnapshotRequest,
    ) -> Option<CapturedSession> {
        let distilled = self.sessions.distilled(&captured.session, CAPTURE_BUDGET);
        if distilled.body.is_empty() && request.own_words.is_none() {
            return None;
        }
        // A hook that fires in it and a command that it runs both say which session they are of.
        let runs_this = request.session.as_deref().is_some_and(|id| {
            request.from == SessionRef::Current && [captured.id(), &captured.seen.id].contains(&id)
        });
        let is_live = runs_this || matches!(request.from, SessionRef::Payload(_));
        let mut place = SessionPlace::of(&self.here, captured, is_live);
        let shows_git = place.fresh_tree(&captured.session).is_some();
        let earlier = self.earlier_captures(captured.id()).ok()?;
        // One that was captured before and has not gone on since comes after that all the same.
        if let Some(earlier) = earlier.iter().map(|one| one.head.created).max() {
            place.ended = place.ended.max(earlier.next());
        }
        let session = captured.session.clone();
        let saved_words = match request.own_words {
            Some(_) => None,
            None => self.saved_words(captured).ok()?,
        };
        let session_id = captured.id().to_owned();
        Some(CapturedSession { session, session_id, distilled, place, shows_git, saved_words })
    }

    /// What a session's agent saved last in its own words.
    fn saved_words(&self, captured: &Captured) -> Result<Option<Handoff>, Error> {
        let all = self.handoffs.of_session(captured.id(), captured.session.began)?;
        Ok(all
            .iter()
            .find(|listed| is_in_own_words(listed))
            .map(|listed| self.here.store.read(listed))
            .transpose()?)
    }

    /// What is told of a session: its agent's own words and what they leave out, else what was captured.
    pub(super) fn session_text(
        &self,
        capture: Option<&CapturedSession>,
        answer: Option<&str>,
    ) -> Option<(String, ItemSources)> {
        let Some(capture) = capture else {
            return answer.map(|answer| (answer.to_owned(), ItemSources::default()));
        };
        let (session, distilled) = (&capture.session, &capture.distilled);
        let (words, written) = match (answer, &capture.saved_words) {
            (Some(answer), _) => (answer, WordsWritten::AtEnd),
            (None, Some(saved)) => {
                let asked = session.prompts.last().and_then(|prompt| prompt.at);
                let is_last = asked.is_none_or(|asked| asked <= saved.head.written());
                let written = if is_last { WordsWritten::AtEnd } else { WordsWritten::Earlier };
                (saved.body(), written)
            }
            (None, None) => return Some((distilled.body.clone(), distilled.sources.clone())),
        };
        let whole = self.sessions.completed_words(words, written, session, distilled);
        Some((whole.body, whole.sources))
    }

    /// What was captured of a session before, dated by it.
    fn earlier_captures(&self, session: &str) -> Result<Vec<Listed>, Error> {
        let mut all = self.handoffs.of_session(session, None)?;
        let now = self.here.now();
        let is_dated = |listed: &Listed| {
            listed.head.fields.captured.is_some() && !listed.head.created.is_ahead_of(now)
        };
        all.retain(is_dated);
        Ok(all)
    }

    /// What git says of a session: what it says now, if that is what the session left, else what the
    /// transcript shows.
    pub(super) fn see_session_git(
        &self,
        capture: &CapturedSession,
        workspace: &Path,
    ) -> (SeenGit, Option<GitStateAnswer>) {
        let Some(repo) = self.here.repo() else { return (SeenGit::None, None) };
        if let Some(tree) = capture.place.fresh_tree(&capture.session) {
            let found = Discovery::Repo(tree.clone());
            return self.see_git(capture.place.directory(), workspace, &found, Commits::None);
        }
        let mut asked = capture.place.state_by_transcript(&self.here, &capture.session);
        asked.origin = self.here.git_answers().known_origin(&repo.top);
        (SeenGit::None, Some(asked))
    }
}
