//! Calls of an agent's own tool for questions. Only what such a call gives back is an answer of the user's, and
//! only once: some services give two calls the same id.

use segue_core::session::Recorder;

const ASKS: &str = "yes";
const OTHERWISE: &str = "no";

fn key(call: &str) -> String {
    format!("asks {call}")
}

/// The agent's own tool for questions is called. To be told before the call is taken down.
pub(crate) fn asks(call: &str, recorder: &mut Recorder) {
    let key = key(call);
    let is_free = recorder.what(call).is_none() || recorder.notes.get(&key) == Some(ASKS);
    recorder.notes.put(&key, if is_free { ASKS } else { OTHERWISE });
}

/// Another tool is called under this id.
pub(crate) fn asks_nothing(call: &str, recorder: &mut Recorder) {
    let key = key(call);
    if recorder.notes.get(&key).is_some_and(|asks| asks == ASKS) {
        recorder.notes.put(&key, OTHERWISE);
    }
}

/// Whether what the call gives back now is the user's answer.
pub(crate) fn is_answer(call: &str, recorder: &mut Recorder) -> bool {
    let asks = recorder.notes.get(&key(call)) == Some(ASKS);
    if asks {
        recorder.notes.put(&key(call), OTHERWISE);
    }
    asks
}
