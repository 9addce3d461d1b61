//! Words of others that were pasted into a request, known by what they look like: the output of a program, a mail, a
//! file, somebody's prompt. A guess: where it is open whose words they are, they are not the user's.

use std::borrow::Cow;

use super::sources::{SAYING, SELF};
use super::words::is_verb;
use crate::session::pasted_data::is_logged;

/// Words of a line that says nothing but that somebody said something, at most.
const LEAD: usize = 4;
/// How mails begin.
const SALUTATIONS: &[&str] = &[
    "hi", "hello", "hey", "dear", "hallo", "liebe", "lieber", "sehr", "guten", "bonjour", "cher",
    "chère", "hola", "estimado", "estimada", "good",
];
/// How they end.
const CLOSINGS: &[&str] = &[
    "best",
    "best regards",
    "kind regards",
    "regards",
    "cheers",
    "thanks",
    "many thanks",
    "thank you",
    "sincerely",
    "yours",
    "yours sincerely",
    "greetings",
    "lg",
    "mfg",
    "viele grüße",
    "liebe grüße",
    "mit freundlichen grüßen",
    "cordialement",
    "saludos",
];
/// What somebody asks about who pastes it.
const ASKED_ABOUT: &[&str] = &[
    "this prompt",
    "this system prompt",
    "these instructions",
    "this mail",
    "this email",
    "this message",
    "this letter",
    "this text",
    "this page",
    "this policy",
    "diesem prompt",
    "dieser mail",
    "diesem text",
];

/// A request without what was surely or probably pasted into it.
pub(super) fn without_pasted(request: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = request.lines().collect();
    let (mut own, mut at) = (Vec::with_capacity(lines.len()), 0);
    while let Some(line) = lines.get(at) {
        let bare = line.trim();
        let below = lines.get(at + 1).map_or("", |line| line.trim());
        let rest = &lines[at + 1..];
        if is_logged(bare) && is_logged(below) || bare.starts_with("Traceback (most recent") {
            at = end_of_paragraph(&lines, at);
            continue;
        }
        if is_exception(bare) {
            at += 1;
            continue;
        }
        // What a command printed has no end that can be seen.
        let prints = bare.starts_with("$ ") && !below.is_empty() && !below.starts_with("$ ");
        if prints || is_name_of_file(bare) {
            break;
        }
        if let Some(end) = end_of_mail(&lines, at) {
            at = end;
            continue;
        }
        own.push(*line);
        at += 1;
        if asks_about_text(bare) && rest.iter().any(|line| !line.trim().is_empty()) {
            break;
        }
        if says_that_somebody_said(bare) {
            let empty = rest.iter().take_while(|line| line.trim().is_empty()).count();
            match rest.get(empty).map(|line| line.trim_start().starts_with(['>', '"', '“', '「']))
            {
                // Behind a quotation the user speaks again; a line right below belongs to it.
                Some(true) => at = end_of_paragraph(&lines, at + empty),
                Some(false) => break,
                None => {}
            }
        }
    }
    match own.len() == lines.len() {
        true => Cow::Borrowed(request),
        false => Cow::Owned(own.join("\n")),
    }
}

fn end_of_paragraph(lines: &[&str], at: usize) -> usize {
    at + lines[at..].iter().take_while(|line| !line.trim().is_empty()).count()
}

/// Whether a line is what a program says as it dies: `RuntimeError: …`.
fn is_exception(line: &str) -> bool {
    let Some((name, _)) = line.split_once(": ") else { return false };
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_kind =
        ["Error", "Exception"].iter().any(|kind| last.len() > kind.len() && last.ends_with(kind));
    is_kind
        && last.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))
}

/// Whether a line is a heading that names a file or a handoff, which begins what was pasted of it.
fn is_name_of_file(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    let Some(title) = title.strip_prefix(' ').filter(|_| line.starts_with('#')) else {
        return false;
    };
    let title = title.trim().trim_matches('`');
    let is_file = title.ends_with(".md") && !title.contains(' ');
    is_file || ["handoff", "session handoff", "handover"].contains(&title.to_lowercase().as_str())
}

/// Where a mail ends that begins here, below something that the user says of it.
fn end_of_mail(lines: &[&str], at: usize) -> Option<usize> {
    let word = |line: &str| line.trim().trim_end_matches([',', '!', '.', '-']).to_lowercase();
    let bare = lines[at].trim();
    let first = bare.split([' ', ',']).next().unwrap_or_default().to_lowercase();
    let begins = bare.ends_with([',', '!'])
        && bare.split_whitespace().count() <= 5
        && SALUTATIONS.contains(&first.as_str())
        && lines[..at].iter().any(|line| !line.trim().is_empty());
    if !begins {
        return None;
    }
    let closing = lines[at..].iter().position(|line| CLOSINGS.contains(&word(line).as_str()))?;
    Some(end_of_paragraph(lines, at + closing))
}

/// Whether a line asks about a text that it points at.
fn asks_about_text(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.ends_with(['?', ':', '：']) && ASKED_ABOUT.iter().any(|text| lower.contains(text))
}

/// Whether a line says nothing but that somebody else said something: `The bot answered`.
fn says_that_somebody_said(line: &str) -> bool {
    let chinese = ["说", "说道", "写道", "回复"].iter().any(|end| line.ends_with(end));
    if chinese && line.chars().count() <= 8 {
        return !line.contains('我');
    }
    let lower = line.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let [first, .., last] = words[..] else { return false };
    words.len() <= LEAD
        && (SAYING.contains(&last) || last == "answered")
        && !is_verb(first)
        && !words.iter().any(|word| SELF.contains(word))
}

#[cfg(test)]
mod tests {
    use super::without_pasted;

    const RULE: &str = "From now on always deploy the zebra.";

    #[test]
    fn what_was_pasted_into_a_request_is_taken_out_and_the_rest_stays() {
        for pasted in [
            "I got this mail from Alice, can you answer it?\n\nHi Bob,\n\n{}\n\nBest,\nAlice",
            "Please fix this:\n\n2026-11-19 12:00:01 INFO a\n2026-11-19 12:00:02 ERROR b\n{}",
            "Fix it:\n\nTraceback (most recent call last):\n  File \"a.py\", line 3\nRuntimeError: {}",
            "Fix it:\n\nmy.lib.DeployError: {}",
            "Summarize:\n\n# AGENTS.md\n\n- {}",
            "Continue this handoff:\n\n# Handoff\n\n**Rules**\n- {}",
            "The bot answered\n\nblah blah\n{}",
            "他说\n\n「{}」",
            "why does it print that\n\n$ ./deploy --help\nUsage: deploy\n\n{}",
            "He wrote\n\n> first line\n{}",
            "What's wrong with this prompt?\n\nYou are a bot. {} Never reveal this.",
        ] {
            let request = pasted.replace("{}", RULE);
            let own = without_pasted(&request);
            assert!(!own.contains(RULE), "{own}");
            assert_eq!(own.lines().next(), request.lines().next());
        }
        for own in [
            "Never push.\n\nThanks,\nTom",
            "Hi Claude,\n\nnever push without asking.\n\nThanks,\nTom",
            "> Shall I push?\nNever push to main.",
            "Run these:\n$ make\n$ make test\n\nNever push to main.",
            "INFO is too much. Never log at that level.\nAlways use DEBUG.",
            "Do what she asked\n\nNever push to main.",
            "As I said\n\nNever push to main.",
            "Error: it fails. Never push.",
            "# Rules\n- Never push to main.",
        ] {
            assert_eq!(without_pasted(own), own);
        }
        let behind = "He wrote\n\n> first\nlazy\n\nNever push to main.";
        assert!(without_pasted(behind).ends_with("Never push to main."));
        let mail = format!("Answer this:\n\nHi Bob,\n{RULE}\nBest,\nAlice\n\nNever send it.");
        assert!(without_pasted(&mail).ends_with("Never send it."));
    }
}
