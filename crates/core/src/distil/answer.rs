//! What an agent said, quoted with its lines or condensed to one.

use super::one_line;
use crate::section::Fences;
use crate::session::shorten;
use crate::visible;

/// The share of a message that is cut which its end has, in percent: what is left stands there.
const END_SHARE: usize = 40;

/// A message as a quotation, its lines kept, at most so many bytes of it: its beginning and its end.
pub(super) fn quote(text: &str, most: usize) -> String {
    let text = visible(text);
    let lines = spaced_lines(text.trim());
    let size = |lines: &[&str]| lines.iter().map(|line| line.len() + 1).sum::<usize>();
    let mut tail = lines.len();
    let mut room = most;
    if size(&lines) > most {
        while tail > 0 && size(&lines[tail - 1..]) <= most * END_SHARE / 100 {
            tail -= 1;
        }
        // Code that would begin in the middle is left out.
        let mut fences = Fences::default();
        lines[..tail].iter().for_each(|line| {
            fences.cover(line);
        });
        if fences.is_open() {
            tail = lines.len();
        }
        room = most.saturating_sub(size(&lines[tail..]));
    }
    let mut out = String::new();
    let mut used = 0;
    for line in &lines[..tail] {
        if used + line.len() > room {
            let rest = room.saturating_sub(used);
            let part = if rest > 60 { shorten(line, rest) } else { "[…]".to_owned() };
            out.push_str(&format!("> {part}\n"));
            break;
        }
        used += line.len() + 1;
        push_quoted(&mut out, line);
    }
    lines[tail..].iter().for_each(|line| push_quoted(&mut out, line));
    out
}

fn push_quoted(out: &mut String, line: &str) {
    out.push_str(if line.is_empty() { ">" } else { "> " });
    out.push_str(line);
    out.push('\n');
}

/// The lines of a text, at most one empty one between two others outside code.
fn spaced_lines(text: &str) -> Vec<&str> {
    let mut fences = Fences::default();
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        let line = line.trim_end();
        let in_code = fences.cover(line);
        let repeats = line.is_empty() && lines.last().is_none_or(|last| last.is_empty());
        if !repeats || in_code {
            lines.push(line);
        }
    }
    lines
}

/// The first sentence of a text, cut where it is longer than so many bytes, and what follows it.
pub(super) fn first_sentence(text: &str, most: usize) -> (String, &str) {
    let end = text
        .char_indices()
        .find(|(at, c)| match c {
            // `1.` begins an item of a list.
            '.' => {
                *at > 20
                    && text[at + 1..].starts_with(char::is_whitespace)
                    && !text[..*at].ends_with(|c: char| c.is_ascii_digit())
            }
            '!' | '?' => *at > 20 && text[at + 1..].starts_with(char::is_whitespace),
            '。' | '！' | '？' => true,
            _ => false,
        })
        .map_or(text.len(), |(at, c)| at + c.len_utf8());
    let (first, rest) = text.split_at(end);
    if first.len() <= most {
        return (first.to_owned(), rest.trim_start());
    }
    let short = shorten(first, most);
    let kept = short.trim_end_matches(" […]").len().min(text.len());
    let rest = text.get(kept..).unwrap_or_default();
    (short, rest.trim_start_matches([' ', ',', ';', ':']))
}

/// First sentences that say nothing by themselves, and beginnings of those that only lead to what follows.
const GREETINGS: &[&str] = &[
    "done",
    "all done",
    "great",
    "perfect",
    "excellent",
    "ok",
    "okay",
    "got it",
    "sure",
    "good",
    "good question",
    "good catch",
    "great question",
];
const LEADS: &[&str] = &[
    "here's",
    "here’s",
    "here is",
    "i've dug",
    "i've traced",
    "i've looked",
    "i've read",
    "i've gone through",
    "i've reviewed",
    "i've investigated",
    "i've examined",
    "i have everything",
    "i have what i need",
    "i now have",
    "now i have",
    "let me",
];
/// Bytes of such a sentence at most, what has to follow it, and how many are left out.
const OPENER: usize = 90;
const AFTER_OPENER: usize = 80;
const MOST_OPENERS: usize = 3;

/// A message on one line, without code and marks of lists, at most so many bytes of it.
pub(super) fn flatten(text: &str, most: usize) -> String {
    let mut fences = Fences::default();
    let mut out = String::new();
    for line in text.lines() {
        if fences.cover(line) {
            continue;
        }
        let line = line.trim().trim_start_matches("> ");
        let is_rule = line.chars().all(|c| "-=|: *_".contains(c));
        if line.is_empty() || is_rule {
            continue;
        }
        let heading = line.starts_with('#');
        let bare = line.trim_start_matches(['#', ' ']);
        let item = bare.strip_prefix("- ").or_else(|| bare.strip_prefix("* "));
        let row = bare.starts_with('|').then(|| {
            let cells: Vec<&str> =
                bare.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
            cells.join(" — ")
        });
        let says = row.as_deref().or(item).unwrap_or(bare);
        if !out.is_empty() {
            out.push_str(if (item.is_some() || row.is_some()) && !out.ends_with([':', '.']) {
                "; "
            } else {
                " "
            });
        }
        out.push_str(says.trim_end_matches(';'));
        if heading && !says.ends_with(['.', ':', '?', '!']) {
            out.push(':');
        }
        if out.len() > most * 2 {
            break;
        }
    }
    let out = without_opener(&out);
    one_line(&out.replace("**", ""), most)
}

/// A text without the first sentences that say nothing by themselves, where more follows.
fn without_opener(text: &str) -> &str {
    let mut rest = text;
    for _ in 0..MOST_OPENERS {
        let ends = |(at, c): &(usize, char)| {
            matches!(c, '.' | '!' | ':') && rest[at + 1..].starts_with(char::is_whitespace)
        };
        let Some((at, _)) = rest.char_indices().take(OPENER).find(ends) else { break };
        let (first, after) = rest.split_at(at + 1);
        let lower = first.to_lowercase();
        let greets = GREETINGS.contains(&lower.trim_end_matches(['.', '!', ':']));
        let leads = LEADS.iter().any(|lead| {
            lower.strip_prefix(lead).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        });
        let says_nothing = greets || leads;
        if !says_nothing || after.len() < AFTER_OPENER {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_flattened_in_order() {
        let text = "Done. Here is what I did, all of it in one go and tested:\n\n## Code\n- Split `a.rs`\n- **Moved** b\n\n```\ncode\n```\n| x | y |\n|---|---|\n| 1 | 2 |\n";
        assert_eq!(
            flatten(text, 400),
            "Here is what I did, all of it in one go and tested: Code: Split `a.rs`; Moved b; x — y; 1 — 2"
        );
        assert_eq!(flatten("Done.", 400), "Done.");
    }

    #[test]
    fn first_sentences_that_only_lead_on_are_left_out() {
        let says = "The cache key has the commit in it, so that an empty commit misses it and builds everything again.";
        for opener in [
            "Done.",
            "Here's what I found in `cache.rs`:",
            "I've dug through the code. Here is the answer.",
        ] {
            assert_eq!(flatten(&format!("{opener} {says}"), 400), says);
        }
        for tells in [
            "I've fixed the cache in `key.rs`. ",
            "Good catch, but the fix went to production. ",
            "All three failed. ",
            "Done is only half of it. ",
        ] {
            assert!(flatten(&format!("{tells}{says}"), 400).starts_with(tells));
        }
    }

    #[test]
    fn the_first_sentence_is_told_apart() {
        assert_eq!(
            first_sentence("All of it is done now. And more.", 100),
            ("All of it is done now.".to_owned(), "And more.")
        );
        let long = "One sentence that goes on and on without an end";
        assert_eq!(
            first_sentence(long, 20),
            ("One sentence that […]".to_owned(), "goes on and on without an end")
        );
        assert_eq!(first_sentence("", 20), (String::new(), ""));
    }

    #[test]
    fn a_quotation_keeps_its_lines_and_says_where_it_was_cut() {
        assert_eq!(quote("One\n\n\n- two\n", 100), "> One\n>\n> - two\n");
        assert_eq!(quote("One\ntwo three", 5), "> One\n> […]\n");
        let long = format!("It begins.\n{}The tests of part 7 fail.", "Part by part.\n".repeat(40));
        let cut = quote(&long, 200);
        assert!(cut.starts_with("> It begins.\n") && cut.contains("[…]"), "{cut}");
        assert!(cut.ends_with("> The tests of part 7 fail.\n"), "{cut}");
    }

    proptest::proptest! {
        #[test]
        fn any_message_can_be_quoted(text: String, most in 0_usize..300) {
            assert!(quote(&text, most).lines().all(|line| line.starts_with('>')));
            assert!(!flatten(&text, most).contains('\n'));
        }
    }
}
