//! The story of a session: where it stands, its last turn in full, and the requests before it with what
//! came of each.

use super::answer::{first_sentence, flatten, quote};
use super::covering::is_passed_later;
use super::files::BY_SUBAGENT;
use super::gather::{Items, rank};
use super::reports::WITH_REPORTS;
use super::request::answers;
use super::status::{SessionStatus, Standing, has_failing_check, is_worked_on};
use super::{EARLIER_REQUESTS, REPORTS, Section, Span, Words, one_line, quoted, requests_between};
use crate::code_span;
use crate::session::{
    Command, Commit, CommitState, Outcome, Prompt, PromptWay, Record, Said, Session, TodoStatus,
    own_words, shorten,
};

/// Bytes of the agent's last message, and of a summary.
const LAST_MESSAGE: usize = 4_000;
const SUMMARY: usize = 2_400;
/// Bytes of a message right before the last one, of all of them, how many there are, and the bytes of those
/// that say little.
const MESSAGE_BEFORE: usize = 500;
const MESSAGES_BEFORE: usize = 1_400;
const BEFORE: usize = 3;
const SAYS_LITTLE: usize = 110;
/// Bytes of an answer besides which nothing has to be said of the way to it.
const SAYS_ENOUGH: usize = 1_000;
/// Bytes of the to-dos that are done.
const TODOS: usize = 400;
/// Commands of a turn that is not finished.
const COMMANDS: usize = 3;
const COMMAND: usize = 100;
/// Bytes of the agent's words that a status rests on.
const REASON: usize = 180;
/// Bytes of the last request and of earlier ones.
const LAST_REQUEST: usize = 900;
const SHORT_REQUEST: usize = 300;
const FIRST_REQUEST: usize = 500;
const REQUEST: usize = 240;
/// Bytes of what the agent answered to the newest of the earlier requests, and to the others.
const NEWEST_ANSWER: usize = 1_000;
const ANSWER: usize = 700;
const SHORT_ANSWER: usize = 300;
const FIRST_SENTENCE: usize = 180;
/// Bytes of what it said in such a turn to a machine.
const TO_MACHINE: usize = 200;
/// Earlier requests that are told one by one; of more, the oldest are merged but for the first.
pub(super) const EARLIER: usize = 14;
/// Commits with their subject where there is little room, and commits on one line.
const SUBJECTS: usize = 4;
const ON_A_LINE: usize = 8;
/// Words of a command that may check something, though it is not known for that.
const CHECKING: &[&str] =
    &["test", "spec", "lint", "check", "build", "compile", "verify", "validate"];
/// Bytes of the name of a check.
const CHECK: usize = 48;
/// Names on one line.
const NAMES: usize = 6;

impl Items<'_> {
    /// What came of the session. `is_open` tells whether there are next steps.
    pub(super) fn state(&mut self, standing: &Standing, is_open: bool) {
        self.status_line(standing, is_open);
        self.commit_lines();
        self.work_lines();
        self.last_turn(standing);
        self.done_todos();
        self.summary();
        self.earlier_requests();
    }

    fn status_line(&mut self, standing: &Standing, is_open: bool) {
        let session = self.session;
        let made = session.commits.iter().filter(|commit| commit.state == CommitState::Made);
        let last_commit = made.map(|commit| commit.record).max();
        let is_uncommitted = session.files.iter().any(|(path, file)| {
            file.is_changed()
                && last_commit.is_none_or(|last| file.record > last)
                && self.is_inside(path)
        });
        let text = match standing.status {
            SessionStatus::Finished if is_open => "the last request was answered",
            SessionStatus::Finished if is_uncommitted => {
                "the last request was answered; what was edited is not committed"
            }
            SessionStatus::Finished => "the last request was answered, and no step was left open",
            SessionStatus::Answered => "the last request was answered",
            SessionStatus::InProgress if !session.waiting.is_empty() => {
                "the agent has not read what the user typed last"
            }
            SessionStatus::InProgress => "the last request is not finished",
            SessionStatus::WaitingForUser => "the agent asked something and has no answer yet",
            SessionStatus::Blocked => "the agent says that it cannot go on",
            SessionStatus::Interrupted => "the user stopped the agent",
            SessionStatus::NotSure
                if session.prompts.last().is_some_and(|last| last.is_handled()) =>
            {
                match has_failing_check(session) && standing.reason.is_none() {
                    true => "the last request was answered, but a check failed last",
                    false => "the last request was answered, but something is not done",
                }
            }
            SessionStatus::NotSure => {
                if let Some(branch) = &session.branch {
                    let text = format!("Branch {}.", code_span(branch));
                    self.add(Section::State, rank::CONTEXT, text);
                }
                return;
            }
        };
        let word = match standing.status {
            // Something is left to do besides the request.
            SessionStatus::Finished if is_open => "answered",
            SessionStatus::Finished => "finished",
            SessionStatus::Answered => "answered",
            SessionStatus::InProgress => "in progress",
            SessionStatus::WaitingForUser => "waiting for the user",
            SessionStatus::Blocked => "blocked",
            SessionStatus::Interrupted => "interrupted",
            SessionStatus::NotSure => "not sure",
        };
        let branch =
            session.branch.as_ref().map(|branch| format!(" Branch {}.", code_span(branch)));
        let says = standing.reason.as_ref().map(|reason| {
            let what = match standing.status {
                SessionStatus::Answered => "whether a step is left is not clear from",
                _ => "the agent says",
            };
            format!("; {what} {}", quoted(reason, REASON))
        });
        let (says, branch) = (says.unwrap_or_default(), branch.unwrap_or_default());
        let text = format!("**Status: {word}**: {text}{says}.{branch}");
        self.add(Section::State, rank::CONTEXT, text);
    }

    fn commit_lines(&mut self) {
        let session = self.session;
        let with_subject = self.at_most(8, SUBJECTS, 1);
        let of = |state: CommitState| {
            session.commits.iter().rev().filter(move |commit| commit.state == state)
        };
        for commit in of(CommitState::Made).take(with_subject) {
            // What git printed: a hook of the repository can have written it.
            let subject = code_span(&one_line(&commit.subject, self.at_most(120, 72, 50)));
            let id = if commit.id.is_empty() { String::new() } else { format!(" `{}`", commit.id) };
            let by = if commit.by_subagent { BY_SUBAGENT } else { "" };
            self.add(Section::State, rank::COMMIT, format!("Committed{id}: {subject}{by}"));
        }
        let kinds = [
            ("Committed before", rank::COMMIT, of(CommitState::Made).skip(with_subject).collect()),
            ("Committed in another repository", rank::STATE, of(CommitState::Elsewhere).collect()),
            ("Replaced or taken back", rank::STATE, of(CommitState::Gone).collect::<Vec<_>>()),
        ];
        for (what, rank, commits) in kinds {
            for some in commits.chunks(ON_A_LINE) {
                let ids: Vec<&str> = some.iter().map(|commit| commit.name()).collect();
                self.add(Section::State, rank, format!("{what}: `{}`", ids.join(" ")));
                self.counts(some.len());
            }
        }
    }

    /// What the to-do list says is done.
    fn done_todos(&mut self) {
        // The newest say what was being done.
        let done = self.session.todos.iter().rev().filter(|todo| todo.status == TodoStatus::Done);
        let names: Vec<String> = done.map(|todo| one_line(&todo.text, 70)).collect();
        if !names.is_empty() {
            let text = one_line(&names.join("; "), self.at_most(TODOS, TODOS, 200));
            self.add(Section::State, rank::STATE, format!("To-dos done: {text}"));
            self.counts(names.len());
        }
    }

    /// What was pushed, and what was edited and not committed, as far as it was seen.
    fn work_lines(&mut self) {
        let session = self.session;
        let last = session.commits.iter().filter(|commit| commit.state == CommitState::Made);
        let last = last.map(|commit| commit.record).max();
        let mut says = Vec::new();
        if let Some(last) = last {
            says.push(match session.pushed {
                Some(pushed) if pushed >= last => "The commits are pushed.".to_owned(),
                Some(_) => "The newest commits are not pushed, as far as was seen.".to_owned(),
                None => "No push was seen.".to_owned(),
            });
        }
        let gone =
            session.commits.iter().filter(|one| one.state == CommitState::Gone && one.pushed);
        let gone: Vec<String> = gone.map(|one| code_span(&one_line(one.name(), 60))).collect();
        if last.is_none() && !gone.is_empty() {
            says.push(format!("{} was pushed and then taken back here.", gone.join(", ")));
        }
        let changed = session.files.iter().filter(|(path, file)| {
            file.is_changed() && last.is_none_or(|last| file.record > last) && self.is_inside(path)
        });
        let changed: Vec<String> = changed.map(|(path, _)| self.relative(path)).collect();
        if !changed.is_empty() {
            let seen = match last {
                Some(_) => "Edited after the last commit",
                None if session.commits.iter().any(|one| one.state == CommitState::Gone) => {
                    "No commit of it stands. Edited"
                }
                None => "No commit was seen. Edited",
            };
            let names: Vec<String> =
                changed.iter().take(NAMES).map(|name| code_span(name)).collect();
            let rest = changed.len() - names.len();
            let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            says.push(format!("{seen}: {}{more}.", names.join(", ")));
        }
        let is_changed =
            session.files.iter().any(|(path, file)| file.is_changed() && self.is_inside(path));
        let may_check =
            |command: &Command| CHECKING.iter().any(|word| command.command.contains(word));
        if is_changed && session.checks.is_empty() && !session.commands.iter().any(may_check) {
            says.push("No test, build or lint run was seen.".to_owned());
        }
        for link in session.links.iter().rev().take(3) {
            says.push(format!("See {}", one_line(link, 160)));
        }
        if !says.is_empty() {
            self.add(Section::State, rank::WORK, says.join(" "));
        }
    }

    /// The last request, what was done for it, and the agent's last message from its beginning.
    fn last_turn(&mut self, standing: &Standing) {
        let session = self.session;
        let Some(last) = session.prompts.last() else { return };
        let at = session.prompts.len() - 1;
        let request = self.request(at, self.at_most(LAST_REQUEST, 350, 200), true);
        let only = if session.prompts.len() == 1 { "The request" } else { "The last request" };
        let done = self.outcome(session.prompts.len() - 1);
        // A short request that is not finished stands whole among the next steps.
        let is_open = matches!(
            standing.status,
            SessionStatus::InProgress | SessionStatus::Interrupted | SessionStatus::Blocked
        );
        match (is_open && request.len() < SHORT_REQUEST, done.is_empty()) {
            (true, true) => {}
            (true, false) => {
                self.add(
                    Section::State,
                    rank::CONTEXT,
                    format!("Done for the last request so far: {done}"),
                );
            }
            (false, _) => {
                self.add(Section::State, rank::CONTEXT, format!("{only}: {request}"));
                if !done.is_empty() {
                    self.detail(format!("Done for it: {done}."));
                }
            }
        }
        self.pasted(last);
        if matches!(standing.status, SessionStatus::InProgress | SessionStatus::Interrupted) {
            self.last_commands(last.record);
        }
        let (told, later) = answers(last);
        if let Some(told) = told.filter(|_| later.is_some()) {
            let text = "What the agent told the user last:".to_owned();
            self.add(Section::State, rank::CONCLUSION, text);
            self.detail(quote(&told.text, self.at_most(LAST_MESSAGE, 1_200, 400)));
            let later = "The agent's message after that, to a machine (a hook or a notification):";
            self.add_said_to_machine(later, last);
        } else if let Some(answer) = told {
            let unfinished = standing.status == SessionStatus::InProgress;
            let text = if unfinished {
                "The agent's last message so far:"
            } else {
                "The agent's last message:"
            };
            self.add(Section::State, rank::CONCLUSION, text.to_owned());
            self.detail(quote(&answer.text, self.at_most(LAST_MESSAGE, 1_200, 400)));
            if unfinished {
                self.messages_before(last.record, answer);
            }
        }
    }

    /// The newest message of a turn, which answers a machine.
    fn add_said_to_machine(&mut self, label: &str, prompt: &Prompt) {
        if let Some(answer) = &prompt.answer {
            self.add(Section::State, rank::CONCLUSION, label.to_owned());
            self.detail(quote(&answer.text, self.at_most(LAST_MESSAGE, 800, 300)));
        }
    }

    /// How what the user pasted into a request begins and ends.
    fn pasted(&mut self, prompt: &Prompt) {
        let sample = own_words(&prompt.text).sample;
        let lines: Vec<String> =
            sample.iter().map(|line| code_span(&one_line(line, 160))).collect();
        if !lines.is_empty() {
            let text = format!("From what the user pasted: {}", lines.join(" … "));
            self.add(Section::State, rank::STATE, text);
        }
    }

    /// What the agent said before its last message: where that says little, the messages right before it,
    /// and what it reported before those.
    fn messages_before(&mut self, began: Record, answer: &Said) {
        let mut room = MESSAGES_BEFORE.saturating_sub(answer.text.len());
        let mut until = answer.record;
        let said = self.session.said.iter().rev();
        let before = said.filter(|said| (began..answer.record).contains(&said.record));
        for said in before.filter(|said| said.text.len() > SAYS_LITTLE).take(BEFORE) {
            let text = flatten(&said.text, MESSAGE_BEFORE.min(room));
            if room < 100 {
                break;
            }
            room = room.saturating_sub(text.len());
            until = said.record;
            self.add(Section::State, rank::CONCLUSION, format!("Before that it said: “{text}”"));
        }
        self.reports(began..until);
    }

    /// What the agent reported while it worked on a request that is not finished.
    fn reports(&mut self, span: Span) {
        for text in self.shared.reports.of_work(&span) {
            self.add(Section::State, rank::SAID, format!("“{text}”"));
            self.label(REPORTS);
        }
    }

    /// What the agent ran last for a request that is not finished.
    fn last_commands(&mut self, since: u64) {
        // A snapshot that the agent takes is no news for the next one.
        let counts = |command: &&Command| command.record >= since && !is_of_segue(&command.command);
        let commands = self.session.commands.iter().rev().filter(counts);
        let mut names: Vec<String> = commands
            .take(COMMANDS)
            .map(|command| code_span(&one_line(&command.command, COMMAND)))
            .collect();
        names.reverse();
        if !names.is_empty() {
            self.add(
                Section::State,
                rank::STATE,
                format!("Its last commands: {}", names.join(", ")),
            );
        }
    }

    /// What the agent's own model wrote when it compacted the conversation.
    fn summary(&mut self) {
        let session = self.session;
        let Some(summary) = &session.summary else { return };
        let since = session.prompts.iter().filter(|prompt| prompt.record > summary.record).count();
        let age = match since {
            0 => "no request came after it".to_owned(),
            1 => "1 request came after it".to_owned(),
            since => format!("{since} requests came after it"),
        };
        self.add(
            Section::State,
            rank::SUMMARY,
            format!("The agent's own summary of what came before ({age}):"),
        );
        self.detail(quote(&summary.text, self.at_most(SUMMARY, 1_000, 300)));
    }

    /// The requests before the last one, in order, with what came of each.
    fn earlier_requests(&mut self) {
        let session = self.session;
        let Some(earlier) = session.prompts.len().checked_sub(1) else { return };
        let shown = EARLIER.min(earlier);
        // The first says what it is all about; of the others the newest matter.
        let first = usize::from(earlier > shown);
        let from = earlier - shown + first;
        for at in (0..first).chain(from..earlier) {
            if at == from && from > first {
                self.merged(first..from);
            }
            let prompt = &session.prompts[at];
            // A command that the agent itself carried out, such as choosing a model.
            if prompt.way == PromptWay::Command && !prompt.answered {
                continue;
            }
            let newest = at + 1 == earlier;
            let most = if at == 0 { FIRST_REQUEST } else { REQUEST };
            let request = self.request(at, self.at_most(most, 160, 100), false);
            let done = self.outcome(at);
            let (told, to_machine) = answers(prompt);
            let answer = told.map(|answer| {
                let worked = !prompt.edited.is_empty() || answer.text.len() > 1_500;
                let most = match (newest, worked) {
                    (true, _) => NEWEST_ANSWER,
                    (false, true) => ANSWER,
                    (false, false) => SHORT_ANSWER,
                };
                let most = match self.words {
                    Words::All => LAST_MESSAGE,
                    Words::Most => most * 3,
                    _ => most,
                };
                let text = flatten(&answer.text, most.saturating_mul(2));
                shorten(
                    &self.shared.later.without_repeated(at, &text),
                    self.at_most(most, 200, 100),
                )
            });
            let answer = answer.unwrap_or_default();
            let (first, rest) = first_sentence(&answer, FIRST_SENTENCE);
            let first = if first.is_empty() { String::new() } else { format!("“{first}”") };
            let came: Vec<&str> = [done.as_str(), first.as_str()]
                .into_iter()
                .filter(|text| !text.is_empty())
                .collect();
            let came = came.join("; ");
            let came = if came.is_empty() { came } else { format!(" → {came}") };
            let rank = if at == 0 || newest { rank::CONTEXT } else { rank::TURN };
            self.add(Section::State, rank, format!("{request}{came}"));
            self.label(EARLIER_REQUESTS);
            if rest.len() > 30 {
                self.detail(format!("It went on: “{rest}”"));
            }
            if let Some(said) = to_machine.filter(|_| self.words <= Words::Many) {
                let said = quoted(&flatten(&said.text, TO_MACHINE), TO_MACHINE);
                self.detail(format!("Then, to a machine: {said}"));
            }
            if is_worked_on(prompt) && earlier - at <= WITH_REPORTS {
                self.on_the_way(at);
            }
        }
    }

    /// Below a request, what the agent reported while it worked on it.
    fn on_the_way(&mut self, at: usize) {
        let prompt = &self.session.prompts[at];
        let (told, _) = answers(prompt);
        let answer = told.filter(|answer| answer.text.len() < SAYS_ENOUGH);
        let Some(answer) = answer else { return };
        let found = self.shared.reports.of_turn(&(prompt.record..answer.record));
        if !found.is_empty() {
            self.detail(format!("Reported on the way: “{}”", found.join("” “")));
        }
    }

    /// Requests that are only named, because there are so many.
    fn merged(&mut self, range: std::ops::Range<usize>) {
        let session = self.session;
        let count = range.len();
        let names =
            range.rev().take(10).map(|at| quoted(&own_words(&session.prompts[at].text).text, 50));
        let names: Vec<String> = names.collect();
        self.add(
            Section::State,
            rank::STATE,
            format!("{}, among them {}", requests_between(count), names.join(", ")),
        );
        self.counts(count);
        self.label(EARLIER_REQUESTS);
    }

    /// What came of the request at a place, in a few words.
    fn outcome(&self, at: usize) -> String {
        let session = self.session;
        let prompt = &session.prompts[at];
        let end = session.prompts.get(at + 1).map_or(u64::MAX, |next| next.record);
        let span: Span = prompt.record..end;
        let mut says = Vec::new();
        let edited: Vec<String> = prompt
            .edited
            .iter()
            .take(NAMES)
            .map(|path| code_span(&self.short_name(path)))
            .collect();
        if !prompt.skills.is_empty() {
            let skills: Vec<String> =
                prompt.skills.iter().map(|skill| code_span(&one_line(skill, 60))).collect();
            says.push(format!("used {}", skills.join(", ")));
        }
        if !edited.is_empty() {
            let rest = prompt.edited.len() - edited.len() + prompt.more_edited as usize;
            let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            says.push(format!("edited {}{more}", edited.join(", ")));
        }
        let commits: Vec<&Commit> = session
            .commits
            .iter()
            .filter(|commit| span.contains(&commit.record) && commit.state == CommitState::Made)
            .collect();
        if !commits.is_empty() {
            let ids: Vec<String> =
                commits.iter().map(|commit| code_span(&one_line(commit.name(), 60))).collect();
            says.push(format!("committed {}", ids.join(", ")));
        }
        if session.pushed.is_some_and(|pushed| span.contains(&pushed)) {
            says.push("pushed".to_owned());
        }
        if session.pull_request.is_some_and(|opened| span.contains(&opened)) {
            let elsewhere =
                if session.proposed_elsewhere() { " in another repository" } else { "" };
            says.push(format!("opened a pull request{elsewhere}"));
        }
        says.extend(checks_of(session, &span));
        if prompt.interrupted {
            says.push("interrupted by the user".to_owned());
        }
        if !prompt.answered && at + 1 < session.prompts.len() {
            says.push("not answered".to_owned());
        }
        says.join("; ")
    }
}

/// The checks of a span with how they ended: the last that failed and did not pass later, and the last
/// that passed.
fn checks_of(session: &Session, span: &Span) -> Vec<String> {
    let last = |outcome| {
        session
            .checks
            .iter()
            .filter(|check| span.contains(&check.record) && check.outcome == outcome)
            .filter(|check| outcome == Outcome::Passed || !is_passed_later(session, check))
            .max_by_key(|check| check.record)
    };
    [(Outcome::Failed, "failed"), (Outcome::Passed, "passed")]
        .into_iter()
        .filter_map(|(outcome, word)| Some((last(outcome)?, word)))
        .map(|(check, word)| format!("{} {word}", code_span(&one_line(&check.name, CHECK))))
        .collect()
}

/// Whether a command only calls Segue itself.
fn is_of_segue(command: &str) -> bool {
    let program = command.split_whitespace().next().unwrap_or_default();
    program.rsplit('/').next() == Some("segue") && !command.contains(['&', '|', ';', '\n'])
}
