//! Quotations within a request: sentences of somebody else's.

use std::borrow::Cow;

use super::sources::SAYING;

/// Stands for a quotation that was taken out. Nobody types it.
pub(super) const GONE: char = '\u{fffc}';

/// Words in quotation marks that are more than a name.
const QUOTED: usize = 3;

/// A text without the quotations in it that are sentences of somebody's. Short ones are names and stay.
pub(super) fn without_quotes(text: &str) -> Cow<'_, str> {
    if !text.contains(['"', '“', '„', '«', '「']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['"', '“', '„', '«', '「']) {
        let mark = rest[open..].chars().next().unwrap_or('"');
        let closers: &[char] = match mark {
            '“' => &['”', '"'],
            '„' => &['“', '”', '"'],
            '«' => &['»'],
            '「' => &['」'],
            _ => &['"', '”'],
        };
        let inside = &rest[open + mark.len_utf8()..];
        let Some(close) = inside.find(closers).filter(|close| !inside[..*close].contains("\n\n\n"))
        else {
            break;
        };
        let after = close + inside[close..].chars().next().map_or(1, char::len_utf8);
        let said = &inside[..close];
        let is_long = said.split_whitespace().count() >= QUOTED
            || !said.is_ascii() && said.chars().count() >= 8;
        let before = &rest[..open];
        if is_long && is_speech(before, said) {
            out.push_str(before);
            out.push(GONE);
        } else {
            out.push_str(&rest[..open + mark.len_utf8() + after]);
        }
        rest = &inside[after..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether what stands in quotation marks is what somebody said: behind a colon, at the beginning of a line, of
/// several sentences, or behind a word for saying.
fn is_speech(before: &str, said: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().trim_end();
    let last = line.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let sentences =
        said.trim_end_matches(['.', '!', '?', '。']).contains(". ") || said.contains('\n');
    line.is_empty()
        || line.ends_with([':', '：', ',', '>', '-'])
        || sentences
        || SAYING.contains(&last.as_str())
        || last == "that"
}
