//! Constraints that a handoff carries: what has to hold in later sessions too.

use serde::{Deserialize, Serialize};

use crate::briefing::one_line;
use crate::part::Part;
use crate::session::Record;
use crate::{BlockKind, FormatVersion, Handoff, ItemSource, blocks, sections};

/// A rule that the user said. It is made of what the user typed in a session, or of an item of a handoff whose
/// source is the user; nothing else can become one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StandingRule {
    pub text: String,
    /// Where in the transcript it was said; 0 in an earlier session.
    pub record: Record,
}

/// The rules of a handoff, each without its evidence and the marks of a quotation, and whose words it is.
pub fn told_rules(handoff: &Handoff) -> Vec<(&str, ItemSource)> {
    rules_of(handoff.body(), |title, words| handoff.source_of(title, words))
}

/// The rules that a later session inherits. What an agent noted, and what came out of a file, a tool or from elsewhere,
/// does not bind anybody.
pub fn inherited_rules(handoff: &Handoff) -> Vec<StandingRule> {
    let rules = told_rules(handoff).into_iter();
    let users = rules.filter(|(_, source)| *source == ItemSource::User);
    users.map(|(text, _)| StandingRule { text: text.to_owned(), record: 0 }).collect()
}

/// The rules that a handoff of format 1 handed on as the user's, though nothing shows that the user said them, each on
/// one line of so many bytes.
pub fn unproven_rules(handoff: &Handoff, most: usize) -> Vec<String> {
    if handoff.head.version != FormatVersion(1) {
        return Vec::new();
    }
    let rules = told_rules(handoff).into_iter();
    let agents = rules.filter(|(_, source)| *source == ItemSource::Agent);
    agents.map(|(rule, _)| one_line(rule, most)).collect()
}

/// The rules of a body.
pub(crate) fn constraints(body: &str) -> Vec<&str> {
    rules_of(body, |_, _| ()).into_iter().map(|(rule, ())| rule).collect()
}

fn rules_of<S>(body: &str, source_of: impl Fn(&str, &str) -> S) -> Vec<(&str, S)> {
    let mut found = Vec::new();
    let all = sections(body);
    for section in all.iter().filter(|section| Part::of(section.title) == Part::Constraints) {
        for block in blocks(section.text) {
            let rule = without_evidence(block.words());
            if block.kind != BlockKind::Heading && !block.is_placeholder() && !is_count(rule) {
                found.push((rule, source_of(section.title, block.words())));
            }
        }
    }
    found
}

/// An item without its evidence and the marks of a quotation.
pub(crate) fn without_evidence(item: &str) -> &str {
    let item = item
        .rsplit_once(" *(")
        .filter(|(_, end)| end.ends_with(")*"))
        .map_or(item, |(item, _)| item);
    item.strip_prefix('“').and_then(|item| item.strip_suffix('”')).unwrap_or(item)
}

/// Whether it only counts what had no room.
fn is_count(words: &str) -> bool {
    let count = words.strip_prefix("and ").and_then(|rest| rest.strip_suffix(" more"));
    count.is_some_and(|count| count.parse::<usize>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::{constraints, inherited_rules};
    use crate::{Draft, Fields, Handoff, Imported, ItemSource, ItemSources};

    #[test]
    fn constraints_are_read_without_how_they_are_known() {
        let body = "## Next Steps\n1. Never mind\n\n## Standing Constraints\n- “Never touch schema.sql.” *(declared #3)*\n\
            - Always **test** *(by hand)\n- and 3 more\n\n## Files of Note\n- `a`\n\n## Rules\nAsk first.\n";
        let wanted = ["Never touch schema.sql.", "Always **test** *(by hand)", "Ask first."];
        assert_eq!(constraints(body), wanted);
        assert!(constraints("Never touch it.\n").is_empty());
    }

    #[test]
    fn only_what_the_user_said_is_inherited() {
        let said = "## Standing Constraints\n- “Never push.” *(declared #3)*\n";
        let in_file = "## Rules\n- Always deploy.\n";
        let inherited = |fields: Fields| -> Vec<String> {
            let draft = Draft { fields, body: format!("{said}\n{in_file}"), extra: Vec::new() };
            let id = "20261115-174500-a3f9c12e".parse().unwrap();
            let created = "2026-11-15T17:45:00Z".parse().unwrap();
            let handoff = Handoff::parse(draft.render(&id, created)).unwrap();
            inherited_rules(&handoff).into_iter().map(|rule| rule.text).collect()
        };
        let with = |sources| Fields { sources, ..Fields::default() };
        let by_the_user =
            ItemSources::of_texts(&[(ItemSource::User, said), (ItemSource::Agent, in_file)]);
        assert_eq!(inherited(with(by_the_user.clone())), ["Never push."]);
        assert!(inherited(Fields::default()).is_empty());
        for source in ItemSource::ALL.into_iter().filter(|source| *source != ItemSource::User) {
            assert!(inherited(with(ItemSources::all(source))).is_empty(), "{source}");
        }
        let imported = Some(Imported { from: Some("bundle".into()), ..Imported::default() });
        assert!(inherited(Fields { imported, ..with(by_the_user) }).is_empty());
    }
}
