//! Fits the parts of a briefing into its budget: the most important first, each as far as it goes.

use super::frame::{clip_chars, code_span, one_line};
use super::parts::{
    Draft, Item, ItemKind, Orientation, Source, instructions, memory, orientation, parts, verify,
};
use super::{BriefedPart, Briefing, Facts};
use crate::section::Fences;
use crate::{Tokenizer, estimate_tokens};

/// What the estimate may be off by: the real count shall keep the budget too.
const CAUTION: f64 = 0.9;
/// Tokens that are kept free for *Verify first* and for the next steps each.
const LEAST_PART: usize = 60;
/// Less than this is not worth a line.
const LEAST_ITEM: usize = 12;

/// One part as it will be written.
struct Filled {
    draft: Draft,
    /// What is told of each item; `None` if nothing is.
    told: Vec<Option<String>>,
    /// How many are told.
    count: usize,
    cost: usize,
    /// Whether the end of an item was left out.
    cut: bool,
}

struct Budget {
    tokenizer: Tokenizer,
    /// Tokens still free.
    free: usize,
}

impl Budget {
    fn cost(&self, text: &str) -> usize {
        estimate_tokens(text, self.tokenizer)
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
        let mut budget = Budget { tokenizer: facts.conventions.tokenizer, free: limit };
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
        // First round: what must be there at any budget gets its share, MEMORY.md its quarter.
        let rest = budget.free.saturating_sub(quarter);
        let share = |part: &Filled| match part.draft.key {
            "memory" => quarter,
            "verify" | "next" => rest / 2,
            _ => 0,
        };
        for part in &mut filled {
            let share = share(part);
            fill(part, &mut budget, share, labels);
        }
        // Second round: what is free goes to the parts in their order.
        for part in &mut filled {
            fill(part, &mut budget, usize::MAX, labels);
        }
        Self { facts, budget, limit, title, lines, filled }
    }

    fn leaves_out(&self) -> bool {
        self.filled.iter().any(|part| part.cut || part.left_out().next().is_some())
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

impl Filled {
    fn empty(draft: Draft) -> Self {
        Self { told: vec![None; draft.items.len()], draft, count: 0, cost: 0, cut: false }
    }

    fn is_told(&self) -> bool {
        self.count > 0
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

/// Tells items of a part while they fit into its share and into what is free. One that does not fit
/// is passed over: a smaller one may.
fn fill(part: &mut Filled, budget: &mut Budget, share: usize, labels: bool) {
    let several = part.draft.items.len() > 1;
    for at in 0..part.draft.items.len() {
        let room = budget.free.min(share.saturating_sub(part.cost));
        if room < LEAST_ITEM {
            return;
        }
        if part.told[at].is_some() {
            continue;
        }
        let item = &part.draft.items[at];
        let heading =
            if part.is_told() { 0 } else { budget.cost(&heading(&part.draft, labels)) + 2 };
        // Whatever its length, no more than fits has to be looked at.
        let fits = |text: &str| {
            let mut beyond = text.chars().skip(room * 8 + 64);
            beyond.next().is_none() && budget.cost(text) + 1 + heading <= room
        };
        let number = part.draft.number(at);
        let text = marked(item, number, None);
        let labelled = fits(&text).then(|| match new_label(part, at) {
            Some(label) => marked(item, number, Some(label)),
            None => text.clone(),
        });
        let text = match labelled.filter(|text| fits(text)) {
            Some(text) => text,
            None => {
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
        part.count += 1;
    }
}

/// The label of an item, if the one told before it had another.
fn new_label(part: &Filled, at: usize) -> Option<&str> {
    let label = part.draft.items[at].label.as_deref()?;
    let before = part.told[..at].iter().rposition(Option::is_some);
    let known = before.and_then(|before| part.draft.items[before].label.as_deref());
    (known != Some(label)).then_some(label)
}

/// An item with its list mark or number, and its label.
fn marked(item: &Item, number: Option<usize>, label: Option<&str>) -> String {
    let text = match item.kind {
        ItemKind::Plain => item.text.clone(),
        ItemKind::Listed => {
            let mark = number.map_or_else(|| "- ".to_owned(), |number| format!("{number}. "));
            let (first, rest) = item.text.split_once('\n').unwrap_or((&item.text, ""));
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
    };
    match label {
        Some(label) => format!("**{label}**\n{text}"),
        None => text,
    }
}

fn heading(draft: &Draft, labels: bool) -> String {
    if labels { format!("{}:", draft.heading) } else { format!("## {}", draft.heading) }
}

fn written(part: &Filled, labels: bool) -> String {
    let mut out = format!("\n{}\n", heading(&part.draft, labels));
    for (at, (item, text)) in part.shown().enumerate() {
        // Paragraphs and code stand apart from what is before them.
        if at > 0 && item.kind == ItemKind::Plain && !text.starts_with('>') {
            out.push('\n');
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
        if rest == 0 && !part.cut {
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
