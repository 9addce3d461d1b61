//! The user's own rules, and what is to stay although it looks like a secret.

use hashbrown::HashSet;
use regex::Regex;

use super::mark::marks;
use super::scan::Hit;

/// What the user adds and lets pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RedactRules {
    pub rules: Vec<UserRule>,
    /// Values that stay: exactly this value, or, between slashes, a regular expression for the whole
    /// value.
    pub allow: Vec<String>,
}

/// A kind of secret that the user knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserRule {
    /// What the mark says.
    pub name: String,
    /// What is taken out: its group `secret`, else its first group, else all of it.
    pub regex: String,
}

/// A rule that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedactError {
    #[error("the rule '{name}' has no regular expression that can be read: {reason}")]
    Rule { name: String, reason: String },
    #[error(
        "'{0}' is no name for a rule: use 1 to 60 letters, digits, blanks and signs without brackets"
    )]
    Name(String),
    #[error(
        "'{value}' in the list of what is allowed is no regular expression that can be read: {reason}"
    )]
    Allow { value: String, reason: String },
}

/// The rules, ready to use.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    rules: Vec<(String, Regex, usize)>,
    exact: HashSet<String>,
    patterns: Vec<Regex>,
}

impl Compiled {
    pub(super) fn new(rules: &RedactRules) -> Result<Self, RedactError> {
        let mut compiled = Self::default();
        for UserRule { name, regex } in &rules.rules {
            let wrong = |c: char| c.is_control() || matches!(c, '[' | ']');
            let digits = name
                .rsplit(' ')
                .next()
                .is_some_and(|last| last.bytes().all(|b| b.is_ascii_digit()));
            if name.trim() != name
                || name.is_empty()
                || name.len() > 60
                || name.contains(wrong)
                || digits
            {
                return Err(RedactError::Name(name.clone()));
            }
            let regex = Regex::new(regex).map_err(|error| RedactError::Rule {
                name: name.clone(),
                reason: error.to_string(),
            })?;
            let group = regex.capture_names().position(|group| group == Some("secret"));
            let group = group.unwrap_or(usize::from(regex.captures_len() > 1));
            compiled.rules.push((name.clone(), regex, group));
        }
        for value in &rules.allow {
            let pattern = value.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
            match pattern.filter(|pattern| !pattern.is_empty()) {
                Some(pattern) => {
                    let regex = Regex::new(&format!("^(?:{pattern})$")).map_err(|error| {
                        RedactError::Allow { value: value.clone(), reason: error.to_string() }
                    })?;
                    compiled.patterns.push(regex);
                }
                None => _ = compiled.exact.insert(value.clone()),
            }
        }
        Ok(compiled)
    }

    pub(super) fn allows(&self, value: &str) -> bool {
        self.exact.contains(value) || self.patterns.iter().any(|pattern| pattern.is_match(value))
    }

    /// What the user's rules find, without the marks in it.
    pub(super) fn find(&self, text: &str, hits: &mut Vec<Hit>) {
        for (name, regex, group) in &self.rules {
            let mut old = marks(text).peekable();
            for captures in regex.captures_iter(text) {
                let Some(found) = captures.get(*group) else { continue };
                let mut from = found.start();
                while let Some(mark) = old.peek().cloned().filter(|mark| mark.start < found.end()) {
                    if from < mark.start {
                        hits.push(Hit { kind: name.clone(), range: from..mark.start });
                    }
                    from = from.max(mark.end);
                    if mark.end > found.end() {
                        break;
                    }
                    old.next();
                }
                if from < found.end() {
                    hits.push(Hit { kind: name.clone(), range: from..found.end() });
                }
            }
        }
    }
}
