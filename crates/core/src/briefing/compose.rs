//! Fits the parts of a briefing into its budget: the most important first, each as far as it goes.

use super::frame::{clip_chars, code_span, one_line};
use super::parts::{
    Draft, Item, ItemKind, Orientation, instructions, memory, orientation, parts, verify,
};
use super::{BriefedPart, Briefing, Facts};
use crate::section::Fences;
use crate::{Tokenizer, estimate_tokens};

/// What the estimate may be off by: the real count shall keep the budget too.
const CAUTION: f64 = 0.9;

/// One part as it will be written.
struct Filled {
    draft: Draft,
    shown: Vec<String>,
    cost: usize,
    /// Items from here on were not told.
    next: usize,
    /// Whether the end of its first item was left out.
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
        left_out: part.draft.items[part.next..].iter().map(|item| item.text.clone()).collect(),
        shown: part.shown,
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
        let lines = fit_orientation(facts, &mut budget);
        let mut filled: Vec<Filled> = drafts.into_iter().map(Filled::empty).collect();
        let labels = facts.conventions.labels;
        // First round: what must be there at any budget gets its share, MEMORY.md its quarter.
        let has_memory = filled.iter().any(|part| part.draft.key == "memory");
        let quarter = if has_memory { limit / 4 } else { 0 };
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
        self.filled.iter().any(|part| part.next < part.draft.items.len() || part.cut)
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n{}\n", self.title, self.lines.join("\n"));
        for part in self.filled.iter().filter(|part| !part.shown.is_empty()) {
            text.push_str(&written(part, self.facts.conventions.labels));
        }
        text.push('\n');
        text.push_str(&ending(self.facts, &self.filled, self.limit, &self.budget));
        text
    }

    /// Estimates of pieces do not add up exactly: the last of what was told makes room.
    fn shrink(&mut self) {
        while self.budget.cost(&self.text()) > self.limit {
            match self.filled.iter_mut().rev().find(|part| !part.shown.is_empty()) {
                Some(part) => {
                    part.shown.pop();
                    part.next -= 1;
                    part.cut &= part.next > 0;
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
    (half > 8).then(|| clip_chars(line, half))
}

impl Filled {
    fn empty(draft: Draft) -> Self {
        Self { draft, shown: Vec::new(), cost: 0, next: 0, cut: false }
    }
}

/// The lines of the orientation that fit: the first ones into three fifths, cut if need be, the others
/// into two.
fn fit_orientation(facts: &Facts<'_>, budget: &mut Budget) -> Vec<String> {
    let whole = budget.free;
    let Orientation { first, more } = orientation(facts);
    let mut lines = Vec::new();
    let mut used = 0;
    for line in first {
        let room = (whole * 3 / 5).saturating_sub(used);
        let cost = budget.cost(&line) + 1;
        let line = if cost <= room { Some(line) } else { cut(&line, room.max(12), budget) };
        let Some(line) = line else { continue };
        used += budget.cost(&line) + 1;
        lines.push(line);
    }
    for line in more {
        let cost = budget.cost(&line) + 1;
        if used + cost > whole * 2 / 5 {
            break;
        }
        used += cost;
        lines.push(line);
    }
    budget.free = budget.free.saturating_sub(used);
    lines
}

/// Tells items of a part while they fit into its share and into what is free.
fn fill(part: &mut Filled, budget: &mut Budget, share: usize, labels: bool) {
    while let Some(item) = part.draft.items.get(part.next) {
        let room = budget.free.min(share.saturating_sub(part.cost));
        let heading =
            if part.shown.is_empty() { budget.cost(&heading(&part.draft, labels)) + 2 } else { 0 };
        let label = new_label(part, item);
        let text = marked(item, part.shown.len(), part.draft.numbered, label.as_deref());
        let cost = budget.cost(&text) + 1 + heading;
        let (text, cost) = if cost <= room {
            (text, cost)
        } else {
            // A first item is cut rather than left out, if something of it can be said.
            let inside = room.saturating_sub(heading + 1);
            if !part.shown.is_empty() || inside < 16 || part.draft.key == "others" {
                return;
            }
            let Some(text) = cut(&text, inside, budget) else { return };
            part.cut = true;
            let cost = budget.cost(&text) + 1 + heading;
            (text, cost)
        };
        budget.free = budget.free.saturating_sub(cost);
        part.cost += cost;
        part.shown.push(text);
        part.next += 1;
    }
}

/// The label of an item, if the one before it had another.
fn new_label(part: &Filled, item: &Item) -> Option<String> {
    let before = part.next.checked_sub(1).and_then(|at| part.draft.items.get(at));
    let label = item.label.clone()?;
    (before.and_then(|before| before.label.as_ref()) != Some(&label)).then_some(label)
}

/// An item with its list mark and label.
fn marked(item: &Item, at: usize, numbered: bool, label: Option<&str>) -> String {
    let text = match item.kind {
        ItemKind::Plain => item.text.clone(),
        ItemKind::Listed => {
            let mark = if numbered { format!("{}. ", at + 1) } else { "- ".to_owned() };
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
    if let Some(lead) = &part.draft.lead {
        out.push_str(lead);
        out.push('\n');
    }
    let mut before: Option<&String> = None;
    for (text, item) in part.shown.iter().zip(&part.draft.items) {
        // Paragraphs and code stand apart from what is before them.
        let apart = item.kind == ItemKind::Plain && !text.starts_with('>');
        if before.is_some() && apart {
            out.push('\n');
        }
        out.push_str(text);
        out.push('\n');
        before = Some(text);
    }
    out
}

/// A text that has at most so many tokens: its beginning, its code closed. `None` if nothing is left.
fn cut(text: &str, tokens: usize, budget: &Budget) -> Option<String> {
    let mut low = 0;
    let mut high = text.chars().count();
    let make = |chars: usize| {
        let mut kept = clip_chars(text, chars);
        if let Some(fence) = Fences::closing(&kept) {
            kept.push('\n');
            kept.push_str(&fence);
        }
        kept
    };
    while low < high {
        let middle = (low + high).div_ceil(2);
        if budget.cost(&make(middle)) <= tokens {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    (low >= 12).then(|| make(low))
}

/// The other handoffs that could have been meant.
fn others_draft(facts: &Facts<'_>) -> Option<Draft> {
    let mut items: Vec<Item> = facts
        .others
        .iter()
        .map(|other| {
            let mut text = format!(
                "`{}` {}, {}",
                other.short,
                code_span(&one_line(&other.title, 80)),
                match crate::age(other.created, facts.now).as_str() {
                    "now" => "just now".to_owned(),
                    age => format!("{age} ago"),
                }
            );
            if let Some(branch) = &other.branch {
                text.push_str(&format!(", on {}", code_span(branch)));
            }
            if let Some(worktree) = other.worktree.as_ref().filter(|name| *name != "main") {
                text.push_str(&format!(", in the worktree {}", code_span(worktree)));
            }
            Item { text, label: None, kind: ItemKind::Listed }
        })
        .collect();
    if facts.more_others && !items.is_empty() {
        let text = "and more: `segue list`".to_owned();
        items.push(Item { text, label: None, kind: ItemKind::Listed });
    }
    (!items.is_empty()).then(|| Draft {
        key: "others",
        heading: "Other handoffs (`segue resume --id ID`)".to_owned(),
        lead: None,
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
    if budget.cost(&whole) * 5 > limit {
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
    let mut sum = 0;
    for part in filled {
        let rest = part.draft.items.len() - part.next;
        if rest == 0 && !part.cut {
            continue;
        }
        let told = |name: &str| match rest {
            0 => format!("the end of {name}"),
            rest => format!("{name} {rest}"),
        };
        match part.draft.key {
            "memory" | "instructions" => {
                let name = part.draft.heading.split(['(', ')']).nth(1).unwrap_or("");
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
    let names = [named, files].concat();
    if names.is_empty() {
        return None;
    }
    let show = match facts.handoff() {
        Some(handoff) => format!("`segue show {}`", handoff.head.id.short()),
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
    lines.push(match &facts.left {
        Some(_) => "When you stop, leave the next handoff: `segue save`.".to_owned(),
        None => "Leave a handoff for the next session when you stop: `segue save --title \"…\" --next \"…\"`.".to_owned(),
    });
    lines.join(" ")
}
