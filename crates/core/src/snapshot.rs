//! A handoff made from what can be seen, without anybody's words.

use crate::{CommitLine, Timestamp, code_span, visible_line};

/// Changed files past this many are counted in the text; the head lists them all.
const LISTED: usize = 50;

/// What can be seen of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub types: Vec<&'static str>,
    pub git: SeenGit,
    pub before: Option<LastWords>,
}

/// What can be seen of git.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SeenGit {
    #[default]
    None,
    Bare,
    /// It gave no answer, and why.
    Broken(String),
    Tree(SeenTree),
}

/// A work tree as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenTree {
    pub branch: Option<String>,
    pub head: Option<String>,
    /// Begun and not finished, such as a rebase.
    pub operation: Option<&'static str>,
    /// The newest ones; `None` if they were not asked for.
    pub commits: Option<Vec<CommitLine>>,
    pub changes: Vec<SeenChange>,
    /// How many more.
    pub more: usize,
    /// What could not be asked, in a few words.
    pub gaps: Vec<String>,
}

/// A file that is changed and not committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenChange {
    /// The two letters of `git status --short`.
    pub code: String,
    pub path: String,
    /// Lines added and removed, where git counts them.
    pub lines: Option<(u64, u64)>,
}

/// The last handoff in which somebody said something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastWords {
    pub short: String,
    pub title: String,
    pub created: Timestamp,
    pub next: Vec<String>,
}

impl Seen {
    /// A title for the snapshot.
    pub fn title(&self) -> String {
        match &self.git {
            SeenGit::None => "Snapshot".to_owned(),
            SeenGit::Bare => "Snapshot of a bare repository".to_owned(),
            SeenGit::Broken(_) => "Snapshot; git gave no answer".to_owned(),
            SeenGit::Tree(tree) => {
                let place = match (&tree.branch, &tree.head) {
                    (Some(branch), _) => visible_line(branch).into_owned(),
                    (None, Some(_)) => "a detached HEAD".to_owned(),
                    (None, None) => "a new repository".to_owned(),
                };
                match tree.changes.len() + tree.more {
                    0 => format!("Snapshot of {place}, nothing uncommitted"),
                    1 => format!("Snapshot of {place}, 1 file changed"),
                    count => format!("Snapshot of {place}, {count} files changed"),
                }
            }
        }
    }

    /// What was seen, as the sections of a handoff.
    pub fn sections(&self) -> String {
        let mut out = String::from("## Observed\n");
        for line in self.facts() {
            out.push_str(&format!("- {line}\n"));
        }
        if let SeenGit::Tree(tree) = &self.git {
            if let Some(commits) = &tree.commits {
                out.push_str("\n## Recent Commits\n");
                if commits.is_empty() {
                    out.push_str("- none yet\n");
                }
                for commit in commits {
                    out.push_str(&format!("- `{}` {}\n", commit.id, code_span(&commit.subject)));
                }
            }
            out.push_str("\n## Uncommitted Changes\n");
            out.push_str(&changes(tree));
        }
        if let Some(before) = &self.before {
            out.push_str(&format!(
                "\n## Last Handoff\n- `{}` of {}: {}\n",
                before.short,
                before.created.minute(),
                code_span(&before.title)
            ));
            for step in &before.next {
                out.push_str(&format!("- its next step: {}\n", code_span(step)));
            }
        }
        out
    }

    fn facts(&self) -> Vec<String> {
        let mut facts = Vec::new();
        match &self.git {
            SeenGit::None => facts.push("Not a git repository".to_owned()),
            SeenGit::Bare => facts.push("A bare git repository, without a work tree".to_owned()),
            SeenGit::Broken(why) => {
                facts.push(format!(
                    "Git gave no answer, so nothing is known of it: {}",
                    code_span(why)
                ));
            }
            SeenGit::Tree(tree) => {
                facts.push(match (&tree.branch, &tree.head) {
                    (Some(branch), Some(head)) => {
                        format!("Branch {} at `{}`", code_span(branch), short(head))
                    }
                    (Some(branch), None) => {
                        format!("Branch {}, before its first commit", code_span(branch))
                    }
                    (None, Some(head)) => format!("Detached HEAD at `{}`", short(head)),
                    (None, None) => "Before the first commit".to_owned(),
                });
                facts.extend(tree.operation.map(|name| format!("A {name} is in progress")));
                facts.extend(tree.gaps.iter().map(|gap| format!("Not seen: {}", code_span(gap))));
            }
        }
        let types =
            if self.types.is_empty() { "unknown".to_owned() } else { self.types.join(", ") };
        facts.push(format!("Project type: {types}"));
        facts
    }
}

fn short(commit: &str) -> &str {
    commit.get(..9).unwrap_or(commit)
}

fn changes(tree: &SeenTree) -> String {
    let mut out = String::new();
    for change in tree.changes.iter().take(LISTED) {
        let lines = change
            .lines
            .map_or_else(String::new, |(added, removed)| format!(" (+{added} -{removed})"));
        let line = code_span(&format!("{} {}", change.code, change.path));
        out.push_str(&format!("- {line}{lines}\n"));
    }
    let rest = tree.changes.len().saturating_sub(LISTED) + tree.more;
    if rest > 0 {
        out.push_str(&format!("- and {rest} more\n"));
    }
    if out.is_empty() {
        out.push_str("- none: the work tree is clean\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_reads_well() {
        let change = |code: &str, path: &str, lines| SeenChange {
            code: code.into(),
            path: path.into(),
            lines,
        };
        let seen = Seen {
            types: vec!["rust", "node"],
            git: SeenGit::Tree(SeenTree {
                branch: Some("main".into()),
                head: Some("00ec6ac0011223344".into()),
                operation: Some("rebase"),
                commits: Some(vec![CommitLine {
                    id: "00ec6ac".into(),
                    subject: "Add `x`\u{1b}".into(),
                }]),
                changes: vec![
                    change(" M", "src/main.rs", Some((1, 0))),
                    change("R ", "src/old.rs -> src/new.rs", None),
                ],
                more: 2,
                gaps: vec![],
            }),
            before: Some(LastWords {
                short: "a3f9c12e".into(),
                title: "Auth half done".into(),
                created: "2026-11-15T17:45:00Z".parse().unwrap(),
                next: vec!["Fix tests".into()],
            }),
        };
        assert_eq!(seen.title(), "Snapshot of main, 4 files changed");
        insta::assert_snapshot!(seen.sections(), @r"
        ## Observed
        - Branch `main` at `00ec6ac00`
        - A rebase is in progress
        - Project type: rust, node

        ## Recent Commits
        - `00ec6ac` `` Add `x`␛ ``

        ## Uncommitted Changes
        - ` M src/main.rs` (+1 -0)
        - `R  src/old.rs -> src/new.rs`
        - and 2 more

        ## Last Handoff
        - `a3f9c12e` of 2026-11-15 17:45 UTC: `Auth half done`
        - its next step: `Fix tests`
        ");
    }

    #[test]
    fn broken_is_not_clean_a5() {
        let seen = Seen { git: SeenGit::Broken("index file corrupt".into()), ..Seen::default() };
        assert!(seen.sections().contains("Git gave no answer"), "{}", seen.sections());
        assert!(!seen.sections().contains("clean"));
    }
}
