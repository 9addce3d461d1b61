//! The picture, on terminals of every size.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::Terminal;

use super::preview::Preview;
use super::state::State;
use super::state_tests::item;
use super::view::View;

fn filled() -> State {
    let mut state = State::new(true);
    let long = "x修".repeat(120);
    let titles = ["Refactor auth", "修复登录中间件的错误", "👩‍🚀👨‍👩‍👧‍👦 family", &long, "e\u{301}\u{301}"];
    let items = (0..60).map(|n| {
        let tags: &[&str] = if n % 2 == 0 { &["api", "登录"] } else { &[] };
        item(n, titles[n % 5], tags, ["web", "another-project-with-a-name", "修"][n % 3])
    });
    state.add(items.collect());
    state.step(100);
    state.loading = false;
    state
}

fn picture(state: &mut State, size: (u16, u16), colour: bool) -> String {
    let view = View { now: "2026-11-15T18:00:00Z".parse().unwrap(), colour };
    let body = format!("## State\n- one {}\n```\ncode\n", "two and three ".repeat(40));
    let id = "20261115-174500-0000000a".parse().unwrap();
    let mut preview = Preview::of(id, "Refactor auth", &body);
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal.draw(|frame| view.draw(frame, state, Some(&mut preview))).unwrap();
    if size.0 == 0 { String::new() } else { terminal.backend().to_string() }
}

#[test]
fn every_size_is_drawn() {
    let key = |state: &mut State, code, with| drop(state.key(KeyEvent::new(code, with)));
    let menu = |state: &mut State| key(state, KeyCode::Tab, KeyModifiers::NONE);
    let keys = |state: &mut State| key(state, KeyCode::F(1), KeyModifiers::NONE);
    let typed = |state: &mut State| {
        state.paste(&"au登 ".repeat(30));
        key(state, KeyCode::Left, KeyModifiers::NONE);
    };
    let projects = |state: &mut State| key(state, KeyCode::Char('g'), KeyModifiers::CONTROL);
    let end = |state: &mut State| key(state, KeyCode::End, KeyModifiers::NONE);
    let ways: [&dyn Fn(&mut State); 6] = [&|_| {}, &menu, &keys, &typed, &projects, &end];
    for way in ways {
        let mut state = filled();
        way(&mut state);
        state.step(100);
        for width in (0..30).chain([39, 40, 59, 79, 80, 81, 120, 300]) {
            for height in (0..20).chain([24, 50]) {
                picture(&mut state, (width, height), width % 2 == 0);
            }
        }
    }
}

#[test]
fn the_picture_has_its_parts() {
    let mut state = State::new(true);
    state.add(vec![
        item(1, "Refactor auth middleware", &["api"], "web"),
        item(2, "Authors of the release notes and what they wrote", &["docs"], "segue"),
        item(3, "Lexer", &["auth"], "segue"),
    ]);
    state.paste("auth");
    state.step(100);
    state.loading = false;
    insta::assert_snapshot!(picture(&mut state, (80, 9), true), @r#"
    " › auth                                                                     3/3 "
    "──────────────────────────────────────┬──────────────────────────────────── 0% ─"
    "▌ 15m  Refactor auth middlewa…  web   │ Refactor auth                           "
    "  15m  Authors of the release…  segue │                                         "
    "  15m  Lexer  auth              segue │ id        20261115-174500-0000000a      "
    "                                      │ tags      a, b                          "
    "                                      │ ─────────────────────────────────────── "
    "                                      │ ## State                                "
    " enter id  ^s show  ^r resume  ^e export  ^y copy  tab tag  ^g project  ? keys  "
    "#);
    insta::assert_snapshot!(picture(&mut State::new(true), (40, 5), true), @r#"
    " › type to search                  0/0… "
    "  reading the store …                   "
    "                                        "
    "                                        "
    " enter id  ^s show  ^r resume  ? keys   "
    "#);
}
