//! In a real terminal: tables, colours, local times, the editor. Needs tmux.

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::ground::{NOW, TestEnv, put};

/// A terminal in which a shell waits for commands.
pub(crate) struct Terminal {
    socket: String,
}

impl Terminal {
    /// One of 100 by 30; `None`, with a word about it, where there is no tmux.
    fn open(env: &TestEnv, vars: &[(&str, &str)]) -> Option<Self> {
        Self::sized(env, vars, ["100", "30"])
    }

    /// One of so many columns and rows.
    pub(crate) fn sized(env: &TestEnv, vars: &[(&str, &str)], size: [&str; 2]) -> Option<Self> {
        let socket = env.work.parent().unwrap().join("tmux").display().to_string();
        let mut command = env.command("tmux");
        command
            .env("SEGUE_TIMESTAMP", NOW)
            .env("SEGUE_RANDOMNESS_SEED", "1")
            .env("TERM", "screen-256color")
            .env("PS1", "$ ")
            .env_remove("COLUMNS")
            .env("LC_ALL", "C.UTF-8");
        command.envs(vars.iter().copied());
        let started = command
            .args([
                "-S",
                &socket,
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                size[0],
                "-y",
                size[1],
                "/bin/sh",
            ])
            .status();
        if started.is_ok_and(|status| status.success()) {
            return Some(Self { socket });
        }
        eprintln!("skipped: tmux is not there");
        None
    }

    pub(crate) fn tmux(&self, args: &[&str]) -> String {
        let output = Command::new("tmux").args(["-S", &self.socket]).args(args).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Types keys as tmux calls them.
    pub(crate) fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Types a command line and does not wait for what it does.
    pub(crate) fn begin(&self, command: &str) {
        let command = command.replace("segue ", &format!("{} ", env!("CARGO_BIN_EXE_segue")));
        self.keys(&[&format!("clear; {command}"), "Enter"]);
    }

    /// Waits until the screen is as it should be, and gives it.
    pub(crate) fn wait(&self, what: &str, good: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.tmux(&["capture-pane", "-p"]);
            if good(&screen) {
                return screen;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{what}, not: {screen}");
            sleep(Duration::from_millis(30));
        }
    }

    /// Types a command and waits until it has ended; gives the screen.
    pub(crate) fn run(&self, command: &str, colours: bool) -> String {
        let command = command.replace("segue ", &format!("{} ", env!("CARGO_BIN_EXE_segue")));
        self.tmux(&["send-keys", &format!("clear; {command}; echo END-$?"), "Enter"]);
        let begun = Instant::now();
        loop {
            sleep(Duration::from_millis(50));
            let screen = self.tmux(&["capture-pane", "-p"]);
            if screen.lines().any(|line| line.starts_with("END-") && !line.contains('$')) {
                let screen =
                    if colours { self.tmux(&["capture-pane", "-p", "-e"]) } else { screen };
                let lines = screen.lines().filter(|line| !line.trim().is_empty());
                return lines.map(|line| format!("{}\n", line.trim_end())).collect();
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "no answer: {screen}");
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

fn filled() -> TestEnv {
    let env = TestEnv::new();
    env.segue(&[
        "save",
        "--title",
        "Refactor auth middleware",
        "--summary",
        "Token parser extracted; tests fail on refresh",
        "--tags",
        "api,auth",
    ])
    .at("2026-11-01T10:00:00Z")
    .ok();
    env.segue(&["save", "--name", "project-state", "--title", "修复登录", "--ttl", "14d"])
        .at("2026-11-15T15:00:00Z")
        .ok();
    env.segue(&["save", "--title", "evil \u{1b}[31mred\u{1b}]0;owned\u{7}"])
        .stdin("body \u{1b}[2J\u{1b}]52;c;AAAA\u{7}")
        .at("2026-11-15T17:40:00Z")
        .ok();
    env
}

#[test]
fn c6_list_is_a_table_with_local_times() {
    let env = filled();
    let Some(terminal) = Terminal::open(&env, &[("TZ", "JST-9")]) else { return };
    insta::assert_snapshot!(terminal.run("segue list", false), @"
    ID        AGE  HANDOFF                                           PROJECT  TAGS      EXPIRES
    f893a2ee   5m  evil ␛[31mred␛]0;owned␇                           work
    beeb8da1   2h  project-state: 修复登录                           work               2026-11-30 00:00
    910a2dec   2w  Refactor auth middleware · Token parser extract…  work     api,auth
    END-0
    #
    ");
}

#[test]
fn colours_by_role_and_none_under_no_color() {
    let env = filled();
    let Some(terminal) = Terminal::open(&env, &[]) else { return };
    let painted = terminal.run("segue list", true);
    assert!(painted.contains("\u{1b}[33m"), "{painted:?}");
    assert!(!painted.contains("\u{1b}[31m"), "stored text paints nothing: {painted:?}");
    let plain = terminal.run("NO_COLOR=1 segue list", true);
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    let error = terminal.run("segue show nope", true);
    assert!(error.contains("error:") && error.contains("\u{1b}[1m"), "{error:?}");
}

#[test]
fn show_makes_control_characters_visible() {
    let env = filled();
    let Some(terminal) = Terminal::open(&env, &[]) else { return };
    let screen = terminal.run("segue show", false);
    assert!(screen.contains("body ␛[2J␛]52;c;AAAA␇\nEND-0"), "{screen}");
}

#[test]
fn save_without_body_or_flags_opens_the_editor() {
    let env = filled();
    let editor = env.work.join("editor.sh");
    put(
        &editor,
        "#!/bin/sh\ncp \"$1\" seen.md\nsed -i -e 's/^title:/title: From the editor/' -e 's/^## Context/## Context\\n\\nWritten by hand./' \"$1\"\n",
    );
    let command = format!("sh {}", editor.display());
    let Some(terminal) = Terminal::open(&env, &[("EDITOR", &command)]) else { return };
    let screen = terminal.run("segue save", false);
    assert!(
        screen.contains("saved for the project 'work'") && screen.contains("END-0"),
        "{screen}"
    );
    let seen = std::fs::read_to_string(env.work.join("seen.md")).unwrap();
    for heading in [
        "Context",
        "Key Decisions",
        "Current State",
        "Next Steps",
        "Warnings / Gotchas",
        "Files of Note",
    ] {
        assert!(seen.contains(&format!("## {heading}\n")), "{seen}");
    }
    let raw = env.segue(&["show", "--raw"]).ok();
    assert!(raw.contains("title: From the editor\n") && raw.contains("Written by hand."), "{raw}");
    let screen = terminal.run("EDITOR=true segue save", false);
    assert!(
        screen.contains("nothing was written, so nothing is saved") && screen.contains("END-65"),
        "{screen}"
    );
}

#[test]
fn the_editor_gets_the_text_and_a_failure_keeps_it() {
    let env = TestEnv::new();
    let id = env.segue(&["save", "--title", "Before"]).stdin("body").ok();
    let temp = env.dir("tmp");
    let editor = |name: &str, program: &str| {
        put(&env.work.join(name), format!("sed -i {program} \"$1\"\n"));
        format!("EDITOR='sh {name}'")
    };
    let changes = editor("changes.sh", "-e 's/Before/After/' -e 's/body/other body/'");
    let breaks = editor("breaks.sh", "'s/^tags:.*/nonsense/'");
    let vars = [("TMPDIR", temp.to_str().unwrap())];
    let Some(terminal) = Terminal::open(&env, &vars) else { return };
    let edit = |editor: &str| {
        let screen = terminal.run(&format!("{editor} segue edit {}", id.trim()), false);
        screen.replace('\n', "")
    };
    let screen = edit(&changes);
    assert!(screen.contains("END-0"), "{screen}");
    let shown = env.segue(&["show", "latest", "--raw"]).ok();
    assert!(shown.contains("title: After\n") && shown.ends_with("other body"), "{shown}");
    let screen = edit(&breaks);
    let kept = format!("hint: your text is kept in {}/segue-", temp.display());
    assert!(screen.contains("END-65") && screen.contains(&kept), "{screen}");
    let screen = edit("EDITOR=false");
    assert!(screen.contains("END-1"), "{screen}");
    // Its screen would be written into a file.
    let screen = edit("EDITOR=true 2>&1 > out.txt");
    assert!(screen.contains("END-64"), "{screen}");
}

#[test]
fn a_terminal_is_not_read_as_body() {
    let env = filled();
    let Some(terminal) = Terminal::open(&env, &[]) else { return };
    let screen = terminal.run("segue save --title quick", false);
    assert!(screen.contains("END-0"), "{screen}");
    let screen = terminal.run("segue forget latest < /dev/null", false);
    assert!(screen.contains("add --yes") && screen.contains("END-64"), "{screen}");
}

#[test]
fn checks_are_asked_for_one_by_one() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "Checked"])
        .stdin("## Checks\n- `touch yes` exit 0\n- `touch no` exit 0\n")
        .ok();
    let Some(terminal) = Terminal::open(&env, &[]) else { return };
    let screen =
        terminal.run("printf 'y\\nn\\n' > answers; segue resume --recheck < answers", false);
    assert!(screen.contains("running the checks again needs a yes"), "{screen}");
    // Typed ahead: the terminal keeps it for whoever reads next.
    let binary = env!("CARGO_BIN_EXE_segue");
    terminal.tmux(&[
        "send-keys",
        &format!("clear; {binary} resume --recheck; echo END-$?"),
        "Enter",
    ]);
    for answer in ["y", "n"] {
        let begun = Instant::now();
        let question =
            if answer == "y" { "touch yes' in this directory? [y/N]" } else { "touch no' in this" };
        while !terminal.tmux(&["capture-pane", "-p"]).contains(question) {
            assert!(begun.elapsed() < Duration::from_secs(20), "{question} is not asked");
            sleep(Duration::from_millis(30));
        }
        terminal.tmux(&["send-keys", answer, "Enter"]);
    }
    let begun = Instant::now();
    let screen = loop {
        let screen = terminal.tmux(&["capture-pane", "-p"]);
        if screen.contains("END-0") {
            break screen;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{screen}");
        sleep(Duration::from_millis(50));
    };
    assert!(screen.contains("`touch yes`: holds (exit 0)"), "{screen}");
    assert!(screen.contains("`touch no`: not run: it was declined"), "{screen}");
    assert!(env.work.join("yes").exists() && !env.work.join("no").exists());
}

#[test]
fn headings_of_a_briefing_stand_out() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "T", "--next", "go\u{1b}[31m on"]).ok();
    let Some(terminal) = Terminal::open(&env, &[]) else { return };
    let screen = terminal.run("segue resume", true);
    assert!(screen.contains("\u{1b}[1m## Next steps"), "{screen:?}");
    assert!(screen.contains("1. go␛[31m on"), "{screen:?}");
    let screen = terminal.run("NO_COLOR=1 segue resume", true);
    assert!(!screen.contains("\u{1b}[1m"), "{screen:?}");
}
