//! Command steps: a program without a shell, with the handoff on its standard input.

use std::path::Path;
use std::time::Duration;

use segue_core::Handoff;
use segue_core::run::Input;
use segue_share::command::{CommandRun, Ended, run_captured};
use serde_json::json;

use super::StepRun;
use super::plan::{StepDone, StepFailure};

/// How much of what a command printed is kept: its end.
const KEPT: usize = 4096;

/// The version of the JSON that commands get.
const SCHEMA: u32 = 1;

pub(crate) fn run(
    words: &[String],
    dir: &Path,
    stdin: &str,
    step: &StepRun<'_>,
    limit: Duration,
) -> Result<StepDone, StepFailure> {
    let env = [("SEGUE_RUN_ID", step.run), ("SEGUE_STEP", step.name)];
    let stop = || step.paused().is_some();
    let call = CommandRun {
        words,
        dir,
        env: &env,
        unset: &[],
        stdin: stdin.as_bytes(),
        limit,
        stop: &stop,
    };
    let ran = run_captured(&call);
    // Only the end of it is kept, once its secrets are taken out.
    let output = Some(String::from_utf8_lossy(&ran.output).into_owned());
    let program = words.first().map_or("", String::as_str);
    let why = match ran.ended {
        Ended::Exit(0) => return Ok(StepDone { said: Some("exit 0".to_owned()), output }),
        Ended::Exit(code) => format!("{program} ended with exit code {code}"),
        Ended::Killed => format!("a signal ended {program}"),
        Ended::TimedOut => format!("{program} was stopped after {} s", limit.as_secs_f32()),
        Ended::Stopped => format!("{program} was stopped by the brake"),
        Ended::NotStarted(why) => {
            let why = format!("cannot start {program}: {why}");
            return Err(StepFailure { why, output, again: false });
        }
    };
    Err(StepFailure { why, output, again: true })
}

/// The end of a text, from the beginning of a line if it was cut.
pub(super) fn end_of(text: &str) -> Option<String> {
    let text = text.trim_end();
    if text.is_empty() {
        return None;
    }
    let mut from = text.len().saturating_sub(KEPT);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let cut = &text[from..];
    let cut = match cut.split_once('\n') {
        Some((_, rest)) if from > 0 => rest,
        _ => cut,
    };
    Some(cut.to_owned())
}

/// A handoff as commands get it.
pub(crate) fn handoff_json(handoff: &Handoff) -> String {
    let (head, fields) = (&handoff.head, &handoff.head.fields);
    json!({
        "schema": SCHEMA,
        "id": head.id.as_str(),
        "created_at": head.created.to_string(),
        "project": fields.project,
        "name": fields.name,
        "title": handoff.display_title(),
        "summary": fields.summary,
        "tags": fields.tags,
        "tool": fields.tool,
        "session": fields.session,
        "branch": fields.git.branch,
        "head": fields.git.head,
        "changed": fields.changed,
        "next": handoff.next(),
        "body": handoff.body(),
    })
    .to_string()
}

/// A handoff that is not written yet.
pub(crate) fn input_json(input: &Input, body: &str) -> String {
    json!({
        "schema": SCHEMA,
        "id": input.id,
        "created_at": input.created,
        "tool": input.tool,
        "session": input.session,
        "body": body,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_output_the_end_is_kept() {
        assert_eq!(end_of("\n"), None);
        assert_eq!(end_of("a\nb\n").as_deref(), Some("a\nb"));
        let long: String = (0..2000).map(|n| format!("line {n} é\n")).collect();
        let end = end_of(&long).unwrap();
        assert!(end.len() <= KEPT && end.starts_with("line ") && end.ends_with("line 1999 é"));
    }
}
