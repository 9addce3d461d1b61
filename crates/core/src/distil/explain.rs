//! Why to-dos, failures and the last request became items of a handoff, or did not.

use super::findings::why_not_worth_telling;
use super::status::{SessionStatus, standing, work_began};
use super::todo_work::{is_all_done, is_work_seen};
use crate::session::{Judgement, Record, Session, Todo, TodoStatus};

/// What the rules say of a session's last request, its to-dos and what failed.
pub fn judge_steps(session: &Session) -> Vec<Judgement> {
    let standing = standing(session);
    let mut all = Vec::new();
    if let Some(last) = session.prompts.last() {
        let rule = match standing.status {
            SessionStatus::Finished => "the agent answered it and asked nothing",
            SessionStatus::Answered => {
                "the agent answered it; its words do not tell whether something is left"
            }
            SessionStatus::InProgress if !session.waiting.is_empty() => {
                "the user typed more that the agent has not read"
            }
            SessionStatus::InProgress => "the agent's last act is no answer, or it announced more",
            SessionStatus::WaitingForUser => "the agent's last message asks the user for something",
            SessionStatus::Blocked => "the agent says that it cannot go on",
            SessionStatus::Interrupted => "the user stopped the agent",
            SessionStatus::NotSure => {
                "the answer names open work, a check failed, or nothing shows the end"
            }
        };
        let kept = !matches!(standing.status, SessionStatus::Finished | SessionStatus::Answered);
        all.push(Judgement {
            section: "Next Steps",
            kept,
            rule: rule.to_owned(),
            record: last.record,
            text: last.text.clone(),
        });
    }
    let began = work_began(session);
    let is_touched = is_list_touched(session, began);
    for todo in session.todos.iter().filter(|todo| todo.status.is_open()) {
        let (kept, rule) = judge_todo(session, todo, is_touched, standing.status);
        let text = todo.text.clone();
        all.push(Judgement {
            section: "Next Steps",
            kept,
            rule: rule.to_owned(),
            record: todo.record,
            text,
        });
    }
    for failure in &session.failures {
        let why = why_not_worth_telling(session, failure);
        let rule = why.unwrap_or("a command that failed and did not work later");
        all.push(Judgement {
            section: "Warnings / Gotchas",
            kept: why.is_none(),
            rule: rule.to_owned(),
            record: failure.record,
            text: format!("{}: {}", failure.what, failure.message),
        });
    }
    all
}

/// Whether the agent touched its list of to-dos since a record. What stands on it then is still meant.
pub(super) fn is_list_touched(session: &Session, since: Record) -> bool {
    session.todos.iter().any(|todo| todo.record >= since)
}

/// Whether an open to-do is a next step, and why.
pub(super) fn judge_todo(
    session: &Session,
    todo: &Todo,
    is_touched: bool,
    status: SessionStatus,
) -> (bool, &'static str) {
    let is_done = matches!(status, SessionStatus::Finished | SessionStatus::Answered);
    // An agent that says it is done has often only not crossed out what it had done.
    let may_be_done = is_done || status == SessionStatus::WaitingForUser;
    if !is_touched {
        (false, "later requests left it behind")
    } else if is_done && todo.status == TodoStatus::Begun {
        (false, "begun, and the agent says that it is done")
    } else if may_be_done && is_all_done(session, todo) {
        (false, "the agent says that all is done")
    } else if may_be_done && is_work_seen(session, todo) {
        (false, "what it names was worked on, and the agent says that it is done")
    } else {
        (true, "on a list that was touched since the work on the last request began")
    }
}
