//! The directory that a command is about, its repository, and git's answers about it.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use segue_core::{Redactor, Timestamp};
use segue_share::git::{Discovery, Git, Repo, look};
use segue_store::{Scope, Store, StoreError, View};

use super::git_answers::GitAnswers;
use super::place::Place;
use super::project_ref::{ProjectRef, expand};
use super::trusted::Shared;
use crate::config::{Config, ConfigError};
use crate::env::Lookup;
use crate::redacted::clean;
use crate::settings::Settings;
use crate::{Env, Error};

/// The directory that a command is about.
#[derive(Clone)]
pub(crate) struct Here<'s> {
    pub(crate) env: &'s Env,
    pub(crate) store: &'s Store,
    settings: &'s Settings,
    /// The project that was named for this process.
    pub(super) named: Option<&'s str>,
    pub(super) state: Rc<State<'s>>,
}

impl fmt::Debug for Here<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Here").field("dir", &self.dir()).finish_non_exhaustive()
    }
}

/// What is known of it so far.
pub(super) struct State<'s> {
    tree: Rc<Tree>,
    git: GitAnswers<'s>,
    pub(super) place: RefCell<Option<Rc<Place>>>,
    /// What is read for this directory; the inner `None` says that it has no project.
    pub(super) scope: RefCell<Option<Option<Scope>>>,
    shared: OnceCell<Shared>,
    /// The repositories of other directories, such as those that sessions were in.
    elsewhere: RefCell<HashMap<PathBuf, Option<Repo>>>,
}

/// A directory and what it is to git.
pub(crate) struct Tree {
    /// As it was given.
    dir: PathBuf,
    /// Without links.
    real: OnceCell<PathBuf>,
    discovery: OnceCell<Discovery>,
    /// Whether the repository that was found may be asked.
    is_known: OnceCell<bool>,
}

impl Tree {
    pub(crate) fn new(dir: PathBuf) -> Rc<Self> {
        let (real, discovery, is_known) = Default::default();
        Rc::new(Self { dir, real, discovery, is_known })
    }
}

impl<'s> Here<'s> {
    /// A use case begins in this directory.
    pub(crate) fn new(
        env: &'s Env,
        store: &'s Store,
        settings: &'s Settings,
        tree: Rc<Tree>,
    ) -> Self {
        let state = State {
            tree,
            git: GitAnswers::new(env, settings),
            place: RefCell::new(None),
            scope: RefCell::new(None),
            shared: OnceCell::new(),
            elsewhere: RefCell::default(),
        };
        let named = env.project.as_deref();
        Self { env, store, settings, named, state: Rc::new(state) }
    }

    /// The same directory as what it is by itself, whatever was named for this process.
    pub(crate) fn unnamed(&self) -> Self {
        match self.named {
            Some(_) => Self { named: None, ..self.afresh() },
            None => self.clone(),
        }
    }

    /// The directory that a project reference means; this one for a label. What a request names comes
    /// before what was named for this process.
    pub(crate) fn of(&self, project: &ProjectRef) -> Result<Self, Error> {
        if *project == ProjectRef::Here {
            return Ok(self.clone());
        }
        let Some(text) = project.as_path() else { return Ok(self.unnamed()) };
        let dir = expand(text, self.dir(), self.env.user_home.as_deref())?;
        Ok(self.at(dir).unnamed())
    }

    /// The same for another directory.
    pub(crate) fn at(&self, dir: PathBuf) -> Self {
        if dir == self.state.tree.dir {
            return self.clone();
        }
        let named = self.named;
        Self { named, ..Self::new(self.env, self.store, self.settings, Tree::new(dir)) }
    }

    /// The name by which this process knows the directory's project.
    pub(crate) fn named(&self) -> Option<&'s str> {
        self.named
    }

    /// The same directory for another use case: what may have changed since is looked up anew, and git has
    /// all of its time again.
    pub(crate) fn afresh(&self) -> Self {
        let tree = Rc::clone(&self.state.tree);
        Self { named: self.named, ..Self::new(self.env, self.store, self.settings, tree) }
    }

    /// The directory as it was given.
    pub(crate) fn dir(&self) -> &Path {
        &self.state.tree.dir
    }

    /// The directory without links. An error if there is none.
    pub(crate) fn directory(&self) -> Result<&Path, Error> {
        let tree = &self.state.tree;
        if let Some(known) = tree.real.get() {
            return Ok(known);
        }
        let real = fs::canonicalize(&tree.dir).and_then(|real| Ok((fs::metadata(&real)?, real)));
        match real {
            Ok((meta, real)) if meta.is_dir() => Ok(tree.real.get_or_init(|| real)),
            Ok(_) => Err(Error::NotADirectory(tree.dir.clone())),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Err(Error::NoDirectory(tree.dir.clone()))
            }
            Err(source) => {
                let (what, path) = ("look at", tree.dir.clone());
                Err(StoreError::Io { what, path, source }.into())
            }
        }
    }

    /// What the directory is to git.
    pub(crate) fn discovery(&self) -> &Discovery {
        self.state.tree.discovery.get_or_init(|| {
            (self.env.on_lookup)(Lookup::Repository);
            look(self.directory().unwrap_or(self.dir()))
        })
    }

    /// The repository that is asked for branch, commits and changes: what somebody's `.git` only names is another
    /// directory's, and nothing of it is told here.
    pub(crate) fn repo(&self) -> Option<&Repo> {
        let tree = &self.state.tree;
        let claimed = self.claimed_repo();
        claimed.filter(|repo| *tree.is_known.get_or_init(|| self.is_known(repo)))
    }

    /// The repository, if it knows this work tree.
    pub(crate) fn own_repo(&self) -> Option<&Repo> {
        self.claimed_repo().filter(|repo| repo.is_own())
    }

    /// The repository that the directory's `.git` names, for who only needs the top of the tree or asks whether it is
    /// trusted.
    pub(crate) fn claimed_repo(&self) -> Option<&Repo> {
        self.discovery().repo()
    }

    /// Whether a repository knows its work tree, or the user has said so by trusting it where it is.
    pub(crate) fn is_known(&self, repo: &Repo) -> bool {
        let is_trusted = || {
            let record = self.store.trust_record(&repo.common_dir);
            record.is_some_and(|record| record.path == repo.top && record.holds())
        };
        repo.is_own() || is_trusted()
    }

    /// The repository of another directory that is asked for its state.
    pub(crate) fn repo_at(&self, dir: &Path) -> Option<Repo> {
        self.claimed_repo_at(dir).filter(|repo| self.is_known(repo))
    }

    /// The repository that the `.git` of another directory names.
    pub(crate) fn claimed_repo_at(&self, dir: &Path) -> Option<Repo> {
        if self.directory().is_ok_and(|here| here == dir) {
            return self.claimed_repo().cloned();
        }
        let mut known = self.state.elsewhere.borrow_mut();
        let repo = known.entry(dir.to_owned()).or_insert_with(|| {
            (self.env.on_lookup)(Lookup::Repository);
            look(dir).repo().cloned()
        });
        repo.clone()
    }

    /// The directory relative to its repository's top, `.` at the top itself.
    pub(crate) fn dir_in_repo(&self) -> String {
        let inside = self.directory().ok().zip(self.claimed_repo());
        let inside = inside.and_then(|(dir, repo)| dir.strip_prefix(&repo.top).ok());
        match inside.map(|path| path.to_string_lossy().replace('\\', "/")) {
            Some(path) if !path.is_empty() => path,
            _ => ".".to_owned(),
        }
    }

    /// What git says, as far as it was asked.
    pub(crate) fn git_answers(&self) -> &GitAnswers<'s> {
        &self.state.git
    }

    /// The branch that is checked out, as it is stored: without secrets.
    pub(crate) fn branch(&self) -> Option<String> {
        self.repo()?.branch().map(|branch| self.without_secrets(branch))
    }

    /// A name as it is stored and told.
    pub(crate) fn without_secrets(&self, mut name: String) -> String {
        clean(&self.redactor_out(), &mut name);
        name
    }

    /// Git, with what is left of its time. All questions of one use case share it.
    pub(crate) fn git(&self) -> Git {
        self.state.git.git()
    }

    /// What the work tree has at `.segue`.
    pub(crate) fn shared(&self) -> &Shared {
        self.state.shared.get_or_init(|| Shared::of(self.store, self.claimed_repo()))
    }

    /// Everything that the user has configured.
    pub(crate) fn config(&self) -> Result<&'s Config, ConfigError> {
        self.settings.config()
    }

    /// Where the configuration is, whether or not it exists.
    pub(crate) fn config_path(&self) -> Option<&'s Path> {
        self.settings.path()
    }

    /// What takes secrets out, by the user's rules too. If those cannot be read nothing is stored.
    pub(crate) fn redactor(&self) -> Result<Rc<Redactor>, Error> {
        self.settings.redactor()
    }

    /// The same where something goes out: rules that cannot be read leave what is built in.
    pub(crate) fn redactor_out(&self) -> Rc<Redactor> {
        self.settings.redactor_out()
    }

    /// The present moment.
    pub(crate) fn now(&self) -> Timestamp {
        self.env.now()
    }

    /// `Store::ask` for a question that can fail in the library's own ways.
    pub(crate) fn ask<T>(
        &self,
        scope: &Scope,
        question: impl Fn(&View) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.store.ask(scope, |view| match question(view) {
            Err(Error::Store(error)) => Err(error),
            other => Ok(other),
        })?
    }
}
