//! Which agents, which files, which words: what `install` says and where it goes.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

use super::{Home, same};
use crate::ground::put;
use crate::terminal::Terminal;

#[test]
fn without_a_name_it_only_shows_what_it_would_do() {
    let home = Home::new();
    let ran = home.done(&["install"]);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("no agent was found"), "{}", ran.stderr);
    put(&home.path(".claude/settings.json"), "{}");
    let before = home.tree();
    let ran = home.done(&["install"]);
    assert!(ran.stdout.starts_with("Claude Code\n  ~ hooks"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("found Claude Code") && ran.stderr.contains("--all"),
        "{}",
        ran.stderr
    );
    let last = ran.stdout.lines().last().unwrap();
    for said in ["Nothing was changed", "segue install claude-code", "segue install --all"] {
        assert!(last.contains(said), "{said}: {last}");
    }
    home.done(&["install", "--all", "--dry-run"]);
    same(&before, &home.tree(), "nothing was changed");
    home.done(&["install", "--all"]);
    assert!(home.read(".claude/settings.json").contains("segue hook claude-code stop"));
    assert!(!home.path(".codex").exists(), "it is not here");
    home.done(&["uninstall"]);
    same(&before, &home.tree(), "as before");
}

#[test]
fn in_a_terminal_it_asks() {
    let home = Home::new();
    put(&home.path(".qwen/settings.json"), "{}");
    let Some(terminal) = Terminal::sized(&home.env, &[("PATH", "/usr/bin:/bin")], ["100", "30"])
    else {
        return;
    };
    let shows = |what: &str| terminal.wait(what, |screen| screen.contains(what));
    terminal.begin("segue install --hooks");
    shows("install this? [y/N]");
    terminal.keys(&["n", "Enter"]);
    shows("nothing was installed");
    assert_eq!(home.read(".qwen/settings.json"), "{}");
    terminal.begin("segue install --hooks; echo END");
    shows("install this? [y/N]");
    terminal.keys(&["y", "Enter"]);
    terminal.wait("END", |screen| screen.lines().any(|line| line == "END"));
    assert!(home.read(".qwen/settings.json").contains("segue hook"));
}

#[test]
fn agents_are_found_by_program_or_directory() {
    let home = Home::new();
    let bin = home.path("bin");
    put(&bin.join("codex"), "#!/bin/sh\n");
    fs::set_permissions(bin.join("codex"), fs::Permissions::from_mode(0o755)).unwrap();
    put(&bin.join("gemini"), "not a program");
    fs::create_dir(home.path(".copilot")).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let ran = home.command(&["install", "--status"]).env("PATH", path).run();
    let line = |agent: &str| ran.stdout.lines().find(|line| line.starts_with(agent)).unwrap();
    assert_eq!(line("Codex CLI"), "Codex CLI: found ($ROOT/bin/codex)");
    assert_eq!(line("Copilot CLI"), "Copilot CLI: found ($ROOT/.copilot)");
    assert_eq!(line("Gemini CLI"), "Gemini CLI: not found");
    let json = home.done(&["install", "--status", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let cline = json["agents"].as_array().unwrap().iter().find(|one| one["agent"] == "cline");
    let parts = cline.unwrap()["parts"].as_array().unwrap();
    let skill = parts.iter().find(|part| part["part"] == "skill" && part["scope"] == "user");
    assert_eq!(skill.unwrap()["state"], "none");
}

#[test]
fn what_agents_say_of_their_places_is_heard() {
    let home = Home::new();
    let at = |name: &str| home.path(name).display().to_string();
    let agents = ["claude", "codex", "gemini", "copilot", "qwen", "opencode", "cline"];
    let with = |word: &str| {
        let mut command = home.command(&[&[word], &agents[..]].concat());
        for (name, dir) in [
            ("CLAUDE_CONFIG_DIR", "1"),
            ("CODEX_HOME", "2"),
            ("GEMINI_CLI_HOME", "3"),
            ("COPILOT_HOME", "4"),
            ("QWEN_HOME", "5"),
            ("XDG_CONFIG_HOME", "6"),
            ("CLINE_DIR", "7"),
        ] {
            command = command.env(name, at(dir));
        }
        let ran = command.run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    let before = home.tree();
    with("install");
    for file in [
        "1/settings.json",
        "1/.claude.json",
        "1/skills/segue/SKILL.md",
        "1/CLAUDE.md",
        "2/hooks.json",
        "2/config.toml",
        "2/AGENTS.md",
        "3/.gemini/settings.json",
        "3/.gemini/GEMINI.md",
        "4/hooks/segue.json",
        "4/mcp-config.json",
        "4/copilot-instructions.md",
        "5/settings.json",
        "5/QWEN.md",
        "6/opencode/plugins/segue.js",
        "6/opencode/opencode.json",
        "6/opencode/AGENTS.md",
        "7/hooks/PreToolUse",
        "7/data/settings/cline_mcp_settings.json",
        ".agents/skills/segue/SKILL.md",
    ] {
        assert!(home.path(file).is_file(), "{file}");
    }
    let mode = fs::metadata(home.path("7/hooks/PreToolUse")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    with("uninstall");
    same(&before, &home.tree(), "as before");
}

#[test]
fn where_it_was_put_is_remembered_when_the_agent_moves() {
    let home = Home::new();
    put(&home.path("old/hooks.json"), "{}\n");
    put(&home.path("dotfiles/a.json"), "{}\n");
    fs::create_dir(home.path(".claude")).unwrap();
    let link = home.path(".claude/settings.json");
    symlink(home.path("dotfiles/a.json"), &link).unwrap();
    let install = ["install", "codex", "claude", "--hooks"];
    let ran = home.command(&install).env("CODEX_HOME", home.path("old")).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    fs::remove_file(&link).unwrap();
    assert!(home.read("old/hooks.json").contains("segue hook"));
    home.done(&["uninstall"]);
    assert_eq!(home.read("old/hooks.json"), "{}\n");
    assert_eq!(home.read("dotfiles/a.json"), "{}\n");
}

#[test]
fn the_program_is_named_as_it_is_found_on_the_path() {
    let home = Home::new();
    fs::create_dir(home.path("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_segue"), home.path("bin/segue")).unwrap();
    let path = format!("relative:{}:/usr/bin:/bin", home.path("bin").display());
    home.command(&["install", "claude", "codex", "--hooks", "--mcp"]).env("PATH", path).run();
    let link = home.path("bin/segue").display().to_string();
    for file in [".claude/settings.json", ".claude.json", ".codex/hooks.json", ".codex/config.toml"]
    {
        assert!(home.read(file).contains(&format!("\"{link}")), "{}", home.read(file));
    }
}

#[test]
fn a_path_with_spaces_is_run_by_every_agent() {
    let home = Home::new();
    let program = home.path("my 'own' bin/segue");
    put(&program, "#!/bin/sh\necho \"$@\"\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let dir = program.parent().unwrap();
    let path = format!("{}:/usr/bin:/bin", dir.display());
    let agents = ["claude", "codex", "gemini", "qwen", "copilot", "cursor", "cline"];
    let with = |word: &str| {
        let ran = home.command(&[&[word], &agents[..]].concat()).env("PATH", &path).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    let before = home.tree();
    with("install");
    let json =
        |file: &str| -> serde_json::Value { serde_json::from_str(&home.read(file)).unwrap() };
    let claude = &json(".claude/settings.json")["hooks"]["Stop"][0]["hooks"][0];
    assert_eq!(claude["command"], program.display().to_string());
    assert_eq!(claude["args"], serde_json::json!(["hook", "claude-code", "stop"]));
    let lines = [
        json(".codex/hooks.json")["hooks"]["Stop"][0]["hooks"][0]["command"].clone(),
        json(".gemini/settings.json")["hooks"]["AfterAgent"][0]["hooks"][0]["command"].clone(),
        json(".copilot/hooks/segue.json")["hooks"]["agentStop"][0]["bash"].clone(),
        json(".cursor/hooks.json")["hooks"]["stop"][0]["command"].clone(),
    ];
    let agents = ["codex", "gemini-cli", "copilot-cli", "cursor"];
    for (line, agent) in lines.iter().zip(agents) {
        let shell = home.env.command("/bin/sh").args(["-c", line.as_str().unwrap()]).output();
        let ran = String::from_utf8(shell.unwrap().stdout).unwrap();
        // Agents that do not see the variables of the shell are told the store.
        let ran = ran.split(" --home ").next().unwrap().trim_end();
        assert_eq!(ran, format!("hook {agent} stop"));
    }
    let cline =
        home.env.command(home.path(".cline/hooks/PreToolUse")).stdin(Stdio::null()).output();
    assert_eq!(cline.unwrap().stdout, b"hook cline prompt\n");
    with("install");
    with("uninstall");
    same(&before, &home.tree(), "as before");
}

#[test]
fn a_project_has_its_own_files_and_names_no_path() {
    let home = Home::new();
    let repo = home.env.repo("app");
    let below = home.env.dir("app/src/deep");
    let before = home.tree();
    let all = ["claude", "codex", "gemini", "copilot", "qwen", "opencode", "cursor", "cline"];
    let project = ["--scope", "project"];
    let run = |word: &str| {
        let ran = home.command(&[&[word], &all[..], &project[..]].concat()).dir(&below).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran
    };
    let ran = run("install");
    assert!(ran.stderr.contains("the 'segue' that each person has on the path"), "{}", ran.stderr);
    assert!(ran.stderr.contains("start codex once and choose Trust"), "{}", ran.stderr);
    for file in [
        ".claude/settings.json",
        ".mcp.json",
        "CLAUDE.md",
        ".codex/hooks.json",
        ".codex/config.toml",
        "AGENTS.md",
        ".gemini/settings.json",
        ".github/hooks/segue.json",
        ".github/mcp.json",
        ".github/copilot-instructions.md",
        ".qwen/settings.json",
        ".opencode/plugins/segue.js",
        "opencode.json",
        ".cursor/hooks.json",
        ".cursor/rules/segue.mdc",
        ".clinerules/segue.md",
        ".agents/skills/segue/SKILL.md",
        ".claude/skills/segue/SKILL.md",
    ] {
        let text = fs::read_to_string(repo.join(file)).unwrap_or_else(|_| panic!("{file}"));
        assert!(text.contains("segue") && !text.contains("/segue hook"), "{file}: {text}");
        assert!(!text.contains(env!("CARGO_BIN_EXE_segue")), "{file}");
    }
    let ran = home.done(&["uninstall"]);
    assert!(
        ran.stderr.contains("files) of projects have it still")
            || ran.stderr.contains("file(s) of projects"),
        "{}",
        ran.stderr
    );
    run("uninstall");
    same(&before, &home.tree(), "as before");
}

#[test]
fn a_link_of_a_repository_does_not_lead_to_files_of_the_user() {
    let home = Home::new();
    let repo = home.env.repo("app");
    put(&home.path("secret.md"), "mine\n");
    put(&home.path("mine/settings.json"), "{}");
    symlink(home.path("secret.md"), repo.join("CLAUDE.md")).unwrap();
    symlink(home.path("mine"), repo.join(".claude")).unwrap();
    let before = home.tree();
    let args = ["install", "claude", "--scope", "project", "--hooks", "--instructions"];
    let ran = home.command(&args).dir(&repo).run();
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.stderr.matches("a link that leads out of the project").count(),
        2,
        "{}",
        ran.stderr
    );
    same(&before, &home.tree(), "nothing was written");
}

#[test]
fn what_several_agents_use_goes_with_the_last_of_them() {
    let home = Home::new();
    let before = home.tree();
    home.done(&["install", "codex", "--skill"]);
    let ran = home.done(&["install", "gemini", "--skill"]);
    assert!(ran.stdout.contains("= skill"), "{}", ran.stdout);
    let ran = home.done(&["uninstall", "opencode"]);
    assert_eq!(ran.stdout, "");
    let ran = home.done(&["uninstall", "codex"]);
    assert!(ran.stderr.contains("gemini-cli uses it too"), "{}", ran.stderr);
    assert!(home.path(".agents/skills/segue/SKILL.md").exists());
    home.done(&["uninstall", "gemini"]);
    same(&before, &home.tree(), "as before");
}

#[test]
fn a_file_that_would_hide_another_is_not_made() {
    let home = Home::new();
    let repo = home.env.repo("app");
    put(&repo.join("AGENTS.md"), "# Rules\n");
    let other = home.env.repo("other");
    put(&other.join("CLAUDE.md"), "# Rules\n");
    let before = home.tree();
    let run = |word: &str, agent: &str, dir: &std::path::Path| {
        let args = [word, agent, "--instructions", "--scope", "project"];
        assert_eq!(home.command(&args).dir(dir).run().code, 0);
    };
    run("install", "claude", &repo);
    run("install", "opencode", &other);
    assert!(!repo.join("CLAUDE.md").exists() && !other.join("AGENTS.md").exists());
    assert!(fs::read_to_string(repo.join("AGENTS.md")).unwrap().contains("segue resume"));
    assert!(fs::read_to_string(other.join("CLAUDE.md")).unwrap().contains("segue resume"));
    run("uninstall", "claude", &repo);
    run("uninstall", "opencode", &other);
    same(&before, &home.tree(), "as before");
}

#[test]
fn another_ones_names_are_respected() {
    let home = Home::new();
    put(&home.path(".cline/hooks/PreToolUse"), "#!/bin/sh\necho mine\n");
    put(
        &home.path(".claude.json"),
        "{\"mcpServers\": {\"segue\": {\"command\": \"their-segue\"}}}",
    );
    let before = home.tree();
    let ran = home.run(&["install", "cline", "claude", "--hooks", "--mcp"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("PreToolUse is left alone: it is not Segue's"), "{}", ran.stderr);
    assert!(ran.stderr.contains("another MCP server is called 'segue'"), "{}", ran.stderr);
    home.done(&["uninstall"]);
    same(&before, &home.tree(), "as before");
}

#[test]
fn names_that_are_none_are_refused_with_those_that_are() {
    let home = Home::new();
    let error = home.command(&["install", "nobody"]).fails(64);
    assert!(error.contains("no agent 'nobody'") && error.contains("claude-code, codex"), "{error}");
    let error = home.command(&["install", "aider"]).fails(64);
    assert!(error.contains("cannot be installed in Aider"), "{error}");
}

#[test]
fn every_command_of_the_skill_runs() {
    let home = Home::new();
    home.done(&["install", "claude", "--skill", "--instructions"]);
    let skill = home.read(".claude/skills/segue/SKILL.md");
    let bin =
        std::path::Path::new(env!("CARGO_BIN_EXE_segue")).parent().unwrap().display().to_string();
    let blocks: Vec<&str> =
        skill.split("```sh\n").skip(1).map(|block| block.split("\n```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 4);
    let shell = |block: &str| {
        let script = format!("PATH=\"{bin}:$PATH\"\n{block}");
        let output = home.env.command("/bin/sh").args(["-c", &script]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), said)
    };
    // In the order of a first session, then all once more.
    let (code, id, said) = shell(blocks[3]);
    assert_eq!(code, Some(0), "{said}");
    assert!(shell(&format!("segue show {}", id.trim())).1.contains("## Files of Note"));
    for block in blocks {
        let (code, printed, said) = shell(block);
        assert_eq!(code, Some(0), "{block}: {said}");
        assert!(!printed.is_empty() || block == "segue check", "{block}");
    }
    assert!(shell("segue resume").1.contains("The first thing to do"));
    // What the short form says.
    let short = home.read(".claude/CLAUDE.md");
    for command in ["segue resume", "segue check", "segue save --title", "segue search"] {
        assert!(short.contains(&format!("`{command}")), "{command}");
    }
    let (code, _, said) = shell(
        "printf '## Context\\nx\\n' | segue save --title \"…\" && segue search \"words\"; segue search \"first thing\"",
    );
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn what_is_printed_for_scripts_has_all_of_it() {
    let home = Home::new();
    put(&home.path(".claude/settings.json"), "{\n  \"a\": 1\n}\n");
    let ran = home.done(&["install", "claude", "--hooks", "--dry-run", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&json["schema"], &json["dry_run"]), (&1.into(), &true.into()));
    assert_eq!(json["items"][0]["fate"], "changed");
    let diff = json["changes"][0]["diff"].as_str().unwrap();
    assert!(diff.starts_with("  {\n-   \"a\": 1\n+   \"a\": 1,\n+   \"hooks\": {\n"), "{diff}");
    assert_eq!(home.read(".claude/settings.json"), "{\n  \"a\": 1\n}\n");
    put(&home.path(".claude/settings.json"), "{");
    let ran = home.run(&["install", "claude", "--hooks", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &json["items"][0]["fate"]), (1, &"failed".into()));
    assert!(json["items"][0]["why"].as_str().unwrap().starts_with("line 1, column 2"));
}
