//! The rules that the user sets: the sentences of a request, each with whether it holds from then on.

mod attributed;
mod ban;
mod chinese;
mod clause;
mod convention;
mod french;
mod german;
mod handed_on;
mod manner;
mod order;
mod pasted_words;
mod polite;
mod quotation;
mod sources;
mod spanish;
mod standing;
mod subjects;
mod words;

use self::attributed::without_others;
use self::handed_on::before_handoff;
use self::pasted_words::without_pasted;
use self::standing::{is_task_description, judge};
use super::own_words::own_words;
use super::prose::sentences;

/// Gives each sentence of a request, whether it holds from then on, and why or why not. Where nothing
/// sounds like an order there is no reason.
pub(in crate::session) fn each_order(
    request: &str,
    mut each: impl FnMut(&str, bool, Option<&'static str>),
) {
    let own = own_words(&without_pasted(before_handoff(request))).text;
    // Four blanks are code, in Markdown and in what is pasted.
    let is_code =
        |line: &&str| line.starts_with("    ") && !line.trim_start().starts_with(['-', '*', '+']);
    let own = without_others(&own);
    let lines: Vec<&str> = own.lines().filter(|line| !is_code(line)).collect();
    let own = lines.join("\n");
    let in_task = is_task_description(&own);
    sentences(&own, |sentence| match judge(sentence, in_task) {
        Some((holds, why)) => each(sentence, holds, Some(why)),
        None => each(sentence, false, None),
    });
}
