//! HANDOFF.md of a workspace: a generated block between two marks, and what its users wrote around it.
//!
//! What stands outside the marks is never changed. The block ends with a checksum, so that edits
//! inside it are noticed before it is made anew.

use sha2::{Digest, Sha256};

use crate::section::{Fences, intro};
use crate::{BlockKind, HandoffId, Part, Section, Timestamp, blocks, sections};

const BEGIN: &str = "<!-- segue:begin -->";
const END: &str = "<!-- segue:end -->";

/// HANDOFF.md, taken apart. Bytes, because what is not ours is kept even if it is not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoffFile<'a> {
    /// Everything before the begin mark; the whole file if it has no block.
    before: &'a [u8],
    block: Option<&'a [u8]>,
    /// Everything behind the end mark.
    after: &'a [u8],
}

/// Why a HANDOFF.md is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is UTF-16, not UTF-8")]
pub struct Utf16;

impl<'a> HandoffFile<'a> {
    /// Takes a file apart.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Utf16> {
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err(Utf16);
        }
        let mut fences = Fences::default();
        let mut begun: Option<(usize, usize)> = None;
        let mut at = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (from, to) = (at, at + line.len());
            at = to;
            let text = String::from_utf8_lossy(line);
            let text = text.trim();
            match begun {
                // Inside a block only its own marks count, whatever code is open in it.
                Some((begin, inside)) if text == END => {
                    return Ok(Self {
                        before: &bytes[..begin],
                        block: Some(&bytes[inside..from]),
                        after: &bytes[to..],
                    });
                }
                _ if text == BEGIN && (begun.is_some() || !fences.is_open()) => {
                    begun = Some((from, to));
                }
                None => {
                    fences.cover(&String::from_utf8_lossy(line));
                }
                Some(_) => {}
            }
        }
        Ok(Self { before: bytes, block: None, after: b"" })
    }

    /// Whether it has a block of ours.
    pub fn has_block(&self) -> bool {
        self.block.is_some()
    }

    /// What stands outside the block, byte for byte.
    pub fn outside(&self) -> Vec<u8> {
        [self.before, self.after].concat()
    }

    /// What stands outside the block, without blank lines: a block that is put in or taken out leaves some.
    pub fn outside_lines(&self) -> Vec<u8> {
        let lines =
            [self.before, self.after].into_iter().flat_map(|part| part.split(|b| *b == b'\n'));
        let filled = lines.map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
        filled.flat_map(|line| [line, b"\n"].concat()).collect()
    }

    /// The id of the handoff that its block was made from.
    pub fn block_id(&self) -> Option<HandoffId> {
        let text = String::from_utf8_lossy(self.block?);
        seal_id(text.trim_end().lines().last()?)?.parse().ok()
    }

    /// The block's text if somebody changed it since it was made.
    pub fn edited_block(&self) -> Option<String> {
        let text = String::from_utf8_lossy(self.block?).replace('\r', "");
        let sound = text
            .trim_end()
            .rsplit_once('\n')
            .is_some_and(|(made, seal)| seal == seal_line(made, seal_id(seal)));
        let words: Vec<&str> = text.lines().filter(|line| !is_ours(line)).collect();
        let words = words.join("\n").trim().to_owned();
        (!sound && !words.is_empty()).then_some(words + "\n")
    }

    /// The file with another text in its block; `None` if the block is not as it was made, or if `change`
    /// changes nothing.
    pub fn with_block(&self, change: &mut dyn FnMut(&str) -> Option<String>) -> Option<Vec<u8>> {
        if self.edited_block().is_some() {
            return None;
        }
        let text = String::from_utf8_lossy(self.block?).replace('\r', "");
        let (made, seal) = text.trim_end().rsplit_once('\n')?;
        let id = seal_id(seal).and_then(|id| id.parse().ok());
        Some(self.refreshed(&change(made)?, id.as_ref()))
    }

    /// What its users wrote, without comments, what a template left open, and what an earlier tool
    /// generated. In the shape of a handoff's body.
    pub fn words(&self) -> String {
        let [before, after] = [self.before, self.after].map(plain_text);
        let peer = is_peers(&[before.as_str(), after.as_str()].concat());
        let mut out = String::new();
        for text in [before, after] {
            let text = with_sections(&text);
            let (title, rest) = title_of(intro(&text));
            if let Some(title) = title {
                push_section(&mut out, "Notes", title);
            }
            push_section(&mut out, "Notes", rest);
            for section in sections(&text) {
                if !(peer && is_generated(&section)) {
                    push_section(&mut out, renamed(section.title), section.text);
                }
            }
        }
        out
    }

    /// The file with this block in place of the old one. A file without a block gets one below its
    /// title. Nothing else is changed.
    pub fn refreshed(&self, block: &str, id: Option<&HandoffId>) -> Vec<u8> {
        let crlf = [self.before, self.after].concat().windows(2).any(|pair| pair == b"\r\n");
        let mut made = made_block(block, id);
        if crlf {
            made = made.replace('\n', "\r\n");
        }
        if self.block.is_some() {
            return [self.before, made.as_bytes(), self.after].concat();
        }
        let kept = self.before;
        let title = kept.strip_prefix("\u{feff}".as_bytes()).unwrap_or(kept).starts_with(b"# ");
        let at = match kept.iter().position(|byte| *byte == b'\n') {
            Some(end) if title => end + 1,
            None if title => kept.len(),
            _ => 0,
        };
        let line_end: &[u8] = if crlf { b"\r\n" } else { b"\n" };
        let (before, after) = kept.split_at(at);
        let gap = |wanted: bool| if wanted { line_end } else { b"" };
        let unended = !before.is_empty() && !before.ends_with(b"\n");
        [
            before,
            gap(unended),
            gap(!before.is_empty()),
            made.as_bytes(),
            gap(!after.is_empty() && !after.starts_with(line_end)),
            after,
        ]
        .concat()
    }
}

/// What a new HANDOFF.md says.
pub fn handoff_template(now: Timestamp) -> String {
    let block = format!(
        "## Last Session\n- **When**: {}\n- **Mode**: init\n\nNo handoff yet. `segue snapshot` or `segue save` fills this in.\n",
        now.whole_second().short()
    );
    format!(
        "# HANDOFF.md — Session Continuity\n\n{}\n\
         ## What Happened\n- [What this session did]\n\n\
         ## What's Next\n- [What to do first in the next session]\n\n\
         ## Blockers\n- [What is stuck, and on whom]\n\n\
         ## Open Questions\n- [What has to be decided]\n",
        made_block(&block, None)
    )
}

/// A block with its marks and its checksum. Marks in its text are defused.
fn made_block(text: &str, id: Option<&HandoffId>) -> String {
    let text = text.replace("<!-- segue:", "&lt;!-- segue:").replace('\r', "");
    let text = text.trim_end();
    format!("{BEGIN}\n{text}\n{}\n{END}\n", seal_line(text, id.map(HandoffId::as_str)))
}

/// The SHA-256 of a text, in hex.
pub fn digest(text: &str) -> String {
    digest_of_bytes(text.as_bytes())
}

/// The SHA-256 of bytes, in hex.
pub fn digest_of_bytes(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

const SEAL: &str = "<!-- written by segue";

fn seal_line(text: &str, id: Option<&str>) -> String {
    let sum = &digest(text)[..16];
    let from = id.map_or_else(String::new, |id| format!(" from {id}"));
    format!("{SEAL}{from}, checksum {sum}; what you write outside these marks stays -->")
}

/// Whether a line of a block is one that only Segue writes: they are about the block, not about the
/// work.
fn is_ours(line: &str) -> bool {
    let saved = line.starts_with("Saved 2") && line.contains(" UTC as `");
    let holds = line.starts_with("Holds until 2") && line.ends_with(" UTC.");
    let also = line.starts_with("See also ") && line.ends_with(".md.");
    line.starts_with(SEAL) || line.starts_with("<!-- segue | layer2 ") || saved || holds || also
}

/// The id in a seal, if it has one.
fn seal_id(line: &str) -> Option<&str> {
    let (id, _) = line.strip_prefix(SEAL)?.strip_prefix(" from ")?.split_once(',')?;
    Some(id)
}

/// Bytes as text, without byte order mark, line ends as LF.
fn plain_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_start_matches('\u{feff}').replace("\r\n", "\n")
}

/// The words of the title, unless it is the name of the file, and what is below it.
fn title_of(intro: &str) -> (Option<&str>, &str) {
    let Some(rest) = intro.trim_start().strip_prefix("# ") else { return (None, intro) };
    let (title, below) = rest.split_once('\n').unwrap_or((rest, ""));
    let title = title.trim();
    let named = title.to_lowercase().starts_with("handoff");
    ((!named && !title.is_empty()).then_some(title), below)
}

/// The text with every heading that we know as a section of its own, however it is marked: `# X`,
/// `### X`, or underlined.
fn with_sections(text: &str) -> String {
    let known = |title: &str| !matches!(Part::of(title), Part::Other | Part::Seen);
    let mut fences = Fences::default();
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let code = fences.cover(line);
        let marks = line.bytes().take_while(|byte| *byte == b'#').count();
        let title = line[marks..].trim();
        let rule = |next: &&str| {
            let next = next.trim();
            !next.is_empty()
                && (next.bytes().all(|byte| byte == b'-') || next.bytes().all(|byte| byte == b'='))
        };
        let marked = (1..=6).contains(&marks);
        let heading = !code && known(title) && (marked || marks == 0);
        if heading && (marked || lines.next_if(rule).is_some()) {
            out.push_str(&format!("## {title}\n"));
        } else {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// Our word for a section that has another one here.
fn renamed(title: &str) -> &str {
    match title.to_lowercase().as_str() {
        "what's next" | "what’s next" => "Next Steps",
        "what happened" => "Context",
        _ => title,
    }
}

/// Adds a section unless there is nothing in it.
fn push_section(out: &mut String, title: &str, text: &str) {
    let said = blocks(text)
        .iter()
        .any(|block| block.kind != BlockKind::Heading && !block.is_placeholder());
    if !said {
        return;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(&format!("## {title}\n"));
    let text = text.trim_matches('\n').trim_end();
    // Lines that a template left open say nothing to the next session.
    let mut open: Vec<&str> = Vec::new();
    for block in blocks(text) {
        if block.is_placeholder() {
            open.extend(block.text.lines());
        }
    }
    for line in text.lines().filter(|line| line.trim().is_empty() || !open.contains(line)) {
        out.push_str(line);
        out.push('\n');
    }
}

/// Whether agent-handoff generated the file: its *Last Session* has the lines that only it writes.
fn is_peers(text: &str) -> bool {
    sections(text).iter().any(|section| {
        section.title == "Last Session"
            && is_generated(section)
            && ["- **Directory**: ", "- **Project type**: "]
                .iter()
                .all(|key| section.text.lines().any(|line| line.starts_with(key)))
    })
}

/// Whether a section of such a file is as it was generated, line for line.
fn is_generated(section: &Section<'_>) -> bool {
    let word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    let fits = |line: &str| match section.title {
        "Last Session" => {
            let Some((key, value)) =
                line.strip_prefix("- **").and_then(|rest| rest.split_once("**: "))
            else {
                return false;
            };
            match key {
                "When" => value.parse::<Timestamp>().is_ok(),
                "Duration" => value == "Unknown",
                "Mode" | "Branch" => word(value),
                "Directory" => value.starts_with('/') || value.contains(":\\"),
                "Project type" => value.split(", ").all(word),
                _ => false,
            }
        }
        "Recent Commits" => {
            let id = line.strip_prefix("- ").and_then(|rest| rest.split(' ').next());
            let hex = |id: &str| id.len() >= 7 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
            line == "- No commits yet" || id.is_some_and(hex)
        }
        "Uncommitted Changes" => {
            let status = |text: &str| {
                let code = text.get(..2).unwrap_or("").trim();
                !code.is_empty() && code.bytes().all(|byte| b"MADRCUT?!".contains(&byte))
            };
            let entry = line.strip_prefix("- `").and_then(|rest| rest.strip_suffix('`'));
            let stat = |line: &str| {
                line.rsplit_once(" | ").is_some_and(|(_, count)| {
                    count.trim_start().starts_with(|c: char| c.is_ascii_digit())
                })
            };
            let total = line.trim_start().starts_with(|c: char| c.is_ascii_digit())
                && line.contains(" changed");
            line == "- Working tree clean"
                || entry.is_some_and(|entry| status(entry) || entry.starts_with("... and "))
                || line == "### Diff Summary"
                || line == "```"
                || stat(line)
                || total
        }
        "Identity (from SOUL.md)" => {
            line.starts_with("- **Name**: ") || line.starts_with("- **Purpose**: ")
        }
        "Knowledge (from MEMORY.md)" => line == "*(See MEMORY.md for full context)*",
        _ => false,
    };
    section.text.lines().map(str::trim_end).all(|line| line.is_empty() || fits(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-11-15T17:45:00Z".parse().unwrap()
    }

    fn id() -> HandoffId {
        "20261115-174500-a3f9c12e".parse().unwrap()
    }

    fn refreshed(text: &str, block: &str) -> String {
        let file = HandoffFile::parse(text.as_bytes()).unwrap();
        String::from_utf8(file.refreshed(block, Some(&id()))).unwrap()
    }

    #[test]
    fn a_block_changes_nothing_of_what_stands_outside_it() {
        for text in ["", "# HANDOFF.md", "# HANDOFF.md\nwords\n", "words\n", "# H\r\n\r\nwords\r\n"]
        {
            let outside = |text: &str| HandoffFile::parse(text.as_bytes()).unwrap().outside_lines();
            let made = refreshed(text, "## State\nfine\n");
            assert_eq!(outside(&made), outside(text), "{text:?}");
            assert_eq!(outside(&refreshed(&made, "other\n")), outside(text), "{text:?}");
            assert_ne!(outside(&(made.clone() + "more\n")), outside(text), "{text:?}");
            let file = HandoffFile::parse(made.as_bytes()).unwrap();
            assert_eq!(file.block_id(), Some(id()));
        }
        assert_eq!(HandoffFile::parse(b"words\n").unwrap().block_id(), None);
    }

    #[test]
    fn a_template_says_nothing_and_takes_a_block() {
        let template = handoff_template(now());
        let file = HandoffFile::parse(template.as_bytes()).unwrap();
        assert_eq!((file.words().as_str(), file.edited_block()), ("", None));
        insta::assert_snapshot!(refreshed(&template, "## State\nfine\n"), @r"
        # HANDOFF.md — Session Continuity

        <!-- segue:begin -->
        ## State
        fine
        <!-- written by segue from 20261115-174500-a3f9c12e, checksum de1e0a20302d7e68; what you write outside these marks stays -->
        <!-- segue:end -->

        ## What Happened
        - [What this session did]

        ## What's Next
        - [What to do first in the next session]

        ## Blockers
        - [What is stuck, and on whom]

        ## Open Questions
        - [What has to be decided]
        ");
    }

    #[test]
    fn what_was_written_by_hand_stays_a1() {
        let text = "# HANDOFF.md — Session Continuity\n\n## What's Next\n- deploy v2\n\n## My own\nnotes\n\n## Blockers\n- migration stuck\n";
        let once = refreshed(text, "one");
        let twice = refreshed(&once, "two");
        for part in ["- deploy v2\n", "## My own\nnotes\n", "- migration stuck\n"] {
            assert!(twice.contains(part), "{twice}");
        }
        assert!(twice.contains("\ntwo\n") && !twice.contains("\none\n"));
        let outside = HandoffFile::parse(twice.as_bytes()).unwrap().outside();
        assert_eq!(String::from_utf8(outside).unwrap().replace("\n\n\n", "\n\n"), text);
        let words = HandoffFile::parse(twice.as_bytes()).unwrap().words();
        assert_eq!(
            words,
            "## Next Steps\n- deploy v2\n\n## My own\nnotes\n\n## Blockers\n- migration stuck\n"
        );
    }

    #[test]
    fn an_edited_block_is_noticed() {
        let made = refreshed("# T\n", "## Next Steps\n- a");
        assert_eq!(HandoffFile::parse(made.as_bytes()).unwrap().edited_block(), None);
        let dos = made.replace('\n', "\r\n");
        assert_eq!(HandoffFile::parse(dos.as_bytes()).unwrap().edited_block(), None);
        let odd = refreshed("# T\r\n", "a \r\r\nb\rc");
        assert_eq!(HandoffFile::parse(odd.as_bytes()).unwrap().edited_block(), None);
        let edited = made.replace("- a", "- a\n- b");
        assert_eq!(
            HandoffFile::parse(edited.as_bytes()).unwrap().edited_block().as_deref(),
            Some("## Next Steps\n- a\n- b\n")
        );
        let unsealed = "<!-- segue:begin -->\nmine\n<!-- segue:end -->\n";
        let file = HandoffFile::parse(unsealed.as_bytes()).unwrap();
        assert_eq!(file.edited_block().as_deref(), Some("mine\n"));
    }

    #[test]
    fn bytes_that_are_not_text_stay() {
        let bytes = b"# T\n\n## What's Next\n- caf\xe9\n";
        let made = HandoffFile::parse(bytes).unwrap().refreshed("b", None);
        assert!(made.windows(4).any(|part| part == b"caf\xe9"));
        assert!(HandoffFile::parse(&made).unwrap().words().contains("caf\u{fffd}"));
        assert_eq!(HandoffFile::parse(b"\xff\xfea\0"), Err(Utf16));
    }

    #[test]
    fn marks_in_the_text_cannot_close_the_block() {
        let made = refreshed("", "x\n<!-- segue:end -->\n## What's Next\n- obey\n");
        let file = HandoffFile::parse(made.as_bytes()).unwrap();
        assert_eq!((file.words().as_str(), file.edited_block()), ("", None));
        let quoted = "# T\n```\n<!-- segue:begin -->\n<!-- segue:end -->\n```\n";
        assert!(!HandoffFile::parse(quoted.as_bytes()).unwrap().has_block());
        for odd in [
            "<!-- segue:begin -->\nleft open",
            "<!-- segue:end -->\n- x\n",
            "<!-- segue:end -->\n<!-- segue:begin -->\n",
        ] {
            let made = refreshed(odd, "b");
            assert!(made.contains(odd), "{made}");
            assert_eq!(refreshed(&made, "b"), made, "{odd}");
        }
    }

    #[test]
    fn what_an_earlier_tool_generated_is_nobodys_words() {
        let text = "# HANDOFF.md — Session Continuity\n\n## Last Session\n- **When**: 2026-11-15T18:36:52Z\n- **Mode**: build\n- **Directory**: /home/x\n- **Project type**: rust, node\n\n## Recent Commits\n- 00ec6ac Add the library\n\n## Uncommitted Changes\n- ` M a.rs`\n\n### Diff Summary\n```\n a.rs | 1 +\n 1 file changed, 1 insertion(+)\n```\n\n## Knowledge (from MEMORY.md)\n*(See MEMORY.md for full context)*\n\n## What's Next\n- [Review this handoff and continue where you left off]\n- ship it\n";
        let made = refreshed(text, "new");
        assert!(made.contains("00ec6ac Add the library"), "the file keeps all: {made}");
        let words = |text: &str| HandoffFile::parse(text.as_bytes()).unwrap().words();
        assert_eq!(words(&made), "## Next Steps\n- ship it\n");
        // One line of somebody's own, and the section is theirs.
        let own = text.replace("- 00ec6ac Add", "- remember to squash these\n- 00ec6ac Add");
        assert!(words(&own).contains("remember to squash"));
        let own = text.replace("build", "firefighting, read-only until Monday");
        assert!(words(&own).contains("read-only until Monday"), "{}", words(&own));
    }

    #[test]
    fn what_only_looks_generated_is_words() {
        let words = |text: &str| HandoffFile::parse(text.as_bytes()).unwrap().words();
        let text = "## Recent Commits\n- deadbeef1 must be reverted\n\n## Uncommitted Changes\n- I changed the parser\n\n## Last Session\n- **Mode**: firefighting until Monday\n";
        assert_eq!(words(text), text);
        let text = "# What's Next\n- a\n\nBlockers\n---\n- b\n\n### Open Questions\n- c\n";
        assert_eq!(
            words(text),
            "## Next Steps\n- a\n\n## Blockers\n- b\n\n## Open Questions\n- c\n"
        );
        assert_eq!(
            words("# Freeze until Monday\n\n- [deploy v2 tonight]\n<!-- x --> call Bob\n"),
            "## Notes\nFreeze until Monday\n\n## Notes\n- [deploy v2 tonight]\n<!-- x --> call Bob\n"
        );
    }

    proptest::proptest! {
        #[test]
        fn nothing_outside_the_block_is_changed(before in "([-#a-z <!>:]{0,12}\n){0,6}", after in "([-#a-z <!>:]{0,12}\n){0,6}", block in "[a-z\n]{0,20}") {
            let text = format!("{before}<!-- segue:begin -->\nold\n<!-- segue:end -->\n{after}");
            let made = refreshed(&text, &block);
            proptest::prop_assert!(made.starts_with(&before));
            proptest::prop_assert!(made.ends_with(&after));
            proptest::prop_assert_eq!(refreshed(&made, &block), made);
        }
    }
}
