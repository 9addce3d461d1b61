//! Secrets go out of what a session tells before it is cut and put on one line: a key is known by its
//! first line, and a password by the word before it.

use segue_core::Redactor;
use segue_core::session::Session;

use crate::redacted::{clean, redacted_text, told};

/// Stands between texts that are looked at together, so that the same value gets the same mark.
const BETWEEN: &str = "\n\n\u{1e}\n\n";

/// A session without secrets in what a handoff tells of it.
pub(crate) fn redact_session(redactor: &Redactor, session: &Session) -> Session {
    let mut session = session.clone();
    let mut told = texts(&mut session);
    let whole: Vec<&str> = told.iter().map(|text| text.as_str()).collect();
    let Some(whole) = redacted_text(redactor, &whole.join(BETWEEN)) else { return session };
    let parts: Vec<&str> = whole.split(BETWEEN).collect();
    if parts.len() == told.len() {
        for (text, part) in told.iter_mut().zip(parts) {
            part.clone_into(text);
        }
    } else {
        // A key without an end took more than its own text.
        for text in told {
            clean(redactor, text);
        }
    }
    session
}

/// What was taken out of what a session tells, in words.
pub(crate) fn taken_out(body: &str) -> Option<String> {
    let marks = body.split("[redacted: ").skip(1).filter_map(|rest| rest.split(']').next());
    let mut all: Vec<&str> = marks.collect();
    all.sort_unstable();
    all.dedup();
    // Different values of one kind are numbered.
    let kinds = all.iter().map(|mark| mark.trim_end_matches(|c: char| c.is_ascii_digit()).trim());
    told(kinds).map(|what| format!("taken out before it was saved: {what}"))
}

/// Everything of a session that a handoff may tell, but for paths and ids.
fn texts(session: &mut Session) -> Vec<&mut String> {
    let mut told: Vec<&mut String> = Vec::new();
    told.extend(session.title.as_mut());
    told.extend(session.branch.as_mut());
    for prompt in &mut session.prompts {
        told.push(&mut prompt.text);
        told.extend(prompt.answer.as_mut().map(|answer| &mut answer.text));
    }
    let said = session.said.iter_mut().chain(&mut session.summary);
    let lists = [&mut session.constraints, &mut session.rejected, &mut session.gotchas]
        .into_iter()
        .flatten();
    told.extend(said.chain(lists).map(|said| &mut said.text));
    told.extend(session.running.iter_mut().map(|running| &mut running.what));
    told.extend(session.decisions.iter_mut().map(|decided| &mut decided.text));
    for check in &mut session.checks {
        told.extend([&mut check.command, &mut check.name]);
        told.extend(&mut check.failing);
        told.extend(check.claimed.as_mut().into_iter().chain(&mut check.summary));
    }
    told.extend(session.commits.iter_mut().flat_map(|one| [&mut one.subject, &mut one.body]));
    told.extend(session.todos.iter_mut().map(|todo| &mut todo.text));
    told.extend(session.plan.as_mut().map(|plan| &mut plan.text));
    told.extend(session.failures.iter_mut().flat_map(|one| [&mut one.what, &mut one.message]));
    let unfinished = session.unfinished_subagents.iter_mut();
    told.extend(unfinished.flat_map(|one| [&mut one.task, &mut one.last_words]));
    told.extend(&mut session.links);
    told
}
