//! One record of a Gemini CLI session: a message, or what is known of the session.

use segue_core::session::{PromptWay, Recorder};

use super::call::{self, Call, Response};
use crate::blocks::Frames;
use crate::json::{Raw, Value, is_true, list, number, read, shaped, text, wire};
use crate::lines::Taken;

/// Known once the session says that it is of a subagent.
const SUBAGENT: &str = "subagent";

wire! {
    #[serde(rename_all = "camelCase")]
    struct Line<'a> {
        set = "$set",
        rewind_to = "$rewindTo",
        session_id,
        start_time,
        last_updated,
        kind,
        summary,
        messages,
        id,
        by = "type",
        timestamp,
        content,
        display_content,
        tool_calls,
        tokens,
        model,
    }

    #[serde(rename_all = "camelCase")]
    struct Part<'a> {
        text,
        thought,
        function_call,
        function_response,
    }
}

/// Takes down what a line says.
pub(super) fn take(line: &str, recorder: &mut Recorder) -> Taken {
    let Some(record) = read::<Line<'_>>(line) else { return Taken::Damaged };
    if recorder.knows(SUBAGENT) {
        recorder.aside();
    }
    if let Some(id) = text(record.rewind_to) {
        // A message that is not known is one that was not read: then nothing is forgotten.
        recorder.went_back(&key('u', &id));
        return Taken::Whole;
    }
    if record.id.is_some() || record.by.is_some() {
        return message(&record, recorder);
    }
    if record.set.is_none() && record.session_id.is_none() && line.starts_with("{\"$") {
        // What is done to the session is named like this.
        recorder.unknown();
        return Taken::Whole;
    }
    let about = match record.set {
        Some(_) => shaped(record.set),
        None => Some(record).filter(|record| record.session_id.is_some()),
    };
    let Some(about): Option<Line<'_>> = about else { return Taken::Damaged };
    about_it(&about, recorder);
    for one in list::<Line<'_>>(about.messages) {
        message(&one, recorder);
    }
    if about.messages.is_some() {
        retells(false, recorder);
    }
    Taken::Whole
}

/// Takes down a session that is one value. Each message is a record.
pub(super) fn take_whole(value: &str, recorder: &mut Recorder) -> Taken {
    let Some(session) = read::<Line<'_>>(value) else { return Taken::Damaged };
    about_it(&session, recorder);
    let messages: Vec<Value<'_>> = shaped(session.messages).unwrap_or_default();
    for one in messages {
        recorder.next_record();
        if recorder.knows(SUBAGENT) {
            recorder.aside();
        }
        let taken = shaped(Some(one)).map(|one: Line<'_>| message(&one, recorder));
        if taken != Some(Taken::Whole) {
            recorder.damaged();
        }
    }
    Taken::Whole
}

fn about_it(about: &Line<'_>, recorder: &mut Recorder) {
    for at in [about.start_time, about.last_updated] {
        if let Some(at) = text(at).and_then(|at| at.parse().ok()) {
            recorder.at(at);
        }
    }
    text(about.session_id).iter().for_each(|id| recorder.id(id));
    text(about.summary).iter().for_each(|summary| recorder.title(summary));
    if text(about.kind).as_deref() == Some("subagent") {
        recorder.is_first(SUBAGENT);
        recorder.aside();
    }
}

pub(super) fn key(what: char, id: &str) -> String {
    format!("{what}:{id}")
}

/// Whether a message or a call is told for the first time. One without an id always is.
pub(super) fn is_first(recorder: &mut Recorder, what: char, id: &str) -> bool {
    id.is_empty() || recorder.is_first(&key(what, id))
}

/// After a request was cancelled, everything before it is told again as new messages, which begin with
/// the context and are then set as the messages that hold.
const RETELLS: &str = "retells";

fn retells(whether: bool, recorder: &mut Recorder) {
    if whether != does_retell(recorder) {
        recorder.notes.put(RETELLS, if whether { "yes" } else { "no" });
    }
}

fn does_retell(recorder: &Recorder) -> bool {
    recorder.notes.get(RETELLS) == Some("yes")
}

fn message(message: &Line<'_>, recorder: &mut Recorder) -> Taken {
    let Some(by) = text(message.by) else { return Taken::Damaged };
    if let Some(at) = text(message.timestamp).and_then(|at| at.parse().ok()) {
        recorder.at(at);
    }
    let id = text(message.id).unwrap_or_default();
    match &*by {
        "user" => user(message, &id, recorder),
        "gemini" => agent(message, &id, recorder),
        "info" | "warning" | "error" => {
            let said = joined(&parts(message.content));
            if said.starts_with("Request cancelled") && is_first(recorder, 'i', &id) {
                recorder.interrupted();
            }
        }
        _ => recorder.unknown(),
    }
    Taken::Whole
}

/// The parts of a message, which may be a text, a part, or a list of these.
fn parts(content: Raw<'_>) -> Vec<Part<'_>> {
    let Some(raw) = content else { return Vec::new() };
    match raw.get().as_bytes().first() {
        Some(b'"') => vec![Part {
            text: content,
            thought: None,
            function_call: None,
            function_response: None,
        }],
        Some(b'{') => shaped(content).into_iter().collect(),
        Some(b'[') => {
            let all: Vec<Value<'_>> = shaped(content).unwrap_or_default();
            let is_list = |one: &Value<'_>| one.get().starts_with('[');
            all.into_iter().filter(|one| !is_list(one)).flat_map(|one| parts(Some(one))).collect()
        }
        _ => Vec::new(),
    }
}

fn joined(parts: &[Part<'_>]) -> String {
    let said = parts.iter().filter(|part| !is_true(part.thought));
    said.filter_map(|part| text(part.text)).collect::<Vec<_>>().join("\n")
}

/// Something that the agent itself says at the beginning and after it summed up.
const POLITE: &str = "Got it. Thanks for the";

fn agent(message: &Line<'_>, id: &str, recorder: &mut Recorder) {
    wire! {
        struct Tokens<'a> {
            input,
            output,
            thoughts,
        }
    }
    text(message.model).iter().for_each(|model| recorder.model(model));
    if let Some(tokens) = shaped::<Tokens<'_>>(message.tokens)
        && !id.is_empty()
        && is_first(recorder, 't', id)
    {
        let output = [tokens.output, tokens.thoughts]
            .into_iter()
            .filter_map(number::<u64>)
            .fold(0, u64::saturating_add);
        recorder.tokens(id, number(tokens.input).unwrap_or(0), output);
    }
    // What is said for the first time is a text; what is told again is a list.
    if text(message.content).is_some() {
        retells(false, recorder);
    }
    let parts = parts(message.content);
    let said = joined(&parts);
    if !said.trim().is_empty()
        && is_first(recorder, 'u', id)
        && !said.starts_with(POLITE)
        && !does_retell(recorder)
    {
        recorder.said(&said);
    }
    for called in parts.iter().filter_map(|part| shaped::<Call<'_>>(part.function_call)) {
        call::called(&called, recorder);
    }
    for called in list::<Call<'_>>(message.tool_calls) {
        call::called(&called, recorder);
        call::ended(&called, recorder);
    }
}

fn user(message: &Line<'_>, id: &str, recorder: &mut Recorder) {
    let content = parts(message.content);
    for response in content.iter().filter_map(|part| shaped::<Response<'_>>(part.function_response))
    {
        call::responded(&response, recorder);
    }
    let shown = parts(message.display_content);
    let prompt = Some(prompt(&shown)).filter(|shown| !shown.is_empty());
    let prompt = prompt.unwrap_or_else(|| prompt_and_more(&content));
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
    recorder.asked(&prompt, PromptWay::Typed);
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
const FILES_BEGIN: &str = "--- Content from referenced files ---";
const FILES_END: &str = "--- End of content ---";

fn prompt(parts: &[Part<'_>]) -> String {
    own_of(parts).join("\n").trim().to_owned()
}

fn own_of(parts: &[Part<'_>]) -> Vec<String> {
    let texts = parts.iter().filter_map(|part| text(part.text));
    texts.filter_map(|text| own(&text).map(str::to_owned)).collect()
}

/// A prompt to which the files that it mentions were added.
fn prompt_and_more(parts: &[Part<'_>]) -> String {
    let begins = parts.iter().position(|part| says(part, FILES_BEGIN));
    let ends = parts.iter().rposition(|part| says(part, FILES_END));
    let (Some(begins), Some(ends)) = (begins, ends.or(parts.len().checked_sub(1))) else {
        return prompt(parts);
    };
    // A prompt and its files may be one text.
    let (first, last) = (text(parts[begins].text), text(parts[begins.max(ends)].text));
    let before = first.as_deref().and_then(|first| own(first.split(FILES_BEGIN).next()?));
    let after = last.as_deref().and_then(|last| own(last.rsplit_once(FILES_END)?.1));
    let (earlier, later) = (prompt(&parts[..begins]), prompt(&parts[begins.max(ends) + 1..]));
    let pieces = [&earlier, before.unwrap_or_default(), after.unwrap_or_default(), &later];
    pieces.join("\n").trim().to_owned()
}

fn says(part: &Part<'_>, mark: &str) -> bool {
    text(part.text).is_some_and(|text| text.contains(mark))
}

/// What the user said in a text, without what hooks put around it.
fn own(text: &str) -> Option<&str> {
    const HOOKS: Frames<'_> = Frames { output: &[], wrapping: &["hook_context"] };
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
