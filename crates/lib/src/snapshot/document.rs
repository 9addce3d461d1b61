//! What HANDOFF.md says of a snapshot.

use std::path::Path;

use segue_core::{HANDOFF, HandoffFile, MAX_HANDOFF_BYTES};
use segue_store::{Listed, read_workspace_file};

use super::outcome::SnapshotOutcome;
use super::see_git::Snapshots;
use super::sources::SnapshotSources;
use crate::handoffs::SaveOutcome;
use crate::workspace::see_also;

impl Snapshots<'_> {
    /// What is answered where nothing is new. HANDOFF.md stays as it is if its block is of that snapshot.
    pub(super) fn nothing_new(
        &self,
        existing: SaveOutcome,
        sources: &SnapshotSources<'_>,
        mut warnings: Vec<String>,
    ) -> SnapshotOutcome {
        let (workspace, path) = (&sources.file.root, sources.file.root.join(HANDOFF));
        let id = &existing.handoff.head.id;
        let shown = handoff_file(workspace).filter(|bytes| {
            let file = HandoffFile::parse(bytes);
            sources.is_refreshable && file.is_ok_and(|file| file.block_id().as_ref() == Some(id))
        });
        if let Some(bytes) = shown {
            let document = String::from_utf8_lossy(&bytes).into_owned();
            let handoff_file = Some(path);
            return SnapshotOutcome {
                snapshot: existing,
                captured: None,
                handoff_file,
                document,
                warnings,
            };
        }
        let words = sources.words.as_deref().unwrap_or_default();
        let sections = without_words(existing.handoff.body(), words);
        let block = block(&existing, sections, workspace);
        let created = existing.handoff.head.created;
        let is_newer = |newest: &Listed| newest.head.created > created;
        let is_latest = !sources.newest.as_ref().is_some_and(is_newer);
        // The block is gone, or of an earlier snapshot.
        let refreshed = (sources.is_refreshable && is_latest).then(|| {
            let handoff = &existing.handoff;
            sources.file.refresh_handoff_file(handoff, Some(&block), None, &mut warnings)
        });
        let refreshed = refreshed.flatten();
        SnapshotOutcome {
            snapshot: existing,
            captured: None,
            document: refreshed.as_ref().map_or(block, |file| file.text.clone()),
            handoff_file: refreshed.map(|file| file.path),
            warnings,
        }
    }
}

/// What a snapshot saw, without the words that stand in HANDOFF.md already.
fn without_words<'a>(body: &'a str, words: &str) -> &'a str {
    if words.is_empty() {
        return body;
    }
    let after = body.strip_prefix(words).and_then(|rest| rest.strip_prefix('\n'));
    let before = || body.strip_suffix(words).and_then(|rest| rest.strip_suffix('\n'));
    after.or_else(before).unwrap_or(body)
}

fn handoff_file(workspace: &Path) -> Option<Vec<u8>> {
    let there = read_workspace_file(&workspace.join(HANDOFF), MAX_HANDOFF_BYTES).ok()??;
    Some(there.bytes)
}

/// What HANDOFF.md says of a snapshot: what was seen. The words stand in the file already.
pub(super) fn block(saved: &SaveOutcome, sections: &str, workspace: &Path) -> String {
    let head = &saved.handoff.head;
    let mut out = format!("## Last Session\n- **When**: {}\n", head.created.whole_second().short());
    if let Some(mode) = &head.fields.mode {
        out.push_str(&format!("- **Mode**: {}\n", segue_core::visible_line(mode)));
    }
    if let Some(tool) = &head.fields.tool {
        out.push_str(&format!("- **Agent**: {}\n", segue_core::visible_line(tool)));
    }
    out.push_str(&format!(
        "- **Handoff**: `{}` (`segue resume` tells where you stand)\n",
        head.id.short()
    ));
    out.push('\n');
    out.push_str(sections);
    out.push('\n');
    out.push_str(&see_also(workspace));
    out
}
