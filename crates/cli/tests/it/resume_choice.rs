//! Which handoff or session `resume` goes on from, and which it only names.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::capture::{edited, session};
use crate::ground::{TestEnv, put};

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

    fn on(&self, branch: &str) -> &Self {
        let args: &[&str] = match branch {
            "main" => &["checkout", "-q", "main"],
            branch => &["checkout", "-qB", branch],
        };
        self.env.git(&self.repo, args);
        self
    }

    fn saved(&self, title: &str, at: &str) -> String {
        let args = ["save", "--title", title, "--summary", "What was left."];
        self.env.segue(&args).dir(&self.repo).at(at).ok().trim().to_owned()
    }

    /// A session that nobody saved.
    fn session(&self, id: &str, what: &str, at: &str, branch: &str) {
        let mut records = edited(&self.repo, what);
        for record in &mut records {
            record["timestamp"] = json!(at);
            record["gitBranch"] = json!(branch);
        }
        session(&self.env, &self.repo, id, &records);
    }

    fn resume(&self) -> String {
        self.env.segue(&["resume"]).dir(&self.repo).ok()
    }

    /// A handoff whose file says another day than the one it was saved on.
    fn redated(&self, title: &str, day: &str) -> String {
        let id = self.saved(title, "2026-11-15T17:45:00Z");
        let is_it = |path: &PathBuf| path.to_string_lossy().ends_with(&format!("{id}.md"));
        let file = self.env.handoff_files().into_iter().find(is_it).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let text = text.replace("created: 2026-11-15T", &format!("created: {day}T"));
        let text = text.replace("id: 20261115-", &format!("id: {}-", day.replace('-', "")));
        fs::remove_file(&file).unwrap();
        let month = file.parent().unwrap().with_file_name(&day[..7]);
        let name = file.file_name().unwrap().to_string_lossy().replace("2026-11-15", day);
        put(&month.join(name), text);
        id
    }
}

#[test]
fn the_own_branch_is_preferred_where_it_is_not_much_older() {
    let shop = Shop::new();
    shop.on("feature").saved("The feature", "2026-11-08T10:00:00Z");
    shop.on("main").saved("The hotfix", "2026-11-14T10:00:00Z");
    assert!(shop.resume().contains("**The hotfix**"));
    let briefing = shop.on("feature").resume();
    assert!(briefing.contains("**The feature**") && briefing.contains("The hotfix"), "{briefing}");
}

#[test]
fn what_is_much_older_on_the_own_branch_is_named_and_hides_nothing() {
    let shop = Shop::new();
    let old = shop.on("main").saved("Before the summer", "2026-06-01T10:00:00Z");
    shop.on("feature").saved("The feature", "2026-11-14T10:00:00Z");
    let briefing = shop.on("main").resume();
    assert!(briefing.contains("**The feature**"), "{briefing}");
    assert!(briefing.contains(&old) && briefing.contains("Before the summer"), "{briefing}");
    let asked = shop.env.segue(&["resume", "--branch", "main"]).dir(&shop.repo).ok();
    assert!(asked.contains("**Before the summer**"), "{asked}");
}

#[test]
fn a_branch_without_a_handoff_shows_the_newest_of_the_project() {
    let shop = Shop::new();
    shop.on("main").saved("On main", "2026-11-10T10:00:00Z");
    shop.on("other").saved("On another", "2026-11-12T10:00:00Z");
    let briefing = shop.on("new").resume();
    assert!(briefing.contains("**On another**") && briefing.contains("On main"), "{briefing}");
    // A session that nobody saved is no less.
    shop.session("5e55-10", "Mend the basket", "2026-11-15T17:00:00.000Z", "main");
    let briefing = shop.resume();
    assert!(briefing.contains("**Mend the basket**"), "{briefing}");
    assert!(briefing.contains("On another"), "{briefing}");
}

#[test]
fn a_newer_session_of_another_branch_is_named() {
    let shop = Shop::new();
    shop.on("feature").saved("The feature", "2026-11-14T10:00:00Z");
    shop.session("5e55-10", "Mend the basket", "2026-11-15T17:00:00.000Z", "main");
    let briefing = shop.resume();
    assert!(briefing.contains("**The feature**"), "{briefing}");
    assert!(briefing.contains("segue show --session 5e55-10"), "{briefing}");
    // One that is much newer is gone on from.
    let shop = Shop::new();
    let old = shop.on("feature").saved("The feature", "2026-09-14T10:00:00Z");
    shop.session("5e55-10", "Mend the basket", "2026-11-15T17:00:00.000Z", "main");
    let briefing = shop.resume();
    assert!(briefing.contains("**Mend the basket**") && briefing.contains(&old), "{briefing}");
}

#[test]
fn a_captured_session_hides_no_newer_one_and_is_hidden_by_no_older_one() {
    let shop = Shop::new();
    shop.saved("Last month", "2026-10-14T10:00:00Z");
    shop.session("5e55-10", "Mend the basket", "2026-11-14T17:00:00.000Z", "main");
    shop.env.segue(&["snapshot", "--session", "5e55-10"]).dir(&shop.repo).ok_with_talk();
    let briefing = shop.resume();
    assert!(briefing.contains("**Mend the basket**"), "{briefing}");
    assert!(!briefing.contains("snapshot without words"), "{briefing}");
    shop.saved("Yesterday evening", "2026-11-14T20:00:00Z");
    let briefing = shop.resume();
    assert!(briefing.contains("**Yesterday evening**"), "{briefing}");
}

#[test]
fn what_is_dated_ahead_is_never_latest_and_doctor_names_it() {
    let shop = Shop::new();
    let today = shop.saved("Today", "2026-11-15T17:40:00Z");
    let ahead = shop.redated("From tomorrow", "2026-11-20");
    let show = |args: &[&str]| shop.env.segue(args).dir(&shop.repo).run();
    assert!(show(&["render"]).stdout.contains("- Topic: Today\n"));
    let listed = show(&["list", "--latest"]).stdout;
    assert!(listed.contains(&today) && !listed.contains(&ahead), "{listed}");
    for args in [&["resume"][..], &["resume", "--id", "latest"]] {
        let ran = show(args);
        assert!(ran.stdout.contains("**Today**"), "{}", ran.stdout);
        assert!(
            ran.stderr.contains(&ahead) && ran.stderr.contains("passed over"),
            "{}",
            ran.stderr
        );
    }
    let listed = show(&["list"]).stdout;
    assert!(listed.contains(&ahead), "it is listed\n{listed}");
    let by_id = show(&["resume", "--id", &ahead]).stdout;
    assert!(by_id.contains("dated 5d ahead") && !by_id.contains("just now"), "{by_id}");
    let doctor = show(&["doctor"]);
    assert!(doctor.stdout.contains(&ahead) && doctor.stdout.contains("2026-11-20"), "{doctor:?}");
    // What is saved now is the latest, and what layer 2 is about, whether or not there is an index to ask.
    shop.env.delete_index();
    let ran = show(&["save", "--title", "After it", "--summary", "x"]);
    assert!(ran.code == 0 && ran.stderr.contains("later than this machine's clock"), "{ran:?}");
    assert!(show(&["render"]).stdout.contains("- Topic: After it\n"));
    let files = crate::ground::files_below(&shop.env.home.join("projects"));
    let state = files.iter().find(|file| file.ends_with("layer2/current-state.md")).unwrap();
    assert!(fs::read_to_string(state).unwrap().contains("After it"));
    // Clocks differ by a little.
    let ran = shop.env.segue(&["save", "--title", "Slow clock", "--summary", "x"]);
    let ran = ran.dir(&shop.repo).at("2026-11-15T17:41:00Z").run();
    assert_eq!(ran.code, 0);
    assert!(show(&["render"]).stdout.contains("- Topic: Slow clock\n"));
    // Its day comes.
    let later = shop.env.segue(&["render"]).dir(&shop.repo).at("2026-11-21T10:00:00Z").ok();
    assert!(later.contains("- Topic: From tomorrow\n"), "{later}");
}

#[test]
fn where_everything_is_dated_ahead_nothing_has_expired() {
    let shop = Shop::new();
    let ahead = shop.redated("From tomorrow", "2026-11-20");
    let ran = shop.env.segue(&["resume"]).dir(&shop.repo).run();
    assert!(!ran.stdout.contains("expired") && !ran.stdout.contains("From tomorrow"), "{ran:?}");
    assert!(ran.stderr.contains(&ahead), "{ran:?}");
}
