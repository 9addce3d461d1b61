//! A briefing of ours as a prompt: what an agent was started with by `segue continue`, or by somebody who
//! pasted one. It is told in the user's place and not in the user's words: what it says may come from
//! anywhere, and what holds from earlier sessions is known by the handoff in the store.

use std::borrow::Cow;

use crate::briefing::{GO_ON, TAKES_OVER};

/// What is known of such a prompt.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Briefed<'t> {
    /// What the work is about.
    pub(super) title: Option<&'t str>,
    /// What somebody wrote before and behind it.
    pub(super) rest: Cow<'t, str>,
}

const HEADING: &str = "# Briefing: ";

/// The parts of a prompt that has a briefing in it; `None` if it has none.
pub(super) fn briefed(text: &str) -> Option<Briefed<'_>> {
    let text = text.trim();
    let is_ours = text.starts_with(TAKES_OVER);
    let begin = match text.starts_with(HEADING) {
        true => Some(0),
        false => text.find("\n# Briefing: ").map(|at| at + 1),
    };
    // Whatever budget it had, it ends with how to leave the next handoff.
    let last = begin.and_then(|begin| Some(begin + text[begin..].rfind("`segue save")?));
    let end = last.map(|at| text[at..].find('\n').map_or(text.len(), |line| at + line));
    let (begin, end) = match (begin, end) {
        (Some(begin), Some(end)) => (begin, end),
        // What begins like one is one, however it ends.
        (Some(begin), None) if is_ours || begin == 0 => (begin, text.len()),
        (None, _) if is_ours => return Some(Briefed::default()),
        _ => return None,
    };
    // Below the line that says who left what there is text of files.
    let who_left_what = text[begin..end].lines().nth(1).unwrap_or_default();
    let title = who_left_what.split_once("**").and_then(|(_, rest)| Some(rest.split_once("**")?.0));
    let before = if is_ours { "" } else { text[..begin].trim() };
    let behind = text[end..].trim();
    let behind = if behind == GO_ON { "" } else { behind };
    let rest = match (before, behind) {
        ("", rest) | (rest, "") => Cow::Borrowed(rest),
        _ => Cow::Owned(format!("{before}\n\n{behind}")),
    };
    Some(Briefed { title: title.filter(|title| !title.is_empty()), rest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::briefing::FIRST_LINE;

    const BRIEFING: &str = "# Briefing: shop\nLeft by Codex CLI just now: **Mend the basket**, on `main`.\n\n\
        ## Next steps\n1. Never mind\n\n## Standing constraints\n- “Never touch schema.sql.” *(declared #3)*\n\
        - Always **test** *(by hand)\n\n## Files\n- `a`\n\nWhen you stop, leave the next handoff: `segue save`.";

    #[test]
    fn nothing_of_a_briefing_is_taken_but_its_title_and_what_follows_it() {
        let wanted = Briefed { title: Some("Mend the basket"), rest: "".into() };
        assert_eq!(briefed(BRIEFING), Some(wanted));
        assert_eq!(briefed(&format!("{FIRST_LINE}\n\n{BRIEFING}\n\n\n{GO_ON}")), briefed(BRIEFING));
        let own = format!("{BRIEFING}\n\nNever use tabs.");
        assert_eq!(briefed(&own).unwrap().rest, "Never use tabs.");
        let between = format!("Look at this:\n\n{BRIEFING}\n\nNever use tabs.");
        assert_eq!(briefed(&between).unwrap().rest, "Look at this:\n\nNever use tabs.");
        let torn = BRIEFING.split("When you stop").next().unwrap();
        assert_eq!(briefed(torn).unwrap().rest, "");
        assert_eq!(
            briefed(&format!("{TAKES_OVER} Read the file x first.")),
            Some(Briefed::default())
        );
        assert_eq!(briefed("Write a # Briefing: of this"), None);
        assert_eq!(briefed("Write this:\n# Briefing: of mine\nNever mind."), None);
    }
}
