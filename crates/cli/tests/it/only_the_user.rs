//! What only the user can decide is refused where an agent runs it.

use crate::ground::{TestEnv, put};

const NOBODYS_KEY: &str = "0000000000000000000000000000000000000000000000000000000000000000";

#[test]
fn an_agent_trusts_neither_a_repository_nor_a_key() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    for args in [
        &["trust"][..],
        &["trust", "--json"],
        &["keys", "trust", NOBODYS_KEY],
        &["init", "--shared"],
    ] {
        for mark in ["CLAUDECODE", "CURSOR_AGENT", "AI_AGENT"] {
            let ran = env.segue(args).dir(&repo).env(mark, "1").run();
            assert_eq!((ran.code, ran.stdout.as_str()), (64, ""), "{args:?} {}", ran.stderr);
            assert!(
                ran.stderr.contains("is for the user to say, not for an agent"),
                "{}",
                ran.stderr
            );
            assert!(ran.stderr.contains("in a terminal of their own"), "{}", ran.stderr);
        }
    }
    assert_eq!(env.segue(&["trust", "--list"]).dir(&repo).ok_with_talk(), "");
    assert!(!repo.join(".segue").exists());
    // What takes trust back or only looks is nobody's secret.
    env.segue(&["trust", "--dry-run"]).dir(&repo).env("CLAUDECODE", "1").ok_with_talk();
    // A script of the user's says it as before.
    env.segue(&["trust"]).dir(&repo).ok_with_talk();
    env.segue(&["init", "--shared"]).dir(&repo).env("CLAUDECODE", "1").ok_with_talk();
    env.segue(&["trust", "--remove"]).dir(&repo).env("CLAUDECODE", "1").ok_with_talk();
    assert_eq!(env.segue(&["trust", "--list"]).dir(&repo).ok_with_talk(), "");
}

#[test]
fn a_plan_that_is_not_trusted_sends_no_agent_to_trust_it() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    put(&repo.join("memory/current-state.md"), "x");
    put(
        &repo.join("handover.toml"),
        "[[step]]\nkind = \"note\"\n\n[[step]]\nkind = \"command\"\nname = \"evil\"\ncommand = [\"touch\", \"pwned\"]\n",
    );
    let run = ["run", "--config", "handover.toml", "--note", "x", "--no-push"];
    let ran = env.segue(&run).dir(&repo).env("CLAUDECODE", "1").run();
    assert!(ran.code != 0 && !repo.join("pwned").exists(), "{}", ran.stderr);
    assert!(ran.stderr.contains("the user looks at it, then says 'segue trust"), "{}", ran.stderr);
}
