//! A captured session keeps its own time and place, whenever and wherever it is captured.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::capture::{assistant, result, says, session, user, worked};
use crate::ground::{TestEnv, put};

const LONG_AGO: &str = "2026-10-11T09:30:00.000Z";
const JUST_NOW: &str = "2026-11-15T17:40:00.000Z";

/// Records with a time and a branch of their own.
fn dated(records: Vec<Value>, at: &str, branch: &str) -> Vec<Value> {
    let dated = |mut record: Value| {
        record["timestamp"] = json!(at);
        record["gitBranch"] = json!(branch);
        record
    };
    records.into_iter().map(dated).collect()
}

/// What an agent did that committed its work, as git printed it.
fn committed(cwd: &Path, id: &str) -> Vec<Value> {
    let commit = json!({"type": "tool_use", "id": "c1", "name": "Bash",
        "input": {"command": "git commit -am 'Round half up'"}});
    let edit = json!({"type": "tool_use", "id": "e1", "name": "Edit",
        "input": {"file_path": cwd.join("src/round.rs"), "old_string": "a", "new_string": "b"}});
    vec![
        user("Round half up, and commit it."),
        assistant(&commit),
        result("c1", &format!("[main {id}] Round half up\n 1 file changed"), false),
        assistant(&edit),
        result("e1", "updated", false),
        says("Committed. Next, I will round the discounts."),
    ]
}

struct Shop {
    env: TestEnv,
    repo: PathBuf,
}

impl Shop {
    fn new() -> Self {
        let env = TestEnv::new();
        let repo = env.repo("shop");
        Self { env, repo }
    }

    fn session(&self, id: &str, records: Vec<Value>, at: &str, branch: &str) -> PathBuf {
        session(&self.env, &self.repo, id, &dated(records, at, branch))
    }

    fn ok(&self, args: &[&str]) -> String {
        self.env.segue(args).dir(&self.repo).ok()
    }

    /// The file that capturing a session leaves.
    fn captured(&self, args: &[&str]) -> String {
        let id = self.env.segue(args).dir(&self.repo).ok_with_talk();
        self.ok(&["show", "--raw", id.trim()])
    }

    fn saved(&self, title: &str, at: &str) {
        let args = ["save", "--title", title, "--summary", "What was left."];
        self.env.segue(&args).dir(&self.repo).at(at).ok();
    }
}

fn line(text: &str, key: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))?;
    Some(value.replace('"', ""))
}

#[test]
fn a_session_of_five_weeks_ago_is_dated_then_wherever_it_is_captured() {
    let shop = Shop::new();
    let path = shop.session("5e55-10", worked(&shop.repo), LONG_AGO, "feature/basket");
    shop.env.git(&shop.repo, &["checkout", "-qb", "another"]);
    put(&shop.repo.join("a.txt"), "changed today");
    for (args, seed) in [
        (vec!["snapshot", "--session", "5e55-10"], "1"),
        (vec!["snapshot", "--from", path.to_str().unwrap()], "2"),
    ] {
        let id = shop.env.segue(&args).dir(&shop.repo).seed(seed).ok_with_talk();
        assert!(id.trim().len() == 8, "{id}");
        let text = shop.ok(&["show", "--raw", id.trim()]);
        assert!(line(&text, "created").unwrap().starts_with("2026-10-11T09:30:00.0000"), "{text}");
        assert!(line(&text, "id").unwrap().starts_with("20261011-093000-"), "{text}");
        assert_eq!(line(&text, "captured").as_deref(), Some("2026-11-15T17:45:00Z"), "{text}");
        assert_eq!(line(&text, "git").as_deref(), Some("{branch: feature/basket}"), "{text}");
        assert_eq!(
            line(&text, "saved_from").as_deref(),
            Some("{dir: ., worktree: main}"),
            "{text}"
        );
        assert_eq!(line(&text, "changed").as_deref(), Some("[src/basket.rs]"), "{text}");
        for today in ["## Observed", "Recent Commits", "Uncommitted", "another", "first"] {
            assert!(!text.contains(today), "{today}\n{text}");
        }
        let files = shop.env.handoff_files();
        assert!(files.iter().all(|file| file.to_string_lossy().contains("/2026-10/")), "{files:?}");
    }
    let listed = shop.ok(&["list"]);
    assert!(listed.contains("2026-10-11T09:30:00Z") && !listed.contains("2026-11-15"), "{listed}");
    let json: Value = serde_json::from_str(&shop.ok(&["list", "--json"])).unwrap();
    assert_eq!(json[0]["captured_at"], "2026-11-15T17:45:00Z");
}

#[test]
fn a_later_capture_of_the_same_session_comes_after_the_earlier_one() {
    let shop = Shop::new();
    shop.session("5e55-10", worked(&shop.repo), LONG_AGO, "main");
    let ids: Vec<String> = ["1", "2", "3", "4"]
        .iter()
        .map(|seed| {
            // In another mode each time, or nothing would be new.
            let args = ["snapshot", "--session", "5e55-10", "--mode", seed];
            let id = shop.env.segue(&args).dir(&shop.repo).seed(seed).ok_with_talk();
            let latest: Value =
                serde_json::from_str(&shop.ok(&["show", "latest", "--json"])).unwrap();
            assert_eq!(latest["short"], id.trim());
            id.trim().to_owned()
        })
        .collect();
    let text = shop.ok(&["show", "--raw", &ids[3]]);
    assert!(line(&text, "supersedes").unwrap().contains(&ids[2]), "{text}");
}

#[test]
fn an_old_session_never_takes_the_place_of_a_newer_handoff() {
    let shop = Shop::new();
    shop.saved("Last week", "2026-11-08T10:00:00Z");
    shop.session("5e55-10", worked(&shop.repo), LONG_AGO, "main");
    let state = || {
        let files = crate::ground::files_below(&shop.env.home.join("projects"));
        let file = files.iter().find(|file| file.ends_with("layer2/current-state.md")).unwrap();
        std::fs::read_to_string(file).unwrap()
    };
    shop.captured(&["snapshot", "--session", "5e55-10"]);
    let briefing = shop.ok(&["resume"]);
    assert!(briefing.contains("**Last week**") && !briefing.contains("just now"), "{briefing}");
    assert!(shop.ok(&["render"]).contains("Last week"));
    assert!(shop.ok(&["list", "--latest"]).contains("Last week"));
    assert!(state().contains("Last week"), "{}", state());
    // By its own name it is told with its own age.
    let id = shop.ok(&["list", "--tag", "snapshot"]);
    let id = id.lines().nth(1).unwrap().split('\t').next().unwrap().to_owned();
    let briefing = shop.ok(&["resume", "--id", &id]);
    assert!(briefing.contains("5w ago (2026-10-11 09:30 UTC)"), "{briefing}");
}

#[test]
fn handoff_md_stays_with_what_is_newer() {
    let shop = Shop::new();
    put(&shop.repo.join("HANDOFF.md"), "# HANDOFF.md\n");
    shop.saved("Last week", "2026-11-08T10:00:00Z");
    let before = std::fs::read_to_string(shop.repo.join("HANDOFF.md")).unwrap();
    assert!(before.contains("Last week"), "{before}");
    shop.session("5e55-10", worked(&shop.repo), LONG_AGO, "main");
    let ran = shop.env.segue(&["snapshot", "--session", "5e55-10"]).dir(&shop.repo).run();
    assert!(ran.code == 0 && ran.stderr.contains("newer handoff"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(shop.repo.join("HANDOFF.md")).unwrap(), before);
    // A session of just now is what it shows.
    shop.session("5e55-11", worked(&shop.repo), JUST_NOW, "main");
    let ran = shop.env.segue(&["snapshot", "--session", "5e55-11"]).dir(&shop.repo).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let after = std::fs::read_to_string(shop.repo.join("HANDOFF.md")).unwrap();
    assert!(after.contains("Never touch the schema.") && !after.contains("Recent Commits"));
}

#[test]
fn a_session_of_just_now_has_the_state_of_git() {
    let shop = Shop::new();
    shop.session("5e55-10", worked(&shop.repo), JUST_NOW, "main");
    put(&shop.repo.join("a.txt"), "changed");
    let text = shop.captured(&["snapshot", "--session", "5e55-10"]);
    let head = shop.env.git(&shop.repo, &["rev-parse", "HEAD"]);
    assert_eq!(
        line(&text, "git").as_deref(),
        Some(format!("{{branch: main, head: {head}}}").as_str())
    );
    assert_eq!(line(&text, "changed").as_deref(), Some("[a.txt]"), "{text}");
    assert_eq!(line(&text, "created").as_deref(), Some("2026-11-15T17:40:00.000000Z"), "{text}");
    assert!(text.contains("## Observed\n- Branch `main` at `"), "{text}");
    assert!(text.contains("## Uncommitted Changes\n- ` M a.txt`"), "{text}");
    assert!(!text.contains("Recent Commits"), "{text}");
    // Not if another branch was checked out meanwhile.
    shop.env.git(&shop.repo, &["checkout", "-qb", "another"]);
    let text = shop.captured(&["snapshot", "--session", "5e55-10"]);
    assert_eq!(line(&text, "git").as_deref(), Some("{branch: main}"), "{text}");
    assert!(!text.contains("## Observed"), "{text}");
    // A snapshot of git alone still has its log, and is of now.
    let text = shop.captured(&["snapshot", "--from", "none"]);
    assert!(text.contains("## Recent Commits\n- `"), "{text}");
    assert!(line(&text, "captured").is_none() && text.contains("created: 2026-11-15T17:45"));
}

#[test]
fn the_last_commit_that_a_session_made_is_its_head() {
    let shop = Shop::new();
    put(&shop.repo.join("src/round.rs"), "b");
    shop.env.git(&shop.repo, &["add", "."]);
    shop.env.git(&shop.repo, &["commit", "-qm", "Round half up"]);
    let made = shop.env.git(&shop.repo, &["rev-parse", "HEAD"]);
    shop.env.git(&shop.repo, &["commit", "-q", "--allow-empty", "-m", "Later"]);
    shop.session("5e55-10", committed(&shop.repo, &made[..7]), LONG_AGO, "main");
    let text = shop.captured(&["snapshot", "--session", "5e55-10"]);
    assert_eq!(
        line(&text, "git").as_deref(),
        Some(format!("{{branch: main, head: {made}}}").as_str())
    );
    assert_eq!(line(&text, "changed").as_deref(), Some("[src/round.rs]"), "{text}");
    assert!(!text.contains("Later"), "{text}");
    let briefing = shop.ok(&["resume"]);
    assert!(briefing.contains("1 commit since"), "{briefing}");
    // One that this clone does not have is named as the session named it.
    shop.session("5e55-11", committed(&shop.repo, "deadc0de"), LONG_AGO, "main");
    let text = shop.captured(&["snapshot", "--session", "5e55-11"]);
    assert_eq!(line(&text, "git").as_deref(), Some("{branch: main, head: deadc0de}"), "{text}");
}

#[test]
fn a_session_keeps_the_worktree_and_the_directory_that_it_ran_in() {
    let shop = Shop::new();
    let tree = shop.env.beside("tree");
    shop.env.git(&shop.repo, &["worktree", "add", "-q", tree.to_str().unwrap(), "-b", "feature"]);
    let below = tree.join("web");
    std::fs::create_dir_all(&below).unwrap();
    session(&shop.env, &below, "5e55-10", &dated(worked(&below), LONG_AGO, "feature"));
    session(&shop.env, &below, "5e55-11", &dated(worked(&below), JUST_NOW, "feature"));
    let text = shop.captured(&["snapshot", "--session", "5e55-10"]);
    assert_eq!(line(&text, "saved_from").as_deref(), Some("{dir: web, worktree: tree}"), "{text}");
    assert_eq!(line(&text, "git").as_deref(), Some("{branch: feature}"), "{text}");
    // Git is asked where the session was, not where it is captured.
    let text = shop.captured(&["snapshot", "--session", "5e55-11"]);
    assert_eq!(line(&text, "saved_from").as_deref(), Some("{dir: web, worktree: tree}"), "{text}");
    assert!(line(&text, "git").unwrap().starts_with("{branch: feature, head: "), "{text}");
    // Of a place that is gone, or of another repository, nothing is said.
    let gone = shop.env.beside("gone");
    let path = session(&shop.env, &gone, "5e55-12", &dated(worked(&gone), LONG_AGO, "feature"));
    let text = shop.captured(&["snapshot", "--from", path.to_str().unwrap()]);
    assert!(line(&text, "saved_from").is_none() && line(&text, "changed").is_none(), "{text}");
}

#[test]
fn what_was_captured_today_is_not_old_enough_to_be_archived() {
    let shop = Shop::new();
    shop.session("5e55-10", worked(&shop.repo), LONG_AGO, "main");
    shop.captured(&["snapshot", "--session", "5e55-10"]);
    shop.saved("Today", "2026-11-15T17:45:00Z");
    let args = ["compact", "--older-than", "14d"];
    let ran = shop.env.segue(&args).dir(&shop.repo).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(shop.ok(&["list"]).contains("2026-10-11"), "{}", shop.ok(&["list"]));
    let args = ["compact", "--older-than", "14d"];
    let ran = shop.env.segue(&args).dir(&shop.repo).at("2026-12-15T17:45:00Z").run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!shop.ok(&["list"]).contains("2026-10-11"), "{}", shop.ok(&["list"]));
}

#[test]
fn a_live_draft_says_when_it_was_captured() {
    let hooked = crate::hook::Hooked::new();
    hooked.worked("5e55-10");
    hooked.claude("5e55-10", "stop");
    let draft = crate::hook::read(&hooked.drafts()[0]);
    assert_eq!(line(&draft, "created").as_deref(), Some("2026-11-15T17:00:00.000000Z"), "{draft}");
    assert_eq!(line(&draft, "captured").as_deref(), Some("2026-11-15T17:45:00Z"), "{draft}");
    hooked.claude("5e55-10", "session-end");
    let text = crate::hook::read(&hooked.env.handoff_files()[0]);
    assert_eq!(text, draft);
}

#[test]
fn a_draft_of_a_session_that_ended_long_ago_has_nothing_of_today() {
    let hooked = crate::hook::Hooked::new();
    let path = hooked.session("5e55-10", &dated(worked(&hooked.repo), LONG_AGO, "feature"));
    let ended = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_791_711_000);
    std::fs::File::options().append(true).open(path).unwrap().set_modified(ended).unwrap();
    let told = hooked.told("5e55-11", "startup").unwrap();
    assert!(told.contains("5w ago (2026-10-11 09:30 UTC)"), "{told}");
    let draft = crate::hook::read(&hooked.drafts()[0]);
    assert_eq!(line(&draft, "created").as_deref(), Some("2026-10-11T09:30:00.000000Z"), "{draft}");
    assert_eq!(line(&draft, "git").as_deref(), Some("{branch: feature}"), "{draft}");
    assert_eq!(line(&draft, "captured").as_deref(), Some("2026-11-15T17:45:00Z"), "{draft}");
}

#[test]
fn a_session_is_captured_once_by_itself() {
    let shop = Shop::new();
    shop.session("5e55-10", worked(&shop.repo), LONG_AGO, "main");
    let at = "2030-01-01T00:00:00Z";
    let auto = || {
        let ran = shop.env.segue(&["auto"]).dir(&shop.repo).at(at).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        shop.env.handoff_files().len()
    };
    assert_eq!(auto(), 1);
    let later = auto();
    assert_eq!(auto(), later, "it captures again and again");
}
