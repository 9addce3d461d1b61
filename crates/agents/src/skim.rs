//! Reads JSON without looking at what is not asked for: of a value that nobody wants, only its end is
//! searched. What is wrong inside of one is not noticed.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{BorrowedStrDeserializer, Error};
use serde::de::{DeserializeSeed, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

/// A value as it stands, whatever it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a>(&'a str);

impl<'a> Value<'a> {
    /// The value that a text is, if it is one as far as can be seen from outside.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        let text = text.trim_ascii();
        (value_end(text.as_bytes(), 0)? == text.len()).then_some(Self(text))
    }

    pub(crate) fn get(self) -> &'a str {
        self.0
    }
}

/// By these names a value asks for itself, and to be passed over where it does not fit.
const ITSELF: &str = "segue: as it stands";
const IF_IT_FITS: &str = "segue: if it fits";

impl<'de: 'a, 'a> Deserialize<'de> for Value<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Itself;
        impl<'de> Visitor<'de> for Itself {
            type Value = Value<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Value<'de>, E> {
                Ok(Value(text))
            }
        }
        deserializer.deserialize_newtype_struct(ITSELF, Itself)
    }
}

/// A value that is read where it stands, in the same pass, if it has the shape that is expected.
#[derive(Clone, Debug)]
pub(crate) struct Fit<T>(pub(crate) Option<T>);

impl<T> Default for Fit<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Fit<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IfItFits<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for IfItFits<T> {
            type Value = Fit<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut value: A) -> Result<Fit<T>, A::Error> {
                Ok(Fit(value.next_value().ok()))
            }
        }
        deserializer.deserialize_newtype_struct(IF_IT_FITS, IfItFits(PhantomData))
    }
}

/// Reads a text that is one value.
pub(crate) fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    let mut at = past_blanks(text.as_bytes(), 0);
    let value = T::deserialize(Skim { text, at: &mut at }).ok()?;
    (past_blanks(text.as_bytes(), at) == text.len()).then_some(value)
}

/// A text and where a value of it begins. Reading the value goes past it.
struct Skim<'c, 'a> {
    text: &'a str,
    at: &'c mut usize,
}

impl<'a> Skim<'_, 'a> {
    fn again(&mut self) -> Skim<'_, 'a> {
        Skim { text: self.text, at: self.at }
    }

    fn value(&mut self) -> Result<&'a str, Error> {
        let end = value_end(self.text.as_bytes(), *self.at).ok_or_else(torn)?;
        let value = &self.text[*self.at..end];
        *self.at = end;
        Ok(value)
    }
}

fn torn() -> Error {
    Error::custom("a value without an end")
}

impl<'de> Deserializer<'de> for Skim<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        match self.text.as_bytes().get(*self.at) {
            Some(b'{') => visitor.visit_map(Inside::new(self)),
            Some(b'[') => visitor.visit_seq(Inside::new(self)),
            _ => {
                let value = self.value()?;
                if value.starts_with('"') {
                    return match text(value) {
                        Some(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
                        Some(Cow::Owned(text)) => visitor.visit_string(text),
                        None => Err(Error::custom("an escape that is none")),
                    };
                }
                let mut plain = serde_json::Deserializer::from_str(value);
                let read = plain.deserialize_any(visitor).map_err(Error::custom)?;
                plain.end().map_err(Error::custom)?;
                Ok(read)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.text[*self.at..].starts_with("null") {
            *self.at += "null".len();
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match name {
            ITSELF => visitor.visit_borrowed_str(self.value()?),
            IF_IT_FITS => visitor.visit_map(Fitting(self)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        self.value()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct enum identifier
    }
}

/// What a text says.
pub(crate) fn text(value: &str) -> Option<Cow<'_, str>> {
    let inside = value.strip_prefix('"')?.strip_suffix('"')?;
    // Most have no escapes and need not be copied.
    if memchr::memchr(b'\\', inside.as_bytes()).is_none() {
        return Some(inside.into());
    }
    serde_json::from_str::<String>(value).ok().map(Cow::Owned).or_else(|| mended(value))
}

/// A text in which a character was cut in two, as programs do that count in halves of them.
fn mended(value: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Bytes<'a>(#[serde(borrow)] Cow<'a, [u8]>);
    let bytes = serde_json::from_str::<Bytes<'_>>(value).ok()?.0;
    let text = String::from_utf8_lossy(&bytes);
    // Each half is three bytes that are no character.
    Some(text.replace("\u{fffd}\u{fffd}\u{fffd}", "\u{fffd}").into())
}

/// A value that is passed over if it does not fit.
struct Fitting<'c, 'a>(Skim<'c, 'a>);

impl<'de> MapAccess<'de> for Fitting<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, _: K) -> Result<Option<K::Value>, Error> {
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let begins = *self.0.at;
        let read = seed.deserialize(self.0.again());
        if read.is_err() {
            *self.0.at = begins;
            // If it has no end either, whoever goes on from here will see it.
            let _ = self.0.value();
        }
        read
    }
}

/// What stands in an object or a list.
struct Inside<'c, 'a> {
    skim: Skim<'c, 'a>,
    /// Nothing was read yet.
    first: bool,
}

impl<'c, 'a> Inside<'c, 'a> {
    fn new(skim: Skim<'c, 'a>) -> Self {
        *skim.at += 1;
        Self { skim, first: true }
    }

    /// Goes to the next thing, or past the end.
    fn advance(&mut self, close: u8) -> Result<bool, Error> {
        let bytes = self.skim.text.as_bytes();
        let at = past_blanks(bytes, *self.skim.at);
        let first = std::mem::take(&mut self.first);
        match bytes.get(at) {
            Some(byte) if *byte == close => {
                *self.skim.at = at + 1;
                Ok(false)
            }
            Some(b',') if !first => {
                *self.skim.at = past_blanks(bytes, at + 1);
                Ok(true)
            }
            Some(_) if first => {
                *self.skim.at = at;
                Ok(true)
            }
            _ => Err(torn()),
        }
    }
}

impl<'de> MapAccess<'de> for Inside<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        if !self.advance(b'}')? {
            return Ok(None);
        }
        let bytes = self.skim.text.as_bytes();
        if bytes.get(*self.skim.at) != Some(&b'"') {
            return Err(torn());
        }
        let key = self.skim.value()?;
        let colon = past_blanks(bytes, *self.skim.at);
        if bytes.get(colon) != Some(&b':') {
            return Err(torn());
        }
        *self.skim.at = past_blanks(bytes, colon + 1);
        match text(key).ok_or_else(torn)? {
            Cow::Borrowed(key) => seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some),
            Cow::Owned(key) => seed.deserialize(key.into_deserializer()).map(Some),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(self.skim.again())
    }
}

impl<'de> SeqAccess<'de> for Inside<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if !self.advance(b']')? {
            return Ok(None);
        }
        seed.deserialize(self.skim.again()).map(Some)
    }
}

/// Bytes of a text that are looked at one by one.
const SHORT: usize = 16;

fn past_blanks(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Where the value ends that begins here.
fn value_end(bytes: &[u8], from: usize) -> Option<usize> {
    match bytes.get(from)? {
        b'"' => text_end(bytes, from),
        b'{' | b'[' => nested_end(bytes, from),
        b',' | b':' | b'}' | b']' => None,
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
            let rest = &bytes[from..];
            Some(from + rest.iter().position(ends).unwrap_or(rest.len()))
        }
    }
}

fn text_end(bytes: &[u8], from: usize) -> Option<usize> {
    let inside = from + 1;
    let mut at = inside;
    // Most are short, and a search begins slowly.
    for byte in bytes.get(inside..)?.iter().take(SHORT) {
        match byte {
            b'"' => return Some(at + 1),
            b'\\' => break,
            _ => at += 1,
        }
    }
    loop {
        at += memchr::memchr(b'"', bytes.get(at..)?)?;
        // Escapes are many and quotes few: what stands before a quote says whether it ends the text.
        let escapes = bytes[inside..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        at += 1;
        if escapes % 2 == 0 {
            return Some(at);
        }
    }
}

fn nested_end(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = text_end(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Some3<'a> {
        #[serde(borrow)]
        name: Option<Cow<'a, str>>,
        count: Option<u32>,
        list: Option<Vec<String>>,
    }

    #[derive(Debug, Deserialize)]
    struct Raws<'a> {
        #[serde(borrow)]
        a: Option<Value<'a>>,
        #[serde(borrow)]
        b: Option<Value<'a>>,
    }

    #[test]
    fn what_is_asked_for_is_read_and_the_rest_passed_over() {
        let text = r#" {"x": {"deep": [1, "}\"", {"y": "]"}]}, "name" : "a\nb","count":7,"list":["p","q\\"], "z":null} "#;
        let read: Some3<'_> = read(text).unwrap();
        assert_eq!(read.name.unwrap(), "a\nb");
        assert_eq!((read.count, read.list.unwrap()), (Some(7), vec!["p".into(), "q\\".to_owned()]));
        let raws: Raws<'_> = super::read(r#"{"\u0061":1,"b":{"c":[ ]}, "c": null}"#).unwrap();
        assert_eq!(raws.a.unwrap().get(), "1");
        assert_eq!(raws.b.unwrap().get(), "{\"c\":[ ]}");
        let map: BTreeMap<String, Value<'_>> = super::read(r#"{"a\"b": -1.5e3}"#).unwrap();
        assert_eq!(map["a\"b"].get(), "-1.5e3");
    }

    #[test]
    fn what_has_no_end_is_not_a_value() {
        for torn in [
            "",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":\"x}",
            "{\"a\":[1,2}",
            "{a:1}",
            "{\"a\" 1}",
            "{\"a\":1}}",
            "{\"a\":1} x",
            "{,}",
            "{\"a\":1,}",
            "{\"a\":,}",
            "[1",
            "\"abc\\",
            "1",
            "nul",
        ] {
            assert!(read::<Some3<'_>>(torn).is_none(), "{torn}");
        }
        assert!(
            Value::of("{} {}").is_none() && Value::of("\"a").is_none() && Value::of("").is_none()
        );
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(Value::of(&deep).unwrap().get().len(), deep.len());
        assert!(read::<Vec<u8>>("[1, 2 ,3]").unwrap() == [1, 2, 3]);
    }

    #[test]
    fn what_does_not_fit_is_passed_over_alone() {
        #[derive(Deserialize)]
        struct Outer<'a> {
            #[serde(borrow, default)]
            inner: Fit<Some3<'a>>,
            #[serde(default)]
            all: Fit<Vec<Fit<u8>>>,
            last: u8,
        }
        let text = r#"{"inner":{"count":"seven","x":[1]},"all":[1,"x",{"y":2},3], "last":9}"#;
        let outer: Outer<'_> = read(text).unwrap();
        assert!(outer.inner.0.is_none() && outer.last == 9);
        let all: Vec<_> = outer.all.0.unwrap().into_iter().map(|one| one.0).collect();
        assert_eq!(all, [Some(1), None, None, Some(3)]);
        let outer: Outer<'_> = read(r#"{"inner":{"count":7}, "last":9}"#).unwrap();
        assert_eq!(outer.inner.0.unwrap().count, Some(7));
        assert!(read::<Outer<'_>>(r#"{"inner":{"count":7, "last":9}"#).is_none());
    }

    proptest::proptest! {
        #[test]
        fn what_serde_json_reads_is_read_the_same(text in r#"[\[\]{}",:\\ a1nu-]{0,24}"#) {
            if let Ok(one) = serde_json::from_str::<serde_json::Value>(&text) {
                assert_eq!(read::<serde_json::Value>(&text), Some(one), "{text}");
            } else {
                let _ = read::<serde_json::Value>(&text);
            }
        }
    }
}
