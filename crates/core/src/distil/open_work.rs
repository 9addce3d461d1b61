//! Sentences and headings with which an agent says that something is not done, by their form.

use super::closing::{Sentence, is_one_of};
use super::open_headings::names_what_is_left;
use super::other_languages::{is_open_in_chinese, is_open_in_german, is_open_in_romance};
use super::unmoved::is_unmoved;

/// Words with which it says that nothing is left, that it used to be so, or that it was meant to be.
const NOT_OPEN: &str = "nothing|no longer|none|no more|no remaining|not needed|no need|not necessary|\
    not required|used to|at first|initially|originally|previously|as you asked|\
    as requested|as you said|as you wanted|as agreed|as you told|you asked|you said|\
    you told|you wanted|per your|by design|on purpose|intentionally|deliberately|\
    out of scope|unrelated|pre-existing|preexisting|if you want|if you'd like|\
    if you like|optional|optionally|nice to have|one day|some day|someday|nichts|\
    nicht mehr|kein|keine|rien|nada|absichtlich|damals";
/// The same where words have no spaces between them.
const NOT_OPEN_IN_CHINESE: &str = "没有遗留|不需要|无需|不再|以前|之前|原来|如果|当";
/// Verbs of work, as they stand behind `did not` and `have not`.
const WORK: &str = "run|ran|test|tested|verify|verified|check|checked|try|tried|finish|finished|\
    complete|completed|implement|implemented|start|started|begin|begun|write|written|\
    fix|fixed|convert|converted|migrate|migrated|port|ported|cover|covered|update|\
    updated|wire|wired|do|done|get|got|gotten|manage|managed|deploy|deployed|review|\
    reviewed|look|looked|translate|translated|build|built|measure|measured|reach|\
    reached|solve|solved|merge|merged|upload|uploaded|install|installed|been";
/// What is said of work that is done, behind `is not` and `are not`.
const STATES: &str = "done|finished|complete|completed|implemented|converted|migrated|ported|tested|wired|\
    ready|working|passing|green|translated|reviewed|verified|started|written|fixed|\
    deployed|possible|solved|resolved|merged|covered|there";
/// What is said of work that is not done.
const UNDONE: &str = "unfinished|untested|unverified|unimplemented|incomplete|outstanding|\
    half-done|half-finished|unsolved|missing|pending|unmigrated|unported|unconverted|\
    unreviewed|todo";
/// What a part of the work is called.
const PARTS: &str = "half|part|parts|rest|step|steps|phase|phases|request|task|tasks|item|items|\
    remaining|milestone|stage|batch|point|points";
/// Programs that say whether the work is sound.
const CHECKS: &str =
    "test|tests|suite|build|builds|ci|lint|linter|pipeline|spec|specs|compilation|checks";
/// Whether a sentence says that something is not done, not possible, left, missing or only partly done. One that does
/// not speak of the agent counts only if the agent worked on what it reports.
pub(super) fn names_open_work(sentence: &Sentence, worked: bool, is_item: bool) -> bool {
    if sentence.is_question
        || sentence.has_any(NOT_OPEN)
        || NOT_OPEN_IN_CHINESE.split('|').any(|words| sentence.lower.contains(words))
    {
        return false;
    }
    if is_label(sentence) || says_of_itself(sentence) {
        return true;
    }
    worked
        && (still(sentence)
            || !is_item && (not_done(sentence) || comes_next(sentence))
            || counts_a_part(sentence)
            || is_unmoved(sentence)
            || is_open_in_german(sentence)
            || is_open_in_romance(sentence)
            || is_open_in_chinese(&sentence.lower))
}

/// `Still missing: the footer`, `Remaining work: …`.
fn is_label(sentence: &Sentence) -> bool {
    let Some((label, rest)) = sentence.lower.split_once([':', '：']) else { return false };
    let rest = rest.trim();
    let count = label.split_whitespace().count();
    let is_address = rest.starts_with(['/', '`']) && rest.split_whitespace().count() == 1;
    if rest.is_empty() || count > 4 || label.contains('`') || rest.starts_with("//") || is_address {
        return false;
    }
    let none = rest.trim_end_matches(['.', '!']);
    if matches!(none, "none" | "n/a" | "-" | "–" | "0" | "keine" | "nichts" | "无")
        || rest.starts_with("no ")
        || rest.starts_with(char::is_numeric)
    {
        return false;
    }
    names_what_is_left(sentence, count)
        || matches!(
            label.trim(),
            "next"
                | "up next"
                | "next up"
                | "als nächstes"
                | "接下来"
                | "下一步"
                | "not done"
                | "left"
        )
}

/// `I could not run the tests`, `I have not verified it`, `I stopped before the second part`, `Unable to run them`.
fn says_of_itself(sentence: &Sentence) -> bool {
    let skips = |at: usize| {
        let mut at = at;
        while matches!(
            sentence.word(at),
            "also"
                | "still"
                | "really"
                | "just"
                | "unfortunately"
                | "simply"
                | "only"
                | "currently"
                | "yet"
                | "however"
                | "therefore"
        ) {
            at += 1;
        }
        at
    };
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for (at, word) in sentence.words.iter().enumerate() {
        let is_own =
            matches!(word.as_str(), "i" | "we" | "i'm" | "i've" | "i'll" | "we've" | "we're");
        let hides = at > 0
            && matches!(
                sentence.word(at - 1),
                "if" | "when"
                    | "where"
                    | "until"
                    | "why"
                    | "what"
                    | "which"
                    | "once"
                    | "unless"
                    | "while"
                    | "since"
                    | "although"
                    | "though"
                    | "as"
            );
        if is_own && !hides {
            starts.push((at, skips(at + 1)));
        }
    }
    let elliptic = matches!(
        sentence.word(0),
        "could" | "couldn't" | "unable" | "cannot" | "can't" | "haven't" | "didn't" | "ran" | "not"
    );
    let is_statement = |from: usize| {
        !(from..from + 7)
            .take_while(|at| !sentence.ends_at(*at))
            .any(|at| matches!(sentence.word(at), "was" | "is" | "were" | "are" | "has"))
    };
    if elliptic && is_statement(1) {
        starts.push((0, 0));
    }
    starts.into_iter().any(|(own, at)| {
        let subject = sentence.word(own);
        let [first, second, third] =
            [sentence.word(at), sentence.word(at + 1), sentence.word(at + 2)];
        let fails = |verb: usize| !recovers(sentence, at) && !finds_nothing(sentence, verb);
        match (first, second) {
            ("could", "not") => fails(at + 2),
            // What cannot be done at all is said of the program.
            ("cannot" | "can't", _) => subject != "we" && fails(at + 1),
            ("couldn't", _) => fails(at + 1),
            ("was" | "am" | "were" | "are", "not") if third == "able" => fails(at + 4),
            ("wasn't" | "weren't", "able") => fails(at + 3),
            ("was" | "am" | "were" | "are", "unable") => fails(at + 3),
            ("not", "able") if subject == "i'm" || subject == "we're" || own == 0 => fails(at + 3),
            ("unable", "to") => fails(at + 2),
            ("failed", "to") => fails(at + 2),
            ("ran", "out") => true,
            ("have" | "did", "not") => is_work(sentence, at + 2) && fails(at + 2),
            ("haven't" | "didn't", _) => is_work(sentence, at + 1) && fails(at + 1),
            ("not", _) if matches!(subject, "i've" | "we've") => is_work(sentence, at + 1),
            ("need" | "have", "to") => {
                matches!(subject, "i" | "we") && !sentence.is_subordinate(own)
            }
            ("stopped" | "stopping" | "stop" | "pausing" | "paused", next) => {
                matches!(
                    next,
                    "" | "here"
                        | "there"
                        | "before"
                        | "after"
                        | "at"
                        | "short"
                        | "midway"
                        | "halfway"
                        | "because"
                        | "since"
                        | "now"
                        | "for"
                ) && !(next.is_empty() && first == "stop")
            }
            ("left", _) => sentence.has_any(
                "for later|for the next|for tomorrow|for another|for a follow-up|unfinished|undone|\
            incomplete|half",
            ),
            (verb, _) if is_one_of(WORK, verb) => sentence.word(at - 1) == "only",
            _ => false,
        }
    })
}

/// Whether a verb of work stands at a place, or anything that is not done yet.
fn is_work(sentence: &Sentence, at: usize) -> bool {
    let at = if matches!(sentence.word(at), "yet" | "actually" | "fully" | "really" | "even") {
        at + 1
    } else {
        at
    };
    sentence.has("yet") || is_one_of(WORK, sentence.word(at))
}

/// Whether what could not be done was done in another way.
fn recovers(sentence: &Sentence, from: usize) -> bool {
    (from..sentence.words.len()).any(|at| {
        [
            "so i",
            "so we",
            "instead",
            "but it now",
            "but now",
            "so it now",
            "but it works",
            "worked around",
            "and now",
        ]
        .iter()
        .any(|words| sentence.stands_at(at, words))
    })
}

/// Whether it is said that something was looked for and is not there: `I could not find any other call`.
fn finds_nothing(sentence: &Sentence, verb: usize) -> bool {
    matches!(
        sentence.word(verb),
        "find" | "see" | "spot" | "detect" | "identify" | "think" | "notice" | "recommend"
    ) && matches!(
        sentence.word(verb + 1),
        "any" | "anything" | "other" | "more" | "further" | "another" | "evidence" | "of" | "a"
    )
}

/// `The footer has not been converted`, `a test is missing`, `two tests fail`.
fn not_done(sentence: &Sentence) -> bool {
    let words = &sentence.words;
    let has_yet = sentence.has("yet");
    words.iter().enumerate().any(|(at, word)| {
        if sentence.is_subordinate(at) {
            return false;
        }
        let skip = |at: usize| {
            if matches!(
                sentence.word(at),
                "yet"
                    | "fully"
                    | "really"
                    | "properly"
                    | "all"
                    | "still"
                    | "even"
                    | "quite"
                    | "currently"
            ) {
                at + 1
            } else {
                at
            }
        };
        let behind = match word.as_str() {
            "is" | "are" | "has" | "have" | "do" | "does" if sentence.word(at + 1) == "not" => {
                Some(skip(at + 2))
            }
            "isn't" | "aren't" | "hasn't" | "haven't" | "don't" | "doesn't" => Some(skip(at + 1)),
            _ => None,
        };
        if let Some(behind) = behind {
            let aux = word.trim_end_matches("n't");
            let what = sentence.word(behind);
            return match aux {
                "is" | "are" => is_one_of(STATES, what) || has_yet && at > 0,
                "has" | "have" => {
                    what == "been"
                        && (has_yet
                            || is_one_of(WORK, sentence.word(behind + 1))
                            || is_one_of(STATES, sentence.word(behind + 1)))
                }
                _ => {
                    let checks = words[..at].iter().any(|word| is_one_of(CHECKS, word.as_str()));
                    matches!(
                        what,
                        "work" | "compile" | "build" | "pass" | "start" | "run" | "render"
                    ) && (has_yet || checks)
                }
            };
        }
        match word.as_str() {
            "fail" | "fails" | "failing" | "red" | "broken" => fails_now(sentence, at),
            "untouched" | "open" => {
                is_or_remains(sentence, at)
                    && words[..at].iter().any(|word| is_one_of(PARTS, word.as_str()))
            }
            "remain" | "remains" => {
                let next = sentence.word(at + 1);
                at > 0
                    && (sentence.ends_at(at)
                        || matches!(
                            next,
                            "open"
                                | "undone"
                                | "unfinished"
                                | "to"
                                | "broken"
                                | "untested"
                                | "outstanding"
                                | "unresolved"
                        ))
            }
            "left" => is_left(sentence, at),
            "partly" | "partially" | "halfway" | "half" => {
                let next = sentence.word(at + 1);
                is_one_of(WORK, next)
                    || is_one_of(STATES, next)
                    || at > 0 && sentence.word(at - 1) == "only" && next != "of"
            }
            undone if is_one_of(UNDONE, undone) => {
                let next = sentence.word(at + 1);
                is_or_remains(sentence, at)
                    && !matches!(next, "from" | "a" | "an" | "the" | "values" | "keys")
            }
            "possible" => {
                sentence.stands_at(at.saturating_sub(2), "was not possible")
                    || sentence.stands_at(at.saturating_sub(1), "wasn't possible")
            }
            "what's" if at > 0 && !sentence.begins_at(at) => false,
            "could" | "couldn't" => could_not_be(sentence, at),
            "what's" => sentence.word(at + 1) == "left" || sentence.word(at + 1) == "missing",
            "yet" => {
                matches!(sentence.word(at + 1), "to")
                    && at > 0
                    && matches!(sentence.word(at - 1), "has" | "have" | "is" | "are")
            }
            _ => false,
        }
    }) || sentence.stands_at(0, "what remains")
}

/// `The packages could not be installed`, and not what the old code could not do.
fn could_not_be(sentence: &Sentence, at: usize) -> bool {
    let behind = if sentence.word(at) == "could" { at + 1 } else { at };
    let denies = behind == at || sentence.word(behind) == "not";
    let is_over = sentence.has_any("now|old|before|earlier|until|anymore|any more");
    denies
        && sentence.word(behind + 1) == "be"
        && is_one_of(WORK, sentence.word(behind + 2))
        && !is_over
        && !recovers(sentence, at)
}

/// Whether a word is what something is now: `is pending`, `remains open`, `and the docs untested`.
fn is_or_remains(sentence: &Sentence, at: usize) -> bool {
    (1..=3.min(at)).any(|back| {
        matches!(sentence.word(at - back), "is" | "are" | "remains" | "remain" | "stays" | "stay")
            && (1..back).all(|between| {
                matches!(
                    sentence.word(at - between),
                    "still" | "also" | "all" | "currently" | "therefore" | "yet" | "now"
                )
            })
    })
}

/// `3 tests fail`, `the build is red`, and not the failing test that was fixed.
fn fails_now(sentence: &Sentence, at: usize) -> bool {
    let checks = sentence.words[at.saturating_sub(5)..at]
        .iter()
        .any(|word| is_one_of(CHECKS, word.as_str()));
    let is_verb = matches!(sentence.word(at), "fail" | "fails") || is_or_remains(sentence, at);
    let expected = sentence
        .has_any("without|before|expected|correctly|should|would|reverted|no test|no tests|will");
    let is_named = matches!(sentence.word(at + 1), "test" | "tests" | "build" | "case" | "cases");
    checks && is_verb && !expected && !is_named
}

/// `Two files are left`, `left to do`, and not what was left as it is.
fn is_left(sentence: &Sentence, at: usize) -> bool {
    if at > 1 && sentence.word(at - 1) == "what's" && !sentence.begins_at(at - 1) {
        return false;
    }
    let next = sentence.word(at + 1);
    let is = at > 0 && matches!(sentence.word(at - 1), "is" | "are" | "still" | "what's");
    let stays = |next: &str| {
        !matches!(next, "the" | "you" | "a" | "an" | "callers" | "users" | "right" | "align")
    };
    match next {
        "to" => at > 0 && stays(sentence.word(at + 2)),
        "for" => {
            is && !matches!(
                sentence.word(at + 2),
                "users" | "callers" | "compatibility" | "backwards"
            )
        }
        _ => is && sentence.ends_at(at),
    }
}

/// `The page still needs a test`, `it still has to be merged`, `Still to do`.
fn still(sentence: &Sentence) -> bool {
    sentence.places("still").any(|at| {
        let next = sentence.word(at + 1);
        let after = sentence.word(at + 2);
        let says = match next {
            "need" | "needs" | "fail" | "fails" | "failing" | "missing" | "pending"
            | "outstanding" | "untested" | "unfinished" | "incomplete" | "red" => true,
            "has" | "have" => after == "to" || after == "open",
            "to" => matches!(after, "do" | "be" | "come" | "follow"),
            "must" => true,
            "left" => sentence.ends_at(at + 1) || after == "to",
            "not" => true,
            "broken" => true,
            _ => false,
        };
        says && !sentence.is_subordinate(at)
    })
}

/// `The footer comes next`, `the rest follows`.
pub(super) fn comes_next(sentence: &Sentence) -> bool {
    sentence.places("next").any(|at| {
        at > 0
            && sentence.ends_at(at)
            && matches!(
                sentence.word(at - 1),
                "come" | "comes" | "is" | "are" | "up" | "follows" | "follow"
            )
            && !sentence.is_subordinate(at)
            && !matches!(sentence.word(0), "what" | "whatever")
    }) || sentence.has_any("the rest follows|the rest will follow|to follow|still to come")
}

/// Whether a sentence limits what was done: it says of something else what is not so.
pub(super) fn limits(sentence: &Sentence) -> bool {
    let turns = sentence.words.iter().any(|word| {
        matches!(
            word.as_str(),
            "but"
                | "however"
                | "except"
                | "although"
                | "though"
                | "unfortunately"
                | "aber"
                | "allerdings"
                | "leider"
                | "mais"
                | "malheureusement"
                | "pero"
        )
    }) || sentence.lower.contains("但");
    let denies = sentence.words.iter().any(|word| {
        word.ends_with("n't")
            || matches!(
                word.as_str(),
                "not"
                    | "cannot"
                    | "no"
                    | "without"
                    | "only"
                    | "lacks"
                    | "nicht"
                    | "nur"
                    | "pas"
                    | "sin"
                    | "ohne"
            )
    }) || sentence.lower.contains(['不', '没']);
    turns && denies && !sentence.has_any(NOT_OPEN)
}

/// Numbers as they are written out.
const NUMBERS: &str = "one|two|three|four|five|six|seven|eight|nine|ten|half|some|most";

/// Whether a sentence says that so many of so many are done: `two of five files are converted`, `steps 1 and 2 of 5`.
fn counts_a_part(sentence: &Sentence) -> bool {
    let is_number = |word: &str| is_one_of(NUMBERS, word) || word.parse::<u32>().is_ok();
    sentence.places("of").any(|at| {
        if at == 0 {
            return false;
        }
        let (count, all, what) =
            (sentence.word(at - 1), sentence.word(at + 1), sentence.word(at + 2));
        let all_is_fewer = count
            .parse::<u32>()
            .ok()
            .zip(all.parse::<u32>().ok())
            .is_some_and(|(count, all)| count >= all);
        if !is_number(count) || !is_number(all) || count == all || all_is_fewer {
            return false;
        }
        let of_steps = sentence.words[at.saturating_sub(5)..at - 1]
            .iter()
            .any(|word| is_one_of(PARTS, word.as_str()));
        let are_done = what.ends_with('s')
            && !sentence.ends_at(at + 1)
            && !sentence.ends_at(at + 2)
            && (at + 3..at + 6).any(|at| {
                let word = sentence.word(at);
                is_one_of(WORK, word) || is_one_of(STATES, word) || matches!(word, "pass" | "work")
            });
        of_steps || are_done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_open(sentence: &str) -> bool {
        names_open_work(&Sentence::of(sentence), true, false)
    }

    #[test]
    fn what_the_agent_did_not_do_is_open() {
        for sentence in [
            "I couldn't start the emulator, so nobody has seen the screen yet.",
            "I have not checked the mobile layout.",
            "I didn't get to the invoice mail.",
            "I was unable to reach the staging database.",
            "We ran out of quota before the third region.",
            "I've only ported the first two endpoints.",
            "I stopped before the data migration.",
            "I still have to rename the columns.",
            "I need to add the index to the second table as well.",
            "Unable to verify the upload: no network here.",
            "I left the search page for the next session.",
            "It was not possible to sign the package in this container.",
        ] {
            assert!(is_open(sentence), "{sentence}");
        }
        for sentence in [
            "I didn't change the public API.",
            "I could not find any other callers.",
            "I have not touched the tests, as you asked.",
            "I couldn't use the old client, so I wrote a small one.",
            "I stopped the container again.",
            "Users who could not log in see the new hint.",
            "I removed the retry that was unable to recover.",
            "I did not need a migration.",
            "We can't distinguish the two cases by their status code.",
            "I left the header as it is.",
            "At first I could not reproduce it.",
            "I no longer have to restart it.",
        ] {
            assert!(!is_open(sentence), "{sentence}");
        }
    }

    #[test]
    fn what_is_said_of_the_work_is_open() {
        for sentence in [
            "The export to PDF isn't implemented yet.",
            "The last three pages have not been translated.",
            "Two tests still fail on Windows.",
            "The fonts could not be installed without network.",
            "The rest still uses the old names.",
            "The second half of the list is untouched.",
            "A check for empty names is still missing.",
            "Only the billing page remains.",
            "The Android part comes next.",
            "Steps 1 to 3 of 7 are in.",
            "Three of eight handlers are converted.",
            "The retry path is only partly covered.",
            "The change is untested.",
            "Still to do: the release notes.",
            "The nightly build is red.",
            "The old table still needs to be dropped.",
            "Remaining work: the settings page and its tests.",
            "Die Tests für den Import fehlen noch.",
            "Der zweite Teil kommt als nächstes.",
            "移动端页面尚未处理。",
            "Il reste la page de paiement à traduire.",
            "Queda pendiente la pantalla de ajustes.",
        ] {
            assert!(is_open(sentence), "{sentence}");
        }
        for sentence in [
            "The remaining seats are counted in the header.",
            "The link is shown when a file is missing.",
            "Orders that have not been paid get a reminder.",
            "All of the tests pass, and nothing is left.",
            "The API remains unchanged.",
            "The button on the left is blue now.",
            "The failing test passes now.",
            "The test fails without the fix, as it should.",
            "5 of 5 checks are green.",
            "The page was missing a title; it has one now.",
            "The list tells the user what's left to do.",
            "Old files could not be installed before; they can be now.",
            "The pending orders are listed first.",
            "Next is a keyword of the language here, so it is quoted.",
            "Partially paid invoices get a badge.",
            "The open tasks are sorted by date.",
            "Time left: 5 minutes are shown in the bar.",
            "Das Feld ist nicht mehr nötig.",
            "如果文件缺失就显示提示。",
            "The value isn't cached any more.",
        ] {
            assert!(!is_open(sentence), "{sentence}");
        }
    }
}
