//! Which directories are the same project: by real repositories.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use segue_lib::briefing::ResumeRequest;
use segue_lib::handoffs::{ListRequest, Listed, SaveRequest};
use segue_lib::{Env, Segue};

const ORIGIN: &str = "https://example.com/ada/shop.git";

/// A store, and directories beside it.
struct Ground {
    _temp: tempfile::TempDir,
    root: PathBuf,
}

impl Ground {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        Self { root, _temp: temp }
    }

    fn git(&self, dir: &str, args: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        #[expect(clippy::disallowed_methods, reason = "a test lays out its repository")]
        let mut git = Command::new("git");
        let git = git.arg("-C").arg(self.root.join(dir)).args(identity).args(args);
        let output = git.env("HOME", &self.root).env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
    }

    /// A repository with one commit that no other repository has.
    fn repository(&self, dir: &str, origin: Option<&str>) {
        fs::create_dir_all(self.root.join(dir)).unwrap();
        put(&self.root.join(dir).join("name.txt"), dir);
        self.git(dir, &["init", "-q", "-b", "main"]);
        self.git(dir, &["add", "."]);
        self.git(dir, &["commit", "-qm", &format!("first of {dir}")]);
        if let Some(origin) = origin {
            self.git(dir, &["remote", "add", "origin", origin]);
        }
    }

    /// A copy of a repository with all its commits, whose `origin` is another address.
    fn clone(&self, from: &str, to: &str, depth: &[&str], origin: Option<&str>) {
        let url = format!("file://{}", self.root.join(from).display());
        self.git(".", &[&["clone", "-q"], depth, &[&url, to]].concat());
        match origin {
            Some(origin) => self.git(to, &["remote", "set-url", "origin", origin]),
            None => self.git(to, &["remote", "remove", "origin"]),
        }
    }

    fn open(&self, dir: &str) -> Segue {
        self.open_with_git(dir, None)
    }

    fn open_with_git(&self, dir: &str, program: Option<&Path>) -> Segue {
        #[expect(clippy::disallowed_methods, reason = "a clock that goes on orders the handoffs")]
        let now = SystemTime::now;
        let dir = self.root.join(dir);
        let mut env = Env::new(self.root.join("store"), dir, now, || getrandom::u32().unwrap());
        env.user_home = Some(self.root.clone());
        env.git_deadline = Duration::from_secs(30);
        if let Some(program) = program {
            env.git_program = program.into();
            env.git_deadline = Duration::from_millis(200);
        }
        Segue::new(env)
    }

    fn save(&self, dir: &str, title: &str) -> Vec<String> {
        let mut request = SaveRequest::default();
        request.title = Some(title.to_owned());
        let saved = self.open(dir).handoffs().save(&request).unwrap();
        saved.similar.into_iter().map(|similar| similar.label).collect()
    }

    /// What a directory goes on with.
    fn goes_on_with(&self, dir: &str) -> Option<String> {
        let outcome = self.open(dir).briefer().resume(&ResumeRequest::default(), None).unwrap();
        outcome.handoff.map(|(handoff, _)| handoff.display_title())
    }
}

fn put(path: &Path, text: &str) {
    File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_clone_with_the_same_first_commit_and_a_moved_directory_are_the_same_project() {
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    ground.save("shop", "Totals");
    ground.clone("shop", "clone", &[], Some(ORIGIN));
    assert_eq!(ground.goes_on_with("clone").as_deref(), Some("Totals"));
    ground.repository("alone", None);
    ground.save("alone", "Alone");
    fs::rename(ground.root.join("alone"), ground.root.join("moved")).unwrap();
    assert_eq!(ground.goes_on_with("moved").as_deref(), Some("Alone"));
    ground.save("moved", "After the move");
    assert_eq!(ground.goes_on_with("moved").as_deref(), Some("After the move"));
}

#[test]
fn a_directory_that_only_claims_an_origin_is_given_nothing_until_it_is_linked() {
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    ground.save("shop", "Private plans");
    ground.repository("unpacked", Some(ORIGIN));
    assert_eq!(ground.goes_on_with("unpacked"), None);
    let segue = ground.open("unpacked");
    let similar = segue.projects().similar().unwrap();
    assert_eq!(similar.len(), 1);
    let briefing = segue.briefer().resume(&ResumeRequest::default(), None).unwrap().briefing.text;
    assert!(!briefing.contains("shop-") && !briefing.contains("project link"), "{briefing}");
    assert_eq!(ground.save("unpacked", "Own"), ["shop"]);
    assert_eq!(ground.goes_on_with("unpacked").as_deref(), Some("Own"));
    let report = ground.open("shop").doctor().look();
    let said = report.findings.iter().any(|finding| {
        finding.found.contains("have the same origin")
            && finding.hint.as_ref().is_some_and(|hint| hint.contains("segue project link"))
    });
    assert!(said, "{report:?}");
    let linked = ground.open("unpacked").projects().link(similar[0].id.as_str()).unwrap();
    assert_eq!(linked.moved, 1);
    let mut titles = Vec::new();
    let mut note = |listed: Listed| {
        titles.push(listed.title);
        true
    };
    ground.open("unpacked").handoffs().list(&ListRequest::default(), &mut note).unwrap();
    assert_eq!(titles, ["Own", "Private plans"]);
}

#[test]
fn repositories_with_equal_first_commits_stay_apart() {
    let ground = Ground::new();
    ground.repository("template", None);
    for copy in ["one", "two"] {
        ground.clone("template", copy, &[], None);
        ground.save(copy, copy);
    }
    assert_eq!(ground.goes_on_with("one").as_deref(), Some("one"));
    assert_eq!(ground.goes_on_with("two").as_deref(), Some("two"));
    assert_eq!(ground.goes_on_with("template"), None);
}

#[test]
fn a_local_address_of_another_repository_is_no_clone_of_it() {
    let ground = Ground::new();
    ground.repository("shop", None);
    ground.save("shop", "Private plans");
    let address = ground.root.join("shop");
    ground.repository("unpacked", address.to_str());
    assert_eq!(ground.goes_on_with("unpacked"), None);
    ground.clone("shop", "clone", &[], address.to_str());
    assert_eq!(ground.goes_on_with("clone").as_deref(), Some("Private plans"));
}

#[test]
fn shallow_clones_count_by_their_origin_once_one_of_them_was_linked() {
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    ground.save("shop", "Totals");
    put(&ground.root.join("shop/more.txt"), "more");
    ground.git("shop", &["add", "."]);
    ground.git("shop", &["commit", "-qm", "second"]);
    for dir in ["first", "second"] {
        ground.clone("shop", dir, &["--depth", "1"], Some(ORIGIN));
        assert_eq!(ground.goes_on_with(dir), None);
    }
    ground.open("first").projects().link("shop").unwrap();
    assert_eq!(ground.goes_on_with("first").as_deref(), Some("Totals"));
    assert_eq!(ground.goes_on_with("second").as_deref(), Some("Totals"));
}

#[cfg(unix)]
#[test]
fn where_git_does_not_answer_nothing_is_decided() {
    use std::os::unix::fs::PermissionsExt;
    let ground = Ground::new();
    ground.repository("shop", Some(ORIGIN));
    ground.save("shop", "Totals");
    ground.clone("shop", "clone", &[], Some(ORIGIN));
    let hangs = ground.root.join("git-that-hangs");
    put(&hangs, "#!/bin/sh\nexec sleep 60\n");
    fs::set_permissions(&hangs, fs::Permissions::from_mode(0o755)).unwrap();
    let segue = ground.open_with_git("clone", Some(&hangs));
    let outcome = segue.briefer().resume(&ResumeRequest::default(), None).unwrap();
    assert!(outcome.handoff.is_none());
    assert!(segue.projects().similar().unwrap().is_empty());
    assert_eq!(ground.goes_on_with("clone").as_deref(), Some("Totals"));
}
