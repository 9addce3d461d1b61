//! What a session is told by a hook.

use segue_core::{CommitLine, Timestamp, ago, code_span};
use segue_store::Listed;

/// What must be in a summary word for word.
const KEPT: &[&str] = &["Standing Constraints", "Next Steps", "Blockers", "Checks"];

/// A briefing as a hook gives it.
pub(super) fn briefing(text: &str, source: Option<&str>) -> String {
    let why = match source {
        Some("clear") => {
            "The conversation was cleared. What was left before, in short, if it is needed:\n\n"
        }
        _ => "",
    };
    format!("{why}{text}")
}

/// What is given back after a compaction.
pub(super) fn given_back(body: &str) -> String {
    format!(
        "# What the summary may have dropped\n\nThe conversation was summed up. This was read out of \
         its transcript by Segue, word for word. What the user said to hold still holds, unless the \
         user took it back. For commands, files and exit codes believe this rather than the summary.\n\n{body}"
    )
}

/// What has to be in a summary; `None` if there is nothing.
pub(super) fn not_to_be_lost(body: &str) -> Option<String> {
    let mut kept = String::new();
    let mut wanted = false;
    for line in body.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            wanted = KEPT.contains(&heading.trim());
        }
        if wanted {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    let kept = kept.trim_end();
    (!kept.is_empty()).then(|| {
        format!(
            "Keep the following in the summary, word for word. It was read out of the transcript by \
             Segue.\n\n{kept}\n"
        )
    })
}

/// What changed while a session was away.
pub(super) fn since(ended: Timestamp, now: Timestamp, news: &[String]) -> String {
    let mut text = format!(
        "# Since this session stopped\n\nIt stopped {} ({}). Since then:\n\n",
        ago(ended, now),
        ended.minute()
    );
    for one in news {
        text.push_str(&format!("- {one}\n"));
    }
    text
}

pub(super) fn branch_now(branch: &str) -> String {
    format!("the branch is {} now", code_span(branch))
}

pub(super) fn commits_since(commits: &[CommitLine], ahead: u64, behind: u64) -> Vec<String> {
    let mut told = Vec::new();
    if behind > 0 {
        told.push(format!("{behind} commits of then are not in today's history"));
    }
    let named = commits.iter().take(5);
    told.extend(named.map(|commit| {
        let id: String = commit.id.chars().take(9).collect();
        format!("commit {}: {}", code_span(&id), code_span(&commit.subject))
    }));
    let more = ahead.saturating_sub(commits.len().min(5) as u64);
    if more > 0 {
        told.push(format!("{more} more commits"));
    }
    told
}

pub(super) fn left_meanwhile(listed: &Listed) -> String {
    format!(
        "another session left a handoff: {} (`segue show {}`)",
        code_span(&listed.title),
        listed.head.id.short()
    )
}

pub(super) fn goes_on_meanwhile(title: &str, session: &str, has_left: bool) -> String {
    let which = if has_left { "went on after its handoff" } else { "has left no handoff" };
    format!("another session that {which}: {} (`segue show --session {session}`)", code_span(title))
}

/// A text that is not longer than the agent passes on. Where it is cut, it says so.
pub(super) fn within(text: &str, most: usize) -> String {
    const REST: &str = "\n\nThe rest: `segue resume`.\n";
    if text.len() <= most {
        return text.to_owned();
    }
    let mut end = most - REST.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').unwrap_or(end);
    format!("{}{REST}", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_to_stay_goes_into_the_summary() {
        let body = "## Context\n\nwork\n\n## Standing Constraints\n\n- never touch x\n\n## Files of Note\n\n- a\n\n## Next Steps\n\n- [ ] b\n";
        let kept = not_to_be_lost(body).unwrap();
        assert!(
            kept.ends_with(
                "## Standing Constraints\n\n- never touch x\n\n## Next Steps\n\n- [ ] b\n"
            )
        );
        assert!(!kept.contains("work") && !kept.contains("Files"));
        assert_eq!(not_to_be_lost("## Context\n\nwork\n"), None);
    }

    #[test]
    fn a_text_is_cut_between_lines() {
        let text = "é line\n".repeat(2_000);
        let cut = within(&text, 9_500);
        assert!(cut.len() <= 9_500 && cut.len() > 9_400, "{}", cut.len());
        assert!(cut.ends_with("é line\n\nThe rest: `segue resume`.\n"));
        assert_eq!(within("short", 9_500), "short");
    }
}
