//! Constraints that a handoff carries: what has to hold in later sessions too.

use crate::part::Part;
use crate::{BlockKind, Handoff, ItemSource, blocks, sections};

/// The constraints that a later session inherits, each without its evidence and the marks of a quotation. What came
/// out of a file, a tool or from elsewhere does not bind anybody.
pub fn inherited_constraints(handoff: &Handoff) -> Vec<&str> {
    let is_said = |title: &str, words: &str| handoff.source_of(title, words) >= ItemSource::Agent;
    constraints_where(handoff.body(), is_said)
}

/// The constraints of a body, each without its evidence and the marks of a quotation.
#[cfg(test)]
pub(crate) fn constraints(body: &str) -> Vec<&str> {
    constraints_where(body, |_, _| true)
}

fn constraints_where(body: &str, fits: impl Fn(&str, &str) -> bool) -> Vec<&str> {
    let mut found = Vec::new();
    let all = sections(body);
    for section in all.iter().filter(|section| Part::of(section.title) == Part::Constraints) {
        for block in blocks(section.text) {
            let is_item = block.kind != BlockKind::Heading && !block.is_placeholder();
            if is_item && fits(section.title, block.words()) {
                found
                    .extend(Some(without_evidence(block.words())).filter(|words| !is_count(words)));
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
    use super::{constraints, inherited_constraints};
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
    fn only_what_somebody_said_is_inherited() {
        let said = "## Standing Constraints\n- Never push.\n";
        let in_file = "## Rules\n- Always deploy.\n";
        let inherited = |fields: Fields| -> Vec<String> {
            let draft = Draft { fields, body: format!("{said}\n{in_file}"), extra: Vec::new() };
            let id = "20261115-174500-a3f9c12e".parse().unwrap();
            let created = "2026-11-15T17:45:00Z".parse().unwrap();
            let handoff = Handoff::parse(draft.render(&id, created)).unwrap();
            inherited_constraints(&handoff).into_iter().map(str::to_owned).collect()
        };
        let with = |sources| Fields { sources, ..Fields::default() };
        assert_eq!(inherited(Fields::default()), ["Never push.", "Always deploy."]);
        for source in [ItemSource::User, ItemSource::Agent] {
            let texts = [(source, said), (ItemSource::Repository, in_file)];
            assert_eq!(inherited(with(ItemSources::of_texts(&texts))), ["Never push."]);
        }
        for source in [ItemSource::Tool, ItemSource::Repository, ItemSource::Imported] {
            assert!(inherited(with(ItemSources::all(source))).is_empty());
        }
        let imported = Some(Imported { from: Some("bundle".into()), ..Imported::default() });
        assert!(
            inherited(Fields { imported, ..with(ItemSources::all(ItemSource::User)) }).is_empty()
        );
    }
}
