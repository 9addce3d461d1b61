//! Words of others that the user passes on: a review, a mail, a page. They are nobody's rules here.

use std::borrow::Cow;

use super::quotation::{GONE, without_quotes};
use super::sources::{
    BY_WHOM, CHATS, CHINESE, FROM_WHERE, HEADERS, HEADINGS, LABELS, OWN_THINGS, PLURAL_SOURCES,
    PROGRAMS, REPORTING, SAYING, SELF, SOURCES, WHERE,
};
use super::words::is_verb;

/// Bytes of what introduces somebody's words, at most.
const LEAD: usize = 160;
/// The user's own part of a request: up to where somebody else speaks, and from where that surely ends.
pub(super) fn without_others(request: &str) -> Cow<'_, str> {
    let has_cue = request.contains([':', '：', '"', '“', '„', '«', '>'])
        || HEADERS.iter().any(|header| starts_any_line(request, header));
    if !has_cue {
        return Cow::Borrowed(request);
    }
    let text = without_quotes(request);
    let lines: Vec<&str> = text.lines().collect();
    let chats = lines.iter().filter_map(|line| speaker(line)).collect::<Vec<_>>();
    // `Stack: …` and `Goal: …` are labels. Who speaks twice is somebody.
    let is_told_of = || {
        let lower = text.to_lowercase();
        CHATS.iter().any(|word| lower.contains(word))
    };
    let speaks_twice = || (1..chats.len()).any(|at| chats[..at].contains(&chats[at]));
    let is_chat = chats.iter().any(|one| *one != chats[0]) && (speaks_twice() || is_told_of());
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let lower = line.trim().to_lowercase();
        if HEADERS.iter().any(|header| lower.starts_with(header))
            || is_chat && speaker(line).is_some()
            || is_chat_stamp(&lower)
        {
            break;
        }
        let Some(own) = introduces(line) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        out.push_str(own);
        out.push('\n');
        // Where the words of the other end by marks of their own, the user speaks again.
        let rest = line[own.len()..].split_once([':', '：']).map_or("", |(_, rest)| rest).trim();
        let is_over = match rest {
            "" => {
                let next = lines[at..]
                    .iter()
                    .position(|line| !line.trim().is_empty())
                    .map_or(lines.len(), |empty| at + empty);
                let marked = lines.get(next).is_some_and(|line| line.trim_start().starts_with('>'));
                if marked {
                    at = next;
                    while lines.get(at).is_some_and(|line| line.trim_start().starts_with('>')) {
                        at += 1;
                    }
                }
                // A quotation that stood there is gone.
                marked || next < lines.len() && lines[next].contains(GONE)
            }
            rest => rest.contains(GONE),
        };
        if !is_over {
            break;
        }
        if let Some((_, behind)) = rest.split_once(GONE) {
            out.push_str(behind.trim_start());
            out.push('\n');
        }
    }
    Cow::Owned(out.replace(GONE, " "))
}

fn starts_any_line(text: &str, header: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        line.get(..header.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(header))
    })
}

/// The part of a line before the sentence that introduces somebody else's words; none if no sentence does.
fn introduces(line: &str) -> Option<&str> {
    if CHINESE.iter().any(|words| line.contains(words)) {
        return Some("");
    }
    for (at, colon) in line.match_indices([':', '：']) {
        let behind = &line[at + colon.len()..];
        let ends =
            behind.is_empty() || behind.starts_with([' ', '"', '“', '\u{fffc}']) || colon == "：";
        if !ends {
            continue;
        }
        let begin = line[..at].rfind([';', '!', '?']).map_or(0, |end| end + 1);
        let begin = line[begin..at].rfind(". ").map_or(begin, |end| begin + end + 2);
        let lead = &line[begin..at];
        if lead.len() <= LEAD && names_others(lead, behind.trim().is_empty()) {
            return Some(&line[..begin]);
        }
    }
    None
}

/// Whether words before a colon name a source or a person.
fn names_others(lead: &str, ends_line: bool) -> bool {
    let lower = lead.to_lowercase().replace('’', "'");
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-' | '.' | '_')))
        .map(|word| word.trim_matches(['.', '-', '\'']))
        .filter(|word| !word.is_empty())
        .collect();
    let [first, .., last] = words[..] else {
        return words.first().is_some_and(|word| is_heading(word, ends_line));
    };
    // `as i said:` is the user's.
    let own = |word: &&str| matches!(*word, "i" | "we" | "ich" | "wir" | "je" | "nous" | "yo");
    let says = words.iter().enumerate().any(|(at, word)| {
        (SAYING.contains(word) || *word == "say" && at + 1 == words.len())
            && at + 4 >= words.len()
            && at > 0
            && !words[..at].iter().rev().take(3).any(own)
    });
    let is_ordered = is_verb(first)
        || matches!(
            first,
            "please"
                | "you"
                | "to"
                | "bitte"
                | "never"
                | "don't"
                | "only"
                | "for"
                | "about"
                | "when"
                | "if"
        );
    if is_ordered && !SOURCES.contains(&first) {
        return false;
    }
    if says {
        return true;
    }
    let is_source = |at: usize| {
        let word = words[at].strip_suffix("'s").unwrap_or(words[at]);
        let is_own = at > 0 && OWN_THINGS.contains(&words[at - 1]);
        (SOURCES.contains(&word) || PLURAL_SOURCES.contains(&word)) && !is_own
    };
    // `the mail from the landlord`, `got this from the wiki`
    let tied = (0..words.len()).filter(|at| is_source(*at)).any(|at| {
        words.get(at + 1).is_some_and(|next| BY_WHOM.contains(next))
            || words[..at].iter().any(|word| FROM_WHERE.contains(word))
            || HEADINGS.contains(&words[at])
                && words.get(at + 1).is_some_and(|next| WHERE.contains(next))
            || ends_line && at == 0 && words.get(1) == Some(&"of")
    });
    let whose =
        words.windows(2).enumerate().any(|(at, two)| two[0].ends_with("'s") && is_source(at + 1));
    let heading = words.len() <= 4
        && (is_heading(last, ends_line) && is_source(words.len() - 1)
            || words.iter().enumerate().any(|(at, word)| at > 0 && PROGRAMS.contains(word))
            || PROGRAMS.contains(&first));
    let from_whom = matches!(first, "from" | "von" | "quoting" | "quote" | "zitat" | "cita")
        && words.len() <= 5;
    tied || whose || heading || from_whom
}

/// Whether a word alone before a colon says that somebody else's words follow.
fn is_heading(word: &str, ends_line: bool) -> bool {
    HEADINGS.contains(&word)
        || PROGRAMS.contains(&word)
        || ends_line && PLURAL_SOURCES.contains(&word)
}

/// The name with which a line of a chat begins.
fn speaker(line: &str) -> Option<&str> {
    let (name, said) = line.trim().split_once(": ")?;
    let is_name = (1..=2).contains(&name.split(' ').count())
        && name.split(' ').all(|word| {
            word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphabetic)
        })
        && !name.split(' ').any(|word| LABELS.contains(&word.to_lowercase().as_str()));
    (is_name && said.split_whitespace().count() > 1).then_some(name)
}

/// Whether a line of a chat begins with a time or an address: `[10:32] anna:`, `@anna:`.
fn is_chat_stamp(lower: &str) -> bool {
    let (before, _) = lower.split_once(' ').unwrap_or((lower, ""));
    let time = before.trim_matches(['[', ']', '(', ')']);
    let is_time = time.len() >= 4
        && time.contains(':')
        && time.chars().all(|c| c.is_ascii_digit() || c == ':');
    before.starts_with('@') && before.ends_with(':') || is_time && lower.contains(": ")
}

/// Whether a sentence in small letters passes on what somebody else says or wants: `anna says we must …`.
pub(super) fn is_reported(lower: &str) -> bool {
    let words: Vec<&str> = lower
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''))
        .collect();
    let passes_on = |word: &&str| REPORTING.contains(word);
    // `…, says the auditor`
    let end = words.len().saturating_sub(3).max(1);
    if words
        .get(end..)
        .is_some_and(|last| last.len() > 1 && last[..last.len() - 1].iter().any(passes_on))
    {
        return true;
    }
    let Some(at) = words.iter().take(6).position(|word| REPORTING.contains(word)) else {
        return false;
    };
    let subject = &words[..at];
    !subject.is_empty() && !subject.iter().any(|word| SELF.contains(word)) && words.len() > at + 2
}
