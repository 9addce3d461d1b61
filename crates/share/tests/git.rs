//! Real git, real repositories, among them hostile ones.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use segue_share::git::{Beginning, Git, GitError, discover};
use tempfile::TempDir;

fn git(dir: &Path, args: &[&str]) {
    let status = Command::new("git")
        .arg("-C")
        .arg(dir)
        .args([
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.org",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(args)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(status.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&status.stderr));
}

fn put(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = fs::File::create(path).unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
}

fn repo() -> (TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let dir = fs::canonicalize(temp.path()).unwrap().join("repo");
    fs::create_dir(&dir).unwrap();
    git(&dir, &["init", "-q"]);
    put(dir.join("a.txt"), "one\n");
    put(dir.join("sub/b.txt"), "two\n");
    git(&dir, &["add", "."]);
    git(&dir, &["commit", "-qm", "first"]);
    (temp, dir)
}

fn asked() -> Git {
    Git { program: "git".into(), deadline: Duration::from_secs(10) }
}

#[test]
fn status_of_a_sub_directory_lists_only_what_is_below_it_s17() {
    let (_temp, dir) = repo();
    put(dir.join("a.txt"), "changed\n");
    put(dir.join("sub/new.txt"), "new\n");
    let found = discover(&dir.join("sub")).unwrap();
    assert_eq!(found.top, dir);
    let status = asked().status(&dir.join("sub"), &found).unwrap();
    assert_eq!(status.changed(), ["sub/new.txt"]);
    assert_eq!(status.branch.as_deref(), Some("main"));
    assert_eq!(status.head.map(|head| head.len()), Some(40));
    git(&dir, &["mv", "sub/b.txt", "sub/c.txt"]);
    let status = asked().status(&dir, &found).unwrap();
    assert_eq!(status.changed(), ["a.txt", "sub/b.txt -> sub/c.txt", "sub/new.txt"]);
}

#[test]
fn a_worktree_shares_the_common_directory() {
    let (_temp, dir) = repo();
    git(&dir, &["worktree", "add", "-q", "../side"]);
    let main = discover(&dir).unwrap();
    let side = discover(&dir.parent().unwrap().join("side")).unwrap();
    assert_eq!(main.common_dir, side.common_dir);
    assert_eq!((main.worktree.as_str(), side.worktree.as_str()), ("main", "side"));
}

fn root_of(dir: &Path) -> String {
    let beginning = asked().beginning(dir, &discover(dir).unwrap()).unwrap();
    let root = match beginning {
        Beginning::Root(root) => Some(root),
        Beginning::CutOff | Beginning::Unborn => None,
    };
    root.unwrap()
}

#[test]
fn a_main_line_begins_with_its_root_unless_it_is_cut_off_or_has_no_commit() {
    let (_temp, dir) = repo();
    let root = root_of(&dir);
    assert_eq!(root.len(), 40);
    git(&dir, &["commit", "-q", "--allow-empty", "-m", "second"]);
    assert_eq!(root_of(&dir), root);
    let parent = dir.parent().unwrap();
    let url = format!("file://{}", dir.display());
    git(parent, &["clone", "-q", "--depth", "1", &url, "shallow"]);
    let shallow = parent.join("shallow");
    let found = discover(&shallow).unwrap();
    assert_eq!(asked().beginning(&shallow, &found).unwrap(), Beginning::CutOff);
    git(&shallow, &["fetch", "-q", "--unshallow"]);
    assert_eq!(root_of(&shallow), root);
    // Whoever only says so is not cut off.
    put(dir.join(".git/shallow"), &format!("{root}\n"));
    assert_eq!(root_of(&dir), root);
    git(parent, &["init", "-q", "empty"]);
    let empty = parent.join("empty");
    let found = discover(&empty).unwrap();
    assert_eq!(asked().beginning(&empty, &found).unwrap(), Beginning::Unborn);
    put(empty.join(".git/refs/heads/main"), "4b825dc642cb6eb9a060e54bf8d69288fbee4904\n");
    git(&empty, &["symbolic-ref", "HEAD", "refs/heads/main"]);
    assert!(asked().beginning(&empty, &found).is_err(), "what it names is not there");
    assert!(asked().origin(&shallow).unwrap().unwrap().starts_with("file://"));
    assert_eq!(asked().origin(&dir).unwrap(), None);
}

#[test]
fn a_replaced_commit_is_no_root() {
    let (_temp, dir) = repo();
    let root = root_of(&dir);
    git(&dir, &["commit", "-q", "--allow-empty", "-m", "second"]);
    git(&dir, &["checkout", "-q", "--orphan", "other"]);
    git(&dir, &["commit", "-q", "-m", "another first"]);
    let other = root_of(&dir);
    assert_ne!(other, root);
    git(&dir, &["replace", "--graft", &other, &root]);
    assert_eq!(root_of(&dir), other);
}

#[test]
fn a_work_tree_is_own_only_where_its_repository_knows_it() {
    let (_temp, dir) = repo();
    let parent = dir.parent().unwrap();
    let own = |dir: &Path| discover(dir).unwrap().is_own();
    assert!(own(&dir));
    git(&dir, &["worktree", "add", "-q", "../side"]);
    assert!(own(&parent.join("side")));
    let allow = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    git(&parent.join("side"), &[&allow[..], &[&dir.display().to_string(), "part"]].concat());
    assert!(own(&parent.join("side/part")));
    fs::create_dir(parent.join("claims")).unwrap();
    for named in ["a/.git", "a/.git/worktrees/side", "a/.git/worktrees/side/modules/part"] {
        let named = named.replacen('a', &dir.file_name().unwrap().to_string_lossy(), 1);
        put(parent.join("claims/.git"), &format!("gitdir: ../{named}\n"));
        assert!(!own(&parent.join("claims")), "{named}");
    }
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let (_temp, dir) = repo();
    let mark = dir.parent().unwrap().join("was-run");
    let evil = dir.parent().unwrap().join("evil.sh");
    put(evil.clone(), &format!("#!/bin/sh\ntouch {}\ncat\n", mark.display()));
    #[cfg(unix)]
    fs::set_permissions(&evil, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let evil = evil.display().to_string();
    git(&dir, &["config", "core.fsmonitor", &evil]);
    git(&dir, &["config", "filter.evil.clean", &evil]);
    git(&dir, &["config", "filter.evil.required", "true"]);
    put(dir.join(".git/info/attributes"), "* filter=evil\n");
    put(
        dir.join(".git/hooks/post-index-change"),
        &format!("#!/bin/sh\ntouch {}\n", mark.display()),
    );
    put(dir.join("a.txt"), "two\n");
    // The control: plain git runs them.
    Command::new("git").arg("-C").arg(&dir).arg("status").output().unwrap();
    assert!(mark.exists(), "the trap is not armed");
    fs::remove_file(&mark).unwrap();
    let found = discover(&dir).unwrap();
    let status = asked().status(&dir, &found).unwrap();
    asked().origin(&dir).unwrap();
    asked().beginning(&dir, &found).unwrap();
    assert!(!mark.exists(), "the repository's own program was run");
    assert_eq!(status.changed(), ["a.txt"]);
}

#[test]
fn a_broken_repository_is_an_error_not_a_clean_tree() {
    let (_temp, dir) = repo();
    put(dir.join(".git/index"), "garbage");
    let found = discover(&dir).unwrap();
    assert!(matches!(asked().status(&dir, &found), Err(GitError::Failed { .. })));
}

#[test]
fn a_git_that_hangs_is_left_behind() {
    let (_temp, dir) = repo();
    let slow = dir.parent().unwrap().join("slow-git");
    put(slow.clone(), "#!/bin/sh\nexec sleep 20\n");
    #[cfg(unix)]
    fs::set_permissions(&slow, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let git = Git { program: slow, deadline: Duration::from_millis(200) };
    let begun = std::time::Instant::now();
    assert!(matches!(git.origin(&dir), Err(GitError::TimedOut { .. })));
    assert!(begun.elapsed() < Duration::from_secs(5));
    let none = Git { program: "/nonexistent/git".into(), ..git };
    assert!(matches!(none.origin(&dir), Err(GitError::NotInstalled)));
}

#[test]
fn a_bare_repository_is_no_work_tree() {
    let (_temp, dir) = repo();
    let parent = dir.parent().unwrap();
    git(parent, &["clone", "-q", "--bare", dir.to_str().unwrap(), "bare.git"]);
    assert_eq!(discover(&parent.join("bare.git")).map(|repo| repo.top), None);
}
