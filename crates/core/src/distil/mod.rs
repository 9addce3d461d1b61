//! Distils a session into the sections of a handoff: what the next session needs. The same session
//! gives the same text, and nothing in it that the transcript does not show.

mod announced;
mod answer;
mod asks;
mod checks;
mod closing;
mod covering;
mod explain;
mod files;
mod findings;
mod gather;
mod lasting;
mod next;
mod open_headings;
mod open_work;
mod orders;
mod other_languages;
mod plan;
mod plan_changes;
mod proposal;
mod repeated;
mod reports;
mod request;
mod request_kind;
mod status;
mod story;
mod taken_back;
mod title;
mod todo_work;
mod unmoved;

pub(crate) use covering::covers_command;
pub use explain::judge_steps;
pub use next::failing_checks;
pub use status::SessionStatus;
pub use title::session_title;

use crate::session::{Record, Session, weigh};
use crate::source::item_marks;
use crate::{ItemSource, ItemSources, Tokenizer, estimate_tokens, visible_line};

/// The label above the requests before the last one, in a handoff and in a briefing.
pub(crate) const EARLIER_REQUESTS: &str = "Earlier requests";
/// What stands before the lines of a request below its first one: more than before what came of it.
pub(crate) const REQUEST_INDENT: &str = "    ";
/// The label above what the agent reported while it worked on the last request.
pub(crate) const REPORTS: &str = "Reported on the way";

/// What a handoff out of a session may cost, and where it is read.
#[derive(Clone, Debug)]
pub struct DistilRequest<'r> {
    /// The directory from which paths are shown.
    pub root: Option<&'r str>,
    /// How many tokens it may have, at most.
    pub budget: usize,
}

/// Tokens of a handoff out of a session unless the caller says otherwise. A briefing chooses from it.
pub const CAPTURE_BUDGET: usize = 4_500;

impl Default for DistilRequest<'_> {
    fn default() -> Self {
        Self { root: None, budget: CAPTURE_BUDGET }
    }
}

/// A session as a handoff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distilled {
    pub title: String,
    /// Its sections.
    pub body: String,
    /// Whose words its items are.
    pub sources: ItemSources,
    /// How many things did not fit.
    pub left_out: usize,
}

/// The sections, in the order in which they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    State,
    Next,
    Constraints,
    TakenBack,
    Decisions,
    Rejected,
    Warnings,
    Checks,
    Files,
}

impl Section {
    const ALL: [Self; 9] = [
        Self::State,
        Self::Next,
        Self::Constraints,
        Self::TakenBack,
        Self::Decisions,
        Self::Rejected,
        Self::Warnings,
        Self::Checks,
        Self::Files,
    ];

    fn heading(self) -> &'static str {
        match self {
            Self::State => "Current State",
            Self::Next => "Next Steps",
            Self::Constraints => "Standing Constraints",
            Self::TakenBack => "Taken Back",
            Self::Decisions => "Key Decisions",
            Self::Rejected => "Rejected Paths",
            Self::Warnings => "Warnings / Gotchas",
            Self::Checks => "Checks",
            Self::Files => "Files of Note",
        }
    }
}

/// One thing to say.
#[derive(Clone, Debug)]
struct Item {
    section: Section,
    /// The lower, the earlier it gets its place.
    rank: u8,
    /// Its first line, and lines below it that say more.
    text: String,
    details: Vec<String>,
    /// The label that it stands below, with the others of this label.
    label: Option<&'static str>,
    /// Whether it follows from what was seen, instead of standing in the transcript.
    is_inferred: bool,
    /// How many things it says.
    count: usize,
    /// Whose words they are.
    source: ItemSource,
}

impl Item {
    fn render(&self) -> String {
        let mut out = format!("- {}", self.text);
        if self.is_inferred {
            out.push_str(" *(inferred)*");
        }
        out.push('\n');
        for line in self.details.iter().flat_map(|detail| detail.lines()) {
            out.push_str("  ");
            out.push_str(line.trim_end());
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
        }
        out
    }
}

/// How much is said of each thing, so that there is room for all that must not be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Words {
    /// Answers whole, or at length, where all of it fits.
    All,
    Most,
    Many,
    /// Older commits by their ids, long requests cut.
    Few,
    /// Sentences cut.
    Fewest,
}

impl Words {
    const ALL: [Self; 5] = [Self::All, Self::Most, Self::Many, Self::Few, Self::Fewest];
}

/// What `- and 12 more` costs in every section, and the labels.
const MORE: usize = 6 * Section::ALL.len() + 20 + 12 * MOST_GAPS;
/// Places at which a handoff says that requests are left out.
const MOST_GAPS: usize = 3;

/// Distils a session.
pub fn distil(session: &Session, request: &DistilRequest<'_>) -> Distilled {
    let gathered = gather::Gathered::new(session, request);
    let mut items = Vec::new();
    for words in Words::ALL {
        items = gathered.items(words);
        let vital: Vec<&Item> = items
            .iter()
            .filter(|item| words <= Words::Most || item.rank <= gather::LAST_VITAL)
            .collect();
        let cost: usize = vital.iter().map(|item| tokens(&item.render())).sum();
        if cost + headings(vital.into_iter()) + MORE <= request.budget {
            break;
        }
    }
    let taken = choose(&items, request.budget);
    let of = |section: Section, is_taken: bool| {
        let these = items.iter().zip(&taken);
        these
            .filter(move |(item, taken)| item.section == section && **taken == is_taken)
            .map(|(item, _)| item)
    };
    let missing = |section| of(section, false).map(|item| item.count).sum::<usize>();
    let left_out = Section::ALL.into_iter().map(missing).sum();
    let mut body = String::new();
    for section in Section::ALL {
        let mut missing = missing(section);
        if of(section, true).next().is_none() {
            continue;
        }
        if !body.is_empty() {
            body.push('\n');
        }
        body.push_str(&format!("## {}\n", section.heading()));
        for label in [None, Some(REPORTS), Some(EARLIER_REQUESTS)] {
            let is_here = |item: &Item| item.section == section && item.label == label;
            let here = items.iter().zip(&taken).filter(|(item, _)| is_here(item));
            let here: Vec<(&Item, &bool)> = here.collect();
            let Some(last) = here.iter().rposition(|(_, taken)| **taken) else { continue };
            if let Some(label) = label {
                body.push_str(&format!("\n### {label}\n"));
            }
            let (mut gap, mut gaps) = (0, 0);
            for (item, is_taken) in &here[..=last] {
                if !**is_taken {
                    gap += item.count;
                    continue;
                }
                // Where requests are left out between others, it is said there.
                if gap > 0 && label == Some(EARLIER_REQUESTS) && gaps < MOST_GAPS {
                    body.push_str(&format!("- {}\n", requests_between(gap)));
                    missing -= gap;
                    gaps += 1;
                }
                gap = 0;
                body.push_str(&item.render());
            }
        }
        if missing > 0 {
            body.push_str(&format!("- and {missing} more\n"));
        }
    }
    let sources =
        sources_of(items.iter().zip(&taken).filter(|(_, taken)| **taken).map(|one| one.0));
    Distilled { title: session_title(session), body, sources, left_out }
}

/// The sources of items: what is told of a session is the agent's, but for what is known to be another's.
fn sources_of<'i>(items: impl Iterator<Item = &'i Item>) -> ItemSources {
    let marks = |item: &Item| {
        let text = format!("## {}\n{}", item.section.heading(), item.render());
        item_marks(&text).into_iter().map(|mark| (mark, item.source)).collect::<Vec<_>>()
    };
    ItemSources::of_items(&items.flat_map(marks).collect::<Vec<_>>())
}

/// Which things are said: of those that must not be missing, each kind has a share that no other kind
/// takes from it; what is left goes by rank.
fn choose(items: &[Item], budget: usize) -> Vec<bool> {
    let costs: Vec<usize> = items.iter().map(|item| tokens(&item.render())).collect();
    let all = costs.iter().sum::<usize>() + headings(items.iter());
    let budget = if all <= budget { all } else { budget.saturating_sub(MORE) };
    let mut by_rank: Vec<usize> = (0..items.len()).collect();
    by_rank.sort_by_key(|at| items[*at].rank);
    let mut taken = vec![false; items.len()];
    let mut sections = Vec::new();
    let mut used = 0;
    let mut of_rank = [0; u8::MAX as usize + 1];
    for shared in [true, false] {
        for at in &by_rank {
            let (item, mut cost) = (&items[*at], costs[*at]);
            if !sections.contains(&item.section) {
                cost += tokens(&format!("\n## {}\n", item.section.heading()));
            }
            let of_this = &mut of_rank[usize::from(item.rank)];
            let within = !shared || *of_this + cost <= budget * gather::share(item.rank) / 100;
            if !taken[*at] && within && used + cost <= budget {
                used += cost;
                *of_this += cost;
                taken[*at] = true;
                sections.push(item.section);
            }
        }
    }
    taken
}

/// The line that stands for so many requests.
pub(crate) fn requests_between(count: usize) -> String {
    format!("… {count} {} in between", if count == 1 { "request" } else { "requests" })
}

/// For how many requests a line stands.
pub(crate) fn requests_of_line(line: &str) -> usize {
    let count = line.strip_prefix("… ").filter(|rest| rest.contains(" in between"));
    count.and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap_or(1)
}

/// What the headings of the sections of these cost.
fn headings<'i>(items: impl Iterator<Item = &'i Item>) -> usize {
    let mut there: Vec<Section> = items.map(|item| item.section).collect();
    there.sort();
    there.dedup();
    let heading = |section: &Section| tokens(&format!("\n## {}\n", section.heading()));
    there.iter().map(heading).sum()
}

/// How certain it is that a text says what was decided, dropped or learnt.
fn weight_of(text: &str) -> i32 {
    weigh(text).map_or(0, |(_, weight)| weight)
}

fn tokens(text: &str) -> usize {
    estimate_tokens(text, Tokenizer::O200k)
}

/// A text on one line, at most so many bytes of it, cut where a sentence or a word ends.
fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    visible_line(&crate::session::shorten(&words.join(" "), most)).into_owned()
}

/// What somebody said, in quotes on one line.
fn quoted(text: &str, most: usize) -> String {
    format!("“{}”", one_line(text, most))
}

/// Records from one to another, the second not included.
type Span = std::ops::Range<Record>;

#[cfg(test)]
mod tests;
