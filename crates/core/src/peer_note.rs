//! Notes of a peer's memory: a header comment and plain text, no front matter.

use sha2::{Digest, Sha256};

use crate::{Draft, Fields, Handoff, HandoffId, Timestamp};

/// Reads a layer-1 note of agent-handover as a handoff.
///
/// It has no id of its own: one is derived from its file name and text, so that it is the same at
/// every reading. `None` if the text is no such note.
pub fn read_peer_note(source: &str, file_name: &str) -> Option<Handoff> {
    let (mark, body) = source.split_once('\n')?;
    let mark = mark.trim_end().strip_prefix("<!-- agent-handover | layer1 | ")?;
    let day = mark.strip_suffix(" -->")?;
    let created: Timestamp = format!("{day}T00:00:00Z").parse().ok()?;
    let mut hash = Sha256::new();
    hash.update(file_name);
    hash.update([0]);
    hash.update(source);
    let digest = hash.finalize();
    let hex: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let id: HandoffId = format!("{}-{hex}", created.compact()).parse().ok()?;
    let tag = file_name.strip_suffix(".md").unwrap_or(file_name);
    let tag = tag.strip_suffix(&format!("-{day}")).unwrap_or(tag);
    let fields = Fields { tags: vec![tag.to_owned()], ..Fields::default() };
    let draft = Draft { fields, extra: Vec::new(), body: body.to_owned() };
    Handoff::parse(draft.render(&id, created)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_gets_a_lasting_id() {
        let source = "<!-- agent-handover | layer1 | 2026-07-01 -->\nLogin page works.\n";
        let note = read_peer_note(source, "feat-login_page-2026-07-01.md").unwrap();
        assert_eq!(note.body(), "Login page works.\n");
        assert_eq!(note.head.fields.tags, ["feat-login_page"]);
        assert_eq!(note.head.id.month(), "2026-07");
        assert_eq!(read_peer_note(source, "feat-login_page-2026-07-01.md").unwrap(), note);
        assert_eq!(read_peer_note("plain", "a.md"), None);
        assert_eq!(read_peer_note("<!-- agent-handover | layer1 | soon -->\nx", "a.md"), None);
    }
}
