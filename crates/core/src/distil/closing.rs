//! The closing part of the agent's last message: its last paragraphs and the list under its last heading.

use super::asks::asks_user;
use super::open_headings::{is_open_heading, is_suggestion, is_unchecked};
use super::open_work::{comes_next, limits, names_open_work};
use crate::section::Fences;
use crate::session::split_sentences;

/// Paragraphs, each with its list, that belong to the closing part, and the bytes of all of them.
const PARTS: usize = 2;
const BYTES: usize = 1_500;
/// Sentences and items of open work that are quoted.
const MOST_OPEN: usize = 6;
/// Bytes of a line that can be a heading.
const HEADING: usize = 80;

/// What the turn before a message shows about it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    /// Whether the agent worked on what it reports, so that a statement without a subject of its own is
    /// about that work and not about the world.
    pub(super) worked: bool,
    /// Whether it changed files.
    pub(super) edited: bool,
}

/// What the closing part of a message says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Closing {
    /// What it asks the user for, from that sentence to the end of its paragraph.
    pub(super) asked: Option<String>,
    /// The agent's sentences and list items that name open work.
    pub(super) open: Vec<String>,
    /// Whether that is said to come next, or listed as what remains.
    pub(super) coming: bool,
    /// What it suggests as next steps without saying that they belong to the request.
    pub(super) suggested: Vec<String>,
    /// A sentence that limits what was done, where it is not clear whether something is left.
    pub(super) unclear: Option<String>,
}

/// A line or a paragraph of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Block {
    Heading(String),
    Paragraph(String),
    Item(String),
}

/// Judges the closing part of a message.
pub(super) fn judge_closing(message: &str, turn: Turn) -> Closing {
    let mut closing = Closing::default();
    let blocks = closing_blocks(message);
    let mut heading: Option<&str> = None;
    for (at, block) in blocks.iter().enumerate() {
        match block {
            Block::Heading(text) => heading = Some(text),
            Block::Paragraph(text) => {
                let is_below = at > 0 && matches!(blocks[at - 1], Block::Heading(_));
                let is_open = is_below && heading.is_some_and(is_open_heading);
                if closing.asked.is_none() {
                    closing.asked = asked_in(text, turn);
                }
                let mut said = false;
                let is_list = matches!(blocks.get(at + 1), Some(Block::Item(_)));
                let leads = |text: &str| is_list && ends_in_colon(text) && is_open_heading(text);
                // The items say what is open, not the words that introduce them.
                for text in split_sentences(text).map(str::trim).filter(|text| !leads(text)) {
                    let sentence = Sentence::of(text);
                    if names_open_work(&sentence, turn.worked, false) {
                        closing.coming |= comes_next(&sentence);
                        closing.open.push(text.to_owned());
                        said = true;
                    } else if turn.edited && at + 1 == blocks.len() && limits(&sentence) {
                        closing.unclear = Some(text.to_owned());
                    }
                }
                // A paragraph right below a heading of what remains is what remains.
                let may_count = is_below && !said && !says_none(text) && !is_left_to_user(text);
                if is_open && may_count {
                    closing.open.push(text.clone());
                    closing.coming = true;
                } else if may_count && !is_list && heading.is_some_and(is_suggestion) {
                    closing.suggested.push(text.clone());
                }
                // The items below it are its own.
                let last = split_sentences(text).map(str::trim).last();
                heading = last.filter(|last| ends_in_colon(last));
            }
            Block::Item(text) => {
                let is_listed = heading.is_some_and(is_open_heading);
                if is_unchecked(text) || is_listed {
                    if !is_crossed_out(text) && !says_none(text) && !is_left_to_user(text) {
                        closing.open.push(unmarked(text).to_owned());
                        closing.coming |= is_listed;
                    }
                } else if heading.is_some_and(is_suggestion) {
                    if !is_crossed_out(text) && !is_left_to_user(text) {
                        closing.suggested.push(unmarked(text).to_owned());
                    }
                } else if names_open_work(&Sentence::of(text), turn.worked, true) {
                    closing.open.push(unmarked(text).to_owned());
                }
            }
        }
    }
    closing.open.dedup();
    closing.open.truncate(MOST_OPEN);
    closing.suggested.truncate(MOST_OPEN);
    closing
}

/// What a paragraph asks the user for.
fn asked_in(text: &str, turn: Turn) -> Option<String> {
    let mut before = 0;
    for sentence in split_sentences(text) {
        if asks_user(&Sentence::of(sentence), turn.edited) {
            return Some(text[before..].trim().to_owned());
        }
        before += sentence.len();
    }
    None
}

/// Whether a text leads into what stands below it.
fn ends_in_colon(text: &str) -> bool {
    text.trim_end_matches(['*', '_']).ends_with([':', '：'])
}

/// Whether something is left to the user, in small letters or not.
fn is_left_to_user(text: &str) -> bool {
    super::announced::is_optional(text)
}

/// Whether a text says that there is nothing: `none`, `-`.
fn says_none(text: &str) -> bool {
    let lower = text.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    bare.is_empty()
        || [
            "none", "nothing", "n/a", "no ", "keine", "nichts", "无", "没有", "aucun", "rien",
            "ningun", "nada",
        ]
        .iter()
        .any(|none| bare.starts_with(none))
}

fn is_crossed_out(text: &str) -> bool {
    ["[x]", "[X]", "✅", "✓", "✔", "~~", "☑"].iter().any(|mark| text.starts_with(mark))
}

/// An item without the mark of a box that is not ticked.
fn unmarked(text: &str) -> &str {
    text.trim_start_matches(['⏳', '🔲', '⬜', '☐', ' ']).trim_start_matches("[ ]").trim_start()
}

/// The last paragraphs of a message, each with the heading above it and the items below it.
fn closing_blocks(message: &str) -> Vec<Block> {
    let blocks = blocks(message);
    let mut from = blocks.len();
    let (mut parts, mut bytes) = (0, 0);
    while from > 0 {
        let (text, begins) = match &blocks[from - 1] {
            Block::Heading(text) => (text, false),
            Block::Paragraph(text) => (text, true),
            Block::Item(text) => (text, from == 1 || !matches!(blocks[from - 2], Block::Item(_))),
        };
        bytes += text.len();
        if bytes > BYTES && parts > 0 {
            break;
        }
        // A list and what leads into it are one part.
        let leads = matches!(&blocks[from - 1], Block::Paragraph(_) | Block::Heading(_))
            && matches!(blocks.get(from), Some(Block::Item(_)));
        if begins && !leads {
            parts += 1;
        }
        if parts > PARTS {
            break;
        }
        from -= 1;
    }
    let mut part = blocks;
    part.split_off(from)
}

/// The blocks of a message, without code, quotations, tables and rules.
fn blocks(message: &str) -> Vec<Block> {
    let mut fences = Fences::default();
    let mut all: Vec<Block> = Vec::new();
    let mut goes_on = false;
    for line in message.lines() {
        let bare = line.trim();
        if fences.cover(line) || bare.is_empty() || bare.starts_with(['>', '|']) {
            goes_on = false;
            continue;
        }
        if bare.chars().all(|c| "-=_* ".contains(c)) {
            goes_on = false;
            continue;
        }
        if let Some(item) = item(bare) {
            all.push(Block::Item(item.to_owned()));
            goes_on = true;
            continue;
        }
        let is_bold = bare.len() <= HEADING
            && bare.starts_with("**")
            && (bare.ends_with("**") || bare.ends_with("**:"))
            && bare.matches("**").count() == 2;
        let is_lead = bare.len() <= HEADING && bare.ends_with([':', '：']) && !goes_on;
        if bare.starts_with('#') || is_bold || is_lead && !bare.contains(". ") {
            all.push(Block::Heading(bare.to_owned()));
            goes_on = false;
            continue;
        }
        match all.last_mut() {
            Some(Block::Paragraph(text) | Block::Item(text)) if goes_on => {
                text.push(' ');
                text.push_str(bare);
            }
            _ => all.push(Block::Paragraph(bare.to_owned())),
        }
        goes_on = true;
    }
    all
}

/// What a line of a list says.
fn item(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '•', '+'])?,
        _ => line[digits..].strip_prefix(['.', ')'])?,
    };
    let rest = rest.strip_prefix(' ')?.trim();
    (!rest.is_empty()).then_some(rest)
}

/// Whether a word is one of a list, which `|` parts.
pub(super) fn is_one_of(list: &str, word: &str) -> bool {
    list.split('|').any(|one| one == word)
}

/// A sentence in words, without what is code or quoted in it.
pub(super) struct Sentence {
    /// The sentence in small letters, with straight apostrophes; what is code is `` ` ``, what is quoted `“`.
    pub(super) lower: String,
    pub(super) words: Vec<String>,
    /// Whether a part of the sentence begins with the word: it follows a comma, a colon, a dash.
    begins: Vec<bool>,
    pub(super) is_question: bool,
}

/// Words behind which a part of a sentence begins that is read like one of its own.
const JOINS: &str = "and|or|then|but|so|please|just|also|first|otherwise|kindly|und|oder|dann|aber|bitte|\
    et|ou|puis|mais|y|o|luego|pero";
/// Words with which a part of a sentence begins that says something of another one.
const SUBORDINATE: &str = "who|that|which|if|when|whenever|whether|until|unless|while|where|whose|why|what|how|\
    once|wenn|falls|die|der|ob|si|quand|qui|que|cuando";
/// Words before `that` behind which the sentence says what it is about.
const SAYS: &str =
    "note|notes|is|was|means|remember|aware|so|mention|found|see|noticed|mind|say|flag";

impl Sentence {
    pub(super) fn of(text: &str) -> Self {
        let lower = normal(text);
        let is_question =
            text.trim_end_matches(['*', '_', ')', '"', '”', ' ']).ends_with(['?', '？']);
        let (mut words, mut begins) = (Vec::new(), Vec::new());
        let mut is_new = true;
        for token in lower.split_whitespace() {
            let opens = token.starts_with('(');
            let word = token.trim_matches(|c: char| !(c.is_alphanumeric() || "`“'[".contains(c)));
            if !word.is_empty() {
                words.push(word.to_owned());
                begins.push(is_new || opens);
                is_new = false;
            }
            let end = token.trim_end_matches(['*', '_', ')']);
            if word.is_empty() && !token.contains('`')
                || end.ends_with([',', ';', ':', '，', '；', '：'])
            {
                is_new = true;
            }
        }
        Self { lower, words, begins, is_question }
    }

    /// Whether a part of the sentence begins at a word.
    pub(super) fn begins_at(&self, at: usize) -> bool {
        self.begins[at] || at > 0 && is_one_of(JOINS, self.words[at - 1].as_str())
    }

    /// The word at a place.
    pub(super) fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// Whether words stand one after the other.
    pub(super) fn has(&self, words: &str) -> bool {
        self.find(words).is_some()
    }

    /// Where words stand one after the other.
    pub(super) fn find(&self, words: &str) -> Option<usize> {
        self.places(words).next()
    }

    pub(super) fn places<'s>(&'s self, words: &'s str) -> impl Iterator<Item = usize> + 's {
        (0..self.words.len()).filter(move |at| self.stands_at(*at, words))
    }

    /// Whether words stand at a place.
    pub(super) fn stands_at(&self, at: usize, words: &str) -> bool {
        let mut from = at;
        words.split(' ').all(|word| {
            from += 1;
            self.word(from - 1) == word
        })
    }

    /// Whether any of the words of a list, which `|` parts, stand one after the other.
    pub(super) fn has_any(&self, list: &str) -> bool {
        list.split('|').any(|words| self.has(words))
    }

    /// Whether a word stands in a part of the sentence that only says something of another one.
    pub(super) fn is_subordinate(&self, at: usize) -> bool {
        let mut from = at;
        while from > 0 && at - from < 10 {
            from -= 1;
            let word = self.word(from);
            let says = word == "that" && from > 0 && is_one_of(SAYS, self.word(from - 1));
            if is_one_of(SUBORDINATE, word) {
                return !says;
            }
            if self.begins[from] {
                return false;
            }
        }
        false
    }

    /// Whether a part of the sentence ends with a word.
    pub(super) fn ends_at(&self, at: usize) -> bool {
        at + 1 >= self.words.len() || self.begins[at + 1]
    }
}

/// A text in small letters, with straight apostrophes, without the text of code and quotations.
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut until = None;
    for c in text.chars() {
        if let Some(end) = until {
            if c == end {
                until = None;
            }
            continue;
        }
        match c {
            '`' => {
                out.push('`');
                until = Some('`');
            }
            '"' | '“' | '„' | '「' | '«' => {
                out.push('“');
                until = Some(match c {
                    '"' => '"',
                    '„' => '“',
                    '「' => '」',
                    '«' => '»',
                    _ => '”',
                });
            }
            '’' => out.push('\''),
            '*' => {}
            '—' => out.push_str(" — "),
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKED: Turn = Turn { worked: true, edited: true };

    #[test]
    fn the_closing_part_is_the_last_paragraphs_with_their_list() {
        let message = "One.\n\n## Two\nText.\n\n## Three\n- a\n- b\n\nFour.";
        assert_eq!(
            closing_blocks(message),
            [
                Block::Heading("## Three".into()),
                Block::Item("a".into()),
                Block::Item("b".into()),
                Block::Paragraph("Four.".into()),
            ]
        );
    }

    #[test]
    fn a_list_under_a_heading_of_what_remains_is_open() {
        let message = "It is on 19.\n\n**Left before the launch**\n- replace the map\n- [x] docs\n\nI made no commit.";
        assert_eq!(judge_closing(message, WORKED).open, ["replace the map"]);
        let none = "All in.\n\n## Remaining issues\n- None";
        assert_eq!(judge_closing(none, WORKED), Closing::default());
    }

    #[test]
    fn a_sentence_that_only_introduces_a_list_is_not_open_itself() {
        for lead in [
            "Committed the discount fix (1a2b3c4). Still to do:",
            "The discount of the basket is right now, and so is the total of the order. Still to do:",
            "Still to do:",
            "**Remaining:**",
            "## Remaining\nThis is still to do:",
            "修复已提交。 Still to do：",
        ] {
            let message = format!(
                "{lead}\n- convert `total` to Decimal\n- rounding of cents\n\nI rejected numpy because it is too heavy."
            );
            let closing = judge_closing(&message, WORKED);
            assert_eq!(closing.open, ["convert `total` to Decimal", "rounding of cents"], "{lead}");
            assert!(closing.coming, "{lead}");
        }
        // What says something itself stays, and so does what no list follows.
        let says = "I fixed two. Two tests of the basket of our best customer still fail:\n- test_a\n- test_b";
        assert_eq!(
            judge_closing(says, WORKED).open,
            ["Two tests of the basket of our best customer still fail:"]
        );
        let alone = "I fixed two. Still to do: the release notes.";
        assert_eq!(judge_closing(alone, WORKED).open, ["Still to do: the release notes."]);
    }

    #[test]
    fn code_and_quotations_are_not_read_as_words() {
        let sentence = Sentence::of("It prints “please log in”, and `todo` isn’t there");
        assert_eq!(sentence.words, ["it", "prints", "“", "and", "`", "isn't", "there"]);
    }

    proptest::proptest! {
        #[test]
        fn any_message_has_a_closing_part(text: String) {
            let _ = judge_closing(&text, WORKED);
        }
    }
}
