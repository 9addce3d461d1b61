//! Ids of runs and of what they hand over, out of the clock and chance.

use segue_core::ShortId;

use crate::Env;

/// A short id; whether it is used elsewhere does not matter for runs and inputs.
pub(super) fn short_id(env: &Env) -> ShortId {
    loop {
        if let Some(short) = ShortId::from_random(env.random()) {
            return short;
        }
    }
}

/// A key for the queue: by time to the microsecond, so that the oldest comes first.
pub(super) fn queue_key(env: &Env) -> String {
    let now = env.now();
    let micros = now.micros().rem_euclid(1_000_000);
    format!("{}-{micros:05x}{:03x}", now.compact(), env.random() & 0xfff)
}
