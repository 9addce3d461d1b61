//! What git says of a directory, names without their secrets. Each question is asked once, and all of them share
//! one deadline.

use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::Instant;

use segue_core::run::RunFacts;
use segue_core::{Origin, normalise_origin};
use segue_share::git::{Beginning, Git, GitError, Repo, Status, StatusEntry, at_once};

use crate::Env;
use crate::redacted::clean;
use crate::settings::Settings;

/// Branch, commit and changed files below a directory, or why git does not say.
pub(crate) type StatusAnswer = Rc<Result<Status, GitError>>;

/// The answers so far.
pub(crate) struct GitAnswers<'s> {
    git: Git,
    settings: &'s Settings,
    /// When the first question was asked.
    begun: Cell<Option<Instant>>,
    ahead: RefCell<Option<Ahead>>,
    statuses: RefCell<Vec<(PathBuf, StatusAnswer)>>,
    origin: OnceCell<Result<Option<String>, GitError>>,
    beginning: OnceCell<Result<Beginning, GitError>>,
}

/// A question whose answer is not needed yet.
struct Ahead {
    dir: PathBuf,
    asked: JoinHandle<Result<Status, GitError>>,
}

impl<'s> GitAnswers<'s> {
    pub(super) fn new(env: &Env, settings: &'s Settings) -> Self {
        Self {
            git: Git { program: env.git_program.clone(), deadline: env.git_deadline },
            settings,
            begun: Cell::new(None),
            ahead: RefCell::new(None),
            statuses: RefCell::default(),
            origin: OnceCell::new(),
            beginning: OnceCell::new(),
        }
    }

    /// Git, with what is left of its time.
    pub(crate) fn git(&self) -> Git {
        let begun = self.begun.get().unwrap_or_else(Instant::now);
        self.begun.set(Some(begun));
        Git { deadline: self.git.deadline.saturating_sub(begun.elapsed()), ..self.git.clone() }
    }

    /// Asks for the status of a work tree, and does not wait. Where no thread is to be had, who needs
    /// the answer asks.
    pub(crate) fn ask_ahead(&self, repo: &Repo) {
        let (git, repo, dir) = (self.git(), repo.clone(), repo.top.clone());
        let ask = move || git.status(&repo.top, &repo);
        let asked = std::thread::Builder::new().spawn(ask).ok();
        *self.ahead.borrow_mut() = asked.map(|asked| Ahead { dir, asked });
    }

    /// What was asked ahead of a directory, once it is there.
    fn take_ahead(&self, dir: &Path) -> Option<Result<Status, GitError>> {
        let ahead = self.ahead.borrow_mut().take_if(|ahead| ahead.dir == dir)?;
        ahead.asked.join().ok()
    }

    fn is_asked_ahead(&self, dir: &Path) -> bool {
        self.ahead.borrow().as_ref().is_some_and(|ahead| ahead.dir == dir)
    }

    fn known_status(&self, dir: &Path) -> Option<StatusAnswer> {
        let statuses = self.statuses.borrow();
        statuses.iter().find(|(of, _)| of == dir).map(|(_, status)| Rc::clone(status))
    }

    fn note_status(&self, dir: &Path, status: Result<Status, GitError>) -> StatusAnswer {
        let status = Rc::new(status.map(|status| self.without_secrets(status)));
        self.statuses.borrow_mut().push((dir.to_owned(), Rc::clone(&status)));
        status
    }

    /// Whoever may push names branches and files: what is said of them is as what is stored of them.
    fn without_secrets(&self, mut status: Status) -> Status {
        let paths = status.entries.iter_mut().map(|entry| &mut entry.path);
        let mut names = status.branch.iter_mut().chain(paths).peekable();
        if names.peek().is_some() {
            let redactor = self.settings.redactor_out();
            names.for_each(|name| clean(&redactor, name));
        }
        status
    }

    /// Branch, commit and changed files below a directory.
    pub(crate) fn status(&self, dir: &Path, repo: &Repo) -> StatusAnswer {
        if let Some(known) = self.known_status(dir) {
            return known;
        }
        let status = self.take_ahead(dir).unwrap_or_else(|| self.git().status(dir, repo));
        self.note_status(dir, status)
    }

    /// The same, and meanwhile something else is done.
    pub(crate) fn status_during<T>(
        &self,
        dir: &Path,
        repo: &Repo,
        work: impl FnOnce() -> T,
    ) -> (StatusAnswer, T) {
        if self.known_status(dir).is_some() || self.is_asked_ahead(dir) {
            let done = work();
            return (self.status(dir, repo), done);
        }
        let git = self.git();
        let (status, done) = at_once(|| git.status(dir, repo), work);
        (self.note_status(dir, status), done)
    }

    /// The URL of `origin`.
    pub(crate) fn origin(&self, dir: &Path) -> &Result<Option<String>, GitError> {
        self.origin.get_or_init(|| self.git().origin(dir))
    }

    /// The same as far as git says it.
    pub(crate) fn known_origin(&self, dir: &Path) -> Option<String> {
        self.origin(dir).as_ref().ok().cloned().flatten()
    }

    /// Asks where `origin` is while something else is done.
    pub(crate) fn origin_during<T>(&self, dir: &Path, work: impl FnOnce() -> T) -> T {
        if self.origin.get().is_some() {
            return work();
        }
        let git = self.git();
        let (origin, done) = at_once(|| git.origin(dir), work);
        let _ = self.origin.set(origin);
        done
    }

    /// Status and `origin`, both at once.
    pub(crate) fn state(&self, dir: &Path, repo: &Repo) -> GitStateAnswer {
        let (status, origin) = self.status_during(dir, repo, || self.known_origin(dir));
        GitStateAnswer { status, origin, remote: None }
    }

    /// Where the main line begins.
    pub(crate) fn beginning(&self, dir: &Path, repo: &Repo) -> &Result<Beginning, GitError> {
        self.beginning.get_or_init(|| self.git().beginning(dir, repo))
    }
}

/// What git said of a directory.
#[derive(Debug)]
pub(crate) struct GitStateAnswer {
    pub(crate) status: StatusAnswer,
    /// The URL of `origin`.
    pub(crate) origin: Option<String>,
    /// That URL as it is written down, where it is known from there only.
    pub(crate) remote: Option<String>,
}

impl GitStateAnswer {
    /// A state that git was not asked for.
    pub(crate) fn of_status(status: Status) -> Self {
        Self { status: Rc::new(Ok(status)), origin: None, remote: None }
    }

    /// `origin` without what is nobody's business.
    pub(crate) fn remote(&self) -> Option<String> {
        let url = self.origin.as_deref().and_then(normalise_origin);
        let told = url.map(|origin| match origin {
            Origin::Host(text) | Origin::Local(text) => text,
        });
        told.or_else(|| self.remote.clone())
    }

    /// What a run writes down of it.
    pub(crate) fn facts(&self) -> RunFacts {
        let status = self.status.as_ref().as_ref().ok().cloned().unwrap_or_default();
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
        Self { remote: facts.remote.clone(), ..Self::of_status(status) }
    }
}
