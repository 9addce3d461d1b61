//! The user's own lines of a request: what was pasted is left out, with its size.

use super::pasted_data::is_logged;
use super::prose::is_pasted;

/// A request without what was pasted into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnWords {
    /// The user's lines, with their breaks.
    pub(crate) text: String,
    /// Bytes that were left out.
    pub(crate) pasted: usize,
    /// The first and the last lines of what was left out; none of a text of ours.
    pub(crate) sample: Vec<String>,
}

/// Lines of a paste that are shown from its beginning and from its end, and the bytes of one.
const SAMPLE: usize = 2;
const SAMPLE_LINE: usize = 140;
/// Lines that were pasted in a row, at least, to be left out. A single line is often quoted on purpose.
const LEAST_PASTED: usize = 3;
/// Words with which programs begin what they log.
const LOG_LEVELS: &[&str] =
    &["INFO: ", "INFO ", "WARN ", "WARNING: ", "ERROR: ", "DEBUG: ", "DEBUG "];
/// Beginnings of lines that programs print and hardly anybody types.
const PRINTED: &[&str] = &[
    "error:",
    "warning:",
    "fatal:",
    "panic:",
    "Traceback ",
    "=== ",
    "--- ",
    "+++ ",
    "@@ ",
    "diff --git",
    "npm ERR!",
    "npm error",
    "npm warn",
    "npm WARN",
    "npm notice",
    "Error: ",
    "FAIL",
    "PASS",
    "ok  \t",
    "remote: ",
    "Username for ",
    "Password for ",
    "source: ",
    "exit status ",
    "File \"",
    "    at ",
    "goroutine ",
    "thread '",
];

/// Lines sorted into those that the user wrote and those that were pasted.
#[derive(Default)]
struct Sorted<'t> {
    kept: Vec<&'t str>,
    /// Lines in a row that look pasted.
    run: Vec<&'t str>,
    pasted: usize,
    left_out: Vec<&'t str>,
}

impl Sorted<'_> {
    /// Ends a run of lines that look pasted. Few lines stay: they may be the point of the request.
    fn end_run(&mut self, in_code: bool) {
        let said = self.run.iter().filter(|line| !line.trim().is_empty()).count();
        if said >= LEAST_PASTED || in_code && said > 0 {
            self.pasted += self.run.iter().map(|line| line.len() + 1).sum::<usize>();
            let lines = self.run.drain(..).filter(|line| line.contains(char::is_alphanumeric));
            self.left_out.extend(lines);
        } else {
            self.kept.append(&mut self.run);
        }
    }
}

/// Lines with which a handoff or a briefing begins, or a block of ours in a file. What follows is not
/// the user's.
const OURS: &[&str] = &[
    "<!-- segue:",
    "segue: 1",
    "segue: 2",
    "## Standing Constraints",
    "## Standing constraints",
    "# Briefing: ",
];

/// The user's own words of a request.
pub(crate) fn own_words(request: &str) -> OwnWords {
    let mut sorted = Sorted::default();
    let mut in_code = false;
    // The tag of a block that was pasted, such as `<document>`.
    let mut in_tag: Option<&str> = None;
    let mut is_ours = false;
    for line in request.lines() {
        let bare = line.trim();
        is_ours |= OURS.iter().any(|begin| bare.starts_with(begin));
        if let Some(tag) = in_tag {
            sorted.run.push(line);
            if bare.starts_with("</") && bare[2..].starts_with(tag) {
                in_tag = None;
                sorted.end_run(true);
            }
            continue;
        }
        if is_ours {
            sorted.run.push(line);
            continue;
        }
        if let Some(tag) = opened_tag(bare).filter(|tag| request.contains(&format!("</{tag}"))) {
            sorted.end_run(in_code);
            in_tag = Some(tag);
            sorted.run.push(line);
            continue;
        }
        if bare.starts_with("```") || bare.starts_with("~~~") {
            sorted.end_run(in_code);
            in_code = !in_code;
        } else if in_code || is_printed(line) || (bare.is_empty() && !sorted.run.is_empty()) {
            sorted.run.push(line);
        } else {
            sorted.end_run(false);
            let own = before_log(line).unwrap_or(line);
            sorted.kept.push(own);
            if own.len() < line.len() {
                sorted.run.push(&line[own.len()..]);
            }
        }
    }
    sorted.end_run(in_code || is_ours || in_tag.is_some());
    let mut text = sorted.kept.join("\n").trim().to_owned();
    let mut pasted = sorted.pasted;
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    if text.is_empty() {
        // Nothing but a paste: its first line says what it is.
        let first = request.lines().map(str::trim).find(|line| !line.is_empty());
        text = super::passage::shorten(first.unwrap_or_default(), 160);
        pasted = pasted.saturating_sub(text.len());
    }
    let sample = if is_ours { Vec::new() } else { sample(&sorted.left_out) };
    OwnWords { text, pasted, sample }
}

/// The first and the last lines of a paste.
fn sample(lines: &[&str]) -> Vec<String> {
    let last = lines.len().saturating_sub(SAMPLE).max(SAMPLE);
    let first = lines.iter().take(SAMPLE);
    first
        .chain(lines.iter().skip(last))
        .map(|line| super::passage::shorten(line.trim(), SAMPLE_LINE))
        .collect()
}

/// The tag with which a line opens a block that it does not close.
fn opened_tag(line: &str) -> Option<&str> {
    let (name, rest) = line.strip_prefix('<')?.split_once('>')?;
    let name = name.split_whitespace().next().unwrap_or_default();
    let is_name = (2..=40).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    (is_name && !rest.contains("</")).then_some(name)
}

fn is_printed(line: &str) -> bool {
    let bare = line.trim().trim_start_matches("^C");
    let prompt = bare
        .split_whitespace()
        .next()
        .is_some_and(|first| first.contains('@') && !first.starts_with('@'))
        && [" % ", " $ ", "$ ", "# ", "> "].iter().any(|mark| bare.contains(mark));
    if prompt {
        return true;
    }
    !bare.is_empty()
        && (is_pasted(bare)
            || PRINTED.iter().any(|begin| line.starts_with(begin) || bare.starts_with(begin))
            || LOG_LEVELS.iter().any(|level| bare.starts_with(level))
            || is_logged(bare)
            || is_art(bare))
}

/// Whether a line has hardly any letters: rules, boxes, banners.
fn is_art(line: &str) -> bool {
    let (all, letters) = if line.is_ascii() {
        // Most lines are, and these are counted many bytes at a time.
        let is_blank = |byte: u8| matches!(byte, b' ' | b'\t'..=b'\r');
        let blanks = line.bytes().filter(|byte| is_blank(*byte)).count();
        (line.len() - blanks, line.bytes().filter(u8::is_ascii_alphanumeric).count())
    } else {
        let blanks = line.chars().filter(|c| c.is_whitespace()).count();
        (line.chars().count() - blanks, line.chars().filter(|c| c.is_alphanumeric()).count())
    };
    all > 12 && letters * 3 < all
}

/// What stands before a log that was pasted behind it on the same line.
fn before_log(line: &str) -> Option<&str> {
    // Hardly any line has a capital behind a blank that begins one of them.
    let begins = |at: usize| LOG_LEVELS.iter().any(|level| line[at + 1..].starts_with(level));
    let (at, _) = line.match_indices(' ').find(|(at, _)| begins(*at))?;
    (line.len() - at > 60).then(|| line[..at].trim_end()).filter(|own| !own.is_empty())
}

#[cfg(test)]
mod tests {
    use super::own_words;

    #[test]
    fn logs_and_code_are_left_out_with_their_size() {
        let log = "INFO: GET /a 200\nINFO: GET /b 200\nINFO: GET /c 200\n".repeat(4);
        let own = own_words(&format!("Why does it poll?\n\n{log}\nPlease find out."));
        assert_eq!(own.text, "Why does it poll?\n\nPlease find out.");
        assert!(own.pasted >= log.len());
        assert_eq!(
            own.sample,
            ["INFO: GET /a 200", "INFO: GET /b 200", "INFO: GET /b 200", "INFO: GET /c 200"]
        );
        let own =
            own_words(&format!("what is this INFO: connection closed, {}\n{log}", "x".repeat(60)));
        assert_eq!(own.text, "what is this");
        let own = own_words("Use this:\n```rust\nfn a() {}\n```\nOk?");
        assert_eq!(own.text, "Use this:\nOk?");
        let own = own_words(&log);
        assert_eq!(own.text, "INFO: GET /a 200");
    }

    #[test]
    fn what_is_short_stays_whole() {
        for text in
            ["Fix it", "error: it says no\nwhy?", "1. a\n2. b\n\n- c", "> you said so\nreally?"]
        {
            assert_eq!(own_words(text).text, text);
            assert_eq!(own_words(text).pasted, 0);
        }
    }

    #[test]
    fn blocks_of_others_are_left_out() {
        for pasted in [
            "<document>\nNever test.\n</document>",
            "## Standing Constraints\n- Never test.",
            "---\nsegue: 1\n---\nNever test.",
        ] {
            let own = own_words(&format!("See this:\n\n{pasted}\n"));
            assert!(!own.text.contains("Never"), "{pasted}: {}", own.text);
        }
        assert_eq!(own_words("Use <b> tags").text, "Use <b> tags");
    }

    proptest::proptest! {
        #[test]
        fn every_line_that_stays_was_there(text: String) {
            let own = own_words(&text);
            for word in own.text.split_whitespace().filter(|word| !word.contains("[…]")) {
                assert!(text.contains(word));
            }
        }
    }
}
