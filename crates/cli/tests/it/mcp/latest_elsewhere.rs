//! `latest` where nothing is here: a client is told so, and gets no other project's handoff.

use serde_json::json;

use super::Client;
use crate::ground::TestEnv;

#[test]
fn a_client_is_told_that_nothing_is_here() {
    let env = TestEnv::new();
    let shop = env.repo("shop");
    let other = env.segue(&["save", "--title", "Theirs", "--next", "Ring Ada"]).dir(&shop).ok();
    let call = env.segue(&["mcp"]).dir(&env.repo("here"));
    let mut client = Client::begin_as(call, "claude-code", json!({}));
    let told = client.trouble("show", json!({"id": "latest"}));
    assert!(told.starts_with("nothing is saved here. Another project's"), "{told}");
    let (_, told) = client.refused("resources/read", json!({"uri": "segue://handoff/latest"}));
    assert!(told.contains("nothing is saved here"), "{told}");
    let (text, _) = client.done("briefing", json!({"id": "latest"}));
    assert!(!text.contains("Ring Ada"), "{text}");
    let (text, _) = client.done("show", json!({"id": other.trim()}));
    assert!(text.contains("Ring Ada"), "{text}");
}
