//! Looks up which project a directory belongs to. That changes nothing.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use segue_core::{
    DirFacts, Identity, Key, KeyKind, KnownProject, Origin, ProjectId, identify,
    identify_unanswered, identify_unasked, normalise_origin, visible_line,
};
use segue_share::git::{Beginning, Repo};
use segue_store::{Scope, View, moving_identity};

use super::directory::Here;
use super::place::{Place, Undecided, default_label, path_key};
use super::project_ref::ProjectRef;
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
        if let Some(name) = self.named {
            return self.look_up_named(view, name);
        }
        let repo = self.own_repo();
        let mut facts = DirFacts {
            git_dir: repo.map(|repo| path_key(&repo.common_dir)),
            git_dir_id: repo.and_then(|repo| moving_identity(&repo.common_dir)),
            path: path_key(self.claimed_repo().map_or(real, |repo| &repo.top)),
            ..DirFacts::default()
        };
        // A known directory needs no git process, nor does one that was moved.
        let mut found = self.with_keys(view, &facts.unasked_keys())?;
        let mut known_by = Vec::new();
        let mut undecided = None;
        let identity = match (identify_unasked(&facts, &found), repo) {
            (Some(identity), _) => {
                if let Identity::Known { id, .. } = &identity {
                    let project = found.iter().find(|project| project.id == *id);
                    known_by = project.iter().flat_map(|p| &p.keys).map(|key| key.kind).collect();
                }
                identity
            }
            (None, None) => identify(&facts, &found),
            (None, Some(repo)) => {
                undecided = self.ask_git(real, repo, &mut facts).err();
                found = self.with_keys(view, &facts.lookup_keys())?;
                match undecided {
                    Some(_) => identify_unanswered(&facts, &found),
                    None => identify(&facts, &found),
                }
            }
        };
        let is_new = matches!(identity, Identity::New { .. });
        let decided = undecided.is_none();
        let ids_of = |fits: &dyn Fn(&KnownProject) -> bool| -> Vec<ProjectId> {
            let fitting = found.iter().filter(|project| fits(project));
            fitting.map(|project| project.id.clone()).collect()
        };
        let own = match &identity {
            Identity::Known { id, .. } => found.iter().find(|project| project.id == *id),
            Identity::New { .. } => None,
        };
        let similar = ids_of(&|project| is_new && decided && project.may_be(&facts));
        let displaced = ids_of(&|project| {
            is_new && decided && facts.git_dir.is_some() && project.lay_here(&facts)
        });
        let is_own = |project: &KnownProject| own.is_some_and(|own| own.id == project.id);
        let pending =
            ids_of(&|project| !is_new && decided && project.is_pending(&facts) && !is_own(project));
        match (own, &undecided) {
            (Some(own), None) => {
                tracing::info!("project {}: known by {}", own.id, own.known_by(&facts));
            }
            (Some(own), Some(undecided)) => {
                tracing::info!(
                    "project {}: saved here without an answer of git before; {}",
                    own.id,
                    undecided.reason
                );
            }
            (None, Some(undecided)) => tracing::info!("no project: {}", undecided.reason),
            (None, None) if !similar.is_empty() => tracing::info!(
                "no project: it shares only its origin, its first commit or its place with another project"
            ),
            (None, None) => tracing::info!("no project: nothing of this directory is known"),
        }
        let label = match &identity {
            Identity::Known { id, .. } => view.project(id)?.map(|names| names.label),
            Identity::New { .. } => None,
        };
        let label = label.unwrap_or_else(|| default_label(&facts, &self.redactor_out()));
        let is_named = false;
        Ok(Place {
            facts,
            identity,
            label,
            known_by,
            undecided,
            similar,
            pending,
            displaced,
            is_named,
        })
    }

    /// Whose a directory is by the facts that were found, among the projects that there are now.
    pub(super) fn identify_again(&self, view: &View, place: &Place) -> Result<Identity, Error> {
        let facts = &place.facts;
        let asked = match self.own_repo() {
            Some(_) => identify_unasked(facts, &self.with_keys(view, &facts.unasked_keys())?),
            None => None,
        };
        let found = self.with_keys(view, &facts.lookup_keys())?;
        let now = match (asked, &place.undecided) {
            (Some(unasked), Some(_)) => unasked,
            (None, Some(_)) => identify_unanswered(facts, &found),
            (_, None) => identify(facts, &found),
        };
        Ok(match (&place.identity, now) {
            // It is what it was, and nothing more is to be learned.
            (Identity::Known { id, .. }, Identity::Known { id: now, .. }) if *id == now => {
                place.identity.clone()
            }
            (_, now) => now,
        })
    }

    /// The project that was named for this process. Nothing of the directory says anything, and nothing of it
    /// is learned.
    fn look_up_named(&self, view: &View, name: &str) -> Result<Place, Error> {
        if ProjectRef::Given(name.to_owned()).as_path().is_some() {
            return Err(Error::NamedByPath(name.to_owned()));
        }
        let facts = DirFacts { path: path_key(self.directory()?), ..DirFacts::default() };
        let (identity, label) = match find_labelled(view, name)? {
            Some((id, label)) => {
                tracing::info!("project {id}: named for this process");
                (Identity::Known { id, learn: Vec::new() }, label)
            }
            None => {
                tracing::info!("no project: none is called '{}'", visible_line(name));
                let keys = vec![Key::new(KeyKind::Label, name)];
                (Identity::New { keys }, name.to_owned())
            }
        };
        Ok(Place {
            facts,
            identity,
            label,
            known_by: Vec::new(),
            undecided: None,
            similar: Vec::new(),
            pending: Vec::new(),
            displaced: Vec::new(),
            is_named: true,
        })
    }

    /// The projects with any of these keys. A link that was cut off leaves a key in both: then the project
    /// that took over counts.
    fn with_keys(&self, view: &View, keys: &[Key]) -> Result<Vec<KnownProject>, Error> {
        let mut known = view.with_keys(keys)?;
        if known.len() > 1 {
            let mut taken = Vec::new();
            for project in &known {
                taken.extend(view.project(&project.id)?.unwrap_or_default().was);
            }
            known.retain(|project| !taken.contains(&project.id));
        }
        Ok(known)
    }

    /// Sets `origin` and where the commits begin. Without an answer to both nothing is decided; a git that
    /// hangs is not asked twice.
    pub(crate) fn ask_git(
        &self,
        dir: &Path,
        repo: &Repo,
        facts: &mut DirFacts,
    ) -> Result<(), Undecided> {
        let git = self.git_answers();
        if let Some(url) = git.origin(dir).as_ref().map_err(Undecided::from)? {
            self.set_origin(facts, repo, url);
        }
        set_beginning(facts, git.beginning(dir, repo).as_ref().map_err(Undecided::from)?);
        Ok(())
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

/// Sets the facts that the beginning of the main line gives.
pub(super) fn set_beginning(facts: &mut DirFacts, beginning: &Beginning) {
    match beginning {
        Beginning::Root(root) => facts.root = Some(root.clone()),
        Beginning::CutOff => facts.shallow = true,
        Beginning::Unborn => facts.unborn = true,
    }
}

/// The project of a label or an id: the one filed under it by word, else the only one called so.
pub(super) fn find_labelled(
    view: &View,
    label: &str,
) -> Result<Option<(ProjectId, String)>, Error> {
    let found = view.labelled(label)?;
    let by_word = view.with_keys(&[Key::new(KeyKind::Label, label)])?;
    let id = match (&by_word[..], &found[..]) {
        ([project, ..], _) => project.id.clone(),
        ([], [only]) => only.clone(),
        ([], []) => return Ok(None),
        ([], several) => {
            return Err(Error::SeveralLabels {
                label: label.to_owned(),
                projects: several.to_vec(),
            });
        }
    };
    let label = view.project(&id)?.map_or_else(|| label.to_owned(), |names| names.label);
    Ok(Some((id, label)))
}
