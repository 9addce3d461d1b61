//! What was chosen and why, a line each on standard error, for whoever asks for it with `-v` or `SEGUE_LOG`.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::str::FromStr;

use segue_lib::visible_line;
use tracing::field::{Field, Visit};
use tracing::metadata::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::host;

/// Starts to log if somebody asked for it; else nothing is set up.
pub(crate) fn start(verbose: bool) {
    let asked = host::variable(host::LOG);
    let level = level(verbose, asked.as_deref());
    if level != LevelFilter::OFF {
        let _ = tracing::subscriber::set_global_default(Lines { level });
    }
}

/// How much is to be said. A word that means nothing here asks for the ordinary measure: a typing error in a
/// variable shall not stop anybody's hook.
fn level(verbose: bool, asked: Option<&str>) -> LevelFilter {
    let usual = if verbose { LevelFilter::INFO } else { LevelFilter::OFF };
    match asked.map(str::trim) {
        None | Some("") => usual,
        Some("0" | "off") => usual,
        Some(word) => LevelFilter::from_str(word).unwrap_or(LevelFilter::INFO).max(usual),
    }
}

/// Writes each event on a line of its own.
struct Lines {
    level: LevelFilter,
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level && metadata.target().starts_with("segue")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        let level = event.metadata().level().as_str().to_ascii_lowercase();
        let line = format!("{level}: {}\n", visible_line(&message.0));
        // Nobody is there to be told that nobody reads it.
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }

    // Segue has no spans.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The text of an event.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            let _ = write!(self.0, "{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_and_the_variable_say_how_much_is_said() {
        for (verbose, asked, expected) in [
            (false, None, LevelFilter::OFF),
            (true, None, LevelFilter::INFO),
            (false, Some("off"), LevelFilter::OFF),
            (true, Some("off"), LevelFilter::INFO),
            (false, Some("debug"), LevelFilter::DEBUG),
            (true, Some("error"), LevelFilter::INFO),
            (false, Some("yes"), LevelFilter::INFO),
        ] {
            assert_eq!(level(verbose, asked), expected, "{verbose} {asked:?}");
        }
    }
}
