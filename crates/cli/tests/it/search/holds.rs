//! What still holds stands above what does not, and the latter says by what it was superseded.

use serde_json::Value;

use super::{found, hits, parsed, run, save, short, superseded};
use crate::ground::TestEnv;
use crate::terminal::Terminal;

const FIRST: &str = "2026-11-01T10:00:00Z";
const SECOND: &str = "2026-11-05T10:00:00Z";
const THIRD: &str = "2026-11-09T10:00:00Z";

fn by(id: &str, because: &str) -> Option<(String, String)> {
    Some((id.to_owned(), because.to_owned()))
}

/// Each hit with what supersedes it.
fn standing(env: &TestEnv, args: &[&str]) -> Vec<(String, Option<(String, String)>)> {
    hits(env, args).iter().map(|hit| (short(hit), superseded(hit))).collect()
}

#[test]
fn the_newer_one_of_a_name_holds() {
    let env = TestEnv::new();
    let text = "The pelican pelican pelican nests on the roof.";
    let old = save(&env, FIRST, &["--name", "state", "--title", "pelican roof"], text);
    let new = save(&env, SECOND, &["--name", "state"], "By now the pelican is gone for good.");
    assert_eq!(
        standing(&env, &["pelican roof"]),
        [(new.clone(), None), (old.clone(), by(&new, "name"))]
    );
    let other = save(&env, THIRD, &["--name", "unrelated"], "A pelican elsewhere.");
    let standing = standing(&env, &["pelican"]);
    assert!(standing.contains(&(other, None)) && standing.contains(&(old, by(&new, "name"))));
}

#[test]
fn a_name_in_another_project_supersedes_nothing_here() {
    let env = TestEnv::new();
    let here = save(&env, FIRST, &["--name", "state"], "The pelican nests.");
    let elsewhere = env.dir("elsewhere");
    env.segue(&["save", "--name", "state"]).dir(&elsewhere).at(SECOND).stdin("The pelican.").ok();
    assert_eq!(standing(&env, &["pelican"]), [(here.clone(), None)]);
    let all = standing(&env, &["pelican", "--all-projects"]);
    assert!(all.len() == 2 && all.iter().all(|(_, by)| by.is_none()), "{all:?}");
    let decision = "## Key Decisions\n\n- Heron storage: Redis\n";
    let here = save(&env, FIRST, &["--title", "x"], decision);
    let other = decision.replace("Redis", "Postgres");
    env.segue(&["save", "--title", "x"]).dir(&elsewhere).at(SECOND).seed("5").stdin(other).ok();
    assert_eq!(standing(&env, &["heron storage"]), [(here, None)]);
}

#[test]
fn one_that_says_that_it_supersedes_stands_above_even_without_the_words() {
    let env = TestEnv::new();
    let old = save(&env, FIRST, &["--title", "x"], "The pelican nests on the roof.");
    let args = ["--title", "All birds left", "--supersedes", &old];
    let new = save(&env, SECOND, &args, "Nobody is there any more.");
    assert_eq!(
        standing(&env, &["pelican roof"]),
        [(new.clone(), None), (old.clone(), by(&new, "supersedes"))]
    );
    // Also where only one of many words is left.
    assert_eq!(found(&env, &["pelican birds roof"]), [new, old]);
}

#[test]
fn an_edit_supersedes_what_it_was_made_from() {
    let env = TestEnv::new();
    let old = save(&env, FIRST, &["--title", "x"], "The pelican nests.");
    let new = env.segue(&["edit", &old, "--title", "Another title"]).at(SECOND).seed("9").run();
    assert_eq!(new.code, 0, "{}", new.stderr);
    let standing = standing(&env, &["pelican"]);
    assert_eq!(standing.len(), 2);
    let (new, holds) = &standing[0];
    assert_eq!((holds, &standing[1]), (&None, &(old, by(new, "supersedes"))));
}

#[test]
fn a_restated_decision_holds_however_it_is_put() {
    for later in [
        "Token storage: Postgres, it is durable",
        "**Token storage**: Postgres",
        "Token storage → Postgres",
        "Use Postgres for token storage because it is durable",
        "Decided: use Postgres for the token storage, not Redis",
        "Moved token storage from Redis to Postgres",
        "2026-11-05: token storage = Postgres",
        "Storage of tokens: Postgres",
    ] {
        let env = TestEnv::new();
        let earlier = "## Key Decisions\n\n- Token storage: Redis, because Redis is there\n";
        let old = save(&env, FIRST, &["--title", "Token storage"], earlier);
        let new =
            save(&env, SECOND, &["--title", "x"], &format!("## Key Decisions\n\n- {later}\n"));
        assert_eq!(
            standing(&env, &["token storage"]),
            [(new.clone(), None), (old, by(&new, "decision"))],
            "{later}"
        );
    }
}

#[test]
fn decisions_about_different_things_leave_each_other_alone() {
    let env = TestEnv::new();
    let decide = |at: &str, what: &str| {
        save(&env, at, &["--title", "x"], &format!("## Key Decisions\n\n- {what}\n"))
    };
    decide(FIRST, "Token storage: Redis");
    decide(SECOND, "Token format: JWT");
    decide(THIRD, "Note: tokens are short");
    let standing = standing(&env, &["token"]);
    assert!(standing.len() == 3 && standing.iter().all(|(_, by)| by.is_none()), "{standing:?}");
}

#[test]
fn a_chain_leads_to_its_end() {
    let env = TestEnv::new();
    let a = save(&env, FIRST, &["--title", "a"], "The pelican nests on the roof.");
    let b = save(&env, SECOND, &["--title", "b", "--supersedes", &a], "The pelican nests.");
    let c = save(&env, THIRD, &["--title", "c", "--supersedes", &b], "The pelican left.");
    let found = standing(&env, &["pelican roof"]);
    assert_eq!(found[0], (c.clone(), None));
    assert!(found.contains(&(a, by(&c, "supersedes"))), "{found:?}");
    assert!(found.contains(&(b, by(&c, "supersedes"))), "{found:?}");
    assert_eq!(found.len(), 3);
}

#[test]
fn a_chain_of_names_and_sayings_leads_to_its_end() {
    let env = TestEnv::new();
    let a = save(&env, FIRST, &["--name", "n"], "The pelican nests on the roof.");
    let b = save(&env, SECOND, &["--name", "n"], "The pelican nests.");
    let c = save(&env, THIRD, &["--title", "c", "--supersedes", &b], "The pelican left.");
    let found = standing(&env, &["pelican"]);
    assert_eq!(found[0], (c.clone(), None));
    assert!(found.contains(&(a, by(&c, "name"))), "{found:?}");
    assert!(found.contains(&(b, by(&c, "supersedes"))), "{found:?}");
}

#[test]
fn what_supersedes_itself_or_in_a_circle_is_still_found() {
    let env = TestEnv::new();
    let a = save(&env, FIRST, &["--title", "a"], "The pelican nests.");
    let b = save(&env, FIRST, &["--title", "b", "--supersedes", &a], "The pelican nests.");
    // By hand, as no command writes it.
    let file = env.handoff_files().into_iter().find(|path| path.to_string_lossy().contains(&a));
    let file = file.unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let full = hits(&env, &["pelican"]);
    let full = full.iter().find(|hit| short(hit) == b).unwrap()["id"].as_str().unwrap().to_owned();
    let text = text.replacen("\ncreated:", &format!("\nsupersedes: [{full}]\ncreated:"), 1);
    crate::ground::put(&file, text);
    env.segue(&["index", "--rebuild"]).ok();
    assert_eq!(found(&env, &["pelican"]).len(), 2);
}

#[test]
fn as_of_answers_as_if_nothing_had_been_saved_since() {
    let env = TestEnv::new();
    let a = save(&env, FIRST, &["--name", "state"], "The pelican nests on the roof.");
    let b = save(&env, SECOND, &["--name", "state"], "The pelican nests in the yard.");
    let c = save(&env, THIRD, &["--title", "x", "--supersedes", &b], "The pelican is gone.");
    let at = |when: &str| standing(&env, &["pelican", "--as-of", when]);
    assert_eq!(at("2026-10-31"), []);
    assert_eq!(at("2026-11-01T09:59:59Z"), []);
    for when in ["2026-11-01", "2026-11-01T10:00:00Z", "2026-11-04", "2026-11-05T09:59:59Z"] {
        assert_eq!(at(when), [(a.clone(), None)], "{when}");
    }
    for when in ["2026-11-05", "2026-11-08"] {
        assert_eq!(at(when), [(b.clone(), None), (a.clone(), by(&b, "name"))], "{when}");
    }
    for when in ["2026-11-09", "2026-11-15", "2027-01-01"] {
        let found = at(when);
        assert_eq!((found.len(), &found[0]), (3, &(c.clone(), None)), "{when}");
    }
}

#[test]
fn as_of_a_time_at_which_it_had_not_expired_it_had_not_expired() {
    let env = TestEnv::new();
    let id = save(&env, FIRST, &["--title", "x", "--ttl", "2d"], "The pelican nests.");
    save(&env, THIRD, &["--title", "y"], "The pelican nests.");
    let hits = hits(&env, &["pelican", "--as-of", "2026-11-02"]);
    assert_eq!((short(&hits[0]), &hits[0]["expired"]), (id, &Value::Bool(false)));
    assert_eq!(hits.len(), 1);
}

#[test]
fn a_decision_restated_later_holds_only_from_then_on() {
    let env = TestEnv::new();
    let decide = |at: &str, what: &str| {
        let body = format!("## Key Decisions\n\n- Token storage: {what}\n");
        save(&env, at, &["--title", "x"], &body)
    };
    let (a, b, c) = (decide(FIRST, "Redis"), decide(SECOND, "Postgres"), decide(THIRD, "files"));
    assert_eq!(standing(&env, &["token storage", "--as-of", "2026-11-03"]), [(a.clone(), None)]);
    assert_eq!(
        standing(&env, &["token storage", "--as-of", "2026-11-06"]),
        [(b.clone(), None), (a.clone(), by(&b, "decision"))]
    );
    let now = standing(&env, &["token storage"]);
    assert_eq!(now[0], (c.clone(), None));
    assert!(now.contains(&(a, by(&c, "decision"))) && now.contains(&(b, by(&c, "decision"))));
}

#[test]
fn a_pipe_says_what_no_longer_holds_and_why() {
    let env = TestEnv::new();
    let old = save(&env, FIRST, &["--name", "state"], "The pelican nests.");
    let new = save(&env, SECOND, &["--name", "state"], "The pelican left.");
    let said = run(&env, &["pelican"]).stdout;
    let line = said.lines().find(|line| line.starts_with(&old)).unwrap();
    let standing = line.split('\t').nth(5).unwrap();
    assert_eq!(standing, format!("superseded by {new} (newer of the name 'state')"));
    let line = said.lines().find(|line| line.starts_with(&new)).unwrap();
    assert_eq!(line.split('\t').nth(5), Some("-"));
}

#[test]
fn a_terminal_shows_places_matches_and_what_no_longer_holds() {
    let env = TestEnv::new();
    let old = save(&env, FIRST, &["--name", "state"], "## Context\n\nThe pelican nests.\n");
    let new = save(&env, SECOND, &["--name", "state"], "## Context\n\nThe pelican left.\n");
    let Some(terminal) = Terminal::sized(&env, &[], ["100", "30"]) else { return };
    terminal.begin("segue search pelican; echo done $?");
    let screen = terminal.wait("an answer", |screen| screen.contains("done 0"));
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text} is not on {screen}"));
    assert!(at(&new) < at(&old), "{screen}");
    assert!(at(&format!("superseded by {new} (newer of the name 'state')")) > at(&new));
    at("The pelican left.");
    at("Context:");
    let colours = terminal.tmux(&["capture-pane", "-p", "-e"]);
    let line = colours.lines().find(|line| line.contains(" left.")).unwrap();
    assert!(!line.contains("The pelican left."), "the match has a colour: {line:?}");
}

#[test]
fn one_that_an_import_replaced_is_not_lost() {
    let env = TestEnv::new();
    let id = save(&env, FIRST, &["--title", "x"], "The pelican nests.");
    let bundle = env.work.join("out.segue");
    let exported = env.segue(&["export", &id, "--output", bundle.to_str().unwrap()]).run();
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    let other = env.beside("other/segue");
    let args = ["import", "--allow-unsigned", bundle.to_str().unwrap()];
    let imported = env.segue(&args).env("SEGUE_HOME", &other).run();
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    let search = ["search", "--json", "--all-projects", "pelican"];
    let hits = parsed(&env.segue(&search).env("SEGUE_HOME", &other).run());
    assert_eq!(hits.iter().map(short).collect::<Vec<_>>(), [id]);
}
