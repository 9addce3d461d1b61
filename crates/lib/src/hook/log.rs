//! How the hooks went: a line each time they fire, and what `doctor` makes of these.

use segue_core::Timestamp;
use segue_store::{MAX_REMARK, Store, StoreError};

use super::agent_hooks::AgentHooks;
use crate::Error;

/// A time that a hook fired.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HookFired {
    /// When it had ended.
    pub at: Timestamp,
    /// The agent, by its word.
    pub agent: String,
    /// The event, by our word.
    pub event: String,
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// What was done, in a word; `failed` if it was not.
    pub how: String,
    /// Why it failed.
    pub remark: String,
}

impl HookFired {
    /// Whether it failed.
    pub fn is_failure(&self) -> bool {
        self.how == "failed"
    }

    fn parse(line: &str) -> Option<Self> {
        let mut parts = line.split('\t');
        let mut next = || parts.next();
        let (at, agent, event) = (next()?.parse().ok()?, next()?, next()?);
        let (ms, how) = (next()?.parse().ok()?, next()?);
        Some(Self {
            at,
            agent: agent.to_owned(),
            event: event.to_owned(),
            ms,
            how: how.to_owned(),
            remark: next().unwrap_or_default().to_owned(),
        })
    }
}

impl AgentHooks<'_> {
    /// Notes how a hook went. Nothing of what the agent told may be in it.
    pub fn note(&self, agent: &str, event: &str, ms: f64, how: &str, remark: &str) {
        // While the brake is pulled nothing that runs by itself writes anything.
        if how == "paused" {
            return;
        }
        let remark: String = remark.chars().take(MAX_REMARK).collect();
        let remark = remark.replace('\t', " ");
        let at = self.here.now();
        let line = format!("{at}\t{agent}\t{event}\t{ms:.1}\t{how}\t{remark}");
        self.here.store.hook_log().add(&line);
    }
}

/// The times that hooks fired, oldest first.
pub(crate) fn hooks_fired(store: &Store) -> Vec<HookFired> {
    store.hook_log().read().lines().filter_map(HookFired::parse).collect()
}

impl Error {
    /// What kind of failure it is. Unlike the whole message it has nothing in it that somebody told:
    /// no path, no id, no text.
    pub fn kind_in_words(&self) -> String {
        match self {
            Self::Transcript { .. } => "the transcript could not be read".to_owned(),
            Self::NotATranscript(_) => "the transcript is of no known kind".to_owned(),
            Self::NoDirectory(_) | Self::NotADirectory(_) => {
                "the directory of the session is not there".to_owned()
            }
            Self::NamedByPath(_) => "SEGUE_PROJECT is a path, not a label or an id".to_owned(),
            Self::TooLarge => "what the session left is too large".to_owned(),
            Self::Store(StoreError::Busy { .. }) => "the store was in use for too long".to_owned(),
            Self::Store(error) => match error.io_kind() {
                Some(kind) => format!("the store could not be used: {kind}"),
                None => "the store could not be used".to_owned(),
            },
            Self::Config(_) => "the configuration could not be read".to_owned(),
            _ => "it could not be done".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_log_is_read_as_it_was_written() {
        let read = HookFired::parse("2026-11-15T17:45:00.123456Z\tcodex\tstop\t4.2\tfailed\tbusy");
        let read = read.unwrap();
        assert_eq!((read.agent.as_str(), read.event.as_str()), ("codex", "stop"));
        assert!(read.is_failure() && read.remark == "busy" && (read.ms - 4.2).abs() < 1e-9);
        assert_eq!(HookFired::parse("damaged"), None);
    }
}
