//! Fills the parts of a briefing with items, as far as their share and the budget go.

use super::compose::heading;
use super::frame::clip_chars;
use super::outcome::briefly;
use super::parts::{Draft, Item, ItemKind};
use crate::distil::{EARLIER_REQUESTS, REPORTS, requests_of_line};
use crate::section::Fences;
use crate::{Tokenizer, estimate_tokens};

/// Room that a line needs which leads to those below it.
const LEAST_LED: usize = 60;
/// Tokens of the first request before the newest ones have their room.
const FIRST_REQUEST: usize = 45;
/// Less than this is not worth a line.
const LEAST_ITEM: usize = 12;

/// Tokens of the answer to the newest of the earlier requests, to one of which something came, and to one that
/// was only answered.
const NEWEST_ANSWER: usize = 400;
const ANSWER: usize = 220;
const ANSWER_IN_WORDS: usize = 130;

/// One part as it will be written.
pub(super) struct Filled {
    pub(super) draft: Draft,
    /// What is told of each item; `None` if nothing is.
    pub(super) told: Vec<Option<String>>,
    /// How much of each item is still untold below its first line.
    pub(super) untold: Vec<bool>,
    /// How many are told.
    pub(super) count: usize,
    pub(super) cost: usize,
    /// Whether the end of an item was left out.
    pub(super) cut: bool,
    /// Where the first request before the last one stands, and whether others follow it.
    first_request: Option<usize>,
    has_several_requests: bool,
}

pub(super) struct Budget {
    /// Tokens still free.
    pub(super) free: usize,
}

impl Budget {
    pub(super) fn cost(&self, text: &str) -> usize {
        estimate_tokens(text, Tokenizer::O200k)
    }
}

impl Filled {
    pub(super) fn empty(draft: Draft) -> Self {
        let all = draft.items.len();
        let is_earlier = |at: &usize| draft.items[*at].label.as_deref() == Some(EARLIER_REQUESTS);
        let mut earlier = (0..all).filter(is_earlier);
        let (first_request, second) = (earlier.next(), earlier.next());
        Self {
            first_request,
            has_several_requests: second.is_some(),
            told: vec![None; all],
            untold: vec![false; all],
            draft,
            count: 0,
            cost: 0,
            cut: false,
        }
    }

    pub(super) fn has_label(&self, label: &str) -> bool {
        (0..self.draft.items.len()).any(|at| self.is_below(at, label))
    }

    fn is_below(&self, at: usize, label: &str) -> bool {
        self.draft.items[at].label.as_deref() == Some(label)
    }

    /// Whether an item tells something that happened before the end, in the order of time.
    fn is_in_time(&self, at: usize) -> bool {
        self.is_below(at, EARLIER_REQUESTS) || self.is_below(at, REPORTS)
    }

    /// The order in which items get their room: of what is told in the order of time the newest first. The first
    /// request comes before them: it says what it is all about.
    fn order(&self) -> Vec<usize> {
        let all = || 0..self.draft.items.len();
        let newest_first = |label| all().rev().filter(move |at| self.is_below(*at, label));
        let mut order: Vec<usize> = all().filter(|at| !self.is_in_time(*at)).collect();
        let first = self.first_request;
        order.splice(order.len().min(1)..order.len().min(1), first);
        let in_time = newest_first(REPORTS).chain(newest_first(EARLIER_REQUESTS));
        order.extend(in_time.filter(|at| Some(*at) != first));
        order
    }

    /// Whether it is the first of several requests: how that one goes on says least of where things stand.
    pub(super) fn is_told_briefly(&self, at: usize) -> bool {
        self.has_several_requests && self.first_request == Some(at)
    }

    fn has_told_request(&self) -> bool {
        (0..self.told.len())
            .any(|at| self.told[at].is_some() && self.is_below(at, EARLIER_REQUESTS))
    }

    /// How many requests are left out right before each item that is told, and behind the last
    /// one.
    pub(super) fn requests_left_out(&self) -> Vec<(usize, usize)> {
        let mut gaps = Vec::new();
        let mut gap = 0;
        let earlier = (0..self.draft.items.len()).filter(|at| self.is_below(*at, EARLIER_REQUESTS));
        for at in earlier {
            if self.told[at].is_none() {
                gap += requests_of_line(&self.draft.items[at].text);
            } else if gap > 0 {
                gaps.push((at, std::mem::take(&mut gap)));
            }
        }
        if gap > 0 && self.has_told_request() {
            gaps.push((self.draft.items.len(), gap));
        }
        gaps
    }

    /// Whether something came of an earlier request besides an answer in words.
    fn has_outcome(&self, at: usize) -> bool {
        let head = self.draft.items[at].head().0;
        head.split_once("” → ").is_some_and(|(_, came)| !came.starts_with('“'))
    }

    /// How many tokens of details an item has for itself, so that no earlier answer takes the room of all others.
    pub(super) fn own_room(&self, at: usize) -> usize {
        match (self.is_in_time(at), self.has_outcome(at)) {
            _ if self.is_told_briefly(at) => 0,
            (false, _) => usize::MAX,
            _ if at + 1 == self.draft.items.len() => NEWEST_ANSWER,
            (true, true) => ANSWER,
            (true, false) => ANSWER_IN_WORDS,
        }
    }

    /// The order in which details get their room: of earlier requests first those of which something came.
    fn details_order(&self) -> Vec<usize> {
        let (in_time, other): (Vec<usize>, Vec<usize>) =
            self.order().into_iter().partition(|at| self.is_in_time(*at));
        let (with, without): (Vec<usize>, Vec<usize>) =
            in_time.into_iter().partition(|at| self.has_outcome(*at));
        other.into_iter().chain(with).chain(without).collect()
    }

    pub(super) fn is_told(&self) -> bool {
        self.count > 0
    }

    /// Whether the end of something was left out.
    pub(super) fn is_cut(&self) -> bool {
        self.cut || self.untold.iter().any(|untold| *untold)
    }

    /// The whole of an item, with its list mark or number.
    fn whole(&self, at: usize) -> String {
        let item = &self.draft.items[at];
        marked(&item.text, item.kind, self.draft.number(at))
    }

    /// Tells more of an item of which only the first lines are told, at most so many tokens. How many it
    /// took.
    fn tell_more(&mut self, at: usize, room: usize, budget: &mut Budget) -> usize {
        let Some(told) = self.told[at].as_ref().filter(|_| self.untold[at]) else { return 0 };
        let before = budget.cost(told);
        let whole = self.whole(at);
        let all = before + room;
        let (text, is_whole) = match whole.len() <= all * 8 && budget.cost(&whole) <= all {
            true => (whole, true),
            false => match cut_lines(&whole, all, budget) {
                Some(text) if text.len() > told.len() + 8 => (text, false),
                _ => return 0,
            },
        };
        let cost = budget.cost(&text).saturating_sub(before);
        self.cost += cost;
        budget.free = budget.free.saturating_sub(cost);
        self.told[at] = Some(text);
        self.untold[at] = !is_whole;
        cost
    }

    /// What is told, with the item that it is of.
    pub(super) fn shown(&self) -> impl Iterator<Item = (&Item, &String)> {
        let told = self.draft.items.iter().zip(&self.told);
        told.filter_map(|(item, text)| Some((item, text.as_ref()?)))
    }

    pub(super) fn left_out(&self) -> impl Iterator<Item = &Item> {
        let untold = self.draft.items.iter().zip(&self.told).filter(|(_, text)| text.is_none());
        untold.map(|(item, _)| item)
    }
}

/// Tells items of a part, at most so many of them, while they fit into its share and into what is free:
/// of each its first line. One that does not fit is passed over: a smaller one may.
pub(super) fn fill(
    part: &mut Filled,
    budget: &mut Budget,
    share: usize,
    labels: bool,
    most: usize,
) {
    let several = part.draft.items.len() > 1;
    let mut count = 0;
    for at in part.order() {
        let room = budget.free.min(share.saturating_sub(part.cost));
        if room < LEAST_ITEM || count >= most {
            return;
        }
        if part.told[at].is_some() {
            continue;
        }
        let item = &part.draft.items[at];
        let mut heading =
            if part.is_told() { 0 } else { budget.cost(&heading(&part.draft, labels)) + 2 };
        if let Some(label) = part.new_label(at) {
            heading += budget.cost(&labelled(label)) + 1;
        }
        // Whatever its length, no more than fits has to be looked at.
        let fits = |text: &str| {
            let mut beyond = text.chars().skip(room * 8 + 64);
            beyond.next().is_none() && budget.cost(text) + 1 + heading <= room
        };
        let number = part.draft.number(at);
        let (head, has_more) = item.head();
        // What only leads to the lines below it says nothing without them.
        if has_more && head.ends_with(':') && room < LEAST_LED {
            continue;
        }
        let mut untold = has_more;
        let text = marked(head, item.kind, number);
        // That the first request is always told must not cost the room of the newest ones.
        let is_first_request = part.first_request == Some(at);
        let is_long = is_first_request && budget.cost(&text) > FIRST_REQUEST;
        let brief = is_long.then(|| briefly(&text, budget));
        let text = match (brief.filter(|brief| fits(brief)), fits(&text)) {
            (Some(brief), _) => {
                untold = true;
                brief
            }
            (None, true) => text,
            (None, false) => {
                // The first item is cut rather than left out, if something of it can be said; where
                // others follow, they shall have room too.
                let inside = room.saturating_sub(heading + 1);
                let inside = if several { inside * 2 / 3 } else { inside };
                let no_cut = !(is_first_request && inside >= LEAST_LED)
                    && (at > 0
                        || part.is_told()
                        || inside < LEAST_ITEM
                        || part.draft.key == "others");
                // Steps are told in their order: none is passed over.
                if no_cut && part.draft.numbered {
                    return;
                }
                if no_cut {
                    continue;
                }
                let head: String = text.chars().take(room * 8 + 64).collect();
                let Some(text) = cut(&head, inside, budget) else { continue };
                part.cut = true;
                text
            }
        };
        let cost = budget.cost(&text) + 1 + heading;
        budget.free = budget.free.saturating_sub(cost);
        // The first request is told in any case, and takes nothing from the share of the others.
        part.cost += if part.is_told_briefly(at) { 0 } else { cost };
        part.told[at] = Some(text);
        part.untold[at] = untold;
        part.count += 1;
        count += 1;
    }
}

/// Tells what stands below the first lines of items that are told, at most so many tokens of each.
pub(super) fn fill_details(
    part: &mut Filled,
    budget: &mut Budget,
    share: usize,
    most: impl Fn(&Filled, usize) -> usize,
) {
    let mut used = 0;
    for at in part.details_order() {
        let room = budget.free.min(share.saturating_sub(used));
        if room < LEAST_ITEM {
            return;
        }
        used += part.tell_more(at, room.min(most(part, at)), budget);
    }
}

/// The share of a text that is cut which its end has, in percent: how something ends says what it
/// comes to.
const END_SHARE: usize = 35;
/// Less than this is not worth an end of its own.
const LEAST_END: usize = 60;

/// A text of at most so many tokens: its first lines and, where it is long, its last ones.
fn cut_lines(text: &str, tokens: usize, budget: &Budget) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let end_room = tokens * END_SHARE / 100;
    let mut end = lines.len();
    let mut used = 0;
    if end_room >= LEAST_END {
        while end > 1 {
            let cost = budget.cost(lines[end - 1]) + 1;
            if used + cost > end_room {
                break;
            }
            used += cost;
            end -= 1;
        }
    }
    // Code that would begin in the middle is left out.
    let mut fences = Fences::default();
    let opens = lines[..end].iter().filter(|line| fences.cover(unquoted(line))).count() > 0
        && fences.is_open();
    if opens {
        (end, used) = (lines.len(), 0);
    }
    let head = first_lines(&lines[..end], tokens.saturating_sub(used), budget)?;
    let tail = lines[end..].join("\n");
    let gap = if tail.is_empty() || head.ends_with("[…]") { "" } else { " […]" };
    Some(match tail.is_empty() {
        true => head,
        false => format!("{head}{gap}\n{tail}"),
    })
}

/// A line without the mark of a quotation.
fn unquoted(line: &str) -> &str {
    let line = line.trim_start();
    line.strip_prefix("> ").unwrap_or(line)
}

/// The first lines of a text, and of the next one as many words as fit.
fn first_lines(lines: &[&str], tokens: usize, budget: &Budget) -> Option<String> {
    let mut kept = String::new();
    let mut used = 0;
    let mut fences = Fences::default();
    for line in lines {
        let cost = budget.cost(line) + 1;
        let in_code = fences.cover(unquoted(line));
        if used + cost > tokens {
            let indent = &line[..line.len() - line.trim_start().len()];
            let mark = if line.trim_start().starts_with('>') { "> " } else { "" };
            let rest = tokens.saturating_sub(used + 4);
            let part = (rest > 20 && !in_code).then(|| cut(line, rest, budget)).flatten();
            match part {
                Some(part) => kept.push_str(&format!("{part} […]")),
                None => kept.push_str(&format!("{indent}{mark}[…]")),
            }
            return (used > 0).then_some(kept);
        }
        used += cost;
        kept.push_str(line);
        kept.push('\n');
    }
    Some(kept.trim_end().to_owned())
}

/// A label as it is written.
pub(super) fn labelled(label: &str) -> String {
    match label {
        EARLIER_REQUESTS => format!("**{label}** (oldest first; each answer is as of then)"),
        _ => format!("**{label}**"),
    }
}

impl Filled {
    /// The label of an item, if no item that is told has it.
    fn new_label(&self, at: usize) -> Option<&str> {
        let label = self.draft.items[at].label.as_deref()?;
        let known = self.shown().any(|(item, _)| item.label.as_deref() == Some(label));
        (!known).then_some(label)
    }
}

/// A text with its list mark or number.
fn marked(text: &str, kind: ItemKind, number: Option<usize>) -> String {
    match kind {
        ItemKind::Plain => text.to_owned(),
        ItemKind::Listed => {
            let mark = number.map_or_else(|| "- ".to_owned(), |number| format!("{number}. "));
            let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
            // What is below an item stays below it, as deep as the mark is wide.
            let indent = |line: &str| line.len() - line.trim_start().len();
            let lines = || rest.lines().filter(|line| !line.is_empty());
            let least = lines().map(indent).min().unwrap_or(0);
            let mut text = format!("{mark}{first}");
            for line in rest.lines() {
                text.push('\n');
                if !line.is_empty() {
                    text.push_str(&" ".repeat(mark.len()));
                    text.push_str(&line[least.min(indent(line))..]);
                }
            }
            text
        }
    }
}

/// A text that has at most so many tokens: its beginning, its code closed. `None` if nothing is left.
pub(super) fn cut(text: &str, tokens: usize, budget: &Budget) -> Option<String> {
    let mut low = 0;
    let mut high = text.chars().count();
    while low < high {
        let middle = (low + high).div_ceil(2);
        if budget.cost(&clipped(text, middle)) <= tokens {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    (low >= 12).then(|| clipped(text, low))
}

/// The beginning of a text, its code closed.
pub(super) fn clipped(text: &str, chars: usize) -> String {
    let mut kept = clip_chars(text, chars);
    if let Some(fence) = Fences::closing(&kept) {
        kept.push('\n');
        kept.push_str(&fence);
    } else if let Some(ticks) = open_span(&kept) {
        kept.push_str(&ticks);
    }
    kept
}

/// The backticks that a code span still needs at the end of a text.
fn open_span(text: &str) -> Option<String> {
    let mut open: Option<usize> = None;
    let mut rest = text;
    while let Some(at) = rest.find('`') {
        let run = rest[at..].bytes().take_while(|byte| *byte == b'`').count();
        open = match open {
            None => Some(run),
            Some(length) if length == run => None,
            other => other,
        };
        rest = &rest[at + run..];
    }
    open.map(|run| "`".repeat(run))
}
