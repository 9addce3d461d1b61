//! What the sections of a handoff are about, whatever their headings say exactly.

/// A part of a handoff, in the order in which a briefing uses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Part {
    /// What somebody's words say and the session shows otherwise.
    Contradictions,
    Next,
    Blockers,
    State,
    Constraints,
    /// Sentences in which the user took rules back.
    TakenBack,
    Decisions,
    Rejected,
    Questions,
    Gotchas,
    Checks,
    Files,
    /// A section of somebody's own.
    Other,
    /// What a snapshot saw of git: a briefing looks for itself.
    Seen,
}

impl Part {
    /// The part that a section with this heading is.
    pub(crate) fn of(title: &str) -> Self {
        let title = title.to_lowercase().replace('’', "'");
        // What stands in brackets behind it does not change what it is about.
        let title = title.split(" (").next().unwrap_or(&title).trim();
        match title.trim_end_matches(':') {
            "contradictions" => Self::Contradictions,
            "next steps"
            | "next"
            | "what's next"
            | "requested continuation"
            | "todo"
            | "to do"
            | "remaining"
            | "remaining work" => Self::Next,
            "blockers" | "blocked" | "blocked by" => Self::Blockers,
            "current state" | "state" | "status" | "progress" | "context" | "summary"
            | "background" | "overview" | "what happened" | "done" | "notes" => Self::State,
            "standing constraints" | "constraints" | "rules" => Self::Constraints,
            "taken back" => Self::TakenBack,
            "key decisions" | "decisions" | "decisions made" => Self::Decisions,
            "rejected paths" | "rejected" | "patterns that failed" | "what failed" => {
                Self::Rejected
            }
            "open questions" | "questions" => Self::Questions,
            "warnings / gotchas" | "warnings" | "gotchas" | "caveats" | "known issues"
            | "pitfalls" | "warnings/gotchas" => Self::Gotchas,
            "checks" | "verification" | "tests" => Self::Checks,
            "files of note" | "files" | "important files" | "key files" => Self::Files,
            "observed"
            | "recent commits"
            | "uncommitted changes"
            | "last session"
            | "last handoff"
            | "working tree signals" => Self::Seen,
            _ => Self::Other,
        }
    }

    /// What a briefing calls it.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Contradictions => "Contradictions",
            Self::Next => "Next steps",
            Self::Blockers => "Blockers",
            Self::State => "Current state",
            Self::Constraints => "Standing constraints",
            Self::TakenBack => "Taken back",
            Self::Decisions => "Decisions",
            Self::Rejected => "Rejected paths",
            Self::Questions => "Open questions",
            Self::Gotchas => "Gotchas",
            Self::Checks => "Checks",
            Self::Files => "Files",
            Self::Other => "Also in the handoff",
            Self::Seen => "Seen then",
        }
    }

    /// The key of it in `--json`.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Contradictions => "contradictions",
            Self::Next => "next",
            Self::Blockers => "blockers",
            Self::State => "state",
            Self::Constraints => "constraints",
            Self::TakenBack => "taken-back",
            Self::Decisions => "decisions",
            Self::Rejected => "rejected",
            Self::Questions => "questions",
            Self::Gotchas => "gotchas",
            Self::Checks => "checks",
            Self::Files => "files",
            Self::Other => "other",
            Self::Seen => "seen",
        }
    }
}
