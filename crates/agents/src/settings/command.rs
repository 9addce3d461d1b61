//! Command lines of ours: how they are written, and how they are known again.

use std::path::Path;

/// The program as settings name it, and the store that its hooks are to use, if that is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    path: String,
    store: Option<String>,
}

/// The flag by which a hook is given its store.
const STORE_FLAG: &str = "--home";
/// The variable that names the store.
const STORE_VARIABLE: &str = "SEGUE_HOME";

impl Program {
    /// By its path.
    pub fn at(path: &Path) -> Self {
        let path = path.to_string_lossy().into_owned();
        // Shells take a backslash for something else, Windows takes either.
        Self::called(if cfg!(windows) { path.replace('\\', "/") } else { path })
    }

    fn called(path: String) -> Self {
        Self { path, store: None }
    }

    /// As whoever reads the settings finds it.
    pub fn on_path() -> Self {
        Self::called("segue".to_owned())
    }

    /// The same with the store that its hooks use. `None` if no shell could be trusted with the path.
    pub fn with_store(self, home: &Path) -> Option<Self> {
        let home = home.to_str()?;
        let home = if cfg!(windows) { home.replace('\\', "/") } else { home.to_owned() };
        quoted_path(&home)?;
        Some(Self { store: Some(home), ..self })
    }

    /// What stands behind the words of a hook: the store, if that is named.
    pub(crate) fn store_flag(&self) -> String {
        let store = self.store.as_deref().and_then(quoted_path);
        store.map(|store| format!(" {STORE_FLAG} {store}")).unwrap_or_default()
    }

    /// As a script for `sh` runs it: the store is in the environment.
    pub(crate) fn quoted_with_variable(&self) -> String {
        let store = self.store.as_deref().and_then(quoted_path);
        let variable = store.map(|store| format!("env {STORE_VARIABLE}={store} "));
        format!("{}{}", variable.unwrap_or_default(), self.quoted())
    }

    pub(crate) fn word(&self) -> &str {
        &self.path
    }

    /// Whether lines that run it are known again.
    pub fn is_called_segue(&self) -> bool {
        is_segue(&self.path)
    }

    /// Whether every shell reads it as one plain word.
    pub(crate) fn is_plain(&self) -> bool {
        is_plain_path(&self.path)
    }

    /// As the first word of a command line.
    pub(crate) fn quoted(&self) -> String {
        match self.is_plain() {
            true => self.path.clone(),
            false if cfg!(windows) => in_double_quotes(&self.path),
            false => in_single_quotes(&self.path),
        }
    }
}

fn is_plain_path(path: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:+@-".contains(&byte);
    path.bytes().all(plain)
}

fn in_single_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn in_double_quotes(text: &str) -> String {
    format!("\"{text}\"")
}

/// A path as a word that every shell of the system reads as it is; `None` if there is no such word.
fn quoted_path(path: &str) -> Option<String> {
    // PowerShell, `cmd` and Git Bash take some of these for something else, also between quotes.
    let is_unsafe = |c: char| match cfg!(windows) {
        true => c.is_control() || "\"$`%!".contains(c),
        // fish reads a backslash between single quotes.
        false => c.is_control() || c == '\\',
    };
    match () {
        () if path.is_empty() || path.contains(is_unsafe) => None,
        () if is_plain_path(path) => Some(path.to_owned()),
        () if cfg!(windows) => Some(in_double_quotes(path)),
        () => Some(in_single_quotes(path)),
    }
}

/// Whether a text is one word of a command line that names a path, as some system quotes it.
fn is_path_word(text: &str) -> bool {
    let (path, rest) = first_word(text);
    let is_one = rest.is_empty() && !path.is_empty() && !path.contains(char::is_control);
    is_one
        && (text == path && is_plain_path(&path)
            || text == in_single_quotes(&path)
            || text == in_double_quotes(&path) && !path.contains(['"', '$', '`', '%', '!', '\\']))
}

/// Whether a command line runs a hook of ours and nothing else: what somebody added to it is theirs.
pub(crate) fn is_hook(line: &str) -> bool {
    // As PowerShell is told to run something.
    let line = line.trim_start();
    let (program, rest) = first_word(line.strip_prefix("& ").unwrap_or(line));
    let (rest, store) = match rest.split_once(STORE_FLAG) {
        Some((before, store)) if store.starts_with(' ') => (before, Some(store.trim())),
        _ => (rest, None),
    };
    let words: Vec<&str> = rest.split_whitespace().collect();
    is_segue(&program) && is_of_hook(&words) && store.is_none_or(is_path_word)
}

/// Whether these are the words behind the program: `hook`, an agent, an event.
pub(crate) fn is_of_hook(words: &[&str]) -> bool {
    let plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let words = match words {
        [words @ .., flag, _] if *flag == STORE_FLAG => words,
        words => words,
    };
    matches!(words, ["hook", named @ ..] if named.len() <= 2 && named.iter().all(plain))
}

/// Whether a path is the program's.
pub(crate) fn is_segue(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name == "segue" || name.eq_ignore_ascii_case("segue.exe")
}

/// The first word of a command line without its quotes, and what follows.
fn first_word(line: &str) -> (String, &str) {
    let mut word = String::new();
    let mut quote = None;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, c) if c.is_whitespace() => return (word, &line[at..]),
            (None, '\\') if matches!(chars.peek(), Some((_, '\'' | '"' | ' '))) => {
                word.extend(chars.next().map(|(_, c)| c));
            }
            _ => word.push(c),
        }
    }
    (word, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_command_lines_are_known_again() {
        for path in ["/usr/bin/segue", "/a b/segue", "/it's/segue", "/a\"b/$x/segue", "segue"] {
            let line = format!("{} hook codex stop", Program::called(path.to_owned()).quoted());
            assert!(is_hook(&line), "{line}");
        }
        for line in [
            r#""C:\Program Files\segue.exe" hook claude-code stop"#,
            r"C:\bin\Segue.EXE  hook x",
            r"/a\ b/segue hook x",
        ] {
            assert!(is_hook(line), "{line}");
        }
        for line in [
            "",
            "segue",
            "segue save",
            "my-segue hook codex stop",
            "echo segue hook codex stop",
            "/opt/segue/bin/other hook x",
            "seguehook",
            "segue hooked",
            "segue hook claude-code stop; notify-send done",
            "segue hook claude-code stop | tee log",
            "segue hook claude-code stop && x",
        ] {
            assert!(!is_hook(line), "{line}");
        }
    }

    #[test]
    fn a_line_that_names_the_store_is_known_again() {
        for home in ["/data/segue", "/a b/segue", "/it's/$HOME/`x`", "/x;rm -rf y/--home z"] {
            let program = Program::on_path().with_store(Path::new(home));
            let line = format!("segue hook codex stop{}", program.unwrap().store_flag());
            assert!(is_hook(&line) || cfg!(windows), "{line}");
            assert!(is_of_hook(&["hook", "codex", "stop", STORE_FLAG, home]));
        }
        for line in [
            "segue hook codex stop --home",
            "segue hook codex stop --home /x; rm -rf /",
            "segue hook codex stop --home /x && y",
            "segue hook codex stop --home $(x)",
            "segue hook codex stop --home \"$(x)\"",
            "segue hook codex stop --home '/x' '/y'",
            "segue hook codex stop --homes /x",
            "segue save --home /x",
        ] {
            assert!(!is_hook(line), "{line}");
        }
        assert!(is_hook(r#""C:/a b/segue.exe" hook codex stop --home "C:/Ada B/segue""#));
    }

    #[test]
    #[cfg(unix)]
    fn a_store_that_some_shell_reads_otherwise_is_not_named() {
        for home in ["/a\\b", "/a\nb", ""] {
            assert!(Program::on_path().with_store(Path::new(home)).is_none(), "{home:?}");
        }
        let named = Program::on_path().with_store(Path::new("/it's")).unwrap();
        assert_eq!(named.store_flag(), r" --home '/it'\''s'");
    }
}
