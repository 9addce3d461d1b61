//! The user's `config.toml`. Read only by the use cases that need something of it.
//!
//! It can hold a key, so no message repeats a line of it.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use segue_core::{RedactRules, UserRule};
use segue_share::vault::ApiKey;
use segue_store::{OpenTo, too_open};
use toml_edit::{Document, Item, TableLike};

use crate::near::distance;

/// Every table and its keys.
const KNOWN: [(&str, &[&str]); 2] =
    [("memoryvault", &["api_key", "url"]), ("redact", &["allow", "rules"])];

/// A larger file is not a configuration.
const MAX_BYTES: u64 = 1024 * 1024;

/// Why the configuration cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConfigError {
    /// It is there and cannot be read.
    #[error("cannot read {}: {reason}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Its text is not right.
    #[error("{}: line {line}: {reason}", .path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
}

/// What the configuration says.
#[derive(Debug, Default)]
pub(crate) struct Config {
    pub(crate) api_key: Option<ApiKey>,
    pub(crate) url: Option<String>,
    /// What is taken out besides what is built in, and what stays.
    pub(crate) redact: RedactRules,
    /// What somebody should look at, though it could be read.
    pub(crate) warnings: Vec<String>,
}

/// The file as it was read: what it says, or why that cannot be used.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    config: Result<Config, ConfigError>,
    /// The rules of one that is damaged elsewhere.
    no_rules: RedactRules,
    /// Whether it may say something about secrets.
    mentions_redact: bool,
}

impl Default for ConfigFile {
    fn default() -> Self {
        Self::of(Ok(Config::default()), false)
    }
}

impl ConfigFile {
    fn of(config: Result<Config, ConfigError>, mentions_redact: bool) -> Self {
        Self { config, no_rules: RedactRules::default(), mentions_redact }
    }

    /// Reads the file; one that is not there says nothing.
    pub(crate) fn read(path: &Path) -> Self {
        match read_text(path) {
            Ok(None) => Self::default(),
            Ok(Some(text)) => Self::of(Config::of_text(path, &text), text.contains("redact")),
            Err(error) => Self::of(Err(error), true),
        }
    }

    pub(crate) fn config(&self) -> Result<&Config, ConfigError> {
        self.config.as_ref().map_err(Clone::clone)
    }

    /// The rules for secrets alone. A file that cannot be understood and says nothing of them does not
    /// keep anybody from saving.
    pub(crate) fn redact_rules(&self) -> Result<&RedactRules, ConfigError> {
        match &self.config {
            Ok(config) => Ok(&config.redact),
            Err(ConfigError::Bad { .. }) if !self.mentions_redact => Ok(&self.no_rules),
            Err(error) => Err(error.clone()),
        }
    }
}

/// The text of a file; `None` if there is none.
fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let unreadable = |reason: String| ConfigError::Unreadable { path: path.to_owned(), reason };
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(error.to_string())),
        Ok(_) if bytes.len() as u64 > MAX_BYTES => {
            return Err(unreadable("it is larger than 1 MiB".to_owned()));
        }
        Ok(_) => {}
    }
    String::from_utf8(bytes).map(Some).map_err(|_| unreadable("it is not UTF-8".to_owned()))
}

impl Config {
    fn of_text(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let mut config = Self::parse(path, text.trim_start_matches('\u{feff}'))?;
        let open = too_open(path).is_ok_and(|open| open == OpenTo::Others);
        if config.api_key.is_some() && open {
            config.warnings.push(format!(
                "{} holds an API key and others can open it; 'chmod 600' it",
                path.display()
            ));
        }
        Ok(config)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let line = |start: usize| 1 + text[..start.min(text.len())].matches('\n').count();
        let bad =
            |line: usize, reason: String| ConfigError::Bad { path: path.to_owned(), line, reason };
        let document = Document::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            // Only the first line: what follows could quote the file.
            let reason = error.message().lines().next().unwrap_or("it is not TOML");
            bad(line(at), reason.to_owned())
        })?;
        let line_of = |item: &Item| line(item.span().map_or(0, |span| span.start));
        let mut config = Self::default();
        let mut unknown = |name: &str, item: &Item| {
            let near = nearest(name).map(|near| format!("; do you mean '{near}'?"));
            config.warnings.push(format!(
                "{}: line {}: '{name}' is not known{}",
                path.display(),
                line_of(item),
                near.unwrap_or_default()
            ));
        };
        let mut texts = Vec::new();
        let mut redact = RedactRules::default();
        for (name, item) in document.as_table() {
            let Some((table, keys)) = KNOWN.iter().find(|(table, _)| *table == name) else {
                unknown(name, item);
                continue;
            };
            let Some(entries) = item.as_table_like() else {
                return Err(bad(line_of(item), format!("'{table}' is not a table")));
            };
            for (key, item) in entries.iter() {
                let name = format!("{table}.{key}");
                if !keys.contains(&key) {
                    unknown(&name, item);
                    continue;
                }
                let wrong = |what: &str| bad(line_of(item), format!("'{name}' is not {what}"));
                match name.as_str() {
                    "redact.allow" => {
                        redact.allow = allowed(item).ok_or_else(|| wrong("a list of texts"))?;
                        continue;
                    }
                    "redact.rules" => {
                        redact.rules = rules(item)
                            .ok_or_else(|| wrong("a list of tables with name and regex"))?;
                        continue;
                    }
                    _ => {}
                }
                let Some(text) = item.as_str() else { return Err(wrong("a text")) };
                texts.push((name, text.trim().to_owned()));
            }
        }
        config.redact = redact;
        for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            match name.as_str() {
                "memoryvault.api_key" => config.api_key = Some(ApiKey::new(&text)),
                _ => config.url = Some(text),
            }
        }
        Ok(config)
    }
}

/// The texts of a list.
fn allowed(item: &Item) -> Option<Vec<String>> {
    item.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

/// Rules, as tables of their own or in a list.
fn rules(item: &Item) -> Option<Vec<UserRule>> {
    let rule = |table: &dyn TableLike| {
        let text = |key: &str| table.get(key)?.as_str().map(str::to_owned);
        Some(UserRule { name: text("name")?, regex: text("regex")? })
    };
    match (item.as_array_of_tables(), item.as_array()) {
        (Some(tables), _) => tables.iter().map(|table| rule(table)).collect(),
        (_, Some(list)) => list.iter().map(|value| rule(value.as_inline_table()?)).collect(),
        _ => None,
    }
}

/// The known key that a word is most like, if it is like one at all.
fn nearest(word: &str) -> Option<String> {
    let mut known = Vec::new();
    for (table, keys) in KNOWN {
        known.push((table.to_owned(), table));
        for key in keys {
            known.push((format!("{table}.{key}"), *key));
        }
    }
    let far = |(whole, last): &(String, &str)| distance(word, whole).min(distance(word, last));
    let best = known.into_iter().min_by_key(|entry| far(entry))?;
    (far(&best) <= 3).then_some(best.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse(Path::new("config.toml"), text)
    }

    #[test]
    fn key_and_url_are_read() {
        let table = "[memoryvault]\napi_key = ' mv_1 '\nurl = \"https://a.example\"\n";
        let inline = "memoryvault = { api_key = 'mv_1', url = 'https://a.example' }";
        for text in [table, inline] {
            let config = parse(text).unwrap();
            assert_eq!(config.api_key, Some(ApiKey::new("mv_1")));
            assert_eq!(config.url.as_deref(), Some("https://a.example"));
            assert!(config.warnings.is_empty());
        }
        let empty = parse("[memoryvault]\napi_key = ''\n").unwrap();
        assert_eq!((empty.api_key, empty.url), (None, None));
    }

    #[test]
    fn rules_of_redaction_are_read() {
        let tables = "[redact]\nallow = ['dev', '/x+/']\n[[redact.rules]]\nname = 'ours'\nregex = 'K-[0-9]+'\n";
        let inline =
            "[redact]\nallow = ['dev', '/x+/']\nrules = [{ name = 'ours', regex = 'K-[0-9]+' }]\n";
        for text in [tables, inline] {
            let redact = parse(text).unwrap().redact;
            assert_eq!(redact.allow, ["dev", "/x+/"]);
            assert_eq!(
                (redact.rules[0].name.as_str(), redact.rules[0].regex.as_str()),
                ("ours", "K-[0-9]+")
            );
        }
        for text in [
            "[redact]\nallow = 'x'\n",
            "[redact]\nrules = [{ name = 'x' }]\n",
            "[redact]\nallow = [1]\n",
        ] {
            assert!(parse(text).unwrap_err().to_string().contains("line 2"), "{text}");
        }
    }

    #[test]
    fn unknown_keys_are_named_with_the_nearest_known_one() {
        let config = parse("api_key = 'x'\n[memoryvault]\napikey = 'x'\n[memoryvalt]\n[else]\n");
        let warnings = config.unwrap().warnings;
        assert_eq!(
            warnings,
            [
                "config.toml: line 1: 'api_key' is not known; do you mean 'memoryvault.api_key'?",
                "config.toml: line 3: 'memoryvault.apikey' is not known; do you mean 'memoryvault.api_key'?",
                "config.toml: line 4: 'memoryvalt' is not known; do you mean 'memoryvault'?",
                "config.toml: line 5: 'else' is not known",
            ]
        );
    }

    #[test]
    fn damage_is_named_by_line_and_never_quoted() {
        for (text, line) in [
            ("[memoryvault]\napi_key = \"mv_SECRET\n", 2),
            ("[memoryvault]\nurl = 'a'\napi_key = mv_SECRET\n", 3),
            ("[memoryvault]\napi_key = 'mv_SECRET' x\n", 2),
            ("[memoryvault]\napi_key = ['mv_SECRET']\n", 2),
            ("[memoryvault]\napi_key = 'a'\napi_key = 'mv_SECRET'\n", 3),
            ("\nmemoryvault = 'mv_SECRET'\n", 2),
            ("[memoryvault\n", 1),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("config.toml: line {line}: ")), "{error}");
            assert!(!error.contains("SECRET"), "{error}");
        }
    }
}
