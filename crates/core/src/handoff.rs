//! The handoff: one immutable Markdown file, front matter and body.
//!
//! A `Handoff` is the exact text of a file together with what its head says; it is never changed.
//! A `Draft` is what becomes a handoff once an id and a time are given to it.

use crate::front_matter::{Entry, FrontMatter, FrontMatterError};
use crate::head::{Fields, FormatVersion, Head};
use crate::head_key::HeadKey;
use crate::redact::cut_end;
use crate::scalar::split_key;
use crate::source::ItemSource;
use crate::{HandoffId, Timestamp, format_1, sections};

/// A handoff is read and written up to this size; a larger file is reported, not loaded.
pub const MAX_HANDOFF_BYTES: u64 = 16 * 1024 * 1024;

/// A handoff as it lies on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handoff {
    pub head: Head,
    /// Optional keys whose value has the wrong shape; they count as absent.
    pub problems: Vec<String>,
    source: String,
    body_at: usize,
    extra: Vec<String>,
}

/// A handoff in the making.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    pub fields: Fields,
    /// Lines of the front matter that are not ours, kept as they are.
    pub extra: Vec<String>,
    pub body: String,
}

/// Why a text is not a handoff.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandoffError {
    #[error(transparent)]
    FrontMatter(#[from] FrontMatterError),
    #[error("the front matter has no '{0}'")]
    Missing(&'static str),
    #[error("line {line}: '{key}' is not {wanted}")]
    Invalid { key: &'static str, line: usize, wanted: &'static str },
    #[error("line {line}: '{key}' is there twice")]
    Twice { key: String, line: usize },
    #[error("it is not UTF-8 (first bad byte at offset {0})")]
    NotUtf8(usize),
    #[error("it is larger than {} MiB", MAX_HANDOFF_BYTES / 1024 / 1024)]
    TooLarge,
}

impl Handoff {
    /// Reads a handoff file.
    pub fn parse(source: impl Into<String>) -> Result<Self, HandoffError> {
        let source = source.into();
        if source.len() as u64 > MAX_HANDOFF_BYTES {
            return Err(HandoffError::TooLarge);
        }
        let (front, body_at) = FrontMatter::parse(&source)?;
        let version = FormatVersion(required(&front, "segue", "a whole number", |text| {
            text.parse().ok().filter(|n| *n > 0)
        })?);
        for (at, entry) in front.entries.iter().enumerate() {
            let known = HeadKey::of(&entry.key, version).is_some();
            if known && front.entries[..at].iter().any(|earlier| earlier.key == entry.key) {
                return Err(HandoffError::Twice { key: entry.key.clone(), line: entry.line });
            }
        }
        let id = required(&front, "id", "an id", |text| text.parse().ok())?;
        let created = required(&front, "created", "a time", |text| text.parse().ok())?;
        let mut problems = Vec::new();
        let mut fields = Fields::read(&front, version, &mut problems);
        if version == FormatVersion::FIRST {
            (fields.kind, fields.sources) = format_1::told_by_traits(&fields, &source[body_at..]);
        }
        Ok(Self {
            head: Head { version, id, created, fields },
            problems,
            source,
            body_at,
            extra: unknown_lines(front, version),
        })
    }

    /// Another text of the same handoff, as one that was cut or had secrets: what it is stays.
    pub fn with_source(&self, source: impl Into<String>) -> Result<Self, HandoffError> {
        let mut other = Self::parse(source)?;
        other.head.fields.kind = self.head.fields.kind;
        other.head.fields.sources = self.head.fields.sources.clone();
        if let Some(imported) = &self.head.fields.imported {
            other.head.fields.imported.get_or_insert_with(|| imported.clone());
        }
        Ok(other)
    }

    /// Whose words an item is that stands in a section of this title. What came from elsewhere is imported,
    /// whatever its head says; what nothing is recorded of is an agent's.
    pub fn source_of(&self, section: &str, words: &str) -> ItemSource {
        let fields = &self.head.fields;
        match fields.imported {
            Some(_) => ItemSource::Imported,
            None => fields.sources.of(section, words).unwrap_or(ItemSource::Agent),
        }
    }

    /// Reads a handoff file from bytes that may not be UTF-8.
    pub fn parse_bytes(bytes: Vec<u8>) -> Result<Self, HandoffError> {
        if bytes.len() as u64 > MAX_HANDOFF_BYTES {
            return Err(HandoffError::TooLarge);
        }
        let source = String::from_utf8(bytes)
            .map_err(|error| HandoffError::NotUtf8(error.utf8_error().valid_up_to()))?;
        Self::parse(source)
    }

    /// The whole file, byte for byte.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Everything after the front matter, byte for byte.
    pub fn body(&self) -> &str {
        &self.source[self.body_at..]
    }

    /// What a list calls it: its title, else its name, else its first words.
    pub fn display_title(&self) -> String {
        let fields = &self.head.fields;
        fields
            .title
            .clone()
            .or_else(|| fields.name.clone())
            .unwrap_or_else(|| first_words(self.body(), fields))
    }

    /// What its file is called: its tag, day and short id.
    pub fn file_name(&self) -> String {
        let head = &self.head;
        format!("{}-{}-{}.md", head.fields.file_tag(), head.created.day(), head.id.short())
    }

    /// The items of its Next Steps.
    pub fn next(&self) -> Vec<String> {
        crate::next_items(self.body())
    }

    /// A draft with the same content, for a successor.
    pub fn to_draft(&self) -> Draft {
        Draft {
            fields: self.head.fields.clone(),
            extra: self.extra.clone(),
            body: self.body().to_owned(),
        }
    }
}

impl Draft {
    /// The format in which it is written: the oldest one that says all of it. What an older reader would take
    /// for something else by its tags is written with its kind, too.
    pub fn version(&self) -> FormatVersion {
        let is_plain = !self.fields.need_format_2()
            && format_1::told_by_traits(&self.fields, &self.body) == Default::default();
        if is_plain { FormatVersion::FIRST } else { FormatVersion::CURRENT }
    }

    /// The file that this draft becomes.
    pub fn render(&self, id: &HandoffId, created: Timestamp) -> String {
        let version = self.version();
        let mut out = String::with_capacity(self.body.len() + 512);
        out.push_str(&format!("---\nsegue: {}\nid: {id}\ncreated: {created}\n", version.0));
        self.fields.render(version, &mut out);
        for raw in &self.extra {
            // Somebody's own key in format 1 can be one of ours by now.
            if is_ours(raw, version) {
                out.push_str("x-");
            }
            out.push_str(raw);
            if !raw.ends_with('\n') {
                out.push('\n');
            }
        }
        out.push_str("---\n");
        out.push_str(&self.body);
        out
    }
}

/// Whether lines that are not ours would be read as a key of ours.
fn is_ours(raw: &str, version: FormatVersion) -> bool {
    let key = split_key(raw.lines().next().unwrap_or_default()).map(|(key, _)| key);
    key.is_some_and(|key| HeadKey::of(&key, version).is_some())
}

/// The entries that are not ours. Comments between which a key of ours stood are one run, as they
/// will be where a successor writes them.
fn unknown_lines(front: FrontMatter, version: FormatVersion) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut after_comment = false;
    let unknown = |entry: &Entry| HeadKey::of(&entry.key, version).is_none();
    for entry in front.entries.into_iter().filter(unknown) {
        let comment = entry.is_comment();
        match lines.last_mut() {
            Some(last) if comment && after_comment => last.push_str(&entry.raw),
            _ => lines.push(entry.raw),
        }
        after_comment = comment;
    }
    lines
}

fn required<T>(
    front: &FrontMatter,
    key: &'static str,
    wanted: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, HandoffError> {
    let entry = front.get(key).ok_or(HandoffError::Missing(key))?;
    let value = entry.value.as_ref().ok().and_then(|value| value.as_text());
    value.and_then(parse).ok_or(HandoffError::Invalid { key, line: entry.line, wanted })
}

/// First words of a body that has no title: a heading of its own, else its first line of text.
fn first_words(body: &str, fields: &Fields) -> String {
    let clip = |text: &str| {
        let text = text.trim().trim_start_matches(['#', '-', '*', '>', ' ']);
        match text.char_indices().nth(80) {
            Some((most, _)) => format!("{}…", &text[..cut_end(text, most)]),
            None => text.to_owned(),
        }
    };
    let top =
        body.lines().find(|line| line.starts_with("# ")).map(clip).filter(|text| !text.is_empty());
    let summary = || fields.summary.as_deref().and_then(|summary| summary.lines().next()).map(clip);
    let line = || {
        let headings = sections(body);
        body.lines()
            .filter(|line| !headings.iter().any(|section| section.heading == *line))
            .map(clip)
            .find(|text| text.chars().any(char::is_alphanumeric))
    };
    top.or_else(summary).or_else(line).unwrap_or_else(|| "(empty)".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GitState, HandoffKind, Imported, ItemSources, SavedFrom, ShortId};
    use proptest::prelude::*;

    fn id() -> HandoffId {
        "20261115-174500-a3f9c12e".parse().unwrap()
    }

    fn created() -> Timestamp {
        "2026-11-15T17:45:00.123456Z".parse().unwrap()
    }

    #[test]
    fn a_full_head_is_written_in_order() {
        let draft = Draft {
            fields: Fields {
                kind: HandoffKind::Session,
                project: Some("todo-api".into()),
                name: Some("todo-api-state".into()),
                title: Some("Refactor auth middleware".into()),
                summary: Some("Task CRUD in progress, auth complete: tests pending".into()),
                tags: vec!["api".into(), "crud".into()],
                tool: Some("codex".into()),
                session: Some("0199a2b4".into()),
                mode: Some("build".into()),
                captured: Some("2026-12-20T08:00:00.5Z".parse().unwrap()),
                expires: Some("2026-11-29T17:45:00Z".parse().unwrap()),
                saved_from: SavedFrom {
                    project: None,
                    dir: Some("services/api".into()),
                    worktree: Some("main".into()),
                },
                git: GitState {
                    branch: Some("main".into()),
                    head: Some("3f2a9c1".into()),
                    remote: Some("github.com/example/todo-api".into()),
                },
                changed: vec!["src/auth.rs".into(), "old.rs -> new.rs".into()],
                parent: Some("20261114-091203-77e0b1d2".into()),
                supersedes: vec!["20261113-091203-77e0b1d3".into()],
                aliases: vec!["a3f9c12f".into()],
                sources: ItemSources::of_texts(&[
                    (ItemSource::Agent, "## Context\n\nText\n"),
                    (ItemSource::Tool, "- more\n"),
                ]),
                imported: Some(Imported { signer: None, at: None, from: Some("handoff".into()) }),
            },
            extra: vec!["x-mood: [calm, # kept\n  busy]\n".into()],
            body: "## Context\n\nText\n".into(),
        };
        insta::assert_snapshot!(draft.render(&id(), created()), @r#"
        ---
        segue: 2
        id: 20261115-174500-a3f9c12e
        created: 2026-11-15T17:45:00.123456Z
        kind: session
        project: todo-api
        name: todo-api-state
        title: Refactor auth middleware
        summary: "Task CRUD in progress, auth complete: tests pending"
        tags: [api, crud]
        tool: codex
        session: 0199a2b4
        mode: build
        captured: 2026-12-20T08:00:00.500000Z
        expires: 2026-11-29T17:45:00Z
        saved_from: {dir: services/api, worktree: main}
        git: {branch: main, head: 3f2a9c1, remote: github.com/example/todo-api}
        changed: [src/auth.rs, "old.rs -> new.rs"]
        parent: 20261114-091203-77e0b1d2
        supersedes: [20261113-091203-77e0b1d3]
        aliases: [a3f9c12f]
        sources: {rest: tool, agent: [1e053ff85304d902]}
        imported: {from: handoff}
        x-mood: [calm, # kept
          busy]
        ---
        ## Context

        Text
        "#);
        let read = Handoff::parse(draft.render(&id(), created())).unwrap();
        assert_eq!(read.to_draft(), draft);
        assert!(read.problems.is_empty());
    }

    #[test]
    fn a_plain_handoff_is_of_format_1_whatever_its_tags_are() {
        let body = "## Key Decisions\n\n- Line ends: LF\n";
        let draft = |tags: &[&str], body: &str| Draft {
            fields: Fields {
                title: Some("Line ends: LF".into()),
                tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
                ..Fields::default()
            },
            body: body.into(),
            ..Draft::default()
        };
        for plain in [draft(&[], body), draft(&["decided"], "## Next Steps\n\n- Ship\n")] {
            let source = plain.render(&id(), created());
            assert!(source.starts_with("---\nsegue: 1\n") && !source.contains("kind:"), "{source}");
            assert_eq!(Handoff::parse(source).unwrap().to_draft(), plain);
        }
        // What an older file of this shape was is said, so that nobody takes this one for it.
        let alike = draft(&["decided"], body);
        let source = alike.render(&id(), created());
        assert!(source.contains("segue: 2\n") && source.contains("kind: handoff\n"), "{source}");
        let read = Handoff::parse(source.clone()).unwrap();
        assert_eq!((read.head.fields.kind, read.to_draft()), (HandoffKind::Handoff, alike));
        let older = source.replace("segue: 2", "segue: 1").replace("kind: handoff\n", "");
        assert_eq!(Handoff::parse(older).unwrap().head.fields.kind, HandoffKind::Decision);
    }

    #[test]
    fn a_key_of_format_2_is_somebodys_own_in_format_1() {
        let source = "---\nsegue: 1\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\nkind: note\n\"sources\": {a:  b}\nkind: twice\n---\n";
        let read = Handoff::parse(source).unwrap();
        assert_eq!((read.head.fields.kind, read.problems.len()), (HandoffKind::Handoff, 0));
        let mut draft = read.to_draft();
        assert_eq!(draft.extra, ["kind: note\n", "\"sources\": {a:  b}\n", "kind: twice\n"]);
        assert_eq!(Handoff::parse(draft.render(&id(), created())).unwrap().to_draft(), draft);
        draft.fields.kind = HandoffKind::Decision;
        let written = Handoff::parse(draft.render(&id(), created())).unwrap();
        assert_eq!(written.head.fields.kind, HandoffKind::Decision);
        let kept = ["x-kind: note\n", "x-\"sources\": {a:  b}\n", "x-kind: twice\n"];
        assert_eq!(written.to_draft().extra, kept);
    }

    #[test]
    fn what_is_of_no_known_kind_is_no_handoff() {
        let start = "id: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\nkind: recipe\nsources: {boss: [x]}\n---\n";
        for version in [2, 3] {
            let read = Handoff::parse(format!("---\nsegue: {version}\n{start}")).unwrap();
            assert_eq!((read.head.fields.kind, read.problems.len()), (HandoffKind::Other, 2));
            assert_eq!(read.source_of("", "x"), ItemSource::Imported);
        }
    }

    #[test]
    fn a_newer_version_is_read() {
        let source = "---\nsegue: 7\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\nfuture: {a: [b]}\n---\nbody";
        let read = Handoff::parse(source).unwrap();
        assert!(read.head.version.is_newer());
        assert_eq!(read.source(), source);
        assert_eq!(read.body(), "body");
    }

    #[test]
    fn damage_is_named() {
        let refuse = |source: &str| Handoff::parse(source).unwrap_err().to_string();
        assert_eq!(
            refuse("---\nid: 20261115-174500-a3f9c12e\n---\n"),
            "the front matter has no 'segue'"
        );
        assert_eq!(refuse("---\nsegue: 1\nid: nope\n---\n"), "line 3: 'id' is not an id");
        assert_eq!(refuse("---\nsegue: 1\nsegue: 2\n---\n"), "line 3: 'segue' is there twice");
        assert_eq!(refuse("---\nsegue: 0\n---\n"), "line 2: 'segue' is not a whole number");
        assert_eq!(
            Handoff::parse_bytes(b"---\nsegue: \xff".to_vec()),
            Err(HandoffError::NotUtf8(11))
        );
    }

    #[test]
    fn what_could_not_be_read_again_is_not_taken() {
        let mut draft =
            Draft { body: "x".repeat(MAX_HANDOFF_BYTES as usize - 100), ..Draft::default() };
        let source = draft.render(&id(), created());
        assert!(Handoff::parse(source).is_ok());
        draft.fields.changed = vec!["a/long/path.rs".into(); 10];
        let source = draft.render(&id(), created());
        assert_eq!(Handoff::parse(source), Err(HandoffError::TooLarge));
    }

    #[test]
    fn a_wrong_optional_value_does_not_cost_the_handoff() {
        let source = "---\nsegue: 1\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\ntags: api\nexpires: soon\ngit: [a]\ntitle: |\n  block\n---\n";
        let read = Handoff::parse(source).unwrap();
        assert_eq!(read.head.fields.tags, ["api"]);
        assert_eq!(read.head.fields.expires, None);
        assert_eq!(read.problems.len(), 3, "{:?}", read.problems);
    }

    #[test]
    fn a_captured_session_was_written_when_it_was_captured() {
        let head = "---\nsegue: 1\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\n";
        let written = |more: &str| {
            let read = Handoff::parse(format!("{head}{more}---\n")).unwrap();
            (read.head.written().short(), read.problems.len())
        };
        assert_eq!(written("captured: 2026-12-20T08:00:00Z\n"), ("2026-12-20T08:00:00Z".into(), 0));
        assert_eq!(written("captured: 2026-11-01T08:00:00Z\n"), ("2026-11-15T17:45:00Z".into(), 0));
        assert_eq!(written(""), ("2026-11-15T17:45:00Z".into(), 0));
        assert_eq!(written("captured: lately\n"), ("2026-11-15T17:45:00Z".into(), 1));
    }

    #[test]
    fn comments_around_our_keys_survive_as_one_run() {
        let source = "---\n# a\nsegue: 1\n# b\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\nx: 1\n# c\n---\n";
        let draft = Handoff::parse(source).unwrap().to_draft();
        assert_eq!(draft.extra, ["# a\n# b\n", "x: 1\n", "# c\n"]);
        let successor = Handoff::parse(draft.render(&id(), created())).unwrap();
        assert_eq!(successor.to_draft(), draft);
    }

    #[test]
    fn titles_come_from_what_is_there() {
        let title = |fields: Fields, body: &str| {
            Handoff::parse(
                Draft { fields, body: body.into(), ..Draft::default() }.render(&id(), created()),
            )
            .unwrap()
            .display_title()
        };
        let named = Fields { name: Some("state".into()), ..Fields::default() };
        assert_eq!(title(named, "# Big"), "state");
        assert_eq!(title(Fields::default(), "## Context\n\n- first thing\n"), "first thing");
        assert_eq!(title(Fields::default(), "## Context\n# Big\n"), "Big");
        assert_eq!(title(Fields::default(), "\n"), "(empty)");
    }

    fn texts() -> impl Strategy<Value = Option<String>> {
        prop::option::of(prop_oneof![any::<String>(), "[a-z0-9:#\\- ]{1,10}"])
    }

    fn drafts() -> impl Strategy<Value = Draft> {
        let lists = || prop::collection::vec(any::<String>(), 0..3);
        (
            [
                texts(),
                texts(),
                texts(),
                texts(),
                texts(),
                texts(),
                texts(),
                texts(),
                texts(),
                texts(),
                texts(),
            ],
            [lists(), lists(), lists(), lists()],
            [(); 2].map(|()| prop::option::of(0_i64..253_402_300_799)),
            any::<String>(),
            prop::sample::select(HandoffKind::ALL.to_vec()),
            prop::option::of(prop::sample::select(ItemSource::ALL.to_vec())),
        )
            .prop_map(
                |(texts, [tags, changed, supersedes, aliases], times, body, kind, sources)| {
                    let [captured, expires] =
                        times.map(|at| at.and_then(|s| Timestamp::from_micros(s * 1_000_000)));
                    let [
                        project,
                        name,
                        title,
                        summary,
                        tool,
                        session,
                        mode,
                        branch,
                        dir,
                        parent,
                        from,
                    ] = texts;
                    Draft {
                        fields: Fields {
                            kind,
                            project,
                            name,
                            title,
                            summary,
                            tags,
                            tool,
                            session,
                            mode,
                            captured,
                            expires,
                            saved_from: SavedFrom { dir, ..SavedFrom::default() },
                            git: GitState { branch, ..GitState::default() },
                            changed,
                            parent,
                            supersedes,
                            aliases,
                            sources: sources.map(ItemSources::all).unwrap_or_default(),
                            imported: from
                                .map(|from| Imported { from: Some(from), ..Imported::default() }),
                        },
                        extra: vec!["x: 1\n".into()],
                        body,
                    }
                },
            )
    }

    proptest! {
        #[test]
        fn parse_undoes_render(draft in drafts(), random in any::<u32>()) {
            let short = ShortId::from_random(random | 0xa).unwrap();
            let id = HandoffId::new(created(), short);
            let source = draft.render(&id, created());
            let read = Handoff::parse(source.clone()).unwrap();
            prop_assert_eq!(read.source(), source);
            prop_assert_eq!(&read.head.id, &id);
            prop_assert_eq!(read.to_draft(), draft);
        }

        #[test]
        fn an_independent_yaml_reader_reads_the_same_head(draft in drafts()) {
            let source = draft.render(&id(), created());
            let head = source.strip_prefix("---\n").unwrap();
            let head = &head[..head.find("\n---\n").unwrap() + 1];
            let read: serde_json::Value = serde_saphyr::from_str(head)
                .map_err(|error| TestCaseError::fail(format!("{head:?}: {error}")))?;
            let fields = &draft.fields;
            prop_assert_eq!(read["title"].as_str(), fields.title.as_deref());
            prop_assert_eq!(read["summary"].as_str(), fields.summary.as_deref());
            prop_assert_eq!(read["git"]["branch"].as_str(), fields.git.branch.as_deref());
            let tags: Vec<_> = read["tags"].as_array().into_iter().flatten().filter_map(|tag| tag.as_str()).collect();
            prop_assert_eq!(tags, fields.tags.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert_eq!(read["id"].as_str(), Some("20261115-174500-a3f9c12e"));
            prop_assert_eq!(read["created"].as_str(), Some("2026-11-15T17:45:00.123456Z"));
        }
    }
}
