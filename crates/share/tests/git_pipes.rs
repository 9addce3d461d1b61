//! Pipes among git's own files: whoever opened one would wait for ever.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use segue_share::git::{Discovery, look};

/// Longer than any machine is busy.
const EVER: Duration = Duration::from_secs(60);

fn ran(program: &str, args: &[&str], dir: &Path) {
    let done = Command::new(program).args(args).current_dir(dir).output().unwrap();
    assert!(done.status.success(), "{program} {args:?}");
}

fn repo() -> (tempfile::TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let dir = fs::canonicalize(temp.path()).unwrap().join("repo");
    fs::create_dir_all(dir.join("sub")).unwrap();
    ran("git", &["init", "-q", "-b", "main"], &dir);
    let commit = ["-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q"];
    ran("git", &[&commit[..], &["--allow-empty", "-m", "first"]].concat(), &dir);
    (temp, dir)
}

/// What a directory is to git, with everything that is read of it.
fn looked_at(dir: PathBuf) -> Discovery {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let found = look(&dir);
        if let Some(repo) = found.repo() {
            let _ = (repo.branch(), repo.head(), repo.is_unborn(), repo.is_own());
        }
        let _ = send.send(found);
    });
    receive.recv_timeout(EVER).unwrap()
}

#[test]
fn a_pipe_or_a_device_among_gits_files_is_never_opened() {
    for name in [
        "HEAD",
        "commondir",
        "config",
        "config.worktree",
        "packed-refs",
        "shallow",
        "index",
        "gitdir",
        "objects/info/alternates",
        "refs/heads/main",
    ] {
        for link in [false, true] {
            let (_temp, dir) = repo();
            let file = dir.join(".git").join(name);
            let _ = fs::remove_file(&file);
            match link {
                false => ran("mkfifo", &[file.to_str().unwrap()], &dir),
                true => std::os::unix::fs::symlink("/dev/zero", &file).unwrap(),
            }
            // Git would wait, too: nobody asks it.
            for dir in [dir.clone(), dir.join("sub")] {
                let found = looked_at(dir);
                assert!(matches!(found, Discovery::Broken(_)), "{name} {link}: {found:?}");
            }
        }
    }
    let (_temp, dir) = repo();
    assert!(looked_at(dir).repo().is_some());
}

#[test]
fn a_pipe_that_is_called_git_is_no_repository() {
    let (_temp, dir) = repo();
    fs::remove_dir_all(dir.join(".git")).unwrap();
    ran("mkfifo", &[".git"], &dir);
    for dir in [dir.clone(), dir.join("sub")] {
        let found = looked_at(dir);
        assert!(matches!(found, Discovery::Broken(_)), "{found:?}");
    }
}
