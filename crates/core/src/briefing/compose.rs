//! Fits the parts of a briefing into its budget: the most important first, each as far as it goes.

use super::frame::{clip_chars, code_span, one_line};
use super::parts::{
    Draft, Item, ItemKind, Orientation, Source, instructions, memory, orientation, parts, verify,
};
use super::{BriefedPart, Briefing, Facts};
use crate::distil::EARLIER_REQUESTS;
use crate::section::Fences;
use crate::{Tokenizer, estimate_tokens};

/// What the estimate may be off by: the real count shall keep the budget too.
const CAUTION: f64 = 1.0;
/// From this budget on, every part that has something shows its first item.
const SHOWS_ALL_PARTS: usize = 600;
/// Tokens that are kept free for *Verify first* and for the next steps each.
const LEAST_PART: usize = 60;
/// Less than this is not worth a line.
const LEAST_ITEM: usize = 12;

/// One part as it will be written.
struct Filled {
    draft: Draft,
    /// What is told of each item; `None` if nothing is.
    told: Vec<Option<String>>,
    /// How much of each item is still untold below its first line.
    untold: Vec<bool>,
    /// How many are told.
    count: usize,
    cost: usize,
    /// Whether the end of an item was left out.
    cut: bool,
}

struct Budget {
    /// Tokens still free.
    free: usize,
}

impl Budget {
    fn cost(&self, text: &str) -> usize {
        estimate_tokens(text, Tokenizer::O200k)
    }
}

pub(super) fn compose(facts: &Facts<'_>) -> Briefing {
    let doubts = facts.doubts();
    let to_verify = verify(facts, &doubts);
    let drafts = || -> Vec<Draft> {
        let extras = [memory(facts), others_draft(facts), instructions(facts)];
        parts(facts, &doubts, &to_verify).into_iter().chain(extras.into_iter().flatten()).collect()
    };
    // If everything fits, nothing has to be said of what is left out.
    let mut told = Told::new(facts, drafts(), &[]);
    if told.leaves_out() {
        let all = drafts();
        let nothing: Vec<Filled> = all.into_iter().map(Filled::empty).collect();
        told = Told::new(facts, drafts(), &nothing);
    }
    told.shrink();
    let text = told.text();
    let tokens = told.budget.cost(&text);
    let orientation = BriefedPart { key: "orientation", shown: told.lines, left_out: Vec::new() };
    let rest = told.filled.into_iter().map(|part| BriefedPart {
        key: part.draft.key,
        left_out: part.left_out().map(|item| item.text.clone()).collect(),
        shown: part.shown().map(|(_, text)| text.clone()).collect(),
    });
    let parts = std::iter::once(orientation).chain(rest).collect();
    Briefing { text, tokens, parts, verify: to_verify }
}

/// A briefing that is being filled.
struct Told<'a> {
    facts: &'a Facts<'a>,
    budget: Budget,
    limit: usize,
    title: String,
    lines: Vec<String>,
    filled: Vec<Filled>,
}

impl<'a> Told<'a> {
    /// Fills the parts. `unsaid` is what the ending may have to name as left out.
    fn new(facts: &'a Facts<'a>, drafts: Vec<Draft>, unsaid: &[Filled]) -> Self {
        let limit = (facts.budget as f64 * CAUTION) as usize;
        let title = format!("# Briefing: {}", one_line(facts.project, 80));
        let mut budget = Budget { free: limit };
        let fixed = budget.cost(&format!("{title}\n\n{}", ending(facts, unsaid, limit, &budget)));
        budget.free = limit.saturating_sub(fixed + 4);
        let mut filled: Vec<Filled> = drafts.into_iter().map(Filled::empty).collect();
        let there = |key: &str| filled.iter().any(|part| part.draft.key == key);
        let quarter = if there("memory") { limit / 4 } else { 0 };
        // So much is kept free for what must be there at any budget.
        let least = |key: &str| if there(key) { LEAST_PART.min(limit / 8) } else { 0 };
        let reserve = quarter + least("verify") + least("next");
        let lines = fit_orientation(facts, &mut budget, reserve);
        let labels = facts.conventions.labels;
        if limit >= (SHOWS_ALL_PARTS as f64 * CAUTION) as usize {
            let free = budget.free;
            for part in &mut filled {
                fill(part, &mut budget, free / 5, labels, 1);
            }
            for part in &mut filled {
                let share = free * share_of(part.draft.key) / 100;
                fill(part, &mut budget, share, labels, usize::MAX);
                fill_details(
                    part,
                    &mut budget,
                    free * details_of(part.draft.key) / 100,
                    usize::MAX,
                );
            }
        } else {
            // What must be there at any budget gets its share, MEMORY.md its quarter.
            let rest = budget.free.saturating_sub(quarter);
            for part in &mut filled {
                let share = match part.draft.key {
                    "memory" => quarter,
                    "verify" | "next" => rest / 2,
                    _ => 0,
                };
                fill(part, &mut budget, share, labels, usize::MAX);
            }
        }
        // What is free goes to the parts in their order: first what is not told at all, then details.
        for part in &mut filled {
            fill(part, &mut budget, usize::MAX, labels, usize::MAX);
        }
        for most in [DETAIL, usize::MAX] {
            for part in &mut filled {
                fill_details(part, &mut budget, usize::MAX, most);
            }
        }
        Self { facts, budget, limit, title, lines, filled }
    }

    fn leaves_out(&self) -> bool {
        self.filled.iter().any(|part| part.is_cut() || part.left_out().next().is_some())
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n{}\n", self.title, self.lines.join("\n"));
        for part in self.filled.iter().filter(|part| part.is_told()) {
            text.push_str(&written(part, self.facts.conventions.labels));
        }
        text.push('\n');
        text.push_str(&ending(self.facts, &self.filled, self.limit, &self.budget));
        text
    }

    /// Estimates of pieces do not add up exactly: the last of what was told makes room.
    fn shrink(&mut self) {
        while self.budget.cost(&self.text()) > self.limit {
            match self.filled.iter_mut().rev().find(|part| part.is_told()) {
                Some(part) => {
                    let last = part.told.iter().rposition(Option::is_some).unwrap_or(0);
                    part.told[last] = None;
                    part.untold[last] = false;
                    part.count -= 1;
                    part.cut &= part.is_told();
                }
                None if self.lines.len() > 1 => {
                    self.lines.pop();
                }
                None => match self.lines.pop().and_then(|line| halved(&line)) {
                    Some(line) => self.lines.push(line),
                    None => return,
                },
            }
        }
    }
}

/// Half of a line, if that is still something.
fn halved(line: &str) -> Option<String> {
    let half = line.chars().count() / 2;
    (half > 8).then(|| clipped(line, half))
}

/// Tokens of the details of one item in the first round.
const DETAIL: usize = 160;

/// The share of what is free that the items of a part have for themselves, in percent.
fn share_of(key: &str) -> usize {
    match key {
        "memory" => 25,
        "state" => 28,
        "next" | "decisions" => 20,
        "constraints" | "files" => 16,
        "verify" | "gotchas" => 12,
        "rejected" | "checks" => 10,
        _ => 8,
    }
}

/// The share that details below the items have: where things stand is told at length.
fn details_of(key: &str) -> usize {
    match key {
        "state" => 32,
        "next" => 5,
        _ => 0,
    }
}

impl Filled {
    fn empty(draft: Draft) -> Self {
        let all = draft.items.len();
        Self {
            told: vec![None; all],
            untold: vec![false; all],
            draft,
            count: 0,
            cost: 0,
            cut: false,
        }
    }

    /// The order in which details get their room: of earlier requests first those of which something came.
    fn details_order(&self) -> Vec<usize> {
        let is_earlier =
            |at: &usize| self.draft.items[*at].label.as_deref() == Some(EARLIER_REQUESTS);
        let came = |at: &usize| self.draft.items[*at].head().0.contains(" → ");
        let (earlier, other): (Vec<usize>, Vec<usize>) =
            self.order().into_iter().partition(is_earlier);
        let (with, without): (Vec<usize>, Vec<usize>) = earlier.into_iter().partition(came);
        other.into_iter().chain(with).chain(without).collect()
    }

    /// The order in which items get their room: of earlier requests the newest first.
    fn order(&self) -> Vec<usize> {
        let is_earlier =
            |at: &usize| self.draft.items[*at].label.as_deref() == Some(EARLIER_REQUESTS);
        let (earlier, other): (Vec<usize>, Vec<usize>) =
            (0..self.draft.items.len()).partition(is_earlier);
        other.into_iter().chain(earlier.into_iter().rev()).collect()
    }

    fn is_told(&self) -> bool {
        self.count > 0
    }

    /// Whether the end of something was left out.
    fn is_cut(&self) -> bool {
        self.cut || self.untold.iter().any(|untold| *untold)
    }

    /// What is told, with the item that it is of.
    fn shown(&self) -> impl Iterator<Item = (&Item, &String)> {
        let told = self.draft.items.iter().zip(&self.told);
        told.filter_map(|(item, text)| Some((item, text.as_ref()?)))
    }

    fn left_out(&self) -> impl Iterator<Item = &Item> {
        let untold = self.draft.items.iter().zip(&self.told).filter(|(_, text)| text.is_none());
        untold.map(|(item, _)| item)
    }
}

/// The lines of the orientation that fit: the first ones into all but the reserve, cut if need be,
/// the others as long as two fifths are not used up.
fn fit_orientation(facts: &Facts<'_>, budget: &mut Budget, reserve: usize) -> Vec<String> {
    let whole = budget.free;
    let Orientation { first, more } = orientation(facts);
    let mut lines = Vec::new();
    let mut used = 0;
    let most = whole.saturating_sub(reserve).max(whole / 2);
    for line in first {
        let room = most.saturating_sub(used);
        let cost = budget.cost(&line) + 1;
        let line = if cost <= room { Some(line) } else { cut(&line, room, budget) };
        let Some(line) = line else { continue };
        used += budget.cost(&line) + 1;
        lines.push(line);
    }
    for line in more {
        let cost = budget.cost(&line) + 1;
        if used + cost > most.min(whole * 2 / 5) {
            break;
        }
        used += cost;
        lines.push(line);
    }
    budget.free = budget.free.saturating_sub(used);
    lines
}

/// Tells items of a part, at most so many of them, while they fit into its share and into what is free:
/// of each its first line. One that does not fit is passed over: a smaller one may.
fn fill(part: &mut Filled, budget: &mut Budget, share: usize, labels: bool, most: usize) {
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
            heading += budget.cost(&format!("**{label}**")) + 1;
        }
        // Whatever its length, no more than fits has to be looked at.
        let fits = |text: &str| {
            let mut beyond = text.chars().skip(room * 8 + 64);
            beyond.next().is_none() && budget.cost(text) + 1 + heading <= room
        };
        let number = part.draft.number(at);
        let (head, has_more) = item.head();
        let text = marked(head, item.kind, number);
        let text = match fits(&text) {
            true => text,
            false => {
                // The first item is cut rather than left out, if something of it can be said; where
                // others follow, they shall have room too.
                let inside = room.saturating_sub(heading + 1);
                let inside = if several { inside * 2 / 3 } else { inside };
                let no_cut =
                    at > 0 || part.is_told() || inside < LEAST_ITEM || part.draft.key == "others";
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
        part.cost += cost;
        part.told[at] = Some(text);
        part.untold[at] = has_more;
        part.count += 1;
        count += 1;
    }
}

/// Tells what stands below the first lines of items that are told, at most so many tokens of each.
fn fill_details(part: &mut Filled, budget: &mut Budget, share: usize, most: usize) {
    let mut used = 0;
    for at in part.details_order() {
        let room = budget.free.min(share.saturating_sub(used)).min(most);
        if room < LEAST_ITEM {
            return;
        }
        let Some(told) = part.told[at].as_ref().filter(|_| part.untold[at]) else { continue };
        let number = part.draft.number(at);
        let item = &part.draft.items[at];
        let before = budget.cost(told);
        let whole = marked(&item.text, item.kind, number);
        let all = before + room;
        let (text, is_whole) = match whole.len() <= all * 8 && budget.cost(&whole) <= all {
            true => (whole, true),
            false => match cut_lines(&whole, all, budget) {
                Some(text) if text.len() > told.len() + 8 => (text, false),
                _ => continue,
            },
        };
        let cost = budget.cost(&text).saturating_sub(before);
        used += cost;
        part.cost += cost;
        budget.free = budget.free.saturating_sub(cost);
        part.told[at] = Some(text);
        part.untold[at] = !is_whole;
    }
}

/// A text of at most so many tokens: whole lines, and of the next one as many words as fit.
fn cut_lines(text: &str, tokens: usize, budget: &Budget) -> Option<String> {
    let mut kept = String::new();
    let mut used = 0;
    let mut fences = Fences::default();
    for line in text.lines() {
        let cost = budget.cost(line) + 1;
        let in_code = fences.cover(line);
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

fn heading(draft: &Draft, labels: bool) -> String {
    if labels { format!("{}:", draft.heading) } else { format!("## {}", draft.heading) }
}

fn written(part: &Filled, labels: bool) -> String {
    let mut out = format!("\n{}\n", heading(&part.draft, labels));
    let mut label = None;
    for (at, (item, text)) in part.shown().enumerate() {
        // Paragraphs and code stand apart from what is before them.
        if at > 0 && item.kind == ItemKind::Plain && !text.starts_with('>') {
            out.push('\n');
        }
        if item.label.is_some() && item.label != label {
            label.clone_from(&item.label);
            out.push_str(&format!("**{}**\n", item.label.as_deref().unwrap_or_default()));
        }
        out.push_str(text);
        out.push('\n');
    }
    out
}

/// A text that has at most so many tokens: its beginning, its code closed. `None` if nothing is left.
fn cut(text: &str, tokens: usize, budget: &Budget) -> Option<String> {
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
fn clipped(text: &str, chars: usize) -> String {
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

/// The other handoffs that could have been meant.
fn others_draft(facts: &Facts<'_>) -> Option<Draft> {
    let mut items: Vec<Item> = facts
        .others
        .iter()
        .map(|other| {
            let named = match &other.session {
                Some(session) => {
                    format!("a session that left none (`segue show --session {session}`):")
                }
                None => format!("`{}`", other.short),
            };
            let mut text = format!(
                "{named} {}, {}",
                code_span(&one_line(&other.title, 80)),
                crate::ago(other.created, facts.now)
            );
            if let Some(branch) = &other.branch {
                text.push_str(&format!(", on {}", code_span(branch)));
            }
            if let Some(worktree) = other.worktree.as_ref().filter(|name| *name != "main") {
                text.push_str(&format!(", in the worktree {}", code_span(worktree)));
            }
            Item::listed(text)
        })
        .collect();
    if facts.more_others && !items.is_empty() {
        let text = "and more: `segue list`".to_owned();
        items.push(Item::listed(text));
    }
    (!items.is_empty()).then(|| Draft {
        key: "others",
        heading: "Other handoffs (`segue resume --id ID`)".to_owned(),
        items,
        numbered: false,
    })
}

/// What did not fit with the command that shows it, and how to go on. Both are short where there is
/// little room.
fn ending(facts: &Facts<'_>, filled: &[Filled], limit: usize, budget: &Budget) -> String {
    let mut out = String::new();
    if let Some(line) = left_out(facts, filled, false) {
        let line = match budget.cost(&line) * 8 > limit {
            true => left_out(facts, filled, true).unwrap_or(line),
            false => line,
        };
        out.push_str(&line);
        out.push('\n');
    }
    let whole = closing(facts);
    if budget.cost(&whole) * 8 > limit {
        out.push_str("When you stop: `segue save`.\n");
    } else {
        out.push_str(&whole);
        out.push('\n');
    }
    out
}

/// What did not fit, by part or in sum, and the command that shows it.
fn left_out(facts: &Facts<'_>, filled: &[Filled], in_sum: bool) -> Option<String> {
    let mut named = Vec::new();
    let mut files = Vec::new();
    let (mut sum, mut words) = (0, 0);
    for part in filled {
        let rest = part.left_out().filter(|item| item.from == Source::Handoff).count();
        words += part.left_out().filter(|item| item.from == Source::Words).count();
        if rest == 0 && !part.is_cut() {
            continue;
        }
        let told = |name: &str| match rest {
            0 => format!("the end of {name}"),
            rest => format!("{name} {rest}"),
        };
        match part.draft.key {
            "memory" | "instructions" => {
                let name = part.draft.heading.split(['(', ')', ';']).nth(1).unwrap_or("");
                files.push(told(name));
            }
            key => {
                sum += rest.max(1);
                named.push(told(if key == "others" { "other handoffs" } else { key }));
            }
        }
    }
    if in_sum && sum > 0 {
        named = vec![format!("{sum} of the handoff")];
    }
    if words > 0 {
        files.push(format!("HANDOFF.md {words}"));
    }
    let names = [named, files].concat();
    if names.is_empty() {
        return None;
    }
    let show = match facts.handoff() {
        Some(handoff) => match facts.unsaved() {
            Some(unsaved) => format!("`segue show --session {}`, `--budget N`", unsaved.session),
            None => format!("`segue show {}`, `--budget N`", handoff.head.id.short()),
        },
        None => "`--budget N` gives more room".to_owned(),
    };
    Some(format!("Left out ({show}): {}.", names.join(", ")))
}

/// How to go on, and how to leave the next handoff.
fn closing(facts: &Facts<'_>) -> String {
    let mut lines = Vec::new();
    if let Some(agent) = facts.conventions.agent {
        let again = facts.left.as_ref().and_then(|left| left.again.as_deref());
        match (again, facts.conventions.start) {
            (Some(again), _) => {
                lines.push(format!("The same session goes on in {agent} with `{again}`."))
            }
            (None, Some(start)) => lines.push(format!("To go on in {agent}: `{start}`.")),
            (None, None) => {}
        }
        if let Some(file) = facts.conventions.instructions {
            let there = facts.workspace.instructions.iter().any(|text| text.name == file);
            if there {
                lines.push(format!("Standing instructions are in {file}."));
            }
        }
    } else if let (Some(_), Some(file)) = (&facts.left, facts.workspace.instructions.first()) {
        lines.push(format!("Standing instructions are in {}.", file.name));
    }
    if facts.unsaved().is_some_and(|unsaved| !unsaved.kept) {
        lines.push("`segue snapshot` keeps what was read as a handoff.".to_owned());
    }
    lines.push(match &facts.left {
        Some(_) => "When you stop, leave the next handoff: `segue save`.".to_owned(),
        None => "Leave a handoff for the next session when you stop: `segue save --title \"…\" --next \"…\"`.".to_owned(),
    });
    lines.join(" ")
}
