//! Sessions whose handoff was forgotten: nothing is made of them again until they go on.

use segue_core::{Handoff, ProjectId};

use super::Drafts;
use super::session_key::key_of;
use super::state::LiveState;
use crate::Error;

impl Drafts<'_> {
    /// Forgets what is known of a session that ended and left this, but that it was read.
    pub(crate) fn forget_session_of(
        &self,
        project: &ProjectId,
        left: &Handoff,
    ) -> Result<(), Error> {
        let live = self.here.store.live(project);
        for key in live.keys() {
            let locked = live.lock()?;
            let Some(state) = self.state(&live, &key) else { continue };
            let made_of_it =
                state.promoted.as_ref().is_some_and(|(id, _)| *id == left.head.id.as_str());
            // One that goes on, or went on since, has more to say.
            if !made_of_it || live.draft(&key).is_some() {
                continue;
            }
            let bare = LiveState {
                capture: None,
                held: Vec::new(),
                forgotten: true,
                stored: String::new(),
                ..state
            };
            locked.put_state(&key, &self.stored_state(&bare)?)?;
        }
        self.note_forgotten(project, left)
    }

    /// Notes that a session is not to be captured as it is now, where nothing is known of it: its handoff was not made
    /// by a hook.
    fn note_forgotten(&self, project: &ProjectId, left: &Handoff) -> Result<(), Error> {
        let fields = &left.head.fields;
        let (Some(agent), Some(id)) = (&fields.tool, &fields.session) else { return Ok(()) };
        if fields.imported.is_some() {
            return Ok(());
        }
        let Some(seen) = self.sessions.of_hook(agent, None, Some(id)) else { return Ok(()) };
        let live = self.here.store.live(project);
        let key = key_of(seen.agent, &seen.id);
        if live.draft(&key).is_some() {
            return Ok(());
        }
        let state = self.state(&live, &key);
        if state.as_ref().is_some_and(|state| state.is_current(&seen)) {
            return Ok(());
        }
        let mut state = state.unwrap_or_else(LiveState::begun);
        state.read_to(&seen);
        (state.capture, state.forgotten) = (None, true);
        live.lock()?.put_state(&key, &self.stored_state(&state)?)?;
        Ok(())
    }
}
