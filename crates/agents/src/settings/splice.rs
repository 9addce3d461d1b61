//! Puts a value into a text of JSON and takes one out again, in the style of what stands around it.
//!
//! Nothing that was there is changed, and what was put in can be taken out so that nothing is left.

use std::ops::Range;

use serde_json::Value;

use super::line_end;
use super::tree::{Node, last_comment};

/// How a text is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style<'t> {
    /// One step of indentation.
    unit: &'t str,
    end: &'static str,
    /// Whether it has lines at all.
    lines: bool,
}

impl<'t> Style<'t> {
    pub(crate) fn of(text: &'t str, root: &Node) -> Self {
        let first = root.slots().iter().map(|slot| indent(text, slot.start));
        let unit = first.flatten().find(|indent| !indent.is_empty()).unwrap_or("  ");
        let lines = root.slots().is_empty() || text[root.span.clone()].contains('\n');
        Self { unit, end: line_end(text), lines }
    }
}

/// The space before a place, if there is nothing else before it on its line.
fn indent(text: &str, at: usize) -> Option<&str> {
    let line = &text[text[..at].rfind('\n')? + 1..at];
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t')).then_some(line)
}

/// The space with which the line of a place begins.
fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Writes a value so that its lines stand below this indentation.
fn rendered(value: &Value, indent: &str, style: Style<'_>) -> String {
    let brackets = |open: char, close: char, items: Vec<String>| {
        let deeper = format!("{}{indent}{}", style.end, style.unit);
        let items = items.join(&format!(",{deeper}"));
        format!("{open}{deeper}{items}{}{indent}{close}", style.end)
    };
    let below = format!("{indent}{}", style.unit);
    match value {
        Value::Object(members) if !members.is_empty() => {
            let items = members.iter().map(|(key, value)| {
                format!("{}: {}", Value::from(key.as_str()), rendered(value, &below, style))
            });
            brackets('{', '}', items.collect())
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            brackets('[', ']', items.iter().map(|item| rendered(item, &below, style)).collect())
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// A whole text that holds only this.
pub(crate) fn document(value: &Value, end: &'static str) -> String {
    rendered(value, "", Style { unit: "  ", end, lines: true }) + end
}

/// A text with a value at the end of an object (then it has a key) or a list.
pub(crate) fn insert(
    text: &str,
    into: &Node,
    style: Style<'_>,
    key: Option<&str>,
    value: &Value,
) -> String {
    let Range { start: open, end: close } = into.inside();
    let last = into.slots().last();
    let behind = last.map_or(open, |last| last.comma.map_or(last.end(), |comma| comma + 1));
    let (place, _) = last_comment(text, behind..close);
    let breaks = |stretch: Range<usize>| text[stretch].contains('\n');
    let lines = match last {
        Some(_) => breaks(behind..close) || breaks(open..into.slots()[0].start),
        None => breaks(open..close) || style.lines,
    };
    let outer = line_indent(text, into.span.start);
    let item = |indent: &str| {
        let value =
            if lines { rendered(value, indent, style) } else { rendered_on_a_line(value, style) };
        match key {
            Some(key) => format!("{}{}{value}", Value::from(key), colon(lines || style.lines)),
            None => value,
        }
    };
    let (before, item, mut after) = if lines {
        let inner = last.and_then(|last| indent(text, last.start)).map(str::to_owned);
        let inner = inner.unwrap_or_else(|| format!("{outer}{}", style.unit));
        let closed = last.is_some() || breaks(place..close);
        let after = if closed { String::new() } else { format!("{}{outer}", style.end) };
        (format!("{}{inner}", style.end), item(&inner), after)
    } else {
        // As between the others that stand on this line.
        let space = match into.slots() {
            [.., one, other] => {
                let between = &text[one.comma.map_or(one.end(), |at| at + 1)..other.start];
                if between.bytes().all(|byte| byte == b' ') { between } else { " " }
            }
            [_] if style.lines => " ",
            _ => "",
        };
        (space.to_owned(), item(""), String::new())
    };
    let mut comma = "";
    if let Some(last) = last {
        match last.comma {
            Some(_) => after.insert(0, ','),
            None => comma = ",",
        }
    }
    let end = last.map_or(place, |last| last.end());
    format!("{}{comma}{}{before}{item}{after}{}", &text[..end], &text[end..place], &text[place..])
}

fn colon(wide: bool) -> &'static str {
    if wide { ": " } else { ":" }
}

fn rendered_on_a_line(value: &Value, style: Style<'_>) -> String {
    if !style.lines {
        return value.to_string();
    }
    match value {
        Value::Object(members) => {
            let items = members.iter().map(|(key, value)| {
                format!("{}: {}", Value::from(key.as_str()), rendered_on_a_line(value, style))
            });
            format!("{{{}}}", items.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| rendered_on_a_line(item, style));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A text with another value in the place of one.
pub(crate) fn replace(text: &str, old: &Node, style: Style<'_>, value: &Value) -> String {
    let span = old.span.clone();
    let value = match text[span.clone()].contains('\n') {
        true => rendered(value, line_indent(text, span.start), style),
        false => rendered_on_a_line(value, style),
    };
    format!("{}{value}{}", &text[..span.start], &text[span.end..])
}

/// A text without one slot of an object or a list. What is left between empty brackets is as in
/// `before`, if that is known and differs only in space.
pub(crate) fn remove(text: &str, from: &Node, index: usize, before: Option<&str>) -> String {
    let slots = from.slots();
    let slot = &slots[index];
    let behind = match index.checked_sub(1).map(|at| &slots[at]) {
        Some(previous) => previous.comma.map_or(previous.end(), |comma| comma + 1),
        None => from.inside().start,
    };
    let (comment, to_line_end) = last_comment(text, behind..slot.start);
    // All space before it; comments stay.
    let mut lead = comment;
    let rest = match slot.comma {
        Some(comma) => format!("{}{}", &text[slot.end()..comma], &text[comma + 1..]),
        None => text[slot.end()..].to_owned(),
    };
    let ends_line = rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
    if to_line_end && !ends_line {
        let line = text[lead..slot.start].find('\n').map_or(slot.start, |at| lead + at + 1);
        lead = line;
    }
    let mut head = text[..lead].to_owned();
    if let (None, Some(previous)) = (slot.comma, index.checked_sub(1).map(|at| &slots[at]))
        && let Some(comma) = previous.comma
    {
        head.remove(comma);
    }
    if slots.len() > 1 {
        return head + &rest;
    }
    // Nothing is left in it but comments and space.
    let open = from.inside().start;
    let tail = text.len() - from.inside().end;
    let inner = format!("{}{}", &head[open..], &rest[..rest.len() - tail]);
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let inner = match before {
        Some(before) if plain(before) == plain(&inner) => before,
        _ if inner.trim().is_empty() => "",
        _ => &inner,
    };
    format!("{}{inner}{}", &head[..open], &rest[rest.len() - tail..])
}
