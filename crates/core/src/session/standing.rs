//! Which orders of the user's hold beyond the request in which they stand.

use super::phrases::Phrases;

/// Words that end an order with its turn.
static FOR_NOW: Phrases<16> = Phrases::new([
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
    "first,",
    "before we start",
    "暂时",
    "先不",
]);
/// Words by which an order holds for ever, wherever they stand.
static FOR_EVER: Phrases<38> = Phrases::new([
    "from now on",
    "going forward",
    "in the future",
    "in future",
    "at all times",
    "under no circumstances",
    "unless i ",
    "without asking",
    "before you commit",
    "before committing",
    "before every",
    "before each",
    "before any",
    "after every",
    "after each",
    "not allowed",
    "always ask",
    "never ask",
    "remember to",
    "remember that",
    "stop doing",
    "as a rule",
    "niemals",
    "auf keinen fall",
    "bitte nicht",
    "darf nicht",
    "dürfen nicht",
    "всегда",
    "никогда",
    "不要",
    "总是",
    "永远",
    "请勿",
    "必ず",
    "しないで",
    "常に",
    "절대",
    "항상",
]);
/// Words that say so only where somebody orders something, and not where somebody tells of something.
static FOR_EVER_IN_ORDERS: Phrases<11> = Phrases::new([
    "every time",
    "each time",
    "whenever",
    "forbidden",
    "immer",
    "toujours",
    "jamais",
    "siempre",
    "nunca",
    "必须",
    "只能",
]);
/// Beginnings of sentences that tell of something.
const TELLS_OF: &[&str] = &[
    "it ",
    "it's ",
    "this ",
    "that ",
    "the ",
    "i ",
    "es ",
    "das ",
    "ça ",
    "ca ",
    "every time i",
    "each time i",
    "whenever i",
    "you never",
    "you always",
    "there ",
    "siempre ",
    "il ",
    "elle ",
    "they ",
    "these ",
    "those ",
    "because ",
    "why ",
];
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
    "no, ",
    "no go ",
    "don't stop",
    "don't forget",
    "do not forget",
    "don't do that",
    "don't bother",
    "let's not do it today",
    "never-ending",
    "no thanks",
    "no luck",
    "no way",
    "no need",
    "i don't like this",
    "i don't like it",
    "must be ",
    "don't you ",
    "no change",
];
/// Words before a colon behind which somebody else speaks, or a text is dictated.
const QUOTES: &[&str] = &[
    "says",
    "said",
    "told",
    "reads",
    "error",
    "warning",
    "translate",
    "prompt",
    "message",
    "write ",
    "create ",
    "mail",
    "quote",
    "claude",
    "codex",
    "docs",
    "output",
    "log",
    "wrote",
    "states",
];
/// Words of an order, in quotation marks or not.
static ORDERS: Phrases<8> =
    Phrases::new(["never", "always", "don't", "do not", "must", "only", "avoid", "forbidden"]);
/// Words before `never` and `always` when somebody tells of something.
const TOLD_OF: &[&str] = &[
    "it", "this", "that", "which", "who", "i", "they", "he", "she", "there", "has", "have", "had",
    "is", "was", "are", "were", "will", "would", "which", "that's", "it's", "almost", "code",
    "script", "test", "function", "page", "app", "server", "user", "client", "job",
];
/// Beginnings of a clause that forbids.
static FORBIDS: Phrases<29> = Phrases::new([
    "don't ",
    "dont ",
    "do not ",
    "don`t ",
    "avoid ",
    "never ",
    "no more ",
    "stop ",
    "must not ",
    "mustn't ",
    "you must not ",
    "you mustn't ",
    "you may not ",
    "you should not ",
    "you shouldn't ",
    "you don't ",
    "we should not ",
    "we shouldn't ",
    "we must not ",
    "we don't want",
    "we do not want",
    "i don't want",
    "i do not want",
    "i never want",
    "i don't like",
    "i do not like",
    "never,",
    "nothing should",
    "no one should",
]);
/// Words that only give weight to an order.
const EMPHASIS: &[&str] =
    &["explicitly", "really", "definitely", "absolutely", "strictly", "ever", "also", "just"];
/// What may stand before a clause that forbids.
const CLAUSES: &[&str] =
    &[", ", "; ", ". ", " - ", " — ", ": ", " but ", " and ", " please ", " also ", " so "];
/// Who has to keep a rule.
const BOUND: &[&str] =
    &["you ", "we ", "all ", "every ", "each ", "commits ", "any ", "everything ", "please "];
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
];
/// How commits are to be made.
const COMMIT_MANNERS: &[&str] = &[
    "small",
    "meaningful",
    "atomic",
    "separate",
    "conventional",
    "descriptive",
    "granular",
    "logical",
    "individual",
    "incremental",
];
/// What somebody wants kept as it is wanted.
const KEPT: &[&str] = &["simple", "minimal", "small", "short", "concise", "lean", "clean"];

/// Whether an order holds beyond its request, and why. `in_task` tells that it stands in a long
/// description of a task, where most such words say what is to be built.
pub(super) fn judge_order(order: &str, in_task: bool) -> (bool, &'static str) {
    let lower = order.to_lowercase().replace('’', "'").replace("**", "");
    let words = lower.split_whitespace().filter(|word| !EMPHASIS.contains(word));
    let lower = words.collect::<Vec<_>>().join(" ");
    if REMARKS.iter().any(|words| lower.starts_with(words)) {
        return (false, "a remark");
    }
    if is_quoted(&lower) {
        return (false, "somebody else's words, or a text that is dictated");
    }
    let tells = TELLS_OF.iter().any(|words| lower.starts_with(words));
    let in_orders = || has_any(&lower, &FOR_EVER_IN_ORDERS);
    if has_any(&lower, &FOR_EVER) || !tells && in_orders() {
        return (true, "says that it holds from then on");
    }
    if has_any(&lower, &FOR_NOW) {
        return (false, "an order for one turn");
    }
    // What a program is to do in some case.
    if lower.starts_with("if ")
        && !["if you", "if i ", "if we"].iter().any(|who| lower.starts_with(who))
    {
        return (false, "says what a program does in some case");
    }
    if in_task {
        let orders = FORBIDS.any_in(&lower, |_, at| at == 0) || lower.starts_with("always ");
        let why = if orders {
            "an order that begins a line of a task"
        } else {
            "part of a description of a task"
        };
        return (orders, why);
    }
    let forbids = FORBIDS.any_in(&lower, |_, at| {
        let before = &lower[..at];
        matches!(before, "" | "please ") || CLAUSES.iter().any(|clause| before.ends_with(clause))
    });
    let for_ever = ["never", "always"].iter().any(|word| {
        lower.match_indices(word).any(|(at, _)| {
            let before = lower[..at].trim_end().rsplit(' ').next().unwrap_or_default();
            !TOLD_OF.contains(&before.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''))
        })
    });
    let has_to = ["must", "required to"].iter().any(|word| has(&lower, word));
    let bound = has_to && BOUND.iter().any(|who| lower.starts_with(who));
    if forbids {
        (true, "forbids something")
    } else if for_ever {
        (true, "says always or never")
    } else if bound {
        (true, "binds whoever works here")
    } else if restricts(&lower) {
        (true, "restricts what may be used or touched")
    } else {
        (false, "says what one request is about")
    }
}

/// Whether what sounds like an order stands in quotation marks or code, or behind a colon that introduces
/// somebody else's words.
fn is_quoted(lower: &str) -> bool {
    let lead = lower.split_once(": ").map(|(lead, _)| lead).filter(|lead| lead.len() < 80);
    if lead.is_some_and(|lead| QUOTES.iter().any(|word| lead.contains(word))) {
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

/// Whether a sentence says how the user wants things done, without any word of an order.
pub(super) fn is_preference(sentence: &str) -> bool {
    let lower = sentence.to_lowercase().replace('’', "'");
    if lower.trim_end().ends_with('?') || lower.len() > 240 || has_any(&lower, &FOR_NOW) {
        return false;
    }
    let clauses = lower.split([',', ';', '.', '\n']).flat_map(|clause| clause.split(" and "));
    clauses.map(str::trim).any(|clause| {
        let words: Vec<&str> = clause.split_whitespace().collect();
        let first = words.first().copied().unwrap_or_default();
        let orders =
            matches!(first, "do" | "make" | "write" | "use" | "keep" | "create" | "prefer");
        let commits = orders
            && words.iter().any(|word| COMMIT_MANNERS.contains(word))
            && words.iter().any(|word| word.starts_with("commit"));
        let tool = first == "use"
            && (clause.contains(" not ")
                || clause.contains(" instead of ")
                || clause.contains(" rather than "))
            && words.len() <= 12;
        let asks = clause.starts_with("ask me before")
            || clause.starts_with("ask before")
            || clause.starts_with("hands off ")
            || clause.starts_with("stay away from ")
            || clause.contains("prior to each")
            || clause.contains("prior to every")
            || clause.contains("after every")
            || clause.contains("after each")
            || clause.contains("before every")
            || clause.contains("before each");
        let prefers = asks || first == "prefer" || clause.starts_with("i prefer ");
        let keeps = first == "keep"
            && words.get(1).is_some_and(|what| {
                matches!(*what, "it" | "things" | "this" | "everything" | "answers" | "changes")
            })
            && words.iter().any(|word| KEPT.contains(word));
        let leaves = first == "leave"
            && ["alone", "as is", "as it is", "untouched"].iter().any(|end| clause.ends_with(end));
        let sticks = clause.starts_with("stick to ")
            || clause.starts_with("stick with ")
            || clause.starts_with("let's not ");
        let bans = first == "no"
            && !REMARKS.iter().any(|remark| clause.starts_with(remark))
            && (2..=4).contains(&words.len())
            && !words.contains(&"need")
            && !words.contains(&"worries");
        let manner = first == "be"
            && words
                .get(1)
                .is_some_and(|how| matches!(*how, "concise" | "brief" | "careful" | "explicit"));
        let without = words.contains(&"without")
            && [
                "without adding",
                "without changing",
                "without touching",
                "without breaking",
                "without using",
            ]
            .iter()
            .any(|with| clause.contains(with));
        let language =
            matches!(first, "answer" | "reply" | "respond") && words.get(1) == Some(&"in");
        commits
            || tool
            || prefers
            || keeps
            || language
            || leaves
            || sticks
            || bans
            || manner
            || without
    })
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
            assert!(judge_order(rule, false).0, "{rule}");
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
            assert!(!judge_order(order, false).0, "{order}");
        }
        assert!(!judge_order("The parser must never panic.", true).0);
        assert!(judge_order("Do not touch main.", true).0);
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
            assert!(is_preference(said), "{said}");
        }
        for said in
            ["use the other file", "should we do small commits?", "keep going", "do a commit"]
        {
            assert!(!is_preference(said), "{said}");
        }
    }
}
