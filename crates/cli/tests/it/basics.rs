//! The walk of a new user: save, list, show, render.

use crate::ground::{TestEnv, put};

#[test]
fn a_saved_body_comes_back_byte_for_byte() {
    let env = TestEnv::new();
    let body = "## Context\r\n\r\nnull: \0, tab:\t, é 修 🎉, no line end";
    let id = env.segue(&["save"]).stdin(body).ok();
    assert_eq!(id.trim().len(), 8);
    let shown = env.segue(&["show", id.trim()]).run();
    assert_eq!(shown.bytes, body.as_bytes());
    assert_eq!(env.segue(&["show"]).run().bytes, body.as_bytes());
    let raw = env.segue(&["show", "--raw"]).ok();
    assert!(raw.starts_with("---\nsegue: 1\nid: 20261115-174500-"));
    assert!(raw.ends_with(body));
}

#[test]
fn the_workflow_of_a_named_package() {
    let env = TestEnv::new();
    let id = env
        .segue(&[
            "store",
            "--name",
            "project-state",
            "--summary",
            "Task CRUD in progress",
            "--ttl",
            "14d",
            "--project",
            "myapp",
        ])
        .stdin("## Current State\n\nCRUD works.\n")
        .ok();
    let id = id.trim();
    insta::assert_snapshot!(env.segue(&["list"]).ok().replace('\t', " | "), @"
    ID | CREATED | NAME | TITLE | PROJECT | TOOL | TAGS | EXPIRES | SUMMARY | SIGNED
    910a2dec | 2026-11-15T17:45:00Z | project-state | project-state | myapp | - | - | 2026-11-29T17:45:00Z | Task CRUD in progress | -
    ");
    assert_eq!(env.segue(&["list", "--project", "myapp"]).ok(), env.segue(&["list"]).ok());
    assert_eq!(env.segue(&["retrieve", id]).ok(), "## Current State\n\nCRUD works.\n");
    assert_eq!(
        env.segue(&["retrieve", "--name", "project-state"]).ok(),
        "## Current State\n\nCRUD works.\n"
    );
    assert_eq!(env.segue(&["gc"]).ok(), "Archived 0 handoffs that expired.\n");
}

#[test]
fn the_first_steps_of_a_record() {
    let env = TestEnv::new();
    let repo = env.repo("my-app");
    put(&repo.join("src/new.rs"), "fn main() {}\n");
    let save = [
        "save",
        "--tool",
        "codex",
        "--project",
        ".",
        "--title",
        "Refactor auth middleware",
        "--summary",
        "Extracted token parser",
        "--next",
        "Fix refresh test matrix",
        "--next",
        "Run race tests",
    ];
    env.segue(&save).dir(&repo).ok();
    env.segue(&["list"]).dir(&repo).ok();
    let rendered = env.segue(&["render", "--target", "claude-code"]).dir(&repo).ok();
    let rendered = rendered.replace(&env.git(&repo, &["rev-parse", "HEAD"]), "$HEAD");
    insta::assert_snapshot!(rendered, @"
    # Session Handoff
    - Id: 20261115-174500-910a2dec
    - Source tool: codex
    - Target tool: claude-code
    - Project: my-app
    - Created: 2026-11-15T17:45:00Z
    - Topic: Refactor auth middleware
    - Branch: main
    - Commit: $HEAD

    ## Current state
    Extracted token parser

    ## Working tree signals
    - src/

    ## Next Steps

    - Fix refresh test matrix
    - Run race tests

    ## Constraints
    - Check what is said here against the working tree before relying on it.
    - Prefer small changes that can be reviewed one by one.
    - Leave a handoff when you stop: `segue save`.
    ");
}
