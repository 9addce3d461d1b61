//! Ages, for people.

use crate::Timestamp;

/// How long ago: `now`, `5m`, `3h`, `2d`, `3w`, `4mo`, `2y`. What is dated ahead by more than clocks differ is
/// `in 2d`.
pub fn age(then: Timestamp, now: Timestamp) -> String {
    let seconds = (now.micros() - then.micros()) / 1_000_000;
    if then.is_ahead_of(now) { format!("in {}", span(-seconds)) } else { span(seconds) }
}

fn span(seconds: i64) -> String {
    match seconds {
        ..60 => "now".to_owned(),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        86_400..1_209_600 => format!("{}d", seconds / 86_400),
        1_209_600..5_184_000 => format!("{}w", seconds / 604_800),
        5_184_000..63_072_000 => format!("{}mo", seconds / 2_592_000),
        _ => format!("{}y", seconds / 31_536_000),
    }
}

/// The same in a sentence: `just now`, `5m ago`, `dated 2d ahead`.
pub fn ago(then: Timestamp, now: Timestamp) -> String {
    match age(then, now).as_str() {
        "now" => "just now".to_owned(),
        _ if then.is_ahead_of(now) => {
            format!("dated {} ahead", span((then.micros() - now.micros()) / 1_000_000))
        }
        age => format!("{age} ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_grow() {
        let then: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let after = |seconds: u64| age(then, then.checked_add_seconds(seconds).unwrap());
        assert_eq!(after(0), "now");
        assert_eq!(after(90), "1m");
        assert_eq!(after(7_200), "2h");
        assert_eq!(after(13 * 86_400), "13d");
        assert_eq!(after(15 * 86_400), "2w");
        assert_eq!(after(100 * 86_400), "3mo");
        assert_eq!(after(800 * 86_400), "2y");
        assert_eq!(age(then.next(), then), "now");
        assert_eq!(ago(then, then), "just now");
        assert_eq!(ago(then, then.checked_add_seconds(90).unwrap()), "1m ago");
    }

    #[test]
    fn what_is_dated_ahead_is_not_of_just_now() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let ahead = |seconds: u64| now.checked_add_seconds(seconds).unwrap();
        assert_eq!((age(ahead(300), now), ago(ahead(300), now)), ("now".into(), "just now".into()));
        assert_eq!(age(ahead(301), now), "in 5m");
        assert_eq!(age(ahead(3 * 86_400), now), "in 3d");
        assert_eq!(ago(ahead(3 * 86_400), now), "dated 3d ahead");
    }
}
