//! What was chosen and why, on standard error, where somebody asks for it.

use crate::ground::TestEnv;

#[test]
fn each_choice_is_a_line_on_standard_error() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let saved = env.segue(&["save", "-v", "--title", "Totals", "--next", "Test them"]).dir(&repo);
    let saved = saved.run();
    assert_eq!(saved.code, 0, "{}", saved.stderr);
    assert!(saved.stderr.contains("info: no project: nothing of this directory is known"));
    assert!(saved.stderr.contains(": made for this directory"), "{}", saved.stderr);
    let id = saved.stdout.trim();
    let quiet = env.segue(&["resume"]).dir(&repo).run();
    assert_eq!(quiet.stderr, "");
    let told = env.segue(&["resume", "--verbose"]).dir(&repo).run();
    assert_eq!(told.stdout, quiet.stdout);
    assert!(told.stderr.contains(": known by its git directory\n"), "{}", told.stderr);
    let why = format!("info: handoff {id}: the newest of this worktree and branch\n");
    assert!(told.stderr.contains(&why), "{}", told.stderr);
}

#[test]
fn what_a_briefing_leaves_out_is_counted_and_named_on_request() {
    let env = TestEnv::new();
    let steps: Vec<String> =
        (0..60).map(|at| format!("- Look at the file number {at}\n")).collect();
    let body = format!("## Next steps\n{}", steps.concat());
    env.segue(&["save", "--title", "Files"]).stdin(body).ok();
    let at = |level: &str| env.segue(&["resume", "--budget", "400"]).env("SEGUE_LOG", level).run();
    let info = at("info").stderr;
    assert!(info.contains("info: left out of the briefing: "), "{info}");
    assert!(!info.contains("number 59"), "{info}");
    let debug = at("debug").stderr;
    assert!(debug.contains("number 59"), "{debug}");
    assert_eq!(at("off").stderr, "");
}

#[test]
fn a_title_cannot_write_a_line_of_the_log() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    let title = "x\u{1b}[2J\rinfo: handoff 00000000: forged";
    env.segue(&["save", "--title", title]).dir(&repo).ok();
    env.segue(&["save", "--title", "newer", "--name", "other"]).dir(&repo).ok();
    let told = env.segue(&["resume"]).env("SEGUE_LOG", "debug").dir(&repo).run().stderr;
    assert!(told.contains("debug: passed over: handoff "), "{told}");
    assert!(!told.contains('\u{1b}') && !told.contains('\r'), "{told}");
}
