//! One record of a Gemini CLI session: a message, or what is known of the session.

use segue_core::session::Recorder;

use super::call::{self, Call};
use super::prompt;
use crate::json::{Raw, Value, is_true, list, number, read, shaped, text, wire};
use crate::lines::Taken;

/// Known once the session says that it is of a subagent.
const SUBAGENT: &str = "subagent";

wire! {
    #[serde(rename_all = "camelCase")]
    pub(super) struct Line<'a> {
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
        pub(super) content,
        pub(super) display_content,
        tool_calls,
        tokens,
        model,
    }

    #[serde(rename_all = "camelCase")]
    pub(super) struct Part<'a> {
        pub(super) text,
        thought,
        function_call,
        pub(super) function_response,
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

pub(super) fn retells(whether: bool, recorder: &mut Recorder) {
    if whether != does_retell(recorder) {
        recorder.notes.put(RETELLS, if whether { "yes" } else { "no" });
    }
}

pub(super) fn does_retell(recorder: &Recorder) -> bool {
    recorder.notes.get(RETELLS) == Some("yes")
}

fn message(message: &Line<'_>, recorder: &mut Recorder) -> Taken {
    let Some(by) = text(message.by) else { return Taken::Damaged };
    if let Some(at) = text(message.timestamp).and_then(|at| at.parse().ok()) {
        recorder.at(at);
    }
    let id = text(message.id).unwrap_or_default();
    match &*by {
        "user" => prompt::take(message, &id, recorder),
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
pub(super) fn parts(content: Raw<'_>) -> Vec<Part<'_>> {
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
