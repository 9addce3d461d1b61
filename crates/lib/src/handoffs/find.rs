//! Finds one handoff: by id, by name, or the latest here.

use segue_core::{Handoff, HandoffKind, Selector, Timestamp};
use segue_store::{BadFile, Filter, Listed, Scope};

use super::Handoffs;
use crate::{Error, Match, PassedOver, PassedOverFor, ProjectRef};

/// How many of the matches of an ambiguous selector are named.
const SHOWN: usize = 10;

/// A handoff that was looked for.
#[derive(Debug)]
#[non_exhaustive]
pub struct Found {
    /// The handoff.
    pub handoff: Handoff,
    /// Where it lies.
    pub listed: Listed,
    /// Whether it was not found here but somewhere else in the store.
    pub elsewhere: bool,
    /// When it stopped being offered, if it has.
    pub expired: Option<Timestamp>,
    /// Files where it was looked for that could not be read; one of them may be newer.
    pub bad: Vec<BadFile>,
}

const LATEST: &str = "the latest";

fn why(selector: &Selector) -> &'static str {
    match selector {
        Selector::Latest => LATEST,
        Selector::Word(_) => "asked for by its id",
    }
}

impl Handoffs<'_> {
    /// The handoff that a selector means, to read it. Ids are searched in the whole store, `latest` is here;
    /// where nothing is here, it is the latest of the store, unless [`Env::here_only`](crate::Env::here_only).
    pub fn find(&self, selector: &Selector) -> Result<Found, Error> {
        let found = match selector {
            Selector::Latest => self.newest_or_elsewhere(&ProjectRef::Here, None)?,
            Selector::Word(word) => self.by_word(word)?,
        };
        self.log(&found, why(selector));
        Ok(found)
    }

    /// The handoff that a selector means, to change it or to act on it: `latest` is never of another project.
    pub fn find_here(&self, selector: &Selector) -> Result<Found, Error> {
        let found = match selector {
            Selector::Latest => {
                self.newest_here(&ProjectRef::Here, None)?.ok_or(Error::NothingHere)?
            }
            Selector::Word(word) => self.by_word(word)?,
        };
        self.log(&found, why(selector));
        Ok(found)
    }

    /// The newest handoff of a project, or the newest of a name in it.
    pub fn newest(&self, project: &ProjectRef, name: Option<&str>) -> Result<Found, Error> {
        let handoffs = self.in_project(project)?;
        let found = handoffs.newest_or_elsewhere(project, name)?;
        handoffs.log_newest(&found, project, name);
        Ok(found)
    }

    /// The same, to pass it on: an error where nothing of the project is there, never another project's.
    pub fn newest_of(&self, project: &ProjectRef, name: Option<&str>) -> Result<Found, Error> {
        let handoffs = self.in_project(project)?;
        let found = match (handoffs.newest_here(project, name)?, name) {
            (Some(found), _) => found,
            (None, None) => return Err(Error::NothingHere),
            (None, Some(_)) => return Err(handoffs.nothing(project, name, None)?),
        };
        handoffs.log_newest(&found, project, name);
        Ok(found)
    }

    fn log_newest(&self, found: &Found, project: &ProjectRef, name: Option<&str>) {
        let why = match (name, project) {
            (Some(_), _) => "the newest of this name",
            (None, ProjectRef::Here) => LATEST,
            (None, ProjectRef::Given(_)) => "the latest of the project that was asked for",
        };
        self.log(found, why);
    }

    /// The newest handoff of this directory's project or of a label's, or the newest of a name in it. Where
    /// nothing is here, that of the whole store, unless who asks is to be told nothing of that.
    fn newest_or_elsewhere(
        &self,
        project: &ProjectRef,
        name: Option<&str>,
    ) -> Result<Found, Error> {
        match self.newest_here(project, name)? {
            Some(found) => Ok(found),
            None if self.here.env.here_only => Err(Error::NothingHere),
            None => self.newest_elsewhere(name),
        }
    }

    /// The same, and never of another project: none where nothing is here.
    pub(crate) fn newest_here(
        &self,
        project: &ProjectRef,
        name: Option<&str>,
    ) -> Result<Option<Found>, Error> {
        let scope = self.here.ask(&Scope::Projects, |view| self.here.scope(view, project))?;
        let filter = self.offered(name);
        if let Some(scope) = &scope {
            let (found, any, bad) = self.here.store.ask_on(scope, |view| {
                let found = view.latest(scope, &filter)?;
                let everything = Filter { limit: Some(1), ..Filter::default() };
                let any = found.is_some() || !view.listed(scope, &everything)?.is_empty();
                Ok((found, any, view.bad_files(scope)?))
            })?;
            match (found, any) {
                (Some(listed), _) => return self.open(listed, false, bad).map(Some),
                (None, true) => return Err(self.nothing(project, name, Some(scope))?),
                (None, false) => {}
            }
        }
        if *project != ProjectRef::Here {
            return Err(self.nothing(project, name, scope.as_ref())?);
        }
        Ok(None)
    }

    /// What is offered now, of a name if one is given.
    fn offered(&self, name: Option<&str>) -> Filter {
        let now = Some(self.here.now());
        let name = name.map(str::to_owned);
        Filter { offered_at: now, credible_at: now, name, ..Filter::default() }
    }

    /// Nothing at all is here: the whole store is asked.
    fn newest_elsewhere(&self, name: Option<&str>) -> Result<Found, Error> {
        let filter = Filter { kinds: HandoffKind::LATEST.to_vec(), ..self.offered(name) };
        let (found, mut projects) = self.here.store.ask(&Scope::All, |view| {
            let found = match name {
                Some(_) => view.listed(&Scope::All, &filter)?,
                None => view.latest(&Scope::All, &filter)?.into_iter().collect(),
            };
            let mut projects = Vec::new();
            for listed in &found {
                let owner = match listed.layers {
                    Some(_) => view.owner(&listed.project)?,
                    None => listed.project.clone(),
                };
                projects.push((listed.label.clone(), owner.to_string()));
            }
            Ok((found, projects))
        })?;
        projects.sort();
        projects.dedup();
        if let Some(name) = name
            && projects.len() > 1
        {
            // Projects of the same label are told apart by id.
            let twice =
                |label: &str| projects.iter().filter(|(other, _)| other == label).count() > 1;
            let labels = projects
                .iter()
                .map(|(label, id)| if twice(label) { id.clone() } else { label.clone() })
                .collect();
            return Err(Error::SeveralProjects { name: name.to_owned(), labels });
        }
        match found.into_iter().next() {
            Some(listed) => self.open(listed, true, Vec::new()),
            None => Err(self.nothing(&ProjectRef::Here, name, None)?),
        }
    }

    /// The error for a question that found nothing, with what may help.
    pub(crate) fn nothing(
        &self,
        project: &ProjectRef,
        name: Option<&str>,
        scope: Option<&Scope>,
    ) -> Result<Error, Error> {
        let place = match project {
            ProjectRef::Here if scope.is_some() => "in this project".to_owned(),
            ProjectRef::Here => "in the store".to_owned(),
            ProjectRef::Given(text) => format!("in the project '{text}'"),
        };
        let Some(name) = name else {
            return Ok(Error::None(place));
        };
        let filter = Filter { name: Some(name.to_owned()), ..Filter::default() };
        let all = self.here.store.ask(&Scope::All, |view| view.listed(&Scope::All, &filter))?;
        let inside = |listed: &&Listed| match scope {
            Some(Scope::Parts(parts)) => parts.iter().any(|part| part.memory == listed.project),
            _ => false,
        };
        let now = self.here.now();
        let passed_over = all.iter().filter(inside).find_map(|listed| {
            Some(PassedOver { id: listed.head.id.clone(), why: passed_over_for(listed, now)? })
        });
        let mut elsewhere: Vec<String> = all
            .iter()
            .filter(|listed| !inside(listed) && passed_over_for(listed, now).is_none())
            .map(|listed| listed.label.clone())
            .collect();
        elsewhere.sort();
        elsewhere.dedup();
        Ok(Error::NoName { name: name.to_owned(), place, elsewhere, passed_over })
    }

    fn by_word(&self, word: &str) -> Result<Found, Error> {
        // An exact id that the index knows and whose file is there needs no look at any directory.
        let exact = matches!(word.len(), 8 | 24);
        let known = if exact {
            self.here.store.ask(&Scope::Projects, |view| view.select(word, 2))?
        } else {
            Vec::new()
        };
        if let [listed] = &known[..]
            && (listed.head.id.as_str() == word || listed.head.id.short() == word)
            && let Ok(found) = self.open(listed.clone(), false, Vec::new())
            && found.handoff.head.id == listed.head.id
        {
            return Ok(found);
        }
        let mut matches =
            self.here.store.ask_on(&Scope::All, |view| view.select(word, SHOWN + 1))?;
        if matches.is_empty()
            && let Some(scope) =
                self.here.ask(&Scope::Projects, |view| self.here.unattached(view))?
        {
            matches = self.here.store.ask(&scope, |view| view.select(word, SHOWN + 1))?;
        }
        match matches.len() {
            0 => Err(self.unreadable(word)?.unwrap_or_else(|| Error::NoId(word.to_owned()))),
            1 => self.open(matches.remove(0), false, Vec::new()),
            count => {
                matches.truncate(SHOWN);
                let matches = matches
                    .into_iter()
                    .map(|listed| Match {
                        id: listed.head.id,
                        project: listed.label,
                        title: listed.title,
                    })
                    .collect();
                Err(Error::Ambiguous { word: word.to_owned(), matches, more: count > SHOWN })
            }
        }
    }

    /// The error for an id whose file is there and cannot be read.
    fn unreadable(&self, word: &str) -> Result<Option<Error>, Error> {
        if word.len() < 4 {
            return Ok(None);
        }
        let bad = self.here.store.ask(&Scope::All, |view| view.bad_files(&Scope::All))?;
        let short = word.rsplit('-').next().unwrap_or(word).to_ascii_lowercase();
        let named = |file: &BadFile| {
            file.path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with(&short))
        };
        let found = bad.into_iter().find(named);
        Ok(found.map(|file| Error::Unreadable { path: file.path, reason: file.reason }))
    }

    /// Whether a handoff is of this directory's project, or was saved from here under another label.
    pub(crate) fn is_of_here(&self, listed: &Listed) -> Result<bool, Error> {
        let from = listed.head.fields.saved_from.project.as_deref();
        Ok(self.here.own_scope()?.is_some_and(|scope| match scope {
            Scope::Parts(parts) => parts.iter().any(|part| {
                part.memory == listed.project
                    && part.saved_from.as_ref().is_none_or(|own| from == Some(own.as_str()))
            }),
            _ => false,
        }))
    }

    /// Says which handoff was taken, and why.
    fn log(&self, found: &Found, why: &str) {
        if !tracing::enabled!(tracing::Level::INFO) {
            return;
        }
        let (short, label) = (found.listed.head.id.short(), &found.listed.label);
        if found.elsewhere {
            tracing::info!(
                "handoff {short}: {why} of the store, as nothing is here; of the project '{label}'"
            );
        } else if self.is_of_here(&found.listed).unwrap_or(true) {
            tracing::info!("handoff {short}: {why}");
        } else {
            tracing::info!("handoff {short}: {why}, of the project '{label}'");
        }
    }

    fn open(&self, listed: Listed, elsewhere: bool, bad: Vec<BadFile>) -> Result<Found, Error> {
        let handoff = self.here.store.read(&listed)?;
        let expired = handoff.head.fields.expires.filter(|at| *at <= self.here.now());
        Ok(Found { handoff, listed, elsewhere, expired, bad })
    }
}

/// Why a handoff of the name that is asked for is not the one that is meant, if so.
fn passed_over_for(listed: &Listed, now: Timestamp) -> Option<PassedOverFor> {
    let fields = &listed.head.fields;
    if listed.archived.is_some() {
        Some(PassedOverFor::Archived)
    } else if fields.expires.is_some_and(|at| at <= now) {
        Some(PassedOverFor::Expired)
    } else if !fields.kind.can_be_latest() && fields.kind != HandoffKind::Snapshot {
        Some(PassedOverFor::Kind(fields.kind))
    } else if listed.head.created.is_ahead_of(now) {
        Some(PassedOverFor::Ahead)
    } else {
        None
    }
}
