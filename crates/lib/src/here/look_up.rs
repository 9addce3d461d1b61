//! Looks up which project a directory belongs to. That changes nothing.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use segue_core::{DirFacts, Identity, Key, KeyKind, Origin, ProjectId, identify, normalise_origin};
use segue_share::git::{GitError, Repo};
use segue_store::{Scope, View, moving_identity};

use super::directory::Here;
use super::place::{Place, default_label, lookup_keys, path_key};
use crate::Error;

impl Here<'_> {
    /// The project of this directory, looked up once.
    pub(crate) fn place(&self, view: &View) -> Result<Rc<Place>, Error> {
        if let Some(known) = &*self.state.place.borrow() {
            return Ok(Rc::clone(known));
        }
        let place = Rc::new(self.look_up(view)?);
        self.note_place(&place);
        Ok(place)
    }

    /// The same, for who asks the store nothing else.
    pub(crate) fn known_place(&self) -> Result<Rc<Place>, Error> {
        let known = self.state.place.borrow().clone();
        known.map_or_else(|| self.ask(&Scope::Projects, |view| self.place(view)), Ok)
    }

    /// The project of this directory, if it has one.
    pub(crate) fn known_project(&self) -> Result<Option<ProjectId>, Error> {
        Ok(self.known_place()?.project().cloned())
    }

    /// What is known of this directory from now on.
    pub(super) fn note_place(&self, place: &Rc<Place>) {
        *self.state.place.borrow_mut() = Some(Rc::clone(place));
        self.forget_scope();
    }

    /// Somebody changes which project is whose: it is looked up anew.
    pub(crate) fn forget_place(&self) {
        *self.state.place.borrow_mut() = None;
        self.forget_scope();
    }

    /// Somebody changes what is read here.
    pub(super) fn forget_scope(&self) {
        *self.state.scope.borrow_mut() = None;
    }

    fn look_up(&self, view: &View) -> Result<Place, Error> {
        let real = self.directory()?;
        let repo = self.repo();
        let mut facts = DirFacts {
            git_dir: repo.map(|repo| path_key(&repo.common_dir)),
            git_dir_id: repo.and_then(|repo| moving_identity(&repo.common_dir)),
            shallow: repo.is_some_and(|repo| repo.shallow),
            path: path_key(repo.map_or(real, |repo| &repo.top)),
            ..DirFacts::default()
        };
        // A known directory needs no git process, nor does one that was moved.
        let key = |kind, value: &String| Key::new(kind, value.clone());
        let strongest = match &facts.git_dir {
            Some(git_dir) => key(KeyKind::GitDir, git_dir),
            None => key(KeyKind::Path, &facts.path),
        };
        let mut known = view.with_keys(std::slice::from_ref(&strongest))?;
        if known.is_empty()
            && let Some(id) = &facts.git_dir_id
        {
            known = view.with_keys(&[key(KeyKind::GitDirId, id)])?;
        }
        if known.len() > 1 {
            // A link that was cut off leaves the key in both: the project that took over counts.
            let mut taken = Vec::new();
            for project in &known {
                taken.extend(view.project(&project.id)?.unwrap_or_default().was);
            }
            known.retain(|project| !taken.contains(&project.id));
        }
        let mut git_answers = true;
        let (mut similar, mut found) = (Vec::new(), Vec::new());
        let identity = match (&known[..], repo) {
            ([project], _) => {
                let was_moved = !project.keys.contains(&strongest);
                let learn = if was_moved { vec![strongest] } else { Vec::new() };
                Identity::Known { id: project.id.clone(), learn }
            }
            (_, Some(repo)) => {
                git_answers = self.ask_git(real, repo, &mut facts);
                if git_answers {
                    found = view.with_keys(&lookup_keys(&facts))?;
                    let identity = identify(&facts, &found);
                    if matches!(identity, Identity::New { .. }) {
                        let may_be = found.iter().filter(|project| project.may_be(&facts));
                        similar = may_be.map(|project| project.id.clone()).collect();
                    }
                    identity
                } else {
                    Identity::New { keys: facts.keys() }
                }
            }
            _ => identify(&facts, &known),
        };
        let known_by = match (&known[..], &identity) {
            ([project], Identity::Known { .. }) => {
                project.keys.iter().map(|key| key.kind).collect()
            }
            _ => Vec::new(),
        };
        let by = match (&known[..], &identity) {
            (_, Identity::New { .. }) if !git_answers => "git did not answer in time",
            (_, Identity::New { .. }) if !similar.is_empty() => {
                "it shares only its origin or only its first commit with another project"
            }
            (_, Identity::New { .. }) => "nothing of this directory is known",
            ([project], _) => project.known_by(&facts),
            (_, Identity::Known { id, .. }) => {
                let found = found.iter().find(|project| project.id == *id);
                found.map_or("its path", |project| project.known_by(&facts))
            }
        };
        match &identity {
            Identity::Known { id, .. } => tracing::info!("project {id}: known by {by}"),
            Identity::New { .. } => tracing::info!("no project: {by}"),
        }
        let label = match &identity {
            Identity::Known { id, .. } => view.project(id)?.map(|names| names.label),
            Identity::New { .. } => None,
        };
        let label = label.unwrap_or_else(|| default_label(&facts));
        Ok(Place { facts, identity, label, known_by, git_answers, similar })
    }

    /// `origin` and the root commit. What git does not answer stays unknown; a git that hangs is
    /// not asked twice. Says whether it answered.
    fn ask_git(&self, dir: &Path, repo: &Repo, facts: &mut DirFacts) -> bool {
        match self.git_answers().origin(dir) {
            Err(GitError::TimedOut { .. }) => return false,
            Ok(Some(url)) => self.set_origin(facts, repo, url),
            Ok(None) | Err(_) => {}
        }
        facts.root = self.git_answers().root_commit(dir, repo);
        true
    }

    /// Sets the facts that `origin` gives.
    pub(super) fn set_origin(&self, facts: &mut DirFacts, repo: &Repo, url: &str) {
        match normalise_origin(url) {
            Some(Origin::Host(origin)) => facts.origin = Some(origin),
            Some(Origin::Local(stem)) => {
                let given = url.trim().trim_start_matches("file://");
                // As it was given, else with the ending that git lets people leave out.
                let ways =
                    [given.to_owned(), format!("{given}.git")].map(|path| repo.top.join(path));
                let real = ways.iter().find_map(|path| fs::canonicalize(path).ok());
                let upstream = real.as_ref().and_then(|real| self.repo_at(real));
                match (upstream, real) {
                    (Some(upstream), Some(real))
                        if real == upstream.top || real == upstream.git_dir =>
                    {
                        facts.cloned_from = Some(path_key(&upstream.common_dir));
                    }
                    (_, Some(real)) => facts.origin = Some(format!("file:{}", path_key(&real))),
                    (_, None) => facts.origin = Some(format!("file:{stem}")),
                }
            }
            None => {}
        }
    }
}
