//! Save: gather, compose, write. The handoff is safe once its file is; the rest is views.

use std::path::{Path, PathBuf};

use segue_core::run::RunFacts;
use segue_core::{
    Draft, Fields, GitState, Handoff, HandoffError, HandoffId, Identity, Imported, Key, KeyKind,
    KnownProject, MAX_HANDOFF_BYTES, Name, Origin, ProjectId, SavedFrom, Tag, Timestamp, Ttl,
    identify, normalise_origin, with_next_items,
};
use segue_share::git::{GitError, MAX_CHANGED, Repo, Status, StatusEntry, at_once, discover};
use segue_store::{Committed, Scope, StoreError, View};

use crate::decide::DECIDED;
use crate::here::{Place, ProjectRef, default_label, lookup_keys, own_keys, set_origin};
use crate::redacted::redact_draft;
use crate::session_place::SessionPlace;
use crate::{Error, NotUsed, Segue, Trust};

/// What to save. Everything is optional, but not all of it can be missing.
#[derive(Clone, Debug)]
pub struct SaveRequest {
    /// The Markdown body, kept byte for byte.
    pub body: String,
    /// A one-line title.
    pub title: Option<String>,
    /// A short summary.
    pub summary: Option<String>,
    /// A name; the newest handoff of a name is the current one.
    pub name: Option<Name>,
    /// Items for the Next Steps.
    pub next: Vec<String>,
    /// Tags.
    pub tags: Vec<Tag>,
    /// How long it is offered.
    pub ttl: Ttl,
    /// Which project it belongs to.
    pub project: ProjectRef,
    /// The agent that leaves it.
    pub tool: Option<String>,
    /// The agent's own session id.
    pub session: Option<String>,
    /// What kind of work it was.
    pub mode: Option<String>,
    /// Full ids of handoffs that this one replaces.
    pub supersedes: Vec<String>,
    /// Full id of the handoff that the session had resumed from.
    pub parent: Option<String>,
    /// Where it came from, if it was not written here.
    pub imported: Option<Imported>,
}

impl Default for SaveRequest {
    fn default() -> Self {
        Self {
            body: String::new(),
            title: None,
            summary: None,
            name: None,
            next: Vec::new(),
            tags: Vec::new(),
            ttl: Ttl::Never,
            project: ProjectRef::Here,
            tool: None,
            session: None,
            mode: None,
            supersedes: Vec::new(),
            parent: None,
            imported: None,
        }
    }
}

/// A saved handoff.
#[derive(Debug)]
pub struct SaveOutcome {
    /// The handoff as it lies on disk.
    pub handoff: Handoff,
    /// Its file.
    pub path: PathBuf,
    /// Its project.
    pub project: ProjectId,
    /// That project's label.
    pub label: String,
    /// What did not go as it should, though the handoff is safe.
    pub warnings: Vec<String>,
}

impl Segue {
    /// Saves a handoff.
    pub fn save(&self, request: &SaveRequest) -> Result<SaveOutcome, Error> {
        let blank =
            |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
        if request.body.trim().is_empty()
            && blank(&request.title)
            && blank(&request.summary)
            && request.next.is_empty()
        {
            return Err(Error::Empty);
        }
        if request.body.len() as u64 > MAX_HANDOFF_BYTES {
            return Err(Error::TooLarge);
        }
        self.env.begin();
        let mut warnings = Vec::new();
        // What came from elsewhere does not become the workspace's own words, and a decision by itself does
        // not say where things stand.
        let decided = request.tags.iter().any(|tag| tag.as_str() == DECIDED);
        let workspace = match request.imported {
            Some(_) => None,
            None if decided => None,
            None => {
                let dir = self.directory_of(&request.project)?;
                let found = self.refreshable(&dir, discover(&dir).as_ref(), &mut warnings);
                found.unwrap_or_else(|error| {
                    warnings.push(error.to_string());
                    None
                })
            }
        };
        let own = request.project.of_directory();
        let edited = match &workspace {
            Some(workspace) => self.save_edited_block(&own, workspace, &mut warnings)?,
            None => None,
        };
        let mut saved = self.save_retrying(request, None, None, None)?;
        if let Some(workspace) = &workspace {
            let edited = edited.as_deref();
            self.refresh_handoff_file(&own, workspace, &saved.handoff, None, edited, &mut warnings);
        }
        saved.warnings.extend(warnings);
        Ok(saved)
    }

    /// Saves with git's state as it was asked already, if it was, and with the time and place of a session, if it
    /// is captured from one.
    pub(crate) fn save_retrying(
        &self,
        request: &SaveRequest,
        asked: Option<&Asked>,
        session: Option<&SessionPlace>,
        fixed: Option<&Fixed>,
    ) -> Result<SaveOutcome, Error> {
        // A project can be linked into another while its lock is waited for: then it is looked up anew.
        for _ in 0..3 {
            match self.save_once(request, asked, session, fixed) {
                Err(Error::Store(StoreError::NoProject(_))) => {}
                other => return other,
            }
        }
        self.save_once(request, asked, session, fixed)
    }

    fn save_once(
        &self,
        request: &SaveRequest,
        asked: Option<&Asked>,
        session: Option<&SessionPlace>,
        fixed: Option<&Fixed>,
    ) -> Result<SaveOutcome, Error> {
        let view = self.store.writer_view()?;
        let mut warnings = Vec::new();
        let composed = self.composed(&view, request, asked, session, &mut warnings)?;
        let Composed { draft, place, target } = composed;
        let memory = self.memory_of(&view, &place, &target, &mut warnings)?;
        let committed = match (fixed, session) {
            (None, None) => {
                let newest = self.newest_here(&view, &place)?;
                self.commit(&view, &memory, &draft, newest)?
            }
            (None, Some(session)) => {
                let (locked, now) = (self.store.lock(&view, &memory)?, self.env.now());
                let random = || self.env.random();
                too_large(locked.commit_dated(&draft, session.ended, now, &random))?
            }
            (Some(fixed), _) => self.commit_fixed(&view, &memory, &draft, fixed)?,
        };
        warnings.extend(commit_warnings(&committed));
        Ok(SaveOutcome {
            handoff: committed.handoff,
            path: committed.path,
            project: target.project,
            label: target.label,
            warnings,
        })
    }

    /// What a request will be written as, without secrets. Its project is made known on the way.
    pub(crate) fn composed(
        &self,
        view: &View,
        request: &SaveRequest,
        asked: Option<&Asked>,
        session: Option<&SessionPlace>,
        warnings: &mut Vec<String>,
    ) -> Result<Composed, Error> {
        let expires = request.ttl.expires(self.env.now())?;
        let mut place = self.place(view, &request.project)?;
        let unreadable = view.bad_files(&Scope::Projects)?.into_iter();
        warnings.extend(
            unreadable.map(|file| format!("cannot read {}: {}", file.path.display(), file.reason)),
        );
        let (git, changed) = self.git_state(&mut place, view, asked, warnings)?;
        // The tree of here is not what a text from elsewhere speaks of. Its branch says only for
        // which work it was fetched.
        let (git, changed) = match request.imported {
            Some(_) => (GitState { branch: git.branch, ..GitState::default() }, Vec::new()),
            None => (git, changed),
        };
        let target = self.target(view, &place, &request.project)?;
        let fields = Fields {
            project: Some(target.label.clone()),
            name: request.name.clone().map(String::from),
            title: request
                .title
                .clone()
                .filter(|text| !text.trim().is_empty())
                .map(|text| text.trim().to_owned()),
            summary: request
                .summary
                .clone()
                .filter(|text| !text.trim().is_empty())
                .map(|text| text.trim().to_owned()),
            tags: request.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
            tool: request.tool.clone(),
            session: request.session.clone(),
            mode: request.mode.clone(),
            captured: session.map(|_| self.env.now()),
            expires,
            saved_from: SavedFrom {
                project: target.saved_from.as_ref().map(ToString::to_string),
                dir: match session {
                    Some(session) => session.dir_in_repo(),
                    None => place.repo.as_ref().map(|_| place.dir_in_repo()),
                },
                worktree: match session {
                    Some(session) => session.worktree(),
                    None => place.repo.as_ref().map(|repo| repo.worktree.clone()),
                },
            },
            git,
            changed,
            parent: request.parent.clone(),
            supersedes: request.supersedes.clone(),
            aliases: Vec::new(),
            imported: request.imported.clone(),
        };
        let mut draft = Draft {
            fields,
            extra: Vec::new(),
            body: with_next_items(&request.body, &request.next),
        };
        warnings.extend(redact_draft(&self.redactor()?, &mut draft)?);
        Ok(Composed { draft, place, target })
    }

    /// Writes a handoff whose id is fixed; doing it again changes nothing.
    fn commit_fixed(
        &self,
        view: &View,
        project: &ProjectId,
        draft: &Draft,
        fixed: &Fixed,
    ) -> Result<Committed, Error> {
        let memory = fixed.memory.as_ref().unwrap_or(project);
        if fixed.copy && memory != project {
            let locked = self.store.lock(view, project)?;
            too_large(locked.commit_as(draft, &fixed.id, fixed.created))?;
        }
        let locked = self.store.lock(view, memory)?;
        too_large(locked.commit_as(draft, &fixed.id, fixed.created))
    }

    /// The memory that a handoff goes to: the repository's own, where it carries one that is trusted.
    pub(crate) fn memory_of(
        &self,
        view: &View,
        place: &Place,
        target: &Target,
        warnings: &mut Vec<String>,
    ) -> Result<ProjectId, Error> {
        if target.saved_from.is_some() {
            return Ok(target.project.clone());
        }
        // Whoever relied on it shall know that it is not there.
        let brings = self.brings(place.repo.as_ref());
        let told = brings.filter(|brings| match brings.why {
            NotUsed::Untrusted => false,
            NotUsed::Changed | NotUsed::Newer => true,
            NotUsed::Link => {
                place.repo.as_ref().is_some_and(|repo| self.trust_of(repo) == Trust::Yes)
            }
        });
        warnings.extend(told.map(|brings| brings.to_string()));
        let shared = self.shared_memory(view, place, &target.project)?;
        Ok(shared.unwrap_or_else(|| target.project.clone()))
    }

    pub(crate) fn commit(
        &self,
        view: &View,
        project: &ProjectId,
        draft: &Draft,
        newest: Option<Timestamp>,
    ) -> Result<Committed, Error> {
        let locked = self.store.lock(view, project)?;
        too_large(locked.commit(draft, self.env.now(), newest, &|| self.env.random()))
    }

    /// The newest moment of what is here, which can lie in several memories.
    fn newest_here(&self, view: &View, place: &Place) -> Result<Option<Timestamp>, Error> {
        let Some(id) = place.project() else { return Ok(None) };
        let credible = self.env.now().latest_credible();
        let mut newest = view.newest(id, Some(credible))?;
        let names = view.project(id)?.unwrap_or_default();
        for other in names.also.into_iter().chain(names.includes) {
            newest = newest.max(view.newest(&other, Some(credible))?);
        }
        Ok(newest)
    }

    /// What git says, and what it teaches about the directory. Git's failure costs only its part.
    fn git_state(
        &self,
        place: &mut Place,
        view: &View,
        asked: Option<&Asked>,
        warnings: &mut Vec<String>,
    ) -> Result<(GitState, Vec<String>), Error> {
        let Some(repo) = place.repo.clone() else {
            return Ok(Default::default());
        };
        if !place.git_answers {
            warnings.push("saved without git's state: git did not answer in time".to_owned());
            return Ok(Default::default());
        }
        let own;
        let asked = match asked {
            Some(asked) => asked,
            None => {
                own = self.ask_state(&place.dir, &repo);
                &own
            }
        };
        let (status, url) = (&asked.status, asked.origin.clone());
        let remote = asked.remote();
        self.learn(place, &repo, url.as_deref(), view)?;
        let status = match status {
            Ok(status) => status,
            Err(error) => {
                warnings.push(format!("saved without git's state: {error}"));
                return Ok((GitState { remote, ..GitState::default() }, Vec::new()));
            }
        };
        if status.more > 0 {
            warnings.push(format!(
                "{} more changed files are not listed in it (the limit is {MAX_CHANGED})",
                status.more
            ));
        }
        let git = GitState { branch: status.branch.clone(), head: status.head.clone(), remote };
        Ok((git, status.changed()))
    }

    /// Status and `origin`, both at once.
    pub(crate) fn ask_state(&self, dir: &Path, repo: &Repo) -> Asked {
        let git = self.env.git();
        let (status, origin) = at_once(|| git.status(dir, repo), || git.origin(dir));
        Asked { status, origin: origin.ok().flatten(), remote: None }
    }

    /// Keys that a known project gained since it was first seen: a remote, a first commit.
    fn learn(
        &self,
        place: &mut Place,
        repo: &Repo,
        url: Option<&str>,
        view: &View,
    ) -> Result<(), Error> {
        if matches!(place.identity, Identity::New { .. }) {
            return Ok(());
        }
        if place.facts.origin.is_none() {
            set_origin(&mut place.facts, repo, url);
        }
        if !place.known_by.is_empty() && !place.known_by.contains(&KeyKind::Root) {
            place.facts.root = self.env.git().root_commit(&place.dir, repo).ok().flatten();
        }
        let known = view.with_keys(&lookup_keys(&place.facts))?;
        if let Some(own) = self.another_repository(place, repo, &known)? {
            // Its keys are no longer true of the old project.
            let stale = own_keys(place);
            self.store.change_project(view, &own, |file| file.remove_keys(&stale))?;
            let others: Vec<KnownProject> =
                known.into_iter().filter(|project| project.id != own).collect();
            place.identity = identify(&place.facts, &others);
            place.label = match place.project() {
                Some(id) => view.project(id)?.unwrap_or_default().label,
                None => default_label(&place.facts),
            };
        } else if let identity @ Identity::Known { .. } = identify(&place.facts, &known) {
            place.identity = identity;
        }
        Ok(())
    }

    /// The project that knows this git directory, if another repository has come to lie there: both
    /// `origin` and the root commit are others than it ever had.
    fn another_repository(
        &self,
        place: &mut Place,
        repo: &Repo,
        known: &[KnownProject],
    ) -> Result<Option<ProjectId>, Error> {
        let Some(id) = place.project().cloned() else { return Ok(None) };
        let Some(project) = known.iter().find(|project| project.id == id) else { return Ok(None) };
        let differs = |kind: KeyKind, fact: &Option<String>| {
            let mut keys = project.keys.iter().filter(|key| key.kind == kind).peekable();
            keys.peek().is_some()
                && fact.as_ref().is_some_and(|fact| keys.all(|key| key.value != *fact))
        };
        if !differs(KeyKind::Origin, &place.facts.origin) {
            return Ok(None);
        }
        if place.facts.root.is_none() {
            place.facts.root = self.env.git().root_commit(&place.dir, repo).ok().flatten();
        }
        Ok(differs(KeyKind::Root, &place.facts.root).then_some(id))
    }

    /// The memory to write to. The directory's own project is made known on the way.
    pub(crate) fn target(
        &self,
        view: &View,
        place: &Place,
        project: &ProjectRef,
    ) -> Result<Target, Error> {
        let here = match &place.identity {
            Identity::Known { id, learn } => {
                if !learn.is_empty() {
                    self.store.change_project(view, id, |file| file.add_keys(learn))?;
                }
                id.clone()
            }
            Identity::New { keys } => self.store.create_project(view, &place.label, keys)?,
        };
        // A directory that was never saved from has its label only by default: an older word wins.
        let fresh = matches!(place.identity, Identity::New { .. });
        let by_word = |label: &str| -> Result<bool, Error> {
            let others = view.labelled(label)?.into_iter().any(|id| id != here);
            Ok(fresh && others)
        };
        let label = match project {
            ProjectRef::Given(label)
                if project.is_label() && (*label != place.label || by_word(label)?) =>
            {
                label
            }
            _ => {
                return Ok(Target { project: here, label: place.label.clone(), saved_from: None });
            }
        };
        let (target, label) = self.labelled_target(view, label)?;
        if target == here {
            return Ok(Target { project: here, label, saved_from: None });
        }
        let known = view.project(&here)?.is_some_and(|names| names.also.contains(&target));
        if !known {
            self.store.change_project(view, &here, |file| file.add_also(&target))?;
        }
        Ok(Target { project: target, label, saved_from: Some(here) })
    }

    /// The project of a label: the one filed under it by word, else the only one called so, else new.
    pub(crate) fn labelled_target(
        &self,
        view: &View,
        label: &str,
    ) -> Result<(ProjectId, String), Error> {
        let found = view.labelled(label)?;
        let by_word = view.with_keys(&[Key::new(KeyKind::Label, label)])?;
        let id = match (&by_word[..], &found[..]) {
            ([project, ..], _) => project.id.clone(),
            ([], [only]) => only.clone(),
            ([], []) => {
                let label: segue_core::Label = label.parse()?;
                let keys = [Key::new(KeyKind::Label, label.as_str())];
                self.store.create_project(view, label.as_str(), &keys)?
            }
            ([], several) => {
                return Err(Error::SeveralLabels {
                    label: label.to_owned(),
                    projects: several.to_vec(),
                });
            }
        };
        let label = view.project(&id)?.map_or_else(|| label.to_owned(), |names| names.label);
        Ok((id, label))
    }
}

/// A handoff before it is written, and where it goes.
pub(crate) struct Composed {
    pub(crate) draft: Draft,
    pub(crate) place: Place,
    pub(crate) target: Target,
}

/// What git said of a directory.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) status: Result<Status, GitError>,
    /// The URL of `origin`.
    pub(crate) origin: Option<String>,
    /// That URL as it is written down, where it is known from there only.
    pub(crate) remote: Option<String>,
}

impl Asked {
    /// `origin` without what is nobody's business.
    fn remote(&self) -> Option<String> {
        let url = self.origin.as_deref().and_then(normalise_origin);
        let told = url.map(|origin| match origin {
            Origin::Host(text) | Origin::Local(text) => text,
        });
        told.or_else(|| self.remote.clone())
    }

    /// What a run writes down of it.
    pub(crate) fn facts(&self) -> RunFacts {
        let status = self.status.as_ref().ok().cloned().unwrap_or_default();
        let changed = status.changed();
        RunFacts { branch: status.branch, head: status.head, remote: self.remote(), changed }
    }

    pub(crate) fn from_facts(facts: &RunFacts) -> Self {
        let entry = |path: &String| StatusEntry { path: path.clone(), code: String::new() };
        let status = Status {
            branch: facts.branch.clone(),
            head: facts.head.clone(),
            entries: facts.changed.iter().map(entry).collect(),
            more: 0,
        };
        Self { status: Ok(status), origin: None, remote: facts.remote.clone() }
    }
}

/// The id and the moment of a handoff that may be written more than once.
#[derive(Debug)]
pub(crate) struct Fixed {
    pub(crate) id: HandoffId,
    pub(crate) created: Timestamp,
    /// The memory, if it is not the one that the directory's handoffs go to.
    pub(crate) memory: Option<ProjectId>,
    /// Whether that one gets a copy.
    pub(crate) copy: bool,
}

/// What is said where a handoff is dated further ahead than clocks differ.
pub(crate) fn ahead_of_clock(newest: Timestamp) -> String {
    format!(
        "a handoff here is dated {}, later than this machine's clock; 'latest' passes over it",
        newest.short()
    )
}

fn too_large(committed: Result<Committed, StoreError>) -> Result<Committed, Error> {
    match committed {
        // Head and body together, which only the finished text shows; nothing was written.
        Err(StoreError::BadHandoff { source: HandoffError::TooLarge, .. }) => Err(Error::TooLarge),
        other => Ok(other?),
    }
}

/// Where a handoff goes.
pub(crate) struct Target {
    pub(crate) project: ProjectId,
    label: String,
    /// The directory's own project, if that is another.
    saved_from: Option<ProjectId>,
}

pub(crate) fn commit_warnings(committed: &Committed) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(newest) = committed.ahead_of_clock {
        warnings.push(ahead_of_clock(newest));
    }
    if let Err(error) = &committed.state {
        warnings.push(format!("saved, but layer 2 could not be refreshed: {error}"));
    }
    warnings
}
