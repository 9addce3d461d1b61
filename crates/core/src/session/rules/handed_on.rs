//! Parts of a handoff that were pasted into a request: their rules are those of whoever wrote the handoff.

/// Headings of a handoff that hardly anybody else writes, in this case.
const HEADINGS: &[&str] = &[
    "Current State",
    "Standing Constraints",
    "Standing constraints",
    "Key Decisions",
    "Rejected Paths",
    "Warnings / Gotchas",
    "Files of Note",
];
/// Ends of the labels below which a briefing tells rules that are not the user's.
const LABELS: &[&str] = &["not typed by the user**", "not said by the user**"];
/// Where in a transcript something stands, or that it was said before.
const MARKS: &[&str] =
    &["*(declared #", "*(declared earlier)*", "*(said before)*", "*(HANDOFF.md)*"];
/// What a briefing ends with.
const LAST: &[&str] = &[
    "eave the next handoff: `segue save",
    "eave a handoff for the next session when you stop: `segue save",
];

/// What stands before a handoff, or a part of one, that was pasted into a request. All that follows its first heading
/// or mark may be of it, and so may the list that the mark is in.
pub(super) fn before_handoff(request: &str) -> &str {
    let mut at = 0;
    // Where the list begins that goes on up to here.
    let mut list = None;
    for line in request.split_inclusive('\n') {
        let bare = line.trim_start_matches([' ', '\t', '>']).trim_end();
        if is_heading(bare) {
            // Whatever came before was cut off if there is nothing but a list.
            let is_cut = list.is_some_and(|begin: usize| request[..begin].trim().is_empty());
            return if is_cut { "" } else { &request[..at] };
        }
        let is_marked = MARKS.iter().any(|mark| bare.contains(mark))
            || LABELS.iter().any(|label| bare.ends_with(label));
        if is_marked {
            return &request[..list.unwrap_or(at)];
        }
        // Where it began cannot be told.
        if LAST.iter().any(|last| bare.contains(last)) {
            return "";
        }
        let goes_on = bare.is_empty() || is_item(bare) || line.starts_with([' ', '\t']);
        if !goes_on {
            list = None;
        } else if list.is_none() && is_item(bare) {
            list = Some(at);
        }
        at += line.len();
    }
    request
}

fn is_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    let title = title.strip_prefix(' ').filter(|_| line.starts_with('#')).unwrap_or_default();
    let title = title.split(" (").next().unwrap_or(title).trim_end();
    HEADINGS.contains(&title)
}

/// Whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['-', '*', '+']) || number.len() < line.len() && number.starts_with(['.', ')'])
}

#[cfg(test)]
mod tests {
    use super::before_handoff;

    #[test]
    fn what_stands_before_a_pasted_handoff_is_kept() {
        for (request, kept) in [
            ("Never push.", "Never push."),
            ("Never push.\n\n## Current State\n- Always push.", "Never push.\n\n"),
            ("Look:\n> ## Key Decisions\n> - Always push.", "Look:\n"),
            (" Constraints\n- Always push.\n- “Push.” *(declared #1)*\n- c", " Constraints\n"),
            ("Go on.\n\n- Always push.\n\n  more\n- “Push.” *(declared earlier)*", "Go on.\n\n"),
            ("- Always push.\n\n## Files of Note\n- `a`", ""),
            ("**Noted by the agent, not typed by the user**\n- Always push.", ""),
            ("Mend it.\n## Standing Constraints (from the transcript)\n- x", "Mend it.\n"),
            ("Always push.\n\nWhen you stop, leave the next handoff: `segue save`.", ""),
            // What only looks like it is the user's own.
            ("## Constraints\n- Never push.", "## Constraints\n- Never push."),
            ("## Next steps\n- Never push.", "## Next steps\n- Never push."),
            ("## Current state of things\nNever push.", "## Current state of things\nNever push."),
            ("It has a current state. Never push.", "It has a current state. Never push."),
        ] {
            assert_eq!(before_handoff(request), kept, "{request}");
        }
    }
}
