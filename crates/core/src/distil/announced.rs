//! What an agent said that it would do next.

/// Headings under which agents list what comes next.
const HEADINGS: &[&str] = &[
    "next steps",
    "next",
    "remaining",
    "remaining work",
    "to do",
    "todo",
    "still to do",
    "what's next",
    "what’s next",
];
/// Beginnings of sentences that announce.
const BEGINNINGS: &[&str] = &[
    "next, ",
    "next i ",
    "next i'll",
    "next up",
    "next step",
    "the next step",
    "i'll now ",
    "i will now ",
    "now i'll ",
    "now i will ",
    "now let me ",
    "let me now ",
    "i still need to ",
    "still to do",
    "what remains",
    "remaining:",
];
const MOST: usize = 8;

/// The steps that a message announces.
pub(super) fn announced(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut listing = false;
    let mut in_code = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            in_code = !in_code;
        }
        if in_code || line.is_empty() {
            continue;
        }
        let words = line.trim_matches(['#', '*', ':', ' ', '_']).to_lowercase();
        let words = words.trim_end_matches(':');
        if HEADINGS.contains(&words) {
            listing = true;
            continue;
        }
        if let Some(item) = item(line).filter(|_| listing) {
            found.push(item);
        } else {
            listing = false;
            let lower = line.to_lowercase();
            if BEGINNINGS.iter().any(|begins| lower.starts_with(begins)) && !line.ends_with('?') {
                found.push(line);
            }
        }
    }
    found.truncate(MOST);
    found
}

/// What a line of a list says.
pub(super) fn item(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = if digits > 0 {
        line[digits..].strip_prefix(['.', ')'])?
    } else {
        line.strip_prefix(['-', '*', '•', '+'])?
    };
    let rest = rest.strip_prefix(' ')?.trim();
    let rest = rest.strip_prefix("[ ]").unwrap_or(rest).trim();
    (!rest.is_empty() && !rest.starts_with("[x]")).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_sentences_announce() {
        let text = "Done.\n\n## Next steps:\n1. Wire it up\n- [x] done one\n- [ ] Write docs\n\nBye.\n\
                    Next, I will run the tests.\nNext what?\n";
        assert_eq!(announced(text), ["Wire it up", "Next, I will run the tests."]);
        assert_eq!(announced("**Next steps**\n- a b\n- c d\n"), ["a b", "c d"]);
        assert!(announced("```\nnext, in code\n```").is_empty());
    }
}
