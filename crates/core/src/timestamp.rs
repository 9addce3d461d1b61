//! A moment in UTC with microseconds, as handoffs write it.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use jiff::tz::TimeZone;

/// Microseconds since 1970-01-01T00:00:00Z, to the end of 9999 less the largest offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// 9999-12-30T21:59:59.999999Z: later moments have no four-digit year at some offset, and jiff,
/// which reads and writes the calendar, ends there.
const MAX_MICROS: i64 = 253_402_207_199_999_999;

/// Why a text is not a moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a time like 2026-11-15T17:45:00.123456Z")]
pub struct TimestampError(String);

/// Clocks differ by so much: 5 minutes.
const CLOCK_TOLERANCE_MICROS: i64 = 5 * 60 * 1_000_000;

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);

    /// The moment that many microseconds after 1970, if it has a four-digit year.
    pub fn from_micros(micros: i64) -> Option<Self> {
        (0..=MAX_MICROS).contains(&micros).then_some(Self(micros))
    }

    pub fn micros(self) -> i64 {
        self.0
    }

    /// This moment plus whole seconds, unless that leaves the calendar.
    pub fn checked_add_seconds(self, seconds: u64) -> Option<Self> {
        let seconds = i64::try_from(seconds).ok()?;
        Self::from_micros(self.0.checked_add(seconds.checked_mul(1_000_000)?)?)
    }

    /// This moment minus microseconds; 1970 if that would be earlier.
    pub fn saturating_sub_micros(self, micros: i64) -> Self {
        Self(self.0.saturating_sub(micros).max(0))
    }

    /// The next moment: one microsecond later.
    pub fn next(self) -> Self {
        Self((self.0 + 1).min(MAX_MICROS))
    }

    /// The latest moment that something of now can be dated, as far as clocks differ. What is dated later
    /// is not believed.
    pub fn latest_credible(self) -> Self {
        Self((self.0 + CLOCK_TOLERANCE_MICROS).min(MAX_MICROS))
    }

    /// Whether this moment is further ahead of now than clocks differ.
    pub fn is_ahead_of(self, now: Self) -> bool {
        self > now.latest_credible()
    }

    fn civil(self) -> jiff::civil::DateTime {
        // Within range by construction; jiff's own range is wider.
        jiff::Timestamp::from_microsecond(self.0)
            .unwrap_or(jiff::Timestamp::UNIX_EPOCH)
            .to_zoned(TimeZone::UTC)
            .datetime()
    }

    /// This moment without its fraction of a second.
    pub fn whole_second(self) -> Self {
        Self(self.0 - self.0.rem_euclid(1_000_000))
    }

    /// `2026-11`, the month directory that a handoff lies in.
    pub fn month(self) -> String {
        let at = self.civil();
        format!("{:04}-{:02}", at.year(), at.month())
    }

    /// `2026-11-15`.
    pub fn day(self) -> String {
        let at = self.civil();
        format!("{:04}-{:02}-{:02}", at.year(), at.month(), at.day())
    }

    /// `20261115-174500`, the first part of an id.
    pub fn compact(self) -> String {
        let at = self.civil();
        format!(
            "{:04}{:02}{:02}-{:02}{:02}{:02}",
            at.year(),
            at.month(),
            at.day(),
            at.hour(),
            at.minute(),
            at.second()
        )
    }

    /// `2026-11-15 17:45 UTC`, for people.
    pub fn minute(self) -> String {
        let at = self.civil();
        format!("{} {:02}:{:02} UTC", self.day(), at.hour(), at.minute())
    }

    /// `2026-11-15T17:45:00Z` when there is no fraction, else with microseconds.
    pub fn short(self) -> String {
        let full = self.to_string();
        match full.strip_suffix(".000000Z") {
            Some(head) => format!("{head}Z"),
            None => full,
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A moment of a clock or of a file. One that has no place in the calendar is 1970.
impl From<SystemTime> for Timestamp {
    fn from(at: SystemTime) -> Self {
        let micros = at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        i64::try_from(micros).ok().and_then(Self::from_micros).unwrap_or(Self::EPOCH)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.civil();
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
            at.year(),
            at.month(),
            at.day(),
            at.hour(),
            at.minute(),
            at.second(),
            self.0.rem_euclid(1_000_000)
        )
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    /// RFC 3339, any offset; digits past the microsecond are dropped, up to nine are read.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || TimestampError(text.to_owned());
        let parsed: jiff::Timestamp = text.parse().map_err(|_| refused())?;
        Self::from_micros(parsed.as_microsecond()).ok_or_else(refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_and_reads_microseconds() {
        let at: Timestamp = "2026-11-15T17:45:00.123456Z".parse().unwrap();
        assert_eq!(at.to_string(), "2026-11-15T17:45:00.123456Z");
        assert_eq!(at.month(), "2026-11");
        assert_eq!(at.compact(), "20261115-174500");
        assert_eq!(at.next().to_string(), "2026-11-15T17:45:00.123457Z");
    }

    #[test]
    fn offsets_become_utc() {
        let at: Timestamp = "2026-11-15T18:45:00+01:00".parse().unwrap();
        assert_eq!(at.short(), "2026-11-15T17:45:00Z");
    }

    #[test]
    fn refuses_what_is_no_moment() {
        for text in
            ["", "yesterday", "2026-13-01T00:00:00Z", "2026-11-15", "-000001-01-01T00:00:00Z"]
        {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_last_moment_is_written_and_read() {
        let last = Timestamp::from_micros(MAX_MICROS).unwrap();
        assert_eq!(last.to_string(), "9999-12-30T21:59:59.999999Z");
        assert_eq!(last.to_string().parse(), Ok(last));
        assert_eq!(last.next(), last);
        assert_eq!(Timestamp::from_micros(MAX_MICROS + 1), None);
        assert!("9999-12-31T23:59:59Z".parse::<Timestamp>().is_err());
    }

    #[test]
    fn adding_past_the_calendar_is_refused() {
        let at: Timestamp = "2026-11-15T17:45:00Z".parse().unwrap();
        assert_eq!(at.checked_add_seconds(u64::MAX), None);
        assert_eq!(at.checked_add_seconds(9_000 * 366 * 86_400), None);
        assert!(at.checked_add_seconds(86_400).is_some());
    }
}
