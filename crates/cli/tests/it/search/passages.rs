//! What is shown of a hit: the place, the words, the marks, in each kind of output.

use std::fs;

use serde_json::Value;

use super::{BEFORE, hits, marked, run, save};
use crate::ground::TestEnv;

/// Whether a passage begins on the line of the file that it names.
fn stands_there(env: &TestEnv, hit: &Value, passage: &Value) {
    let id = hit["id"].as_str().unwrap();
    let file = env.handoff_files().into_iter().find(|path| {
        fs::read_to_string(path).unwrap().lines().any(|line| line == format!("id: {id}"))
    });
    let source = fs::read_to_string(file.unwrap()).unwrap();
    let line = usize::try_from(passage["line"].as_u64().unwrap()).unwrap();
    let line = source.lines().nth(line - 1).unwrap();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = passage["text"].as_str().unwrap();
    let text = text.trim_start_matches('…').trim_end_matches('…').trim();
    let first: String = text.chars().take(12).collect();
    assert!(line.contains(&first) || text.starts_with(&line), "{first:?} is not on {line:?}");
}

#[test]
fn passages_name_their_section_and_the_line_on_which_they_begin() {
    let env = TestEnv::new();
    let long = "Nothing that anybody asks for stands in this sentence.\n".repeat(60);
    let body = format!(
        "An intro about walrus.\n\n## Context\n\n{long}\nThe narwhal is here.\n{long}\n\
         ## Key Decisions\n\n- One thing: first\n- Beluga storage: in Postgres\n\n\
         ## Notes on orca\n\n```\ncode about\n  dolphin = 1\n```\n\n| a | b |\n|---|---|\n| porpoise | x |\n"
    );
    save(&env, BEFORE, &["--title", "x", "--summary", "y", "--tags", "a,b"], &body);
    let expected: [(&str, Option<&str>); 6] = [
        ("walrus", None),
        ("narwhal", Some("Context")),
        ("beluga", Some("Key Decisions")),
        ("dolphin", Some("Notes on orca")),
        ("porpoise", Some("Notes on orca")),
        ("beluga postgres", Some("Key Decisions")),
    ];
    for (query, section) in expected {
        let hits = hits(&env, &[query]);
        let passage = &hits[0]["passages"][0];
        assert_eq!(passage["section"].as_str(), section, "{query}");
        stands_there(&env, &hits[0], passage);
        let marks = marked(passage).join(" ").to_lowercase();
        assert_eq!(marks, query, "{passage}");
    }
}

#[test]
fn lines_are_right_with_other_line_ends_and_wide_characters() {
    let env = TestEnv::new();
    let body = "Größe 令牌\r\n\r\n## Stand\r\n\r\n- äöü 🎉\r\n- der Pelikan\r\n- Ende\r\n";
    save(&env, BEFORE, &["--title", "x"], body);
    let hits = hits(&env, &["pelikan"]);
    let passage = &hits[0]["passages"][0];
    assert_eq!(marked(passage), ["Pelikan"]);
    assert_eq!(passage["section"], "Stand");
    stands_there(&env, &hits[0], passage);
}

#[test]
fn every_passage_of_several_stands_where_it_says() {
    let env = TestEnv::new();
    let body: String = (0..40)
        .map(|n| format!("## Part {n}\n\n{}\nThe gannet number{n} dives.\n\n", "Words. ".repeat(n)))
        .collect();
    save(&env, BEFORE, &["--title", "x"], &body);
    for query in
        ["gannet", "number7 number31 gannet", "dives number12 number13", "\"the gannet\" number9"]
    {
        let hits = hits(&env, &[query]);
        let passages = hits[0]["passages"].as_array().unwrap();
        assert!(!passages.is_empty() && passages.len() <= 3, "{query}");
        passages.iter().for_each(|passage| stands_there(&env, &hits[0], passage));
    }
}

#[test]
fn the_objects_have_what_scripts_rely_on() {
    let env = TestEnv::new();
    save(&env, BEFORE, &["--title", "A title", "--tags", "one"], "## Context\n\nA pelican.\n");
    let hits = hits(&env, &["pelican"]);
    let hit = hits[0].as_object().unwrap();
    let listed = env.segue(&["list", "--json"]).ok();
    let listed: Value = serde_json::from_str(&listed).unwrap();
    for (key, value) in listed[0].as_object().unwrap() {
        assert_eq!(hit.get(key), Some(value), "as in list --json: {key}");
    }
    for key in ["expired", "score", "coverage", "superseded_by", "passages", "why"] {
        assert!(hit.contains_key(key), "{key}");
    }
    assert_eq!((&hit["expired"], &hit["superseded_by"]), (&Value::Bool(false), &Value::Null));
    assert!(hit["score"].as_f64().unwrap() > 0.0);
    let coverage = hit["coverage"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&coverage));
    let passage = hit["passages"][0].as_object().unwrap();
    let mut keys: Vec<&str> = passage.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["line", "marks", "section", "text"]);
    assert_eq!((&passage["section"], &passage["text"]), (&"Context".into(), &"A pelican.".into()));
    assert_eq!(passage["marks"], serde_json::json!([[2, 9]]));
}

#[test]
fn in_a_pipe_there_is_a_line_for_each_hit() {
    let env = TestEnv::new();
    let id = save(
        &env,
        BEFORE,
        &["--title", "A\ttab", "--name", "n"],
        "## Context\n\nA\tpelican\x1b[31m.\n",
    );
    let ran = run(&env, &["pelican"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0], "ID\tCREATED\tNAME\tTITLE\tPROJECT\tSTANDING\tSECTION\tLINE\tTEXT");
    let cells: Vec<&str> = lines[1].split('\t').collect();
    assert_eq!(cells.len(), 9, "{lines:?}");
    assert_eq!((cells[0], cells[1], cells[2]), (id.as_str(), BEFORE, "n"));
    assert_eq!((cells[4], cells[5], cells[6]), ("work", "-", "Context"));
    assert!(cells[8].starts_with("A pelican") && !cells[8].contains('\x1b'), "{}", cells[8]);
}
