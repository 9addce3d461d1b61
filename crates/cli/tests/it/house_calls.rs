//! Which files a file calls methods of, as far as the text tells.
//!
//! A method belongs to the file whose `impl` block defines it. What a value is, is known of `self`, of parameters and
//! fields by their types, of `Type::function(…)` by what that gives, and of a `let` by its value; what is not known
//! that way is left out, and so is a type whose name two files define.

use std::collections::{BTreeMap, BTreeSet};

type Tokens = Vec<String>;

/// A function, by its signature and its body.
struct Function {
    /// The type that it is a method of.
    of: Option<String>,
    params: Tokens,
    body: Tokens,
}

/// What all files define.
#[derive(Default)]
struct Known {
    /// The files that define a type.
    types: BTreeMap<String, BTreeSet<String>>,
    /// The types of fields, by type and field.
    fields: BTreeMap<(String, String), Tokens>,
    /// The files that define a method, by type and method.
    methods: BTreeMap<(String, String), BTreeSet<String>>,
    /// What a method gives.
    gives: BTreeMap<(String, String), String>,
}

/// The files whose methods each file calls.
pub(crate) fn calls(texts: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<String>> {
    let mut known = Known::default();
    let mut functions = Vec::new();
    for (module, text) in texts {
        for function in known.read(module, &tokens(text)) {
            functions.push((module, function));
        }
    }
    let mut calls: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, function) in &functions {
        let seen = Reader { known: &known, function, names: BTreeMap::new(), called: Vec::new() };
        let called = seen.read().into_iter().filter_map(|method| known.defined_in(&method));
        calls.entry((*module).clone()).or_default().extend(called.filter(|other| other != *module));
    }
    calls
}

impl Known {
    /// Notes what a file defines, and gives its functions.
    fn read(&mut self, module: &str, code: &[String]) -> Vec<Function> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < code.len() {
            match code[at].as_str() {
                "struct" | "enum" => {
                    let name = &code[at + 1];
                    self.types.entry(name.clone()).or_default().insert(module.to_owned());
                    let end = until(code, at, &["{", ";", "("]);
                    if code[at] == "struct" && code[end] == "{" {
                        self.read_fields(name, &code[end + 1..past(code, end) - 1]);
                    }
                    at = if code[end] == ";" { end } else { past(code, end) };
                }
                "impl" => {
                    let begin = if code[at + 1] == "<" { past(code, at + 1) } else { at + 1 };
                    let end = until(code, begin, &["{"]);
                    let head = &code[begin..end];
                    let by_trait = head.iter().position(|word| word == "for");
                    let of = head_of(&head[by_trait.map_or(0, |at| at + 1)..], None);
                    let block = &code[end + 1..past(code, end) - 1];
                    found.extend(self.read_block(module, of, by_trait.is_none(), block));
                    at = past(code, end);
                }
                "fn" => {
                    let (function, _, end) = function(code, at, None);
                    found.push(function);
                    at = end;
                }
                "{" => at = past(code, at),
                _ => at += 1,
            }
        }
        found
    }

    fn read_fields(&mut self, of: &str, code: &[String]) {
        for (name, kind) in named_types(code) {
            self.fields.insert((of.to_owned(), name), kind);
        }
    }

    /// The functions of an `impl` block; those of a trait are nobody's own.
    fn read_block(
        &mut self,
        module: &str,
        of: Option<String>,
        own: bool,
        code: &[String],
    ) -> Vec<Function> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < code.len() {
            if code[at] != "fn" {
                at = if code[at] == "{" { past(code, at) } else { at + 1 };
                continue;
            }
            let (function, gives, end) = function(code, at, of.clone());
            if let Some(of) = of.clone().filter(|_| own) {
                let key = (of, code[at + 1].clone());
                self.methods.entry(key.clone()).or_default().insert(module.to_owned());
                self.gives.extend(gives.map(|gives| (key, gives)));
            }
            found.push(function);
            at = end;
        }
        found
    }

    /// The one file that defines a method.
    fn defined_in(&self, method: &(String, String)) -> Option<String> {
        let types = self.types.get(&method.0)?;
        let files = self.methods.get(method)?;
        (types.len() == 1 && files.len() == 1).then(|| files.iter().next().cloned())?
    }
}

/// A reader of a function.
struct Reader<'a> {
    known: &'a Known,
    function: &'a Function,
    /// What is known of the names in it.
    names: BTreeMap<String, String>,
    called: Vec<(String, String)>,
}

impl Reader<'_> {
    /// The methods that a function calls, by their types.
    fn read(mut self) -> Vec<(String, String)> {
        let of = self.function.of.as_deref();
        for (name, kind) in named_types(&self.function.params) {
            self.names.extend(head_of(&kind, of).map(|kind| (name, kind)));
        }
        let code = &self.function.body;
        for at in 0..code.len() {
            let before = at.checked_sub(1).map_or("", |before| code[before].as_str());
            if before == "." {
                continue;
            }
            if code[at] == "let" {
                self.read_let(at + 1);
            } else {
                self.value(at);
            }
        }
        self.called
    }

    /// Notes what a name is by its type, else by its value if the value ends where the statement does.
    fn read_let(&mut self, at: usize) {
        let code = &self.function.body;
        let at = if code[at] == "mut" { at + 1 } else { at };
        let name = code[at].clone();
        let kind = match code.get(at + 1).map(String::as_str) {
            Some(":") => head_of(&code[at + 2..], self.function.of.as_deref()),
            Some("=") => {
                let begin = at + 2 + code[at + 2..].iter().take_while(|word| *word == "&").count();
                let value = self.value(begin);
                value
                    .filter(|(_, end)| code.get(*end).is_some_and(|word| word == ";"))
                    .map(|one| one.0)
            }
            _ => return,
        };
        match kind {
            Some(kind) => self.names.insert(name, kind),
            None => self.names.remove(&name),
        };
    }

    /// What a value is that begins here, as far as that is known, and where it ends.
    fn value(&mut self, at: usize) -> Option<(String, usize)> {
        let code = &self.function.body;
        let word = code.get(at)?;
        let is = |at: usize, wanted: &str| code.get(at).is_some_and(|word| word == wanted);
        let (mut kind, mut at) = if word == "self" {
            (self.function.of.clone()?, at + 1)
        } else if let Some(kind) = self.names.get(word) {
            (kind.clone(), at + 1)
        } else if is(at + 1, "::") && is(at + 3, "(") {
            let kind = head_of(&code[at..=at], self.function.of.as_deref())?;
            let method = (kind, code[at + 2].clone());
            self.called.push(method.clone());
            (self.known.gives.get(&method)?.clone(), past(code, at + 3))
        } else {
            return None;
        };
        loop {
            if is(at, "?") {
                at += 1;
            } else if !is(at, ".") {
                return Some((kind, at));
            } else if is(at + 2, "(") {
                let method = (kind, code[at + 1].clone());
                self.called.push(method.clone());
                kind = self.known.gives.get(&method)?.clone();
                at = past(code, at + 2);
            } else {
                let field = self.known.fields.get(&(kind.clone(), code[at + 1].clone()))?;
                kind = head_of(field, Some(&kind))?;
                at += 2;
            }
        }
    }
}

/// A function that begins here, the type that it gives, and where it ends.
fn function(code: &[String], at: usize, of: Option<String>) -> (Function, Option<String>, usize) {
    let begin = if code[at + 2] == "<" { past(code, at + 2) } else { at + 2 };
    let end = past(code, begin);
    let body = until(code, end, &["{", ";"]);
    let gives = (code[end] == "->").then(|| head_of(&code[end + 1..body], of.as_deref()));
    let params = code[begin + 1..end - 1].to_vec();
    let after = if code[body] == "{" { past(code, body) } else { body + 1 };
    (Function { of, params, body: code[body..after].to_vec() }, gives.flatten(), after)
}

/// The type that a text begins with, without what only holds or refers to it.
fn head_of(code: &[String], own: Option<&str>) -> Option<String> {
    let around = ["&", "mut", "pub", "Result", "Rc", "Box", "<"];
    let mut code = code.iter().skip_while(|word| around.contains(&word.as_str())).peekable();
    let mut name = code.next()?;
    while code.next_if(|word| *word == "::").is_some() {
        name = code.next()?;
    }
    match name.as_str() {
        "Self" => own.map(str::to_owned),
        name => name.starts_with(char::is_uppercase).then(|| name.to_owned()),
    }
}

/// The names and types of a list such as `a: A, b: B<C, D>`.
fn named_types(code: &[String]) -> Vec<(String, Tokens)> {
    let mut found = Vec::new();
    let (mut depth, mut begin) = (0, None);
    for (at, word) in code.iter().enumerate() {
        match word.as_str() {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth -= 1,
            ":" if depth == 0 && begin.is_none() && at > 0 => begin = Some(at),
            _ => {}
        }
        let last = at + 1 == code.len();
        if depth == 0
            && (word == "," || last)
            && let Some(colon) = begin.take()
        {
            found.push((code[colon - 1].clone(), code[colon + 1..=at].to_vec()));
        }
    }
    found
}

/// Where the first of some words stands outside of angles.
fn until(code: &[String], from: usize, words: &[&str]) -> usize {
    let mut depth = 0;
    for (at, word) in code.iter().enumerate().skip(from) {
        match word.as_str() {
            "<" => depth += 1,
            ">" => depth -= 1,
            word if depth == 0 && words.contains(&word) => return at,
            _ => {}
        }
    }
    code.len() - 1
}

/// Past what is opened here.
fn past(code: &[String], open: usize) -> usize {
    let angles = code[open] == "<";
    let mut depth = 0;
    for (at, word) in code.iter().enumerate().skip(open) {
        match word.as_str() {
            "<" if angles => depth += 1,
            ">" if angles => depth -= 1,
            "(" | "[" | "{" if !angles => depth += 1,
            ")" | "]" | "}" if !angles => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// The words and marks of a text, without comments, texts and lifetimes.
fn tokens(text: &str) -> Tokens {
    let mut found: Tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(raw) = rest.strip_prefix("r#\"") {
            3 + raw.find("\"#").map_or(raw.len(), |end| end + 2)
        } else if c == '"' {
            text_length(rest, '"')
        } else if c == '\'' {
            // A lifetime has no end.
            let is_char = rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\'');
            let lifetime = rest[1..].find(|c| !word(c)).map_or(rest.len(), |end| end + 1);
            if is_char { text_length(rest, '\'') } else { lifetime }
        } else if word(c) {
            let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
            found.push(rest[..end].to_owned());
            end
        } else {
            let mark = ["::", "->", "=>"].into_iter().find(|mark| rest.starts_with(mark));
            let end = mark.map_or(c.len_utf8(), str::len);
            if !c.is_whitespace() {
                found.push(rest[..end].to_owned());
            }
            end
        };
        rest = &rest[length..];
    }
    found
}

/// How long a text is that begins here, with its quotes.
fn text_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[test]
fn a_call_leads_to_the_file_that_defines_the_method() {
    let texts = [
        (
            "noun",
            "pub struct Noun<'s> { other: &'s Other }\nimpl<'s> Noun<'s> { fn of() -> Self { Self::make() } }",
        ),
        (
            "first",
            "impl Noun<'_> { fn first(&self) { let text = \"self.third()\"; self.second()?; } }",
        ),
        ("second", "impl Noun<'_> { fn second(&self) { self.other.reach(); } }"),
        ("third", "fn free(noun: &Noun<'_>) { noun.first(); unknown.second(); }"),
        ("fourth", "fn free() { let noun = Noun::of(); noun.second(); }"),
        ("other", "struct Other; impl Other { fn reach(&self) { Noun::of().first(); } }"),
    ];
    let texts = texts.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    let calls = calls(&texts);
    let of = |name: &str| calls[name].iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    assert_eq!(of("first"), "second");
    assert_eq!(of("second"), "other");
    assert_eq!(of("third"), "first");
    assert_eq!(of("fourth"), "noun second");
    assert_eq!(of("other"), "first noun");
}
