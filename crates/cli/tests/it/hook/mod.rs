//! Hooks: what agents tell, and what they are answered.

mod answers;
mod choice;
mod codex_sessions;
mod completed_words;
mod drafts;
mod failures;
mod inherited;
mod mended;
mod questions;
mod session_ends;
mod subagents;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::capture::{session, user, worked};
use crate::ground::{Ran, TestEnv, files_below};

/// A session that worked, and the hooks of its agent.
pub(crate) struct Hooked {
    pub(crate) env: TestEnv,
    pub(crate) repo: PathBuf,
}

impl Hooked {
    pub(crate) fn new() -> Self {
        let env = TestEnv::new();
        let repo = env.repo("shop");
        Self { env, repo }
    }

    /// A session of Claude Code with these records, its transcript's path.
    pub(crate) fn session(&self, id: &str, records: &[Value]) -> PathBuf {
        session(&self.env, &self.repo, id, records)
    }

    /// One that did something.
    pub(crate) fn worked(&self, id: &str) -> PathBuf {
        self.session(id, &worked(&self.repo))
    }

    /// The same, after which the user said something more.
    pub(crate) fn worked_on(&self, id: &str, more: &str) -> PathBuf {
        let mut records = worked(&self.repo);
        let mut last = user(more);
        last["timestamp"] = json!("2026-11-15T17:30:00.000Z");
        records.push(last);
        self.session(id, &records)
    }

    pub(crate) fn transcript(&self, id: &str) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let enc: String = self.repo.to_string_lossy().chars().map(plain).collect();
        self.env.beside(".claude").join("projects").join(enc).join(format!("{id}.jsonl"))
    }

    pub(crate) fn payload(&self, id: &str, event: &str, source: &str) -> Value {
        json!({"session_id": id, "transcript_path": self.transcript(id), "cwd": self.repo,
            "hook_event_name": event, "source": source})
    }

    /// A hook fires.
    pub(crate) fn fires(&self, agent: &str, event: &str, payload: &Value) -> Ran {
        self.fires_at(agent, event, payload, crate::ground::NOW)
    }

    pub(crate) fn fires_at(&self, agent: &str, event: &str, payload: &Value, at: &str) -> Ran {
        let ran = self.env.segue(&["hook", agent, event]).stdin(payload.to_string()).at(at).run();
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        ran
    }

    /// Of Claude Code.
    pub(crate) fn claude(&self, id: &str, event: &str) -> Ran {
        self.fires("claude-code", event, &self.payload(id, event, ""))
    }

    /// What a session of Claude Code is told when it begins.
    pub(crate) fn told(&self, id: &str, source: &str) -> Option<String> {
        self.told_at(id, source, crate::ground::NOW)
    }

    pub(crate) fn told_at(&self, id: &str, source: &str, at: &str) -> Option<String> {
        let payload = self.payload(id, "SessionStart", source);
        let ran = self.fires_at("claude-code", "session-start", &payload, at);
        if ran.stdout.is_empty() {
            return None;
        }
        let said: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(said["hookSpecificOutput"]["hookEventName"], "SessionStart");
        Some(said["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned())
    }

    /// The live drafts.
    pub(crate) fn drafts(&self) -> Vec<PathBuf> {
        self.live(".md")
    }

    pub(crate) fn live(&self, ending: &str) -> Vec<PathBuf> {
        let mut files = files_below(&self.env.home);
        files.retain(|path| {
            let text = path.to_string_lossy();
            text.contains("/live/") && text.ends_with(ending) && !text.contains("/.tmp-")
        });
        files
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.env.home.join("hooks.log")).unwrap_or_default()
    }
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}
