//! The head of a handoff at the beginning of a body, as `segue show --raw` prints it. What it says of its words can lower
//! them and raise nothing.

use crate::front_matter::is_fence;
use crate::scalar::split_key;
use crate::{Handoff, HandoffId, Imported, ItemSources, came_from};

/// What the head of another handoff says that a body begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastedHead {
    /// Its id, if it can be read.
    pub id: Option<HandoffId>,
    /// Where it came from, if it is not of this machine.
    pub imported: Option<Imported>,
    /// Whose words its items are, as it says: an agent can have written that, so it can only lower them.
    pub sources: ItemSources,
}

impl PastedHead {
    /// The head at the beginning of a body. One that cannot be read counts as imported if it may have said so.
    pub fn of(body: &str) -> Option<Self> {
        let text = body.trim_start_matches(|sign: char| sign.is_whitespace() || sign == '\u{feff}');
        if !text.lines().next().is_some_and(is_fence) {
            return None;
        }
        match Handoff::parse(text) {
            Ok(handoff) => {
                let fields = handoff.head.fields;
                let imported = fields.imported.map(|imported| imported.said_again("saved here"));
                Some(Self { id: Some(handoff.head.id), imported, sources: fields.sources })
            }
            Err(_) => says_whose_it_is(text).then(Self::from_elsewhere),
        }
    }

    fn from_elsewhere() -> Self {
        Self { id: None, imported: None, sources: ItemSources::default() }.imported()
    }

    /// The same of a handoff that came from elsewhere, though its head does not say so.
    pub fn imported(self) -> Self {
        let imported =
            self.imported.unwrap_or_else(|| Imported::default().said_again("saved here"));
        Self { imported: Some(imported), ..self }
    }
}

impl Imported {
    /// The same of a text that was made of it here: nobody has signed that.
    pub fn said_again(self, how: &str) -> Self {
        let from = self.from.as_deref().unwrap_or("elsewhere");
        let from = came_from(from).trim_end_matches(&format!(", {how}"));
        Self { signer: None, from: Some(format!("{from}, {how}")), at: self.at }
    }
}

/// Whether a front matter has a line that says whose its words are.
fn says_whose_it_is(text: &str) -> bool {
    let is_said = |line: &str| {
        split_key(line).is_some_and(|(key, _)| ["imported", "sources"].contains(&key.as_str()))
    };
    text.lines().skip(1).take_while(|line| !is_fence(line)).any(is_said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ItemSource;

    const HEAD: &str = "segue: 2\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\n";

    fn of(more: &str) -> Option<PastedHead> {
        PastedHead::of(&format!("---\n{HEAD}{more}---\n## Constraints\n\n- x\n"))
    }

    #[test]
    fn a_head_lowers_words_and_raises_none() {
        let plain = of("").unwrap();
        assert_eq!((plain.imported, plain.sources.is_empty()), (None, true));
        let lowered = |had: ItemSources, more: &str| {
            had.lowered_by(&of(more).unwrap().sources, "## Constraints\n\n- x\n").rest()
        };
        let (user, none) = (ItemSources::all(ItemSource::User), ItemSources::default());
        assert_eq!(lowered(user.clone(), ""), None);
        assert_eq!(lowered(user.clone(), "sources: {rest: user}\n"), None);
        assert_eq!(lowered(none.clone(), "sources: {rest: user}\n"), None);
        assert_eq!(lowered(user.clone(), "sources: {rest: tool}\n"), Some(ItemSource::Tool));
        assert_eq!(lowered(none, "sources: god\n"), Some(ItemSource::Imported));
    }

    #[test]
    fn what_was_imported_stays_so_however_its_head_is_written() {
        for more in [
            "imported: {from: x}\n",
            "imported: x\n",
            "imported:\n",
            "no key\nimported: {}\n",
            "kind: a\nkind: b\nsources: {rest: tool}\n",
        ] {
            assert!(of(more).unwrap().imported.is_some(), "{more}");
        }
        let open = format!("\u{feff}\n\n---\n{HEAD}imported: {{from: x}}\n");
        assert!(PastedHead::of(&open).unwrap().imported.is_some());
        let again =
            of("imported: {from: \"x, saved here\", signer: s}\n").unwrap().imported.unwrap();
        assert_eq!((again.from.as_deref(), again.signer), (Some("x, saved here"), None));
    }

    #[test]
    fn any_other_text_has_none() {
        for text in [
            "",
            "---",
            "# Work\n\n---\nimported: x\n---\n",
            "---\ntitle: mine\n---\n",
            "imported: x\n",
        ] {
            assert_eq!(PastedHead::of(text), None, "{text}");
        }
    }
}
