//! The story of a session: where it stands, its last turn in full, and the requests before it with what
//! came of each.

use super::files::BY_SUBAGENT;
use super::gather::{Items, rank};
use super::status::{SessionStatus, Standing, has_failing_check};
use super::{Section, Span, Words, one_line, quoted};
use crate::section::Fences;
use crate::session::{
    Check, Commit, CommitState, Outcome, Prompt, PromptWay, Session, TodoStatus, own_words, shorten,
};
use crate::{code_span, visible};

/// Bytes of the agent's last message, of the ones before it in the same turn, and of a summary.
const LAST_MESSAGE: usize = 4_000;
const MESSAGE_BEFORE: usize = 500;
const MESSAGES_BEFORE: usize = 1_400;
const SUMMARY: usize = 2_400;
/// Messages before the last one that are told, and the bytes of those that say little.
const BEFORE: usize = 3;
const SAYS_LITTLE: usize = 110;
/// Commands of a turn that is not finished.
const COMMANDS: usize = 5;
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
/// Earlier requests that are told one by one; of more, the oldest are merged but for the first.
const EARLIER: usize = 14;
/// Commits with their subject where there is little room, and commits on one line.
const SUBJECTS: usize = 4;
const ON_A_LINE: usize = 8;
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
        let last_commit = session.commits.iter().map(|commit| commit.record).max();
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
            SessionStatus::InProgress => "the last request is not finished",
            SessionStatus::WaitingForUser => "the agent asked something and has no answer yet",
            SessionStatus::Blocked => "the agent says that it cannot go on",
            SessionStatus::Interrupted => "the user stopped the agent",
            SessionStatus::NotSure
                if session.prompts.last().is_some_and(|last| last.is_handled()) =>
            {
                match has_failing_check(session) {
                    true => "the last request was answered, but a check failed last",
                    false => {
                        "the last request was answered, but the message says that something is not done"
                    }
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
            SessionStatus::Finished => "finished",
            SessionStatus::InProgress => "in progress",
            SessionStatus::WaitingForUser => "waiting for the user",
            SessionStatus::Blocked => "blocked",
            SessionStatus::Interrupted => "interrupted",
            SessionStatus::NotSure => "not sure",
        };
        let branch =
            session.branch.as_ref().map(|branch| format!(" Branch {}.", code_span(branch)));
        let text = format!("**Status: {word}**: {text}.{}", branch.unwrap_or_default());
        self.add(Section::State, rank::CONTEXT, text);
    }

    fn commit_lines(&mut self) {
        let session = self.session;
        let with_subject = self.at_most(8, SUBJECTS, 1);
        let of = |state: CommitState| {
            session.commits.iter().rev().filter(move |commit| commit.state == state)
        };
        for commit in of(CommitState::Made).take(with_subject) {
            let subject = one_line(&commit.subject, self.at_most(120, 72, 50));
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
        let done = self.session.todos.iter().filter(|todo| todo.status == TodoStatus::Done);
        let names: Vec<String> = done.map(|todo| one_line(&todo.text, 100)).collect();
        if !names.is_empty() {
            self.add(Section::State, rank::STATE, format!("To-dos done: {}", names.join("; ")));
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
        let changed = session.files.iter().filter(|(path, file)| {
            file.is_changed() && last.is_none_or(|last| file.record > last) && self.is_inside(path)
        });
        let changed: Vec<String> = changed.map(|(path, _)| self.relative(path)).collect();
        if !changed.is_empty() {
            let seen = if last.is_some() {
                "Edited after the last commit"
            } else {
                "No commit was seen. Edited"
            };
            let names: Vec<String> =
                changed.iter().take(NAMES).map(|name| code_span(name)).collect();
            let rest = changed.len() - names.len();
            let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            says.push(format!("{seen}: {}{more}.", names.join(", ")));
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
        let request = self.request(last, self.at_most(LAST_REQUEST, 350, 200));
        let only = if session.prompts.len() == 1 { "The request" } else { "The last request" };
        let done = self.outcome(session.prompts.len() - 1);
        // A short request that is not finished stands whole among the next steps.
        let is_open =
            !matches!(standing.status, SessionStatus::Finished | SessionStatus::WaitingForUser);
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
        if matches!(standing.status, SessionStatus::InProgress | SessionStatus::Interrupted) {
            self.last_commands(last.record);
        }
        if let Some(answer) = &last.answer {
            let unfinished = standing.status == SessionStatus::InProgress;
            let text = if unfinished {
                "The agent's last message so far:"
            } else {
                "The agent's last message:"
            };
            self.add(Section::State, rank::CONCLUSION, text.to_owned());
            self.detail(quote(&answer.text, self.at_most(LAST_MESSAGE, 1_200, 400)));
            // Where that says little, the messages before it say what was going on.
            let mut room =
                if unfinished { MESSAGES_BEFORE.saturating_sub(answer.text.len()) } else { 0 };
            let before = session
                .said
                .iter()
                .rev()
                .filter(|said| said.record < answer.record && said.record >= last.record);
            for said in before.filter(|said| said.text.len() > SAYS_LITTLE).take(BEFORE) {
                let text = flatten(&said.text, MESSAGE_BEFORE.min(room));
                if room < 100 {
                    break;
                }
                room = room.saturating_sub(text.len());
                self.add(
                    Section::State,
                    rank::CONCLUSION,
                    format!("Before that it said: “{text}”"),
                );
            }
        }
    }

    /// What the agent ran last for a request that is not finished.
    fn last_commands(&mut self, since: u64) {
        let commands = self.session.commands.iter().rev().filter(|command| command.record >= since);
        let mut names: Vec<String> = commands
            .take(COMMANDS)
            .map(|command| code_span(&one_line(&command.command, 160)))
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
            let request = self.request(prompt, self.at_most(most, 160, 100));
            let done = self.outcome(at);
            let answer = prompt.answer.as_ref().map(|answer| {
                let worked = !prompt.edited.is_empty() || answer.text.len() > 1_500;
                let most = match (newest, worked) {
                    (true, _) => NEWEST_ANSWER,
                    (false, true) => ANSWER,
                    (false, false) => SHORT_ANSWER,
                };
                let most = if self.words == Words::Most { most * 3 } else { most };
                flatten(&answer.text, self.at_most(most, 200, 100))
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
            self.earlier();
            if rest.len() > 30 {
                self.detail(format!("It went on: “{rest}”"));
            }
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
            format!("… {count} requests between, among them {}", names.join(", ")),
        );
        self.earlier();
    }

    /// A request in the user's own words.
    fn request(&self, prompt: &Prompt, most: usize) -> String {
        let own = own_words(&prompt.text);
        let mut text = quoted(&own.text, most);
        if own.pasted > 200 {
            text.push_str(&format!(" (pasted text of {} left out)", size(own.pasted)));
        }
        text
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
            says.push("opened a pull request".to_owned());
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

/// The checks of a span with how they ended: failed ones by name, passed ones in sum.
fn checks_of(session: &Session, span: &Span) -> Vec<String> {
    let all: Vec<&Check> =
        session.checks.iter().filter(|check| span.contains(&check.record)).collect();
    let name = |check: &&Check| code_span(&one_line(&check.name, 60));
    let mut says = Vec::new();
    for (outcome, word) in [(Outcome::Failed, "failed"), (Outcome::Passed, "passed")] {
        let these: Vec<String> =
            all.iter().filter(|check| check.outcome == outcome).rev().take(2).map(name).collect();
        if !these.is_empty() {
            says.push(format!("{} {word}", these.join(", ")));
        }
    }
    says
}

fn size(bytes: usize) -> String {
    if bytes < 1_000 { format!("{bytes} bytes") } else { format!("{} kB", bytes / 1_000) }
}

/// A message as a quotation, its lines kept, at most so many bytes of it.
fn quote(text: &str, most: usize) -> String {
    let text = visible(text);
    let mut out = String::new();
    let mut used = 0;
    let mut fences = Fences::default();
    let mut blank = true;
    for line in text.trim().lines() {
        let line = line.trim_end();
        let in_code = fences.cover(line);
        if line.is_empty() && blank && !in_code {
            continue;
        }
        blank = line.is_empty();
        if used + line.len() > most {
            let rest = most.saturating_sub(used);
            if rest > 60 {
                out.push_str(&format!("> {}\n", shorten(line, rest)));
            } else {
                out.push_str("> […]\n");
            }
            break;
        }
        used += line.len() + 1;
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The first sentence of a text, cut where it is longer than so many bytes, and what follows it.
fn first_sentence(text: &str, most: usize) -> (String, &str) {
    let end = text
        .char_indices()
        .find(|(at, c)| match c {
            // `1.` begins an item of a list.
            '.' => {
                *at > 20
                    && text[at + 1..].starts_with(char::is_whitespace)
                    && !text[..*at].ends_with(|c: char| c.is_ascii_digit())
            }
            '!' | '?' => *at > 20 && text[at + 1..].starts_with(char::is_whitespace),
            '。' | '！' | '？' => true,
            _ => false,
        })
        .map_or(text.len(), |(at, c)| at + c.len_utf8());
    let (first, rest) = text.split_at(end);
    if first.len() <= most {
        return (first.to_owned(), rest.trim_start());
    }
    let short = shorten(first, most);
    let kept = short.trim_end_matches(" […]").len().min(text.len());
    let rest = text.get(kept..).unwrap_or_default();
    (short, rest.trim_start_matches([' ', ',', ';', ':']))
}

/// Beginnings of messages that say nothing by themselves.
const OPENERS: &[&str] = &[
    "done", "great", "perfect", "here's", "here is", "ok", "okay", "got it", "all done", "sure",
    "good",
];

/// A message on one line, without code and marks of lists, at most so many bytes of it.
pub(super) fn flatten(text: &str, most: usize) -> String {
    let mut fences = Fences::default();
    let mut out = String::new();
    for line in text.lines() {
        if fences.cover(line) {
            continue;
        }
        let line = line.trim().trim_start_matches("> ");
        let is_rule = line.chars().all(|c| "-=|: *_".contains(c));
        if line.is_empty() || is_rule {
            continue;
        }
        let heading = line.starts_with('#');
        let bare = line.trim_start_matches(['#', ' ']);
        let item = bare.strip_prefix("- ").or_else(|| bare.strip_prefix("* "));
        let row = bare.starts_with('|').then(|| {
            let cells: Vec<&str> =
                bare.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
            cells.join(" — ")
        });
        let says = row.as_deref().or(item).unwrap_or(bare);
        if !out.is_empty() {
            out.push_str(if (item.is_some() || row.is_some()) && !out.ends_with([':', '.']) {
                "; "
            } else {
                " "
            });
        }
        out.push_str(says.trim_end_matches(';'));
        if heading && !says.ends_with(['.', ':', '?', '!']) {
            out.push(':');
        }
        if out.len() > most * 2 {
            break;
        }
    }
    let out = without_opener(&out);
    one_line(&out.replace("**", ""), most)
}

/// A text without a first sentence that says nothing, where more follows.
fn without_opener(text: &str) -> &str {
    let end =
        text.find(['.', '!', ':']).map(|at| at + 1).filter(|at| *at <= 40 && text.len() > at + 80);
    let Some(end) = end.filter(|end| text[*end..].starts_with(' ')) else { return text };
    let first = text[..end].to_lowercase();
    if OPENERS.iter().any(|opener| first.starts_with(opener)) {
        text[end..].trim_start()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_flattened_in_order() {
        let text = "Done. Here is what I did, all of it in one go and tested:\n\n## Code\n- Split `a.rs`\n- **Moved** b\n\n```\ncode\n```\n| x | y |\n|---|---|\n| 1 | 2 |\n";
        assert_eq!(
            flatten(text, 400),
            "Here is what I did, all of it in one go and tested: Code: Split `a.rs`; Moved b; x — y; 1 — 2"
        );
        assert_eq!(flatten("Done.", 400), "Done.");
    }

    #[test]
    fn the_first_sentence_is_told_apart() {
        assert_eq!(
            first_sentence("All of it is done now. And more.", 100),
            ("All of it is done now.".to_owned(), "And more.")
        );
        let long = "One sentence that goes on and on without an end";
        assert_eq!(
            first_sentence(long, 20),
            ("One sentence that […]".to_owned(), "goes on and on without an end")
        );
        assert_eq!(first_sentence("", 20), (String::new(), ""));
    }

    #[test]
    fn a_quotation_keeps_its_lines_and_says_where_it_was_cut() {
        assert_eq!(quote("One\n\n\n- two\n", 100), "> One\n>\n> - two\n");
        assert_eq!(quote("One\ntwo three", 5), "> One\n> […]\n");
    }

    proptest::proptest! {
        #[test]
        fn any_message_can_be_quoted(text: String, most in 0_usize..300) {
            assert!(quote(&text, most).lines().all(|line| line.starts_with('>')));
            assert!(!flatten(&text, most).contains('\n'));
        }
    }
}
