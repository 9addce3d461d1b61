//! Words, their spellings and beginnings, phrases, what must not be there, and other scripts.

use super::{BEFORE, found, hits, marked, parsed, run, save, short, sorted};
use crate::ground::{TestEnv, put};

/// Handoffs about other things, so that words have something to be rare among.
fn among_others(env: &TestEnv) {
    for (n, text) in [
        "The invoice table got a new column for the currency.",
        "Pagination of the customer list is finished.",
        "The build runs on two machines now and takes four minutes.",
        "Logging goes to standard error; nothing is written to files.",
    ]
    .iter()
    .enumerate()
    {
        save(env, "2026-11-01T08:00:00Z", &["--title", &format!("Other {n}")], text);
    }
}

#[test]
fn spellings_of_an_identifier_find_one_another() {
    let env = TestEnv::new();
    among_others(&env);
    let spellings = ["refresh_token", "RefreshToken", "auth/refresh-token.rs", "refresh tokens"];
    let ids: Vec<String> = spellings
        .iter()
        .map(|word| save(&env, BEFORE, &["--title", "x"], &format!("Here is {word} again.")))
        .collect();
    let all = sorted(ids);
    for query in ["refresh_token", "RefreshToken", "refresh token", "refreshToken", "REFRESH TOKEN"]
    {
        assert_eq!(sorted(found(&env, &[query])), all, "{query}");
    }
    let path = save(&env, BEFORE, &["--title", "y"], "It is in auth/refresh.rs now.");
    for query in ["auth/refresh.rs", "refresh.rs", "auth refresh"] {
        assert_eq!(found(&env, &[query]).first(), Some(&path), "{query}");
    }
    assert!(found(&env, &["refresh_token"]).contains(&path), "a part of it is there");
}

#[test]
fn endings_case_and_accents_make_no_difference() {
    let env = TestEnv::new();
    among_others(&env);
    let id = save(&env, BEFORE, &["--title", "x"], "Retries were rotating the Café tokens.");
    for query in ["retry", "rotated", "CAFE", "token", "café rotation"] {
        assert_eq!(found(&env, &[query]), [id.as_str()], "{query}");
    }
}

#[test]
fn beginnings_find_words_and_are_marked() {
    let env = TestEnv::new();
    among_others(&env);
    let id = save(&env, BEFORE, &["--title", "x"], "The refresher of credentials is slow.");
    for query in ["refre*", "refr*", "credent", "refreshe"] {
        let hits = hits(&env, &[query]);
        assert_eq!(hits.len(), 1, "{query}");
        assert_eq!(short(&hits[0]), id, "{query}");
        let marks = marked(&hits[0]["passages"][0]);
        assert!(
            marks == ["refresher"] || marks == ["credentials"],
            "{query} marks {marks:?} of {}",
            hits[0]
        );
    }
    assert!(found(&env, &["fresher"]).is_empty(), "an end is no beginning");
    assert!(found(&env, &["ref"]).is_empty(), "too short to be taken for a beginning");
}

#[test]
fn a_beginning_of_a_word_is_found_beside_whole_words() {
    let env = TestEnv::new();
    among_others(&env);
    let id = save(&env, BEFORE, &["--title", "x"], "The refresher of credentials is slow.");
    let hits = hits(&env, &["credent slow"]);
    assert_eq!(short(&hits[0]), id);
    assert_eq!(marked(&hits[0]["passages"][0]), ["credentials", "slow"]);
    assert_eq!(hits[0]["why"][0], "all 2 words");
}

#[test]
fn a_phrase_must_stand_there_as_it_is() {
    let env = TestEnv::new();
    among_others(&env);
    let right = save(&env, BEFORE, &["--title", "x"], "We use a Token Bucket per user.");
    let wrapped = save(&env, BEFORE, &["--title", "x"], "Per user there is a token\nbucket.");
    save(&env, BEFORE, &["--title", "x"], "A bucket of tokens, and a token in the bucket.");
    let with_stop_words = save(&env, BEFORE, &["--title", "x"], "The state of the art is old.");
    assert_eq!(sorted(found(&env, &["\"token bucket\""])), sorted(vec![right.clone(), wrapped]));
    assert_eq!(found(&env, &["\"token bucket per user\""]), [right.as_str()]);
    assert_eq!(found(&env, &["\"state of the art\""]), [with_stop_words.as_str()]);
    assert!(found(&env, &["\"state the art\""]).is_empty());
    assert!(found(&env, &["\"bucket user\""]).is_empty());
    assert_eq!(found(&env, &["\"token bucket\" \"use a\""]), [right]);
}

#[test]
fn a_phrase_may_stand_in_the_title_the_summary_or_the_tags() {
    let env = TestEnv::new();
    among_others(&env);
    let titled = save(&env, BEFORE, &["--title", "Token bucket for everybody"], "Nothing else.");
    assert_eq!(found(&env, &["\"token bucket\""]), [titled.as_str()]);
    let long = format!("{} And the leaky bucket stays.", "A bucket is a bucket here. ".repeat(30));
    let summed = save(&env, BEFORE, &["--title", "x", "--summary", &long], "Nothing else.");
    assert_eq!(found(&env, &["\"leaky bucket\""]), [summed.as_str()]);
    assert!(!found(&env, &["bucket -\"leaky bucket\""]).contains(&summed));
    assert_eq!(found(&env, &["bucket -\"leaky bucket\""]), [titled]);
}

#[test]
fn what_must_not_be_there_is_left_out() {
    let env = TestEnv::new();
    let plain = save(&env, BEFORE, &["--title", "x"], "Deployment by hand.");
    let docs = save(&env, BEFORE, &["--title", "x"], "Deployment with documentation.");
    let tagged = save(&env, BEFORE, &["--title", "x", "--tags", "ops"], "Deployment at night.");
    let rate = save(&env, BEFORE, &["--title", "x"], "Deployment with a rate limit.");
    let all = |without: &str| {
        let ids = [&plain, &docs, &tagged, &rate].into_iter().filter(|id| *id != without);
        sorted(ids.cloned().collect())
    };
    assert_eq!(sorted(found(&env, &["deployment"])), all(""));
    assert_eq!(sorted(found(&env, &["deployment -documentation"])), all(&docs));
    assert_eq!(sorted(found(&env, &["-documentation deployment"])), all(&docs));
    assert_eq!(sorted(found(&env, &["deployment -\"rate limit\""])), all(&rate));
    assert_eq!(sorted(found(&env, &["deployment -\"limit rate\""])), all(""));
    assert_eq!(sorted(found(&env, &["deployment -tag:ops"])), all(&tagged));
    assert!(found(&env, &["deployment -deployment"]).is_empty());
}

#[test]
fn what_must_not_be_there_may_be_an_argument_of_its_own() {
    let env = TestEnv::new();
    let plain = save(&env, BEFORE, &["--title", "x"], "Deployment by hand.");
    save(&env, BEFORE, &["--title", "x"], "Deployment with documentation.");
    for words in [["deployment", "-documentation"], ["-documentation", "deployment"]] {
        let hits = parsed(&env.segue(&[&["search", "--json"], &words[..]].concat()).run());
        assert_eq!(hits.iter().map(short).collect::<Vec<_>>(), [plain.as_str()], "{words:?}");
    }
}

#[test]
fn other_languages_and_scripts_are_found() {
    let env = TestEnv::new();
    among_others(&env);
    let texts: [(&str, &[&str]); 5] = [
        (
            "刷新令牌存储在数据库中，过期时间为一小时。",
            &["刷新令牌", "令牌", "数据库", "\"刷新令牌\""],
        ),
        ("認証トークンの更新はミドルウェアで行う。", &["認証", "トークン", "ミドルウェア", "更新"]),
        ("인증 토큰은 데이터베이스에 저장됩니다.", &["토큰은", "인증", "데이터베이스에"]),
        ("Токены обновления хранятся в базе данных.", &["токен", "обновление", "ТОКЕНЫ", "данные"]),
        (
            "Die Schlüssel für die Zugänge sind größer geworden.",
            &["Schlüssel", "schlussel", "Zugänge", "größer", "grösser"],
        ),
    ];
    let ids: Vec<String> =
        texts.iter().map(|(text, _)| save(&env, BEFORE, &["--title", "x"], text)).collect();
    for ((_, queries), id) in texts.iter().zip(&ids) {
        for query in *queries {
            let hits = hits(&env, &[query]);
            assert_eq!(hits.first().map(short).as_ref(), Some(id), "{query}");
            assert!(!marked(&hits[0]["passages"][0]).is_empty(), "{query}: {}", hits[0]);
        }
    }
}

#[test]
fn marks_are_counted_in_characters() {
    let env = TestEnv::new();
    save(&env, BEFORE, &["--title", "x"], "Größenänderung 🎉 für das Token am Ende, 令牌 auch.");
    let hits = hits(&env, &["token 令牌"]);
    assert_eq!(marked(&hits[0]["passages"][0]), ["Token", "令牌"]);
}

#[test]
fn title_summary_tags_name_branch_and_changed_files_are_found() {
    let env = TestEnv::new();
    let repo = env.repo("app");
    env.git(&repo, &["checkout", "-qb", "feature/quicksand"]);
    put(&repo.join("throttle.rs"), "fn x() {}");
    let args = [
        "save",
        "--title",
        "Marmalade",
        "--summary",
        "All about oranges",
        "--tags",
        "citrus",
        "--name",
        "breakfast",
    ];
    env.segue(&args).dir(&repo).stdin("Nothing of that here.").ok();
    for query in
        ["marmalade", "orange", "citrus", "breakfast", "quicksand", "throttle", "throttle.rs"]
    {
        let ran = env.segue(&["search", "--json", query]).dir(&repo).run();
        let hits = parsed(&ran);
        assert_eq!(hits.len(), 1, "{query}: {}", ran.stderr);
        assert_eq!(hits[0]["title"], "Marmalade");
        let passage = &hits[0]["passages"][0];
        assert_eq!(passage["section"], serde_json::Value::Null);
        assert!(!marked(passage).is_empty(), "{query}: {passage}");
    }
}

#[test]
fn what_has_more_of_the_words_stands_above() {
    let env = TestEnv::new();
    among_others(&env);
    let all = save(&env, BEFORE, &["--title", "x"], "The mock clock is injected into tests.");
    save(&env, "2026-11-12T10:00:00Z", &["--title", "x"], "A mock of the mail server.");
    assert_eq!(found(&env, &["mock clock injected"]).first(), Some(&all));
}

#[test]
fn nothing_relevant_is_an_empty_answer_and_no_failure() {
    let env = TestEnv::new();
    among_others(&env);
    let ran = run(&env, &["zeppelin", "--json"]);
    assert_eq!((ran.code, ran.stdout.trim()), (0, "[]"));
    assert!(ran.stderr.contains("nothing was found"), "{}", ran.stderr);
    let ran = run(&env, &["zeppelin"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("'--all-projects' searches every project"), "{}", ran.stderr);
    // One common word of many is no answer.
    let ran = run(&env, &["zeppelin hangar airship Lakehurst minutes"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("nothing relevant was found"), "{}", ran.stderr);
    assert!(ran.stderr.contains("zeppelin"), "says what is nowhere: {}", ran.stderr);
}

#[test]
fn an_empty_store_answers_with_nothing() {
    let env = TestEnv::new();
    let ran = run(&env, &["anything", "--json"]);
    assert_eq!((ran.code, ran.stdout.trim()), (0, "[]"));
    assert!(!env.home.exists(), "a search makes no store");
}
