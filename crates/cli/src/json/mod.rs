//! What `--json` prints. Every object carries the version of its schema.

pub(crate) mod found;
pub(crate) mod item;
pub(crate) mod resumed;

use segue_lib::handoffs::{Handoff, Head, Listed, SaveOutcome, told_rules};
use segue_lib::sharing::{Provenance, Pulled, PushSource, Pushed};
use segue_lib::visible_line;
use serde::Serialize;

/// Version of all schemas below. Keys are added freely; a changed meaning counts it up.
pub(crate) const SCHEMA: u32 = 1;

/// One handoff in `list --json`.
#[derive(Serialize)]
pub(crate) struct ListedJson<'a> {
    schema: u32,
    id: &'a str,
    short: &'a str,
    kind: &'static str,
    created_at: String,
    tool: Option<&'a str>,
    project: &'a str,
    project_id: &'a str,
    name: Option<&'a str>,
    title: &'a str,
    summary: Option<&'a str>,
    next: &'a [String],
    changed: &'a [String],
    tags: &'a [String],
    session: Option<&'a str>,
    mode: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    captured_at: Option<String>,
    expires: Option<String>,
    archived: bool,
    dir: Option<&'a str>,
    worktree: Option<&'a str>,
    branch: Option<&'a str>,
    head: Option<&'a str>,
    remote: Option<&'a str>,
    parent: Option<&'a str>,
    supersedes: &'a [String],
    aliases: &'a [String],
    imported: Option<ImportedJson<'a>>,
    path: String,
}

/// How a handoff came here, and whether its signer is trusted now.
#[derive(Serialize)]
struct ImportedJson<'a> {
    at: Option<&'a str>,
    from: Option<&'a str>,
    #[serde(flatten)]
    signed: Option<ProvenanceJson<'a>>,
}

/// Who signed something.
#[derive(Serialize)]
pub(crate) struct ProvenanceJson<'a> {
    /// `trusted`, `untrusted`, `unsigned` or `unproven`.
    trust: &'static str,
    signer: Option<&'a str>,
    /// What the user calls the key.
    name: Option<&'a str>,
    /// What the signer calls itself.
    says: Option<&'a str>,
}

impl<'a> ProvenanceJson<'a> {
    pub(crate) fn new(provenance: &'a Provenance) -> Self {
        let trust = provenance.word();
        match provenance {
            Provenance::Unsigned => Self { trust, signer: None, name: None, says: None },
            Provenance::Unproven { fingerprint } => {
                Self { trust, signer: Some(fingerprint), name: None, says: None }
            }
            Provenance::Signed { fingerprint, name, says, .. } => Self {
                trust,
                signer: Some(fingerprint),
                name: name.as_deref(),
                says: says.as_deref(),
            },
        }
    }
}

impl<'a> ListedJson<'a> {
    pub(crate) fn new(listed: &'a Listed, provenance: Option<&'a Provenance>) -> Self {
        Self::of(&listed.head, listed, &listed.title, &listed.next, provenance)
    }

    fn of(
        head: &'a Head,
        listed: &'a Listed,
        title: &'a str,
        next: &'a [String],
        provenance: Option<&'a Provenance>,
    ) -> Self {
        let fields = &head.fields;
        Self {
            schema: SCHEMA,
            id: head.id.as_str(),
            short: head.id.short(),
            kind: fields.kind.as_str(),
            created_at: head.created.to_string(),
            tool: fields.tool.as_deref(),
            project: fields.project.as_deref().unwrap_or(&listed.label),
            project_id: listed.project.as_str(),
            name: fields.name.as_deref(),
            title,
            summary: fields.summary.as_deref(),
            next,
            changed: &fields.changed,
            tags: &fields.tags,
            session: fields.session.as_deref(),
            mode: fields.mode.as_deref(),
            captured_at: fields.captured.map(|at| at.short()),
            expires: fields.expires.map(|at| at.short()),
            archived: listed.archived.is_some(),
            dir: fields.saved_from.dir.as_deref(),
            worktree: fields.saved_from.worktree.as_deref(),
            branch: fields.git.branch.as_deref(),
            head: fields.git.head.as_deref(),
            remote: fields.git.remote.as_deref(),
            parent: fields.parent.as_deref(),
            supersedes: &fields.supersedes,
            aliases: &fields.aliases,
            imported: fields.imported.as_ref().map(|imported| ImportedJson {
                at: imported.at.as_deref(),
                from: imported.from.as_deref(),
                signed: provenance.map(ProvenanceJson::new),
            }),
            path: listed.path.display().to_string(),
        }
    }
}

/// `show --json`.
#[derive(Serialize)]
pub(crate) struct ShownJson<'a> {
    #[serde(flatten)]
    listed: ListedJson<'a>,
    expired: bool,
    /// Rules, each with whose words it is: only the user's bind later sessions.
    rules: Vec<RuleJson<'a>>,
    body: &'a str,
}

#[derive(Serialize)]
struct RuleJson<'a> {
    text: &'a str,
    source: &'static str,
}

impl<'a> ShownJson<'a> {
    /// `head` is the handoff's own, without secrets.
    pub(crate) fn new(
        handoff: &'a Handoff,
        head: &'a Head,
        listed: &'a Listed,
        title: &'a str,
        next: &'a [String],
        expired: bool,
        provenance: Option<&'a Provenance>,
    ) -> Self {
        Self {
            listed: ListedJson::of(head, listed, title, next, provenance),
            expired,
            rules: told_rules(handoff)
                .into_iter()
                .map(|(text, source)| RuleJson { text, source: source.as_str() })
                .collect(),
            body: handoff.body(),
        }
    }
}

/// `save --json` and `edit --json`.
#[derive(Serialize)]
pub(crate) struct SavedJson<'a> {
    schema: u32,
    id: &'a str,
    short: &'a str,
    kind: &'static str,
    created_at: String,
    project: &'a str,
    project_id: &'a str,
    expires: Option<String>,
    path: String,
    warnings: &'a [String],
}

impl<'a> SavedJson<'a> {
    pub(crate) fn new(saved: &'a SaveOutcome) -> Self {
        let head = &saved.handoff.head;
        Self {
            schema: SCHEMA,
            id: head.id.as_str(),
            short: head.id.short(),
            kind: head.fields.kind.as_str(),
            created_at: head.created.to_string(),
            project: &saved.label,
            project_id: saved.project.as_str(),
            expires: head.fields.expires.map(|at| at.short()),
            path: saved.path.display().to_string(),
            warnings: &saved.warnings,
        }
    }
}

/// `push --json`.
#[derive(Serialize)]
pub(crate) struct PushedJson<'a> {
    schema: u32,
    key: &'a str,
    created: bool,
    file: Option<String>,
    handoff: Option<&'a str>,
    bytes: usize,
    warnings: &'a [String],
}

impl<'a> PushedJson<'a> {
    pub(crate) fn new(pushed: &'a Pushed) -> Self {
        let (file, handoff) = match &pushed.source {
            PushSource::File(path) => (Some(path.display().to_string()), None),
            PushSource::Handoff(id) => (None, Some(id.as_str())),
        };
        Self {
            schema: SCHEMA,
            key: &pushed.key,
            created: pushed.created,
            file,
            handoff,
            bytes: pushed.bytes,
            warnings: &pushed.warnings,
        }
    }
}

/// `pull --json`.
#[derive(Serialize)]
pub(crate) struct PulledJson<'a> {
    #[serde(flatten)]
    saved: SavedJson<'a>,
    key: &'a str,
    new: bool,
}

impl<'a> PulledJson<'a> {
    pub(crate) fn new(pulled: &'a Pulled) -> Self {
        Self { saved: SavedJson::new(&pulled.saved), key: &pulled.key, new: pulled.new }
    }
}

/// JSON for people. Characters that a terminal or reader would act on are escaped, not only those
/// that JSON requires.
pub(crate) fn pretty(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value)
        .unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    let acts = |c: char| c != '\n' && visible_line(c.encode_utf8(&mut [0; 4])) != c.to_string();
    if !text.chars().any(acts) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if acts(c) {
            let units = c.encode_utf16(&mut [0; 2]).to_vec();
            units.iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_is_left_and_the_text_is_the_same() {
        let text = "a\u{9b}31m \u{202e}b \u{7f} \u{e0041} \u{1b}[2J é 修 🎉 \n\t";
        let json = pretty(&vec![text]);
        assert!(!json.contains(['\u{9b}', '\u{202e}', '\u{7f}', '\u{e0041}', '\u{1b}']), "{json}");
        assert!(json.contains("é 修 🎉"), "{json}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [text]);
    }
}
