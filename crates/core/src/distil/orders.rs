//! What a request orders to be published: a commit, a push, a pull request.

use crate::session::split_sentences;

/// A request with more words speaks of much else too.
const MOST_WORDS: usize = 25;
/// Words in a sentence with which nothing is ordered now, or not from the agent.
const NO_ORDER: &[&str] = &[
    "never", "don't", "don’t", "dont", "not", "no", "without", "before", "myself", "i'll", "i’ll",
    "i will", "?",
];
/// Words behind which a verb begins an order. At the beginning of a sentence it does so too.
const LEADS: &[&str] = &[
    "and", "then", "please", "to", "also", "now", "just", "you", "lets", "let's", "let’s", "go",
    "&", "+", "ok", "okay", "yes", "add", "commit", "push", "test", "rebase", "merge", "so",
];
/// What stands behind a word that is a noun there.
const NOUNS: &[&str] = &[
    "notification",
    "notifications",
    "message",
    "messages",
    "dialog",
    "button",
    "event",
    "events",
    "token",
    "hook",
    "hooks",
    "history",
    "hash",
    "id",
    "log",
];
/// What stands behind a verb that orders something in a long request, which speaks of much else.
const OBJECTS: &[&str] = &[
    "",
    "it",
    "this",
    "that",
    "them",
    "everything",
    "all",
    "the",
    "your",
    "to",
    "and",
    "then",
    "so",
    "when",
    "once",
    "after",
    "with",
    "as",
    "what",
    "both",
    "&",
];
/// What stands behind a pull request where a verb is about a part of it.
const PARTS_OF_PULL_REQUEST: &[&str] = &[
    "comment",
    "comments",
    "description",
    "template",
    "title",
    "body",
    "review",
    "reviews",
    "list",
    "page",
    "number",
    "checks",
];
/// Words around 提交 and 推送 with which they are no orders, and what is submitted in a page.
const NOT_IN_CHINESE: &[&str] = &[
    "最新提交",
    "上次提交",
    "之前的提交",
    "不要",
    "别",
    "先不",
    "不用",
    "无需",
    "提交记录",
    "提交信息",
    "提交历史",
    "提交按钮",
    "提交表单",
    "表单提交",
    "提交时",
    "提交后",
    "提交前",
    "提交的",
    "推送通知",
    "消息推送",
    "推送消息",
    "推送服务",
];
/// The same in German, French and Spanish: orders, and words with which nothing is ordered.
const COMMITS: &[&str] = &[
    "committen",
    "committe",
    "commite",
    "commiten",
    "einchecken",
    "commiter",
    "committer",
    "commitez",
    "commitea",
    "comitea",
    "commitear",
];
const PUSHES: &[&str] =
    &["pushen", "pushe", "pusher", "poussez", "pousse", "pushea", "pushear", "hochpushen"];
const NO_ORDER_ELSEWHERE: &[&str] = &[
    "nicht", "kein", "keine", "keinen", "nie", "niemals", "ohne", "bevor", "vor", "beim", "vom",
    "zum", "selbst", "selber", "ich", "ne", "pas", "jamais", "sans", "avant", "je", "sin", "antes",
    "nunca", "no", "yo",
];

/// Whether a request, in small letters, orders a commit, and not only speaks of one.
pub(super) fn asks_to_commit(request: &str) -> bool {
    // Most requests have none of these, and need not be taken apart.
    if !has_any(request, &["commit", "comit", "einche", "提交"]) {
        return false;
    }
    orders(request, "commit")
        || orders_elsewhere(
            request,
            COMMITS,
            &[
                "fais un commit",
                "faites un commit",
                "haz un commit",
                "haz commit",
                "mach einen commit",
            ],
        )
        || orders_in_chinese(request, &["提交"])
}

pub(super) fn asks_to_push(request: &str) -> bool {
    if !has_any(request, &["push", "pouss", "sube", "推"]) {
        return false;
    }
    orders(request, "push")
        || orders_elsewhere(
            request,
            PUSHES,
            &[
                "haz push",
                "haz un push",
                "fais un push",
                "sube los cambios",
                "sube la rama",
                "pousse la branche",
            ],
        )
        || orders_in_chinese(request, &["推送", "推上去", "推到远程", "push"])
}

/// Whether it orders that a pull request is opened.
pub(super) fn asks_for_pull_request(request: &str) -> bool {
    if !has_any(request, &["pr", "mr", "pull", "merge", "合并"]) {
        return false;
    }
    let is_one = |sentence: &str| {
        ["pull request", "pull-request", "merge request", "pr", "mr"]
            .iter()
            .any(|words| has_words(sentence, words))
    };
    let opens = ["open", "create", "make", "raise", "submit", "file", "send"];
    let elsewhere = [
        "öffne",
        "öffnen",
        "erstelle",
        "erstellen",
        "aufmachen",
        "anlegen",
        "ouvre",
        "ouvrez",
        "crée",
        "créez",
        "ouvrir",
        "créer",
        "abre",
        "crea",
        "abrir",
        "crear",
    ];
    let in_chinese = [
        "提pr",
        "提 pr",
        "提个",
        "提一个",
        "创建",
        "开个",
        "开一个",
        "发pr",
        "发个",
        "开pr",
        "开 pr",
    ];
    sentences(request).any(|sentence| {
        is_one(sentence)
            && orders_now(sentence)
            && opens.iter().any(|verb| is_verb(sentence, verb) && opens_one(sentence, verb))
            || is_one(sentence)
                && is_ordered_elsewhere(sentence)
                && elsewhere.iter().any(|verb| has_words(sentence, verb))
            || (is_one(sentence) || sentence.contains("合并请求"))
                && in_chinese.iter().any(|words| sentence.contains(words))
                && !NOT_IN_CHINESE.iter().any(|words| sentence.contains(words))
    })
}

/// Whether a pull request is what a verb opens, and not the one whose comments or title it is about.
fn opens_one(sentence: &str, verb: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().map(bare).collect();
    words.iter().enumerate().any(|(at, word)| {
        let behind = &words[at + 1..];
        let is_one = |at: usize, word: &str| {
            matches!(word, "pr" | "pull-request")
                || matches!(word, "pull" | "merge")
                    && behind.get(at + 1).is_some_and(|next| *next == "request")
        };
        let found = behind.iter().take(5).enumerate().position(|(at, word)| is_one(at, word));
        let Some(found) = found.filter(|_| *word == verb) else { return false };
        let of_it = behind[found + 1..].iter().find(|word| **word != "request");
        let is_object = !behind[..found]
            .iter()
            .any(|word| matches!(*word, "sure" | "all" | "every" | "of" | "in" | "on"));
        is_object && !of_it.is_some_and(|word| PARTS_OF_PULL_REQUEST.contains(word))
    })
}

/// Whether a request asks that what was committed is taken back.
pub(super) fn asks_to_take_back(request: &str) -> bool {
    let takes_back = [
        "undo",
        "uncommit",
        "revert",
        "reset",
        "roll back",
        "rollback",
        "take back",
        "take it back",
        "drop that commit",
        "drop the commit",
        "drop the last commit",
        "remove that commit",
        "remove the commit",
        "rückgängig",
        "zurücknehmen",
        "zurücksetzen",
        "annule",
        "annuler",
        "deshaz",
        "deshacer",
        "revierte",
    ];
    takes_back.iter().any(|words| has_words(request, words))
        || ["撤销", "撤回", "回退", "回滚"].iter().any(|words| request.contains(words))
}

pub(super) fn speaks_of_pull_request(request: &str) -> bool {
    if !has_any(request, &["pr", "pull"]) {
        return false;
    }
    ["this pr", "the pr", "a pr", "open pr", "pull request", "our pr"]
        .iter()
        .any(|words| has_words(request, words))
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

fn orders(request: &str, verb: &str) -> bool {
    let is_long = request.split_whitespace().count() > MOST_WORDS;
    sentences(request).any(|sentence| {
        orders_now(sentence)
            && is_verb(sentence, verb)
            && (!is_long || leads_to_object(sentence, verb))
    })
}

fn sentences(request: &str) -> impl Iterator<Item = &str> {
    request.lines().flat_map(split_sentences).map(str::trim)
}

/// Whether what a verb is done to is the work at hand: `commit it`, `then push.`.
fn leads_to_object(sentence: &str, verb: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).map(|next| bare(next)).unwrap_or_default();
        bare(word) == verb && (word.ends_with(['.', ',', ';', '!']) || OBJECTS.contains(&next))
    })
}

/// Whether a sentence has one of these verbs, or phrases, and says nothing against it.
fn orders_elsewhere(request: &str, verbs: &[&str], phrases: &[&str]) -> bool {
    let found = |sentence: &str| {
        let has_verb =
            verbs.iter().any(|verb| sentence.contains(verb) && has_words(sentence, verb));
        has_verb || phrases.iter().any(|words| has_words(sentence, words))
    };
    let mut parts = sentences(request).flat_map(|sentence| sentence.split([',', ';']));
    parts.any(|part| found(part) && is_ordered_elsewhere(part.trim_start()))
}

fn is_ordered_elsewhere(sentence: &str) -> bool {
    let asks = ["kannst du", "könntest du", "peux-tu", "pouvez-vous", "puedes"]
        .iter()
        .any(|ask| sentence.starts_with(ask));
    (asks || !sentence.contains('?'))
        && !NO_ORDER_ELSEWHERE.iter().any(|word| has_words(sentence, word))
}

/// The same where words have no spaces between them: the word is said to be done, and is not part of a name.
fn orders_in_chinese(request: &str, words: &[&str]) -> bool {
    let parts = request.split(['，', '。', '；', '！', '\n', ',']);
    parts.filter(|part| !part.is_ascii()).any(|part| {
        let orders = words.iter().any(|word| {
            part.match_indices(word).any(|(at, _)| {
                let before = part[..at].trim_end();
                let after = part[at + word.len()..].trim_start();
                let leads = before.is_empty()
                    || before.ends_with([
                        '请', '后', '再', '并', '我', '就', '和', '且', '把', '下', '了', '、',
                        '动', '码', '改',
                    ])
                    || ["然后", "一起", "直接", "帮忙"].iter().any(|lead| before.ends_with(lead));
                let ends = after.is_empty()
                    || [
                        "一下", "代码", "并", "到", "更改", "修改", "改动", "这", "吧", "它", "和",
                        "所有", "pr",
                    ]
                    .iter()
                    .any(|end| after.starts_with(end));
                leads && ends
            })
        });
        orders && !NOT_IN_CHINESE.iter().any(|words| part.contains(words))
    })
}

fn orders_now(sentence: &str) -> bool {
    !NO_ORDER.iter().any(|word| has_words(sentence, word) || *word == "?" && sentence.contains('?'))
        || sentence.starts_with("can you ")
        || sentence.starts_with("could you ")
}

/// Whether a word stands in a sentence as what is to be done.
fn is_verb(sentence: &str, verb: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    words.iter().enumerate().any(|(at, word)| {
        let leads = at == 0
            || words[at - 1].ends_with([',', ';', ':'])
            || LEADS.contains(&bare(words[at - 1]));
        let is_noun = words.get(at + 1).is_some_and(|next| NOUNS.contains(&bare(next)));
        bare(word) == verb && leads && !is_noun
    })
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| ",.;:!\"'`()".contains(c))
}

/// Whether words stand in a text, with nothing of a word before or behind them.
pub(super) fn has_words(text: &str, words: &str) -> bool {
    // Chinese has no spaces around them.
    let is_letter = |c: char| c.is_alphanumeric() && c < '\u{2E80}';
    text.match_indices(words).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_letter)
            && !text[at + words.len()..].chars().next().is_some_and(is_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "the invoice shows the net amount twice for customers outside of the union, which is wrong since \
        the new tax table came. repair that, cover it with a test for both kinds, and then commit and push it.";
    const LONG_TALK: &str = "write a page that explains our flow to beginners: how a branch is made, what happens when you press \
        the green button, how we commit small steps and push notifications to the phones of the team when it is deployed";

    #[test]
    fn an_order_is_known_from_talk() {
        for (request, commit, push) in [
            ("commit", true, false),
            ("add commit", true, false),
            ("fix it and commit. never push.", true, false),
            ("commit and push", true, true),
            ("can you commit and push what we have", true, true),
            ("looks good, push it", false, true),
            ("push to origin", false, true),
            ("never commit without my ok.", false, false),
            ("run the linter before you commit anything.", false, false),
            ("fix it. i will push it myself after review", false, false),
            ("fix the push notifications and the commit dialog", false, false),
            ("review the latest commit", false, false),
            ("commit only the add version command for now", true, false),
            ("提交", true, false),
            ("看一下 最新提交", false, false),
            ("bitte den titel ändern, dann committen und pushen.", true, true),
            ("kannst du das committen?", true, false),
            ("nicht pushen, nur committen", true, false),
            ("beim committen kommt ein fehler", false, false),
            ("corrige le titre puis commite et pousse", true, true),
            ("arregla el título y haz un commit", true, false),
            ("no hagas push todavía", false, false),
            ("改好后提交并推送到远程。", true, true),
            ("表单提交时报错", false, false),
            ("请提交代码", true, false),
            (LONG, true, true),
            (LONG_TALK, false, false),
        ] {
            assert_eq!(
                (asks_to_commit(request), asks_to_push(request)),
                (commit, push),
                "{request}"
            );
        }
    }

    #[test]
    fn a_pull_request_is_asked_for_where_one_is_to_be_opened() {
        for (request, asks) in [
            ("fix it and open a pull request", true),
            ("create a pr", true),
            ("please open the pr now", true),
            ("can we do it as part of this pr?", false),
            ("don't open a pr yet", false),
            ("look at the open pr", false),
            ("read the change and make sure all the pr comments are answered", false),
            ("make the pr description shorter", false),
            ("raise a small draft pr with it", true),
            (
                "once that works, open up a new merge request for the team so that they can look at it today",
                true,
            ),
            ("mach das fertig und dann einen pr erstellen", true),
            ("öffne keinen pr, aber nicht jetzt", false),
            ("ouvre une pr avec ça", true),
            ("crea un pull request", true),
            ("帮我提个 pr", true),
            ("不要创建 pr", false),
        ] {
            assert_eq!(asks_for_pull_request(request), asks, "{request}");
        }
    }

    #[test]
    fn taking_back_is_known() {
        for request in [
            "undo that commit",
            "please revert it",
            "bitte rückgängig machen",
            "撤销这个提交",
            "annule ce commit",
        ] {
            assert!(asks_to_take_back(request), "{request}");
        }
        for request in ["commit it", "the undone tasks", "add a preset", "提交"] {
            assert!(!asks_to_take_back(request), "{request}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_request_can_be_read(text: String) {
            let _ = (asks_to_commit(&text), asks_to_push(&text), asks_for_pull_request(&text));
        }
    }
}
