//! Handoffs as resources: `segue://handoff/<id>`.

use segue_lib::handoffs::{ListRequest, Selector};
use segue_lib::{Error, age, visible_line};

use super::answer::Trouble;
use super::desk::Place;

/// What an address of ours begins with.
pub(super) const PREFIX: &str = "segue://handoff/";
/// The address of any handoff.
pub(super) const TEMPLATE: &str = "segue://handoff/{id}";
pub(super) const MARKDOWN: &str = "text/markdown";

/// Handoffs on one page.
const PAGE: usize = 25;
/// Handoffs that are listed at all; clients that take every page want no thousands. The rest is had by id.
const LISTED: usize = 100;
/// Characters of a title.
const TITLE: usize = 100;

/// One handoff that can be read.
#[derive(Debug)]
pub(super) struct Offered {
    pub(super) uri: String,
    pub(super) name: String,
    pub(super) title: String,
    pub(super) about: String,
}

/// A page of them, and where the next begins.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) offered: Vec<Offered>,
    pub(super) next: Option<String>,
}

/// The newest handoffs here, behind a cursor that an earlier page gave.
pub(super) fn page(place: &Place, cursor: Option<&str>) -> Result<Page, Trouble> {
    let segue = place.open()?;
    let now = segue.env().now();
    let mut page = Page::default();
    let mut seen = 0;
    let mut begun = cursor.is_none();
    let mut last = String::new();
    let listed = segue.handoffs().list(&ListRequest::default(), &mut |listed| {
        let id = listed.head.id.to_string();
        seen += 1;
        if !begun {
            begun = cursor == Some(id.as_str());
        } else if page.offered.len() < PAGE {
            let by = listed.head.fields.tool.as_deref().map(|tool| format!(" by {tool}"));
            let from = if listed.head.fields.imported.is_some() { "imported " } else { "" };
            let when = age(listed.head.created, now);
            let about = format!("{from}handoff{}, age {when}", by.unwrap_or_default());
            page.offered.push(Offered {
                uri: format!("{PREFIX}{id}"),
                name: listed.head.id.short().to_owned(),
                title: visible_line(&listed.title).chars().take(TITLE).collect(),
                about: visible_line(&about).into_owned(),
            });
            last = id;
        } else {
            page.next = Some(std::mem::take(&mut last));
            return false;
        }
        seen < LISTED
    });
    // What lies in other projects is not offered: only what is asked for by its id.
    if matches!(listed, Err(Error::NothingHere)) {
        return Ok(Page::default());
    }
    listed?;
    if !begun {
        return Err(Trouble::new("the cursor is not one of this list: begin anew without one"));
    }
    for offered in &mut page.offered {
        offered.title = segue.redactor().text(std::mem::take(&mut offered.title));
    }
    Ok(page)
}

/// A handoff as Markdown, by its address.
pub(super) fn text(place: &Place, uri: &str) -> Result<String, Trouble> {
    let Some(id) = uri.strip_prefix(PREFIX) else {
        return Err(Trouble::new(format!("there is no resource {uri}; {TEMPLATE} is one")));
    };
    let segue = place.open()?;
    let selector: Selector = id.parse().map_err(Error::from)?;
    let found = segue.handoffs().find_here(&selector)?;
    Ok(segue.handoffs().render(&found, "generic")?)
}
