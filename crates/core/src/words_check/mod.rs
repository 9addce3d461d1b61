//! The agent's own words against the facts of its session: what the words say and the transcript shows
//! otherwise. Only plain statements count; a doubtful one is let pass.

mod check_claim;
mod commit_claim;
mod file_claim;
mod statement;

use crate::claim::{Seen, claims};
use crate::part::Part;
use crate::session::Session;
use check_claim::failed_checks;
use commit_claim::unseen_commits;
use file_claim::untouched_files;
use statement::{Word, is_one_of, is_plain_heading, sentences};

/// What is known besides the session: what it does not show may be so all the same.
#[derive(Clone, Copy)]
pub struct Elsewhere<'k> {
    /// Whether git knows a commit here.
    pub is_commit: &'k dyn Fn(&str) -> bool,
    /// Whether earlier handoffs tell of a file.
    pub is_told: &'k dyn Fn(&str) -> bool,
}

/// What the words say and the session shows otherwise, a line each with both sides.
pub fn find_contradictions(
    words: &str,
    session: &Session,
    elsewhere: &Elsewhere<'_>,
) -> Vec<String> {
    let all = claims(words, Seen::Skipped);
    let states = all.iter().filter(|claim| {
        // Steps are still to be done, and what was given up is told as it was then.
        matches!(claim.part, Part::State | Part::Checks | Part::Other)
            && is_plain_heading(claim.section)
            && claim.under.is_none_or(is_plain_heading)
    });
    let mut found = Vec::new();
    for claim in states {
        for sentence in sentences(claim.block.text, session.branch.as_deref(), &is_verb) {
            let mut lines = failed_checks(&sentence, session, claim.part == Part::Checks);
            for clause in &sentence.clauses {
                lines.extend(untouched_files(clause, session, elsewhere));
                lines.extend(unseen_commits(clause, session, elsewhere));
            }
            for line in lines {
                if !found.contains(&line) {
                    found.push(line);
                }
            }
        }
    }
    found
}

/// Whether a word states something that is looked at here.
fn is_verb(word: &Word) -> bool {
    check_claim::is_verb(word) || commit_claim::is_verb(word) || file_claim::is_verb(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{End, Outcome, PromptWay, Recorder};

    fn find_contradictions(words: &str, session: &Session) -> Vec<String> {
        let elsewhere = Elsewhere { is_commit: &|_| false, is_told: &|_| false };
        super::find_contradictions(words, session, &elsewhere)
    }

    /// A session that ran these commands, each with its exit code and what it printed.
    fn session(runs: &[(&str, i32, &'static str)]) -> Session {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Fix the totals", PromptWay::Typed);
        for (at, (line, exit, output)) in runs.iter().enumerate() {
            recorder.next_record();
            let call = at.to_string();
            recorder.ran(&call, line);
            let outcome = if *exit == 0 { Outcome::Passed } else { Outcome::Failed };
            recorder.ended(&call, End { outcome, exit: Some(*exit) }, || (*output).into());
        }
        recorder.into_session()
    }

    fn state(words: &str) -> String {
        format!("## Current State\n- {words}\n")
    }

    const FAILED: (&str, i32, &str) = (
        "cargo test",
        101,
        "test basket::adds ... FAILED\n\ntest result: FAILED. 3 passed; 1 failed",
    );
    const PASSED: (&str, i32, &str) = ("cargo test", 0, "test result: ok. 4 passed; 0 failed");
    const COMMITTED: (&str, i32, &str) =
        ("git commit -qam 'fix totals' && git log --oneline -1", 0, "1a2b3c4 fix totals");
    const COMMIT: (&str, i32, &str) =
        ("git commit -am 'fix totals'", 0, "[main 1a2b3c4] fix totals\n 1 file changed");
    const PUSH: (&str, i32, &str) = ("git push", 0, "   0000000..1a2b3c4  main -> main");

    #[test]
    fn tests_that_failed_last_do_not_pass() {
        let failed = session(&[PASSED, FAILED]);
        let line = "The words say that tests pass; the last run of `cargo test` in the session failed (`basket::adds`).";
        for words in [
            "All tests pass.",
            "Totals are right, and the tests are green.",
            "`cargo test` passes; the totals are right.",
            "Totals in `src/basket.rs` are right. The whole suite\n  passed.",
        ] {
            assert_eq!(find_contradictions(&state(words), &failed), [line], "{words}");
        }
        let mended = session(&[FAILED, PASSED]);
        assert!(find_contradictions(&state("All tests pass."), &mended).is_empty());
        let unchecked = session(&[]);
        assert!(find_contradictions(&state("All tests pass."), &unchecked).is_empty());
    }

    #[test]
    fn what_is_not_stated_is_not_contradicted() {
        let failed = session(&[FAILED]);
        for words in [
            "Tests do not pass yet.",
            "3 of 4 tests pass.",
            "3/4 tests pass.",
            "The tests should pass once the schema is there.",
            "Do the tests pass? Nobody knows.",
            "All other tests pass.",
            "The total is passed to the test.",
            "`npm test` passes.",
            "The guard makes the tests pass.",
            "Nothing was committed, pushed or opened as a PR.",
            "Not committed yet.",
            "Uncommitted: `src/basket.rs`.",
            "We are committed to floats.",
            "The check was pushed down into the loop.",
            "It was pushed in an earlier session.",
            "Not done: committed, pushed.",
        ] {
            assert_eq!(find_contradictions(&state(words), &failed), [""; 0], "{words}");
        }
        let steps = "## Next Steps\n1. All tests pass, committed and pushed.\n\n## Rejected Paths\n- Committed it, reverted.\n";
        assert_eq!(find_contradictions(steps, &failed), [""; 0]);
        let open = "## Current State\n### Not done\n- committed\n\n## Not Yet\nPushed.\n";
        assert_eq!(find_contradictions(open, &failed), [""; 0]);
        let code = "## Current State\n> All tests pass.\n\n```\nall tests pass\n```\n- `all tests pass` is printed\n";
        assert_eq!(find_contradictions(code, &failed), [""; 0]);
    }

    #[test]
    fn commits_and_pushes_have_to_be_seen() {
        let words = state("Committed and pushed; opened PR #7.");
        let nothing = session(&[PASSED]);
        assert_eq!(
            find_contradictions(&words, &nothing),
            [
                "The words say that work is committed; the transcript of the session shows no commit.",
                "The words say that work is pushed; the transcript of the session shows no push.",
                "The words say that a pull request was opened; the transcript of the session shows none.",
            ]
        );
        let early = session(&[PUSH, COMMIT]);
        assert_eq!(
            find_contradictions(&state("Committed and pushed."), &early),
            [
                "The words say that work is pushed; the last commit of the session came after its last push."
            ]
        );
        let opened = ("gh pr create --fill", 0, "https://example.com/o/r/pull/7\n");
        let done = session(&[COMMIT, PUSH, opened]);
        assert_eq!(find_contradictions(&words, &done), [""; 0]);
        let mut other = session(&[COMMIT, PUSH, opened]);
        other.origin = Some("example.com/o/docs".to_owned());
        assert_eq!(
            find_contradictions(&words, &other),
            [
                "The words say that a pull request was opened; the transcript of the session shows one of another \
                 repository only."
            ]
        );
        let quiet = session(&[COMMITTED]);
        assert_eq!(find_contradictions(&state("It is committed."), &quiet), [""; 0]);
    }

    const BUILD_FAILED: (&str, i32, &str) =
        ("npm run build", 2, "src/a.ts(3,1): error TS2304: Cannot find name 'x'.");
    const LINT_FAILED: (&str, i32, &str) = ("cargo clippy -- -D warnings", 101, "error: unused");
    const TYPES_FAILED: (&str, i32, &str) = ("npx tsc --noEmit", 2, "a.ts(1,1): error TS1005");

    #[test]
    fn each_kind_of_check_is_compared_with_its_last_run() {
        let failed = session(&[PASSED, BUILD_FAILED, LINT_FAILED, TYPES_FAILED]);
        let line = |what: &str, run: &str| {
            format!("The words say that {what}; the last run of `{run}` in the session failed.")
        };
        let build = line("the build passes", "npm run build");
        let lint = line("lint passes", "cargo clippy -- -D warnings");
        let types = line("types are right", "tsc --noEmit");
        for (words, lines) in [
            ("The build passes.", vec![&build]),
            ("The project compiles cleanly now, and the docs are written.", vec![&build]),
            ("`npm run build` is green again.", vec![&build]),
            ("All tests and the build pass, with no warnings.", vec![&build]),
            ("Lint is clean; the parser is faster.", vec![&lint]),
            ("The parser is faster and clippy passes.", vec![&lint]),
            ("The type check passes on `feature/pay`.", vec![&types]),
            ("Build, lint and types are green.", vec![&build, &lint, &types]),
            ("Der Build ist grün.", vec![&build]),
            ("Le build passe, les tests aussi.", vec![&build]),
            ("构建成功，文档已更新。", vec![&build]),
        ] {
            let mut failed = failed.clone();
            failed.branch = Some("feature/pay".to_owned());
            let mut found = find_contradictions(&state(words), &failed);
            let mut lines: Vec<String> = lines.into_iter().cloned().collect();
            found.sort();
            lines.sort();
            assert_eq!(found, lines, "{words}");
        }
        for words in [
            "The build passes once the env file is there.",
            "The build should pass now.",
            "The build passes on `main`.",
            "Lint passed before the rename.",
            "Anna says that the build passes.",
            "CI printed “the build passes” for the wrong commit.",
            "The guard lets the build pass.",
            "The build of the docs site passes.",
            "The release build passes with `--no-check`.",
            "Make sure that the build passes.",
            "Der Build ist noch nicht grün.",
            "Le build ne passe pas encore.",
            "构建还没成功。",
            "He builds the index at night.",
            "The old lint rule passes strings through.",
            "All unit tests pass.",
            "The build fails, and all tests pass.",
        ] {
            assert_eq!(find_contradictions(&state(words), &failed), [""; 0], "{words}");
        }
    }

    #[test]
    fn a_listed_check_is_compared_with_its_own_run() {
        let failed = session(&[FAILED, ("pytest -q", 1, "2 passed, 1 failed")]);
        let checks = |words: &str| format!("## Checks\n- {words}\n");
        for words in [
            "`pytest -q`: 3 passed",
            "`pytest -q` — passes".replace('—', "→").as_str(),
            "✅ all is well: `pytest -q` passes",
            "`pytest -q` exit 0",
            "`pytest -q`: ok",
            "pytest -q: green",
            "`pytest -q` ✅",
            "`pytest -q`: 3 passed, 0 failed",
        ] {
            let found = find_contradictions(&checks(words), &failed);
            assert_eq!(
                found,
                [
                    "The words say that tests pass; the last run of `pytest -q` in the session failed."
                ],
                "{words}"
            );
        }
        for words in [
            "`pytest -q`",
            "`pytest -q`: 2 passed, 1 failed",
            "`pytest -q`: not run after the rename",
            "`pytest -q` has to pass",
            "`pytest -q` failed",
            "`pytest tests/test_b.py` passes",
            "`npm test` passes",
            "`pytest -q` should be ok",
        ] {
            assert_eq!(find_contradictions(&checks(words), &failed), [""; 0], "{words}");
        }
    }

    /// A session that edited these files, then committed, then edited the others.
    fn edited(before: &[&str], after: &[&str]) -> Session {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.cwd("/work/shop");
        recorder.asked("Fix the totals", PromptWay::Typed);
        let passed = End { outcome: Outcome::Passed, exit: Some(0) };
        let edit = |recorder: &mut Recorder, path: &str| {
            recorder.next_record();
            recorder.edits(path, path);
            recorder.ended(path, passed, || "".into());
        };
        before.iter().for_each(|path| edit(&mut recorder, path));
        recorder.next_record();
        recorder.ran("c", COMMIT.0);
        recorder.ended("c", passed, || COMMIT.2.into());
        after.iter().for_each(|path| edit(&mut recorder, path));
        recorder.into_session()
    }

    #[test]
    fn files_that_are_said_to_be_changed_have_to_be_touched() {
        let session = edited(&["/work/shop/src/tax.py", "/work/shop/README.md"], &[]);
        for words in [
            "Edited `src/lines.py`.",
            "I rewrote `lines.py` and added a page to the docs.",
            "Rounding in `tax.py` and `src/lines.py` is changed.",
            "`lines.py` was updated.",
            "Updated `src/tax.py`, `lines.py`.",
            "The file `lines.py` is fixed now.",
            "Totals are right; fixed src/lines.py.",
            "We have created the new file `lines.py`.",
            "`lines.py` wurde geändert.",
            "已修改 `lines.py`。",
        ] {
            let found = find_contradictions(&state(words), &session);
            assert_eq!(found.len(), 1, "{words}: {found:?}");
            assert!(found[0].contains("lines.py") && found[0].contains("no edit"), "{found:?}");
        }
        for words in [
            "Edited `src/tax.py` and `tax.py`.",
            "The rounding follows `lines.py`.",
            "Read `lines.py` to see how it rounds.",
            "`lines.py` is not changed yet.",
            "`lines.py` should be updated next.",
            "If `lines.py` is changed, the totals break.",
            "The user edited `lines.py` by hand.",
            "You changed `lines.py` in the meantime.",
            "`lines.py` was changed in an earlier session.",
            "Added `lines.py` to the ignore list.",
            "Fixed the bug that `lines.py` shows.",
            "The updated `lines.py` from upstream is the model.",
            "Anna's mail says “I updated `lines.py`”.",
            "`lines.py` is updated by the release job.",
            "`lines.py` was updated on `release/2`.",
            "Updated `Cargo.lock`.",
            "Updated the call of `lines.parse()`.",
        ] {
            assert_eq!(find_contradictions(&state(words), &session), [""; 0], "{words}");
        }
        let told = Elsewhere { is_commit: &|_| false, is_told: &|path| path == "lines.py" };
        let found = super::find_contradictions(&state("Edited `lines.py`."), &session, &told);
        assert_eq!(found, [""; 0], "an earlier handoff tells of it");
    }

    #[test]
    fn commits_that_are_named_as_made_have_to_be_seen() {
        let session = edited(&["/work/shop/src/tax.py"], &[]);
        for words in [
            "Committed as `9f8e7d6`.",
            "Committed the fix (9f8e7d6).",
            "Commit `9f8e7d6`: round half up.",
            "Commits: `1a2b3c4`, `9f8e7d6`.",
            "Everything is committed in 9f8e7d6a.",
            "I made the commit `9f8e7d6` for it.",
            "The fix is committed under `9f8e7d6`, the docs too.",
            "Als `9f8e7d6` committet.",
            "Last commit: `9f8e7d6` (round half up).",
        ] {
            let found = find_contradictions(&state(words), &session);
            assert_eq!(found.len(), 1, "{words}: {found:?}");
            assert!(found[0].contains("`9f8e7d6") && found[0].contains("`1a2b3c4`"), "{found:?}");
        }
        for words in [
            "Committed as `1a2b3c4`.",
            "Committed as `1a2b3c4d5e6f`.",
            "Commit `9f8e7d6` introduced the bug.",
            "Reverts commit `9f8e7d6`.",
            "The fix will be committed as `9f8e7d6`.",
            "Not committed as `9f8e7d6`.",
            "The build of `9f8e7d6` is what runs in production.",
            "Committed on top of `9f8e7d6`.",
            "The token is `9f8e7d6`.",
            "Committed 1234567 rows to the table.",
        ] {
            assert_eq!(find_contradictions(&state(words), &session), [""; 0], "{words}");
        }
        let known = Elsewhere { is_commit: &|id| id == "9f8e7d6", is_told: &|_| false };
        let words = state("Committed as `9f8e7d6`.");
        assert_eq!(super::find_contradictions(&words, &session, &known), [""; 0]);
        assert_eq!(super::find_contradictions(&words, &self::session(&[]), &known), [""; 0]);
    }

    #[test]
    fn what_was_edited_after_the_last_commit_is_not_committed() {
        let session = edited(
            &["/work/shop/src/tax.py"],
            &["/work/shop/src/tax2.py", "/work/notes.md", "/work/shop/.env.local"],
        );
        let line = "The words say that nothing is left to commit; in the session `src/tax2.py` was edited after the last commit.";
        for words in [
            "Everything is committed.",
            "All changes are committed and the docs are written.",
            "All of it has been committed.",
            "Nothing is uncommitted.",
            "There are no uncommitted changes.",
            "The working tree is clean.",
            "Totals are right, everything committed.",
            "Alles ist committet.",
            "全部已提交。",
        ] {
            assert_eq!(find_contradictions(&state(words), &session), [line], "{words}");
        }
        for words in [
            "The fix is committed.",
            "Not everything is committed.",
            "Everything is committed except `src/tax2.py`.",
            "Everything but the second file is committed.",
            "Everything should be committed before the release.",
            "Once everything is committed, tag it.",
            "Is everything committed? I did not look.",
            "The user says everything is committed.",
            "Uncommitted: `src/tax2.py`.",
            "The working tree was clean before the rename.",
            "Everything that the review asked for is committed.",
        ] {
            assert_eq!(find_contradictions(&state(words), &session), [""; 0], "{words}");
        }
        let clean = edited(&["/work/shop/src/tax.py"], &[]);
        assert_eq!(find_contradictions(&state("Everything is committed."), &clean), [""; 0]);
    }

    proptest::proptest! {
        #[test]
        fn any_words_are_read(words: String) {
            let _ = find_contradictions(&state(&words), &session(&[FAILED]));
        }
    }
}
