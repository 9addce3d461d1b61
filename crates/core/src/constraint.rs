//! Constraints that a handoff carries: what has to hold in later sessions too.

use crate::part::Part;
use crate::{BlockKind, blocks, sections};

/// The constraints of a body, each without its evidence and the marks of a quotation.
pub fn constraints(body: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let all = sections(body);
    for section in all.iter().filter(|section| Part::of(section.title) == Part::Constraints) {
        for block in blocks(section.text) {
            if block.kind != BlockKind::Heading && !block.is_placeholder() {
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
    use super::constraints;

    #[test]
    fn constraints_are_read_without_how_they_are_known() {
        let body = "## Next Steps\n1. Never mind\n\n## Standing Constraints\n- “Never touch schema.sql.” *(declared #3)*\n\
            - Always **test** *(by hand)\n- and 3 more\n\n## Files of Note\n- `a`\n\n## Rules\nAsk first.\n";
        let wanted = ["Never touch schema.sql.", "Always **test** *(by hand)", "Ask first."];
        assert_eq!(constraints(body), wanted);
        assert!(constraints("Never touch it.\n").is_empty());
    }
}
