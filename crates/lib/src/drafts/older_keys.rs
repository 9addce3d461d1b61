//! States of versions that called a session by the name of its file, where its agent calls it otherwise.

use segue_core::Redactor;
use segue_store::LiveFiles;

use super::session_key::key_of;
use super::state::LiveState;
use crate::Error;
use crate::sessions::SessionSeen;

/// Moves what is known of a session under an older version's key to its own key. False if there was nothing.
pub(super) fn move_older_key(
    live: &LiveFiles,
    seen: &SessionSeen,
    redactor: &Redactor,
) -> Result<bool, Error> {
    let name = seen.path.file_stem().map(|name| name.to_string_lossy()).unwrap_or_default();
    let (old, key) = (key_of(seen.agent, &name), key_of(seen.agent, &seen.id));
    let state = |key: &str| LiveState::parse(&live.state(key)?);
    // Some agents call the files of all sessions the same.
    let older = || state(&old).filter(|state| state.is_of(seen));
    if old == key || !live.knows(&old) || older().is_none() {
        return Ok(false);
    }
    let locked = live.lock()?;
    let Some(mut older) = older() else { return Ok(false) };
    if let Some(own) = state(&key).filter(|_| !older.briefed) {
        older.take_briefing(own);
    }
    older.id.clone_from(&seen.id);
    let stored = older.without_secrets(redactor)?;
    match live.draft(&old) {
        Some(draft) => locked.put(&key, draft.handoff.source(), &stored)?,
        None => locked.put_state(&key, &stored)?,
    }
    locked.remove(&old)?;
    locked.remove_state(&old);
    Ok(true)
}
