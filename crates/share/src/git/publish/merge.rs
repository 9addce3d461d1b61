//! Two sides of a branch become one, without a work tree.
//!
//! A memory's layers follow the rules of a memory, whatever git makes of them; everything else is
//! merged by git, and what git cannot merge is left to the user.

use std::collections::BTreeSet;

use segue_core::{Archive, HandoffId, Merged, merge_layer_file};

use super::super::act::Call;
use super::content::{LAYERS, below, join, names};
use super::entries::{Entries, Entry};
use super::session::{Place, Session};
use super::words::with_trailer;
use super::{Content, PublishError};

/// New entries of an index, by path in the memory; `None` takes one out.
type Changes = Vec<(Vec<u8>, Option<Entry>)>;

impl Session<'_> {
    /// The commit that joins ours and theirs.
    pub(super) fn merge(
        &self,
        place: &Place,
        ours: &str,
        theirs: &str,
    ) -> Result<String, PublishError> {
        self.can_merge()?;
        let base = self.find(&["merge-base", ours, theirs])?;
        // Two machines that both began such a branch.
        let apart = !place.here || matches!(self.with.content, Content::Outside { .. });
        let mut args = vec!["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"];
        if apart {
            args.push("--allow-unrelated-histories");
        }
        args.extend([ours, theirs]);
        let answer = self.ask(Call { args: &args, ..Call::default() })?;
        if !matches!(answer.code, Some(0 | 1)) {
            return Err(PublishError::local(&answer));
        }
        let mut output = names(&answer.stdout).into_iter();
        let tree = output.next().map(|tree| String::from_utf8_lossy(&tree).into_owned());
        let tree = tree.ok_or_else(|| PublishError::local(&answer))?;
        let mut conflicts: BTreeSet<Vec<u8>> =
            output.filter(|path| !self.is_of_layers(path)).collect();
        let mut changes = Changes::new();
        if self.memory.is_some() {
            let base = match base.as_deref().filter(|base| !base.is_empty()) {
                Some(base) => self.layers(base)?,
                None => Entries::new(),
            };
            let (mine, other) = (self.layers(ours)?, self.layers(theirs)?);
            let merged = self.layers(&tree)?;
            let paths: BTreeSet<&Vec<u8>> =
                [&base, &mine, &other, &merged].iter().flat_map(|side| side.keys()).collect();
            for path in paths {
                let side = [base.get(path), mine.get(path), other.get(path)];
                match self.resolve(path, side)? {
                    Some(resolved) => changes.extend(resolved),
                    None => drop(conflicts.insert(self.in_tree(path))),
                }
            }
        }
        if !conflicts.is_empty() {
            let shown = |path: &Vec<u8>| String::from_utf8_lossy(path).into_owned();
            let files = conflicts.iter().map(shown).collect();
            return Err(PublishError::Conflict { branch: place.branch.clone(), files });
        }
        self.run_apart(&["read-tree", &tree], None)?;
        self.enter(changes, tree.len())?;
        let tree = self.run_apart(&["write-tree"], None)?.line();
        let subject = format!("Merge '{}' of {}", place.branch, self.remote());
        self.commit_tree(&tree, &[ours, theirs], &with_trailer(&subject, self.with.run))
    }

    fn can_merge(&self) -> Result<(), PublishError> {
        let version = self.in_time(self.git.version())?;
        let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        if found < (2, 38) {
            return Err(PublishError::config(format!(
                "the remote's branch went on, and git {version} cannot merge without a work tree (2.38 can): `git pull`, then publish again"
            )));
        }
        Ok(())
    }

    fn in_tree(&self, path: &[u8]) -> Vec<u8> {
        join(self.memory.as_deref().unwrap_or("").as_bytes(), path)
    }

    fn is_of_layers(&self, path: &[u8]) -> bool {
        let Some(memory) = &self.memory else { return false };
        LAYERS.iter().any(|layer| below(path, &join(memory.as_bytes(), layer.as_bytes())))
    }

    /// The files of the memory's layers in a tree, by path in the memory.
    fn layers(&self, tree: &str) -> Result<Entries, PublishError> {
        let Some(memory) = &self.memory else { return Ok(Entries::new()) };
        let mut entries = self.in_time(self.git.entries(self.with.repo, tree, memory))?;
        entries.retain(|path, _| LAYERS.iter().any(|layer| below(path, layer.as_bytes())));
        Ok(entries)
    }

    /// What a file of the layers becomes; `None` if only a person can tell.
    fn resolve(
        &self,
        path: &[u8],
        [base, ours, theirs]: [Option<&Entry>; 3],
    ) -> Result<Option<Changes>, PublishError> {
        let one = |side: Option<&Entry>| Ok(Some(vec![(path.to_vec(), side.cloned())]));
        if ours == theirs || theirs == base {
            return one(ours);
        }
        if ours == base {
            return one(theirs);
        }
        let Ok(name) = std::str::from_utf8(path) else { return Ok(None) };
        if [base, ours, theirs].into_iter().flatten().any(|entry| !entry.is_file()) {
            return Ok(None);
        }
        let text = |side: Option<&Entry>| side.map(|entry| self.text(entry)).transpose();
        let (base, mine, other) = (text(base)?, text(ours)?, text(theirs)?);
        let mode = ours.or(theirs).map_or("100644", |entry| entry.mode.as_str()).to_owned();
        let entry = |text: &[u8]| -> Result<Option<Entry>, PublishError> {
            Ok(Some(Entry { mode: mode.clone(), id: self.write_blob(text)? }))
        };
        match merge_layer_file(name, base.as_deref(), mine.as_deref(), other.as_deref()) {
            Merged::Gone => one(None),
            Merged::File(text) => Ok(Some(vec![(path.to_vec(), entry(&text)?)])),
            Merged::Both { file, beside, second } => {
                self.note(format!("two texts were called {name}: the second is now {beside}"));
                let beside = beside.into_bytes();
                Ok(Some(vec![(path.to_vec(), entry(&file)?), (beside, entry(&second)?)]))
            }
            Merged::Conflict => Ok(None),
        }
    }

    /// The text of a file. A partial clone may have to fetch it.
    fn text(&self, entry: &Entry) -> Result<Vec<u8>, PublishError> {
        Ok(self.run(&["cat-file", "blob", &entry.id], None)?.stdout)
    }

    fn write_blob(&self, text: &[u8]) -> Result<String, PublishError> {
        Ok(self.run(&["hash-object", "-w", "--stdin"], Some(text))?.line())
    }

    /// Enters changes of the memory into our own index; `digits` are those of an object's id here.
    fn enter(&self, mut changes: Changes, digits: usize) -> Result<(), PublishError> {
        // What goes makes place first.
        changes.sort_by_key(|(_, entry)| entry.is_some());
        let mut input = Vec::new();
        for (path, entry) in &changes {
            let facts = match entry {
                Some(entry) => format!("{} {}\t", entry.mode, entry.id),
                None => format!("0 {}\t", "0".repeat(digits)),
            };
            input.extend_from_slice(facts.as_bytes());
            input.extend_from_slice(&self.in_tree(path));
            input.push(0);
        }
        if !input.is_empty() {
            self.run_apart(&["update-index", "-z", "--index-info"], Some(&input))?;
        }
        Ok(())
    }

    /// The tree of our own index, in which files outside of the memory that the work tree has not
    /// changed are as the branch has them: somebody may have gone on there. What both have changed
    /// is for a person.
    pub(super) fn beside_others(
        &self,
        tip: Option<&str>,
        tree: String,
    ) -> Result<String, PublishError> {
        let (Some(tip), Content::InTree { .. }) = (tip, self.with.content) else { return Ok(tree) };
        let changed = self.changed(Some(tip), &tree)?.into_iter();
        let changed: Vec<Vec<u8>> = changed.filter(|path| !self.is_of_layers(path)).collect();
        if changed.is_empty() {
            return Ok(tree);
        }
        let entries = |tree: &str| self.in_time(self.git.entries(self.with.repo, tree, ""));
        let base = match self.find(&["merge-base", "HEAD", tip])?.filter(|base| !base.is_empty()) {
            Some(base) => entries(&base)?,
            None => Entries::new(),
        };
        let (ours, theirs) = (entries(&tree)?, entries(tip)?);
        let mut input = Vec::new();
        let mut conflicts = Vec::new();
        for path in changed {
            let Some(known) = theirs.get(&path) else { continue };
            let before = base.get(&path);
            if before == Some(known) {
                continue;
            }
            if before.is_some() && before == ours.get(&path) {
                input.extend_from_slice(format!("{} {}\t", known.mode, known.id).as_bytes());
                input.extend_from_slice(&path);
                input.push(0);
            } else {
                conflicts.push(String::from_utf8_lossy(&path).into_owned());
            }
        }
        if !conflicts.is_empty() {
            let branch = self.with.branch.unwrap_or(super::OUTSIDE_BRANCH).to_owned();
            return Err(PublishError::Conflict { branch, files: conflicts });
        }
        if input.is_empty() {
            return Ok(tree);
        }
        self.run_apart(&["update-index", "-z", "--index-info"], Some(&input))?;
        Ok(self.run_apart(&["write-tree"], None)?.line())
    }

    /// The tree of our own index, merged with what the branch had: that may be other machines'.
    pub(super) fn beside_the_branch(
        &self,
        tip: Option<&str>,
        tree: &str,
    ) -> Result<String, PublishError> {
        let (Some(tip), Some(_)) = (tip, &self.memory) else { return Ok(tree.to_owned()) };
        let before = self.layers(tip)?;
        let mut now = self.layers(tree)?;
        let mut changes = Changes::new();
        let mut conflicts = Vec::new();
        for (path, entry) in &now {
            let known = before.get(path);
            if known.is_some_and(|known| known != entry) {
                match self.resolve(path, [None, Some(entry), known])? {
                    Some(resolved) => changes.extend(resolved),
                    None => conflicts.push(String::from_utf8_lossy(path).into_owned()),
                }
            }
        }
        if !conflicts.is_empty() {
            let branch = self.with.branch.unwrap_or(super::OUTSIDE_BRANCH).to_owned();
            return Err(PublishError::Conflict { branch, files: conflicts });
        }
        for (path, entry) in &changes {
            if let Some(entry) = entry {
                now.insert(path.clone(), entry.clone());
            }
        }
        changes.extend(self.taken_out(&now)?);
        if changes.is_empty() {
            return Ok(tree.to_owned());
        }
        self.enter(changes, tree.len())?;
        Ok(self.run_apart(&["write-tree"], None)?.line())
    }

    /// Handoffs that leave a branch: those that lie in an archive now, and forgotten ones.
    fn taken_out(&self, now: &Entries) -> Result<Changes, PublishError> {
        let mut changes = Changes::new();
        let forgotten: Vec<HandoffId> =
            self.with.forgotten.iter().filter_map(|id| id.parse().ok()).collect();
        let gone: Vec<&Vec<u8>> = (now.keys())
            .filter(|path| path.starts_with(b"layer1/") && !self.is_on_disk(path))
            .collect();
        if gone.is_empty() && forgotten.is_empty() {
            return Ok(changes);
        }
        let mut archived: Vec<(String, String)> = Vec::new();
        for (path, entry) in now.iter().filter(|(path, _)| path.starts_with(b"layer3/")) {
            let bytes = self.text(entry)?;
            let Ok(text) = String::from_utf8(bytes) else { continue };
            let Ok(mut archive) = Archive::parse(&text) else { continue };
            let count = archive.entries.len();
            forgotten.iter().for_each(|id| archive.remove(id));
            if archive.entries.len() < count {
                if archive.head.is_empty() {
                    // Somebody took the header away: it is not made up again.
                    archive.head.push('\n');
                }
                let left = !(archive.entries.is_empty() && archive.is_bare());
                let text = left.then(|| archive.render("", ""));
                let id = text.map(|text| self.write_blob(text.as_bytes())).transpose()?;
                let entry = id.map(|id| Entry { id, ..entry.clone() });
                changes.push((path.clone(), entry));
            }
            archived.extend(archive.entries.into_iter().map(|entry| (entry.file, entry.source)));
        }
        for path in gone {
            let name = String::from_utf8_lossy(path).into_owned();
            let file = name.rsplit('/').next().unwrap_or(&name);
            let was_forgotten = forgotten.iter().any(|id| file.ends_with(&file_ending(id)));
            let is_archived = || -> Result<bool, PublishError> {
                if !archived.iter().any(|(name, _)| name == file) {
                    return Ok(false);
                }
                let text = self.text(&now[path])?;
                Ok(archived.iter().any(|(_, source)| source.as_bytes() == text))
            };
            if was_forgotten || is_archived()? {
                changes.push((path.clone(), None));
            }
        }
        Ok(changes)
    }

    fn is_on_disk(&self, path: &[u8]) -> bool {
        let path = match self.with.content {
            Content::Outside { .. } => path.to_vec(),
            Content::InTree { .. } => self.in_tree(path),
        };
        self.on_disk(&path).symlink_metadata().is_ok()
    }
}

/// How the file of a handoff is called behind its tag.
fn file_ending(id: &HandoffId) -> String {
    let text = id.as_str();
    format!("-{}-{}-{}-{}.md", &text[..4], &text[4..6], &text[6..8], id.short())
}
