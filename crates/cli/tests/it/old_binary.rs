//! A store of this version under the binary of version 0.1.0, which knows only format 1. It runs where
//! `SEGUE_TEST_OLD_BINARY` names that binary; what it does is described in `docs/format.md`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ground::{Ran, TestEnv, put};

const NEWER: &str = "this handoff is of a newer format; parts of it may not be understood";

/// The old binary, and a directory with a handoff of each format.
struct OldReader {
    env: TestEnv,
    repo: PathBuf,
    binary: PathBuf,
}

impl OldReader {
    fn new() -> Option<Self> {
        let Some(binary) = std::env::var_os("SEGUE_TEST_OLD_BINARY") else {
            eprintln!("skipped: SEGUE_TEST_OLD_BINARY names no binary of version 0.1.0");
            return None;
        };
        let env = TestEnv::new();
        let repo = env.repo("shop");
        let run = |args: &[&str], at| env.segue(args).dir(&repo).at(at).ok_with_talk();
        run(
            &["save", "--no-stdin", "--title", "Plain", "--next", "Ship it"],
            "2026-11-15T10:00:00Z",
        );
        run(&["snapshot", "--from", "none"], "2026-11-15T11:00:00Z");
        let plain = env.handoff_files().into_iter().find(|path| is_called(path, "plain"));
        let plain = plain.unwrap();
        for (number, kind) in ["session", "decision", "note", "closing"].iter().enumerate() {
            let id = format!("a000000{number}");
            let text = format!(
                "---\nsegue: 2\nid: 20261115-12000{number}-{id}\ncreated: 2026-11-15T12:00:0{number}Z\n\
                 kind: {kind}\ntitle: The {kind}\nsaved_from: {{dir: \".\", worktree: main}}\ngit: {{branch: main}}\nsources: {{rest: agent}}\nmood: {{a:  1}} # kept\n---\n\
                 ## Next Steps\n- Of the {kind}\n"
            );
            put(&plain.with_file_name(format!("{kind}-2026-11-15-{id}.md")), text);
        }
        Some(Self { env, repo, binary: binary.into() })
    }

    fn old(&self, args: &[&str]) -> Ran {
        self.env.segue_by(&self.binary, args).dir(&self.repo).run()
    }
}

fn is_called(path: &Path, tag: &str) -> bool {
    path.file_name().unwrap().to_string_lossy().starts_with(tag)
}

#[test]
fn version_0_1_0_reads_format_2_with_a_warning_and_rewrites_nothing() {
    let Some(there) = OldReader::new() else { return };
    assert_eq!(there.old(&["--version"]).stdout, "segue 0.1.0\n");
    let files = || -> Vec<(PathBuf, Vec<u8>)> {
        let files = there.env.handoff_files().into_iter();
        files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    };
    let before = files();
    assert_eq!(before.len(), 6);
    // It lists and shows everything; of what is newer it says so.
    let listed = there.old(&["list"]);
    assert_eq!((listed.code, listed.stdout.lines().count()), (0, 7), "{}", listed.stdout);
    for (short, kind) in [("a0000000", "session"), ("a0000002", "note"), ("a0000003", "closing")] {
        let shown = there.old(&["show", short]);
        assert!(shown.stdout.contains(&format!("Of the {kind}")), "{}", shown.stdout);
        assert!(shown.stderr.contains(NEWER), "{}", shown.stderr);
        let edited = there.old(&["edit", short, "--title", "Mine"]);
        assert_eq!(edited.code, 65, "{}", edited.stderr);
    }
    let plain = there.old(&["resume", "--id", "a0000001"]);
    assert!(plain.stdout.contains("The decision"), "{}", plain.stdout);
    // A plain handoff and a snapshot are what they were to it; by tags it knows the snapshot.
    let first =
        there.env.handoff_files().into_iter().find(|path| is_called(path, "plain")).unwrap();
    let stem = first.file_stem().unwrap().to_string_lossy().into_owned();
    let shown = there.old(&["show", stem.rsplit('-').next().unwrap()]);
    assert!(shown.stdout.contains("Ship it") && shown.stderr.is_empty(), "{}", shown.stderr);
    for args in [&["search", "ship"][..], &["doctor"], &["index", "--rebuild"], &["scrub"]] {
        let ran = there.old(args);
        assert_eq!(ran.code, 0, "{args:?}: {}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(files(), before);
    // And what this version finds after it is the same.
    let listed = there.env.segue(&["list", "--all"]).dir(&there.repo).ok();
    assert_eq!(listed.lines().count(), 7, "{listed}");
    assert!(there.env.segue(&["resume"]).dir(&there.repo).ok().contains("The session"));
}
