//! A handoff's head: the keys of the front matter that Segue knows, as typed values.

use crate::front_matter::{FrontMatter, render_line};
use crate::scalar::Value;
use crate::{HandoffId, Timestamp, slug};

/// Version of the file format. A newer one is read and never rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FormatVersion(pub u32);

impl FormatVersion {
    /// The version that this program writes.
    pub const CURRENT: Self = Self(1);

    pub fn is_newer(self) -> bool {
        self > Self::CURRENT
    }
}

/// What a handoff's front matter says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub version: FormatVersion,
    pub id: HandoffId,
    pub created: Timestamp,
    pub fields: Fields,
}

impl Head {
    /// When its file was written: what a session left is dated when the session ended, and may have been
    /// captured much later. A successor that a reader wrote which does not know the key has it still.
    pub fn written(&self) -> Timestamp {
        self.fields.captured.map_or(self.created, |captured| captured.max(self.created))
    }
}

/// The optional keys, in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// The project's label.
    pub project: Option<String>,
    pub name: Option<String>,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub tags: Vec<String>,
    /// The agent that left it.
    pub tool: Option<String>,
    /// The agent's own session id.
    pub session: Option<String>,
    pub mode: Option<String>,
    /// When it was captured from a session's transcript. `created` is then when the session ended.
    pub captured: Option<Timestamp>,
    pub expires: Option<Timestamp>,
    pub saved_from: SavedFrom,
    pub git: GitState,
    /// Changed files, relative to the directory of the project; renames as `old -> new`.
    pub changed: Vec<String>,
    /// The handoff that this session had resumed from.
    pub parent: Option<String>,
    pub supersedes: Vec<String>,
    /// Ids that this handoff had in another tool.
    pub aliases: Vec<String>,
    pub imported: Option<Imported>,
}

/// Where a handoff was saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedFrom {
    /// The directory's own project, when the handoff was filed under another one.
    pub project: Option<String>,
    /// The directory, relative to its repository's root.
    pub dir: Option<String>,
    pub worktree: Option<String>,
}

/// What git said when the handoff was saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitState {
    pub branch: Option<String>,
    pub head: Option<String>,
    /// `origin`, without scheme and credentials.
    pub remote: Option<String>,
}

/// How a handoff came here from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    pub signer: Option<String>,
    pub at: Option<String>,
    pub from: Option<String>,
}

/// What `imported.from` says without the name of the proof, and without what a signer's trust tells.
pub fn came_from(from: &str) -> &str {
    from.split(" sha256:").next().unwrap_or(from).trim_end_matches(", unsigned")
}

/// The keys that a head owns; all others are kept as they are.
pub(crate) const KEYS: [&str; 20] = [
    "segue",
    "id",
    "created",
    "project",
    "name",
    "title",
    "summary",
    "tags",
    "tool",
    "session",
    "mode",
    "captured",
    "expires",
    "saved_from",
    "git",
    "changed",
    "parent",
    "supersedes",
    "aliases",
    "imported",
];

impl Fields {
    /// Reads the optional keys. A value of the wrong shape counts as absent and is reported.
    pub(crate) fn read(front: &FrontMatter, problems: &mut Vec<String>) -> Self {
        let mut reader = FieldReader { front, problems };
        Self {
            project: reader.text("project"),
            name: reader.text("name"),
            title: reader.text("title"),
            summary: reader.text("summary"),
            tags: reader.list("tags"),
            tool: reader.text("tool"),
            session: reader.text("session"),
            mode: reader.text("mode"),
            captured: reader.moment("captured"),
            expires: reader.moment("expires"),
            saved_from: reader.map("saved_from", |get| SavedFrom {
                project: get("project"),
                dir: get("dir"),
                worktree: get("worktree"),
            }),
            git: reader.map("git", |get| GitState {
                branch: get("branch"),
                head: get("head"),
                remote: get("remote"),
            }),
            changed: reader.list("changed"),
            parent: reader.text("parent"),
            supersedes: reader.list("supersedes"),
            aliases: reader.list("aliases"),
            imported: Some(reader.map("imported", |get| Imported {
                signer: get("signer"),
                at: get("at"),
                from: get("from"),
            }))
            .filter(|imported| *imported != Imported::default()),
        }
    }

    /// The first part of the file's name: a slug of its tag, name or title.
    pub fn file_tag(&self) -> String {
        let word = self.tags.first().or(self.name.as_ref()).or(self.title.as_ref());
        slug(word.map_or("", String::as_str))
    }

    /// Writes the keys that have a value, one line each.
    pub(crate) fn render(&self, out: &mut String) {
        let text = |value: &Option<String>| value.clone().map(Value::Text);
        let list = |values: &[String]| {
            (!values.is_empty())
                .then(|| Value::List(values.iter().cloned().map(Value::Text).collect()))
        };
        let map = |pairs: &[(&str, &Option<String>)]| {
            let pairs: Vec<_> = pairs
                .iter()
                .filter_map(|(key, value)| {
                    Some(((*key).to_owned(), Value::Text((*value).clone()?)))
                })
                .collect();
            (!pairs.is_empty()).then_some(Value::Map(pairs))
        };
        let none = Imported::default();
        let imported = self.imported.as_ref().unwrap_or(&none);
        let lines = [
            ("project", text(&self.project)),
            ("name", text(&self.name)),
            ("title", text(&self.title)),
            ("summary", text(&self.summary)),
            ("tags", list(&self.tags)),
            ("tool", text(&self.tool)),
            ("session", text(&self.session)),
            ("mode", text(&self.mode)),
        ];
        let more = [
            (
                "saved_from",
                map(&[
                    ("project", &self.saved_from.project),
                    ("dir", &self.saved_from.dir),
                    ("worktree", &self.saved_from.worktree),
                ]),
            ),
            (
                "git",
                map(&[
                    ("branch", &self.git.branch),
                    ("head", &self.git.head),
                    ("remote", &self.git.remote),
                ]),
            ),
            ("changed", list(&self.changed)),
            ("parent", text(&self.parent)),
            ("supersedes", list(&self.supersedes)),
            ("aliases", list(&self.aliases)),
            (
                "imported",
                map(&[
                    ("signer", &imported.signer),
                    ("at", &imported.at),
                    ("from", &imported.from),
                ]),
            ),
        ];
        let mut write = |(key, value): (&str, Option<Value>)| {
            if let Some(value) = value {
                out.push_str(&render_line(key, &value));
            }
        };
        lines.into_iter().for_each(&mut write);
        for (key, at) in [("captured", self.captured), ("expires", self.expires)] {
            // A time of our own making stays bare: every reader takes it for a time or this text.
            if let Some(at) = at {
                out.push_str(&format!("{key}: {}\n", at.short()));
            }
        }
        for (key, value) in more {
            if let Some(value) = value {
                out.push_str(&render_line(key, &value));
            }
        }
    }
}

struct FieldReader<'a> {
    front: &'a FrontMatter,
    problems: &'a mut Vec<String>,
}

impl FieldReader<'_> {
    fn value(&mut self, key: &str) -> Option<Value> {
        let entry = self.front.get(key)?;
        match &entry.value {
            Ok(Value::Null) => None,
            Ok(value) => Some(value.clone()),
            Err(error) => {
                self.problems.push(format!("line {}: '{key}' {error}", entry.line));
                None
            }
        }
    }

    fn wrong_shape(&mut self, key: &str, wanted: &str) {
        let line = self.front.get(key).map_or(0, |entry| entry.line);
        self.problems.push(format!("line {line}: '{key}' is not {wanted}"));
    }

    fn text(&mut self, key: &str) -> Option<String> {
        match self.value(key)? {
            Value::Text(text) => Some(text),
            _ => {
                self.wrong_shape(key, "a text");
                None
            }
        }
    }

    fn moment(&mut self, key: &str) -> Option<Timestamp> {
        let text = self.text(key)?;
        let parsed = text.parse().ok();
        if parsed.is_none() {
            self.wrong_shape(key, "a time");
        }
        parsed
    }

    fn list(&mut self, key: &str) -> Vec<String> {
        match self.value(key) {
            None => Vec::new(),
            Some(Value::Text(text)) => vec![text],
            Some(Value::List(items)) => {
                let texts: Vec<String> =
                    items.iter().filter_map(Value::as_text).map(str::to_owned).collect();
                if texts.len() != items.len() {
                    self.wrong_shape(key, "a list of texts");
                }
                texts
            }
            Some(_) => {
                self.wrong_shape(key, "a list of texts");
                Vec::new()
            }
        }
    }

    fn map<T: Default>(
        &mut self,
        key: &str,
        build: impl Fn(&dyn Fn(&str) -> Option<String>) -> T,
    ) -> T {
        match self.value(key) {
            None => T::default(),
            Some(Value::Map(pairs)) => build(&|wanted| {
                let (_, value) = pairs.iter().find(|(name, _)| name == wanted)?;
                value.as_text().map(str::to_owned)
            }),
            Some(_) => {
                self.wrong_shape(key, "a map");
                T::default()
            }
        }
    }
}
