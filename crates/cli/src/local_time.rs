//! Local times, for people.

use jiff::tz::TimeZone;
use segue_lib::Timestamp;

/// `2026-11-29 18:45` in the time zone of this machine.
pub(crate) fn local(at: Timestamp, zone: &TimeZone) -> String {
    let Ok(at) = jiff::Timestamp::from_microsecond(at.micros()) else {
        return at.short();
    };
    let at = at.to_zoned(zone.clone()).datetime();
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}",
        at.year(),
        at.month(),
        at.day(),
        at.hour(),
        at.minute()
    )
}
