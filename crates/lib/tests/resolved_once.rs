//! What follows from the directory is looked up once: its repository, the configuration, git's answers.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::cell::Cell;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use segue_lib::agents::find_agent;
use segue_lib::briefing::{DEFAULT_BUDGET, ResumeRequest};
use segue_lib::handoffs::{SaveRequest, Selector};
use segue_lib::hook::{HookDone, HookEvent, HookRequest, Payload};
use segue_lib::{Env, Lookup, Segue};
use serde_json::{Value, json};

thread_local! {
    static REPOSITORIES: Cell<usize> = const { Cell::new(0) };
    static CONFIGURATIONS: Cell<usize> = const { Cell::new(0) };
}

fn note(lookup: Lookup) {
    let counter = match lookup {
        Lookup::Repository => &REPOSITORIES,
        Lookup::Configuration => &CONFIGURATIONS,
    };
    counter.with(|count| count.set(count.get() + 1));
}

/// What one process did.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    repositories: usize,
    configurations: usize,
    /// The questions that git was asked, each a process.
    git: Vec<String>,
}

/// A repository, a store, and a git that writes down what it is asked.
struct Ground {
    temp: tempfile::TempDir,
    repo: PathBuf,
}

impl Ground {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        let ground = Self { repo: root.join("shop"), temp };
        put(&ground.repo.join("a.txt"), "a");
        put(&root.join("config.toml"), "[redact]\nallow = ['nothing']\n");
        ground.git(&["init", "-q", "-b", "main"]);
        ground.git(&["add", "."]);
        ground.git(&["commit", "-qm", "first"]);
        ground.git(&["remote", "add", "origin", "https://example.com/shop.git"]);
        let mut first = SaveRequest::default();
        first.title = Some("first".to_owned());
        ground.open_at(60).handoffs().save(&first).unwrap();
        ground
    }

    /// Commits what stands in a file now.
    fn commit(&self, name: &str, text: &str) {
        put(&self.repo.join(name), text);
        self.git(&["add", "."]);
        self.git(&["commit", "-qm", &format!("change {name}")]);
    }

    fn root(&self) -> &Path {
        self.repo.parent().unwrap()
    }

    fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        #[expect(clippy::disallowed_methods, reason = "a test lays out its repository")]
        let mut git = Command::new("git");
        let git = git.arg("-C").arg(&self.repo).args(identity).args(args);
        let output = git.env("HOME", self.temp.path()).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
    }

    /// A process that begins.
    fn open(&self) -> Segue {
        self.open_at(0)
    }

    fn open_at(&self, minutes_ago: u64) -> Segue {
        #[expect(clippy::disallowed_methods, reason = "transcripts have the times of files")]
        let now = move || SystemTime::now() - Duration::from_secs(minutes_ago * 60);
        let mut env =
            Env::new(self.root().join("store"), &self.repo, now, || getrandom::u32().unwrap());
        env.user_home = Some(self.root().to_owned());
        env.config = Some(self.root().join("config.toml"));
        env.git_deadline = Duration::from_secs(30);
        env.git_program = self.logging_git();
        env.on_lookup = note;
        Segue::new(env)
    }

    /// A program that writes down what it is asked, and asks git.
    fn logging_git(&self) -> PathBuf {
        let path = self.root().join("git");
        let log = self.root().join("git.log");
        if !path.exists() {
            let text = format!("#!/bin/sh\necho \"$@\" >>'{}'\nexec git \"$@\"\n", log.display());
            put(&path, &text);
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
        path
    }

    /// What a process does that does this.
    fn counted<T>(&self, work: impl FnOnce(&Segue) -> T) -> (T, Counts) {
        let segue = self.open();
        let log = self.root().join("git.log");
        let _ = fs::remove_file(&log);
        REPOSITORIES.set(0);
        CONFIGURATIONS.set(0);
        let done = work(&segue);
        let asked = fs::read_to_string(log).unwrap_or_default();
        let git = asked.lines().map(str::to_owned).collect();
        let (repositories, configurations) = (REPOSITORIES.get(), CONFIGURATIONS.get());
        (done, Counts { repositories, configurations, git })
    }

    /// A session of Claude Code that edited a file and has left no handoff.
    fn unsaved_session(&self, id: &str, branch: &str, minutes_ago: u64) {
        let edit = json!({"type": "tool_use", "id": "t1", "name": "Edit", "input":
            {"file_path": self.repo.join("a.txt"), "old_string": "a", "new_string": id}});
        let records = [
            json!({"type": "user", "message": {"role": "user", "content": format!("Fix {id}.")}}),
            json!({"type": "assistant", "message":
                {"id": "m", "role": "assistant", "model": "x", "content": [edit]}}),
            json!({"type": "user", "message": {"role": "user", "content":
                [{"type": "tool_result", "tool_use_id": "t1", "content": "updated"}]}}),
        ];
        let lines = records.into_iter().map(|record| self.line(id, branch, record));
        let path = self.transcript(id);
        put(&path, &lines.collect::<String>());
        let ago = Duration::from_secs(minutes_ago * 60);
        let written = fs::metadata(&path).unwrap().modified().unwrap() - ago;
        File::options().append(true).open(path).unwrap().set_modified(written).unwrap();
    }

    fn line(&self, id: &str, branch: &str, record: Value) -> String {
        let mut whole = json!({"parentUuid": null, "isSidechain": false, "sessionId": id,
            "gitBranch": branch, "version": "2.1.325", "cwd": self.repo});
        for (key, value) in record.as_object().unwrap() {
            whole[key] = value.clone();
        }
        format!("{whole}\n")
    }

    fn transcript(&self, id: &str) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let enc: String = self.repo.to_string_lossy().chars().map(plain).collect();
        self.root().join(".claude/projects").join(enc).join(format!("{id}.jsonl"))
    }

    fn session_start(&self, id: &str) -> HookRequest {
        let agent = find_agent("claude-code").unwrap();
        let payload = json!({"session_id": id, "transcript_path": self.transcript(id),
            "cwd": self.repo, "hook_event_name": "SessionStart", "source": "startup"});
        let payload = Payload::read(&payload.to_string()).unwrap();
        HookRequest::new(agent, HookEvent::SessionStart, payload)
    }
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn resume() -> ResumeRequest {
    let mut request = ResumeRequest::default();
    request.budget = DEFAULT_BUDGET;
    request.check_limit = Duration::ZERO;
    request
}

fn assert_once(counts: &Counts) {
    assert_eq!((counts.repositories, counts.configurations), (1, 1), "{counts:?}");
    assert!(counts.git.len() <= 2, "{counts:#?}");
}

#[test]
fn a_save_in_a_known_directory_looks_everything_up_once() {
    let ground = Ground::new();
    put(&ground.repo.join("HANDOFF.md"), "# Handoff\n\nMine.\n");
    let mut request = SaveRequest::default();
    request.body = "Tests are next.\n".to_owned();
    let (saved, counts) = ground.counted(|segue| segue.handoffs().save(&request));
    let git = saved.unwrap().handoff.head.fields.git;
    assert_eq!(git.branch.as_deref(), Some("main"));
    assert_eq!(git.remote.as_deref(), Some("example.com/shop"));
    assert_once(&counts);
}

#[test]
fn a_resume_in_a_known_directory_looks_everything_up_once() {
    let ground = Ground::new();
    let (told, counts) = ground.counted(|segue| segue.briefer().resume(&resume(), None));
    assert!(told.unwrap().handoff.is_some());
    assert_once(&counts);
    ground.unsaved_session("5e55-01", "main", 6);
    ground.unsaved_session("5e55-02", "side", 5);
    let (told, counts) = ground.counted(|segue| segue.briefer().resume(&resume(), None));
    assert!(told.unwrap().session.is_some());
    assert_once(&counts);
}

#[test]
fn a_session_start_in_a_known_directory_looks_everything_up_once() {
    let ground = Ground::new();
    let request = ground.session_start("5e55-10");
    let (told, counts) = ground.counted(|segue| segue.hooks().fire(&request));
    assert_eq!(told.unwrap().done, HookDone::Told);
    assert_once(&counts);
}

#[test]
fn a_session_start_with_two_unsaved_sessions_looks_everything_up_once() {
    let ground = Ground::new();
    ground.unsaved_session("5e55-01", "main", 1);
    ground.unsaved_session("5e55-02", "main", 0);
    let request = ground.session_start("5e55-10");
    let (told, counts) = ground.counted(|segue| segue.hooks().fire(&request));
    let told = told.unwrap();
    assert_eq!(told.done, HookDone::Told);
    assert!(told.answer.is_some_and(|text| text.contains("Fix 5e55-02")));
    assert_once(&counts);
}

#[test]
fn a_session_start_that_reads_both_sessions_looks_everything_up_once() {
    let ground = Ground::new();
    // The newer one is of another branch, so that the older one is preferred.
    ground.unsaved_session("5e55-01", "main", 6);
    ground.unsaved_session("5e55-02", "side", 5);
    let request = ground.session_start("5e55-10");
    let (told, counts) = ground.counted(|segue| segue.hooks().fire(&request));
    assert!(told.unwrap().answer.is_some_and(|text| text.contains("Fix 5e55-01")));
    assert_once(&counts);
    let drafts = ground.open().drafts().going_on();
    assert_eq!(drafts.len(), 2, "both were kept: {drafts:?}");
}

/// What a resume and a session start say, each with two processes of git at most.
fn told_after(ground: &Ground, session: &str) -> String {
    let (text, counts) = told_with_counts(ground, session);
    counts.iter().for_each(assert_once);
    text
}

/// What a resume and the start of a session tell, and what each of both looked up.
fn told_with_counts(ground: &Ground, session: &str) -> (String, [Counts; 2]) {
    let (told, of_resume) = ground.counted(|segue| segue.briefer().resume(&resume(), None));
    let text = told.unwrap().briefing.text;
    let request = ground.session_start(session);
    let (told, of_hook) = ground.counted(|segue| segue.hooks().fire(&request));
    assert_eq!(told.unwrap().done, HookDone::Told);
    (text, [of_resume, of_hook])
}

#[test]
fn commits_after_the_handoff_cost_no_further_process() {
    let ground = Ground::new();
    ground.commit("a.txt", "b");
    ground.commit("b.txt", "b");
    put(&ground.repo.join("c.txt"), "not committed");
    let text = told_after(&ground, "5e55-11");
    assert!(text.contains("change a.txt") && text.contains("change b.txt"), "{text}");
}

#[test]
fn what_became_of_another_branch_costs_one_process_where_it_matters() {
    let ground = Ground::new();
    ground.git(&["checkout", "-q", "-b", "side"]);
    ground.commit("b.txt", "b");
    let mut saved = SaveRequest::default();
    saved.title = Some("side".to_owned());
    ground.open_at(30).handoffs().save(&saved).unwrap();
    ground.git(&["checkout", "-q", "main"]);
    ground.commit("a.txt", "b");
    // Work was done here, and newer work on the other branch: whether that was merged only git knows.
    for id in ["5e55-12", "5e55-10"] {
        for counts in told_with_counts(&ground, id).1 {
            assert_eq!((counts.repositories, counts.configurations), (1, 1), "{counts:?}");
            let asks = counts.git.iter().filter(|git| git.contains("for-each-ref")).count();
            assert!(counts.git.len() <= 3 && asks == 1, "{counts:#?}");
        }
        if id == "5e55-12" {
            ground.git(&["merge", "-q", "--no-ff", "-m", "merged", "side"]);
        }
    }
    let short =
        ground.open().handoffs().find(&Selector::Latest).unwrap().handoff.head.id.to_string();
    let mut request = resume();
    request.id = Some(short.parse().unwrap());
    let (told, counts) = ground.counted(|segue| segue.briefer().resume(&request, None));
    assert!(told.unwrap().briefing.text.contains("merged"));
    assert_once(&counts);
}

#[test]
fn a_repository_without_commits_looks_everything_up_once() {
    let ground = Ground::new();
    fs::remove_dir_all(ground.repo.join(".git")).unwrap();
    ground.git(&["init", "-q", "-b", "main"]);
    let mut request = SaveRequest::default();
    request.body = "Tests are next.\n".to_owned();
    ground.open_at(30).handoffs().save(&request).unwrap();
    let (saved, counts) = ground.counted(|segue| segue.handoffs().save(&request));
    assert_eq!(saved.unwrap().handoff.head.fields.git.head, None);
    assert_once(&counts);
    told_after(&ground, "5e55-10");
}
