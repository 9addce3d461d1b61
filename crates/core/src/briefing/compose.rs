//! Fits the parts of a briefing into its budget: the most important first, each as far as it goes.

use super::carried::lanes_draft;
use super::fill::{Budget, Filled, clipped, cut, fill, fill_details, labelled};
use super::frame::{code_span, one_line};
use super::mentions::{break_mentions, with_own, without_mentions};
use super::parts::{
    Draft, Item, ItemKind, Orientation, Source, instructions, memory, orientation, parts,
};
use super::repeated::{last_message, leave_out_repeated};
use super::verify::verify;
use super::{BriefedPart, Briefing, Facts};
use crate::distil::{EARLIER_REQUESTS, REPORTS, requests_between};

/// How much of the estimate may be used for a budget. Estimates of texts such as briefings are 7 to 18
/// percent too high (docs/benchmarks.md), so the real count keeps the budget and uses most of it.
const CAUTION: f64 = 1.07;
/// The same for texts in other scripts, whose estimates are sometimes too low.
const CAUTION_ELSEWHERE: f64 = 0.95;
/// From this budget on, every part that has something shows its first item.
const SHOWS_ALL_PARTS: usize = 600;
/// Tokens of a line that says how many requests are left out.
const BETWEEN: usize = 20;
/// Tokens that are kept free for *Verify first* and for the next steps each.
const LEAST_PART: usize = 60;

pub(super) fn compose(facts: &Facts<'_>) -> Briefing {
    let (doubts, changed) = facts.told_doubts();
    let to_verify = verify(facts, &doubts, changed);
    let drafts = || -> Vec<Draft> {
        let lanes = lanes_draft(facts);
        let extras = [memory(facts), lanes, others_draft(facts), instructions(facts)];
        let parts = parts(facts, &doubts, &to_verify).into_iter();
        let mut all: Vec<Draft> = parts.chain(extras.into_iter().flatten()).collect();
        all.iter_mut().for_each(|draft| break_mentions(facts, draft));
        all
    };
    let fitting = |leave_out: &dyn Fn(&mut [Draft]) -> usize| {
        let drafts = || {
            let mut drafts = drafts();
            leave_out(&mut drafts);
            drafts.retain(|draft| !draft.items.is_empty());
            drafts
        };
        // If everything fits, nothing has to be said of what is left out.
        let mut told = Told::new(facts, drafts(), &[]);
        if told.leaves_out() {
            let nothing: Vec<Filled> = drafts().into_iter().map(Filled::empty).collect();
            told = Told::new(facts, drafts(), &nothing);
        }
        told.shrink();
        told
    };
    let mut told = fitting(&|_| 0);
    // What the last message says is said once, as long as it still says that with the room that this makes.
    if let Some(message) = last_message(&told.filled) {
        let repeated = leave_out_repeated(&mut drafts(), &message);
        let again = (repeated > 0).then(|| fitting(&|drafts| leave_out_repeated(drafts, &message)));
        let says = |again: &Told<'_>| {
            last_message(&again.filled)
                .is_some_and(|now| leave_out_repeated(&mut drafts(), &now) >= repeated)
        };
        told = again.filter(says).unwrap_or(told);
    }
    let text = with_own(&told.text());
    let tokens = told.budget.cost(&text);
    let orientation = BriefedPart { key: "orientation", shown: told.lines, left_out: Vec::new() };
    let rest = told.filled.into_iter().map(|part| BriefedPart {
        key: part.draft.key,
        left_out: part.left_out().map(|item| with_own(&item.text)).collect(),
        shown: part.shown().map(|(_, text)| with_own(text)).collect(),
    });
    let parts = std::iter::once(orientation).chain(rest).collect();
    Briefing { text, tokens, parts, verify: to_verify }
}

/// How much of the estimate may be used, by the script that the handoff is in.
fn caution(facts: &Facts<'_>) -> f64 {
    let body = facts.handoff().map_or("", |handoff| handoff.body());
    let words = facts.workspace.words.as_ref().map_or("", |file| file.text.as_str());
    let other = |text: &str| text.bytes().filter(|byte| !byte.is_ascii()).count();
    let is_elsewhere = (other(body) + other(words)) * 6 > body.len() + words.len();
    if is_elsewhere { CAUTION_ELSEWHERE } else { CAUTION }
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
        let limit = (facts.budget as f64 * caution(facts)) as usize;
        let title = format!("# Briefing: {}", one_line(facts.project, 80));
        let title = without_mentions(facts, title);
        let mut budget = Budget { free: limit };
        let fixed = budget.cost(&format!("{title}\n\n{}", ending(facts, unsaid, limit, &budget)));
        // Where something is left out, requests may be, which is said.
        let requests = |draft: &Draft| {
            let of = |item: &&Item| item.label.as_deref() == Some(EARLIER_REQUESTS);
            draft.items.iter().filter(of).count()
        };
        let may_leave = !unsaid.is_empty() && drafts.iter().any(|draft| requests(draft) > 2);
        let gap = if may_leave { BETWEEN } else { 0 };
        budget.free = limit.saturating_sub(fixed + 4 + gap);
        let mut filled: Vec<Filled> = drafts.into_iter().map(Filled::empty).collect();
        let there = |key: &str| filled.iter().any(|part| part.draft.key == key);
        let quarter = if there("memory") { limit / 4 } else { 0 };
        // So much is kept free for what must be there at any budget.
        let least = |key: &str| if there(key) { LEAST_PART.min(limit / 8) } else { 0 };
        let reserve = quarter + least("verify") + least("next");
        let lines = fit_orientation(facts, &mut budget, reserve);
        let labels = facts.conventions.labels;
        if facts.budget >= SHOWS_ALL_PARTS {
            let free = budget.free;
            for part in &mut filled {
                fill(part, &mut budget, free / 5, labels, 1);
            }
            for part in &mut filled {
                let has_reports = part.has_label(REPORTS);
                let share = if has_reports { WITH_REPORTS } else { share_of(part.draft.key) };
                let share = free * share / 100;
                fill(part, &mut budget, share, labels, usize::MAX);
                let details = free * details_of(part.draft.key) / 100;
                fill_details(part, &mut budget, details, Filled::own_room);
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
                let room = |part: &Filled, at| {
                    if most == DETAIL && part.is_told_briefly(at) { 0 } else { most }
                };
                fill_details(part, &mut budget, usize::MAX, room);
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
            text.push_str(&written(part, self.facts));
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

/// The share of a state with reports of the work that goes on.
const WITH_REPORTS: usize = 55;
/// The share of what is free that the items of a part have for themselves, in percent.
fn share_of(key: &str) -> usize {
    match key {
        "memory" => 25,
        "state" => 28,
        "next" | "decisions" => 20,
        "files" => 22,
        "constraints" => 16,
        "verify" | "gotchas" => 12,
        "rejected" | "checks" => 10,
        _ => 8,
    }
}

/// The share that details below the items have: where things stand is told at length.
fn details_of(key: &str) -> usize {
    match key {
        "state" => 40,
        "next" => 5,
        _ => 0,
    }
}

/// The lines of the orientation that fit: the first ones into all but the reserve, cut if need be,
/// the others as long as two fifths are not used up.
fn fit_orientation(facts: &Facts<'_>, budget: &mut Budget, reserve: usize) -> Vec<String> {
    let whole = budget.free;
    let Orientation { first, more } = orientation(facts);
    let [first, more] = [first, more].map(|lines| {
        let lines = lines.into_iter().map(|line| without_mentions(facts, line));
        lines.collect::<Vec<_>>()
    });
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

pub(super) fn heading(draft: &Draft, labels: bool) -> String {
    if labels { format!("{}:", draft.heading) } else { format!("## {}", draft.heading) }
}

fn written(part: &Filled, facts: &Facts<'_>) -> String {
    let mut out = format!("\n{}\n", heading(&part.draft, facts.conventions.labels));
    let mut label = None;
    let gaps = part.requests_left_out();
    let gap_before = |place: usize| match gaps.iter().find(|(before, _)| *before == place) {
        Some((_, count)) => {
            let show = show_command(facts).map_or_else(String::new, |show| format!(", {show}"));
            format!("- {}{show}\n", requests_between(*count))
        }
        None => String::new(),
    };
    let told = part.draft.items.iter().enumerate().zip(&part.told);
    let told = told.filter_map(|(item, text)| Some((item, text.as_ref()?)));
    for (at, ((place, item), text)) in told.enumerate() {
        // Paragraphs and code stand apart from what is before them.
        if at > 0 && item.kind == ItemKind::Plain && !text.starts_with('>') {
            out.push('\n');
        }
        if item.label.is_some() && item.label != label {
            label.clone_from(&item.label);
            out.push_str(&labelled(item.label.as_deref().unwrap_or_default()));
            out.push('\n');
        }
        out.push_str(&gap_before(place));
        out.push_str(text);
        out.push('\n');
    }
    out.push_str(&gap_before(part.draft.items.len()));
    out
}

/// The command that shows the whole of what a briefing is about.
fn show_command(facts: &Facts<'_>) -> Option<String> {
    let handoff = facts.handoff()?;
    Some(match facts.unsaved() {
        Some(unsaved) => format!("`segue show --session {}`", unsaved.session),
        None => format!("`segue show {}`", handoff.head.id.short()),
    })
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
            0 => format!("part of {name}"),
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
        named = vec![format!("{sum} items")];
    }
    if words > 0 {
        files.push(format!("HANDOFF.md {words}"));
    }
    let names = [named, files].concat();
    if names.is_empty() {
        return None;
    }
    let show = match show_command(facts) {
        Some(show) => format!("{show}, `--budget N`"),
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
