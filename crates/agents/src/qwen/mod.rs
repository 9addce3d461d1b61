//! Qwen Code: one JSONL file a session; records like Claude Code's around messages like Gemini's.

pub(crate) mod places;
mod record;

pub(crate) use places::{newest_in, of_id};
pub(crate) use record::take;

/// Whether a record is of this agent, by what stands in its first bytes.
pub(crate) fn is_one(head: &str) -> bool {
    let message = ["user", "model"]
        .iter()
        .any(|role| head.contains(&format!("\"message\":{{\"role\":\"{role}\",\"parts\":")));
    let system = head.contains("\"type\":\"system\"") && head.contains("\"systemPayload\":{");
    head.contains("\"sessionId\":\"") && head.contains("\"timestamp\":\"") && (message || system)
}
