//! Why to-dos, failures and the last request became items of a handoff, or did not.

use super::findings::why_not_worth_telling;
use super::status::{SessionStatus, standing, work_began};
use crate::session::{Judgement, Session, Todo, TodoStatus};

/// What the rules say of a session's last request, its to-dos and what failed.
pub fn judge_steps(session: &Session) -> Vec<Judgement> {
    let standing = standing(session);
    let mut all = Vec::new();
    if let Some(last) = session.prompts.last() {
        let rule = match standing.status {
            SessionStatus::Finished => "the agent answered it and asked nothing",
            SessionStatus::InProgress => "the agent's last act is no answer, or it announced more",
            SessionStatus::WaitingForUser => "the agent's last message ends with a question",
            SessionStatus::Blocked => "the agent says that it cannot go on",
            SessionStatus::Interrupted => "the user stopped the agent",
            SessionStatus::NotSure => "nothing shows how it ended",
        };
        let kept = standing.status != SessionStatus::Finished;
        all.push(Judgement {
            section: "Next Steps",
            kept,
            rule: rule.to_owned(),
            record: last.record,
            text: last.text.clone(),
        });
    }
    let began = work_began(session);
    for todo in session.todos.iter().filter(|todo| todo.status.is_open()) {
        let (kept, rule) = judge_todo(todo, began, standing.status);
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

/// Whether an open to-do is a next step, and why.
pub(super) fn judge_todo(todo: &Todo, began: u64, status: SessionStatus) -> (bool, &'static str) {
    if todo.record < began {
        (false, "later requests left it behind")
    } else if status == SessionStatus::Finished && todo.status == TodoStatus::Begun {
        (false, "begun, and the agent says that it is done")
    } else {
        (true, "touched since the work on the last request began")
    }
}
