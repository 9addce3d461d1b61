//! Our entry in settings that are YAML: one key below a top-level mapping, in lines of its own. Anything
//! written on one line is left alone.
//!
//! Lines are edited, and a reader of YAML says whether that was understood: the text has to be valid
//! before, and afterwards has to say the same but for our entry.

use std::ops::Range;

use serde_json::{Map, Value};

use super::command::is_segue;
use super::{BOM, SettingsError, appended, line_end, without};

/// An entry below a top-level key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) under: &'static str,
    pub(crate) name: &'static str,
    /// Keys and values of it, as they are written; `cmd` is the program.
    pub(crate) lines: Vec<(&'static str, String)>,
}

impl Entry {
    fn rendered(&self, indent: &str, end: &str) -> String {
        let keys = self.lines.iter().map(|(key, value)| format!("{indent}{indent}{key}: {value}"));
        let all: Vec<String> =
            std::iter::once(format!("{indent}{}:", self.name)).chain(keys).collect();
        all.join(end)
    }

    fn value(&self, key: &str) -> Option<&str> {
        self.lines.iter().find(|(known, _)| *known == key).map(|(_, value)| value.as_str())
    }
}

/// What a text says.
fn read(text: &str) -> Result<Map<String, Value>, SettingsError> {
    let plain = text.trim_start_matches(BOM);
    let value = serde_saphyr::from_str::<Option<Value>>(plain).map_err(|error| {
        let at = error.location().map(|at| (at.line() as usize, at.column() as usize));
        let what = error.without_snippet().to_string();
        SettingsError { what: what.lines().next().unwrap_or_default().to_owned(), at }
    })?;
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(members)) => Ok(members),
        Some(_) => Err(SettingsError::at(text, 0, "it is not a mapping")),
    }
}

/// What a text says besides our entry.
fn besides(mut members: Map<String, Value>, entry: &Entry) -> Map<String, Value> {
    let under = members.get_mut(entry.under);
    if let Some(Value::Object(below)) = under {
        below.shift_remove(entry.name);
        if below.is_empty() {
            members.shift_remove(entry.under);
        }
    } else if under.is_some_and(|under| under.is_null()) {
        members.shift_remove(entry.under);
    }
    members
}

/// Whether an entry runs our server.
fn is_ours(there: &Value) -> bool {
    let first = there["args"].as_array().and_then(|args| args.first());
    there["cmd"].as_str().is_some_and(is_segue) && first.and_then(Value::as_str) == Some("mcp")
}

/// A line: where it is, how far in it begins, and what it says without a comment behind it.
struct Line<'t> {
    range: Range<usize>,
    indent: usize,
    says: &'t str,
}

impl Line<'_> {
    fn is_empty(&self) -> bool {
        self.says.is_empty()
    }

    /// What stands behind this key, if the line begins with it.
    fn after(&self, key: &str) -> Option<&str> {
        let rest = match self.says.strip_prefix(['"', '\'']) {
            Some(rest) => rest.strip_prefix(key)?.strip_prefix(['"', '\''])?,
            None => self.says.strip_prefix(key)?,
        };
        let rest = rest.trim_start().strip_prefix(':')?;
        (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim())
    }
}

fn lines(text: &str) -> Result<Vec<Line<'_>>, SettingsError> {
    let mut at = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    let mut all = Vec::new();
    for line in text[at..].split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let line = line.trim_end();
        let says = line.trim_start_matches(' ');
        if says.starts_with('\t') {
            return Err(SettingsError::at(text, range.start, "a tab where YAML has only spaces"));
        }
        let indent = line.len() - says.len();
        let says = if says.starts_with('#') { "" } else { says };
        let says = says.split_once(" #").map_or(says, |(says, _)| says).trim_end();
        // A second document, or the end of one: what is behind is not what it seems.
        if indent == 0
            && (says == "..." || (says.starts_with("---") && !all.iter().all(Line::is_empty)))
        {
            return Err(SettingsError::at(text, range.start, "it has several documents"));
        }
        if indent == 0 && says.starts_with(['{', '[']) {
            return Err(SettingsError::at(
                text,
                range.start,
                "it is written in braces; add the entry by hand",
            ));
        }
        all.push(Line { range, indent, says: if says == "---" { "" } else { says } });
    }
    Ok(all)
}

/// Where things are.
struct Found {
    /// The line of the key above, and of what stands below it.
    header: Range<usize>,
    children: usize,
    /// How far in that begins.
    indent: usize,
    ours: Option<Ours>,
}

/// Our entry.
struct Ours {
    lines: Range<usize>,
    /// The line that names the program, without its indentation.
    cmd: Option<Range<usize>>,
    /// The program, as it is written.
    says: Option<String>,
    /// Whether that is the program that it is to be.
    same: bool,
}

fn find(text: &str, entry: &Entry) -> Result<Option<Found>, SettingsError> {
    let all = lines(text)?;
    let header = |line: &Line<'_>| line.indent == 0 && line.after(entry.under).is_some();
    let Some(at) = all.iter().position(header) else { return Ok(None) };
    let under = entry.under;
    if all[at].after(under) != Some("") {
        let what = format!("'{under}' is written on one line; add the entry by hand");
        return Err(SettingsError::at(text, all[at].range.start, what));
    }
    let below: Vec<&Line<'_>> =
        all[at + 1..].iter().take_while(|line| line.is_empty() || line.indent > 0).collect();
    let indent = below.iter().find(|line| !line.is_empty()).map_or(2, |line| line.indent);
    let children = below.iter().filter(|line| !line.is_empty() && line.indent == indent).count();
    let is_ours = |line: &&Line<'_>| line.indent == indent && line.after(entry.name).is_some();
    let ours = match below.iter().position(is_ours) {
        None => None,
        Some(first) => {
            let inner = below[first + 1..]
                .iter()
                .take_while(|line| line.is_empty() || line.indent > indent)
                .collect::<Vec<_>>();
            let value = |key: &str| inner.iter().find_map(|line| line.after(key));
            let last = inner.iter().rfind(|line| !line.is_empty());
            let end = last.map_or(below[first].range.end, |last| last.range.end);
            let cmd = inner.iter().find(|line| line.after("cmd").is_some());
            let cmd = cmd.map(|line| line.range.start + line.indent..line.range.end);
            let same = value("cmd") == entry.value("cmd");
            let says = value("cmd").map(str::to_owned);
            Some(Ours { lines: below[first].range.start..end, cmd, says, same })
        }
    };
    Ok(Some(Found { header: all[at].range.clone(), children, indent, ours }))
}

/// A text with the entry. One that is there runs the program that it is to run afterwards, and is else
/// as it was.
pub(crate) fn put(text: &str, entry: &Entry) -> Result<String, SettingsError> {
    let found = find(text, entry)?;
    let before = read(text)?;
    let there = before.get(entry.under).and_then(|under| under.get(entry.name));
    let line = found.as_ref().and_then(|found| found.ours.as_ref()).map(|ours| ours.lines.start);
    if there.is_some_and(|there| !is_ours(there)) {
        let what = format!("another entry is called '{}'", entry.name);
        return Err(SettingsError::at(text, line.unwrap_or(0), what));
    }
    let made = with_entry(text, entry, found)?;
    let after = read(&made).ok().filter(|after| {
        let ours = after.get(entry.under).and_then(|under| under.get(entry.name));
        ours.is_some_and(is_ours) && besides(before, entry) == besides(after.clone(), entry)
    });
    match after {
        Some(_) => Ok(made),
        None => Err(SettingsError::new("it is written in an unusual way; add the entry by hand")),
    }
}

fn with_entry(text: &str, entry: &Entry, found: Option<Found>) -> Result<String, SettingsError> {
    let end = line_end(text);
    let Some(found) = found else {
        let lines = format!("{}:\n{}", entry.under, entry.rendered("  ", "\n"));
        return Ok(appended(text, &lines));
    };
    let (before, after) = match found.ours {
        Some(Ours { same: true, .. }) => return Ok(text.to_owned()),
        Some(Ours { cmd: Some(cmd), .. }) => {
            let old = &text[cmd.clone()];
            let ending = &old[old.trim_end().len()..];
            let line = format!("cmd: {}{ending}", entry.value("cmd").unwrap_or_default());
            return Ok(format!("{}{line}{}", &text[..cmd.start], &text[cmd.end..]));
        }
        Some(Ours { cmd: None, lines, .. }) => {
            return Err(SettingsError::at(
                text,
                lines.start,
                "its 'cmd' is not on a line of its own",
            ));
        }
        None => text.split_at(found.header.end),
    };
    let lines = entry.rendered(&" ".repeat(found.indent), end);
    let ended = before.ends_with('\n') || before.is_empty();
    let last = if ended && (text.ends_with('\n') || !after.is_empty()) { end } else { "" };
    Ok(format!("{before}{}{lines}{last}{after}", if ended { "" } else { end }))
}

/// A text without the entry. What stands above it goes too, if it was not there before.
pub(crate) fn take(
    text: &str,
    entry: &Entry,
    before: Option<&str>,
) -> Result<String, SettingsError> {
    // What could not be put in is not there.
    if !text.contains(entry.name) {
        return Ok(text.to_owned());
    }
    let says = read(text)?;
    let there = says.get(entry.under).and_then(|under| under.get(entry.name));
    if !there.is_some_and(is_ours) {
        return Ok(text.to_owned());
    }
    let by_hand =
        || SettingsError::new("it is written in an unusual way; take the entry out by hand");
    // One that somebody had made by hand runs again what it ran.
    let old = before.and_then(|before| {
        let there = read(before).ok()?.get(entry.under)?.get(entry.name).cloned();
        there.filter(is_ours)?;
        find(before, entry).ok()??.ours?.says
    });
    if let Some(cmd) = old {
        let known = entry.lines.iter().filter(|(key, _)| *key != "cmd").cloned();
        let lines = known.chain([("cmd", cmd)]).collect();
        return put(text, &Entry { lines, ..entry.clone() });
    }
    let found = find(text, entry)?.ok_or_else(by_hand)?;
    let taken = without_entry(text, entry, before, &found).ok_or_else(by_hand)?;
    let rest = read(&taken).ok().filter(|rest| {
        let ours = rest.get(entry.under).and_then(|under| under.get(entry.name));
        ours.is_none() && besides(rest.clone(), entry) == besides(says, entry)
    });
    rest.map(|_| taken).ok_or_else(by_hand)
}

fn without_entry(text: &str, entry: &Entry, before: Option<&str>, found: &Found) -> Option<String> {
    let ours = found.ours.as_ref()?.lines.clone();
    let was_there = match before {
        Some(before) => find(before, entry).is_ok_and(|found| found.is_some()),
        None => false,
    };
    if found.children == 1 && !was_there && found.header.end == ours.start {
        return Some(without(text, found.header.start..ours.end));
    }
    let head = &text[..ours.start];
    let head = match text[ours.clone()].ends_with('\n') {
        true => head,
        false => {
            head.strip_suffix('\n').map_or(head, |head| head.strip_suffix('\r').unwrap_or(head))
        }
    };
    Some(format!("{head}{}", &text[ours.end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(cmd: &str) -> Entry {
        let lines = vec![
            ("type", "stdio".to_owned()),
            ("cmd", cmd.to_owned()),
            ("args", "[mcp]".to_owned()),
        ];
        Entry { under: "extensions", name: "segue", lines }
    }

    #[test]
    fn an_entry_goes_in_and_out_without_a_trace() {
        let ours = entry("\"/a b/segue\"");
        for text in [
            "",
            "# mine\nGOOSE_MODEL: x\n",
            "GOOSE_MODEL: x",
            "---\nGOOSE_MODEL: x # y\n",
            "extensions:\n",
            "extensions:",
            "extensions: # mine\n    developer:\n        enabled: true # c\n        type: builtin\n\nGOOSE_MODE: auto\n",
            "a: 1\r\nextensions:\r\n  x:\r\n    cmd: y\r\n",
            "extensions:\n\n  # none yet\nb: |\n  segue:\n    cmd: segue\n",
            "\u{feff}extensions:\n  x: {cmd: segue}",
        ] {
            let put_in = put(text, &ours).unwrap();
            assert_ne!(put_in, text);
            assert_eq!(put(&put_in, &ours).unwrap(), put_in, "{text:?}");
            assert_eq!(take(&put_in, &ours, Some(text)).unwrap(), text, "{put_in}");
            let moved = put(&put_in, &entry("/b/segue")).unwrap();
            assert!(moved.contains("cmd: /b/segue") && !moved.contains("/a b/"), "{moved}");
            assert_eq!(take(&moved, &ours, Some(text)).unwrap(), text, "{moved}");
            let more = format!("{put_in}\nz: 1\n");
            let taken = take(&more, &ours, Some(text)).unwrap();
            assert!(taken.starts_with(text.trim_end()) && taken.ends_with("z: 1\n"), "{taken}");
        }
    }

    #[test]
    fn what_somebody_set_in_it_stays_when_the_program_moves() {
        let text = "extensions:\n  segue:\n    cmd: segue # mine\n    args: [mcp]\n    timeout: 9\n    envs: {A: b}\n";
        let moved = put(text, &entry("/b/segue")).unwrap();
        assert_eq!(moved, text.replace("cmd: segue # mine", "cmd: /b/segue"));
        assert_eq!(put(&moved, &entry("/b/segue")).unwrap(), moved);
        assert_eq!(take(&moved, &entry("x"), None).unwrap(), "");
    }

    #[test]
    fn what_is_no_yaml_or_would_not_be_is_left_alone() {
        let ours = entry("segue");
        for text in [
            "a: [1\nb: 2\n",
            "a: 1\n b: 2\n  - x\n",
            "- a\n- b\n",
            "word\n",
            "extensions:\n- a\n- b\n",
            "a: \"foo\nextensions:\n  bar\"\n",
            "extensions:\n  a: {x: 1}\nextensions:\n  b: {x: 1}\n",
        ] {
            assert!(put(text, &ours).is_err(), "{:?}", put(text, &ours));
            assert_eq!(take(text, &ours, None).unwrap(), text);
        }
        assert_eq!(put("a: [1\nb: 2\n", &ours).unwrap_err().at.map(|at| at.0), Some(2));
        let foreign = "extensions:\n  segue:\n    cmd: /opt/segue\n    args: [serve]\n";
        assert_eq!(put(foreign, &ours).unwrap_err().at.map(|at| at.0), Some(2));
        assert_eq!(take(foreign, &ours, None).unwrap(), foreign);
    }

    #[test]
    fn another_reader_of_yaml_sees_the_same() {
        let text = "a: 1\nextensions:\n    developer:\n        enabled: true\nb: 2\n";
        let put_in = put(text, &entry("\"/a b/segue\"")).unwrap();
        let value: Value = serde_saphyr::from_str(&put_in).unwrap();
        assert_eq!(
            value["extensions"]["segue"],
            serde_json::json!({"type": "stdio", "cmd": "/a b/segue", "args": ["mcp"]})
        );
        assert_eq!(value["extensions"]["developer"]["enabled"], true);
        assert_eq!((&value["a"], &value["b"]), (&1.into(), &2.into()));
    }

    #[test]
    fn what_is_written_otherwise_is_left_alone() {
        let ours = entry("segue");
        for (text, line) in [
            ("a: 1\nextensions: {}\n", 2),
            ("extensions: &x\n  a: 1\n", 1),
            ("{extensions: {}}\n", 1),
            ("extensions:\n\ta: 1\n", 2),
            ("a: 1\n---\nextensions:\n", 2),
            ("extensions:\n  segue:\n    cmd: other\n", 2),
        ] {
            assert_eq!(put(text, &ours).unwrap_err().at.map(|at| at.0), Some(line), "{text}");
            assert!(take(text, &ours, None).map_or(true, |taken| taken == text), "{text}");
        }
    }
}
