//! Handoffs whose id and moment are fixed before they are written, so that writing again changes
//! nothing.

use std::path::PathBuf;

use segue_core::{Draft, Handoff, HandoffId, ShortId, Timestamp};

use crate::atomic::Written;
use crate::error::StoreError;
use crate::memory::{Committed, LockedMemory};

/// Ids and moments for new handoffs.
#[derive(Debug)]
pub struct Drawn {
    /// In their order.
    pub ids: Vec<(HandoffId, Timestamp)>,
    /// The newest handoff of all, if it is dated further ahead than clocks differ.
    pub ahead: Option<Timestamp>,
}

impl LockedMemory<'_> {
    /// Ids and moments for so many new handoffs.
    pub fn draw(
        &self,
        now: Timestamp,
        count: usize,
        random: &dyn Fn() -> u32,
    ) -> Result<Drawn, StoreError> {
        let (mut created, ahead) = self.next_moment(now, None)?;
        let mut drawn = Vec::with_capacity(count);
        let mut used: Vec<ShortId> = Vec::new();
        while drawn.len() < count {
            let short = self.unused_short(random)?;
            if !used.contains(&short) {
                used.push(short);
                drawn.push((HandoffId::new(created, short), created));
                created = created.next();
            }
        }
        Ok(Drawn { ids: drawn, ahead })
    }

    /// Writes a handoff that is dated by what it tells of, such as a session that ended before. Layer 2 stays with
    /// what is newer.
    pub fn commit_dated(
        &self,
        draft: &Draft,
        created: Timestamp,
        now: Timestamp,
        random: &dyn Fn() -> u32,
    ) -> Result<Committed, StoreError> {
        let (handoff, path) = self.put_unused(draft, created, random)?;
        let state = self.refresh_state(now).map(|_| ());
        Ok(Committed { handoff, path, ahead_of_clock: None, state })
    }

    /// Writes a handoff's file under an id that nobody has.
    pub(crate) fn put_unused(
        &self,
        draft: &Draft,
        created: Timestamp,
        random: &dyn Fn() -> u32,
    ) -> Result<(Handoff, PathBuf), StoreError> {
        loop {
            let id = HandoffId::new(created, self.unused_short(random)?);
            match self.put(draft, &id, created) {
                Ok((handoff, path, Written::New)) => return Ok((handoff, path)),
                // Someone has this very name: draw again.
                Ok((_, _, Written::Same)) | Err(StoreError::Exists { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes a handoff under its fixed id, unless it was written before, whatever became of it since.
    /// Layer 2 is left alone.
    pub fn commit_as(
        &self,
        draft: &Draft,
        id: &HandoffId,
        created: Timestamp,
    ) -> Result<Committed, StoreError> {
        let path = self.place_of(draft, id, created);
        let there = match self.layers.read_handoff(&path) {
            Ok(handoff) => Some(handoff),
            Err(error) if error.io_kind() == Some(std::io::ErrorKind::NotFound) => None,
            Err(error) => return Err(error),
        };
        let gone =
            there.is_none() && (self.is_buried(id) || self.is_archived(draft, id, created)?);
        let handoff = match there {
            Some(handoff) => handoff,
            None if gone => Handoff::parse(draft.render(id, created))
                .map_err(|source| StoreError::BadHandoff { path: path.clone(), source })?,
            None => self.put(draft, id, created)?.0,
        };
        Ok(Committed { handoff, path, ahead_of_clock: None, state: Ok(()) })
    }
}
