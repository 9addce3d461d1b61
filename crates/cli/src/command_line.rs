//! A start of another agent as a line: one that a person can paste into a shell, or one that says what
//! is run.

use std::borrow::Cow;
use std::ffi::OsStr;

use segue_lib::agents::{ASKED, AskPlan, ContinuePlan, ContinueRequest, PromptPlace, Word};
use segue_lib::briefing::DEFAULT_BUDGET;

use crate::error::CommandError;
use crate::host;

/// So much of the prompt is shown.
const SHOWN: usize = 60;

/// A word as a shell takes it. One that is no text is as near to it as can be.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// What stands before a program that shall not take itself for the session that we are in.
fn outside(unset: &[&'static str]) -> Vec<String> {
    let unset = unset.iter().map(|name| format!("-u {name}"));
    std::iter::once("env".to_owned()).chain(unset).collect()
}

/// The command by which a session is asked, whole.
pub(crate) fn asking(plan: &AskPlan) -> String {
    let mut words = outside(&plan.unset);
    words.push(format!("{ASKED}={}", plan.agent.slug));
    words.extend(plan.command.iter().map(|word| quoted(OsStr::new(word))));
    format!("cd {} && {}", quoted(plan.dir.as_os_str()), words.join(" "))
}

fn line(plan: &ContinuePlan, agent: &str, prompt: &str) -> String {
    let mut words = outside(&plan.unset);
    words.push(format!("{}={agent}", host::CONTINUED));
    words.push(format!("{}={}", host::CONTINUED_FROM, plan.handoff_id()));
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
) -> Result<String, CommandError> {
    let is_text = |word: &Word| match word {
        Word::Plain(word) => word.to_str().is_some(),
        Word::Prompt => true,
    };
    if !plan.words.iter().all(is_text) {
        return Err(CommandError::usage("an argument is no text, and cannot be shown as a line")
            .hinted("without --dry-run the agent gets it as it is"));
    }
    // Where it is not on the search path, the line names the one that runs now.
    let segue = match host::is_on_path("segue") {
        true => "segue".to_owned(),
        false => host::program().map_or("segue".to_owned(), |path| quoted(path.as_os_str())),
    };
    // The session that asks is the one to go on from.
    let segue = match plan.unset.is_empty() {
        true => segue,
        false => format!("{} {segue}", outside(&plan.unset).join(" ")),
    };
    let (first, agent) = (plan.first_line, request.agent.slug);
    let mut tell = format!("echo '{first}'; echo; {segue} resume --target {agent}");
    if let Some(id) = id {
        tell.push_str(&format!(" --id {}", quoted(OsStr::new(id))));
    }
    if request.resume.budget != DEFAULT_BUDGET {
        tell.push_str(&format!(" --budget {}", request.resume.budget));
    }
    Ok(match plan.place {
        PromptPlace::Argument => line(plan, agent, &format!("\"$({tell})\"")),
        PromptPlace::Input => format!("{{ {tell}; }} | {}", line(plan, agent, "")),
        PromptPlace::File => {
            let dir = plan.file.parent().unwrap_or(&plan.file);
            let (dir, file) = (quoted(dir.as_os_str()), quoted(plan.file.as_os_str()));
            let write = format!("(umask 077; mkdir -p {dir} && {{ {tell}; }} > {file})");
            format!("{write} && {}", line(plan, agent, ""))
        }
    })
}

/// What is run, with little of the prompt.
pub(crate) fn told(plan: &ContinuePlan, agent: &str) -> String {
    let count = plan.prompt.chars().count();
    let prompt = match plan.place {
        PromptPlace::Argument => {
            let begin: String = plan.prompt.chars().take(SHOWN).collect();
            Cow::Owned(format!("'{begin}…' ({count} characters)"))
        }
        _ => Cow::Borrowed(""),
    };
    let line = line(plan, agent, &prompt);
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
