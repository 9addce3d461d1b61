//! JSON with comments and trailing commas, taken apart without losing where anything stands.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{BOM, SettingsError};

/// Nobody nests settings so deep; a stack has an end.
const DEEPEST: usize = 200;

/// A value and where it stands.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Object(Vec<Slot>),
    List(Vec<Slot>),
    Text(String),
    /// A number, `true`, `false` or `null`.
    Plain,
}

/// A member of an object, or an element of a list.
#[derive(Debug)]
pub(crate) struct Slot {
    /// The key of a member, without its escapes; of an element, nothing.
    pub(crate) key: String,
    /// Where the key, or the element, begins.
    pub(crate) start: usize,
    pub(crate) value: Node,
    /// The comma behind it.
    pub(crate) comma: Option<usize>,
}

impl Slot {
    pub(crate) fn end(&self) -> usize {
        self.value.span.end
    }
}

impl Node {
    /// What an object or a list holds.
    pub(crate) fn slots(&self) -> &[Slot] {
        match &self.kind {
            Kind::Object(slots) | Kind::List(slots) => slots,
            Kind::Text(_) | Kind::Plain => &[],
        }
    }

    /// The values of a key: usually one, but nothing forbids more.
    pub(crate) fn values<'n, 'k>(
        &'n self,
        key: &'k str,
    ) -> impl Iterator<Item = &'n Node> + use<'n, 'k> {
        let slots = if let Kind::Object(slots) = &self.kind { &slots[..] } else { &[] };
        slots.iter().filter(move |slot| slot.key == key).map(|slot| &slot.value)
    }

    /// The value of a key; of several the last, as readers of JSON have it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Object(slots) => {
                slots.iter().rfind(|slot| slot.key == key).map(|slot| &slot.value)
            }
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object(_))
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self.kind, Kind::List(_))
    }

    /// What is between the brackets of an object or a list.
    pub(crate) fn inside(&self) -> Range<usize> {
        self.span.start + 1..self.span.end - 1
    }

    /// The value itself.
    pub(crate) fn value(&self, text: &str) -> Value {
        match &self.kind {
            Kind::Object(slots) => {
                let members = slots.iter().map(|slot| (slot.key.clone(), slot.value.value(text)));
                Value::Object(members.collect::<Map<String, Value>>())
            }
            Kind::List(slots) => slots.iter().map(|slot| slot.value.value(text)).collect(),
            Kind::Text(text) => Value::String(text.clone()),
            Kind::Plain => serde_json::from_str(&text[self.span.clone()]).unwrap_or_default(),
        }
    }
}

/// Takes a text apart. `None` if there is nothing in it but space and comments.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, SettingsError> {
    let mut reader = Reader { text, at: if text.starts_with(BOM) { BOM.len_utf8() } else { 0 } };
    reader.space()?;
    if reader.peek().is_none() {
        return Ok(None);
    }
    let node = reader.value(0)?;
    reader.space()?;
    match reader.peek() {
        None => Ok(Some(node)),
        Some(_) => Err(reader.wrong("something stands behind the end")),
    }
}

/// The end of the last comment in a stretch of space and comments, and whether it is one that only
/// the end of its line ends. The beginning, if there is none.
pub(crate) fn last_comment(text: &str, stretch: Range<usize>) -> (usize, bool) {
    let mut reader = Reader { text: &text[..stretch.end], at: stretch.start };
    let mut found = (stretch.start, false);
    while let Some(byte) = reader.peek() {
        if byte != b'/' {
            reader.at += 1;
            continue;
        }
        let to_line_end = reader.text[reader.at..].starts_with("//");
        if reader.comment().is_err() {
            break;
        }
        found = (reader.at, to_line_end);
    }
    found
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, what: impl Into<String>) -> SettingsError {
        SettingsError::at(self.text, self.at, what)
    }

    fn space(&mut self) -> Result<(), SettingsError> {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' => self.comment()?,
                _ => break,
            }
        }
        Ok(())
    }

    fn comment(&mut self) -> Result<(), SettingsError> {
        let rest = &self.text[self.at..];
        if rest.starts_with("//") {
            let line = rest.split('\n').next().unwrap_or(rest);
            self.at += line.strip_suffix('\r').unwrap_or(line).len();
            return Ok(());
        }
        if !rest.starts_with("/*") {
            return Err(self.wrong("a lone '/'"));
        }
        match rest[2..].find("*/") {
            Some(end) => self.at += end + 4,
            None => return Err(self.wrong("a comment without an end")),
        }
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Node, SettingsError> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{' | b'[') if depth >= DEEPEST => {
                return Err(self.wrong("it is nested too deeply"));
            }
            Some(b'{') => Kind::Object(self.slots(b'}', depth)?),
            Some(b'[') => Kind::List(self.slots(b']', depth)?),
            Some(b'"') => Kind::Text(self.string()?),
            Some(_) => {
                let word = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte);
                while self.peek().is_some_and(word) {
                    self.at += 1;
                }
                let said = &self.text[start..self.at];
                if !serde_json::from_str::<Value>(said).is_ok_and(|value| !value.is_string()) {
                    self.at = start;
                    return Err(self.wrong("a value is expected here"));
                }
                Kind::Plain
            }
            None => return Err(self.wrong("it ends too early")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    /// What stands between brackets, up to and with the closing one.
    fn slots(&mut self, close: u8, depth: usize) -> Result<Vec<Slot>, SettingsError> {
        let mut slots: Vec<Slot> = Vec::new();
        self.at += 1;
        loop {
            self.space()?;
            match self.peek() {
                None => return Err(self.wrong("it ends too early")),
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(slots);
                }
                Some(b',') => match slots.last_mut().filter(|slot| slot.comma.is_none()) {
                    Some(slot) => {
                        slot.comma = Some(self.at);
                        self.at += 1;
                        continue;
                    }
                    None => return Err(self.wrong("a comma with nothing before it")),
                },
                Some(_) if slots.last().is_some_and(|slot| slot.comma.is_none()) => {
                    return Err(self.wrong("a comma is missing before this"));
                }
                Some(_) => {}
            }
            let start = self.at;
            let mut key = String::new();
            if close == b'}' {
                if self.peek() != Some(b'"') {
                    return Err(self.wrong("a key in double quotes is expected here"));
                }
                key = self.string()?;
                self.space()?;
                if self.peek() != Some(b':') {
                    return Err(self.wrong("a colon is expected here"));
                }
                self.at += 1;
                self.space()?;
            }
            let value = self.value(depth + 1)?;
            slots.push(Slot { key, start, value, comma: None });
        }
    }

    fn string(&mut self) -> Result<String, SettingsError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                None | Some(b'\n') => {
                    self.at = start;
                    return Err(self.wrong("a text without an end"));
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        let said = self.text.get(start..self.at).unwrap_or_default();
        if said.len() > 1 && !said.bytes().any(|byte| byte == b'\\' || byte < b' ') {
            return Ok(said[1..said.len() - 1].to_owned());
        }
        let tabs_escaped = said.replace('\t', "\\t");
        serde_json::from_str(&tabs_escaped).map_err(|_| {
            self.at = start;
            self.wrong("a text with an escape or a character that JSON does not know")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_read() {
        let text =
            "\u{feff}// c\r\n{ \"a\\u0062\": [1, -2.5e3, /* x */ true,], \"c\": {}, } // end";
        let node = parse(text).unwrap().unwrap();
        assert_eq!(node.value(text), serde_json::json!({"ab": [1, -2.5e3, true], "c": {}}));
        assert!(parse(" \n// only this\n").unwrap().is_none());
        assert!(parse("").unwrap().is_none());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, place) in [
            ("{\n  \"a\": 1\n  \"b\": 2\n}", (3, 3)),
            ("{\"a\" 1}", (1, 6)),
            ("{'a': 1}", (1, 2)),
            ("{\"a\": }", (1, 7)),
            ("{\"a\": 1", (1, 8)),
            ("{\"a\": \"x\n\"}", (1, 7)),
            ("[1,,2]", (1, 4)),
            ("{} x", (1, 4)),
            ("{\"é\": nul}", (1, 7)),
            ("/* x", (1, 1)),
            ("{\"a\": \"\\q\"}", (1, 7)),
            ("\u{feff}x", (1, 1)),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.at, Some(place), "{text}: {error}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse("\"\\").is_err());
    }
}
