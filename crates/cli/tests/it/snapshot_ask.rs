//! `snapshot --ask`: the session's own agent answers. The agents are small programs that answer, fail or
//! hang as the published ones do.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::capture::{session, worked};
use crate::ground::{Segue, TestEnv, put};
use crate::terminal::Terminal;

const ANSWER: &str = "## Current State\n- Totals in `src/basket.rs` are right; `cargo test` fails in basket::adds only.\n\n\
    ## Next Steps\n1. Mend basket::adds, which still expects floats.\n\n\
    ## Rejected Paths\n- Floats: they rounded 0.1 + 0.2 wrong.\n";

/// A user with a session of Claude Code and a program that stands in for it.
struct AskGround {
    env: TestEnv,
    repo: PathBuf,
    bin: PathBuf,
}

impl AskGround {
    fn new(program: Option<&str>) -> Self {
        let env = TestEnv::new();
        let repo = env.repo("shop");
        session(&env, &repo, "5e55-10", &worked(&repo));
        let bin = env.dir("their programs/bin");
        if let Some(program) = program {
            let path = bin.join("claude");
            put(
                &path,
                format!(
                    "#!/bin/sh\nprintf '%s\\0' \"$@\" > {0}/words; env > {0}/env; pwd > {0}/dir\n{program}\n",
                    env.work.display()
                ),
            );
            fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        Self { env, repo, bin }
    }

    fn segue(&self, args: &[&str]) -> Segue {
        let path = format!("{}:/usr/bin:/bin", self.bin.display());
        self.env.segue(args).dir(&self.repo).env("PATH", path)
    }

    fn got(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.env.work.join(name)).ok()
    }

    fn shown(&self, id: &str) -> String {
        self.segue(&["show", "--raw", id.trim()]).ok()
    }
}

/// A program that prints a text.
fn printing(text: &str) -> String {
    format!("cat <<'END'\n{text}END")
}

const ASK: [&str; 5] = ["snapshot", "--ask", "--yes", "--session", "5e55-10"];

#[test]
fn the_answer_comes_first_and_what_it_leaves_out_is_captured() {
    let ground = AskGround::new(Some(&printing(&format!("Here it is:\n\n{ANSWER}"))));
    let ran = ground.segue(&ASK).env("CLAUDECODE", "1").run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = ground.shown(&ran.stdout);
    let body = text.split("\n---\n").nth(1).unwrap().trim_start();
    assert!(body.starts_with(ANSWER), "{text}");
    for said in [
        "tags: [own-words]",
        "tool: claude-code",
        "session: \"5e55-10\"",
        "## Standing Constraints (from the transcript)\n- “Never touch the schema.” *(declared #1)*",
        "## Checks (from the transcript)\n- Failed with exit code 101: `cargo test` (tests), in `basket::adds`",
        "## Files of Note (from the transcript)\n- `src/basket.rs`",
        // The time and place are the session's.
        "created: 2026-11-15T17:00:00.000000Z",
        "captured: 2026-11-15T17:45:00Z",
        "changed: [src/basket.rs]",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    assert!(!text.contains("Next, I will mend") && !text.contains("Status:"), "{text}");
    // It was asked where the session ran, as itself, and the command was shown first.
    let words = ground.got("words").unwrap();
    let words: Vec<&str> = words.split('\0').collect();
    assert_eq!(words[..4], ["-p", "--resume", "5e55-10", "--no-session-persistence"]);
    assert!(words[4].contains("## Rejected Paths") && words[4].contains("350 words"), "{words:?}");
    assert_eq!(ground.got("dir").unwrap().trim(), ground.repo.to_str().unwrap());
    let env = ground.got("env").unwrap();
    assert!(env.contains("SEGUE_ASKED=claude-code\n") && !env.contains("CLAUDECODE="), "{env}");
    assert!(ran.stderr.contains("SEGUE_ASKED=claude-code ") && ran.stderr.contains(words[4]));
    // The next session is briefed with it.
    let briefing = ground.segue(&["resume"]).ok();
    assert!(briefing.contains("which still expects floats"), "{briefing}");
}

#[test]
fn an_answer_that_the_session_contradicts_is_to_be_verified() {
    let answer = ANSWER.replace("`cargo test` fails in basket::adds only", "all tests pass");
    let answer =
        answer.replace("## Rejected Paths\n", "## Rejected Paths\n- Committed floats first.\n");
    let ground = AskGround::new(Some(&printing(&answer)));
    let ran = ground.segue(&ASK).run();
    let text = ground.shown(&ran.stdout);
    let line = "The words say that tests pass; the last run of `cargo test` in the session failed (`basket::adds`).";
    let section = format!("## Contradictions (from the transcript)\n- {line}\n\n");
    assert!(text.contains(&section), "{text}");
    let briefing = ground.segue(&["resume"]).ok();
    let verify = briefing.split("## Verify first\n").nth(1).unwrap_or_default();
    assert!(verify.split("\n## ").next().unwrap().contains(line), "{briefing}");
}

#[test]
fn without_a_terminal_and_without_yes_nothing_is_run() {
    let ground = AskGround::new(Some(&printing(ANSWER)));
    let said = ground.segue(&["snapshot", "--ask", "--session", "5e55-10"]).fails(64);
    assert!(said.contains("--yes"), "{said}");
    assert_eq!(ground.got("words"), None);
    assert_eq!(ground.env.handoff_files().len(), 0);
    for args in [
        &["snapshot", "--yes"][..],
        &["snapshot", "--ask", "--yes", "--timeout", "soon"],
        &["snapshot", "--ask", "--yes", "--timeout", "100000h"],
        &["snapshot", "--ask", "--yes", "--from", "claude"],
    ] {
        ground.segue(args).fails(64);
    }
    assert_eq!(ground.got("words"), None);
}

#[test]
fn an_agent_that_gives_no_handoff_costs_nothing_but_its_words() {
    let limit = "Claude AI usage limit reached. ".repeat(9);
    for (program, why) in [
        (
            Some("echo 'No conversation found with session ID: 5e55-10' >&2; exit 1"),
            "exit code 1: No conversation found",
        ),
        (
            Some("echo 'Credit balance is too low'; exit 1"),
            "exit code 1: Credit balance is too low",
        ),
        (Some("exit 0"), "the answer is empty"),
        (Some("echo ok"), "only 1 words"),
        (Some(&*format!("echo '{limit}'")), "none of the sections"),
        (Some("yes '## Next Steps' | head -c 1000000"), "more than 32 KiB"),
        (Some("kill -9 $$"), "a signal ended it"),
        (None, "Claude Code is not installed: no program 'claude'"),
    ] {
        let ground = AskGround::new(program);
        let ran = ground.segue(&ASK).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stderr.contains(why), "{why}: {}", ran.stderr);
        let text = ground.shown(&ran.stdout);
        assert!(
            text.contains("tags: [snapshot, transcript]")
                && text.contains("Next, I will mend the test.")
        );
    }
}

#[test]
fn an_agent_that_hangs_is_ended_with_all_that_it_started() {
    let ground = AskGround::new(Some("sleep 300 & echo $! > \"$PWD/child\"; sleep 300"));
    let begun = Instant::now();
    let args: Vec<&str> = ASK.iter().copied().chain(["--timeout", "1s"]).collect();
    let ran = ground.segue(&args).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert!(ran.stderr.contains("had not answered after 1 s and was ended"), "{}", ran.stderr);
    assert!(ground.shown(&ran.stdout).contains("Next, I will mend the test."));
    let child = fs::read_to_string(ground.repo.join("child")).unwrap();
    assert!(is_gone(child.trim()), "a child of it went on");
}

#[test]
fn json_says_what_was_run_and_what_came_of_it() {
    let args: Vec<&str> = ASK.iter().copied().chain(["--json"]).collect();
    let ground = AskGround::new(Some(&printing(ANSWER)));
    let said: Value = serde_json::from_str(&ground.segue(&args).run().stdout).unwrap();
    assert_eq!(said["asked"]["agent"], "claude-code");
    assert_eq!(said["asked"]["answered"], true);
    assert_eq!(said["asked"]["command"][2], "--resume");
    let ground = AskGround::new(Some("exit 3"));
    let said: Value = serde_json::from_str(&ground.segue(&args).run().stdout).unwrap();
    assert_eq!(said["asked"]["why"], "it ended with exit code 3");
    let plain = ground.segue(&["snapshot", "--json"]).ok_with_talk();
    assert!(serde_json::from_str::<Value>(&plain).unwrap().get("asked").is_none());
}

#[test]
fn a_session_does_not_ask_itself() {
    let ground = AskGround::new(Some(&printing(ANSWER)));
    let ran = ground
        .segue(&["snapshot", "--ask", "--yes"])
        .env("CLAUDECODE", "1")
        .env("CLAUDE_CODE_SESSION_ID", "5e55-10")
        .run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("'segue save' takes its own words"), "{}", ran.stderr);
    assert_eq!(ground.got("words"), None);
}

#[test]
fn hooks_of_the_asked_agent_leave_no_second_handoff() {
    // The agent runs its hooks, ours among them.
    let segue = env!("CARGO_BIN_EXE_segue");
    let hooks = format!(
        "for event in session-start stop session-end; do\n\
         printf '{{\"session_id\":\"5e55-10\",\"cwd\":\"%s\",\"source\":\"resume\"}}' \"$PWD\" | {segue} hook claude-code $event >> \"$PWD/../hooks\"\n\
         done\n{}",
        printing(ANSWER)
    );
    let ground = AskGround::new(Some(&hooks));
    let stop = json!({"session_id": "5e55-10", "cwd": ground.repo}).to_string();
    ground.segue(&["hook", "claude-code", "stop"]).stdin(&stop).ok();
    let ran = ground.segue(&ASK).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(fs::read_to_string(ground.repo.join("../hooks")).unwrap(), "");
    // What the session left is not told again when it ends, or when another one begins.
    ground.segue(&["hook", "claude-code", "session-end"]).stdin(&stop).ok();
    let next = json!({"session_id": "e15e", "cwd": ground.repo, "source": "startup"}).to_string();
    let told = ground
        .segue(&["hook", "claude-code", "session-start"])
        .stdin(&next)
        .at("2026-11-18T09:00:00Z")
        .ok();
    assert!(told.contains("which still expects floats"), "{told}");
    assert_eq!(ground.env.handoff_files().len(), 1);
    // Asked again, the newer words replace the older ones.
    let args = [&ASK[..], &["--mode", "review"]].concat();
    let again = ground.segue(&args).run();
    let text = ground.shown(&again.stdout);
    let first = text.lines().find(|line| line.starts_with("supersedes: ")).unwrap_or_default();
    assert!(first.contains(ran.stdout.trim()), "{text}");
}

#[test]
fn a_question_of_ours_is_no_request_of_the_user() {
    let ground = AskGround::new(Some(&printing(ANSWER)));
    ground.segue(&ASK).run();
    let words = ground.got("words").unwrap();
    let question = words.split('\0').nth(4).unwrap();
    // Some agents write the question into the transcript.
    let mut records = worked(&ground.repo);
    records.push(json!({"type": "user", "message": {"role": "user", "content": question}}));
    session(&ground.env, &ground.repo, "5e55-11", &records);
    let text = ground.segue(&["extract", "--session", "5e55-11"]).ok();
    assert!(text.contains("Fix the totals") && !text.contains("Write the handoff of"), "{text}");
}

#[test]
fn a_terminal_has_to_agree_and_can_interrupt() {
    // One that says where it is, and never answers unless it may.
    let program = format!(
        "echo $$ > \"$PWD/child\"; [ -e \"$PWD/answer\" ] || sleep 300\n{}",
        printing(ANSWER)
    );
    let ground = AskGround::new(Some(&program));
    let path = format!("{}:/usr/bin:/bin", ground.bin.display());
    let Some(terminal) = Terminal::sized(&ground.env, &[("PATH", &path)], ["200", "40"]) else {
        return;
    };
    let shows = |what: &str| terminal.wait(what, |screen| screen.contains(what));
    let begin = |what: &str| {
        terminal.begin(&format!(
            "clear; cd '{}'; segue snapshot --ask --session 5e55-10; echo {what}",
            ground.repo.display()
        ));
        shows("run this? [y/N]");
    };
    begin("FIRST");
    terminal.keys(&["n", "Enter"]);
    shows("nothing was run, and nothing was saved");
    assert_eq!(ground.got("words"), None);
    begin("SECOND");
    terminal.keys(&["y", "Enter"]);
    let child = ground.repo.join("child");
    terminal.wait("the agent", |_| fs::read_to_string(&child).is_ok_and(|pid| pid.ends_with('\n')));
    terminal.keys(&["C-c"]);
    shows("interrupted: the agent was ended, nothing was saved");
    let pid = fs::read_to_string(&child).unwrap();
    assert!(is_gone(pid.trim()), "it still runs");
    assert_eq!(ground.env.handoff_files().len(), 0);
    put(&ground.repo.join("answer"), "");
    begin("THIRD");
    terminal.keys(&["y", "Enter"]);
    terminal.wait("THIRD", |screen| screen.lines().any(|line| line == "THIRD"));
    assert_eq!(ground.env.handoff_files().len(), 1);
}

/// Whether a process has ended.
fn is_gone(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
    state.is_empty() || state.starts_with(['Z', 'X'])
}
