//! What left the machine: pushes and pull requests.

use super::super::Outcome;
use super::super::line::{git, parts, words};
use super::{End, Recorder};

impl Recorder {
    /// Takes down that a line pushed commits or opened a pull request.
    pub(super) fn publish(&mut self, line: &str, end: End, output: &str) {
        if self.aside || end.outcome != Outcome::Passed {
            return;
        }
        if opens_pull_request(line) {
            self.session.pull_request = Some(self.record);
            let links = output.split_whitespace().filter(|word| is_pull_request(word));
            links.for_each(|link| self.link(link));
        }
        if pushes(line) && !is_rejected(output) {
            self.session.pushed = Some(self.record);
        }
    }
}

/// Whether a line pushes or opens a pull request.
pub(super) fn publishes(line: &str) -> bool {
    pushes(line) || opens_pull_request(line)
}

/// Whether a line opens a pull request on a forge.
fn opens_pull_request(line: &str) -> bool {
    if !line.contains("create") {
        return false;
    }
    parts(line).iter().any(|part| {
        let words = words(part.text);
        matches!(&words[..], ["gh", "pr", "create", ..] | ["glab", "mr", "create", ..])
            && !words.contains(&"--dry-run")
            && !words.contains(&"--help")
    })
}

fn pushes(line: &str) -> bool {
    if !line.contains("push") {
        return false;
    }
    parts(line).iter().any(|part| {
        let words = words(part.text);
        let git = git(&words);
        git.is_some_and(|git| {
            git.sub == "push" && !git.has("--dry-run") && !git.has("-n") && !git.has("--delete")
        })
    })
}

/// A pipe hides that a push failed, but not what git printed.
fn is_rejected(output: &str) -> bool {
    ["[rejected]", "[remote rejected]", "error: failed to push", "fatal: "]
        .iter()
        .any(|says| output.contains(says))
}

fn is_pull_request(word: &str) -> bool {
    word.starts_with("https://") && (word.contains("/pull/") || word.contains("/merge_requests/"))
}

#[cfg(test)]
mod tests {
    use crate::session::{End, Outcome, Recorder};

    fn after(line: &str, output: &'static str) -> (bool, bool, Vec<String>) {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.ran("1", line);
        recorder.ended("1", End { outcome: Outcome::Passed, exit: Some(0) }, || output.into());
        let session = recorder.into_session();
        (session.pushed.is_some(), session.pull_request.is_some(), session.links)
    }

    #[test]
    fn pushes_and_pull_requests_are_seen() {
        let none: Vec<String> = Vec::new();
        assert_eq!(
            after("cd x && git push -u origin HEAD 2>&1 | tail -2", ""),
            (true, false, none.clone())
        );
        let rejected = "! [rejected] main -> main (fetch first)\nerror: failed to push some refs";
        assert_eq!(after("git push | tail -3", rejected), (false, false, none.clone()));
        assert_eq!(after("git push --dry-run", ""), (false, false, none.clone()));
        assert_eq!(after("echo git push", ""), (false, false, none));
        let (_, opened, links) = after("gh pr create --fill", "https://example.com/o/r/pull/7\n");
        assert!(opened);
        assert_eq!(links, ["https://example.com/o/r/pull/7"]);
    }
}
