//! Fits the parts of a briefing into its budget: the most important first, each as far as it goes.

use super::frame::{clip_chars, code_span, one_line};
use super::parts::{Draft, Item, ItemKind, instructions, memory, orientation, parts, verify};
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
    let limit = (facts.budget as f64 * CAUTION) as usize;
    let mut budget = Budget { tokenizer: facts.conventions.tokenizer, free: limit };
    let doubts = facts.doubts();
    let to_verify = verify(facts, &doubts);
    let title = format!("# Briefing: {}", one_line(facts.project, 80));
    let closing = closing(facts);
    // The title, the way out and one line on what is left out are always there.
    let fixed = budget.cost(&format!("{title}\n\n{closing}\n")) + 45;
    budget.free = limit.saturating_sub(fixed);
    let whole = budget.free;

    let lines = fit_orientation(facts, &mut budget, whole * 2 / 5);
    let mut filled: Vec<Filled> = parts(facts, &doubts, &to_verify)
        .into_iter()
        .map(|draft| Filled { draft, shown: Vec::new(), cost: 0, next: 0 })
        .collect();
    let others = others_draft(facts);
    let extras = [memory(facts), others, instructions(facts)];
    let memory_at = filled.len();
    let has_memory = extras[0].is_some();
    filled.extend(extras.into_iter().flatten().map(|draft| Filled {
        draft,
        shown: Vec::new(),
        cost: 0,
        next: 0,
    }));
    // First round: what must be there at any budget gets its share, MEMORY.md its quarter.
    let share = |part: &Filled| match part.draft.key {
        "verify" => whole * 3 / 10,
        "next" => whole * 3 / 10,
        _ => 0,
    };
    if has_memory {
        let quarter = whole / 4;
        fill(&mut filled[memory_at], &mut budget, quarter, facts.conventions.labels);
    }
    for part in &mut filled {
        let share = share(part);
        fill(part, &mut budget, share, facts.conventions.labels);
    }
    // Second round: what is free goes to the parts in their order.
    for part in &mut filled {
        fill(part, &mut budget, usize::MAX, facts.conventions.labels);
    }
    let write = |filled: &[Filled], lines: &[String]| {
        let mut text = format!("{title}\n{}\n", lines.join("\n"));
        for part in filled.iter().filter(|part| !part.shown.is_empty()) {
            text.push_str(&written(part, facts.conventions.labels));
        }
        text.push('\n');
        if let Some(line) = left_out(facts, filled) {
            text.push_str(&line);
            text.push('\n');
        }
        text.push_str(&closing);
        text.push('\n');
        text
    };
    let mut text = write(&filled, &lines);
    let mut lines = lines;
    // Estimates of pieces do not add up exactly: the last of what was told makes room.
    while budget.cost(&text) > limit {
        let last = filled.iter_mut().rev().find(|part| !part.shown.is_empty());
        match last {
            Some(part) => {
                part.shown.pop();
                part.next -= 1;
            }
            None if lines.len() > 1 => {
                lines.pop();
            }
            None => break,
        }
        text = write(&filled, &lines);
    }
    let mut briefed = vec![BriefedPart { key: "orientation", shown: lines, left_out: Vec::new() }];
    briefed.extend(filled.into_iter().map(|part| BriefedPart {
        key: part.draft.key,
        left_out: part.draft.items[part.next..].iter().map(|item| item.text.clone()).collect(),
        shown: part.shown,
    }));
    Briefing { tokens: budget.cost(&text), text, parts: briefed, verify: to_verify }
}

/// The lines of the orientation that fit; the first is cut rather than left out.
fn fit_orientation(facts: &Facts<'_>, budget: &mut Budget, share: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut used = 0;
    for line in orientation(facts) {
        let mut line = line;
        let mut cost = budget.cost(&line) + 1;
        if used + cost > share {
            if !lines.is_empty() {
                break;
            }
            line = cut(&line, share.max(20), budget).unwrap_or(line);
            cost = budget.cost(&line) + 1;
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
            if !part.shown.is_empty() || inside < 16 {
                return;
            }
            let Some(text) = cut(&text, inside, budget) else { return };
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
            let mut lines = item.text.lines();
            let mut text = mark + lines.next().unwrap_or("");
            for line in lines {
                text.push('\n');
                if !line.is_empty() && !line.starts_with("  ") {
                    text.push_str("  ");
                }
                text.push_str(line);
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

/// What did not fit, and the command that shows it.
fn left_out(facts: &Facts<'_>, filled: &[Filled]) -> Option<String> {
    let mut named = Vec::new();
    let mut files = Vec::new();
    for part in filled {
        let rest = part.draft.items.len() - part.next;
        // A first item may have been cut.
        let clipped = part.shown.iter().any(|text| text.ends_with('…'));
        if rest == 0 && !clipped {
            continue;
        }
        let heading = part.draft.heading.split(" (").next().unwrap_or("").to_lowercase();
        match part.draft.key {
            "memory" | "instructions" => {
                let name = part.draft.heading.split(['(', ')']).nth(1).unwrap_or("MEMORY.md");
                let more =
                    if rest > 0 { format!("{rest} more in ") } else { "the rest of ".into() };
                files.push(format!("{more}{name}"));
            }
            "verify" => named.push(format!("{rest} more to verify")),
            _ if rest == 0 => named.push(format!("the rest of {heading}")),
            _ => named.push(format!("{rest} of {heading}")),
        }
    }
    if named.is_empty() && files.is_empty() {
        return None;
    }
    let mut line = String::from("Left out: ");
    line.push_str(&[named.clone(), files].concat().join(", "));
    match facts.handoff() {
        Some(handoff) if !named.is_empty() => line.push_str(&format!(
            ". `segue show {}` has all of it; `--budget N` gives more room.",
            handoff.head.id.short()
        )),
        _ => line.push_str(". `--budget N` gives more room."),
    }
    Some(line)
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
    } else if let Some(file) = facts.workspace.instructions.first() {
        lines.push(format!("Standing instructions are in {}.", file.name));
    }
    lines.push(match &facts.left {
        Some(_) => "When you stop, leave the next handoff: `segue save`.".to_owned(),
        None => "Leave a handoff for the next session when you stop: `segue save --title \"…\" --next \"…\"`.".to_owned(),
    });
    lines.join(" ")
}
