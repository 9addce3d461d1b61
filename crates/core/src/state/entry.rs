//! What one handoff contributes to the state of its project.

use serde::{Deserialize, Serialize};

use super::item::{Stamp, StateItemId, StateItemKind};
use super::item_text::{normalized, shown};
use super::lane::Lane;
use super::step::{is_of_conversation, plain_step, publishing, repeats_check};
use super::work::significant_words;
use crate::own_words::FROM_TRANSCRIPT;
use crate::part::Part;
use crate::search::{TermReader, subject_of};
use crate::section::says_nothing;
use crate::{Block, BlockKind, Handoff, HandoffKind, ItemSource, blocks, sections};

/// Items of one handoff that count. Whoever has more has not decided what matters.
const MOST_ITEMS: usize = 400;
/// Bytes of an item's text.
const LONGEST: usize = 2_000;

/// How a handoff came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryOrigin {
    /// Somebody's words, with or without what a capture added to them.
    Words,
    /// Captured from a transcript.
    Capture,
    /// One item: a note or a decision.
    Note,
    /// Items that were closed or reopened.
    Closing,
}

/// How a handoff speaks of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mention {
    /// It is open.
    Open,
    /// It was inherited from an earlier session: known, and not said again.
    Inherited,
    /// It is done, or the check passed.
    Done,
}

/// An item as one handoff says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryItem {
    pub kind: StateItemKind,
    pub mention: Mention,
    pub text: String,
    pub source: ItemSource,
    /// The words by which it is recognized.
    pub(super) key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) subject: Option<String>,
    /// Whether a capture saw it, as opposed to what somebody says.
    #[serde(default)]
    pub(super) is_seen: bool,
}

/// A line of a closing: an item that was closed or reopened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosingLine {
    pub id: StateItemId,
    pub reopens: bool,
    /// What the item says, for whoever reads the file.
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Who says so.
    pub source: ItemSource,
}

/// What one handoff contributes to the state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StateEntry {
    pub stamp: Stamp,
    pub lane: Lane,
    pub origin: EntryOrigin,
    pub title: String,
    /// The agent that left it.
    pub tool: Option<String>,
    /// The session that it is of, with its agent.
    pub session: Option<String>,
    pub name: Option<String>,
    pub parent: Option<String>,
    pub supersedes: Vec<String>,
    /// Whether it came from elsewhere: then it changes nothing of what was left here.
    pub is_imported: bool,
    /// Whether it is of work, as opposed to a session that only asked something.
    pub is_work: bool,
    /// Whether it says what comes next.
    pub has_steps: bool,
    pub has_commit: bool,
    pub has_push: bool,
    /// The commit that was checked out.
    pub head: Option<String>,
    pub items: Vec<EntryItem>,
    pub closings: Vec<ClosingLine>,
    /// Sentences in which the user took rules back.
    pub take_backs: Vec<String>,
    /// The words by which it says what was worked on.
    pub(super) work: Vec<String>,
}

impl StateEntry {
    /// What a handoff contributes; `None` if it says nothing of the state, as a snapshot of git.
    pub fn of(handoff: &Handoff, reader: &mut TermReader) -> Option<Self> {
        let head = &handoff.head;
        let fields = &head.fields;
        let has_words = || {
            let mut found = sections(handoff.body()).into_iter();
            found.any(|section| section.title.ends_with(FROM_TRANSCRIPT.trim()))
        };
        // What only repeats HANDOFF.md is read there.
        if fields.repeats_handoff_file() {
            return None;
        }
        let origin = match fields.kind {
            HandoffKind::Handoff => EntryOrigin::Words,
            HandoffKind::Session if has_words() => EntryOrigin::Words,
            HandoffKind::Session => EntryOrigin::Capture,
            HandoffKind::Decision | HandoffKind::Note => EntryOrigin::Note,
            HandoffKind::Closing => EntryOrigin::Closing,
            HandoffKind::Snapshot | HandoffKind::Other => return None,
        };
        let session = fields.session.as_ref().map(|session| {
            format!("{}:{session}", fields.tool.as_deref().unwrap_or_default().to_lowercase())
        });
        let entry = Self {
            stamp: Stamp { at: head.created.micros(), by: head.id.clone() },
            lane: Lane::of(handoff),
            origin,
            title: handoff.display_title(),
            tool: fields.tool.clone(),
            session,
            name: fields.name.clone(),
            parent: fields.parent.clone(),
            supersedes: fields.supersedes.clone(),
            is_imported: fields.imported.is_some(),
            is_work: false,
            has_steps: false,
            has_commit: false,
            has_push: false,
            head: fields.git.head.clone(),
            items: Vec::new(),
            closings: Vec::new(),
            take_backs: Vec::new(),
            work: Vec::new(),
        };
        Some(EntryReader { handoff, reader, entry }.read())
    }

    /// What an item with these words is recognized by.
    pub(crate) fn key_of(kind: StateItemKind, words: &str) -> String {
        match kind {
            StateItemKind::Step => normalized(plain_step(words)),
            StateItemKind::Check => command_of(words).unwrap_or_default(),
            _ => normalized(words),
        }
    }

    /// Whether it matters however old it is: it sets, takes back or closes what never becomes quiet.
    pub fn lasts(&self) -> bool {
        let is_lasting = |item: &EntryItem| {
            matches!(item.kind, StateItemKind::Rule | StateItemKind::Blocker)
                && item.mention == Mention::Open
        };
        !self.take_backs.is_empty()
            || !self.closings.is_empty()
            || self.items.iter().any(is_lasting)
    }

    /// Counts as come from elsewhere: nothing of it is anybody's words here.
    pub fn lower_to_imported(&mut self) {
        self.is_imported = true;
        self.take_backs.clear();
        self.items.iter_mut().for_each(|item| item.source = ItemSource::Imported);
        self.closings.iter_mut().for_each(|line| line.source = ItemSource::Imported);
    }

    /// Whether it tells a session that was captured.
    pub(super) fn is_capture(&self) -> bool {
        self.origin == EntryOrigin::Capture
    }
}

/// Reads the body of a handoff for its entry.
struct EntryReader<'h, 'r> {
    handoff: &'h Handoff,
    reader: &'r mut TermReader,
    entry: StateEntry,
}

impl EntryReader<'_, '_> {
    fn read(mut self) -> StateEntry {
        let body = self.handoff.body();
        if self.entry.origin == EntryOrigin::Closing {
            self.entry.closings = read_closings(self.handoff);
            return self.entry;
        }
        // What the user set comes first: nothing may take its place.
        let all = sections(body);
        let is_rule = |part| matches!(part, Part::Constraints | Part::TakenBack);
        let (rules, other): (Vec<_>, Vec<_>) =
            all.iter().partition(|section| is_rule(Part::of(section.title)));
        for section in rules.into_iter().chain(other) {
            let part = Part::of(section.title);
            self.entry.has_steps |= part == Part::Next;
            for block in blocks(section.text) {
                if block.kind == BlockKind::Heading || block.is_placeholder() {
                    continue;
                }
                self.block(part, section.title, &block);
            }
        }
        self.entry.is_work |= match self.entry.origin {
            // Whoever saves something says where things stand, in however few words.
            EntryOrigin::Words => true,
            _ => false,
        };
        if self.entry.is_capture() {
            let told = format!("{}\n{body}", self.entry.title);
            let about: Vec<&str> = told.split("\n## ").take(2).collect();
            self.entry.work = significant_words(&about.join("\n"));
        }
        self.entry
    }

    fn block(&mut self, part: Part, section: &str, block: &Block<'_>) {
        let words = block.words();
        let is_item = block.kind == BlockKind::Item;
        if says_nothing(words) {
            return;
        }
        match part {
            Part::Next if is_item => self.step(section, block),
            Part::Blockers => self.add(StateItemKind::Blocker, Mention::Open, section, words),
            Part::Questions => self.add(StateItemKind::Question, Mention::Open, section, words),
            Part::Constraints => self.rule(section, words),
            Part::Decisions => {
                self.entry.is_work = true;
                self.add(StateItemKind::Decision, Mention::Open, section, words);
            }
            Part::Rejected => self.add(StateItemKind::Rejected, Mention::Open, section, words),
            Part::Gotchas => self.add(StateItemKind::Gotcha, Mention::Open, section, words),
            Part::Checks => self.check(section, words),
            Part::TakenBack => self.take_back(section, words),
            Part::State => self.state_line(section, words),
            Part::Files => {
                let is_read = words.contains(" read ×");
                self.entry.is_work |= !is_read && self.entry.is_capture();
            }
            Part::Next | Part::Other | Part::Contradictions | Part::Seen => {}
        }
    }

    fn step(&mut self, section: &str, block: &Block<'_>) {
        let words = block.words();
        if block.is_done() {
            self.add(StateItemKind::Step, Mention::Done, section, words);
            return;
        }
        let is_own = plain_step(words) == words
            && !is_of_conversation(words)
            && publishing(words).is_none()
            && !words.ends_with(" *(inferred)*");
        // What stands without any of these is a to-do.
        self.entry.is_work |= is_own && self.entry.is_capture();
        if !repeats_check(words) {
            self.add(StateItemKind::Step, Mention::Open, section, words);
        }
    }

    fn rule(&mut self, section: &str, words: &str) {
        let is_inherited = words.ends_with(" *(declared earlier)*");
        let mention = if is_inherited { Mention::Inherited } else { Mention::Open };
        self.entry.is_work |= !is_inherited && self.entry.is_capture();
        self.add(StateItemKind::Rule, mention, section, words);
    }

    fn check(&mut self, section: &str, words: &str) {
        let command = command_of(words);
        let exit = crate::check::outcome_before(words).0;
        let told = crate::checks(&format!("## Checks\n- {words}\n")).pop();
        let exit = exit.or_else(|| told.and_then(|check| check.exit));
        let failed = words.starts_with("Failed")
            || words.starts_with("Timed out")
            || exit.is_some_and(|exit| exit != 0);
        let passed = words.starts_with("Passed") || exit == Some(0);
        let is_running = words.starts_with("Begun in the background");
        self.entry.is_work |= !is_running && self.entry.is_capture();
        // What it checks passed later in the same session.
        let passed = passed || words.ends_with("; what it checks passed later");
        let Some(command) = command.filter(|_| failed || passed) else { return };
        let mention = if passed { Mention::Done } else { Mention::Open };
        self.add_with_key(StateItemKind::Check, mention, section, words, command);
    }

    fn take_back(&mut self, section: &str, words: &str) {
        // Only the user takes back what the user said.
        if self.handoff.source_of(section, words) == ItemSource::User {
            self.entry.take_backs.push(shown(words));
        }
    }

    /// A line of *Current State* as a capture writes it.
    fn state_line(&mut self, section: &str, words: &str) {
        if !self.entry.is_capture() {
            return;
        }
        if words.starts_with("Committed") && !words.starts_with("Committed in another") {
            (self.entry.is_work, self.entry.has_commit) = (true, true);
        }
        self.entry.has_push |= words.contains("The commits are pushed.");
        if let Some(done) = words.strip_prefix("To-dos done: ") {
            self.entry.is_work = true;
            for text in done.split("; ") {
                self.add(StateItemKind::Step, Mention::Done, section, text);
            }
        }
        self.entry.is_work |= words.starts_with("On the agent's to-do list and not crossed out");
    }

    fn add(&mut self, kind: StateItemKind, mention: Mention, section: &str, words: &str) {
        let plain = match kind {
            StateItemKind::Step => plain_step(words),
            _ => words,
        };
        self.add_with_key(kind, mention, section, words, normalized(plain));
    }

    fn add_with_key(
        &mut self,
        kind: StateItemKind,
        mention: Mention,
        section: &str,
        words: &str,
        key: String,
    ) {
        let source = self.handoff.source_of(section, words);
        // What stands in a file of the repository is read there: it is open as long as it stands there.
        let is_same =
            |one: &&EntryItem| (one.source == ItemSource::User) == (source == ItemSource::User);
        // The user's are counted apart: nobody's items take their place.
        let is_full = self.entry.items.iter().filter(is_same).count() >= MOST_ITEMS;
        if key.is_empty() || is_full || source == ItemSource::Repository {
            return;
        }
        let subject = match kind {
            StateItemKind::Decision => decision_subject(words, self.reader),
            _ => None,
        };
        let mut text = shown(words);
        if let Some((at, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(at);
            text.push('…');
        }
        let is_captured = self.handoff.head.fields.kind == HandoffKind::Session;
        let is_added = section.ends_with(FROM_TRANSCRIPT.trim());
        let is_seen = is_captured && (is_added || self.entry.is_capture());
        self.entry.items.push(EntryItem { kind, mention, text, source, key, subject, is_seen });
    }
}

/// The command of a check.
fn command_of(words: &str) -> Option<String> {
    let rest = match words.strip_prefix("Timed out: ") {
        Some(rest) => rest,
        None => crate::check::outcome_before(words).1,
    };
    crate::check::first_code(rest).map(|(command, _)| command.to_owned())
}

/// What a decision is about: the question that it answers, or what it says itself.
fn decision_subject(words: &str, reader: &mut TermReader) -> Option<String> {
    let line = words.lines().next().unwrap_or(words);
    match line.split_once("? → ") {
        Some((question, _)) => Some(normalized(question)),
        None => subject_of(line, reader),
    }
}

const CLOSED: &str = "Closed";
const REOPENED: &str = "Reopened";
const WHY: &str = "Why: ";

impl ClosingLine {
    /// The body of a handoff that closes or reopens these items.
    pub fn body(lines: &[Self]) -> String {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut body = String::new();
        for (title, reopens) in [(CLOSED, false), (REOPENED, true)] {
            let mut some = lines.iter().filter(|line| line.reopens == reopens).peekable();
            if some.peek().is_none() {
                continue;
            }
            if !body.is_empty() {
                body.push('\n');
            }
            body.push_str(&format!("## {title}\n\n"));
            for line in some {
                body.push_str(&format!("- `{}` {}\n", line.id, one_line(&line.text)));
                if let Some(why) = &line.why {
                    body.push_str(&format!("  {WHY}{}\n", one_line(why)));
                }
            }
        }
        body
    }
}

fn read_closings(handoff: &Handoff) -> Vec<ClosingLine> {
    let mut found = Vec::new();
    for section in sections(handoff.body()) {
        let reopens = match section.title {
            CLOSED => false,
            REOPENED => true,
            _ => continue,
        };
        for block in blocks(section.text) {
            let mut lines = block.words().lines();
            let first = lines.next().unwrap_or_default();
            let Some((id, text)) = crate::check::first_code(first) else { continue };
            let Ok(id) = id.parse() else { continue };
            let why = lines.find_map(|line| line.trim().strip_prefix(WHY)).map(str::to_owned);
            let source = handoff.source_of(section.title, block.words());
            found.push(ClosingLine { id, reopens, text: text.trim().to_owned(), why, source });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(head: &str, body: &str) -> Option<StateEntry> {
        let source = format!(
            "---\nsegue: 2\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\n{head}---\n{body}"
        );
        StateEntry::of(&Handoff::parse(source).unwrap(), &mut TermReader::default())
    }

    fn items(body: &str) -> Vec<(&'static str, Mention, String)> {
        let entry = entry("kind: session\ntool: codex\nsession: s1\n", body).unwrap();
        let items = entry.items.into_iter();
        items.map(|item| (item.kind.as_str(), item.mention, item.text)).collect()
    }

    #[test]
    fn every_section_gives_its_items() {
        let body = "## Current State\n- **Status: in progress**\n- To-dos done: Count pieces; Note it\n\n\
            ## Next Steps\n- Round up (begun)\n- [x] Ship it\n- None.\n- Make `cargo test` pass *(inferred)*\n\n\
            ## Standing Constraints\n- “Never push.” *(declared #3)*\n- “Use tabs.” *(declared earlier)*\n\n\
            ## Key Decisions\n- Storage: Postgres\n\n## Blockers\nNone\n\n\
            ## Checks\n- Failed with exit code 1: `cargo test` (tests), in `a`\n- Passed: `make lint` (lint)\n- Timed out: `make e2e` (tests)\n- `x` exit 2\n";
        use Mention::{Done, Inherited, Open};
        let text = |text: &str| text.to_owned();
        assert_eq!(
            items(body),
            [
                ("rule", Open, text("Never push.")),
                ("rule", Inherited, text("Use tabs.")),
                ("step", Done, text("Count pieces")),
                ("step", Done, text("Note it")),
                ("step", Open, text("Round up (begun)")),
                ("step", Done, text("Ship it")),
                ("decision", Open, text("Storage: Postgres")),
                ("check", Open, text("Failed with exit code 1: `cargo test` (tests), in `a`")),
                ("check", Done, text("Passed: `make lint` (lint)")),
                ("check", Open, text("Timed out: `make e2e` (tests)")),
                ("check", Open, text("`x` exit 2")),
            ]
        );
    }

    #[test]
    fn a_session_that_only_asked_is_no_work() {
        let is_work = |body: &str| entry("kind: session\ntool: codex\n", body).unwrap().is_work;
        let asked = "## Current State\n- **Status: finished**: the last request was answered.\n- The agent's last message:\n  > 3.12\n\n## Files of Note\n- `pyproject.toml` read ×1\n";
        assert!(!is_work(asked));
        assert!(!is_work(&format!("{asked}\n## Next Steps\n- Not answered yet: “Why?”\n")));
        for more in [
            "## Next Steps\n- Round up\n",
            "## Checks\n- Passed: `make` (build)\n",
            "## Key Decisions\n- Tabs\n",
            "## Standing Constraints\n- “Never push.” *(declared #3)*\n",
            "## Files of Note\n- `a.py` ×2\n",
        ] {
            assert!(is_work(&format!("{asked}\n{more}")), "{more}");
        }
        assert!(!is_work(&format!(
            "{asked}\n## Standing Constraints\n- “a” *(declared earlier)*\n"
        )));
        // Somebody's words are, in however few they are.
        assert!(entry("title: T\nkind: handoff\n", "").unwrap().is_work);
        assert!(entry("kind: snapshot\n", "## Observed\n- x\n").is_none());
    }

    #[test]
    fn only_the_user_takes_rules_back() {
        let body = "## Taken Back\n- “You may touch it.” *(declared #9)*\n";
        let of = |head: &str| entry(head, body).unwrap().take_backs;
        assert_eq!(of("kind: session\nsources: {rest: user}\n"), ["You may touch it."]);
        assert!(of("kind: session\n").is_empty());
        assert!(of("kind: session\nsources: {rest: user}\nimported: {from: x}\n").is_empty());
    }

    #[test]
    fn what_stands_in_a_file_of_the_repository_is_no_item() {
        let body = "## Next Steps\n- Ship it\n";
        let of = |head: &str| entry(head, body).unwrap().items.len();
        assert_eq!(
            (of("kind: handoff\n"), of("kind: handoff\nsources: {rest: repository}\n")),
            (1, 0)
        );
    }

    #[test]
    fn a_closing_is_read_as_it_was_written() {
        let line = |id: &str, reopens, why: Option<&str>| ClosingLine {
            id: id.parse().unwrap(),
            reopens,
            text: "Fix `it` now".to_owned(),
            why: why.map(str::to_owned),
            source: ItemSource::Agent,
        };
        let lines = [
            line("1a2b3c4d", false, Some("done in 3f2a")),
            line("1a2b3c4e", false, None),
            line("1a2b3c4f", true, None),
        ];
        let body = ClosingLine::body(&lines);
        assert_eq!(
            body,
            "## Closed\n\n- `1a2b3c4d` Fix `it` now\n  Why: done in 3f2a\n- `1a2b3c4e` Fix `it` now\n\n## Reopened\n\n- `1a2b3c4f` Fix `it` now\n"
        );
        assert_eq!(entry("kind: closing\n", &body).unwrap().closings, lines);
        assert!(
            entry("kind: closing\n", "## Closed\n\n- nothing\n- `x` y\n")
                .unwrap()
                .closings
                .is_empty()
        );
    }

    proptest::proptest! {
        #[test]
        fn any_body_is_read(body: String) {
            let _ = entry("kind: session\n", &body);
            let _ = entry("kind: closing\n", &body);
        }
    }
}
