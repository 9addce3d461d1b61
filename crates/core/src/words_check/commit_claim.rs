//! The words say that something is committed, pushed or proposed, and the session shows otherwise.

use super::Elsewhere;
use super::check_claim::denies_unspaced;
use super::statement::{Clause, Word};
use crate::code_span;
use crate::session::{CommitState, FileUse, Outcome, Record, Session};

/// What is committed, in a word.
const COMMITTED: &str =
    "committed committet commitet eingecheckt commité commités commitée commiteado commiteados";
const COMMIT: &str = "commit commits";
/// What may stand between the word and the id.
const BEFORE_ID: &str = "as in is at under with it this that everything all locally commit commits hash sha id and the \
    als unter mit alles comme dans como en";
/// What stands before a commit that was there before.
const OLD: &str = "since from after before of like reverts reverted revert introduced broke base based onto over against \
    fixes cherry-picked until between parent seit von nach vor depuis desde";
const MADE: &str = "created made added landed wrote";
/// All that there is to commit, and what may stand between that and the verb.
const ALL: &str = "everything all alles tout todo";
const OF_ALL: &str = "changes work edits files of it is are was were now has have been the ist sind est sont está están \
    changements cambios änderungen";
/// Files that are named.
const NAMES: usize = 4;

/// Whether a word says that something was committed or pushed.
pub(super) fn is_verb(word: &Word) -> bool {
    word.is(COMMITTED)
        || word.is("pushed gepusht poussé opened created submitted raised filed uncommitted")
}

/// What a clause says of commits and the session shows otherwise.
pub(super) fn unseen_commits(
    clause: &Clause,
    session: &Session,
    elsewhere: &Elsewhere<'_>,
) -> Vec<String> {
    let mut found = Vec::new();
    if clause.is_certain && says_all_committed(clause) {
        found.extend(edited_since(session));
    }
    if !clause.is_plain {
        return found;
    }
    let ids = made_commits(clause);
    let unknown: Vec<&String> =
        ids.iter().filter(|id| !is_made(session, id) && !(elsewhere.is_commit)(id)).collect();
    if unknown.is_empty() {
        // What git knows was committed, though nobody saw how.
        found.extend(missing_commit(clause, session).filter(|_| ids.is_empty()));
    }
    for id in unknown {
        let made: Vec<String> = commits(session).map(|commit| code_span(&commit.id)).collect();
        let shows = match made.last() {
            None => "shows no commit".to_owned(),
            Some(last) if made.len() == 1 => format!("shows {last}"),
            Some(last) => format!("shows {} others, the last of them {last}", made.len()),
        };
        found.push(format!(
            "The words name the commit {} as made; the transcript of the session {shows}.",
            code_span(id)
        ));
    }
    found.extend(missing_push(clause, session));
    found.extend(missing_pull_request(clause, session));
    found
}

/// The commits of a session that stand.
fn commits(session: &Session) -> impl Iterator<Item = &crate::session::Commit> {
    session.commits.iter().filter(|commit| commit.state != CommitState::Gone)
}

/// Where the last commit stands that was not taken back.
fn last_commit(session: &Session) -> Option<Record> {
    commits(session).map(|commit| commit.record).max()
}

/// Whether a word is the id of a commit.
fn is_id(word: &Word) -> bool {
    let digits = word.raw.bytes().filter(u8::is_ascii_digit).count();
    (7..=40).contains(&word.raw.len())
        && word.raw.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase())
        && (word.is_code || digits > 0 && digits < word.raw.len())
}

/// The commits that a clause names as made.
fn made_commits(clause: &Clause) -> Vec<String> {
    let words = &clause.words;
    if clause.has(OLD) {
        return Vec::new();
    }
    let verb = words.iter().position(|word| word.is(COMMITTED));
    // `als 1a2b3c4 committet`
    if let Some(at) = verb
        && words[..at].windows(2).any(|pair| pair[0].is("als unter as") && is_id(&pair[1]))
    {
        return words[..at].iter().filter(|word| is_id(word)).map(|id| id.raw.clone()).collect();
    }
    let from = match verb {
        Some(at) => at + 1,
        None => {
            let Some(at) = words.iter().position(|word| word.is(COMMIT)) else { return Vec::new() };
            let before = &words[..at];
            let makes = before.iter().any(|word| word.is(MADE));
            let leads = before.iter().all(|word| word.is("the last latest newest final new"));
            let rest = words[at + 1..].iter().skip_while(|word| is_id(word) || word.is("and und"));
            // `Commit 1a2b3c4 broke it` tells of one that was there.
            let ends = words[at + 1..].first().is_some_and(is_id)
                && rest.clone().next().is_none_or(|next| {
                    next.opens || words.iter().any(|word| is_id(word) && word.mark == Some(':'))
                });
            if !(makes || leads && ends) {
                return Vec::new();
            }
            at + 1
        }
    };
    let ids = words[from..].iter().enumerate().filter(|(_, word)| is_id(word));
    let near = |at: usize| {
        let between = &words[from..from + at];
        between.iter().all(|word| word.is(BEFORE_ID) || is_id(word)) || words[from + at].opens
    };
    ids.filter(|(at, _)| near(*at)).map(|(_, word)| word.raw.clone()).collect()
}

fn is_made(session: &Session, id: &str) -> bool {
    session.commits.iter().any(|commit| {
        // Git was told not to print its id.
        commit.id.is_empty() || commit.id.starts_with(id) || id.starts_with(&commit.id)
    })
}

/// The words say that something is committed, and no commit was seen.
fn missing_commit(clause: &Clause, session: &Session) -> Option<String> {
    let unspaced = clause.unspaced();
    let says = clause.has_but(COMMITTED, "to")
        || unspaced.contains("已提交") && !denies_unspaced(&unspaced);
    let shows = match (last_commit(session), session.commits.is_empty()) {
        (Some(_), _) => return None,
        (None, true) => "the transcript of the session shows no commit",
        (None, false) => "every commit of the session was taken back",
    };
    says.then(|| format!("The words say that work is committed; {shows}."))
}

/// Whether a clause says that nothing is left to commit.
fn says_all_committed(clause: &Clause) -> bool {
    let words = &clause.words;
    let denies = clause.has("not isn't aren't never should would will must may could nicht pas");
    let all = words.iter().enumerate().filter(|(_, word)| word.is(ALL)).any(|(at, _)| {
        let mut rest = words[at + 1..].iter().skip_while(|word| word.is(OF_ALL));
        rest.next().is_some_and(|word| word.is(COMMITTED))
    });
    let nothing = words.windows(2).any(|pair| {
        pair[0].is("nothing no nichts") && pair[1].is("uncommitted uncommittet uncommitet")
    }) || clause.has("nothing nichts")
        && words.last().is_some_and(|word| word.is("uncommitted uncommittet"));
    let clean = words
        .iter()
        .enumerate()
        .filter(|(_, word)| word.is("tree directory copy arbeitsverzeichnis"))
        .any(|(at, _)| {
            let mut rest = words[at + 1..].iter().skip_while(|word| word.is("is now ist jetzt"));
            let before = at
                .checked_sub(1)
                .is_some_and(|before| words[before].is("working work git worktree the"))
                || words[at].is("arbeitsverzeichnis");
            before && rest.next().is_some_and(|word| word.is("clean sauber"))
        })
        || clause.has_pair("clean", "working");
    let unspaced = clause.unspaced();
    let elsewhere = ["全部已提交", "都已提交", "没有未提交", "工作区干净"];
    (all || nothing || clean || elsewhere.iter().any(|says| unspaced.contains(says))) && !denies
}

/// The files of the project that were edited after the last commit.
fn edited_since(session: &Session) -> Option<String> {
    let last = last_commit(session);
    let since = last.unwrap_or(0);
    // What was put away or thrown away, or committed in a way that nobody saw.
    let is_undone = |command: &crate::session::Command| {
        const UNDOES: &[&str] =
            &["git checkout", "git restore", "git stash", "git reset", "git clean", "git commit"];
        command.outcome != Outcome::Failed
            && command.record > since
            && UNDOES.iter().any(|word| command.command.contains(word))
    };
    if session.commands.iter().any(is_undone) {
        return None;
    }
    let root = session.began_in.as_deref().or(session.cwd.as_deref());
    let inside = |path: &str| -> Option<String> {
        let path = match root.and_then(|root| path.strip_prefix(root.trim_end_matches(['/', '\\'])))
        {
            Some(rest) => rest.strip_prefix(['/', '\\'])?,
            None if path.starts_with(['/', '\\', '~']) || path.contains(":\\") => return None,
            None => path,
        };
        // These are rarely in a repository.
        let is_aside = |part: &str| {
            part.starts_with('.') && part != ".github"
                || matches!(
                    part,
                    "target" | "dist" | "build" | "node_modules" | "tmp" | "HANDOFF.md"
                )
        };
        (!path.split(['/', '\\']).any(is_aside)).then(|| path.to_owned())
    };
    let changed = |file: &FileUse| file.is_changed() && file.record > since;
    let files = session.files.iter().filter(|(_, file)| changed(file));
    let files: Vec<String> =
        files.filter_map(|(path, _)| inside(path)).map(|path| code_span(&path)).collect();
    if files.is_empty() {
        return None;
    }
    let more = match files.len().saturating_sub(NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named: Vec<&str> = files.iter().take(NAMES).map(String::as_str).collect();
    let seen = if last.is_some() {
        "were edited after the last commit"
    } else {
        "were edited and no commit was seen"
    };
    let seen = if files.len() == 1 { seen.replace("were", "was") } else { seen.to_owned() };
    Some(format!(
        "The words say that nothing is left to commit; in the session {}{more} {seen}.",
        named.join(", ")
    ))
}

/// The words say that something is pushed, and no push of the last commit was seen.
fn missing_push(clause: &Clause, session: &Session) -> Option<String> {
    const ELSEWHERE: &str = "back down out into onto past through aside for";
    let unspaced = clause.unspaced();
    let says = clause.has_but("pushed gepusht poussé", ELSEWHERE)
        || unspaced.contains("已推送") && !denies_unspaced(&unspaced);
    if !says {
        return None;
    }
    // Opening a pull request pushes too.
    let shows = match (session.pushed.max(session.opened_pull_request()), last_commit(session)) {
        (None, _) => "the transcript of the session shows no push",
        (Some(pushed), Some(commit)) if commit > pushed => {
            "the last commit of the session came after its last push"
        }
        _ => return None,
    };
    Some(format!("The words say that work is pushed; {shows}."))
}

/// The words say that a pull request was opened, and none was seen.
fn missing_pull_request(clause: &Clause, session: &Session) -> Option<String> {
    let names = clause.has("pr prs mr")
        || clause.has_pair("pull", "request")
        || clause.has_pair("merge", "request");
    let says = names && clause.has("opened open created submitted raised filed");
    let shows = match session.proposed_elsewhere() {
        true => "shows one of another repository only",
        false => "shows none",
    };
    (says && !session.shows_pull_request()).then(|| {
        format!(
            "The words say that a pull request was opened; the transcript of the session {shows}."
        )
    })
}
