//! Hook: what Segue does when an agent says that something happens in a session.
//!
//! Nothing here may break that session: whoever calls prints the answer or nothing.

mod agent_hooks;
mod ask;
pub(crate) mod log;
mod request;
mod went_on_from;
mod words;

pub use agent_hooks::AgentHooks;
pub use log::HookFired;
pub use request::{Continued, HookDone, HookOutcome, HookRequest, hook_directory};
pub use segue_agents::{HookEvent, Payload};

use std::path::PathBuf;
use std::time::Duration;

use segue_agents::{Dialect, Source};
use segue_core::session::Session;
use segue_core::{DEFAULT_BUDGET, GitToday, Selector, SinceThen, StandingRule};

use crate::Error;
use crate::agents::StartNote;
use crate::briefing::{Briefer, ResumeRequest, today};
use crate::drafts::{CatchUpLimits, EndedSession, LiveState, ReadOn, key_of, state_directory};
use crate::handoffs::Handoffs;
use crate::sessions::capture::is_plain_id;
use crate::sessions::{SessionSeen, Sessions};
use went_on_from::WentOnFrom;

/// Tokens of a briefing for somebody who wanted a clean slate.
const CLEAR_BUDGET: usize = DEFAULT_BUDGET / 2;

/// Tokens of what is given back after a compaction: as much as every agent passes on.
const GIVEN_BACK: usize = 2_000;

/// Hooks of one event fire within this time.
const BOTH_FIRE: Duration = Duration::from_secs(2);

impl AgentHooks<'_> {
    /// The directory of a session that was heard of before. It stays there, wherever the agent goes.
    pub fn known_directory(&self, request: &HookRequest) -> Option<PathBuf> {
        let key = request.live_key(None);
        request.payload.session.as_ref()?;
        let state = self.here.store.live_with(&key)?.state(&key)?;
        state_directory(&state).filter(|dir| dir.is_dir() && *dir != self.here.env.dir)
    }

    /// Does what is to be done when a hook fires, and answers.
    pub fn fire(&self, request: &HookRequest) -> Result<HookOutcome, Error> {
        if self.here.brake()?.pulled().is_some() {
            return Ok(HookOutcome::of(HookDone::Paused));
        }
        let compacted = Source::of(request.payload.source.as_deref()) == Source::Compact;
        if request.event != HookEvent::Prompt && !compacted {
            // Git takes longest: it is asked before anything else is looked at.
            if let Some(repo) = self.here.repo() {
                self.here.git_answers().ask_ahead(repo);
            }
        }
        if let Some(continued) = self.continued(request) {
            return self.goes_on_from(request, &continued);
        }
        match request.event {
            HookEvent::SessionStart => self.at_start(request),
            HookEvent::Prompt => self.at_prompt(request),
            HookEvent::Stop => {
                let Some(kept) = self.kept(request)? else {
                    return Ok(HookOutcome::of(HookDone::Nothing));
                };
                let question = self.question_at_stop(request, &kept)?;
                let answer = question.and_then(|text| dialect_of(request)?.block_stop(&text));
                if answer.is_some() {
                    return Ok(HookOutcome { answer, ..HookOutcome::of(HookDone::Asked) });
                }
                let done = kept.draft.map(|_| HookDone::Kept);
                Ok(HookOutcome::of(done.unwrap_or(HookDone::Nothing)))
            }
            HookEvent::PreCompact => self.before_compaction(request),
            HookEvent::SessionEnd => {
                let saved = self.at_end(request)?;
                let done = if saved { HookDone::Saved } else { HookDone::Nothing };
                Ok(HookOutcome::of(done))
            }
        }
    }

    /// How the agent was started, if that was with the briefing and the session begins now: as the environment says.
    /// A daemon keeps for ever the environment of the start that made it, so that there the note of the start says it.
    fn continued(&self, request: &HookRequest) -> Option<Continued> {
        if !is_detached(request) {
            return request.continued.clone();
        }
        let begins = match request.event {
            HookEvent::SessionStart => request.payload.is_first_start(),
            HookEvent::Prompt => {
                dialect_of(request).is_some_and(|dialect| dialect.briefs_at_prompt)
            }
            _ => false,
        };
        if !begins || self.is_briefed(request) {
            return None;
        }
        let note = StartNote::take(&self.here, request.agent)?;
        Some(Continued { from: Some(note.from).filter(|from| !from.is_empty()) })
    }

    /// Whether the session was briefed before.
    fn is_briefed(&self, request: &HookRequest) -> bool {
        let live = self.drafts.files().ok().flatten();
        let state = live.and_then(|live| self.drafts.state(&live, &request.live_key(None)));
        state.is_some_and(|state| state.briefed)
    }

    /// Notes that a session has ended, before anything is waited for: if the hook is ended then, or the store is
    /// in use for too long, another makes the handoff.
    pub fn note_end(&self, request: &HookRequest) -> Result<(), Error> {
        let payload = &request.payload;
        let Some(session) = payload.session.clone().filter(|id| is_plain_id(id)) else {
            return Ok(());
        };
        let is_gone = payload.transcript.as_ref().is_some_and(|path| !path.is_file());
        if request.event != HookEvent::SessionEnd
            || is_gone
            || self.here.brake()?.pulled().is_some()
        {
            return Ok(());
        }
        self.drafts.note_ended(&EndedSession {
            agent: request.agent.slug.to_owned(),
            session,
            transcript: payload.transcript.clone(),
            dir: self.here.dir().to_owned(),
            named: self.here.named().map(str::to_owned),
            attempts: 0,
        })
    }

    /// Makes a handoff of the session that ends. False if there is nothing to make one of.
    fn at_end(&self, request: &HookRequest) -> Result<bool, Error> {
        let kept = self.kept(request)?;
        let saved = kept.as_ref().map(|kept| self.promoted(request, kept)).transpose()?;
        let session = request.payload.session.as_deref();
        if let Some(session) = session {
            if kept.is_none() {
                self.drafts.remove_state_of(request.agent.slug, session)?;
            }
            self.drafts.remove_ended(request.agent.slug, session);
        }
        self.drafts.adopt_failed(session);
        // The session's own handoff is safe: whatever is in the way of others is left to the next start.
        let _ = self.drafts.capture_unsaved(session, CatchUpLimits::AT_END);
        Ok(saved.unwrap_or(false))
    }

    /// Reads on in the session that the hook is about.
    fn kept(&self, request: &HookRequest) -> Result<Option<ReadOn>, Error> {
        self.seen(request).map(|seen| self.drafts.keep(&seen)).transpose()
    }

    /// The same, for somebody who is to be told: what cannot be kept can still be told.
    fn kept_or_read(&self, request: &HookRequest) -> (Option<ReadOn>, Option<Error>) {
        match self.kept(request) {
            Ok(kept) => (kept, None),
            Err(error) => {
                let seen = self.seen(request);
                (seen.and_then(|seen| self.drafts.read(&seen).ok()), Some(error))
            }
        }
    }

    fn seen(&self, request: &HookRequest) -> Option<SessionSeen> {
        let payload = &request.payload;
        let (path, id) = (payload.transcript.as_deref(), payload.session.as_deref());
        Sessions::of(&self.here).of_hook(request.agent.slug, path, id)
    }

    fn promoted(&self, request: &HookRequest, kept: &ReadOn) -> Result<bool, Error> {
        let key = request.live_key(Some(&kept.state));
        self.drafts.adopt(&key, "which says that it ends")
    }

    fn answer(&self, request: &HookRequest, text: &str) -> Option<String> {
        let dialect = dialect_of(request)?;
        // Claude Code shows it between such marks, which nothing in it may close.
        let text = text.replace("</system-reminder", "<\\/system-reminder");
        let text = words::within(&text, dialect.most);
        dialect.answer(request.event, &text)
    }

    fn at_start(&self, request: &HookRequest) -> Result<HookOutcome, Error> {
        match Source::of(request.payload.source.as_deref()) {
            Source::Compact => self.after_compaction(request),
            Source::Resume => self.goes_on_again(request),
            Source::Clear => self.briefed(request, CLEAR_BUDGET),
            // A daemon may say twice that a session begins; what it was told stays in its first request.
            Source::Startup
                if is_detached(request)
                    && request.payload.source.is_some()
                    && self.is_briefed(request) =>
            {
                Ok(HookOutcome::of(HookDone::Nothing))
            }
            Source::Startup => self.briefed(request, DEFAULT_BUDGET),
        }
    }

    /// Makes handoffs of sessions that have ended without one.
    fn adopt_finished(&self, request: &HookRequest) -> Result<usize, Error> {
        let asking = request.payload.session.as_deref();
        self.drafts.adopt_finished(asking, CatchUpLimits::AT_START)
    }

    /// The briefing for a new session.
    fn briefed(&self, request: &HookRequest, budget: usize) -> Result<HookOutcome, Error> {
        // What ended without a word is picked up first. That it cannot be written is no reason to tell
        // nothing.
        let mut failed = self.adopt_finished(request).err();
        let outcome =
            Briefer::of(&self.here).resume_and_keep(&resume_request(request, budget, None))?;
        // Where nothing was left there is nothing to say: what git knows the agent sees itself.
        let from = match (&outcome.handoff, &outcome.session) {
            (Some((handoff, _)), _) => WentOnFrom::handoff(handoff.head.id.to_string()),
            (None, Some(told)) => WentOnFrom::session(told),
            (None, None) if !outcome.unreadable.is_empty() => WentOnFrom::default(),
            (None, None) => {
                return Ok(HookOutcome { failed, ..HookOutcome::of(HookDone::Nothing) });
            }
        };
        let text = words::briefing(&outcome.briefing.text, request.payload.source.as_deref());
        let answer = self.answer(request, &text);
        if answer.is_some() {
            match self.note_briefed(request, from, outcome.rules) {
                Ok(true) => {}
                Ok(false) => {
                    return Ok(HookOutcome { failed, ..HookOutcome::of(HookDone::Nothing) });
                }
                Err(error) => failed = Some(error),
            }
        }
        let done = if answer.is_some() { HookDone::Told } else { HookDone::Nothing };
        Ok(HookOutcome { answer, done, failed })
    }

    /// A session that was started with the briefing. It is told nothing; what it goes on from is noted, so
    /// that what the user said before holds in it too.
    fn goes_on_from(
        &self,
        request: &HookRequest,
        continued: &Continued,
    ) -> Result<HookOutcome, Error> {
        let nothing = || Ok(HookOutcome::of(HookDone::Nothing));
        if self.is_briefed(request) {
            return nothing();
        }
        let id: Option<Selector> = continued.from.as_deref().map(str::parse).transpose()?;
        // What it goes on from may be a session that has yet to become a handoff.
        let failed = self.adopt_finished(request).err();
        let briefer = Briefer::of(&self.here);
        let outcome = briefer.resume_and_keep(&resume_request(request, CLEAR_BUDGET, id))?;
        let from = match (&outcome.handoff, &outcome.session) {
            (Some((handoff, _)), _) => Some(WentOnFrom::handoff(handoff.head.id.to_string())),
            (None, told) => told.as_ref().map(WentOnFrom::session),
        };
        let Some(live) = self.drafts.files()?.filter(|_| request.payload.session.is_some()) else {
            return nothing();
        };
        if let Some(from) = from {
            self.drafts.change_state(&live, &request.live_key(None), |state| {
                from.note(state, outcome.rules);
                state.dir.get_or_insert_with(|| self.here.dir().to_owned());
            })?;
        }
        Ok(HookOutcome { failed, ..HookOutcome::of(HookDone::Nothing) })
    }

    /// Notes what the session was briefed with. False if another hook told it the same.
    fn note_briefed(
        &self,
        request: &HookRequest,
        from: WentOnFrom,
        held: Vec<StandingRule>,
    ) -> Result<bool, Error> {
        if request.payload.session.is_none() {
            return Ok(true);
        }
        let Some(live) = self.drafts.files()? else { return Ok(true) };
        let key = request.live_key(None);
        self.drafts.change_state(&live, &key, |state| {
            from.note(state, held);
            state.dir.get_or_insert_with(|| self.here.dir().to_owned());
            self.is_first(request, state)
        })
    }

    /// Whether nobody told the session the same a moment ago: where the user and the project have a hook
    /// each, both fire.
    fn is_first(&self, request: &HookRequest, state: &mut LiveState) -> bool {
        let now = self.here.now();
        let source = request.payload.source.clone().unwrap_or_default();
        let again = state.told.as_ref().is_some_and(|(told, at)| {
            let passed = now.micros() - at.micros();
            *told == source && (0..BOTH_FIRE.as_micros() as i64).contains(&passed)
        });
        state.told = Some((source, now));
        !again
    }

    /// What the summary may have dropped.
    fn after_compaction(&self, request: &HookRequest) -> Result<HookOutcome, Error> {
        let (kept, failed) = self.kept_or_read(request);
        let Some(mut kept) = kept else {
            return self.briefed(request, CLEAR_BUDGET);
        };
        let Some(facts) = kept.state.whole().filter(|facts| !facts.prompts.is_empty()) else {
            return Ok(HookOutcome { failed, ..HookOutcome::of(HookDone::Nothing) });
        };
        kept.state.restored = facts.compactions.max(kept.state.restored + 1);
        self.gives_back(request, &kept.state, &facts, failed)
    }

    /// Gives back what the summary may have dropped, once.
    fn gives_back(
        &self,
        request: &HookRequest,
        state: &LiveState,
        facts: &Session,
        failed: Option<Error>,
    ) -> Result<HookOutcome, Error> {
        let failed = match (failed, self.note_restored(request, state)) {
            (None, Ok(false)) => return Ok(HookOutcome::of(HookDone::Nothing)),
            (failed, noted) => failed.or(noted.err()),
        };
        let text =
            words::given_back(&Sessions::of(&self.here).distilled_out(facts, GIVEN_BACK).body);
        let answer = self.answer(request, &text);
        let done = if answer.is_some() { HookDone::Told } else { HookDone::Kept };
        Ok(HookOutcome { answer, done, failed })
    }

    /// Notes what was given back. False if another hook did so.
    fn note_restored(&self, request: &HookRequest, state: &LiveState) -> Result<bool, Error> {
        let Some(live) = self.drafts.files()? else { return Ok(true) };
        let key = request.live_key(Some(state));
        self.drafts.change_state(&live, &key, |kept| {
            kept.restored = state.restored.max(kept.restored);
            self.is_first(request, kept)
        })
    }

    /// Agents that say nothing after a compaction are told with the next thing that the user says.
    fn at_prompt(&self, request: &HookRequest) -> Result<HookOutcome, Error> {
        let nothing = || Ok(HookOutcome::of(HookDone::Nothing));
        let dialect = dialect_of(request);
        let first = dialect.is_some_and(|dialect| dialect.briefs_at_prompt);
        if !dialect.is_some_and(|dialect| dialect.listens(request.event)) {
            return nothing();
        }
        let live = self.drafts.files()?;
        let known = live.as_ref().and_then(|live| {
            // Some agents call the file of a session otherwise than the session.
            let seen = self.seen(request).map(|seen| key_of(seen.agent, &seen.id));
            let key = seen.unwrap_or_else(|| request.live_key(None));
            self.drafts.state(live, &key)
        });
        if first {
            let briefed = known.is_some_and(|state| state.briefed);
            return if briefed { nothing() } else { self.briefed(request, DEFAULT_BUDGET) };
        }
        // A session of which nothing is known was not summed up either.
        if known.is_none_or(|state| state.facts().is_none()) {
            return nothing();
        }
        let (kept, failed) = self.kept_or_read(request);
        let Some(mut kept) = kept else { return nothing() };
        let Some(facts) = kept.state.whole() else { return nothing() };
        if facts.compactions <= kept.state.restored {
            let question = self.question_when_full(request, &kept.state)?;
            let answer = question.and_then(|text| self.answer(request, &text));
            let done = if answer.is_some() { HookDone::Asked } else { HookDone::Nothing };
            return Ok(HookOutcome { answer, done, failed: None });
        }
        kept.state.restored = facts.compactions;
        self.gives_back(request, &kept.state, &facts, failed)
    }

    /// What must not be lost is said, and kept first.
    fn before_compaction(&self, request: &HookRequest) -> Result<HookOutcome, Error> {
        let (kept, mut failed) = self.kept_or_read(request);
        let Some(kept) = kept else {
            return Ok(HookOutcome { failed, ..HookOutcome::of(HookDone::Nothing) });
        };
        let dialect = dialect_of(request);
        let for_show = dialect.is_some_and(|dialect| dialect.compacts_for_show);
        let mut done = if kept.draft.is_some() { HookDone::Kept } else { HookDone::Nothing };
        if !for_show && failed.is_none() {
            match self.promoted(request, &kept) {
                Ok(true) => done = HookDone::Saved,
                Ok(false) => {}
                Err(error) => failed = Some(error),
            }
        }
        let text = kept
            .state
            .whole()
            .map(|facts| {
                let sessions = Sessions::of(&self.here);
                sessions.distilled_out(&facts, segue_core::CAPTURE_BUDGET).body
            })
            .and_then(|body| words::not_to_be_lost(&body));
        let answer = text.and_then(|text| self.answer(request, &text));
        Ok(HookOutcome { answer, done, failed })
    }

    /// The session has all that was said in it; only what changed since is news.
    fn goes_on_again(&self, request: &HookRequest) -> Result<HookOutcome, Error> {
        let nothing = || Ok(HookOutcome::of(HookDone::Nothing));
        let Some(live) = self.drafts.files()? else { return nothing() };
        let (kept, failed) = self.kept_or_read(request);
        let Some(kept) = kept else { return nothing() };
        let Some(facts) = kept.state.facts() else { return nothing() };
        let Some(ended) = facts.ended else { return nothing() };
        let own = kept.draft.or_else(|| live.draft(&request.live_key(None)).map(|one| one.handoff));
        // If it ended, what it left then says where it was.
        let began = kept.state.facts().and_then(|facts| facts.began);
        let handoffs = Handoffs::of(&self.here);
        let left = || handoffs.of_session(&kept.state.session, began).ok()?.into_iter().next();
        let fields =
            own.map(|own| own.head.fields).or_else(|| left().map(|listed| listed.head.fields));
        let left_at = fields.map(|fields| fields.git);
        let today = today::ask(&self.here, left_at.as_ref());
        let branch = left_at.and_then(|git| git.branch).or_else(|| facts.branch.clone());
        let branch = branch.map(|branch| self.here.without_secrets(branch));
        let mut news = Vec::new();
        if let GitToday::Tree(tree) = &today.git {
            if branch.is_some() && tree.branch != branch {
                let now = tree.branch.as_deref().unwrap_or("no branch");
                news.push(words::branch_now(now));
            }
            if let SinceThen::Moved { commits, ahead, behind } = &tree.since {
                news.extend(words::commits_since(commits, *ahead, *behind));
            }
        }
        let session = request.payload.session.as_deref();
        news.extend(self.left_since(ended, session)?);
        if news.is_empty() {
            return nothing();
        }
        let text = words::since(ended, self.here.now(), &news);
        let answer = self.answer(request, &text);
        let done = if answer.is_some() { HookDone::Told } else { HookDone::Nothing };
        Ok(HookOutcome { answer, done, failed })
    }

    /// What other sessions left here since.
    fn left_since(
        &self,
        since: segue_core::Timestamp,
        session: Option<&str>,
    ) -> Result<Vec<String>, Error> {
        let found = Handoffs::of(&self.here).since(since)?;
        let other = |listed: &&segue_store::Listed| {
            let theirs = listed.head.fields.session.as_deref();
            theirs.is_none() || theirs != session
        };
        let mut news: Vec<String> =
            found.iter().filter(other).take(3).map(words::left_meanwhile).collect();
        let live = self.drafts.files()?;
        let drafts = live.iter().flat_map(|live| self.drafts.drafts_besides(live, &[session]));
        let is_listed = |id: &str| {
            let mut sessions = found.iter().filter_map(|one| one.head.fields.session.as_deref());
            sessions.any(|session| session == id)
        };
        news.extend(drafts.filter(|draft| draft.created > since).take(3).filter_map(|draft| {
            let session = draft.session.filter(|session| !is_listed(session))?;
            let left = self.drafts.newest_left_by(&session).is_some();
            Some(words::goes_on_meanwhile(&draft.title, &session, left))
        }));
        Ok(news)
    }
}

/// Whether the agent's hooks run in a process of their own.
fn is_detached(request: &HookRequest) -> bool {
    request.agent.hooks.as_ref().is_some_and(|hooks| hooks.runs_detached)
}

/// The dialect in which a request is answered.
fn dialect_of(request: &HookRequest) -> Option<&'static Dialect> {
    Dialect::of(request.dialect.slug)
}

fn resume_request(request: &HookRequest, budget: usize, id: Option<Selector>) -> ResumeRequest {
    ResumeRequest {
        budget,
        target: Some(request.agent),
        id,
        name: None,
        branch: None,
        any_branch: false,
        check_limit: Duration::ZERO,
        asking: request.payload.session.clone(),
        from_inside: true,
    }
}
