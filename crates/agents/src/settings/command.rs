//! Command lines of ours: how they are written, and how they are known again.

use std::path::Path;

/// The program as settings name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program(String);

impl Program {
    /// By its path.
    pub fn at(path: &Path) -> Self {
        let path = path.to_string_lossy().into_owned();
        // Shells take a backslash for something else, Windows takes either.
        Self(if cfg!(windows) { path.replace('\\', "/") } else { path })
    }

    /// As whoever reads the settings finds it.
    pub fn on_path() -> Self {
        Self("segue".to_owned())
    }

    pub(crate) fn word(&self) -> &str {
        &self.0
    }

    /// Whether lines that run it are known again.
    pub fn is_called_segue(&self) -> bool {
        is_segue(&self.0)
    }

    /// Whether every shell reads it as one plain word.
    pub(crate) fn is_plain(&self) -> bool {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:+@-".contains(&byte);
        self.0.bytes().all(plain)
    }

    /// As the first word of a command line.
    pub(crate) fn quoted(&self) -> String {
        match self.is_plain() {
            true => self.0.clone(),
            false if cfg!(windows) => format!("\"{}\"", self.0),
            false => format!("'{}'", self.0.replace('\'', r"'\''")),
        }
    }
}

/// Whether a command line runs a hook of ours and nothing else: what somebody added to it is theirs.
pub(crate) fn is_hook(line: &str) -> bool {
    // As PowerShell is told to run something.
    let line = line.trim_start();
    let (program, rest) = first_word(line.strip_prefix("& ").unwrap_or(line));
    let words: Vec<&str> = rest.split_whitespace().collect();
    is_segue(&program) && is_of_hook(&words)
}

/// Whether these are the words behind the program: `hook`, an agent, an event.
pub(crate) fn is_of_hook(words: &[&str]) -> bool {
    let plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
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
            let line = format!("{} hook codex stop", Program(path.to_owned()).quoted());
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
}
