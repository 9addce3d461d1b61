//! The push, and what is done when the remote went on meanwhile.

use std::thread;
use std::time::Duration;

use super::super::act::Call;
use super::session::{Place, Session};
use super::words::{is_publication, told};
use super::{PublishError, Pushed};

/// So often is merged and pushed again.
const TRIES: u32 = 5;

/// What the remote has now.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) commit: Option<String>,
    pub(super) pushed: Pushed,
    pub(super) merged: bool,
}

/// How one push ended.
enum Answered {
    Done {
        /// What the remote's branch was at.
        before: Option<String>,
    },
    UpToDate,
    /// The remote has commits that we have not.
    Behind(String),
}

impl Session<'_> {
    /// Pushes a commit to the branch, merged with what the remote has.
    pub(super) fn push(&self, place: &Place, commit: Option<String>) -> Result<Sent, PublishError> {
        let Some(ours) = commit else {
            self.note(format!("the branch '{}' has no commit yet: nothing to push", place.branch));
            return Ok(Sent { commit: None, pushed: Pushed::UpToDate, merged: false });
        };
        self.push_until_taken(place, ours)
    }

    fn push_until_taken(&self, place: &Place, ours: String) -> Result<Sent, PublishError> {
        let mut commit = ours.clone();
        let mut last = String::new();
        let mut overtaken = true;
        for attempt in 0..=TRIES {
            self.effect()?;
            let merged = commit != ours;
            let pushed = match self.push_once(&commit, place)? {
                Answered::Done { before } => {
                    self.tell_others(place, before.as_deref(), &commit)?;
                    Pushed::Done
                }
                Answered::UpToDate => Pushed::UpToDate,
                Answered::Behind(message) => {
                    last = message;
                    // Others do the same right now: not all at once again.
                    thread::sleep(Duration::from_millis(u64::from(30 * attempt)));
                    self.effect()?;
                    let Some(theirs) = self.fetch(&place.branch)? else {
                        overtaken = false;
                        continue;
                    };
                    if self.holds(&theirs, &ours)? {
                        self.settle(place, &theirs)?;
                        let (commit, pushed) = (Some(theirs), Pushed::UpToDate);
                        return Ok(Sent { commit, pushed, merged: false });
                    }
                    overtaken = !self.holds(&commit, &theirs)?;
                    if overtaken {
                        commit = self.merge(place, &ours, &theirs)?;
                    }
                    continue;
                }
            };
            if place.tip.as_ref() != Some(&commit) {
                self.settle(place, &commit)?;
            }
            return Ok(Sent { commit: Some(commit), pushed, merged });
        }
        if !overtaken {
            return Err(PublishError::Rejected { message: last });
        }
        Err(PublishError::NonFastForward { branch: place.branch.clone(), message: last })
    }

    fn push_once(&self, commit: &str, place: &Place) -> Result<Answered, PublishError> {
        let refspec = format!("{commit}:{}", place.full());
        let mut args = vec!["push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no"];
        args.extend(self.untrusted.as_ref().and_then(|untrusted| untrusted.push));
        args.extend(["--", self.with.remote, &refspec]);
        let config = self.network_config()?;
        let answer = self.ask(Call { args: &args, config, ..Call::default() })?;
        let report = report(&String::from_utf8_lossy(&answer.stdout));
        match report {
            Some(('=', _)) if answer.done() => Ok(Answered::UpToDate),
            report if answer.done() => {
                let moved = report.filter(|(flag, _)| *flag == ' ').map(|(_, moved)| moved);
                let before = moved.and_then(|moved| Some(moved.split_once("..")?.0.to_owned()));
                Ok(Answered::Done { before })
            }
            Some(('!', reason)) if was_overtaken(&reason) || was_overtaken(&answer.stderr) => {
                Ok(Answered::Behind(format!("{reason}\n{}", told(&answer.stderr))))
            }
            other => {
                let reason = other.filter(|(flag, _)| *flag == '!').map(|(_, reason)| reason);
                Err(PublishError::remote(&answer, reason.as_deref(), self.knows_remote()?))
            }
        }
    }

    /// Says when commits that are no publications went along: a branch is pushed whole.
    fn tell_others(
        &self,
        place: &Place,
        before: Option<&str>,
        commit: &str,
    ) -> Result<(), PublishError> {
        let Some(before) = before else { return Ok(()) };
        let range = format!("{before}..{commit}");
        let args = ["log", "-z", "--no-show-signature", "--format=%B", &range, "--"];
        let messages = self.find(&args)?.unwrap_or_default();
        let others = messages.split('\0').filter(|message| !message.trim().is_empty());
        let count = others.filter(|message| !is_publication(message)).count();
        if count > 0 {
            self.note(format!(
                "other commits of '{}' that were pushed along: {count}",
                place.branch
            ));
        }
        Ok(())
    }

    /// Whether a commit is in the history of another.
    fn holds(&self, commit: &str, earlier: &str) -> Result<bool, PublishError> {
        Ok(self.find(&["merge-base", "--is-ancestor", earlier, commit])?.is_some())
    }

    /// Brings the branch here to what the remote has, unless somebody works on it.
    fn settle(&self, place: &Place, to: &str) -> Result<(), PublishError> {
        let branch = &place.branch;
        // It is looked up again: the commit moved it.
        let tip = self.tip(&place.full())?;
        if tip.as_deref() == Some(to) {
            return Ok(());
        }
        let place = Place { tip, ..place.clone() };
        if place.here || place.elsewhere.is_some() {
            let dir = place.elsewhere.as_deref().map_or(String::new(), |dir| format!(" in {dir}"));
            self.note(format!(
                "the branch '{branch}'{dir} is now behind {}: `git pull` when it suits you",
                self.remote()
            ));
            return Ok(());
        }
        if let Some(tip) = &place.tip
            && !self.holds(to, tip)?
        {
            self.note(format!("the branch '{branch}' went on here and was left where it is"));
            return Ok(());
        }
        self.effect()?;
        if self.move_branch(&place, to)?.is_err() {
            self.note(format!("the branch '{branch}' went on here and was left where it is"));
        }
        Ok(())
    }
}

/// Flag and reason of the one ref that was pushed.
fn report(stdout: &str) -> Option<(char, String)> {
    stdout.lines().find_map(|line| {
        let mut fields = line.splitn(3, '\t');
        let (flag, _, summary) = (fields.next()?, fields.next()?, fields.next()?);
        Some((flag.chars().next()?, summary.to_owned()))
    })
}

/// Whether these words say that somebody else was faster.
fn was_overtaken(words: &str) -> bool {
    const WORDS: [&str; 7] = [
        "(fetch first)",
        "(non-fast-forward)",
        "cannot lock ref",
        "failed to update ref",
        "incorrect old value",
        "reference already exists",
        "(stale info)",
    ];
    WORDS.iter().any(|known| words.contains(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_the_ref() {
        let said = "To /x.git\n!\tabc:refs/heads/main\t[rejected] (fetch first)\nDone\n";
        let (flag, reason) = report(said).unwrap();
        assert_eq!((flag, reason.as_str()), ('!', "[rejected] (fetch first)"));
        assert!(was_overtaken(&reason));
        assert!(!was_overtaken("[remote rejected] (pre-receive hook declined)"));
        assert_eq!(report("To /x.git\n=\ta:b\t[up to date]\nDone\n").unwrap().0, '=');
        assert!(report("Everything up-to-date\n").is_none());
    }
}
