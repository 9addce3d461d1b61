//! The statements by which Copilot CLI keeps its to-dos: a table that it writes with SQL. Only what
//! such statements are made of is understood; others say nothing.

use segue_core::session::{Recorder, Todo, TodoStatus};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
    Sign(char),
}

/// Does to the to-dos what the statements do.
pub(super) fn apply(statements: &str, recorder: &mut Recorder) {
    for statement in tokens(statements).split(|token| *token == Token::Sign(';')) {
        let mut rest = Rest(statement);
        if rest.word("insert") {
            insert(rest, recorder);
        } else if rest.word("update") {
            update(rest, recorder);
        } else if rest.word("delete") {
            delete(rest, recorder);
        }
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let mut inside = String::new();
                while let Some(c) = chars.next() {
                    // A quote in a text is written twice.
                    if c == '\'' && chars.next_if_eq(&'\'').is_none() {
                        break;
                    }
                    inside.push(c);
                }
                all.push(Token::Text(inside));
            }
            '-' if chars.next_if_eq(&'-').is_some() => {
                while chars.next_if(|c| *c != '\n').is_some() {}
            }
            '"' | '`' | '[' | ']' => {}
            c if c.is_whitespace() => {}
            c if c.is_alphanumeric() || c == '_' => {
                let mut word = String::from(c);
                while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
                {
                    word.push(c);
                }
                all.push(Token::Word(word.to_lowercase()));
            }
            c => all.push(Token::Sign(c)),
        }
    }
    all
}

/// What is left of a statement.
#[derive(Clone, Copy)]
struct Rest<'t>(&'t [Token]);

impl<'t> Rest<'t> {
    fn next(&mut self) -> Option<&'t Token> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn is(&mut self, wanted: impl Fn(&Token) -> bool) -> bool {
        let there = self.0.first().is_some_and(wanted);
        if there {
            self.0 = &self.0[1..];
        }
        there
    }

    fn word(&mut self, word: &str) -> bool {
        self.is(|token| matches!(token, Token::Word(there) if there == word))
    }

    fn sign(&mut self, sign: char) -> bool {
        self.is(|token| *token == Token::Sign(sign))
    }

    fn name(&mut self) -> Option<&'t str> {
        match self.next()? {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Values in brackets. What is no text, such as a call, is none.
    fn list(&mut self) -> Option<Vec<Option<&'t str>>> {
        if !self.sign('(') {
            return None;
        }
        let (mut all, mut value, mut depth) = (Vec::new(), None, 0);
        loop {
            match self.next()? {
                Token::Sign(')') if depth == 0 => break,
                Token::Sign(')') => depth -= 1,
                Token::Sign('(') => {
                    depth += 1;
                    value = None;
                }
                Token::Sign(',') if depth == 0 => all.push(value.take()),
                Token::Text(text) | Token::Word(text) if depth == 0 => value = Some(text.as_str()),
                _ => {}
            }
        }
        all.push(value);
        Some(all)
    }
}

fn insert(mut rest: Rest<'_>, recorder: &mut Recorder) -> Option<()> {
    if rest.word("or") {
        rest.name()?;
    }
    if !(rest.word("into") && rest.word("todos")) {
        return None;
    }
    let columns = rest.list()?;
    if !rest.word("values") {
        return None;
    }
    let at = |name: &str| columns.iter().position(|column| *column == Some(name));
    let (id, title, status) = (at("id")?, at("title")?, at("status"));
    while let Some(row) = rest.list() {
        let get = |at: usize| row.get(at).copied().flatten();
        if let (Some(id), Some(title)) = (get(id), get(title)) {
            let status = status.and_then(get).map_or(TodoStatus::Open, TodoStatus::of);
            recorder.todo(id, Some(title), Some(status));
        }
        rest.sign(',');
    }
    Some(())
}

fn update(mut rest: Rest<'_>, recorder: &mut Recorder) -> Option<()> {
    if !(rest.word("todos") && rest.word("set")) {
        return None;
    }
    let (mut title, mut status) = (None, None);
    loop {
        let column = rest.name()?;
        if !rest.sign('=') {
            return None;
        }
        match (column, rest.next()?) {
            ("title", Token::Text(text)) => title = Some(text.as_str()),
            ("status", Token::Text(text)) => status = Some(TodoStatus::of(text)),
            _ => {}
        }
        // The rest of a value that is more than a text.
        let mut depth = 0;
        while let Some(token) = rest.0.first() {
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') => depth -= 1,
                Token::Sign(',') if depth == 0 => break,
                Token::Word(word) if depth == 0 && word == "where" => break,
                _ => {}
            }
            rest.next();
        }
        if !rest.sign(',') {
            break;
        }
    }
    for id in chosen(rest, recorder)? {
        recorder.todo(&id, title, status);
    }
    Some(())
}

fn delete(mut rest: Rest<'_>, recorder: &mut Recorder) -> Option<()> {
    if !(rest.word("from") && rest.word("todos")) {
        return None;
    }
    for id in chosen(rest, recorder)? {
        recorder.todo(&id, None, Some(TodoStatus::Dropped));
    }
    Some(())
}

/// The ids of the to-dos that a condition chooses, if it is understood.
fn chosen(mut rest: Rest<'_>, recorder: &Recorder) -> Option<Vec<String>> {
    // Those that were deleted are kept as dropped, but statements do not find them.
    let is_there = |todo: &&Todo| todo.status != TodoStatus::Dropped;
    let mut found: Vec<_> = recorder.session().todos.iter().filter(is_there).collect();
    if rest.word("where") {
        loop {
            let column = rest.name()?;
            let values = if rest.sign('=') {
                match rest.next()? {
                    Token::Text(text) => vec![Some(text.as_str())],
                    _ => return None,
                }
            } else if rest.word("in") {
                rest.list()?
            } else {
                return None;
            };
            let values: Vec<&str> = values.into_iter().collect::<Option<_>>()?;
            found.retain(|todo| match column {
                "id" => todo.id.as_deref().is_some_and(|id| values.contains(&id)),
                "title" => values.contains(&todo.text.as_str()),
                "status" => values.iter().any(|value| TodoStatus::of(value) == todo.status),
                _ => false,
            });
            if !rest.word("and") {
                break;
            }
        }
    }
    // What is left was not understood.
    rest.0.is_empty().then(|| found.iter().filter_map(|todo| todo.id.clone()).collect())
}
