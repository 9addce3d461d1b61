//! What an import would do with each handoff, decided before anything of it is stored.

use std::collections::HashMap;
use std::path::Path;

use segue_core::{Handoff, HandoffId, Key, KeyKind, ProjectId, Timestamp};
use segue_store::{Listed, Located, Scope, Store, StoreError, View};

use super::arrived::Fate;
use super::coming::Coming;
use super::import_request::{ImportRequest, OnConflict};
use crate::{BundleProblem, Error, ProjectRef};

/// A handoff may be dated so far ahead of our clock; clocks differ. Until then it is the latest.
const AHEAD_MICROS: i64 = 60_000_000;

/// So many former ones of one id are kept apart.
const MOST_FORMER: u32 = 9999;

/// Where a handoff goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Landing {
    Known(ProjectId),
    /// The project of a directory, which need not be known yet.
    Dir(ProjectRef),
}

/// What is to be done with one handoff.
pub(super) struct Planned {
    pub(super) fate: Fate,
    pub(super) landing: Landing,
    /// Places of what it replaces.
    pub(super) old: Vec<Located>,
    /// Whether it is here from elsewhere, without the proof that this bundle has.
    pub(super) unproved: bool,
}

/// Something that handoffs come from, one by one, more than once.
pub(super) trait Source {
    fn coming(&self) -> &[Coming];
    /// Whether what is here is the same handoff.
    fn same(&self, at: usize, here: &Handoff) -> bool;
    /// Whether what is here says the same, under whatever id.
    fn same_body(&self, at: usize, here: &Handoff) -> bool;
    /// Whether it comes with a proof that what is here did not come with.
    fn proves_more(&self, _at: usize, _here: &Handoff) -> bool {
        false
    }
    fn each(
        &mut self,
        each: &mut dyn FnMut(usize, Handoff) -> Result<(), Error>,
    ) -> Result<(), Error>;
}

impl Planned {
    /// Whether the handoff comes in.
    pub(super) fn is_taken(&self) -> bool {
        matches!(self.fate, Fate::New | Fate::Replaced(_))
    }
}

/// What would become of each handoff.
pub(super) fn plan_import(
    store: &Store,
    source: &dyn Source,
    request: &ImportRequest,
) -> Result<Vec<Planned>, Error> {
    let mut planned = Vec::with_capacity(source.coming().len());
    store.ask(&Scope::All, |view| {
        planned.clear();
        let mut landings = HashMap::new();
        for (at, coming) in source.coming().iter().enumerate() {
            let landing = match &request.project {
                Some(project) => Landing::Dir(project.clone()),
                None => {
                    let place = (&coming.remote, &coming.dir, &coming.label);
                    match landings.get(&place) {
                        Some(landing) => Landing::clone(landing),
                        None => {
                            let landing = landing(view, coming)?;
                            landings.insert(place, landing.clone());
                            landing
                        }
                    }
                }
            };
            planned.push(plan_one(store, view, source, at, landing, request)?);
        }
        Ok(())
    })?;
    Ok(planned)
}

fn plan_one(
    store: &Store,
    view: &View,
    source: &dyn Source,
    at: usize,
    landing: Landing,
    request: &ImportRequest,
) -> Result<Planned, StoreError> {
    let coming = &source.coming()[at];
    let copies = view.copies(&coming.id)?;
    let simple = |fate, landing| Ok(Planned { fate, landing, old: Vec::new(), unproved: false });
    let Some(first) = copies.first() else {
        if let Some(there) = same_text(store, view, source, at)? {
            return simple(Fate::Same, Landing::Known(there));
        }
        let forgotten = view.is_forgotten(&coming.id)?;
        return simple(if forgotten { Fate::Forgotten } else { Fate::New }, landing);
    };
    let there = Landing::Known(first.project.clone());
    let here = store.read(first)?;
    if source.same(at, &here) {
        let unproved = source.proves_more(at, &here);
        return Ok(Planned { fate: Fate::Same, landing: there, old: Vec::new(), unproved });
    }
    match request.on_conflict {
        OnConflict::Replace => {
            let kept_as = unused_former(view, first)?;
            let old = copies.iter().map(Listed::located).collect();
            let fate = Fate::Replaced(kept_as);
            Ok(Planned { fate, landing: there, old, unproved: false })
        }
        OnConflict::Fail | OnConflict::Skip => simple(Fate::Skipped, there),
    }
}

/// An error if one is dated later than clocks differ: it would be the latest until then.
pub(super) fn check_times(coming: &[Coming], now: Timestamp) -> Result<(), BundleProblem> {
    let latest = now.micros().saturating_add(AHEAD_MICROS);
    match coming.iter().find(|coming| coming.created.micros() > latest) {
        Some(one) => {
            Err(BundleProblem::Future { id: one.id.clone(), created: one.created.whole_second() })
        }
        None => Ok(()),
    }
}

/// Where the very same text lies under another id, which its file's time gave it. An alias alone
/// says nothing: whoever made a handoff chose its aliases.
fn same_text(
    store: &Store,
    view: &View,
    source: &dyn Source,
    at: usize,
) -> Result<Option<ProjectId>, StoreError> {
    let Some(alias) = &source.coming()[at].alias else { return Ok(None) };
    for listed in view.aliased(alias)? {
        if source.same_body(at, &store.read(&listed)?) {
            return Ok(Some(listed.project));
        }
    }
    Ok(None)
}

/// The first id under which what is replaced can be kept.
fn unused_former(view: &View, old: &Listed) -> Result<HandoffId, StoreError> {
    for n in 1..=MOST_FORMER {
        let former = old.head.id.former(n);
        if view.copies(&former)?.is_empty() && !view.is_forgotten(&former)? {
            return Ok(former);
        }
    }
    Err(StoreError::Exists { path: old.path.clone() })
}

/// The project of a known key, else here.
fn landing(view: &View, coming: &Coming) -> Result<Landing, StoreError> {
    let keys = [
        (KeyKind::Origin, &coming.remote),
        (KeyKind::Path, &coming.dir),
        (KeyKind::Label, &coming.label),
    ];
    for (kind, value) in keys {
        let Some(value) = value else { continue };
        let known = view.with_keys(&[Key::new(kind, value.clone())])?;
        if let [project] = &known[..] {
            return Ok(Landing::Known(project.id.clone()));
        }
    }
    // A peer on this machine knew directories that we may not have seen yet.
    let dir = coming.dir.as_ref().filter(|dir| Path::new(dir).is_absolute());
    if let Some(dir) = dir.filter(|dir| coming.made_here && Path::new(dir).is_dir()) {
        return Ok(Landing::Dir(ProjectRef::Given(dir.clone())));
    }
    let by_word = coming.label.as_ref().filter(|_| coming.made_here && coming.dir.is_none());
    Ok(Landing::Dir(by_word.map_or(ProjectRef::Here, |label| ProjectRef::Given(label.clone()))))
}
