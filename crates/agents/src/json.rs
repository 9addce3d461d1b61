//! Foreign JSON, read without trusting that any field is what it was in another version.

use std::borrow::Cow;

use serde::Deserialize;

use crate::skim;
pub(crate) use crate::skim::{Fit, Value};

/// A field as it stands, whatever it is.
pub(crate) type Raw<'a> = Option<Value<'a>>;

/// Foreign records and what is in them. A field is taken as it stands, whatever it is, unless a shape is
/// named; behind `=` stands its name there, if that is another. A field as it stands may be missing; one of
/// a shape may be with `#[serde(default)]`.
macro_rules! wire {
    ($(
        $(#[$about:meta])*
        $access:vis struct $name:ident<$life:lifetime> {
            $(
                $(#[$about_field:meta])*
                $access_field:vis $field:ident $(= $word:literal)? $(: $shape:ty)?,
            )*
        }
    )*) => {$(
        #[derive(serde::Deserialize)]
        $(#[$about])*
        $access struct $name<$life> {
            $(
                $(#[$about_field])*
                #[serde(borrow $(, rename = $word)?)]
                $access_field $field: $crate::json::wire_shape!($life $($shape)?),
            )*
        }
    )*};
}

/// The type of a field of such a record.
macro_rules! wire_shape {
    ($life:lifetime) => { $crate::json::Raw<$life> };
    ($life:lifetime $shape:ty) => { $shape };
}

pub(crate) use {wire, wire_shape};

/// A text, if the field is one.
pub(crate) fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    skim::text(raw?.get())
}

/// Whether a field is there and does not say no. A mark that somebody else wrote a record counts whatever its shape
/// is.
pub(crate) fn is_set(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| !matches!(raw.get(), "false" | "null"))
}

/// Whether a field says yes.
pub(crate) fn is_true(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

pub(crate) fn number<T: std::str::FromStr>(raw: Raw<'_>) -> Option<T> {
    raw?.get().parse().ok()
}

/// A record of the shape that is expected.
pub(crate) fn read<'a, T: Deserialize<'a>>(line: &'a str) -> Option<T> {
    skim::read(line)
}

/// The value of a field, if it has the shape that is expected.
pub(crate) fn shaped<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Option<T> {
    skim::read(raw?.get())
}

/// The elements of a list that have the shape that is expected.
pub(crate) fn list<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Vec<T> {
    // Hardly ever has one another shape.
    if let Some(all) = shaped(raw) {
        return all;
    }
    let all: Vec<Value<'_>> = shaped(raw).unwrap_or_default();
    all.into_iter().filter_map(|one| shaped(Some(one))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Value, is_set, is_true, text};

    #[test]
    fn a_mark_of_another_shape_is_set() {
        for (raw, set) in [
            ("true", true),
            ("\"true\"", true),
            ("1", true),
            ("{}", true),
            ("[]", true),
            ("false", false),
            ("null", false),
        ] {
            assert_eq!((is_set(Value::of(raw)), is_set(None)), (set, false), "{raw}");
            assert_eq!(is_true(Value::of(raw)), raw == "true", "{raw}");
        }
    }

    #[test]
    fn half_a_character_costs_only_itself() {
        for (raw, wanted) in [
            (r#""plain""#, Some("plain")),
            (r#""full \ud83c\udf15""#, Some("full \u{1f315}")),
            (r#""cut \ud83c""#, Some("cut \u{fffd}")),
            (r#""\udf15\n\ud83c and on""#, Some("\u{fffd}\n\u{fffd} and on")),
            ("7", None),
        ] {
            assert_eq!(text(Value::of(raw)).as_deref(), wanted, "{raw}");
        }
    }
}
