//! What once went wrong in files of agents, and must not again.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Stdio;
use std::time::Duration;

use super::{Home, same};
use crate::ground::put;

const CODEX: &str = ".codex/config.toml";

#[test]
fn what_codex_notes_below_our_table_goes_with_it_and_nothing_else() {
    let home = Home::new();
    put(&home.path(CODEX), "model = \"x\"\n");
    home.done(&["install", "codex"]);
    let rest = "\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n";
    let tools = "\n[mcp_servers.segue.tools.save]\napproval_mode = \"approve\"\n";
    let text = home.read(CODEX);
    put(&home.path(CODEX), format!("{text}{tools}{rest}"));
    let status = home.done(&["install", "--status"]);
    assert!(status.stdout.contains("hooks yes, mcp yes"), "{}", status.stdout);
    home.run(&["doctor"]);
    home.done(&["uninstall"]);
    assert_eq!(home.read(CODEX), format!("model = \"x\"\n{rest}"));
}

#[test]
fn an_entry_that_somebody_made_by_hand_keeps_what_is_set_in_it_and_comes_back() {
    let home = Home::new();
    let table = "[mcp_servers.segue]\ncommand = \"segue\"\nargs = [\"mcp\"]\nenv = { SEGUE_HOME = \"/mnt\" }\n";
    put(&home.path(CODEX), table);
    let server = "{\"mcpServers\": {\"segue\": {\"command\": \"segue\", \"args\": [\"mcp\"], \"env\": {\"A\": \"b\"}}}}\n";
    put(&home.path(".claude.json"), server);
    let goose = "extensions:\n  segue:\n    cmd: segue\n    args: [mcp]\n    timeout: 9\n";
    put(&home.path(".config/goose/config.yaml"), goose);
    let before = home.tree();
    home.done(&["install", "codex", "claude", "goose", "--mcp"]);
    for (file, kept) in [
        (CODEX, "env = { SEGUE_HOME = \"/mnt\" }"),
        (".claude.json", "\"env\": {\"A\": \"b\"}"),
        (".config/goose/config.yaml", "timeout: 9"),
    ] {
        let text = home.read(file);
        assert!(text.contains(kept) && text.contains("/segue"), "{text}");
    }
    let ran = home.done(&["uninstall"]);
    assert!(ran.stderr.contains("had an entry of Segue before"), "{}", ran.stderr);
    same(&before, &home.tree(), "as before");
    // Once more, it goes.
    home.done(&["uninstall"]);
    for file in [CODEX, ".claude.json", ".config/goose/config.yaml"] {
        assert!(!home.read(file).contains("segue"), "{}", home.read(file));
    }
}

#[test]
fn what_only_the_user_may_read_nobody_else_can_while_it_is_written() {
    let home = Home::new();
    let path = home.path(".claude.json");
    put(&path, format!("{{\"token\": \"{}\"}}", "s".repeat(4 << 20)));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    for round in 0..30_u64 {
        let way = if round % 2 == 0 { "install" } else { "uninstall" };
        let mut child = home
            .command(&[way, "claude", "--mcp"])
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(round));
        let _ = child.kill();
        child.wait().unwrap();
        for entry in fs::read_dir(&home.root).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let mode = fs::metadata(&path).unwrap().mode() & 0o777;
                assert_eq!(mode, 0o600, "{}", path.display());
            }
        }
    }
    // What a killed process left is gone after the next one.
    home.done(&["install", "claude", "--mcp"]);
    home.done(&["uninstall"]);
    let names = fs::read_dir(&home.root).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().contains("segue-")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(fs::metadata(&path).unwrap().len(), (4 << 20) + 13);
}

#[test]
fn yaml_that_cannot_be_read_is_left_alone_with_its_line() {
    let home = Home::new();
    put(&home.path(".config/goose/config.yaml"), "a: [1\nb: 2\n");
    let ran = home.run(&["install", "goose"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("line 2"), "{}", ran.stderr);
    assert_eq!(home.read(".config/goose/config.yaml"), "a: [1\nb: 2\n");
}

#[test]
fn the_home_of_the_user_is_no_project() {
    let home = Home::new();
    put(&home.path(".claude/settings.json"), "{}");
    home.done(&["install", "claude"]);
    let told = home.command(&["doctor"]).dir(&home.root).run();
    let line = told.stdout.lines().find(|line| line.contains("claude-code")).unwrap();
    assert!(line.starts_with("ok") && !line.contains("project"), "{line}");
    let before = home.tree();
    let ran = home.command(&["install", "claude", "--scope", "project"]).dir(&home.root).run();
    assert_eq!(ran.code, 64, "{}", ran.stderr);
    same(&before, &home.tree(), "nothing was changed");
}

#[test]
fn a_file_that_other_agents_read_too_is_not_all_that_an_agent_needs() {
    let home = Home::new();
    for dir in [".codex", ".gemini"] {
        fs::create_dir(home.path(dir)).unwrap();
    }
    home.done(&["install", "codex"]);
    let told = home.run(&["doctor"]).stdout;
    assert!(told.contains("hint: segue install gemini-cli"), "{told}");
    assert!(!told.contains("copilot-cli") && !told.contains("opencode"), "{told}");
}

#[test]
fn a_version_is_not_taken_from_somebody_elses_package() {
    let home = Home::new();
    put(&home.path("package.json"), "{\"name\": \"mine\", \"version\": \"0.0.7\"}");
    let real = home.path(".local/share/claude/versions/2.1.325");
    put(&real, "#!/bin/sh\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o755)).unwrap();
    let bin = home.path("bin");
    fs::create_dir(&bin).unwrap();
    symlink(&real, bin.join("claude")).unwrap();
    put(&bin.join("codex"), "#!/bin/sh\n");
    fs::set_permissions(bin.join("codex"), fs::Permissions::from_mode(0o755)).unwrap();
    let told = home.command(&["doctor"]).env("PATH", &bin).run().stdout;
    assert!(told.contains("claude-code  2.1.325;"), "{told}");
    assert!(told.contains("codex        found;") && !told.contains("0.0.7"), "{told}");
}

#[test]
fn nothing_endless_in_a_repository_is_read() {
    let home = Home::new();
    fs::create_dir(home.path(".claude")).unwrap();
    let repo = home.env.repo("shop");
    fs::create_dir(repo.join(".claude")).unwrap();
    symlink("/dev/zero", repo.join(".claude/settings.json")).unwrap();
    for args in [&["doctor"][..], &["install", "--status"]] {
        let ran = home.command(args).dir(&repo).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let told = ran.stdout + &ran.stderr;
        assert!(told.contains("leads out of the project"), "{told}");
    }
}

#[test]
fn what_somebody_edited_is_not_of_another_version() {
    let home = Home::new();
    fs::create_dir(home.path(".claude")).unwrap();
    home.done(&["install", "claude"]);
    let skill = ".claude/skills/segue/SKILL.md";
    let text = home.read(skill).replace("# Handoffs with segue", "# Handoffs, our way");
    put(&home.path(skill), text);
    let told = home.run(&["doctor"]).stdout;
    assert!(!told.contains("another version"), "{told}");
    assert!(home.done(&["install", "--status"]).stdout.contains("skill edited"));
}

#[test]
fn another_program_of_that_name_on_the_path_is_told() {
    let home = Home::new();
    let bin = home.path("bin");
    put(&bin.join("segue"), "#!/bin/sh\nexit 2\n");
    fs::set_permissions(bin.join("segue"), fs::Permissions::from_mode(0o755)).unwrap();
    let ran = home.command(&["install", "claude", "--hooks"]).env("PATH", &bin).run();
    assert!(ran.stderr.contains("is not the one that runs now"), "{}", ran.stderr);
    let home = Home::new();
    assert!(!home.done(&["install", "claude"]).stderr.contains("runs now"));
}

#[test]
fn a_file_that_hides_the_one_with_our_block_gets_it_too() {
    let home = Home::new();
    let repo = home.env.repo("shop");
    let install = ["install", "claude", "--scope", "project", "--instructions"];
    put(&repo.join("AGENTS.md"), "a\n");
    assert_eq!(home.command(&install).dir(&repo).run().code, 0);
    assert!(!repo.join("CLAUDE.md").exists());
    put(&repo.join("CLAUDE.md"), "c\n");
    assert_eq!(home.command(&install).dir(&repo).run().code, 0);
    let read = |name: &str| fs::read_to_string(repo.join(name)).unwrap();
    assert!(read("CLAUDE.md").contains("segue resume"));
    let ran = home.command(&["uninstall", "--scope", "project"]).dir(&repo).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!((read("AGENTS.md").as_str(), read("CLAUDE.md").as_str()), ("a\n", "c\n"));
}

#[test]
fn hooks_that_are_switched_off_are_told() {
    let home = Home::new();
    put(&home.path(".claude/settings.json"), "{\"disableAllHooks\": true}");
    home.done(&["install", "claude"]);
    let told = home.run(&["doctor"]).stdout;
    assert!(told.contains("disableAllHooks"), "{told}");
}

#[test]
fn what_belongs_to_somebody_else_still_does() {
    let home = Home::new();
    let path = home.path(".claude/settings.json");
    put(&path, "{}");
    if std::os::unix::fs::chown(&path, Some(1234), Some(1234)).is_err() {
        println!("skipped: only root can give files away");
        return;
    }
    home.done(&["install", "claude", "--hooks"]);
    let meta = fs::metadata(&path).unwrap();
    assert_eq!((meta.uid(), meta.gid()), (1234, 1234));
}

/// Entries that somebody made by hand, in each format.
fn by_hand(home: &Home) -> [(&'static str, &'static str, &'static str); 3] {
    let all = [
        (
            CODEX,
            "model = \"x\"\n[mcp_servers.segue]\ncommand = \"segue\" # mine\nargs = [\"mcp\"]\n[mcp_servers.segue.env]\nA = \"b\"\n",
            "\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n",
        ),
        (
            ".claude.json",
            "{\"n\": 1, \"mcpServers\": {\"segue\": {\"command\": \"segue\", \"args\": [\"mcp\"], \"env\": {\"A\": \"b\"}}}}\n",
            "\n",
        ),
        (
            ".config/goose/config.yaml",
            "extensions:\n  segue:\n    cmd: segue\n    args: [mcp]\n    timeout: 9 # long\n",
            "GOOSE_MODE: auto\n",
        ),
    ];
    for (file, text, _) in all {
        put(&home.path(file), text);
    }
    all
}

#[test]
fn an_entry_made_by_hand_comes_back_also_where_somebody_wrote_the_file_since() {
    let home = Home::new();
    let all = by_hand(&home);
    let agents = ["codex", "claude", "goose"];
    home.done(&[&["install"], &agents[..]].concat());
    for (file, _, more) in all {
        let text = home.read(file);
        assert!(text.contains("/segue"), "{text}");
        put(&home.path(file), text + more);
    }
    // Also if it was installed once more in between.
    home.done(&[&["install"], &agents[..]].concat());
    let ran = home.done(&["uninstall"]);
    assert!(ran.stderr.contains("had an entry of Segue before"), "{}", ran.stderr);
    for (file, text, more) in all {
        assert_eq!(home.read(file), format!("{text}{more}"));
    }
    home.done(&["uninstall"]);
    for (file, _, _) in all {
        assert!(!home.read(file).contains("segue"), "{}", home.read(file));
    }
}

#[test]
fn an_entry_that_install_did_not_touch_stays() {
    // It runs the same already.
    let home = Home::new();
    let program = env!("CARGO_BIN_EXE_segue");
    let same = format!(
        "{{\"mcpServers\": {{\"segue\": {{\"command\": \"{program}\", \"args\": [\"mcp\"], \"env\": {{}}}}}}}}"
    );
    put(&home.path(".claude.json"), &same);
    home.done(&["install", "claude"]);
    home.done(&["uninstall"]);
    assert_eq!(home.read(".claude.json"), same);
    // It is in a file that was not asked for.
    let home = Home::new();
    let all = by_hand(&home);
    home.done(&["install", "claude", "codex", "--hooks"]);
    let ran = home.done(&["uninstall", "claude", "codex"]);
    assert!(ran.stderr.contains("'segue install' did not make"), "{}", ran.stderr);
    for (file, text, _) in all {
        assert_eq!(home.read(file), text);
    }
    // It shares a file with something that goes.
    let home = Home::new();
    let server = "{\"mcpServers\": {\"segue\": {\"command\": \"segue\", \"args\": [\"mcp\"], \"env\": {}}}}\n";
    for order in [["--mcp", "--hooks"], ["--hooks", "--mcp"]] {
        put(&home.path(".gemini/settings.json"), server);
        home.done(&["install", "gemini"]);
        for part in order {
            home.done(&["uninstall", "gemini", part]);
        }
        home.done(&["uninstall", "gemini", "--skill", "--instructions"]);
        assert_eq!(home.read(".gemini/settings.json"), server);
    }
}

#[test]
fn a_program_of_another_name_is_not_put_in() {
    let home = Home::new();
    let other = home.path("bin/segue-linux-x64");
    fs::create_dir(home.path("bin")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_segue"), &other).unwrap();
    let before = home.tree();
    let mut command = home.env.command(&other);
    let ran = command.args(["install", "claude"]).env("PATH", "/usr/bin:/bin").output().unwrap();
    assert_eq!(ran.status.code(), Some(64), "{}", String::from_utf8_lossy(&ran.stderr));
    same(&before, &home.tree(), "nothing was changed");
}

#[test]
fn a_line_that_does_more_than_ours_is_somebody_elses() {
    let home = Home::new();
    let theirs = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"segue hook claude-code stop; notify-send done\"}]}]}}";
    put(&home.path(".claude/settings.json"), theirs);
    home.done(&["install", "claude", "--hooks"]);
    assert!(home.read(".claude/settings.json").contains("stop; notify-send done"));
    home.done(&["uninstall"]);
    assert_eq!(home.read(".claude/settings.json"), theirs);
}

#[test]
fn whole_files_are_known_without_a_record_also_when_the_program_moved() {
    let home = Home::new();
    let plugin = ".config/opencode/plugins/segue.js";
    home.done(&["install", "opencode", "cline"]);
    for file in [plugin, ".cline/hooks/PreToolUse"] {
        let text = home.read(file).replace(env!("CARGO_BIN_EXE_segue"), "/old/segue");
        put(&home.path(file), text);
    }
    fs::remove_dir_all(&home.env.home).unwrap();
    home.done(&["install", "opencode", "cline"]);
    assert!(!home.read(plugin).contains("/old/segue"));
    home.done(&["uninstall"]);
    assert!(!home.path(plugin).exists() && !home.path(".cline/hooks/PreToolUse").exists());
}

#[test]
fn a_link_out_of_a_project_is_no_failure_where_nothing_was_put() {
    let home = Home::new();
    let repo = home.env.repo("shop");
    put(&home.path("elsewhere/settings.json"), "{}");
    symlink(home.path("elsewhere"), repo.join(".claude")).unwrap();
    let ran = home.command(&["uninstall", "--scope", "project"]).dir(&repo).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn a_process_that_was_killed_before_it_wrote_does_not_lose_what_was_there() {
    let home = Home::new();
    let all = by_hand(&home);
    home.done(&["install", "codex", "claude", "goose", "--mcp"]);
    // As if it had been killed after it noted what it would write.
    for (file, text, _) in all {
        put(&home.path(file), text);
    }
    home.done(&["install", "codex", "claude", "goose", "--mcp"]);
    home.done(&["uninstall"]);
    for (file, text, _) in all {
        assert_eq!(home.read(file), text);
    }
}

#[test]
fn what_stands_between_our_marks_is_ours_also_without_a_record() {
    let home = Home::new();
    put(&home.path(".claude/CLAUDE.md"), "# Mine\n");
    home.done(&["install", "claude", "--instructions"]);
    fs::remove_dir_all(&home.env.home).unwrap();
    home.done(&["install", "claude", "--instructions"]);
    let ran = home.done(&["uninstall"]);
    assert!(!ran.stderr.contains("before 'segue install'"), "{}", ran.stderr);
    assert_eq!(home.read(".claude/CLAUDE.md"), "# Mine\n");
}
