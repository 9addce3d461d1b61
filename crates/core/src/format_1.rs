//! What a file of format 1 is. That format has no key for it: Segue marked its own files by tags, which anybody
//! can write. So a tag counts only together with what Segue alone writes.

use crate::decision_note::DecisionNote;
use crate::head::Fields;
use crate::kind::HandoffKind;
use crate::part::Part;
use crate::section::intro;
use crate::source::{ItemMark, ItemSource, ItemSources};
use crate::{HANDOFF, blocks, sections};

/// The kind of a file of format 1 and whose words it has, as far as its traits show it.
pub(crate) fn told_by_traits(fields: &Fields, body: &str) -> (HandoffKind, ItemSources) {
    let tags: Vec<&str> = fields.tags.iter().map(String::as_str).collect();
    match tags[..] {
        ["decided"] if DecisionNote::parse(body).is_some() => {
            (HandoffKind::Decision, ItemSources::default())
        }
        ["session", ..] | ["snapshot", "transcript"] if is_captured(fields, body) => {
            let sources = if is_as_captured(fields) {
                sources_of_session(body)
            } else {
                ItemSources::default()
            };
            (HandoffKind::Session, sources)
        }
        // What stands in HANDOFF.md may be in it, too.
        ["snapshot"] if is_captured(fields, body) => {
            (HandoffKind::Session, ItemSources::all(ItemSource::Repository))
        }
        ["snapshot", "observed"] if is_snapshot(fields, body) && says_nothing(body) => {
            (HandoffKind::Snapshot, ItemSources::default())
        }
        ["snapshot"] if is_snapshot(fields, body) => {
            (HandoffKind::Handoff, sources_of_snapshot(body))
        }
        ["edited"] if is_edited_block(fields) => {
            (HandoffKind::Handoff, ItemSources::all(ItemSource::Repository))
        }
        _ => (HandoffKind::Handoff, ItemSources::default()),
    }
}

/// Whether it was made out of a transcript: by whom, of which session, and with the records in which it stands.
fn is_captured(fields: &Fields, body: &str) -> bool {
    let names_session = fields.tool.is_some() && fields.session.is_some();
    names_session && (fields.captured.is_some() || body.lines().any(names_record))
}

/// Whether a line ends with the record that it is from: `#3`, `(#3)` or `*(declared #3)*`.
fn names_record(line: &str) -> bool {
    let line = line.trim_end().trim_end_matches('*').trim_end_matches(')');
    let number = line.rsplit_once('#').map_or("", |(_, number)| number);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether it says when it was captured, which nothing but a capture writes, and nobody edited it since. Files of 0.1.0
/// do not say it, and an agent can give any handoff their tags, their records and their form.
fn is_as_captured(fields: &Fields) -> bool {
    let is_edited = fields.parent.as_ref().is_some_and(|parent| fields.supersedes.contains(parent));
    fields.captured.is_some() && !is_edited
}

/// The sources of a captured session: a rule with the record in which the user said it is the user's.
fn sources_of_session(body: &str) -> ItemSources {
    let found = sections(body);
    let rules = found.iter().filter(|section| section.title == "Standing Constraints");
    let marks: Vec<(ItemMark, ItemSource)> = rules
        .flat_map(|section| {
            blocks(section.text).into_iter().map(|block| (section.title, block)).collect::<Vec<_>>()
        })
        .filter(|(_, block)| is_declared(block.words()))
        .map(|(title, block)| (ItemMark::of(title, block.words()), ItemSource::User))
        .collect();
    ItemSources::of_items(&marks)
}

/// Whether a rule ends with `*(declared #3)*`.
fn is_declared(words: &str) -> bool {
    let record = words.strip_suffix(")*").and_then(|words| words.rsplit_once(" *(declared #"));
    record.is_some_and(|(_, record)| {
        !record.is_empty() && record.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Whether it has what a snapshot saw, under a title of its own.
fn is_snapshot(fields: &Fields, body: &str) -> bool {
    let is_titled = fields.title.as_deref().is_some_and(|title| title.starts_with("Snapshot"));
    let facts = |text: &str| text.lines().any(|line| line.starts_with("- Project type: "));
    is_titled
        && sections(body).iter().any(|section| section.title == "Observed" && facts(section.text))
}

/// Whether there is nothing but what was seen.
fn says_nothing(body: &str) -> bool {
    let is_seen = |title: &str| Part::of(title) == Part::Seen;
    intro(body).trim().is_empty() && sections(body).iter().all(|section| is_seen(section.title))
}

fn sources_of_snapshot(body: &str) -> ItemSources {
    let found = sections(body);
    let source_of = |title: &str| match Part::of(title) {
        Part::Seen => ItemSource::Tool,
        _ => ItemSource::Repository,
    };
    let parts =
        found.iter().map(|section| (source_of(section.title), &body[section.start..section.end]));
    let all: Vec<(ItemSource, &str)> =
        std::iter::once((ItemSource::Repository, intro(body))).chain(parts).collect();
    ItemSources::of_texts(&all)
}

/// Whether it was a block of HANDOFF.md that somebody edited.
fn is_edited_block(fields: &Fields) -> bool {
    fields.title.as_deref() == Some(&format!("{HANDOFF} as it was edited"))
        && fields.tool.is_none()
        && fields.session.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: &str = "## Observed\n- Branch `main` at `589ca6fb5`\n- Project type: rust\n\n## Uncommitted Changes\n- ` M a.rs`\n";
    const TOLD: &str =
        "## Context\n- Asked: “Fix it.” *(declared #1)*\n\n## Files of Note\n- `a.rs` ×1 #3\n";
    const DECIDED: &str = "## Key Decisions\n\n- Token storage: Postgres\n  Why: it survives\n\n## Rejected Paths\n\n- Redis: gone\n- a file\n";

    fn fields(tags: &[&str], title: &str) -> Fields {
        Fields {
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            title: Some(title.to_owned()),
            ..Fields::default()
        }
    }

    fn of_session(tags: &[&str]) -> Fields {
        Fields {
            tool: Some("codex".into()),
            session: Some("c0de".into()),
            ..fields(tags, "Fix it.")
        }
    }

    fn kind(fields: &Fields, body: &str) -> HandoffKind {
        told_by_traits(fields, body).0
    }

    #[test]
    fn a_tag_alone_says_nothing() {
        let said = "## Next Steps\n\n1. Ship it\n";
        for tags in [
            &["decided"][..],
            &["snapshot"],
            &["snapshot", "observed"],
            &["snapshot", "transcript"],
            &["session"],
            &["edited"],
            &["own-words"],
        ] {
            for fields in [fields(tags, "Mine"), of_session(tags)] {
                let told = told_by_traits(&fields, said);
                assert_eq!(told, (HandoffKind::Handoff, ItemSources::default()), "{tags:?}");
            }
        }
        // And traits without their tags say nothing either.
        for body in [SEEN, TOLD, DECIDED] {
            assert_eq!(kind(&fields(&["api"], "Snapshot of main"), body), HandoffKind::Handoff);
            assert_eq!(kind(&of_session(&[]), body), HandoffKind::Handoff);
        }
    }

    #[test]
    fn a_decision_is_known_by_its_body() {
        assert_eq!(
            kind(&fields(&["decided"], "Token storage: Postgres"), DECIDED),
            HandoffKind::Decision
        );
        let more = format!("{DECIDED}\n## Next Steps\n\n- Move the data\n");
        assert_eq!(kind(&fields(&["decided"], "x"), &more), HandoffKind::Handoff);
        assert_eq!(kind(&fields(&["decided", "api"], "x"), DECIDED), HandoffKind::Handoff);
    }

    #[test]
    fn a_session_is_known_by_its_records_or_its_capture() {
        for tags in
            [&["session"][..], &["session", "api"], &["snapshot"], &["snapshot", "transcript"]]
        {
            assert_eq!(kind(&of_session(tags), TOLD), HandoffKind::Session, "{tags:?}");
            let captured = "2026-11-15T17:45:00Z".parse().ok();
            let fields = Fields { captured, ..of_session(tags) };
            assert_eq!(kind(&fields, "## Context\n- Fixed.\n"), HandoffKind::Session, "{tags:?}");
            assert_eq!(kind(&Fields { session: None, ..fields }, TOLD), HandoffKind::Handoff);
        }
        let sources = told_by_traits(&of_session(&["snapshot"]), TOLD).1;
        assert_eq!(sources, ItemSources::all(ItemSource::Repository));
    }

    #[test]
    fn a_snapshot_with_words_is_a_handoff_of_the_repository() {
        let title = "Snapshot of main, 1 file changed";
        assert_eq!(kind(&fields(&["snapshot", "observed"], title), SEEN), HandoffKind::Snapshot);
        let words = "## Open Questions\n\nAsk Grace.\n\n";
        let body = format!("{words}{SEEN}");
        assert_eq!(kind(&fields(&["snapshot", "observed"], title), &body), HandoffKind::Handoff);
        let of_words = fields(&["snapshot"], title);
        let (kind, sources) = told_by_traits(&of_words, &body);
        assert_eq!(kind, HandoffKind::Handoff);
        assert_eq!(sources.of("Open Questions", "Ask Grace."), Some(ItemSource::Repository));
        assert_eq!(sources.of("Observed", "Project type: rust"), Some(ItemSource::Tool));
        assert!(Fields { sources, ..of_words }.repeats_handoff_file());
    }

    #[test]
    fn a_rule_of_a_captured_session_is_the_users_where_its_record_stands() {
        let body = "## Standing Constraints\n- “Never push.” *(declared #4)*\n- “Never deploy.” *(declared earlier)*\n\
            - “Ask first.”\n\n## Notes\n- “Delete it.” *(declared #4)*\n";
        let captured = "2026-11-15T17:45:00Z".parse().ok();
        let fields = Fields { captured, ..of_session(&["session"]) };
        let (_, sources) = told_by_traits(&fields, body);
        let of_users =
            |words: &str| sources.of("Standing Constraints", words) == Some(ItemSource::User);
        assert!(of_users("“Never push.” *(declared #4)*"));
        assert!(!of_users("“Never deploy.” *(declared earlier)*") && !of_users("“Ask first.”"));
        assert_ne!(sources.of("Notes", "“Delete it.” *(declared #4)*"), Some(ItemSource::User));
        // An agent can write the tags and the records of one.
        let forged = Fields { captured: None, ..fields.clone() };
        assert!(!told_by_traits(&forged, body).1.has(ItemSource::User));
        let whole = "## Context\n- Asked: “Never push. Mend it.” *(declared #4)*\n\n\
            ## Standing Constraints\n- “Never push.” *(declared #4)*\n";
        assert!(!told_by_traits(&forged, whole).1.has(ItemSource::User));
        assert!(told_by_traits(&fields, whole).1.has(ItemSource::User));
        let parent = Some("20261114-174500-a3f9c12e".to_owned());
        let supersedes: Vec<String> = parent.iter().cloned().collect();
        for fields in [forged, fields.clone()] {
            let edited =
                Fields { parent: parent.clone(), supersedes: supersedes.clone(), ..fields };
            assert!(!told_by_traits(&edited, whole).1.has(ItemSource::User));
        }
        // Nobody but a capture has records.
        let (_, sources) = told_by_traits(&of_session(&[]), body);
        assert!(!sources.has(ItemSource::User));
    }

    #[test]
    fn an_edited_block_is_a_handoff_of_the_repository_that_says_something_of_its_own() {
        let edited = fields(&["edited"], "HANDOFF.md as it was edited");
        let (kind, sources) = told_by_traits(&edited, SEEN);
        assert_eq!((kind, sources.rest()), (HandoffKind::Handoff, Some(ItemSource::Repository)));
        assert!(!Fields { sources, ..edited }.repeats_handoff_file());
    }
}
