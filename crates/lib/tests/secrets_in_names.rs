//! A secret in the name of a branch, a file or a commit is in nothing that is kept, and in no briefing.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use segue_lib::agents::find_agent;
use segue_lib::briefing::{DEFAULT_BUDGET, ResumeRequest};
use segue_lib::handoffs::SaveRequest;
use segue_lib::hook::{HookEvent, HookRequest, Payload};
use segue_lib::run::RunRequest;
use segue_lib::{Env, Kind, ProjectRef, Segue};
use serde_json::json;

/// In the shape of Slack's; put together here so that nobody takes this file for a leak.
const TOKENS: [&str; 4] = [
    concat!("xo", "xb-830650847712-598499664292-pcDVnhnYg7Gt0JX1ab9QkLmZ"),
    concat!("xo", "xb-730650847712-498499664292-qdEWoioZh8Hu1KY2bc8RlMnA"),
    concat!("xo", "xb-630650847712-398499664292-reFXpjpAi9Iv2LZ3cd7SmNoB"),
    concat!("xo", "xb-530650847712-298499664292-sfGYqkqBj1Jw3MA4de6TnOpC"),
];

/// A repository whose names have secrets in them.
struct Ground {
    _temp: tempfile::TempDir,
    root: PathBuf,
}

impl Ground {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        let ground = Self { _temp: temp, root };
        let [branch, file, ..] = TOKENS;
        ground.git(&["init", "-q", "-b", &format!("fix/{branch}"), "."]);
        put(&ground.dir().join("a.txt"), "a");
        ground.git(&["add", "."]);
        ground.git(&["commit", "-qm", "first"]);
        put(&ground.dir().join(format!("note-{file}.txt")), "b");
        ground
    }

    fn dir(&self) -> PathBuf {
        self.root.join("shop")
    }

    fn git(&self, args: &[&str]) {
        fs::create_dir_all(self.dir()).unwrap();
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        #[expect(clippy::disallowed_methods, reason = "a test lays out its repository")]
        let mut git = Command::new("git");
        let git = git.arg("-C").arg(self.dir()).args(identity).args(args);
        let output = git.env("HOME", &self.root).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
    }

    fn open_in(&self, dir: &Path) -> Segue {
        #[expect(clippy::disallowed_methods, reason = "handoffs have the times of files")]
        let now = || SystemTime::now();
        let mut env = Env::new(self.root.join("store"), dir, now, || getrandom::u32().unwrap());
        env.user_home = Some(self.root.clone());
        env.git_deadline = Duration::from_secs(30);
        Segue::new(env)
    }

    fn open(&self) -> Segue {
        self.open_in(&self.dir())
    }

    /// The files of the store with a secret in them or in their paths.
    fn kept(&self) -> Vec<PathBuf> {
        let (mut found, mut dirs) = (Vec::new(), vec![self.root.join("store")]);
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(&dir).into_iter().flatten() {
                let path = entry.unwrap().path();
                let text = fs::read(&path).unwrap_or_default();
                let text = format!("{} {}", path.display(), String::from_utf8_lossy(&text));
                if TOKENS.iter().any(|token| text.contains(token)) {
                    found.push(path.clone());
                }
                if path.is_dir() {
                    dirs.push(path);
                }
            }
        }
        found
    }
}

fn put(path: &Path, text: &str) {
    File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn resume() -> ResumeRequest {
    let mut request = ResumeRequest::default();
    request.budget = DEFAULT_BUDGET;
    request
}

fn without_secrets(text: &str) {
    assert!(!TOKENS.iter().any(|token| text.contains(token)), "{text}");
}

#[test]
fn names_of_branches_and_files_are_kept_without_their_secrets() {
    let ground = Ground::new();
    let mut run = RunRequest::default();
    run.note = Some("hi".to_owned());
    ground.open().runs().run(&run).unwrap();
    let mut request = SaveRequest::default();
    request.body = "The sums are right.\n".to_owned();
    ground.open().handoffs().save(&request).unwrap();
    assert_eq!(ground.kept(), Vec::<PathBuf>::new());
}

#[test]
fn a_briefing_tells_names_without_their_secrets() {
    let ground = Ground::new();
    let mut request = SaveRequest::default();
    request.body = "## Current State\nThe sums are right.\n".to_owned();
    ground.open().handoffs().save(&request).unwrap();
    let [.., file, subject] = TOKENS;
    put(&ground.dir().join(format!("{file}.md")), "c");
    ground.git(&["commit", "-q", "--allow-empty", "-m", &format!("use {subject} in ci")]);
    put(&ground.dir().join("HANDOFF.md"), &format!("# H\n\n## Current State\nuse {subject}\n"));

    let outcome = ground.open().briefer().resume(&resume(), None).unwrap();
    let text = &outcome.briefing.text;
    without_secrets(text);
    without_secrets(&format!("{:?}", outcome.git));
    // It is known to be the same branch all the same.
    assert!(text.contains("Now: on `fix/[redacted: slack bot token]` at `"), "{text}");
    assert!(
        text.contains("; 3 changed files not committed: `HANDOFF.md`, `note-[redacted: slack bot token].txt`, "),
        "{text}"
    );
    assert!(text.contains("use [redacted: slack bot token] in ci"), "{text}");
    assert!(!text.contains("another branch"), "{text}");

    let mut named = resume();
    named.branch = Some(format!("fix/{}", TOKENS[0]));
    let found = ground.open().briefer().resume(&named, None).unwrap().handoff;
    assert!(found.is_some());

    let agent = find_agent("claude-code").unwrap();
    let payload = json!({"session_id": "s", "cwd": ground.dir(), "source": "startup"});
    let payload = Payload::read(&payload.to_string()).unwrap();
    let request = HookRequest::new(agent, HookEvent::SessionStart, payload);
    let told = ground.open().hooks().fire(&request).unwrap().answer.unwrap();
    without_secrets(&told);
    assert!(told.contains("Now: on `fix/[redacted: slack bot token]`"), "{told}");
}

#[test]
fn a_project_is_called_by_no_secret() {
    let ground = Ground::new();
    let [token, other, ..] = TOKENS;
    let mut request = SaveRequest::default();
    request.body = "The sums are right.\n".to_owned();
    // A directory is what it is called; what is made of its name is not.
    let dir = ground.root.join(token);
    fs::create_dir_all(&dir).unwrap();
    let saved = ground.open_in(&dir).handoffs().save(&request).unwrap();
    assert_eq!(saved.label, "[redacted: slack bot token]");
    without_secrets(&saved.handoff.source().replace(&dir.display().to_string(), ""));
    let place = saved.path.strip_prefix(ground.root.join("store")).unwrap().display().to_string();
    assert!(place.starts_with("projects/redacted-slack-bot-token-"), "{place}");
    let shown = ground.open_in(&dir).briefer().resume(&resume(), None).unwrap();
    without_secrets(&shown.briefing.text);

    request.project = ProjectRef::Given(other.to_owned());
    let before = ground.kept();
    let refused = ground.open().handoffs().save(&request).unwrap_err();
    assert_eq!(refused.kind(), Kind::Usage);
    without_secrets(&refused.to_string());
    assert!(refused.to_string().contains("slack bot token"), "{refused}");
    assert_eq!(ground.kept(), before);
}
