//! Secrets in what comes in: they are taken out before anything of it is stored.

use segue_core::{Handoff, KnownSecrets, PayloadDigest, Redactor};
use segue_store::StoreError;

use super::arrived::{Arrived, Fate};
use super::coming::Coming;
use crate::Error;
use crate::redacted::told;
use crate::sharing::Provenance;

/// A handoff that comes in as it will be stored.
pub(crate) fn redact_incoming(redactor: &Redactor, handoff: Handoff) -> Result<Handoff, Error> {
    Ok(look(redactor, &handoff)?.map_or(handoff, |(redacted, _)| redacted))
}

/// Notes what a handoff that comes in will be here, if it has secrets, and gives it.
pub(crate) fn note_secrets(
    redactor: &Redactor,
    coming: &mut Coming,
    handoff: &Handoff,
) -> Result<Option<Handoff>, Error> {
    let Some((redacted, kinds)) = look(redactor, handoff)? else { return Ok(None) };
    let here = Coming::of(&redacted);
    coming.title = here.title;
    coming.kept = Some(PayloadDigest::of(&redacted.payload()));
    coming.secrets = kinds;
    Ok(Some(redacted))
}

fn look(redactor: &Redactor, handoff: &Handoff) -> Result<Option<(Handoff, Vec<String>)>, Error> {
    let redacted =
        redactor.redact_handoff(handoff, &KnownSecrets::default()).map_err(|source| {
            StoreError::BadHandoff { path: handoff.head.id.as_str().into(), source }
        })?;
    Ok(redacted.map(|redacted| {
        (redacted.handoff, redacted.found.into_iter().map(|one| one.kind).collect())
    }))
}

/// What was taken out of what came in, in words.
pub(crate) fn told_of<'a>(
    coming: impl Iterator<Item = &'a Coming>,
    arrived: &[Arrived],
    from: Option<&Provenance>,
) -> Option<String> {
    let taken = |one: &Arrived| matches!(one.fate, Fate::New | Fate::Replaced(_));
    let came = coming.zip(arrived).filter(|(_, one)| taken(one)).map(|(coming, _)| coming);
    let changed: Vec<&Coming> = came.filter(|coming| !coming.secrets.is_empty()).collect();
    let what = told(changed.iter().flat_map(|coming| &coming.secrets).map(String::as_str))?;
    let count = changed.len();
    let handoffs = if count == 1 { "1 handoff".to_owned() } else { format!("{count} handoffs") };
    let signed = match from {
        Some(Provenance::Signed { .. }) => "; what was signed is the text with them",
        _ => "",
    };
    Some(format!("taken out of {handoffs} before anything was stored: {what}{signed}"))
}
