//! Spans of time as people type them: times to live (`14d`, `1d12h`, `never`) and `--since`.

use std::str::FromStr;
use std::time::Duration;

use crate::Timestamp;

/// How long a handoff is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ttl {
    Never,
    Seconds(u64),
}

/// Why a text is not a span.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpanError {
    #[error("'{0}' is not a time to live")]
    Ttl(String),
    #[error("'{0}' is not a span or date")]
    Since(String),
    #[error("'{0}' must be more than zero")]
    Zero(String),
    #[error("'{0}' reaches past the year 9999")]
    TooLong(String),
}

const TTL_UNITS: [(&str, u64); 4] = [("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60)];

impl Ttl {
    /// When a handoff created then stops being offered, in whole seconds; `Err` past the end of the calendar.
    pub fn expires(self, created: Timestamp) -> Result<Option<Timestamp>, SpanError> {
        match self {
            Self::Never => Ok(None),
            Self::Seconds(seconds) => created
                .whole_second()
                .checked_add_seconds(seconds)
                .map(Some)
                .ok_or_else(|| SpanError::TooLong(format!("{seconds} seconds"))),
        }
    }
}

impl FromStr for Ttl {
    type Err = SpanError;

    /// `never`, or whole numbers with `w`, `d`, `h`, `m`, the larger unit first, each once.
    fn from_str(text: &str) -> Result<Self, SpanError> {
        if text == "never" {
            return Ok(Self::Never);
        }
        let refused = || SpanError::Ttl(text.to_owned());
        let too_long = || SpanError::TooLong(text.to_owned());
        let mut rest = text;
        let mut units = TTL_UNITS.iter();
        let mut total: u64 = 0;
        if rest.is_empty() {
            return Err(refused());
        }
        while !rest.is_empty() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (number, after) = rest.split_at(digits);
            if number.is_empty() {
                return Err(refused());
            }
            let unit = after.chars().next().ok_or_else(refused)?;
            let (_, seconds) =
                units.by_ref().find(|(name, _)| name.starts_with(unit)).ok_or_else(refused)?;
            let number: u64 = number.parse().map_err(|_| too_long())?;
            total = number
                .checked_mul(*seconds)
                .and_then(|part| total.checked_add(part))
                .ok_or_else(too_long)?;
            rest = &after[unit.len_utf8()..];
        }
        if total == 0 {
            return Err(SpanError::Zero(text.to_owned()));
        }
        // The calendar of four-digit years is 8,000 years long; more can never be added to a date.
        if Timestamp::from_micros(0).and_then(|t| t.checked_add_seconds(total)).is_none() {
            return Err(too_long());
        }
        Ok(Self::Seconds(total))
    }
}

const SINCE_UNITS: [(&str, f64); 9] = [
    ("ns", 1e-3),
    ("us", 1.0),
    ("µs", 1.0),
    ("ms", 1e3),
    ("s", 1e6),
    ("m", 60e6),
    ("h", 3_600e6),
    ("d", 86_400e6),
    ("w", 604_800e6),
];

/// The moment that `--since` means: a span back from now (`90m`, `7d`, `1h30m`, `1.5h`), a day
/// (`2026-11-01`, UTC) or a moment (RFC 3339).
pub fn parse_since(text: &str, now: Timestamp) -> Result<Timestamp, SpanError> {
    let text = text.trim();
    if let Ok(at) = text.parse() {
        return Ok(at);
    }
    if let Ok(at) = format!("{text}T00:00:00Z").parse() {
        return Ok(at);
    }
    Ok(now.saturating_sub_micros(parse_span(text)?.as_micros() as i64))
}

/// The moment that `--until` and `--as-of` mean: as `parse_since`, but a day is all of it.
pub fn parse_until(text: &str, now: Timestamp) -> Result<Timestamp, SpanError> {
    let whole_day = format!("{}T23:59:59.999999Z", text.trim());
    whole_day.parse().or_else(|_| parse_since(text, now))
}

/// A span: `90m`, `7d`, `1h30m`, `1.5h`, `500ms`.
pub fn parse_span(text: &str) -> Result<Duration, SpanError> {
    let refused = || SpanError::Since(text.to_owned());
    let mut rest = text;
    let mut micros = 0.0_f64;
    if rest.is_empty() {
        return Err(refused());
    }
    while !rest.is_empty() {
        let number = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let (number, after) = rest.split_at(number);
        let number: f64 = number.parse().map_err(|_| refused())?;
        let unit = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        let (_, factor) = SINCE_UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(refused)?;
        micros += number * factor;
        rest = after;
    }
    if micros <= 0.0 {
        return Err(SpanError::Zero(text.to_owned()));
    }
    // A float that is too large becomes the largest number, which no calendar reaches.
    Ok(Duration::from_micros((micros as u64).min(i64::MAX.unsigned_abs())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> u64 {
        match text.parse::<Ttl>() {
            Ok(Ttl::Seconds(seconds)) => seconds,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn ttls_are_exact_or_refused_c4() {
        assert_eq!(seconds("90m"), 5_400);
        assert_eq!(seconds("6h"), 21_600);
        assert_eq!(seconds("14d"), 1_209_600);
        assert_eq!(seconds("2w"), 1_209_600);
        assert_eq!(seconds("1d2h"), 93_600);
        assert_eq!(seconds("1d12h"), 129_600);
        assert_eq!("never".parse(), Ok(Ttl::Never));
        for text in [
            "", "d", "7", "1.5d", "7dd", "5h3d", "12abcd", " 7d", "7 d", "0x10d", "-1d", "+1d",
            "1d1d", "7D", "Never", "٣d", "1y", "7d ",
        ] {
            assert!(matches!(text.parse::<Ttl>(), Err(SpanError::Ttl(_))), "{text}");
        }
        assert!(matches!("0d".parse::<Ttl>(), Err(SpanError::Zero(_))));
    }

    #[test]
    fn overflowing_ttls_are_refused_c1() {
        for text in ["99999999999999999999d", "18446744073709551615w", "9000000000000d"] {
            assert!(matches!(text.parse::<Ttl>(), Err(SpanError::TooLong(_))), "{text}");
        }
        let now: Timestamp = "2026-11-15T17:45:00Z".parse().unwrap();
        let long: Ttl = "107000d".parse().unwrap();
        assert!(long.expires(now).unwrap().unwrap() > now);
        let longer: Ttl = "2920000d".parse().unwrap();
        assert!(longer.expires(now).is_err());
    }

    #[test]
    fn since_takes_spans_days_and_moments() {
        let now: Timestamp = "2026-11-15T17:45:00Z".parse().unwrap();
        let since = |text: &str| parse_since(text, now).unwrap().short();
        assert_eq!(since("7d"), "2026-11-08T17:45:00Z");
        assert_eq!(since("1h30m"), "2026-11-15T16:15:00Z");
        assert_eq!(since("1.5h"), "2026-11-15T16:15:00Z");
        assert_eq!(since("90s"), "2026-11-15T17:43:30Z");
        assert_eq!(since("2026-11-01"), "2026-11-01T00:00:00Z");
        assert_eq!(since("2026-11-01T10:00:00+02:00"), "2026-11-01T08:00:00Z");
        for text in ["", "soon", "7", "7x", "h", "1..5h", "-1h"] {
            assert!(parse_since(text, now).is_err(), "{text}");
        }
        assert!(matches!(parse_since("0h", now), Err(SpanError::Zero(_))));
    }
}
