//! The fold over whole histories.

use proptest::prelude::*;

use super::*;
use crate::search::TermReader;
use crate::{Handoff, HandoffId, ItemSource, Timestamp};

const MINUTE: i64 = 60_000_000;

/// A history of handoffs, a minute apart.
#[derive(Default)]
struct History {
    entries: Vec<StateEntry>,
    reader: TermReader,
}

/// What a handoff of a history says besides its body.
#[derive(Clone, Copy, Default)]
struct Said<'a> {
    kind: &'a str,
    branch: &'a str,
    dir: &'a str,
    /// Further lines of its head.
    head: &'a str,
}

const SESSION: Said<'static> = Said { kind: "session", branch: "main", dir: ".", head: "" };
const WORDS: Said<'static> = Said { kind: "handoff", ..SESSION };

impl History {
    fn id(at: usize) -> HandoffId {
        let created = Timestamp::from_micros(1_763_000_000_000_000 + at as i64 * MINUTE).unwrap();
        format!("{}-a{at:07x}", created.compact()).parse().unwrap()
    }

    fn add(&mut self, said: Said<'_>, body: &str) -> HandoffId {
        let at = self.entries.len();
        let id = Self::id(at);
        let created = Timestamp::from_micros(1_763_000_000_000_000 + at as i64 * MINUTE).unwrap();
        let Said { kind, branch, dir, head } = said;
        let source = format!(
            "---\nsegue: 2\nid: {id}\ncreated: {created}\nkind: {kind}\ntool: codex\nsaved_from: {{dir: {dir}}}\n\
             git: {{branch: {branch}}}\n{head}---\n{body}"
        );
        let handoff = Handoff::parse(source).unwrap();
        assert!(handoff.problems.is_empty(), "{:?}", handoff.problems);
        self.entries.push(StateEntry::of(&handoff, &mut self.reader).unwrap());
        id
    }

    fn ledger(&self) -> Ledger {
        Ledger::fold(&self.entries)
    }

    /// The open items, as `main` sees them.
    fn open(&self) -> Vec<String> {
        open_in(&self.ledger(), "main", &LaneFates::default())
    }

    /// Why an item is closed.
    fn closed(&self, text: &str) -> String {
        let ledger = self.ledger();
        let mut items = ledger.items().filter(|item| item.text == text);
        let item = items.next().unwrap_or_else(|| panic!("no item {text}"));
        item.closing().map_or("open".to_owned(), |(_, why)| why.as_str().to_owned())
    }
}

fn open_in(ledger: &Ledger, branch: &str, fates: &LaneFates) -> Vec<String> {
    let view = ledger.view(&Lane::new(Some(branch), "."), fates);
    let open = view.items.iter().filter(|item| item.is_open() && item.is_here);
    let mut texts: Vec<String> = open.map(|item| item.item.text.clone()).collect();
    texts.sort();
    texts
}

fn in_session(id: &str) -> String {
    format!("session: {id}\n")
}

#[test]
fn an_idle_session_takes_nothing_away() {
    let mut history = History::default();
    history.add(SESSION, "## Next Steps\n- Round up\n\n## Key Decisions\n- Cents: integers\n\n## Checks\n- Failed: `make test` (tests)\n");
    history.add(SESSION, "## Current State\n- **Status: finished**\n\n## Next Steps\n- Not answered yet: “Which python?”\n");
    assert_eq!(history.open(), ["Cents: integers", "Failed: `make test` (tests)", "Round up"]);
    let ledger = history.ledger();
    let view = ledger.view(&Lane::new(Some("main"), "."), &LaneFates::default());
    assert_eq!(view.base.unwrap().by, History::id(0));
    assert_eq!(view.idle.iter().map(|idle| &idle.stamp.by).collect::<Vec<_>>(), [&History::id(1)]);
}

#[test]
fn two_unrelated_saves_are_both_open() {
    let mut history = History::default();
    history.add(WORDS, "## Next Steps\n- Write the migration\n");
    history.add(WORDS, "## Next Steps\n- Fix the login page\n");
    assert_eq!(history.open(), ["Fix the login page", "Write the migration"]);
}

#[test]
fn a_todo_that_was_completed_is_closed_and_can_come_back() {
    let mut history = History::default();
    history.add(SESSION, "## Next Steps\n- Round up (begun)\n- Ship it\n");
    history.add(SESSION, "## Current State\n- To-dos done: Round up\n");
    assert_eq!(history.open(), ["Ship it"]);
    let before = history.ledger().items().find(|item| !item.is_open()).unwrap().id;
    history.add(SESSION, "## Next Steps\n- Round up\n");
    assert_eq!(history.open(), ["Round up", "Ship it"]);
    assert!(history.ledger().item(before).unwrap().is_open());
}

#[test]
fn a_failing_check_is_closed_by_a_run_that_covers_it() {
    let mut history = History::default();
    history.add(
        SESSION,
        "## Checks\n- Failed with exit code 101: `cargo test -p api` (tests), in `a::b`\n",
    );
    history.add(SESSION, "## Checks\n- Passed: `cargo test -p web` (tests)\n");
    assert_eq!(history.open().len(), 1);
    let on_other = Said { branch: "other", ..SESSION };
    history.add(on_other, "## Checks\n- Passed: `cargo test` (tests)\n");
    assert_eq!(history.open().len(), 1, "another lane's run says nothing of this one");
    history.add(SESSION, "## Checks\n- Passed: `cargo test` (tests)\n");
    assert!(history.open().is_empty(), "{:?}", history.open());
}

#[test]
fn later_words_of_a_session_or_name_replace_its_steps_and_say_which_are_dropped() {
    for head in [in_session("s1"), "name: state\n".to_owned()] {
        let mut history = History::default();
        let said = Said { head: &head, ..WORDS };
        history.add(said, "## Next Steps\n- Write the migration\n- Fix the page\n");
        history.add(said, "## Next Steps\n- Fix the page\n- Deploy\n");
        assert_eq!(history.open(), ["Deploy", "Fix the page"], "{head}");
        assert_eq!(history.closed("Write the migration"), "dropped");
        // Words that say nothing of steps drop none.
        history.add(said, "## Context\n- It rains.\n");
        assert_eq!(history.open(), ["Deploy", "Fix the page"]);
    }
}

#[test]
fn a_later_capture_of_the_same_session_tells_it_anew() {
    let mut history = History::default();
    let head = in_session("s1");
    let said = Said { head: &head, ..SESSION };
    let first = history.add(said, "## Next Steps\n- Round up\n- Ship it\n");
    let more = format!("{head}supersedes: [{first}]\n");
    history.add(Said { head: &more, ..SESSION }, "## Next Steps\n- Ship it\n");
    assert_eq!(history.open(), ["Ship it"]);
    assert_eq!(history.closed("Round up"), "recaptured");
}

#[test]
fn a_session_that_was_briefed_closes_only_what_it_worked_on() {
    let mut history = History::default();
    let parent = history.add(
        SESSION,
        "## Next Steps\n- Round the discounts in basket.py\n- Write the changelog\n- Finish the last request: “Go on”\n",
    );
    let head = format!("session: s2\nparent: {parent}\ntitle: Round the discounts\n");
    let body = "## Current State\n- Committed `4f69573`: Round discounts in basket.py\n\n## Files of Note\n- `basket.py`\n";
    history.add(Said { head: &head, ..SESSION }, body);
    assert_eq!(history.open(), ["Write the changelog"]);
    assert_eq!(history.closed("Round the discounts in basket.py"), "worked-on");
}

#[test]
fn a_later_decision_on_the_same_subject_holds() {
    let mut history = History::default();
    history.add(WORDS, "## Key Decisions\n- Token storage: Redis\n- Line ends: LF\n");
    history.add(WORDS, "## Key Decisions\n- Token storage: Postgres\n");
    assert_eq!(history.open(), ["Line ends: LF", "Token storage: Postgres"]);
    assert_eq!(history.closed("Token storage: Redis"), "superseded");
}

#[test]
fn a_rule_that_the_user_took_back_is_no_rule_any_more() {
    let users = "sources: {rest: user}\n";
    let mut history = History::default();
    let said = Said { head: users, ..SESSION };
    history.add(said, "## Standing Constraints\n- “Never touch README.md.” *(declared #3)*\n- “Use tabs.” *(declared #3)*\n");
    history.add(said, "## Taken Back\n- “You may touch README.md after all.” *(declared #2)*\n");
    assert_eq!(history.open(), ["Use tabs."]);
    assert_eq!(history.closed("Never touch README.md."), "taken-back");
    // A session that began before says it again as inherited: that opens nothing.
    history.add(said, "## Standing Constraints\n- “Never touch README.md.” *(declared earlier)*\n");
    assert_eq!(history.open(), ["Use tabs."]);
    history.add(said, "## Standing Constraints\n- “Never touch README.md.” *(declared #7)*\n");
    assert_eq!(history.open(), ["Never touch README.md.", "Use tabs."]);
}

#[test]
fn what_came_from_elsewhere_closes_nothing_that_was_left_here() {
    let mut history = History::default();
    history.add(WORDS, "## Next Steps\n- Ship it\n\n## Key Decisions\n- Line ends: LF\n");
    let id = history.ledger().items().find(|item| item.text == "Ship it").unwrap().id;
    let from = "imported: {from: x}\n";
    let said = Said { head: from, ..WORDS };
    history.add(said, "## Next Steps\n- [x] Ship it\n\n## Key Decisions\n- Line ends: CRLF\n");
    history.add(Said { kind: "closing", ..said }, &format!("## Closed\n\n- `{id}` Ship it\n"));
    let more = format!("{from}supersedes: [{}]\n", History::id(0));
    history.add(Said { head: &more, ..WORDS }, "## Next Steps\n- Nothing else\n");
    let open = history.open();
    assert!(
        open.contains(&"Ship it".to_owned()) && open.contains(&"Line ends: LF".to_owned()),
        "{open:?}"
    );
}

#[test]
fn nobody_but_the_user_opens_rewords_or_closes_the_users_rule() {
    let users = Said { head: "sources: {rest: user}\n", ..SESSION };
    let rule = "## Standing Constraints\n- “Never delete src/*.bak” *(declared #3)*\n";
    let id_of = |history: &History| history.ledger().items().next().unwrap().id;
    // An agent's closing does nothing, the user's does.
    let mut history = History::default();
    history.add(users, rule);
    let body = format!("## Closed\n\n- `{}` x\n", id_of(&history));
    history.add(Said { kind: "closing", ..SESSION }, &body);
    assert_eq!(history.open(), ["Never delete src/*.bak"]);
    history.add(Said { kind: "closing", ..users }, &body);
    assert!(history.open().is_empty());
    // An agent that notes it again does not open it, nor does it reword one that is open.
    history.add(Said { kind: "note", ..SESSION }, "## Rules\n- Never delete src/*.bak\n");
    assert!(history.open().is_empty());
    history.add(users, rule);
    history.add(WORDS, "## Rules\n- NEVER delete `src/*.bak`\n- Never delete src/.bak\n");
    let ledger = history.ledger();
    let open: Vec<(&str, ItemSource)> = ledger
        .items()
        .filter(|item| item.is_open())
        .map(|item| (item.text.as_str(), item.source))
        .collect();
    assert!(open.contains(&("Never delete src/*.bak", ItemSource::User)), "{open:?}");
    assert!(open.contains(&("Never delete src/.bak", ItemSource::Agent)), "{open:?}");
    // What an agent noted and closed is still the user's rule once the user says it.
    let mut history = History::default();
    let session = in_session("s1");
    let said = Said { head: &session, ..SESSION };
    history.add(Said { kind: "note", ..said }, "## Rules\n- Never push.\n");
    let body = format!("## Closed\n\n- `{}` x\n", id_of(&history));
    history.add(Said { kind: "closing", ..said }, &body);
    let typed = format!("{session}sources: {{rest: user}}\n");
    history.add(
        Said { head: &typed, ..SESSION },
        "## Standing Constraints\n- “Never push.” *(declared #3)*\n",
    );
    assert_eq!(history.open(), ["Never push."]);
}

#[test]
fn an_answer_that_somebody_makes_up_does_not_replace_one_that_was_seen() {
    let mut history = History::default();
    let seen = "The user chose: Which database should we use? → Postgres";
    history.add(SESSION, &format!("## Key Decisions\n- {seen}\n"));
    let made_up = "The user chose: Which database should we use? → SQLite";
    history.add(Said { kind: "decision", ..SESSION }, &format!("## Key Decisions\n- {made_up}\n"));
    assert!(history.open().contains(&seen.to_owned()), "{:?}", history.open());
    let other = "The user chose: Which database should we use? → MySQL";
    history.add(SESSION, &format!("## Key Decisions\n- {other}\n"));
    assert!(history.open().contains(&other.to_owned()), "{:?}", history.open());
}

#[test]
fn however_much_a_session_lists_the_users_rule_is_not_lost() {
    let mut history = History::default();
    let steps: String = (0..450).map(|n| format!("- Step {n}\n")).collect();
    let body = format!(
        "## Next Steps\n{steps}\n## Standing Constraints\n- “Never push.” *(declared #3)*\n"
    );
    history.add(Said { head: "sources: {rest: user}\n", ..SESSION }, &body);
    assert!(history.open().contains(&"Never push.".to_owned()));
}

#[test]
fn an_item_with_the_same_id_as_a_rule_does_nothing_to_it() {
    // These two have the same id.
    let (rule, step) = ("Never touch README.md.", "remove the old cache xoinfhhaa");
    let typed = format!("## Standing Constraints\n- “{rule}” *(declared #3)*\n");
    let done = format!("## Next Steps\n- [x] {step}\n");
    let users = Said { head: "sources: {rest: user}\n", ..SESSION };
    let imported = Said { head: "imported: {from: x}\n", ..WORDS };
    for strange in [WORDS, imported] {
        let mut history = History::default();
        history.add(strange, &done.replace("[x] ", ""));
        history.add(users, &typed);
        history.add(strange, &done);
        let ledger = history.ledger();
        let ids: Vec<StateItemId> = ledger.items().map(|item| item.id).collect();
        assert!(ids.len() == 2 && ids[0] == ids[1], "{ids:?}");
        assert!(history.open().contains(&rule.to_owned()), "{:?}", history.open());
    }
}

#[test]
fn however_many_rules_an_agent_lists_the_users_is_not_lost() {
    let mut history = History::default();
    let rules: String = (0..450).map(|n| format!("- Rule {n}\n")).collect();
    let words = "“Never push.” *(declared #3)*";
    let title = "Standing Constraints (from the transcript)";
    let mark = crate::ItemMark::of(title, words);
    let head = format!("sources: {{rest: agent, user: [{mark}]}}\n");
    let body = format!("## Standing Constraints\n{rules}\n## {title}\n- {words}\n");
    history.add(Said { head: &head, ..SESSION }, &body);
    assert!(history.open().contains(&"Never push.".to_owned()));
}

#[test]
fn what_came_from_elsewhere_neither_quiets_nor_merges_nor_hides_what_is_here() {
    let mut history = History::default();
    history.add(SESSION, "## Next Steps\n- Ship it\n\n## Checks\n- Failed: `make test` (tests)\n");
    let own = History::id(0);
    for n in 0..6 {
        let head = format!("imported: {{from: x}}\nsupersedes: [{own}]\n");
        let said = Said { branch: "evil", head: &head, ..SESSION };
        history.add(said, &format!("## Next Steps\n- [x] Ship it\n- Other {n}\n\n## Checks\n- Passed: `make test` (tests)\n"));
    }
    let ledger = history.ledger();
    assert!(!ledger.branches().contains_key("evil"));
    let merged = LaneFates::new([("evil".to_owned(), BranchFate::MergedInto("main".to_owned()))]);
    for fates in [LaneFates::default(), merged] {
        let view = ledger.view(&Lane::new(Some("main"), "."), &fates);
        for text in ["Ship it", "Failed: `make test` (tests)"] {
            let item = view.items.iter().find(|item| item.item.text == text && item.is_here);
            assert!(item.is_some_and(|item| item.is_open() && !item.is_quiet), "{text}");
        }
    }
}

#[test]
fn what_is_closed_by_hand_stays_closed_until_it_is_reopened() {
    let mut history = History::default();
    let head = in_session("s1");
    let said = Said { head: &head, ..SESSION };
    history.add(said, "## Next Steps\n- Round up\n- Ship it\n");
    let id = history.ledger().items().find(|item| item.text == "Round up").unwrap().id;
    let closing = Said { kind: "closing", head: &head, ..SESSION };
    history.add(closing, &format!("## Closed\n\n- `{id}` Round up\n  Why: it is done\n"));
    assert_eq!(history.open(), ["Ship it"]);
    // The capture of the session that closed it still lists it.
    history.add(said, "## Next Steps\n- Round up\n- Ship it\n");
    assert_eq!(history.open(), ["Ship it"]);
    history.add(closing, &format!("## Reopened\n\n- `{id}` Round up\n"));
    assert_eq!(history.open(), ["Round up", "Ship it"]);
}

#[test]
fn what_was_to_be_committed_is_closed_by_a_commit() {
    let mut history = History::default();
    history.add(SESSION, "## Next Steps\n- A commit was asked for and not seen: “commit it” *(inferred)*\n- Push the branch `main`: its last commits were not pushed *(inferred)*\n\n## Files of Note\n- `a.py`\n");
    history.add(SESSION, "## Current State\n- Committed `4f69573`: it\n");
    assert_eq!(history.open(), ["Push the branch `main`: its last commits were not pushed"]);
    history
        .add(SESSION, "## Current State\n- Committed `4f69574`: it\n- The commits are pushed.\n");
    assert!(history.open().is_empty());
}

#[test]
fn after_five_working_sessions_a_step_is_quiet_and_a_rule_is_not() {
    let mut history = History::default();
    let said = Said { head: "sources: {rest: user}\n", ..WORDS };
    history.add(
        said,
        "## Next Steps\n- Ship it\n\n## Constraints\n- Never push.\n\n## Blockers\n- No key\n",
    );
    for n in 0..5 {
        let quiet = |history: &History| {
            let ledger = history.ledger();
            let view = ledger.view(&Lane::new(Some("main"), "."), &LaneFates::default());
            let quiet = view.items.iter().filter(|item| item.is_quiet && item.is_open());
            quiet.map(|item| item.item.text.clone()).collect::<Vec<_>>()
        };
        assert!(quiet(&history).is_empty(), "after {n}");
        history.add(SESSION, "## Files of Note\n- `a.py`\n");
        if n == 4 {
            assert_eq!(quiet(&history), ["Ship it"]);
        }
    }
    assert_eq!(history.open().len(), 3, "it is still open");
}

#[test]
fn a_merge_brings_open_items_and_keeps_their_ids() {
    let mut history = History::default();
    let feature = Said { branch: "feature", ..SESSION };
    history.add(SESSION, "## Next Steps\n- On main\n");
    history.add(feature, "## Next Steps\n- Ship it\n- Round up\n");
    let before: Vec<StateItemId> = history.ledger().items().map(|item| item.id).collect();
    assert_eq!(history.open(), ["On main"]);
    let merged =
        LaneFates::new([("feature".to_owned(), BranchFate::MergedInto("main".to_owned()))]);
    let ledger = history.ledger();
    assert_eq!(open_in(&ledger, "main", &merged), ["On main", "Round up", "Ship it"]);
    // It is mentioned again on main: the same item, under its first id.
    history.add(SESSION, "## Next Steps\n- Ship it\n- [x] Round up\n");
    let ledger = history.ledger();
    assert_eq!(open_in(&ledger, "main", &merged), ["On main", "Ship it"]);
    let view = ledger.view(&Lane::new(Some("main"), "."), &merged);
    let ship = view.items.iter().find(|item| item.item.text == "Ship it").unwrap();
    assert!(before.contains(&ship.id));
    assert_eq!(view.items.iter().filter(|item| item.item.text == "Ship it").count(), 1);
}

#[test]
fn the_own_lane_comes_first_and_the_newest_where_nothing_was_done_in_it() {
    let mut history = History::default();
    let web = Said { dir: "web", ..SESSION };
    let api = Said { dir: "api", ..SESSION };
    history.add(web, "## Next Steps\n- In web\n");
    history.add(api, "## Next Steps\n- In api\n");
    let ledger = history.ledger();
    let base = |dir: &str| {
        let view = ledger.view(&Lane::new(Some("main"), dir), &LaneFates::default());
        let others: Vec<String> = view.others.iter().map(|other| other.lane.name()).collect();
        (view.base.unwrap().by, view.instead_of.map(|lane| lane.name()), others)
    };
    assert_eq!(base("web"), (History::id(0), None, vec!["main in api".to_owned()]));
    assert_eq!(base("api"), (History::id(1), None, vec!["main in web".to_owned()]));
    let docs = base("docs");
    assert_eq!((docs.0, docs.1.as_deref()), (History::id(1), Some("main in docs")));
}

/// Bodies that touch each other's items in every way.
const BODIES: [&str; 10] = [
    "## Next Steps\n- a\n- b\n",
    "## Next Steps\n- b\n- c\n",
    "## Next Steps\n- [x] a\n- c\n",
    "## Current State\n- To-dos done: b; c\n",
    "## Checks\n- Failed: `make test` (tests)\n",
    "## Checks\n- Passed: `make test` (tests)\n",
    "## Key Decisions\n- Token storage: Redis\n",
    "## Key Decisions\n- Token storage: Postgres\n",
    "## Standing Constraints\n- “Never push.” *(declared #3)*\n",
    "## Taken Back\n- “You can push again.” *(declared #3)*\n",
];

type Step = (usize, bool, u8, u8);

fn made(steps: &[Step]) -> History {
    let mut history = History::default();
    for (body, is_words, branch, session) in steps {
        let branch = ["main", "feature"][usize::from(branch % 2)];
        let head = format!("sources: {{rest: user}}\nsession: s{}\n", session % 3);
        let kind = if *is_words { "handoff" } else { "session" };
        history.add(Said { kind, branch, dir: ".", head: &head }, BODIES[body % BODIES.len()]);
    }
    history
}

fn shown(ledger: &Ledger) -> Vec<String> {
    ledger.items().map(|item| format!("{item:?}")).collect()
}

proptest! {
    #[test]
    fn folding_in_pieces_and_in_any_order_gives_the_same(
        steps in prop::collection::vec((0..10_usize, any::<bool>(), any::<u8>(), any::<u8>()), 0..30),
        cut in 0..30_usize,
        seed: u64,
    ) {
        let history = made(&steps);
        let whole = history.ledger();
        let (first, rest) = history.entries.split_at(cut.min(history.entries.len()));
        let mut pieces = Ledger::fold(first);
        prop_assert!(rest.iter().all(|entry| pieces.follows(&entry.stamp)));
        pieces.extend(rest);
        prop_assert_eq!(shown(&pieces), shown(&whole));
        let mut shuffled = history.entries.clone();
        shuffled.sort_by_key(|entry| entry.stamp.at.wrapping_mul(seed as i64 | 1));
        let other = Ledger::fold(shuffled.iter().chain(first));
        prop_assert_eq!(shown(&other), shown(&whole));
        // Written down and read again, entries are the same.
        let text = serde_json::to_string(&history.entries).unwrap();
        prop_assert_eq!(serde_json::from_str::<Vec<StateEntry>>(&text).unwrap(), history.entries);
    }

    #[test]
    fn ids_do_not_depend_on_who_saw_a_merge(
        steps in prop::collection::vec((0..10_usize, any::<bool>(), any::<u8>(), any::<u8>()), 0..30),
    ) {
        let ledger = made(&steps).ledger();
        let merged = LaneFates::new([("feature".to_owned(), BranchFate::MergedInto("main".to_owned()))]);
        let here = Lane::new(Some("main"), ".");
        let ids = |fates: &LaneFates| -> std::collections::BTreeSet<StateItemId> {
            ledger.view(&here, fates).items.iter().map(|item| item.id).collect()
        };
        // Whoever saw the merge sees some items joined, and none under an id that the other does not have.
        prop_assert!(ids(&merged).is_subset(&ids(&LaneFates::default())));
    }
}

/// What is open, by a program of its own: a set of items by lane and words.
#[derive(Default)]
struct Truth {
    open: std::collections::BTreeSet<(String, String)>,
}

impl Truth {
    fn open(&mut self, lane: &str, text: &str) {
        self.open.insert((lane.to_owned(), text.to_owned()));
    }

    fn close(&mut self, lane: &str, text: &str) {
        self.open.remove(&(lane.to_owned(), text.to_owned()));
    }
}

/// Every open item with its lane, `-` for the project's, whoever looks.
fn all_open(ledger: &Ledger, fates: &LaneFates) -> std::collections::BTreeSet<(String, String)> {
    let view = ledger.view(&Lane::new(Some("main"), "."), fates);
    let open = view.items.iter().filter(|item| item.is_open());
    open.map(|item| {
        let lane = item.lane.as_ref().map_or_else(|| "-".to_owned(), Lane::name);
        (lane, item.item.text.clone())
    })
    .collect()
}

#[test]
fn after_each_of_two_hundred_sessions_the_state_is_what_happened() {
    const LANES: [(&str, &str); 4] =
        [("main", "."), ("main", "web"), ("feature", "."), ("fix", ".")];
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let mut history = History::default();
    let mut truth = Truth::default();
    let mut fates = LaneFates::default();
    let mut subjects: std::collections::BTreeMap<usize, String> = Default::default();
    for session in 0..200 {
        if session == 120 {
            // From here on everybody sees that the branch `feature` was merged.
            let merged = BranchFate::MergedInto("main".to_owned());
            fates = LaneFates::new([("feature".to_owned(), merged)]);
            let moved: Vec<String> = truth
                .open
                .iter()
                .filter(|(lane, _)| lane == "feature")
                .map(|(_, text)| text.clone())
                .collect();
            for text in moved {
                truth.close("feature", &text);
                truth.open("main", &text);
            }
        }
        let (branch, dir) = LANES[next(if session < 120 { 4 } else { 2 })];
        let lane = Lane::new(Some(branch), dir).name();
        // What the work on a branch that is merged by now would close on main, is not said there.
        let of_lane: Vec<String> = truth
            .open
            .iter()
            .filter(|(other, _)| *other == lane)
            .map(|(_, text)| text.clone())
            .collect();
        let pick = |next: &mut dyn FnMut(usize) -> usize, begin: &str| {
            let fitting: Vec<&String> =
                of_lane.iter().filter(|text| text.starts_with(begin)).collect();
            (!fitting.is_empty()).then(|| fitting[next(fitting.len())].clone())
        };
        let said = Said { branch, dir, head: "sources: {rest: user}\n", ..SESSION };
        match next(8) {
            0 | 1 => {
                let text = format!("Step {session} of {}", next(1000));
                history.add(said, &format!("## Next Steps\n- {text}\n"));
                truth.open(&lane, &text);
            }
            2 => match pick(&mut next, "Step") {
                Some(text) => {
                    history.add(said, &format!("## Current State\n- To-dos done: {text}\n"));
                    truth.close(&lane, &text);
                }
                None => continue,
            },
            3 => {
                let text = format!("Failed: `make test-{}` (tests)", next(6));
                history.add(said, &format!("## Checks\n- {text}\n"));
                truth.open(&lane, &text);
            }
            4 => match pick(&mut next, "Failed") {
                Some(text) => {
                    let passed = text.replace("Failed", "Passed");
                    history.add(said, &format!("## Checks\n- {passed}\n"));
                    truth.close(&lane, &text);
                }
                None => continue,
            },
            5 => {
                let subject = next(5);
                let text = format!("Choice{subject} storage: option {session}");
                history.add(said, &format!("## Key Decisions\n- {text}\n"));
                if let Some(before) = subjects.insert(subject, text.clone()) {
                    truth.close("-", &before);
                }
                truth.open("-", &text);
            }
            6 => {
                let file = ["alpha.md", "beta.sql", "gamma.yml"][next(3)];
                let rule = format!("Never touch {file}.");
                if truth.open.contains(&("-".to_owned(), rule.clone())) {
                    let body = format!(
                        "## Taken Back\n- “You may touch {file} after all.” *(declared #3)*\n"
                    );
                    history.add(said, &body);
                    truth.close("-", &rule);
                } else {
                    let body = format!("## Standing Constraints\n- “{rule}” *(declared #3)*\n");
                    history.add(said, &body);
                    truth.open("-", &rule);
                }
            }
            _ => {
                let body = "## Current State\n- **Status: finished**\n\n## Next Steps\n- Not answered yet: “Why?”\n";
                history.add(said, body);
            }
        }
        assert_eq!(all_open(&history.ledger(), &fates), truth.open, "after session {session}");
    }
    assert!(truth.open.len() > 20, "{}", truth.open.len());
}
