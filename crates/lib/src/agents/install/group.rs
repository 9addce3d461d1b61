//! What several agents want of one file.

use std::path::PathBuf;

use segue_agents::{Content, Part, Scope, Wish};
use segue_store::InstalledPart;

use super::item::{InstallFate, InstallItem};

/// Everything that is about one file.
pub(super) struct Group {
    /// As it is named.
    pub(super) path: PathBuf,
    /// Where links lead.
    pub(super) target: PathBuf,
    pub(super) scope: Scope,
    pub(super) parts: Vec<(&'static str, Part, Content)>,
}

/// Adds a wish to those about the same file.
pub(super) fn join(
    groups: &mut Vec<Group>,
    path: PathBuf,
    target: PathBuf,
    wish: &Wish,
    scope: Scope,
) {
    let one = (wish.agent, wish.part, wish.content.clone());
    match groups.iter_mut().find(|group| group.target == target) {
        Some(group) => group.parts.push(one),
        None => groups.push(Group { path, target, scope, parts: vec![one] }),
    }
}

impl Group {
    pub(super) fn items(&self, fates: Vec<InstallFate>) -> Vec<InstallItem> {
        let each = self.parts.iter().zip(fates);
        let item = |((agent, part, _), fate): (&(&'static str, Part, Content), InstallFate)| {
            InstallItem { agent, part: *part, path: self.path.clone(), fate }
        };
        each.map(item).collect()
    }

    pub(super) fn part(&self, agent: &str, part: Part) -> InstalledPart {
        InstalledPart {
            agent: agent.to_owned(),
            part: part.word().to_owned(),
            scope: self.scope.word().to_owned(),
        }
    }
}
