//! One line of the list: what is shown of a handoff, and what is searched in it.

use nucleo_matcher::Utf32String;
use segue_lib::handoffs::{HandoffId, Listed};
use segue_lib::{Timestamp, visible_line};

/// A longer title is cut: nobody sees the rest, and every key would search it.
const TITLE_CHARS: usize = 240;
/// The same for what stands beside it.
const CELL_CHARS: usize = 60;
/// Nobody reads more tags of one handoff.
const MOST_TAGS: usize = 12;

/// A handoff in the list. Every text is made visible.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) id: HandoffId,
    pub(crate) created: Timestamp,
    /// Name, title, or both.
    pub(crate) title: String,
    pub(crate) tags: Vec<String>,
    pub(crate) project: String,
    /// Whether it has expired or is archived.
    pub(crate) faded: bool,
    /// Title, tags and project, as they are shown, then what is searched and not shown.
    pub(crate) haystack: Utf32String,
}

impl Item {
    pub(crate) fn new(listed: &Listed, now: Timestamp) -> Self {
        let fields = &listed.head.fields;
        // A name is how a handoff is asked for; a title is what it is about.
        let title = match (&fields.name, &fields.title) {
            (Some(name), Some(title)) if name != title => {
                format!("{}: {}", clean(name, TITLE_CHARS), clean(title, TITLE_CHARS))
            }
            _ => clean(&listed.title, TITLE_CHARS),
        };
        let tags: Vec<String> =
            fields.tags.iter().take(MOST_TAGS).map(|tag| clean(tag, CELL_CHARS)).collect();
        let project = clean(fields.project.as_deref().unwrap_or(&listed.label), CELL_CHARS);
        let unseen = |text: &Option<String>| clean(text.as_deref().unwrap_or(""), CELL_CHARS);
        let haystack = format!(
            "{title} {} {project} {} {} {}",
            tags.join(","),
            unseen(&fields.tool),
            unseen(&fields.git.branch),
            listed.head.id.short()
        );
        Self {
            id: listed.head.id.clone(),
            created: listed.head.created,
            title,
            tags,
            project,
            faded: listed.archived.is_some() || fields.expires.is_some_and(|at| at <= now),
            haystack: haystack.into(),
        }
    }
}

/// The beginning of a stored text, for one line.
fn clean(text: &str, chars: usize) -> String {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    visible_line(&text[..end]).into_owned()
}
