//! Save: leaves a handoff and refreshes HANDOFF.md, where there is one.

use segue_core::MAX_HANDOFF_BYTES;

use super::Handoffs;
use super::save_request::{SaveOutcome, SaveRequest};
use crate::drafts::Drafts;
use crate::workspace::Workspace;
use crate::{Error, ProjectRef};

/// An error if there is nothing to save, or too much.
fn check(request: &SaveRequest) -> Result<(), Error> {
    let blank = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
    let is_empty = request.body.trim().is_empty()
        && blank(&request.title)
        && blank(&request.summary)
        && request.next.is_empty();
    if is_empty {
        return Err(Error::Empty);
    }
    if request.body.len() as u64 > MAX_HANDOFF_BYTES {
        return Err(Error::TooLarge);
    }
    Ok(())
}

impl Handoffs<'_> {
    /// Saves a handoff.
    pub fn save(&self, request: &SaveRequest) -> Result<SaveOutcome, Error> {
        let saved = self.in_project(&request.project)?.save_here(request)?;
        if request.imported.is_none() && request.project == ProjectRef::Here {
            Drafts::of(&self.here).catch_up(request.session.as_deref());
        }
        Ok(saved)
    }

    /// Saves a handoff of this directory.
    fn save_here(&self, request: &SaveRequest) -> Result<SaveOutcome, Error> {
        check(request)?;
        let mut warnings = Vec::new();
        // What came from elsewhere does not become the workspace's own words, and a decision by itself does
        // not say where things stand.
        let pasted = self.pasted_head(&request.body);
        let is_own =
            request.imported.is_none() && pasted.is_none_or(|pasted| pasted.imported.is_none());
        let refreshes = is_own && request.kind.is_base();
        let workspace = if refreshes { self.refreshable(&mut warnings)? } else { None };
        let edited = match &workspace {
            Some(workspace) => workspace.save_edited_block(&mut warnings)?,
            None => None,
        };
        let mut saved = self.write(request, None, None, None)?;
        if let Some(workspace) = &workspace {
            let edited = edited.as_deref();
            workspace.refresh_handoff_file(&saved.handoff, None, edited, &mut warnings);
        }
        saved.warnings.extend(warnings);
        Ok(saved)
    }

    /// The workspace, if it has a HANDOFF.md to refresh. That it cannot be read keeps nobody from saving.
    fn refreshable(&self, warnings: &mut Vec<String>) -> Result<Option<Workspace<'_>>, Error> {
        self.here.directory()?;
        let workspace = Workspace::of(&self.here);
        let found = workspace.is_refreshable(warnings).unwrap_or_else(|error| {
            warnings.push(error.to_string());
            false
        });
        Ok(found.then_some(workspace))
    }
}
