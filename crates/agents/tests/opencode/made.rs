//! Makes databases as OpenCode does.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use segue_agents::Transcripts;
use segue_core::session::{Outcome, Session, TodoStatus};
use serde_json::{Value, json};

pub(crate) const ID: &str = "ses_1";
pub(crate) const BEGAN: i64 = 1_772_359_200_000;

pub(crate) const TABLES: &str = "
    CREATE TABLE workspace (id text PRIMARY KEY, branch text);
    CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text,
        parent_id text, slug text NOT NULL, directory text NOT NULL, title text NOT NULL,
        version text NOT NULL, revert text, time_created integer NOT NULL,
        time_updated integer NOT NULL, time_archived integer);
    CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL,
        time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
        time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE todo (session_id text NOT NULL, content text NOT NULL, status text NOT NULL,
        priority text NOT NULL, position integer NOT NULL);
    CREATE INDEX message_idx ON message (session_id, time_created, id);
    CREATE INDEX part_idx ON part (message_id, id);";

/// A database in the making, in a home. As with the agent itself, all is in the log at first.
pub(crate) struct Made {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) db: Connection,
    pub(crate) count: i64,
    pub(crate) session: String,
}

impl Made {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = path(dir.path());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let db = Connection::open(path).unwrap();
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;").unwrap();
        db.execute_batch(TABLES).unwrap();
        Self { dir, db, count: 0, session: String::new() }.session(ID, None, "/work/shop")
    }

    pub(crate) fn path(&self) -> PathBuf {
        path(self.dir.path())
    }

    pub(crate) fn run(self, statements: &str) -> Self {
        self.db.execute_batch(statements).unwrap();
        self
    }

    /// What follows is of this session.
    pub(crate) fn session(mut self, id: &str, parent: Option<&str>, dir: &str) -> Self {
        self.count += 1;
        let at = BEGAN + self.count * 1_000;
        let row = (id, parent, dir, at);
        let insert = "INSERT INTO session VALUES (?1, 'p', NULL, ?2, 's', ?3,
            'New session - 2026-03-01T10:00:00.000Z', '1.18.33', NULL, ?4, ?4, NULL)";
        self.db.execute(insert, row).unwrap();
        id.clone_into(&mut self.session);
        self
    }

    pub(crate) fn message(mut self, mut data: Value, parts: &[Value]) -> Self {
        self.count += 1;
        let (count, at) = (self.count, BEGAN + self.count * 1_000);
        data["time"]["created"] = json!(at);
        let id = format!("msg_{count:04}");
        let row = (&id, &self.session, at, data.to_string());
        self.db.execute("INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)", row).unwrap();
        for (number, part) in parts.iter().enumerate() {
            let row =
                (format!("prt_{count:04}_{number:02}"), &id, &self.session, at, part.to_string());
            self.db.execute("INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?4, ?5)", row).unwrap();
        }
        let updated = "UPDATE session SET time_updated = ?2 WHERE id = ?1";
        self.db.execute(updated, (&self.session, at)).unwrap();
        self
    }

    pub(crate) fn user(self, text: &str) -> Self {
        self.asks(&[said(text)])
    }

    pub(crate) fn asks(self, parts: &[Value]) -> Self {
        let model = json!({"providerID": "openai", "modelID": "gpt-5"});
        self.message(json!({"role": "user", "agent": "build", "model": model}), parts)
    }

    /// An answer that came to its end.
    pub(crate) fn answers(self, parts: &[Value]) -> Self {
        let at = BEGAN + (self.count + 1) * 1_000 + 900;
        self.message(with(answer(), &json!({"time": {"completed": at}})), parts)
    }

    pub(crate) fn does(self, tool: &str, input: &Value, meta: &Value) -> Self {
        self.answers(&[done(tool, input, "done", meta)])
    }

    pub(crate) fn runs(self, command: &str, output: &str, exit: i64) -> Self {
        let (input, meta) = (json!({"command": command}), json!({"exit": exit}));
        self.answers(&[done("bash", &input, output, &meta)])
    }

    pub(crate) fn fails(self, tool: &str, input: &Value, error: &str) -> Self {
        let state = json!({"status": "error", "input": input, "error": error});
        self.answers(&[json!({"type": "tool", "tool": tool, "callID": "c", "state": state})])
    }

    pub(crate) fn read(&self) -> Session {
        opencode().read(&self.path()).unwrap().recorder.into_session()
    }
}

pub(crate) fn path(home: &Path) -> PathBuf {
    home.join(".local/share/opencode/opencode.db")
}

pub(crate) fn answer() -> Value {
    json!({"role": "assistant", "modelID": "gpt-5", "providerID": "openai", "mode": "build",
        "path": {"cwd": "/work/shop", "root": "/work/shop"}, "time": {},
        "tokens": {"input": 10, "output": 5, "reasoning": 1, "cache": {"read": 90, "write": 0}}})
}

pub(crate) fn with(mut data: Value, more: &Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        data[key] = value.clone();
    }
    data
}

pub(crate) fn said(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

pub(crate) fn done(tool: &str, input: &Value, output: &str, meta: &Value) -> Value {
    json!({"type": "tool", "tool": tool, "callID": "c", "state": {"status": "completed",
        "input": input, "output": output, "title": "", "metadata": meta,
        "time": {"start": BEGAN, "end": BEGAN + 5}}})
}

pub(crate) fn opencode() -> &'static Transcripts {
    Transcripts::of("opencode").unwrap()
}

pub(crate) fn prompts(session: &Session) -> Vec<&str> {
    session.prompts.iter().map(|prompt| prompt.text.as_str()).collect()
}

pub(crate) fn words(session: &Session) -> Vec<&str> {
    session.said.iter().map(|said| said.text.as_str()).collect()
}

pub(crate) fn commands(session: &Session) -> Vec<(&str, Outcome, Option<i32>)> {
    session.commands.iter().map(|one| (one.command.as_str(), one.outcome, one.exit)).collect()
}

pub(crate) fn todos(session: &Session) -> Vec<(&str, TodoStatus)> {
    session.todos.iter().map(|todo| (todo.text.as_str(), todo.status)).collect()
}

pub(crate) fn changed(session: &Session) -> Vec<&str> {
    let changed = session.files.iter().filter(|(_, file)| file.is_changed());
    changed.map(|(path, _)| path.as_str()).collect()
}

pub(crate) fn worked() -> Made {
    let todo = |status: &str| json!({"content": "Fix the totals", "status": status, "id": "1"});
    Made::new()
        .user("Fix the totals. Never touch the schema.")
        .answers(&[
            json!({"type": "step-start", "snapshot": "a"}),
            json!({"type": "reasoning", "text": "I must never say this."}),
            said("I look at it."),
            done("read", &json!({"filePath": "/work/shop/src/basket.rs"}), "", &json!({})),
            done("todowrite", &json!({"todos": [todo("in_progress")]}), "", &json!({})),
        ])
        .runs("cargo test", "test basket::adds ... FAILED", 101)
        .answers(&[
            done(
                "edit",
                &json!({"filePath": "src/basket.rs", "oldString": "-", "newString": "+"}),
                "Edit applied successfully.",
                &json!({}),
            ),
            json!({"type": "patch", "hash": "a", "files":
                ["/work/shop/src/basket.rs", "/work/shop/Cargo.lock", "/work/shop/__pycache__/x.pyc"]}),
        ])
        .runs("cargo test", "test result: ok", 0)
        .runs("git commit -qam 'fix totals'", "[main 1234567] fix totals", 0)
        .answers(&[said("The totals are right now.")])
        .run("UPDATE session SET title = 'Totals', workspace_id = 'w';
            INSERT INTO workspace VALUES ('w', 'feature/totals');
            INSERT INTO todo VALUES ('ses_1', 'Tell the others', 'pending', 'low', 1);
            INSERT INTO todo VALUES ('ses_1', 'Fix the totals', 'completed', 'high', 0);")
}
