//! A project that is named for a process, whatever its directory is.

use segue_lib::handoffs::SaveRequest;
use segue_lib::maintenance::DirectoryNote;
use segue_lib::{ProjectRef, Segue};

use crate::ground::{Ground, ORIGIN, goes_on_with, put, save};

fn named(ground: &Ground, dir: &str, name: &str) -> Segue {
    let mut env = ground.env(dir);
    env.project = Some(name.to_owned());
    Segue::new(env)
}

/// A project, and a shallow clone that it does not know.
fn ground() -> Ground {
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    ground.save("shop", "Totals");
    put(&ground.root.join("shop/more.txt"), "more");
    ground.git("shop", &["add", "."]);
    ground.git("shop", &["commit", "-qm", "second"]);
    ground.clone("shop", "build", &["--depth", "1"], Some(ORIGIN));
    assert_eq!(ground.goes_on_with("build"), None);
    ground
}

#[test]
fn a_directory_is_the_project_that_is_named_by_its_label_or_its_id() {
    let ground = ground();
    let id = ground.open("shop").projects().all().unwrap().1.unwrap();
    for name in ["shop", id.as_str()] {
        assert_eq!(goes_on_with(&named(&ground, "build", name)).as_deref(), Some("Totals"));
    }
    save(&named(&ground, "build", "shop"), "From the build");
    assert_eq!(ground.titles("shop"), ["From the build", "Totals"]);
    assert_eq!(ground.goes_on_with("build"), None, "nothing was learned");
    assert_eq!(ground.projects(), 1);
}

#[test]
fn a_project_that_is_not_there_is_said_and_made_by_a_save() {
    let ground = ground();
    let segue = named(&ground, "shop", "night");
    assert_eq!(goes_on_with(&segue), None);
    let notes = segue.projects().directory_notes().unwrap();
    assert_eq!(notes, [DirectoryNote::UnknownName("night".to_owned())]);
    assert!(notes[0].to_string().contains("SEGUE_PROJECT names 'night'"));
    assert_eq!(ground.projects(), 1, "reading makes nothing");
    save(&segue, "By night");
    assert_eq!(goes_on_with(&segue).as_deref(), Some("By night"));
    assert_eq!(goes_on_with(&named(&ground, "build", "night")).as_deref(), Some("By night"));
    assert_eq!(ground.titles("shop"), ["Totals"]);
    let mut path = SaveRequest::default();
    path.title = Some("x".to_owned());
    assert!(named(&ground, "shop", "../shop").handoffs().save(&path).is_err(), "it is no path");
}

#[test]
fn a_project_that_a_request_names_comes_first() {
    let ground = ground();
    ground.repository("other", None);
    ground.save("other", "Other");
    let segue = named(&ground, "shop", "other");
    let newest = |project: &str| {
        let found = segue.handoffs().newest(&ProjectRef::Given(project.to_owned()), None).unwrap();
        found.handoff.display_title()
    };
    assert_eq!(newest("."), "Totals");
    assert_eq!(newest("shop"), "Totals");
    let mut request = SaveRequest::default();
    request.title = Some("Given".to_owned());
    request.project = ProjectRef::Given("shop".to_owned());
    segue.handoffs().save(&request).unwrap();
    assert_eq!(ground.titles("shop"), ["Given", "Totals"]);
    assert_eq!(ground.titles("other"), ["Other"]);
}

#[test]
fn linking_is_about_the_directory_itself() {
    let ground = ground();
    ground.repository("other", None);
    ground.save("other", "Other");
    named(&ground, "build", "other").projects().link("shop").unwrap();
    assert_eq!(ground.goes_on_with("build").as_deref(), Some("Totals"));
    assert_eq!(ground.titles("other"), ["Other"]);
}
