//! Values of the front matter: the documented subset of YAML, read and written.
//!
//! Every scalar is a text. What YAML would read as something else (a number, a date, `yes`) is
//! written quoted, so that every YAML reader gets the same text.

use std::ops::Range;

/// A value: a text, nothing, a list or a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Null,
    Text(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

/// A scalar where it stands, quotes included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScalarAt {
    pub(crate) range: Range<usize>,
    /// What it says; `None` where it is a spelling of nothing.
    pub(crate) text: Option<String>,
    /// Whether it is a key of a map.
    pub(crate) is_key: bool,
    /// The key of the innermost map that it is a value in.
    pub(crate) under: Option<String>,
}

/// Why a value is not in the subset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    #[error("uses YAML outside the subset: {0}")]
    Unsupported(&'static str),
    #[error("has an unfinished {0}")]
    Unfinished(&'static str),
    #[error("has text after the value: '{0}'")]
    Trailing(String),
    #[error("has an unknown escape '\\{0}'")]
    Escape(char),
}

const MAX_DEPTH: usize = 16;
/// A list of more is no list that somebody made.
pub(crate) const MAX_ITEMS: usize = 10_000;
const MAX_KEYS: usize = 1_000;
pub(crate) const TOO_MANY: ValueError = ValueError::Unsupported("more than 10,000 items");

impl Value {
    /// The text of a scalar.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Reads one value. `text` may span lines only inside brackets and braces.
    pub fn parse(text: &str) -> Result<Self, ValueError> {
        Reader::new(text).value()
    }

    /// Reads one value, and where its scalars stand in the text, in order.
    pub(crate) fn parse_with_scalars(text: &str) -> Result<(Self, Vec<ScalarAt>), ValueError> {
        let mut reader = Reader { scalars: Some(Vec::new()), ..Reader::new(text) };
        let value = reader.value()?;
        Ok((value, reader.scalars.unwrap_or_default()))
    }

    /// Writes the value on one line.
    pub fn render(&self) -> String {
        let mut out = String::new();
        match self {
            Self::Text(text) if is_plain(text, Place::Line) => out.push_str(text),
            other => other.render_flow(&mut out),
        }
        out
    }

    fn render_flow(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Text(text) if is_plain(text, Place::Flow) => out.push_str(text),
            Self::Text(text) => quote(text, out),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { ", " });
                    item.render_flow(out);
                }
                out.push(']');
            }
            Self::Map(pairs) => {
                out.push('{');
                for (at, (key, value)) in pairs.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { ", " });
                    Self::Text(key.clone()).render_flow(out);
                    out.push_str(": ");
                    value.render_flow(out);
                }
                out.push('}');
            }
        }
    }
}

/// Reads a key at the start of a line: the key and what follows its colon.
pub(crate) fn split_key(line: &str) -> Option<(String, &str)> {
    let mut reader = Reader::new(line);
    let key = match reader.peek()? {
        quote @ ('"' | '\'') => reader.quoted(quote).ok()?,
        c if c.is_whitespace() || "-?:,[]{}#&*!|>%@`".contains(c) => return None,
        _ => {
            let colon = line.match_indices(':').find(|(at, _)| ends_key(&line[at + 1..]))?.0;
            reader.rest = &line[colon..];
            let key = line[..colon].trim_end();
            // A comment began before the colon.
            comment_start(key).is_none().then(|| key.to_owned())?
        }
    };
    let after = reader.rest.trim_start_matches([' ', '\t']).strip_prefix(':')?;
    ends_key(after).then_some((key, after))
}

fn ends_key(after_colon: &str) -> bool {
    after_colon.is_empty() || after_colon.starts_with([' ', '\t'])
}

/// A plain scalar that takes the rest of its line, without the white space around it.
fn plain_line(text: &str) -> Result<&str, ValueError> {
    let text = comment_start(text).map_or(text, |comment| &text[..comment]).trim();
    if text.bytes().any(|byte| matches!(byte, b'\n' | b'\r')) {
        return Err(ValueError::Unsupported("a text over several lines"));
    }
    check_plain_start(text)?;
    let is_pair = |pair: &[u8; 2]| matches!(pair, b": " | b":\t");
    if text.as_bytes().array_windows().any(is_pair) || text.ends_with(':') {
        return Err(ValueError::Unsupported("a map inside a plain text"));
    }
    Ok(text)
}

/// Where the blank before a comment stands.
fn comment_start(text: &str) -> Option<usize> {
    text.as_bytes().array_windows().position(|pair| matches!(pair, b" #" | b"\t#"))
}

fn check_plain_start(text: &str) -> Result<(), ValueError> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some('|' | '>'), _) => Err(ValueError::Unsupported("a block text")),
        (Some('&'), _) => Err(ValueError::Unsupported("an anchor")),
        (Some('*'), _) => Err(ValueError::Unsupported("an alias")),
        (Some('!'), _) => Err(ValueError::Unsupported("a tag")),
        (Some('%' | '@' | '`' | ']' | '}' | ','), _) => {
            Err(ValueError::Unsupported("a reserved character at the start"))
        }
        (Some('-' | '?' | ':'), None | Some(' ' | '\t')) => {
            Err(ValueError::Unsupported("a nested block"))
        }
        _ => Ok(()),
    }
}

fn resolve(plain: &str) -> Value {
    match plain {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        _ => Value::Text(plain.to_owned()),
    }
}

struct Reader<'a> {
    whole: &'a str,
    rest: &'a str,
    items: usize,
    /// The scalars that were read, if anybody asks for them.
    scalars: Option<Vec<ScalarAt>>,
    /// The key of the map that is being read.
    under: Option<String>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self { whole: text, rest: text, items: 0, scalars: None, under: None }
    }

    /// One value, and nothing behind it but blanks and comments.
    fn value(&mut self) -> Result<Value, ValueError> {
        self.skip_blank();
        let value = match self.peek() {
            None => return Ok(Value::Null),
            Some('[' | '{' | '"' | '\'') => self.flow(0)?,
            Some(_) => {
                let start = self.at();
                let text = plain_line(self.rest)?;
                let value = resolve(text);
                self.note(start..start + text.len(), value.as_text(), false);
                return Ok(value);
            }
        };
        self.skip_blank();
        if self.rest.is_empty() {
            Ok(value)
        } else {
            Err(ValueError::Trailing(self.rest.trim().to_owned()))
        }
    }

    /// How far it has read.
    fn at(&self) -> usize {
        self.whole.len() - self.rest.len()
    }

    fn note(&mut self, range: Range<usize>, text: Option<&str>, is_key: bool) {
        if let Some(scalars) = &mut self.scalars {
            let (text, under) = (text.map(str::to_owned), self.under.clone());
            scalars.push(ScalarAt { range, text, is_key, under });
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    /// Counts an item of a list or map, at whatever depth.
    fn count(&mut self) -> Result<(), ValueError> {
        self.items += 1;
        if self.items > MAX_ITEMS { Err(TOO_MANY) } else { Ok(()) }
    }

    /// Skips white space, line ends and comments. A comment starts the text or follows a blank.
    fn skip_blank(&mut self) {
        loop {
            let before = self.rest;
            self.rest = self.rest.trim_start();
            if self.rest.starts_with('#') {
                self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
            }
            if self.rest.len() == before.len() {
                return;
            }
        }
    }

    fn flow(&mut self, depth: usize) -> Result<Value, ValueError> {
        if depth > MAX_DEPTH {
            return Err(ValueError::Unsupported("more than 16 levels"));
        }
        match self.peek() {
            Some('[') => self.list(depth),
            Some('{') => self.map(depth),
            Some(quote @ ('"' | '\'')) => {
                let start = self.at();
                let text = self.quoted(quote)?;
                self.note(start..self.at(), Some(&text), false);
                Ok(Value::Text(text))
            }
            _ => {
                let start = self.at();
                let plain = self.flow_plain()?;
                let value = resolve(plain);
                self.note(start..start + plain.len(), value.as_text(), false);
                Ok(value)
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, ValueError> {
        self.bump();
        let mut items = Vec::new();
        loop {
            self.skip_blank();
            match self.peek() {
                None => return Err(ValueError::Unfinished("list")),
                Some(']') => break,
                Some(',') => return Err(ValueError::Unsupported("an empty place in a list")),
                Some(_) => items.push(self.flow(depth + 1)?),
            }
            self.count()?;
            self.skip_blank();
            match self.peek() {
                Some(',') => _ = self.bump(),
                Some(']') => break,
                Some(':') => return Err(ValueError::Unsupported("a pair inside a list")),
                _ => return Err(ValueError::Unfinished("list")),
            }
        }
        self.bump();
        Ok(Value::List(items))
    }

    fn map(&mut self, depth: usize) -> Result<Value, ValueError> {
        self.bump();
        let mut pairs: Vec<(String, Value)> = Vec::new();
        loop {
            self.skip_blank();
            let start = self.at();
            let (key, end) = match self.peek() {
                None => return Err(ValueError::Unfinished("map")),
                Some('}') => break,
                Some(quote @ ('"' | '\'')) => (self.quoted(quote)?, self.at()),
                Some(_) => {
                    let plain = self.flow_plain()?;
                    (plain.to_owned(), start + plain.len())
                }
            };
            self.note(start..end, Some(&key), true);
            let outer = self.under.replace(key.clone());
            self.skip_blank();
            let value = match self.peek() {
                Some(':') => {
                    self.bump();
                    self.skip_blank();
                    match self.peek() {
                        Some(',' | '}') => Value::Null,
                        _ => self.flow(depth + 1)?,
                    }
                }
                _ => return Err(ValueError::Unsupported("a key without a value")),
            };
            self.under = outer;
            self.count()?;
            if pairs.len() == MAX_KEYS {
                return Err(ValueError::Unsupported("more than 1,000 keys"));
            }
            if pairs.iter().any(|(known, _)| *known == key) {
                return Err(ValueError::Unsupported("the same key twice"));
            }
            pairs.push((key, value));
            self.skip_blank();
            match self.peek() {
                Some(',') => _ = self.bump(),
                Some('}') => break,
                _ => return Err(ValueError::Unfinished("map")),
            }
        }
        self.bump();
        Ok(Value::Map(pairs))
    }

    /// A plain scalar inside brackets or braces: up to `,`, a bracket, `: ` or a comment.
    fn flow_plain(&mut self) -> Result<&'a str, ValueError> {
        let text = self.rest;
        let mut end = text.len();
        let mut previous = ' ';
        for (at, c) in text.char_indices() {
            let stops = match c {
                ',' | '[' | ']' | '{' | '}' | '\n' | '\r' => true,
                '#' => previous.is_whitespace(),
                ':' => text[at + 1..]
                    .chars()
                    .next()
                    .is_none_or(|next| next.is_whitespace() || ",[]{}".contains(next)),
                _ => false,
            };
            if stops {
                end = at;
                break;
            }
            previous = c;
        }
        self.rest = &text[end..];
        let plain = text[..end].trim();
        check_plain_start(plain)?;
        if plain.is_empty() { Err(ValueError::Unfinished("value")) } else { Ok(plain) }
    }

    fn quoted(&mut self, quote: char) -> Result<String, ValueError> {
        self.bump();
        let mut out = String::new();
        let ends = |byte: &u8| *byte == quote as u8 || matches!(byte, b'\\' | b'\n' | b'\r');
        loop {
            let plain = self.rest.as_bytes().iter().position(ends).unwrap_or(self.rest.len());
            let (run, rest) = self.rest.split_at(plain);
            out.push_str(run);
            self.rest = rest;
            match self.bump() {
                None => return Err(ValueError::Unfinished("quoted text")),
                Some('\n' | '\r') => {
                    return Err(ValueError::Unsupported("a quoted text over several lines"));
                }
                Some('\'') if quote == '\'' => {
                    if self.peek() != Some('\'') {
                        return Ok(out);
                    }
                    self.bump();
                    out.push('\'');
                }
                Some('"') if quote == '"' => return Ok(out),
                Some('\\') if quote == '"' => out.push(self.escape()?),
                Some(c) => out.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ValueError> {
        let digits = match self.bump() {
            None => return Err(ValueError::Unfinished("quoted text")),
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            Some(c) => {
                return Ok(match c {
                    '0' => '\0',
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    't' | '\t' => '\t',
                    'n' => '\n',
                    'v' => '\u{b}',
                    'f' => '\u{c}',
                    'r' => '\r',
                    'e' => '\u{1b}',
                    ' ' | '"' | '/' | '\\' => c,
                    'N' => '\u{85}',
                    '_' => '\u{a0}',
                    'L' => '\u{2028}',
                    'P' => '\u{2029}',
                    other => return Err(ValueError::Escape(other)),
                });
            }
        };
        let code =
            self.rest.get(..digits).filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()));
        let parsed =
            code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        self.rest = self.rest.get(digits..).unwrap_or("");
        parsed.ok_or(ValueError::Escape('u'))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Line,
    Flow,
}

/// Whether YAML, 1.1 or 1.2, reads the bare text as this same text.
fn is_plain(text: &str, place: Place) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    let starts_well = first.is_alphabetic() || first.is_ascii_digit() || "_/.".contains(first);
    let inside = |c: char| {
        c.is_alphabetic()
            || c.is_ascii_digit()
            || " _-./+=@()~$^*;?!%".contains(c)
            || (place == Place::Line && ",'&<>:\"".contains(c))
            || (!c.is_ascii()
                && !c.is_control()
                && !c.is_whitespace()
                && !crate::visible::is_hidden(c)
                && is_printable(c))
    };
    starts_well
        && text.chars().all(inside)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !reads_as_other(text)
}

/// YAML's printable characters beyond ASCII, less the byte order mark.
fn is_printable(c: char) -> bool {
    matches!(c, '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10fffd}')
        && (c as u32) & 0xfffe != 0xfffe
}

fn reads_as_other(text: &str) -> bool {
    const WORDS: [&str; 10] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan"];
    let lower = text.to_ascii_lowercase();
    if WORDS.contains(&lower.as_str()) {
        return true;
    }
    let bytes = text.as_bytes();
    if bytes[0] == b'.' {
        // `.5`, `.inf`, `.nan`; a hidden file's name is none of them but quoting it costs nothing.
        return bytes
            .get(1)
            .is_none_or(|b| b.is_ascii_digit() || matches!(b, b'i' | b'I' | b'n' | b'N' | b'.'));
    }
    if !bytes[0].is_ascii_digit() {
        return false;
    }
    let numeric =
        |b: &u8| b.is_ascii_digit() || matches!(b, b'_' | b'.' | b':' | b'-' | b'+' | b'e' | b'E');
    let prefixed = lower.starts_with("0x") || lower.starts_with("0o") || lower.starts_with("0b");
    let dated = bytes.len() >= 6 && bytes[..4].iter().all(u8::is_ascii_digit) && bytes[4] == b'-';
    bytes.iter().all(numeric) || prefixed || dated
}

/// A text in double quotes, which is that text wherever a scalar may stand.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote(text, &mut out);
    out
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_ascii_graphic() || c == ' ' => out.push(c),
            c if c.is_ascii()
                || c.is_control()
                || crate::visible::is_hidden(c)
                || !is_printable(c) =>
            {
                let code = c as u32;
                out.push_str(&if code > 0xffff {
                    format!("\\U{code:08x}")
                } else {
                    format!("\\u{code:04x}")
                });
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn scalars_of_every_style() {
        assert_eq!(Value::parse("plain text # comment"), Ok(text("plain text")));
        assert_eq!(Value::parse("'it''s'"), Ok(text("it's")));
        assert_eq!(Value::parse(r#""a\tb\u00e9\U0001F389""#), Ok(text("a\tbé🎉")));
        assert_eq!(Value::parse("a#b"), Ok(text("a#b")));
        assert_eq!(Value::parse(""), Ok(Value::Null));
        assert_eq!(Value::parse("~"), Ok(Value::Null));
        assert_eq!(Value::parse("\"~\""), Ok(text("~")));
        assert_eq!(Value::parse("12:30"), Ok(text("12:30")));
    }

    #[test]
    fn flow_lists_and_maps() {
        let list = Value::parse("[api, \"a, b\", 'c', [d]]").unwrap();
        assert_eq!(
            list,
            Value::List(vec![text("api"), text("a, b"), text("c"), Value::List(vec![text("d")])])
        );
        let map = Value::parse("{dir: services/api, url: http://x/y, 'k k': 1}").unwrap();
        let Value::Map(pairs) = map else { panic!() };
        assert_eq!(pairs[1], ("url".to_owned(), text("http://x/y")));
        assert_eq!(
            Value::parse("[a,\n  b, # why\n  c]").unwrap(),
            Value::List(vec![text("a"), text("b"), text("c")])
        );
        assert_eq!(Value::parse("[]"), Ok(Value::List(vec![])));
        assert_eq!(Value::parse("[a,]"), Ok(Value::List(vec![text("a")])));
    }

    #[test]
    fn what_is_outside_the_subset_is_refused() {
        for source in [
            "|",
            "> folded",
            "&a x",
            "*a",
            "!!str x",
            "[a",
            "{a: b",
            "{a}",
            "\"open",
            "'open",
            "a: b",
            "[a: b]",
            "\"\\q\"",
            "\"x\" y",
            "@at",
            "- a",
            "[,]",
            "{a: 1, a: 2}",
            "\"\\u12\"",
            "\"\\ud800\"",
        ] {
            assert!(Value::parse(source).is_err(), "{source}");
        }
        assert!(Value::parse(&"[".repeat(10_000)).is_err());
    }

    #[test]
    fn a_quoted_key_may_hold_any_mark() {
        assert_eq!(split_key("\"a #b: c\": d"), Some(("a #b: c".into(), " d")));
        assert_eq!(split_key("a #b: c"), None);
    }

    #[test]
    fn ambiguous_texts_are_quoted() {
        for source in [
            "no",
            "Yes",
            "1",
            "1.5",
            "1e5",
            "0x1f",
            "2026-11-15",
            "12:30",
            "~",
            "",
            "null",
            ".5",
            " a",
            "a ",
            "a: b",
            "- a",
            "#a",
            "a\nb",
            "123e4567",
        ] {
            assert!(text(source).render().starts_with('"'), "{source}");
        }
        for source in ["a", "todo-api", "src/auth.rs", "3f2a9c1", "a, b", "it's", "修复", "v1.2"]
        {
            assert_eq!(text(source).render(), source);
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<String>().prop_map(Value::Text),
            "[a-z0-9:.#\\- ]{0,8}".prop_map(Value::Text)
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
                prop::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|m| Value::Map(m.into_iter().collect())),
            ]
        })
    }

    fn as_json(value: &Value) -> serde_json::Value {
        match value {
            Value::Null => serde_json::Value::Null,
            Value::Text(text) => serde_json::Value::String(text.clone()),
            Value::List(items) => serde_json::Value::Array(items.iter().map(as_json).collect()),
            Value::Map(pairs) => serde_json::Value::Object(
                pairs.iter().map(|(k, v)| (k.clone(), as_json(v))).collect(),
            ),
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_the_same(value in values()) {
            prop_assert_eq!(Value::parse(&value.render()).unwrap(), value);
        }

        #[test]
        fn an_independent_reader_agrees(value in values()) {
            let document = format!("key: {}\n", value.render());
            let read: serde_json::Value = serde_saphyr::from_str(&document)
                .map_err(|error| TestCaseError::fail(format!("{document:?}: {error}")))?;
            prop_assert_eq!(&read["key"], &as_json(&value), "{:?}", document);
        }

        #[test]
        fn no_input_panics(source: String) {
            let _ = Value::parse(&source);
            let _ = split_key(&source);
        }
    }
}
