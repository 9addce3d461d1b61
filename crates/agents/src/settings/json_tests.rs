//! Our entries in JSON: in and out without a trace, whatever stands around them.

use proptest::prelude::{Just, Strategy, prop, prop_oneof, proptest};
use serde_json::{Value, json};

use super::json::{Entry, Nesting, put, take};
use super::tree::parse;

fn hooks(nesting: Nesting) -> Entry {
    let handler = |event: &str| json!({"type": "command", "command": format!("/bin/segue hook x {event}"), "timeout": 10});
    let handlers = vec![("SessionStart", handler("session-start")), ("Stop", handler("stop"))];
    Entry::Hooks { nesting, handlers }
}

fn server() -> Entry {
    Entry::Server { under: "mcpServers", value: json!({"command": "/bin/segue", "args": ["mcp"]}) }
}

fn value(text: &str) -> Value {
    parse(text).unwrap().map_or(Value::Null, |node| node.value(text))
}

/// Puts all in, one after the other, and takes all out in another order.
fn there_and_back(text: &str) {
    for nesting in [Nesting::Groups, Nesting::Flat] {
        let entries = [Entry::Needed { key: "version", value: json!(1) }, hooks(nesting), server()];
        let mut now = text.to_owned();
        for entry in &entries {
            let once = put(&now, entry).unwrap();
            assert_eq!(put(&once, entry).unwrap(), once, "twice is once: {text:?}");
            now = once;
        }
        let all = value(&now);
        assert_eq!(all["mcpServers"]["segue"]["args"], json!(["mcp"]), "{now}");
        let list = all["hooks"]["Stop"].as_array().unwrap().last().unwrap().clone();
        let handler = if nesting == Nesting::Groups { list["hooks"][0].clone() } else { list };
        assert_eq!(handler["command"], json!("/bin/segue hook x stop"), "{now}");
        // Hooks go before what their file needs.
        for order in [[1, 0, 2], [2, 1, 0], [1, 2, 0]] {
            let mut back = now.clone();
            for at in order {
                back = take(&back, &entries[at], Some(text)).unwrap();
            }
            assert_eq!(back, text, "from {now}");
        }
    }
}

#[test]
fn entries_go_in_and_out_without_a_trace() {
    for text in [
        "{}",
        "{}\n",
        "{\n}\n",
        "{  }",
        "{ // nothing\n}",
        "{ /* nothing */ }\n",
        "{\"a\":1}",
        "{\"a\": 1, \"b\": 2}",
        "{\n  \"a\": 1\n}\n",
        "{\n  \"a\": 1,\n}\n",
        "{\r\n\t\"a\": 1 // c\r\n}\r\n",
        "{\n  \"a\": 1, // c\n  // d\n}",
        "{\n    \"a\": 1 /* x */\n    /* y */\n}",
        "{\"hooks\":{}}",
        "{\n  \"hooks\": {},\n  \"mcpServers\": {\n  }\n}\n",
        "{\n  \"hooks\": {\"Stop\": []}\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}\n    ]\n  }\n}\n",
        "{\n  \"hooks\": { \"Stop\": [ { \"command\": \"y\" }, ], },\n}",
        "{\"hooks\":{\"Stop\":[{\"matcher\":\"\",\"hooks\":[{\"command\":\"segue-like hook\"}]}]}}",
        "{\"version\": 1, \"mcpServers\": {\"other\": {\"command\": \"z\"}}}",
        "\u{feff}{\n\t\"ho\\u006fks\": {}\n}",
        "{\"hooks\": {}, \"hooks\": {\"Stop\": []}}",
        "",
        "\n  \n",
        "\u{feff}",
        "// only a word\n",
        "/* x */ {\"a\": 1} // y",
        "{\n  \"a\": {\"b\": [\n    1, 2\n  ]}}\n",
        "{\"a\": 1 // c\n}",
        "{\"a\": [], \"hooks\": {\"Stop\" : [ /* none yet */ ]}}",
    ] {
        there_and_back(text);
    }
}

#[test]
fn what_others_did_since_stays() {
    let text = "{\n  \"model\": \"x\"\n}\n";
    let entry = hooks(Nesting::Groups);
    let ours = put(text, &entry).unwrap();
    // Another hook in our group, a key, a reordering and a comment.
    let theirs = ours
        .replacen(
            "\"hooks\": [\n          {",
            "\"hooks\": [\n          {\"type\": \"command\", \"command\": \"mine\"}, // mine\n          {",
            1,
        )
        .replacen("\"model\": \"x\"", "\"first\": 0,\n  \"model\": \"y\"", 1);
    assert_ne!(ours, theirs);
    let taken = take(&theirs, &entry, Some(text)).unwrap();
    let left = value(&taken);
    assert_eq!(
        left,
        json!({"first": 0, "model": "y", "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]}})
    );
    assert!(taken.contains("// mine") && !taken.contains("segue"), "{taken}");
    // Nothing is known of what was before.
    assert_eq!(take(&ours, &entry, None).unwrap(), text);
}

#[test]
fn a_program_that_moved_is_put_in_its_place() {
    let old = put("{}", &hooks(Nesting::Groups)).unwrap().replace("/bin/segue", "/old/segue");
    let old = old.replacen("10", "30", 1);
    let new = put(&old, &hooks(Nesting::Groups)).unwrap();
    assert!(new.contains("/bin/segue hook x stop") && !new.contains("/old/"), "{new}");
    assert_eq!(new.matches("segue hook").count(), 2);
    let gone = put(&old.replace("Stop", "Gone"), &hooks(Nesting::Groups)).unwrap();
    assert!(!gone.contains("Gone"), "{gone}");
}

#[test]
fn a_timeout_that_somebody_chose_stays() {
    let chosen = put("{}", &hooks(Nesting::Flat)).unwrap().replace("10", "30");
    assert_eq!(put(&chosen, &hooks(Nesting::Flat)).unwrap(), chosen);
}

#[test]
fn what_has_another_shape_is_left_alone() {
    for (text, place) in [
        ("null", (1, 1)),
        ("[]\n", (1, 1)),
        ("{\n  \"hooks\": []\n}", (2, 12)),
        ("{\"hooks\": {\"Stop\": {}}}", (1, 20)),
        ("{\"hooks\": \"x\"}", (1, 11)),
    ] {
        assert_eq!(put(text, &hooks(Nesting::Groups)).unwrap_err().at, Some(place), "{text}");
    }
    for text in ["{\"mcpServers\": 1}", "{\"mcpServers\": {\"segue\": {\"command\": \"other\"}}}"] {
        assert!(put(text, &server()).is_err(), "{text}");
        assert_eq!(take(text, &server(), None).unwrap(), text);
    }
}

fn space() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(""),
        4 => Just(" "),
        4 => Just("\n  "),
        1 => Just("\r\n\t"),
        1 => Just(" /* c, } */ "),
        1 => Just(" // d ]\n"),
    ]
    .prop_map(str::to_owned)
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\"hooks\""),
        Just("\"Stop\""),
        Just("\"mcpServers\""),
        Just("\"a\""),
        Just("\"é\\n\""),
        Just("\"version\""),
    ]
    .prop_map(str::to_owned)
}

fn list(
    item: impl Strategy<Value = String> + 'static,
    open: char,
    close: char,
) -> impl Strategy<Value = String> {
    let items = prop::collection::vec((space(), item, space()), 0..4);
    (items, space(), prop::bool::ANY).prop_map(move |(items, rest, comma)| {
        let all: Vec<String> =
            items.iter().map(|(before, item, after)| format!("{before}{item}{after}")).collect();
        let comma = if comma && !all.is_empty() { "," } else { "" };
        format!("{open}{}{comma}{rest}{close}", all.join(","))
    })
}

fn document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("1"), Just("\"x // y\""), Just("null"), Just("{}"), Just("[]")]
        .prop_map(str::to_owned);
    let any = leaf.prop_recursive(3, 20, 4, |inner| {
        let member = (key(), space(), space(), inner.clone());
        let member = member.prop_map(|(key, one, two, value)| format!("{key}{one}:{two}{value}"));
        prop_oneof![list(member, '{', '}'), list(inner, '[', ']')]
    });
    let member =
        (key(), space(), any).prop_map(|(key, space, value)| format!("{key}:{space}{value}"));
    (space(), list(member, '{', '}'), space())
        .prop_map(|(before, object, after)| format!("{before}{object}{after}"))
}

proptest! {
    #[test]
    fn whatever_it_looks_like_it_comes_back(text in document()) {
        for entry in [hooks(Nesting::Groups), hooks(Nesting::Flat), server()] {
            // What has another shape is refused; that is another test.
            if let Ok(now) = put(&text, &entry) {
                proptest::prop_assert_eq!(take(&now, &entry, Some(&text)).unwrap(), text.clone(), "{}", now);
                proptest::prop_assert_eq!(put(&now, &entry).unwrap(), now.clone());
                let before = value(&text);
                let after = value(&take(&now, &entry, None).unwrap());
                proptest::prop_assert!(before.is_object() && (after.is_object() || after.is_null()));
            }
        }
    }
}

#[test]
fn what_somebody_set_in_an_entry_of_ours_stays_when_the_program_moves() {
    let text = r#"{
  // mine
  "mcpServers": {"segue": {"env": {"A": "1"}, /* c */ "command": "segue", "args": ["mcp"]}},
  "hooks": {"Stop": [{"matcher": "x", "hooks": [
    {"timeout": 99, "type": "command", "command": "/old/segue hook x stop", "async": true}
  ]}]}
}"#;
    let moved = put(text, &server()).unwrap();
    assert_eq!(moved, text.replace(r#""command": "segue""#, r#""command": "/bin/segue""#));
    let moved = put(text, &hooks(Nesting::Groups)).unwrap();
    assert_eq!(value(&moved)["hooks"]["Stop"][0]["hooks"].as_array().unwrap().len(), 1, "{moved}");
    let line =
        r#"{"timeout": 99, "type": "command", "command": "/bin/segue hook x stop", "async": true}"#;
    assert!(moved.contains(line), "{moved}");
    // In another form of what is run, the rest stays too.
    let apart = json!({"type": "command", "command": "/a b/segue", "args": ["hook", "x", "stop"]});
    let entry = Entry::Hooks { nesting: Nesting::Groups, handlers: vec![("Stop", apart)] };
    let moved = value(&put(text, &entry).unwrap());
    let handler = &moved["hooks"]["Stop"][0]["hooks"][0];
    assert_eq!(handler["args"], json!(["hook", "x", "stop"]));
    assert_eq!((&handler["timeout"], &handler["async"]), (&json!(99), &json!(true)));
}

#[test]
fn a_handler_that_runs_another_program_does_not_run_beside_ours() {
    let old = r#"{"type":"command","command":"/other/segue hook x stop"}"#;
    let same = r#"{"type":"command","command":"/bin/segue hook x stop","timeout":3}"#;
    let text = format!(
        r#"{{"hooks":{{"Stop":[{{"hooks":[{old},{{"command":"theirs"}}]}},{{"matcher":"a","hooks":[{same}]}},{{"hooks":[{old}]}}]}}}}"#
    );
    let put_in = put(&text, &hooks(Nesting::Groups)).unwrap();
    let stop = &value(&put_in)["hooks"]["Stop"];
    assert_eq!(
        stop.to_string(),
        format!(r#"[{{"hooks":[{{"command":"theirs"}}]}},{{"matcher":"a","hooks":[{same}]}}]"#)
    );
}
