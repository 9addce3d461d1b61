//! A value that one piece of a session shows to be a secret is nowhere in what is kept of the session, however many
//! times hooks fire between its pieces.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use segue_lib::agents::find_agent;
use segue_lib::hook::{HookEvent, HookRequest, Payload};
use segue_lib::{Env, Segue};
use serde_json::{Value, json};

const SESSION: &str = "5e55-78";
/// 2026-11-15T17:00:00Z.
const BEGAN: u64 = 1_794_762_000;

struct Ground {
    _temp: tempfile::TempDir,
    root: PathBuf,
    records: Vec<Value>,
}

impl Ground {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        fs::create_dir_all(root.join("shop")).unwrap();
        Self { _temp: temp, root, records: Vec::new() }
    }

    fn dir(&self) -> PathBuf {
        self.root.join("shop")
    }

    fn open(&self, minute: u64) -> Segue {
        let now = move || at(minute);
        let mut env =
            Env::new(self.root.join("store"), self.dir(), now, || getrandom::u32().unwrap());
        env.user_home = Some(self.root.clone());
        env.git_deadline = Duration::from_secs(30);
        Segue::new(env)
    }

    fn user(&mut self, minute: u64, text: &str) {
        self.record(minute, json!({"type": "user", "message": {"role": "user", "content": text}}));
    }

    fn agent(&mut self, minute: u64, content: Value) {
        let message = json!({"id": format!("m{minute}"), "role": "assistant", "model": "x", "content": content});
        self.record(minute, json!({"type": "assistant", "message": message}));
    }

    /// A command that fails.
    fn fails(&mut self, minute: u64, command: &str, printed: &str) {
        let id = format!("t{minute}");
        let input = json!({"command": command});
        self.agent(minute, json!([{"type": "tool_use", "id": id, "name": "Bash", "input": input}]));
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": printed, "is_error": true}]);
        self.record(
            minute,
            json!({"type": "user", "message": {"role": "user", "content": result}}),
        );
    }

    fn record(&mut self, minute: u64, mut record: Value) {
        let head = json!({"parentUuid": null, "isSidechain": false, "sessionId": SESSION, "gitBranch": "main",
            "version": "2.1.325", "cwd": self.dir(), "timestamp": format!("2026-11-15T17:{minute:02}:00.000Z")});
        for (key, value) in head.as_object().unwrap() {
            record[key] = value.clone();
        }
        self.records.push(record);
        let path = self.transcript();
        let lines: String = self.records.iter().map(|record| format!("{record}\n")).collect();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(&path).unwrap().write_all(lines.as_bytes()).unwrap();
        File::options().append(true).open(path).unwrap().set_modified(at(minute)).unwrap();
    }

    fn transcript(&self) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let encoded: String = self.dir().to_string_lossy().chars().map(plain).collect();
        self.root.join(".claude/projects").join(encoded).join(format!("{SESSION}.jsonl"))
    }

    fn fires(&self, minute: u64, event: HookEvent) {
        let agent = find_agent("claude-code").unwrap();
        let payload =
            json!({"session_id": SESSION, "transcript_path": self.transcript(), "cwd": self.dir()});
        let payload = Payload::read(&payload.to_string()).unwrap();
        let outcome =
            self.open(minute).hooks().fire(&HookRequest::new(agent, event, payload)).unwrap();
        assert!(outcome.failed.is_none(), "{:?}", outcome.failed);
    }

    /// The files of the home that have the value in them.
    fn files_with(&self, value: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut dirs = vec![self.root.join("store")];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    dirs.push(path);
                } else if has(&path, value) {
                    found.push(path);
                }
            }
        }
        found
    }
}

fn has(path: &Path, value: &str) -> bool {
    let bytes = fs::read(path).unwrap();
    bytes.windows(value.len()).any(|part| part == value.as_bytes())
}

fn at(minute: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(BEGAN + minute * 60)
}

#[test]
fn a_secret_of_the_request_is_one_in_a_command_that_comes_after_the_hook() {
    let secret = ["Xk9", "vQ2!m", "pLr4"].concat();
    let mut ground = Ground::new();
    ground.user(1, &format!("Mend the import of the shop. The db password is {secret}, try it."));
    ground.agent(2, json!([{"type": "text", "text": "I will look at the import first."}]));
    ground.fires(2, HookEvent::Stop);
    assert_eq!(ground.files_with(&secret), Vec::<PathBuf>::new());
    ground.user(3, "Go on.");
    ground.fails(
        4,
        &format!("connect shop app {secret}"),
        &format!("error: {secret} was refused by the host"),
    );
    let said = format!("The import fails because the host refused {secret} for the user app.");
    ground.agent(5, json!([{"type": "text", "text": said}]));
    for event in [HookEvent::Stop, HookEvent::SessionEnd] {
        ground.fires(6, event);
        assert_eq!(ground.files_with(&secret), Vec::<PathBuf>::new());
    }
    assert!(!ground.files_with("[redacted: password]").is_empty());
}

#[test]
fn a_secret_that_only_a_later_piece_shows_goes_from_what_was_kept_before() {
    let secret = ["Xk9", "vQ2!m", "pLr4"].concat();
    let mut ground = Ground::new();
    ground.user(1, &format!("Connect to the shop with app and {secret} and mend the import."));
    ground.agent(2, json!([{"type": "text", "text": "I will look at the import first."}]));
    ground.fires(2, HookEvent::Stop);
    ground.fails(3, &format!("PGPASSWORD={secret} psql -h db"), "error: refused");
    ground.agent(
        4,
        json!([{"type": "text", "text": "The import fails: the host refused the user."}]),
    );
    for event in [HookEvent::Stop, HookEvent::SessionEnd] {
        ground.fires(5, event);
        assert_eq!(ground.files_with(&secret), Vec::<PathBuf>::new());
    }
}
