//! Which sentences of the user's become standing constraints: rules in ordinary words do, and what sounds like one
//! does not. There are two sets: the rules of capture were written with the first, the second only measures them.

mod first_set;
mod passed_on;
mod polite;
mod second_set;

use segue_core::session::{PromptWay, Recorder, Typed};

/// Rules of the second set that are found, at least, and other sentences of it that are taken for one, at most.
const FOUND: usize = 49;
const TAKEN: usize = 5;

/// What a request leaves as rules.
fn rules_of(request: &str) -> Vec<String> {
    let mut recorder = Recorder::new("x");
    recorder.next_record();
    recorder.asked(Typed::by_record(request), PromptWay::Typed);
    recorder.session().constraints.iter().map(|said| said.text.clone()).collect()
}

/// The rules that are missed, and the other sentences that are taken for one.
fn mistakes<'t>(rules: &[&'t str], others: &[&'t str]) -> (Vec<&'t str>, Vec<&'t str>) {
    let missed = rules.iter().filter(|rule| rules_of(rule).is_empty());
    let taken = others.iter().filter(|other| !rules_of(other).is_empty());
    (missed.copied().collect(), taken.copied().collect())
}

#[test]
fn rules_in_ordinary_words_stand_and_other_sentences_do_not() {
    let (missed, taken) = mistakes(first_set::RULES, first_set::OTHERS);
    assert!(missed.is_empty() && taken.is_empty(), "missed: {missed:#?}\ntaken: {taken:#?}");
}

#[test]
fn a_rule_may_be_put_as_a_question_out_of_politeness() {
    let (missed, taken) = mistakes(polite::RULES, polite::OTHERS);
    assert!(missed.is_empty() && taken.is_empty(), "missed: {missed:#?}\ntaken: {taken:#?}");
}

#[test]
fn most_rules_in_words_that_were_never_seen_stand() {
    let (missed, taken) = mistakes(second_set::RULES, second_set::OTHERS);
    let unknown = |list: &[&str], known: &[&str]| -> Vec<String> {
        list.iter().filter(|one| !known.contains(one)).map(|one| (*one).to_owned()).collect()
    };
    let missed_anew = unknown(&missed, second_set::MISSED);
    let taken_anew = unknown(&taken, second_set::TAKEN);
    assert!(missed_anew.is_empty() && taken_anew.is_empty(), "{missed_anew:#?}\n{taken_anew:#?}");
    assert!(second_set::RULES.len() - missed.len() >= FOUND && taken.len() <= TAKEN);
}

#[test]
fn rules_stand_in_a_long_first_request_and_its_task_does_not() {
    let task = "# Booking\n\nWe build the booking page for the clinic. A patient picks a doctor and a day.\n\n\
        ## Screens\n- The calendar must show four weeks.\n- Every slot should have a price.\n- Never show past days.\n\
        - Don't display slots of doctors on leave.\n- All buttons should be at least 44 px high.\n\
        - If a slot is taken, always say so at once.\n\n## Rules\n- Ask me before you install a package.\n\
        - We use vitest, not jest.\n- Leave `legacy/` alone.\n- Don't commit generated files.\n\
        - We are on node 16, so no native fetch.\n- Commit messages in English.\n\n\
        ## Data\nEach booking has a patient, a slot and a note. The note must not be longer than 200 signs.";
    assert_eq!(
        rules_of(task),
        [
            "Ask me before you install a package.",
            "We use vitest, not jest.",
            "Leave `legacy/` alone.",
            "Don't commit generated files.",
            "We are on node 16, so no native fetch.",
            "Commit messages in English."
        ]
    );
}

#[test]
fn what_others_say_is_nobodys_rule_until_the_user_speaks_again() {
    for (request, rules) in passed_on::REQUESTS {
        assert_eq!(rules_of(request), *rules, "{request}");
    }
}
