//! Index: what the derived index stands on, made anew or compared with the files on request.

use std::path::PathBuf;

use segue_store::{BadFile, IndexState, Scope, TextState};

use super::upkeep::Maintenance;
use crate::Error;

/// What to do with the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexAction {
    /// Say how it is.
    Look,
    /// Make it anew.
    Rebuild,
    /// Compare every row with its file.
    Verify,
}

/// How the index is.
#[derive(Debug)]
#[non_exhaustive]
pub struct IndexReport {
    /// Its file.
    pub path: PathBuf,
    /// What answers stand on.
    pub state: IndexState,
    /// Handoffs in it.
    pub handoffs: u64,
    /// Files that could not be read.
    pub bad: Vec<BadFile>,
    /// Files that were edited in place, if it was verified; the index now has what they say.
    pub edited: Vec<PathBuf>,
    /// Handoffs whose text is not indexed; who searches does that first.
    pub text: TextState,
}

impl Maintenance<'_> {
    /// Looks at the index, rebuilds or verifies it.
    pub fn index(&self, action: IndexAction) -> Result<IndexReport, Error> {
        let store = self.store;
        let rebuilt = match action {
            IndexAction::Rebuild => Some(store.rebuild_index()?.state),
            _ => None,
        };
        let mut report = store.ask(&Scope::All, |view| {
            let text = match action {
                IndexAction::Rebuild => view.update_text(&Scope::All)?,
                _ => TextState { waiting: view.unindexed()?, why: None },
            };
            let edited = if action == IndexAction::Verify { view.verify()? } else { Vec::new() };
            Ok(IndexReport {
                path: store.layout().index(),
                state: view.state.clone(),
                handoffs: view.count()?,
                bad: view.bad_files(&Scope::All)?,
                edited,
                text,
            })
        })?;
        if let Some(state) = rebuilt {
            report.state = state;
        }
        Ok(report)
    }
}
