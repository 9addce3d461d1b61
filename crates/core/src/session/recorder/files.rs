//! What calls do to files.

use super::super::FileUse;
use super::super::line::CommandLine;
use super::super::path::{is_of_windows, is_same_on_windows, whole};
use super::shell::files_read;
use super::{Act, EDITED, FILES, Recorder, Write};

/// The acts of a call without the reads that its command line says, too.
pub(super) fn each_once(mut acts: Vec<Act>) -> Vec<Act> {
    if acts.iter().any(|act| matches!(act, Act::Read { .. }))
        && let Some(Act::Run { line, dir, .. }) = acts.first()
    {
        let known = files_read(&CommandLine::of(line), dir.as_deref());
        acts.retain(|act| !matches!(act, Act::Read { path } if known.contains(path)));
    }
    acts
}

impl Recorder {
    pub fn creates(&mut self, call: &str, path: &str) {
        let path = self.whole(path);
        self.act(call, &path.clone(), Act::Write { path, how: Write::Create });
    }

    pub fn edits(&mut self, call: &str, path: &str) {
        let path = self.whole(path);
        self.act(call, &path.clone(), Act::Write { path, how: Write::Edit });
    }

    pub fn deletes(&mut self, call: &str, path: &str) {
        let path = self.whole(path);
        self.act(call, &path.clone(), Act::Write { path, how: Write::Delete });
    }

    pub fn renames(&mut self, call: &str, from: &str, to: &str) {
        let (how, path) = (Write::Rename(self.whole(from)), self.whole(to));
        self.act(call, &path.clone(), Act::Write { path, how });
    }

    pub fn reads(&mut self, call: &str, path: &str) {
        let path = self.whole(path);
        self.act(call, &path.clone(), Act::Read { path });
    }

    /// What the call creates was there before.
    pub fn was_there(&mut self, call: &str) {
        for act in self.pending.get_mut(call).into_iter().flat_map(|call| &mut call.acts) {
            if let Act::Write { how: how @ Write::Create, .. } = act {
                *how = Write::Edit;
            }
        }
    }

    /// A file was read.
    pub(super) fn read(&mut self, path: &str, output: &str) {
        if let Some(task) = self.task_of(path) {
            self.showed(&task, output);
            return;
        }
        let record = self.record;
        if let Some(file) = self.file(path) {
            file.reads += 1;
            if !file.is_changed() {
                file.record = record;
            }
        }
    }

    /// Whether a call shows what something in the background printed.
    pub(super) fn shows_task(&self, act: &Act) -> bool {
        if !self.knows_output_files() {
            return false;
        }
        match act {
            Act::Read { path } => self.task_of(path).is_some(),
            Act::Run { line, dir, .. } => {
                let line = CommandLine::of(line);
                let mut read = files_read(&line, dir.as_deref()).into_iter();
                read.any(|path| self.task_of(&path).is_some())
            }
            _ => false,
        }
    }

    pub(super) fn write(&mut self, path: &str, how: Write) {
        let (record, aside) = (self.record, self.aside);
        let before = match &how {
            Write::Rename(from) => self.session.files.remove(&self.known_as(from)),
            _ => None,
        };
        self.edited_in_turn(path);
        let Some(file) = self.file(path) else { return };
        // What the agent itself changed too is its own.
        file.by_subagent = aside && (file.by_subagent || !file.is_changed());
        file.record = record;
        match how {
            // What was there before is not created again.
            Write::Create => {
                file.created |= file.reads == 0 && file.edits == 0;
                file.edits += 1;
                file.deleted = false;
            }
            Write::Edit => {
                file.edits += 1;
                file.deleted = false;
            }
            Write::Delete => file.deleted = true,
            Write::Rename(from) => {
                let before = before.unwrap_or_default();
                file.edits += before.edits;
                file.reads += before.reads;
                file.created |= before.created;
                file.deleted = false;
                file.renamed_from = Some(before.renamed_from.unwrap_or(from));
            }
        }
    }

    /// Notes that a file was edited in answer to the last request.
    fn edited_in_turn(&mut self, path: &str) {
        let Some(prompt) = self.session.prompts.last_mut() else { return };
        if prompt.edited.iter().any(|known| known == path) {
        } else if prompt.edited.len() < EDITED {
            prompt.edited.push(path.to_owned());
        } else {
            prompt.more_edited += 1;
        }
    }

    pub(super) fn file(&mut self, path: &str) -> Option<&mut FileUse> {
        let path = self.known_as(path);
        let files = &mut self.session.files;
        if files.len() >= FILES && !files.contains_key(&path) {
            return None;
        }
        Some(files.entry(path).or_default())
    }

    fn whole(&self, path: &str) -> String {
        whole(path, self.session.cwd.as_deref()).into_owned()
    }

    /// What a file is called already.
    fn known_as(&self, path: &str) -> String {
        let files = &self.session.files;
        let known = if is_of_windows(path) && !files.contains_key(path) {
            files.keys().find(|known| is_same_on_windows(known, path))
        } else {
            None
        };
        known.map_or(path, String::as_str).to_owned()
    }
}
