//! Checks that a handoff carries: commands with the exit code that they had.

use crate::part::Part;
use crate::{BlockKind, Handoff, ItemSource, blocks, sections};

/// A command that was run, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The command line as it was written down.
    pub command: String,
    /// The exit code that it had, if that was written down.
    pub exit: Option<i32>,
    /// The whole claim.
    pub claim: String,
}

/// A command line that only a shell would understand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it needs a shell")]
pub struct NeedsShell;

/// The checks of a body: items of its Checks that begin with a command in code marks.
pub fn checks(body: &str) -> Vec<Check> {
    each_check(body, |_, _, check| check)
}

impl Handoff {
    /// The checks of its body, each with whose words it is.
    pub fn checks(&self) -> Vec<(Check, ItemSource)> {
        each_check(self.body(), |section, words, check| (check, self.source_of(section, words)))
    }
}

/// Gives each check of a body with the title of its section and the words of its item.
fn each_check<T>(body: &str, each: impl Fn(&str, &str, Check) -> T) -> Vec<T> {
    let mut found = Vec::new();
    for section in sections(body).iter().filter(|section| Part::of(section.title) == Part::Checks) {
        for block in blocks(section.text).iter().filter(|block| block.kind == BlockKind::Item) {
            let words = block.words();
            let (exit, behind) = outcome_before(words);
            let Some((command, rest)) = first_code(behind) else { continue };
            // Of a command that was cut only the beginning is known.
            if command.ends_with('…') || command.ends_with("[…]") {
                continue;
            }
            let check = Check {
                command: command.to_owned(),
                exit: exit.or_else(|| exit_code(rest)),
                claim: words.lines().next().unwrap_or(words).trim().to_owned(),
            };
            found.push(each(section.title, words, check));
        }
    }
    found
}

/// How a check ended, where that stands before its command, and what follows: `Passed: …`, `Failed with
/// exit code 1: …`.
pub(crate) fn outcome_before(claim: &str) -> (Option<i32>, &str) {
    let Some((outcome, rest)) =
        claim.split_once(": ").filter(|(outcome, _)| !outcome.contains('`'))
    else {
        return (None, claim);
    };
    if outcome.starts_with("Passed") {
        (Some(0), rest)
    } else if outcome.starts_with("Failed") {
        (exit_code(outcome), rest)
    } else {
        (None, claim)
    }
}

/// The text of the first code span, if the line begins with it, and what is behind it.
pub(crate) fn first_code(text: &str) -> Option<(&str, &str)> {
    let ticks = text.bytes().take_while(|byte| *byte == b'`').count();
    if ticks == 0 {
        return None;
    }
    let mark = &text[..ticks];
    let (code, rest) = text[ticks..].split_once(mark)?;
    let code = code.trim();
    (!code.is_empty() && !code.contains('\n')).then_some((code, rest))
}

/// The number behind the first `exit`, `exited`, `exit code`, `exit status` or the like.
fn exit_code(text: &str) -> Option<i32> {
    let text = text.to_lowercase();
    let (_, rest) = text.split_once("exit")?;
    let rest = rest.strip_prefix("ed").or_else(|| rest.strip_prefix('s')).unwrap_or(rest);
    let mut words = rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let said = words.find(|word| !matches!(*word, "code" | "status" | "with" | "was" | "is"))?;
    said.parse().ok()
}

/// The words of a command line, quotes resolved. Anything that a shell would act on is refused.
pub fn command_words(line: &str) -> Result<Vec<String>, NeedsShell> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or(NeedsShell)? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or(NeedsShell)? {
                        '"' => break,
                        // In quotes a backslash stands for itself, but before these.
                        '\\' => match chars.next().ok_or(NeedsShell)? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        '$' | '`' | '!' => return Err(NeedsShell),
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next().ok_or(NeedsShell)?),
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '$' | '`' | '*' | '?' | '[' | ']' | '{'
            | '}' | '!' | '\n' | '\r' => return Err(NeedsShell),
            '~' | '#' if word.is_none() => return Err(NeedsShell),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match words.first() {
        // A first word with '=' sets a variable, and an empty one is no program.
        Some(first) if !first.is_empty() && !first.contains('=') => Ok(words),
        _ => Err(NeedsShell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_how_they_ended() {
        let body = "## Checks\n- `cargo test -p api` exit 0 *(observed: exit 0 at 3f2a9c1)*\n- `make lint`: exited 2\n- lint was clean\n- ``echo `x` `` passes\n\n## Next Steps\n- `rm -rf /`\n";
        let found = checks(body);
        let shown: Vec<_> = found.iter().map(|c| (c.command.as_str(), c.exit)).collect();
        assert_eq!(
            shown,
            [("cargo test -p api", Some(0)), ("make lint", Some(2)), ("echo `x`", None)]
        );
        let exit = |claim: &str| checks(&format!("## Checks\n- {claim}\n"))[0].exit;
        assert_eq!(exit("`./exit-check.sh 7` exit 1"), Some(1));
        assert_eq!(exit("`false` exit status 1, `true` exit 0"), Some(1));
        assert_eq!(exit("`grep -q x f` exits 1 (no leftovers)"), Some(1));
        assert_eq!(exit("`x` exited with code: 3"), Some(3));
        assert_eq!(exit("`x` leaves by the exit"), None);
        assert_eq!(exit("Passed: `x` (tests): `3 passed`"), Some(0));
        assert_eq!(exit("Failed with exit code 101: `x` (tests), in `a::b`"), Some(101));
        assert!(checks("## Checks\n- Passed: `cargo test --workspace […]` (tests)\n").is_empty());
    }

    #[test]
    fn words_without_a_shell() {
        let words = |line: &str| command_words(line).ok();
        let is = |line: &str, wanted: &[&str]| {
            assert_eq!(words(line).as_deref().unwrap(), wanted, "{line}");
        };
        is("cargo test  -p api", &["cargo", "test", "-p", "api"]);
        is("grep 'a b' \"c \\\" d\" e\\ f", &["grep", "a b", "c \" d", "e f"]);
        is(r#"grep -q "a\.b" f"#, &["grep", "-q", r"a\.b", "f"]);
        is("test '' x#y a=b", &["test", "", "x#y", "a=b"]);
        for line in [
            "a | b", "a && b", "a; b", "a > b", "a $B", "a `b`", "a \"$b\"", "A=1 b", "ls *",
            "cd ~", "~/x", "a 'b", "a \\", "", "''", "a # b", "{a,b}", "a\nb", "x &",
        ] {
            assert_eq!(words(line), None, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_taken_or_refused(line: String) {
            let _ = command_words(&line);
            let _ = checks(&format!("## Checks\n- {line}"));
        }
    }
}
