//! The picker in a real terminal, and the numbered form without one. Needs tmux for the first.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::ground::TestEnv;
use crate::terminal::Terminal;

/// Three handoffs of the directory, the newest first: an evil one, one with a name, one with tags.
fn filled() -> (TestEnv, [String; 3]) {
    let env = TestEnv::new();
    let save = |args: &[&str], body: &str, at: &str, seed: &str| {
        let all: Vec<&str> = ["save", "--title"].iter().chain(args).copied().collect();
        env.segue(&all).stdin(body).at(at).seed(seed).ok().trim().to_owned()
    };
    let auth = save(
        &["Refactor auth middleware", "--tags", "api,auth", "--tool", "codex"],
        "## Current State\n- Token parser extracted\n",
        "2026-11-01T10:00:00Z",
        "3",
    );
    let state = save(
        &["修复登录", "--name", "project-state", "--tags", "api"],
        &(1..80).map(|n| format!("line {n} of it\n")).collect::<String>(),
        "2026-11-15T15:00:00Z",
        "2",
    );
    let evil = save(
        &["evil \u{1b}[31mred\u{1b}]0;owned\u{7}\u{202e}tac"],
        "body \u{1b}[2J\u{1b}]52;c;AAAA\u{7}\n",
        "2026-11-15T17:40:00Z",
        "1",
    );
    (env, [evil, state, auth])
}

/// Another directory's handoff.
fn elsewhere(env: &TestEnv) -> String {
    let other = env.dir("elsewhere");
    let args = ["save", "--title", "Terraform state is locked"];
    let saved = env.segue(&args).dir(&other).at("2026-11-14T00:00:00Z").seed("9");
    saved.ok().trim().to_owned()
}

fn open(env: &TestEnv) -> Option<Terminal> {
    Terminal::sized(env, &[], ["100", "30"])
}

/// Begins `segue select` and waits for its first picture.
fn begin(terminal: &Terminal, command: &str, count: &str) -> String {
    terminal.begin(command);
    terminal.wait("the list", |screen| screen.contains(count) && screen.contains("enter id"))
}

fn ended(terminal: &Terminal) -> String {
    terminal.wait("the end", |screen| {
        screen.lines().any(|line| line.starts_with("END-") && !line.contains('$'))
    })
}

#[test]
fn s16_only_the_id_reaches_standard_output() {
    let (env, [_, state, auth]) = filled();
    let Some(terminal) = open(&env) else { return };
    begin(&terminal, "id=$(segue select); echo END-$?-[$id]", "3/3");
    terminal.keys(&["auth"]);
    terminal.wait("one fits", |screen| screen.contains("1/3"));
    terminal.keys(&["Enter"]);
    let screen = ended(&terminal);
    assert!(screen.contains(&format!("END-0-[{auth}]")), "{screen}");
    // The same where the numbered form asks.
    let listed = env.segue(&["select"]).stdin("2\n").run();
    assert_eq!((listed.code, listed.stdout), (0, format!("{state}\n")));
}

#[test]
fn list_and_preview_stand_side_by_side() {
    let (env, [_, _, auth]) = filled();
    let Some(terminal) = open(&env) else { return };
    let screen = begin(&terminal, "segue select; echo END-$?", "3/3");
    assert!(screen.contains("5m  evil ␛[31mred␛]0;owned␇<U+202E>tac"), "{screen}");
    assert!(screen.contains("2h  project-state: 修复登录  api"), "{screen}");
    assert!(screen.contains("│ body ␛[2J␛]52;c;AAAA␇"), "{screen}");
    terminal.keys(&["End"]);
    let screen = terminal.wait("its preview", |screen| screen.contains("│ - Token parser"));
    assert!(screen.contains("▌  2w  Refactor auth middleware  api,auth"), "{screen}");
    for fact in [&auth, "2026-11-01 10:00 · 2w ago", "tool      codex", "tags      api, auth"] {
        assert!(screen.contains(fact), "{fact}: {screen}");
    }
    terminal.keys(&["C-p"]);
    terminal.wait("a long text", |screen| screen.contains("line 1 of it") && screen.contains("0%"));
    terminal.keys(&["S-NPage", "S-NPage", "S-NPage", "S-NPage"]);
    terminal.wait("its end", |screen| screen.contains("line 79 of it") && screen.contains("100%"));
    terminal.keys(&["Escape"]);
    assert!(ended(&terminal).contains("END-1\n"));
}

#[test]
fn leaving_is_quiet_and_puts_the_terminal_back() {
    let (env, _) = filled();
    let Some(terminal) = open(&env) else { return };
    for (key, code) in [("Escape", "1"), ("C-c", "130")] {
        let before = terminal.run("stty -a", false);
        begin(&terminal, "segue select; echo END-$?", "3/3");
        terminal.keys(&[key]);
        let screen = ended(&terminal);
        assert!(screen.contains(&format!("END-{code}\n")), "{key}: {screen}");
        assert!(!screen.contains("evil") && !screen.contains("error"), "{key}: {screen}");
        assert_eq!(terminal.run("stty -a", false), before, "{key}");
    }
}

/// A picker whose process is known.
const KNOWN: &str = "sh -c 'echo $$ > pid; exec segue select'; echo END-$?";

/// Whether a signal could be sent to the picker of `KNOWN`; 0 only asks for it.
fn signal(env: &TestEnv, signal: &str) -> bool {
    let kill = format!("kill -{signal} $(cat pid) 2> /dev/null");
    env.command("sh").args(["-c", &kill]).status().unwrap().success()
}

#[test]
fn a_signal_puts_the_terminal_back() {
    let (env, _) = filled();
    let Some(terminal) = open(&env) else { return };
    let before = terminal.run("stty -a", false);
    for (name, code) in [("TERM", "143"), ("HUP", "129")] {
        begin(&terminal, KNOWN, "3/3");
        assert_eq!(terminal.tmux(&["display-message", "-p", "#{alternate_on}"]), "1\n");
        assert!(signal(&env, name));
        let screen = ended(&terminal);
        assert!(screen.contains(&format!("END-{code}\n")), "{name}: {screen}");
        assert_eq!(terminal.tmux(&["display-message", "-p", "#{alternate_on}"]), "0\n");
        assert_eq!(terminal.run("stty -a", false), before, "{name}");
    }
}

#[test]
fn a_terminal_that_goes_away_takes_the_picker_along() {
    let (env, _) = filled();
    let Some(terminal) = open(&env) else { return };
    begin(&terminal, KNOWN, "3/3");
    assert!(signal(&env, "0"));
    terminal.tmux(&["kill-server"]);
    let begun = Instant::now();
    while signal(&env, "0") {
        assert!(begun.elapsed() < Duration::from_secs(20), "it is still there");
        sleep(Duration::from_millis(50));
    }
}

#[test]
fn keys_show_resume_and_export_what_is_selected() {
    let (env, [_, _, auth]) = filled();
    let Some(terminal) = open(&env) else { return };
    for (key, command) in [
        ("C-s", ["show", "--id", &auth]),
        ("C-r", ["resume", "--id", &auth]),
        ("C-e", ["export", "--id", &auth]),
    ] {
        begin(&terminal, "segue select > out 2> err; echo END-$?", "3/3");
        terminal.keys(&["middle"]);
        terminal.wait("one fits", |screen| screen.contains("1/3"));
        terminal.keys(&[key]);
        let screen = ended(&terminal);
        assert!(screen.contains("END-0\n"), "{key}: {screen}");
        let printed = std::fs::read_to_string(env.work.join("out")).unwrap();
        let wanted = env.segue(&command).run().stdout;
        assert_eq!(printed, wanted.replace("$ROOT", &root(&env)), "{key}");
        assert_eq!(std::fs::read_to_string(env.work.join("err")).unwrap(), "", "{key}");
    }
}

fn root(env: &TestEnv) -> String {
    env.work.parent().unwrap().display().to_string()
}

#[test]
fn the_id_is_copied_through_the_terminal() {
    let (env, [evil, ..]) = filled();
    let Some(terminal) = open(&env) else { return };
    terminal.tmux(&["set-option", "-s", "set-clipboard", "on"]);
    begin(&terminal, "segue select; echo END-$?", "3/3");
    terminal.keys(&["C-y"]);
    terminal.wait("a word about it", |screen| screen.contains(&format!("{evil} is given")));
    assert_eq!(terminal.tmux(&["show-buffer"]), evil);
    terminal.keys(&["Escape"]);
    ended(&terminal);
}

#[test]
fn tags_and_projects_are_chosen_from_a_menu() {
    let (env, _) = filled();
    let there = elsewhere(&env);
    let Some(terminal) = open(&env) else { return };
    begin(&terminal, "segue select; echo END-$?", "3/3");
    terminal.keys(&["Tab"]);
    terminal.wait("the tags", |screen| screen.contains("only with this tag"));
    terminal.keys(&["auth", "Enter"]);
    terminal.wait("one has it", |screen| screen.contains("tag auth  1/3"));
    terminal.keys(&["Tab", "Up"]);
    terminal.keys(&["Up", "Enter"]);
    terminal.wait("all again", |screen| screen.contains("3/3"));
    terminal.keys(&["C-g"]);
    terminal.wait("the projects", |screen| screen.contains("every project"));
    terminal.keys(&["Enter"]);
    let screen = terminal.wait("every project", |screen| screen.contains("4/4"));
    assert!(screen.contains("Terraform state is locked"), "{screen}");
    terminal.keys(&["C-g"]);
    terminal.keys(&["elsewh", "Enter"]);
    terminal.wait("the other one", |screen| screen.contains("project elsewhere  1/4"));
    terminal.keys(&["Enter"]);
    let screen = ended(&terminal);
    assert!(screen.contains(&format!("{there}\nEND-0")), "{screen}");
}

#[test]
fn a_question_mark_shows_the_keys() {
    let (env, _) = filled();
    let Some(terminal) = open(&env) else { return };
    begin(&terminal, "segue select; echo END-$?", "3/3");
    terminal.keys(&["?"]);
    terminal
        .wait("the keys", |screen| screen.contains("ctrl-r") && screen.contains("its briefing"));
    terminal.keys(&["x"]);
    terminal.wait("the list again", |screen| !screen.contains("ctrl-r") && screen.contains("3/3"));
    terminal.keys(&["Escape"]);
    ended(&terminal);
}

#[test]
fn the_picture_follows_the_size_of_the_terminal() {
    let (env, _) = filled();
    let Some(terminal) = open(&env) else { return };
    begin(&terminal, "segue select; echo END-$?", "3/3");
    for (columns, rows, preview) in [("60", "24", true), ("20", "5", false), ("1", "1", false)] {
        terminal.tmux(&["resize-window", "-x", columns, "-y", rows]);
        if columns == "1" {
            sleep(Duration::from_millis(300));
            continue;
        }
        let screen = terminal.wait("a smaller picture", |screen| {
            screen.contains("3/3") && !screen.contains('│') && screen.contains("? keys")
        });
        assert_eq!(screen.contains("project   work"), preview, "{screen}");
    }
    terminal.tmux(&["resize-window", "-x", "200", "-y", "50"]);
    let screen = terminal.wait("a large one", |screen| screen.contains("│ body ␛[2J"));
    assert!(screen.contains("tab tag  ^g project  esc leave  ? keys"), "{screen}");
    terminal.keys(&["Escape"]);
    assert!(ended(&terminal).contains("END-1"));
}

#[test]
fn stored_text_neither_paints_nor_breaks_the_picture() {
    let env = TestEnv::new();
    let long = "x修".repeat(3000);
    let titles = [
        "a\nb\rc\u{9b}31m",
        "שלום \u{202e}olleh\u{2066}",
        "\u{1b}[2J\u{1b}[1;1Howned\u{1b}]52;c;AAAA\u{7}",
        "👩‍🚀👨‍👩‍👧‍👦 e\u{301}\u{301}\u{301} family",
        &long,
    ];
    for (seed, title) in (1..).zip(titles) {
        let seed = seed.to_string();
        env.segue(&["save", "--title", title, "--tags", "t"]).stdin(title).seed(&seed).run();
    }
    let Some(terminal) = Terminal::sized(&env, &[], ["80", "24"]) else { return };
    let count = env.segue(&["list"]).ok().lines().count() - 1;
    let screen = begin(&terminal, "segue select; echo END-$?", &format!("{count}/{count}"));
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    assert!(screen.starts_with(" › type to search"), "{screen}");
    for _ in 0..count {
        let screen = terminal.tmux(&["capture-pane", "-p"]);
        assert_eq!(screen.lines().filter(|line| line.contains('│')).count(), 21, "{screen}");
        terminal.keys(&["Down"]);
        sleep(Duration::from_millis(100));
    }
    let painted = terminal.tmux(&["capture-pane", "-p", "-e"]);
    assert!(!painted.contains("\u{1b}[31m") && !painted.contains("\u{1b}[2J"), "{painted:?}");
    terminal.keys(&["Escape"]);
    ended(&terminal);
}

#[test]
fn without_colours_the_selection_is_still_seen() {
    let (env, _) = filled();
    let Some(terminal) = open(&env) else { return };
    begin(&terminal, "NO_COLOR=1 segue select; echo END-$?", "3/3");
    terminal.keys(&["auth"]);
    terminal.wait("one fits", |screen| screen.contains("1/3"));
    let painted = terminal.tmux(&["capture-pane", "-p", "-e"]);
    assert!(painted.contains('▌') && painted.contains("\u{1b}[1m"), "{painted:?}");
    for colour in 30..38 {
        assert!(!painted.contains(&format!("\u{1b}[{colour}m")), "{painted:?}");
    }
    assert!(!painted.contains("38;5"), "{painted:?}");
    terminal.keys(&["Escape"]);
    ended(&terminal);
}

#[test]
fn the_numbered_form_is_for_places_without_a_terminal() {
    let (env, [evil, _, auth]) = filled();
    let ran = env.segue(&["select"]).stdin("3\n").run();
    assert_eq!((ran.code, ran.stdout), (0, format!("{auth}\n")));
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines[0], format!("1) {evil}  -          evil ␛[31mred␛]0;owned␇<U+202E>tac"));
    assert_eq!(lines[2], format!("3) {auth}  codex      Refactor auth middleware"));
    assert_eq!(lines[3], "Select number: ");
    for (typed, said) in [
        ("", "no number was given"),
        ("\n", "no number was given"),
        ("abc\n", "'abc' is not a number of the list"),
        ("0\n", "'0' is not a number of the list"),
        ("99\n", "'99' is not a number of the list"),
        ("-1\n", "'-1' is not a number of the list"),
        ("\u{1b}[31m\n", "'␛[31m' is not a number of the list"),
    ] {
        let error = env.segue(&["select"]).stdin(typed).fails_with_talk(64);
        assert!(error.contains(said), "{typed:?}: {error}");
    }
    let error = env.segue(&["select", "--tag", "api", "--limit", "1"]).fails_with_talk(64);
    assert!(error.contains("1) ") && !error.contains("2) "), "{error}");
    assert!(error.contains("there are more: --limit 0 shows all"), "{error}");
}

#[test]
fn a_dumb_terminal_gets_the_numbered_form() {
    let (env, [_, state, _]) = filled();
    let Some(terminal) = open(&env) else { return };
    terminal.begin("TERM=dumb segue select; echo END-$?");
    terminal.wait("the prompt", |screen| screen.contains("Select number:"));
    terminal.keys(&["2", "Enter"]);
    let screen = ended(&terminal);
    assert!(screen.contains(&format!("{state}\nEND-0")), "{screen}");
}

#[test]
fn print_id_prints_the_newest_that_fits_and_nothing_else() {
    let (env, [evil, state, auth]) = filled();
    let there = elsewhere(&env);
    assert_eq!(env.segue(&["select", "--print-id"]).ok(), format!("{evil}\n"));
    assert_eq!(env.segue(&["select", "--print-id", "--tag", "api"]).ok(), format!("{state}\n"));
    assert_eq!(env.segue(&["select", "--print-id", "--tool", "codex"]).ok(), format!("{auth}\n"));
    assert_eq!(env.segue(&["select", "--print-id", "--query", "Refac"]).ok(), format!("{auth}\n"));
    let given = ["select", "--print-id", "--project", "elsewhere"];
    assert_eq!(env.segue(&given).ok(), format!("{there}\n"));
    let by_id = ["select", "--print-id", "--id", &auth[..4]];
    assert_eq!(env.segue(&by_id).ok(), format!("{auth}\n"));
}

#[test]
fn no_match_is_an_error() {
    let (env, _) = filled();
    for (args, said) in [
        (&["--name", "nope"][..], "no handoff is named 'nope'"),
        (&["--id", "ffff"], "ffff"),
        (&["--tag", "nope"], "no handoff fits"),
        (&["--query", "nope", "--all-projects"], "no handoff fits"),
        (&["--project", "nope"], "nope"),
    ] {
        for how in [&["select", "--print-id"][..], &["select"]] {
            let error = env.segue(&[how, args].concat()).fails(66);
            assert!(error.contains(said), "{args:?}: {error}");
        }
    }
    let empty = TestEnv::new();
    let error = empty.segue(&["select", "--print-id"]).fails(66);
    assert!(error.contains("'segue save' leaves the first one"), "{error}");
    let Some(terminal) = open(&env) else { return };
    let screen = terminal.run("segue select --tag nope", false);
    assert!(screen.contains("no handoff fits") && screen.contains("END-66"), "{screen}");
}
