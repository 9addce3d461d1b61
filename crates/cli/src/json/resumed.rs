//! What `resume --json` prints.

use segue_lib::briefing::{
    BriefedPart, GitToday, OtherHandoff, ResumeOutcome, ResumeRequest, SinceThen,
};
use serde::Serialize;

use super::{ListedJson, SCHEMA};

/// A briefing with every part as data.
#[derive(Serialize)]
pub(crate) struct ResumedJson<'a> {
    schema: u32,
    briefing: &'a str,
    /// Code points of the briefing.
    chars: usize,
    tokens: TokensJson,
    project: &'a str,
    dir: String,
    target: Option<&'static str>,
    handoff: Option<ListedJson<'a>>,
    session: Option<SessionJson<'a>>,
    git: GitJson<'a>,
    verify: Vec<VerifyJson<'a>>,
    parts: Vec<PartJson<'a>>,
    rechecked: Vec<RecheckedJson<'a>>,
    others: Vec<OtherJson<'a>>,
    warnings: &'a [String],
}

/// The session that was read because no handoff was left.
#[derive(Serialize)]
struct SessionJson<'a> {
    agent: &'a str,
    session: &'a str,
    modified: String,
    path: Option<String>,
    going_on: bool,
}

#[derive(Serialize)]
struct TokensJson {
    budget: usize,
    estimate: usize,
    tokenizer: &'static str,
}

#[derive(Serialize)]
struct VerifyJson<'a> {
    claim: Option<&'a str>,
    reason: &'a str,
    files: &'a [String],
}

#[derive(Serialize)]
struct PartJson<'a> {
    part: &'static str,
    shown: &'a [String],
    left_out: &'a [String],
}

#[derive(Serialize)]
struct RecheckedJson<'a> {
    command: &'a str,
    holds: Option<bool>,
    outcome: &'a str,
}

#[derive(Serialize)]
struct OtherJson<'a> {
    short: &'a str,
    /// The session of which there is only a draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    title: &'a str,
    created_at: String,
    branch: Option<&'a str>,
    worktree: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum GitJson<'a> {
    None,
    Bare,
    Silent {
        reason: &'a str,
    },
    Tree {
        branch: Option<&'a str>,
        head: Option<&'a str>,
        changed: &'a [String],
        more_changed: usize,
        operation: Option<&'static str>,
        since: SinceJson<'a>,
    },
}

#[derive(Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum SinceJson<'a> {
    Unasked,
    Same,
    Unknown { reason: &'a str },
    Moved { ahead: u64, behind: u64, commits: Vec<CommitJson<'a>> },
}

#[derive(Serialize)]
struct CommitJson<'a> {
    id: &'a str,
    subject: &'a str,
}

impl<'a> ResumedJson<'a> {
    pub(crate) fn new(outcome: &'a ResumeOutcome, request: &ResumeRequest) -> Self {
        let briefing = &outcome.briefing;
        let part = |part: &'a BriefedPart| PartJson {
            part: part.key,
            shown: &part.shown,
            left_out: &part.left_out,
        };
        Self {
            schema: SCHEMA,
            briefing: &briefing.text,
            chars: briefing.text.chars().count(),
            tokens: TokensJson {
                budget: request.budget,
                estimate: briefing.tokens,
                tokenizer: "o200k",
            },
            project: &outcome.project,
            dir: outcome.dir.display().to_string(),
            target: request.target.map(|agent| agent.slug),
            handoff: outcome
                .handoff
                .as_ref()
                .map(|(_, listed)| ListedJson::new(listed, outcome.provenance.as_ref())),
            session: outcome.session.as_ref().map(|told| SessionJson {
                agent: &told.agent,
                session: &told.id,
                modified: told.modified.whole_second().short(),
                path: told.path.as_ref().map(|path| path.display().to_string()),
                going_on: told.going_on,
            }),
            git: git(&outcome.git),
            verify: briefing
                .verify
                .iter()
                .map(|one| VerifyJson {
                    claim: one.claim.as_deref(),
                    reason: &one.reason,
                    files: &one.files,
                })
                .collect(),
            parts: briefing.parts.iter().map(part).collect(),
            rechecked: outcome
                .rechecked
                .iter()
                .map(|check| RecheckedJson {
                    command: &check.command,
                    holds: check.holds,
                    outcome: &check.outcome,
                })
                .collect(),
            others: outcome.others.iter().map(other).collect(),
            warnings: &outcome.warnings,
        }
    }
}

fn other(other: &OtherHandoff) -> OtherJson<'_> {
    OtherJson {
        short: &other.short,
        session: other.session.as_deref(),
        title: &other.title,
        created_at: other.created.to_string(),
        branch: other.branch.as_deref(),
        worktree: other.worktree.as_deref(),
    }
}

fn git(git: &GitToday) -> GitJson<'_> {
    match git {
        GitToday::None => GitJson::None,
        GitToday::Bare => GitJson::Bare,
        GitToday::Silent(reason) => GitJson::Silent { reason },
        GitToday::Tree(tree) => GitJson::Tree {
            branch: tree.branch.as_deref(),
            head: tree.head.as_deref(),
            changed: &tree.changed,
            more_changed: tree.more,
            operation: tree.operation,
            since: match &tree.since {
                SinceThen::Unasked => SinceJson::Unasked,
                SinceThen::Same => SinceJson::Same,
                SinceThen::Unknown(reason) => SinceJson::Unknown { reason },
                SinceThen::Moved { commits, ahead, behind } => SinceJson::Moved {
                    ahead: *ahead,
                    behind: *behind,
                    commits: commits
                        .iter()
                        .map(|commit| CommitJson { id: &commit.id, subject: &commit.subject })
                        .collect(),
                },
            },
        },
    }
}
