//! Times as peers and people write them.

use segue_core::Timestamp;

/// Reads `2026-11-15 18:36:52.072724679 +0000 UTC` and its shorter forms: `T` or a space, seconds,
/// fraction and zone or none of them. What is finer than a microsecond is dropped; a time without a
/// zone is UTC.
pub(super) fn written_time(text: &str) -> Option<Timestamp> {
    let (date, rest) = text.trim().split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let end = rest.find(|c: char| !(c.is_ascii_digit() || ":.".contains(c))).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(end);
    let moment = format!("{}T{}{}", date_of(date)?, clock_of(clock)?, offset_of(zone)?);
    moment.parse().ok()
}

/// Reads a day, whatever stands behind it: the moment at which it begins.
pub(super) fn written_day(text: &str) -> Option<Timestamp> {
    let (date, rest) = text.trim().split_at_checked(10)?;
    if rest.starts_with(|c: char| c.is_alphanumeric() || c == '-') {
        return None;
    }
    format!("{}T00:00:00Z", date_of(date)?).parse().ok()
}

/// A date of this very shape, if `text` has it.
fn date_of(text: &str) -> Option<&str> {
    has_shape(text, "0000-00-00").then_some(text)
}

/// The time of day with seconds, and with no more than microseconds.
fn clock_of(text: &str) -> Option<String> {
    let (clock, fraction) = match text.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (text, None),
    };
    match fraction {
        None if has_shape(clock, "00:00") => Some(format!("{clock}:00")),
        None if has_shape(clock, "00:00:00") => Some(clock.to_owned()),
        Some(digits) if has_shape(clock, "00:00:00") => {
            let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            number.then(|| format!("{clock}.{}", digits.get(..6).unwrap_or(digits)))
        }
        _ => None,
    }
}

/// The offset that a zone says: a number, perhaps with the zone's name behind it, or UTC.
fn offset_of(zone: &str) -> Option<String> {
    let mut words = zone.split_whitespace();
    let Some(first) = words.next() else { return Some("Z".to_owned()) };
    if matches!(first, "Z" | "z" | "UTC" | "GMT") {
        return words.next().is_none().then(|| "Z".to_owned());
    }
    let (sign, digits) = first.split_at_checked(1)?;
    if !matches!(sign, "+" | "-") {
        return None;
    }
    let (hours, minutes) = match digits {
        _ if has_shape(digits, "00") => (digits, "00"),
        _ if has_shape(digits, "0000") => digits.split_at(2),
        _ if has_shape(digits, "00:00") => digits.split_once(':')?,
        _ => return None,
    };
    // The name of the zone, and the reading of a clock that only counts.
    let said = |word: &str| word.len() <= 6 || word.starts_with("m=");
    let named = words.clone().all(said) && words.count() <= 2;
    named.then(|| format!("{sign}{hours}:{minutes}"))
}

/// Whether a text has a digit wherever the shape has one, and the same elsewhere.
fn has_shape(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, like)| match like {
            b'0' => byte.is_ascii_digit(),
            _ => byte == like,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        written_time(text).map(Timestamp::short)
    }

    #[test]
    fn every_form_that_the_peer_reads_is_read() {
        for (text, wanted) in [
            ("2026-11-15 18:36:52.072724679 +0000 UTC", "2026-11-15T18:36:52.072724Z"),
            ("2026-11-15 18:36:52.15435381 +0000 UTC", "2026-11-15T18:36:52.154353Z"),
            ("2026-11-15 18:36:52 +0000 UTC", "2026-11-15T18:36:52Z"),
            ("2026-11-15 19:36:52.5 +0100 CET m=+0.001", "2026-11-15T18:36:52.500000Z"),
            ("2026-11-15 19:36:52 +0100 +0100", "2026-11-15T18:36:52Z"),
            ("2026-11-15T18:36:52Z", "2026-11-15T18:36:52Z"),
            ("2026-11-15T18:36", "2026-11-15T18:36:00Z"),
            ("2026-11-15 18:36Z", "2026-11-15T18:36:00Z"),
            ("2026-11-15 18:36:52", "2026-11-15T18:36:52Z"),
            ("2026-11-15 13:06:52.25-05:30", "2026-11-15T18:36:52.250000Z"),
            (" 2026-11-15 18:36:52 UTC\n", "2026-11-15T18:36:52Z"),
        ] {
            assert_eq!(read(text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "soon",
            "2026-11-15",
            "2026-02-30 00:00:00 +0000 UTC",
            "0001-01-01 00:00:00 +0000 UTC",
            "2026-11-15 18:36:52 CET",
            "2026-11-15 18:36:52. +0000 UTC",
            "2026-11-15 18:36.5",
            "2026-11-15 1:36:52",
            "2026-11-15 18:36:52 +0000 and so on for ever",
            "1794766169",
            "2026-11-1é 18:36:52",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_is_the_moment_at_which_it_begins() {
        let day = |text| written_day(text).map(Timestamp::short);
        assert_eq!(day("2026-11-15").as_deref(), Some("2026-11-15T00:00:00Z"));
        assert_eq!(day("2026-11-15, in the evening").as_deref(), Some("2026-11-15T00:00:00Z"));
        assert_eq!(day("2026-11-150"), None);
        assert_eq!(day("2026-13-15"), None);
        assert_eq!(day("[when]"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text: String, tail in "[0-9:. +\\-TZ]{0,30}") {
            let _ = (written_time(&text), written_day(&text));
            let _ = written_time(&format!("2026-11-15{tail}"));
        }
    }
}
