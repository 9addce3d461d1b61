//! How a server ends, and what it does while somebody else has the store.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Client, regular};
use crate::ground::{TestEnv, files_below};

#[test]
fn the_end_of_the_input_is_a_regular_end() {
    let env = TestEnv::new();
    assert_eq!(Client::start(env.segue(&["mcp"])).end(), regular());
    assert_eq!(Client::begin(&env).end(), regular());
    assert_eq!(env.segue(&["mcp"]).ok(), "");
    // In the middle of a message, too.
    let mut client = Client::begin(&env);
    client.stdin.as_mut().unwrap().write_all(br#"{"jsonrpc":"2.0","#).unwrap();
    assert_eq!(client.end(), regular());
}

#[test]
fn what_was_asked_before_the_input_ended_is_answered_in_order() {
    let env = TestEnv::new();
    let ask = |id: u64, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
    };
    let info = json!({"name": "x", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
    let mut input = ask(0, "initialize", hello);
    for at in 1..=20 {
        let arguments = json!({"title": format!("number {at}"), "body": "x"});
        input.push_str(&ask(at, "tools/call", json!({"name": "save", "arguments": arguments})));
    }
    input.push_str(&ask(21, "tools/call", json!({"name": "list", "arguments": {"limit": 50}})));
    let out = env.segue(&["mcp"]).real_clock().stdin(input).ok();
    let answers: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<u64> = answers.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, (0..=21).collect::<Vec<_>>());
    let rows = answers[21]["result"]["structuredContent"]["handoffs"].as_array().unwrap();
    let titles: Vec<String> =
        rows.iter().map(|row| row["title"].as_str().unwrap().to_owned()).collect();
    let expected: Vec<String> = (1..=20).rev().map(|at| format!("number {at}")).collect();
    assert_eq!(titles, expected);
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_is_a_regular_end() {
    use rustix::process::{Pid, Signal, kill_process};
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        for begun in [true, false] {
            let env = TestEnv::new();
            let mut client = match begun {
                true => Client::begin(&env),
                false => Client::start(env.segue(&["mcp"])),
            };
            client.get("ping", json!({}));
            let pid = Pid::from_raw(i32::try_from(client.child.id()).unwrap()).unwrap();
            let before = Instant::now();
            kill_process(pid, signal).unwrap();
            // The input stays open.
            assert_eq!(client.wait(), regular(), "{signal:?}");
            assert!(before.elapsed() < Duration::from_secs(20));
        }
    }
}

#[test]
fn a_closed_output_is_a_regular_end() {
    let env = TestEnv::new();
    let mut call = env.segue(&["mcp"]);
    call.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = call.command.spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    stdin.write_all(format!("{ping}\n").as_bytes()).unwrap();
    let status = child.wait().unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
    drop(stdin);
}

#[test]
fn a_ping_is_answered_while_a_save_waits_for_a_lock() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    client.saved("first", "x");
    let lock = files_below(&env.home.join("projects"))
        .into_iter()
        .find(|path| path.ends_with(".lock"))
        .unwrap();
    let lock = File::options().read(true).write(true).open(lock).unwrap();
    lock.lock().unwrap();
    let save = json!({"name": "save", "arguments": {"title": "second", "body": "x"}});
    let waiting = client.ask("tools/call", save);
    let list = client.ask("tools/call", json!({"name": "list", "arguments": {}}));
    let ping = client.ask("ping", json!({}));
    assert_eq!(client.read()["id"], ping);
    lock.unlock().unwrap();
    let saved = client.read();
    assert_eq!((&saved["id"], &saved["result"]["isError"]), (&json!(waiting), &json!(false)));
    // What was asked after it was done after it.
    let listed = client.read();
    assert_eq!(listed["id"], list);
    let rows = &listed["result"]["structuredContent"]["handoffs"];
    assert_eq!(rows[0]["title"], "second", "{rows}");
    assert_eq!(client.end(), regular());
}

#[test]
fn a_call_that_was_taken_back_before_it_began_is_not_done() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    client.saved("first", "x");
    let lock = files_below(&env.home.join("projects"))
        .into_iter()
        .find(|path| path.ends_with(".lock"))
        .unwrap();
    let lock = File::options().read(true).write(true).open(lock).unwrap();
    lock.lock().unwrap();
    let save = |title: &str| json!({"name": "save", "arguments": {"title": title, "body": "x"}});
    let kept = client.ask("tools/call", save("kept"));
    let dropped = client.ask("tools/call", save("taken back"));
    let params = json!({"requestId": dropped, "reason": "no"});
    client.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    client.get("ping", json!({}));
    lock.unlock().unwrap();
    assert_eq!(client.read()["id"], kept);
    let (_, data) = client.done("list", json!({}));
    assert!(!data.to_string().contains("taken back"), "{data}");
    assert_eq!(client.end(), regular());
}

#[test]
fn a_client_that_reads_late_gets_every_answer() {
    let env = TestEnv::new();
    let mut client = Client::begin(&env);
    let bad = |id: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"list","arguments":[]}}}}"#
        )
    };
    let good = |id: usize| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
    let mut wanted = std::collections::BTreeSet::new();
    for id in (1_000..1_200).step_by(2) {
        client.write(good(id).as_bytes());
        client.write(bad(id + 1).as_bytes());
        wanted.extend([id, id + 1]);
    }
    std::thread::sleep(Duration::from_millis(500));
    while !wanted.is_empty() {
        let id = client.read()["id"].as_u64().unwrap();
        assert!(wanted.remove(&usize::try_from(id).unwrap()), "{id}");
    }
    assert_eq!(client.end(), regular());
}
