//! A row of the index keeps a head's text and the steps as lines: they give back what the file gave.
//! Input: a file, a memory's directory and a head column, with a NUL between them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::{Handoff, ProjectId};

fuzz_target!(|row: &str| {
    let mut parts = row.splitn(3, '\0');
    let source = parts.next().unwrap_or("");
    let _ = parts.next().map(str::parse::<ProjectId>);
    let _ = parts.next().map(Handoff::parse);
    let Ok(file) = Handoff::parse(source) else {
        return;
    };
    let head_text = &source[..source.len() - file.body().len()];
    let row = Handoff::parse(head_text).expect("the head of a handoff");
    assert_eq!((&row.head, &row.problems), (&file.head, &file.problems));
    let steps = file.next();
    assert_eq!(steps.join("\n").lines().collect::<Vec<_>>(), steps);
});
