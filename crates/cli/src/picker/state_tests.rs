//! What keys do, without a terminal.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::item::Item;
use super::state::{Deed, Effect, Over, State};

pub(super) fn item(number: usize, title: &str, tags: &[&str], project: &str) -> Item {
    Item {
        id: format!("20261115-174500-{number:08x}").parse().unwrap(),
        created: "2026-11-15T17:45:00Z".parse().unwrap(),
        title: title.to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        project: project.to_owned(),
        faded: false,
        haystack: format!("{title} {} {project} codex main {number:08x}", tags.join(",")).into(),
    }
}

fn filled() -> State {
    let mut state = State::new(false);
    state.add(vec![
        item(1, "Refactor auth middleware", &["api", "auth"], "web"),
        item(2, "Fix the Lexer", &["parser"], "segue"),
        item(3, "修复登录 (auth)", &[], "web"),
        item(4, "Café menus", &["api"], "web"),
    ]);
    state.step(100);
    state.loading = false;
    state
}

fn press(state: &mut State, code: KeyCode) -> Effect {
    let effect = state.key(KeyEvent::new(code, KeyModifiers::NONE));
    state.step(100);
    effect
}

fn ctrl(state: &mut State, c: char) -> Effect {
    let effect = state.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL));
    state.step(100);
    effect
}

fn type_in(state: &mut State, text: &str) {
    for c in text.chars() {
        press(state, KeyCode::Char(c));
    }
}

/// The numbers of the items that are listed, in order.
fn listed(state: &mut State) -> Vec<usize> {
    state.sort();
    let numbers = (0..state.counts().0).filter_map(|row| state.hit(row));
    numbers.map(|item| usize::from_str_radix(item.id.short(), 16).unwrap()).collect()
}

#[test]
fn without_a_query_the_newest_is_first() {
    let mut state = filled();
    assert_eq!(listed(&mut state), [1, 2, 3, 4]);
    assert_eq!(state.counts(), (4, 4));
    assert!(state.several_projects());
}

#[test]
fn typing_narrows_and_taking_back_widens() {
    let mut state = filled();
    type_in(&mut state, "auth");
    assert_eq!(listed(&mut state), [1, 3]);
    type_in(&mut state, " midd");
    assert_eq!(listed(&mut state), [1]);
    ctrl(&mut state, 'w');
    assert_eq!(listed(&mut state), [1, 3]);
    ctrl(&mut state, 'u');
    assert_eq!(listed(&mut state).len(), 4);
}

#[test]
fn letters_are_found_apart_and_in_any_case_unless_a_capital_is_typed() {
    let mut state = filled();
    type_in(&mut state, "fxlex");
    assert_eq!(listed(&mut state), [2]);
    ctrl(&mut state, 'u');
    type_in(&mut state, "Lexer");
    assert_eq!(listed(&mut state), [2]);
    ctrl(&mut state, 'u');
    type_in(&mut state, "LEXER");
    assert!(listed(&mut state).is_empty());
    ctrl(&mut state, 'u');
    type_in(&mut state, "cafe");
    assert_eq!(listed(&mut state), [4]);
    ctrl(&mut state, 'u');
    type_in(&mut state, "登录");
    assert_eq!(listed(&mut state), [3]);
}

#[test]
fn tags_projects_tools_and_ids_are_searched() {
    for (query, found) in [("parser", vec![2]), ("segue", vec![2]), ("00000003", vec![3])] {
        let mut state = filled();
        type_in(&mut state, query);
        assert_eq!(listed(&mut state), found, "{query}");
    }
    let mut state = filled();
    type_in(&mut state, "codex");
    assert_eq!(listed(&mut state).len(), 4);
}

#[test]
fn what_fits_is_marked() {
    let mut state = filled();
    type_in(&mut state, "auth");
    state.sort();
    assert_eq!(state.marks(0), [9, 10, 11, 12]);
    assert!(filled().marks(0).is_empty());
}

#[test]
fn enter_and_the_keys_of_deeds_choose_what_is_selected() {
    let mut state = filled();
    press(&mut state, KeyCode::Down);
    let second = state.chosen().unwrap().id.clone();
    assert!(second.short().ends_with('2'));
    assert_eq!(press(&mut state, KeyCode::Enter), Effect::Choose(second.clone(), Deed::Id));
    assert_eq!(ctrl(&mut state, 's'), Effect::Choose(second.clone(), Deed::Show));
    assert_eq!(ctrl(&mut state, 'r'), Effect::Choose(second.clone(), Deed::Resume));
    assert_eq!(ctrl(&mut state, 'e'), Effect::Choose(second.clone(), Deed::Export));
    assert_eq!(ctrl(&mut state, 'y'), Effect::Copy(second));
    assert_eq!(press(&mut state, KeyCode::Esc), Effect::Leave);
    assert_eq!(ctrl(&mut state, 'c'), Effect::Interrupt);
}

#[test]
fn nothing_is_chosen_where_nothing_fits() {
    let mut state = filled();
    type_in(&mut state, "zzzz");
    for code in [KeyCode::Enter, KeyCode::Down, KeyCode::End, KeyCode::PageUp] {
        assert_eq!(press(&mut state, code), Effect::None);
    }
    assert_eq!(ctrl(&mut state, 's'), Effect::None);
    assert_eq!(ctrl(&mut state, 'y'), Effect::None);
}

#[test]
fn the_selection_stays_inside_the_list() {
    let mut state = filled();
    press(&mut state, KeyCode::Up);
    assert_eq!(state.selected(), 0);
    press(&mut state, KeyCode::End);
    assert_eq!(state.selected(), 3);
    press(&mut state, KeyCode::PageDown);
    ctrl(&mut state, 'j');
    assert_eq!(state.selected(), 3);
    ctrl(&mut state, 'p');
    assert_eq!(state.selected(), 2);
    press(&mut state, KeyCode::Home);
    assert_eq!(state.selected(), 0);
    press(&mut state, KeyCode::Down);
    type_in(&mut state, "a");
    assert_eq!(state.selected(), 0, "a new query begins at the top");
}

#[test]
fn a_selection_stays_on_its_handoff_while_more_are_loaded() {
    let mut state = filled();
    type_in(&mut state, "auth");
    press(&mut state, KeyCode::Down);
    let chosen = state.chosen().unwrap().id.clone();
    state.add(vec![item(5, "auth", &["auth"], "web"), item(6, "auth auth", &[], "web")]);
    state.step(100);
    state.sort();
    assert_eq!(state.chosen().unwrap().id, chosen);
    assert_eq!(state.counts(), (4, 6));
}

#[test]
fn steps_give_what_one_pass_gives() {
    let titles = ["auth flow", "lexer", "half the auth", "a u t h", "nothing"];
    let items = || (0..500).map(|n| item(n, titles[n % 5], &[], "p")).collect::<Vec<_>>();
    let mut whole = State::new(true);
    whole.add(items());
    type_in(&mut whole, "au");
    whole.step(usize::MAX / 2);
    let mut slow = State::new(true);
    slow.add(items());
    slow.key(KeyEvent::new(KeyCode::Char('a'), KeyModifiers::NONE));
    // The second letter comes while the first is still looked for.
    slow.step(7);
    slow.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::NONE));
    while slow.step(7) {}
    assert_eq!(listed(&mut slow), listed(&mut whole));
}

#[test]
fn a_menu_filters_by_tag() {
    let mut state = filled();
    press(&mut state, KeyCode::Tab);
    let Over::Menu(menu) = &state.over else { panic!("no menu") };
    let labels: Vec<&str> = menu.shown().iter().map(|choice| choice.label.as_str()).collect();
    assert_eq!(labels, ["any tag", "api", "auth", "parser"]);
    press(&mut state, KeyCode::Tab);
    press(&mut state, KeyCode::Enter);
    assert_eq!(state.tag.as_deref(), Some("api"));
    assert_eq!(listed(&mut state), [1, 4]);
    type_in(&mut state, "auth");
    assert_eq!(listed(&mut state), [1]);
    ctrl(&mut state, 't');
    press(&mut state, KeyCode::Up);
    press(&mut state, KeyCode::Enter);
    assert_eq!((listed(&mut state), state.tag), (vec![1, 3], None));
}

#[test]
fn a_menu_is_searched_by_typing_and_left_without_a_change() {
    let mut state = filled();
    press(&mut state, KeyCode::Tab);
    type_in(&mut state, "pars");
    press(&mut state, KeyCode::Enter);
    assert_eq!(state.tag.as_deref(), Some("parser"));
    press(&mut state, KeyCode::Tab);
    type_in(&mut state, "zzz");
    assert_eq!(press(&mut state, KeyCode::Enter), Effect::None);
    assert_eq!(press(&mut state, KeyCode::Esc), Effect::None);
    assert!(matches!(state.over, Over::Nothing));
    assert_eq!(state.tag.as_deref(), Some("parser"));
}

#[test]
fn the_menu_of_projects_offers_every_project_first() {
    let mut state = filled();
    ctrl(&mut state, 'g');
    assert_eq!(press(&mut state, KeyCode::Enter), Effect::Widen);
    state.widen();
    assert_eq!(state.counts(), (0, 0));
    state.add(vec![item(7, "Other", &[], "other"), item(8, "Web", &[], "web")]);
    state.step(10);
    ctrl(&mut state, 'g');
    type_in(&mut state, "oth");
    assert_eq!(press(&mut state, KeyCode::Enter), Effect::None);
    assert_eq!((listed(&mut state), state.project.as_deref()), (vec![7], Some("other")));
}

#[test]
fn a_question_mark_shows_the_keys_only_before_a_query() {
    let mut state = filled();
    press(&mut state, KeyCode::Char('?'));
    assert!(matches!(state.over, Over::Keys));
    assert_eq!(press(&mut state, KeyCode::Enter), Effect::None, "any key closes it");
    assert!(matches!(state.over, Over::Nothing));
    type_in(&mut state, "a?");
    assert_eq!(state.query.text(), "a?");
    press(&mut state, KeyCode::F(1));
    assert!(matches!(state.over, Over::Keys));
}

#[test]
fn the_preview_scrolls_within_its_text() {
    let mut state = filled();
    (state.preview_rows, state.scroll_most) = (10, 14);
    let mut shift = |code| {
        state.key(KeyEvent::new(code, KeyModifiers::SHIFT));
        state.scroll
    };
    assert_eq!(shift(KeyCode::Down), 3);
    assert_eq!(shift(KeyCode::PageDown), 12);
    assert_eq!(shift(KeyCode::PageDown), 14);
    assert_eq!(shift(KeyCode::Up), 11);
    press(&mut state, KeyCode::Down);
    assert_eq!(state.scroll, 0, "another handoff is read from its beginning");
}

#[test]
fn a_pasted_text_is_a_query_and_chooses_nothing() {
    let mut state = filled();
    state.paste("auth\nmiddle\u{1b}[31m\n");
    assert_eq!(state.query.text(), "auth middle [31m ");
    assert!(!state.query.text().contains('\u{1b}'));
}

/// `cargo test --release -p segue --bin segue -- --ignored --nocapture keys_on_a_large_list`
#[test]
#[ignore = "a measurement, for a person to read"]
fn keys_on_a_large_list() {
    let words = ["auth", "token", "lexer", "refresh", "webhook", "index", "retry", "cache"];
    let mut state = State::new(true);
    let items = (0..100_000).map(|n| {
        let word = |by: usize| words[(n / by + n) % words.len()];
        let title = format!("Work on the {} of the {} in {}", word(1), word(7), word(31));
        item(n, &title, &[word(3), word(11)], ["web", "segue", "infra"][n % 3])
    });
    state.add(items.collect());
    state.step(100_000);
    for c in "auth tokn".chars().map(KeyCode::Char).chain([KeyCode::Backspace]) {
        let begun = std::time::Instant::now();
        state.key(KeyEvent::new(c, KeyModifiers::NONE));
        let (mut steps, mut longest) = (0, std::time::Duration::ZERO);
        loop {
            let step = std::time::Instant::now();
            let more = state.step(2_000);
            longest = longest.max(step.elapsed());
            steps += 1;
            if !more {
                break;
            }
        }
        let matched = begun.elapsed();
        state.sort();
        let whole = begun.elapsed();
        eprintln!(
            "{c:?}: {} fit; {steps} steps, longest {longest:?}; matched {matched:?}, sorted {whole:?}",
            state.counts().0
        );
    }
}
