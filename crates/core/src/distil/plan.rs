//! A plan that the user accepted: its title, its goal, and how far its steps went.

use super::next::StepState;
use super::plan_changes::dropped_steps;
use crate::claim::named_files;
use crate::section::Fences;
use crate::session::{Outcome, Plan, Session};

/// Steps that are looked at.
const STEPS: usize = 20;
/// Headings of sections that tell nothing to do.
const REFERENCE: &[&str] = &[
    "context",
    "background",
    "reference",
    "references",
    "critical files",
    "files",
    "key files",
    "notes",
    "out of scope",
    "non-goals",
    "risks",
    "verification",
    "testing",
    "test plan",
    "summary",
    "goal",
    "goals",
    "overview",
    "why",
    "assumptions",
    "existing",
    "open questions",
    "alternatives",
];

/// A step of a plan, and how far it went by what was seen.
pub(super) struct PlanStep {
    pub(super) text: String,
    pub(super) state: StepState,
}

/// The title of a plan: its first heading.
pub(super) fn title_of_plan(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let title = line.trim_start_matches('#').trim();
    let title = title.strip_prefix("Plan:").unwrap_or(title).trim();
    (!title.is_empty() && title.len() < 200).then(|| title.to_owned())
}

/// What the plan is for: the first paragraph below its title.
pub(super) fn goal_of_plan(text: &str) -> Option<String> {
    let mut fences = Fences::default();
    let mut goal = String::new();
    for line in text.lines().skip(1) {
        let code = fences.cover(line);
        let line = line.trim();
        if code || line.starts_with('#') || line.starts_with("---") || line.is_empty() {
            if !goal.is_empty() {
                break;
            }
            continue;
        }
        goal.push_str(line);
        goal.push(' ');
    }
    let goal = goal.trim();
    (goal.len() > 20).then(|| goal.to_owned())
}

/// The steps of a plan: headings that are numbered or name a step, else its numbered list.
pub(super) fn steps_of_plan(plan: &Plan, session: &Session) -> Vec<PlanStep> {
    let sections = sections_of_plan(&plan.text);
    let titles: Vec<&str> = sections.iter().map(|(title, _)| title.as_str()).collect();
    let dropped = dropped_steps(&titles, plan, session);
    sections
        .iter()
        .take(STEPS)
        .enumerate()
        .map(|(at, (text, body))| match dropped.contains(&at) {
            true => PlanStep {
                state: StepState::Dropped,
                text: format!("{text} (the user wants it no more)"),
            },
            false => PlanStep {
                state: state_of_step(&format!("{text}\n{body}"), plan, session),
                text: text.clone(),
            },
        })
        .collect()
}

/// Titles of the steps, each with the text below it.
fn sections_of_plan(text: &str) -> Vec<(String, String)> {
    let mut fences = Fences::default();
    let mut headings: Vec<(String, String)> = Vec::new();
    let mut listed: Vec<(String, String)> = Vec::new();
    let mut is_reference = false;
    let mut in_heading = false;
    for line in text.lines() {
        let code = fences.cover(line);
        let bare = line.trim();
        if !code && bare.starts_with('#') {
            let level = bare.bytes().take_while(|byte| *byte == b'#').count();
            let title = bare.trim_start_matches('#').trim();
            in_heading = is_step_title(title);
            if in_heading {
                headings.push((title.to_owned(), String::new()));
            } else if level <= 2 {
                let lower = title.to_lowercase();
                is_reference = REFERENCE.iter().any(|word| lower.starts_with(word));
            }
            continue;
        }
        if in_heading && let Some((_, body)) = headings.last_mut() {
            body.push_str(bare);
            body.push('\n');
        }
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let numbered = digits > 0 && line[digits..].starts_with(". ");
        if !code && numbered && !is_reference {
            listed.push((line[digits + 2..].trim().to_owned(), String::new()));
        }
    }
    if headings.len() > 1 { headings } else { listed }
}

/// `1. Title`, `Step 2: Title`, `Phase 1 — Title`.
fn is_step_title(title: &str) -> bool {
    let lower = title.to_lowercase();
    let rest = ["step ", "phase ", "part ", "commit ", "task "]
        .iter()
        .find_map(|word| lower.strip_prefix(word));
    let rest = rest.unwrap_or(&lower);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&digits) && rest[digits..].starts_with(['.', ':', ')', ' ', '—', '-'])
}

/// How far a step went, by the files and commands that it names.
fn state_of_step(text: &str, plan: &Plan, session: &Session) -> StepState {
    let files = named_files(text);
    let is_edited = |name: &str| {
        let name = name.split(':').next().unwrap_or(name).trim_start_matches("./");
        session.files.iter().any(|(path, file)| {
            file.is_changed()
                && file.record > plan.record
                && (path == name || path.ends_with(&format!("/{name}")))
        })
    };
    // What a command names may have been written, moved or deleted by it.
    let is_in_command = |name: &str| {
        let name = name.rsplit('/').next().unwrap_or(name);
        session.commands.iter().any(|known| {
            known.record > plan.record
                && known.outcome == Outcome::Passed
                && known.command.contains(name)
        })
    };
    let named: Vec<_> = files.iter().filter(|file| file.path.contains('.')).collect();
    let edited = named.iter().filter(|file| is_edited(&file.path)).count();
    let touched = named.iter().any(|file| is_in_command(&file.path));
    let runs = |command: &str| {
        session.commands.iter().any(|known| {
            known.record > plan.record
                && known.outcome == Outcome::Passed
                && known.command.contains(command)
        })
    };
    let spans = text.split('`').skip(1).step_by(2);
    let ran = spans.filter(|span| span.contains(' ') && span.len() > 6).any(runs);
    match (named.len(), edited) {
        (0, _) if ran => StepState::Done,
        (0, _) => StepState::Unknown,
        (all, edited) if edited == all => StepState::Done,
        (_, 0) if ran || touched => StepState::Begun,
        (_, 0) => StepState::NotSeen,
        _ => StepState::Begun,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{End, PromptWay, Recorder};

    const PLAN: &str = "# Split the lexer\n\n## Context\nThe lexer is too long to test.\n\n1. not a step\n\n\
        ## Steps\n1. Move tokens to `src/token.rs`\n2. Write `src/lexer/test.rs`\n3. Run `cargo test -p lexer`\n\n\
        ```sh\n1. in code\n```\n";

    #[test]
    fn a_plan_has_a_title_a_goal_and_steps() {
        assert_eq!(title_of_plan(PLAN).as_deref(), Some("Split the lexer"));
        assert_eq!(goal_of_plan(PLAN).as_deref(), Some("The lexer is too long to test."));
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Go", PromptWay::Typed);
        recorder.plans("p", PLAN);
        let passed = End { outcome: Outcome::Passed, exit: Some(0) };
        recorder.ended("p", passed, || "".into());
        recorder.next_record();
        recorder.edits("e", "/w/src/token.rs");
        recorder.ended("e", passed, || "".into());
        recorder.ran("r", "cargo test -p lexer");
        recorder.ended("r", passed, || "".into());
        let session = recorder.into_session();
        let plan = session.plan.clone().expect("a plan");
        let steps = steps_of_plan(&plan, &session);
        let states: Vec<_> = steps.iter().map(|step| (step.text.as_str(), step.state)).collect();
        assert_eq!(
            states,
            [
                ("Move tokens to `src/token.rs`", StepState::Done),
                ("Write `src/lexer/test.rs`", StepState::NotSeen),
                ("Run `cargo test -p lexer`", StepState::Done),
            ]
        );
    }

    #[test]
    fn headings_may_be_the_steps() {
        let text = "# T\n## Context\n### 1. Clear the list\nin `a.ts`\n### 2. Guard it\n";
        let titles: Vec<_> = sections_of_plan(text).into_iter().map(|(title, _)| title).collect();
        assert_eq!(titles, ["1. Clear the list", "2. Guard it"]);
    }
}
