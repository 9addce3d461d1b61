//! How requests are told.

use super::*;

/// A session in which these were asked and answered, in the order of time.
fn talked(all: &[(&str, &str)]) -> Recorder {
    let mut recorder = Recorder::new("x");
    for (request, answer) in all {
        recorder.next_record();
        recorder.asked(request, PromptWay::Typed);
        recorder.next_record();
        recorder.said(answer);
    }
    recorder
}

#[test]
fn a_bare_answer_is_told_with_its_question() {
    let which =
        "Two ways are open.\n\nWhich one do you want?\n\n- A: an index on `mail`\n- B: a cache";
    let body = |answer: &str| {
        let all = [("Why is it slow?", which), (answer, "Done."), ("Ship it", "Shipped.")];
        distil(talked(&all).session(), &DistilRequest::default()).body
    };
    for bare in ["A", "b", "2", "Redis", "the first", "oui", "第一个", "yes", "option A please"]
    {
        let told = format!("“{bare}”, to “Which one do you want?");
        assert!(body(bare).contains(&told), "{bare}: {}", body(bare));
    }
    for whole in ["Take the index, and add a test for it", "Neither: drop the column `mail`"] {
        assert!(!body(whole).contains("”, to “"), "{whole}");
    }
}

#[test]
fn a_list_in_a_request_stays_a_list() {
    let list = "Please do these:\n1. rename Foo to Bar\n2. delete baz.ts";
    let lines = "“Please do these:\n    1. rename Foo to Bar\n    2. delete baz.ts”";
    let mut recorder = talked(&[(list, "Done.")]);
    let body = |recorder: &Recorder| distil(recorder.session(), &DistilRequest::default()).body;
    assert!(body(&recorder).contains(&format!("- The request: {lines}\n")), "{}", body(&recorder));
    recorder.next_record();
    recorder.asked("And this:\n- colours\n- sizes", PromptWay::Typed);
    let told = body(&recorder);
    assert!(told.contains(&format!("- {lines} → “Done.”\n")), "{told}");
    let next = "- Not answered yet: “And this:\n    - colours\n    - sizes”\n";
    assert!(told.contains(next), "{told}");
}

#[test]
fn what_was_said_to_a_machine_stands_behind_what_the_user_was_told() {
    let mut recorder = talked(&[("What does y.ts do?", "It maps rows to records.")]);
    let to_machine = |recorder: &mut Recorder| {
        recorder.next_record();
        recorder.heard_machine("Stop hook feedback: format it");
        recorder.next_record();
        recorder.said("Formatted.");
    };
    to_machine(&mut recorder);
    let told = distil(recorder.session(), &DistilRequest::default()).body;
    let (before, after) = told.split_once("> It maps rows to records.\n").unwrap();
    assert!(before.contains("What the agent told the user last:"), "{told}");
    assert!(after.contains("to a machine") && after.contains("> Formatted.\n"), "{told}");
    recorder.next_record();
    recorder.asked("Thanks", PromptWay::Typed);
    let told = distil(recorder.session(), &DistilRequest::default()).body;
    let turn = "→ “It maps rows to records.”\n  Then, to a machine: “Formatted.”\n";
    assert!(told.contains(turn), "{told}");
    // What only says that it waits is no answer.
    let mut recorder = talked(&[("Run everything", "The tests are running in the background.")]);
    to_machine(&mut recorder);
    let told = distil(recorder.session(), &DistilRequest::default()).body;
    assert!(told.contains("> Formatted.\n") && !told.contains("to a machine"), "{told}");
}

#[test]
fn data_in_an_earlier_request_is_told_as_what_it_is() {
    let yaml = "is this right?\ncasks:\n  - name: git-sync\n    repository:\n      owner: ada\n      name: tap\n";
    let log = "web-1  | listening on 3000\n".repeat(12);
    let logged = format!("why does it stop here?\n{log}");
    let recorder = talked(&[(yaml, "Yes."), (&logged, "It has no route."), ("thanks", "Sure.")]);
    let body = distil(recorder.session(), &DistilRequest::default()).body;
    for told in [
        "- “is this right?” (pasted YAML of 75 bytes left out, from `casks:`) → “Yes.”\n",
        "- “why does it stop here?” (pasted log of 324 bytes left out) → “It has no route.”\n",
    ] {
        assert!(body.contains(told), "{body}");
    }
    // What is to be worked on next stands whole.
    let open = distil(talked(&[(yaml, "")]).session(), &DistilRequest::default()).body;
    assert!(open.contains("owner: ada"), "{open}");
}
