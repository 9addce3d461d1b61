//! The files of a session, and what was done with them.

use super::gather::{Items, rank};
use super::{Section, Words, one_line};
use crate::code_span;
use crate::session::FileUse;

/// Said of what a subagent did.
pub(super) const BY_SUBAGENT: &str = ", by a subagent";
/// Files that were read most.
const READ: usize = 8;
/// Changed files that are named one by one; more of them stand under their directories.
const BY_NAME: usize = 8;
/// Files of a directory that stand on one line.
const ON_A_LINE: usize = 12;

impl Items<'_> {
    pub(super) fn files(&mut self) {
        let mut changed: Vec<(&String, &FileUse)> =
            self.session.files.iter().filter(|(_, file)| file.is_changed()).collect();
        changed.sort_by(|(_, one), (_, other)| {
            other.edits.cmp(&one.edits).then(other.record.cmp(&one.record))
        });
        let (changed, elsewhere): (Vec<_>, Vec<_>) =
            changed.into_iter().partition(|(path, _)| self.is_inside(path));
        self.changed_files(&changed);
        let mut read: Vec<(&String, &FileUse)> = self
            .session
            .files
            .iter()
            .filter(|(path, file)| !file.is_changed() && file.reads > 0 && self.is_inside(path))
            .collect();
        read.sort_by(|(_, one), (_, other)| {
            other.reads.cmp(&one.reads).then(other.record.cmp(&one.record))
        });
        for (path, file) in read.into_iter().take(READ) {
            let text = format!("{} read ×{}", code_span(&self.relative(path)), file.reads);
            self.add(Section::Files, rank::READ, text);
        }
        // Plans and scripts that lie outside say least of the project.
        self.changed_files(&elsewhere);
    }

    fn changed_files(&mut self, changed: &[(&String, &FileUse)]) {
        if self.words > Words::Many || changed.len() > BY_NAME {
            self.by_directory(changed);
            return;
        }
        for (path, file) in changed {
            let text = self.changed(&self.relative(path), file);
            self.add(Section::Files, rank::EDITED, text);
        }
    }

    /// What was done with a file that goes by this name.
    fn changed(&self, name: &str, file: &FileUse) -> String {
        let mut text = code_span(name);
        if let Some(from) = &file.renamed_from {
            text.push_str(&format!(" renamed from {}", code_span(&self.relative(from))));
        }
        match (file.deleted, file.created, file.edits) {
            (true, ..) => text.push_str(" deleted"),
            (_, true, 0 | 1) => text.push_str(" new"),
            (_, true, edits) => text.push_str(&format!(" new, ×{edits}")),
            (_, _, 0 | 1) => {}
            (_, _, edits) => text.push_str(&format!(" ×{edits}")),
        }
        if file.by_subagent {
            text.push_str(BY_SUBAGENT);
        }
        text
    }

    /// Changed files under the names of their directories, which takes half the room.
    fn by_directory(&mut self, changed: &[(&String, &FileUse)]) {
        let mut dirs: Vec<(String, Vec<(String, &FileUse)>)> = Vec::new();
        for (path, file) in changed {
            let path = self.relative(path);
            let (dir, name) = match path.rfind(['/', '\\']) {
                Some(at) => path.split_at(at + 1),
                None => ("", path.as_str()),
            };
            match dirs.iter_mut().find(|(known, _)| known == dir) {
                Some((_, files)) => files.push((name.to_owned(), file)),
                None => dirs.push((dir.to_owned(), vec![(name.to_owned(), file)])),
            }
        }
        for (dir, files) in &dirs {
            for some in files.chunks(ON_A_LINE) {
                let names = self.names(some);
                let text = match dir.as_str() {
                    "" => names,
                    dir if files.len() == 1 => {
                        self.changed(&format!("{dir}{}", some[0].0), some[0].1)
                    }
                    dir => format!("{}: {names}", code_span(dir)),
                };
                self.add(Section::Files, rank::EDITED, text);
                self.counts(some.len());
            }
        }
    }

    /// Files of one directory by their names.
    fn names(&self, files: &[(String, &FileUse)]) -> String {
        // Where there is hardly any room, what was only edited stands together.
        let is_plain = |(name, file): &&(String, &FileUse)| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-+@".contains(c);
            self.words == Words::Fewest
                && !file.deleted
                && file.renamed_from.is_none()
                && name.chars().all(plain)
        };
        let (plain, other): (Vec<_>, Vec<_>) = files.iter().partition(is_plain);
        let plain: Vec<&str> = plain.iter().map(|(name, _)| name.as_str()).collect();
        let mut names: Vec<String> =
            other.iter().map(|(name, file)| self.changed(name, file)).collect();
        if !plain.is_empty() {
            names.insert(0, code_span(&plain.join(" ")));
        }
        names.join(", ")
    }

    /// Whether a path lies in the project.
    pub(super) fn is_inside(&self, path: &str) -> bool {
        let root = self.root.map(|root| root.trim_end_matches(['/', '\\']));
        root.is_none_or(|root| {
            path.strip_prefix(root).is_some_and(|rest| rest.starts_with(['/', '\\']))
        }) || !path.starts_with('/') && !path.contains(":\\")
    }

    /// The name of a file with the directory it lies in.
    pub(super) fn short_name(&self, path: &str) -> String {
        let path = self.relative(path);
        let parts: Vec<&str> = path.rsplit('/').take(2).collect();
        match parts[..] {
            [name, dir] if path.len() > 40 => format!("{dir}/{name}"),
            _ => path,
        }
    }

    /// A path as it is told: from the project, if it lies in there.
    pub(super) fn relative(&self, path: &str) -> String {
        let root = self.root.map(|root| root.trim_end_matches(['/', '\\']));
        let inside = root
            .and_then(|root| path.strip_prefix(root))
            .and_then(|rest| rest.strip_prefix(['/', '\\']));
        one_line(inside.unwrap_or(path), 300)
    }
}
