//! The session that goes on here is found by its transcript where its agent does not tell it.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use segue_lib::{Env, Segue};

/// 2026-11-15T17:00:00Z.
const NOW: u64 = 1_794_762_000;

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

    /// A session of Codex that wrote into its transcript so many seconds ago.
    fn session(&self, id: &str, dir: &Path, seconds: u64) {
        let below = self.root.join(".codex/sessions/2026/11/15");
        fs::create_dir_all(&below).unwrap();
        let path = below.join(format!("rollout-2026-11-15T16-00-00-{id}.jsonl"));
        let dir = dir.display();
        let line =
            format!(r#"{{"type":"session_meta","payload":{{"id":"{id}","cwd":"{dir}"}}}}"#) + "\n";
        let mut file = File::create(&path).unwrap();
        file.write_all(line.as_bytes()).unwrap();
        file.set_modified(now() - Duration::from_secs(seconds)).unwrap();
    }

    fn going_on(&self, agent: &str) -> Option<String> {
        let mut env = Env::new(self.root.join("store"), self.root.join("shop"), now, || 7);
        env.user_home = Some(self.root.clone());
        Segue::new(env).sessions().going_on(agent)
    }
}

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(NOW)
}

#[test]
fn the_only_transcript_of_this_directory_that_was_just_written_to_is_the_one() {
    let ground = Ground::new();
    let here = ground.root.join("shop");
    assert_eq!(ground.going_on("codex"), None);
    ground.session("old", &here, 3_600);
    assert_eq!(ground.going_on("codex"), None);
    ground.session("elsewhere", &ground.root.join("api"), 5);
    ground.session("new", &here, 60);
    assert_eq!(ground.going_on("codex").as_deref(), Some("new"));
    assert_eq!(ground.going_on("claude-code"), None);
    assert_eq!(ground.going_on("goose"), None);
}

#[test]
fn of_two_sessions_that_go_on_here_none_is_taken() {
    let ground = Ground::new();
    let here = ground.root.join("shop");
    ground.session("one", &here, 5);
    ground.session("two", &here, 90);
    assert_eq!(ground.going_on("codex"), None);
}
