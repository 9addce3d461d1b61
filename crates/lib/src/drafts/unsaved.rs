//! Which session is told to somebody who wants to know what was left: the nearest, and of those that are as
//! near the newest.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::PathBuf;

use segue_agents::Capture;
use segue_core::search::TermReader;
use segue_core::session::Session;
use segue_core::{CAPTURE_BUDGET, Handoff, HandoffId, OtherHandoff, StateEntry, Timestamp};
use segue_store::{Listed, LiveFiles};

use super::session_key::key_of;
use super::{AskOrigin, Drafts, Left, LiveState, ReadOn, SavedWords};
use crate::briefing::nearness::{LeftAt, MUCH_OLDER_MICROS, WhereNow, preferred};
use crate::sessions::capture::{CompletedWords, LOOKED_AT, is_plain_id, says_something};
use crate::sessions::{Captured, SessionSeen};

/// A session that a briefing was read out of, because it left no handoff.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionTold {
    /// The agent, by its word.
    pub agent: String,
    /// The agent's id of it.
    pub id: String,
    /// Its transcript, if that is there.
    pub path: Option<PathBuf>,
    /// When something last happened in it.
    pub modified: Timestamp,
    /// Whether it may still be going on.
    pub going_on: bool,
}

/// What the newest session would leave that has left nothing.
pub(crate) struct UnsavedSession {
    pub(crate) handoff: Handoff,
    pub(crate) seen: Option<SessionSeen>,
    pub(crate) session: String,
    pub(crate) going_on: bool,
    /// Whether it is kept as a live draft.
    pub(crate) kept: bool,
}

impl UnsavedSession {
    pub(crate) fn told(self) -> SessionTold {
        let head = self.handoff.head;
        SessionTold {
            agent: head.fields.tool.unwrap_or_default(),
            id: self.session,
            modified: self.seen.as_ref().map_or(head.created, |seen| seen.modified),
            path: self.seen.map(|seen| seen.path),
            going_on: self.going_on,
        }
    }
}

/// What sessions would leave that have left no handoff.
#[derive(Default)]
pub(crate) struct UnsavedSessions {
    /// The one to go on from.
    pub(crate) chosen: Option<UnsavedSession>,
    /// Others that are newer than what is gone on from.
    pub(crate) newer: Vec<OtherHandoff>,
    /// Sessions that only asked something.
    pub(crate) idle: Vec<Handoff>,
    /// Words that a session saved last, checked against it.
    pub(crate) checked: Option<CheckedWords>,
}

/// A session's own words with what the session shows otherwise and what they leave out.
pub(crate) struct CheckedWords {
    /// The handoff that has the words.
    pub(crate) of: HandoffId,
    pub(crate) words: CompletedWords,
}

/// What was read of a session.
enum ReadSession {
    /// It left nothing, or said something after what it left.
    Unsaved(Box<UnsavedSession>),
    Checked(CheckedWords),
}

/// What is looked for.
pub(crate) struct UnsavedSearch<'a> {
    /// The session that asks, which is not what was left.
    pub(crate) asking: Option<&'a str>,
    /// Where somebody asks.
    pub(crate) here: WhereNow,
    /// What would be gone on from otherwise.
    pub(crate) left: Option<LeftAt>,
    /// Whether that is of a session that only asked something.
    pub(crate) left_is_idle: bool,
    /// The session of which that has the own words, not checked yet as far as its head shows.
    pub(crate) words_of: Option<&'a str>,
}

impl UnsavedSearch<'_> {
    fn is_asking(&self, id: &str) -> bool {
        self.asking == Some(id)
    }

    /// Where and when everything is that can be gone on from. What was left comes first: it wins over a
    /// session that is as near and as new.
    fn places(&self, found: &[UnsavedSession]) -> Vec<LeftAt> {
        let place = |one: &UnsavedSession| LeftAt {
            distance: self.here.distance(&one.handoff.head.fields),
            created: one.handoff.head.created,
        };
        self.left.into_iter().chain(found.iter().map(place)).collect()
    }

    /// Which of the sessions to go on from, if that is better than what was left; and which of the others are
    /// newer than that.
    fn choose(
        &self,
        mut found: Vec<UnsavedSession>,
        mut idle: Vec<UnsavedSession>,
    ) -> UnsavedSessions {
        // A session that only asked something is gone on from only where nothing else is.
        if (self.left.is_none() || self.left_is_idle) && found.is_empty() {
            found.append(&mut idle);
        }
        let idle: Vec<Handoff> = idle.into_iter().map(|one| one.handoff).collect();
        let all = self.places(&found);
        let Some(best) = preferred(&all) else {
            return UnsavedSessions { idle, ..UnsavedSessions::default() };
        };
        let at = best.checked_sub(usize::from(self.left.is_some()));
        let chosen = at.map(|at| found.swap_remove(at));
        let told = chosen.as_ref().map(|chosen| chosen.session.clone());
        found.sort_by_key(|one| Reverse(one.handoff.head.created));
        let is_newer = |one: &UnsavedSession| {
            one.handoff.head.created > all[best].created && Some(&one.session) != told.as_ref()
        };
        let newer = found.iter().filter(|one| is_newer(one));
        let mut newer: Vec<OtherHandoff> = newer.filter_map(|one| named(&one.handoff)).collect();
        once_each(&mut newer);
        UnsavedSessions { newer, chosen, idle, checked: None }
    }
}

/// Whether sessions that were last written to then, and all that are older, need not be looked at: none of
/// them can be preferred.
fn is_too_old(modified: Timestamp, places: &[LeftAt]) -> bool {
    let best = preferred(places).map(|at| places[at]);
    let is_older = best.is_some_and(|best| best.distance == 0 && modified <= best.created);
    let newest = places.iter().map(|place| place.created.micros()).max();
    is_older || newest.is_some_and(|newest| newest - modified.micros() > MUCH_OLDER_MICROS)
}

impl ReadSession {
    fn unsaved(unsaved: UnsavedSession) -> Self {
        Self::Unsaved(Box::new(unsaved))
    }
}

/// A session that was found, and how far it was read.
struct KnownSession<'a> {
    seen: &'a SessionSeen,
    state: Option<LiveState>,
}

impl Drafts<'_> {
    /// What sessions here would leave that have left no handoff, and which of them to go on from. What is
    /// read of them is not kept.
    pub(crate) fn find_unsaved(&self, search: &UnsavedSearch<'_>) -> UnsavedSessions {
        self.find(search, &|known| self.read_unsaved(known))
    }

    /// The same, for a hook: what is read of them is kept as live drafts, for the next one.
    pub(crate) fn keep_and_find_unsaved(&self, search: &UnsavedSearch<'_>) -> UnsavedSessions {
        // A directory below may be another repository: what was said there is of that one.
        let is_own = |session: &Session| self.is_of_here(session);
        self.find(search, &|known| match self.keep_if(known.seen, &is_own) {
            Ok(ReadOn { draft, state }) => {
                Some(ReadSession::unsaved(self.unsaved(known.seen, draft?, state, true)))
            }
            // What cannot be kept can still be told.
            Err(_) => self.read_unsaved(known),
        })
    }

    fn find(
        &self,
        search: &UnsavedSearch<'_>,
        read: &dyn Fn(KnownSession<'_>) -> Option<ReadSession>,
    ) -> UnsavedSessions {
        let live = self.files().ok().flatten();
        let drafts = live.as_ref().map(|live| self.newest(live)).unwrap_or_default();
        let drafts = drafts.into_iter().map(|draft| draft.handoff).filter(|draft| {
            !self.is_ahead(draft)
                && !draft.head.fields.session.as_deref().is_some_and(|id| search.is_asking(id))
        });
        let mut reader = TermReader::default();
        let mut is_work = |one: &UnsavedSession| {
            StateEntry::of(&one.handoff, &mut reader).is_none_or(|entry| entry.is_work)
        };
        let drafts = drafts.map(|handoff| UnsavedSession {
            session: handoff.head.fields.session.clone().unwrap_or_default(),
            going_on: self.goes_on(&handoff),
            kept: true,
            seen: None,
            handoff,
        });
        let (mut found, mut idle): (Vec<_>, Vec<_>) = drafts.partition(&mut is_work);
        let mut checked = None;
        let sessions = self.sessions.newest(LOOKED_AT).unwrap_or_default();
        for seen in sessions.into_iter().take(LOOKED_AT) {
            let too_old = is_too_old(seen.modified, &search.places(&found));
            match search.words_of {
                // Nothing may be written in a session after its words are saved.
                Some(session) if too_old && session != seen.id => continue,
                None if too_old => break,
                _ => {}
            }
            if search.is_asking(&seen.id) {
                continue;
            }
            match self.read_session(live.as_ref(), &seen, read) {
                Some(ReadSession::Checked(words)) => checked = checked.or(Some(words)),
                Some(ReadSession::Unsaved(unsaved)) if !search.is_asking(&unsaved.session) => {
                    // Its draft, if it has one, is from before.
                    found.retain(|one| one.session != unsaved.session);
                    idle.retain(|one| one.session != unsaved.session);
                    if is_work(&unsaved) { &mut found } else { &mut idle }.push(*unsaved);
                }
                _ => {}
            }
        }
        UnsavedSessions { checked, ..search.choose(found, idle) }
    }

    fn read_session(
        &self,
        live: Option<&LiveFiles>,
        seen: &SessionSeen,
        read: &dyn Fn(KnownSession<'_>) -> Option<ReadSession>,
    ) -> Option<ReadSession> {
        let key = key_of(seen.agent, &seen.id);
        let state = live.and_then(|live| self.state(live, &key));
        match state {
            Some(state) if state.is_current(seen) => {
                // Without a draft, everything of it is in a handoff.
                let draft = live?.draft(&key)?.handoff;
                Some(ReadSession::unsaved(self.unsaved(seen, draft, state, true)))
            }
            state => read(KnownSession { seen, state }),
        }
    }

    /// Reads on in a session, and keeps nothing of it.
    fn read_unsaved(&self, known: KnownSession<'_>) -> Option<ReadSession> {
        let seen = known.seen;
        let (_, state) = self.read_on(seen, known.state, AskOrigin::No, None).ok()?;
        let captured = Captured { seen: seen.clone(), session: state.whole()? };
        if !says_something(&captured) || !self.is_of_here(&captured.session) {
            return None;
        }
        match self.left_by(&state, seen) {
            Ok(left) if left.told => None,
            Ok(Left { words: Some(words), is_last: true, .. }) => {
                let is_whole = !state.capture.as_ref().is_some_and(Capture::is_cut);
                let words = self.here.store.read(&words).ok().filter(|_| is_whole)?;
                let of = words.head.id.clone();
                let saved = SavedWords { handoff: words, is_last: true };
                let session = &captured.session;
                let distilled = self.sessions.distilled(session, CAPTURE_BUDGET);
                let words = self.completed(&saved, session, &distilled);
                Some(ReadSession::Checked(CheckedWords { of, words }))
            }
            left => {
                let left = left.unwrap_or_default();
                let words = left.words.map(|words| words.head.id.to_string());
                let earlier = left.made.into_iter().chain(words).collect();
                let handoff = self.describe(&captured, earlier)?;
                Some(ReadSession::unsaved(self.unsaved(seen, handoff, state, false)))
            }
        }
    }

    /// What is kept of sessions besides some, newest first.
    pub(crate) fn drafts_besides(
        &self,
        live: &LiveFiles,
        besides: &[Option<&str>],
    ) -> Vec<OtherHandoff> {
        let drafts = self.newest(live).into_iter();
        let mut drafts: Vec<Handoff> = drafts.map(|draft| draft.handoff).collect();
        drafts.sort_by_key(|draft| Reverse(draft.head.created));
        let is_other = |draft: &&Handoff| {
            let session = draft.head.fields.session.as_deref();
            session.is_some() && !besides.contains(&session)
        };
        let mut others: Vec<OtherHandoff> =
            drafts.iter().filter(is_other).filter_map(named).collect();
        once_each(&mut others);
        others
    }

    /// The newest handoff that a session has left, if it has left one.
    pub(crate) fn newest_left_by(&self, session: &str) -> Option<Listed> {
        self.handoffs.of_session(session, None).ok()?.into_iter().next()
    }

    fn unsaved(
        &self,
        seen: &SessionSeen,
        handoff: Handoff,
        state: LiveState,
        kept: bool,
    ) -> UnsavedSession {
        let going_on = self.goes_on(&handoff);
        UnsavedSession { handoff, seen: Some(seen.clone()), session: state.session, going_on, kept }
    }
}

/// Of each session only the first.
fn once_each(sessions: &mut Vec<OtherHandoff>) {
    let mut seen = HashSet::new();
    sessions.retain(|one| seen.insert(one.session.clone()));
}

/// A session by its draft, as others are named.
fn named(draft: &Handoff) -> Option<OtherHandoff> {
    let fields = &draft.head.fields;
    let session = fields.session.clone().filter(|session| is_plain_id(session))?;
    Some(OtherHandoff {
        short: draft.head.id.short().to_owned(),
        session: Some(session),
        title: draft.display_title(),
        created: draft.head.created,
        branch: fields.git.branch.clone(),
        worktree: fields.saved_from.worktree.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(clock: &str) -> Timestamp {
        format!("2026-11-15T{clock}:00Z").parse().unwrap()
    }

    fn session(id: &str, clock: &str, branch: &str) -> UnsavedSession {
        let digits = clock.replace(':', "");
        let text = format!(
            "---\nsegue: 1\nid: 20261115-{digits}00-a3f9c12e\ncreated: 2026-11-15T{clock}:00Z\ntitle: {id}\n\
             session: \"{id}\"\ngit: {{branch: {branch}}}\n---\nwork\n"
        );
        let handoff = Handoff::parse(text).unwrap();
        let session = id.to_owned();
        UnsavedSession { handoff, seen: None, session, going_on: false, kept: false }
    }

    fn search(left: Option<(u8, &str)>) -> UnsavedSearch<'static> {
        let here = WhereNow { branch: Some("main".to_owned()), worktree: None, any_branch: false };
        let left = left.map(|(distance, clock)| LeftAt { distance, created: at(clock) });
        UnsavedSearch { asking: None, here, left, left_is_idle: false, words_of: None }
    }

    /// The session that is gone on from, and those that are named as newer.
    fn chosen(
        left: Option<(u8, &str)>,
        found: Vec<UnsavedSession>,
    ) -> (Option<String>, Vec<String>) {
        let UnsavedSessions { chosen, newer, .. } = search(left).choose(found, Vec::new());
        let newer = newer.into_iter().filter_map(|other| other.session).collect();
        (chosen.map(|one| one.session), newer)
    }

    #[test]
    fn a_session_is_gone_on_from_if_it_is_nearer_or_newer_than_what_was_left() {
        let one = |clock, branch| vec![session("s1", clock, branch)];
        let some = Some("s1".to_owned());
        assert_eq!(chosen(None, Vec::new()), (None, Vec::new()));
        assert_eq!(chosen(None, one("10:00", "side")), (some.clone(), Vec::new()));
        assert_eq!(chosen(Some((0, "09:00")), one("10:00", "main")), (some.clone(), Vec::new()));
        assert_eq!(chosen(Some((2, "11:00")), one("10:00", "main")), (some, Vec::new()));
        // What was left wins over a session that is as near and as new.
        assert_eq!(chosen(Some((0, "10:00")), one("10:00", "main")), (None, Vec::new()));
        // One of another branch is named, where it is newer.
        let newer = vec!["s1".to_owned()];
        assert_eq!(chosen(Some((0, "09:00")), one("10:00", "side")), (None, newer));
        assert_eq!(chosen(Some((0, "11:00")), one("10:00", "side")), (None, Vec::new()));
    }

    #[test]
    fn of_several_sessions_the_nearest_is_gone_on_from_and_newer_ones_are_named() {
        let found = vec![session("old", "08:00", "main"), session("new", "12:00", "side")];
        assert_eq!(chosen(None, found), (Some("old".to_owned()), vec!["new".to_owned()]));
    }

    #[test]
    fn sessions_that_cannot_be_preferred_are_not_looked_at() {
        let left = |distance, clock| LeftAt { distance, created: at(clock) };
        assert!(!is_too_old(at("10:00"), &[]));
        assert!(is_too_old(at("10:00"), &[left(0, "10:00")]));
        assert!(!is_too_old(at("10:01"), &[left(0, "10:00")]));
        assert!(!is_too_old(at("08:00"), &[left(2, "10:00")]), "it may be nearer");
        let weeks_ago = "2026-10-31T10:00:00Z".parse().unwrap();
        assert!(is_too_old(weeks_ago, &[left(2, "10:00")]));
    }
}
