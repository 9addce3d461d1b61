//! The plugin for OpenCode, run by node where there is one.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::Home;
use crate::ground::put;

/// Loads the plugin and does with it what OpenCode does.
const SCENE: &str = r#"
import { Segue } from "./segue.mjs"
const hooks = await Segue({ directory: process.cwd() })
const system = async (sessionID) => {
  const output = { system: ["first"] }
  await hooks["experimental.chat.system.transform"]({ sessionID }, output)
  return output.system
}
console.log(JSON.stringify(await system("s1")))
console.log(JSON.stringify(await system("s1")))
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
const compacting = { context: [] }
await hooks["experimental.session.compacting"]({ sessionID: "s1" }, compacting)
console.log(JSON.stringify(compacting.context))
await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "s1" } } })
console.log(JSON.stringify(await system("s1")))
const env = { env: {} }
await hooks["shell.env"]({ cwd: "/", sessionID: "s1" }, env)
console.log(JSON.stringify(env.env))
await hooks.event({ event: { type: "server.connected", properties: {} } })
await hooks.event({})
await hooks["experimental.chat.system.transform"]({}, { system: [] })
"#;

fn node(home: &Home, program: &str, mode: u32) -> Option<String> {
    let bin = home.path("bin");
    put(&bin.join("segue"), program);
    fs::set_permissions(bin.join("segue"), fs::Permissions::from_mode(mode)).unwrap();
    if mode & 0o111 == 0 {
        fs::set_permissions(bin.join("segue"), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let ran = home.command(&["install", "opencode", "--hooks"]).env("PATH", path).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    fs::set_permissions(bin.join("segue"), fs::Permissions::from_mode(mode)).unwrap();
    let plugin = home.read(".config/opencode/plugins/segue.js");
    put(&home.env.work.join("segue.mjs"), plugin);
    put(&home.env.work.join("scene.mjs"), SCENE);
    let Ok(output) = home.env.command("node").arg("scene.mjs").output() else {
        eprintln!("skipped: node is not there");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_session_is_told_its_briefing_with_every_request_and_asked_for_it_once() {
    let home = Home::new();
    let log = home.path("log");
    let program = format!(
        "#!/bin/sh\nread -r told\necho \"$* $told\" >> {}\nprintf '{{\"additionalContext\":\"brief %s\"}}' \"$3\"\n",
        log.display()
    );
    let Some(printed) = node(&home, &program, 0o755) else { return };
    assert_eq!(
        printed,
        "[\"first\",\"brief session-start\"]\n[\"first\",\"brief session-start\"]\n[\"brief pre-compact\"]\n[\"first\",\"brief session-start\"]\n{\"OPENCODE_SESSION_ID\":\"s1\"}\n"
    );
    let asked = home.read("log");
    let events: Vec<&str> = asked.lines().map(|line| line.split(' ').nth(2).unwrap()).collect();
    assert_eq!(events, ["session-start", "stop", "pre-compact", "session-start"]);
    let told: serde_json::Value =
        serde_json::from_str(asked.lines().last().unwrap().splitn(4, ' ').nth(3).unwrap()).unwrap();
    assert_eq!((&told["session_id"], &told["source"]), (&"s1".into(), &"compact".into()));
    assert_eq!(told["cwd"], home.env.work.display().to_string());
}

#[test]
fn whatever_goes_wrong_the_session_goes_on() {
    let nothing = "[\"first\"]\n[\"first\"]\n[]\n[\"first\"]\n{\"OPENCODE_SESSION_ID\":\"s1\"}\n";
    for (program, mode) in [
        ("#!/bin/sh\nexit 3\n", 0o755),
        ("#!/bin/sh\necho no json\n", 0o755),
        ("#!/bin/sh\nexec <&-\necho '{\"additionalContext\": 7}'\n", 0o755),
        ("no program", 0o644),
    ] {
        let Some(printed) = node(&Home::new(), program, mode) else { return };
        assert_eq!(printed, nothing, "{program}");
    }
}
