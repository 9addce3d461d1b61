//! Calls that were not let happen, and what the user said to it.

use segue_core::session::{Prompt, PromptWay, Recorder, ToolText, Typed};

use crate::json::{Raw, is_true, shaped, text, wire};

wire! {
    /// What went wrong with a call.
    pub(super) struct Trouble<'a> {
        pub(super) code,
        pub(super) message,
    }
}

/// Who did not let a call happen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Denial {
    ByUser,
    /// A rule, a policy or a hook.
    ByRule,
}

impl Denial {
    /// Whether a call was denied, as the record says. What the call printed does not count.
    pub(super) fn of(
        success: Raw<'_>,
        trouble: Option<&Trouble<'_>>,
        kind: Option<&str>,
    ) -> Option<Self> {
        if is_true(success) {
            return None;
        }
        let code = trouble.and_then(|trouble| text(trouble.code));
        match code.as_deref().or(kind)? {
            "rejected" => Some(Self::ByUser),
            "denied" => Some(Self::ByRule),
            _ => None,
        }
    }
}

/// How a message of the agent's begins, and what stands before the user's reason.
const REFUSED: &str = "The user rejected this tool call.";
const WHY: &str = "User feedback: ";

/// The user did not let the agent do something, and may have said why: only where the agent itself wrote the
/// result, and behind its own words. A message may quote what was to be done.
pub(super) fn refused(message: &ToolText<'_>, is_own: bool, recorder: &mut Recorder) {
    // Older versions have one word for all denials.
    if message.as_str().contains("denied due to") {
        return;
    }
    let reason = |message| -> Option<&str> {
        let why = str::strip_prefix(message, REFUSED)?.trim_start().strip_prefix(WHY)?;
        Some(why.trim().trim_matches('"'))
    };
    match Typed::in_own_result(message, reason).filter(|_| is_own) {
        Some(why) => refused_with(why, recorder),
        None => recorder.interrupted(),
    }
}

fn refused_with(why: Typed<'_>, recorder: &mut Recorder) {
    let last = recorder.session().prompts.last();
    let is_told =
        |last: &Prompt| last.way == PromptWay::Refusing && last.text == why.as_str().trim();
    if !last.is_some_and(is_told) {
        recorder.asked(why, PromptWay::Refusing);
    }
}

/// The answer to a question whether the agent may do something.
pub(super) fn permission(result: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        struct Decision<'a> {
            kind,
            feedback,
        }
    }
    let Some(decision) = shaped::<Decision<'_>>(result) else { return };
    if text(decision.kind).as_deref() == Some("denied-interactively-by-user") {
        match text(decision.feedback).filter(|why| !why.trim().is_empty()) {
            Some(why) => refused_with(Typed::by_record(&why), recorder),
            None => recorder.interrupted(),
        }
    }
}
