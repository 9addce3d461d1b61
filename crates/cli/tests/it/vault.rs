//! Push and pull, against a service on this machine that answers as it was told.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ground::{Segue, TestEnv, put};
use crate::scripted::{Reply, Service, answer, answer_with, raw};
use crate::strace;

const KEY: &str = "mv_SECRET_0123456789";

fn created() -> Reply {
    answer(201, r#"{"created": true}"#)
}

fn value(text: &str) -> Reply {
    let quoted: String = text.chars().map(|c| format!("\\u{:04x}", c as u32)).collect();
    answer(200, &format!(r#"{{"key":"k","value":"{quoted}","tags":["handoff"]}}"#))
}

/// A call with a key in the environment, and this service.
fn with(env: &TestEnv, service: &Service, args: &[&str]) -> Segue {
    env.segue(args).env("MEMORYVAULT_API_KEY", KEY).env("MEMORYVAULT_URL", &service.url)
}

fn config(env: &TestEnv, text: &str) -> PathBuf {
    let path = env.dir(".config/segue").join("config.toml");
    put(&path, text);
    open_to(&path, 0o600);
    path
}

#[cfg(unix)]
fn open_to(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn open_to(_path: &Path, _mode: u32) {}

/// The body of the first request, as the service read it.
fn sent(service: &Service) -> serde_json::Value {
    serde_json::from_str(&service.seen()[0].body).unwrap()
}

#[test]
fn a_push_sends_the_whole_handoff_file_a8() {
    let env = TestEnv::new();
    let text: String = (0..1000).map(|n| format!("- fact {n} é\r\n")).collect();
    env.saved(&["--title", "not this one"]);
    put(&env.work.join("HANDOFF.md"), &text);
    let service = Service::start(vec![created()]);
    let said = with(&env, &service, &["push"]).ok();
    assert_eq!(said, "Pushed to MemoryVault: handoff/agent/latest\n");
    assert_eq!(service.lines(), ["POST /store"]);
    let sent = sent(&service);
    assert!(sent["value"].as_str().unwrap() == text, "it is not the whole file");
    assert_eq!(sent["key"], "handoff/agent/latest");
    assert_eq!(sent["tags"], serde_json::json!(["handoff", "session", "agent"]));
    assert_eq!(sent["public"], false);
    assert!(service.seen()[0].head.contains(&format!("Bearer {KEY}\r\n")));
}

#[test]
fn without_a_handoff_file_the_newest_handoff_here_is_pushed() {
    let env = TestEnv::new();
    let other = env.dir("other");
    env.segue(&["save", "--title", "Elsewhere"]).dir(&other).ok();
    let service = Service::start(vec![created()]);
    let error = with(&env, &service, &["push"]).fails(66);
    assert!(error.contains("no HANDOFF.md and no handoff in $ROOT/work"), "{error}");
    assert!(error.contains("hint: 'segue save'"), "{error}");
    let id = env.segue(&["save", "--title", "Auth half done"]).seed("2").ok();
    let json = with(&env, &service, &["push", "--json", "--name", "Aria"]).ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["key"], "handoff/Aria/latest");
    assert_eq!(json["created"], true);
    assert_eq!(json["file"], serde_json::Value::Null);
    assert!(json["handoff"].as_str().unwrap().ends_with(id.trim()));
    let value = sent(&service)["value"].as_str().unwrap().to_owned();
    assert!(value.contains("\n# Auth half done\n"), "{value}");
    // Another directory by its path, from anywhere.
    let service = Service::start(vec![created()]);
    with(&env, &service, &["push", "../other"]).ok();
    assert!(sent(&service)["value"].as_str().unwrap().contains("\n# Elsewhere\n"));
    let error = with(&env, &service, &["push", "nowhere"]).fails(66);
    assert!(error.starts_with("error: the directory $ROOT/work/nowhere does not exist\n"));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_pushed_whole_is_not_pushed() {
    use std::os::unix::fs::symlink;
    let env = TestEnv::new();
    let service = Service::start(vec![created()]);
    let file = env.work.join("HANDOFF.md");
    let refused = |why: &str| {
        let error = with(&env, &service, &["push"]).fails(65);
        assert!(error.contains(&format!("HANDOFF.md: {why}")), "{error}");
    };
    put(&file, " \n");
    refused("it is empty");
    put(&file, "x".repeat(1024 * 1024 + 1));
    refused("it is larger than 1 MiB");
    put(&file, b"caf\xe9");
    refused("it is not UTF-8 (first bad byte at offset 3)");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    refused("it is not a file");
    fs::remove_dir(&file).unwrap();
    let secret = env.dir("ssh").join("id_ed25519");
    put(&secret, "PRIVATE KEY");
    symlink(&secret, &file).unwrap();
    refused("it is a link that leads out of the directory, or to nothing");
    fs::remove_file(&secret).unwrap();
    refused("it is a link that leads out of the directory, or to nothing");
    assert_eq!(service.lines(), Vec::<String>::new());
    fs::remove_file(&file).unwrap();
    put(&env.work.join("notes/today.md"), "x".repeat(1024 * 1024));
    symlink("notes/today.md", &file).unwrap();
    with(&env, &service, &["push"]).ok();
}

#[test]
fn a_push_that_failed_says_so_once_and_fails_a12() {
    let env = TestEnv::new();
    put(&env.work.join("HANDOFF.md"), "state\n");
    let detail = format!(r#"{{"detail":"no: {KEY}"}}"#);
    let evil = Service::start(vec![created()]);
    let elsewhere = format!("location: {}/store?k={KEY}\r\n", evil.url);
    let cases: [(Vec<Reply>, i32, &str); 9] = [
        (
            vec![answer(401, &detail)],
            1,
            "refused the API key (401: no: [API key]); the key is from MEMORYVAULT_API_KEY",
        ),
        (vec![answer(403, &detail)], 1, "refused the API key (403"),
        (vec![answer(429, &detail)], 75, "cannot answer now (429: no: [API key])"),
        (vec![answer(500, &detail)], 75, "cannot answer now (500"),
        (vec![answer(422, &detail)], 1, "did not take it (422: no: [API key])"),
        (vec![answer(404, &detail)], 1, "did not take it (404"),
        (vec![raw("HTTP/1.1 200 OK\r\ncont")], 1, "was cut off"),
        (vec![answer_with(302, &elsewhere, "")], 1, "which is not followed"),
        (vec![answer(200, "<html>")], 1, "is not understood"),
    ];
    for (script, code, message) in cases {
        let service = Service::start(script);
        let error = with(&env, &service, &["push"]).env("RUST_BACKTRACE", "1").fails(code);
        assert!(error.contains(message), "{error}");
        assert!(!error.contains("SECRET"), "{error}");
        assert_eq!(error.lines().count(), 2, "{error}");
    }
    assert_eq!(evil.lines(), Vec::<String>::new());
    let closed = env.segue(&["push"]).env("MEMORYVAULT_URL", "http://127.0.0.1:1");
    let error = closed.env("MEMORYVAULT_API_KEY", KEY).fails(1);
    assert!(error.contains("cannot connect to 127.0.0.1:1: nothing listens there"), "{error}");
}

#[test]
fn a_push_goes_through_a_service_that_only_updates_or_stumbles() {
    let env = TestEnv::new();
    put(&env.work.join("HANDOFF.md"), "state\n");
    for status in [404, 405] {
        let service = Service::start(vec![answer(status, "{}"), created()]);
        with(&env, &service, &["push"]).ok();
        assert_eq!(service.lines()[1], "PATCH /update/handoff/agent/latest?upsert=true");
    }
    for stumble in [answer(500, ""), answer_with(429, "retry-after: 1\r\n", ""), raw("")] {
        let service = Service::start(vec![stumble, created()]);
        with(&env, &service, &["push"]).ok();
        assert_eq!(service.lines(), ["POST /store", "POST /store"]);
    }
}

#[test]
fn names_are_escaped_or_refused_a13() {
    let env = TestEnv::new();
    put(&env.work.join("HANDOFF.md"), "state\n");
    let service = Service::start(vec![answer(405, ""), created()]);
    let said = with(&env, &service, &["push", "--name", "my bot/x?y#é"]).ok();
    assert_eq!(said, "Pushed to MemoryVault: handoff/my bot/x?y#é/latest\n");
    assert_eq!(sent(&service)["tags"][2], "my bot/x?y#é");
    let path = "handoff/my%20bot/x%3Fy%23%C3%A9/latest";
    assert_eq!(service.lines()[1], format!("PATCH /update/{path}?upsert=true"));
    let service = Service::start(vec![value("text")]);
    with(&env, &service, &["pull", "--name", "my bot/x?y#é"]).ok();
    assert_eq!(service.lines(), [format!("GET /get/{path}")]);
    for name in ["", " ", "a\nb", "a\u{1b}[0mb", "a/../b", "..", "a//b", "/", "a/"] {
        for command in ["push", "pull"] {
            with(&env, &service, &[command, "--name", name]).fails(64);
        }
    }
    assert_eq!(service.lines().len(), 1);
}

#[test]
fn without_a_key_nothing_is_asked() {
    let env = TestEnv::new();
    put(&env.work.join("HANDOFF.md"), "state\n");
    let service = Service::start(vec![created()]);
    for command in ["push", "pull"] {
        let error = env.segue(&[command]).env("MEMORYVAULT_URL", &service.url).fails(64);
        assert_eq!(
            error,
            "error: there is no API key for MemoryVault\n\
             hint: set MEMORYVAULT_API_KEY, or api_key under [memoryvault] in $ROOT/.config/segue/config.toml\n"
        );
        let bad = with(&env, &service, &[command, "--api-key", "mv_SECRET two words"]).fails(64);
        assert!(!bad.contains("SECRET"), "{bad}");
        with(&env, &service, &[command, "--api-key", ""]).fails(64);
        let typo = with(&env, &service, &[command, &format!("--api_key={KEY}")]).fails(64);
        assert!(!typo.contains("SECRET"), "{typo}");
    }
    assert_eq!(service.lines(), Vec::<String>::new());
}

#[test]
fn only_https_or_this_machine_is_talked_to() {
    let env = TestEnv::new();
    put(&env.work.join("HANDOFF.md"), "state\n");
    for url in ["http://memoryvault.example", "http://10.0.0.1", "ftp://127.0.0.1", "nonsense"] {
        for command in ["push", "pull"] {
            let call = env.segue(&[command]).env("MEMORYVAULT_API_KEY", KEY);
            let error = call.env("MEMORYVAULT_URL", url).fails(64);
            assert!(error.contains(&format!("'{url}' cannot be used")), "{error}");
            assert!(error.contains("hint: set MEMORYVAULT_URL"), "{error}");
        }
    }
}

#[test]
fn the_nearest_place_that_says_it_counts() {
    let env = TestEnv::new();
    put(&env.work.join("HANDOFF.md"), "state\n");
    let service = Service::start(vec![answer(401, "{}")]);
    let path = config(&env, &format!("[memoryvault]\napi_key = 'k3'\nurl = '{}'\n", service.url));
    let heard = |key: &str| {
        assert!(service.seen().last().unwrap().head.contains(&format!("Bearer {key}\r\n")));
    };
    let error = env.segue(&["push"]).fails(1);
    assert!(error.contains("the key is from $ROOT/.config/segue/config.toml"), "{error}");
    heard("k3");
    env.segue(&["push"]).env("MEMORYVAULT_API_KEY", "k2").fails(1);
    heard("k2");
    let flagged = env.segue(&["push", "--api-key", "k1"]).env("MEMORYVAULT_API_KEY", "k2");
    assert!(flagged.fails(1).contains("the key is from --api-key"));
    heard("k1");
    let nearer = Service::start(vec![created()]);
    env.segue(&["push"]).env("MEMORYVAULT_URL", &nearer.url).ok();
    assert_eq!(nearer.lines().len(), 1);
    // Where others keep theirs.
    let moved = env.dir("elsewhere/segue").join("config.toml");
    fs::rename(&path, &moved).unwrap();
    let call =
        env.segue(&["push"]).env("XDG_CONFIG_HOME", moved.parent().unwrap().parent().unwrap());
    assert!(call.fails(1).contains("the key is from $ROOT/elsewhere/segue/config.toml"));
}

#[cfg(unix)]
#[test]
fn a_configuration_is_looked_at_with_care() {
    let env = TestEnv::new();
    put(&env.work.join("HANDOFF.md"), "state\n");
    let service = Service::start(vec![created()]);
    let url = &service.url;
    let path =
        config(&env, &format!("[memoryvault]\napi_key = '{KEY}'\nurls = 1\nurl = '{url}'\n"));
    open_to(&path, 0o644);
    let ran = env.segue(&["push", "--json"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stderr,
        "warning: $ROOT/.config/segue/config.toml: line 3: 'memoryvault.urls' is not known; do you mean 'memoryvault.url'?\n\
         warning: $ROOT/.config/segue/config.toml holds an API key and others can open it; 'chmod 600' it\n"
    );
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["warnings"].as_array().unwrap().len(), 2);
    config(&env, &format!("[memoryvault]\napi_key = \"{KEY}\n"));
    let error = env.segue(&["push"]).fails(65);
    assert!(error.starts_with("error: $ROOT/.config/segue/config.toml: line 2: "), "{error}");
    assert!(!error.contains("SECRET"), "{error}");
    // Whoever does not need it does not stumble over it.
    env.saved(&["--title", "x"]);
    env.segue(&["list"]).ok();
    with(&env, &service, &["push"]).ok();
}

#[test]
fn a_pull_becomes_a_handoff_of_this_project_once() {
    let env = TestEnv::new();
    let text = "# Auth half done\r\n\r\n## Next Steps\n\n- é 修 test\n";
    let service = Service::start(vec![value(text), value(text), value("other"), value("other")]);
    let id = with(&env, &service, &["pull"]).ok();
    let id = id.trim();
    assert_eq!(service.lines(), ["GET /get/handoff/agent/latest"]);
    assert_eq!(env.segue(&["show"]).run().bytes, text.as_bytes());
    let raw = env.segue(&["show", "--raw"]).run().stdout;
    assert!(raw.contains("\ntitle: Auth half done\n"), "{raw}");
    let imported = raw.lines().find(|line| line.starts_with("imported: "));
    assert_eq!(
        imported,
        Some(
            "imported: {at: \"2026-11-15T17:45:00.000000Z\", from: memoryvault handoff/agent/latest}"
        )
    );
    let again = with(&env, &service, &["pull"]).run();
    assert_eq!((again.code, again.stdout.trim()), (0, id));
    assert_eq!(again.stderr, "nothing new: this handoff was pulled before\n");
    assert_eq!(env.handoff_files().len(), 1);
    // Something new is saved beside it; what has no heading gets a title.
    let json = with(&env, &service, &["pull", "--json"]).seed("2").ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json["schema"].as_u64(), json["new"].as_bool()), (Some(1), Some(true)));
    assert_eq!(json["key"], "handoff/agent/latest");
    assert_eq!(env.handoff_files().len(), 2);
    assert!(env.segue(&["list"]).ok().contains("Pulled from MemoryVault: agent"));
    let json = with(&env, &service, &["pull", "--json"]).ok();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap()["new"], false);
    // The same text under another name came from elsewhere.
    let service = Service::start(vec![value(text)]);
    with(&env, &service, &["pull", "--name", "Aria"]).seed("3").ok();
    assert_eq!(env.handoff_files().len(), 3);
    // So did it for another directory.
    let other = env.dir("other");
    with(&env, &service, &["pull", "../other", "--name", "Aria"]).seed("4").ok();
    assert_eq!(env.handoff_files().len(), 4);
    assert_eq!(env.segue(&["show"]).dir(&other).run().bytes, text.as_bytes());
}

#[test]
fn a_pulled_text_is_body_and_never_head() {
    let env = TestEnv::new();
    for (seed, text) in [
        (
            "1",
            "---\nsegue: 1\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\ntitle: Forged\nimported: {signer: boss}\n---\nbody",
        ),
        ("2", "---\n---\n---\nid: x\n"),
        ("3", "<!-- segue | layer2 | 2026-11-15 | 20261115-174500-a3f9c12e -->\n# Forged state\n"),
        ("4", "<!-- segue:end -->\n# Forged block\n<!-- segue:begin -->\nx\n"),
        ("5", "\u{1b}]0;title\u{7}\n# a\u{1b}[31m\n"),
    ] {
        let service = Service::start(vec![value(text)]);
        let id = with(&env, &service, &["pull", "--name", seed]).seed(seed).ok();
        let id = id.trim();
        assert_ne!(id, "a3f9c12e");
        assert_eq!(env.segue(&["show", id]).run().bytes, text.as_bytes());
        let shown = env.segue(&["show", id, "--json"]).run();
        assert!(shown.stderr.contains("nobody signed it"), "{}", shown.stderr);
        let shown = shown.stdout;
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown["project"], "work");
        assert_ne!(shown["title"], "Forged");
        let raw = env.segue(&["show", id, "--raw"]).run().stdout;
        assert!(!raw.split("\n---\n").next().unwrap().contains("signer"), "{raw}");
    }
    env.segue(&["show", "a3f9c12e"]).fails(66);
    assert!(env.segue(&["doctor"]).run().code == 0);
}

#[test]
fn a_pull_that_finds_nothing_saves_nothing() {
    let env = TestEnv::new();
    for (reply, code, message) in [
        (
            answer(404, r#"{"detail":"Memory not found"}"#),
            66,
            "MemoryVault has nothing under 'handoff/agent/latest'",
        ),
        (answer(200, r#"{"value":null}"#), 66, "has nothing under"),
        (value(" \n"), 65, "is empty"),
        (answer(200, "<html>"), 1, "is not understood"),
        (answer(200, r#"{"value": "cut"#), 1, "is not understood"),
        (
            answer(401, &format!("{{\"detail\":\"{KEY}\"}}")),
            1,
            "the key is from MEMORYVAULT_API_KEY",
        ),
    ] {
        let service = Service::start(vec![reply]);
        let error = with(&env, &service, &["pull"]).fails(code);
        assert!(error.contains(message), "{error}");
        assert!(!error.contains("SECRET"), "{error}");
    }
    assert!(env.handoff_files().is_empty());
    let service = Service::start(vec![answer(200, r#"{"value":{"b":1,"a":"x"}}"#)]);
    with(&env, &service, &["pull"]).ok();
    // In the order in which it was stored.
    assert_eq!(env.segue(&["show"]).run().stdout, "{\n  \"b\": 1,\n  \"a\": \"x\"\n}\n");
}

#[test]
fn what_was_pushed_comes_back_on_another_machine() {
    let (here, there) = (TestEnv::new(), TestEnv::new());
    here.segue(&["save", "--title", "Auth half done"]).stdin("## Context\n\nx\n").ok();
    let service = Service::start(vec![created()]);
    with(&here, &service, &["push"]).ok();
    let text = sent(&service)["value"].as_str().unwrap().to_owned();
    let service = Service::start(vec![value(&text)]);
    with(&there, &service, &["pull"]).ok();
    assert_eq!(there.segue(&["show"]).run().bytes, text.as_bytes());
    assert!(there.segue(&["list"]).ok().contains("Auth half done"));
}

#[test]
fn no_other_command_touches_the_network() {
    let env = TestEnv::new();
    if !strace::works(&env) {
        return;
    }
    config(&env, "not toml");
    let log = env.work.join("calls");
    let log = log.to_str().unwrap();
    let traced = |args: &[&str], url: &str| {
        let call = env.segue_under(&["strace", "-f", "-o", log], args);
        let code = call.env("MEMORYVAULT_URL", url).env("MEMORYVAULT_API_KEY", KEY).run().code;
        let calls = fs::read_to_string(log).unwrap();
        (
            code,
            calls.contains("segue/config.toml"),
            calls.contains("socket("),
            calls.contains("/certs"),
        )
    };
    // What is saved is looked through by the user's rules too; that these are not there is no reason to
    // save nothing.
    assert_eq!(traced(&["save", "--title", "x"], ""), (0, true, false, false));
    for args in [&["list"][..], &["show"], &["doctor"]] {
        assert_eq!(traced(args, ""), (0, false, false, false), "{args:?}");
    }
    // A push gets no further than its configuration if that is bad.
    assert_eq!(traced(&["push"], ""), (65, true, false, false));
    let service = Service::start(vec![created()]);
    assert_eq!(traced(&["push"], &service.url), (0, true, true, false));
}
