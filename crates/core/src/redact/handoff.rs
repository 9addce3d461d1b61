//! Takes secrets out of a handoff: its body, and whatever text its head has.
//!
//! Ids and times stay, and every line without a secret stays byte for byte.

use std::borrow::Cow;

use super::{KnownSecrets, MOST_LOOKS, Redactor};
use crate::front_matter::FrontMatter;
use crate::head_key::HeadKey;
use crate::{Draft, Handoff, HandoffError, Section, Timestamp, sections};

/// What a draft is looked at under, as it has no id yet.
const NO_ID: &str = "19700101-000000-a0000000";

/// A handoff without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactedHandoff {
    pub handoff: Handoff,
    /// In the order of the file.
    pub found: Vec<SecretIn>,
    /// The values that were found, each with its kind.
    pub values: Vec<(String, String)>,
}

/// Where in a handoff or another text a secret stood, and of what kind it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretIn {
    /// What the mark says: `github token`.
    pub kind: String,
    /// The key of the head, or the title of the section.
    pub place: String,
    /// Line of the file, from 1.
    pub line: usize,
}

impl Redactor {
    /// A handoff without its secrets; `None` if it has none. What is found in one place of it goes in
    /// all others, too.
    pub fn redact_handoff(
        &self,
        handoff: &Handoff,
        known: &KnownSecrets,
    ) -> Result<Option<RedactedHandoff>, HandoffError> {
        let mut pass = Pass::new(self, known);
        let mut source = pass.whole(handoff);
        if pass.found.is_empty() {
            return Ok(None);
        }
        let more = known.and(pass.values.clone());
        let mut again = Pass::new(self, &more);
        if !more.is_empty() {
            source = again.whole(handoff);
            pass.found = again.found;
            pass.values.extend(again.values);
        }
        let mut redacted = handoff.with_source(source)?;
        // A mark can tell what stands beside it.
        for _ in 0..MOST_LOOKS {
            let mut beside = Pass::new(self, &more);
            let source = beside.whole(&redacted);
            if beside.found.is_empty() {
                break;
            }
            redacted = redacted.with_source(source)?;
            pass.found.extend(beside.found);
            pass.values.extend(beside.values);
        }
        let kept = (&redacted.head.id, redacted.head.created, redacted.head.version);
        if kept != (&handoff.head.id, handoff.head.created, handoff.head.version) {
            return Err(HandoffError::Missing("id"));
        }
        Ok(Some(RedactedHandoff { handoff: redacted, found: pass.found, values: pass.values }))
    }

    /// Takes the secrets out of a handoff in the making, and gives what was found.
    pub fn redact_draft(&self, draft: &mut Draft) -> Result<Vec<SecretIn>, HandoffError> {
        let id = NO_ID.parse().map_err(|_| HandoffError::Missing("id"))?;
        let handoff = Handoff::parse(draft.render(&id, Timestamp::EPOCH))?;
        let redacted = self.redact_handoff(&handoff, &KnownSecrets::default())?;
        Ok(redacted.map_or_else(Vec::new, |redacted| {
            *draft = redacted.handoff.to_draft();
            redacted.found
        }))
    }
}

/// One look at a handoff.
pub(super) struct Pass<'r> {
    pub(super) redactor: &'r Redactor,
    pub(super) known: &'r KnownSecrets,
    pub(super) found: Vec<SecretIn>,
    pub(super) values: Vec<(String, String)>,
}

impl<'r> Pass<'r> {
    fn new(redactor: &'r Redactor, known: &'r KnownSecrets) -> Self {
        Self { redactor, known, found: Vec::new(), values: Vec::new() }
    }

    /// The file without its secrets.
    fn whole(&mut self, handoff: &Handoff) -> String {
        let source = handoff.source();
        let head = &source[..source.len() - handoff.body().len()];
        let opening = source.find('\n').map_or(source.len(), |at| at + 1);
        let mut out = source[..opening].to_owned();
        let mut at = opening;
        // It was parsed before, so it has one.
        if let Ok((front, _)) = FrontMatter::parse(source) {
            for entry in &front.entries {
                let ours = HeadKey::of(&entry.key, handoff.head.version);
                out.push_str(&self.entry(entry, ours.filter(|_| !entry.is_comment())));
                at += entry.raw.len();
            }
        }
        out.push_str(&head[at..]);
        out.push_str(&self.body(handoff.body(), head.matches('\n').count()));
        out
    }

    fn body<'t>(&mut self, body: &'t str, lines_before: usize) -> Cow<'t, str> {
        let redacted = self.redactor.redact_knowing(body, self.known);
        if redacted.found.is_empty() {
            return redacted.text;
        }
        let sections = sections(body);
        let section = |at: usize| sections.iter().rev().find(|section| section.start <= at);
        for one in &redacted.found {
            let title = |section: &Section<'_>| self.clean(section.title).into_owned();
            let place = section(one.range.start).map(title).filter(|title| !title.is_empty());
            self.found.push(SecretIn {
                kind: one.kind.clone(),
                place: place.unwrap_or_else(|| "body".to_owned()),
                line: lines_before + one.line,
            });
        }
        self.values.extend(redacted.values(body));
        redacted.text
    }

    /// A text without its secrets, which are not noted.
    pub(super) fn clean<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redactor.redact_knowing(text, self.known).text
    }

    /// A text without its secrets. `name` is what says what it is.
    pub(super) fn text(
        &mut self,
        name: Option<&str>,
        text: &str,
        place: &str,
        line: usize,
    ) -> String {
        let prefix = name.map(|name| format!("{name}: ")).unwrap_or_default();
        let whole = format!("{prefix}{text}");
        let redacted = self.redactor.redact_knowing(&whole, self.known);
        let Some(clean) = redacted.text.strip_prefix(&prefix).map(str::to_owned) else {
            // The name itself is one.
            return self.text(None, text, place, line);
        };
        self.values.extend(redacted.values(&whole));
        self.found.extend(redacted.found.iter().map(|one| SecretIn {
            kind: one.kind.clone(),
            place: place.to_owned(),
            line: line + one.line - 1,
        }));
        clean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token in the shape of GitHub's, with a checksum that holds.
    const TOKEN: &str = "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";
    const START: &str =
        "---\nsegue: 1\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\n";

    fn redacted(head: &str, body: &str) -> Option<RedactedHandoff> {
        let handoff = Handoff::parse(format!("{START}{head}---\n{body}")).unwrap();
        let redactor = Redactor::default();
        let out = redactor.redact_handoff(&handoff, &KnownSecrets::default()).unwrap();
        if let Some(out) = &out {
            assert!(!out.handoff.source().contains(TOKEN), "{}", out.handoff.source());
            assert!(out.handoff.problems.is_empty(), "{:?}", out.handoff.problems);
            let again = redactor.redact_handoff(&out.handoff, &KnownSecrets::default()).unwrap();
            assert_eq!(again, None);
        }
        out
    }

    fn lines(head: &str) -> String {
        let out = redacted(&head.replace("TOKEN", TOKEN), "x\n").unwrap();
        let source = out.handoff.source().to_owned();
        source[START.len()..source.len() - "---\nx\n".len()].to_owned()
    }

    #[test]
    fn every_text_of_a_head_is_looked_at_and_the_rest_stays_as_it_is() {
        let mark = "[redacted: github token]";
        for (head, expected) in [
            ("title: Use TOKEN now\n", format!("title: \"Use {mark} now\"\n")),
            ("title: \"Use TOKEN now\"  # why\n", format!("title: \"Use {mark} now\"  # why\n")),
            ("title: TOKEN # my word\r\n", format!("title: \"{mark}\" # my word\r\n")),
            ("summary: 'a: TOKEN'\n", format!("summary: 'a: {mark}'\n")),
            ("tags: [a, TOKEN, b]\n", format!("tags: [a, \"{mark}\", b]\n")),
            (
                "tags:\n  - a # one\n  - TOKEN # two\n  # three\n",
                format!("tags:\n  - a # one\n  - \"{mark}\" # two\n  # three\n"),
            ),
            (
                "git: {branch: TOKEN, head: abc}\n",
                format!("git: {{branch: \"{mark}\", head: abc}}\n"),
            ),
            ("# kept TOKEN\nx: 1\n", format!("# kept {mark}\nx: 1\n")),
            ("note: |\n  free TOKEN\n  text\n", format!("note: |\n  free {mark}\n  text\n")),
            ("odd:   {a:  1} # TOKEN\n", format!("odd:   {{a:  1}} # {mark}\n")),
            ("changed: [src/TOKEN.txt]\n", format!("changed: [\"src/{mark}.txt\"]\n")),
            ("name: TOKEN\nx: [ 1,2 ]\n", format!("name: \"{mark}\"\nx: [ 1,2 ]\n")),
        ] {
            assert_eq!(lines(head), expected, "{head}");
        }
    }

    #[test]
    fn what_has_no_room_for_a_secret_is_looked_at_where_it_is_something_else() {
        let sound = "kind: note\ncaptured: 2026-11-15T17:45:00Z\nsources: {rest: user, agent: [0123456789abcdef]}\n";
        let start = START.replace("segue: 1", "segue: 2");
        for (head, is_clean) in [
            (sound, true),
            ("kind: TOKEN\n", false),
            ("captured: TOKEN\n", false),
            ("expires: [TOKEN]\n", false),
            ("sources: {rest: TOKEN}\n", false),
            ("sources: {user: [TOKEN]}\n", false),
            ("sources: {TOKEN: []}\n", false),
        ] {
            let source = format!("{start}{}---\n", head.replace("TOKEN", TOKEN));
            let handoff = Handoff::parse(source).unwrap();
            let out = Redactor::default().redact_handoff(&handoff, &KnownSecrets::default());
            let out = out.unwrap();
            assert_eq!(out.is_none(), is_clean, "{head}");
            assert!(out.is_none_or(|out| !out.handoff.source().contains(TOKEN)), "{head}");
        }
    }

    #[test]
    fn a_key_that_nobody_knows_says_what_its_value_is() {
        let out = redacted("db_password: \"Xk9vQ2mZ7pLr\"\n", "").unwrap();
        assert!(out.handoff.source().contains("db_password: \"[redacted: password]\"\n"));
        let out = redacted("x: {api_key: 9fK2xQ7vLm3Zp8Rt1Wc6, y: 1}\n", "").unwrap();
        assert!(out.handoff.source().contains("{api_key: \"[redacted: "), "{out:?}");
    }

    #[test]
    fn what_is_found_in_one_place_goes_in_all() {
        let value = "9fK2xQ7vLm3Zp8Rt1Wc6Yb4N";
        let head = format!("title: About {value}\ntags: [{value}]\n");
        let out = redacted(&head, &format!("## Next\n\nAPI_KEY={value}\n")).unwrap();
        assert!(!out.handoff.source().contains(value), "{}", out.handoff.source());
        let places: Vec<_> = out.found.iter().map(|one| (one.place.as_str(), one.line)).collect();
        assert_eq!(places, [("title", 5), ("tags", 6), ("Next", 10)]);
    }

    #[test]
    fn ids_commits_and_what_is_no_secret_stay() {
        let head = "session: 0199a2b4-7c1d-7e2f-8a3b-4c5d6e7f8091\ngit: {branch: main, head: 3f2a9c1d3f2a9c1d3f2a9c1d3f2a9c1d3f2a9c1d}\nchanged: [src/token.rs, crates/secret/key.rs]\nparent: 20261114-091203-77e0b1d2\nsupersedes: [20261113-091203-77e0b1d3]\naliases: [a3f9c12f]\nimported: {from: \"segue bundle 1 sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"}\n";
        assert_eq!(redacted(head, "Text about tokens.\n"), None);
    }

    #[test]
    fn a_draft_is_looked_at_as_a_whole() {
        let mut draft = Draft { body: format!("use {TOKEN}\n"), ..Draft::default() };
        draft.fields.tags = vec![TOKEN.to_owned()];
        draft.extra = vec!["x: 1\n".to_owned()];
        let found = Redactor::default().redact_draft(&mut draft).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(draft.fields.tags, ["[redacted: github token]"]);
        assert_eq!(draft.extra, ["x: 1\n"]);
        assert_eq!(draft.body, "use [redacted: github token]\n");
    }
}
