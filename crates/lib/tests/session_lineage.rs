//! Each session goes on from the one before it, whichever agents they are of and whether or not their hooks ran.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use segue_lib::agents::{ContinueRequest, find_agent};
use segue_lib::briefing::{ResumeOutcome, ResumeRequest};
use segue_lib::handoffs::{HandoffKind, ListRequest, Listed, SaveRequest, Selector};
use segue_lib::hook::{Continued, HookEvent, HookOutcome, HookRequest, Payload};
use segue_lib::snapshot::SnapshotRequest;
use segue_lib::{Env, Segue, Timestamp};
use serde_json::{Value, json};

/// 2026-11-15T17:00:00Z.
const BEGAN: u64 = 1_794_762_000;
const RULE: &str = "Never touch schema.sql.";

fn at(minute: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(BEGAN + minute * 60)
}

fn moment(minute: u64) -> String {
    let at: Timestamp = at(minute).into();
    at.to_string()
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// A repository, a home with the transcripts of agents, and a clock.
struct Ground {
    _temp: tempfile::TempDir,
    root: PathBuf,
    repo: PathBuf,
}

impl Ground {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        let repo = root.join("shop");
        let ground = Self { repo: repo.clone(), root, _temp: temp };
        ground.repository(&repo);
        ground
    }

    fn repository(&self, dir: &Path) {
        put(&dir.join("tax.py"), &dir.display().to_string());
        let run = |args: &[&str]| {
            let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
            #[expect(clippy::disallowed_methods, reason = "a test lays out its repository")]
            let mut git = Command::new("git");
            let git = git.arg("-C").arg(dir).args(identity).args(args);
            assert!(git.env("HOME", &self.root).output().unwrap().status.success());
        };
        run(&["init", "-q", "-b", "main"]);
        run(&["add", "tax.py"]);
        run(&["commit", "-qm", "first"]);
    }

    /// A process that begins so many minutes after the first session.
    fn open(&self, minute: u64) -> Segue {
        self.open_in(&self.repo, minute)
    }

    fn open_in(&self, dir: &Path, minute: u64) -> Segue {
        let now = move || at(minute);
        let random = || getrandom::u32().unwrap();
        let mut env = Env::new(self.root.join("store"), dir, now, random);
        env.user_home = Some(self.root.clone());
        env.git_deadline = Duration::from_secs(30);
        Segue::new(env)
    }

    /// A session of an agent, as far as it went: the user said something each of these minutes.
    fn session(&self, agent: &'static str, id: &str, minutes: &[u64]) -> Talk<'_> {
        self.session_in(&self.repo, agent, id, minutes)
    }

    fn session_in(&self, dir: &Path, agent: &'static str, id: &str, minutes: &[u64]) -> Talk<'_> {
        let talk = Talk { ground: self, dir: dir.to_owned(), agent, id: id.to_owned() };
        talk.says(minutes, "Round the taxes.");
        talk
    }

    /// A finished session in which the user set a rule, saved by its hooks.
    fn saved_with_rule(&self) -> String {
        let talk = self.session("claude-code", "5e55-01", &[1]);
        talk.says(&[1, 2], RULE);
        talk.fires(2, HookEvent::Stop);
        talk.fires(3, HookEvent::SessionEnd);
        self.of_session("5e55-01", 3).pop().unwrap().head.id.to_string()
    }

    fn save(&self, minute: u64) {
        let mut request = SaveRequest::default();
        request.title = Some(format!("Saved at {minute}"));
        request.body = "Words.\n".to_owned();
        self.open(minute).handoffs().save(&request).unwrap();
    }

    fn listed(&self, minute: u64) -> Vec<Listed> {
        let mut all = Vec::new();
        let mut each = |listed: Listed| {
            all.push(listed);
            true
        };
        self.open(minute).handoffs().list(&ListRequest::default(), &mut each).unwrap();
        all
    }

    fn of_session(&self, id: &str, minute: u64) -> Vec<Listed> {
        let mut all = self.listed(minute);
        all.retain(|one| one.head.fields.session.as_deref() == Some(id));
        all
    }

    /// The sessions that have left a handoff, in the order of their ids.
    fn captured(&self, minute: u64) -> Vec<String> {
        let all = self.listed(minute).into_iter();
        let mut all: Vec<String> = all.filter_map(|one| one.head.fields.session).collect();
        all.sort();
        all
    }

    fn resume(&self, minute: u64) -> ResumeOutcome {
        self.open(minute).briefer().resume(&ResumeRequest::default(), None).unwrap()
    }
}

/// A session in the making.
struct Talk<'g> {
    ground: &'g Ground,
    dir: PathBuf,
    agent: &'static str,
    id: String,
}

impl Talk<'_> {
    fn path(&self) -> PathBuf {
        let id = &self.id;
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let enc: String = self.dir.to_string_lossy().chars().map(plain).collect();
        self.ground.root.join(match self.agent {
            "claude-code" => format!(".claude/projects/{enc}/{id}.jsonl"),
            "codex" => {
                format!(".codex/sessions/2026/11/15/rollout-2026-11-15T17-00-00-{id}.jsonl")
            }
            "gemini-cli" => {
                format!(".gemini/tmp/{enc}/chats/session-2026-11-15T17-00-{}.jsonl", &id[..8])
            }
            _ => format!(".copilot/session-state/{id}/events.jsonl"),
        })
    }

    /// Writes the transcript: at each of the minutes the user says this.
    fn says(&self, minutes: &[u64], text: &str) {
        let (id, first) = (&self.id, moment(minutes[0]));
        let mut lines: Vec<Value> = match self.agent {
            "codex" => vec![json!({"timestamp": first, "type": "session_meta",
                "payload": {"id": id, "cwd": self.dir, "timestamp": first}})],
            "gemini-cli" => {
                let root = self.path().ancestors().nth(2).unwrap().join(".project_root");
                put(&root, &self.dir.display().to_string());
                vec![json!({"sessionId": id, "projectHash": "x", "startTime": first,
                    "lastUpdated": first, "kind": "main"})]
            }
            "copilot-cli" => vec![json!({"type": "session.start", "id": "e0", "timestamp": first,
                "data": {"sessionId": id, "context": {"cwd": self.dir}}})],
            _ => Vec::new(),
        };
        for (turn, minute) in minutes.iter().enumerate() {
            let at = moment(*minute);
            let asked = format!("{text} Turn {turn}.");
            lines.extend(match self.agent {
                "codex" => [("user", "input_text", asked.as_str()), ("assistant", "output_text", "Done.")]
                    .map(|(role, kind, text)| json!({"timestamp": at, "type": "response_item", "payload": {
                        "type": "message", "role": role, "content": [{"type": kind, "text": text}]}}))
                    .to_vec(),
                "gemini-cli" => vec![
                    json!({"id": format!("u{turn}"), "timestamp": at, "type": "user", "content": [{"text": asked}]}),
                    json!({"id": format!("g{turn}"), "timestamp": at, "type": "gemini", "content": "Done."}),
                ],
                "copilot-cli" => vec![
                    json!({"type": "user.message", "id": format!("u{turn}"), "timestamp": at, "data": {"content": asked}}),
                    json!({"type": "assistant.message", "id": format!("a{turn}"), "timestamp": at,
                        "data": {"messageId": format!("m{turn}"), "content": "Done.", "toolRequests": []}}),
                ],
                _ => ["user", "assistant"].iter().map(|role| json!({"type": role, "parentUuid": null,
                        "isSidechain": false, "sessionId": id, "gitBranch": "main", "version": "2.1.325",
                        "cwd": self.dir, "timestamp": at, "message": {"role": role, "id": format!("{role}{turn}"),
                        "content": if *role == "user" { json!(asked) } else { json!([{"type": "text", "text": "Done."}]) }}}))
                    .collect(),
            });
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let path = self.path();
        put(&path, &text);
        let file = File::options().append(true).open(path).unwrap();
        file.set_modified(at(*minutes.last().unwrap())).unwrap();
    }

    fn request(&self, event: HookEvent) -> HookRequest {
        let payload = json!({"session_id": self.id, "transcript_path": self.path(), "cwd": self.dir,
            "source": "startup"});
        let payload = Payload::read(&payload.to_string()).unwrap();
        HookRequest::new(find_agent(self.agent).unwrap(), event, payload)
    }

    fn fires(&self, minute: u64, event: HookEvent) -> HookOutcome {
        let ground = self.ground;
        let outcome = ground.open_in(&self.dir, minute).hooks().fire(&self.request(event)).unwrap();
        assert!(outcome.failed.is_none(), "{:?}", outcome.failed);
        outcome
    }

    /// The text of what it left.
    fn handoff(&self, minute: u64) -> String {
        let listed = self.ground.of_session(&self.id, minute);
        assert_eq!(listed.len(), 1, "{} left one", self.agent);
        let id = Selector::Word(listed[0].head.id.to_string());
        self.ground.open(minute).handoffs().find(&id).unwrap().handoff.source().to_owned()
    }
}

/// A start hook fires before there is a transcript.
fn not_yet_there<'g>(ground: &'g Ground, agent: &'static str, id: &str) -> Talk<'g> {
    Talk { ground, dir: ground.repo.clone(), agent, id: id.to_owned() }
}

#[test]
fn a_session_of_any_agent_names_the_handoff_that_it_was_briefed_with() {
    for agent in ["claude-code", "codex", "gemini-cli", "copilot-cli"] {
        let ground = Ground::new();
        let parent = ground.saved_with_rule();
        let talk = not_yet_there(&ground, agent, "9e106e3f-06df-4474-b7c8-499775dcde04");
        let answer = talk.fires(5, HookEvent::SessionStart).answer.unwrap();
        assert!(answer.contains(RULE), "{agent}: {answer}");
        talk.says(&[6], "Go on.");
        talk.fires(6, HookEvent::Stop);
        talk.says(&[6, 7], "Go on.");
        talk.fires(7, HookEvent::Stop);
        talk.fires(8, HookEvent::SessionEnd);
        let text = talk.handoff(9);
        assert!(text.contains(&format!("parent: {parent}\n")), "{agent}: {text}");
        assert!(
            text.contains("- “Never touch schema.sql.” *(declared earlier)*"),
            "{agent}: {text}"
        );
        // One session has one state, by whatever it was found.
        assert_eq!(states(&ground), 2, "{agent}");
    }
}

/// How many sessions have a state among the live drafts.
fn states(ground: &Ground) -> usize {
    let mut count = 0;
    for project in fs::read_dir(ground.root.join("store/projects")).unwrap() {
        let live = fs::read_dir(project.unwrap().path().join("live")).into_iter().flatten();
        count += live
            .filter(|file| {
                let name = file.as_ref().unwrap().file_name();
                name.to_string_lossy().ends_with(".json")
            })
            .count();
    }
    count
}

#[test]
fn a_session_that_begins_while_the_last_one_may_go_on_names_what_that_leaves() {
    let ground = Ground::new();
    let first = ground.session("codex", "019a8e6f-0000-7000-8000-000000000001", &[1]);
    first.says(&[1], RULE);
    // No hook says that it ends.
    first.fires(1, HookEvent::Stop);
    let next = not_yet_there(&ground, "gemini-cli", "9e106e3f-06df-4474-b7c8-499775dcde04");
    assert!(next.fires(5, HookEvent::SessionStart).answer.is_some());
    next.says(&[6], "Go on.");
    next.fires(6, HookEvent::Stop);
    next.fires(7, HookEvent::SessionEnd);
    // The first one becomes a handoff later.
    ground.save(60);
    let parent = ground.of_session(&first.id, 61).pop().unwrap().head.id.to_string();
    let text = next.handoff(61);
    assert!(text.contains(&format!("parent: {parent}\n")), "{text}");
    assert!(text.contains("*(declared earlier)*"), "{text}");
}

#[test]
fn the_next_writer_makes_handoffs_of_finished_sessions_once() {
    let ground = Ground::new();
    ground.session("codex", "019a8e6f-0000-7000-8000-000000000001", &[1, 2]);
    ground.session("gemini-cli", "9e106e3f-06df-4474-b7c8-499775dcde04", &[5]);
    ground.session("copilot-cli", "8f37cccf-1e4a-4be9-8ffb-8b838ac1d379", &[9]);
    // This one was written to ten minutes ago.
    let going_on = ground.session("claude-code", "5e55-09", &[110]);
    let seen = ground.resume(119).session.unwrap();
    assert_eq!(seen.id, going_on.id, "readers show it at once");
    assert_eq!(ground.captured(119), Vec::<String>::new(), "readers write nothing");
    ground.save(120);
    let all = [
        "019a8e6f-0000-7000-8000-000000000001",
        "8f37cccf-1e4a-4be9-8ffb-8b838ac1d379",
        "9e106e3f-06df-4474-b7c8-499775dcde04",
    ];
    assert_eq!(ground.captured(121), all);
    let codex = ground.of_session(all[0], 121).pop().unwrap();
    assert_eq!(codex.head.fields.kind, HandoffKind::Session);
    assert_eq!(codex.head.created.whole_second().to_string(), moment(2));
    assert_eq!(codex.head.fields.saved_from.worktree.as_deref(), Some("main"));
    ground.save(125);
    let mut request = SnapshotRequest::default();
    request.from = segue_lib::sessions::SessionRef::None;
    ground.open(126).snapshots().take(&request).unwrap();
    assert_eq!(ground.captured(127), all, "each once");
    // What was saved by hand stays the latest.
    assert!(ground.listed(127).iter().any(|one| one.title == "Saved at 125"));
}

#[test]
fn a_forgotten_session_is_not_captured_again() {
    let ground = Ground::new();
    let id = "019a8e6f-0000-7000-8000-000000000001";
    let talk = ground.session("codex", id, &[1]);
    ground.session("codex", "019a8e6f-0000-7000-8000-000000000002", &[2]);
    ground.save(120);
    let forget = |session: &str, minute: u64| {
        let listed = ground.of_session(session, minute).pop().unwrap();
        let segue = ground.open(minute);
        let word = Selector::Word(listed.head.id.to_string());
        let found = segue.handoffs().find_here(&word).unwrap();
        segue.handoffs().forget(&found).unwrap();
    };
    forget(id, 121);
    ground.save(122);
    assert_eq!(ground.of_session(id, 123).len(), 0);
    // Also one that was captured by a command and of which no state is known.
    let other = ground.session("codex", "019a8e6f-0000-7000-8000-000000000003", &[3]);
    let mut request = SnapshotRequest::default();
    request.from = segue_lib::sessions::SessionRef::Id(other.id.clone());
    ground.open(124).snapshots().take(&request).unwrap();
    forget(&other.id, 125);
    ground.save(126);
    assert_eq!(ground.of_session(&other.id, 127).len(), 0);
    assert!(ground.resume(127).session.is_none());
    // It goes on: then there is something to say.
    talk.says(&[1, 130], "Go on.");
    ground.save(200);
    assert_eq!(ground.of_session(id, 201).len(), 1);
}

#[test]
fn a_start_captures_a_few_sessions_and_the_next_one_the_others() {
    let ground = Ground::new();
    let id = |number: u64| format!("019a8e6f-0000-7000-8000-00000000000{number}");
    for number in 1..=6 {
        ground.session("codex", &id(number), &[number]);
    }
    let start = |session: &str, minute| {
        not_yet_there(&ground, "claude-code", session).fires(minute, HookEvent::SessionStart)
    };
    assert!(start("5e55-21", 120).answer.is_some());
    assert_eq!(ground.captured(121), [id(3), id(4), id(5), id(6)], "the newest first");
    start("5e55-22", 122);
    assert_eq!(ground.captured(123).len(), 6);
    start("5e55-23", 124);
    assert_eq!(ground.captured(125).len(), 6);
}

#[test]
fn the_end_of_a_session_captures_others_too_and_a_pause_nothing() {
    let ground = Ground::new();
    ground.session("codex", "019a8e6f-0000-7000-8000-000000000001", &[1]);
    let talk = ground.session("claude-code", "5e55-31", &[119]);
    put(&ground.root.join("store/PAUSE"), "");
    ground.save(119);
    assert_eq!(ground.captured(119), Vec::<String>::new());
    fs::remove_file(ground.root.join("store/PAUSE")).unwrap();
    talk.fires(120, HookEvent::SessionEnd);
    assert_eq!(ground.captured(121), ["019a8e6f-0000-7000-8000-000000000001", "5e55-31"]);
}

#[test]
fn a_session_of_another_repository_below_is_not_captured_here() {
    let ground = Ground::new();
    let inner = ground.repo.join("vendor/api");
    ground.repository(&inner);
    let id = "019a8e6f-0000-7000-8000-000000000001";
    ground.session_in(&inner, "codex", id, &[1]);
    // Nor is it what the outer one goes on from.
    assert!(ground.resume(2).session.is_none());
    ground.save(120);
    ground.save(121);
    assert_eq!(ground.of_session(id, 122).len(), 0);
    // There it is.
    let mut request = SaveRequest::default();
    request.body = "Words.\n".to_owned();
    ground.open_in(&inner, 123).handoffs().save(&request).unwrap();
    let mut found = 0;
    let mut each = |listed: Listed| {
        found += usize::from(listed.head.fields.session.as_deref() == Some(id));
        true
    };
    ground.open_in(&inner, 124).handoffs().list(&ListRequest::default(), &mut each).unwrap();
    assert_eq!(found, 1);
}

#[test]
fn a_continued_session_goes_on_from_a_session_that_nobody_saved() {
    let ground = Ground::new();
    let last = ground.session("codex", "019a8e6f-0000-7000-8000-000000000001", &[1]);
    last.says(&[1], RULE);
    let next = not_yet_there(&ground, "claude-code", "5e55-41");
    let mut request = next.request(HookEvent::SessionStart);
    request.continued = Some(Continued { from: None });
    let outcome = ground.open(120).hooks().fire(&request).unwrap();
    assert!(outcome.answer.is_none(), "it has the briefing already");
    next.says(&[121], "Go on.");
    next.fires(121, HookEvent::Stop);
    next.fires(122, HookEvent::SessionEnd);
    let parent = ground.of_session(&last.id, 123).pop().unwrap().head.id.to_string();
    let text = next.handoff(123);
    assert!(text.contains(&format!("parent: {parent}\n")), "{text}");
    assert!(text.contains("*(declared earlier)*"), "{text}");
}

#[test]
fn a_session_that_left_a_handoff_is_not_listed_as_one_that_left_none() {
    let ground = Ground::new();
    let first = ground.session("codex", "019a8e6f-0000-7000-8000-000000000001", &[1]);
    first.fires(1, HookEvent::Stop);
    let words = |id: &str, minute: u64| {
        let mut request = SaveRequest::default();
        request.title = Some(format!("Words of {id}"));
        request.body = "## Current State\n- Done.\n".to_owned();
        request.tool = Some("codex".to_owned());
        request.session = Some(id.to_owned());
        ground.open(minute).handoffs().save(&request).unwrap();
    };
    // Its draft is from before its words, and another session saves after it.
    words(&first.id, 3);
    let second = ground.session("codex", "019a8e6f-0000-7000-8000-000000000002", &[4]);
    second.fires(4, HookEvent::Stop);
    words(&second.id, 6);
    let told = ground.resume(8);
    assert!(!told.briefing.text.contains("left none"), "{}", told.briefing.text);
    assert!(!told.briefing.text.contains("No handoff was left"), "{}", told.briefing.text);
    let mut ids: Vec<&str> = told.others.iter().map(|other| other.short.as_str()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "{:?}", told.others);
    assert!(told.others.iter().all(|other| other.session.is_none()), "{:?}", told.others);
}

#[test]
fn a_session_that_went_on_after_its_handoff_is_told_once() {
    let ground = Ground::new();
    let talk = ground.session("codex", "019a8e6f-0000-7000-8000-000000000001", &[1]);
    talk.fires(1, HookEvent::Stop);
    talk.fires(2, HookEvent::SessionEnd);
    // It is resumed without hooks.
    talk.says(&[1, 20], "Go on.");
    let told = ground.resume(22);
    assert_eq!(told.session.map(|session| session.id).as_deref(), Some(talk.id.as_str()));
    assert_eq!(told.others, []);
    assert!(!told.briefing.text.contains("No handoff was left"), "{}", told.briefing.text);
    ground.save(90);
    assert_eq!(ground.of_session(&talk.id, 91).len(), 1, "the later one replaces the earlier");
    assert_eq!(ground.open(91).sessions().all().unwrap().len(), 1);
}

/// Lays out the start of an agent with the briefing, whose program does nothing.
fn continues(ground: &Ground, agent: &str, program: &str, minute: u64) {
    let bin = ground.root.join("bin");
    put(&bin.join(program), "#!/bin/sh\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(bin.join(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut env = Env::new(ground.root.join("store"), &ground.repo, move || at(minute), || 7);
    env.user_home = Some(ground.root.clone());
    env.git_deadline = Duration::from_secs(30);
    env.vars = |name| (name == "PATH").then(|| PATH.with(|path| path.borrow().clone()));
    PATH.with(|path| *path.borrow_mut() = bin.into_os_string());
    let segue = Segue::new(env);
    let request = ContinueRequest::new(find_agent(agent).unwrap());
    let plan = segue.launcher().plan_continue(&request).unwrap();
    segue.launcher().lay_out(&plan).unwrap();
}

thread_local! {
    static PATH: std::cell::RefCell<std::ffi::OsString> = const { std::cell::RefCell::new(std::ffi::OsString::new()) };
}

#[test]
#[cfg(unix)]
fn a_session_that_was_started_with_the_briefing_gets_it_once_also_where_a_daemon_runs_its_hooks() {
    let ground = Ground::new();
    let parent = ground.saved_with_rule();
    continues(&ground, "codex", "codex", 10);
    // The daemon does not see the variables that `continue` set.
    let talk = not_yet_there(&ground, "codex", "019a8e6f-0000-7000-8000-000000000001");
    assert!(talk.fires(11, HookEvent::SessionStart).answer.is_none());
    // It says once more that the session begins.
    assert!(talk.fires(12, HookEvent::SessionStart).answer.is_none());
    talk.says(&[12], "Go on.");
    talk.fires(12, HookEvent::Stop);
    talk.fires(13, HookEvent::SessionEnd);
    let text = talk.handoff(14);
    assert!(text.contains(&format!("parent: {parent}\n")), "{text}");
    assert!(text.contains("*(declared earlier)*"), "{text}");
    // Another session is another one, and is told once too. The daemon was made by that start, and has its
    // variables still.
    let next = not_yet_there(&ground, "codex", "019a8e6f-0000-7000-8000-000000000002");
    let mut stale = next.request(HookEvent::SessionStart);
    stale.continued = Some(Continued { from: Some(parent) });
    let told = ground.open(15).hooks().fire(&stale).unwrap();
    assert!(told.answer.unwrap().contains(RULE));
    assert!(next.fires(16, HookEvent::SessionStart).answer.is_none());
}

#[test]
#[cfg(unix)]
fn a_start_that_came_to_nothing_takes_the_briefing_from_no_later_session() {
    let ground = Ground::new();
    ground.saved_with_rule();
    continues(&ground, "codex", "codex", 10);
    let other = not_yet_there(&ground, "claude-code", "5e55-51");
    assert!(other.fires(11, HookEvent::SessionStart).answer.is_some(), "of another agent");
    let later = not_yet_there(&ground, "codex", "019a8e6f-0000-7000-8000-000000000003");
    assert!(later.fires(40, HookEvent::SessionStart).answer.is_some());
    // An agent whose hooks see the variables needs no note.
    continues(&ground, "claude-code", "claude", 41);
    let claude = not_yet_there(&ground, "claude-code", "5e55-52");
    assert!(claude.fires(42, HookEvent::SessionStart).answer.is_some());
}

#[test]
fn what_an_older_version_knew_of_a_session_by_its_file_is_known_by_its_id() {
    let ground = Ground::new();
    let parent = ground.saved_with_rule();
    let talk = not_yet_there(&ground, "codex", "019a8e6f-0000-7000-8000-000000000001");
    talk.fires(5, HookEvent::SessionStart);
    talk.says(&[6], "Go on.");
    talk.fires(6, HookEvent::Stop);
    let key = |id: &str| segue_core::digest(&format!("codex\n{id}"))[..16].to_owned();
    let name = talk.path().file_stem().unwrap().to_string_lossy().into_owned();
    let project = fs::read_dir(ground.root.join("store/projects")).unwrap().next().unwrap();
    let live = project.unwrap().path().join("live");
    for ending in ["json", "md"] {
        let old = live.join(format!("{}.{ending}", key(&name)));
        fs::rename(live.join(format!("{}.{ending}", key(&talk.id))), old).unwrap();
    }
    talk.says(&[6, 8], "Go on.");
    talk.fires(8, HookEvent::Stop);
    assert_eq!(states(&ground), 2, "the first session's and this one's");
    talk.fires(9, HookEvent::SessionEnd);
    let text = talk.handoff(10);
    assert!(text.contains(&format!("parent: {parent}\n")), "{text}");
}
