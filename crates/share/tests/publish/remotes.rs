//! Remotes that refuse, are gone, or never answer.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use segue_share::git::{Publication, PublishError, Pushed};

use crate::ground::{Clone, Ground, script};

#[test]
fn a_protected_branch_is_told_with_all_that_the_remote_said_h12() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    script(
        ground.origin().join("hooks/pre-receive"),
        "echo 'GH006: Protected branch update failed.' >&2\necho 'Changes must be made through a pull request.' >&2\nexit 1",
    );
    let refused = clone.publish("r1").unwrap_err();
    assert!(matches!(refused, PublishError::Rejected { .. }), "{refused:?}");
    let message = refused.to_string();
    for words in [
        "remote: GH006: Protected branch update failed.",
        "remote: Changes must be made through a pull request.",
        "pre-receive hook declined",
        "error: failed to push",
    ] {
        assert!(message.contains(words), "{words} in {message}");
    }
    assert_eq!(ground.commits_of(&clone.dir, "main", "r1"), 1, "what is committed stays");
}

#[test]
fn a_remote_that_is_not_there_has_its_kind() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    let publish = |remote: &str| {
        ground.git.publish(&Publication { remote, ..clone.publication("r1") }).unwrap_err()
    };
    let unknown = publish("upstream");
    assert!(matches!(unknown, PublishError::Config { .. }), "{unknown:?}");
    assert!(unknown.to_string().contains("'upstream' does not appear"), "{unknown}");
    let gone = publish("/nonexistent.git");
    assert!(matches!(gone, PublishError::Unreachable { .. }), "{gone:?}");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let closed = publish(&format!("git://{closed}/x.git"));
    assert!(matches!(closed, PublishError::Unreachable { .. }), "{closed:?}");
    assert!(closed.to_string().contains("Connection refused"), "{closed}");
    assert_eq!(ground.git.remotes(&clone.dir).unwrap(), ["origin"]);
}

#[test]
fn a_remote_that_never_answers_is_left_at_the_limit() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let remote = format!("git://{}/x.git", silent.local_addr().unwrap());
    let begun = Instant::now();
    let limit = Duration::from_secs(2);
    let publication = Publication { remote: &remote, limit, ..clone.publication("r1") };
    let late = ground.git.publish(&publication).unwrap_err();
    assert!(matches!(late, PublishError::TimedOut { .. }), "{late:?}");
    assert!(begun.elapsed() < Duration::from_secs(9));
    // The next one is not held up by the one that was ended.
    assert_eq!(clone.publish("r1").unwrap().pushed, Pushed::Done);
}

#[test]
fn credentials_are_never_told_and_nothing_asks_for_them_h12() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for user in ["user:hunter2", "hunter2"] {
        let remote = format!("http://{user}@{closed}/x.git");
        clone.git(&["config", "remote.secret.url", &remote]);
        for name in [remote.as_str(), "secret"] {
            let publication = Publication { remote: name, ..clone.publication("r1") };
            let failed = ground.git.publish(&publication).unwrap_err();
            assert!(!format!("{failed} {failed:?}").contains("hunter2"), "{failed:?}");
        }
    }
}

#[test]
fn the_users_ssh_command_is_used_and_ours_asks_nothing() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    let ssh = ground.dir.join("my-ssh");
    let seen = ground.dir.join("seen");
    script(&ssh, &format!("echo \"mine $*\" >> {}\nexit 255", seen.display()));
    // Stands for the system's ssh.
    script(ground.dir.join("bin/ssh"), &format!("echo \"$*\" >> {}\nexit 255", seen.display()));
    let mut git = ground.git.clone();
    let path = ground.dir.join("bin");
    script(
        ground.dir.join("git-with-ssh"),
        &format!("PATH={}:$PATH exec {} \"$@\"", path.display(), git.program.display()),
    );
    git.program = ground.dir.join("git-with-ssh");
    let publication = Publication { remote: "ssh://host.invalid/x", ..clone.publication("r1") };
    git.publish(&publication).unwrap_err();
    let said = std::fs::read_to_string(&seen).unwrap();
    assert!(said.lines().all(|line| line.contains("-oBatchMode=yes")), "{said}");
    std::fs::remove_file(&seen).unwrap();
    clone.git(&["config", "core.sshCommand", ssh.to_str().unwrap()]);
    git.publish(&publication).unwrap_err();
    let said = std::fs::read_to_string(&seen).unwrap();
    assert!(said.lines().all(|line| line.starts_with("mine ")), "{said}");
    clone.git(&["config", "--unset", "core.sshCommand"]);
    std::fs::remove_file(&seen).unwrap();
    script(
        ground.dir.join("git-with-ssh"),
        &format!("exec env GIT_SSH={} git \"$@\"", ssh.display()),
    );
    git.publish(&publication).unwrap_err();
    let said = std::fs::read_to_string(&seen).unwrap();
    assert!(said.lines().all(|line| line.starts_with("mine ")), "{said}");
}

#[test]
fn a_remote_that_says_again_and_again_that_it_is_busy_is_left_with_its_words() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    let count = ground.dir.join("count");
    script(
        ground.origin().join("hooks/pre-receive"),
        &format!("echo x >> {}\necho 'cannot lock ref: busy' >&2\nexit 1", count.display()),
    );
    let refused = clone.publish("r1").unwrap_err();
    assert!(matches!(refused, PublishError::Rejected { .. }), "{refused:?}");
    assert!(refused.to_string().contains("remote: cannot lock ref: busy"), "{refused}");
    assert_eq!(std::fs::read_to_string(count).unwrap().lines().count(), 6);
    assert_eq!(clone.git(&["log", "--merges", "--format=%H", "--all"]), "");
}

#[test]
fn a_branch_that_others_keep_moving_is_given_up_after_five_times() {
    let ground = Ground::new();
    let [a, other] = ["a", "b"].map(|name| Clone::new(&ground, name));
    a.note("one.md");
    // Somebody is faster each time.
    script(
        a.dir.join(".git/hooks/pre-push"),
        &format!(
            "unset GIT_DIR GIT_INDEX_FILE GIT_PREFIX; cd {} && git commit -q --allow-empty -m faster && git push -q origin main",
            other.dir.display()
        ),
    );
    let failed = a.publish("r1").unwrap_err();
    assert!(matches!(failed, PublishError::NonFastForward { .. }), "{failed:?}");
    std::fs::remove_file(a.dir.join(".git/hooks/pre-push")).unwrap();
    let published = a.publish("r1").unwrap();
    assert!(published.merged && published.pushed == Pushed::Done);
    assert_eq!(ground.run(&ground.origin(), &["rev-list", "--merges", "--count", "main"]), "1\n");
}

#[test]
fn an_old_git_says_that_it_cannot_merge() {
    let ground = Ground::new();
    let [a, b] = ["a", "b"].map(|name| Clone::new(&ground, name));
    a.note("one.md");
    a.publish("r1").unwrap();
    b.note("two.md");
    let old = ground.dir.join("old-git");
    script(
        &old,
        &format!(
            "case \"$*\" in *' version') echo git version 2.30.2;; *) exec {} \"$@\";; esac",
            ground.git.program.display()
        ),
    );
    let git = segue_share::git::Git { program: old, ..ground.git.clone() };
    let failed = git.publish(&b.publication("r2")).unwrap_err();
    assert!(matches!(failed, PublishError::Config { .. }), "{failed:?}");
    assert!(failed.to_string().contains("2.30.2") && failed.to_string().contains("git pull"));
}
