//! Who only reads makes no project, attaches no memory and keeps no draft.

use std::fs;
use std::process::Command;
use std::time::SystemTime;

use segue_lib::briefing::ResumeRequest;
use segue_lib::handoffs::{ListRequest, Selector};
use segue_lib::run::{CheckRequest, Layer};
use segue_lib::search::SearchRequest;
use segue_lib::{Env, Segue};

#[test]
fn reading_in_an_unknown_directory_makes_no_project() {
    let temp = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(temp.path()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a test lays out its repository")]
    let made = Command::new("git").args(["init", "-q"]).arg(root.join("shop")).status().unwrap();
    assert!(made.success());
    for dir in ["shop", "plain"] {
        fs::create_dir_all(root.join(dir)).unwrap();
        #[expect(clippy::disallowed_methods, reason = "nothing here depends on the time")]
        let now = SystemTime::now;
        let home = root.join("store");
        let mut env = Env::new(&home, root.join(dir), now, || getrandom::u32().unwrap());
        env.user_home = Some(root.clone());
        let segue = Segue::new(env);
        assert!(segue.briefer().resume(&ResumeRequest::default(), None).unwrap().handoff.is_none());
        segue.handoffs().list(&ListRequest::default(), &mut |_| true).unwrap();
        let query = "totals".to_owned();
        let mut request = SearchRequest::default();
        request.query = query;
        segue.search().find(&request).unwrap();
        segue.handoffs().find(&Selector::Latest).unwrap_err();
        segue.runs().look(&CheckRequest::default()).unwrap();
        segue.projects().all().unwrap();
        segue.doctor().look();
        segue.projects().directory_notes().unwrap();
        let memory = segue.runs().memory_to_read(None).unwrap();
        assert!(memory.layers().unwrap().starts_with(&home));
        assert!(memory.list_notes(&[]).unwrap().0.is_empty());
        assert_eq!(memory.latest(Layer::State, None).unwrap(), None);
        assert_eq!(memory.note_count("2026-11").unwrap(), 0);
        let projects = fs::read_dir(home.join("projects")).map_or(0, Iterator::count);
        assert_eq!(projects, 0, "{dir}");
    }
}

#[test]
fn the_doctor_makes_nothing_in_a_fresh_home() {
    let temp = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(temp.path()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "nothing here depends on the time")]
    let now = SystemTime::now;
    let mut env = Env::new(root.join("store"), &root, now, || getrandom::u32().unwrap());
    env.user_home = Some(root.clone());
    Segue::new(env).doctor().look();
    assert_eq!(fs::read_dir(&root).unwrap().count(), 0);
}
