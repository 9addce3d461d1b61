//! What the user typed in a Gemini CLI session, and what the agent puts around it.

use segue_core::session::{PromptWay, Recorder, Typed};

use super::call::{self, Response};
use super::record::{Line, Part, does_retell, is_first, key, parts, retells};
use crate::blocks::{AroundFiles, Frames};
use crate::json::{is_set, shaped, text};

/// Takes down what the user typed in a message, or what the agent was given in the user's place.
pub(super) fn take(message: &Line<'_>, id: &str, recorder: &mut Recorder) {
    let content = parts(message.content);
    for response in content.iter().filter_map(|part| shaped::<Response<'_>>(part.function_response))
    {
        call::responded(&response, recorder);
    }
    let shown = parts(message.display_content);
    let prompt = Some(prompt(&shown)).filter(|shown| !shown.is_empty());
    // What stands beside a result was not typed.
    let is_result = content.iter().any(|part| part.function_response.is_some());
    let prompt = match prompt {
        Some(shown) => shown,
        // Where something was shown that has no words, nothing was typed.
        None if is_result || is_set(message.display_content) => String::new(),
        None => prompt_and_more(&content),
    };
    let summary = content
        .iter()
        .filter_map(|part| text(part.text))
        .find(|text| text.trim_start().starts_with(SNAPSHOT));
    if !is_first(recorder, 'u', id) {
        return;
    }
    if let Some(summary) = summary {
        recorder.compacted();
        let inside = summary.trim().trim_start_matches(SNAPSHOT);
        recorder.summed_up(inside.trim_end_matches("</state_snapshot>"));
        return;
    }
    if prompt.is_empty() || is_command(&prompt) {
        return;
    }
    let asked = |prompt: &str| key('q', prompt);
    let begins = content.first().is_some_and(|part| says(part, CONTEXT));
    if (begins || does_retell(recorder))
        && (recorder.knows(&asked(&prompt))
            || own_of(&content).iter().all(|one| recorder.knows(&asked(one))))
    {
        retells(true, recorder);
        return;
    }
    retells(false, recorder);
    recorder.is_first(&asked(&prompt));
    recorder.asked(Typed::by_record(&prompt), PromptWay::Typed);
}

const CONTEXT: &str = "<session_context>";
/// What stands before what the agent summed up.
const SNAPSHOT: &str = "<state_snapshot>";

/// Texts that stand where the user's stand and were written by the agent itself.
const MACHINE: &[&str] = &[
    CONTEXT,
    SNAPSHOT,
    "<hook_context>",
    "This is the Gemini CLI. We are setting up the context",
    "Here is the user's editor context",
    "Here is a summary of changes in the user's editor context",
    "I ran the following shell command:",
    "System: Potential loop detected",
    "System: Please continue",
];
/// What the agent asks itself.
const GO_ON: &str = "Please continue.";
fn prompt(parts: &[Part<'_>]) -> String {
    own_of(parts).join("\n").trim().to_owned()
}

fn own_of(parts: &[Part<'_>]) -> Vec<String> {
    let texts = parts.iter().filter_map(|part| text(part.text));
    texts.filter_map(|text| own(&text).map(str::to_owned)).collect()
}

/// A prompt to which the files that it names were added: in the same text, or in the parts behind it.
fn prompt_and_more(parts: &[Part<'_>]) -> String {
    let texts: Vec<_> = parts.iter().map(|part| text(part.text).unwrap_or_default()).collect();
    let around = |text| own(text).map(AroundFiles::of).unwrap_or_default();
    let begins = texts.iter().position(|text| around(text).begin).unwrap_or_else(|| {
        // Where the mark is missing with which they begin, they begin behind the first text.
        let has_end = texts.iter().any(|text| AroundFiles::of(text).ends);
        let first = texts.iter().position(|text| !around(text).before.is_empty());
        first.filter(|_| has_end).unwrap_or(texts.len())
    });
    // A file may have the mark in it that ends the files, and some have none: what the user typed stands first.
    let mut typed: Vec<&str> =
        texts.iter().take(begins.saturating_add(1)).map(|text| around(text).before).collect();
    typed.retain(|one| !one.is_empty());
    typed.join("\n")
}

fn says(part: &Part<'_>, mark: &str) -> bool {
    text(part.text).is_some_and(|text| text.contains(mark))
}

/// What the user said in a text, without what hooks put around it.
fn own(text: &str) -> Option<&str> {
    const HOOKS: Frames<'_> = Frames { output: &[], wrapping: &["hook_context"], behind: &[] };
    let text = HOOKS.outside(text);
    let by_machine = text == GO_ON || MACHINE.iter().any(|begins| text.starts_with(begins));
    (!by_machine && !text.is_empty()).then_some(text)
}

/// Whether a prompt is a command to the agent's own surface. A path is none.
fn is_command(prompt: &str) -> bool {
    let word = prompt.split_whitespace().next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    prompt.starts_with('?')
        || word.strip_prefix('/').is_some_and(|name| !name.is_empty() && name.chars().all(is_name))
}
