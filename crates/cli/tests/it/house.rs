//! House rules: what a lint cannot see.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ground::{TestEnv, files_below, put};

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

/// Every file of a kind below the crates, docs and scripts.
fn texts(suffixes: &[&str]) -> Vec<(PathBuf, String)> {
    let mut files: Vec<PathBuf> = ["crates", "docs", "scripts", ".ci", "fuzz", "eval"]
        .iter()
        .flat_map(|dir| files_below(&root().join(dir)))
        .collect();
    files.extend(
        fs::read_dir(root())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file()),
    );
    let wanted = |path: &PathBuf| {
        let name = path.to_string_lossy();
        !name.contains("/target/")
            && !name.contains("/corpus/")
            && suffixes.iter().any(|suffix| name.ends_with(suffix))
    };
    files
        .into_iter()
        .filter(wanted)
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect()
}

#[test]
fn files_are_small_and_named_after_a_noun() {
    for (path, text) in texts(&[".rs"]) {
        let code = text.split("#[cfg(test)]").next().unwrap().lines().count();
        let tests = path.to_string_lossy().contains("/tests/");
        assert!(code <= 600 || tests, "{} has {code} lines", path.display());
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        for word in ["util", "utils", "common", "helper", "helpers", "manager", "misc"] {
            assert_ne!(stem, word, "{}", path.display());
        }
    }
}

#[test]
fn words_that_say_nothing_are_not_used() {
    // Put together here so that this file does not contain them.
    let words = [
        ["rob", "ust"],
        ["compre", "hensive"],
        ["blaz", "ing"],
        ["seam", "less"],
        ["TO", "DO:"],
        ["FIX", "ME"],
        ["#[al", "low("],
        ["#![al", "low("],
    ]
    .map(|parts| parts.concat());
    for (path, text) in texts(&[".rs", ".md", ".toml"]) {
        for word in &words {
            assert!(!text.contains(word.as_str()), "{} contains '{word}'", path.display());
        }
    }
}

#[test]
fn modules_open_with_what_they_are_for() {
    for (path, text) in texts(&[".rs"]) {
        let name = path.to_string_lossy().into_owned();
        // A command's own doc comment is its help text.
        let command = name.contains("/cli/src/commands/") && !name.ends_with("mod.rs");
        if name.contains("/src/") && !command {
            assert!(text.starts_with("//! "), "{name}");
        }
    }
}

#[test]
fn every_promise_of_security_has_its_test() {
    let mut tests = std::collections::BTreeSet::new();
    for (_, text) in texts(&[".rs"]) {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate() {
            let name =
                line.strip_prefix("fn ").and_then(|rest| rest.split_once('(')).map(|at| at.0);
            let is_test = lines[at.saturating_sub(4)..at].contains(&"#[test]");
            tests.extend(name.filter(|_| is_test).map(str::to_owned));
        }
    }
    let security = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let rows = security.lines().filter_map(|line| line.strip_suffix(" |")?.rsplit_once(" | `"));
    let named: Vec<&str> =
        rows.flat_map(|(_, named)| named.split(", ").map(|name| name.trim_matches('`'))).collect();
    assert!(named.len() > 40, "{named:?}");
    for name in named {
        assert!(tests.contains(name), "no test is called {name}");
    }
}

#[test]
fn crates_see_only_what_is_below_them() {
    let allowed: [(&str, &[&str]); 6] = [
        ("core", &[]),
        ("store", &["segue-core"]),
        ("agents", &["segue-core"]),
        ("share", &["segue-core"]),
        ("lib", &["segue-core", "segue-store", "segue-agents", "segue-share"]),
        ("cli", &["segue-lib"]),
    ];
    for (name, may) in allowed {
        let manifest =
            fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
        let manifest: toml_edit::DocumentMut = manifest.parse().unwrap();
        let sees: Vec<String> = manifest["dependencies"]
            .as_table()
            .unwrap()
            .iter()
            .map(|(dependency, _)| dependency.to_owned())
            .filter(|dependency| dependency.starts_with("segue"))
            .collect();
        for dependency in sees {
            assert!(may.contains(&dependency.as_str()), "{name} must not see {dependency}");
        }
        assert_eq!(manifest["lints"]["workspace"].as_bool(), Some(true), "{name}");
        assert!(root().join("crates").join(name).join("clippy.toml").exists(), "{name}");
    }
    assert_eq!(fs::read_dir(root().join("crates")).unwrap().count(), allowed.len());
}

/// The reference, made from the help texts.
fn reference(env: &TestEnv) -> String {
    let mut out = String::from(
        "# Command line\n\nMade from the help texts by a test; `SEGUE_UPDATE_DOCS=1 cargo test -p segue --test it house` writes it anew.\n\n\
         ## Variables\n\n| variable | meaning |\n|---|---|\n\
         | `SEGUE_HOME` | where the store is, an absolute path; default: `segue` in the platform's data directory (`$XDG_DATA_HOME` or `~/.local/share`) |\n\
         | `SEGUE_TIMESTAMP` | a fixed time instead of the clock's, for tests and demonstrations |\n\
         | `SEGUE_RANDOMNESS_SEED` | a fixed seed for ids, for the same |\n\
         | `SEGUE_PROJECT` | the project that the current directory is for this process, by label or id, whatever the directory is otherwise; `--project` comes first. A save makes a project of that label if there is none; where there is none nothing is read |\n\
         | `SEGUE_GIT_DEADLINE_MS` | how long git may take, in milliseconds; default: 300 for `resume`, `snapshot` and `auto`, 2000 elsewhere |\n\
         | `SEGUE_LOG` | `info` says on standard error what was chosen and why, as `--verbose` does; `debug` says more |\n\
         | `SEGUE_CONTINUED` | set by `continue` for the agent that it starts: its hook does not give the briefing again |\n\
         | `SEGUE_CONTINUED_FROM` | set with it: the id of the handoff that the session goes on from, so that the constraints of that hold in it too; empty if there is none |\n\
         | `SEGUE_ASKED` | set by `snapshot --ask` for the agent that it asks: its hooks do nothing |\n\
         | `MEMORYVAULT_API_KEY` | the API key for `push` and `pull`; before `api_key` under `[memoryvault]` in `segue/config.toml` in the platform's config directory (`$XDG_CONFIG_HOME` or `~/.config`) |\n\
         | `MEMORYVAULT_URL` | another address than `https://memoryvault.link`; before `url` in that file; https, or http to this machine itself |\n\
         | `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` | a proxy for `push` and `pull`, and hosts without it |\n\
         | `NO_COLOR`, `TERM=dumb` | no colours |\n\
         | `COLUMNS` | width of the table |\n\
         | `VISUAL`, `EDITOR` | the editor that `save` and `edit` open |\n\
         | `TZ` | time zone of what `list` shows in a terminal |\n\n",
    );
    let commands: [&[&str]; 53] = [
        &[],
        &["resume"],
        &["continue"],
        &["save"],
        &["snapshot"],
        &["hook"],
        &["auto"],
        &["run"],
        &["check"],
        &["status"],
        &["pause"],
        &["unpause"],
        &["open"],
        &["close"],
        &["reopen"],
        &["note"],
        &["why"],
        &["list"],
        &["search"],
        &["select"],
        &["sessions"],
        &["extract"],
        &["show"],
        &["render"],
        &["export"],
        &["import"],
        &["verify"],
        &["keys"],
        &["keys", "new"],
        &["keys", "list"],
        &["keys", "show"],
        &["keys", "trust"],
        &["keys", "untrust"],
        &["keys", "export"],
        &["push"],
        &["pull"],
        &["edit"],
        &["forget"],
        &["gc"],
        &["compact"],
        &["scrub"],
        &["init"],
        &["trust"],
        &["install"],
        &["uninstall"],
        &["project"],
        &["project", "list"],
        &["project", "link"],
        &["project", "split"],
        &["index"],
        &["mcp"],
        &["doctor"],
        &["completions"],
    ];
    for command in commands {
        let args: Vec<&str> = command.iter().chain(&["--help"]).copied().collect();
        let help = env.segue(&args).ok();
        let help: String = help.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        let name: Vec<&str> = ["segue"].iter().chain(command).copied().collect();
        out.push_str(&format!("## {}\n\n```text\n{}\n```\n\n", name.join(" "), help.trim_end()));
    }
    out.trim_end().to_owned() + "\n"
}

#[test]
fn the_reference_is_what_help_says() {
    let made = reference(&TestEnv::new());
    let path = root().join("docs/cli.md");
    if std::env::var_os("SEGUE_UPDATE_DOCS").is_some() {
        put(&path, &made);
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == made,
        "docs/cli.md is old: SEGUE_UPDATE_DOCS=1 cargo test -p segue --test it house"
    );
}

#[test]
fn every_command_and_variable_is_documented() {
    let env = TestEnv::new();
    let help = env.segue(&["--help"]).ok();
    let listed = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| !line.is_empty());
    let reference = fs::read_to_string(root().join("docs/cli.md")).unwrap();
    for command in listed
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
    {
        assert!(reference.contains(&format!("## segue {command}\n")), "{command}");
    }
    let contributing = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    for (path, text) in texts(&[".rs"]) {
        for part in text.split("SEGUE_").skip(1) {
            let name: String =
                part.chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').collect();
            let name = format!("SEGUE_{}", name.trim_end_matches('_'));
            let known = reference.contains(&name)
                || contributing.contains(&name)
                || name == "SEGUE_TEST_README";
            assert!(
                known || name == "SEGUE_",
                "{name} in {} is documented nowhere",
                path.display()
            );
        }
    }
}

/// The blocks of commands in a document.
fn commands_of(document: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(document)).unwrap();
    text.split("```sh\n")
        .skip(1)
        .map(|block| block.split("\n```").next().unwrap().to_owned())
        .collect()
}

/// Runs the blocks of a document, one after the other in one place, and gives what each printed.
fn run_blocks(env: &TestEnv, document: &str, at_least: usize) -> Vec<String> {
    let bin = Path::new(env!("CARGO_BIN_EXE_segue")).parent().unwrap().display().to_string();
    let blocks = commands_of(document);
    assert!(blocks.len() >= at_least, "{}", blocks.len());
    let mut printed = Vec::new();
    for block in &blocks {
        let mut command = env.command("/bin/bash");
        for name in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{name}_NAME"), "T").env(format!("GIT_{name}_EMAIL"), "t@e");
        }
        command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "init.defaultBranch");
        command.env("GIT_CONFIG_VALUE_0", "main");
        let output = command
            .arg("-c")
            .arg(format!("set -euo pipefail; PATH=\"{bin}:$PATH\"\n{block}"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{block}\n{}", String::from_utf8_lossy(&output.stderr));
        printed.push(String::from_utf8(output.stdout).unwrap());
    }
    printed
}

#[test]
fn every_command_of_the_plans_runs() {
    let printed = run_blocks(&TestEnv::new(), "docs/plans.md", 5);
    assert!(printed[0].contains("exit code 2\nstatus: completed"), "{}", printed[0]);
    assert!(printed[1].contains("layer2/current-state.md"), "{}", printed[1]);
    assert!(printed[2].contains("collect, note, state, publish"), "{}", printed[2]);
    assert!(printed[4].ends_with("executed: tests, note\n"), "{}", printed[4]);
}

#[test]
fn every_command_of_the_start_runs_and_says_what_it_says() {
    let env = TestEnv::new();
    let printed = run_blocks(&env, "docs/start.md", 6);
    // The briefing in the document is what was printed, but for ids and times.
    let text = fs::read_to_string(root().join("docs/start.md")).unwrap();
    let told = text.split("```text\n").nth(1).unwrap().split("\n```").next().unwrap().to_owned();
    let briefing = printed.iter().find(|out| out.contains("Verify first")).unwrap();
    let plain = |text: &str| -> Vec<String> {
        let changing = |line: &&str| {
            !line.starts_with("Left ")
                && !line.starts_with("Now: ")
                && !line.starts_with("- `8e2b7c4")
        };
        text.trim_end().lines().filter(changing).map(str::to_owned).collect()
    };
    let real: Vec<String> = plain(briefing)
        .into_iter()
        .filter(|line| !line.ends_with("` `Check the age of tokens`"))
        .collect();
    assert_eq!(real, plain(&told));
}

#[test]
fn every_command_of_the_readme_runs() {
    let env = TestEnv::new();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 200);
    let blocks = commands_of("README.md");
    assert!(blocks.len() >= 4, "{}", blocks.len());
    let bin = Path::new(env!("CARGO_BIN_EXE_segue")).parent().unwrap().display().to_string();
    for block in blocks {
        if block == "scripts/test" {
            assert!(root().join(block).exists());
            continue;
        }
        let builds = block.contains("cargo build");
        let as_written = builds && std::env::var_os("SEGUE_TEST_README").is_some();
        let block = if as_written {
            block.to_owned()
        } else {
            block
                .replace("cargo build --release --locked", "true")
                .replace("$PWD/target/release", &bin)
        };
        let mut command = env.command("/bin/bash");
        // A build needs the real home of cargo and its settings.
        for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME", "CARGO_TARGET_DIR"] {
            if let Some(value) = std::env::var_os(name).filter(|_| as_written) {
                command.env(name, value);
            }
        }
        command.env_remove("CARGO_TARGET_DIR");
        command.current_dir(if as_written { root() } else { env.work.clone() });
        let output = command
            .arg("-c")
            .arg(format!("set -euo pipefail; PATH=\"{bin}:$PATH\"\n{block}"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{block}\n{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
