//! An export while others archive and forget what it has listed.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs;
use std::path::Path;

use segue_lib::handoffs::{SaveRequest, Selector};
use segue_lib::sharing::{ExportFormat, ExportOutcome, ExportRequest, Exported};
use segue_lib::{Env, Error, ProjectRef, Segue};

fn segue(root: &Path, at: &'static str) -> Segue {
    let now = move || {
        let at: segue_lib::Timestamp = at.parse().unwrap();
        std::time::UNIX_EPOCH + std::time::Duration::from_micros(at.micros().unsigned_abs())
    };
    let mut env = Env::new(root.join("store"), root, now, || getrandom::u32().unwrap());
    env.user_home = Some(root.to_owned());
    Segue::new(env)
}

const NOW: &str = "2026-11-15T17:45:00Z";
/// Everything has expired.
const LATER: &str = "2027-11-15T17:45:00Z";

/// Exports four handoffs of a month; what is done after the first of them was read.
fn export(
    format: ExportFormat,
    meanwhile: impl Fn(&Path, &[String]),
) -> (Result<ExportOutcome, Error>, Vec<u8>, Vec<String>) {
    let temp = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(temp.path()).unwrap();
    let mut ids = Vec::new();
    for number in 1..=4 {
        let mut request = SaveRequest::default();
        request.title = Some(format!("number {number}"));
        request.body = format!("The body of number {number}.\n");
        request.ttl = "30d".parse().unwrap();
        let saved = segue(&root, NOW).handoffs().save(&request).unwrap();
        ids.push(saved.handoff.head.id.to_string());
    }
    // Newest first, as they are exported.
    ids.reverse();
    let which = Exported::Many {
        project: ProjectRef::Here,
        all_projects: true,
        since: None,
        expired: false,
    };
    let mut out = Vec::new();
    let mut told = |done: usize, _: usize| {
        if done == 1 {
            meanwhile(&root, &ids);
        }
    };
    let segue = segue(&root, NOW);
    let outcome = segue.exports().export(&ExportRequest::new(which, format), &mut out, &mut told);
    (outcome, out, ids)
}

fn archive_all(root: &Path) {
    let later = segue(root, LATER);
    let plan = later.maintenance().plan_gc().unwrap();
    assert!(later.maintenance().gc(&plan).unwrap().archived > 0);
}

fn forget(root: &Path, id: &str) {
    let segue = segue(root, NOW);
    let handoffs = segue.handoffs();
    let found = handoffs.find(&id.parse::<Selector>().unwrap()).unwrap();
    handoffs.forget(&found).unwrap();
}

fn text(out: &[u8]) -> String {
    String::from_utf8(out.to_vec()).unwrap()
}

#[test]
fn what_is_archived_meanwhile_is_read_from_the_archive() {
    for format in [ExportFormat::Markdown, ExportFormat::Segue] {
        let (outcome, out, ids) = export(format, |root, _| archive_all(root));
        let outcome = outcome.unwrap();
        assert_eq!((outcome.count, outcome.warnings.len()), (ids.len(), 0), "{outcome:?}");
        for number in 1..=4 {
            assert!(text(&out).contains(&format!("The body of number {number}.")), "{number}");
        }
    }
}

#[test]
fn what_is_forgotten_meanwhile_is_counted() {
    for format in [ExportFormat::Markdown, ExportFormat::Segue] {
        let (outcome, out, _) = export(format, |root, ids| {
            forget(root, &ids[1]);
            // In the archive the others lie elsewhere then.
            archive_all(root);
            forget(root, &ids[2]);
        });
        let outcome = outcome.unwrap();
        assert_eq!(outcome.count, 2);
        assert_eq!(outcome.warnings, ["2 were forgotten meanwhile and are not in it"]);
        let out = text(&out);
        assert!(out.contains("The body of number 1.") && out.contains("The body of number 4."));
        assert!(!out.contains("The body of number 2.") && !out.contains("The body of number 3."));
        assert_eq!(out.contains("\"count\":2"), format == ExportFormat::Segue, "{out}");
    }
}

#[test]
fn a_handoff_whose_place_in_an_archive_moved_is_still_the_one_that_was_listed() {
    let temp = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(temp.path()).unwrap();
    let mut ids = Vec::new();
    for number in 1..=3 {
        let mut request = SaveRequest::default();
        request.title = Some("one of them".to_owned());
        request.body = format!("The body of number {number}.\n");
        request.ttl = "30d".parse().unwrap();
        let saved = segue(&root, NOW).handoffs().save(&request).unwrap();
        ids.push(saved.handoff.head.id.to_string());
    }
    archive_all(&root);
    let which = Exported::Many {
        project: ProjectRef::Here,
        all_projects: true,
        since: None,
        expired: true,
    };
    let mut out = Vec::new();
    let mut told = |done: usize, _: usize| {
        if done == 1 {
            // All have the same length, so that another whole handoff lies where one was.
            forget(&root, &ids[0]);
        }
    };
    let segue = segue(&root, NOW);
    let request = ExportRequest::new(which, ExportFormat::Markdown);
    let outcome = segue.exports().export(&request, &mut out, &mut told).unwrap();
    assert_eq!(outcome.count, 2, "{outcome:?}");
    assert_eq!(text(&out).matches("The body of number 2.").count(), 1);
    assert_eq!(text(&out).matches("The body of number 3.").count(), 1);
}
