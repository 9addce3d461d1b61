//! Passages of an agent's message: which of them say what was decided, dropped or learnt.
//!
//! A passage is a paragraph, or a list with the line that leads into it. Each is weighed by the phrases
//! in it; only a passage whose weight reaches [`LEAST_WEIGHT`] counts as a finding.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::redact::cut_end;

/// What a passage is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Finding {
    /// What was chosen, with its reason.
    Decision,
    /// What was tried, proposed or asked for and dropped.
    Rejected,
    /// A trap that cost time and may cost it again.
    Gotcha,
}

/// The weight that a passage needs to count.
pub(crate) const LEAST_WEIGHT: i32 = 5;
/// A passage shorter than this says too little by itself.
const SHORT: usize = 45;
/// Bytes of a passage that are kept.
pub(crate) const LONGEST: usize = 420;
/// Bytes of a line that leads into a list and is kept before its items.
const LONGEST_LEAD: usize = 160;

/// A phrase, the finding that it points to, and how strongly.
type Cue = (&'static str, Finding, i32);

/// Phrases in the order of the findings. Agents speak English most of the time; the Chinese ones are
/// those that their users' sessions need most.
const CUES: &[Cue] = &[
    ("decided", Finding::Decision, 4),
    ("decision", Finding::Decision, 3),
    ("chose ", Finding::Decision, 4),
    ("chosen", Finding::Decision, 3),
    ("opted", Finding::Decision, 4),
    ("settled on", Finding::Decision, 4),
    ("going with", Finding::Decision, 4),
    ("went with", Finding::Decision, 4),
    ("go with", Finding::Decision, 3),
    ("recommend", Finding::Decision, 3),
    ("recommendation", Finding::Decision, 2),
    ("trade-off", Finding::Decision, 3),
    ("tradeoff", Finding::Decision, 3),
    ("by design", Finding::Decision, 3),
    ("deliberate", Finding::Decision, 3),
    ("intentional", Finding::Decision, 3),
    ("rationale", Finding::Decision, 3),
    ("canonical", Finding::Decision, 3),
    ("source of truth", Finding::Decision, 3),
    ("accepted", Finding::Decision, 2),
    ("proper fix", Finding::Decision, 3),
    ("right fix", Finding::Decision, 3),
    ("right call", Finding::Decision, 3),
    ("right approach", Finding::Decision, 3),
    ("correct approach", Finding::Decision, 3),
    ("cleaner", Finding::Decision, 2),
    ("simplest", Finding::Decision, 2),
    ("the fix", Finding::Decision, 2),
    ("design", Finding::Decision, 1),
    ("approach", Finding::Decision, 2),
    ("instead of", Finding::Decision, 3),
    ("rather than", Finding::Decision, 3),
    ("so that", Finding::Decision, 2),
    ("because", Finding::Decision, 2),
    ("since ", Finding::Decision, 1),
    ("to avoid", Finding::Decision, 2),
    ("to prevent", Finding::Decision, 2),
    ("to keep", Finding::Decision, 1),
    ("keeps", Finding::Decision, 1),
    ("stays", Finding::Decision, 1),
    ("follow-up", Finding::Decision, 1),
    ("deferred", Finding::Decision, 2),
    ("separate pr", Finding::Decision, 2),
    ("is now ", Finding::Decision, 1),
    ("are now ", Finding::Decision, 1),
    ("consistent with", Finding::Decision, 2),
    ("without changing", Finding::Decision, 3),
    ("决定", Finding::Decision, 4),
    ("采用", Finding::Decision, 4),
    ("正确的做法", Finding::Decision, 5),
    ("推荐", Finding::Decision, 4),
    ("而不是", Finding::Decision, 3),
    ("因为", Finding::Decision, 2),
    ("ruled out", Finding::Rejected, 5),
    ("rule out", Finding::Rejected, 4),
    ("refuted", Finding::Rejected, 5),
    ("not worth", Finding::Rejected, 5),
    ("out of scope", Finding::Rejected, 5),
    ("scope creep", Finding::Rejected, 5),
    ("overkill", Finding::Rejected, 4),
    ("won't work", Finding::Rejected, 5),
    ("will not work", Finding::Rejected, 5),
    ("doesn't work", Finding::Rejected, 5),
    ("does not work", Finding::Rejected, 5),
    ("didn't work", Finding::Rejected, 5),
    ("did not work", Finding::Rejected, 5),
    ("doesn't help", Finding::Rejected, 5),
    ("does not help", Finding::Rejected, 5),
    ("didn't help", Finding::Rejected, 5),
    ("no-op", Finding::Rejected, 3),
    ("was wrong", Finding::Rejected, 4),
    ("were wrong", Finding::Rejected, 4),
    ("dead end", Finding::Rejected, 5),
    ("dead-end", Finding::Rejected, 5),
    ("rabbit hole", Finding::Rejected, 4),
    ("infeasible", Finding::Rejected, 5),
    ("abandon", Finding::Rejected, 4),
    ("backed out", Finding::Rejected, 5),
    ("gave up", Finding::Rejected, 5),
    ("reverted", Finding::Rejected, 4),
    ("reverting", Finding::Rejected, 4),
    ("rolled back", Finding::Rejected, 4),
    ("rejected", Finding::Rejected, 2),
    ("declined", Finding::Rejected, 3),
    ("not needed", Finding::Rejected, 3),
    ("isn't needed", Finding::Rejected, 3),
    ("unnecessary", Finding::Rejected, 3),
    ("redundant", Finding::Rejected, 1),
    ("would break", Finding::Rejected, 3),
    ("too risky", Finding::Rejected, 4),
    ("defeats", Finding::Rejected, 3),
    ("skipping", Finding::Rejected, 4),
    ("skipped", Finding::Rejected, 4),
    ("not included", Finding::Rejected, 4),
    ("not changed", Finding::Rejected, 3),
    ("not doing", Finding::Rejected, 4),
    ("false positive", Finding::Rejected, 4),
    ("not viable", Finding::Rejected, 4),
    ("considered", Finding::Rejected, 2),
    ("alternative", Finding::Rejected, 2),
    ("instead of", Finding::Rejected, 1),
    ("rather than", Finding::Rejected, 1),
    ("dropped", Finding::Rejected, 2),
    ("放弃", Finding::Rejected, 5),
    ("不太好", Finding::Rejected, 4),
    ("没必要", Finding::Rejected, 4),
    ("不需要", Finding::Rejected, 3),
    ("turns out", Finding::Gotcha, 4),
    ("turned out", Finding::Gotcha, 4),
    ("gotcha", Finding::Gotcha, 5),
    ("caveat", Finding::Gotcha, 4),
    ("watch out", Finding::Gotcha, 5),
    ("beware", Finding::Gotcha, 5),
    ("careful", Finding::Gotcha, 3),
    ("the catch", Finding::Gotcha, 4),
    ("root cause", Finding::Gotcha, 5),
    ("culprit", Finding::Gotcha, 4),
    ("silently", Finding::Gotcha, 3),
    ("only works", Finding::Gotcha, 4),
    ("only triggers", Finding::Gotcha, 4),
    ("only fires", Finding::Gotcha, 4),
    ("only runs", Finding::Gotcha, 4),
    ("only applies", Finding::Gotcha, 3),
    ("only when", Finding::Gotcha, 3),
    ("only if", Finding::Gotcha, 2),
    ("must already", Finding::Gotcha, 4),
    ("must be set", Finding::Gotcha, 4),
    ("requires", Finding::Gotcha, 2),
    ("needs ", Finding::Gotcha, 1),
    ("fails when", Finding::Gotcha, 5),
    ("fails because", Finding::Gotcha, 5),
    ("fails if", Finding::Gotcha, 5),
    ("fails with", Finding::Gotcha, 4),
    ("failing because", Finding::Gotcha, 5),
    ("failed because", Finding::Gotcha, 5),
    ("fails", Finding::Gotcha, 2),
    ("failed", Finding::Gotcha, 1),
    ("falls through", Finding::Gotcha, 3),
    ("expired", Finding::Gotcha, 3),
    ("quota", Finding::Gotcha, 4),
    ("rate limit", Finding::Gotcha, 4),
    ("flaky", Finding::Gotcha, 5),
    ("known issue", Finding::Gotcha, 4),
    ("quirk", Finding::Gotcha, 4),
    ("pitfall", Finding::Gotcha, 5),
    ("workaround", Finding::Gotcha, 4),
    ("fallback", Finding::Gotcha, 2),
    ("pre-existing", Finding::Gotcha, 4),
    ("preexisting", Finding::Gotcha, 4),
    ("limitation", Finding::Gotcha, 3),
    ("surprising", Finding::Gotcha, 3),
    ("unexpected", Finding::Gotcha, 3),
    ("unfortunately", Finding::Gotcha, 4),
    ("the problem is", Finding::Gotcha, 4),
    ("the problem was", Finding::Gotcha, 4),
    ("the issue is", Finding::Gotcha, 4),
    ("the issue was", Finding::Gotcha, 4),
    ("the real issue", Finding::Gotcha, 5),
    ("worth noting", Finding::Gotcha, 3),
    ("note that", Finding::Gotcha, 2),
    ("heads up", Finding::Gotcha, 4),
    ("heads-up", Finding::Gotcha, 4),
    ("keep in mind", Finding::Gotcha, 4),
    ("explains why", Finding::Gotcha, 4),
    ("the reason", Finding::Gotcha, 3),
    ("that's why", Finding::Gotcha, 4),
    ("this is why", Finding::Gotcha, 4),
    ("doesn't support", Finding::Gotcha, 3),
    ("does not support", Finding::Gotcha, 3),
    ("doesn't accept", Finding::Gotcha, 3),
    ("doesn't", Finding::Gotcha, 2),
    ("does not", Finding::Gotcha, 2),
    ("can't", Finding::Gotcha, 1),
    ("cannot", Finding::Gotcha, 1),
    ("isn't", Finding::Gotcha, 1),
    ("not honor", Finding::Gotcha, 3),
    ("already exists", Finding::Gotcha, 3),
    ("times out", Finding::Gotcha, 3),
    ("timeout", Finding::Gotcha, 1),
    ("hangs", Finding::Gotcha, 3),
    ("stuck", Finding::Gotcha, 2),
    ("out of sync", Finding::Gotcha, 3),
    ("dirty", Finding::Gotcha, 3),
    ("unrelated", Finding::Gotcha, 2),
    ("stale", Finding::Gotcha, 2),
    ("regression", Finding::Gotcha, 2),
    ("breaks", Finding::Gotcha, 2),
    ("bug", Finding::Gotcha, 2),
    ("actually", Finding::Gotcha, 1),
    ("however", Finding::Gotcha, 1),
    ("issue", Finding::Gotcha, 1),
    ("because", Finding::Gotcha, 1),
    ("sometimes", Finding::Gotcha, 3),
    ("didn't", Finding::Gotcha, 2),
    ("did not", Finding::Gotcha, 2),
    ("wasn't", Finding::Gotcha, 1),
    ("won't", Finding::Gotcha, 1),
    ("wrong", Finding::Gotcha, 3),
    ("missing", Finding::Gotcha, 2),
    ("not found", Finding::Gotcha, 3),
    ("doesn't exist", Finding::Gotcha, 3),
    ("does not exist", Finding::Gotcha, 3),
    ("no such", Finding::Gotcha, 3),
    ("bottleneck", Finding::Gotcha, 3),
    ("rejects", Finding::Gotcha, 2),
    ("not directly", Finding::Gotcha, 3),
    (" directly", Finding::Gotcha, 1),
    (", not ", Finding::Gotcha, 1),
    ("never ", Finding::Gotcha, 1),
    ("only ", Finding::Gotcha, 1),
    ("misleading", Finding::Gotcha, 4),
    ("by accident", Finding::Gotcha, 3),
    ("leaks", Finding::Gotcha, 2),
    ("问题在于", Finding::Gotcha, 5),
    ("注意", Finding::Gotcha, 4),
    ("原因是", Finding::Gotcha, 4),
    ("导致", Finding::Gotcha, 3),
];

/// Beginnings with which an agent says what it is about to do: nothing is found yet.
const INTENDS: &[&str] = &[
    "let me ",
    "now let me",
    "i'll ",
    "i’ll ",
    "i will ",
    "now i'll",
    "now i will",
    "next,",
    "next question",
    "let's ",
    "i'm going to",
    "first, i",
    "now ",
    "on it",
    "while that",
    "让我",
];
/// Words of a guess.
const GUESSES: &[&str] = &[
    "might ",
    "maybe ",
    "hypothesis",
    "likely",
    "probably",
    "i suspect",
    "i think ",
    "could be ",
    "perhaps",
    "not sure",
];
/// Beginnings with which an agent tells how far it is.
const NARRATES: &[&str] =
    &["i now have", "i have ", "i've now", "this gives me", "now i ", "got enough", "great"];
/// Words of a report that all is well: it is no trap, and nothing was dropped.
const ALL_WELL: &[&str] = &[
    "green",
    "all pass",
    "passes",
    "clean",
    "verified",
    "confirmed",
    "fixed",
    "landed",
    "works",
    "resolved",
];
/// Beginnings of a line that tells what was changed.
const CHANGED: &[&str] = &[
    "added",
    "fixed",
    "removed",
    "updated",
    "renamed",
    "created",
    "implemented",
    "moved",
    "replaced",
    "refactored",
    "wrote",
];

/// Gives the findings of a message, each with what it is about and its text on one line.
pub(super) fn findings(message: &str, mut each: impl FnMut(Finding, String)) {
    if !has_strong_cue(message) {
        return;
    }
    passages(message, |text| {
        if !has_strong_cue(&text) {
            return;
        }
        let text = without_intentions(&text);
        let whole = weigh(&text).filter(|(_, weight)| *weight >= LEAST_WEIGHT);
        // A paragraph may say in one sentence what did not work, and in the next what was done instead.
        for sentence in split_sentences(&text).filter(|sentence| sentence.len() < text.len()) {
            if let Some((finding, weight)) = weigh(sentence)
                && weight >= LEAST_WEIGHT
                && whole.is_none_or(|(of_whole, _)| of_whole != finding)
            {
                each(finding, sentence.trim().to_owned());
            }
        }
        if let Some((finding, _)) = whole {
            each(finding, text);
        }
    });
}

/// Gives every passage that has a cue, with what it is about and its weight.
pub(super) fn weighed(message: &str, mut each: impl FnMut(Finding, i32, &str)) {
    passages(message, |text| {
        let text = without_intentions(&text);
        if let Some((finding, weight)) = weigh(&text) {
            each(finding, weight, &text);
        }
    });
}

/// What a passage is about, and how certain that is.
pub(crate) fn weigh(passage: &str) -> Option<(Finding, i32)> {
    let mut weights = [0; 3];
    let mut seen: Vec<usize> = Vec::new();
    for found in automaton()?.find_overlapping_iter(passage) {
        let at = found.pattern().as_usize();
        let (_, finding, weight) = CUES[at];
        if !seen.contains(&at) && is_word(passage, found.start(), found.end()) {
            seen.push(at);
            weights[finding as usize] += weight;
        }
    }
    let of = |finding: Finding| (finding, weights[finding as usize]);
    // Where two are as likely, the narrower one: a decision is what remains.
    let all = [of(Finding::Gotcha), of(Finding::Rejected), of(Finding::Decision)];
    let narrow = |finding: Finding| match finding {
        Finding::Decision => 0,
        Finding::Gotcha => 1,
        Finding::Rejected => 2,
    };
    let best = all.into_iter().max_by_key(|(finding, weight)| (*weight, narrow(*finding)))?;
    let (finding, mut weight) = best;
    if weight == 0 {
        return None;
    }
    let lower = passage.trim_start_matches(['*', '_', '`', ' ']).to_lowercase();
    weight += i32::from(names_something(passage));
    if passage.len() < SHORT && passage.is_ascii() {
        weight -= 1;
    }
    if passage.ends_with('?') || passage.ends_with(':') {
        weight -= 4;
    }
    if INTENDS.iter().any(|intends| lower.starts_with(intends)) {
        weight -= 3;
    }
    // One of several choices that are put to the user.
    if lower.ends_with(" or") {
        weight -= 4;
    }
    // A guess is no finding.
    if GUESSES.iter().any(|guess| lower.contains(guess)) {
        weight -= 3;
    }
    if NARRATES.iter().any(|narrates| lower.starts_with(narrates)) {
        weight -= 2;
    }
    if finding != Finding::Decision {
        let well = ALL_WELL.iter().filter(|word| lower.contains(*word)).count();
        weight -= 2 * i32::try_from(well.min(3)).unwrap_or(3);
        if CHANGED.iter().any(|changed| lower.starts_with(changed)) {
            weight -= 3;
        }
    }
    Some((finding, weight))
}

/// A passage without the sentences in which the agent says what it is about to do.
fn without_intentions(passage: &str) -> String {
    let intends = |sentence: &str| {
        let lower = sentence.trim_start().to_lowercase();
        INTENDS.iter().any(|intends| lower.starts_with(intends))
    };
    let kept: String = split_sentences(passage).filter(|sentence| !intends(sentence)).collect();
    kept.trim().to_owned()
}

/// The sentences of a passage, with the blanks before them.
pub(crate) fn split_sentences(passage: &str) -> impl Iterator<Item = &str> {
    let mut rest = passage;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .find(|(at, c)| match c {
                '.' | '!' | '?' => rest[at + 1..].starts_with(char::is_whitespace),
                '。' | '！' | '？' => true,
                _ => false,
            })
            .map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

/// Whether it names something that can be looked for: code, a path, an identifier, a number with its unit.
fn names_something(passage: &str) -> bool {
    passage.contains('`')
        || passage.split(|c: char| !(c.is_alphanumeric() || "_-./".contains(c))).any(|word| {
            let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
            let mixed = inner.chars().skip(1).any(char::is_uppercase)
                && inner.chars().any(char::is_lowercase);
            mixed || inner.contains('_') || inner.contains('/') || inner.contains('.')
        })
}

/// The weight of a phrase that a finding has at least one of.
const STRONG: i32 = 3;

fn automaton() -> Option<&'static AhoCorasick> {
    static CUE_FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let phrases = CUES.iter().map(|(phrase, ..)| phrase);
        AhoCorasick::builder().ascii_case_insensitive(true).build(phrases).ok()
    });
    CUE_FINDER.as_ref()
}

/// Whether a text has one of the strong phrases. Most have none and need not be looked at closely.
fn has_strong_cue(text: &str) -> bool {
    static STRONG_CUES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let strong = CUES.iter().filter(|(.., weight)| *weight >= STRONG);
        let phrases = strong.map(|(phrase, ..)| phrase);
        AhoCorasick::builder().ascii_case_insensitive(true).build(phrases).ok()
    });
    STRONG_CUES.as_ref().is_some_and(|known| known.is_match(text))
}

/// Whether what was found begins where a word begins. It may go on: `recommend` finds `recommended`.
fn is_word(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let is_ascii = text[start..end].is_ascii();
    !is_ascii || !before.is_some_and(char::is_alphanumeric)
}

/// Gives the passages of a message, each on one line. Code is passed over.
pub(crate) fn passages(message: &str, mut each: impl FnMut(String)) {
    let mut paragraph = String::new();
    // A line that ends in a colon, with the items below it.
    let mut lead: Option<String> = None;
    let mut in_code = false;
    let mut give = |text: &str| {
        let text = text.trim();
        if text.chars().any(char::is_alphabetic) {
            each(shorten(text, LONGEST));
        }
    };
    for line in message.lines() {
        let line = line.trim().trim_start_matches("> ").trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        if in_code {
            continue;
        }
        let heading = line.starts_with('#');
        let item = list_item(line);
        if line.is_empty() || heading || item.is_some() || line.starts_with('|') {
            let text = std::mem::take(&mut paragraph);
            if text.ends_with(':') && text.len() <= LONGEST_LEAD {
                give_lead(&mut lead, &mut give);
                lead = Some(text);
            } else if !text.is_empty() {
                give_lead(&mut lead, &mut give);
                give(&text);
            }
        }
        match (item, &mut lead) {
            (Some(item), Some(lead)) if is_found_by_lead(lead) => {
                let joint = if lead.ends_with(':') { " " } else { "; " };
                if lead.len() + item.len() <= LONGEST {
                    lead.push_str(joint);
                    lead.push_str(item.trim_end_matches(['.', ';']));
                }
            }
            (Some(item), _) => paragraph.push_str(item),
            (None, _) if heading => {
                give_lead(&mut lead, &mut give);
            }
            (None, _) if line.starts_with('|') => {
                if let Some(row) = table_row(line) {
                    give(&row);
                }
            }
            (None, _) if line.is_empty() => {}
            (None, _) => {
                if !paragraph.is_empty() {
                    paragraph.push(' ');
                }
                paragraph.push_str(line);
            }
        }
    }
    give_lead(&mut lead, &mut give);
    give(&paragraph);
}

/// Whether the line that leads into a list says already what its items are.
fn is_found_by_lead(lead: &str) -> bool {
    let head = lead.split(':').next().unwrap_or(lead);
    weigh(head).is_some_and(|(_, weight)| weight >= 2)
}

fn give_lead(lead: &mut Option<String>, give: &mut impl FnMut(&str)) {
    if let Some(text) = lead.take().filter(|text| !text.ends_with(':')) {
        give(&text);
    }
}

/// What a line of a list says.
fn list_item(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = if (1..=3).contains(&digits) {
        line[digits..].strip_prefix(['.', ')'])?
    } else {
        line.strip_prefix(['-', '*', '•', '+'])?
    };
    rest.strip_prefix(' ').map(str::trim).filter(|rest| !rest.is_empty())
}

/// The cells of a row of a table that say something.
fn table_row(line: &str) -> Option<String> {
    let cells = line.split('|').map(str::trim).filter(|cell| cell.len() > 3);
    let cells: Vec<&str> = cells.filter(|cell| cell.chars().any(char::is_alphabetic)).collect();
    (cells.len() > 1).then(|| cells.join(" — "))
}

/// The beginning of a text of at most so many bytes, up to the end of a sentence where one ends late
/// enough, else up to the end of a word.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = cut_end(text, most);
    let head = &text[..end];
    let sentence = head
        .char_indices()
        .filter(|(at, c)| match c {
            '.' | '!' | '?' => head[at + 1..].starts_with(char::is_whitespace),
            '。' | '！' | '？' => true,
            _ => false,
        })
        .map(|(at, c)| at + c.len_utf8())
        .next_back()
        .filter(|at| *at * 2 > most);
    // Whichever end is taken, no secret is cut in two.
    if let Some(at) = sentence {
        return format!("{} […]", head[..cut_end(head, at)].trim_end());
    }
    format!("{} […]", head.trim_end_matches([' ', ',', ';', ':', '—', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(message: &str) -> Vec<(Finding, String)> {
        let mut all = Vec::new();
        findings(message, |finding, text| all.push((finding, text)));
        all
    }

    #[test]
    fn a_passage_is_what_its_phrases_say() {
        for (message, finding) in [
            ("I went with integers because `f64` rounds.", Finding::Decision),
            (
                "The lock is per file rather than global so that readers never wait.",
                Finding::Decision,
            ),
            ("Raising `--jobs` doesn't help: the linker is the bottleneck.", Finding::Rejected),
            ("The root cause: `load()` silently drops rows without a date.", Finding::Gotcha),
        ] {
            let [(kind, text)] = &found(message)[..] else {
                panic!("{message}: {:?}", found(message))
            };
            assert_eq!((kind, text.as_str()), (&finding, message));
        }
    }

    #[test]
    fn intentions_questions_and_plain_reports_are_none() {
        for message in [
            "Let me look at the parser instead of the lexer.",
            "Should we go with the cache instead of the index?",
            "All 34 tests pass.",
            "I updated the README.",
            "```\n# decided: never because of x.y\n```",
        ] {
            assert_eq!(found(message), [], "{message}");
        }
    }

    #[test]
    fn a_list_belongs_to_the_line_that_leads_into_it() {
        let message = "Done.\n\nI'm skipping these deliberately:\n- The rename of `Foo`: churn only.\n\
                       - A new flag.\n\nBye.";
        assert_eq!(
            found(message),
            [(
                Finding::Rejected,
                "I'm skipping these deliberately: The rename of `Foo`: churn only; A new flag"
                    .to_owned()
            )]
        );
    }

    #[test]
    fn texts_are_cut_where_a_sentence_or_a_word_ends() {
        assert_eq!(shorten("One two. Three four five six.", 20), "One two. Three four […]");
        assert_eq!(shorten("One two three. Four five six.", 20), "One two three. […]");
        assert_eq!(shorten("short", 20), "short");
    }

    proptest::proptest! {
        #[test]
        fn any_message_has_passages(text: String) {
            passages(&text, |passage| assert!(passage.len() <= LONGEST + 8));
            findings(&text, |_, _| {});
        }
    }
}
