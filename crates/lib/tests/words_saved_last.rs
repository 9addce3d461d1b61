//! Words that an agent saves as the last thing in its session are checked against the session and completed from it.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use segue_lib::agents::find_agent;
use segue_lib::briefing::ResumeRequest;
use segue_lib::handoffs::{ListRequest, Listed, SaveRequest};
use segue_lib::hook::{HookDone, HookEvent, HookRequest, Payload};
use segue_lib::{Env, Segue};
use serde_json::{Value, json};

const SESSION: &str = "5e55-77";
/// 2026-11-15T17:00:00Z.
const BEGAN: u64 = 1_794_762_000;
const SAID: &str = "## Current State\n- The rounding of taxes is right, all tests pass and everything is pushed.\n\n\
    ## Next Steps\n1. Ask Ada about half cents.\n";
const TESTS: &str =
    "The words say that tests pass; the last run of `pytest -q` in the session failed";

/// A repository, a home with an agent's transcripts, and a clock.
struct Ground {
    temp: tempfile::TempDir,
    repo: PathBuf,
    records: Vec<Value>,
}

impl Ground {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        let mut ground = Self { repo: root.join("shop"), temp, records: Vec::new() };
        put(&ground.repo.join("tax.py"), "a");
        ground.git(&["init", "-q", "-b", "main"]);
        ground.git(&["add", "."]);
        ground.git(&["commit", "-qm", "first"]);
        ground.user(1, "Fix the rounding of taxes. Never touch schema.sql.");
        ground.call(
            2,
            "Edit",
            json!({"file_path": ground.repo.join("tax.py"), "old_string": "a", "new_string": "b"}),
        );
        ground.result(2, "updated", false);
        ground.call(3, "Bash", json!({"command": "pytest -q"}));
        ground.result(
            3,
            "Exit code 1\nFAILED tests/test_tax.py::test_half - assert\n1 failed, 2 passed",
            true,
        );
        ground
    }

    fn root(&self) -> &Path {
        self.repo.parent().unwrap()
    }

    fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        #[expect(clippy::disallowed_methods, reason = "a test lays out its repository")]
        let mut git = Command::new("git");
        let git = git.arg("-C").arg(&self.repo).args(identity).args(args);
        assert!(git.env("HOME", self.temp.path()).output().unwrap().status.success());
    }

    /// A process that begins so many minutes after the session.
    fn open(&self, minute: u64) -> Segue {
        let now = move || at(minute);
        let mut env =
            Env::new(self.root().join("store"), &self.repo, now, || getrandom::u32().unwrap());
        env.user_home = Some(self.root().to_owned());
        env.git_deadline = Duration::from_secs(30);
        Segue::new(env)
    }

    fn user(&mut self, minute: u64, text: &str) {
        self.record(minute, json!({"type": "user", "message": {"role": "user", "content": text}}));
    }

    fn agent(&mut self, minute: u64, text: &str) {
        let content = json!([{"type": "text", "text": text}]);
        let message = json!({"id": format!("m{minute}"), "role": "assistant", "model": "x", "content": content});
        self.record(minute, json!({"type": "assistant", "message": message}));
    }

    fn call(&mut self, minute: u64, name: &str, input: Value) {
        let content =
            json!([{"type": "tool_use", "id": format!("t{minute}"), "name": name, "input": input}]);
        let message = json!({"id": format!("m{minute}"), "role": "assistant", "model": "x", "content": content});
        self.record(minute, json!({"type": "assistant", "message": message}));
    }

    fn result(&mut self, minute: u64, text: &str, is_error: bool) {
        let content = json!([{"type": "tool_result", "tool_use_id": format!("t{minute}"), "content": text,
            "is_error": is_error}]);
        self.record(
            minute,
            json!({"type": "user", "message": {"role": "user", "content": content}}),
        );
    }

    /// Writes a record into the transcript.
    fn record(&mut self, minute: u64, mut record: Value) {
        let head = json!({"parentUuid": null, "isSidechain": false, "sessionId": SESSION, "gitBranch": "main",
            "version": "2.1.325", "cwd": self.repo, "timestamp": format!("2026-11-15T17:{minute:02}:00.000Z")});
        for (key, value) in head.as_object().unwrap() {
            record[key] = value.clone();
        }
        self.records.push(record);
        let path = self.transcript();
        let lines: String = self.records.iter().map(|record| format!("{record}\n")).collect();
        put(&path, &lines);
        File::options().append(true).open(path).unwrap().set_modified(at(minute)).unwrap();
    }

    fn transcript(&self) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let enc: String = self.repo.to_string_lossy().chars().map(plain).collect();
        self.root().join(".claude/projects").join(enc).join(format!("{SESSION}.jsonl"))
    }

    /// The agent saves its words.
    fn saves(&mut self, minute: u64, words: &str) {
        self.call(minute, "Bash", json!({"command": "segue save --title Tax < words.md"}));
        let mut request = SaveRequest::default();
        request.title = Some("Tax".to_owned());
        request.body = words.to_owned();
        request.tool = Some("claude-code".to_owned());
        request.session = Some(SESSION.to_owned());
        self.open(minute).handoffs().save(&request).unwrap();
    }

    fn fires(&self, minute: u64, event: HookEvent) -> HookDone {
        self.hook(minute, event, SESSION).0
    }

    fn hook(&self, minute: u64, event: HookEvent, session: &str) -> (HookDone, String) {
        let agent = find_agent("claude-code").unwrap();
        let transcript = self.transcript().with_file_name(format!("{session}.jsonl"));
        let payload = json!({"session_id": session, "transcript_path": transcript, "cwd": self.repo,
            "source": "startup"});
        let payload = Payload::read(&payload.to_string()).unwrap();
        let request = HookRequest::new(agent, event, payload);
        let outcome = self.open(minute).hooks().fire(&request).unwrap();
        assert!(outcome.failed.is_none(), "{:?}", outcome.failed);
        (outcome.done, outcome.answer.unwrap_or_default())
    }

    /// What the next session is told.
    fn told(&self, minute: u64) -> String {
        let (_, answer) = self.hook(minute, HookEvent::SessionStart, "5e55-99");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    }

    /// The handoffs of the store, those that others replace too.
    fn handoffs(&self) -> usize {
        let mut count = 0;
        let mut dirs = vec![self.root().join("store")];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                let text = path.to_string_lossy().into_owned();
                if path.is_dir() {
                    dirs.push(path);
                } else if text.ends_with(".md")
                    && text.contains("layer1")
                    && !text.contains("/live/")
                {
                    count += 1;
                }
            }
        }
        count
    }

    /// How many of them no other replaces.
    fn listed(&self, minute: u64) -> usize {
        let mut all = Vec::new();
        let mut each = |listed: Listed| {
            all.push(listed);
            true
        };
        self.open(minute).handoffs().list(&ListRequest::default(), &mut each).unwrap();
        all.len()
    }
}

fn at(minute: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(BEGAN + minute * 60)
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// Whether a briefing has the words once, and what the session shows besides.
fn assert_completed(told: &str) {
    let verify = told.split("## Verify first\n").nth(1).unwrap().split("\n## ").next().unwrap();
    assert!(verify.contains(TESTS) && verify.contains("no push"), "{told}");
    for once in [
        TESTS,
        "Ask Ada about half cents",
        "- “Never touch schema.sql.”",
        "The rounding of taxes is right",
    ] {
        assert_eq!(told.matches(once).count(), 1, "{once}\n{told}");
    }
}

#[test]
fn the_stop_hook_checks_and_completes_words_that_were_saved_last() {
    let mut ground = Ground::new();
    ground.saves(5, SAID);
    ground.result(5, "saved", false);
    ground.agent(6, "Saved the handoff.");
    assert_eq!(ground.fires(6, HookEvent::Stop), HookDone::Kept);
    assert_completed(&ground.told(7));
    // Nothing is made twice, however often it fires.
    ground.agent(8, "Anything else?");
    assert_eq!(ground.fires(8, HookEvent::Stop), HookDone::Kept);
    assert_eq!(ground.fires(8, HookEvent::Stop), HookDone::Kept);
    assert_eq!(ground.handoffs(), 1);
    assert_eq!(ground.fires(9, HookEvent::SessionEnd), HookDone::Saved);
    ground.agent(10, "Bye.");
    assert_eq!(ground.fires(10, HookEvent::Stop), HookDone::Nothing);
    assert_eq!(ground.fires(10, HookEvent::SessionEnd), HookDone::Nothing);
    assert_eq!((ground.handoffs(), ground.listed(11)), (2, 1));
    assert_completed(&ground.told(11));
}

#[test]
fn the_end_of_a_session_completes_its_words_if_no_other_hook_fired() {
    let mut ground = Ground::new();
    ground.saves(5, SAID);
    ground.result(5, "saved", false);
    assert_eq!(ground.fires(6, HookEvent::SessionEnd), HookDone::Saved);
    assert_eq!((ground.handoffs(), ground.listed(7)), (2, 1));
    assert_completed(&ground.told(7));
}

#[test]
fn the_next_session_completes_words_after_which_nothing_was_written() {
    let mut ground = Ground::new();
    // It is killed while it saves: the transcript ends before the words were there.
    ground.call(5, "Bash", json!({"command": "segue save"}));
    let records = ground.records.clone();
    ground.saves(6, SAID);
    ground.records = records;
    ground.records.pop();
    ground.call(5, "Bash", json!({"command": "segue save"}));
    assert_completed(&ground.told(7));
    // After a while it is a handoff.
    assert_completed(&ground.told(50));
    assert_eq!((ground.handoffs(), ground.listed(51)), (2, 1));
}

#[test]
fn words_to_which_there_is_nothing_to_add_stay_as_they_are() {
    let mut ground = Ground::new();
    ground.records.clear();
    ground.user(1, "What does tax.py round?");
    ground.agent(2, "It rounds taxes.");
    ground.saves(5, "## Current State\n- The request: what does tax.py round? It rounds taxes.\n");
    ground.result(5, "saved", false);
    ground.agent(6, "Saved.");
    for event in [HookEvent::Stop, HookEvent::Stop, HookEvent::SessionEnd] {
        assert_eq!(ground.fires(7, event), HookDone::Nothing);
    }
    assert_eq!(ground.handoffs(), 1);
}

#[test]
fn what_is_done_after_the_words_in_the_same_turn_is_told_with_them() {
    let mut ground = Ground::new();
    ground.saves(5, SAID);
    ground.result(5, "saved", false);
    let edit =
        json!({"file_path": ground.repo.join("half.py"), "old_string": "a", "new_string": "b"});
    ground.call(7, "Edit", edit);
    ground.result(7, "updated", false);
    ground.agent(8, "Half cents are rounded too.");
    assert_eq!(ground.fires(8, HookEvent::Stop), HookDone::Kept);
    let told = ground.told(9);
    assert_completed(&told);
    assert!(told.contains("half.py") && told.contains("Half cents are rounded too"), "{told}");
}

#[test]
fn a_briefing_without_any_hook_checks_words_that_were_saved_last() {
    let mut ground = Ground::new();
    ground.saves(5, SAID);
    ground.result(5, "saved", false);
    ground.agent(6, "Saved the handoff.");
    let resume = || {
        let outcome = ground.open(7).briefer().resume(&ResumeRequest::default(), None).unwrap();
        (outcome.briefing.text, outcome.handoff, outcome.session)
    };
    let (told, handoff, session) = resume();
    assert_completed(&told);
    assert!(told.contains("**Tax**") && !told.contains("left no handoff"), "{told}");
    assert!(handoff.is_some() && session.is_none());
    // It is only told: nothing is kept.
    assert_eq!((ground.handoffs(), ground.listed(8)), (1, 1));
    // Without the transcript the words are told as they are.
    fs::remove_file(ground.transcript()).unwrap();
    let (told, ..) = resume();
    assert!(told.contains("Ask Ada about half cents") && !told.contains(TESTS), "{told}");
}
