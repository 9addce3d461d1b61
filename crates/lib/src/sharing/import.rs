//! Import: what somebody else's session left comes into the store, all of a bundle or nothing.

use std::collections::{BTreeMap, HashMap};
use std::io::ErrorKind;
use std::path::Path;

use segue_core::{Handoff, HandoffId, Imported, Key, KeyKind, PayloadDigest, ProjectId, Timestamp};
use segue_share::bundle::Signer;
use segue_store::{Incoming, Listed, Located, Scope, StoreError, Turn, View};

use crate::sharing::bundle::{BundleInput, OpenBundle};
use crate::sharing::coming::Coming;
use crate::sharing::import_redacted::told_of;
use crate::{Arrived, BundleProblem, Error, Fate, ProjectRef, Provenance, Segue};

/// A handoff may be dated so far ahead of our clock; clocks differ. Until then it is the latest.
const AHEAD_MICROS: i64 = 60_000_000;

/// So many former ones of one id are kept apart.
const MOST_FORMER: u32 = 9999;

/// What to do with a handoff whose id is here with other content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// Nothing of the bundle is imported.
    #[default]
    Fail,
    /// What is here stays.
    Skip,
    /// What is here is kept under its id and a number, and the new one takes its place.
    Replace,
}

/// How to import.
#[derive(Clone, Debug, Default)]
pub struct ImportRequest {
    /// Conflicts.
    pub on_conflict: OnConflict,
    /// Also what nobody signed.
    pub allow_unsigned: bool,
    /// Also what is signed by a key that is not trusted.
    pub allow_untrusted: bool,
    /// Changes nothing.
    pub dry_run: bool,
    /// Into this project, whatever the handoffs say.
    pub project: Option<ProjectRef>,
}

/// What an import did, or would do.
#[derive(Debug)]
pub struct ImportOutcome {
    /// What it came from.
    pub from: String,
    /// Whether it was encrypted.
    pub encrypted: bool,
    /// Who signed it; `None` for what came out of a peer's store.
    pub provenance: Option<Provenance>,
    /// In the order of the bundle.
    pub arrived: Vec<Arrived>,
    /// Entries of a peer's store that could not be taken, and the like.
    pub warnings: Vec<String>,
}

impl ImportOutcome {
    /// How many met this fate.
    pub fn count(&self, is: impl Fn(&Fate) -> bool) -> usize {
        self.arrived.iter().filter(|one| is(&one.fate)).count()
    }
}

/// Where a handoff goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Landing {
    Known(ProjectId),
    /// The project of a directory, which need not be known yet.
    Dir(ProjectRef),
}

/// What is to be done with one handoff.
pub(crate) struct Planned {
    fate: Fate,
    landing: Landing,
    /// Places of what it replaces.
    old: Vec<Located>,
    /// Whether it is here from elsewhere, without the proof that this bundle has.
    unproved: bool,
}

/// Something that handoffs come from, one by one, more than once.
pub(crate) trait Source {
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

impl Source for OpenBundle {
    fn coming(&self) -> &[Coming] {
        &self.coming
    }

    fn same(&self, at: usize, here: &Handoff) -> bool {
        self.is_here(at, here)
    }

    fn same_body(&self, _: usize, _: &Handoff) -> bool {
        false
    }

    fn proves_more(&self, at: usize, here: &Handoff) -> bool {
        let Some(imported) = &here.head.fields.imported else { return false };
        let Some(proof) = &self.proof_name else { return false };
        let known = imported.from.as_deref().is_some_and(|from| from.ends_with(proof));
        !known && PayloadDigest::of(&here.payload()) == self.coming[at].digest
    }

    fn each(
        &mut self,
        each: &mut dyn FnMut(usize, Handoff) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.each_kept(each)
    }
}

impl Segue {
    /// Imports a bundle. `told` hears how many of how many are in.
    pub fn import(
        &self,
        input: BundleInput<'_>,
        request: &ImportRequest,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<ImportOutcome, Error> {
        let mut bundle = self.open_bundle("import", input)?;
        bundle.redact(self.settings.redactor()?)?;
        if let Some(project) = &request.project {
            self.here().of(project)?.directory()?;
        }
        let refuse =
            |why| Error::Bundle { doing: "import", what: bundle.name.clone(), why: Box::new(why) };
        self.check_times(&bundle.coming).map_err(refuse)?;
        let provenance = self.provenance_of(bundle.signer.as_ref());
        if let Provenance::Signed { trusted: false, fingerprint, says, .. } = &provenance
            && !request.allow_untrusted
        {
            let (fingerprint, name) = (fingerprint.clone(), says.clone());
            return Err(refuse(BundleProblem::Untrusted { fingerprint, name }));
        }
        match self.import_once(&mut bundle, &provenance, request, false, told) {
            Err(error) if is_passing(&error) => self.store.close(),
            other => return other,
        }
        // Somebody moves what it is planned on: now nobody may.
        self.import_once(&mut bundle, &provenance, request, true, told)
    }

    /// Keeps others from moving what has an id that comes in.
    fn hold_still(&self, source: &dyn Source) -> Result<Vec<Turn>, Error> {
        let mut memories = BTreeMap::new();
        self.store.ask(&Scope::All, |view| {
            for coming in source.coming() {
                for listed in view.copies(&coming.id)? {
                    memories.insert(listed.project.to_string(), listed.project);
                }
            }
            Ok(())
        })?;
        self.store.close();
        let held: Result<Vec<Turn>, _> = memories.values().map(|id| self.store.hold(id)).collect();
        Ok(held?)
    }

    fn import_once(
        &self,
        bundle: &mut OpenBundle,
        provenance: &Provenance,
        request: &ImportRequest,
        still: bool,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<ImportOutcome, Error> {
        let what = bundle.name.clone();
        let refuse =
            |why| Error::Bundle { doing: "import", what: what.clone(), why: Box::new(why) };
        let incoming = match request.dry_run {
            true => None,
            false => Some(self.store.incoming()?),
        };
        // After the lock of imports, as everybody takes them.
        let held = if still { self.hold_still(bundle)? } else { Vec::new() };
        let planned = self.plan_import(bundle, request)?;
        if *provenance == Provenance::Unsigned
            && !request.allow_unsigned
            && planned.iter().any(|one| one.fate != Fate::Same)
        {
            return Err(refuse(BundleProblem::Unsigned));
        }
        refuse_conflicts(bundle, &planned, request).map_err(refuse)?;
        let imported = imported_as(bundle, self.env.now());
        let from = imported.from.clone().unwrap_or_default();
        if let (Some(proof), Some(name), Some(_)) = (&bundle.proof, &bundle.proof_name, &incoming) {
            self.keep_proof(bundle, &planned, name, proof)?;
        }
        let encrypted = bundle.encrypted;
        let arrived = self.take_in(bundle, planned, (incoming, held), &imported, told)?;
        let warnings = told_of(bundle.coming.iter(), &arrived, Some(provenance));
        Ok(ImportOutcome {
            from,
            encrypted,
            provenance: Some(provenance.clone()),
            arrived,
            warnings: warnings.into_iter().collect(),
        })
    }

    /// Keeps the proof for what comes in. What is here already and came from elsewhere can be proved by
    /// it from now on, too.
    fn keep_proof(
        &self,
        bundle: &OpenBundle,
        planned: &[Planned],
        name: &str,
        proof: &str,
    ) -> Result<(), Error> {
        if planned.iter().any(|one| taken(one) || one.unproved) {
            self.store.keep_proof(name, proof)?;
        }
        for (coming, one) in bundle.coming.iter().zip(planned) {
            if one.unproved {
                self.store.also_proved(&coming.digest.to_string(), name)?;
            }
        }
        Ok(())
    }

    pub(crate) fn provenance_of(&self, signer: Option<&Signer>) -> Provenance {
        let Some(signer) = signer else { return Provenance::Unsigned };
        let fingerprint = signer.key.fingerprint().to_string();
        let trusted = self.store.trusted_key(&fingerprint);
        Provenance::Signed {
            trusted: trusted.is_some(),
            name: trusted.and_then(|key| key.name),
            says: signer.name.clone(),
            fingerprint,
        }
    }

    pub(crate) fn check_times(&self, coming: &[Coming]) -> Result<(), BundleProblem> {
        let latest = self.env.now().micros().saturating_add(AHEAD_MICROS);
        match coming.iter().find(|coming| coming.created.micros() > latest) {
            Some(one) => Err(BundleProblem::Future {
                id: one.id.clone(),
                created: one.created.whole_second(),
            }),
            None => Ok(()),
        }
    }

    /// What would become of each handoff.
    pub(crate) fn plan_import(
        &self,
        source: &dyn Source,
        request: &ImportRequest,
    ) -> Result<Vec<Planned>, Error> {
        let mut planned = Vec::with_capacity(source.coming().len());
        self.store.ask(&Scope::All, |view| {
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
                planned.push(self.plan_one(view, source, at, landing, request)?);
            }
            Ok(())
        })?;
        Ok(planned)
    }

    fn plan_one(
        &self,
        view: &View,
        source: &dyn Source,
        at: usize,
        landing: Landing,
        request: &ImportRequest,
    ) -> Result<Planned, StoreError> {
        let coming = &source.coming()[at];
        let copies = view.copies(&coming.id)?;
        let simple =
            |fate, landing| Ok(Planned { fate, landing, old: Vec::new(), unproved: false });
        let Some(first) = copies.first() else {
            if let Some(there) = self.same_text(view, source, at)? {
                return simple(Fate::Same, Landing::Known(there));
            }
            let forgotten = view.is_forgotten(&coming.id)?;
            return simple(if forgotten { Fate::Forgotten } else { Fate::New }, landing);
        };
        let there = Landing::Known(first.project.clone());
        let here = self.store.read(first)?;
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

    /// Does what was planned.
    pub(crate) fn take_in(
        &self,
        source: &mut dyn Source,
        planned: Vec<Planned>,
        (incoming, held): (Option<Incoming>, Vec<Turn>),
        imported: &Imported,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Arrived>, Error> {
        let view = match &incoming {
            Some(_) => Some(self.store.writer_view()?),
            None => None,
        };
        let wanted = planned.iter().any(taken);
        let mut found: HashMap<&ProjectRef, ProjectId> = HashMap::new();
        let mut memories: Vec<Option<ProjectId>> = Vec::with_capacity(planned.len());
        for one in &planned {
            let memory = match (&one.landing, &view) {
                (Landing::Known(id), _) => Some(id.clone()),
                (Landing::Dir(project), Some(view)) if taken(one) => {
                    if !found.contains_key(project) {
                        found.insert(project, self.memory_to_import(view, project)?);
                    }
                    found.get(project).cloned()
                }
                (Landing::Dir(_), _) => None,
            };
            memories.push(memory);
        }
        if let (Some(incoming), Some(view)) = (incoming, &view)
            && wanted
        {
            self.move_in(source, &planned, &memories, (incoming, held), view, imported, told)?;
        }
        drop(view);
        let labels = self.labels(&memories)?;
        let coming = source.coming().iter();
        let arrived =
            coming.zip(planned).zip(&memories).map(|((coming, planned), memory)| Arrived {
                id: coming.id.clone(),
                title: coming.title.clone(),
                fate: planned.fate,
                project: memory.as_ref().and_then(|memory| labels.get(memory.as_str()).cloned()),
            });
        Ok(arrived.collect())
    }

    /// The memory of a directory's project, or of what is filed under a word.
    fn memory_to_import(&self, view: &View, project: &ProjectRef) -> Result<ProjectId, Error> {
        let here = self.here().of(project)?;
        let own = here.place(view)?;
        match project.label() {
            Some(label) if *label != own.label => Ok(here.create_or_find_labelled(view, label)?.0),
            _ => Ok(here.create_or_update_project(view, &ProjectRef::Here)?.project),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one step of one walk, called once")]
    fn move_in(
        &self,
        source: &mut dyn Source,
        planned: &[Planned],
        memories: &[Option<ProjectId>],
        (mut incoming, held): (Incoming, Vec<Turn>),
        view: &View,
        imported: &Imported,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<(), Error> {
        let total = planned.iter().filter(|one| taken(one)).count();
        let alone = total == 1 && planned.iter().all(|one| one.old.is_empty());
        let mut single = None;
        let mut done = 0;
        source.each(&mut |at, handoff| {
            let (Some(one), Some(Some(memory))) = (planned.get(at), memories.get(at)) else {
                return Ok(());
            };
            if !taken(one) {
                return Ok(());
            }
            let arriving = handoff.imported_as(imported).map_err(|source| {
                StoreError::BadHandoff { path: handoff.head.id.as_str().into(), source }
            })?;
            if alone {
                single = Some((memory.clone(), arriving));
                return Ok(());
            }
            if let Fate::Replaced(kept_as) = &one.fate {
                for old in &one.old {
                    incoming.replace(view, old, &handoff.head.id, kept_as)?;
                }
            }
            incoming.stage(view, memory, &arriving)?;
            done += 1;
            told(done, total);
            Ok(())
        })?;
        // From here on each memory is locked by whoever moves something into it.
        drop(held);
        match single {
            Some((memory, handoff)) => {
                incoming.put(view, &memory, &handoff)?;
            }
            None => incoming.commit(view)?,
        }
        Ok(())
    }

    fn labels(&self, memories: &[Option<ProjectId>]) -> Result<HashMap<String, String>, Error> {
        let mut labels = HashMap::new();
        for memory in memories.iter().flatten() {
            if !labels.contains_key(memory.as_str()) {
                let names = self.store.ask(&Scope::Projects, |view| view.project(memory))?;
                labels.insert(memory.to_string(), names.unwrap_or_default().label);
            }
        }
        Ok(labels)
    }
}

impl Segue {
    /// Where the very same text lies under another id, which its file's time gave it. An alias alone
    /// says nothing: whoever made a handoff chose its aliases.
    fn same_text(
        &self,
        view: &View,
        source: &dyn Source,
        at: usize,
    ) -> Result<Option<ProjectId>, StoreError> {
        let Some(alias) = &source.coming()[at].alias else { return Ok(None) };
        for listed in view.aliased(alias)? {
            if source.same_body(at, &self.store.read(&listed)?) {
                return Ok(Some(listed.project));
            }
        }
        Ok(None)
    }
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

/// Whether it may work the next time: what was looked at has been moved by somebody else.
fn is_passing(error: &Error) -> bool {
    match error {
        Error::Store(StoreError::Io { source, .. }) => source.kind() == ErrorKind::NotFound,
        Error::Store(StoreError::BadHandoff { .. } | StoreError::BadArchive { .. }) => true,
        _ => false,
    }
}

/// Whether a handoff comes in.
fn taken(one: &Planned) -> bool {
    matches!(one.fate, Fate::New | Fate::Replaced(_))
}

/// Refuses what cannot be done for the whole bundle.
fn refuse_conflicts(
    bundle: &OpenBundle,
    planned: &[Planned],
    request: &ImportRequest,
) -> Result<(), BundleProblem> {
    let ids = |is: &dyn Fn(&Planned) -> bool| -> Vec<HandoffId> {
        let both = bundle.coming.iter().zip(planned);
        both.filter(|(_, one)| is(one)).map(|(coming, _)| coming.id.clone()).collect()
    };
    let conflicts = ids(&|one| one.fate == Fate::Skipped);
    if request.on_conflict == OnConflict::Fail && !conflicts.is_empty() {
        return Err(BundleProblem::Conflict(conflicts));
    }
    match ids(&|one| one.old.iter().any(|old| old.layers.is_some())).into_iter().next() {
        Some(id) => Err(BundleProblem::Elsewhere(id)),
        None => Ok(()),
    }
}

/// What the head of each handoff says of this import.
fn imported_as(bundle: &OpenBundle, now: Timestamp) -> Imported {
    let from = match &bundle.proof_name {
        Some(proof) => format!("{} sha256:{proof}", bundle.format),
        None => format!("{}, unsigned", bundle.format),
    };
    Imported {
        signer: bundle.signer.as_ref().map(|signer| signer.key.fingerprint().to_string()),
        at: Some(now.to_string()),
        from: Some(from),
    }
}
