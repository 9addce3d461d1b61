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
        assert!(segue.resume(&ResumeRequest::default(), None).unwrap().handoff.is_none());
        segue.list(&ListRequest::default(), &mut |_| true).unwrap();
        let query = "totals".to_owned();
        segue.search(&SearchRequest { query, ..SearchRequest::default() }).unwrap();
        segue.find(&Selector::Latest).unwrap_err();
        segue.runs(&CheckRequest::default()).unwrap();
        segue.projects().unwrap();
        segue.doctor().unwrap();
        segue.directory_notes().unwrap();
        let memory = segue.memory_to_read(None).unwrap();
        assert!(memory.layers().unwrap().starts_with(&home));
        assert!(memory.list_notes(&[]).unwrap().0.is_empty());
        assert_eq!(memory.latest(Layer::State, None).unwrap(), None);
        assert_eq!(memory.note_count("2026-11").unwrap(), 0);
        let projects = fs::read_dir(home.join("projects")).map_or(0, Iterator::count);
        assert_eq!(projects, 0, "{dir}");
    }
}
