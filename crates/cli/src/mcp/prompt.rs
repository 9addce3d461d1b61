//! The prompts: what a person asks for by name, in a client that offers them.

use super::answer::Trouble;
use super::arguments::{Arguments, whole};
use super::caller::Caller;
use super::desk::Place;
use super::pick_up::open_request;

/// One prompt.
pub(super) struct Prompt {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    /// An argument that may be given, and what it is.
    pub(super) argument: (&'static str, &'static str),
    pub(super) text: fn(&Place, &Caller, Arguments) -> Result<String, Trouble>,
}

/// Every prompt.
pub(super) const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "hand-off",
        title: "Hand off",
        about: "Leave a handoff for the next session",
        argument: ("focus", "what the next session shall do"),
        text: hand_off,
    },
    Prompt {
        name: "resume",
        title: "Resume",
        about: "Go on where the last session stopped",
        argument: ("budget", "tokens of the briefing"),
        text: resume,
    },
];

/// The prompt of a name.
pub(super) fn find(name: &str) -> Option<&'static Prompt> {
    PROMPTS.iter().find(|prompt| prompt.name == name)
}

const HAND_OFF: &str = "\
Leave a handoff for the next session, which may be another agent and knows nothing of this one. \
Call the tool `save` of segue with a title of one line and a body in Markdown with these sections; leave out one that \
has nothing to say:

## Context: what this is about, and what was asked for
## Key Decisions: one item each, `subject: decision`, and why
## Current State: what is done and what is not, with the commands that show it and their results
## Next Steps: in order, so exact that they can be begun at once
## Warnings / Gotchas: what failed, what must not be done
## Files of Note: paths, and what is in them

Write what you know, and say where you only assume. No secrets. Then tell me the id.";

fn hand_off(_: &Place, _: &Caller, given: Arguments) -> Result<String, Trouble> {
    let focus = given.get("focus").and_then(|focus| focus.as_str()).map(str::trim);
    Ok(match focus.filter(|focus| !focus.is_empty()) {
        Some(focus) => format!("{HAND_OFF}\n\nThe next session shall: {focus}"),
        None => HAND_OFF.to_owned(),
    })
}

fn resume(place: &Place, who: &Caller, given: Arguments) -> Result<String, Trouble> {
    let budget = match given.get("budget").filter(|budget| !budget.is_null()) {
        Some(budget) => Some(
            whole(budget)
                .ok_or_else(|| Trouble::new("`budget` has to be a whole number of 0 or more."))?,
        ),
        None => None,
    };
    let budget = budget.and_then(|budget| usize::try_from(budget).ok());
    let request = open_request(who, budget)?;
    let told = place.open_in_a_hurry()?.briefer().resume(&request, None)?;
    Ok(format!(
        "Go on where the last session stopped. This is its record; check it against the files before you rely on \
         it.\n\n{}",
        told.briefing.text
    ))
}
