//! Writes a handoff: gather, compose, commit. It is safe once its file is; the rest is views.

use segue_core::{
    Draft, Fields, GitState, HandoffError, HandoffId, ItemSource, ItemSources, ProjectId,
    SavedFrom, Timestamp, with_next_items,
};
use segue_share::git::MAX_CHANGED;
use segue_store::{Committed, Scope, StoreError, View};

use super::pasted::SAVED_AS_IMPORTED;
use super::save_request::{SaveOutcome, SaveRequest};
use super::{Handoffs, Speaker};
use crate::Error;
use crate::here::{GitStateAnswer, NOT_KNOWN_THERE, NotUsed, Place, Target, Trust, trust_of};
use crate::redacted::{clean_first, redact_draft};
use crate::sessions::session_place::SessionPlace;

impl Handoffs<'_> {
    /// Writes a handoff with git's state as it was asked already, if it was, and with the time and place of a
    /// session, if it is captured from one.
    pub(crate) fn write(
        &self,
        request: &SaveRequest,
        asked: Option<&GitStateAnswer>,
        session: Option<&SessionPlace>,
        fixed: Option<&Fixed>,
    ) -> Result<SaveOutcome, Error> {
        // A project can be linked into another while its lock is waited for: then it is looked up anew.
        for _ in 0..3 {
            match self.write_once(request, asked, session, fixed) {
                Err(Error::Store(StoreError::NoProject(_))) => self.here.forget_place(),
                other => return other,
            }
        }
        self.write_once(request, asked, session, fixed)
    }

    fn write_once(
        &self,
        request: &SaveRequest,
        asked: Option<&GitStateAnswer>,
        session: Option<&SessionPlace>,
        fixed: Option<&Fixed>,
    ) -> Result<SaveOutcome, Error> {
        let here = &self.here;
        let view = here.store.writer_view()?;
        let mut warnings = Vec::new();
        let composed = self.register_and_compose(&view, request, asked, session, &mut warnings)?;
        let Composed { draft, target } = composed;
        let memory = self.attach_memory_of(&view, &target, &mut warnings)?;
        let committed = match (fixed, session) {
            (None, None) => {
                let newest = self.newest_moment(&view)?;
                self.commit(&view, &memory, &draft, newest)?
            }
            (None, Some(session)) => {
                let (locked, now) = (here.store.lock(&view, &memory)?, here.now());
                let random = || here.env.random();
                too_large(locked.commit_dated(&draft, session.ended, now, &random))?
            }
            (Some(fixed), _) => self.commit_fixed(&view, &memory, &draft, fixed)?,
        };
        warnings.extend(commit_warnings(&committed));
        let similar = here.similar_projects(&view)?;
        Ok(SaveOutcome {
            similar,
            handoff: committed.handoff,
            path: committed.path,
            project: target.project,
            label: target.label,
            warnings,
        })
    }

    /// What a request will be written as, without secrets. Its project is created or updated first.
    pub(crate) fn register_and_compose(
        &self,
        view: &View,
        request: &SaveRequest,
        asked: Option<&GitStateAnswer>,
        session: Option<&SessionPlace>,
        warnings: &mut Vec<String>,
    ) -> Result<Composed, Error> {
        let here = &self.here;
        let expires = request.ttl.expires(here.now())?;
        warnings.extend(undecided_warning(&*here.place(view)?));
        let unreadable = view.bad_files(&Scope::Projects)?.into_iter();
        warnings.extend(
            unreadable.map(|file| format!("cannot read {}: {}", file.path.display(), file.reason)),
        );
        let asked = self.asked_of_git(view, asked, warnings)?;
        let url = asked.as_ref().map(|asked| asked.get().origin.clone());
        if let Some(url) = url {
            here.rekey_project(view, url.as_deref())?;
        }
        let (git, changed) = match &asked {
            Some(asked) => git_state(asked.get(), warnings),
            None => Default::default(),
        };
        let pasted = self.pasted_head(&request.body);
        let imported = pasted.as_ref().and_then(|pasted| pasted.imported.as_ref());
        let imported = request.imported.as_ref().or(imported).cloned();
        if request.imported.is_none() && imported.is_some() {
            warnings.push(SAVED_AS_IMPORTED.to_owned());
        }
        // The tree of here is not what a text from elsewhere speaks of. Its branch says only for
        // which work it was fetched.
        let (git, changed) = match imported {
            Some(_) => (GitState { branch: git.branch, ..GitState::default() }, Vec::new()),
            None => (git, changed),
        };
        let target = here.create_or_update_project(view, &request.project)?;
        let saved_from = SavedFrom {
            project: target.saved_from.as_ref().map(ToString::to_string),
            dir: match session {
                Some(session) => session.dir_in_repo(),
                None => here.repo().map(|_| here.dir_in_repo()),
            },
            worktree: match session {
                Some(session) => session.worktree(),
                None => here.repo().map(|repo| repo.worktree.clone()),
            },
        };
        let mut fields = Fields {
            project: Some(target.label.clone()),
            captured: session.map(|_| here.now()),
            expires,
            saved_from,
            git,
            changed,
            imported,
            ..fields_of(request)
        };
        if let Some(pasted) = pasted {
            fields.sources = fields.sources.lowered_by(&pasted.sources, &request.body);
        }
        let redactor = here.redactor()?;
        // Each step becomes one line, in which fewer secrets are known.
        let mut next = request.next.clone();
        warnings.extend(clean_first(&redactor, next.iter_mut()));
        let mut draft =
            Draft { fields, extra: Vec::new(), body: with_next_items(&request.body, &next) };
        warnings.extend(redact_draft(&redactor, &mut draft)?);
        Ok(Composed { draft, target })
    }

    /// What git says, if there is a work tree and git answers at all.
    fn asked_of_git<'a>(
        &self,
        view: &View,
        asked: Option<&'a GitStateAnswer>,
        warnings: &mut Vec<String>,
    ) -> Result<Option<AskedOfGit<'a>>, Error> {
        let here = &self.here;
        let Some(repo) = here.repo() else {
            let strange = here.claimed_repo().map(|_| NOT_KNOWN_THERE);
            warnings.extend(strange.map(|why| format!("saved without git's state: {why}")));
            return Ok(None);
        };
        if !here.place(view)?.git_answers() {
            warnings.push("saved without git's state: git did not answer in time".to_owned());
            return Ok(None);
        }
        Ok(Some(match asked {
            Some(asked) => AskedOfGit::Before(asked),
            None => AskedOfGit::Now(here.git_answers().state(here.directory()?, repo)),
        }))
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
            let locked = self.here.store.lock(view, project)?;
            too_large(locked.commit_as(draft, &fixed.id, fixed.created))?;
        }
        let locked = self.here.store.lock(view, memory)?;
        too_large(locked.commit_as(draft, &fixed.id, fixed.created))
    }

    /// The memory that a handoff goes to: the repository's own, where it carries one that is trusted.
    pub(crate) fn attach_memory_of(
        &self,
        view: &View,
        target: &Target,
        warnings: &mut Vec<String>,
    ) -> Result<ProjectId, Error> {
        if target.saved_from.is_some() {
            return Ok(target.project.clone());
        }
        let here = &self.here;
        // Whoever relied on it shall know that it is not there.
        let told = here.shared().brings().filter(|brings| match brings.why {
            NotUsed::Untrusted => false,
            NotUsed::Changed | NotUsed::Newer => true,
            NotUsed::Link => {
                here.claimed_repo().is_some_and(|repo| trust_of(here.store, repo) == Trust::Yes)
            }
        });
        warnings.extend(told.map(|brings| brings.to_string()));
        let shared = here.attach_memory(view, &target.project)?;
        Ok(shared.unwrap_or_else(|| target.project.clone()))
    }

    pub(crate) fn commit(
        &self,
        view: &View,
        project: &ProjectId,
        draft: &Draft,
        newest: Option<Timestamp>,
    ) -> Result<Committed, Error> {
        let here = &self.here;
        let locked = here.store.lock(view, project)?;
        too_large(locked.commit(draft, here.now(), newest, &|| here.env.random()))
    }

    /// The newest moment of what is here, which can lie in several memories.
    fn newest_moment(&self, view: &View) -> Result<Option<Timestamp>, Error> {
        let place = self.here.place(view)?;
        let Some(id) = place.project() else { return Ok(None) };
        let credible = self.here.now().latest_credible();
        let mut newest = view.newest(id, Some(credible))?;
        let names = view.project(id)?.unwrap_or_default();
        for other in names.also.into_iter().chain(names.includes) {
            newest = newest.max(view.newest(&other, Some(credible))?);
        }
        Ok(newest)
    }
}

/// What git said, asked by the caller or here.
enum AskedOfGit<'a> {
    Before(&'a GitStateAnswer),
    Now(GitStateAnswer),
}

impl AskedOfGit<'_> {
    fn get(&self) -> &GitStateAnswer {
        match self {
            Self::Before(asked) => asked,
            Self::Now(asked) => asked,
        }
    }
}

/// What is said where a handoff is filed without knowing whose the directory is.
fn undecided_warning(place: &Place) -> Option<String> {
    let reason = &place.undecided.as_ref()?.reason;
    Some(format!(
        "filed for this directory alone, as {reason}; the next save with an answer joins it to its project"
    ))
}

/// What of git's answer stands in a handoff. Git's failure costs only its part.
fn git_state(asked: &GitStateAnswer, warnings: &mut Vec<String>) -> (GitState, Vec<String>) {
    let remote = asked.remote();
    let status = match asked.status.as_ref() {
        Ok(status) => status,
        Err(error) => {
            warnings.push(format!("saved without git's state: {error}"));
            return (GitState { remote, ..GitState::default() }, Vec::new());
        }
    };
    if status.more > 0 {
        warnings.push(format!(
            "{} more changed files are not listed in it (the limit is {MAX_CHANGED})",
            status.more
        ));
    }
    let git = GitState { branch: status.branch.clone(), head: status.head.clone(), remote };
    (git, status.changed())
}

/// What a request itself says of a handoff.
fn fields_of(request: &SaveRequest) -> Fields {
    let line = |text: &Option<String>| {
        let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        text.map(str::to_owned)
    };
    Fields {
        kind: request.kind,
        name: request.name.clone().map(String::from),
        title: line(&request.title),
        summary: line(&request.summary),
        tags: request.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
        tool: request.tool.clone(),
        session: request.session.clone(),
        mode: request.mode.clone(),
        parent: request.parent.clone(),
        supersedes: request.supersedes.clone(),
        sources: match request.by {
            Speaker::User => ItemSources::all(ItemSource::User),
            Speaker::Agent => request.sources.clone(),
        },
        ..Fields::default()
    }
}

/// A handoff before it is written, and where it goes.
pub(crate) struct Composed {
    pub(crate) draft: Draft,
    pub(crate) target: Target,
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
