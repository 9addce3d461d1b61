//! What is to do, as the agent lists it.

use super::super::{Todo, TodoStatus};
use super::{Act, COMMAND, Recorder, TODOS, cut};
use crate::redact::trimmed;

impl Recorder {
    /// The whole list of what is to do.
    pub fn todos<'t>(
        &mut self,
        todos: impl Iterator<Item = (Option<&'t str>, &'t str, TodoStatus)>,
    ) {
        if self.aside {
            return;
        }
        let record = self.record;
        self.session.todos = todos
            .take(TODOS)
            .map(|(id, text, status)| Todo {
                id: id.map(str::to_owned),
                text: cut(&trimmed(text), COMMAND).into_owned(),
                status,
                record,
            })
            .collect();
    }

    /// One thing to do, by its id: made, or changed.
    pub fn todo(&mut self, id: &str, text: Option<&str>, status: Option<TodoStatus>) {
        if self.aside {
            return;
        }
        let record = self.record;
        let todos = &mut self.session.todos;
        let text = text.map(|text| cut(&trimmed(text), COMMAND).into_owned());
        if let Some(todo) = todos.iter_mut().find(|todo| todo.id.as_deref() == Some(id)) {
            todo.text = text.unwrap_or_else(|| std::mem::take(&mut todo.text));
            todo.status = status.unwrap_or(todo.status);
            todo.record = record;
        } else if let Some(text) = text.filter(|_| todos.len() < TODOS) {
            let status = status.unwrap_or(TodoStatus::Open);
            todos.push(Todo { id: Some(id.to_owned()), text, status, record });
        }
    }

    /// The agent is about to change what is to do. If the call fails, it is as before.
    pub fn changes_todos(&mut self, call: &str, what: &str) {
        self.act(call, what, Act::Todos(self.session.todos.clone()));
    }
}
