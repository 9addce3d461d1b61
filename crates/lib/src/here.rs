//! *Here*: which project a directory belongs to, and what was saved from it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use segue_core::{
    DirFacts, Identity, Key, KeyKind, Label, Origin, ProjectId, identify, normalise_origin, slug,
};
use segue_share::git::{GitError, Repo, discover};
use segue_store::{Scope, ScopePart, StoreError, View};

use crate::{Error, Segue};

/// Which project a command is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProjectRef {
    /// The project of the current directory.
    #[default]
    Here,
    /// What `--project` said: a path or a label.
    Given(String),
}

impl ProjectRef {
    /// The path that it names, if it is one: `.`, `..`, `~…`, or anything with a separator.
    fn as_path(&self) -> Option<&str> {
        let Self::Given(text) = self else { return None };
        let path = text == "."
            || text == ".."
            || text.starts_with('~')
            || text.contains(['/', std::path::MAIN_SEPARATOR]);
        path.then_some(text)
    }

    /// The project of the very directory that it names; the current one's for a label.
    pub(crate) fn of_directory(&self) -> Self {
        if self.is_label() { Self::Here } else { self.clone() }
    }

    /// Whether it is a label rather than a path or the current directory.
    pub(crate) fn is_label(&self) -> bool {
        matches!(self, Self::Given(_)) && self.as_path().is_none()
    }
}

/// A directory, looked at.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The directory itself.
    pub(crate) dir: PathBuf,
    pub(crate) repo: Option<Repo>,
    pub(crate) facts: DirFacts,
    pub(crate) identity: Identity,
    pub(crate) label: String,
    /// Kinds of keys that its project has.
    pub(crate) known_by: Vec<KeyKind>,
    /// Whether git, if it was asked, answered in time.
    pub(crate) git_answers: bool,
}

impl Place {
    pub(crate) fn project(&self) -> Option<&ProjectId> {
        match &self.identity {
            Identity::Known { id, .. } => Some(id),
            Identity::New { .. } => None,
        }
    }

    /// The directory relative to its repository's top, `.` at the top itself.
    pub(crate) fn dir_in_repo(&self) -> String {
        let inside = self.repo.as_ref().and_then(|repo| self.dir.strip_prefix(&repo.top).ok());
        match inside.map(|path| path.to_string_lossy().replace('\\', "/")) {
            Some(path) if !path.is_empty() => path,
            _ => ".".to_owned(),
        }
    }
}

impl Segue {
    /// The directory that a project reference means, without symlinks; the current one for a label.
    pub(crate) fn directory_of(&self, project: &ProjectRef) -> Result<PathBuf, Error> {
        let dir = match project.as_path() {
            Some(text) => self.expand(text)?,
            None => self.env.dir.clone(),
        };
        let real = fs::canonicalize(&dir).and_then(|real| Ok((fs::metadata(&real)?, real)));
        match real {
            Ok((meta, real)) if meta.is_dir() => Ok(real),
            Ok(_) => Err(Error::NotADirectory(dir)),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Err(Error::NoDirectory(dir))
            }
            Err(source) => {
                let (what, path) = ("look at", dir);
                Err(StoreError::Io { what, path, source }.into())
            }
        }
    }

    /// Looks at the directory that a project reference means; the current one for a label.
    pub(crate) fn place(&self, view: &View, project: &ProjectRef) -> Result<Place, Error> {
        let real = self.directory_of(project)?;
        let repo = discover(&real);
        let mut facts = DirFacts {
            git_dir: repo.as_ref().map(|repo| path_key(&repo.common_dir)),
            path: path_key(repo.as_ref().map_or(&real, |repo| &repo.top)),
            ..DirFacts::default()
        };
        // A known directory needs no git process.
        let strongest = match &facts.git_dir {
            Some(git_dir) => Key::new(KeyKind::GitDir, git_dir.clone()),
            None => Key::new(KeyKind::Path, facts.path.clone()),
        };
        let mut known = view.with_keys(std::slice::from_ref(&strongest))?;
        if known.len() > 1 {
            // A link that was cut off leaves the key in both: the project that took over counts.
            let mut taken = Vec::new();
            for project in &known {
                taken.extend(view.project(&project.id)?.unwrap_or_default().was);
            }
            known.retain(|project| !taken.contains(&project.id));
        }
        let mut git_answers = true;
        let identity = match (&known[..], &repo) {
            ([project], _) => Identity::Known { id: project.id.clone(), learn: Vec::new() },
            (_, Some(repo)) => {
                git_answers = self.ask_git(&real, repo, &mut facts);
                identify(&facts, &view.with_keys(&lookup_keys(&facts))?)
            }
            _ => identify(&facts, &known),
        };
        let known_by = match (&known[..], &identity) {
            ([project], Identity::Known { .. }) => {
                project.keys.iter().map(|key| key.kind).collect()
            }
            _ => Vec::new(),
        };
        let label = match &identity {
            Identity::Known { id, .. } => view.project(id)?.map(|names| names.label),
            Identity::New { .. } => None,
        };
        let label = label.unwrap_or_else(|| default_label(&facts));
        Ok(Place { dir: real, repo, facts, identity, label, known_by, git_answers })
    }

    /// `origin` and the root commit. What git does not answer stays unknown; a git that hangs is
    /// not asked twice. Says whether it answered.
    fn ask_git(&self, dir: &Path, repo: &Repo, facts: &mut DirFacts) -> bool {
        let git = self.env.git();
        match git.origin(dir) {
            Err(GitError::TimedOut { .. }) => return false,
            origin => set_origin(facts, repo, origin.ok().flatten().as_deref()),
        }
        facts.root = git.root_commit(dir, repo).ok().flatten();
        true
    }

    fn expand(&self, text: &str) -> Result<PathBuf, Error> {
        let path = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with(['/', std::path::MAIN_SEPARATOR]) => {
                let home = self
                    .env
                    .user_home
                    .clone()
                    .ok_or_else(|| Error::NoDirectory(PathBuf::from(text)))?;
                home.join(rest.trim_start_matches(['/', std::path::MAIN_SEPARATOR]))
            }
            _ => PathBuf::from(text),
        };
        Ok(self.env.dir.join(path))
    }

    /// The scope that a project reference means for reading. `None`: the directory has no project.
    pub(crate) fn scope(&self, view: &View, project: &ProjectRef) -> Result<Option<Scope>, Error> {
        let place = self.place(view, project)?;
        self.scope_of(view, project, &place)
    }

    /// As `scope`, of a directory that was looked at already.
    pub(crate) fn scope_of(
        &self,
        view: &View,
        project: &ProjectRef,
        place: &Place,
    ) -> Result<Option<Scope>, Error> {
        let whole = |memory: ProjectId| ScopePart { memory, saved_from: None };
        let mut parts = Vec::new();
        if let ProjectRef::Given(label) = project
            && project.is_label()
        {
            for memory in view.labelled(label)? {
                let includes = view.project(&memory)?.unwrap_or_default().includes;
                parts.extend([memory].into_iter().chain(includes).map(whole));
            }
            // The own label also means what was filed under it by word.
            if *label != place.label || place.project().is_none() {
                return match parts.len() {
                    0 => Err(Error::NoProject(label.clone())),
                    _ => Ok(Some(Scope::Parts(parts))),
                };
            }
        }
        let Some(id) = place.project() else {
            return Ok(None);
        };
        let names = view.project(id)?.unwrap_or_default();
        // A store that cannot be written to is read as it is.
        let shared = self.shared_memory(view, place, id).ok().flatten();
        // What a link that was cut off has not moved yet is here too.
        let whole_ones = names.was.iter().chain([id]).chain(&names.includes).chain(&shared);
        for memory in whole_ones {
            if !parts.iter().any(|part| part.memory == *memory) {
                parts.push(whole(memory.clone()));
            }
        }
        for other in names.also {
            for from in names.was.iter().chain([id]) {
                parts.push(ScopePart { memory: other.clone(), saved_from: Some(from.clone()) });
            }
        }
        Ok(Some(Scope::Parts(parts)))
    }
}

/// Sets the facts that `origin` gives.
pub(crate) fn set_origin(facts: &mut DirFacts, repo: &Repo, url: Option<&str>) {
    match url.and_then(normalise_origin) {
        Some(Origin::Host(origin)) => facts.origin = Some(origin),
        Some(Origin::Local(stem)) => {
            let given = url.unwrap_or_default().trim().trim_start_matches("file://");
            // As it was given, else with the ending that git lets people leave out.
            let ways = [given.to_owned(), format!("{given}.git")].map(|path| repo.top.join(path));
            let real = ways.iter().find_map(|path| fs::canonicalize(path).ok());
            let upstream = real.as_ref().and_then(|real| discover(real));
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

/// Keys by which projects that may be meant are looked up.
pub(crate) fn lookup_keys(facts: &DirFacts) -> Vec<Key> {
    let mut keys = facts.keys();
    keys.extend(facts.cloned_from.clone().map(|dir| Key::new(KeyKind::GitDir, dir)));
    keys
}

/// A path as a key. One that is not UTF-8 keeps its bytes apart by their escapes.
pub(crate) fn path_key(path: &Path) -> String {
    path.to_str().map_or_else(
        || format!("{}", path.as_os_str().as_encoded_bytes().escape_ascii()),
        str::to_owned,
    )
}

/// What a new project is called: its repository's name, else its directory's.
pub(crate) fn default_label(facts: &DirFacts) -> String {
    let source = facts.origin.as_deref().unwrap_or(&facts.path);
    let last = source.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or("");
    let label: Result<Label, _> = last.parse();
    label.map_or_else(|_| slug(last), String::from)
}

/// The keys that only this directory can have: its git directory and its path.
pub(crate) fn own_keys(place: &Place) -> Vec<Key> {
    let own = |key: &Key| matches!(key.kind, KeyKind::GitDir | KeyKind::Path);
    place.facts.keys().into_iter().filter(own).collect()
}
