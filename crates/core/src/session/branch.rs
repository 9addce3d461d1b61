//! The branch that a command line leaves the working tree on.

use super::line::CommandLine;
use super::printed::commits_in;

/// Whether a command line may change the branch.
pub(super) fn may_switch(line: &str) -> bool {
    line.contains("git checkout") || line.contains("git switch")
}

/// The branch after a command line, where it shows one. What happens in another directory than this
/// one shows nothing.
pub(super) fn branch_after(
    line: &CommandLine<'_>,
    output: &str,
    passed: bool,
    dir: &str,
) -> Option<String> {
    if line.parts.iter().any(|part| goes_elsewhere(&part.words, dir)) {
        return None;
    }
    if let Some((_, Some(branch), _)) = commits_in(output).pop() {
        return Some(branch);
    }
    let mut named = None;
    for part in &line.parts {
        if let ["git", how @ ("checkout" | "switch"), rest @ ..] = &part.words[..] {
            named = switched(output).or_else(|| asked_for(how, rest).filter(|_| passed)).or(named);
        }
    }
    named.map(str::to_owned)
}

fn goes_elsewhere(words: &[&str], dir: &str) -> bool {
    match words {
        ["cd" | "pushd", to, ..] => {
            let to = to.trim_matches(['\'', '"']);
            to != "." && to.trim_end_matches('/') != dir.trim_end_matches('/')
        }
        ["cd" | "pushd"] => true,
        ["git", option, ..] => {
            matches!(*option, "-C" | "worktree")
                || option.starts_with("--git-dir")
                || option.starts_with("--work-tree")
        }
        _ => false,
    }
}

/// What git says of it.
fn switched(output: &str) -> Option<&str> {
    const SIGNS: &[&str] = &[
        "Switched to branch '",
        "Switched to a new branch '",
        "Switched to and reset branch '",
        "Already on '",
        "Reset branch '",
    ];
    let said = |line: &'_ str| SIGNS.iter().any(|sign| line.starts_with(sign));
    let line = output.lines().map(str::trim).rfind(|line| said(line))?;
    line.split('\'').nth(1).filter(|name| !name.is_empty())
}

/// The branch that is asked for, if it is one for sure: `git checkout` takes files, too.
fn asked_for<'w>(how: &str, rest: &[&'w str]) -> Option<&'w str> {
    let mut rest = rest.iter().copied();
    while let Some(word) = rest.next() {
        let name = match word {
            "-b" | "-B" | "-c" | "-C" | "--create" | "--force-create" | "--orphan" => {
                rest.next()?
            }
            "--" | "-" | "-d" | "--detach" | "-t" | "--track" => return None,
            option if option.starts_with('-') => continue,
            name if how == "switch" => name,
            _ => return None,
        };
        let name = name.trim_matches(['\'', '"']);
        let is_name =
            |c: char| c.is_alphanumeric() || matches!(c, '/' | '-' | '_' | '.' | '+' | '#');
        let sound = !name.is_empty() && !name.starts_with('-') && name.chars().all(is_name);
        return sound.then_some(name);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::CommandLine;

    fn after(line: &str, output: &str) -> Option<String> {
        branch_after(line, output, true, "/work/shop")
    }

    fn branch_after(line: &str, output: &str, passed: bool, dir: &str) -> Option<String> {
        super::branch_after(&CommandLine::of(line), output, passed, dir)
    }

    #[test]
    fn branches_are_switched_by_what_says_so() {
        for line in [
            "git checkout -b feat/x",
            "git switch -c feat/x origin/main",
            "git switch feat/x 2>&1",
            "cd /work/shop && git checkout -q -b 'feat/x' && cargo test",
        ] {
            assert_eq!(after(line, "").as_deref(), Some("feat/x"), "{line}");
        }
        let said = "Switched to branch 'feat/x'\nYour branch is up to date.";
        assert_eq!(after("git checkout feat/x", said).as_deref(), Some("feat/x"));
        let commit = "[feat/x 1a2b3c4] Add it\n 1 file changed";
        assert_eq!(after("git commit -am x", commit).as_deref(), Some("feat/x"));
        // What fails later has switched all the same.
        let failed = branch_after("git checkout feat/x && make", said, false, "/work/shop");
        assert_eq!(failed.as_deref(), Some("feat/x"));
    }

    #[test]
    fn files_other_directories_and_detached_heads_are_no_branches() {
        for line in [
            "git checkout src/a.rs",
            "git checkout -- a",
            "git switch --detach 1a2b3c4",
            "git switch -",
            "git switch \"$B\"",
            "git -C ../other switch main",
            "cd ../other && git switch main",
            "echo git switch main",
        ] {
            assert_eq!(after(line, ""), None, "{line}");
        }
        assert_eq!(branch_after("git switch x", "fatal", false, "/work/shop"), None);
        assert_eq!(after("cd /tmp/x && git commit -m y", "[y 1a2b3c4] Y"), None);
        assert_eq!(after("git commit -m y", "[detached HEAD 1a2b3c4] Y"), None);
    }
}
