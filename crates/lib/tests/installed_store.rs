//! The hooks of an agent that does not pass on the variables of the shell name the store.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use segue_lib::agents::{InstallRequest, Part, Scope, Standing};
use segue_lib::{Env, Segue};
use serde_json::Value;

const AGENTS: [&str; 4] = ["codex", "cursor", "cline", "claude-code"];

struct Ground {
    _temp: tempfile::TempDir,
    root: PathBuf,
}

impl Ground {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        fs::create_dir(root.join("shop")).unwrap();
        Self { root, _temp: temp }
    }

    fn open(&self, home: &Path) -> Segue {
        let now = || SystemTime::UNIX_EPOCH + Duration::from_secs(1_794_762_000);
        let mut env = Env::new(home, self.root.join("shop"), now, || 7);
        env.user_home = Some(self.root.clone());
        env.default_home = Some(self.default_home());
        Segue::new(env)
    }

    fn default_home(&self) -> PathBuf {
        self.root.join(".local/share/segue")
    }

    fn request(scope: Scope) -> InstallRequest {
        let mut request = InstallRequest::new("/usr/bin/segue".into());
        (request.agents, request.scope, request.parts) =
            (AGENTS.to_vec(), scope, vec![Part::Hooks]);
        request
    }

    fn install(&self, home: &Path, scope: Scope) -> Vec<String> {
        self.open(home).agents().install(&Self::request(scope)).unwrap().notes
    }

    fn hooks(&self, file: &str) -> String {
        fs::read_to_string(self.root.join(file)).unwrap_or_default()
    }

    /// How the hooks of an agent are.
    fn standing(&self, home: &Path, agent: &str) -> Standing {
        let all = self.open(home).agents().status(Path::new("/usr/bin/segue"));
        let one = all.into_iter().find(|one| one.agent == agent).unwrap();
        let is_hooks = |part: &segue_lib::agents::PartStatus| {
            part.part == Part::Hooks && part.scope == Scope::User
        };
        one.parts.into_iter().find(is_hooks).unwrap().standing
    }
}

fn command(hooks: &str) -> String {
    let hooks: Value = serde_json::from_str(hooks).unwrap();
    hooks["hooks"]["SessionStart"][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

#[test]
fn a_store_that_is_not_the_default_one_is_named_where_the_variable_may_not_be_seen() {
    let ground = Ground::new();
    let home = ground.root.join("Ada's store");
    let notes = ground.install(&home, Scope::User);
    assert!(notes.iter().any(|note| note.contains("they name the store")), "{notes:?}");
    let quoted = home.display().to_string().replace('\'', r"'\''");
    let wanted = format!("/usr/bin/segue hook codex session-start --home '{quoted}'");
    assert_eq!(command(&ground.hooks(".codex/hooks.json")), wanted);
    assert!(ground.hooks(".cursor/hooks.json").contains("hook cursor stop --home "));
    let cline = ground.hooks(".cline/hooks/PreToolUse");
    assert!(
        cline.contains(&format!("exec env SEGUE_HOME='{quoted}' /usr/bin/segue hook cline")),
        "{cline}"
    );
    assert!(!ground.hooks(".claude/settings.json").contains("--home"));
    for agent in AGENTS {
        assert_eq!(ground.standing(&home, agent), Standing::Installed, "{agent}");
    }
    let again = ground.open(&home).agents().plan_install(&Ground::request(Scope::User)).unwrap();
    assert!(!again.changed(), "installing twice changes nothing");
    ground.open(&home).agents().uninstall(&Ground::request(Scope::User)).unwrap();
    for file in [".codex/hooks.json", ".cursor/hooks.json", ".cline/hooks/PreToolUse"] {
        assert!(!ground.root.join(file).exists(), "{file}");
    }
}

#[test]
fn lines_with_and_without_the_store_are_known_again() {
    let ground = Ground::new();
    let (default, home) = (ground.default_home(), ground.root.join("elsewhere"));
    ground.install(&default, Scope::User);
    assert_eq!(
        command(&ground.hooks(".codex/hooks.json")),
        "/usr/bin/segue hook codex session-start"
    );
    assert_eq!(ground.standing(&default, "codex"), Standing::Installed);
    assert_eq!(ground.standing(&home, "codex"), Standing::Old, "they would write elsewhere");
    // Installing puts one in the place of the other, and there is never a second one.
    ground.install(&home, Scope::User);
    let hooks = ground.hooks(".codex/hooks.json");
    assert_eq!(hooks.matches("session-start --home").count(), 1, "{hooks}");
    assert_eq!(hooks.matches("hook codex session-start").count(), 1, "{hooks}");
    ground.install(&default, Scope::User);
    assert!(!ground.hooks(".codex/hooks.json").contains("--home"));
    // Whoever uninstalls need not use the same store.
    ground.install(&home, Scope::User);
    ground.open(&default).agents().uninstall(&Ground::request(Scope::User)).unwrap();
    assert!(!ground.hooks(".codex/hooks.json").contains("hook codex"));
}

#[test]
fn the_hooks_of_a_project_name_nobodys_store() {
    let ground = Ground::new();
    let notes = ground.install(&ground.root.join("elsewhere"), Scope::Project);
    let hooks = ground.hooks("shop/.codex/hooks.json");
    assert_eq!(command(&hooks), "segue hook codex session-start");
    assert!(notes.iter().any(|note| note.contains("default store")), "{notes:?}");
}
