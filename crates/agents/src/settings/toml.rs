//! Our table in settings that are TOML. Written as lines at the end: a writer of whole documents
//! would change how lines end.

use std::ops::Range;

use toml_edit::{Document, Item, TableLike};

use super::command::is_segue;
use super::{SettingsError, appended, without};

/// The table of our MCP server, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) under: &'static str,
    pub(crate) name: &'static str,
    pub(crate) command: String,
    pub(crate) args: &'static [&'static str],
}

impl Table {
    fn lines(&self) -> String {
        let args: Vec<String> = self.args.iter().map(|arg| quoted(arg)).collect();
        let (under, name) = (self.under, self.name);
        let command = quoted(&self.command);
        format!("[{under}.{name}]\ncommand = {command}\nargs = [{}]", args.join(", "))
    }
}

fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string().trim().to_owned()
}

fn parse(text: &str) -> Result<Document<&str>, SettingsError> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        SettingsError::at(text, at, error.message().replace('\n', ", "))
    })
}

/// What has the name of our table.
fn named<'d>(document: &'d Document<&str>, table: &Table) -> Option<&'d Item> {
    document.as_table().get(table.under)?.as_table_like()?.get(table.name)
}

/// Whether a table runs our server.
fn is_ours(found: &Item, table: &Table) -> bool {
    let command = found.get("command").and_then(Item::as_str);
    let first = args(found).and_then(|args| args.first().copied());
    command.is_some_and(is_segue) && first == table.args.first().copied()
}

fn args(found: &Item) -> Option<Vec<&str>> {
    let args = found.get("args")?.as_array()?;
    Some(args.iter().map(|arg| arg.as_str().unwrap_or_default()).collect())
}

/// A text with the table. One that is there runs what it is to run afterwards, and is else as it was.
pub(crate) fn put(text: &str, table: &Table) -> Result<String, SettingsError> {
    let document = parse(text)?;
    let made = match named(&document, table) {
        None => appended(text, &table.lines()),
        Some(found) if !is_ours(found, table) => {
            let what = format!("another MCP server is called '{}'", table.name);
            return Err(SettingsError::at(text, found.span().map_or(0, |span| span.start), what));
        }
        Some(found) => {
            let command = found.get("command");
            let span = command.and_then(Item::span);
            match span {
                _ if command.and_then(Item::as_str) == Some(table.command.as_str()) => {
                    return Ok(text.to_owned());
                }
                Some(span) => {
                    let command = quoted(&table.command);
                    format!("{}{command}{}", &text[..span.start], &text[span.end..])
                }
                None => return Err(SettingsError::new("its command cannot be changed")),
            }
        }
    };
    let same = parse(&made).map(|after| is_same_but(&document, &after, table));
    match same {
        Ok(true) => Ok(made),
        Ok(false) => Err(in_the_way(table, "it would change something else")),
        Err(error) => Err(in_the_way(table, &error.what)),
    }
}

fn in_the_way(table: &Table, why: &str) -> SettingsError {
    SettingsError::new(format!("a table cannot be added to '{}' here ({why})", table.under))
}

/// Whether a text has the table, and whether that runs what it is to run.
pub(crate) fn is_in(text: &str, table: &Table) -> Result<Option<bool>, SettingsError> {
    let document = parse(text)?;
    let found = named(&document, table).filter(|found| is_ours(found, table));
    Ok(found.map(|found| found.get("command").and_then(Item::as_str) == Some(&table.command)))
}

/// A text without the table, whatever somebody set in it. If there was one before, made by hand, it runs
/// again what that ran.
pub(crate) fn take(
    text: &str,
    table: &Table,
    before: Option<&str>,
) -> Result<String, SettingsError> {
    let document = parse(text)?;
    let found = named(&document, table).filter(|found| is_ours(found, table));
    let Some(found) = found else { return Ok(text.to_owned()) };
    let by_hand = before.and_then(|before| {
        let before = Document::parse(before).ok()?;
        let old = named(&before, table).filter(|old| is_ours(old, table))?;
        old.get("command")?.as_str().map(str::to_owned)
    });
    if let Some(command) = by_hand {
        return put(text, &Table { command, ..table.clone() });
    }
    let by_hand = || {
        let what = "is not written as a table of its own; take it out by hand";
        let what = format!("'{}.{}' {what}", table.under, table.name);
        SettingsError::at(text, found.span().map_or(0, |span| span.start), what)
    };
    let mut stretches = Vec::new();
    match found {
        Item::Table(own) => gather(own, &mut stretches),
        other => stretches.extend(other.span()),
    }
    let mut taken = text.to_owned();
    for lines in whole_lines(text, stretches).into_iter().rev() {
        taken = without(&taken, lines);
    }
    // Whatever was misunderstood: nothing but ours may go.
    match parse(&taken) {
        Ok(after) if named(&after, table).is_none() && is_same_but(&document, &after, table) => {
            Ok(taken)
        }
        _ => Err(by_hand()),
    }
}

/// The stretch of a table, from its header to its last value, and those of the tables below it. What has
/// no header of its own stands between the values of the table above.
fn gather(table: &toml_edit::Table, stretches: &mut Vec<Range<usize>>) {
    let headed = !table.is_implicit() && !table.is_dotted();
    stretches.extend(table.span().filter(|_| headed));
    for (_, item) in table.iter() {
        match item {
            Item::Table(below) => gather(below, stretches),
            Item::ArrayOfTables(all) => all.iter().for_each(|below| gather(below, stretches)),
            Item::Value(value) => stretches.extend(value.span()),
            Item::None => {}
        }
    }
}

/// Whole lines, those together that touch, in their order.
fn whole_lines(text: &str, mut stretches: Vec<Range<usize>>) -> Vec<Range<usize>> {
    stretches.sort_by_key(|stretch| stretch.start);
    let mut all: Vec<Range<usize>> = Vec::new();
    for stretch in stretches {
        let start = text[..stretch.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[stretch.end..].find('\n').map_or(text.len(), |at| stretch.end + at + 1);
        match all.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => all.push(start..end),
        }
    }
    all
}

/// Whether two texts say the same, but for our table.
fn is_same_but(before: &Document<&str>, after: &Document<&str>, table: &Table) -> bool {
    let ours = [table.under, table.name];
    same(before.as_item(), after.as_item(), &ours)
}

/// Whether two items say the same, but for what is at a path. What holds nothing but that is as good as
/// not there.
fn same(one: &Item, other: &Item, besides: &[&str]) -> bool {
    match (one.as_table_like(), other.as_table_like()) {
        (Some(one), Some(other)) => {
            let keys = one.iter().chain(other.iter()).map(|(key, _)| key);
            keys.collect::<std::collections::BTreeSet<_>>().into_iter().all(|key| {
                let (there, below) = match besides.split_first() {
                    Some((first, rest)) if *first == key => (rest.is_empty(), rest),
                    _ => (false, &[][..]),
                };
                let empty = |item: &Item| {
                    let table = item.as_table_like();
                    let only = |table: &dyn TableLike| {
                        table.iter().all(|(key, _)| Some(key) == below.first().copied())
                    };
                    !below.is_empty() && table.is_some_and(only)
                };
                there
                    || match (one.get(key), other.get(key)) {
                        (Some(one), Some(other)) => same(one, other, below),
                        (Some(item), None) | (None, Some(item)) => empty(item),
                        (None, None) => true,
                    }
            })
        }
        _ => one.to_string().trim() == other.to_string().trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            under: "mcp_servers",
            name: "segue",
            command: "/a b/segue".to_owned(),
            args: &["mcp"],
        }
    }

    #[test]
    fn a_table_goes_in_and_out_without_a_trace() {
        for text in [
            "",
            "model = \"x\"\n",
            "model = \"x\"",
            "# c\r\nmodel = \"x\" # d\r\n\r\n[mcp_servers]\r\n",
            "[mcp_servers.other]\ncommand = \"segue-like\"\n\n# end\n",
            "[mcp_servers]\nother = { command = \"x\" }\n",
            "mcp_servers.other.command = \"x\"\n[tui]\nx = 1",
        ] {
            let put_in = match put(text, &table()) {
                Ok(put_in) => put_in,
                Err(error) => panic!("{text}: {error}"),
            };
            assert!(put_in.contains("[mcp_servers.segue]"));
            assert_eq!(put(&put_in, &table()).unwrap(), put_in);
            assert_eq!(take(&put_in, &table(), None).unwrap(), text, "{put_in}");
            let end = if put_in.ends_with('\n') { "" } else { "\n" };
            let more =
                format!("{put_in}{end}[mcp_servers.segue.env]\nX = \"1\"\n\n# mine\n[y]\nz = 1\n");
            let taken = take(&more, &table(), None).unwrap();
            assert!(taken.ends_with("\n# mine\n[y]\nz = 1\n"), "{taken}");
            assert!(taken.starts_with(text) && !taken.contains("segue]"), "{taken}");
        }
    }

    #[test]
    fn what_agents_and_users_add_to_it_goes_with_it_and_nothing_else() {
        let put_in = put("model = \"x\"\n", &table()).unwrap();
        let rest = "\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n";
        for more in [
            "tools.save.approval_mode = \"approve\"\n",
            "env.TOKEN = \"x\" # mine\n",
            "\n[mcp_servers.segue.tools.save]\napproval_mode = \"approve\"\n",
            "[mcp_servers.segue.env]\nA = \"1\"\n[mcp_servers.segue.tools.save]\nx = [\n 1,\n 2,\n]\n",
            "\n[[mcp_servers.segue.rules]]\na = 1\n\n[[mcp_servers.segue.rules]]\na = 2\n",
            "enabled = false\n",
        ] {
            let text = format!("{put_in}{more}{rest}");
            assert_eq!(
                take(&text, &table(), None).unwrap(),
                format!("model = \"x\"\n{rest}"),
                "{text}"
            );
            let moved = put(&text, &Table { command: "/c/segue".to_owned(), ..table() }).unwrap();
            assert_eq!(moved, text.replace("/a b/segue", "/c/segue"));
            // Between its own keys.
            let between = format!("{more}args = [\"mcp\"]");
            let text =
                format!("{}{rest}", put_in.replace("args = [\"mcp\"]", between.trim_start()));
            if more.starts_with(char::is_alphabetic) {
                let taken = take(&text, &table(), None).unwrap();
                assert_eq!(taken, format!("model = \"x\"\n{rest}"), "{text}");
            }
        }
        let apart = format!("{put_in}{rest}\n[mcp_servers.segue.env]\nA = \"1\"\n");
        assert_eq!(take(&apart, &table(), None).unwrap(), format!("model = \"x\"\n{rest}"));
    }

    #[test]
    fn what_is_not_written_as_a_table_is_left_alone_but_for_its_command() {
        for text in [
            "mcp_servers.segue.command = \"segue\"\nmcp_servers.segue.args = [\"mcp\"]\n",
            "[mcp_servers]\nsegue = { command = \"segue\", args = [\"mcp\"] } # mine\n",
            "mcp_servers = { segue = { command = \"segue\", args = [\"mcp\"], env = {} } }\n",
        ] {
            let moved = put(text, &table()).unwrap();
            assert_eq!(moved, text.replacen("\"segue\"", "\"/a b/segue\"", 1));
            assert_eq!(is_in(text, &table()).unwrap(), Some(false));
            assert_eq!(is_in(&moved, &table()).unwrap(), Some(true));
            // If it was so before, it is so again; else the lines that hold it go.
            assert_eq!(take(&moved, &table(), Some(text)).unwrap(), text);
            let taken = take(&format!("{moved}[tui]\nx = 1\n"), &table(), None).unwrap();
            assert!(taken.ends_with("[tui]\nx = 1\n") && !taken.contains("segue"), "{taken}");
        }
        let beside = "mcp_servers = { segue = { command = \"segue\", args = [\"mcp\"] }, other = { command = \"x\" } }\n";
        assert!(take(beside, &table(), None).unwrap_err().at.is_some());
    }

    #[test]
    fn what_cannot_be_is_left_alone() {
        let error = put("a = \n", &table()).unwrap_err();
        assert_eq!(error.at.map(|at| at.0), Some(1));
        assert!(put("mcp_servers = {}\n", &table()).is_err());
        for foreign in ["\"other\"", "\"/opt/segue\"\nargs = [\"serve\", \"mcp\"]"] {
            let text = format!("[mcp_servers.segue]\ncommand = {foreign}\n");
            assert_eq!(put(&text, &table()).unwrap_err().at.map(|at| at.0), Some(1));
            assert_eq!(take(&text, &table(), None).unwrap(), text);
        }
    }
}
