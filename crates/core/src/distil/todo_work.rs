//! Whether the work of a to-do was seen though nobody crossed it out.

use crate::session::{CommitState, Outcome, Session, Todo, split_sentences};

/// Letters of a word by which another form of it is known: `limits`, `limiting`.
const STEM: usize = 4;
/// Words of to-dos that name nothing.
const COMMON: &[&str] = &[
    "add",
    "adds",
    "create",
    "make",
    "write",
    "update",
    "remove",
    "delete",
    "fix",
    "implement",
    "change",
    "move",
    "rename",
    "replace",
    "clean",
    "check",
    "verify",
    "with",
    "from",
    "into",
    "that",
    "this",
    "them",
    "then",
    "when",
    "also",
    "each",
    "every",
    "file",
    "files",
    "code",
    "project",
    "function",
    "support",
    "work",
    "step",
    "task",
    "finish",
    "ensure",
    "sure",
    "properly",
];
/// Words that say that all of it is done.
const WHOLE: &[&str] = &["all", "everything", "alles", "alle", "tout", "todo", "todos"];
const DONE: &[&str] = &[
    "done",
    "complete",
    "completed",
    "finished",
    "implemented",
    "fertig",
    "erledigt",
    "umgesetzt",
    "fini",
    "terminé",
    "hecho",
    "listo",
];

/// Whether files or names of a to-do were edited, run or committed after it, or the agent speaks of them as done.
pub(super) fn is_work_seen(session: &Session, todo: &Todo) -> bool {
    let stems = stems(&todo.text);
    if stems.is_empty() {
        return false;
    }
    let since = todo.record;
    let mut seen = String::new();
    let mut see = |text: &str| {
        seen.push_str(&text.to_lowercase());
        seen.push('\n');
    };
    let files = session.files.iter().filter(|(_, file)| file.is_changed() && file.record > since);
    files.for_each(|(path, _)| see(path));
    let passed = |outcome| outcome == Outcome::Passed;
    let commands = session.commands.iter().filter(|one| one.record > since && passed(one.outcome));
    commands.for_each(|one| see(&one.command));
    let commits = session.commits.iter();
    let commits = commits.filter(|one| one.record > since && one.state == CommitState::Made);
    commits.for_each(|one| see(&one.subject));
    answers_since(session, todo).for_each(see);
    let found = stems.iter().filter(|stem| seen.contains(stem.as_str())).count();
    found * 2 >= stems.len()
}

/// Whether the agent said after a to-do that all is done.
pub(super) fn is_all_done(session: &Session, todo: &Todo) -> bool {
    let says = |sentence: &str| {
        let lower = sentence.to_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !(c.is_alphanumeric() || c == '\''))
            .filter(|word| !word.is_empty())
            .collect();
        let whole = words.iter().take(4).any(|word| WHOLE.contains(word));
        let done = words.iter().any(|word| DONE.contains(word))
            || words.ends_with(&["is", "in"])
            || lower.contains(" in place");
        let denied = words.iter().any(|word| {
            word.ends_with("n't") || matches!(*word, "not" | "but" | "except" | "nicht" | "pas")
        });
        whole && done && words.len() <= 16 && !denied
            || ["全部完成", "都已完成", "已全部", "全都完成"]
                .iter()
                .any(|words| lower.contains(words))
    };
    answers_since(session, todo).flat_map(str::lines).flat_map(split_sentences).any(says)
}

/// The answers that ended a turn after a to-do was written down.
fn answers_since<'s>(session: &'s Session, todo: &Todo) -> impl Iterator<Item = &'s str> {
    let since = todo.record;
    let answers = session.prompts.iter().filter_map(|prompt| prompt.answer.as_ref());
    answers.filter(move |answer| answer.record > since).map(|answer| answer.text.as_str())
}

/// The beginnings of the words that say what a to-do is about.
fn stems(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !COMMON.contains(word));
    let mut stems: Vec<String> = Vec::new();
    for word in words {
        let letters: Vec<char> = word.chars().collect();
        if letters.iter().any(|c| *c >= '\u{2E80}') {
            // Words that have no spaces between them.
            stems.extend(letters.windows(2).step_by(2).map(|pair| pair.iter().collect::<String>()));
        } else if letters.len() >= STEM {
            stems.push(letters[..STEM].iter().collect());
        }
    }
    stems.dedup();
    stems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{End, PromptWay, Recorder, TodoStatus};

    fn worked(todo: &str, answer: &str) -> (bool, bool) {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Tidy the shop", PromptWay::Typed);
        recorder.todos([(None, todo, TodoStatus::Open)].into_iter());
        let passed = End { outcome: Outcome::Passed, exit: Some(0) };
        recorder.next_record();
        recorder.edits("1", "/w/src/basket.rs");
        recorder.ended("1", passed, || "".into());
        recorder.ran("2", "git rm src/voucher.rs");
        recorder.ended("2", passed, || "".into());
        recorder.next_record();
        recorder.said(answer);
        let session = recorder.into_session();
        (is_work_seen(&session, &session.todos[0]), is_all_done(&session, &session.todos[0]))
    }

    #[test]
    fn the_work_of_a_to_do_is_known_by_what_it_names() {
        for todo in
            ["Round in basket.rs", "Remove the vouchers", "Basket: totals", "Rounding of totals"]
        {
            assert!(worked(todo, "The totals are rounded.").0, "{todo}");
        }
        for todo in ["Docs", "Write the changelog", "Tests for discounts", "移动端"] {
            assert!(!worked(todo, "The totals are rounded.").0, "{todo}");
        }
    }

    #[test]
    fn an_agent_says_that_all_is_done() {
        for said in [
            "All of it is done.",
            "Everything is in place and tested.",
            "Alles ist fertig.",
            "All tasks are completed!",
            "全部完成。",
        ] {
            assert!(worked("Docs", said).1, "{said}");
        }
        for said in [
            "The basket is done.",
            "All but the docs are done.",
            "Not all is done.",
            "All prices are shown in euros.",
            "I read all of the files.",
        ] {
            assert!(!worked("Docs", said).1, "{said}");
        }
    }
}
