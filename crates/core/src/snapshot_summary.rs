//! What a snapshot captured, in one line.

use std::fmt;

use crate::{SeenGit, SeenTree, visible_line};

/// What a snapshot captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotSummary {
    pub session: Option<SessionSummary>,
    /// Whether HANDOFF.md has words of people or agents.
    pub has_file_words: bool,
    pub open_steps: usize,
    /// What is said of git; `None` if it stands nowhere in the snapshot.
    pub git: Option<String>,
}

/// What a snapshot captured of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// The agent, as people call it.
    pub agent: String,
    pub turns: u64,
    pub failing_checks: usize,
    /// Whether its agent's own words come first.
    pub has_own_words: bool,
}

impl SeenGit {
    /// The branch and how much is not committed, in a few words.
    pub fn in_short(&self) -> String {
        match self {
            Self::None => "no git repository".to_owned(),
            Self::Bare => "a bare repository".to_owned(),
            Self::Broken(_) => "git gave no answer".to_owned(),
            Self::Tree(tree) => tree.in_short(),
        }
    }
}

impl SeenTree {
    fn in_short(&self) -> String {
        let place = match (&self.branch, &self.head) {
            (Some(branch), _) => format!("branch {}", visible_line(branch)),
            (None, Some(_)) => "detached HEAD".to_owned(),
            (None, None) => "no commit yet".to_owned(),
        };
        match self.changes.len() + self.more {
            0 => format!("{place}, nothing uncommitted"),
            count => format!("{place}, {}", counted(count as u64, "changed file")),
        }
    }
}

impl fmt::Display for SnapshotSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match &self.session {
            Some(session) => {
                let whose = if session.has_own_words { "own words and session" } else { "session" };
                parts.push(format!("{whose} of {}", visible_line(&session.agent)));
                parts.push(counted(session.turns, "turn"));
            }
            None if self.has_file_words => parts.push("words of HANDOFF.md".to_owned()),
            None => {}
        }
        if self.open_steps > 0 {
            parts.push(counted(self.open_steps as u64, "open step"));
        }
        if let Some(session) = &self.session {
            if session.failing_checks > 0 {
                parts.push(counted(session.failing_checks as u64, "failing check"));
            }
            if self.has_file_words {
                parts.push("words of HANDOFF.md".to_owned());
            }
        }
        let git = self.git.as_ref();
        match parts.is_empty() {
            true => {
                parts.extend(git.map(|git| format!("git state only ({git})")));
            }
            false => parts.extend(git.map(|git| format!("git state ({git})"))),
        }
        f.write_str(&parts.join(", "))
    }
}

fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeenChange;

    fn tree(changed: usize) -> SeenGit {
        let change = SeenChange { code: " M".into(), path: "a.rs".into(), lines: None };
        SeenGit::Tree(SeenTree {
            branch: Some("main".into()),
            changes: vec![change; changed],
            ..SeenTree::default()
        })
    }

    #[test]
    fn a_session_is_summed_up_by_its_turns_and_what_is_left() {
        let session = SessionSummary {
            agent: "Claude Code".into(),
            turns: 12,
            failing_checks: 2,
            has_own_words: false,
        };
        let mut summary = SnapshotSummary {
            session: Some(session.clone()),
            open_steps: 3,
            ..SnapshotSummary::default()
        };
        assert_eq!(
            summary.to_string(),
            "session of Claude Code, 12 turns, 3 open steps, 2 failing checks"
        );
        summary.session =
            Some(SessionSummary { turns: 1, failing_checks: 0, has_own_words: true, ..session });
        summary.open_steps = 0;
        summary.git = Some(tree(1).in_short());
        assert_eq!(
            summary.to_string(),
            "own words and session of Claude Code, 1 turn, git state (branch main, 1 changed file)"
        );
    }

    #[test]
    fn without_a_session_it_says_what_git_and_handoff_md_show() {
        let git = |git: SeenGit| SnapshotSummary {
            git: Some(git.in_short()),
            ..SnapshotSummary::default()
        };
        for (seen, line) in [
            (tree(3), "git state only (branch main, 3 changed files)"),
            (tree(0), "git state only (branch main, nothing uncommitted)"),
            (SeenGit::None, "git state only (no git repository)"),
            (SeenGit::Broken("index".into()), "git state only (git gave no answer)"),
        ] {
            assert_eq!(git(seen).to_string(), line);
        }
        let words = SnapshotSummary { has_file_words: true, open_steps: 1, ..git(tree(2)) };
        assert_eq!(
            words.to_string(),
            "words of HANDOFF.md, 1 open step, git state (branch main, 2 changed files)"
        );
    }
}
