//! A newest handoff that cannot be read is named, and the one before it is gone on from.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use segue_lib::agents::find_agent;
use segue_lib::briefing::{ResumeOutcome, ResumeRequest};
use segue_lib::handoffs::{ListRequest, SaveRequest};
use segue_lib::hook::{HookEvent, HookRequest, Payload};
use segue_lib::{Env, Error, Segue};
use serde_json::{Value, json};

/// 2026-11-15T17:00:00Z.
const BEGAN: u64 = 1_794_762_000;

struct Ground {
    _temp: tempfile::TempDir,
    root: PathBuf,
}

impl Ground {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        fs::create_dir_all(root.join("shop")).unwrap();
        Self { root, _temp: temp }
    }

    fn open(&self, minute: u64) -> Segue {
        let now = move || SystemTime::UNIX_EPOCH + Duration::from_secs(BEGAN + minute * 60);
        let (store, dir) = (self.root.join("store"), self.root.join("shop"));
        let mut env = Env::new(store, dir, now, || getrandom::u32().unwrap());
        env.user_home = Some(self.root.clone());
        Segue::new(env)
    }

    /// A handoff, its short id and its file.
    fn saved(&self, minute: u64, title: &str) -> (String, PathBuf) {
        let mut request = SaveRequest::default();
        request.title = Some(title.to_owned());
        request.body = format!("## Next Steps\n\n1. Go on with {title}.\n");
        let saved = self.open(minute).handoffs().save(&request).unwrap();
        (saved.handoff.head.id.short().to_owned(), saved.path)
    }

    fn resume(&self, request: &ResumeRequest) -> Result<ResumeOutcome, Error> {
        self.open(9).briefer().resume(request, None)
    }

    /// What a session is told at its start.
    fn told_by_hook(&self) -> String {
        let payload =
            json!({"session_id": "5e55-9", "cwd": self.root.join("shop"), "source": "startup"});
        let payload = Payload::read(&payload.to_string()).unwrap();
        let agent = find_agent("claude-code").unwrap();
        let request = HookRequest::new(agent, HookEvent::SessionStart, payload);
        let answer = self.open(9).hooks().fire(&request).unwrap().answer.unwrap_or_default();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    }

    /// Damages a file so that the index cannot see it: its directory and its size are as they were.
    fn damage_in_place(&self, path: &Path) {
        let dir = File::open(path.parent().unwrap()).unwrap();
        dir.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(BEGAN)).unwrap();
        let mut none = |_| true;
        self.open(8).handoffs().list(&ListRequest::default(), &mut none).unwrap();
        File::options().write(true).open(path).unwrap().write_all_at(b"junk", 0).unwrap();
    }
}

fn latest() -> ResumeRequest {
    ResumeRequest::default()
}

#[test]
fn the_one_before_a_damaged_newest_is_gone_on_from_and_the_damage_is_said_first() {
    let ground = Ground::new();
    ground.saved(1, "Totals");
    let (short, path) = ground.saved(2, "Rounding");
    ground.damage_in_place(&path);
    let outcome = ground.resume(&latest()).unwrap();
    let first = outcome.briefing.verify[0].reason.clone();
    for said in [
        &*format!("The newest handoff, `{short}`, cannot be read"),
        "begin with",
        &path.to_string_lossy(),
    ] {
        assert!(first.contains(said), "{said}: {first}");
    }
    let hook = ground.told_by_hook();
    for text in [&outcome.briefing.text, &hook] {
        assert!(text.contains(&first) && text.contains("Go on with Totals"), "{text}");
    }
}

#[test]
fn of_two_damaged_ones_both_are_named() {
    let ground = Ground::new();
    ground.saved(1, "Totals");
    let (before, path) = ground.saved(2, "Rounding");
    ground.damage_in_place(&path);
    let (newest, path) = ground.saved(3, "Taxes");
    ground.damage_in_place(&path);
    let outcome = ground.resume(&latest()).unwrap();
    let text = outcome.briefing.text;
    assert!(text.contains(&newest) && text.contains(&before), "{text}");
    assert!(text.contains("Go on with Totals"), "{text}");
}

#[test]
fn where_none_can_be_read_that_is_said() {
    let ground = Ground::new();
    let (short, path) = ground.saved(1, "Totals");
    ground.damage_in_place(&path);
    let outcome = ground.resume(&latest()).unwrap();
    assert!(outcome.handoff.is_none());
    for text in [&outcome.briefing.text, &ground.told_by_hook()] {
        assert!(text.contains(&short) && !text.contains("No handoff was left here yet"), "{text}");
    }
}

#[test]
fn a_damaged_file_that_the_index_has_seen_is_told_by_the_hook_too() {
    let ground = Ground::new();
    ground.saved(1, "Totals");
    let (_, path) = ground.saved(2, "Rounding");
    let beside = path.with_extension("new");
    File::create(&beside).unwrap().write_all_at(b"junk", 0).unwrap();
    fs::rename(beside, &path).unwrap();
    let told = ground.told_by_hook();
    assert!(
        told.contains(&*path.to_string_lossy()) && told.contains("Go on with Totals"),
        "{told}"
    );
}

#[test]
fn an_id_that_is_asked_for_is_an_error() {
    let ground = Ground::new();
    ground.saved(1, "Totals");
    let (short, path) = ground.saved(2, "Rounding");
    ground.damage_in_place(&path);
    let mut request = latest();
    request.id = Some(short.parse().unwrap());
    assert!(ground.resume(&request).is_err());
}

#[test]
fn the_doctor_names_a_file_that_was_damaged_in_place() {
    let ground = Ground::new();
    let (short, path) = ground.saved(1, "Totals");
    ground.damage_in_place(&path);
    let report = ground.open(9).doctor().look();
    let named = |text: &str| text.contains(&*path.to_string_lossy()) && text.contains(&short);
    assert!(report.findings.iter().any(|finding| named(&finding.found)), "{report:?}");
}
