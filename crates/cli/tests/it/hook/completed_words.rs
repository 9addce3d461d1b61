//! Words that an agent saved itself: they come first in what its session leaves, and what the session shows
//! otherwise is told.

use super::Hooked;

const WORDS: &str = "## Current State\n- The totals in `src/basket.rs` are right, all tests pass.\n- Committed.\n\n\
    ## Next Steps\n1. Ask Ada about rounding.\n";

const TESTS: &str = "The words say that tests pass; the last run of `cargo test` in the session failed (`basket::adds`).";
const COMMIT: &str =
    "The words say that work is committed; the transcript of the session shows no commit.";

impl Hooked {
    /// The agent of a session saves its words.
    fn saves_words(&self) -> String {
        let save = self.env.segue(&["save", "--title", "In my words", "--name", "totals"]);
        let save = save.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "5e55-10");
        save.dir(&self.repo).stdin(WORDS).at("2026-11-15T17:10:00Z").ok()
    }
}

#[test]
fn a_session_that_goes_on_keeps_its_words_and_tells_what_they_leave_out() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    hooked.saves_words();
    hooked.worked_on("5e55-10", "Now the taxes, please.");
    hooked.claude("5e55-10", "stop");
    let draft = std::fs::read_to_string(&hooked.drafts()[0]).unwrap();
    let body = draft.split("\n---\n").nth(1).unwrap().trim_start();
    assert!(body.starts_with(WORDS), "{draft}");
    for told in [
        "title: In my words\n",
        &format!("## Contradictions (from the transcript)\n- {TESTS}\n- {COMMIT}\n"),
        "## Next Steps (from the transcript)\n- Not answered yet: “Now the taxes, please.”",
        "## Standing Constraints (from the transcript)\n- “Never touch the schema.”",
        "## Checks (from the transcript)\n- Failed",
    ] {
        assert!(draft.contains(told), "{told}\n{draft}");
    }
    // The next session hears of it before it relies on anything.
    hooked.claude("5e55-10", "session-end");
    let told = hooked.told_at("e15e", "startup", "2026-11-16T09:00:00Z").unwrap();
    let verify = told.split("## Verify first\n").nth(1).unwrap().split("\n## ").next().unwrap();
    assert!(verify.contains(TESTS) && verify.contains(COMMIT), "{told}");
    assert!(told.contains("Ask Ada about rounding") && told.contains("Now the taxes"), "{told}");
    assert_eq!(told.matches(TESTS).count(), 1, "{told}");
}

#[test]
fn a_snapshot_of_a_session_keeps_the_words_that_its_agent_saved() {
    let hooked = Hooked::new();
    hooked.worked("5e55-10");
    let words = hooked.saves_words();
    let snapshot = |at: &str| {
        let snapshot = hooked.env.segue(&["snapshot", "--session", "5e55-10"]).dir(&hooked.repo);
        let id = snapshot.at(at).ok_with_talk();
        (hooked.env.segue(&["show", "--raw", id.trim()]).dir(&hooked.repo).ok(), id)
    };
    let (first, id) = snapshot("2026-11-15T18:00:00Z");
    let body = first.split("\n---\n").nth(1).unwrap().trim_start();
    assert!(body.starts_with(WORDS) && body.contains(TESTS), "{first}");
    assert!(body.contains("Done for the last request so far"), "{first}");
    assert!(!body.contains("Status:") && !body.contains("Next, I will mend"), "{first}");
    for told in ["title: In my words\n", "tags: [own-words]\n", "name: totals\n", words.trim()] {
        assert!(first.contains(told), "{told}\n{first}");
    }
    // Another one says the same, and nothing twice.
    let (second, _) = snapshot("2026-11-15T19:00:00Z");
    assert_eq!(second.split("\n---\n").nth(1).unwrap().trim_start(), body);
    assert!(second.contains(id.trim()), "{second}");
}
