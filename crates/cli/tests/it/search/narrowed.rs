//! Fields in the query and flags beside it: both leave out what does not fit.

use serde_json::Value;

use super::{BEFORE, found, hits, parsed, run, save, sorted};
use crate::ground::TestEnv;

/// Two handoffs with the same word, which differ in all else.
fn two() -> (TestEnv, String, String) {
    let env = TestEnv::new();
    let args =
        ["--title", "x", "--tags", "Release,api", "--tool", "codex", "--name", "project-state"];
    let body = "## Current State\n\nThe pelican is in `src/auth/session.rs`.\n\n## Next Steps\n\n- Feed it\n";
    let one = save(&env, "2026-11-05T10:00:00Z", &args, body);
    let args = ["--title", "y", "--tags", "api", "--tool", "claude-code", "--name", "other"];
    let body =
        "## Current State\n\nNothing.\n\n## Next Steps\n\n- The pelican in `docs/session.md`\n";
    let other = save(&env, "2026-11-12T10:00:00Z", &args, body);
    (env, one, other)
}

#[test]
fn fields_of_the_query_must_fit() {
    let (env, one, other) = two();
    let both = sorted(vec![one.clone(), other.clone()]);
    let of_one: [&str; 14] = [
        "tag:release",
        "tag:Release",
        "tool:codex",
        "tool:Codex",
        "name:project-state",
        "file:src/auth/session.rs",
        "file:auth/session.rs",
        "file:session.rs",
        "file:src/auth/",
        "file:auth",
        "FILE:session.rs",
        "section:\"Current State\"",
        "section:current-state",
        "-tag:nope tag:release tag:api",
    ];
    for field in of_one {
        assert_eq!(found(&env, &[&format!("pelican {field}")]), [one.as_str()], "{field}");
    }
    for field in ["tag:api", "file:session", "-tool:cursor"] {
        assert_eq!(sorted(found(&env, &[&format!("pelican {field}")])), both, "{field}");
    }
    for field in ["-tag:release", "-name:project-state", "-file:auth/session.rs", "-tool:codex"] {
        assert_eq!(found(&env, &[&format!("pelican {field}")]), [other.as_str()], "{field}");
    }
    for field in ["tag:rel", "tool:code", "name:project", "branch:main", "section:warnings"] {
        assert!(found(&env, &[&format!("pelican {field}")]).is_empty(), "{field}");
    }
    assert_eq!(found(&env, &["pelican section:next"]), [other.as_str()], "a short name of it");
}

#[test]
fn fields_alone_are_a_query() {
    let (env, one, other) = two();
    assert_eq!(found(&env, &["tag:release"]), [one.as_str()]);
    assert_eq!(found(&env, &["file:docs/"]), [other.as_str()]);
    assert_eq!(sorted(found(&env, &["tag:api"])), sorted(vec![one, other]));
}

#[test]
fn flags_narrow_as_fields_do() {
    let (env, one, other) = two();
    let both = sorted(vec![one.clone(), other.clone()]);
    let only_one: [&[&str]; 9] = [
        &["--tag", "release"],
        &["--tag", "release", "--tag", "api"],
        &["--tool", "codex"],
        &["--name", "project-state"],
        &["--section", "Current State"],
        &["--until", "2026-11-05"],
        &["--until", "7d"],
        &["--until", "2026-11-05T10:00:00Z"],
        &["--since", "2026-11-01", "--until", "2026-11-06"],
    ];
    for flags in only_one {
        assert_eq!(found(&env, &[&["pelican"], flags].concat()), [one.as_str()], "{flags:?}");
    }
    let only_other: [&[&str]; 5] = [
        &["--since", "2026-11-06"],
        &["--since", "7d"],
        &["--tool", "claude-code"],
        &["--section", "Next Steps"],
        &["--name", "other"],
    ];
    for flags in only_other {
        assert_eq!(found(&env, &[&["pelican"], flags].concat()), [other.as_str()], "{flags:?}");
    }
    let neither: [&[&str]; 5] = [
        &["--tag", "nope"],
        &["--since", "2026-11-06", "--until", "2026-11-11"],
        &["--branch", "main"],
        &["--name", "project"],
        &["--section", "Warnings / Gotchas"],
    ];
    for flags in neither {
        assert!(found(&env, &[&["pelican"], flags].concat()).is_empty(), "{flags:?}");
    }
    assert_eq!(sorted(found(&env, &["pelican", "--tag", "api"])), both);
    assert_eq!(found(&env, &["pelican", "--limit", "1"]).len(), 1);
}

#[test]
fn flags_may_stand_behind_the_query() {
    let (env, one, _) = two();
    for flags in [&["--tag", "release"][..], &["--limit=1", "--tool", "codex"]] {
        let args = [&["search", "pelican"], flags, &["--json"]].concat();
        let hits = parsed(&env.segue(&args).run());
        assert_eq!(hits.iter().map(super::short).collect::<Vec<_>>(), [one.as_str()], "{flags:?}");
    }
}

#[test]
fn a_section_shows_its_own_passages_only() {
    let env = TestEnv::new();
    let body = "## Current State\n\nThe pelican ate. The pelican sleeps.\n\n\
                ## Next Steps\n\n- Buy a pelican\n";
    save(&env, BEFORE, &["--title", "x"], body);
    for query in [&["pelican", "--section", "Next Steps"][..], &["pelican section:next"]] {
        let hits = hits(&env, query);
        assert_eq!(hits.len(), 1, "{query:?}");
        let sections: Vec<&Value> =
            hits[0]["passages"].as_array().unwrap().iter().map(|one| &one["section"]).collect();
        assert_eq!(sections, ["Next Steps"], "{query:?}");
    }
}

#[test]
fn branches_are_told_apart() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    env.segue(&["save", "--title", "one"]).dir(&repo).stdin("The pelican.").seed("11").ok();
    env.git(&repo, &["checkout", "-qb", "feature/Birds"]);
    env.segue(&["save", "--title", "two"]).dir(&repo).stdin("The pelican.").seed("12").ok();
    let titles = |args: &[&str]| -> Vec<String> {
        let args = [&["search", "--json"], args].concat();
        let hits = parsed(&env.segue(&args).dir(&repo).run());
        hits.iter().map(|hit| hit["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(sorted(titles(&["pelican"])), ["one", "two"]);
    assert_eq!(titles(&["--branch", "main", "pelican"]), ["one"]);
    assert_eq!(titles(&["pelican", "branch:main"]), ["one"]);
    assert_eq!(titles(&["--branch", "feature/Birds", "pelican"]), ["two"]);
    assert_eq!(titles(&["pelican", "branch:feature/birds"]), ["two"]);
    assert_eq!(titles(&["pelican", "-branch:main"]), ["two"]);
}

#[test]
fn projects_are_searched_apart_together_or_by_name() {
    let env = TestEnv::new();
    let here = save(&env, BEFORE, &["--title", "here"], "A pelican.");
    let there = save(&env, BEFORE, &["--title", "there", "--project", "zoo"], "A pelican too.");
    // What was saved from here under another label is found from here as well.
    let elsewhere = env.dir("elsewhere");
    let far = env.segue(&["save", "--title", "far"]).dir(&elsewhere).seed("77");
    let far = far.stdin("A pelican far away.").ok().trim().to_owned();
    assert!(!found(&env, &["pelican"]).contains(&far));
    assert!(found(&env, &["pelican"]).contains(&here));
    assert_eq!(found(&env, &["pelican", "--project", "zoo"]), [there.as_str()]);
    assert_eq!(found(&env, &["pelican", "--project", elsewhere.to_str().unwrap()]), [far.as_str()]);
    assert_eq!(found(&env, &["pelican", "--project", "."]), found(&env, &["pelican"]));
    assert_eq!(sorted(found(&env, &["pelican", "--all-projects"])), sorted(vec![here, there, far]));
    let ran = run(&env, &["pelican", "--project", "zoo", "--all-projects"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (64, ""));
    let ran = run(&env, &["pelican", "--project", "nowhere"]);
    assert_eq!(ran.code, 66, "{}", ran.stderr);
}

#[test]
fn where_nothing_is_saved_the_whole_store_is_searched_and_that_is_said() {
    let env = TestEnv::new();
    let id = save(&env, BEFORE, &["--title", "x"], "A pelican.");
    let ran = env.segue(&["search", "--json", "pelican"]).dir(&env.dir("empty")).run();
    assert_eq!(super::short(&parsed(&ran)[0]), id);
    assert!(ran.stderr.contains("nothing is saved here"), "{}", ran.stderr);
}

#[test]
fn as_many_as_are_asked_for_come_back() {
    let env = TestEnv::new();
    for n in 0..25 {
        save(&env, BEFORE, &["--title", &format!("n{n}")], "A pelican.");
    }
    assert_eq!(found(&env, &["pelican"]).len(), 10);
    assert_eq!(found(&env, &["pelican", "--limit", "7"]).len(), 7);
    let all = found(&env, &["pelican", "--limit", "1000"]);
    assert_eq!(all.len(), 25);
    let mut different = sorted(all);
    different.dedup();
    assert_eq!(different.len(), 25);
}

#[test]
fn expired_and_archived_ones_come_only_where_nothing_newer_answers() {
    let env = TestEnv::new();
    let old = save(&env, "2026-10-01T10:00:00Z", &["--title", "old", "--ttl", "1h"], "A pelican.");
    let hit = &hits(&env, &["pelican"])[0];
    assert_eq!((super::short(hit), &hit["expired"]), (old.clone(), &Value::Bool(true)));
    let piped = run(&env, &["pelican"]).stdout;
    assert!(piped.contains("\texpired 2026-10-01T11:00:00Z\t"), "{piped}");
    env.segue(&["gc"]).ok();
    let hit = &hits(&env, &["pelican"])[0];
    assert_eq!(super::short(hit), old);
    assert_ne!(hit["archived"], Value::Null, "{hit}");
    let piped = run(&env, &["pelican"]).stdout;
    assert!(piped.contains("\tarchived\t"), "{piped}");
    let new = save(&env, BEFORE, &["--title", "new"], "A pelican.");
    assert_eq!(found(&env, &["pelican"]), [new.as_str()]);
    assert_eq!(sorted(found(&env, &["pelican", "--expired"])), sorted(vec![old.clone(), new]));
    assert_eq!(found(&env, &["pelican", "--until", "2026-10-30"]), [old]);
}

#[test]
fn compacted_ones_are_found_by_their_own_lines() {
    let env = TestEnv::new();
    for n in 0..3 {
        let body = format!("## Current State\n\nLine one.\nThe bird{n} flies.\n");
        save(&env, "2026-08-01T10:00:00Z", &["--title", &format!("t{n}"), "--tags", "z"], &body);
    }
    let ran = env.segue(&["compact"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for n in 0..3 {
        let hits = hits(&env, &[&format!("bird{n}"), "--expired"]);
        assert_eq!(hits[0]["title"], format!("t{n}"), "{}", ran.stdout);
        assert_ne!(hits[0]["archived"], Value::Null);
        // Lines are those of the handoff, not of the archive that it lies in.
        let raw = env.segue(&["show", "--raw", hits[0]["id"].as_str().unwrap()]).ok();
        let line = hits[0]["passages"][0]["line"].as_u64().unwrap();
        let line = raw.lines().nth(usize::try_from(line).unwrap() - 1).unwrap();
        assert_eq!(line, format!("The bird{n} flies."));
    }
}
