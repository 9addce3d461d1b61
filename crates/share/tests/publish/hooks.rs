//! Hooks, signatures, identities, and states in which nothing may be committed.

use segue_share::git::{Committed, Publication, PublishError};

use crate::ground::{Clone, Ground, put, script};

fn message(error: &PublishError) -> String {
    error.to_string()
}

#[test]
fn a_hook_that_refuses_is_told_in_its_own_words_and_leaves_all_as_it_was_h12() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    put(clone.dir.join("secret.env"), "KEY=1\n");
    clone.git(&["add", "secret.env"]);
    clone.note("one.md");
    let before = ground.state(&clone.dir);
    script(clone.dir.join(".git/hooks/pre-commit"), "echo first reason\necho second >&2\nexit 1");
    let refused = clone.publish("r1").unwrap_err();
    assert!(matches!(refused, PublishError::Other { .. }), "{refused:?}");
    assert!(message(&refused).contains("first reason\nsecond"), "{refused}");
    assert_eq!(ground.state(&clone.dir), before);
    script(clone.dir.join(".git/hooks/pre-commit"), "git diff --cached --name-only > .git/seen");
    clone.publish("r1").unwrap();
    let seen = std::fs::read_to_string(clone.dir.join(".git/seen")).unwrap();
    assert_eq!(seen, "memory/layer1/2026-11/one.md\n", "the hook sees what is committed only");
}

#[test]
fn a_hook_is_passed_by_only_where_nothing_is_checked_out_and_that_is_told() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    script(clone.dir.join(".git/hooks/pre-commit"), "exit 1");
    let published = clone.publish_to("handovers", "r1").unwrap();
    assert!(published.notes[0].contains("pre-commit"), "{:?}", published.notes);
}

#[test]
fn a_pre_push_hook_is_run() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    script(clone.dir.join(".git/hooks/pre-push"), "echo not on a friday >&2\nexit 1");
    let refused = clone.publish("r1").unwrap_err();
    assert!(message(&refused).contains("not on a friday"), "{refused}");
    assert!(!ground.tree(&ground.origin(), "main").iter().any(|path| path.contains("one.md")));
}

#[test]
fn a_user_who_signs_gets_signed_commits_or_an_error() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    let gpg = ground.dir.join("gpg");
    clone.git(&["config", "commit.gpgSign", "true"]);
    clone.git(&["config", "gpg.program", gpg.to_str().unwrap()]);
    script(&gpg, "cat >/dev/null\necho 'gpg: no secret key' >&2\nexit 2");
    clone.note("one.md");
    let before = ground.state(&clone.dir);
    for branch in ["main", "handovers"] {
        let refused = clone.publish_to(branch, "r1").unwrap_err();
        assert!(matches!(refused, PublishError::Config { .. }), "{refused:?}");
        assert!(message(&refused).contains("no secret key"), "{refused}");
        assert_eq!(ground.state(&clone.dir), before);
    }
    script(
        &gpg,
        "cat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\nprintf -- '-----BEGIN PGP SIGNATURE-----\\n\\nfake\\n-----END PGP SIGNATURE-----\\n'",
    );
    for branch in ["main", "handovers"] {
        let published = clone.publish_to(branch, "r1").unwrap();
        assert_eq!(published.committed, Committed::New);
        let commit = ground.run(&ground.origin(), &["cat-file", "commit", branch]);
        assert!(commit.contains("gpgsig -----BEGIN PGP SIGNATURE-----"), "{commit}");
    }
}

#[test]
fn without_an_identity_git_says_what_to_do() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.git(&["config", "--unset", "user.name"]);
    clone.git(&["config", "--unset", "user.email"]);
    clone.git(&["config", "user.useConfigOnly", "true"]);
    clone.note("one.md");
    for branch in ["main", "handovers"] {
        let refused = clone.publish_to(branch, "r1").unwrap_err();
        assert!(matches!(refused, PublishError::Config { .. }), "{refused:?}");
        assert!(message(&refused).contains("user.email"), "{refused}");
    }
    assert_eq!(clone.git(&["status", "--porcelain"]), "?? memory/\n");
}

#[test]
fn a_detached_head_needs_a_branch() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.git(&["checkout", "-q", "--detach"]);
    clone.note("one.md");
    let refused = clone.publish("r1").unwrap_err();
    assert!(message(&refused).contains("detached"), "{refused}");
    clone.publish_to("main", "r1").unwrap();
    assert!(ground.tree(&ground.origin(), "main").len() == 3);
}

#[test]
fn a_merge_of_the_user_is_not_concluded_for_them() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.git(&["checkout", "-qb", "other"]);
    put(clone.dir.join("code.rs"), "other\n");
    clone.git(&["commit", "-qam", "other"]);
    clone.git(&["checkout", "-q", "main"]);
    clone.git(&["merge", "-q", "--no-ff", "--no-commit", "other"]);
    clone.note("one.md");
    let before = ground.state(&clone.dir);
    let refused = clone.publish("r1").unwrap_err();
    assert!(matches!(refused, PublishError::Config { .. }), "{refused:?}");
    assert!(message(&refused).contains("a merge is going on"), "{refused}");
    assert_eq!(ground.state(&clone.dir), before);
    clone.publish_to("handovers", "r1").unwrap();
    assert!(clone.dir.join(".git/MERGE_HEAD").exists());
}

#[test]
fn the_first_commit_of_a_repository_can_be_a_publication() {
    let ground = Ground::new();
    ground.run(&ground.dir, &["init", "-q", "-b", "main", "young"]);
    ground.run(&ground.dir, &["init", "-q", "--bare", "young.git"]);
    let clone = Clone::of(&ground, ground.dir.join("young"));
    clone.git(&["config", "user.name", "y"]);
    clone.git(&["config", "user.email", "y@example.org"]);
    put(clone.dir.join("staged.txt"), "staged\n");
    clone.git(&["add", "staged.txt"]);
    clone.note("one.md");
    let publish = |run: &str| {
        ground
            .git
            .publish(&Publication { remote: "../young.git", ..clone.publication(run) })
            .unwrap()
    };
    assert_eq!(publish("r1").committed, Committed::New);
    assert_eq!(
        ground.tree(&ground.dir.join("young.git"), "main"),
        ["memory/layer1/2026-11/one.md"]
    );
    assert_eq!(clone.git(&["status", "--porcelain"]), "A  staged.txt\n");
    assert_eq!(publish("r2").committed, Committed::NothingNew);
}

#[test]
fn an_index_that_is_busy_is_waited_for() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    let lock = clone.dir.join(".git/index.lock");
    put(&lock, "");
    let free = std::thread::spawn({
        let lock = lock.clone();
        move || {
            std::thread::sleep(std::time::Duration::from_millis(300));
            std::fs::remove_file(lock).unwrap();
        }
    });
    assert_eq!(clone.publish("r1").unwrap().committed, Committed::New);
    free.join().unwrap();
    put(&lock, "");
    clone.note("two.md");
    let refused = clone.publish("r2").unwrap_err();
    assert!(message(&refused).contains("index.lock"), "{refused}");
}

#[test]
fn a_hook_that_never_ends_is_ended_and_leaves_no_lock() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    let before = ground.state(&clone.dir);
    script(clone.dir.join(".git/hooks/pre-commit"), "sleep 30");
    let limit = std::time::Duration::from_secs(3);
    let begun = std::time::Instant::now();
    let late = ground.git.publish(&Publication { limit, ..clone.publication("r1") }).unwrap_err();
    assert!(matches!(late, PublishError::TimedOut { .. }), "{late:?}");
    assert!(begun.elapsed() < std::time::Duration::from_secs(12));
    assert_eq!(ground.state(&clone.dir), before);
    script(clone.dir.join(".git/hooks/pre-commit"), "exit 0");
    assert_eq!(clone.publish("r1").unwrap().committed, Committed::New);
}
