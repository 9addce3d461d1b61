//! Foreign JSON, read without trusting that any field is what it was in another version.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// A field as it stands, whatever it is.
pub(crate) type Raw<'a> = Option<&'a RawValue>;

/// A text, if the field is one.
pub(crate) fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    let raw = raw?.get();
    // Most have no escapes and need not be copied.
    let inside = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !inside.contains('\\') {
        return Some(inside.into());
    }
    serde_json::from_str::<Text<'_>>(raw).ok().map(|text| text.0).or_else(|| mended(raw))
}

/// A text in which a character was cut in two, as programs do that count in halves of them.
fn mended(raw: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Bytes<'a>(#[serde(borrow)] Cow<'a, [u8]>);
    let bytes = serde_json::from_str::<Bytes<'_>>(raw).ok()?.0;
    let text = String::from_utf8_lossy(&bytes);
    // Each half is three bytes that are no character.
    Some(text.replace("\u{fffd}\u{fffd}\u{fffd}", "\u{fffd}").into())
}

/// Whether a field says yes.
pub(crate) fn is_true(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

pub(crate) fn number<T: std::str::FromStr>(raw: Raw<'_>) -> Option<T> {
    raw?.get().parse().ok()
}

/// The value of a field, if it has the shape that is expected.
pub(crate) fn shaped<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}

/// The elements of a list that have the shape that is expected.
pub(crate) fn list<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Vec<T> {
    // Hardly ever has one another shape.
    if let Some(all) = shaped(raw) {
        return all;
    }
    let all: Vec<&RawValue> = shaped(raw).unwrap_or_default();
    all.into_iter().filter_map(|one| shaped(Some(one))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::text;

    #[test]
    fn half_a_character_costs_only_itself() {
        for (raw, wanted) in [
            (r#""plain""#, Some("plain")),
            (r#""full \ud83c\udf15""#, Some("full \u{1f315}")),
            (r#""cut \ud83c""#, Some("cut \u{fffd}")),
            (r#""\udf15\n\ud83c and on""#, Some("\u{fffd}\n\u{fffd} and on")),
            ("7", None),
        ] {
            let raw: &RawValue = serde_json::from_str(raw).unwrap();
            assert_eq!(text(Some(raw)).as_deref(), wanted, "{raw}");
        }
    }
}
