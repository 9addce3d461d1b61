//! The blocks of a Markdown text: list items, paragraphs, code, headings, comments.

use crate::section::{Fences, list_item, tick};

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A list item with everything indented below it.
    Item,
    Paragraph,
    /// Fenced code, its fences included.
    Code,
    /// A heading of any level.
    Heading,
    /// An HTML comment, which nobody sees.
    Comment,
}

/// One block, as it stands in the text, without the line end behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    pub kind: BlockKind,
    pub text: &'a str,
}

impl<'a> Block<'a> {
    /// The words of it: an item without its mark and box, a heading without its marks.
    pub fn words(&self) -> &'a str {
        let text = self.text.trim();
        match self.kind {
            BlockKind::Item => tick(list_item(text).unwrap_or(text).trim()).1.trim(),
            BlockKind::Heading => text.trim_matches('#').trim(),
            _ => text,
        }
    }

    /// Whether it is an item whose box is ticked.
    pub fn is_done(&self) -> bool {
        self.kind == BlockKind::Item
            && tick(list_item(self.text.trim()).unwrap_or_default().trim()).0
    }

    /// Whether it only says that something could stand here: nothing, a comment, or a line that a
    /// template put there. What somebody wrote in brackets is somebody's.
    pub fn is_placeholder(&self) -> bool {
        let words = self.words();
        self.kind == BlockKind::Comment
            || words.is_empty()
            || matches!(words, "[ ]" | "[x]" | "[X]")
            || TEMPLATES.contains(&words)
    }
}

/// What templates leave open: ours, then those of agent-handoff.
const TEMPLATES: [&str; 31] = [
    "[What this session did]",
    "[What to do first in the next session]",
    "[What is stuck, and on whom]",
    "[What has to be decided]",
    "[What matters most]",
    "[What you never trade away]",
    "[What you choose when two goods collide]",
    "[Where the project stands]",
    "[What has proved itself here]",
    "[What was tried and why it did not work]",
    "[People, agents and systems that matter]",
    "[Which file does what]",
    "**Purpose**: [What you are here for]",
    "**Style**: [How you speak and work]",
    "**Human**: [Whom you work with]",
    "[Auto-populated by `agent-handoff snapshot`]",
    "[Priority tasks for the next session]",
    "[Anything that's stuck or needs human intervention]",
    "[Decisions that need to be made]",
    "[Review this handoff and continue where you left off]",
    "[None detected — update manually if needed]",
    "*(See MEMORY.md for full context)*",
    "[Current status of main project]",
    "[Key decisions made and why]",
    "[Approaches that have proven effective]",
    "[Things tried that didn't work — save future-you the trouble]",
    "[Important agents, humans, or systems you interact with]",
    "[Files that matter and what they do]",
    "[What matters to you]",
    "[What you refuse to compromise on]",
    "[What you optimize for]",
];

/// The blocks of a text, in order.
pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut fences = Fences::default();
    // Where the open block began, what it is, and where its last line with text ended.
    let mut open: Option<(usize, BlockKind, usize)> = None;
    let mut blank = false;
    let mut offset = 0;
    let mut close = |open: &mut Option<(usize, BlockKind, usize)>| {
        if let Some((at, kind, end)) = open.take() {
            let text = &text[at..end];
            // Words behind a comment are seen, and so is one that never ends.
            let seen = kind == BlockKind::Comment && !text.ends_with("-->");
            found.push(Block { kind: if seen { BlockKind::Paragraph } else { kind }, text });
        }
    };
    for line in text.split_inclusive('\n') {
        let (at, bare) = (offset, line.trim_end());
        offset += line.len();
        let end = at + bare.len();
        let indent = bare.len() - bare.trim_start().len();
        let in_comment = matches!(open, Some((from, BlockKind::Comment, end))
            if !text[from..end].contains("-->"));
        let in_code = fences.is_open();
        let code = !in_comment && fences.cover(line);
        if bare.is_empty() && !code {
            if in_comment {
                continue;
            }
            blank = true;
            if !matches!(open, Some((_, BlockKind::Item, _))) {
                close(&mut open);
            }
            continue;
        }
        let goes_on = match open {
            Some((_, BlockKind::Comment, _)) => in_comment,
            Some((_, BlockKind::Code, _)) => code,
            // Code that began below an item ends there, however it is indented.
            Some((_, BlockKind::Item, _)) => indent >= 2 || (code && in_code),
            _ => false,
        };
        let mark = bare.trim_start();
        let kind = if code {
            BlockKind::Code
        } else if mark.starts_with("<!--") {
            BlockKind::Comment
        } else if is_heading(bare) {
            BlockKind::Heading
        } else if list_item(mark).is_some() {
            BlockKind::Item
        } else {
            BlockKind::Paragraph
        };
        // Plain text right below an item or paragraph belongs to it.
        let lazy = kind == BlockKind::Paragraph
            && !blank
            && matches!(open, Some((_, BlockKind::Item | BlockKind::Paragraph, _)));
        blank = false;
        match &mut open {
            Some((_, _, last)) if goes_on || lazy => *last = end,
            _ => {
                close(&mut open);
                open = Some((at, kind, end));
            }
        }
        // A closing fence ends its block, so that the next one is another.
        if matches!(open, Some((_, BlockKind::Code, _))) && code && !fences.is_open() {
            close(&mut open);
        }
    }
    close(&mut open);
    found
}

fn is_heading(line: &str) -> bool {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&level) && line[level..].starts_with([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(BlockKind, &str)> {
        blocks(text).into_iter().map(|block| (block.kind, block.text)).collect()
    }

    #[test]
    fn each_kind() {
        use BlockKind::{Code, Comment, Heading, Item, Paragraph};
        let text = "one\ntwo\n\n- a\n  more\n  - nested\n- b\nlazy\n\n### Sub\n```rs\n\n- not\n```\n<!-- x\n\ny -->\n1. c\n\n   second\ntail\n";
        assert_eq!(
            kinds(text),
            [
                (Paragraph, "one\ntwo"),
                (Item, "- a\n  more\n  - nested"),
                (Item, "- b\nlazy"),
                (Heading, "### Sub"),
                (Code, "```rs\n\n- not\n```"),
                (Comment, "<!-- x\n\ny -->"),
                (Item, "1. c\n\n   second\ntail"),
            ]
        );
    }

    #[test]
    fn code_below_an_item_belongs_to_it() {
        let text = "- run\n  ```\n  x\n\n  y\n  ```\n- next\n```\nz\n```\n```\nw\n```\n";
        let found = kinds(text);
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(found[0].1, "- run\n  ```\n  x\n\n  y\n  ```");
    }

    #[test]
    fn placeholders_are_told_from_words() {
        let placeholder = |text: &str| blocks(text).iter().all(Block::is_placeholder);
        for text in ["- [What has to be decided]", "<!-- say it -->", "-", "- [ ]", "<!--\n\n-->"] {
            assert!(placeholder(text), "{text}");
        }
        for text in [
            "- [ ] do",
            "- [docs](x.md)",
            "- [deploy v2 tonight]",
            "*(waiting for legal)*",
            "<!-- urgent --> call Bob",
            "- [x] done",
        ] {
            assert!(!placeholder(text), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_word_is_lost(text in "([-#`~<> a-z!]{0,8}\n){0,12}") {
            let kept: String = blocks(&text).iter().flat_map(|b| b.text.chars()).filter(|c| !c.is_whitespace()).collect();
            let all: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            proptest::prop_assert_eq!(kept, all);
        }
    }
}
