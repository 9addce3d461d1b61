//! Plans as TOML: agent-handover's file as it is, and `[[step]]` for plans of one's own.
//!
//! In the tables of agent-handover an unknown key is told and passed over, as it would do. In a
//! `[[step]]` it is an error: a mistyped `timeout` must not silently be none.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use segue_core::{command_words, parse_span};
use toml_edit::{Document, Item, TableLike, Value};

use super::plan::{Plan, PublishTo, Step, StepKind, WHEN, When};
use super::target::{PEER_CHECKPOINT, PEER_DIR, PEER_MEMORY};
use crate::near::nearest;
use crate::{ConfigError, Error};

/// agent-handover's plan, where people keep it.
pub(super) const PEER_PLAN: &str = "handover.toml";

/// A larger file is no plan.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The tables of agent-handover and their keys.
const TABLES: [(&str, &[&str]); 3] = [
    ("handover", &["memory_dir", "tag", "checkpoint", "pause_file"]),
    ("note", &["session", "current_state"]),
    ("backend", &["type", "repo_dir", "paths", "push", "branch", "remote", "message"]),
];

/// The kinds of steps, each with the keys that only it has.
const KINDS: [(&str, &[&str]); 8] = [
    ("collect", &[]),
    ("note", &[]),
    ("state", &[]),
    ("snapshot", &[]),
    ("compact", &["older_than"]),
    ("publish", &["repo_dir", "paths", "push", "branch", "remote", "message"]),
    ("push", &["repo_dir", "branch", "remote"]),
    ("command", &["command"]),
];

/// The keys that every step can have.
const COMMON: [&str; 7] =
    ["kind", "name", "order", "when", "timeout", "retries", "continue_on_error"];

/// `compact` leaves what is younger than this, unless the plan says otherwise.
const COMPACT_DAYS: u64 = 60;

/// What a plan's file says.
#[derive(Debug, Default)]
pub(crate) struct PlanFile {
    pub(crate) path: PathBuf,
    /// Whether it is one of agent-handover's, with its steps and its defaults.
    pub(crate) peer: bool,
    pub(crate) memory_dir: Option<String>,
    pub(crate) tag: Option<String>,
    pub(crate) checkpoint: Option<String>,
    pub(crate) pause_file: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) plan: Plan<'static>,
    /// What somebody should look at, though it could be read.
    pub(crate) warnings: Vec<String>,
}

/// What the command line says over the file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overrides {
    pub(crate) no_push: bool,
}

impl PlanFile {
    pub(crate) fn read(path: &Path, over: Overrides) -> Result<Self, Error> {
        let unreadable = |reason: String| ConfigError::Unreadable { path: path.to_owned(), reason };
        let mut bytes = Vec::new();
        let meta = std::fs::metadata(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::NoPlan(path.to_owned()),
            _ => unreadable(error.to_string()).into(),
        })?;
        if !meta.is_file() {
            return Err(unreadable("it is not a regular file".to_owned()).into());
        }
        File::open(path)
            .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| unreadable(error.to_string()))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(unreadable("it is larger than 16 MiB".to_owned()).into());
        }
        let text =
            String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?;
        Ok(Self::parse(path, text.trim_start_matches('\u{feff}'), over)?)
    }

    /// Where its runs keep how far they are; `None` for the store.
    pub(crate) fn checkpoint_path(&self) -> Option<&str> {
        match &self.checkpoint {
            Some(path) => Some(path),
            None => self.peer.then_some(PEER_CHECKPOINT),
        }
    }

    /// The directory of its memory; `None` for the store.
    pub(crate) fn memory_path(&self) -> Option<&str> {
        match &self.memory_dir {
            Some(dir) => Some(dir),
            None => self.peer.then_some(PEER_MEMORY),
        }
    }

    /// Its path from the top of a work tree, as it can be said again from anywhere in that.
    pub(crate) fn name_from(&self, root: &Path) -> String {
        let path = std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned()
    }

    fn parse(path: &Path, text: &str, over: Overrides) -> Result<Self, ConfigError> {
        let source = Source { path, text };
        let document = Document::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let reason = error.message().lines().next().unwrap_or("it is not TOML");
            source.bad(at, reason.to_owned())
        })?;
        let mut file = Self { path: path.to_owned(), ..Self::default() };
        let mut steps = None;
        let mut tables = [None; 3];
        for (name, item) in document.as_table() {
            let at = TABLES.iter().position(|(table, _)| *table == name);
            match (name, at) {
                ("step", _) => steps = Some(item),
                (_, Some(at)) => {
                    let Some(table) = item.as_table_like() else {
                        return Err(source.bad_item(item, format!("'{name}' is not a table")));
                    };
                    for (key, item) in table.iter().filter(|(key, _)| !TABLES[at].1.contains(key)) {
                        let near = suggestion(key, TABLES[at].1.iter().copied());
                        file.warnings
                            .push(source.told(item, &format!("'{name}.{key}' is not known{near}")));
                    }
                    tables[at] = Some(table);
                }
                (_, None) => {
                    let known = TABLES.iter().map(|(table, _)| *table).chain(["step"]);
                    let near = suggestion(name, known);
                    file.warnings.push(source.told(item, &format!("'{name}' is not known{near}")));
                }
            }
        }
        let read = |at: usize, key: &str| source.text_of(tables[at], key);
        file.memory_dir = read(0, "memory_dir")?;
        file.tag = read(0, "tag")?;
        file.checkpoint = read(0, "checkpoint")?;
        file.pause_file = read(0, "pause_file")?;
        file.note = read(1, "session")?;
        file.state = read(1, "current_state")?;
        let backend = source.backend(tables[2], over)?;
        file.peer = steps.is_none();
        file.plan = match steps {
            None => {
                let publish = PublishTo {
                    main_by_default: true,
                    message: backend.message.or_else(|| {
                        let tag = file.tag.as_deref().unwrap_or("general");
                        Some(format!("handover: {tag} session"))
                    }),
                    ..backend
                };
                Plan::new([
                    Step::declared("session_note", StepKind::Note),
                    Step::declared("current_state", StepKind::State),
                    Step::declared("publish", StepKind::Publish(publish)),
                ])
            }
            Some(item) => source.steps(item, &backend, over)?,
        };
        Ok(file)
    }
}

/// agent-handover's plan of a directory, if it has one that can be read.
pub(crate) fn peer_plan(root: &Path) -> Option<PlanFile> {
    PlanFile::read(&root.join(PEER_DIR).join(PEER_PLAN), Overrides::default()).ok()
}

/// `; do you mean 'x'?`, if something is near.
fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map(|near| format!("; do you mean '{near}'?")).unwrap_or_default()
}

/// A file that is being read, to say where something is wrong in it.
struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    fn line(&self, at: usize) -> usize {
        1 + self.text[..at.min(self.text.len())].matches('\n').count()
    }

    fn bad(&self, at: usize, reason: String) -> ConfigError {
        ConfigError::Bad { path: self.path.to_owned(), line: self.line(at), reason }
    }

    fn bad_item(&self, item: &Item, reason: String) -> ConfigError {
        self.bad(item.span().map_or(0, |span| span.start), reason)
    }

    fn told(&self, item: &Item, what: &str) -> String {
        let line = self.line(item.span().map_or(0, |span| span.start));
        format!("{}: line {line}: {what}", self.path.display())
    }

    fn text_of(
        &self,
        table: Option<&dyn TableLike>,
        key: &str,
    ) -> Result<Option<String>, ConfigError> {
        let Some(item) = table.and_then(|table| table.get(key)) else { return Ok(None) };
        match item.as_str() {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(self.bad_item(item, format!("'{key}' is not a text"))),
        }
    }

    fn flag_of(
        &self,
        table: Option<&dyn TableLike>,
        key: &str,
    ) -> Result<Option<bool>, ConfigError> {
        let Some(item) = table.and_then(|table| table.get(key)) else { return Ok(None) };
        match item.as_bool() {
            Some(flag) => Ok(Some(flag)),
            None => Err(self.bad_item(item, format!("'{key}' is neither true nor false"))),
        }
    }

    fn texts_of(
        &self,
        table: Option<&dyn TableLike>,
        key: &str,
    ) -> Result<Vec<String>, ConfigError> {
        let Some(item) = table.and_then(|table| table.get(key)) else { return Ok(Vec::new()) };
        let bad = || self.bad_item(item, format!("'{key}' is not a list of texts"));
        let list = item.as_array().ok_or_else(bad)?;
        list.iter().map(|value| value.as_str().map(str::to_owned).ok_or_else(bad)).collect()
    }

    fn backend(
        &self,
        table: Option<&dyn TableLike>,
        over: Overrides,
    ) -> Result<PublishTo, ConfigError> {
        let nowhere = match self.text_of(table, "type")?.as_deref() {
            None | Some("git") => false,
            Some("null") => true,
            Some(other) => {
                let item = table.and_then(|table| table.get("type"));
                let at = item.and_then(Item::span).map_or(0, |span| span.start);
                return Err(self.bad(at, format!("'{other}' is not a backend: git or null")));
            }
        };
        let to = self.publish_to(table, &PublishTo { push: true, ..PublishTo::default() }, over)?;
        Ok(PublishTo { nowhere, remote: to.remote.or_else(|| Some("origin".to_owned())), ..to })
    }

    fn publish_to(
        &self,
        table: Option<&dyn TableLike>,
        base: &PublishTo,
        over: Overrides,
    ) -> Result<PublishTo, ConfigError> {
        let paths = self.texts_of(table, "paths")?;
        Ok(PublishTo {
            nowhere: base.nowhere,
            repo_dir: self.text_of(table, "repo_dir")?.or_else(|| base.repo_dir.clone()),
            paths: if paths.is_empty() { base.paths.clone() } else { paths },
            push: self.flag_of(table, "push")?.unwrap_or(base.push) && !over.no_push,
            branch: self.text_of(table, "branch")?.or_else(|| base.branch.clone()),
            main_by_default: base.main_by_default,
            remote: self.text_of(table, "remote")?.or_else(|| base.remote.clone()),
            message: self.text_of(table, "message")?.or_else(|| base.message.clone()),
        })
    }

    fn steps(
        &self,
        item: &Item,
        backend: &PublishTo,
        over: Overrides,
    ) -> Result<Plan<'static>, ConfigError> {
        let tables: Vec<&dyn TableLike> = match item {
            Item::ArrayOfTables(tables) => tables.iter().map(|table| table as _).collect(),
            Item::Value(Value::Array(list)) => {
                let tables =
                    list.iter().map(|value| value.as_inline_table().map(|table| table as _));
                tables.collect::<Option<_>>().unwrap_or_default()
            }
            _ => Vec::new(),
        };
        if tables.is_empty() {
            return Err(self.bad_item(item, "'step' is not a list of tables: [[step]]".to_owned()));
        }
        let mut steps = Vec::with_capacity(tables.len());
        let mut used = std::collections::HashSet::new();
        for table in tables {
            let (order, mut step, named) = self.step(table, backend, over)?;
            let name = step.name.clone();
            if !used.insert(name.clone()) {
                if let Some(item) = named {
                    return Err(self.bad_item(item, format!("two steps are named '{name}'")));
                }
                // Steps without a name are told apart by a number.
                let free = (2..).map(|n| format!("{name}-{n}")).find(|name| !used.contains(name));
                step.name = free.unwrap_or(name);
                used.insert(step.name.clone());
            }
            steps.push((order, step));
        }
        steps.sort_by_key(|(order, _)| *order);
        Ok(Plan::new(steps.into_iter().map(|(_, step)| step)))
    }

    fn step<'t>(
        &self,
        table: &'t dyn TableLike,
        backend: &PublishTo,
        over: Overrides,
    ) -> Result<(i64, Step<'static>, Option<&'t Item>), ConfigError> {
        // A key may be written with '-' or '_'.
        let get = |key: &str| table.get(key).or_else(|| table.get(&key.replace('_', "-")));
        let place = |item: Option<&Item>| {
            let first = || table.iter().next().map(|(_, item)| item);
            item.or_else(first).and_then(Item::span).map_or(0, |span| span.start)
        };
        let Some(kind_item) = get("kind") else {
            return Err(self.bad(place(None), format!("a step has no 'kind': {}", kinds())));
        };
        let word = kind_item.as_str().unwrap_or_default();
        let Some((word, own)) = KINDS.iter().find(|(kind, _)| *kind == word) else {
            let near = suggestion(word, KINDS.iter().map(|(kind, _)| *kind));
            let reason = if near.is_empty() { format!(": {}", kinds()) } else { near };
            return Err(self.bad_item(kind_item, format!("'{word}' is not a kind of step{reason}")));
        };
        for (key, item) in table.iter() {
            let plain = key.replace('-', "_");
            if !COMMON.contains(&plain.as_str()) && !own.contains(&plain.as_str()) {
                let known = COMMON.iter().chain(own.iter()).copied();
                let near = suggestion(&plain, known);
                let what = format!("a step of the kind '{word}' has no '{key}'{near}");
                return Err(self.bad_item(item, what));
            }
        }
        let name = get("name");
        let text = |key: &str| -> Result<Option<(&Item, &str)>, ConfigError> {
            let Some(item) = get(key) else { return Ok(None) };
            match item.as_str() {
                Some(text) => Ok(Some((item, text))),
                None => Err(self.bad_item(item, format!("'{key}' is not a text"))),
            }
        };
        let whole = |key: &str| -> Result<Option<i64>, ConfigError> {
            let Some(item) = get(key) else { return Ok(None) };
            match item.as_integer() {
                Some(number) => Ok(Some(number)),
                None => Err(self.bad_item(item, format!("'{key}' is not a whole number"))),
            }
        };
        let kind = match *word {
            "collect" => StepKind::Collect,
            "note" => StepKind::Note,
            "state" => StepKind::State,
            "snapshot" => StepKind::Snapshot,
            "compact" => StepKind::Compact {
                older_than: self
                    .span(get("older_than"))?
                    .map_or(COMPACT_DAYS * 86_400, |span| span.as_secs()),
            },
            "command" => StepKind::Command { words: self.words(get("command"), place(None))? },
            "push" => StepKind::Push(self.publish_to(Some(table), backend, over)?),
            _ => StepKind::Publish(self.publish_to(Some(table), backend, over)?),
        };
        let named = match text("name")? {
            Some((item, name)) if name.trim().is_empty() || name.chars().any(char::is_control) => {
                return Err(self.bad_item(
                    item,
                    "a step's name is empty or has control characters".to_owned(),
                ));
            }
            other => other.map(|(_, name)| name.trim().to_owned()),
        };
        let mut step = Step::declared(named.unwrap_or_else(|| (*word).to_owned()), kind);
        if let Some((item, when)) = text("when")? {
            let unknown = || self.bad_item(item, format!("'{when}' is not a condition: {WHEN}"));
            step.when = When::parse(when).ok_or_else(unknown)?;
        }
        step.timeout = self.span(get("timeout"))?;
        if let Some(retries) = whole("retries")? {
            let refuse = || {
                self.bad(
                    place(get("retries")),
                    "'retries' is not a number from 0 to 100".to_owned(),
                )
            };
            step.retries =
                u32::try_from(retries).ok().filter(|number| *number <= 100).ok_or_else(refuse)?;
        }
        if let Some(item) = get("continue_on_error") {
            let refuse =
                || self.bad_item(item, "'continue-on-error' is neither true nor false".to_owned());
            step.continue_on_error = item.as_bool().ok_or_else(refuse)?;
        }
        Ok((whole("order")?.unwrap_or(0), step, name))
    }

    /// `"30s"`, `"5m"`, or a whole number of seconds.
    fn span(&self, item: Option<&Item>) -> Result<Option<Duration>, ConfigError> {
        let Some(item) = item else { return Ok(None) };
        let span = match (item.as_str(), item.as_integer()) {
            (Some(text), _) => parse_span(text.trim()).ok(),
            (_, Some(seconds)) => {
                u64::try_from(seconds).ok().filter(|s| *s > 0).map(Duration::from_secs)
            }
            _ => None,
        };
        let refuse = || self.bad_item(item, "it is not a span: 30s, 5m, 1h30m, 60d".to_owned());
        span.map(Some).ok_or_else(refuse)
    }

    fn words(&self, item: Option<&Item>, place: usize) -> Result<Vec<String>, ConfigError> {
        let Some(item) = item else {
            return Err(self.bad(place, "a step of the kind 'command' has no 'command'".to_owned()));
        };
        if let Some(line) = item.as_str() {
            return command_words(line).map_err(|_| {
                let what = "the command needs a shell, and none is used; \
                            give it as a list: [\"program\", \"argument\"]";
                self.bad_item(item, what.to_owned())
            });
        }
        let bad = || {
            let what = "'command' is not a list of texts: [\"program\", \"argument\"]";
            self.bad_item(item, what.to_owned())
        };
        let list = item.as_array().ok_or_else(bad)?;
        let words: Option<Vec<String>> =
            list.iter().map(|value| value.as_str().map(str::to_owned)).collect();
        words.filter(|words| words.first().is_some_and(|word| !word.is_empty())).ok_or_else(bad)
    }
}

fn kinds() -> String {
    let words: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
    words.join(", ")
}

/// A plan with everything that can stand in one, commented.
pub const EXAMPLE_PLAN: &str = include_str!("example.toml");

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PlanFile, ConfigError> {
        PlanFile::parse(Path::new("plan.toml"), text, Overrides::default())
    }

    fn names(file: &PlanFile) -> Vec<&str> {
        file.plan.names().collect()
    }

    #[test]
    fn the_peers_file_has_its_steps_and_defaults() {
        let file = parse("").unwrap();
        assert!(file.peer);
        assert_eq!(names(&file), ["session_note", "current_state", "publish"]);
        let Some(StepKind::Publish(to)) = file.plan.steps[2].kind() else { panic!() };
        assert_eq!(
            (to.main_by_default, to.remote.as_deref(), to.push, to.message.as_deref()),
            (true, Some("origin"), true, Some("handover: general session"))
        );
        let text = "[handover]\ntag = 'x'\nlater = 1\n[backend]\ntype = 'null'\n[other]\n";
        let file = parse(text).unwrap();
        assert_eq!(
            file.warnings,
            [
                "plan.toml: line 3: 'handover.later' is not known",
                "plan.toml: line 6: 'other' is not known"
            ]
        );
        assert!(parse("[backend]\ntype = 'svn'\n").unwrap_err().to_string().contains("line 2"));
        assert!(parse("[backend]\npush = 'no'\n").unwrap_err().to_string().contains("line 2"));
    }

    #[test]
    fn steps_are_read_with_all_their_keys() {
        let file = parse(
            "[[step]]\nkind = 'command'\ncommand = 'make test'\ntimeout = '90s'\nretries = 2\n\
             continue-on-error = true\nwhen = 'branch main'\n[[step]]\nkind = 'note'\norder = -1\n\
             [[step]]\nkind = 'command'\ncommand = ['a', 'b c']\n",
        )
        .unwrap();
        assert!(!file.peer);
        assert_eq!(names(&file), ["note", "command", "command-2"]);
        let step = &file.plan.steps[1];
        assert_eq!(
            step.kind(),
            Some(&StepKind::Command { words: vec!["make".into(), "test".into()] })
        );
        assert_eq!(step.timeout, Some(Duration::from_secs(90)));
        assert_eq!((step.retries, step.continue_on_error), (2, true));
        assert_eq!(step.when, When::Branch("main".into()));
    }

    #[test]
    fn what_is_wrong_in_a_step_is_an_error_with_a_way_out() {
        for (text, expected) in [
            (
                "[[step]]\nkind = 'notes'\n",
                "line 2: 'notes' is not a kind of step; do you mean 'note'?",
            ),
            (
                "[[step]]\nkind = 'note'\ntimout = 3\n",
                "line 3: a step of the kind 'note' has no 'timout'; do you mean 'timeout'?",
            ),
            (
                "[[step]]\nkind = 'note'\nbranch = 'x'\n",
                "line 3: a step of the kind 'note' has no 'branch'",
            ),
            (
                "[[step]]\nname = 'x'\n",
                "line 2: a step has no 'kind': collect, note, state, snapshot, compact, publish, push, command",
            ),
            (
                "[[step]]\nkind = 'command'\ncommand = 'a | b'\n",
                "line 3: the command needs a shell",
            ),
            ("[[step]]\nkind = 'command'\n", "has no 'command'"),
            ("[[step]]\nkind = 'note'\nwhen = 'maybe'\n", "line 3: 'maybe' is not a condition"),
            ("[[step]]\nkind = 'note'\ntimeout = 'long'\n", "line 3: it is not a span"),
            (
                "[[step]]\nkind = 'note'\nname = 'a'\n[[step]]\nkind = 'state'\nname = 'a'\n",
                "line 6: two steps are named 'a'",
            ),
            ("step = 3\n", "is not a list of tables"),
            ("[[step]]\nkind = 'note'\nretries = -1\n", "line 3: 'retries'"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn the_example_is_a_plan_that_can_be_read_without_a_warning() {
        let file = parse(EXAMPLE_PLAN).unwrap();
        assert_eq!(file.warnings, Vec::<String>::new());
        // What is commented out can be read too.
        let all: String = EXAMPLE_PLAN
            .lines()
            .map(|line| line.strip_prefix("#: ").unwrap_or(line))
            .map(|line| format!("{line}\n"))
            .collect();
        let whole = parse(&all).unwrap();
        assert_eq!(whole.warnings, Vec::<String>::new());
        assert!(whole.plan.steps.len() > file.plan.steps.len());
    }
}
