//! A subagent of Codex that was forked: its rollout begins with a copy of its parent's.

use segue_core::Timestamp;
use segue_core::session::Recorder;

use crate::json::{Raw, shaped, text, wire};

/// Notes that what follows is the parent's, and since when.
const COPIED: &str = "copied since";
const NO_LONGER: &str = "";
/// What the call that made the subagent gives back to it, at the end of the copy.
const SPAWNED: &str = "You are the newly spawned agent";

/// The rollout is of a fork: what follows is a copy, until something shows that it is not.
pub(super) fn begins(at: Option<&str>, recorder: &mut Recorder) {
    recorder.notes.put(COPIED, at.unwrap_or("the beginning"));
}

/// Whether a record is the parent's.
pub(super) fn is_copied(
    kind: &str,
    at: Option<&str>,
    payload: Raw<'_>,
    recorder: &mut Recorder,
) -> bool {
    let since = recorder.notes.get(COPIED).unwrap_or(NO_LONGER);
    if since == NO_LONGER {
        return false;
    }
    wire! {
        struct Part<'a> {
            turn_id,
            output,
        }
    }
    let part = shaped::<Part<'_>>(payload);
    let turn = part.as_ref().and_then(|part| text(part.turn_id));
    let output = part.as_ref().and_then(|part| text(part.output));
    if output.is_some_and(|output| output.starts_with(SPAWNED)) {
        recorder.notes.put(COPIED, NO_LONGER);
        return true;
    }
    let id = recorder.session().id.as_deref();
    let is_own = matches!(kind, "turn_context" | "event_msg")
        && (turn.as_deref().zip(id).is_some_and(|(turn, id)| is_younger(turn, id))
            || at.is_some_and(|at| is_later(at, since)));
    if is_own {
        recorder.notes.put(COPIED, NO_LONGER);
    }
    !is_own
}

/// Whether one id was made after another: both begin with the time.
fn is_younger(one: &str, other: &str) -> bool {
    let is_timed = |id: &str| id.len() == 36 && id.as_bytes()[14] == b'7';
    is_timed(one) && is_timed(other) && one > other
}

/// The copy is written at once. What comes seconds after that is not of it.
const AT_ONCE: i64 = 5_000_000;

fn is_later(at: &str, since: &str) -> bool {
    let micros = |time: &str| time.parse().ok().map(|at: Timestamp| at.micros());
    micros(at).zip(micros(since)).is_some_and(|(at, since)| at - since > AT_ONCE)
}
