//! Import: what somebody else's session left comes into the store, all of a bundle or nothing.

use std::collections::{BTreeMap, HashMap};
use std::io::ErrorKind;

use segue_core::{Handoff, HandoffId, Imported, PayloadDigest, ProjectId, Timestamp};
use segue_store::{Incoming, Scope, StoreError, Turn, View};

use super::arrived::{Arrived, Fate};
use super::bundle::{BundleInput, Bundles, OpenBundle};
use super::coming::Coming;
use super::import_plan::{Landing, Planned, Source, check_times, plan_import};
use super::import_redacted::told_of;
use super::import_request::{ImportRequest, OnConflict};
use super::provenance::ProvenanceReader;
use crate::here::Here;
use crate::sharing::Provenance;
use crate::{BundleProblem, Error, ProjectRef};

/// What an import did, or would do.
#[derive(Debug)]
#[non_exhaustive]
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

/// What comes into the store from elsewhere, as seen from a directory.
#[derive(Debug)]
pub struct Imports<'s> {
    pub(super) here: Here<'s>,
}

impl<'s> Imports<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }
}

impl Imports<'_> {
    /// Imports a bundle. `told` hears how many of how many are in.
    pub fn import(
        &self,
        input: BundleInput<'_>,
        request: &ImportRequest,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<ImportOutcome, Error> {
        let mut bundle = Bundles::new(self.here.env, self.here.store).open("import", input)?;
        bundle.redact(self.here.redactor()?)?;
        if let Some(project) = &request.project {
            self.here.of(project)?.directory()?;
        }
        let refuse =
            |why| Error::Bundle { doing: "import", what: bundle.name.clone(), why: Box::new(why) };
        check_times(&bundle.coming, self.here.now()).map_err(refuse)?;
        let provenance = ProvenanceReader::of(self.here.store).of_signer(bundle.signer.as_ref());
        if let Provenance::Signed { trusted: false, fingerprint, says, .. } = &provenance
            && !request.allow_untrusted
        {
            let (fingerprint, name) = (fingerprint.clone(), says.clone());
            return Err(refuse(BundleProblem::Untrusted { fingerprint, name }));
        }
        match self.import_once(&mut bundle, &provenance, request, false, told) {
            Err(error) if is_passing(&error) => self.here.store.close(),
            other => return other,
        }
        self.here.forget_place();
        // Somebody moves what it is planned on: now nobody may.
        self.import_once(&mut bundle, &provenance, request, true, told)
    }

    /// Keeps others from moving what has an id that comes in.
    fn hold_still(&self, source: &dyn Source) -> Result<Vec<Turn>, Error> {
        let mut memories = BTreeMap::new();
        self.here.store.ask(&Scope::All, |view| {
            for coming in source.coming() {
                for listed in view.copies(&coming.id)? {
                    memories.insert(listed.project.to_string(), listed.project);
                }
            }
            Ok(())
        })?;
        self.here.store.close();
        let held: Result<Vec<Turn>, _> =
            memories.values().map(|id| self.here.store.hold(id)).collect();
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
            false => Some(self.here.store.incoming()?),
        };
        // After the lock of imports, as everybody takes them.
        let held = if still { self.hold_still(bundle)? } else { Vec::new() };
        let planned = plan_import(self.here.store, bundle, request)?;
        if *provenance == Provenance::Unsigned
            && !request.allow_unsigned
            && planned.iter().any(|one| one.fate != Fate::Same)
        {
            return Err(refuse(BundleProblem::Unsigned));
        }
        refuse_conflicts(bundle, &planned, request).map_err(refuse)?;
        let imported = imported_as(bundle, self.here.now());
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
        if planned.iter().any(|one| one.is_taken() || one.unproved) {
            self.here.store.keep_proof(name, proof)?;
        }
        for (coming, one) in bundle.coming.iter().zip(planned) {
            if one.unproved {
                self.here.store.also_proved(&coming.digest.to_string(), name)?;
            }
        }
        Ok(())
    }

    /// Does what was planned.
    pub(super) fn take_in(
        &self,
        source: &mut dyn Source,
        planned: Vec<Planned>,
        (incoming, held): (Option<Incoming>, Vec<Turn>),
        imported: &Imported,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Arrived>, Error> {
        let view = match &incoming {
            Some(_) => Some(self.here.store.writer_view()?),
            None => None,
        };
        let wanted = planned.iter().any(Planned::is_taken);
        let mut found: HashMap<&ProjectRef, ProjectId> = HashMap::new();
        let mut memories: Vec<Option<ProjectId>> = Vec::with_capacity(planned.len());
        for one in &planned {
            let memory = match (&one.landing, &view) {
                (Landing::Known(id), _) => Some(id.clone()),
                (Landing::Dir(project), Some(view)) if one.is_taken() => {
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
        let here = self.here.of(project)?;
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
        let total = planned.iter().filter(|one| one.is_taken()).count();
        let alone = total == 1 && planned.iter().all(|one| one.old.is_empty());
        let mut single = None;
        let mut done = 0;
        source.each(&mut |at, handoff| {
            let (Some(one), Some(Some(memory))) = (planned.get(at), memories.get(at)) else {
                return Ok(());
            };
            if !one.is_taken() {
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

    /// What the projects of these memories are called.
    fn labels(&self, memories: &[Option<ProjectId>]) -> Result<HashMap<String, String>, Error> {
        let mut labels = HashMap::new();
        for memory in memories.iter().flatten() {
            if !labels.contains_key(memory.as_str()) {
                let names = self.here.store.ask(&Scope::Projects, |view| view.project(memory))?;
                labels.insert(memory.to_string(), names.unwrap_or_default().label);
            }
        }
        Ok(labels)
    }
}

/// Whether it may work the next time: what was looked at has been moved by somebody else.
fn is_passing(error: &Error) -> bool {
    match error {
        Error::Store(StoreError::Io { source, .. }) => source.kind() == ErrorKind::NotFound,
        Error::Store(StoreError::BadHandoff { .. } | StoreError::BadArchive { .. }) => true,
        _ => false,
    }
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
