//! Secrets are taken out before a handoff is stored, and again where one goes out.

use std::borrow::Cow;

use segue_core::{Draft, FoundSecret, Handoff, RedactRules, Redactor};

use crate::config::Config;
use crate::{Error, Segue};

/// Kinds that a warning names at most.
const NAMED: usize = 5;

impl Segue {
    /// What takes secrets out, by the user's rules too. If those cannot be read nothing is stored.
    pub(crate) fn redactor(&self) -> Result<Redactor, Error> {
        let rules = match &self.env.config {
            Some(path) => Config::redact_rules(path)?,
            None => RedactRules::default(),
        };
        Ok(Redactor::new(&rules)?)
    }

    /// The same where something goes out: rules that cannot be read leave what is built in.
    pub(crate) fn redactor_out(&self) -> Redactor {
        self.redactor().unwrap_or_default()
    }
}

/// Takes the secrets out of what will be stored, and says what was found.
pub(crate) fn redact_draft(redactor: &Redactor, draft: &mut Draft) -> Option<String> {
    let mut found = Vec::new();
    let mut clean = |text: &mut String| {
        let redacted = redactor.redact(text);
        found.extend(redacted.found);
        if let Cow::Owned(clean) = redacted.text {
            *text = clean;
        }
    };
    let fields = &mut draft.fields;
    for text in [&mut fields.title, &mut fields.summary].into_iter().flatten() {
        clean(text);
    }
    clean(&mut draft.body);
    told(&found).map(|what| format!("taken out before it was saved: {what}"))
}

/// A handoff as it goes out: one that was stored by something else may have secrets in it.
pub(crate) fn redact_out(redactor: &Redactor, handoff: Handoff) -> Handoff {
    let Some(body) = redacted_text(redactor, handoff.body()) else { return handoff };
    let source = handoff.source();
    let head = &source[..source.len() - handoff.body().len()];
    Handoff::parse(format!("{head}{body}")).unwrap_or(handoff)
}

/// A text without its secrets, if it has any.
pub(crate) fn redacted_text(redactor: &Redactor, text: &str) -> Option<String> {
    match redactor.redact(text).text {
        Cow::Owned(clean) => Some(clean),
        Cow::Borrowed(_) => None,
    }
}

/// What was found, in words.
fn told(found: &[FoundSecret]) -> Option<String> {
    let mut kinds: Vec<&str> = Vec::new();
    for one in found {
        if !kinds.contains(&one.kind.as_str()) {
            kinds.push(&one.kind);
        }
    }
    let more = kinds.len().saturating_sub(NAMED);
    kinds.truncate(NAMED);
    let more = if more > 0 { format!(" and {more} more kinds") } else { String::new() };
    let count =
        if found.len() == 1 { "1 secret".to_owned() } else { format!("{} secrets", found.len()) };
    (!found.is_empty()).then(|| format!("{count} ({}{more})", kinds.join(", ")))
}
