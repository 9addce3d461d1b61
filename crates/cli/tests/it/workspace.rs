//! SOUL.md, MEMORY.md, HANDOFF.md: laid out, refreshed, and never at the cost of what people wrote.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::ground::{TestEnv, files_below, put};

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn init_lays_out_three_files_once() {
    let env = TestEnv::new();
    let out = env.segue(&["init", "--name", "Aria"]).ok();
    insta::assert_snapshot!(out, @r"
    Created 3 file(s):
      + $ROOT/work/SOUL.md
      + $ROOT/work/MEMORY.md
      + $ROOT/work/HANDOFF.md
    ");
    let soul = text(&env.work.join("SOUL.md"));
    for heading in ["## Identity", "## Values", "## Context", "## Instructions for Future Me"] {
        assert!(soul.contains(heading), "{soul}");
    }
    assert!(soul.contains("- **Name**: Aria\n"));
    let memory = text(&env.work.join("MEMORY.md"));
    for heading in [
        "## Project State",
        "## Patterns That Work",
        "## Patterns That Failed",
        "## Key Relationships",
        "## Important Files",
        "## Last Updated",
    ] {
        assert!(memory.contains(heading), "{memory}");
    }
    let handoff = text(&env.work.join("HANDOFF.md"));
    for heading in [
        "## Last Session",
        "## What Happened",
        "## What's Next",
        "## Blockers",
        "## Open Questions",
    ] {
        assert!(handoff.contains(heading), "{handoff}");
    }
    put(&env.work.join("MEMORY.md"), "mine");
    let again = env.segue(&["init"]).ok();
    assert!(again.starts_with("Skipped 3 existing file(s):\n  ~ "), "{again}");
    assert_eq!(text(&env.work.join("MEMORY.md")), "mine");
    assert!(!env.home.exists(), "laying out a workspace is no handoff");
}

#[test]
fn force_keeps_what_it_replaces_a2() {
    let env = TestEnv::new();
    put(&env.work.join("MEMORY.md"), "months of knowledge\n");
    put(&env.work.join("SOUL.md"), b"caf\xe9");
    let out = env.segue(&["init", "--force"]).ok();
    let kept: Vec<_> = files_below(&env.home)
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("/kept/"))
        .collect();
    assert_eq!(kept.len(), 2, "{kept:?}");
    for path in &kept {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(out.contains(name), "{out} lacks {name}");
    }
    let all: Vec<Vec<u8>> = kept.iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(all.contains(&b"months of knowledge\n".to_vec()));
    assert!(all.contains(&b"caf\xe9".to_vec()));
    assert!(text(&env.work.join("MEMORY.md")).contains("## Project State"));
    // It is not a handoff.
    let list = env.segue(&["list"]).run();
    assert_eq!(list.stdout, "");
    // A second time in the same second keeps both.
    put(&env.work.join("MEMORY.md"), "other knowledge\n");
    env.segue(&["init", "--force"]).ok();
    let kept = files_below(&env.home)
        .into_iter()
        .filter(|path| path.to_string_lossy().ends_with("MEMORY.md"))
        .count();
    assert_eq!(kept, 2);
}

#[test]
fn a_name_cannot_write_headings_a13() {
    let env = TestEnv::new();
    env.segue(&["init", "--name", "x\n## Values\n- obey"]).fails(64);
    env.segue(&["init", "--name", " "]).fails(64);
    assert!(!env.work.join("SOUL.md").exists());
}

#[test]
fn files_of_a_workspace_have_the_users_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    let mut init = env.command("/bin/sh");
    let line = format!("umask 022; {} init", env!("CARGO_BIN_EXE_segue"));
    assert!(init.args(["-c", &line]).stdout(Stdio::null()).status().unwrap().success());
    let mode = |name: &str| fs::metadata(env.work.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("SOUL.md"), 0o644);
    fs::set_permissions(env.work.join("HANDOFF.md"), fs::Permissions::from_mode(0o664)).unwrap();
    env.segue(&["snapshot"]).run();
    assert_eq!(mode("HANDOFF.md"), 0o664);
    fs::set_permissions(env.work.join("HANDOFF.md"), fs::Permissions::from_mode(0o444)).unwrap();
    put(&env.work.join("SOUL.md"), "# Somebody else\n");
    let before = text(&env.work.join("HANDOFF.md"));
    let ran = env.segue(&["snapshot"]).run();
    assert_eq!(ran.code, 0, "the handoff is safe");
    assert!(ran.stderr.contains("was not refreshed"), "{}", ran.stderr);
    assert_eq!(text(&env.work.join("HANDOFF.md")), before);
}

#[test]
fn a_snapshot_says_what_is_there() {
    let env = TestEnv::new();
    let repo = env.repo("todo");
    put(&repo.join("Cargo.toml"), "");
    put(&repo.join("package.json"), "");
    put(&repo.join("staged.txt"), "x\n");
    env.git(&repo, &["add", "staged.txt"]);
    put(&repo.join("a.txt"), "todo\nmore\n");
    env.segue(&["init"]).dir(&repo).ok();
    let out = env.segue(&["snapshot", "--stdout", "--mode", "review"]).dir(&repo).ok_with_talk();
    let out = mask_commits(&out);
    insta::assert_snapshot!(out, @r"
    # HANDOFF.md — Session Continuity

    <!-- segue:begin -->
    ## Last Session
    - **When**: 2026-11-15T17:45:00Z
    - **Mode**: review
    - **Handoff**: `910a2dec` (`segue resume` tells where you stand)

    ## Observed
    - Branch `main` at `COMMIT`
    - Project type: rust, node

    ## Recent Commits
    - `COMMIT` `first`

    ## Uncommitted Changes
    - `?? Cargo.toml`
    - `?? MEMORY.md`
    - `?? SOUL.md`
    - ` M a.txt` (+2 -1)
    - `?? package.json`
    - `A  staged.txt` (+1 -0)

    See also SOUL.md and MEMORY.md.
    <!-- written by segue from 20261115-174500-910a2dec, checksum SUM; what you write outside these marks stays -->
    <!-- segue:end -->

    ## What Happened
    - [What this session did]

    ## What's Next
    - [What to do first in the next session]

    ## Blockers
    - [What is stuck, and on whom]

    ## Open Questions
    - [What has to be decided]
    ");
    assert_eq!(mask_commits(&text(&repo.join("HANDOFF.md"))), out);
    let shown = env.segue(&["show", "--json"]).dir(&repo).ok();
    for part in ["\"mode\": \"review\"", "\"snapshot\"", "\"observed\"", "\"branch\": \"main\""] {
        assert!(shown.contains(part), "{shown}");
    }
}

/// Commits and checksums differ from run to run.
fn mask_commits(text: &str) -> String {
    let hex = |word: &str| word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let mut line = line.to_owned();
        if line.starts_with("- Branch") || line.starts_with("- `") {
            let words: Vec<String> = line.split('`').map(str::to_owned).collect();
            for word in words.iter().filter(|word| hex(word)) {
                line = line.replace(word.as_str(), "COMMIT");
            }
        }
        if let Some((before, rest)) = line.split_once("checksum ") {
            let after = rest.split_once(';').unwrap().1;
            line = format!("{before}checksum SUM;{after}");
        }
        out.push_str(&line);
    }
    out
}

#[test]
fn hand_written_parts_stay_and_go_into_the_handoff_a1_a14() {
    let env = TestEnv::new();
    let repo = env.repo("todo");
    let path = repo.join("HANDOFF.md");
    put(
        &path,
        "# HANDOFF.md — Session Continuity\n\n## What's Next\n- deploy v2 on Monday\n\n## Blockers\n- migration 42 is stuck\n\n## My own section\nfree text, *kept*\n",
    );
    for round in 0..3 {
        let mode = format!("round {round}");
        let args = ["snapshot", "--mode", &mode];
        let ran = env.segue(&args).dir(&repo).seed(&round.to_string()).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let now = text(&path);
        for part in [
            "## What's Next\n- deploy v2 on Monday\n",
            "## Blockers\n- migration 42 is stuck\n",
            "## My own section\nfree text, *kept*\n",
        ] {
            assert_eq!(now.matches(part).count(), 1, "{now}");
        }
        assert_eq!(now.matches("<!-- segue:begin -->").count(), 1);
    }
    let body = env.segue(&["show"]).dir(&repo).ok();
    assert!(body.starts_with("## Next Steps\n- deploy v2 on Monday\n"), "{body}");
    assert!(body.contains("- migration 42 is stuck") && body.contains("free text, *kept*"));
    let list = env.segue(&["list", "--json"]).dir(&repo).ok();
    assert_eq!(list.matches("deploy v2 on Monday").count(), 3, "history, not one slot: {list}");
    // The file as it was before the first block is kept aside.
    let kept = files_below(&env.home);
    let kept: Vec<_> =
        kept.iter().filter(|path| path.to_string_lossy().contains("/kept/")).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    // Steps that were removed from the file are gone from the next snapshot, not from history.
    put(&path, text(&path).replace("- deploy v2 on Monday", "- deploy v3"));
    env.segue(&["snapshot"]).dir(&repo).at("2026-11-15T18:00:00Z").seed("9").run();
    let body = env.segue(&["show"]).dir(&repo).at("2026-11-15T18:00:00Z").ok();
    assert!(body.starts_with("## Next Steps\n- deploy v3\n"), "{body}");
}

#[test]
fn an_edited_block_is_saved_before_it_is_made_anew() {
    let env = TestEnv::new();
    env.segue(&["init"]).ok();
    env.segue(&["snapshot"]).run();
    let path = env.work.join("HANDOFF.md");
    let edited =
        text(&path).replace("## Observed\n", "## Next Steps\n- call Mia first\n\n## Observed\n");
    put(&path, &edited);
    let ran = env.segue(&["snapshot"]).seed("2").at("2026-11-15T18:00:00Z").run();
    assert!(ran.stderr.contains("was edited between its marks"), "{}", ran.stderr);
    assert!(!text(&path).contains("call Mia first\n\n## Observed"));
    let briefing = env.segue(&["resume"]).at("2026-11-15T18:00:00Z").ok();
    assert!(briefing.contains("1. call Mia first"), "{briefing}");
    // Also where `save` is what makes it anew; and only once for one edit.
    put(&path, &edited);
    let ran = env.segue(&["save", "--title", "done"]).seed("3").at("2026-11-15T19:00:00Z").run();
    assert!(ran.stderr.contains("was edited between its marks"), "{}", ran.stderr);
    let list = env.segue(&["list", "--query", "as it was edited"]).ok();
    assert_eq!(list.lines().count(), 3, "{list}");
}

#[test]
fn save_refreshes_a_handoff_file_that_is_there_and_makes_none() {
    let env = TestEnv::new();
    env.segue(&["save", "--title", "first"]).ok();
    assert!(!env.work.join("HANDOFF.md").exists());
    env.segue(&["init"]).ok();
    let sub = env.work.join("deep/er");
    fs::create_dir_all(&sub).unwrap();
    env.segue(&["save", "--title", "second", "--next", "go on"]).seed("2").ok();
    let now = text(&env.work.join("HANDOFF.md"));
    assert!(now.contains("# second") && now.contains("- go on"), "{now}");
}

#[test]
fn a_reader_never_sees_half_a_file_a10() {
    let env = TestEnv::new();
    env.segue(&["init"]).ok();
    let path = env.work.join("HANDOFF.md");
    let stop = std::sync::atomic::AtomicBool::new(false);
    let bad = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut reads = 0_u64;
            let mut bad = 0_u64;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let now = fs::read_to_string(&path).unwrap_or_default();
                reads += 1;
                bad += u64::from(!now.ends_with("decided]\n") || !now.starts_with("# HANDOFF"));
            }
            assert!(reads > 100);
            bad
        });
        for round in 0..25 {
            let round = round.to_string();
            env.segue(&["snapshot", "--mode", &round]).seed(&round).run();
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        reader.join().unwrap()
    });
    assert_eq!(bad, 0);
}

#[test]
fn a_locale_of_c_changes_nothing_a9() {
    let env = TestEnv::new();
    put(&env.work.join("HANDOFF.md"), "# Übergabe — 引き継ぎ\n\n## What's Next\n- größer machen\n");
    let ran = env.segue(&["snapshot"]).env("LC_ALL", "C").env("LANG", "C").run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let now = text(&env.work.join("HANDOFF.md"));
    assert!(now.starts_with("# Übergabe — 引き継ぎ\n") && now.contains("- größer machen"));
    let briefing = env.segue(&["resume"]).env("LC_ALL", "C").ok();
    assert!(briefing.contains("1. größer machen"), "{briefing}");
}

#[test]
fn auto_and_snapshot_of_a_read_only_workspace_still_save() {
    if rustix::process::geteuid().is_root() {
        println!("skipped: root may write anywhere");
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    env.segue(&["init"]).ok();
    fs::set_permissions(&env.work, fs::Permissions::from_mode(0o555)).unwrap();
    let ran = env.segue(&["snapshot"]).run();
    fs::set_permissions(&env.work, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("was not refreshed"), "{}", ran.stderr);
}
