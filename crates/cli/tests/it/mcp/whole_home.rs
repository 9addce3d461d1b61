//! A secret is in no file of the home and in nothing that goes out, whichever door it was brought through.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::Client;
use crate::capture::{assistant, result, says, user, worked};
use crate::ground::{TestEnv, files_below};
use crate::hook::Hooked;

/// Letters and digits that no word is made of; the same seed gives the same.
fn random(seed: u64, length: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let all = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
        char::from(all[usize::try_from(state % all.len() as u64).unwrap()])
    };
    (0..length).map(|_| next()).collect()
}

/// Every door has a value of its own, so that what one lets through shows which.
fn value(door: u64) -> String {
    format!("sk_live_{}", random(door + 1, 32))
}

/// The doors through which a value was brought, whose value stands in these bytes.
fn doors_in(bytes: &[u8], doors: u64) -> Vec<u64> {
    let has = |door: &u64| {
        let part = value(*door)[8..28].to_owned();
        bytes.windows(part.len()).any(|window| window == part.as_bytes())
    };
    (0..doors).filter(has).collect()
}

fn leaks(env: &TestEnv, doors: u64) -> Vec<(PathBuf, Vec<u64>)> {
    let found = files_below(&env.home).into_iter().map(|path| {
        let doors = doors_in(&fs::read(&path).unwrap(), doors);
        (path, doors)
    });
    found.filter(|(_, doors)| !doors.is_empty()).collect()
}

const DOORS: u64 = 24;

/// A session with a value in everything that it can say.
fn session(hooked: &Hooked) {
    let call = |id: &str, name: &str, input: serde_json::Value| {
        assistant(&json!({"type": "tool_use", "id": id, "name": name, "input": input}))
    };
    let question =
        json!({"questions": [{"question": "Which key?", "header": "Key", "options": []}]});
    let mut records = worked(&hooked.repo);
    records.extend([
        user(&format!("Use {} for the payments. Never print {}.", value(0), value(1))),
        says(&format!("I decided to use {} because {} is old.", value(2), value(3))),
        call("s1", "Bash", json!({"command": format!("pay --key {} test", value(4))})),
        result("s1", &format!("Exit code 1\nerror: {} is not allowed", value(5)), true),
        call("s2", "TodoWrite", json!({"todos": [{"content": format!("Rotate {}", value(6)),
            "status": "pending", "activeForm": "x"}]})),
        result("s2", "ok", false),
        call("s3", "AskUserQuestion", question.clone()),
        json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result",
            "tool_use_id": "s3", "content": format!("User has answered: {}", value(7))}]},
            "toolUseResult": {"questions": question["questions"], "answers": {"Which key?": value(7)}}}),
        call("s4", "ExitPlanMode", json!({"plan": format!("# Pay\n\n1. Use {}\n", value(8))})),
        result("s4", "User has approved your plan.", false),
        call("s5", "Bash", json!({"command": format!("git commit -m 'use {}'", value(9))})),
        result("s5", &format!("[main 1a2b3c4] use {}\n 1 file changed", value(9)), false),
        call("s6", "Bash", json!({"command": format!("npm test -- {}", value(10))})),
        result("s6", &format!("FAIL pay.test.js\n{} was not expected\nTests: 1 failed", value(11)), true),
        says(&format!("It fails.\n\nNext, I will replace {}.", value(12))),
    ]);
    hooked.session("5e55-20", &records);
}

#[test]
fn a_secret_is_in_no_file_of_the_home_and_in_nothing_that_goes_out() {
    let hooked = Hooked::new();
    let env = &hooked.env;
    session(&hooked);
    hooked.told("5e55-20", "startup");
    for event in ["user-prompt-submit", "stop", "pre-compact", "stop"] {
        hooked.claude("5e55-20", event);
        assert_eq!(leaks(env, DOORS), [], "after {event}");
    }
    hooked.told("5e55-21", "startup");
    hooked.claude("5e55-20", "session-end");
    let repo = &hooked.repo;
    env.segue(&[
        "save",
        "--title",
        &format!("Pay by {}", value(13)),
        "--summary",
        &value(14),
        "--next",
        &format!("Rotate {}", value(15)),
    ])
    .stdin(format!("## Current State\n\nThe key is {}.\n", value(16)))
    .dir(repo)
    .run();
    env.segue(&["edit", "--summary", &format!("Now it is {}", value(17))]).dir(repo).run();
    env.segue(&["run", "--note", &format!("It was {}", value(18))]).dir(repo).run();
    env.segue(&["snapshot", "--from", "claude"]).dir(repo).run();
    let mut client = Client::begin_as(env.segue(&["mcp"]).dir(repo).real_clock(), "x", json!({}));
    client.saved(&format!("Pay with {}", value(19)), &format!("It is {}.\n", value(20)));
    client.done("decide", json!({"text": format!("Use {}", value(21)), "why": value(22)}));
    client.call("search", json!({"query": value(23)}));
    let mut out = Vec::new();
    for tool in ["list", "briefing"] {
        out.push(client.call(tool, json!({})).to_string());
    }
    assert_eq!(leaks(env, DOORS), [], "while the server runs");
    client.end();
    let export = env.beside("export.segue").to_string_lossy().into_owned();
    for args in [
        &["list", "--json"][..],
        &["resume"],
        &["show"],
        &["sessions", "--json"],
        &["search", "pay", "--json"],
        &["export", "--project", ".", "--output", &export],
        &["extract", "--json"],
        &["doctor"],
        &["status"],
    ] {
        let ran = env.segue(args).dir(repo).run();
        out.push(format!("{}{}", ran.stdout, ran.stderr));
    }
    for text in &out {
        assert_eq!(doors_in(text.as_bytes(), DOORS), [0; 0], "{text}");
    }
    let export = fs::read(&export).unwrap_or_else(|error| panic!("{error}: {out:?}"));
    assert_eq!(doors_in(&export, DOORS), [0; 0]);
    assert_eq!(leaks(env, DOORS), []);
    // The handoffs are there, with marks.
    let marks = files_below(&env.home)
        .into_iter()
        .filter(|path| fs::read(path).unwrap().windows(10).any(|part| part == b"[redacted:"));
    assert!(marks.count() > 4);
}
