//! Capture: the facts of a session, out of the transcript that its agent keeps.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use segue_agents::{Payload, Places, Transcript, Transcripts, Where, transcripts};
use segue_core::session::{FileUse, Judgement, Session, Told, judge_words};
use segue_core::{
    DistilRequest, Distilled, Elsewhere, ItemSources, Origin, Timestamp, WordsWritten,
    complete_words, completed_sources, distil, find_contradictions, judge_steps, normalise_origin,
    session_title,
};
use segue_store::{Filter, Listed};

use crate::handoffs::Speaker;
use crate::here::Here;
use crate::redacted::clean;
use crate::sessions::redacted_session::{redact_session, session_secrets};
use crate::{Env, Error};

/// Handoffs from before a session that are looked at for what its words name.
const EARLIER: u64 = 10;
/// Characters by which a passage is found again in a handoff.
const SHOWN: usize = 40;

/// Which session is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SessionRef {
    /// The one that goes on here, or the newest of this directory.
    #[default]
    Current,
    /// None at all.
    None,
    /// The newest of one agent here.
    Agent(String),
    /// A transcript.
    File {
        /// Where it is.
        path: PathBuf,
        /// The session of it that is meant: else the newest, where it holds many.
        session: Option<String>,
        /// Who names it. What the user names counts as a transcript wherever it lies.
        by: Speaker,
    },
    /// By its id.
    Id(String),
    /// The one that a hook was told of.
    Payload(Payload),
}

/// A session whose transcript was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionSeen {
    /// The agent, by its word.
    pub agent: &'static str,
    /// The agent's id of it.
    pub id: String,
    /// Its transcript.
    pub path: PathBuf,
    /// When something was last written into that.
    pub modified: Timestamp,
    /// Bytes.
    pub size: u64,
    /// Whether it lies where its agent keeps its transcripts, or the user named it. Any other file can be from
    /// anybody, and what it calls the user's words counts as the agent's.
    pub is_own: bool,
}

/// A session, read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Captured {
    /// Where it was found.
    pub seen: SessionSeen,
    /// Its facts.
    pub session: Session,
}

/// The words of a session's agent, checked against it and completed from it.
pub(crate) struct CompletedWords {
    pub(crate) body: String,
    pub(crate) sources: ItemSources,
}

/// A session as it went.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionStory {
    /// Its facts.
    pub session: Session,
    /// What was said and done, in its order.
    pub told: Vec<Told>,
    /// How many things are left out at the end, because it is so long.
    pub left_out: usize,
}

/// The agents whose transcripts can be read, by their words.
pub fn readable_agents() -> impl Iterator<Item = &'static str> {
    transcripts().map(|row| row.agent)
}

impl Captured {
    /// The agent's id of the session.
    pub fn id(&self) -> &str {
        self.session.id.as_deref().unwrap_or(&self.seen.id)
    }
}

/// Characters by which a session may be named, at least.
const LEAST_OF_AN_ID: usize = 4;
/// A session that goes on wrote into its transcript within this time, if only the call that is answered.
const JUST_WRITTEN: Duration = Duration::from_secs(3 * 60);
/// Sessions that are looked at for one in which somebody said something.
pub(crate) const LOOKED_AT: usize = 5;

/// The sessions of all agents, seen from one directory.
#[derive(Clone, Debug)]
pub struct Sessions<'s> {
    here: Here<'s>,
}

impl<'s> Sessions<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }
}

impl Sessions<'_> {
    /// The first session that is as it should be, among the first few. An agent that was only opened
    /// leaves one, too.
    fn first_that(
        &self,
        found: Vec<SessionSeen>,
        fits: impl Fn(&Captured) -> bool,
    ) -> Result<Option<Captured>, Error> {
        let mut unread = None;
        for seen in found.into_iter().take(LOOKED_AT) {
            match read_session(seen) {
                Ok(captured) if fits(&captured) => return Ok(Some(captured)),
                Ok(_) => {}
                Err(error) => unread = unread.or(Some(error)),
            }
        }
        unread.map_or(Ok(None), Err)
    }

    /// Why what was said and done in a session became items of a handoff, or did not, in its order.
    pub fn judge(&self, captured: &Captured) -> Result<Vec<Judgement>, Error> {
        let story = self.story(&captured.seen)?;
        let session = redact_session(&self.here.redactor_out(), &captured.session);
        let mut all = judge_words(&story.told);
        // Of findings only the best of each kind are shown, and nothing twice.
        let body = self.distilled(&captured.session, usize::MAX).body;
        for judgement in all.iter_mut().filter(|one| one.kept) {
            let text = judgement.text.replace("**", "");
            let begin: String = text.chars().take(SHOWN).collect();
            if !body.contains(&begin) {
                judgement.kept = false;
                judgement.rule.push_str("; others of its kind weigh more or say the same");
            }
        }
        all.extend(judge_steps(&session));
        all.sort_by_key(|judgement| judgement.record);
        Ok(all)
    }

    /// A session whole: what was said and done, in its order.
    pub fn story(&self, seen: &SessionSeen) -> Result<SessionStory, Error> {
        let unread = |error: io::Error| unread(&seen.path, &error);
        let row =
            Transcripts::of(seen.agent).ok_or_else(|| Error::NotATranscript(seen.path.clone()))?;
        let recorder = row.story(&seen.path, &seen.id).map_err(unread)?;
        let redactor = self.here.redactor_out();
        let mut story = recorder.story().to_vec();
        for told in &mut story {
            for text in [Some(&mut told.text), told.error.as_mut()].into_iter().flatten() {
                clean(&redactor, text);
            }
        }
        let left_out = recorder.left_out();
        Ok(SessionStory { session: recorder.into_session(), told: story, left_out })
    }

    /// The sessions that ran in this directory or anywhere in its repository, newest first.
    pub fn all(&self) -> Result<Vec<SessionSeen>, Error> {
        self.newest(usize::MAX)
    }

    /// The newest sessions that ran in this directory or anywhere in its repository, at least so many.
    pub(crate) fn newest(&self, most: usize) -> Result<Vec<SessionSeen>, Error> {
        let mut found = Vec::new();
        let mut unread = None;
        let place = self.session_places();
        for row in transcripts() {
            // An agent whose sessions cannot be read does not hide the others.
            match self.sessions_of(row, &place, most) {
                Ok(there) => found.extend(there),
                Err(error) => unread = unread.or(Some(error)),
            }
        }
        if let Some(error) = unread.filter(|_| found.is_empty()) {
            return Err(error);
        }
        found.sort_by_key(|one| std::cmp::Reverse(one.modified));
        let mut known = HashSet::new();
        found.retain(|one| known.insert((one.agent, one.id.clone())));
        Ok(found)
    }

    /// Finds a session and reads it. `said` is what the environment says: the agent and its id.
    pub fn captured(
        &self,
        wanted: &SessionRef,
        said: (Option<&str>, Option<&str>),
    ) -> Result<Option<Captured>, Error> {
        let found = match wanted {
            SessionRef::None => None,
            SessionRef::File { path, session, by } => {
                return self.read_transcript(path, session.as_deref(), *by).map(Some);
            }
            SessionRef::Id(id) => match self.of_id(id)? {
                Some(found) => Some(found),
                None => return Err(Error::NoSession(id.clone())),
            },
            SessionRef::Payload(payload) => {
                let there = payload.transcript.as_deref().filter(|path| path.is_file());
                if let Some(path) = there {
                    let id = payload.session.as_deref();
                    return self.read_transcript(path, id, Speaker::Agent).map(Some);
                }
                let id = payload.session.as_deref().ok_or(Error::NoSessionTold)?;
                let found = self.of_id(id)?;
                Some(found.ok_or_else(|| Error::NoSession(id.to_owned()))?)
            }
            SessionRef::Agent(agent) => {
                let row = Transcripts::of(agent);
                let row = row.ok_or_else(|| Error::NoTranscripts(agent.clone()))?;
                let found = self.sessions_of(row, &self.session_places(), LOOKED_AT)?;
                let newest = self.first_that(found, says_something)?;
                let missing = || Error::NoSessionHere(row.agent.to_owned());
                return newest.ok_or_else(missing).map(Some);
            }
            SessionRef::Current => return self.current_session(said),
        };
        found.map(read_session).transpose()
    }

    /// The session that a hook is about, if its transcript is there.
    pub(crate) fn of_hook(
        &self,
        agent: &str,
        transcript: Option<&Path>,
        id: Option<&str>,
    ) -> Option<SessionSeen> {
        let row = Transcripts::of(agent)?;
        let found = match transcript.filter(|path| path.is_file()) {
            Some(path) => row.in_file(path, id).ok().flatten(),
            None => row.of_id(&self.places(), id?).ok().flatten(),
        };
        found.map(|found| self.seen(found))
    }

    /// What a handoff out of a session says, in at most so many tokens.
    pub(crate) fn distilled(&self, session: &Session, budget: usize) -> Distilled {
        let root = self.here.claimed_repo().map(|repo| repo.top.to_string_lossy().into_owned());
        let root =
            root.filter(|root| session.began_in.as_ref().is_none_or(|dir| dir.starts_with(root)));
        let mut session = redact_session(&self.here.redactor_out(), session);
        session.origin = self.origin_of(&session);
        distil(&session, &DistilRequest { root: root.as_deref(), budget })
    }

    /// The words of a session's agent, with what the session shows otherwise and what they leave out.
    pub(crate) fn completed_words(
        &self,
        words: &str,
        written: WordsWritten,
        session: &Session,
        distilled: &Distilled,
    ) -> CompletedWords {
        let is_commit = |id: &str| self.is_commit(id);
        let is_told = |path: &str| self.is_told_before(path, session);
        let elsewhere = Elsewhere { is_commit: &is_commit, is_told: &is_told };
        let mut session = Cow::Borrowed(session);
        if let Some(origin) = self.origin_of(&session) {
            session.to_mut().origin = Some(origin);
        }
        let mut contradictions = find_contradictions(words, &session, &elsewhere);
        if !contradictions.is_empty() {
            let clean = redact_session(&self.here.redactor_out(), &session);
            contradictions = find_contradictions(words, &clean, &elsewhere);
        }
        let body = complete_words(words, written, &contradictions, &distilled.body);
        let body = self.without_secrets_of(&session, &body);
        let sources = completed_sources(&body, distilled);
        CompletedWords { body, sources }
    }

    /// A text about a session without what the session shows to be a secret: the text may tell it without a sign of
    /// that.
    pub(crate) fn without_secrets_of(&self, session: &Session, text: &str) -> String {
        let redactor = self.here.redactor_out();
        let known = session_secrets(&redactor, session);
        redactor.redact_knowing(text, &known).text.into_owned()
    }

    /// Where the repository is from, if a session shows pull requests.
    fn origin_of(&self, session: &Session) -> Option<String> {
        let repo = self.here.repo().filter(|_| session.links_pull_request())?;
        match normalise_origin(&self.here.git_answers().known_origin(&repo.top)?)? {
            Origin::Host(address) => Some(address),
            Origin::Local(_) => None,
        }
    }

    /// Whether git knows a commit here. Where it gives no answer, it may.
    fn is_commit(&self, id: &str) -> bool {
        let Some(repo) = self.here.repo() else { return false };
        self.here.git().full_commit(&repo.top, id).map_or(true, |found| found.is_some())
    }

    /// Whether a handoff from before a session names a file: its words may tell of that time.
    fn is_told_before(&self, path: &str, session: &Session) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let filter = Filter { until: session.began, limit: Some(EARLIER), ..Filter::default() };
        let store = self.here.store;
        let listed = match self.here.own_scope() {
            Ok(Some(scope)) => store.ask_on(&scope, |view| view.listed(&scope, &filter)),
            _ => return false,
        };
        let names =
            |listed: &Listed| store.read(listed).is_ok_and(|handoff| handoff.body().contains(name));
        session.began.is_some() && listed.is_ok_and(|all| all.iter().any(names))
    }

    /// What a session was about, in a line without secrets.
    pub fn title(&self, session: &Session) -> String {
        let redactor = self.here.redactor_out();
        let mut title = session_title(&redact_session(&redactor, session));
        clean(&redactor, &mut title);
        title
    }

    /// What a handoff out of a session says as it goes out, without secrets.
    pub fn distilled_out(&self, session: &Session, budget: usize) -> Distilled {
        let mut distilled = self.distilled(session, budget);
        let redactor = self.here.redactor_out();
        for text in [&mut distilled.title, &mut distilled.body] {
            clean(&redactor, text);
        }
        distilled
    }

    /// Reads a transcript, whosever it is: the session of an id, else the newest in it.
    fn read_transcript(
        &self,
        path: &Path,
        id: Option<&str>,
        by: Speaker,
    ) -> Result<Captured, Error> {
        let path = self.here.dir().join(path);
        let row = Transcripts::of_file(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error::NoTranscript(path.clone()),
            _ => unread(&path, &error),
        })?;
        let row = row.ok_or_else(|| Error::NotATranscript(path.clone()))?;
        let missing = || match id {
            Some(id) => Error::NoSessionIn { path: path.clone(), id: id.to_owned() },
            None => unread(&path, &io::Error::other("it holds no session")),
        };
        let found = row.in_file(&path, id).map_err(|error| unread(&path, &error))?;
        let mut seen = self.seen(found.ok_or_else(missing)?);
        seen.is_own |= by == Speaker::User;
        let captured = read_session(seen)?;
        if id.is_some_and(|id| id != captured.id()) {
            return Err(missing());
        }
        Ok(captured)
    }

    fn current_session(
        &self,
        (agent, id): (Option<&str>, Option<&str>),
    ) -> Result<Option<Captured>, Error> {
        let places = self.places();
        if let (Some(row), Some(id)) = (agent.and_then(Transcripts::of), id)
            && let Ok(Some(found)) = row.of_id(&places, id)
        {
            return read_session(self.seen(found)).map(Some);
        }
        for dir in self.dirs() {
            for row in transcripts() {
                if let Some(id) = row.live(&places, &dir)
                    && let Ok(Some(found)) = row.of_id(&places, &id)
                {
                    return read_session(self.seen(found)).map(Some);
                }
            }
        }
        self.first_that(self.newest(LOOKED_AT)?, says_something)
    }

    /// The session of an agent that goes on here, by its id: the only one that was written to just now. Of two
    /// nobody knows which is meant.
    pub fn going_on(&self, agent: &str) -> Option<String> {
        let row = Transcripts::of(agent)?;
        let found = self.sessions_of(row, &self.session_places(), 2).ok()?;
        let is_live = |seen: &SessionSeen| self.here.env.since(seen.modified) <= JUST_WRITTEN;
        let mut live = found.into_iter().filter(is_live);
        let only = live.next()?;
        live.next().is_none().then_some(only.id)
    }

    /// The session of an id, whosever it is and wherever it ran.
    pub fn of_id(&self, id: &str) -> Result<Option<SessionSeen>, Error> {
        let places = self.places();
        for row in transcripts() {
            // An agent whose directory cannot be read does not hide the others.
            if let Ok(Some(found)) = row.of_id(&places, id) {
                return Ok(Some(self.seen(found)));
            }
        }
        // The beginning of one of here is enough, if it is of no other.
        if id.len() < LEAST_OF_AN_ID {
            return Ok(None);
        }
        let mut begin = self.newest(usize::MAX)?.into_iter().filter(|seen| seen.id.starts_with(id));
        let found = begin.next();
        Ok(found.filter(|_| begin.next().is_none()))
    }

    fn sessions_of(
        &self,
        row: &Transcripts,
        place: &Where,
        most: usize,
    ) -> Result<Vec<SessionSeen>, Error> {
        let found = row.newest_in(&self.places(), place, most);
        let found = found.map_err(|error| unread(self.here.dir(), &error))?;
        Ok(found.into_iter().map(|found| self.seen(found)).collect())
    }

    pub(crate) fn places(&self) -> Places {
        places(self.here.env)
    }

    fn seen(&self, found: Transcript) -> SessionSeen {
        let row = Transcripts::of(found.agent);
        let is_own = row.is_some_and(|row| {
            row.is_own(&self.places(), &found.path, self.place_of_others().as_deref())
        });
        SessionSeen {
            agent: found.agent,
            id: found.id,
            path: found.path,
            modified: found.modified.into(),
            size: found.size,
            is_own,
        }
    }

    /// The tree in which anybody can have put files: no variable makes a place of transcripts of it. The user's
    /// whole home is none.
    fn place_of_others(&self) -> Option<PathBuf> {
        let tree = self.here.claimed_repo().map_or(self.here.dir(), |repo| &repo.top);
        let tree = tree.canonicalize().ok()?;
        let home = self.here.env.user_home.as_ref().and_then(|home| home.canonicalize().ok());
        (!home.is_some_and(|home| home.starts_with(&tree))).then_some(tree)
    }

    /// Where a session of this project may have run.
    fn session_places(&self) -> Where {
        let below = self.here.claimed_repo().map(|repo| repo.top.clone());
        Where { dirs: self.dirs_up_to(below.as_deref()), below }
    }

    /// The directories in which a session of this one may have run: it, and those above it in its
    /// repository, as they are called and as they are.
    pub(crate) fn dirs(&self) -> Vec<PathBuf> {
        self.dirs_up_to(self.here.claimed_repo().map(|repo| repo.top.as_path()))
    }

    fn dirs_up_to(&self, top: Option<&Path>) -> Vec<PathBuf> {
        let mut dirs: Vec<PathBuf> = Vec::new();
        for dir in self.here.dir().ancestors() {
            let real = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
            let is_top = top.is_none_or(|top| *top == real || top == dir);
            for one in [dir.to_owned(), real] {
                if !dirs.contains(&one) {
                    dirs.push(one);
                }
            }
            if is_top {
                break;
            }
        }
        dirs
    }
}

/// Where agents keep their sessions.
pub(crate) fn places(env: &Env) -> Places {
    Places { home: env.user_home.clone(), vars: env.vars }
}

/// Reads a session that was found.
pub fn read_session(seen: SessionSeen) -> Result<Captured, Error> {
    let row =
        Transcripts::of(seen.agent).ok_or_else(|| Error::NotATranscript(seen.path.clone()))?;
    let capture =
        row.read_session(&seen.path, &seen.id).map_err(|error| unread(&seen.path, &error))?;
    let session = Session { is_unproven: !seen.is_own, ..capture.into_session() };
    Ok(Captured { session, seen })
}

/// Whether anything happened in a session. One may be begun and left at once.
pub(crate) fn says_something(Captured { session, .. }: &Captured) -> bool {
    session.turns > 0
        || !session.commands.is_empty()
        || session.files.values().any(FileUse::is_changed)
}

pub(crate) fn unread(path: &Path, error: &io::Error) -> Error {
    Error::Transcript { path: path.to_owned(), reason: error.to_string() }
}

/// Whether an id of a session can stand in a command line as it is.
pub(crate) fn is_plain_id(session: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    session.bytes().all(plain) && !session.starts_with('-')
}
