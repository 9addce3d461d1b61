//! Sessions in the making, in which something stands that is not the user's.

use segue_core::session::{DecidedBy, Session};
use serde_json::Value;

/// What no text of the user's has in it.
pub(crate) const MARK: &str = "zarquon";

/// Records of a session, and what the user typed in them.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) records: Vec<Value>,
    /// What has to be found as the user's.
    pub(crate) typed: Vec<String>,
    ids: usize,
}

impl Log {
    /// A new id.
    pub(crate) fn id(&mut self) -> String {
        self.ids += 1;
        format!("id{}", self.ids)
    }

    /// Words of the user's, which are nowhere else.
    pub(crate) fn typed(&mut self) -> String {
        self.ids += 1;
        let words = format!("Mend shelf {} of the shop", self.ids);
        self.typed.push(words.clone());
        words
    }

    pub(crate) fn push(&mut self, record: Value) {
        self.records.push(record);
    }
}

/// A place at which something stands that somebody else wrote.
pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) put: fn(&mut Log, &str),
}

/// One reader, and the places in its transcripts.
pub(crate) struct Reader {
    pub(crate) agent: &'static str,
    pub(crate) places: &'static [Place],
    /// What a session begins with.
    pub(crate) begin: fn(&mut Log),
    pub(crate) read: fn(&Log) -> Session,
    /// Whether a session takes long to make: then all attacks on a place stand in one.
    pub(crate) slow: bool,
}

macro_rules! places {
    ($($name:ident),* $(,)?) => { &[$($crate::log::Place { name: stringify!($name), put: $name }),*] };
}
pub(crate) use places;

/// All that counts as the user's in a session.
pub(crate) fn users_words(session: &Session) -> Vec<&str> {
    let prompts = session.prompts.iter().map(|prompt| prompt.text.as_str());
    let waiting = session.waiting.iter().map(|said| said.text.as_str());
    let said = waiting.chain(session.constraints.iter().map(|rule| rule.text.as_str()));
    let decided = session.decisions.iter().filter(|decided| decided.by == DecidedBy::User);
    prompts.chain(said).chain(decided.map(|decided| decided.text.as_str())).collect()
}
