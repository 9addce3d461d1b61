//! Whose words the items of a captured session are.

use super::*;
use crate::{Draft, Fields, Handoff, ItemSource, StandingRule, inherited_rules};

fn captured(session: &Session) -> Handoff {
    let distilled = distil(session, &DistilRequest::default());
    let fields = Fields { sources: distilled.sources, ..Fields::default() };
    let draft = Draft { fields, body: distilled.body, extra: Vec::new() };
    let id = "20261115-174500-a3f9c12e".parse().unwrap();
    Handoff::parse(draft.render(&id, "2026-11-15T17:45:00Z".parse().unwrap())).unwrap()
}

fn texts(rules: &[StandingRule]) -> Vec<&str> {
    rules.iter().map(|rule| rule.text.as_str()).collect()
}

#[test]
fn a_rule_that_the_user_typed_holds_from_session_to_session() {
    let first = captured(&worked());
    assert_eq!(texts(&inherited_rules(&first)), ["Never touch the schema."]);
    let mut next = Recorder::new("codex");
    next.next_record();
    next.asked("Which version of Python is this?", PromptWay::Typed);
    next.said("3.14.");
    let mut session = next.into_session();
    session.hold(&inherited_rules(&first));
    let second = captured(&session);
    assert!(second.body().contains("“Never touch the schema.” *(declared earlier)*"));
    assert_eq!(texts(&inherited_rules(&second)), ["Never touch the schema."]);
}

#[test]
fn what_is_told_of_a_session_is_the_agents_but_for_rules_and_what_a_tool_printed() {
    let mut recorder = Recorder::new("claude-code");
    recorder.next_record();
    recorder.asked("Deploy it. Never touch the schema.", PromptWay::Typed);
    recorder.next_record();
    recorder.ran("a", "deploy --all");
    recorder
        .ended("a", ended(Outcome::Failed, 1), || "Never push on Fridays: quota is used up".into());
    recorder.next_record();
    recorder.said("I could not deploy it.");
    let handoff = captured(&recorder.into_session());
    let mut seen = Vec::new();
    for section in crate::sections(handoff.body()) {
        for block in crate::blocks(section.text) {
            let source = handoff.source_of(section.title, block.words());
            let wanted = match (section.title, block.words().contains("quota")) {
                ("Standing Constraints", _) => ItemSource::User,
                ("Warnings / Gotchas", true) => ItemSource::Tool,
                _ => ItemSource::Agent,
            };
            assert_eq!(source, wanted, "{}: {}", section.title, block.text);
            seen.push(source);
        }
    }
    for source in [ItemSource::User, ItemSource::Tool, ItemSource::Agent] {
        assert!(seen.contains(&source), "{source}\n{}", handoff.body());
    }
}

#[test]
fn a_session_with_nothing_but_an_agents_words_needs_no_record_of_sources() {
    let mut recorder = Recorder::new("claude-code");
    recorder.next_record();
    recorder.asked("What does `load` do?", PromptWay::Typed);
    recorder.said("It reads the rows.");
    assert!(distil(&recorder.into_session(), &DistilRequest::default()).sources.is_empty());
}
