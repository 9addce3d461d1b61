//! Data that was pasted into a request, such as YAML and JSON: lines that look like a list and are none.

/// Lines that are data, at least, to be taken for pasted.
const LEAST_LINES: usize = 3;

/// Data of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PastedData {
    /// What it is called.
    pub(crate) kind: &'static str,
    pub(crate) bytes: usize,
    /// Its first line.
    pub(crate) first: String,
}

/// A text without the data in it, and what that was.
pub(crate) fn without_data(text: &str) -> (String, Option<PastedData>) {
    let lines: Vec<&str> = text.lines().collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut data: Option<PastedData> = None;
    let mut at = 0;
    while at < lines.len() {
        let found = yaml_at(&lines[at..])
            .map(|count| ("YAML", count))
            .or_else(|| json_at(&lines[at..]).map(|count| ("JSON", count)));
        let Some((kind, count)) = found else {
            kept.push(lines[at]);
            at += 1;
            continue;
        };
        let bytes: usize = lines[at..at + count].iter().map(|line| line.len() + 1).sum();
        match &mut data {
            Some(data) => data.bytes += bytes,
            None => data = Some(PastedData { kind, bytes, first: lines[at].trim().to_owned() }),
        }
        at += count;
    }
    match data {
        // Of a request that is nothing else there is nothing left to tell.
        Some(_) if !kept.iter().any(|line| line.contains(char::is_alphanumeric)) => {
            (text.to_owned(), None)
        }
        Some(data) => (kept.join("\n").trim().to_owned(), Some(data)),
        None => (text.to_owned(), None),
    }
}

/// How many lines of YAML begin here: keys, some of them below others.
fn yaml_at(lines: &[&str]) -> Option<usize> {
    let base = indent_of(lines.first()?);
    yaml_key(lines.first()?)?;
    let mut count = 0;
    let mut nests = false;
    let mut above: Option<(usize, bool)> = None;
    for line in lines {
        if line.trim().is_empty() {
            count += 1;
            continue;
        }
        let indent = indent_of(line);
        let key = yaml_key(line);
        let is_item = line.trim_start().starts_with("- ");
        if indent < base || key.is_none() && !is_item && indent <= base {
            break;
        }
        // A key below another one, which is more than a list of names with a colon.
        if let (Some(_), Some((over, opens))) = (key, above)
            && !is_item
            && indent > over
            && opens
        {
            nests = true;
        }
        above = key.map(|has_value| (indent, !has_value || is_item));
        count += 1;
    }
    let said = lines[..count].iter().filter(|line| !line.trim().is_empty()).count();
    while count > 0 && lines[count - 1].trim().is_empty() {
        count -= 1;
    }
    (nests && said >= LEAST_LINES).then_some(count)
}

/// Whether a line of YAML has a value behind its key; none if it has no key. Keys are single words in small letters:
/// people begin their notes with a capital.
fn yaml_key(line: &str) -> Option<bool> {
    let bare = line.trim();
    let bare = bare.strip_prefix("- ").unwrap_or(bare);
    let (key, value) = bare.split_once(':')?;
    let key = key.trim_matches(['"', '\'']);
    let is_key = key.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '_' | '.' | '$'))
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-/$".contains(&byte));
    (is_key && (value.is_empty() || value.starts_with(' '))).then(|| !value.trim().is_empty())
}

/// How many lines of JSON begin here: from a bracket to the one that closes it.
fn json_at(lines: &[&str]) -> Option<usize> {
    let first = lines.first()?.trim();
    if !(first.ends_with(['{', '[']) && (first.len() == 1 || first.starts_with('"'))) {
        return None;
    }
    let mut open = 0_usize;
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim();
        let is_json = bare.is_empty()
            || bare.starts_with(['{', '}', '[', ']', '"', '-'])
            || bare.starts_with(|c: char| c.is_ascii_digit())
            || ["true", "false", "null"].iter().any(|word| bare.starts_with(word));
        if !is_json {
            return None;
        }
        let mut in_text = false;
        for c in bare.chars() {
            in_text ^= c == '"';
            open = match c {
                '{' | '[' if !in_text => open + 1,
                '}' | ']' if !in_text => open.saturating_sub(1),
                _ => open,
            };
        }
        if open == 0 {
            return (at + 1 >= LEAST_LINES).then_some(at + 1);
        }
    }
    None
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// What a paste is called, by its lines.
pub(crate) fn kind_of_paste(sample: &[String]) -> &'static str {
    let all = |is: fn(&str) -> bool| !sample.is_empty() && sample.iter().all(|line| is(line));
    let any = |is: fn(&str) -> bool| sample.iter().any(|line| is(line));
    if any(|line| line.starts_with("diff --git") || line.starts_with("@@ ")) {
        "diff"
    } else if all(is_logged) {
        "log"
    } else {
        "text"
    }
}

/// Words with which lines of logs begin, after the time.
const LEVELS: &[&str] =
    &["info", "warn", "warning", "error", "debug", "trace", "fatal", "critical", "notice"];

/// Whether a line looks logged: it has a time or a level before what it says.
pub(super) fn is_logged(line: &str) -> bool {
    let bare = line.trim();
    let mut words = bare.split_whitespace();
    let begins_with_level = words.clone().next().is_some_and(|word| {
        let level = word.trim_matches(['[', ']']).split(':').next().unwrap_or_default();
        let is_marked = word.ends_with([':', ']']) || level.bytes().all(|b| b.is_ascii_uppercase());
        is_marked && LEVELS.contains(&level.to_ascii_lowercase().as_str())
    });
    let is_time = |word: &str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        digits >= 6 && word.bytes().filter(|byte| *byte == b':').count() >= 2
    };
    // `web-1  | listening`
    let by_service = bare.split_once(" | ").is_some_and(|(name, _)| {
        let number = name.trim_end().rsplit_once('-').map(|(_, number)| number);
        !name.trim().contains(' ') && number.is_some_and(|number| number.parse::<u32>().is_ok())
    });
    begins_with_level
        || by_service
        || bare.contains(" level=")
        || bare.starts_with("level=")
        || words.by_ref().take(3).any(is_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    const YAML: &str = "casks:\n  - name: git-sync\n    repository:\n      owner: ada\n      token: \"{{ .Env.X }}\"";

    #[test]
    fn data_is_told_from_lists_that_somebody_wrote() {
        let (text, data) = without_data(&format!("Is this right?\n{YAML}\nThen ship it."));
        assert_eq!(text, "Is this right?\nThen ship it.");
        let data = data.unwrap();
        assert_eq!((data.kind, data.first.as_str()), ("YAML", "casks:"));
        assert_eq!(data.bytes, YAML.len() + 1);
        let json = "Why is it empty?\n{\n  \"a\": 1,\n  \"b\": [\n    \"c\"\n  ]\n}";
        let (text, data) = without_data(json);
        assert_eq!((text.as_str(), data.unwrap().kind), ("Why is it empty?", "JSON"));
        for list in [
            "Please do these:\n- rename Foo\n- delete baz.ts",
            "Add these fields:\n- name: string\n- age: number\n- mail: string",
            "fields:\n  - name: string\n  - age: number\n  - mail: string",
            "Colours:\nprimary: red\nsecondary: blue\naccent: green",
            "Fix:\n  login: it redirects",
            "1. First: a\n2. Second: b\n   note: c",
            "{ not json",
            YAML,
        ] {
            assert_eq!(without_data(list), (list.to_owned(), None), "{list}");
        }
    }

    #[test]
    fn a_paste_is_called_what_it_is() {
        let kind = |lines: &[&str]| {
            kind_of_paste(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
        };
        for log in [
            "INFO: 127.0.0.1:5 - GET / 200",
            "2026-01-01 12:00:01.123 started",
            "[12:00:01] ERROR no route",
            "[error] no route",
            "ERROR no route",
            "Nov 15 12:00:01 host sshd[4]: closed",
            "web-1  | listening",
            "ts=1 level=warn msg=slow",
            "warn: it is slow",
        ] {
            assert_eq!(kind(&[log, log]), "log", "{log}");
        }
        assert_eq!(kind(&["diff --git a/x b/x", "@@ -1 +1 @@"]), "diff");
        assert_eq!(kind(&["fn main() {", "}"]), "text");
        assert_eq!(kind(&["Error handling: retry", "small | large"]), "text");
        assert_eq!(kind(&["small | large"]), "text");
        assert_eq!(kind(&["the error is back", "fix it"]), "text");
    }

    proptest::proptest! {
        #[test]
        fn what_is_left_was_there(text: String) {
            let (left, _) = without_data(&text);
            assert!(left.lines().all(|line| text.contains(line)));
            is_logged(&text);
        }
    }
}
