//! The sentences of a message.

use super::bounds::cut;
use super::sentence::{Demand, demand};

/// Bytes kept of a sentence.
const LONGEST: usize = 400;
const SHORTEST: usize = 8;
/// Bytes a word has at most on average where people write.
const PROSE: usize = 20;

/// Gives each sentence of a message, in its own words. Code, quotes, tables and logs are passed over.
pub(super) fn sentences(text: &str, each: impl FnMut(&str)) {
    let mut reader = Reader { each, text: String::new(), is_item: false, lead: None };
    let mut in_code = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            reader.flush();
        } else if in_code {
        } else if let Some(inside) = inside_of_tag(line) {
            reader.begin(inside, false);
        } else if line.is_empty() || is_pasted(line) {
            reader.flush();
        } else {
            reader.line(line);
        }
    }
    reader.flush();
    reader.end_lead();
}

struct Reader<F> {
    each: F,
    /// The lines that belong together so far.
    text: String,
    /// Whether they are an item of a list.
    is_item: bool,
    /// A demand that ends in a colon, with what follows it in a list.
    lead: Option<String>,
}

impl<F: FnMut(&str)> Reader<F> {
    fn line(&mut self, line: &str) {
        let (line, is_item) = without_marker(line);
        if is_item || !continues(&self.text, line) {
            self.begin(line, is_item);
        } else {
            self.text.push(' ');
            self.text.push_str(line);
        }
    }

    fn begin(&mut self, line: &str, is_item: bool) {
        self.flush();
        self.text.push_str(line);
        self.is_item = is_item;
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() {
            return;
        }
        if !self.is_item {
            self.end_lead();
        } else if let Some(lead) = self.lead.as_mut().filter(|_| demand(&text).is_none()) {
            if lead.len() <= LONGEST {
                lead.push_str(if lead.ends_with(':') { " " } else { ", " });
                lead.push_str(text.trim_end_matches([',', ';', '.']));
            }
            return;
        }
        let last = split(&text, |sentence| give(sentence, &mut self.each));
        let leads = (SHORTEST..=LONGEST).contains(&last.len()) && last.ends_with(':');
        if leads && demand(last).is_some() {
            self.end_lead();
            self.lead = Some(last.to_owned());
        } else {
            give(last, &mut self.each);
        }
    }

    fn end_lead(&mut self) {
        if let Some(lead) = self.lead.take() {
            (self.each)(&cut(&lead, LONGEST));
        }
    }
}

fn give(sentence: &str, each: &mut impl FnMut(&str)) {
    let sentence = sentence.trim().trim_end_matches(';');
    let is_prose = || sentence.split_whitespace().count() * PROSE > sentence.len();
    if (SHORTEST..=LONGEST).contains(&sentence.len()) {
        each(sentence);
    } else if sentence.len() > LONGEST && is_prose() {
        each(&cut(sentence, LONGEST));
    }
}

/// Marks that may stand between the end of a sentence and the next blank.
const CLOSERS: &[char] = &['"', '”', '\'', ')', '*', '_'];
const STOPS: &[char] = &['.', '!', '?', ':', ';', '。', '！', '？'];
/// Beginnings with which people who do not care for capitals say the next thing.
const OWN: &[&str] =
    &["never", "always", "do not", "don't", "don’t", "dont", "please", "only", "make sure", "also"];

/// Whether a line goes on with what was said in those before it.
fn continues(text: &str, line: &str) -> bool {
    let is_small = |text: &str| text.starts_with(char::is_lowercase);
    let begins_own = || OWN.iter().any(|own| line.starts_with(own));
    let ended = text.is_empty() || text.trim_end_matches(CLOSERS).ends_with(STOPS);
    let anew = is_small(text) && begins_own();
    is_small(line) && !ended && !anew
}

/// Gives the sentences of a line, but for the last one, which it returns.
fn split<'t>(line: &'t str, mut each: impl FnMut(&'t str)) -> &'t str {
    let mut start = 0;
    for (at, c) in line.char_indices() {
        let after = &line[at + c.len_utf8()..];
        let end = match c {
            // A full stop ends a sentence only before a blank: `v1.2`, `main.rs`.
            '.' | '!' | '?' => {
                let rest = after.trim_start_matches(CLOSERS);
                let ends = rest.starts_with(char::is_whitespace) || rest.is_empty();
                let short = c == '.' && line.get(start..at).is_some_and(|up| is_short(up, rest));
                (ends && !short).then_some(line.len() - rest.len())
            }
            '。' | '！' | '？' => Some(line.len() - after.len()),
            ';' if after.starts_with(char::is_whitespace) => {
                let next = after.split(';').next().unwrap_or_default();
                (demand(next) == Some(Demand::Constraint)).then_some(line.len() - after.len())
            }
            _ => None,
        };
        if let Some(end) = end.filter(|end| *end > start) {
            each(&line[start..end]);
            start = end;
        }
    }
    line[start..].trim()
}

/// Whether a full stop after this belongs to an abbreviation.
fn is_short(before: &str, after: &str) -> bool {
    let word = before.rsplit([' ', '(', '\t']).next().unwrap_or_default();
    let is = |all: &[&str]| all.iter().any(|short| word.eq_ignore_ascii_case(short));
    let next = after.trim_start();
    is(&["e.g", "i.e", "vs", "cf", "z.B", "bzw"])
        || is(&["approx", "etc", "incl", "max", "min", "ca"])
            && !next.starts_with(char::is_uppercase)
        || is(&["no", "nr"]) && next.starts_with(|c: char| c.is_ascii_digit())
}

/// What stands in a line with a short tag around it.
fn inside_of_tag(line: &str) -> Option<&str> {
    let (name, rest) = line.strip_prefix('<')?.split_once('>')?;
    let is_name = (1..=20).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'));
    let inside = rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
    (is_name && !inside.contains('<')).then(|| inside.trim())
}

/// Words in brackets with which programs begin a line.
const LEVELS: &[&str] =
    &["ERROR", "ERR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE", "FATAL", "FAIL", "PASS", "OK"];

/// Whether a line was copied from somewhere: quotes, tables, code, logs, prompts of a shell.
pub(super) fn is_pasted(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_time =
        |c: char| c.is_ascii_digit() || matches!(c, '.' | ':' | '-' | 'T' | 'Z' | 's' | 'm');
    let numbered = first.starts_with(|c: char| c.is_ascii_digit()) && first.chars().all(is_time);
    let item =
        first.strip_suffix(['.', ')']).is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    // `30s` is how long something takes.
    let span = first.trim_start_matches(|c: char| c.is_ascii_digit());
    let span = matches!(span, "s" | "m" | "ms");
    let word = first.strip_prefix('[').and_then(|word| word.strip_suffix([']', ':']));
    let word = word.map(|word| word.trim_end_matches(']'));
    let is_label = word.is_some_and(|word| {
        let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_word = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        is_number && word.len() < 4 || is_word && !LEVELS.contains(&word)
    });
    (line.starts_with(['>', '|', '<', '{', '}', '[', '$', '❯', '%', '⏺', '⎿', '│', '✓', '✗'])
        && !line.starts_with("[ ]")
        && !is_label)
        || line.starts_with("=>")
        || line.starts_with("//")
        || line.starts_with("/*")
        || line.starts_with("File \"")
        || line.starts_with("at ") && line.ends_with(')')
        || (numbered && !item && !span)
}

/// A line without the mark of a list, a heading or a task before it, and whether it is of a list.
fn without_marker(line: &str) -> (&str, bool) {
    let line = line.trim_start_matches('#').trim_start();
    let item = line.strip_prefix(['-', '*', '+', '•']).filter(|rest| rest.starts_with(' '));
    let rest = item.unwrap_or(line).trim_start();
    let task = rest.strip_prefix("[ ] ").or(rest.strip_prefix("[x] "));
    let rest = task.unwrap_or(rest);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    match rest[digits..].strip_prefix(['.', ')']) {
        Some(numbered) if digits > 0 && numbered.starts_with(' ') => (numbered.trim_start(), true),
        _ => (rest, item.is_some() || task.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sentence::{Demand, demand};
    use super::sentences;

    fn constraints(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        sentences(text, |sentence| {
            if demand(sentence) == Some(Demand::Constraint) {
                found.push(sentence.to_owned());
            }
        });
        found
    }

    #[test]
    fn constraints_are_taken_verbatim() {
        let text = "Fix the login. Never touch `main.rs`! Use v1.2 only; it is pinned.\n\
            - don't commit yet\n1. You must run the tests, e.g. all of them.\nWhy do we never cache?\n\
            ```\nnever in code\n```\n158.6 npm error Exit handler never called!\n> always quoted\nI don't know what it does.\n不要修改配置\n";
        assert_eq!(
            constraints(text),
            [
                "Never touch `main.rs`!",
                "Use v1.2 only; it is pinned.",
                "don't commit yet",
                "You must run the tests, e.g. all of them.",
                "不要修改配置"
            ]
        );
    }

    #[test]
    fn a_list_belongs_to_the_demand_before_it() {
        let text = "Never touch these files:\n\n- src/legacy.rs\n- src/schema.sql\n\nGo on.\n\
            Rules:\n* Always sign.\n* Be kind.\n\
            You must keep to this:\n- never push\n- main is protected\n";
        assert_eq!(
            constraints(text),
            [
                "Never touch these files: src/legacy.rs, src/schema.sql",
                "Always sign.",
                "never push",
                "You must keep to this: main is protected"
            ]
        );
        let long = format!("Never touch:\n{}", "- some/file/somewhere.rs\n".repeat(60));
        let [kept] = &constraints(&long)[..] else { unreachable!() };
        assert!(kept.len() <= 403 && kept.ends_with('…'));
    }

    #[test]
    fn lines_that_were_wrapped_are_one_sentence() {
        assert_eq!(
            constraints("You must never\nforce-push anything\nto main. Go.\nNever\n\nlook back"),
            ["You must never force-push anything to main."]
        );
        assert_eq!(
            constraints("fix the login\nnever touch main\ndon't add mocks"),
            ["never touch main", "don't add mocks"]
        );
    }

    #[test]
    fn what_belongs_together_stays_together() {
        for whole in [
            "Do not touch foo.rs; bar.rs; baz.rs.",
            "Never use more than approx. 40 MB of memory.",
            "Do NOT use vs. Code tasks.",
            "Always follow rule no. 4 there.",
            "[IMPORTANT] Never run migrations on prod.",
            "30s is the maximum timeout, never use more.",
            "Do **not** push to main.",
            "do   not   rename   anything",
            "Don`t use unwrap.",
            "**Never push.**",
        ] {
            assert_eq!(constraints(whole), [whole]);
        }
        assert_eq!(constraints("Never push; always rebase"), ["Never push", "always rebase"]);
        assert_eq!(constraints("I said no. Never push."), ["Never push."]);
        assert_eq!(constraints("<rule>Always sign commits.</rule>"), ["Always sign commits."]);
        assert!(constraints("[ERROR] the handler must never be called").is_empty());
        assert!(constraints("<p class=\"x\">You must never</p>").is_empty());
    }

    #[test]
    fn a_long_demand_is_cut_and_what_has_no_words_is_none() {
        let long = format!("You must never do this because {}", "of reasons that wind ".repeat(30));
        let [kept] = &constraints(&long)[..] else { unreachable!() };
        assert!(kept.starts_with("You must never do this") && kept.ends_with('…'));
        assert!(constraints(&format!("never {}", "x".repeat(500))).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_sentences_whose_words_stand_in_it(text: String) {
            sentences(&text, |sentence| {
                for word in sentence.split_whitespace() {
                    assert!(text.contains(word.trim_end_matches([',', '…'])));
                }
                let _ = demand(sentence);
            });
        }
    }
}
