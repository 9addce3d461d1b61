//! The official clients: the inspector's command line (npm) and the one for Python (PyPI). `scripts/mcp-clients` installs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::ground::TestEnv;
use crate::mount::works;

/// Where the clients are installed.
fn clients() -> Option<PathBuf> {
    let named = std::env::var_os("SEGUE_TEST_CLIENTS").map(PathBuf::from);
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    named.or_else(|| Some(cache?.join("segue-test-clients")))
}

/// Node and the inspector; `None`, said in a line, where they are not installed.
fn inspector() -> Option<(PathBuf, PathBuf)> {
    let modules = clients()?.join("node_modules");
    let script = modules.join("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    let own = std::fs::read_dir(&modules).ok()?.filter_map(Result::ok);
    let own = own.map(|entry| entry.path().join("bin/node"));
    let nodes = own.filter(|node| node.is_file()).chain([PathBuf::from("node")]);
    let node = nodes.into_iter().find(|node| works(Command::new(node).arg("--version")))?;
    script.is_file().then_some((node, script))
}

/// What the inspector prints for a method.
fn inspect(env: &TestEnv, (node, script): &(PathBuf, PathBuf), args: &[&str]) -> (i32, Value) {
    let mut command = env.command(node);
    command.arg(script).arg("--cli").arg(env!("CARGO_BIN_EXE_segue")).arg("mcp");
    // It gives a server only some of its own variables.
    command.args(["-e", &format!("SEGUE_HOME={}", env.home.display()), "--method"]).args(args);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let printed = String::from_utf8(output.stdout).unwrap();
    let parsed = serde_json::from_str(&printed);
    assert!(parsed.is_ok(), "{args:?}: {printed}{told}");
    (output.status.code().unwrap_or(-1), parsed.unwrap())
}

#[test]
fn the_inspector_finds_nothing_wrong() {
    let Some(inspector) = inspector() else {
        println!("skipped: the inspector is not installed (scripts/mcp-clients)");
        return;
    };
    let env = TestEnv::new();
    let good = |args: &[&str]| {
        let (code, printed) = inspect(&env, &inspector, args);
        assert_eq!(code, 0, "{args:?}: {printed}");
        printed
    };
    let tools = good(&["tools/list"]);
    assert_eq!(tools["tools"].as_array().unwrap().len(), 6, "{tools}");
    let call = ["tools/call", "--tool-name"];
    let called = |rest: &[&str]| good(&call.iter().chain(rest).copied().collect::<Vec<_>>());
    let saved = called(&[
        "save",
        "--tool-arg",
        "title=From the inspector",
        "--tool-arg",
        "body=## Next Steps\n\n- Go on\n",
        "--tool-arg",
        "tags=[\"a\",\"b\"]",
    ]);
    let id = saved["structuredContent"]["id"].as_str().unwrap().to_owned();
    let found = called(&["search", "--tool-arg", "query=go on", "--tool-arg", "limit=3"]);
    assert_eq!(found["structuredContent"]["hits"][0]["id"], *id, "{found}");
    called(&["show", "--tool-arg", &format!("id={id}")]);
    called(&["briefing"]);
    called(&["note", "--tool-arg", "kind=decision", "--tool-arg", "text=Clients: both"]);
    let listed = good(&["resources/list"]);
    let uri = listed["resources"][1]["uri"].as_str().unwrap();
    assert!(uri.ends_with(&id), "{listed}");
    let read = good(&["resources/read", "--uri", uri]);
    assert!(read.to_string().contains("From the inspector"), "{read}");
    good(&["resources/templates/list"]);
    good(&["prompts/list"]);
    let told = good(&["prompts/get", "--prompt-name", "resume"]);
    assert!(told.to_string().contains("From the inspector"), "{told}");
    let (code, wrong) =
        inspect(&env, &inspector, &["tools/call", "--tool-name", "show", "--tool-arg", "id=zz"]);
    assert_ne!(code, 0, "{wrong}");
    assert_eq!(wrong["isError"], true, "{wrong}");
}

#[test]
fn the_client_for_python_finds_nothing_wrong() {
    let python = clients().map(|clients| clients.join("python/bin/python"));
    let Some(python) = python.filter(|it| works(Command::new(it).args(["-c", "import mcp"])))
    else {
        println!("skipped: there is no Python with the package mcp (scripts/mcp-clients)");
        return;
    };
    let env = TestEnv::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/client.py");
    let directory = env.dir("from python");
    let output = env
        .command(python)
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_segue"))
        .arg(&directory)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "spoken: 2025-11-25 and 2026-07-28\n");
}
