//! The commit of a run.
//!
//! On the branch that is checked out it is a partial commit (`git commit --only`): hooks, signing
//! and the user's index are git's own business there. On any other branch it is built beside work
//! tree and index. A branch that is nowhere yet begins with this commit, without a parent: nothing
//! but what was asked for gets published with it.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use super::super::act::{Answer, Call};
use super::content::{Files, names, records};
use super::session::{Place, Session};
use super::words::{has_trailer, with_trailer};
use super::{Committed, PublishError};

/// So many commits are searched for a run's trailer.
const SEARCHED: &str = "--max-count=1000";
/// So often is tried again what somebody else was faster at.
const TRIES: u32 = 5;

/// Paths by the standard input: any number, any name.
const FROM_STDIN: [&str; 2] = ["--pathspec-from-file=-", "--pathspec-file-nul"];

/// The commit that a branch shall be at.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) commit: Option<String>,
    pub(super) committed: Committed,
}

impl Session<'_> {
    pub(super) fn commit(&self, place: &Place) -> Result<Made, PublishError> {
        if place.here {
            return self.commit_here(place);
        }
        if let (Some(dir), false) = (&place.elsewhere, self.with.push) {
            return Err(PublishError::config(format!(
                "the branch '{}' is checked out in {dir}: publish from there, or push as well",
                place.branch
            )));
        }
        for attempt in 1.. {
            let place = if attempt == 1 { place.clone() } else { self.place()? };
            match self.commit_apart(&place)? {
                Ok(made) => return Ok(made),
                Err(message) if attempt >= TRIES => return Err(PublishError::Other { message }),
                Err(_) => {}
            }
        }
        unreachable!("the last try returns")
    }

    /// The newest commit of this run on a branch.
    fn find_run(&self, tip: &str) -> Result<bool, PublishError> {
        let args = ["log", "-z", SEARCHED, "--no-show-signature", "--format=%B", tip, "--"];
        let messages = self.find(&args)?.unwrap_or_default();
        Ok(messages.split('\0').any(|message| has_trailer(message, self.with.run)))
    }

    fn commit_here(&self, place: &Place) -> Result<Made, PublishError> {
        let tip = place.tip.clone();
        if let Some(tip) = &tip
            && self.find_run(tip)?
        {
            return Ok(Made { commit: Some(tip.clone()), committed: Committed::Found });
        }
        if let Some(operation) = self.with.repo.operation().filter(|name| *name != "bisect") {
            return Err(PublishError::config(format!(
                "a {operation} is going on here: finish it (or abort it), then publish"
            )));
        }
        self.effect()?;
        let (files, tree) = self.tree_here(tip.as_deref())?;
        let changed = self.changed(tip.as_deref(), &tree)?;
        if changed.is_empty() {
            return Ok(Made { commit: tip, committed: Committed::NothingNew });
        }
        self.effect()?;
        let new = self.unknown_to_index(&files, &changed)?;
        self.commit_only(&changed, &new)?;
        let commit = self.tip("HEAD")?;
        Ok(Made { commit, committed: Committed::New })
    }

    /// What the branch's tree would be.
    fn tree_here(&self, tip: Option<&str>) -> Result<(Files, String), PublishError> {
        self.run_apart(&["read-tree", tip.unwrap_or("--empty")], None)?;
        let mut files = self.files()?;
        if !files.missing.is_empty() {
            // A sparse work tree lacks files that nobody deleted.
            for path in self.in_index(&files, &["ls-files", "-z", "-t", "-c"])? {
                if let Some(path) = path.strip_prefix(b"S ") {
                    files.missing.remove(path);
                }
            }
        }
        self.tell_ignored(&files)?;
        self.take_in(&files.present)?;
        if !files.missing.is_empty() {
            let gone = records(&files.missing);
            self.run_apart(&["update-index", "--force-remove", "-z", "--stdin"], Some(&gone))?;
        }
        let tree = self.run_apart(&["write-tree"], None)?.line();
        Ok((files, tree))
    }

    /// Takes files of the disk into our own index.
    fn take_in(&self, present: &BTreeSet<Vec<u8>>) -> Result<(), PublishError> {
        let args = ["update-index", "--add", "--replace", "-z", "--stdin"];
        self.run_apart(&args, Some(&records(present))).map(|_| ())
    }

    fn in_index(&self, files: &Files, args: &[&str]) -> Result<Vec<Vec<u8>>, PublishError> {
        let roots = files.places();
        let mut args = args.to_vec();
        args.push("--");
        args.extend(roots.iter().map(String::as_str));
        Ok(names(&self.run(&args, None)?.stdout))
    }

    pub(super) fn changed(
        &self,
        tip: Option<&str>,
        tree: &str,
    ) -> Result<BTreeSet<Vec<u8>>, PublishError> {
        let output = match tip {
            Some(tip) => {
                let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", tip, tree];
                self.run(&args, None)?
            }
            None => self.run(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree], None)?,
        };
        Ok(names(&output.stdout).into_iter().collect())
    }

    /// Files to commit that the user's index does not know.
    fn unknown_to_index(
        &self,
        files: &Files,
        changed: &BTreeSet<Vec<u8>>,
    ) -> Result<BTreeSet<Vec<u8>>, PublishError> {
        let known: BTreeSet<Vec<u8>> =
            self.in_index(files, &["ls-files", "-z", "-c"])?.into_iter().collect();
        let wanted = changed.intersection(&files.present);
        Ok(wanted.filter(|path| !known.contains(*path)).cloned().collect())
    }

    fn commit_only(
        &self,
        changed: &BTreeSet<Vec<u8>>,
        new: &BTreeSet<Vec<u8>>,
    ) -> Result<(), PublishError> {
        let message = with_trailer(self.with.message, self.with.run);
        let args = [
            "commit",
            "--only",
            "--quiet",
            "--cleanup=whitespace",
            "--message",
            &message,
            FROM_STDIN[0],
            FROM_STDIN[1],
        ];
        let announced = self.announce(new);
        let done = announced.and_then(|()| self.until_unlocked(&args, &records(changed)));
        if done.is_err() && !new.is_empty() {
            let args = ["update-index", "--force-remove", "-z", "--stdin"];
            let _ = self.until_unlocked(&args, &records(new));
        }
        done.map(|_| ())
    }

    /// Makes new files known to the user's index: git commits a part only of what that knows. They
    /// are noted without content: were we killed here, a commit of the user's would not take them
    /// along.
    fn announce(&self, new: &BTreeSet<Vec<u8>>) -> Result<(), PublishError> {
        if new.is_empty() {
            return Ok(());
        }
        let args = ["add", "--intent-to-add", "--force", FROM_STDIN[0], FROM_STDIN[1]];
        match self.until_unlocked(&args, &records(new)) {
            // The memory lies where a sparse work tree has nothing. Asked for only then: older
            // gits do not know the word.
            Err(PublishError::Other { message }) if message.contains("sparse-checkout") => {
                let args: Vec<&str> = args.into_iter().chain(["--sparse"]).collect();
                self.until_unlocked(&args, &records(new)).map(|_| ())
            }
            other => other.map(|_| ()),
        }
    }

    /// Runs git on the user's index, which another git may be busy with.
    fn until_unlocked(&self, args: &[&str], stdin: &[u8]) -> Result<Answer, PublishError> {
        for attempt in 1u64.. {
            let answer = self.ask(Call { args, stdin: Some(stdin), ..Call::default() })?;
            if answer.done() {
                return Ok(answer);
            }
            if attempt >= 8 || !answer.stderr.contains("index.lock") {
                return Err(self.local_error(&answer));
            }
            thread::sleep(Duration::from_millis(40 * attempt));
        }
        unreachable!("the last try returns")
    }

    /// A commit on a branch that is not checked out here. The inner error: the branch was moved
    /// meanwhile.
    fn commit_apart(&self, place: &Place) -> Result<Result<Made, String>, PublishError> {
        let tip = self.tip_apart(place)?;
        if let Some(tip) = &tip
            && self.find_run(tip)?
        {
            return Ok(Ok(Made { commit: Some(tip.clone()), committed: Committed::Found }));
        }
        self.effect()?;
        self.run_apart(&["read-tree", tip.as_deref().unwrap_or("--empty")], None)?;
        let files = self.files()?;
        self.take_in(&files.present)?;
        let tree = self.run_apart(&["write-tree"], None)?.line();
        let tree = self.beside_others(tip.as_deref(), tree)?;
        let tree = self.beside_the_branch(tip.as_deref(), &tree)?;
        if self.changed(tip.as_deref(), &tree)?.is_empty() {
            return Ok(Ok(Made { commit: tip, committed: Committed::NothingNew }));
        }
        let parents: Vec<&str> = tip.iter().map(String::as_str).collect();
        let message = with_trailer(self.with.message, self.with.run);
        let commit = self.commit_tree(&tree, &parents, &message)?;
        self.tell_hooks(place)?;
        if place.elsewhere.is_none() {
            self.effect()?;
            if let Err(message) = self.move_branch(place, &commit)? {
                return Ok(Err(message));
            }
        }
        Ok(Ok(Made { commit: Some(commit), committed: Committed::New }))
    }

    /// What the commit is put on: the branch here, else the remote's. A branch that another
    /// worktree has cannot be moved, so that one is always built on the remote's.
    fn tip_apart(&self, place: &Place) -> Result<Option<String>, PublishError> {
        if place.elsewhere.is_none() && place.tip.is_some() {
            return Ok(place.tip.clone());
        }
        let theirs = if self.with.push {
            self.effect()?;
            self.fetch(&place.branch)?
        } else {
            self.tip(&format!("refs/remotes/{}/{}", self.with.remote, place.branch))?
        };
        Ok(theirs.or(place.tip.clone()))
    }

    /// A commit of a tree, signed if the user signs.
    pub(super) fn commit_tree(
        &self,
        tree: &str,
        parents: &[&str],
        message: &str,
    ) -> Result<String, PublishError> {
        let mut args = vec!["commit-tree"];
        // The plumbing does not look it up itself.
        let signs = ["config", "--type=bool", "--get", "commit.gpgSign"];
        if self.ask(Call { args: &signs, ..Call::default() })?.line() == "true" {
            args.push("-S");
        }
        for parent in parents {
            args.extend(["-p", parent]);
        }
        args.extend(["-F", "-", tree]);
        Ok(self.run(&args, Some(message.as_bytes()))?.line())
    }

    /// Says which hooks a commit beside the work tree passed by.
    fn tell_hooks(&self, place: &Place) -> Result<(), PublishError> {
        let hooks = self.run(&["rev-parse", "--git-path", "hooks"], None)?.line();
        let hooks = self.with.repo.top.join(hooks);
        let passed: Vec<&str> = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"]
            .into_iter()
            .filter(|name| hooks.join(name).is_file())
            .collect();
        if !passed.is_empty() {
            self.note(format!(
                "hooks that were not run, because '{}' is not checked out here: {}",
                place.branch,
                passed.join(", ")
            ));
        }
        Ok(())
    }
}
