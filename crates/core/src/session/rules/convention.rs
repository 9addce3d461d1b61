//! Habits and conventions of a team, told as facts: nobody orders anything, and yet they hold.

use super::super::phrases::Phrases;
use super::clause::{Clause, Lead, Link};
use super::manner::is_language;
use super::order::is_of_the_team;
use super::subjects::{is_trouble, is_workpiece};
use super::words::{is_determiner, is_finite, is_past, is_practice, is_pronoun, is_verb};

/// Phrases that say that something is a convention.
static CONVENTIONS: Phrases<22> = Phrases::new([
    "that's how we",
    "that is how we",
    "this is how we",
    "how we do it here",
    "how we work here",
    "the way we do",
    "our convention",
    "our conventions are",
    "our policy",
    "our rule",
    "our standard is",
    "house rule",
    "house style",
    "team rule",
    "team convention",
    "by convention",
    "as a convention",
    "is the convention",
    "is the rule here",
    "is a hard rule",
    "hard requirement",
    "agreed in the team",
]);
/// Verbs of what a team does as a habit, besides those for what is done to a project.
const HABITS: &[&str] = &[
    "are", "build", "deploy", "document", "follow", "format", "indent", "keep", "lint", "review",
    "sign", "stick", "tag", "target", "test", "version", "work", "put", "prefer", "run", "only",
    "never", "don't",
];
/// Words by which a habit is more than a description.
const MARKS: &[&str] = &[
    "not",
    "never",
    "no",
    "only",
    "always",
    "every",
    "each",
    "everything",
    "everywhere",
    "here",
    "first",
    "instead",
    "rather",
    "strictly",
    "exclusively",
    "without",
    "throughout",
    "except",
    "before",
    "all",
];
/// Words for what is not to be done.
const UNWELCOME: &[&str] = &[
    "ok",
    "okay",
    "allowed",
    "permitted",
    "acceptable",
    "welcome",
    "wanted",
    "negotiable",
    "fine",
    "tolerated",
];

/// Why a sentence tells a convention; none if it does not.
pub(super) fn convention_form(
    lower: &str,
    all: &[Clause<'_>],
    in_task: bool,
) -> Option<&'static str> {
    if CONVENTIONS.any_in(lower, |_, _| true) {
        return Some("says that something is a convention");
    }
    // Who reports a fault tells facts as well.
    if all.iter().flat_map(|clause| &clause.words).any(|word| is_trouble(word)) {
        return None;
    }
    for (at, clause) in all.iter().enumerate() {
        if clause.link == Link::Because {
            continue;
        }
        let (core, lead) = clause.core();
        if is_unwelcome(core, in_task) || is_out_of_bounds(core) {
            return Some("says what is not to be done");
        }
        if is_consequence(all, at) {
            return Some("says what follows for the work");
        }
        if is_habit(core, all, at) {
            return Some("tells a habit of the team");
        }
        if is_way_of_workpieces(core, lead, in_task) {
            return Some("says how every such thing is made");
        }
    }
    None
}

/// `inline styles are not ok`, `the old api is off limits`.
fn is_unwelcome(core: &[&str], in_task: bool) -> bool {
    let Some(at) = core
        .iter()
        .position(|word| matches!(*word, "isn't" | "aren't" | "is" | "are" | "remains" | "stays"))
    else {
        return false;
    };
    let (subject, told) = (&core[..at], &core[at..]);
    let Some(who) = subject.first() else { return false };
    let is_named = !is_pronoun(who)
        && subject.len() <= 6
        && !matches!(*who, "why" | "if" | "when" | "what" | "how");
    let banned = match told {
        ["isn't" | "aren't", what, rest @ ..] if UNWELCOME.contains(what) => {
            // `users are not allowed to delete` is what is built.
            match rest.first() {
                None => *what != "fine",
                Some(&"to") => matches!(*who, "you" | "we"),
                Some(next) => {
                    matches!(
                        *next,
                        "in" | "here" | "for" | "anywhere" | "with" | "without" | "at" | "on"
                    ) && !in_task
                }
            }
        }
        ["is" | "are" | "remains" | "stays", rest @ ..] => {
            matches!(
                rest,
                ["off", "limits", ..]
                    | ["off-limits", ..]
                    | ["taboo", ..]
                    | ["a", "no-go", ..]
                    | ["a", "no", "go", ..]
                    | ["banned", ..]
                    | ["out", "of", "bounds", ..]
                    | ["strictly", "forbidden", ..]
                    | ["prohibited", ..]
            ) || matches!(rest, ["forbidden", ..])
                && subject.iter().any(|word| word.ends_with('s') || word.ends_with("ing"))
        }
        _ => false,
    };
    is_named && banned
}

/// `the schema stays as it is`, `main must not be touched`.
fn is_out_of_bounds(core: &[&str]) -> bool {
    let Some(subject) = core.first() else { return false };
    if is_pronoun(subject) {
        return false;
    }
    let stays = core.iter().any(|word| matches!(*word, "stay" | "stays" | "remain" | "remains"));
    let kept =
        ["untouched", "unchanged", "frozen", "as-is"].iter().any(|word| core.ends_with(&[word]))
            || core.ends_with(&["as", "is"])
            || core.ends_with(&["as", "it", "is"])
            || core.ends_with(&["as", "they", "are"]);
    let touched = |word: &str| {
        matches!(
            word,
            "touched"
                | "changed"
                | "edited"
                | "modified"
                | "renamed"
                | "removed"
                | "deleted"
                | "committed"
                | "pushed"
                | "logged"
                | "exposed"
                | "broken"
                | "merged"
        )
    };
    let forbids = core.windows(3).any(|three| match three {
        ["mustn't" | "shouldn't", "be", what] | ["never", "be", what] => touched(what),
        ["not", "be", what] => touched(what),
        ["be", "never", what] => touched(what),
        ["to", "be", what] => {
            touched(what) && core.iter().any(|word| matches!(*word, "isn't" | "aren't" | "not"))
        }
        _ => false,
    });
    let nobody =
        matches!(core, ["nobody" | "no-one", "touches" | "edits" | "changes" | "pushes", ..]);
    let untouched = core.windows(2).any(|two| matches!(two, ["isn't" | "aren't", "touched"]))
        && core.len() <= 6;
    // `is not touched by the job` tells what a program does.
    stays && kept || forbids || nobody || untouched && core.last() == Some(&"touched")
}

/// `we are on 3.9, so no match statements`.
fn is_consequence(all: &[Clause<'_>], at: usize) -> bool {
    let [before @ .., clause] = &all[..=at] else { return false };
    if before.is_empty() || !before.iter().any(|clause| is_of_the_team(clause.core().0)) {
        return false;
    }
    let words = match (clause.link, &clause.words[..]) {
        (Link::So, words) => words,
        (Link::Mark, ["no", ..]) => &clause.words[..],
        _ => return false,
    };
    let bans = matches!(
        words,
        ["no" | "don't" | "never" | "only", ..] | ["we" | "you", "can't" | "mustn't", ..]
    );
    bans && words.len() > 1
        && words.len() <= 8
        && !words.iter().any(|word| is_finite(word) && *word != "can't" || is_past(word))
        && !matches!(
            words[1],
            "idea"
                | "rush"
                | "problem"
                | "worries"
                | "need"
                | "hurry"
                | "reason"
                | "luck"
                | "way"
                | "wonder"
                | "one"
        )
}

/// `we use uv, not pip`; `we never mock the database`.
fn is_habit(core: &[&str], all: &[Clause<'_>], at: usize) -> bool {
    let core = core.strip_prefix(&["here"]).unwrap_or(core);
    let ["we", rest @ ..] = core else { return false };
    let mut verbs = rest.iter().skip_while(|word| {
        matches!(**word, "always" | "only" | "strictly" | "exclusively" | "never" | "all")
    });
    let Some(verb) = verbs.next() else { return false };
    if !(is_practice(verb) && *verb != "want" || HABITS.contains(verb) || *verb == "run") {
        return false;
    }
    let Some(object) = verbs.next() else { return false };
    if is_pronoun(object) || is_past(object) || matches!(*verb, "are") {
        return false;
    }
    let is_own =
        matches!(rest.first(), Some(&("always" | "only" | "never" | "strictly" | "exclusively")));
    let behind = || all[at + 1..].iter().take(1).filter(|clause| clause.link != Link::Because);
    let is_mark =
        |(at, word): (usize, &&str)| MARKS.contains(word) && (at == 0 || rest[at - 1] != "to");
    let marked = rest.iter().enumerate().any(is_mark)
        || behind().any(|clause| {
            matches!(
                clause.words.first(),
                Some(&("not" | "no" | "never" | "only" | "nothing" | "always"))
            )
        });
    // What is described with a `the` is a thing of the program.
    let describes = is_determiner(object)
        && !is_own
        && !rest
            .iter()
            .any(|word| matches!(*word, "first" | "every" | "always" | "never" | "before"));
    let is_whole = all.len() == 1
        && core.len() <= 5
        && matches!(*verb, "use" | "follow" | "target" | "support" | "prefer")
        && !core.contains(&"for")
        && !is_determiner(object);
    // `we add the test and …` tells what is being done.
    let told = matches!(
        *verb,
        "add" | "remove" | "drop" | "change" | "delete" | "move" | "rename" | "replace" | "create"
    ) && !is_own;
    !describes && !told && (marked || is_whole)
}

/// `every new endpoint needs an entry`, `commit messages in english`, `texts go through the catalogue`.
fn is_way_of_workpieces(core: &[&str], lead: Lead, in_task: bool) -> bool {
    if lead != Lead::Bare || core.len() < 3 || core.len() > 16 {
        return false;
    }
    if matches!(core, ["tests" | "test" | "specs", "first", ..]) && core.len() <= 3 {
        return true;
    }
    if matches!(core, ["one", what, "per", ..] if is_workpiece(what)) {
        return true;
    }
    let quantified = matches!(core[0], "all" | "every" | "each" | "any");
    let nothing = matches!(core[0], "nothing" | "everything" | "no");
    let is_told = |word: &str| {
        matches!(
            word,
            "needs"
                | "need"
                | "goes"
                | "go"
                | "lives"
                | "live"
                | "belongs"
                | "belong"
                | "gets"
                | "get"
                | "comes"
                | "come"
                | "must"
                | "should"
                | "has"
                | "have"
                | "is"
                | "are"
                | "stays"
                | "stay"
                | "requires"
                | "require"
                | "starts"
                | "start"
                | "ends"
                | "end"
                | "follows"
                | "follow"
                | "uses"
                | "use"
                | "carries"
                | "carry"
        )
    };
    let at = core.iter().position(|word| is_told(word));
    let until = at.unwrap_or(core.len()).min(core.len());
    let subject = &core[..until];
    let about = subject.iter().any(|word| is_workpiece(word));
    let Some(at) = at else {
        // No verb: `commit messages in english`.
        let Some(split) = core
            .iter()
            .position(|word| matches!(*word, "in" | "with" | "without" | "under" | "as" | "next"))
        else {
            return false;
        };
        let named = split > 0
            && split <= 4
            && core[..split].iter().all(|word| {
                !is_determiner(word) && *word != "some" && !is_past(word) && !is_finite(word)
            });
        let plural = split > 0
            && (core[split - 1].ends_with('s') || quantified || is_workpiece(core[split - 1]));
        let rest = &core[split + 1..];
        let manner = rest.iter().take(2).any(|word| is_language(word) || is_manner_of_text(word));
        let is_verb_first = is_verb(core[0]) && !is_workpiece(core[0]);
        return named
            && plural
            && manner
            && !is_verb_first
            && core[..split].iter().any(|word| is_workpiece(word));
    };
    let rest = &core[at + 1..];
    if nothing && core[0] == "nothing" {
        return core.contains(&"without")
            || matches!(core[at], "goes")
                && rest.iter().any(|word| matches!(*word, "before" | "until"));
    }
    if in_task && !(about && core.contains(&"new") || core[0] == "commit") {
        return false;
    }
    let has_number = rest.iter().take(2).any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    if !about && core[0] != "everything" {
        return false;
    }
    let bare_plural = !is_determiner(core[0])
        && !nothing
        && subject.last().is_some_and(|word| word.ends_with('s'))
        && !is_verb(core[0])
        && !matches!(
            core[0],
            "these"
                | "those"
                | "some"
                | "many"
                | "most"
                | "two"
                | "three"
                | "both"
                | "other"
                | "new"
        );
    match core[at] {
        "needs" | "need" | "requires" | "require" | "carries" | "carry" => {
            (quantified || core[0] == "everything")
                && !has_number
                && rest.first().is_some_and(|what| *what != "to" || rest.get(1) == Some(&"be"))
        }
        "has" | "have" => {
            quantified
                && rest.first() == Some(&"to")
                && !matches!(rest.get(1), Some(&("work" | "pass" | "be")))
        }
        "must" => {
            (quantified || bare_plural || core[0] == "everything")
                && !rest.first().is_some_and(|next| {
                    *next == "have" && rest.get(1).is_some_and(|word| is_past(word))
                })
        }
        "should" => {
            (quantified || bare_plural)
                && !matches!(rest.first(), Some(&("pass" | "work" | "fail" | "have")))
                && (rest.first() != Some(&"be")
                    || rest.get(1).is_some_and(|word| {
                        is_past(word) || matches!(*word, "in" | "small" | "signed" | "written")
                    }))
        }
        "goes" | "go" | "lives" | "live" | "belongs" | "belong" | "comes" | "come" => {
            (quantified || bare_plural || core[0] == "everything")
                && matches!(
                    rest.first(),
                    Some(
                        &("through"
                            | "in"
                            | "into"
                            | "to"
                            | "under"
                            | "via"
                            | "from"
                            | "next"
                            | "behind")
                    )
                )
                && !rest.iter().any(|word| is_pronoun(word))
        }
        "starts" | "start" | "ends" | "end" | "follows" | "follow" => {
            quantified && matches!(rest.first(), Some(&("with" | "the" | "our")))
        }
        "uses" | "use" => quantified && rest.first().is_some_and(|what| !is_pronoun(what)),
        "is" | "are" | "stays" | "stay" => {
            (quantified || bare_plural)
                && (matches!(
                    rest,
                    [
                        "written"
                            | "named"
                            | "documented"
                            | "reviewed"
                            | "stored"
                            | "kept"
                            | "formatted"
                            | "generated"
                            | "signed"
                            | "prefixed",
                        ..
                    ]
                ) && rest.len() > 1
                    && !rest.iter().any(|word| matches!(*word, "by" | "twice" | "when" | "after"))
                    && (quantified
                        || rest.iter().any(|word| is_manner_of_text(word) || is_language(word)))
                    || rest.len() <= 3
                        && rest.iter().any(|word| is_manner_of_text(word) || is_language(word)))
        }
        "gets" | "get" => {
            bare_plural && matches!(rest, ["rejected" | "reviewed" | "squashed" | "signed", ..])
                || quantified
                    && rest
                        .first()
                        .is_some_and(|what| matches!(*what, "a" | "an" | "its" | "reviewed"))
                    && !in_task
                    && core.contains(&"new")
        }
        _ => false,
    }
}

/// Manners in which names, texts and values are written.
fn is_manner_of_text(word: &str) -> bool {
    matches!(
        word,
        "utc"
            | "cents"
            | "metres"
            | "meters"
            | "seconds"
            | "milliseconds"
            | "iso"
            | "lowercase"
            | "uppercase"
            | "singular"
            | "plural"
            | "imperative"
            | "present"
            | "utf-8"
            | "markdown"
            | "iso-8601"
    ) || word.ends_with("case") && word.len() > 4
}
