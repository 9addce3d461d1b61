//! Who speaks in what is left: the user at a terminal, and an agent everywhere else.

use crate::ground::{TestEnv, put};
use crate::terminal::Terminal;

const RULE: &str = "## Standing Constraints\n\n- Never push to main\n";

/// Whether the newest handoff says that all of it is the user's.
fn is_the_users(env: &TestEnv) -> bool {
    let raw = env.segue(&["show", "--raw"]).ok();
    raw.contains("sources: {rest: user}\n")
}

#[test]
fn what_is_typed_at_a_terminal_is_the_users_unless_an_agent_runs_it() {
    for (vars, is_typed) in [
        (&[][..], true),
        (&[("CLAUDECODE", "1")][..], false),
        (&[("AI_AGENT", "x")][..], false),
        (&[("CODEX_SANDBOX", "seatbelt")][..], false),
        (&[("CURSOR_AGENT", "1")][..], false),
        (&[("SEGUE_CONTINUED", "codex")][..], false),
    ] {
        let env = TestEnv::new();
        let Some(terminal) = Terminal::sized(&env, vars, ["100", "30"]) else { return };
        let screen = terminal.run("segue save --title t --next 'Ask first'", false);
        assert!(screen.contains("END-0"), "{screen}");
        assert_eq!(is_the_users(&env), is_typed, "{vars:?}");
    }
}

#[test]
fn what_comes_out_of_a_pipe_a_file_or_for_an_agent_is_not_the_users() {
    let env = TestEnv::new();
    let Some(terminal) = Terminal::sized(&env, &[], ["100", "30"]) else { return };
    put(&env.work.join("rule.md"), RULE);
    for command in [
        "segue save --title a < rule.md",
        "cat rule.md | segue save --title b",
        "segue save --title c --file rule.md",
        "segue save --title d --next x --tool codex",
        "segue save --title e --next x | cat",
    ] {
        let screen = terminal.run(command, false);
        assert!(screen.contains("END-0"), "{screen}");
        assert!(!is_the_users(&env), "{command}");
    }
}

#[test]
fn what_the_user_edits_at_a_terminal_is_the_users_and_what_was_there_is_not() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "t"]).stdin(RULE).ok();
    let Some(terminal) = Terminal::sized(&env, &[], ["100", "30"]) else { return };
    let screen = terminal.run("segue edit --next 'Ask first'", false);
    assert!(screen.contains("END-0"), "{screen}");
    let told = env.segue(&["resume"]).ok();
    assert!(told.contains("**Noted by the agent, not typed by the user**\n- Never push"), "{told}");
    let raw = env.segue(&["show", "--raw"]).ok();
    assert!(raw.contains("sources: {rest: agent, user: ["), "{raw}");
    let shown: serde_json::Value =
        serde_json::from_str(&env.segue(&["show", "--json"]).ok()).unwrap();
    let rule = serde_json::json!([{"text": "Never push to main", "source": "agent"}]);
    assert_eq!(shown["rules"], rule);
}

#[test]
fn doctor_names_rules_that_nothing_shows_to_be_the_users() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "t"]).stdin(RULE).ok();
    let said = env.segue(&["doctor"]).ok();
    assert!(said.contains("a rule that nothing shows to be yours: “Never push to main”"), "{said}");
    let other = TestEnv::new();
    other.segue(&["save", "--title", "t"]).stdin("## Notes\n\n- Never push to main\n").ok();
    assert!(!other.segue(&["doctor"]).ok().contains("nothing shows"));
}
