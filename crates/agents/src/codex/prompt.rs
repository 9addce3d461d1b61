//! What the user typed in a Codex session, and what the agent and editors put around it.

use std::borrow::Cow;

use segue_core::session::{PromptWay, Recorder, Typed};

use super::record::{Item, SUMMED_UP, between, texts};
use crate::blocks::Frames;
use crate::json::{Value, shaped, text, wire};

/// Texts that stand where the user's stand and were written by the agent itself.
const MACHINE: &[&str] = &[
    "# AGENTS.md instructions",
    "<permissions instructions>",
    "<skills_instructions>",
    "<apps_instructions>",
    "<plugins_instructions>",
    "<collaboration_mode>",
    "<personality_spec>",
    "<model_switch>",
    "<user_shell_command>",
    "<user_action>",
    "<skill>",
    "<image",
    "</image>",
    SUMMED_UP,
    "Warning: apply_patch was requested via",
    "Warning: The maximum number of unified exec processes",
];
/// Tags that the agent writes where the user's words stand.
const FRAMES: Frames<'_> = Frames {
    output: &["turn_aborted", "subagent_notification"],
    wrapping: &[
        "stdin",
        "environment_context",
        "user_instructions",
        "INSTRUCTIONS",
        "system-reminder",
        "hook_prompt",
        "goal_context",
    ],
    behind: &[],
};
/// What newer versions leave in a part of which they say that the user typed it.
const PIPED: Frames<'_> = Frames { output: &[], wrapping: &["stdin"], behind: &[] };
/// What they say so with.
const TYPED: &str = "user.text";
/// What editors put before what the user typed.
const EDITOR: &str = "# Context from my IDE setup:";
const REQUEST: &str = "## My request for Codex:";

/// What the user typed behind what an editor shows, which may have that line, too. The last one counts.
fn typed_in_editor(part: &str) -> &str {
    // Other programs show other things first, each below a heading.
    match part.rsplit_once(REQUEST).filter(|_| part.starts_with("# ")) {
        Some((_, typed)) => typed.trim(),
        None if part.starts_with(EDITOR) => "",
        None => part,
    }
}

/// Takes down what the user typed in a message.
pub(super) fn take(item: &Item<'_>, recorder: &mut Recorder) {
    wire! {
        struct Passed<'a> {
            content_item_kinds,
            content_item_metadata,
        }
    }
    let passed = shaped::<Passed<'_>>(item.passed);
    let values = |raw| shaped::<Vec<Value<'_>>>(raw).unwrap_or_default();
    let (kinds, about) = passed
        .map_or((None, None), |passed| (passed.content_item_kinds, passed.content_item_metadata));
    let (kinds, about) = (values(kinds), values(about));
    // Newer versions say of each part what it is.
    let kind_of = |at: usize| {
        kinds.get(at).and_then(|kind| text(Some(*kind))).filter(|kind| kind != "unknown")
    };
    let parts = texts(item.content);
    let is_machines = |text: &str| MACHINE.iter().any(|begins| text.starts_with(begins));
    let is_output = |(at, part): &(usize, Cow<'_, str>)| {
        kind_of(*at).is_none()
            && (FRAMES.is_output(part) || FRAMES.begins(part.trim(), is_machines))
    };
    // Of a part of which nothing is said, nothing is known where others are said to be typed.
    let is_said = parts.iter().any(|(at, _)| kind_of(*at).as_deref() == Some(TYPED));
    let is_other = is_said || parts.iter().any(is_output);
    let mut prompt = String::new();
    let mut is_attached = false;
    for (at, part) in parts {
        // What follows an attached file, or a frame that does not end, belongs to that.
        if is_attached {
            break;
        }
        let part = part.trim();
        if part.starts_with("<environment_context>") && recorder.session().cwd.is_none() {
            between(part, "<cwd>", "</cwd>").iter().for_each(|cwd| recorder.cwd(cwd));
        }
        if part.starts_with("<turn_aborted>") {
            recorder.interrupted();
        }
        let kind = kind_of(at);
        let whole = part;
        let part = match kind.as_deref() {
            _ if about.get(at).is_some_and(|about| is_by_another(*about)) => continue,
            None if is_other => continue,
            None => FRAMES.outside(part),
            Some(TYPED) => PIPED.outside(part),
            Some(_) => continue,
        };
        if kind.is_none() && FRAMES.begins(whole, is_machines) {
            continue;
        }
        is_attached = if kind.is_none() { FRAMES.goes_on(whole) } else { PIPED.goes_on(whole) };
        // A file in what the editor shows may have cut off the line behind which the user typed.
        let is_cut = whole.starts_with("# ") && whole.contains(REQUEST) && !part.contains(REQUEST);
        let typed = if is_cut { "" } else { typed_in_editor(part) };
        if !prompt.is_empty() && !typed.is_empty() {
            prompt.push('\n');
        }
        prompt.push_str(typed);
    }
    if accepts_plan(&prompt) {
        recorder.plan_accepted();
    }
    recorder.asked(Typed::by_record(&prompt), PromptWay::Typed);
}

/// Whether what is known of a part says that somebody else than the user wrote it.
fn is_by_another(about: Value<'_>) -> bool {
    wire! {
        struct About<'a> {
            provenance,
        }

        struct Provenance<'a> {
            kind = "type",
        }
    }
    let provenance = shaped::<About<'_>>(Some(about)).and_then(|about| about.provenance);
    let by = shaped::<Provenance<'_>>(provenance).and_then(|one| text(one.kind));
    provenance.is_some() && by.is_none_or(|by| by != "user")
}

/// Whether the user wants the plan done: the agent offers these words, others type them.
fn accepts_plan(prompt: &str) -> bool {
    let begins =
        |with: &str| prompt.get(..with.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(with));
    ["implement the plan", "implement this plan", "implement your plan"].into_iter().any(begins)
}
