//! What left the machine: pushes and pull requests.

use super::super::branch::branch_after;
use super::super::command::exit_shows;
use super::super::line::{CommandLine, Git, git};
use super::super::printed::is_commit_line;
use super::super::pull_request::pull_requests;
use super::super::{CommitState, Outcome};
use super::shell::plain;
use super::{End, Recorder};

/// Options of `git push` whose value is the next word.
const WITH_VALUE: &[&str] = &["-o", "--push-option", "--repo", "--receive-pack", "--exec"];
/// Options with which it pushes no commit of a branch.
const NO_PUSH: &[&str] = &["--dry-run", "--delete", "--help"];
/// What git or a remote prints if a push fails, or its last line then.
const REFUSED: &[&str] = &[
    "rejected",
    "error:",
    "fatal:",
    "failed to push",
    "denied",
    "declined",
    "hint:",
    "and the repository exists",
];

impl Recorder {
    /// Takes down that a line pushed commits or opened a pull request.
    pub(super) fn publish(
        &mut self,
        line: &CommandLine<'_>,
        dir: Option<&str>,
        end: End,
        output: &str,
    ) {
        if self.aside || end.outcome != Outcome::Passed || !may_publish(line.text) {
            return;
        }
        if opens_pull_request(line) {
            self.session.pull_request = Some(self.record);
            pull_requests(output).for_each(|link| self.link(link));
        } else if posts_pull_request(line) {
            self.opened_by_tool(output);
        }
        if self.pushes(line, dir, output) {
            self.session.pushed = Some(self.record);
            let made = self.session.commits.iter_mut();
            made.filter(|one| one.state == CommitState::Made).for_each(|one| one.pushed = true);
        }
    }

    /// Takes down the pull request that a tool or a call of an API opened, if its result shows one.
    pub(super) fn opened_by_tool(&mut self, output: &str) {
        if self.aside {
            return;
        }
        // The others that it shows are spoken of in its text.
        if let Some(link) = pull_requests(output).next() {
            self.session.pull_request = Some(self.record);
            self.link(link);
        }
    }

    /// Whether a line that passed pushed the branch that is checked out.
    fn pushes(&self, line: &CommandLine<'_>, dir: Option<&str>, output: &str) -> bool {
        self.git_commands(&line.parts, dir).into_iter().any(|one| {
            let part = &line.parts[one.at];
            one.git.sub == "push"
                && one.is_here
                && !part.beside
                && (exit_shows(line, one.at)
                    || !is_refused(output) && (!part.maybe || shows_push(output)))
                && self.pushes_checked_out(&one.git, line, output)
        })
    }

    /// Whether what is to be pushed is the branch that is checked out: that one, or none by name.
    fn pushes_checked_out(&self, push: &Git<'_, '_>, line: &CommandLine<'_>, output: &str) -> bool {
        let Some(pushed) = Pushed::of(push) else { return false };
        if pushed.refs.is_empty() {
            return pushed.branch;
        }
        let session = &self.session;
        let dir = session.cwd.as_deref().unwrap_or_default();
        let switched = branch_after(line, output, true, dir);
        let newest = session.commits.iter().rfind(|one| one.state == CommitState::Made);
        let newest = newest.and_then(|commit| commit.branch.as_deref());
        let known: Vec<&str> = [session.branch.as_deref(), switched.as_deref(), newest]
            .into_iter()
            .flatten()
            .collect();
        pushed.refs.iter().any(|source| match *source {
            "HEAD" | "@" => true,
            // What a variable stands for is seen in what git prints, if it prints anything.
            source if source.contains(['$', '`']) => {
                let shows = |name: &&str| output.contains(&format!("{name} -> "));
                !shows_push(output) || known.is_empty() || known.iter().any(shows)
            }
            source => known.is_empty() || known.contains(&source),
        })
    }
}

/// What `git push` is told to push.
struct Pushed<'l> {
    /// The names of what is pushed here, if any are given.
    refs: Vec<&'l str>,
    /// Whether a branch goes along where no name is given.
    branch: bool,
}

impl<'l> Pushed<'l> {
    /// `None` if it pushes no branch at all.
    fn of(push: &Git<'_, 'l>) -> Option<Self> {
        let mut words = push.rest.iter().take_while(|word| !word.contains(['<', '>']));
        let mut named = Vec::new();
        let mut branch = true;
        while let Some(word) = words.next() {
            match *word {
                option if WITH_VALUE.contains(&option) => {
                    words.next();
                }
                option if NO_PUSH.contains(&option) => return None,
                "--tags" => branch = false,
                option if option.starts_with("--") || option.starts_with("-o") => {}
                // `-n` is a trial and `-d` deletes, also among others: `-fn`.
                option if option.starts_with('-') => {
                    if option.contains(['n', 'd']) {
                        return None;
                    }
                }
                name => named.push(name),
            }
        }
        // The first one is the remote.
        let mut names = named.into_iter();
        if names.next() == Some(".") {
            return None;
        }
        let mut refs = Vec::new();
        while let Some(name) = names.next() {
            if name == "tag" {
                names.next();
                branch = false;
                continue;
            }
            let name = plain(name).unwrap_or(name).trim_start_matches('+');
            let source = name.split(':').next().unwrap_or_default();
            let source = source.strip_prefix("refs/heads/").unwrap_or(source);
            branch = false;
            if !source.is_empty() {
                refs.push(source);
            }
        }
        Some(Self { refs, branch })
    }
}

/// Whether a line may push or open a pull request, which is known sooner than whether it does.
fn may_publish(line: &str) -> bool {
    line.contains("push") || line.contains("create") || may_post(line)
}

/// Whether a line may call the API of a forge for a pull request.
fn may_post(line: &str) -> bool {
    (line.contains("/pulls") || line.contains("merge_requests") || line.contains("pullrequests"))
        && (line.contains("gh ") || line.contains("curl ") || line.contains("glab "))
}

/// Whether a tool opens a pull request, by its name: `mcp__forge__create_pull_request`.
pub(super) fn opens_by_tool(name: &str) -> bool {
    let words = |c: char| c == '_' || c == '-' || c == '.' || c == '/' || c.is_whitespace();
    let is_tool = name.len() < 120 && !name.contains(' ');
    is_tool && name.contains("re") && {
        let name = name.to_ascii_lowercase();
        let joined: String = name.split(words).collect();
        let opens = ["create", "open", "submit"].iter().any(|verb| joined.contains(verb));
        let one = ["pullrequest", "mergerequest"].iter().find_map(|one| joined.split_once(one));
        // A comment or a review on one opens none.
        opens && one.is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with("tool"))
    }
}

/// Whether a line pushes or opens a pull request.
pub(super) fn publishes(line: &str) -> bool {
    if !may_publish(line) {
        return false;
    }
    let line = CommandLine::of(line);
    let pushes = |words: &[&str]| git(words).is_some_and(|git| git.sub == "push");
    opens_pull_request(&line)
        || posts_pull_request(&line)
        || line.parts.iter().any(|part| pushes(&part.words))
}

/// Whether a line opens a pull request on a forge.
fn opens_pull_request(line: &CommandLine<'_>) -> bool {
    line.parts.iter().any(|part| {
        let words = &part.words;
        matches!(&words[..], ["gh", "pr", "create", ..] | ["glab", "mr", "create", ..])
            && !words.contains(&"--dry-run")
            && !words.contains(&"--help")
    })
}

/// Whether a line asks the API of a forge to open a pull request: what it prints shows whether it did.
fn posts_pull_request(line: &CommandLine<'_>) -> bool {
    const SENDS: &[&str] = &[
        "-f",
        "-F",
        "--field",
        "--raw-field",
        "--input",
        "-d",
        "--data",
        "--data-raw",
        "--json",
        "--data-binary",
        "POST",
        "-XPOST",
    ];
    may_post(line.text)
        && line.parts.iter().any(|part| {
            let words = &part.words;
            let calls = matches!(&words[..], ["gh" | "glab", "api", ..] | ["curl", ..]);
            let ends = |word: &&str| {
                let address = word.trim_matches(['"', '\'']).trim_end_matches('/');
                ["/pulls", "/merge_requests", "/pullrequests"]
                    .iter()
                    .any(|end| address.ends_with(end))
            };
            let sends = |word: &&str| {
                SENDS.iter().any(|option| word == option || word.starts_with(&format!("{option}=")))
            };
            calls && words.iter().any(ends) && words.iter().any(sends)
        })
}

/// Whether something that was printed says that a push failed, where its exit code is hidden. What git
/// says of commits and of the branches that it pushes are names.
fn is_refused(output: &str) -> bool {
    output.lines().any(|line| {
        let is_names = || line.contains(" -> ") && !line.contains("rejected]");
        let lower = line.to_ascii_lowercase();
        REFUSED.iter().any(|says| lower.contains(says)) && !is_commit_line(line) && !is_names()
    })
}

/// Whether git printed which branch went where, or that it is there already.
fn shows_push(output: &str) -> bool {
    output.contains(" -> ") || output.contains("Everything up-to-date")
}

#[cfg(test)]
mod tests {
    use crate::session::{End, Outcome, Recorder};

    const PASSED: End = End { outcome: Outcome::Passed, exit: Some(0) };

    fn after(line: &str, output: &'static str) -> (bool, bool, Vec<String>) {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.cwd("/work/shop");
        recorder.branch("main");
        recorder.ran("1", line);
        recorder.ended("1", PASSED, || output.into());
        let session = recorder.into_session();
        (session.pushed.is_some(), session.pull_request.is_some(), session.links)
    }

    fn pushed(line: &str, output: &'static str) -> bool {
        after(line, output).0
    }

    #[test]
    fn pushes_and_pull_requests_are_seen() {
        let none: Vec<String> = Vec::new();
        assert_eq!(
            after("cd src && git push -u origin HEAD 2>&1 | tail -2", ""),
            (true, false, none.clone())
        );
        assert_eq!(after("echo git push", ""), (false, false, none));
        let (_, opened, links) = after("gh pr create --fill", "https://example.com/o/r/pull/7\n");
        assert!(opened);
        assert_eq!(links, ["https://example.com/o/r/pull/7"]);
    }

    #[test]
    fn a_pull_request_that_a_tool_or_an_api_opened_counts_if_its_result_shows_it() {
        let opened = |tool: &str, output: &'static str| {
            let mut recorder = Recorder::new("x");
            recorder.next_record();
            recorder.called("1", tool);
            recorder.ended("1", PASSED, || output.into());
            let session = recorder.into_session();
            (session.pull_request.is_some(), session.links)
        };
        let shown = r#"{"number":8,"html_url":"https://example.com/o/r/pull/8"}"#;
        let link = vec!["https://example.com/o/r/pull/8".to_owned()];
        for tool in
            ["mcp__github__create_pull_request", "forge.createPullRequest", "create_merge_request"]
        {
            assert_eq!(opened(tool, shown), (true, link.clone()), "{tool}");
        }
        for (tool, output) in [
            ("mcp__github__get_pull_request", shown),
            ("mcp__github__create_pull_request_review", shown),
            ("mcp__github__create_issue", shown),
            ("mcp__github__create_pull_request", "not found"),
            ("mcp__github__create_pull_request", "https://example.com/o/r/pulls"),
        ] {
            assert!(!opened(tool, output).0, "{tool}");
        }
        for line in [
            "gh api repos/o/r/pulls -f title=x -f head=a -f base=main",
            "curl -X POST https://api.example.com/repos/o/r/pulls -d @pr.json",
            "curl --data @mr.json https://example.com/api/v4/projects/1/merge_requests",
        ] {
            assert!(after(line, r#"{"html_url": "https://example.com/o/r/pull/8"}"#).1, "{line}");
            assert!(!after(line, r#"{"message": "Validation Failed"}"#).1, "{line}");
        }
        for line in ["gh api repos/o/r/pulls", "curl -s https://api.example.com/repos/o/r/pulls"] {
            assert!(
                !after(line, r#"[{"html_url": "https://example.com/o/r/pull/8"}]"#).1,
                "{line}"
            );
        }
    }

    #[test]
    fn only_the_branch_that_is_checked_out_counts_as_pushed() {
        for line in [
            "git push",
            "git push origin",
            "git push origin main",
            "git push -f origin main:release",
            "git push origin +refs/heads/main",
            "git push --force-with-lease origin HEAD",
            "git push -u origin 'main'",
            "git push origin docs main",
            "git push --follow-tags",
            "git push --all",
            "git push -o ci.skip origin main",
            "git push origin main --tags",
            "git push -u origin \"$(git branch --show-current)\"",
            "git push origin $(git branch --show-current)",
            "git -C /work/shop push",
            "git checkout -b fix && git commit -qm x && git push -u origin fix",
        ] {
            assert!(pushed(line, ""), "{line}");
        }
        for line in [
            "git push origin docs",
            "git push origin docs:main",
            "git push --tags",
            "git push origin tag v1",
            "git push origin --tags",
            "git push --dry-run",
            "git push -n",
            "git push -fn origin main",
            "git push --delete origin main",
            "git push -d origin main",
            "git push origin :main",
            "git push . main:docs",
            "cd /tmp/other && git push",
            "git -C ../other push",
            "(cd /tmp/other && git push) && ls",
        ] {
            assert!(!pushed(line, ""), "{line}");
        }
        let other = "To example.com:o/r\n   1111111..2222222  docs -> docs";
        assert!(!pushed("git push origin $BRANCH", other));
        assert!(pushed("git push origin $BRANCH", "   1111111..2222222  main -> main"));
    }

    #[test]
    fn a_branch_is_known_by_the_commits_that_were_made_on_it() {
        let mut recorder = Recorder::new("x");
        for (line, output) in
            [("git commit -m x", "[fix/a 1111111] x"), ("git push -u origin fix/a", "")]
        {
            recorder.next_record();
            recorder.branch("main");
            recorder.ran(line, line);
            recorder.ended(line, PASSED, || output.into());
        }
        assert_eq!(recorder.session().pushed, Some(2));
    }

    #[test]
    fn a_push_whose_exit_code_is_hidden_is_one_only_if_nothing_printed_speaks_against_it() {
        for output in [
            "! [rejected] main -> main (fetch first)\nerror: failed to push some refs",
            "remote: error: GH006: Protected branch update failed for refs/heads/main.",
            "hint: See the 'Note about fast-forwards' in 'git push --help' for details.",
            "and the repository exists.",
            " ! [remote rejected] main -> main (pre-receive hook declined)",
            "ERROR: Permission to o/r denied to x.",
        ] {
            assert!(!pushed("git push 2>&1 | tail -1", output), "{output}");
            assert!(!pushed("git push || true", output), "{output}");
        }
        for output in [
            "   1111111..2222222  main -> main",
            "[main 1111111] Handle cards that are declined\n   1111111..2222222  main -> main",
            "   1111111..2222222  main -> access-denied",
        ] {
            assert!(pushed("git push 2>&1 | tail -1", output), "{output}");
        }
        assert!(pushed("cargo test && git push", "test says error: x"));
        for line in ["git push & sleep 1; echo started", "git fetch || git push"] {
            assert!(!pushed(line, "started"), "{line}");
        }
    }
}
