//! The memory that a repository carries: made, passed on by git, trusted, used.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ground::{TestEnv, files_below, put};

/// A repository that carries its memory, with one handoff in it, committed.
pub(crate) fn sharing(env: &TestEnv) -> PathBuf {
    let repo = env.repo("app");
    env.segue(&["init", "--shared"]).dir(&repo).run();
    save(env, &repo, "left in the repository");
    commit(env, &repo);
    repo
}

pub(crate) fn commit(env: &TestEnv, repo: &Path) {
    env.git(repo, &["add", "-A"]);
    env.git(repo, &["commit", "-qm", "handoffs"]);
}

pub(crate) fn clone(env: &TestEnv, from: &Path, name: &str) -> PathBuf {
    let to = env.beside(name);
    env.git(from, &["clone", "-q", from.to_str().unwrap(), to.to_str().unwrap()]);
    to
}

pub(crate) fn save(env: &TestEnv, dir: &Path, title: &str) -> String {
    let ran = env.segue(&["save", "--title", title]).real_randomness().dir(dir).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout.trim().to_owned()
}

pub(crate) fn trust(env: &TestEnv, dir: &Path) -> String {
    let ran = env.segue(&["trust"]).dir(dir).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

/// Another user, who has nothing but what git brings.
pub(crate) fn newcomer(env: &TestEnv) -> PathBuf {
    env.beside("other-home/segue")
}

/// The files of layer 1 in a repository.
pub(crate) fn carried(repo: &Path) -> Vec<PathBuf> {
    files_below(&repo.join(".segue/layer1"))
}

#[test]
fn a_handoff_travels_with_the_repository() {
    let env = TestEnv::new();
    let repo = sharing(&env);
    let names: Vec<String> = files_below(&repo.join(".segue"))
        .iter()
        .map(|path| path.strip_prefix(&repo).unwrap().display().to_string())
        .collect();
    assert_eq!(names.len(), 4, "{names:?}");
    assert_eq!(
        fs::read_to_string(repo.join(".segue/project.toml")).unwrap(),
        "segue = 1\nlabel = \"app\"\n"
    );
    assert!(!env.git(&repo, &["ls-files"]).contains("layer2"), "layer 2 is derived");
    let clone = clone(&env, &repo, "clone");
    let other = newcomer(&env);
    let segue = |args: &[&str]| env.segue(args).dir(&clone).env("SEGUE_HOME", &other).run();
    let before = segue(&["resume"]);
    assert!(!before.stdout.contains("left in the repository"), "{}", before.stdout);
    assert_eq!(
        before.stderr,
        "the repository brings .segue/ with 1 handoff, untrusted; 'segue trust' uses them\n"
    );
    let said = segue(&["trust"]).stdout;
    assert_eq!(
        said,
        "Trusted: $ROOT/clone\n  .segue/ with 1 handoff: briefings come from it, new handoffs are written into it\n  \
         plans in the repository may run their commands\n"
    );
    let after = segue(&["resume"]);
    assert!(after.stdout.contains("left in the repository"), "{}", after.stdout);
    assert_eq!(after.stderr, "");
    segue(&["save", "--title", "left in the clone"]);
    assert_eq!(carried(&clone).len(), 2);
    commit(&env, &clone);
    env.git(&repo, &["pull", "-q", clone.to_str().unwrap(), "main"]);
    let list = env.segue(&["list"]).dir(&repo).ok();
    assert!(list.contains("left in the clone") && list.lines().count() == 3, "{list}");
}

#[test]
fn everything_that_saves_here_writes_there() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    let own = save(&env, &repo, "before it was shared");
    env.segue(&["init", "--shared"]).dir(&repo).run();
    let sub = env.dir("app/sub");
    save(&env, &sub, "saved");
    assert_eq!(carried(&repo).len(), 1);
    put(&repo.join("b.txt"), "b");
    for args in [&["snapshot"][..], &["edit", &own, "--title", "edited"]] {
        let ran = env.segue(args).real_clock().dir(&repo).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    assert_eq!(carried(&repo).len(), 3);
    put(&repo.join("c.txt"), "c");
    let auto = env.segue(&["auto"]).real_clock().dir(&repo).run();
    assert_eq!(auto.code, 0, "{}", auto.stderr);
    assert_eq!(carried(&repo).len(), 4);
    // Nothing but what it wrote itself is new.
    env.segue(&["auto"]).real_clock().dir(&repo).run();
    assert_eq!(carried(&repo).len(), 4);
    assert_eq!(env.handoff_files().len(), 1, "what was there stays where it was");
    let list = env.segue(&["list", "--all"]).dir(&repo).ok();
    assert_eq!(list.lines().count(), 6, "{list}");
    env.delete_index();
    assert_eq!(env.segue(&["list", "--all"]).dir(&repo).ok(), list);
    // A label is another memory.
    env.segue(&["save", "--title", "filed", "--project", "notes"]).real_clock().dir(&repo).ok();
    assert_eq!((carried(&repo).len(), env.handoff_files().len()), (4, 2));
}

#[test]
fn the_memory_never_counts_as_a_change() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    env.segue(&["init", "--shared"]).dir(&repo).run();
    put(&repo.join("src/lib.rs"), "fn main() {}");
    commit(&env, &repo);
    let body = "## Checks\n- `cargo test` *(observed: exit 0)*\n";
    env.segue(&["save", "--title", "t"]).stdin(body).real_clock().dir(&repo).ok();
    let text = fs::read_to_string(&carried(&repo)[0]).unwrap();
    assert!(!text.contains("changed:"), "{text}");
    commit(&env, &repo);
    let id = save(&env, &repo, "again");
    let json = env.segue(&["list", "--json", "--id", &id]).dir(&repo).ok();
    assert!(json.contains("\"changed\": []"), "{json}");
    // Committed and not: neither is a reason to doubt anything.
    let of_checks = env.segue(&["list", "--query", "t", "--json"]).dir(&repo).ok();
    let first = of_checks.lines().rfind(|line| line.contains("\"short\"")).unwrap();
    let first = first.split('"').nth(3).unwrap();
    let briefing = env.segue(&["resume", "--id", first]).real_clock().dir(&repo).ok();
    assert!(!briefing.contains(".segue") && !briefing.contains("Verify first"), "{briefing}");
    assert!(briefing.contains("nothing uncommitted"), "{briefing}");
    let snapshot = env.segue(&["snapshot", "--stdout"]).real_clock().dir(&repo).ok_with_talk();
    assert!(!snapshot.contains(".segue"), "{snapshot}");
}

#[test]
fn init_shared_is_said_as_often_as_one_likes() {
    let env = TestEnv::new();
    let repo = sharing(&env);
    put(&repo.join(".segue/.gitignore"), "mine\n");
    let ran = env.segue(&["init", "--shared", "--json"]).dir(&repo).run();
    assert!(ran.stdout.contains("\"created\": []"), "{}", ran.stdout);
    assert_eq!(fs::read_to_string(repo.join(".segue/.gitignore")).unwrap(), "mine\n");
    assert_eq!(carried(&repo).len(), 1);
    let error = env.segue(&["init", "--shared"]).fails(64);
    assert_eq!(
        error,
        "error: $ROOT/work is not in a work tree of git\nhint: 'git init' makes one\n"
    );
    env.segue(&["trust"]).fails(64);
    env.segue(&["trust", "nowhere"]).fails(66);
    env.segue(&["init", "--shared", "--force"]).dir(&repo).fails(64);
}

#[test]
fn what_expires_is_archived_in_the_repository() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    env.segue(&["init", "--shared"]).dir(&repo).run();
    env.segue(&["save", "--title", "short-lived", "--ttl", "1h"]).dir(&repo).ok();
    commit(&env, &repo);
    let other = clone(&env, &repo, "other");
    trust(&env, &other);
    let late = "2027-01-01T00:00:00Z";
    assert!(env.segue(&["gc"]).at(late).run().stdout.contains("Archived 2"), "one in each clone");
    for repo in [&repo, &other] {
        assert_eq!(carried(repo), Vec::<PathBuf>::new());
        assert_eq!(files_below(&repo.join(".segue/layer3")).len(), 1);
    }
    let list = env.segue(&["list", "--expired"]).at(late).dir(&repo).ok();
    assert_eq!(list.lines().count(), 2, "{list}");
    let id = list.lines().nth(1).unwrap().split('\t').next().unwrap().to_owned();
    assert!(env.segue(&["show", &id, "--raw"]).dir(&repo).run().stdout.contains("short-lived"));
}

#[test]
fn trust_is_taken_back_and_nothing_is_deleted() {
    let env = TestEnv::new();
    let repo = sharing(&env);
    let id = save(&env, &repo, "second");
    let dry = env.segue(&["trust", "--remove", "--dry-run"]).dir(&repo).ok();
    assert!(dry.starts_with("Would no longer trust $ROOT/app\n"), "{dry}");
    assert_eq!(env.segue(&["list"]).dir(&repo).ok().lines().count(), 3);
    let removed = env.segue(&["trust", "--remove"]).dir(&repo).ok();
    assert_eq!(
        removed,
        "No longer trusted: $ROOT/app\n  .segue/ with 2 handoffs stays as it is, and is neither read nor written\n"
    );
    let list = env.segue(&["list"]).dir(&repo).run();
    assert_eq!(
        (list.stdout.as_str(), list.stderr.lines().next().unwrap()),
        ("", "the repository brings .segue/ with 2 handoffs, untrusted; 'segue trust' uses them")
    );
    env.segue(&["show", &id]).dir(&repo).fails(66);
    save(&env, &repo, "at home");
    assert_eq!((carried(&repo).len(), env.handoff_files().len()), (2, 1));
    assert!(
        env.segue(&["trust", "--remove"]).dir(&repo).ok().starts_with("Not trusted, as before")
    );
    trust(&env, &repo);
    assert_eq!(env.segue(&["list"]).dir(&repo).ok().lines().count(), 4);
}

#[test]
fn what_is_trusted_is_listed() {
    let env = TestEnv::new();
    assert_eq!(env.segue(&["trust", "--list"]).run().stderr, "no repository is trusted\n");
    let repo = sharing(&env);
    let plain = env.repo("plain");
    let dry = env.segue(&["trust", "--dry-run"]).dir(&plain).ok();
    assert!(dry.contains("it carries no handoffs"), "{dry}");
    assert_eq!(env.segue(&["trust", "--list"]).ok(), "$ROOT/app, since 2026-11-15T17:45:00Z\n");
    env.segue(&["trust", plain.to_str().unwrap()]).ok();
    fs::rename(&repo, env.beside("moved")).unwrap();
    assert_eq!(
        env.segue(&["trust", "--list"]).ok(),
        "$ROOT/app, since 2026-11-15T17:45:00Z, another one lies there now, or none: not trusted\n\
         $ROOT/plain, since 2026-11-15T17:45:00Z\n"
    );
    let json = env.segue(&["trust", "--list", "--json"]).ok();
    assert!(json.contains("\"state\": \"changed\"") && json.contains("\"state\": \"trusted\""));
    env.segue(&["trust", "--remove", repo.to_str().unwrap()]).ok();
    assert_eq!(env.segue(&["trust", "--list"]).ok().lines().count(), 1);
}

#[test]
fn two_clones_have_one_handoff() {
    let env = TestEnv::new();
    let repo = sharing(&env);
    let (b, c) = (clone(&env, &repo, "b"), clone(&env, &repo, "c"));
    trust(&env, &b);
    trust(&env, &c);
    let list = env.segue(&["list"]).dir(&repo).ok();
    assert_eq!(list.lines().count(), 2, "{list}");
    assert_eq!(env.segue(&["list", "--all-projects"]).dir(&b).ok(), list);
    assert_eq!(env.segue(&["list", "--limit", "5"]).dir(&b).ok(), list);
    let id = list.lines().nth(1).unwrap().split('\t').next().unwrap().to_owned();
    for word in [&id[..], &id[..5]] {
        env.segue(&["show", word]).dir(&b).ok();
    }
    assert!(env.segue(&["show", "--name", "x"]).dir(&env.dir("e")).run().code == 66);
    env.segue(&["forget", "--yes", &id]).dir(&b).run();
    for repo in [&repo, &b, &c] {
        assert_eq!(carried(repo), Vec::<PathBuf>::new());
        assert!(!repo.join(".segue/layer2/current-state.md").exists());
    }
    // Git still has it: a forgotten one that comes back is not shown.
    env.git(&c, &["checkout", "-q", "."]);
    assert_eq!(carried(&c).len(), 1);
    for dir in [&repo, &c] {
        let listed = env.segue(&["list", "--expired"]).dir(dir).run();
        assert_eq!(listed.stdout, "", "{}", listed.stdout);
        assert!(!env.segue(&["resume"]).dir(dir).run().stdout.contains("left in the repository"));
    }
    env.segue(&["show", &id]).dir(&c).fails(66);
    env.delete_index();
    env.segue(&["show", &id]).dir(&c).fails(66);
    // Nor in a clone that comes later.
    let d = clone(&env, &repo, "d");
    trust(&env, &d);
    assert_eq!(env.segue(&["list"]).dir(&d).run().stdout, "");
}

#[test]
fn worktrees_of_a_trusted_repository_are_trusted() {
    let env = TestEnv::new();
    let repo = sharing(&env);
    let side = env.beside("side");
    env.git(&repo, &["worktree", "add", "-q", side.to_str().unwrap()]);
    let list = env.segue(&["list"]).dir(&side).ok();
    assert!(list.contains("left in the repository") && list.lines().count() == 2, "{list}");
    save(&env, &side, "left in the worktree");
    assert_eq!((carried(&side).len(), carried(&repo).len()), (2, 1));
    assert_eq!(env.segue(&["list"]).dir(&repo).ok().lines().count(), 3);
    // Another repository where the worktree was is another.
    fs::remove_dir_all(&side).unwrap();
    let other = env.repo("other");
    put(&other.join(".segue/project.toml"), "segue = 1\nlabel = \"x\"\n");
    let one = carried(&repo)[0].clone();
    let text = fs::read_to_string(&one).unwrap().replace("left in the repository", "poison");
    let place = one.strip_prefix(&repo).unwrap();
    put(&other.join(place), text.replace("20", "21"));
    commit(&env, &other);
    clone(&env, &other, "side");
    for dir in [&repo, &side] {
        let ran = env.segue(&["list", "--all-projects"]).dir(dir).run();
        assert!(!ran.stdout.contains("poison"), "{}", ran.stdout);
    }
    env.segue(&["trust", "--remove"]).dir(&repo).ok();
    env.git(&repo, &["worktree", "prune"]);
    let again = env.beside("again");
    env.git(&repo, &["worktree", "add", "-q", again.to_str().unwrap()]);
    let ran = env.segue(&["list"]).dir(&again).run();
    assert!(ran.stderr.contains("untrusted"), "{}", ran.stderr);
}

#[test]
fn reading_in_a_new_worktree_attaches_nothing_and_finds_what_only_that_has() {
    let env = TestEnv::new();
    let repo = sharing(&env);
    env.git(&repo, &["checkout", "-qb", "extra"]);
    let id = save(&env, &repo, "only on the branch");
    commit(&env, &repo);
    env.git(&repo, &["checkout", "-q", "main"]);
    let side = env.beside("side");
    env.git(&repo, &["worktree", "add", "-q", side.to_str().unwrap(), "extra"]);
    let known = || {
        let mut files = files_below(&env.home.join("projects"));
        files.retain(|path| path.ends_with("project.toml"));
        files.into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect::<Vec<_>>()
    };
    let before = known();
    let list = env.segue(&["list"]).dir(&side).ok();
    assert!(list.contains("only on the branch") && list.lines().count() == 3, "{list}");
    for args in [&["show", "--raw", &id][..], &["resume"], &["search", "branch"]] {
        let ran = env.segue(args).dir(&side).run();
        assert!(ran.stdout.contains("only on the branch"), "{args:?} {}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(known(), before);
    // Who changes something there makes it known.
    assert_eq!(env.segue(&["forget", &id, "--yes"]).dir(&side).run().code, 0);
    assert_eq!((carried(&side).len(), known().len()), (1, before.len() + 1));
}

#[test]
fn a_moved_repository_needs_a_word() {
    let env = TestEnv::new();
    let repo = sharing(&env);
    let moved = env.beside("moved");
    fs::rename(&repo, &moved).unwrap();
    let ran = env.segue(&["list"]).dir(&moved).run();
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("untrusted; 'segue trust' uses them"), "{}", ran.stderr);
    trust(&env, &moved);
    assert_eq!(env.segue(&["list"]).dir(&moved).ok().lines().count(), 2);
    save(&env, &moved, "after the move");
    assert_eq!(carried(&moved).len(), 2);
    let doctor = env.segue(&["doctor"]).dir(&moved).ok();
    assert!(!doctor.contains("warn"), "what is gone is no trouble: {doctor}");
    let other = env.repo("app");
    put(&other.join(".segue/project.toml"), "segue = 1\nlabel = \"x\"\n");
    let doctor = env.segue(&["doctor"]).dir(&moved).ok();
    assert!(
        doctor.contains("$ROOT/app/.segue is not what was trusted, and is not used"),
        "{doctor}"
    );
}

#[test]
fn projects_show_where_their_memories_lie() {
    let env = TestEnv::new();
    let repo = sharing(&env);
    let list = env.segue(&["project", "list"]).dir(&repo).ok();
    assert!(list.contains("    memory   $ROOT/app/.segue (1 handoff)\n"), "{list}");
    assert_eq!(list.lines().filter(|line| !line.starts_with("    ")).count(), 1);
    let json = env.segue(&["project", "list", "--json"]).dir(&repo).ok();
    assert!(json.contains("\"path\": \"$ROOT/app/.segue\""), "{json}");
    // By label from elsewhere, by the memory's own name, and split off with its directory.
    let json = env.segue(&["list", "--json"]).dir(&repo).ok();
    let memory = json.lines().find(|line| line.contains("\"project_id\"")).unwrap();
    let memory = memory.split('"').nth(3).unwrap();
    for project in ["app", memory] {
        assert_eq!(env.segue(&["list", "--project", project]).ok().lines().count(), 2, "{project}");
    }
    let other = clone(&env, &repo, "other");
    trust(&env, &other);
    save(&env, &other, "only there");
    env.segue(&["project", "split", "--label", "mine"]).dir(&other).run();
    assert_eq!(env.segue(&["list"]).dir(&other).ok().lines().count(), 3);
    assert!(!env.segue(&["list"]).dir(&repo).ok().contains("only there"));
}
