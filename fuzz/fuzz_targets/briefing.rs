//! Any handoff is briefed within any budget, and nothing in it makes a heading.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::{
    Conventions, Facts, FileFate, FileText, GitToday, Handoff, Left, LEAST_BUDGET, Timestamp,
    Tokenizer, WorkspaceTexts,
};

fuzz_target!(|input: (&str, &str, u16, bool)| {
    let (body, memory, budget, imported) = input;
    let from = if imported { "imported: {from: x}\n" } else { "" };
    let source = format!(
        "---\nsegue: 1\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\n{from}---\n{body}"
    );
    let Ok(handoff) = Handoff::parse(source) else { return };
    let fate = |path: &str| (path.len() % 2 == 0).then_some(FileFate::Changed);
    let now: Timestamp = "2026-11-15T18:45:00Z".parse().expect("a time");
    let text = FileText { name: "MEMORY.md".into(), text: memory.into(), remark: None };
    let budget = usize::from(budget).max(LEAST_BUDGET);
    let briefing = Facts {
        now,
        project: "p",
        left: Some(Left { handoff: &handoff, by: None, expired: None, elsewhere: None, again: None, signed: None }),
        all_expired: false,
        snapshot: None,
        others: Vec::new(),
        more_others: false,
        git: GitToday::None,
        workspace: WorkspaceTexts { memory: Some(text), ..WorkspaceTexts::default() },
        fate: &fate,
        tree_changed: true,
        unfinished: None,
        rechecked: Vec::new(),
            earlier_rules: Vec::new(),
            unreadable: Vec::new(),
        conventions: Conventions {
            agent: None,
            instructions: None,
            mentions: true,
            labels: false,
            start: None,
            tokenizer: Tokenizer::Cl100k,
        },
        budget,
    }
    .brief();
    assert!(briefing.tokens * 10 <= budget * 9, "{} of {budget}", briefing.tokens);
    assert!(!briefing.text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
});
