//! What is left to do of a session.

use super::*;

/// A session in turns: each request, the calls for it, and the answer. A call is a command, or a file to edit.
fn session_of(all: &[(&str, &[&str], &str)], plan: Option<&str>) -> Recorder {
    let mut recorder = Recorder::new("x");
    recorder.cwd("/work/shop");
    for (turn, (request, calls, answer)) in all.iter().enumerate() {
        recorder.next_record();
        recorder.asked(request, PromptWay::Typed);
        if let Some(plan) = plan.filter(|_| turn == 0) {
            recorder.next_record();
            recorder.plans("plan", plan);
            recorder.ended("plan", ended(Outcome::Passed, 0), || "".into());
        }
        for (at, call) in calls.iter().enumerate() {
            let id = format!("{turn}-{at}");
            recorder.next_record();
            match call.starts_with('/') {
                true => recorder.edits(&id, call),
                false => recorder.ran(&id, call),
            }
            recorder.ended(&id, ended(Outcome::Passed, 0), || match call.contains("git commit") {
                true => "[main 5555555] Work".into(),
                false => "".into(),
            });
        }
        if !answer.is_empty() {
            recorder.next_record();
            recorder.said(answer);
        }
    }
    recorder
}

fn body_of(recorder: &Recorder) -> String {
    distil(recorder.session(), &DistilRequest::default()).body
}

fn next_of(body: &str) -> &str {
    let next = body.split_once("## Next Steps\n").map_or("", |(_, next)| next);
    next.split("\n## ").next().unwrap_or_default()
}

const PLAN: &str = "# Split the shop\n\n## Steps\n\n1. Move prices to `src/price.rs`\n2. Move stock to `src/stock.rs`\n\
    3. Delete `src/legacy.rs`\n";

#[test]
fn a_step_of_the_plan_that_the_user_forbade_is_no_next_step() {
    let recorder = session_of(
        &[
            ("split the shop", &["/work/shop/src/price.rs"], "Step 1 is done."),
            ("don't do step 3, the app reads it", &[], "OK, it stays."),
            ("continue", &["/work/shop/src/price.rs"], ""),
        ],
        Some(PLAN),
    );
    let body = body_of(&recorder);
    assert!(next_of(&body).contains("`src/stock.rs`"), "{body}");
    assert!(!next_of(&body).contains("legacy"), "{body}");
    assert!(body.contains("Delete `src/legacy.rs` (the user wants it no more)"), "{body}");
}

#[test]
fn a_remark_leaves_a_plan_open_and_a_new_subject_does_not() {
    for (request, file, is_open) in [
        ("nice. call the helper cents there", "/work/shop/src/price.rs", true),
        ("now add a dark mode to the site", "/work/shop/web/theme.css", false),
    ] {
        let turns: &[(&str, &[&str], &str)] = &[
            ("split the shop", &["/work/shop/src/price.rs"], "Step 1 is done."),
            (request, &[file], ""),
        ];
        let body = body_of(&session_of(turns, Some(PLAN)));
        assert_eq!(next_of(&body).contains("`src/stock.rs`"), is_open, "{request}: {body}");
    }
    let turns: &[(&str, &[&str], &str)] = &[
        ("split the shop", &["/work/shop/src/price.rs"], "The shop is split."),
        ("nice. call the helper cents there", &["/work/shop/src/price.rs"], ""),
    ];
    let body = body_of(&session_of(turns, Some(PLAN)));
    assert!(!next_of(&body).contains("`src/stock.rs`"), "{body}");
}

#[test]
fn a_to_do_whose_work_was_seen_is_no_next_step() {
    let mut recorder = session_of(&[("limit the mails", &[], "")], None);
    recorder.todos(
        [
            ("Queue for mails", TodoStatus::Begun),
            ("Drop the old sender", TodoStatus::Open),
            ("Docs", TodoStatus::Open),
        ]
        .into_iter()
        .map(|(text, status)| (None, text, status)),
    );
    for call in ["git rm src/sender.rs", "git commit -am x"] {
        recorder.next_record();
        recorder.ran(call, call);
        recorder.ended(call, ended(Outcome::Passed, 0), || "".into());
    }
    recorder.next_record();
    recorder.said("Mails go through a queue now, the old sender is gone.");
    let body = body_of(&recorder);
    assert!(body.contains("not crossed out: Queue for mails; Drop the old sender"), "{body}");
    assert_eq!(next_of(&body), "- Docs\n", "{body}");
}

#[test]
fn what_the_user_declined_is_not_announced_any_more() {
    for (answer, announced) in
        [("no, leave it", false), ("先不用。", false), ("why is it so slow?", true)]
    {
        let body = body_of(&session_of(
            &[
                (
                    "fix the login",
                    &["/work/shop/login.rs"],
                    "Login works. Next, I will rewrite the session store.",
                ),
                (answer, &[], "Because of the disk."),
            ],
            None,
        ));
        assert_eq!(next_of(&body).contains("session store"), announced, "{answer}: {body}");
    }
    let asked = body_of(&session_of(
        &[
            (
                "修复登录",
                &["/work/shop/login.rs"],
                "已修复。\n\n接下来还需要处理会话过期，要我继续吗？",
            ),
            ("为什么这么慢？", &[], "因为磁盘。"),
        ],
        None,
    ));
    assert_eq!(next_of(&asked), "", "{asked}");
}

#[test]
fn a_commit_that_the_user_had_taken_back_is_not_asked_for_any_more() {
    let recorder = session_of(
        &[
            (
                "commit it please",
                &["/work/shop/a.rs", "git commit -am x", "git push"],
                "Committed and pushed.",
            ),
            (
                "undo that commit but keep the files",
                &["git reset --soft HEAD~1"],
                "It is undone here.",
            ),
        ],
        None,
    );
    let body = body_of(&recorder);
    assert_eq!(next_of(&body), "", "{body}");
    assert!(body.contains("`5555555` was pushed and then taken back here."), "{body}");
    assert!(!body.contains("No commit was seen"), "{body}");
    assert!(body.contains("what was edited is not committed"), "{body}");
}

#[test]
fn a_message_that_names_open_work_or_waits_is_not_finished() {
    for (answer, status, next) in [
        (
            "I moved the prices. Send me the new price list and I fill it in.",
            "waiting for the user",
            "price list",
        ),
        ("The prices are moved. The stock page has not been moved yet.", "not sure", "stock page"),
        (
            "Prices are in.\n\n## Left before the release\n- the stock page",
            "in progress",
            "the stock page",
        ),
        ("The prices are moved, but rounding is not exact in Safari.", "answered", ""),
        ("The prices are moved and the tests pass.", "finished", ""),
    ] {
        let body = body_of(&session_of(&[("move the prices", &["/work/shop/a.rs"], answer)], None));
        assert!(body.contains(&format!("**Status: {status}**")), "{answer}: {body}");
        assert!(next_of(&body).contains(next), "{answer}: {body}");
        assert_eq!(next_of(&body).is_empty(), next.is_empty(), "{answer}: {body}");
    }
}

#[test]
fn a_session_with_an_open_step_is_not_called_finished() {
    let status = |request: &str| {
        let answer = "The parser keeps comments now, and its tests pass.";
        body_of(&session_of(&[(request, &["/work/shop/src/parse.rs"], answer)], None))
    };
    let asked = status("Keep comments in the parser, then commit it.");
    assert!(asked.contains("**Status: answered**: the last request was answered."), "{asked}");
    assert!(next_of(&asked).contains("A commit was asked for and not seen"), "{asked}");
    let plain = status("Keep comments in the parser.");
    assert!(plain.contains("**Status: finished**"), "{plain}");
}

#[test]
fn a_list_under_a_heading_of_next_steps_is_next_steps() {
    for (heading, item) in [
        ("## Next steps", "Add an index on `mail`"),
        ("**Possible next steps:**", "Add an index on `mail`"),
        ("Next steps (pick any):", "Option A: add an index on `mail`"),
        ("## What to do next", "Add an index on `mail`"),
        ("## Nächste Schritte", "Einen Index auf `mail` anlegen"),
        ("## Prochaines étapes", "Ajouter un index sur `mail`"),
        ("## Próximos pasos", "Añadir un índice en `mail`"),
        ("## 下一步", "给 `mail` 加索引"),
    ] {
        let answer = format!("The slow query is found.\n\n{heading}\n- {item}\n- Cache the list\n");
        let turns: &[(&str, &[&str], &str)] = &[("why is it slow?", &["/work/shop/a.rs"], &answer)];
        let body = body_of(&session_of(turns, None));
        assert!(body.contains("**Status: answered**"), "{heading}: {body}");
        for step in [item, "Cache the list"] {
            let told = format!("- Proposed by the agent as a next step: “{step}”\n");
            assert!(next_of(&body).contains(&told), "{heading}: {body}");
        }
    }
    let asked = "It is found.\n\n## Next steps\n1. Add an index\n2. Cache the list\n\nWhich one shall I do?";
    let turns: &[(&str, &[&str], &str)] = &[("why is it slow?", &["/work/shop/a.rs"], asked)];
    let body = body_of(&session_of(turns, None));
    assert!(body.contains("**Status: waiting for the user**"), "{body}");
    assert!(next_of(&body).contains("Add an index") && next_of(&body).contains("Cache"), "{body}");
}

#[test]
fn a_pull_request_of_another_repository_is_not_the_one_that_was_asked_for() {
    let mut recorder = session_of(&[("Fix it and open a pull request", &[], "")], None);
    recorder.next_record();
    recorder.ran("pr", "gh pr create --fill");
    let page = "https://github.com/ada/docs/pull/7\n";
    recorder.ended("pr", ended(Outcome::Passed, 0), || page.into());
    recorder.next_record();
    recorder.said("Opened it.");
    let mut session = recorder.into_session();
    for (origin, is_open) in [("github.com/ada/docs", false), ("github.com/ada/shop", true)] {
        session.origin = Some(origin.to_owned());
        let body = distil(&session, &DistilRequest::default()).body;
        let asked = "A pull request was asked for and not seen";
        assert_eq!(next_of(&body).contains(asked), is_open, "{origin}: {body}");
        assert_eq!(body.contains("opened a pull request in another repository"), is_open);
        assert!(body.contains("See https://github.com/ada/docs/pull/7"), "{body}");
    }
}
