//! Which sentences of the user's hold beyond the request in which they stand.

use super::super::phrases::Phrases;
use super::super::sentence::{Demand, demand};
use super::attributed::is_reported;
use super::chinese::is_chinese_rule;
use super::clause::{Clause, Lead, Link, clauses};
use super::convention::convention_form;
use super::french::is_french_rule;
use super::german::is_german_rule;
use super::order::{is_order, order_form};
use super::polite::{asks_for_ability, is_polite_rule};
use super::spanish::is_spanish_rule;
use super::subjects::is_trouble;
use super::words::{is_determiner, is_finite, is_past, is_pronoun};

/// Words that end an order with its turn.
static FOR_NOW: Phrases<21> = Phrases::new([
    "for now",
    "yet",
    "right now",
    "this time",
    "at the moment",
    "until i",
    "until we",
    "for this one",
    "in this turn",
    "just now",
    "at this point",
    "this session only",
    "before we start",
    "for the moment",
    "erstmal",
    "noch nicht",
    "fürs erste",
    "pour l'instant",
    "por ahora",
    "暂时",
    "先不",
]);
/// Words by which a sentence holds for ever, whatever else it says.
static FOR_EVER: Phrases<8> = Phrases::new([
    "from now on",
    "going forward",
    "in the future",
    "in future",
    "at all times",
    "under no circumstances",
    "as a rule",
    "always ask",
]);
/// Words that say so only where somebody orders something, and not where somebody tells of something.
static FOR_EVER_IN_ORDERS: Phrases<14> = Phrases::new([
    "unless i ",
    "without asking",
    "before you commit",
    "before you push",
    "before you merge",
    "before committing",
    "before pushing",
    "before merging",
    "every time",
    "each time",
    "whenever",
    "stop doing",
    "without my",
    "unless we ",
]);
/// Words for always and never in scripts of which nothing else is read.
static OTHER_SCRIPTS: Phrases<7> =
    Phrases::new(["всегда", "никогда", "必ず", "しないで", "常に", "절대", "항상"]);
/// Remarks that have the words of an order and order nothing that lasts.
const REMARKS: &[&str] = &[
    "no objection",
    "no thanks",
    "no need",
    "never mind",
    "nevermind",
    "don't worry",
    "do not worry",
    "no problem",
    "no worries",
    "no idea",
    "no clue",
    "no that",
    "no go ",
    "don't stop",
    "don't forget",
    "do not forget",
    "don't do that",
    "don't bother",
    "let's not do it today",
    "never-ending",
    "no luck",
    "no way",
    "i don't like this",
    "i don't like it",
    "must be ",
    "don't you ",
    "no change",
    "only if ",
    "don't think",
    "never seen",
    "don't know",
];
/// Words before a colon behind which a text is dictated.
const DICTATED: &[&str] = &[
    "translate",
    "prompt",
    "message",
    "write",
    "create",
    "mail",
    "title",
    "body",
    "text",
    "answer",
    "reply",
    "header",
    "label",
    "tooltip",
];
/// Words of an order, in quotation marks or not.
static ORDERS: Phrases<8> =
    Phrases::new(["never", "always", "don't", "do not", "must", "only", "avoid", "forbidden"]);
/// Verbs with which `only` says what may be touched or used at all.
const RESTRICTS: &[&str] = &[
    "use", "touch", "edit", "modify", "change", "target", "write", "support", "depend", "work",
    "run",
];
/// Verbs with which `only` says what one request is about.
const ONE_REQUEST: &[&str] = &[
    "commit",
    "push",
    "fix",
    "review",
    "show",
    "list",
    "add",
    "implement",
    "do",
    "give",
    "check",
    "look",
    "explain",
    "tell",
    "update",
    "include",
    "load",
    "render",
    "display",
    "return",
];
/// Words with which a question begins, whether or not it ends with its mark.
const ASKS: &[&str] = &[
    "why", "how", "what", "where", "who", "which", "whose", "is", "are", "was", "were", "does",
    "did", "do", "has", "have", "had", "am", "should", "shall", "must", "may", "warum", "wieso",
    "weshalb", "wie", "wo", "welche", "welcher", "ist", "sind", "hat", "hast", "haben", "kann",
    "könnte", "soll", "sollen", "darf", "pourquoi", "comment", "est-ce", "qui", "où", "quand",
    "por", "qué", "cómo", "dónde", "quién", "cuándo", "cuál",
];
/// Beginnings with which somebody guesses or thinks aloud.
const GUESSES: &[&str] = &[
    "i think",
    "i guess",
    "i believe",
    "i suppose",
    "i assume",
    "i suspect",
    "i wonder",
    "i'm wondering",
    "i'm not sure",
    "i am not sure",
    "maybe",
    "perhaps",
    "probably",
    "looks like",
    "seems",
    "it seems",
    "apparently",
    "i thought",
    "i forgot",
    "i always",
    "i never",
    "i only",
    "i don't",
    "i do not",
    "hmm",
    "wonder",
    "ich glaube",
    "ich denke",
    "vielleicht",
    "je crois",
    "je pense",
    "peut-être",
    "creo",
    "quizás",
    "tal vez",
    "i can't",
    "i couldn't",
    "i didn't",
    "i had",
    "i was",
    "i must",
    "i have to",
];
/// Of these, what the user wants after all.
const WANTS: &[&str] = &[
    "i don't want",
    "i do not want",
    "i dont want",
    "i don't like",
    "i do not like",
    "i dont like",
    "i only want",
    "i never want",
    "i always want",
];

/// Whether a sentence holds beyond its request, and why; none if nothing in it sounds like an order. `in_task`
/// tells that it stands in a long description of a task, where most such words say what is to be built.
pub(super) fn judge(sentence: &str, in_task: bool) -> Option<(bool, &'static str)> {
    let lower = sentence.to_lowercase().replace('’', "'").replace("**", "");
    let all = clauses(&lower);
    let is_polite = is_polite_rule(lower.trim()) && !in_task && !is_reported(&lower);
    if is_polite && !is_quoted(&lower) && !has_any(&lower, &FOR_NOW) {
        return Some((true, "asks for what is to hold from then on"));
    }
    let form = form_of(sentence, &lower, &all, in_task);
    let Some(form) = form else {
        return match demand(sentence) {
            Some(Demand::Constraint) if in_task => Some((false, "part of a description of a task")),
            Some(Demand::Constraint) => Some((false, "says what one request is about")),
            Some(Demand::Remark) => Some((false, "asks or tells of something")),
            None => None,
        };
    };
    Some(match veto(&lower, &all) {
        Some(why) => (false, why),
        None => (true, form),
    })
}

fn form_of(sentence: &str, lower: &str, all: &[Clause<'_>], in_task: bool) -> Option<&'static str> {
    if FOR_EVER.any_in(lower, |phrase, at| stands_apart(lower, FOR_EVER.get(phrase), at))
        || is_order(all) && has_any(lower, &FOR_EVER_IN_ORDERS)
        || ["remember that", "remember to", "please remember", "always remember"]
            .iter()
            .any(|words| lower.starts_with(words))
        || ends_with_always(lower, all)
    {
        return Some("says that it holds from then on");
    }
    if let Some(form) = order_form(all, in_task) {
        return Some(form);
    }
    if let Some(form) = convention_form(lower, all, in_task) {
        return Some(form);
    }
    if let Some(form) = foreign_form(lower, all) {
        return Some(form);
    }
    if in_task {
        return None;
    }
    if OTHER_SCRIPTS.any_in(lower, |_, _| true) {
        return Some("says that it holds from then on");
    }
    if is_bound(all) {
        return Some("binds whoever works here");
    }
    if demand(sentence) == Some(Demand::Constraint) && restricts(lower) {
        return Some("restricts what may be used or touched");
    }
    None
}

/// Why a sentence that is not in English is a rule; none if it is not one.
fn foreign_form(lower: &str, all: &[Clause<'_>]) -> Option<&'static str> {
    if !lower.is_ascii() && is_chinese_rule(lower) {
        return Some("says in Chinese that it holds");
    }
    let words: Vec<&str> = all.iter().flat_map(|clause| clause.words.iter().copied()).collect();
    let is_report = words.iter().any(|word| is_trouble(word));
    if is_german_rule(lower, all, &words, is_report) {
        return Some("says in German that it holds");
    }
    if is_french_rule(lower, all, &words, is_report) {
        return Some("says in French that it holds");
    }
    if is_spanish_rule(lower, all, &words, is_report) {
        return Some("says in Spanish that it holds");
    }
    None
}

/// Why a sentence is no rule although it has the form of one.
fn veto(lower: &str, all: &[Clause<'_>]) -> Option<&'static str> {
    if REMARKS.iter().any(|words| lower.starts_with(words)) {
        return Some("a remark");
    }
    if is_quoted(lower) || is_reported(lower) {
        return Some("somebody else's words, or a text that is dictated");
    }
    if is_question(lower, all) || asks_for_ability(lower) {
        return Some("asks something");
    }
    let guesses = GUESSES.iter().any(|words| lower.starts_with(words));
    let thinks = ["i think", "i guess", "i suppose", "ich glaube", "je crois", "creo yo"]
        .iter()
        .any(|words| lower.trim_end_matches('.').ends_with(words));
    let orders_then = all.get(1..).is_some_and(|rest| order_form(rest, false).is_some());
    let guesses = guesses && !orders_then;
    if thinks || guesses && !WANTS.iter().any(|words| lower.starts_with(words)) {
        return Some("asks or tells of something");
    }
    if has_any(lower, &FOR_NOW) || lower.starts_with("first,") {
        return Some("an order for one turn");
    }
    // What a program is to do in some case.
    let in_case = ["if ", "when ", "wenn ", "si "].iter().any(|begin| lower.starts_with(begin));
    let who = all.first().and_then(|clause| clause.words.get(1));
    let is_of_work = who.is_some_and(|who| {
        matches!(*who, "you" | "i" | "we" | "du" | "ihr" | "tu" | "vous" | "in" | "unsure")
            || who.ends_with("ing")
    });
    let asks_for_leave = ["ask me", "let me know", "stop and ask", "frag mich"]
        .iter()
        .any(|words| lower.contains(words));
    if in_case && !is_of_work && !asks_for_leave {
        return Some("says what a program does in some case");
    }
    None
}

/// `Tabs are enough, always.`
fn ends_with_always(lower: &str, all: &[Clause<'_>]) -> bool {
    let first = all.first().and_then(|clause| clause.words.first());
    lower.trim_end_matches(['.', '!']).ends_with(", always")
        && first.is_some_and(|word| !is_pronoun(word))
        && !all
            .iter()
            .flat_map(|clause| &clause.words)
            .any(|word| is_trouble(word) || is_past(word))
}

/// Things that are built and seen: what all of these must be is a task.
const SEEN: &[&str] = &[
    "button",
    "buttons",
    "row",
    "rows",
    "card",
    "cards",
    "page",
    "pages",
    "screen",
    "screens",
    "dialog",
    "dialogs",
    "icon",
    "icons",
    "user",
    "users",
    "customer",
    "customers",
    "player",
    "players",
    "item",
    "items",
    "cell",
    "cells",
    "tile",
    "tiles",
    "slot",
    "slots",
];

/// Whether a sentence asks, with its mark or without it. A request that is put as a question asks for nothing.
fn is_question(lower: &str, all: &[Clause<'_>]) -> bool {
    let requests =
        ["can you", "could you", "would you", "will you", "can we", "could we", "please", "pls"];
    // `don't touch it, ok?`
    let polite = [
        "可以吗",
        "好吗",
        "行吗",
        "ok",
        "okay",
        "alright",
        "please",
        "einverstanden",
        "d'accord",
        "vale",
    ];
    let bare = lower.trim_end_matches(['?', '？', ' ']);
    let ends_politely = polite.iter().any(|words| {
        bare.strip_suffix(words).is_some_and(|rest| rest.trim_end().ends_with([',', '，']))
    });
    let is_request = ends_politely || requests.iter().any(|words| lower.starts_with(words));
    if lower.trim_end().ends_with(['?', '？']) {
        return !is_request;
    }
    let asks = |clause: &Clause<'_>| match clause.words[..] {
        ["how", "come", ..] | ["dont" | "don't", "you" | "we" | "they", ..] => true,
        ["do" | "have", next, ..] => matches!(next, "you" | "we" | "i" | "they"),
        ["where", next, ..] => is_finite(next) || matches!(next, "do" | "can" | "should"),
        ["wie", "besprochen" | "gesagt" | "immer", ..] => false,
        ["por", next, ..] => next == "qué" || next == "que",
        ["must" | "should" | "shall" | "may", next, ..] => {
            matches!(next, "i" | "we" | "it" | "they" | "the" | "this")
        }
        ["what" | "how" | "which" | "who", ..] => clause.link == Link::First,
        [first, ..] => {
            ASKS.contains(&first)
                && (clause.link == Link::First
                    || matches!(first, "why" | "warum" | "wieso" | "pourquoi"))
        }
        [] => false,
    };
    !is_request && all.iter().any(asks)
}

/// Whether a clause says who has to keep a rule: `you must`, `every commit must`.
fn is_bound(all: &[Clause<'_>]) -> bool {
    all.iter().filter(|clause| clause.link != Link::Because).any(|clause| {
        let (core, lead) = clause.core();
        // `we should fix it` is a task, `you must ask first` is not.
        let must = clause.words.contains(&"must");
        let is_order = lead == Lead::Bound && must;
        let guesses = match core {
            ["be" | "have", ..] => true,
            [verb, ..] => is_past(verb),
            [] => true,
        };
        // An error that has to be mended is no rule.
        let is_task =
            matches!(core, ["fix" | "find" | "restart" | "finish" | "look" | "check", ..])
                || core.iter().skip(1).take(2).any(|word| is_pronoun(word))
                || core.get(1).is_some_and(|what| is_determiner(what) && *what == "the")
                    && core.len() < 5;
        is_order && !guesses && !is_task
    }) || all.first().is_some_and(|clause| {
        let must = clause.words.iter().position(|word| *word == "must");
        let quantified = matches!(
            clause.words.first(),
            Some(&("all" | "every" | "each" | "any" | "everything" | "commits"))
        );
        must.is_some_and(|at| {
            quantified
                && clause.words.get(at + 1) != Some(&"have")
                && !clause.words[..at].iter().any(|word| SEEN.contains(word))
        })
    })
}

/// Whether what sounds like an order stands in quotation marks or code, or behind a colon that introduces
/// somebody else's words.
fn is_quoted(lower: &str) -> bool {
    let lead = lower.split_once(": ").map(|(lead, _)| lead).filter(|lead| lead.len() < 80);
    let dictates = |lead: &str| {
        let mut words = lead.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.next().is_some_and(|word| DICTATED.contains(&word))
            || words.next_back().is_some_and(|word| DICTATED.contains(&word))
    };
    if lead.is_some_and(dictates) {
        return true;
    }
    let outside: String = outside_quotes(lower);
    has_any(lower, &ORDERS) && !has_any(&outside, &ORDERS)
}

/// A text without what stands in quotation marks or code.
fn outside_quotes(text: &str) -> String {
    let mut out = String::new();
    let mut open: Option<char> = None;
    let mut before = ' ';
    for c in text.chars() {
        match (open, c) {
            (None, '"' | '`' | '“' | '«') => open = Some(c),
            // An apostrophe stands within a word.
            (None, '\'') if before.is_whitespace() => open = Some(c),
            (None, _) => out.push(c),
            (Some('“'), '”') | (Some('«'), '»') => open = None,
            (Some(mark), _) if mark == c => open = None,
            _ => {}
        }
        before = c;
    }
    out
}

/// Whether `only` says what may be used or touched, and not what one request is about.
fn restricts(lower: &str) -> bool {
    if !has(lower, "only") {
        return false;
    }
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let names = |verbs: &[&str]| {
        let mut all = lower.split(|c: char| !c.is_alphanumeric());
        all.any(|word| verbs.contains(&word))
    };
    let first = words
        .find(|word| !matches!(*word, "and" | "but" | "please" | "also" | "ok" | "so" | "then"));
    // `Heights in metres only.`
    let is_unit = lower.split_whitespace().count() <= 6 && has(lower, "in") && !names(ONE_REQUEST);
    if is_unit {
        return true;
    }
    let is_order = first.is_some_and(|first| {
        first == "only" || first == "you" || first == "we" || RESTRICTS.contains(&first)
    });
    is_order && names(RESTRICTS) && !names(ONE_REQUEST)
}

/// Whether a text describes a task at length: headings, or many lines.
pub(super) fn is_task_description(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    let headings = text.lines().filter(|line| line.starts_with('#')).count();
    headings > 1 || lines > 25 || text.len() > 2_500
}

fn has(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| stands_apart(text, words, at))
}

fn has_any<const N: usize>(text: &str, all: &Phrases<N>) -> bool {
    all.any_in(text, |phrase, at| stands_apart(text, all.get(phrase), at))
}

/// Whether words that were found in a text stand there as words.
fn stands_apart(text: &str, words: &str, at: usize) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    let before = text[..at].chars().next_back().is_some_and(is_letter);
    let behind = text[at + words.len()..].chars().next().is_some_and(is_letter);
    !words.is_ascii() || !before && (!behind || words.ends_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(sentence: &str) -> bool {
        judge(sentence, false).is_some_and(|(holds, _)| holds)
    }

    #[test]
    fn rules_hold_beyond_their_request() {
        for rule in [
            "Never touch schema.sql.",
            "Always run the linter before you commit.",
            "Fix it, but don't add dependencies.",
            "Please do not push.",
            "You must ask first.",
            "Use only tabs.",
            "Heights in metres only.",
            "From now on, answer in French.",
            "不要修改配置",
            "I don't want any mocks.",
            "Run it whenever you change a schema.",
            "we explicitly don't want hardcoded tests",
        ] {
            assert!(holds(rule), "{rule}");
        }
    }

    #[test]
    fn orders_for_one_turn_and_descriptions_end_with_it() {
        for order in [
            "commit only the version command for now",
            "don't commit yet",
            "make sure all the comments are addressed",
            "The button must be blue.",
            "It never reconnects after a timeout.",
            "the job that always fails has to be fixed",
            "commit only the tests",
            "if there is an error, always exit with 1",
            "Never mind.",
            "Don't worry about it.",
            "it crashes each time",
            "You have to fix the login bug.",
            "The error says: do not use this function.",
            "the line `Never run the tests.` is in AGENTS.md, remove it",
            "The bot told me: \"Never run the tests.\"",
            "Rename \"Never\" to \"Always\" in the dropdown.",
            "es ist immer noch rot",
        ] {
            assert!(!holds(order), "{order}");
        }
        assert!(!judge("The parser must never panic.", true).is_some_and(|(holds, _)| holds));
        assert!(judge("Do not touch main.", true).is_some_and(|(holds, _)| holds));
    }

    #[test]
    fn manners_are_preferences() {
        for said in [
            "let's fix it in a new branch, do meaningful commits, run the tests when done",
            "use bun not npm",
            "keep it simple",
            "I prefer small functions",
            "answer in German",
            "no new dependencies",
            "leave the schema as is",
            "do it without changing the API",
            "Ask me before deleting anything.",
            "hands off the migrations folder",
            "Commit after every step.",
        ] {
            assert!(holds(said), "{said}");
        }
        for said in
            ["use the other file", "should we do small commits?", "keep going", "do a commit"]
        {
            assert!(!holds(said), "{said}");
        }
    }
}
