//! Secrets in the head of a handoff that something else has written: nothing prints them, nothing carries them on,
//! and `scrub` leaves none.

use std::fs;

use crate::ground::{TestEnv, files_below, put};

const SHORT: &str = "aaaaaa01";

/// In the shape of GitHub's, with a checksum that holds; put together here so that nobody takes this file for a
/// leak.
fn token() -> String {
    ["gh", "p_zQWBuTSOoRi4A9sp", "HcVY5ncnsDkxkJ0mLq17"].concat()
}

/// A handoff with the token in every place of its head.
fn put_handoff(env: &TestEnv) {
    env.segue(&["save", "--title", "Other", "--next", "x"]).run();
    let memory = fs::read_dir(env.home.join("projects")).unwrap().next().unwrap().unwrap().path();
    let path = memory.join(format!("layer1/2026-11/s-2026-11-15-{SHORT}.md"));
    let text = "---\nsegue: 2 # A TOKEN\nid: 20261115-170001-aaaaaa01 # B TOKEN\ncreated: 2026-11-15T17:00:01.000000Z # C TOKEN\nkind: handoff # D TOKEN\ncaptured: 2026-11-15T17:00:02Z # E TOKEN\ntitle: sec TOKEN\nsources: {rest: agent, # F TOKEN\n  user: [0123456789abcdef]}\nparent: TOKEN\nsupersedes: [TOKEN, 20261114-091203-77e0b1d2]\naliases: [TOKEN, c0037acc]\nimported: {signer: TOKEN, at: TOKEN, from: \"https://u:TOKEN@h/x\"}\nmode: \"x\" TOKEN\n# G TOKEN\nx-un: TOKEN\n---\n## Next Steps\n\n- plain words\n";
    put(&path, text.replace("TOKEN", &token()));
}

#[test]
fn a_secret_in_a_head_is_not_printed_and_not_carried_on() {
    let env = TestEnv::new();
    put_handoff(&env);
    for args in [
        &["show", SHORT][..],
        &["show", SHORT, "--json"],
        &["resume", "--id", SHORT],
        &["resume", "--id", SHORT, "--json"],
        &["render", SHORT],
        &["export", SHORT],
        &["export", SHORT, "--format", "json"],
        &["edit", SHORT, "--title", "New", "--json"],
    ] {
        let ran = env.segue(args).run();
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        for printed in [&ran.stdout, &ran.stderr] {
            assert!(!printed.contains(&token()), "{args:?}: {printed}");
        }
    }
    let leaks = files_below(&env.home.join("projects"))
        .into_iter()
        .filter(|path| String::from_utf8_lossy(&fs::read(path).unwrap()).contains(&token()));
    assert_eq!(leaks.count(), 1, "only what is stored already");
}

#[test]
fn scrub_takes_a_secret_from_every_place_of_a_head_and_references_still_resolve() {
    let env = TestEnv::new();
    put_handoff(&env);
    let ran = env.segue(&["scrub", "--yes"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for file in files_below(&env.home) {
        let bytes = fs::read(&file).unwrap();
        let has = bytes.windows(token().len()).any(|part| part == token().as_bytes());
        assert!(!has, "{}", file.display());
    }
    // It was named by its title.
    let named = files_below(&env.home.join("projects"));
    let path = named.iter().find(|file| file.to_string_lossy().ends_with("aaaaaa01.md")).unwrap();
    let text = fs::read_to_string(path).unwrap();
    let mark = "[redacted: github token]";
    for line in [
        format!("segue: 2 # A {mark}\nid: 20261115-170001-aaaaaa01 # B {mark}\n"),
        format!("sources: {{rest: agent, # F {mark}\n  user: [0123456789abcdef]}}\n"),
        format!(
            "supersedes: [\"{mark}\", 20261114-091203-77e0b1d2]\naliases: [\"{mark}\", c0037acc]\n"
        ),
    ] {
        assert!(text.contains(&line), "{line}: {text}");
    }
    for word in [SHORT, "c0037acc", "20261115-170001-aaaaaa01"] {
        assert!(env.segue(&["show", word]).run().stdout.contains("plain words"), "{word}");
    }
    let again = env.segue(&["scrub", "--dry-run"]).run();
    assert!(!again.stderr.contains("aaaaaa01"), "{}", again.stderr);
}
