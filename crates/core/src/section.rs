//! The body's Markdown sections: `## Heading` outside fenced code.

use crate::part::Part;

/// One section of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// The heading line as it stands.
    pub heading: &'a str,
    /// The heading without its `##`.
    pub title: &'a str,
    /// Everything up to the next heading of this level.
    pub text: &'a str,
    /// Offset at which the section begins in the body, with its heading.
    pub start: usize,
    /// Offset at which it ends.
    pub end: usize,
}

/// The sections of a body, in order. Text before the first heading belongs to none.
pub fn sections(body: &str) -> Vec<Section<'_>> {
    let mut found: Vec<Section<'_>> = Vec::new();
    let mut fences = Fences::default();
    let mut offset = 0;
    let mut text_at = 0;
    for line in body.split_inclusive('\n') {
        let at = offset;
        offset += line.len();
        if fences.cover(line) {
            continue;
        }
        let Some(title) = line.strip_prefix("## ") else {
            continue;
        };
        if let Some(last) = found.last_mut() {
            last.text = &body[text_at..at];
            last.end = at;
        }
        text_at = offset;
        found.push(Section {
            heading: line.trim_end_matches(['\n', '\r']),
            title: title.trim().trim_end_matches('#').trim_end(),
            text: "",
            start: at,
            end: body.len(),
        });
    }
    if let Some(last) = found.last_mut() {
        last.text = &body[text_at..];
    }
    found
}

/// The text before the first section.
pub(crate) fn intro(body: &str) -> &str {
    &body[..sections(body).first().map_or(body.len(), |first| first.start)]
}

/// Follows fenced code from line to line.
#[derive(Default)]
pub(crate) struct Fences {
    open: Option<(char, usize)>,
}

impl Fences {
    /// Whether this line is code, or opens or closes it.
    pub(crate) fn cover(&mut self, line: &str) -> bool {
        match (self.open, fence_mark(line)) {
            (None, mark) => {
                self.open = mark;
                mark.is_some()
            }
            (Some((c, n)), Some((d, m))) if c == d && m >= n => {
                if line.trim().trim_matches(c).is_empty() {
                    self.open = None;
                }
                true
            }
            _ => true,
        }
    }

    /// Whether code is open after the last line.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The line that closes what is still open at the end of a text.
    pub(crate) fn closing(text: &str) -> Option<String> {
        let mut fences = Self::default();
        for line in text.split_inclusive('\n') {
            fences.cover(line);
        }
        fences.open.map(|(c, n)| c.to_string().repeat(n))
    }
}

fn fence_mark(line: &str) -> Option<(char, usize)> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > 3 {
        return None;
    }
    let c = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let run = text.chars().take_while(|d| *d == c).count();
    // Backticks after backticks are code within a line.
    let inline = c == '`' && text[run..].contains('`');
    (run >= 3 && !inline).then_some((c, run))
}

/// What somebody writes who has nothing to write, in small letters.
const NOTHING: [&str; 30] = [
    "nothing",
    "nothing left",
    "nothing left to do",
    "nothing to do",
    "nothing open",
    "nothing remains",
    "nothing is left",
    "nothing is open",
    "none",
    "none left",
    "no next steps",
    "no steps left",
    "no open steps",
    "n/a",
    "-",
    "nichts",
    "nichts mehr",
    "nichts offen",
    "nichts zu tun",
    "keine",
    "keine mehr",
    "keine offenen",
    "rien",
    "rien à faire",
    "aucun",
    "aucune",
    "nada",
    "ninguno",
    "无",
    "没有",
];

/// Whether a text says that there is nothing to say: `None.`
pub(crate) fn says_nothing(text: &str) -> bool {
    let bare = text.trim().trim_matches(['*', '_', '(', ')', '.', '!', '。', ' ']).to_lowercase();
    NOTHING.contains(&bare.as_str())
}

/// Whoever has more steps than these has not decided what comes next.
const MAX_STEPS: usize = 1_000;

fn next_section(body: &str) -> Option<Section<'_>> {
    sections(body).into_iter().find(|section| Part::of(section.title) == Part::Next)
}

/// The open items of the Next Steps: list items, ticked ones left out.
pub fn next_items(body: &str) -> Vec<String> {
    let mut all = next_section(body).map_or_else(Vec::new, |section| items(section.text));
    if matches!(&all[..], [only] if says_nothing(only)) {
        all.clear();
    }
    all
}

fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut open = false;
    let mut fences = Fences::default();
    for line in text.lines() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if !fences.cover(line)
            && indent < 2
            && let Some(item) = list_item(trimmed)
        {
            if items.len() == MAX_STEPS {
                break;
            }
            let (ticked, text) = tick(item);
            open = !ticked;
            if open {
                items.push(text.trim().to_owned());
            }
        } else if trimmed.is_empty() || indent == 0 {
            open = false;
        } else if open
            && let Some(last) = items.last_mut()
            && list_item(trimmed).is_none()
        {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(trimmed.trim_end());
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

/// Whether an item's box is ticked, and its text without the box.
pub(crate) fn tick(item: &str) -> (bool, &str) {
    let boxed = |mark: &str| {
        let text = item.strip_prefix(mark)?;
        (text.is_empty() || text.starts_with(' ')).then_some(text)
    };
    let done = boxed("[x]").or_else(|| boxed("[X]"));
    match done {
        Some(text) => (true, text),
        None => (false, boxed("[ ]").unwrap_or(item)),
    }
}

/// The text of a list item. A mark that ends its line is an item too, without text.
pub(crate) fn list_item(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let marks: &[char] = match digits {
        0 => &['-', '*', '+'],
        1..=9 => &['.', ')'],
        _ => return None,
    };
    let text = line[digits..].strip_prefix(marks)?;
    if text.is_empty() {
        return Some(text);
    }
    text.strip_prefix(' ')
}

/// The body with these items added to its Next Steps; the section is made if it is not there.
pub fn with_next_items(body: &str, next: &[String]) -> String {
    if next.is_empty() {
        return body.to_owned();
    }
    let list: String =
        next.iter().map(|item| format!("- {}\n", item.trim().replace('\n', "\n  "))).collect();
    let break_before = |text: &str| match text {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let end = next_section(body).map(|section| section.end);
    let (before, after) = body.split_at(end.unwrap_or(body.len()));
    // Steps behind code that was never closed would be code.
    let closed = Fences::closing(before).map(|fence| {
        let gap = if before.ends_with('\n') { "" } else { "\n" };
        format!("{before}{gap}{fence}")
    });
    let before = closed.as_deref().unwrap_or(before);
    if end.is_none() {
        return format!("{before}{}## Next Steps\n\n{list}", break_before(before));
    }
    let kept = before.trim_end();
    let joint = if list_item(kept.lines().last().unwrap_or("").trim_start()).is_some() {
        "\n"
    } else {
        "\n\n"
    };
    let gap = if after.is_empty() { "" } else { "\n" };
    format!("{kept}{joint}{list}{gap}{after}")
}

/// What `save` puts into the editor: the recommended sections.
pub fn recommended_template() -> &'static str {
    "## Context\n\n\n## Key Decisions\n\n\n## Current State\n\n\n## Next Steps\n\n\n## Standing Constraints\n\n\n## Warnings / Gotchas\n\n\n## Files of Note\n\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_inside_code_are_no_sections() {
        let body = "intro\n## One\na\n```md\n## Not\n```\n### Sub\nb\n## Two ##\nc";
        let found = sections(body);
        assert_eq!(found.iter().map(|s| s.title).collect::<Vec<_>>(), ["One", "Two"]);
        assert_eq!(found[0].text, "a\n```md\n## Not\n```\n### Sub\nb\n");
        assert_eq!(found[1].text, "c");
    }

    #[test]
    fn that_nothing_is_left_is_no_step() {
        for nothing in
            ["Nothing left.", "None.", "Keine.", "*(none)*", "N/A", "nichts offen", "无", "Rien."]
        {
            assert_eq!(next_items(&format!("## Next Steps\n- {nothing}\n")), [""; 0], "{nothing}");
        }
        for step in [
            "Nothing left but the docs",
            "None of the tests run on Windows: fix that",
            "Keine Tests mehr überspringen",
            "Nothing to do until Ada answers",
            "Remove `None`",
            "no",
            "No next steps before the review",
            "Rien à faire avant lundi",
        ] {
            assert_eq!(next_items(&format!("## Next Steps\n- {step}\n")), [step]);
        }
        assert_eq!(next_items("## Next Steps\n- None.\n- Ship\n"), ["None.", "Ship"]);
    }

    #[test]
    fn next_items_are_open_items() {
        let body = "## Next Steps\n\n1. Fix the test\n   on Windows\n- [ ] Run it\n- [x] Done\n  - nested\n* Ship\n\n## Other\n- no\n";
        assert_eq!(next_items(body), ["Fix the test on Windows", "Run it", "Ship"]);
        assert_eq!(next_items("## What's Next\r\n- a\r\n- b\r\n"), ["a", "b"]);
        assert_eq!(next_items("nothing"), Vec::<String>::new());
    }

    #[test]
    fn items_join_the_section_that_is_there() {
        let add = |body: &str| with_next_items(body, &["x".into(), "y".into()]);
        assert_eq!(add(""), "## Next Steps\n\n- x\n- y\n");
        assert_eq!(add("text"), "text\n\n## Next Steps\n\n- x\n- y\n");
        assert_eq!(
            add("## Next Steps\n- a\n\n## After\nz\n"),
            "## Next Steps\n- a\n- x\n- y\n\n## After\nz\n"
        );
        assert_eq!(with_next_items("same bytes", &[]), "same bytes");
    }

    #[test]
    fn code_within_a_line_hides_nothing() {
        let body = "```segue save```\n## Next Steps\n- a\n";
        assert_eq!(next_items(body), ["a"]);
    }

    #[test]
    fn lines_of_code_are_no_steps() {
        let body = "## Next Steps\n- a\n```diff\n- b\n```\n- c\n";
        assert_eq!(next_items(body), ["a", "c"]);
    }

    #[test]
    fn marks_without_text_are_no_steps() {
        let body = "## Next Steps\n- a\n  - \n- [x] \n- [ ]\n2.\n- \n  b\n";
        assert_eq!(next_items(body), ["a", "b"]);
        for end in ["  - ", "- [x] ", "- [ ] ", "- ", "3) "] {
            let body = format!("## Next Steps\n- a\n{end}");
            let added = with_next_items(&body, &["x".into()]);
            assert_eq!(next_items(&added), ["a", "x"], "{end:?}");
        }
    }

    #[test]
    fn steps_behind_unclosed_code_are_steps() {
        let add = |body: &str| with_next_items(body, &["x".into()]);
        assert_eq!(add("~~~~\ncode"), "~~~~\ncode\n~~~~\n\n## Next Steps\n\n- x\n");
        assert_eq!(
            add("## Next Steps\n- a\n```\n## code\n"),
            "## Next Steps\n- a\n```\n## code\n```\n\n- x\n"
        );
        assert_eq!(
            add("## Next Steps\n- a\n## Log\n```\n"),
            "## Next Steps\n- a\n- x\n\n## Log\n```\n"
        );
    }

    proptest::proptest! {
        #[test]
        fn added_items_are_found_again(body: String, item in "[a-z]{1,8}") {
            let joined = with_next_items(&body, std::slice::from_ref(&item));
            let line = format!("- {item}\n");
            proptest::prop_assert!(joined.contains(&line));
        }

        #[test]
        fn sections_cover_the_body_in_order(body in "(#{0,3} ?[a-z`~\n]{0,6}\n){0,12}") {
            let mut end = 0;
            for section in sections(&body) {
                proptest::prop_assert!(section.end >= end && section.end <= body.len());
                end = section.end;
            }
        }
    }
}
