//! Which session is told to somebody who wants to know what was left: the nearest, and of those that are as
//! near the newest.

use std::cmp::Reverse;
use std::path::PathBuf;

use segue_core::{Fields, Handoff, OtherHandoff, ProjectId, Timestamp};
use segue_store::LiveFiles;

use super::{ReadOn, key_of};
use crate::capture::{LOOKED_AT, says_something};
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

/// Where somebody is who wants to know what was left.
pub(crate) struct WhereNow {
    pub(crate) branch: Option<String>,
    pub(crate) worktree: Option<String>,
    /// Whether what was left on any branch is as near.
    pub(crate) any_branch: bool,
}

impl WhereNow {
    /// How far away something was left: here, on this branch in another worktree, elsewhere.
    pub(crate) fn distance(&self, fields: &Fields) -> u8 {
        let same = |theirs: &Option<String>, here: &Option<String>| {
            theirs.is_none() || here.is_none() || theirs == here
        };
        let branch = same(&fields.git.branch, &self.branch);
        let worktree = same(&fields.saved_from.worktree, &self.worktree);
        match (branch, worktree) {
            _ if self.any_branch => 0,
            (true, true) => 0,
            (true, false) => 1,
            (false, _) => 2,
        }
    }
}

impl Segue {
    /// What the newest session here would leave that is later than a moment and has left no handoff.
    /// If `keep`, what was read is kept as a live draft.
    pub(crate) fn not_saved(
        &self,
        project: Option<&ProjectId>,
        asking: Option<&str>,
        here: &WhereNow,
        left: Option<(u8, Timestamp)>,
        keep: bool,
    ) -> Option<NotSaved> {
        // The nearest counts, and of those that are as near the newest.
        let place = |handoff: &Handoff| {
            (Reverse(here.distance(&handoff.head.fields)), handoff.head.created)
        };
        let left = left.map(|(distance, created)| (Reverse(distance), created));
        let live = project.map(|project| self.store.live(project));
        let drafts = live.as_ref().map(LiveFiles::drafts).unwrap_or_default();
        let is_asking = |id: &str| Some(id) == asking;
        let newest = drafts
            .into_iter()
            .map(|draft| draft.handoff)
            .filter(|draft| !draft.head.fields.session.as_deref().is_some_and(is_asking))
            .filter(|draft| left.is_none_or(|left| place(draft) > left))
            .max_by_key(place);
        let mut found = newest.map(|handoff| NotSaved {
            session: handoff.head.fields.session.clone().unwrap_or_default(),
            going_on: self.goes_on(&handoff),
            kept: true,
            seen: None,
            handoff,
        });
        for seen in self.newest_sessions(LOOKED_AT).ok()?.into_iter().take(LOOKED_AT) {
            let best = found.as_ref().map(|found| place(&found.handoff)).max(left);
            // The others are older still.
            if best.is_some_and(|(distance, at)| distance.0 == 0 && seen.modified <= at) {
                break;
            }
            if is_asking(&seen.id) {
                continue;
            }
            let read = self.not_saved_of(live.as_ref(), &seen, asking, keep);
            // A file can be touched without anything new in it.
            let is_better = |read: &NotSaved| best.is_none_or(|best| place(&read.handoff) > best);
            found = read.filter(is_better).or(found);
        }
        found
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
    let named = |draft: &Handoff| {
        let fields = &draft.head.fields;
        let session = fields.session.clone()?;
        let is_other = is_plain(&session) && !besides.contains(&Some(session.as_str()));
        is_other.then(|| OtherHandoff {
            short: draft.head.id.short().to_owned(),
            session: Some(session),
            title: draft.display_title(),
            created: draft.head.created,
            branch: fields.git.branch.clone(),
            worktree: fields.saved_from.worktree.clone(),
        })
    };
    drafts.iter().filter_map(named).collect()
}
