//! Live drafts: what a session that goes on would leave if it ended now. Read on from where it was
//! left, one a session, and taken into layer 1 when the session ends.

mod catch_up;
mod finished;
mod forgotten;
mod inherited;
mod older_keys;
mod parent;
mod session_key;
mod state;
mod still_running;
mod stop_question;
mod unsaved;

pub(crate) use catch_up::CatchUpLimits;
pub(crate) use finished::{EndedSession, sweep_states};
use inherited::inherit_anew;
use older_keys::move_older_key;
use parent::parent_of;
pub(crate) use session_key::{SessionKey, key_of};
pub(crate) use state::{LiveState, state_directory};
pub use unsaved::SessionTold;
pub(crate) use unsaved::{UnsavedSearch, UnsavedSession, UnsavedSessions};

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use segue_agents::{Capture, Transcripts};
use segue_core::session::Session;
use segue_core::{
    CAPTURE_BUDGET, Distilled, Draft, Fields, GitState, Handoff, HandoffId, HandoffKind, SavedFrom,
    Tag, WordsWritten,
};
use segue_store::{Listed, LiveDraft, LiveFiles, LockedLive, StoreError};

use crate::handoffs::{Composed, Handoffs, SESSION, SaveRequest, is_in_own_words, is_made};
use crate::here::{GitStateAnswer, Here};
use crate::redacted::redact_draft;
use crate::sessions::capture::{CompletedWords, Sessions, says_something, unread};
use crate::sessions::session_place::SessionPlace;
use crate::sessions::{Captured, SessionSeen};
use crate::{Error, ProjectRef};

/// What git says now is what it said at the end of a session that ended so shortly before.
const JUST_NOW: Duration = Duration::from_secs(120);

/// Bytes of a transcript that a hook reads: half a second or so. The rest comes the next time.
const AT_ONCE: u64 = 192 << 20;

/// How often a session is read on that another hook reads at the same time.
const ATTEMPTS: usize = 3;

/// What became of a session that was read on.
pub(crate) struct ReadOn {
    pub(crate) state: LiveState,
    /// What it would leave. None if nothing happened in it, or nothing that is not in a handoff.
    pub(crate) draft: Option<Handoff>,
}

/// A session that may still be going on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionGoingOn {
    /// The agent, by its word.
    pub agent: String,
    /// What it is about.
    pub title: String,
}

/// What a session has left already.
#[derive(Default)]
struct Left {
    /// The newest handoff in words of its own.
    words: Option<Listed>,
    /// Whether the user has said nothing since those words were saved.
    is_last: bool,
    /// Those that were made of it and that no other takes the place of.
    made: Vec<String>,
    /// Whether nothing of importance happened since, and its words were checked.
    told: bool,
}

/// What a session's agent saved last in its own words.
struct SavedWords {
    handoff: Handoff,
    /// Whether the user has said nothing since.
    is_last: bool,
}

impl SavedWords {
    /// When they were written, as far as the session shows it.
    fn written(&self, session: &Session) -> WordsWritten {
        let saves = |line: &str| line.contains("segue save") || line.contains("segue store");
        let mut commands = session.commands.iter().rev();
        let saved = commands.find(|command| saves(&command.command)).map(|save| save.record);
        match saved {
            _ if !self.is_last => WordsWritten::Earlier,
            Some(saved) if session.works_after(saved) => WordsWritten::Earlier,
            _ => WordsWritten::AtEnd,
        }
    }
}

/// The live drafts of this directory's project.
#[derive(Clone, Debug)]
pub struct Drafts<'s> {
    here: Here<'s>,
    handoffs: Handoffs<'s>,
    sessions: Sessions<'s>,
    /// Sessions that have a process, by their agent, as far as that was looked up.
    running: Rc<RefCell<HashMap<String, Vec<String>>>>,
    /// The newest drafts, as far as they were read and none was put since.
    newest: Rc<RefCell<Option<Vec<LiveDraft>>>>,
}

impl<'s> Drafts<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        let (handoffs, sessions) = (Handoffs::of(here), Sessions::of(here));
        Self {
            here: here.clone(),
            handoffs,
            sessions,
            running: Rc::default(),
            newest: Rc::default(),
        }
    }
}

impl Drafts<'_> {
    /// Their files, if the project is known.
    pub(crate) fn files(&self) -> Result<Option<LiveFiles>, Error> {
        let project = self.here.known_project()?;
        Ok(project.map(|project| self.here.store.live(&project)))
    }

    /// The newest drafts.
    fn newest(&self, live: &LiveFiles) -> Vec<LiveDraft> {
        self.newest.borrow_mut().get_or_insert_with(|| live.drafts()).clone()
    }

    /// How far a session was read.
    pub(crate) fn state(&self, live: &LiveFiles, key: &str) -> Option<LiveState> {
        LiveState::parse(&live.state(key)?)
    }

    /// Changes what is kept of a session. Nobody else changes it at the same time.
    pub(crate) fn change_state<T>(
        &self,
        live: &LiveFiles,
        key: &str,
        change: impl FnOnce(&mut LiveState) -> T,
    ) -> Result<T, Error> {
        let locked = live.lock()?;
        let mut state = self.state(live, key).unwrap_or_else(LiveState::begun);
        let changed = change(&mut state);
        locked.put_state(key, &self.stored_state(&state)?)?;
        Ok(changed)
    }

    /// The state as it is stored.
    fn stored_state(&self, state: &LiveState) -> Result<Vec<u8>, Error> {
        state.without_secrets(&*self.here.redactor()?)
    }

    /// Reads on in a session and keeps what it would leave now.
    pub(crate) fn keep(&self, seen: &SessionSeen) -> Result<ReadOn, Error> {
        self.keep_if(seen, &|_| true)
    }

    /// The same for a session that may be of another project, which `is_own` says once it was read. Of such a one only
    /// that is noted.
    fn keep_if(
        &self,
        seen: &SessionSeen,
        is_own: &dyn Fn(&Session) -> bool,
    ) -> Result<ReadOn, Error> {
        for _ in 1..ATTEMPTS {
            match self.keep_once(seen, is_own) {
                // Another hook of the session was faster: what it kept is where to go on from.
                Err(Error::Store(StoreError::Busy { .. })) => {}
                // The project became part of another one meanwhile, or a handoff was moved.
                Err(Error::Store(error)) if is_gone(&error) => self.here.forget_place(),
                kept => return kept,
            }
        }
        self.keep_once(seen, is_own)
    }

    fn keep_once(
        &self,
        seen: &SessionSeen,
        is_own: &dyn Fn(&Session) -> bool,
    ) -> Result<ReadOn, Error> {
        let known = self.files()?;
        if let Some(live) = &known
            && move_older_key(live, seen, &*self.here.redactor()?)?
        {
            self.newest.take();
        }
        let key = key_of(seen.agent, &seen.id);
        let as_read = known.as_ref().and_then(|live| live.state(&key));
        let state = as_read.as_deref().and_then(LiveState::parse);
        let before = known.as_ref().and_then(|live| live.draft(&key));
        if let Some(state) = state.as_ref().filter(|state| state.is_current(seen)) {
            let draft = before.map(|draft| draft.handoff);
            return Ok(ReadOn { state: state.clone(), draft });
        }
        self.here.directory()?;
        let git = if self.is_late(seen) { AskOrigin::No } else { AskOrigin::UnlessKnown };
        let (origin, mut state) = self.read_on(seen, state, git, before.as_ref())?;
        if let Some(live) = known.as_ref().filter(|_| !state.briefed && state.session != seen.id) {
            // At its start only its own id was known.
            let at_start = self.state(live, &key_of(seen.agent, &state.session));
            at_start.into_iter().for_each(|at_start| state.take_briefing(at_start));
        }
        if state.facts().is_some_and(|facts| !is_own(facts)) {
            state.is_of_another_project();
        }
        let Some(facts) = state.facts() else {
            if let Some(live) = known.as_ref().filter(|_| state.forgotten) {
                let locked = lock_as_read(live, &key, as_read.as_deref())?;
                locked.put_state(&key, &self.stored_state(&state)?)?;
            }
            return Ok(ReadOn { state, draft: None });
        };
        let is_new = state.promoted.as_ref().is_none_or(|(_, records)| facts.records > *records);
        let session = state.whole().unwrap_or_default();
        let captured = Captured { seen: seen.clone(), session };
        let Left { words: own, is_last, mut made, mut told } = self.left_by(&state, seen)?;
        let (mut draft, mut stored) = (None, None);
        if says_something(&captured) && is_new && !told {
            let words = own.and_then(|listed| self.here.store.read(&listed).ok());
            let mut place = SessionPlace::of(&self.here, &captured, !self.is_late(seen));
            // What completes words comes after them.
            if let Some(words) = words.as_ref().filter(|words| !self.is_ahead(words)) {
                place.ended = place.ended.max(words.head.created.next());
            }
            let created = place.ended;
            let id = HandoffId::derived(created, format!("{key}\n{}", created.micros()).as_bytes());
            made.extend(state.promoted.iter().map(|(id, _)| id.clone()));
            made.retain(|made| made != id.as_str());
            made.sort();
            made.dedup();
            let words = words.map(|handoff| SavedWords { handoff, is_last });
            // Both take as long as the session is: they are done side by side.
            let redactor = self.here.redactor()?;
            let (redactor, state) = (&*redactor, &state);
            let (request, as_stored) = thread::scope(|scope| {
                let as_stored = scope.spawn(|| state.without_secrets(redactor));
                (self.live_request(&captured, state, words.as_ref(), made), as_stored.join())
            });
            let (request, as_stored) = (request?, as_stored.ok().transpose()?);
            // Words to which there is nothing to say stay as they are.
            told = words.is_some_and(|words| words.handoff.body().trim() == request.body.trim());
            draft = (!told).then_some((place, id, request));
            stored = as_stored;
        }
        let Some((place, id, request)) = draft else {
            if let Some(live) = &known {
                let stored = stored.map_or_else(|| self.stored_state(&state), Ok)?;
                let locked = lock_as_read(live, &key, as_read.as_deref())?;
                locked.put_state(&key, &stored)?;
                if told {
                    locked.remove(&key)?;
                }
            }
            return Ok(ReadOn { state, draft: None });
        };
        let created = place.ended;
        let stored = stored.map_or_else(|| self.stored_state(&state), Ok)?;
        // Git takes longest, so that all else is done before it is waited for.
        let asked = self.here.repo().map(|_| self.asked(&place, facts, before.as_ref(), origin));
        let view = self.here.store.writer_view()?;
        let (asked, place) = (asked.as_ref(), Some(&place));
        let composed =
            self.handoffs.register_and_compose(&view, &request, asked, place, &mut Vec::new())?;
        let Composed { draft, target } = composed;
        drop(view);
        let text = draft.render(&id, created);
        let handoff = Handoff::parse(text).map_err(|error| Error::Internal(error.to_string()))?;
        let live = self.here.store.live(&target.project);
        let locked = lock_as_read(&live, &key, as_read.as_deref())?;
        locked.put(&key, handoff.source(), &stored)?;
        self.newest.take();
        Ok(ReadOn { state, draft: Some(handoff) })
    }

    /// Reads on in a session and keeps nothing.
    pub(crate) fn read(&self, seen: &SessionSeen) -> Result<ReadOn, Error> {
        let live = self.files().ok().flatten();
        let state = live.and_then(|live| self.state(&live, &key_of(seen.agent, &seen.id)));
        let (_, state) = self.read_on(seen, state, AskOrigin::No, None)?;
        Ok(ReadOn { state, draft: None })
    }

    /// Reads what was not read yet of the transcript. Gives the address of `origin` too, if nobody asked
    /// for it before.
    fn read_on(
        &self,
        seen: &SessionSeen,
        state: Option<LiveState>,
        ask: AskOrigin,
        before: Option<&LiveDraft>,
    ) -> Result<(Option<String>, LiveState), Error> {
        let row =
            Transcripts::of(seen.agent).ok_or_else(|| Error::NotATranscript(seen.path.clone()))?;
        let mut state = state.unwrap_or_else(LiveState::begun);
        inherit_anew(&self.handoffs, &mut state);
        // Where secrets were taken out before, they are not known any more: it is read from its beginning, so
        // that they go from what came since, too.
        let anew = state.has_marks() && seen.size <= AT_ONCE;
        let known = state.capture.take().filter(|_| state.is_of(seen) && !anew);
        let mut capture = known.unwrap_or_else(|| Capture::of(seen.agent, &seen.id));
        if self.here.env.hurried {
            capture.read_at_most(AT_ONCE);
        }
        let (git, dir) = (self.here.git_answers(), self.here.dir());
        let mut read = || row.read_on(&seen.path, &mut capture);
        // Where `origin` is was asked for the draft before.
        let asks = matches!(ask, AskOrigin::UnlessKnown) && before.is_none();
        let (origin, read) = match self.here.repo().filter(|_| asks) {
            Some(_) => {
                let read = git.origin_during(dir, read);
                (git.known_origin(dir), read)
            }
            None => (None, read()),
        };
        read.map_err(|error| unread(&seen.path, &error))?;
        let facts = capture.recorder.session();
        state.asked = facts.prompts.last().and_then(|prompt| prompt.at);
        state.session = facts.id.clone().unwrap_or_else(|| seen.id.clone());
        state.dir.get_or_insert_with(|| dir.to_owned());
        state.read_to(seen);
        // What was not read to its end is read on the next time.
        if capture.is_cut() {
            state.size = 0;
        }
        state.forgotten = false;
        state.capture = Some(capture);
        state.is_unproven = !seen.is_own;
        Ok((origin, state))
    }

    /// What git says of the tree that the session leaves.
    fn asked(
        &self,
        place: &SessionPlace,
        facts: &Session,
        before: Option<&LiveDraft>,
        origin: Option<String>,
    ) -> GitStateAnswer {
        let remote = before.and_then(|before| before.handoff.head.fields.git.remote.clone());
        match place.fresh_tree(facts) {
            Some(tree) => {
                let status = self.here.git_answers().status(&tree.top, tree);
                GitStateAnswer { status, origin, remote }
            }
            None => {
                let told = place.state_by_transcript(&self.here, facts);
                GitStateAnswer { origin, remote, ..told }
            }
        }
    }

    /// Whether git cannot tell any more how things were when the session ended.
    fn is_late(&self, seen: &SessionSeen) -> bool {
        self.here.env.since(seen.modified) > JUST_NOW
    }

    fn live_request(
        &self,
        captured: &Captured,
        state: &LiveState,
        words: Option<&SavedWords>,
        mut supersedes: Vec<String>,
    ) -> Result<SaveRequest, Error> {
        let distilled = self.sessions.distilled(&captured.session, CAPTURE_BUDGET);
        let (mut body, mut title) = (distilled.body.clone(), distilled.title.clone());
        let mut sources = distilled.sources.clone();
        let mut tags = vec![SESSION.parse::<Tag>()?];
        let mut name = None;
        // What the agent said itself stays, and what it left out and what happened since comes behind it.
        if let Some(saved) = words {
            let words = &saved.handoff;
            let whole = self.completed(saved, &captured.session, &distilled);
            (body, sources) = (whole.body, whole.sources);
            let fields = &words.head.fields;
            title = fields.title.clone().unwrap_or(title);
            name = fields.name.as_deref().and_then(|name| name.parse().ok());
            tags.extend(fields.tags.iter().filter_map(|tag| tag.parse().ok()));
            tags.dedup();
            supersedes.push(words.head.id.to_string());
            title = self.sessions.without_secrets_of(&captured.session, &title);
        }
        Ok(SaveRequest {
            kind: HandoffKind::Session,
            body,
            sources,
            title: Some(title),
            name,
            tags,
            tool: Some(captured.seen.agent.to_owned()),
            session: Some(state.session.clone()),
            supersedes,
            parent: parent_of(&self.handoffs, self.files()?.as_ref(), self.here.now(), state)?,
            ..SaveRequest::default()
        })
    }

    /// A session's own words, checked against it and completed from it.
    fn completed(
        &self,
        saved: &SavedWords,
        session: &Session,
        distilled: &Distilled,
    ) -> CompletedWords {
        let written = saved.written(session);
        self.sessions.completed_words(saved.handoff.body(), written, session, distilled)
    }

    /// What a handoff out of a session would say, in the place of what it has left already. It is not saved, and its
    /// id is nobody's.
    pub(crate) fn describe(&self, captured: &Captured, supersedes: Vec<String>) -> Option<Handoff> {
        let session = &captured.session;
        let distilled = self.sessions.distilled(session, CAPTURE_BUDGET);
        let place = SessionPlace::of(&self.here, captured, false);
        let told = place.state_by_transcript(&self.here, session);
        let status = told.status.as_ref().as_ref().ok().cloned().unwrap_or_default();
        let mut draft = Draft {
            fields: Fields {
                kind: HandoffKind::Session,
                sources: distilled.sources,
                title: Some(distilled.title),
                tool: Some(captured.seen.agent.to_owned()),
                session: Some(captured.id().to_owned()),
                supersedes,
                saved_from: SavedFrom {
                    project: None,
                    dir: place.dir_in_repo(),
                    worktree: place.worktree(),
                },
                changed: status.changed(),
                git: GitState { branch: status.branch, head: status.head, remote: None },
                ..Fields::default()
            },
            extra: Vec::new(),
            body: distilled.body,
        };
        let created = place.ended;
        redact_draft(&self.here.redactor_out(), &mut draft).ok()?;
        let id = HandoffId::derived(created, captured.id().as_bytes());
        Handoff::parse(draft.render(&id, created)).ok()
    }

    /// What the session has left so far.
    fn left_by(&self, state: &LiveState, seen: &SessionSeen) -> Result<Left, Error> {
        let began = state.facts().and_then(|facts| facts.began);
        let mut all = self.handoffs.of_session(&state.session, began)?;
        if all.is_empty() && state.session != seen.id {
            all = self.handoffs.of_session(&seen.id, began)?;
        }
        let is_whole = |listed: &Listed| self.handoffs.was_written_after(listed, seen.modified);
        // Whoever was killed after it had made one noted nothing of it.
        let replaces =
            |one: &Listed, id: &str| one.head.fields.supersedes.iter().any(|old| old == id);
        let replaced = |id: &str| all.iter().any(|one| replaces(one, id));
        let captured = |one: &&Listed| one.head.fields.kind == HandoffKind::Session;
        let ids = all.iter().filter(captured).map(|one| one.head.id.to_string());
        let made = ids.filter(|id| !replaced(id)).collect();
        let tells = |one: &Listed| captured(&one) || one.head.fields.captured.is_some();
        let Some(words) = all.iter().find(|listed| is_in_own_words(listed)) else {
            let told = all.iter().any(is_whole);
            return Ok(Left { words: None, is_last: false, made, told });
        };
        // The agent says something after it has saved; that is nothing new.
        let is_last = state.asked.is_none_or(|at| at <= words.head.created);
        let id = words.head.id.as_str();
        let is_checked = words.head.fields.captured.is_some()
            || all.iter().any(|one| tells(one) && replaces(one, id));
        let told = all.iter().any(|one| is_made(one) && tells(one) && is_whole(one))
            || is_last && is_checked && !state.has_worked_on();
        Ok(Left { words: Some(words.clone()), is_last, made, told })
    }

    /// Whether a handoff is dated ahead of the clock.
    fn is_ahead(&self, handoff: &Handoff) -> bool {
        handoff.head.created.is_ahead_of(self.here.now())
    }

    /// The newest handoff in a session's own words, by its id.
    pub(crate) fn own_words_of(&self, state: &LiveState) -> Result<Option<String>, Error> {
        let began = state.facts().and_then(|facts| facts.began);
        let mut all = self.handoffs.of_session(&state.session, began)?;
        if all.is_empty() && state.session != state.id_in_files() {
            all = self.handoffs.of_session(state.id_in_files(), began)?;
        }
        Ok(all
            .iter()
            .find(|listed| is_in_own_words(listed))
            .map(|listed| listed.head.id.to_string()))
    }

    /// Makes a handoff of a live draft, for a reason that the log tells.
    pub(crate) fn adopt(&self, key: &str, why: &str) -> Result<bool, Error> {
        for _ in 1..ATTEMPTS {
            match self.adopt_once(key, why) {
                // The project became part of another one meanwhile, and the draft is there.
                Err(Error::Store(error)) if is_gone(&error) => self.here.forget_place(),
                adopted => return adopted,
            }
        }
        self.adopt_once(key, why)
    }

    fn adopt_once(&self, key: &str, why: &str) -> Result<bool, Error> {
        if self.files()?.is_none_or(|live| live.draft(key).is_none()) {
            return Ok(false);
        }
        let here = &self.here;
        let view = here.store.writer_view()?;
        // This can move drafts of another project here, so that it comes before their lock.
        let target = here.create_or_update_project(&view, &ProjectRef::Here)?;
        let memory = self.handoffs.attach_memory_of(&view, &target, &mut Vec::new())?;
        let Some(live) = self.files()? else { return Ok(false) };
        // Held to the end: what another hook keeps meanwhile must not go with this draft.
        let locked = live.lock()?;
        let Some(draft) = live.draft(key) else { return Ok(false) };
        here.store.lock(&view, &memory)?.adopt(&draft.handoff, here.now())?;
        drop(view);
        let mut state = self.state(&live, key);
        if let Some(state) = &mut state {
            let records = state.facts().map_or(0, |facts| facts.records);
            state.promoted = Some((draft.handoff.head.id.to_string(), records));
        }
        if let Some(state) = &state {
            locked.put_state(key, &self.stored_state(state)?)?;
        }
        locked.remove(key)?;
        self.newest.take();
        let session = draft.handoff.head.fields.session.as_deref().unwrap_or(key);
        let short = draft.handoff.head.id.short();
        tracing::info!("handoff {short}: made of the draft of the session {session}, {why}");
        Ok(true)
    }

    /// Drops the draft of a session that has left a handoff in its own words.
    pub(crate) fn remove_of(&self, seen: &SessionSeen) -> Result<(), Error> {
        let Some(live) = self.files()? else { return Ok(()) };
        let key = key_of(seen.agent, &seen.id);
        if live.draft(&key).is_some() {
            live.lock()?.remove(&key)?;
        }
        Ok(())
    }
}

/// Whether git is asked where `origin` is while a session is read.
#[derive(Clone, Copy)]
enum AskOrigin {
    No,
    /// Unless that was asked for an earlier draft of it.
    UnlessKnown,
}

/// Whether something is not there any more that was there when it was looked up.
fn is_gone(error: &StoreError) -> bool {
    matches!(error, StoreError::NoProject(_)) || error.io_kind() == Some(ErrorKind::NotFound)
}

/// Takes the lock for somebody who has read what is kept of a session. Busy if that is another by now:
/// what another hook noted must not be lost.
fn lock_as_read<'a>(
    live: &'a LiveFiles,
    key: &str,
    as_read: Option<&[u8]>,
) -> Result<LockedLive<'a>, Error> {
    let locked = live.lock()?;
    if live.state(key).as_deref() != as_read {
        return Err(StoreError::Busy { path: live.path().to_owned() }.into());
    }
    Ok(locked)
}
