//! Passages of an agent's message: which of them say what was decided, dropped or learnt.
//!
//! A passage is a paragraph, or a list with the line that leads into it. Only a passage of which a sentence has the
//! form of a finding and whose weight reaches [`LEAST_WEIGHT`] counts as one.

pub(crate) use super::cues::Finding;
use super::cues::{ALL_WELL, CHANGED, CHOOSES, CUES, GUESSES, INTENDS, NARRATES};
use super::form::finding_of;
use super::phrases::Phrases;
use crate::redact::cut_end;

/// The weight that a passage needs to count.
pub(crate) const LEAST_WEIGHT: i32 = 5;
/// The least that one weighs of which a sentence has the form of a finding, before anything speaks against it.
const FORMED: i32 = 5;
/// A passage shorter than this says too little by itself.
const SHORT: usize = 45;
/// Bytes of a passage that are kept.
pub(crate) const LONGEST: usize = 420;
/// Characters of a sentence by which it is known that the agent says what it is about to do.
const LONGEST_INTENT: usize = 30;
/// Bytes of a line that leads into a list and is kept before its items.
const LONGEST_LEAD: usize = 160;

/// Gives the findings of a message, each with what it is about and its text on one line.
pub(super) fn findings(message: &str, mut each: impl FnMut(Finding, String)) {
    if !has_cue(message) {
        return;
    }
    passages(message, |text| {
        if !has_cue(&text) {
            return;
        }
        let text = without_intentions(&text);
        // Each sentence is looked at as a part of the passage and by itself.
        let forms: Vec<(&str, Option<Finding>)> = split_sentences(&text)
            .filter(|sentence| has_cue(sentence))
            .map(|sentence| (sentence, finding_of(sentence)))
            .collect();
        let form_of = |sentence: &str| {
            let known = forms.iter().find(|(known, _)| std::ptr::eq(*known, sentence));
            known.map_or_else(|| finding_of(sentence), |(_, form)| *form)
        };
        let whole = weigh_enough(&text, form_of);
        // A paragraph may say in one sentence what did not work, and in the next what was done instead.
        for sentence in split_sentences(&text).filter(|sentence| sentence.len() < text.len()) {
            if let Some((finding, _)) = weigh_enough(sentence, form_of)
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

/// What a passage is about, and how certain that is. By its phrases alone nothing is certain enough to count: a
/// sentence of it has to have the form of a finding, too.
pub(crate) fn weigh(passage: &str) -> Option<(Finding, i32)> {
    weigh_by(passage, finding_of)
}

/// The same, where somebody knows the form of its sentences.
fn weigh_by(passage: &str, form_of: impl Fn(&str) -> Option<Finding>) -> Option<(Finding, i32)> {
    let weights = weigh_phrases(passage)?;
    let mut formed: Vec<(Finding, &str)> = Vec::new();
    for sentence in split_sentences(passage).filter(|sentence| has_cue(sentence)) {
        formed.extend(form_of(sentence).map(|finding| (finding, sentence)));
    }
    let best = best_of(weights, |finding| {
        formed.is_empty() || formed.iter().any(|(known, _)| *known == finding)
    })?;
    let (finding, weight) = best;
    if formed.is_empty() {
        let weight = weight.min(LEAST_WEIGHT - 2);
        return (weight != 0).then(|| (finding, weigh_plain(passage, finding, weight)));
    }
    let of_it = formed.iter().filter(|(known, _)| *known == finding);
    let is_guess = of_it.clone().all(|(_, sentence)| is_guess(sentence));
    let weight = weight.max(FORMED) - if is_guess { 3 } else { 0 };
    Some((finding, weigh_rest(passage, finding, weight)))
}

/// The same, if it is certain enough to count.
fn weigh_enough(
    passage: &str,
    form_of: impl Fn(&str) -> Option<Finding>,
) -> Option<(Finding, i32)> {
    weigh_by(passage, form_of).filter(|(_, weight)| *weight >= LEAST_WEIGHT)
}

/// How strongly the phrases of a passage point to each finding.
fn weigh_phrases(passage: &str) -> Option<[i32; 3]> {
    let mut weights = [0; 3];
    let mut seen = [false; CUES.len()];
    PHRASES.any_in(passage, |at, start| {
        let (phrase, finding, weight) = CUES[at];
        if !seen[at] && is_word(passage, start, phrase) {
            seen[at] = true;
            weights[finding as usize] += weight;
        }
        false
    });
    (weights != [0; 3]).then_some(weights)
}

/// The finding with the greatest weight of those that may be.
fn best_of(weights: [i32; 3], may_be: impl Fn(Finding) -> bool) -> Option<(Finding, i32)> {
    // Where two are as likely, the narrower one: a decision is what remains.
    let narrow = |finding: Finding| match finding {
        Finding::Decision => 0,
        Finding::Gotcha => 1,
        Finding::Rejected => 2,
    };
    [Finding::Gotcha, Finding::Rejected, Finding::Decision]
        .into_iter()
        .filter(|finding| may_be(*finding))
        .map(|finding| (finding, weights[finding as usize]))
        .max_by_key(|(finding, weight)| (*weight, narrow(*finding)))
}

/// The weight of a passage of which no sentence has the form of a finding.
fn weigh_plain(passage: &str, finding: Finding, mut weight: i32) -> i32 {
    if passage.len() < SHORT && passage.is_ascii() {
        weight -= 1;
    }
    let lower = passage.trim_start_matches(['*', '_', '`', ' ']).to_lowercase();
    if INTENDS.iter().any(|intends| lower.starts_with(intends)) {
        weight -= 3;
    }
    if is_guess(passage) {
        weight -= 3;
    }
    if NARRATES.iter().any(|narrates| lower.starts_with(narrates)) {
        weight -= 2;
    }
    weigh_rest(passage, finding, weight)
}

/// Whether a word, or several, stand in a text and are no part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

/// A guess is no finding.
fn is_guess(text: &str) -> bool {
    let lower = text.to_lowercase();
    GUESSES.iter().any(|guess| lower.contains(guess))
}

/// The weight of a passage with what speaks for and against every finding.
fn weigh_rest(passage: &str, finding: Finding, mut weight: i32) -> i32 {
    let lower = passage.trim_start_matches(['*', '_', '`', ' ']).to_lowercase();
    weight += i32::from(names_something(passage));
    if passage.ends_with('?') || passage.ends_with(':') {
        weight -= 4;
    }
    // One of several choices that are put to the user.
    if lower.ends_with(" or") {
        weight -= 4;
    }
    if finding != Finding::Decision {
        let well = ALL_WELL.iter().filter(|word| has_word(&lower, word)).count();
        weight -= 2 * i32::try_from(well.min(3)).unwrap_or(3);
        if CHANGED.iter().any(|changed| lower.starts_with(changed)) {
            weight -= 3;
        }
    }
    weight
}

/// A passage without the sentences in which the agent says what it is about to do.
pub(crate) fn without_intentions(passage: &str) -> String {
    let intends = |sentence: &str| {
        let begin: String = sentence
            .trim_start()
            .chars()
            .take(LONGEST_INTENT)
            .flat_map(char::to_lowercase)
            .collect();
        let intends = INTENDS.iter().any(|intends| begin.starts_with(intends));
        intends && finding_of(sentence).is_none() || is_at_work(&begin)
    };
    let kept: String = split_sentences(passage).filter(|sentence| !intends(sentence)).collect();
    kept.trim().to_owned()
}

/// Whether a sentence, by its beginning in small letters, says what the agent is doing at the moment ("I'm checking the
/// branch now") and not what it chose ("I'm keeping the old name").
fn is_at_work(begin: &str) -> bool {
    let begin = begin.strip_prefix("next ").unwrap_or(begin);
    let rest = ["i'm ", "i’m ", "i am "].iter().find_map(|own| begin.strip_prefix(own));
    let mut words = rest.unwrap_or_default().split_whitespace();
    let verb = words.find(|word| !["now", "also", "still", "currently"].contains(word));
    verb.is_some_and(|verb| verb.ends_with("ing") && !CHOOSES.contains(&verb))
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
const CUE: i32 = 2;

/// The phrases alone.
static PHRASES: Phrases<{ CUES.len() }> = {
    let mut phrases = [""; CUES.len()];
    let mut at = 0;
    while at < phrases.len() {
        phrases[at] = CUES[at].0;
        at += 1;
    }
    Phrases::new(phrases)
};

/// Whether a text has one of the phrases of findings. Many have none and need not be looked at closely.
fn has_cue(text: &str) -> bool {
    PHRASES.any_in(text, |at, _| CUES[at].2 >= CUE)
}

/// Whether what was found begins where a word begins. It may go on: `recommend` finds `recommended`.
fn is_word(text: &str, start: usize, phrase: &str) -> bool {
    let before = text[..start].chars().next_back();
    !phrase.is_ascii() || !before.is_some_and(char::is_alphanumeric)
}

/// A line that leads into a list, with the items so far.
struct Lead {
    text: String,
    /// Whether the line says already what its items are.
    finds: bool,
}

/// Gives the passages of a message, each on one line. Code is passed over.
pub(crate) fn passages(message: &str, mut each: impl FnMut(String)) {
    let mut paragraph = String::new();
    // A line that ends in a colon, with the items below it.
    let mut lead: Option<Lead> = None;
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
                lead = Some(Lead { finds: is_found_by_lead(&text), text });
            } else if !text.is_empty() {
                give_lead(&mut lead, &mut give);
                give(&text);
            }
        }
        match (item, &mut lead) {
            (Some(item), Some(Lead { text, finds: true })) => {
                let joint = if text.ends_with(':') { " " } else { "; " };
                if text.len() + item.len() <= LONGEST {
                    text.push_str(joint);
                    text.push_str(item.trim_end_matches(['.', ';']));
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

fn give_lead(lead: &mut Option<Lead>, give: &mut impl FnMut(&str)) {
    if let Some(lead) = lead.take().filter(|lead| !lead.text.ends_with(':')) {
        give(&lead.text);
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
            ("I'm leaving the cache out of scope: `load()` is fast enough.", Finding::Rejected),
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
            "I'm checking why the dirty branch silently drops rows. Next I'm pulling the missing ones.",
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
