//! Secrets go out of what a session tells before it is cut and put on one line: a key is known by its
//! first line, and a password by the word before it.

use segue_core::session::Session;
use segue_core::{KnownSecrets, Redactor};

use crate::redacted::{clean, redacted_text, told};

/// Stands between texts that are looked at together, so that the same value gets the same mark.
const BETWEEN: &str = "\n\n\u{1e}\n\n";

/// What is secret in a session, with its kinds: it may stand in other texts without a sign of it.
pub(crate) fn session_secrets(redactor: &Redactor, session: &Session) -> KnownSecrets {
    let mut session = session.clone();
    let told = texts(&mut session);
    let whole: Vec<&str> = told.iter().map(|text| text.as_str()).collect();
    let whole = whole.join(BETWEEN);
    KnownSecrets::new(redactor.redact(&whole).values(&whole))
}

/// A session without secrets in what a handoff tells of it.
pub(crate) fn redact_session(redactor: &Redactor, session: &Session) -> Session {
    let mut session = session.clone();
    let mut told = texts(&mut session);
    let whole: Vec<&str> = told.iter().map(|text| text.as_str()).collect();
    let Some(whole) = redacted_text(redactor, &whole.join(BETWEEN)) else { return session };
    let parts: Vec<&str> = whole.split(BETWEEN).collect();
    if parts.len() == told.len() {
        for (text, part) in told.iter_mut().zip(parts) {
            part.clone_into(text);
        }
    } else {
        // A key without an end took more than its own text.
        for text in told {
            clean(redactor, text);
        }
    }
    session
}

/// What was taken out of what a session tells, in words.
pub(crate) fn taken_out(body: &str) -> Option<String> {
    let marks = body.split("[redacted: ").skip(1).filter_map(|rest| rest.split(']').next());
    let mut all: Vec<&str> = marks.collect();
    all.sort_unstable();
    all.dedup();
    // Different values of one kind are numbered.
    let kinds = all.iter().map(|mark| mark.trim_end_matches(|c: char| c.is_ascii_digit()).trim());
    told(kinds).map(|what| format!("taken out before it was saved: {what}"))
}

/// Everything of a session that a handoff may tell, but for paths, ids and names of tools. Each field is
/// named, so that a new one cannot be forgotten.
fn texts(session: &mut Session) -> Vec<&mut String> {
    let Session {
        title,
        branch,
        prompts,
        waiting,
        constraints,
        taken_back,
        said,
        reports,
        decisions,
        rejected,
        gotchas,
        running,
        checks,
        commits,
        todos,
        plan,
        failures,
        summary,
        unfinished_subagents,
        links,
        agent: _,
        id: _,
        version: _,
        began_in: _,
        cwd: _,
        origin: _,
        is_unproven: _,
        model: _,
        began: _,
        ended: _,
        turns: _,
        pushed: _,
        pull_request: _,
        commands,
        more_commands: _,
        files: _,
        interrupted: _,
        compactions: _,
        subagents: _,
        tokens: _,
        context_tokens: _,
        context_window: _,
        records: _,
        damaged: _,
        unknown: _,
    } = session;
    let mut told: Vec<&mut String> = Vec::new();
    told.extend(title.as_mut());
    told.extend(branch.as_mut());
    for prompt in prompts {
        told.push(&mut prompt.text);
        let said = prompt.answer.iter_mut().chain(&mut prompt.told_user);
        told.extend(said.map(|said| &mut said.text));
        told.extend(&mut prompt.skills);
    }
    let heard = said.iter_mut().chain(reports).chain(summary).chain(waiting);
    let lists = [rejected, gotchas].into_iter().flatten();
    told.extend(heard.chain(lists).map(|said| &mut said.text));
    told.extend(constraints.iter_mut().map(|rule| &mut rule.text));
    for said in taken_back {
        told.push(&mut said.text);
        told.extend(said.rules.iter_mut().map(|rule| &mut rule.text));
    }
    told.extend(running.iter_mut().map(|running| &mut running.what));
    told.extend(decisions.iter_mut().map(|decided| &mut decided.text));
    for check in checks {
        told.extend([&mut check.command, &mut check.name]);
        told.extend(&mut check.failing);
        told.extend(check.claimed.as_mut().into_iter().chain(&mut check.summary));
    }
    told.extend(commits.iter_mut().flat_map(|one| [&mut one.subject, &mut one.body]));
    told.extend(todos.iter_mut().map(|todo| &mut todo.text));
    told.extend(plan.as_mut().map(|plan| &mut plan.text));
    told.extend(failures.iter_mut().flat_map(|one| [&mut one.what, &mut one.message]));
    let unfinished = unfinished_subagents.iter_mut();
    told.extend(unfinished.flat_map(|one| [&mut one.task, &mut one.last_words]));
    told.extend(links);
    // They are not told, but they may be what shows that a value is a secret.
    told.extend(commands.iter_mut().map(|command| &mut command.command));
    told
}

#[cfg(test)]
mod tests {
    use segue_core::Redactor;
    use segue_core::session::{PromptWay, Recorder, Typed};

    use super::redact_session;

    #[test]
    fn what_was_reported_and_what_waits_have_no_secrets() {
        let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked(Typed::by_record("Look at the log"), PromptWay::Typed);
        recorder.queued(Typed::by_record(&format!("use {secret}")));
        let report = format!("The log shows the token {secret} in the fourth line of the request.");
        recorder.said(&format!("{report} It should not be there, and I will take it out now."));
        recorder.said("Done.");
        let redacted = redact_session(&Redactor::default(), recorder.session());
        let whole = format!("{redacted:?}");
        assert!(!whole.contains(&secret) && whole.contains("[redacted"), "{whole}");
    }

    #[test]
    fn what_one_piece_of_a_session_shows_to_be_secret_goes_from_all_others() {
        let secret = ["Xk9", "vQ2!m", "pLr4"].concat();
        let asked = format!("The db password is {secret}, try it");
        let command = format!("PGPASSWORD={secret} psql -h db");
        for (asked, command) in
            [(asked.as_str(), format!("connect db app {secret}")), ("Try the database", command)]
        {
            let mut recorder = Recorder::new("x");
            recorder.next_record();
            recorder.asked(Typed::by_record(asked), PromptWay::Typed);
            recorder.ran("c1", &command);
            recorder.said(&format!("I could connect to the database with {secret} and it worked."));
            let redacted = redact_session(&Redactor::default(), recorder.session());
            let whole = format!("{redacted:?}");
            assert!(!whole.contains(&secret), "{whole}");
        }
    }
}
