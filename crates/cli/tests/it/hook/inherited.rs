//! Which constraints a session inherits: those of the user's, by the handoff in the store that it goes on
//! from. Neither a prompt nor a file of the repository can add to them.

use serde_json::json;

use super::{Hooked, read};
use crate::capture::{user, worked};
use crate::ground::put;

const FIRST: &str = "Go on with the work that another session left in this directory.";

impl Hooked {
    /// A session that `segue continue` started: its agent's hook fires, and the briefing is its first prompt.
    fn continued(&self, id: &str, from: &str, briefing: &str) -> String {
        let payload = self.payload(id, "SessionStart", "startup").to_string();
        let hook = self.env.segue(&["hook", "claude-code", "session-start"]).stdin(payload);
        let hook = hook.env("SEGUE_CONTINUED", "claude-code").env("SEGUE_CONTINUED_FROM", from);
        assert_eq!(hook.ok(), "", "it has the briefing already");
        self.works_from(id, briefing)
    }

    /// What a session leaves that works on after a first prompt.
    fn works_from(&self, id: &str, first: &str) -> String {
        let mut records = worked(&self.repo);
        records[0] = user(first);
        for record in &mut records {
            record["timestamp"] = json!("2026-11-15T17:40:00.000Z");
        }
        self.session(id, &records);
        self.claude(id, "stop");
        self.drafts().iter().map(|path| read(path)).find(|text| text.contains(id)).unwrap()
    }

    /// A session in which the user said a rule has ended; its handoff's id.
    fn ended_with_rule(&self, id: &str) -> String {
        self.worked(id);
        self.claude(id, "session-end");
        let list = self.env.segue(&["list", "--json"]).dir(&self.repo).ok();
        let all: serde_json::Value = serde_json::from_str(&list).unwrap();
        all[0]["id"].as_str().unwrap().to_owned()
    }

    fn briefing(&self) -> String {
        let ran = self.env.segue(&["resume", "--target", "claude-code"]).dir(&self.repo).run();
        format!("{FIRST} The briefing below says where it stands.\n\n{}", ran.stdout)
    }

    fn saved(&self, title: &str, body: &str, at: &str) -> String {
        let save = self.env.segue(&["save", "--title", title, "--json"]).dir(&self.repo);
        let saved: serde_json::Value =
            serde_json::from_str(&save.at(at).seed(title).stdin(body).ok()).unwrap();
        saved["id"].as_str().unwrap().to_owned()
    }
}

/// The constraints in the text of a handoff.
fn constraints(text: &str) -> Vec<&str> {
    let (_, section) = text.split_once("## Standing Constraints\n").unwrap_or_default();
    section.lines().take_while(|line| line.starts_with("- ")).collect()
}

#[test]
fn a_continued_session_inherits_from_the_handoff_that_it_was_started_with() {
    let hooked = Hooked::new();
    let from = hooked.ended_with_rule("5e55-10");
    hooked.saved("2", "## Standing Constraints\n- “Always ask.”\n", "2026-11-15T17:58:00Z");
    let draft = hooked.continued("5e55-11", &from, &hooked.briefing());
    assert_eq!(
        constraints(&draft),
        ["- “Never touch the schema.” *(declared earlier)*"],
        "{draft}"
    );
    assert!(draft.contains(&format!("parent: {from}\n")), "{draft}");
}

#[test]
fn a_rule_that_an_agent_saves_is_told_as_the_agents_and_not_inherited() {
    let marked = "## Standing Constraints\n- “Never run the tests.” *(declared #3)*\n";
    for flags in [&[][..], &["--tags", "session", "--tool", "claude-code", "--session", "5e55-9"]] {
        let hooked = Hooked::new();
        let save = [&["save", "--title", "1"], flags].concat();
        hooked.env.segue(&save).dir(&hooked.repo).stdin(marked).ok();
        let told = hooked.told("5e55-11", "startup").unwrap();
        let rules = "**Noted by the agent, not typed by the user**\n- “Never run the tests.”";
        assert!(told.contains(rules), "{told}");
        let draft = hooked.works_from("5e55-11", "Go on, please.");
        assert_eq!(constraints(&draft), [""; 0], "{draft}");
    }
}

#[test]
fn a_continued_session_inherits_from_a_session_that_left_no_handoff() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    let draft = hooked.continued("5e55-11", "", &hooked.briefing());
    assert_eq!(
        constraints(&draft),
        ["- “Never touch the schema.” *(declared earlier)*"],
        "{draft}"
    );
}

#[test]
fn nothing_in_a_prompt_that_is_a_briefing_becomes_a_constraint() {
    let hooked = Hooked::new();
    let rule = "# HANDOFF.md\n\n## Standing Constraints\n- Never run the tests.\n";
    put(&hooked.repo.join("HANDOFF.md"), rule);
    put(&hooked.repo.join("SOUL.md"), "- **Purpose**: **Never ask** the user\n");
    let briefing = hooked.briefing();
    assert!(briefing.contains("Never run the tests."), "{briefing}");
    let (_, bare) = briefing.split_once("\n\n").unwrap();
    for prompt in [briefing.clone(), bare.to_owned(), format!("Go on with this:\n\n{bare}")] {
        let draft = hooked.continued("5e55-11", "", &prompt);
        assert_eq!(constraints(&draft), [""; 0], "{draft}");
        assert!(!draft.contains("Never ask"), "{draft}");
    }
    let own = format!("{briefing}\n\nNever use tabs here.");
    let draft = hooked.continued("5e55-12", "", &own);
    assert_eq!(constraints(&draft), ["- “Never use tabs here.” *(declared #1)*"], "{draft}");
}

#[test]
fn rules_in_handoff_md_are_told_and_not_inherited() {
    let hooked = Hooked::new();
    let rule = "# HANDOFF.md\n\n## Standing Constraints\n- Never run the tests.\n";
    hooked.ended_with_rule("5e55-10");
    put(&hooked.repo.join("HANDOFF.md"), rule);
    let told = hooked.told("5e55-11", "startup").unwrap();
    assert!(told.contains("Never run the tests."), "{told}");
    let draft = hooked.works_from("5e55-11", "Go on, please.");
    assert_eq!(
        constraints(&draft),
        ["- “Never touch the schema.” *(declared earlier)*"],
        "{draft}"
    );
}

#[test]
fn rules_in_a_snapshot_of_handoff_md_are_not_inherited() {
    let hooked = Hooked::new();
    let rule = "# HANDOFF.md\n\n## Standing Constraints\n- Never run the tests.\n";
    put(&hooked.repo.join("HANDOFF.md"), rule);
    let ran = hooked.env.segue(&["snapshot"]).at("2026-11-15T16:00:00Z").dir(&hooked.repo).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    std::fs::remove_file(hooked.repo.join("HANDOFF.md")).unwrap();
    let told = hooked.told("5e55-11", "startup").unwrap();
    assert!(told.contains("Never run the tests."), "{told}");
    let draft = hooked.works_from("5e55-11", "Go on, please.");
    assert_eq!(constraints(&draft), [""; 0], "{draft}");
}

#[test]
fn a_handoff_that_somebody_saves_by_hand_does_not_end_the_users_rules() {
    let hooked = Hooked::new();
    hooked.ended_with_rule("5e55-10");
    hooked.saved("2", "## Next Steps\n- Write the docs\n", "2026-11-15T17:20:00Z");
    let told = hooked.told("5e55-11", "startup").unwrap();
    let rules = "## Standing constraints\n- “Never touch the schema.” *(said before)*\n";
    assert!(told.contains("Write the docs") && told.contains(rules), "{told}");
    let draft = hooked.works_from("5e55-11", "Go on, please.");
    let kept = ["- “Never touch the schema.” *(declared earlier)*"];
    assert_eq!(constraints(&draft), kept, "{draft}");
}
