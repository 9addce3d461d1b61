//! What happened since a commit, over histories of every shape: as git's own commands tell it, in one
//! process.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use segue_share::git::{EarlierCommit, FileChange, Git, History, discover};
use tempfile::TempDir;

/// A repository, and a git that writes down how often it is called.
struct Ground {
    _temp: TempDir,
    dir: PathBuf,
    log: PathBuf,
    asked: Git,
}

impl Ground {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        let (dir, log, program) = (root.join("repo"), root.join("log"), root.join("git"));
        fs::create_dir(&dir).unwrap();
        write(&program, &format!("#!/bin/sh\necho x >>'{}'\nexec git \"$@\"\n", log.display()));
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let asked = Git { program, deadline: Duration::from_secs(30) };
        let ground = Self { _temp: temp, dir, log, asked };
        ground.git(&["init", "-q", "-b", "main"]);
        let text: String = (0..20).map(|line| format!("line {line}\n")).collect();
        for name in ["a.txt", "sub/b.txt", "c.txt"] {
            ground.put(name, &format!("{name}\n{text}"));
        }
        ground.commit("first");
        ground
    }

    fn git(&self, args: &[&str]) -> String {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        let mut git = Command::new("git");
        let git = git.arg("-C").arg(&self.dir).args(identity).args(args);
        let output = git.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", &self.dir).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text);
    }

    fn commit(&self, subject: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", subject]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// What happened since a commit, and in how many processes that was found out.
    fn since(&self, commit: &str, is_of_another_branch: bool) -> (Option<History>, usize) {
        let _ = fs::remove_file(&self.log);
        let head = discover(&self.dir).unwrap().head();
        let earlier = EarlierCommit { commit, head: head.as_deref(), is_of_another_branch };
        let found = self.asked.since(&self.dir, &earlier, 3).unwrap();
        (found, fs::read_to_string(&self.log).unwrap().lines().count())
    }

    /// The same as git's own commands tell it.
    fn told_by_git(&self, commit: &str) -> History {
        let range = format!("{commit}..HEAD");
        let commits = self.git(&["log", "--max-count=3", "--format=%h %s", &range]);
        let commits = commits.lines().map(|line| {
            let (id, subject) = line.split_once(' ').unwrap();
            segue_share::git::Commit { id: id.to_owned(), subject: subject.to_owned() }
        });
        let count = |range: &str| self.git(&["rev-list", "--count", range]).parse().unwrap();
        let told = self.git(&["diff-tree", "-r", "-z", "-M", "--name-status", commit, "HEAD"]);
        let mut words = told.split_terminator('\0').map(str::to_owned);
        let mut files = Vec::new();
        while let Some(kind) = words.next() {
            let kind = kind.chars().next().unwrap();
            let path = words.next().unwrap();
            let to = if kind == 'R' { words.next() } else { None };
            files.push(FileChange { kind, path, to });
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let behind = count(&format!("HEAD..{commit}"));
        History { commits: commits.collect(), ahead: count(&range), behind, files }
    }

    /// Looks that both say the same, and that so many processes were enough.
    fn assert_as_git_tells(&self, commit: &str, is_of_another_branch: bool, processes: usize) {
        let (found, asked) = self.since(commit, is_of_another_branch);
        assert_eq!(found.unwrap(), self.told_by_git(commit));
        assert_eq!(asked, processes);
    }
}

fn write(path: &Path, text: &str) {
    fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

#[test]
fn commits_that_came_since_are_read_in_one_process() {
    let ground = Ground::new();
    let then = ground.git(&["rev-parse", "HEAD"]);
    ground.git(&["mv", "a.txt", "moved.txt"]);
    ground.commit("a move");
    ground.put("moved.txt", &format!("{}more\n", "line\n".repeat(3)));
    ground.git(&["checkout", "-q", &then, "--", "a.txt"]);
    ground.git(&["mv", "-f", "a.txt", "moved.txt"]);
    ground.put("c.txt", "other\n");
    ground.put("new \"file\".txt", "new\n");
    ground.commit("a subject\twith a tab");
    ground.put("taken back.txt", "x");
    ground.commit("on");
    fs::remove_file(ground.dir.join("taken back.txt")).unwrap();
    ground.commit("and back");
    ground.assert_as_git_tells(&then, false, 1);
    assert_eq!(ground.since(&then[..12], false).0.unwrap().ahead, 4, "a shortened name does");
}

#[test]
fn merges_are_followed_from_both_of_their_sides() {
    let ground = Ground::new();
    let base = ground.git(&["rev-parse", "HEAD"]);
    ground.put("c.txt", "main\n");
    let on_main = ground.commit("on main");
    ground.git(&["checkout", "-q", "-b", "side", &base]);
    ground.put("side.txt", "side\n");
    let on_side = ground.commit("on the side");
    ground.put("sub/b.txt", "side\n");
    ground.commit("on the side again");
    ground.git(&["checkout", "-q", "main"]);
    ground.git(&["merge", "-q", "--no-ff", "-m", "merged", "side"]);
    ground.put("a.txt", "after\n");
    ground.commit("after");
    ground.assert_as_git_tells(&on_main, false, 1);
    ground.assert_as_git_tells(&on_side, true, 1);
    ground.assert_as_git_tells(&base, false, 1);
    // Who thinks that it was the same branch asks once more, and learns the same.
    ground.assert_as_git_tells(&on_side, false, 2);
}

#[test]
fn another_branch_and_an_older_commit_are_compared_in_one_process() {
    let ground = Ground::new();
    let base = ground.git(&["rev-parse", "HEAD"]);
    ground.put("c.txt", "main\n");
    let on_main = ground.commit("on main");
    ground.git(&["checkout", "-q", "-b", "side", &base]);
    ground.put("side.txt", "side\n");
    fs::remove_file(ground.dir.join("a.txt")).unwrap();
    let on_side = ground.commit("on the side");
    ground.assert_as_git_tells(&on_main, true, 1);
    ground.assert_as_git_tells(&on_main, false, 1);
    ground.git(&["checkout", "-q", "main"]);
    ground.assert_as_git_tells(&on_side, true, 1);
    ground.git(&["reset", "-q", "--hard", &base]);
    ground.assert_as_git_tells(&on_main, false, 1);
    ground.git(&["pack-refs", "--all"]);
    ground.assert_as_git_tells(&on_main, false, 1);
}

#[test]
fn a_merge_that_changes_nothing_is_not_mistaken_for_its_other_side() {
    let ground = Ground::new();
    ground.git(&["checkout", "-q", "-b", "side"]);
    ground.put("side.txt", "side\n");
    let on_side = ground.commit("on the side");
    ground.git(&["checkout", "-q", "main"]);
    ground.put("c.txt", "main\n");
    let on_main = ground.commit("on main");
    ground.git(&["merge", "-q", "-s", "ours", "-m", "ours", "side"]);
    ground.assert_as_git_tells(&on_main, false, 1);
    ground.assert_as_git_tells(&on_side, true, 2);
}

#[test]
fn a_long_history_is_counted_and_compared() {
    let ground = Ground::new();
    let then = ground.git(&["rev-parse", "HEAD"]);
    for number in 0..101 {
        ground.put("c.txt", &format!("{number}\n"));
        ground.commit(&format!("commit {number}"));
    }
    let (found, _) = ground.since(&then, false);
    assert_eq!(found.unwrap(), ground.told_by_git(&then));
    let (found, processes) = ground.since(&ground.git(&["rev-parse", "HEAD~100"]), false);
    assert_eq!((found.unwrap().ahead, processes), (100, 1));
}

#[test]
fn histories_that_have_nothing_in_common_are_compared() {
    let ground = Ground::new();
    let then = ground.git(&["rev-parse", "HEAD"]);
    ground.git(&["checkout", "-q", "--orphan", "other"]);
    ground.put("c.txt", "orphan\n");
    ground.commit("orphan");
    ground.assert_as_git_tells(&then, true, 2);
}

#[test]
fn a_commit_that_is_not_in_the_clone_costs_one_question() {
    let ground = Ground::new();
    assert_eq!(ground.since(&"1234567890".repeat(4), false), (None, 1));
    assert_eq!(ground.since("12345678", false), (None, 1));
}

#[test]
fn a_git_that_does_not_know_how_to_show_merges_is_asked_in_other_words() {
    let mut ground = Ground::new();
    let then = ground.git(&["rev-parse", "HEAD"]);
    ground.put("c.txt", "main\n");
    ground.commit("on main");
    let old = ground.log.with_file_name("old-git");
    let text = "#!/bin/sh\ncase \"$*\" in *--diff-merges*) echo 'fatal: unrecognized argument: --diff-merges' >&2; exit 128;; esac\nexec \"$(dirname \"$0\")/git\" \"$@\"\n";
    write(&old, text);
    fs::set_permissions(&old, fs::Permissions::from_mode(0o755)).unwrap();
    ground.asked.program = old;
    assert_eq!(ground.since(&then, false).0.unwrap(), ground.told_by_git(&then));
}
