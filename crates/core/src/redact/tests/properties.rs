//! What holds of any text.

use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};

use super::{GITHUB, KEY, redact};
use crate::redact::mark::marks;

/// Text in which names, values, signs and marks come often.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        proptest::sample::select(vec![
            "password",
            "token",
            "API_KEY",
            "secret",
            "Authorization",
            "Bearer ",
            "Cookie",
            "=",
            ": ",
            " is ",
            "\"",
            "'",
            "\\",
            "\\n",
            "\n",
            " ",
            "`",
            "|",
            ",",
            ";",
            "&",
            "?",
            "(",
            ")",
            "[redacted: ",
            "]",
            "[redacted: password 2]",
            "://",
            "@",
            "hunter2",
            "q8Zk31xW9v7pM2m4Zz5q",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "kind: Secret",
            "\ndata:\n  a: ",
            "curl -u ",
            "mysql -p",
            " as the ",
            "--",
            "value",
            "$2y$10$",
            "eyJ",
            ".",
            "~",
            "machine ",
            "login ",
            ":5432:",
            "é",
            "…",
            "...",
            "| password | key |\n|---|---|\n| ",
            "user,password\n",
            "USER  TOKEN\n",
            "\t",
            "echo ",
            " | sudo -S ls",
            "chpasswd <<< ",
            "send \"",
            "\\r\"",
            "密码：",
            "パスワードは",
            "la clave es ",
            "mot de passe : ",
            "login with a:",
            "my pin is ",
            "the key is ",
            "net use \\\\a\\b ",
            "mc alias set a b ",
            " -u a:",
            "--user=a:",
            "https://onetimesecret.com/secret/",
            "https://a.b/reset/",
            "random_password result = ",
            "\" -> \"",
            "{ \"value\": ",
            "</td> <td>",
            "</dt><dd>",
            "</b>",
            " <<EOF\n",
            "\nEOF\n",
            "cat <<EOF | docker login --password-stdin\n",
            "!!str ",
            "&pw ",
            "\u{1b}[32m",
            "\\u001b[0m",
            "login(\"a\", \"",
            "set_password(\"a\", \"",
            "changePassword(\"",
            "AKIAQ3XZ7M5LK2NPRT6B ",
            "legal winner thank year wave sausage worth useful legal winner thank yellow",
        ])
        .prop_map(str::to_owned),
        Just(GITHUB.to_owned()),
        Just(KEY.to_owned()),
        "[a-zA-Z0-9+/_=-]{1,40}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn redacting_twice_changes_nothing_more(text in text()) {
        let once = redact(&text).text.into_owned();
        assert_eq!(redact(&once).text, once, "from {text:?}");
    }

    #[test]
    fn only_what_was_found_changes(text in text()) {
        let redacted = redact(&text);
        let mut rest: &str = &redacted.text;
        let mut at = 0;
        for found in &redacted.found {
            let between = &text[at..found.range.start];
            rest = rest.strip_prefix(between).expect("the same");
            let (mark, after) = rest.split_at(rest.find(']').expect("a mark") + 1);
            assert!(mark.starts_with(&format!("[redacted: {}", found.kind)), "{mark}");
            assert_eq!(found.line, text[..found.range.start].matches('\n').count() + 1);
            rest = after;
            at = found.range.end;
        }
        assert_eq!(rest, &text[at..]);
    }

    #[test]
    fn marks_stay(text in text()) {
        let before: Vec<&str> = marks(&text).map(|range| &text[range]).collect();
        let redacted = redact(&text).text;
        let mut after = marks(&redacted).map(|range| &redacted[range]);
        for mark in before {
            assert!(after.any(|other| other == mark), "{mark} in {text:?}");
        }
    }

    #[test]
    fn any_text_at_all_is_survived(text in any::<String>()) {
        redact(&text);
    }
}
