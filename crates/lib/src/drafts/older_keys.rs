//! States of versions that called a session by the name of its file, where its agent calls it otherwise.

use segue_store::LiveFiles;

use super::{Drafts, LiveState, key_of};
use crate::Error;
use crate::sessions::SessionSeen;

impl Drafts<'_> {
    /// Moves what is known of a session under an older version's key to its own key.
    pub(super) fn move_older_key(&self, live: &LiveFiles, seen: &SessionSeen) -> Result<(), Error> {
        let Some(name) = seen.path.file_stem().map(|name| name.to_string_lossy()) else {
            return Ok(());
        };
        let (old, key) = (key_of(seen.agent, &name), key_of(seen.agent, &seen.id));
        let is_of = |state: &LiveState| state.is_of(seen);
        if old == key || !live.knows(&old) || !self.state(live, &old).is_some_and(|one| is_of(&one))
        {
            return Ok(());
        }
        let locked = live.lock()?;
        let Some(mut state) = self.state(live, &old).filter(is_of) else { return Ok(()) };
        if let Some(own) = self.state(live, &key) {
            if !state.briefed {
                state.take_briefing(own);
            }
        }
        state.id.clone_from(&seen.id);
        let stored = self.stored_state(&state)?;
        match live.draft(&old) {
            Some(draft) => locked.put(&key, draft.handoff.source(), &stored)?,
            None => locked.put_state(&key, &stored)?,
        }
        locked.remove(&old)?;
        locked.remove_state(&old);
        self.newest.take();
        Ok(())
    }
}
