//! What the user answered to the agent's questions, and said while refusing what the agent wanted to do.

use std::collections::BTreeMap;

use segue_core::session::{PromptWay, Recorder, ToolText, Typed};

use crate::json::{Raw, Value, is_set, shaped, text, wire};

/// Takes down the user's answers to questions.
pub(super) fn take(answers: Raw<'_>, recorder: &mut Recorder) {
    let answers: BTreeMap<String, Value<'_>> = shaped(answers).unwrap_or_default();
    for (question, answer) in answers {
        if let Some(answer) = chosen(answer) {
            recorder.answered(&question, Typed::by_record(&answer));
        }
    }
}

/// An answer: a text, or several.
fn chosen(answer: Value<'_>) -> Option<String> {
    if let Some(one) = text(Some(answer)) {
        return Some(one.into_owned());
    }
    let all: Vec<String> = shaped(Some(answer))?;
    (!all.is_empty()).then(|| all.join(", "))
}

const REFUSED: &str = "The user doesn't want to proceed with this tool use";
const INTERRUPTED: &str = "[Request interrupted";
const REFUSED_WITH: &str = "the user said:\n";
/// What is added for the model behind what the user said.
const ADDED: &str = "\n\nNote: ";
/// What the agent writes itself where the user's words stand.
const MACHINE: &[&str] = &[
    "The user wants to clarify these questions",
    "The user has indicated they have provided enough answers",
    "The agent proposed a plan that was rejected by the user",
];
/// Tools of the agent's own whose results nobody else writes. Those that run commands, read, write, plan and keep
/// to-dos are known to the recorder.
const OWN: &[&str] =
    &["Glob", "Grep", "LS", "AskUserQuestion", "ExitPlanMode", "EnterPlanMode", "KillShell"];

/// Whether the result of a call that failed says that the user did not want it.
pub(super) fn is_refusal(result: &ToolText<'_>) -> bool {
    let said = result.as_str();
    said.starts_with(REFUSED) || said.starts_with(INTERRUPTED)
}

/// Whether the agent itself wrote the result of a call that failed: what a server, a page or a subagent answers
/// is not the user's, whatever it looks like.
pub(super) fn is_own(call: &str, recorder: &Recorder) -> bool {
    if recorder.is_run(call) && !tells_exit_code(recorder) {
        return false;
    }
    recorder.acts_only(call) || recorder.only_tool(call).is_some_and(|what| OWN.contains(&what))
}

/// Whether a command that fails begins with its exit code. In older versions its own words do.
fn tells_exit_code(recorder: &Recorder) -> bool {
    let version = recorder.session().version.as_deref().unwrap_or_default();
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next(), next()) >= (2, 0, 64)
}

wire! {
    /// What newer versions say of a call that needed to be let happen.
    #[serde(rename_all = "camelCase")]
    struct Decision<'a> {
        decision,
        source,
        reason_type,
    }
}

impl Decision<'_> {
    /// Whether the user decided. A reason of another kind is a hook's, a rule's, a classifier's or that of a tool
    /// which is asked instead.
    fn is_by_user(&self) -> bool {
        text(self.source).is_some_and(|source| source.starts_with("user_"))
            && !is_set(self.reason_type)
    }
}

/// Whether it was the user who answered a question: a hook can do so instead. Older versions do not say.
pub(super) fn is_by_user(decision: Raw<'_>) -> bool {
    decision.is_none()
        || shaped::<Decision<'_>>(decision).is_some_and(|decision| {
            text(decision.decision).is_some_and(|word| word == "accept") && decision.is_by_user()
        })
}

/// Who decided that a call was not to be made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    ByUser,
    /// A hook or a rule: what stands where the reason stands is not the user's.
    ByRule,
    /// The call was made, and failed.
    Not,
}

impl Refused {
    /// What newer versions say of a result.
    pub(super) fn of(decision: Raw<'_>) -> Self {
        if decision.is_none() {
            return Self::ByUser;
        }
        let Some(decision) = shaped::<Decision<'_>>(decision) else { return Self::ByRule };
        match text(decision.decision).as_deref() {
            Some("accept") => Self::Not,
            Some("reject") if decision.is_by_user() => Self::ByUser,
            _ => Self::ByRule,
        }
    }
}

/// The user refused, and may have said why.
pub(super) fn refused(result: &ToolText<'_>, is_own: bool, recorder: &mut Recorder) {
    let why = if is_own { Typed::in_own_result(result, reason) } else { None };
    match why {
        Some(why) => recorder.asked(why, PromptWay::Refusing),
        None => recorder.interrupted(),
    }
}

/// What the user typed while refusing.
fn reason(said: &str) -> Option<&str> {
    let (before, why) = said.split_once(REFUSED_WITH)?;
    let why = why.split(ADDED).next().unwrap_or(why).trim();
    let is_typed = before.starts_with(REFUSED) && !before.contains('\n');
    let by_machine = why.is_empty() || MACHINE.iter().any(|begins| why.starts_with(begins));
    (is_typed && !by_machine).then_some(why)
}
