//! One message of an OpenCode session, and its parts.

use std::borrow::Cow;

use segue_core::Timestamp;
use segue_core::session::{End, Outcome, Recorder};

use super::{prompt, tools};
use crate::json::{Raw, is_set, is_true, list, number, read, shaped, text, wire};

wire! {
    struct Data<'a> {
        role,
        time,
        model,
        model_id = "modelID",
        path,
        tokens,
        error,
        summary,
    }

    #[derive(Default)]
    struct Time<'a> {
        created,
        completed,
        start,
        end,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    User,
    Assistant,
    Other,
}

/// A message.
pub(super) struct Message<'a> {
    role: Role,
    data: Data<'a>,
    time: Time<'a>,
}

impl<'a> Message<'a> {
    /// A message by its data.
    pub(super) fn of(data: &'a str) -> Option<Self> {
        let data: Data<'_> = read(data)?;
        let role = match text(data.role)?.as_ref() {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => Role::Other,
        };
        let time = shaped(data.time).unwrap_or_default();
        Some(Self { role, data, time })
    }

    pub(super) fn is_answer(&self) -> bool {
        self.role == Role::Assistant
    }

    /// Whether it is an answer that is still being given, or was never brought to its end.
    pub(super) fn is_unfinished(&self) -> bool {
        self.is_answer() && number::<f64>(self.time.completed).is_none()
    }

    /// Whether it is the summary of a compaction.
    fn is_summary(&self) -> bool {
        self.is_answer() && is_true(self.data.summary)
    }

    /// Takes down what is known before its parts are.
    pub(super) fn begins(&self, recorder: &mut Recorder) {
        wire! {
            struct Model<'a> {
                id = "modelID",
            }

            struct Place<'a> {
                cwd,
            }
        }
        at(self.time.created, recorder);
        let model = shaped::<Model<'_>>(self.data.model).and_then(|model| text(model.id));
        let model = text(self.data.model_id).or(model);
        model.iter().for_each(|model| recorder.model(model));
        let cwd = shaped::<Place<'_>>(self.data.path).and_then(|place| text(place.cwd));
        cwd.iter().for_each(|cwd| recorder.cwd(cwd));
        if self.role == Role::Other {
            recorder.unknown();
        }
    }

    /// Takes down what is known after its parts are.
    pub(super) fn ends(&self, id: &str, parts: Parts, recorder: &mut Recorder) {
        if self.role == Role::User {
            at(self.time.created, recorder);
            prompt::take(&parts.asked, recorder);
            return;
        }
        at(self.time.completed, recorder);
        self.used(id, recorder);
        if self.is_summary() && !self.is_unfinished() && self.data.error.is_none() {
            recorder.compacted();
            recorder.summed_up(&parts.summary);
        }
        self.failed(id, recorder);
    }

    fn used(&self, id: &str, recorder: &mut Recorder) {
        wire! {
            struct Tokens<'a> {
                input,
                output,
                reasoning,
                cache,
            }

            #[derive(Default)]
            struct Cache<'a> {
                read,
                write,
            }
        }
        let Some(tokens) = shaped::<Tokens<'_>>(self.data.tokens) else { return };
        let cache: Cache<'_> = shaped(tokens.cache).unwrap_or_default();
        let sum = |counts: &[Raw<'_>]| {
            counts.iter().filter_map(|count| number::<u64>(*count)).fold(0, u64::saturating_add)
        };
        let input = sum(&[tokens.input, cache.read, cache.write]);
        recorder.tokens(id, input, sum(&[tokens.output, tokens.reasoning]));
    }

    /// Takes down why the answer is none.
    fn failed(&self, id: &str, recorder: &mut Recorder) {
        wire! {
            struct Trouble<'a> {
                name,
                data,
                message,
            }

            struct Inside<'a> {
                message,
            }
        }
        let Some(trouble) = shaped::<Trouble<'_>>(self.data.error) else { return };
        let name = text(trouble.name).unwrap_or_default();
        if &*name == "MessageAbortedError" {
            recorder.interrupted();
            return;
        }
        let inside = shaped::<Inside<'_>>(trouble.data).and_then(|inside| text(inside.message));
        let message = inside.or_else(|| text(trouble.message)).unwrap_or_default();
        recorder.called(id, "an answer of the model");
        let failed = End { outcome: Outcome::Failed, exit: None };
        recorder.ended(id, failed, || if message.is_empty() { name } else { message });
    }
}

/// When it was, in milliseconds.
fn at(time: Raw<'_>, recorder: &mut Recorder) {
    let micros = number::<i64>(time).and_then(|millis| millis.checked_mul(1_000));
    if let Some(at) = micros.filter(|at| *at > 0).and_then(Timestamp::from_micros) {
        recorder.at(at);
    }
}

wire! {
    struct Part<'a> {
        kind = "type",
        text,
        time,
        synthetic,
        ignored,
        overflow,
        tool,
        state,
        files,
    }
}

/// The parts of a message, as they come.
pub(super) struct Parts {
    role: Role,
    is_summary: bool,
    /// What the user wrote in them.
    asked: String,
    /// What the agent summed up in them.
    summary: String,
}

impl Parts {
    pub(super) fn of(message: &Message<'_>) -> Self {
        let is_summary = message.is_summary();
        Self { role: message.role, is_summary, asked: String::new(), summary: String::new() }
    }

    /// Takes down a part.
    pub(super) fn take(&mut self, id: &str, data: Option<&str>, recorder: &mut Recorder) {
        let part = data.and_then(read::<Part<'_>>);
        let kind = part.as_ref().and_then(|part| text(part.kind));
        let (Some(part), Some(kind)) = (&part, kind) else {
            recorder.damaged();
            return;
        };
        if let Some(time) = shaped::<Time<'_>>(part.time) {
            at(time.end.or(time.start), recorder);
        }
        match (&*kind, self.role) {
            // Parts that nobody wrote: contents of files, reminders, what plugins show.
            ("text", _) if is_set(part.synthetic) || is_set(part.ignored) => {}
            ("text", Role::User) => {
                let wrote = text(part.text).unwrap_or_default();
                self.asked.push_str(prompt::wrote(&wrote));
                self.asked.push('\n');
            }
            ("text", Role::Assistant) if !self.is_summary => {
                text(part.text).iter().for_each(|said| recorder.said(said));
            }
            ("text", Role::Assistant) => {
                self.summary.push_str(&text(part.text).unwrap_or_default());
                self.summary.push('\n');
            }
            ("tool", _) => tools::take(id, part.tool, part.state, recorder),
            ("patch", _) => changed(id, part.files, recorder),
            // A question that was too long is put again behind the summary.
            ("compaction", _) if is_true(part.overflow) => recorder.notes.put(prompt::AGAIN, "yes"),
            (kind, _) if KNOWN.contains(&kind) => {}
            _ => recorder.unknown(),
        }
    }
}

const KNOWN: &[&str] = &[
    "text",
    "reasoning",
    "file",
    "agent",
    "subtask",
    "step-start",
    "step-finish",
    "snapshot",
    "retry",
    "compaction",
];
/// Files that changed in a step, by whatever: what tools are known to have changed is known already.
fn changed(id: &str, files: Raw<'_>, recorder: &mut Recorder) {
    let mut any = false;
    for file in list::<Cow<'_, str>>(files) {
        let known = recorder.session().files.get(&*file);
        let is_made = file.split(['/', '\\']).any(|name| MADE.contains(&name));
        if !is_made && known.is_none_or(|file| !file.is_changed()) {
            recorder.edits(id, &file);
            any = true;
        }
    }
    if any {
        let passed = End { outcome: Outcome::Passed, exit: None };
        recorder.ended(id, passed, || Cow::Borrowed(""));
    }
}

/// Directories of what tools make by themselves.
const MADE: &[&str] = &["__pycache__", "node_modules", ".git"];
