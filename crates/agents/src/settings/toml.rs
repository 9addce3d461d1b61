//! Our table in settings that are TOML. Written as lines at the end: a writer of whole documents
//! would change how lines end.

use std::ops::Range;

use toml_edit::{Document, Item};

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
        let quoted = |text: &str| toml_edit::Value::from(text).to_string().trim().to_owned();
        let args: Vec<String> = self.args.iter().map(|arg| quoted(arg)).collect();
        let (under, name) = (self.under, self.name);
        let command = quoted(&self.command);
        format!("[{under}.{name}]\ncommand = {command}\nargs = [{}]", args.join(", "))
    }
}

fn parse(text: &str) -> Result<Document<&str>, SettingsError> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        SettingsError::at(text, at, error.message().replace('\n', ", "))
    })
}

/// Our table, if there is one; whether it is ours or only has our name.
fn find<'d>(document: &'d Document<&str>, table: &Table) -> Option<(&'d Item, bool)> {
    let found = document.as_table().get(table.under)?.as_table_like()?.get(table.name)?;
    let text = |key: &str| found.as_table_like()?.get(key)?.as_str();
    Some((found, text("command").is_some_and(is_segue)))
}

/// A text with the table.
pub(crate) fn put(text: &str, table: &Table) -> Result<String, SettingsError> {
    let document = parse(text)?;
    let base = match find(&document, table) {
        None => text.to_owned(),
        Some((_, false)) => {
            let what = format!("another MCP server is called '{}'", table.name);
            return Err(SettingsError::new(what));
        }
        Some((found, true)) => {
            let text_of = |key: &str| found.get(key).and_then(Item::as_str);
            let args = found.get("args").and_then(Item::as_array).map(|args| {
                args.iter().map(|arg| arg.as_str().unwrap_or_default()).collect::<Vec<_>>()
            });
            if text_of("command") == Some(table.command.as_str())
                && args.as_deref() == Some(table.args)
            {
                return Ok(text.to_owned());
            }
            take(text, table)?
        }
    };
    let made = appended(&base, &table.lines());
    match parse(&made) {
        Ok(_) => Ok(made),
        Err(error) => {
            let what =
                format!("a table cannot be added to '{}' here ({})", table.under, error.what);
            Err(SettingsError::new(what))
        }
    }
}

/// A text without the table, whatever somebody set in it.
pub(crate) fn take(text: &str, table: &Table) -> Result<String, SettingsError> {
    let document = parse(text)?;
    let Some((found, true)) = find(&document, table) else { return Ok(text.to_owned()) };
    let Item::Table(own) = found else {
        return Err(SettingsError::new(format!(
            "'{}.{}' is not written as a table of its own; take it out by hand",
            table.under, table.name
        )));
    };
    let mut spans = Vec::new();
    tables(own, &mut spans);
    spans.sort_by_key(|span| span.start);
    let mut taken = text.to_owned();
    for span in spans.into_iter().rev() {
        let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[span.end..].find('\n').map_or(text.len(), |at| span.end + at + 1);
        taken = without(&taken, start..end);
    }
    Ok(taken)
}

/// The stretch of a table and of each below it, from the header to the last value.
fn tables(table: &toml_edit::Table, spans: &mut Vec<Range<usize>>) {
    let mut span = table.span();
    for (_, item) in table.iter() {
        match item {
            Item::Table(below) => tables(below, spans),
            Item::Value(value) => {
                if let (Some(span), Some(value)) = (&mut span, value.span()) {
                    span.end = span.end.max(value.end);
                }
            }
            _ => {}
        }
    }
    spans.extend(span);
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
            assert_eq!(take(&put_in, &table()).unwrap(), text, "{put_in}");
            let end = if put_in.ends_with('\n') { "" } else { "\n" };
            let more =
                format!("{put_in}{end}[mcp_servers.segue.env]\nX = \"1\"\n\n# mine\n[y]\nz = 1\n");
            let taken = take(&more, &table()).unwrap();
            assert!(taken.ends_with("\n# mine\n[y]\nz = 1\n"), "{taken}");
            assert!(taken.starts_with(text) && !taken.contains("segue]"), "{taken}");
        }
    }

    #[test]
    fn what_cannot_be_is_left_alone() {
        let error = put("a = \n", &table()).unwrap_err();
        assert_eq!(error.at.map(|at| at.0), Some(1));
        assert!(put("mcp_servers = {}\n", &table()).is_err());
        assert!(put("[mcp_servers.segue]\ncommand = \"other\"\n", &table()).is_err());
        assert_eq!(
            take("[mcp_servers.segue]\ncommand = \"other\"\n", &table()).unwrap(),
            "[mcp_servers.segue]\ncommand = \"other\"\n"
        );
    }
}
