//! What somebody who keeps a noun can rely on.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use segue_lib::handoffs::{ListRequest, SaveRequest, Selector};
use segue_lib::{Env, ProjectRef, Segue};

fn open(root: &Path) -> Segue {
    let dir = root.join("here");
    fs::create_dir_all(&dir).unwrap();
    let random = Cell::new(7_u32);
    let random = move || {
        random.set(random.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        random.get()
    };
    let now = || SystemTime::UNIX_EPOCH + Duration::from_secs(1_794_000_000);
    Segue::new(Env::new(root.join("home"), dir, now, random))
}

fn titled(title: &str) -> SaveRequest {
    let mut request = SaveRequest::default();
    request.title = Some(title.to_owned());
    request
}

#[test]
fn a_noun_sees_what_it_has_written_itself() {
    let temp = tempfile::tempdir().unwrap();
    let segue = open(temp.path());
    let handoffs = segue.handoffs();
    assert!(handoffs.find(&Selector::Latest).is_err());
    let saved = handoffs.save(&titled("first")).unwrap();
    let found = handoffs.find(&Selector::Latest).unwrap();
    assert_eq!((found.handoff.head.id, found.elsewhere), (saved.handoff.head.id, false));
    handoffs.save(&titled("second")).unwrap();
    let mut titles = Vec::new();
    let mut note = |listed: segue_lib::handoffs::Listed| {
        titles.push(listed.title);
        true
    };
    handoffs.list(&ListRequest::default(), &mut note).unwrap();
    assert_eq!(titles, ["second", "first"]);
}

#[test]
fn a_project_that_a_request_names_by_a_relative_path_is_resolved_once() {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir_all(temp.path().join("other")).unwrap();
    let segue = open(temp.path());
    let other = ProjectRef::Given("../other".to_owned());
    let mut request = titled("over there");
    request.project = other.clone();
    let saved = segue.handoffs().save(&request).unwrap();
    assert_eq!(saved.label, "other");
    let found = segue.handoffs().newest(&other, None).unwrap();
    assert_eq!(found.handoff.head.id, saved.handoff.head.id);
    let mut request = ListRequest::default();
    request.project = other;
    let listed = segue.handoffs().list(&request, &mut |_| true).unwrap();
    assert_eq!((listed.count, listed.elsewhere), (1, false));
    let there = segue.in_dir(temp.path().join("other"));
    assert!(!there.handoffs().find(&Selector::Latest).unwrap().elsewhere);
}
