//! Which session is told to somebody who wants to know what was left: the nearest, and of those that are as
//! near the newest.

use std::cmp::Reverse;
use std::path::PathBuf;

use segue_core::{Handoff, OtherHandoff, ProjectId, Timestamp};
use segue_store::LiveFiles;

use super::{ReadOn, key_of};
use crate::capture::{LOOKED_AT, says_something};
use crate::nearness::{LeftAt, MUCH_OLDER_MICROS, WhereNow, preferred};
use crate::resume::is_plain;
use crate::{Captured, Segue, SessionSeen};

/// A session that a briefing was read out of, because it left no handoff.
#[derive(Clone, Debug, PartialEq, Eq)]
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
pub(crate) struct NotSaved {
    pub(crate) handoff: Handoff,
    pub(crate) seen: Option<SessionSeen>,
    pub(crate) session: String,
    pub(crate) going_on: bool,
    /// Whether it is kept as a live draft.
    pub(crate) kept: bool,
}

impl NotSaved {
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
    pub(crate) chosen: Option<NotSaved>,
    /// Others that are newer than what is gone on from.
    pub(crate) newer: Vec<OtherHandoff>,
}

impl Segue {
    /// What sessions here would leave that have left no handoff, and which of them to go on from. `left` is what
    /// would be gone on from otherwise. If `keep`, what was read is kept as a live draft.
    pub(crate) fn not_saved(
        &self,
        project: Option<&ProjectId>,
        asking: Option<&str>,
        here: &WhereNow,
        left: Option<LeftAt>,
        keep: bool,
    ) -> UnsavedSessions {
        let live = project.map(|project| self.store.live(project));
        let drafts = live.as_ref().map(LiveFiles::drafts).unwrap_or_default();
        let is_asking = |id: &str| Some(id) == asking;
        let drafts = drafts
            .into_iter()
            .map(|draft| draft.handoff)
            .filter(|draft| !draft.head.fields.session.as_deref().is_some_and(is_asking));
        let mut found: Vec<NotSaved> = drafts
            .map(|handoff| NotSaved {
                session: handoff.head.fields.session.clone().unwrap_or_default(),
                going_on: self.goes_on(&handoff),
                kept: true,
                seen: None,
                handoff,
            })
            .collect();
        // What was left comes first: it wins over a session that is as near and as new.
        let places = |found: &[NotSaved]| -> Vec<LeftAt> {
            let place = |one: &NotSaved| LeftAt {
                distance: here.distance(&one.handoff.head.fields),
                created: one.handoff.head.created,
            };
            left.into_iter().chain(found.iter().map(place)).collect()
        };
        let sessions = self.newest_sessions(LOOKED_AT).unwrap_or_default();
        for seen in sessions.into_iter().take(LOOKED_AT) {
            let all = places(&found);
            let best = preferred(&all).map(|at| all[at]);
            // The others are older still: they cannot be preferred.
            if best.is_some_and(|best| best.distance == 0 && seen.modified <= best.created) {
                break;
            }
            let newest = all.iter().map(|place| place.created.micros()).max();
            if newest.is_some_and(|newest| newest - seen.modified.micros() > MUCH_OLDER_MICROS) {
                break;
            }
            if !is_asking(&seen.id) {
                found.extend(self.not_saved_of(live.as_ref(), &seen, asking, keep));
            }
        }
        let all = places(&found);
        let Some(best) = preferred(&all) else { return UnsavedSessions::default() };
        let chosen = best.checked_sub(usize::from(left.is_some())).map(|at| found.swap_remove(at));
        let told = chosen.as_ref().map(|chosen| chosen.session.clone());
        found.sort_by_key(|one| Reverse(one.handoff.head.created));
        let is_newer = |one: &NotSaved| {
            one.handoff.head.created > all[best].created && Some(&one.session) != told.as_ref()
        };
        let newer = found.iter().filter(|one| is_newer(one));
        let mut newer: Vec<OtherHandoff> = newer.filter_map(|one| named(&one.handoff)).collect();
        newer.dedup_by(|one, other| one.session == other.session);
        UnsavedSessions { newer, chosen }
    }

    fn not_saved_of(
        &self,
        live: Option<&LiveFiles>,
        seen: &SessionSeen,
        asking: Option<&str>,
        keep: bool,
    ) -> Option<NotSaved> {
        let key = key_of(seen.agent, &seen.id);
        let state = live.and_then(|live| self.live_state(live, &key));
        if let Some(state) = state.as_ref().filter(|state| state.is_current(seen)) {
            // Without a draft, everything of it is in a handoff.
            let handoff = live?.draft(&key)?.handoff;
            let session = state.session.clone();
            let going_on = self.goes_on(&handoff);
            let seen = Some(seen.clone());
            return Some(NotSaved { handoff, seen, session, going_on, kept: true });
        }
        let kept = if keep { self.keep_live(seen).ok() } else { None };
        let (handoff, session, kept) = match kept {
            Some(ReadOn { draft, state }) => (draft?, state.session, true),
            // What cannot be kept can still be told.
            None => {
                let (_, state) = self.read_on(seen, state, None, None).ok()?;
                let captured = Captured { seen: seen.clone(), session: state.whole()? };
                if !says_something(&captured) {
                    return None;
                }
                if self.left_by(&state, seen).is_ok_and(|left| left.told) {
                    return None;
                }
                (self.as_handoff(&captured)?, state.session, false)
            }
        };
        if Some(session.as_str()) == asking {
            return None;
        }
        let going_on = self.goes_on(&handoff);
        Some(NotSaved { handoff, seen: Some(seen.clone()), session, going_on, kept })
    }
}

/// What is kept of sessions besides some, newest first.
pub(crate) fn drafts_besides(live: &LiveFiles, besides: &[Option<&str>]) -> Vec<OtherHandoff> {
    let mut drafts: Vec<Handoff> = live.drafts().into_iter().map(|draft| draft.handoff).collect();
    drafts.sort_by_key(|draft| Reverse(draft.head.created));
    let is_other = |draft: &&Handoff| {
        let session = draft.head.fields.session.as_deref();
        session.is_some() && !besides.contains(&session)
    };
    drafts.iter().filter(is_other).filter_map(named).collect()
}

/// A session by its draft, as others are named.
fn named(draft: &Handoff) -> Option<OtherHandoff> {
    let fields = &draft.head.fields;
    let session = fields.session.clone().filter(|session| is_plain(session))?;
    Some(OtherHandoff {
        short: draft.head.id.short().to_owned(),
        session: Some(session),
        title: draft.display_title(),
        created: draft.head.created,
        branch: fields.git.branch.clone(),
        worktree: fields.saved_from.worktree.clone(),
    })
}
