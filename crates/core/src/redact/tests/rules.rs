//! The user's own rules and list of what stays.

use super::super::{RedactError, RedactRules, Redactor, UserRule};

fn with(rules: &[(&str, &str)], allow: &[&str]) -> Result<Redactor, RedactError> {
    Redactor::new(&RedactRules {
        rules: rules
            .iter()
            .map(|(name, regex)| UserRule { name: (*name).to_owned(), regex: (*regex).to_owned() })
            .collect(),
        allow: allow.iter().map(|value| (*value).to_owned()).collect(),
    })
}

#[test]
fn an_own_rule_takes_out_its_group_or_all_it_matches() {
    let own = with(&[("badge", r"badge-(\d{6})"), ("seat", r"seat\d+")], &[]).unwrap();
    let text = "badge-123456 at seat12, badge-654321";
    let wanted = "badge-[redacted: badge] at [redacted: seat], badge-[redacted: badge 2]";
    assert_eq!(own.redact(text).text, wanted);
    assert_eq!(own.redact(wanted).text, wanted);
}

#[test]
fn an_own_rule_that_matches_everything_leaves_marks_alone() {
    let own = with(&[("all", r"\w+|.+")], &[]).unwrap();
    let once = own.redact("a [redacted: password] b").text.into_owned();
    assert!(once.contains("[redacted: password]"), "{once}");
    assert_eq!(own.redact(&once).text, once);
}

#[test]
fn what_is_allowed_stays_by_value_or_pattern() {
    let own = with(&[], &["hunter2", "/dev-[a-z0-9]+/"]).unwrap();
    for text in ["password=hunter2", "password=dev-abc1"] {
        assert_eq!(own.redact(text).text, text);
    }
    assert_eq!(own.redact("password=hunter23").text, "password=[redacted: password]");
}

#[test]
fn a_rule_that_cannot_be_used_says_which() {
    let error = with(&[("badge", "(")], &[]).unwrap_err();
    assert!(error.to_string().starts_with("the rule 'badge'"), "{error}");
    let error = with(&[], &["/(/"]).unwrap_err();
    assert!(error.to_string().starts_with("'/(/' in the list"), "{error}");
    for name in ["", "a]", " a", "a 2", "a\nb"] {
        assert!(matches!(with(&[(name, "a")], &[]), Err(RedactError::Name(_))), "{name:?}");
    }
}
