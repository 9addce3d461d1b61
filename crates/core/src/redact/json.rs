//! Takes secrets out of JSON, string by string, so that it stays JSON.

use hashbrown::HashSet;
use memchr::{memchr, memchr2};

use super::{KnownSecrets, Redactor, SecretIn};

/// JSON without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactedJson {
    pub text: String,
    pub found: Vec<SecretIn>,
    /// The values that were found, each with its kind.
    pub values: Vec<(String, String)>,
}

impl Redactor {
    /// A text of JSON, or lines of it, without the secrets in its strings; `None` if it has none. What
    /// is cut off is read as plain text.
    pub fn redact_json(&self, text: &str, known: &KnownSecrets) -> Option<RedactedJson> {
        self.redact_json_but(text, known, &HashSet::new())
    }

    /// The same, but for strings that are known to have none.
    pub fn redact_json_but(
        &self,
        text: &str,
        known: &KnownSecrets,
        clean: &HashSet<&str>,
    ) -> Option<RedactedJson> {
        let mut out = String::with_capacity(text.len());
        let (mut found, mut values) = (Vec::new(), Vec::new());
        let mut at = 0;
        while let Some(quote) = text[at..].find('"').map(|found| at + found) {
            out.push_str(&text[at..quote]);
            let token = token(&text[quote..]);
            if let Some(token) = token.filter(|token| clean.contains(token)) {
                out.push_str(token);
                at = quote + token.len();
                continue;
            }
            let whole = token.and_then(|token| serde_json::from_str::<String>(token).ok());
            let raw = token.unwrap_or(&text[quote..]);
            let content = whole.as_deref().unwrap_or(raw);
            let redacted = self.redact_knowing(content, known);
            let line = || 1 + text[..quote].matches('\n').count();
            found.extend(redacted.found.iter().map(|one| SecretIn {
                kind: one.kind.clone(),
                place: "text".to_owned(),
                line: line(),
            }));
            values.extend(redacted.values(content));
            match (&whole, redacted.found.is_empty()) {
                (_, true) => out.push_str(raw),
                (Some(_), false) => {
                    out.push_str(&serde_json::Value::from(redacted.text.into_owned()).to_string());
                }
                (None, false) => out.push_str(&redacted.text),
            }
            at = quote + raw.len();
        }
        out.push_str(&text[at..]);
        (!found.is_empty()).then_some(RedactedJson { text: out, found, values })
    }
}

/// The strings of a text of JSON, with their quotes.
pub fn json_strings(text: &str) -> HashSet<&str> {
    let mut found = HashSet::new();
    let mut at = 0;
    while let Some(quote) = memchr(b'"', &text.as_bytes()[at..]).map(|found| at + found) {
        let Some(token) = token(&text[quote..]) else { break };
        found.insert(token);
        at = quote + token.len();
    }
    found
}

/// The string that begins here, with its quotes; `None` if it does not end.
fn token(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(&text[..=at]);
        }
        // What is escaped ends nothing.
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "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";

    #[test]
    fn json_stays_json_and_the_rest_of_it_as_it_is() {
        let text = format!(
            "{{ \"a\" : [1, \"x \\\"{TOKEN}\\\"\\n é\"],\n \"key\":\"20261115-174500-a0000001\"}}\n"
        );
        let RedactedJson { text: out, found, values } =
            Redactor::default().redact_json(&text, &KnownSecrets::default()).unwrap();
        assert_eq!(out, text.replace(TOKEN, "[redacted: github token]"));
        assert_eq!((found.len(), found[0].line, values.len()), (1, 1, 1));
        assert_eq!(Redactor::default().redact_json(&out, &KnownSecrets::default()), None);
    }

    #[test]
    fn what_is_cut_off_is_read_too() {
        let text = format!("{{\"note\": \"use {TOKEN} and th");
        let out = Redactor::default().redact_json(&text, &KnownSecrets::default()).unwrap();
        assert_eq!(out.text, text.replace(TOKEN, "[redacted: github token]"));
    }
}
