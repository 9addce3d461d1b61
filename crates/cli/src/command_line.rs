//! A start of another agent as a line: one that a person can paste into a shell, or one that says what
//! is run.

use std::borrow::Cow;
use std::ffi::OsStr;

use segue_lib::{ContinuePlan, ContinueRequest, DEFAULT_BUDGET, FIRST_LINE, PromptPlace, Word};

use crate::host;

/// So much of the prompt is shown.
const SHOWN: usize = 60;

/// A word as a shell takes it.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn line(plan: &ContinuePlan, prompt: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    if !plan.unset.is_empty() {
        words.push("env".to_owned());
        words.extend(plan.unset.iter().map(|name| format!("-u {name}")));
    }
    words.push(quoted(plan.program.as_os_str()));
    words.extend(plan.words.iter().map(|word| match word {
        Word::Plain(word) => quoted(word),
        Word::Prompt => prompt.to_owned(),
    }));
    words.join(" ")
}

/// A line for a shell that does the same.
pub(crate) fn pasteable(
    plan: &ContinuePlan,
    request: &ContinueRequest,
    id: Option<&str>,
) -> String {
    // Where it is not on the search path, the line names the one that runs now.
    let segue = match host::is_on_path("segue") {
        true => "segue".to_owned(),
        false => host::program().map_or("segue".to_owned(), |path| quoted(path.as_os_str())),
    };
    let mut tell =
        format!("echo '{FIRST_LINE}'; echo; {segue} resume --target {}", request.agent.slug);
    if let Some(id) = id {
        tell.push_str(&format!(" --id {}", quoted(OsStr::new(id))));
    }
    if request.resume.budget != DEFAULT_BUDGET {
        tell.push_str(&format!(" --budget {}", request.resume.budget));
    }
    match plan.place {
        PromptPlace::Argument => line(plan, &format!("\"$({tell})\"")),
        PromptPlace::Input => format!("{{ {tell}; }} | {}", line(plan, "")),
        PromptPlace::File => {
            let dir = plan.file.parent().unwrap_or(&plan.file);
            let (dir, file) = (quoted(dir.as_os_str()), quoted(plan.file.as_os_str()));
            let write = format!("(umask 077; mkdir -p {dir} && {{ {tell}; }} > {file})");
            format!("{write} && {}", line(plan, ""))
        }
    }
}

/// What is run, with little of the prompt.
pub(crate) fn told(plan: &ContinuePlan) -> String {
    let count = plan.prompt.chars().count();
    let prompt = match plan.place {
        PromptPlace::Argument => {
            let begin: String = plan.prompt.chars().take(SHOWN).collect();
            Cow::Owned(format!("'{begin}…' ({count} characters)"))
        }
        _ => Cow::Borrowed(""),
    };
    let line = line(plan, &prompt);
    match plan.place {
        PromptPlace::Argument => line,
        PromptPlace::Input => {
            format!("{line}, with the briefing as its input ({count} characters)")
        }
        PromptPlace::File => {
            format!("{line}, with the briefing in {} ({count} characters)", plan.file.display())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_gets_each_word_back() {
        for (word, line) in [
            ("--model=x", "--model=x"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's $(x) `y` \\", r"'it'\''s $(x) `y` \'"),
            ("~", "'~'"),
        ] {
            assert_eq!(quoted(OsStr::new(word)), line);
        }
    }
}
