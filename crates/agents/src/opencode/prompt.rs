//! What the user typed in an OpenCode session.

use segue_core::session::{PromptWay, Recorder, Typed};

use crate::blocks::Frames;

/// Notes that the next question may be one that was put before.
pub(super) const AGAIN: &str = "again";

/// Takes down what the user wrote in the parts of a message.
pub(super) fn take(wrote: &str, recorder: &mut Recorder) {
    let text = unquoted(wrote.trim());
    if text.is_empty() {
        return;
    }
    let is_first = recorder.is_first(&format!("u:{text}"));
    let may_be_again = recorder.notes.get(AGAIN) == Some("yes");
    if may_be_again {
        recorder.notes.put(AGAIN, "no");
    }
    if is_first || !may_be_again {
        recorder.asked(Typed::by_record(text), PromptWay::Typed);
    }
}

/// A text without the quotes that the command line puts around what was given to it.
fn unquoted(text: &str) -> &str {
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inside.filter(|inside| !inside.contains('"')).map_or(text, str::trim)
}

/// What the agent puts around the user's words in the same part.
const FRAMES: Frames<'_> = Frames { output: &[], wrapping: &["system-reminder"], behind: &[] };

/// What the user wrote in a part.
pub(super) fn wrote(part: &str) -> &str {
    FRAMES.outside(part)
}
