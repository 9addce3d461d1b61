//! The labels hold: what a question asks for stands where it says, and nowhere else.

use std::collections::{BTreeMap, BTreeSet};

use segue_core::Handoff;

use super::{Half, Kind, Question, questions};
use crate::compose::compose;
use crate::generate::Plants;
use crate::plan::Plan;
use crate::words::Words;
use crate::world::World;

struct Made {
    words: Words,
    plan: Plan,
    questions: Vec<Question>,
    planted: BTreeMap<usize, Plants>,
}

fn made(seed: u64) -> Made {
    let words = Words::read().unwrap();
    let plan = Plan::new(seed, 6_000, 24, 36, words.domains.len()).unwrap();
    let (questions, planted) = questions(&words, &plan).unwrap();
    Made { words, plan, questions, planted }
}

/// Id and text of every handoff of each project.
fn texts(made: &Made) -> BTreeMap<String, Vec<(String, String)>> {
    let mut all = BTreeMap::new();
    for project in &made.plan.projects {
        let plants = &made.planted[&project.number];
        let mut world = World::new(&made.words, project, made.plan.seed).unwrap();
        world.kept = plants.kept.clone();
        let texts = (0..project.handoffs)
            .map(|n| {
                let plant = plants.at.get(&n).cloned().unwrap_or_default();
                let (id, created) = (project.id_of(n).unwrap(), project.created(n).unwrap());
                (id.to_string(), compose(&world, n, &plant).render(&id, created))
            })
            .collect();
        all.insert(project.label.clone(), texts);
    }
    all
}

#[test]
fn what_proves_an_answer_stands_in_it_and_nowhere_else() {
    let made = made(7);
    let texts = texts(&made);
    for question in made.questions.iter().filter(|question| question.kind != Kind::None) {
        assert!(!question.proof.is_empty() && !question.answers.is_empty());
        let with: Vec<&String> = texts[&question.project]
            .iter()
            .filter(|(_, text)| text.contains(&question.proof))
            .map(|(id, _)| id)
            .collect();
        let right: Vec<&String> = question.answers.iter().collect();
        assert_eq!(with, right, "{question:?}");
    }
}

#[test]
fn what_nothing_answers_has_a_word_that_the_project_lacks() {
    let made = made(1);
    let texts = texts(&made);
    for question in made.questions.iter().filter(|question| question.kind == Kind::None) {
        assert!(question.answers.is_empty());
        let whole: String =
            texts[&question.project].iter().map(|(_, text)| text.to_lowercase() + "\n").collect();
        let known: BTreeSet<&str> = whole.split(|c: char| !c.is_alphanumeric()).collect();
        let asked = question.text.to_lowercase();
        let asked: Vec<&str> =
            asked.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).collect();
        let missing = asked.iter().filter(|word| !known.contains(**word)).count();
        assert!(missing > 0, "all words of '{}' occur in {}", question.text, question.project);
        assert!(missing < asked.len(), "no word of '{}' occurs", question.text);
    }
}

#[test]
fn every_kind_has_forty_questions_and_the_halves_are_alike() {
    let made = made(1);
    assert!(made.questions.len() >= 400);
    for kind in Kind::ALL {
        let count = |half: Half| {
            made.questions
                .iter()
                .filter(|question| question.kind == kind && question.half == half)
                .count()
        };
        let (tune, held_out) = (count(Half::Tune), count(Half::HeldOut));
        assert!(tune + held_out >= 40, "{kind}: {tune} and {held_out}");
        assert!(tune.abs_diff(held_out) <= 6, "{kind}: {tune} and {held_out}");
    }
    let ids: BTreeSet<&String> = made.questions.iter().map(|question| &question.id).collect();
    assert_eq!(ids.len(), made.questions.len());
}

#[test]
fn the_same_seed_gives_the_same_questions() {
    assert_eq!(made(5).questions, made(5).questions);
    assert_ne!(made(5).questions, made(6).questions);
}

#[test]
fn versions_are_asked_for_on_days_between_them() {
    let made = made(1);
    for question in made.questions.iter().filter(|question| question.kind == Kind::AsOf) {
        let day = question.as_of.as_ref().unwrap().replace('-', "");
        let answer = &question.answers[0];
        assert!(answer[..8] < day[..], "{question:?}");
        let later = question.superseded.iter().filter(|id| *id > answer);
        assert!(later.clone().count() > 0);
        assert!(later.clone().all(|id| id[..8] > day[..]), "{question:?}");
    }
}

/// Words of a text by their first letters, without those that are everywhere.
fn stems(text: &str) -> BTreeSet<String> {
    const EVERYWHERE: [&str; 12] = [
        "what", "which", "where", "when", "after", "from", "with", "that", "because", "were",
        "each", "through",
    ];
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 2 && !EVERYWHERE.contains(word))
        .map(|word| word.chars().take(5).collect())
        .collect()
}

#[test]
fn other_words_for_the_same_share_one_with_it() {
    let made = made(1);
    let asked: Vec<&Question> =
        made.questions.iter().filter(|question| question.kind == Kind::Paraphrase).collect();
    let shared =
        |question: &Question| stems(&question.text).intersection(&stems(&question.proof)).count();
    let hopeless = asked.iter().filter(|question| shared(question) == 0).count();
    assert!(hopeless * 20 <= asked.len(), "{hopeless} of {}", asked.len());
    let alike =
        asked.iter().filter(|question| stems(&question.text).is_subset(&stems(&question.proof)));
    assert!(alike.count() * 10 <= asked.len());
}

#[test]
fn all_handoffs_are_read_without_a_problem() {
    let made = made(3);
    let mut foreign = 0;
    for (id, text) in texts(&made).values().flatten() {
        let handoff = Handoff::parse(text.as_str()).unwrap();
        assert_eq!(handoff.head.id.as_str(), id);
        assert!(handoff.problems.is_empty(), "{:?}", handoff.problems);
        foreign += usize::from(!text.is_ascii());
    }
    assert!(foreign > 600, "{foreign}");
}
