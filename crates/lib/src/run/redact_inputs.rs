//! Secrets in what a run takes in and writes down.

use segue_core::run::{Event, Input};

use super::command::end_of;
use crate::Error;
use crate::here::Here;
use crate::redacted::{redacted_text, told};

/// Takes the secrets out of what is handed over, before it is put anywhere, and says what was found.
pub(super) fn redact_inputs(
    here: &Here<'_>,
    inputs: &mut [Input],
) -> Result<Option<String>, Error> {
    let redactor = here.redactor()?;
    let mut kinds = Vec::new();
    for text in inputs.iter_mut().flat_map(|input| [&mut input.note, &mut input.state]).flatten() {
        let redacted = redactor.redact(text);
        if !redacted.found.is_empty() {
            kinds.extend(redacted.found.into_iter().map(|one| one.kind));
            *text = redacted.text.into_owned();
        }
    }
    Ok(told(kinds.iter().map(String::as_str))
        .map(|what| format!("taken out before it was stored: {what}")))
}

/// Takes the secrets out of what a step said and printed.
pub(super) fn redact_event(here: &Here<'_>, mut event: Event) -> Event {
    let (said, output) = match &mut event {
        Event::Done { said, output } => (said.as_mut(), output.as_mut()),
        Event::Failed { why, output, .. } => (Some(why), output.as_mut()),
        Event::Skipped { why } => (Some(why), None),
    };
    let redactor = here.redactor_out();
    for text in [said, output].into_iter().flatten() {
        if let Some(clean) = redacted_text(&redactor, text) {
            *text = clean;
        }
    }
    if let Event::Done { output, .. } | Event::Failed { output, .. } = &mut event {
        *output = output.take().and_then(|output| end_of(&output));
    }
    event
}
