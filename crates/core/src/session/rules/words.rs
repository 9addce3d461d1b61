//! Classes of English words, by which a sentence is known to order, to report or to describe.

/// Verbs as they stand in an order.
const VERBS: &[&str] = &[
    "accept",
    "add",
    "adjust",
    "allow",
    "annotate",
    "answer",
    "append",
    "apply",
    "ask",
    "assume",
    "avoid",
    "base",
    "be",
    "begin",
    "branch",
    "break",
    "build",
    "bump",
    "bundle",
    "call",
    "capitalize",
    "catch",
    "change",
    "check",
    "choose",
    "clean",
    "clear",
    "close",
    "comment",
    "commit",
    "compile",
    "confirm",
    "consider",
    "consult",
    "convert",
    "copy",
    "cover",
    "create",
    "cut",
    "declare",
    "define",
    "delete",
    "deploy",
    "describe",
    "disable",
    "do",
    "document",
    "download",
    "drop",
    "edit",
    "enable",
    "escape",
    "explain",
    "export",
    "expose",
    "extend",
    "fall",
    "fetch",
    "fix",
    "follow",
    "force",
    "force-push",
    "format",
    "generate",
    "give",
    "go",
    "guess",
    "handle",
    "hardcode",
    "hash",
    "hide",
    "hold",
    "ignore",
    "implement",
    "import",
    "include",
    "indent",
    "inline",
    "insert",
    "install",
    "introduce",
    "invent",
    "keep",
    "leak",
    "leave",
    "let",
    "lint",
    "list",
    "load",
    "lock",
    "log",
    "look",
    "lower",
    "lowercase",
    "make",
    "measure",
    "mention",
    "merge",
    "migrate",
    "mix",
    "mock",
    "modify",
    "move",
    "mutate",
    "name",
    "nest",
    "note",
    "open",
    "output",
    "overwrite",
    "paste",
    "pick",
    "pin",
    "place",
    "point",
    "prefer",
    "prefix",
    "preserve",
    "print",
    "propose",
    "publish",
    "pull",
    "push",
    "put",
    "quote",
    "raise",
    "read",
    "rebase",
    "redirect",
    "refactor",
    "refer",
    "release",
    "reload",
    "rely",
    "remove",
    "rename",
    "render",
    "reorder",
    "replace",
    "reply",
    "report",
    "reset",
    "respect",
    "respond",
    "restart",
    "return",
    "reuse",
    "revert",
    "review",
    "rewrite",
    "roll",
    "round",
    "run",
    "save",
    "search",
    "send",
    "separate",
    "set",
    "ship",
    "show",
    "sign",
    "skip",
    "sort",
    "split",
    "squash",
    "stage",
    "start",
    "state",
    "stick",
    "stop",
    "store",
    "strip",
    "suggest",
    "summarize",
    "support",
    "suppress",
    "swallow",
    "sync",
    "tag",
    "take",
    "target",
    "tell",
    "test",
    "throw",
    "touch",
    "translate",
    "trim",
    "trust",
    "try",
    "turn",
    "type",
    "undo",
    "uninstall",
    "update",
    "upgrade",
    "upload",
    "use",
    "validate",
    "verify",
    "version",
    "wait",
    "warn",
    "work",
    "wrap",
    "write",
];

pub(super) fn is_verb(word: &str) -> bool {
    VERBS.binary_search(&word).is_ok()
}

/// Verbs for what somebody does to a project: who forbids that speaks to who works on it.
const PRACTICES: &[&str] = &[
    "accept",
    "add",
    "allow",
    "break",
    "bump",
    "bundle",
    "change",
    "commit",
    "copy",
    "create",
    "delete",
    "deploy",
    "disable",
    "drop",
    "edit",
    "expose",
    "force",
    "force-push",
    "generate",
    "hardcode",
    "import",
    "inline",
    "install",
    "introduce",
    "log",
    "merge",
    "migrate",
    "mix",
    "mock",
    "modify",
    "move",
    "name",
    "nest",
    "overwrite",
    "pin",
    "publish",
    "push",
    "rebase",
    "refactor",
    "release",
    "remove",
    "rename",
    "replace",
    "rewrite",
    "ship",
    "skip",
    "squash",
    "store",
    "support",
    "touch",
    "uninstall",
    "upgrade",
    "use",
    "want",
    "write",
];

pub(super) fn is_practice(word: &str) -> bool {
    PRACTICES.binary_search(&word).is_ok()
}

/// Words that stand before a noun.
pub(super) fn is_determiner(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "a"
            | "an"
            | "this"
            | "that"
            | "these"
            | "those"
            | "my"
            | "your"
            | "its"
            | "it"
            | "them"
            | "their"
            | "our"
    )
}

/// Words that point to something that was named before.
pub(super) fn is_pronoun(word: &str) -> bool {
    matches!(
        word,
        "it" | "this"
            | "that"
            | "these"
            | "those"
            | "them"
            | "he"
            | "she"
            | "they"
            | "which"
            | "who"
            | "there"
            | "i"
            | "me"
            | "something"
    )
}

const IRREGULAR: &[&str] = &[
    "been",
    "seen",
    "had",
    "done",
    "gone",
    "got",
    "gotten",
    "known",
    "heard",
    "thought",
    "found",
    "made",
    "used",
    "came",
    "went",
    "saw",
    "knew",
    "felt",
    "did",
    "was",
    "were",
    "tried",
    "taken",
    "forgotten",
    "broken",
    "lost",
    "left",
    "meant",
    "said",
    "told",
    "written",
    "run",
    "set",
    "put",
    "gave",
    "given",
    "worked",
    "understood",
    "read",
    "shown",
    "met",
    "kept",
    "hit",
    "hurt",
];

/// Whether a word tells of something past: `missed`, `been`.
pub(super) fn is_past(word: &str) -> bool {
    IRREGULAR.contains(&word) && !is_verb(word)
        || word.len() > 4
            && word.ends_with("ed")
            && !matches!(word, "need" | "embed" | "exceed" | "proceed" | "succeed" | "speed")
}

/// Forms with which something is told.
pub(super) fn is_finite(word: &str) -> bool {
    matches!(
        word,
        "is" | "are"
            | "was"
            | "were"
            | "has"
            | "had"
            | "does"
            | "did"
            | "doesn't"
            | "didn't"
            | "isn't"
            | "aren't"
            | "wasn't"
            | "won't"
            | "can't"
            | "comes"
            | "goes"
            | "gets"
            | "works"
            | "happens"
            | "fails"
            | "appears"
            | "shows"
            | "seems"
            | "looks"
            | "it's"
            | "that's"
            | "show"
            | "appear"
    )
}

/// Whether one of these is among the words.
pub(super) fn has(words: &[&str], any: &[&str]) -> bool {
    words.iter().any(|word| any.contains(word))
}

/// Whether one of these stands in a text.
pub(super) fn says(lower: &str, any: &[&str]) -> bool {
    any.iter().any(|phrase| lower.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_are_searched_are_in_order() {
        assert!(VERBS.is_sorted() && PRACTICES.is_sorted());
    }
}
