//! A briefing of ours as a prompt: what an agent was started with by `segue continue`, or by somebody who
//! pasted one. It is told in the user's place and not in the user's words.

use crate::Part;
use crate::briefing::{GO_ON, TAKES_OVER};

/// What the prompt tells that holds in this session too.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Briefed<'t> {
    /// What the work is about.
    pub(super) title: Option<&'t str>,
    /// What the user said to hold, in earlier sessions.
    pub(super) constraints: Vec<&'t str>,
    /// What somebody wrote behind it.
    pub(super) rest: &'t str,
}

/// The parts of a prompt that is a briefing; `None` if it is none.
pub(super) fn briefed(text: &str) -> Option<Briefed<'_>> {
    let text = text.trim();
    if !text.starts_with(TAKES_OVER) && !text.starts_with("# Briefing: ") {
        return None;
    }
    let Some(begin) = text.find("# Briefing: ") else { return Some(Briefed::default()) };
    // Whatever budget it had, it ends with how to leave the next handoff.
    let end = text
        .rfind("`segue save")
        .map_or(text.len(), |at| text[at..].find('\n').map_or(text.len(), |line| at + line));
    let (told, rest) = text.split_at(end.max(begin));
    let told = &told[begin..];
    let orientation = told.split("\n\n").next().unwrap_or_default();
    let title = orientation.split_once("**").and_then(|(_, after)| Some(after.split_once("**")?.0));
    let heading = format!("\n## {}\n", Part::Constraints.heading());
    let items = told.split_once(&heading).map_or("", |(_, after)| after);
    let items = items.split("\n\n").next().unwrap_or_default().lines();
    let constraints = items.filter_map(|line| Some(words_of(line.strip_prefix("- ")?)));
    let rest = rest.trim();
    Some(Briefed {
        title: title.filter(|title| !title.is_empty()),
        constraints: constraints.collect(),
        rest: if rest == GO_ON { "" } else { rest },
    })
}

/// An item without its evidence and the marks of a quotation.
pub fn words_of(item: &str) -> &str {
    let item = item
        .rsplit_once(" *(")
        .filter(|(_, end)| end.ends_with(")*"))
        .map_or(item, |(item, _)| item);
    item.strip_prefix('“').and_then(|item| item.strip_suffix('”')).unwrap_or(item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::briefing::FIRST_LINE;

    const BRIEFING: &str = "# Briefing: shop\nLeft by Codex CLI just now: **Mend the basket**, on `main`.\n\n\
        ## Next steps\n1. Never mind\n\n## Standing constraints\n- “Never touch schema.sql.” *(declared #3)*\n\
        - Always **test** *(by hand)\n\n## Files\n- `a`\n\nWhen you stop, leave the next handoff: `segue save`.";

    #[test]
    fn what_holds_is_taken_out_of_a_briefing() {
        let wanted = Briefed {
            title: Some("Mend the basket"),
            constraints: vec!["Never touch schema.sql.", "Always **test** *(by hand)"],
            rest: "",
        };
        assert_eq!(briefed(BRIEFING), Some(wanted));
        assert_eq!(briefed(&format!("{FIRST_LINE}\n\n{BRIEFING}\n\n\n{GO_ON}")), briefed(BRIEFING));
        let own = format!("{BRIEFING}\n\nNever use tabs.");
        assert_eq!(briefed(&own).unwrap().rest, "Never use tabs.");
        assert_eq!(
            briefed(&format!("{TAKES_OVER} Read the file x first.")),
            Some(Briefed::default())
        );
        assert_eq!(briefed("Write a # Briefing: of this"), None);
    }
}
