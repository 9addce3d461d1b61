//! What is open: listed, closed, reopened, explained, and noted.

use serde_json::Value;

use crate::ground::TestEnv;

fn saved() -> TestEnv {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "Discounts", "--next", "Round up", "--next", "Ship it"]).ok();
    env
}

fn ids(env: &TestEnv) -> Vec<(String, String)> {
    let list: Value = serde_json::from_str(&env.segue(&["open", "--json"]).ok()).unwrap();
    assert_eq!(list["schema"], 1);
    let items = list["items"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    items.map(|item| (text(&item["id"]), text(&item["text"]))).collect()
}

#[test]
fn an_item_is_listed_closed_explained_and_reopened() {
    let env = saved();
    let open = env.segue(&["open"]).ok();
    assert!(open.starts_with("Next steps\n"), "{open}");
    let items = ids(&env);
    assert_eq!(items.len(), 2);
    let (id, text) = &items[0];
    assert!(open.contains(&format!("  {id}  {text} (")), "{open}");
    let closed = env.segue(&["close", id, "--why", "not needed"]).ok();
    assert_eq!(closed, format!("closed {id} {text}\n"));
    assert_eq!(ids(&env).len(), 1);
    let why = env.segue(&["why", &id[..4]]).ok();
    assert!(why.contains("closed by hand: not needed"), "{why}");
    assert_eq!(env.segue(&["reopen", id]).ok(), format!("open {id} {text}\n"));
    assert_eq!(ids(&env).len(), 2);
    // Each change is a handoff that can be read, and none of them is the latest.
    assert!(env.segue(&["show"]).ok().contains("Round up"));
    let kinds = env.segue(&["list", "--kind", "closing", "--json"]).ok();
    let kinds: Value = serde_json::from_str(&kinds).unwrap();
    assert_eq!(kinds.as_array().unwrap().len(), 2, "{kinds}");
}

#[test]
fn mistakes_are_told_with_a_way_out() {
    let env = saved();
    let cases: [(&[&str], i32, &str); 7] = [
        (&["close", "ffffffff"], 66, "'segue open --all' lists the items"),
        (&["close", "12"], 64, "8 hex digits, 4 are enough"),
        (&["why", "zzzz"], 64, "is no id of an item"),
        (&["close"], 64, "close --help"),
        (&["note"], 64, "note --help"),
        (&["note", "--next", " "], 64, "the note is empty"),
        (&["note", "--next", "a", "--rule", "b"], 64, "cannot be used with"),
    ];
    for (args, code, hint) in cases {
        let told = env.segue(args).fails(code);
        assert!(told.contains(hint), "{args:?}: {told}");
    }
    let elsewhere = TestEnv::new();
    let nothing = elsewhere.segue(&["open"]).run();
    assert_eq!((nothing.code, nothing.stdout.as_str()), (0, ""), "{}", nothing.stderr);
    assert_eq!(ids(&env).len(), 2);
}

#[test]
fn a_note_is_in_the_next_briefing() {
    let env = saved();
    env.segue(&["note", "--decision", "Storage: SQLite", "--why", "one file"]).ok();
    env.segue(&["note", "--gotcha", "The clock is mocked"]).ok();
    let told = env.segue(&["resume"]).ok();
    assert!(told.contains("Storage: SQLite. Why: one file"), "{told}");
    assert!(told.contains("The clock is mocked"), "{told}");
    assert!(!env.segue(&["list"]).ok().contains("The clock is mocked"));
    let listed = env.segue(&["list", "--kind", "note"]).ok();
    assert!(listed.contains("The clock is mocked"), "{listed}");
}
