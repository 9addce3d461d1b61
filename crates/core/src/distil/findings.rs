//! What was decided, dropped and learnt.

use super::answer::flatten;
use super::gather::{Items, rank};
use super::lasting::{in_one_line, is_over, told_anyway};
use super::plan::{goal_of_plan, steps_of_plan, title_of_plan};
use super::proposal::offers;
use super::status::{closing_proposal, work_began};
use super::taken_back::taken_back;
use super::{Section, one_line, quoted, weight_of};
use crate::code_span;
use crate::session::{
    CommitState, DecidedBy, Failure, LEAST_WEIGHT, Outcome, Prompt, PromptWay, Record, Session,
    check_kind, own_words, weigh,
};

/// How many are told of each kind, at most.
const ANSWERS: usize = 6;
const AGREED: usize = 3;
const STEPS: usize = 8;
/// Words of a question that is understood by itself.
const LONG_QUESTION: usize = 10;
const COMMITS: usize = 5;
const DECISIONS: usize = 3;
const REJECTED: usize = 4;
const GOTCHAS: usize = 5;
const FAILURES: usize = 2;
const STOPPED: usize = 2;
/// Bytes of a finding; of one that stands in the last message or in a report, which are told anyway.
const FINDING: usize = 420;
/// What a finding of the work that goes on counts more than an earlier one.
const CURRENT: i32 = 3;
const TOLD_ANYWAY: usize = 260;
/// Bytes of what a commit's message says, and the least that is worth it.
const MESSAGE: usize = 320;
const LEAST_MESSAGE: usize = 50;
const LEAST_REASON: i32 = 3;

/// Ways in which a program was started before it is worth telling which one worked.
const TRIES: usize = 3;
/// Variables that say nothing of a project.
const USUAL: &[&str] = &[
    "RUST_",
    "CARGO_",
    "GIT_",
    "NO_COLOR",
    "PYTHON",
    "NODE_",
    "FORCE_COLOR",
    "LC_",
    "TERM_",
    "GOFLAGS",
    "CGO_",
    "GO111",
];
/// Programs that only start another one.
pub(super) const RUNNERS: &[&str] = &[
    "npx", "pnpm", "bunx", "bun", "yarn", "npm", "uv", "run", "exec", "poetry", "pipenv", "python",
    "python3", "-m", "sudo", "env",
];

/// Slips of an agent's own tools: they say nothing of the project.
const SLIPS: &[&str] = &[
    "file has not been read yet",
    "string to replace not found",
    "file has been modified since read",
    "sibling tool call errored",
    "file does not exist",
    "no changes to make",
    "found multiple matches",
    "inputvalidationerror",
    "exceeds maximum allowed tokens",
    "request failed with status code",
    "jq: error",
    "parse error",
    "cancelled: parallel tool call",
    "user doesn't want to",
    "failed to find expected lines",
    "old_string",
    "invalid tool parameters",
    "no such tool",
    "is a directory",
    "eisdir",
    "status code 404",
    "no matches found",
    "unexpected eof while looking",
    "syntax error near unexpected",
];

/// Beginnings of answers with which a user agrees or declines.
const AGREES: &[&str] = &[
    "yes",
    "yep",
    "yeah",
    "ok",
    "okay",
    "sure",
    "go ahead",
    "do it",
    "let's do",
    "lets do",
    "sounds good",
    "agreed",
    "ja",
    "好",
    "可以",
    "oui",
    "sí",
];
const DECLINES: &[&str] =
    &["no", "nope", "nah", "na", "don't", "do not", "not ", "nein", "不", "non"];

impl Items<'_> {
    pub(super) fn findings(&mut self) {
        let mut seen: Vec<String> = Vec::new();
        self.decided(&mut seen);
        self.dropped(&mut seen);
        self.learnt(&mut seen);
    }

    fn decided(&mut self, seen: &mut Vec<String>) {
        let session = self.session;
        let mut all: Vec<(Record, String)> = self.answers();
        all.extend(self.accepted_plan());
        let (agreed, declined) = self.agreed();
        all.extend(agreed);
        let commits = session
            .commits
            .iter()
            .rev()
            .filter(|commit| commit.state == CommitState::Made && gives_reason(&commit.body));
        for commit in commits.take(COMMITS) {
            let id =
                if commit.id.is_empty() { String::new() } else { format!(" (`{}`)", commit.id) };
            let text = format!(
                "{}{id}: {}",
                code_span(&one_line(&commit.subject, 120)),
                flatten(&commit.body, MESSAGE)
            );
            seen.push(text.clone());
            all.push((commit.record, text));
        }
        // What was decided before the work that goes on comes last.
        let current = work_began(session);
        let (now, before): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(record, _)| *record >= current);
        for (_, text) in now.into_iter().chain(before) {
            self.add(Section::Decisions, rank::DECIDED, text);
        }
        for text in declined {
            self.add(Section::Rejected, rank::DECIDED, text);
        }
        let by_agent = session.decisions.iter().filter(|one| one.by == DecidedBy::Agent);
        let by_agent = by_agent.map(|one| (one.text.as_str(), one.record)).collect();
        self.best(Section::Decisions, by_agent, DECISIONS, seen);
    }

    /// The plan that the user accepted, with its steps or its goal.
    fn accepted_plan(&self) -> Option<(Record, String)> {
        let plan = self.session.plan.as_ref().filter(|plan| plan.accepted)?;
        let title = title_of_plan(&plan.text).unwrap_or_else(|| "a plan".to_owned());
        let steps = steps_of_plan(plan, self.session);
        let steps: Vec<String> =
            steps.iter().take(STEPS).map(|step| one_line(&step.text, 100)).collect();
        let says = match steps.is_empty() {
            true => goal_of_plan(&plan.text).unwrap_or_default(),
            false => steps.join("; "),
        };
        let says = one_line(&says, FINDING);
        let says = says.trim_end_matches([':', ' ']);
        let colon = if says.is_empty() { "" } else { ": " };
        let text = format!("The user accepted the plan “{}”{colon}{says}", one_line(&title, 160));
        Some((plan.record, text))
    }

    fn is_same_turn(&self, one: Record, other: Record) -> bool {
        !self.session.prompts.iter().any(|prompt| prompt.record > one && prompt.record <= other)
    }

    /// The user's answers to the agent's questions, those of one turn together, the newest first.
    fn answers(&self) -> Vec<(Record, String)> {
        let mut rounds: Vec<(Record, String)> = Vec::new();
        for decided in self.session.decisions.iter().filter(|one| one.by == DecidedBy::User) {
            let mut text = one_line(&decided.text, FINDING);
            let (question, chosen) = decided.text.split_once(" → ").unwrap_or(("", &decided.text));
            let prompts = &self.session.prompts;
            if let Some(later) = taken_back(prompts, decided.record, question, chosen) {
                text.push_str(&in_later_words(&later));
            }
            match rounds.last_mut() {
                Some((record, round)) if self.is_same_turn(*record, decided.record) => {
                    round.push_str("; ");
                    round.push_str(&text);
                }
                _ => rounds.push((decided.record, text)),
            }
        }
        let rounds = rounds.into_iter().rev().take(ANSWERS);
        rounds.map(|(record, round)| (record, format!("The user chose: {round}"))).collect()
    }

    /// What the agent proposed and the user agreed to, and what the user declined.
    fn agreed(&self) -> (Vec<(Record, String)>, Vec<String>) {
        let (mut agreed, mut declined) = (Vec::new(), Vec::new());
        let session = self.session;
        let turns = session.prompts.windows(2).rev();
        let mut found = 0;
        for turn in turns {
            let [before, after] = turn else { continue };
            let Some(answer) = &before.answer else { continue };
            let question = closing_proposal(&answer.text, FINDING);
            // An answer to a question of fact decides nothing.
            let Some(question) = question.filter(|question| offers(question)) else { continue };
            let own = own_words(&after.text).text;
            let lower = own.to_lowercase();
            let begins = |words: &[&str]| {
                words.iter().any(|word| {
                    lower.strip_prefix(word).is_some_and(|rest| {
                        !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '\'')
                    })
                })
            };
            // A question that names nothing is understood by what stands before it.
            let whole = flatten(&answer.text, FINDING);
            let proposal = match question.split_whitespace().count() >= LONG_QUESTION {
                true => quoted(&question, FINDING),
                false if whole.len() < FINDING => quoted(&whole, FINDING),
                false => format!(
                    "{} {}",
                    quoted(&flatten(&answer.text, 260), 280),
                    quoted(&question, 120)
                ),
            };
            if own.len() > 200 || found >= AGREED {
                continue;
            }
            if begins(AGREES) && is_plain_consent(&lower) || is_consent_by_no(&lower) {
                let mut text = format!("The user agreed ({}) to: {proposal}", quoted(&own, 80));
                if let Some(later) = taken_back(&session.prompts, after.record, "", &question) {
                    text.push_str(&in_later_words(&later));
                }
                agreed.push((after.record, text));
                found += 1;
            } else if begins(DECLINES) && !lower.contains('?') {
                let text = format!("The user declined ({}): {proposal}", quoted(&own, 120));
                declined.push(text);
                found += 1;
            }
        }
        (agreed, declined)
    }

    fn dropped(&mut self, seen: &mut Vec<String>) {
        let session = self.session;
        let stopped = session.commands.iter().rev().filter(|one| {
            one.outcome == Outcome::Stopped
                && is_stopped_by_user(session, one.record)
                && !is_passed(session, &one.command, one.record)
        });
        for command in stopped.take(STOPPED) {
            let refusing = session.prompts.iter().find(|prompt| {
                prompt.way == PromptWay::Refusing && prompt.record >= command.record
            });
            let why = refusing.filter(|prompt| {
                prompt.record <= command.record + 2 && !prompt.text.trim_end().ends_with('?')
            });
            let why =
                why.map(|prompt| format!(": {}", quoted(&prompt.text, 200))).unwrap_or_default();
            let text = format!(
                "The user refused or stopped {}{why}",
                code_span(&one_line(&command.command, 160))
            );
            self.add(Section::Rejected, rank::SAID, text);
        }
        if let Some(plan) = session.plan.as_ref().filter(|plan| plan.refused) {
            let title = title_of_plan(&plan.text).unwrap_or_else(|| "a plan".to_owned());
            self.add(
                Section::Rejected,
                rank::SAID,
                format!("The user did not accept the plan “{}”", one_line(&title, 200)),
            );
        }
        let said = session.rejected.iter().filter(|said| !said.text.starts_with('`'));
        self.best(
            Section::Rejected,
            said.map(|said| (said.text.as_str(), said.record)).collect(),
            REJECTED,
            seen,
        );
    }

    fn learnt(&mut self, seen: &mut Vec<String>) {
        let session = self.session;
        self.found_ways();
        self.set_variables();
        let lasts =
            session.gotchas.iter().filter(|said| !is_over(session, &said.text, said.record));
        let said = lasts.map(|said| (said.text.as_str(), said.record)).collect();
        self.best(Section::Warnings, said, GOTCHAS, seen);
        let failures = session
            .failures
            .iter()
            .rev()
            .filter(|one| why_not_worth_telling(session, one).is_none());
        for failure in failures.take(FAILURES) {
            let what = code_span(&one_line(&failure.what, 160));
            let text = format!("{what} failed: {}", code_span(&one_line(&failure.message, 200)));
            self.add_printed(Section::Warnings, rank::SAID, text);
        }
    }

    /// A program that was started in several ways before one of them worked.
    fn found_ways(&mut self) {
        let session = self.session;
        let mut told: Vec<String> = Vec::new();
        for check in session.checks.iter().filter(|check| check.outcome == Outcome::Passed) {
            let Some(tool) = tool_of(&check.name).filter(|tool| !told.contains(tool)) else {
                continue;
            };
            let began = session
                .prompts
                .iter()
                .rev()
                .map(|prompt| prompt.record)
                .find(|record| *record <= check.record);
            let tries = session
                .commands
                .iter()
                .filter(|one| one.record >= began.unwrap_or(0) && one.record <= check.record);
            let mut ways: Vec<String> =
                tries.filter_map(|one| way_of(&one.command, &tool)).collect();
            ways.sort();
            ways.dedup();
            if ways.len() >= TRIES {
                let worked = session.commands.iter().rfind(|one| {
                    one.record <= check.record && way_of(&one.command, &tool).is_some()
                });
                let worked = worked.map_or(check.command.as_str(), |one| one.command.as_str());
                let text = format!(
                    "{} was started in {} ways; what worked: {}",
                    code_span(&tool),
                    ways.len(),
                    code_span(&one_line(worked, 200))
                );
                self.infer(Section::Warnings, rank::WARNING, text);
                told.push(tool);
            }
        }
    }

    /// Variables that were set for checks.
    fn set_variables(&mut self) {
        let session = self.session;
        let mut told: Vec<&str> = Vec::new();
        for check in session.checks.iter().rev() {
            for word in check.command.split_whitespace() {
                let Some((name, value)) = word.split_once('=') else { continue };
                let is_variable = name.len() > 5
                    && name.contains('_')
                    && name.bytes().all(|byte| {
                        byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
                    });
                let is_plain = !value.is_empty()
                    && value.len() < 20
                    && value.bytes().all(|byte| byte.is_ascii_alphanumeric());
                if !is_variable
                    || !is_plain
                    || told.contains(&name)
                    || USUAL.iter().any(|usual| name.starts_with(usual))
                {
                    continue;
                }
                told.push(name);
                let text = format!(
                    "{} was run with {} set",
                    code_span(&one_line(&check.name, 80)),
                    code_span(word)
                );
                self.add(Section::Warnings, rank::WARNING, text);
            }
        }
    }

    /// Adds the passages that weigh most, the newest first of those that weigh the same.
    fn best(
        &mut self,
        section: Section,
        mut all: Vec<(&str, Record)>,
        most: usize,
        seen: &mut Vec<String>,
    ) {
        let told = told_anyway(self.session, &self.shared.reports);
        // What belongs to the work that goes on says more than what was found before it.
        let current = work_began(self.session);
        let bonus = |record: Record| if record >= current { CURRENT } else { 0 };
        all.sort_by_key(|(text, record)| {
            std::cmp::Reverse((weight_of(text) + bonus(*record), *record))
        });
        let mut count = 0;
        for (text, _) in all {
            if count == most || weight_of(text) < LEAST_WEIGHT {
                break;
            }
            if seen.iter().any(|known| is_similar(known, text)) {
                continue;
            }
            seen.push(text.to_owned());
            let is_told = told.iter().any(|known| known.contains(&in_one_line(text)));
            let longest = if is_told { TOLD_ANYWAY } else { FINDING };
            self.add(section, rank::FINDING, one_line(&text.replace("**", ""), longest));
            count += 1;
        }
    }
}

/// The program that a check runs, without its path.
pub(super) fn tool_of(check: &str) -> Option<String> {
    let words =
        check.split_whitespace().filter(|word| !word.contains('=') && !RUNNERS.contains(word));
    let word = words.into_iter().next()?.rsplit('/').next()?;
    (word.len() > 2
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'))
    .then(|| word.to_owned())
}

/// How a command line starts a program: its path, and what runs it.
fn way_of(command: &str, tool: &str) -> Option<String> {
    if !command.contains(tool) {
        return None;
    }
    let words: Vec<&str> = command.split_whitespace().collect();
    let at = words.iter().position(|word| word.rsplit('/').next() == Some(tool))?;
    let is_argument = at > 0
        && !RUNNERS.contains(&words[at - 1])
        && !words[at - 1].ends_with([';', '&', '|'])
        && !words[at - 1].contains('=');
    if is_argument {
        return None;
    }
    let before = at.checked_sub(1).map(|at| words[at]).filter(|word| RUNNERS.contains(word));
    Some(format!("{} {}", before.unwrap_or_default(), words[at]))
}

/// Whether the message of a commit says why, and not only what.
fn gives_reason(body: &str) -> bool {
    body.len() >= LEAST_MESSAGE && weigh(body).is_some_and(|(_, weight)| weight >= LEAST_REASON)
}

/// Whether two texts say mostly the same words.
fn is_similar(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
        words.map(str::to_lowercase).collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = one.iter().filter(|word| other.contains(word)).count();
    shared * 10 > one.len().min(other.len()) * 6
}

/// Whether the user refused or interrupted what began at a record. A rule, a time limit or the agent itself may
/// have stopped it, too: then neither is there.
fn is_stopped_by_user(session: &Session, record: Record) -> bool {
    let is_later = |prompt: &Prompt| {
        prompt.record > record || prompt.record == record && prompt.way == PromptWay::Refusing
    };
    let next = session.prompts.iter().position(is_later).unwrap_or(session.prompts.len());
    let refused = session.prompts.get(next).is_some_and(|prompt| prompt.way == PromptWay::Refusing);
    refused || next.checked_sub(1).is_none_or(|at| session.prompts[at].interrupted)
}

/// Whether a command was run again and went well.
fn is_passed(session: &Session, what: &str, record: Record) -> bool {
    session.commands.iter().any(|command| {
        command.record > record && command.command == what && command.outcome == Outcome::Passed
    })
}

/// Whether a message is nothing but an address: what was made, and not what went wrong.
fn is_link(message: &str) -> bool {
    let message = message.trim();
    message.starts_with("https://") && !message.contains(char::is_whitespace)
}

/// What stands behind a decision that was taken back.
fn in_later_words(later: &str) -> String {
    format!(" *(taken back)*, later: {}", quoted(later, 160))
}

/// Words behind a yes that take it back or turn it to something else.
const BUT: &[&str] = &[
    "but", "not", "no", "wait", "bad", "instead", "other", "rather", "except", "don't", "why",
    "think",
];
/// A no that says yes.
const CONSENT_BY_NO: &[&str] = &[
    "no problem",
    "no objection",
    "no worries",
    "no, that is fine",
    "no, that's fine",
    "no that's fine",
];

/// Whether an answer in small letters that begins with a yes is nothing but that.
fn is_plain_consent(answer: &str) -> bool {
    let is_letter = |c: char| !(c.is_alphanumeric() || c == '\'');
    !answer.contains('?') && !answer.split(is_letter).any(|word| BUT.contains(&word))
}

fn is_consent_by_no(answer: &str) -> bool {
    CONSENT_BY_NO.iter().any(|words| answer.starts_with(words)) && !answer.contains("but")
}

/// Programs that only show something, and those that run a script that is given with the command.
const LOOKS: &[&str] = &[
    "cat", "head", "tail", "ls", "grep", "rg", "sed", "awk", "find", "wc", "jq", "echo", "cd",
    "which", "stat",
];
const SCRIPTED: &[&str] = &["python", "python3", "node", "perl", "ruby", "bash", "sh"];

/// Whether a command only looks at something, or runs a script that nobody will run again: how it failed says
/// nothing of the project.
fn is_look(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    let mut is_script = || {
        words.next().is_some_and(|word| matches!(word, "-c" | "-e" | "-") || word.starts_with("<<"))
    };
    LOOKS.contains(&program) || SCRIPTED.contains(&program) && is_script()
}

/// Why a failure says nothing of the project; none if it does.
pub(super) fn why_not_worth_telling(session: &Session, failure: &Failure) -> Option<&'static str> {
    let lower = failure.message.to_lowercase();
    let is_command = session
        .commands
        .iter()
        .any(|command| command.command.starts_with(failure.what.trim_end_matches('…')));
    let program = |what: &str| what.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    let works_later = session.commands.iter().any(|command| {
        command.record > failure.record
            && command.outcome == Outcome::Passed
            && program(&command.command) == program(&failure.what)
    });
    if SLIPS.iter().any(|slip| lower.contains(slip)) {
        Some("a slip of the agent's own tools")
    } else if check_kind(&failure.what).is_some() {
        Some("a check, which stands with the checks")
    } else if !is_command {
        Some("no command")
    } else if is_look(&failure.what) {
        Some("a command that only looks at something, or a script of a few lines")
    } else if failure.message.len() <= 12 || lower.starts_with("exit code") || is_link(&lower) {
        Some("its message says nothing")
    } else if works_later {
        Some("the same program worked later")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::distil::{DistilRequest, distil};
    use crate::session::{End, Outcome, PromptWay, Recorder};

    fn body(recorder: Recorder) -> String {
        distil(&recorder.into_session(), &DistilRequest::default()).body
    }

    #[test]
    fn only_what_the_user_refused_or_interrupted_is_told_as_that() {
        let stopped = End { outcome: Outcome::Stopped, exit: None };
        let told = |by: &str| {
            let mut recorder = Recorder::new("x");
            recorder.next_record();
            recorder.asked("Look at the start page", PromptWay::Typed);
            recorder.next_record();
            recorder.ran("1", "npm run dev");
            recorder.next_record();
            recorder.ended("1", stopped, || "".into());
            match by {
                "interrupts" => recorder.interrupted(),
                "refuses" => recorder.asked("not now, the port is taken", PromptWay::Refusing),
                _ => {}
            }
            recorder.next_record();
            recorder.said("The start page looks right.");
            body(recorder)
        };
        for (by, is_told) in [("interrupts", true), ("refuses", true), ("a rule", false)] {
            assert_eq!(told(by).contains("The user refused or stopped"), is_told, "{by}");
        }
    }
}
