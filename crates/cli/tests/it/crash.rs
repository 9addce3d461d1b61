//! A command that is killed, or denied, at any system call leaves a store that one can go on with.
//!
//! Every run tries a sample of the calls of each command, another one for each; all of them with
//! `SEGUE_TEST_ALL_FAULTS=1`.

use std::fs;
use std::path::PathBuf;

use crate::ground::{Ran, Segue, TestEnv, files_below, put};
use crate::strace::{self, Call, Trace};
use crate::witness::{May, Said, Witness, leftovers, list};

/// Calls that look at files, and the ways in which they fail. (That `close` of a directory fails is
/// more than the standard library can bear, and more than any file system does.)
const LOOKING: [&str; 11] = [
    "read",
    "pread64",
    "lseek",
    "flock",
    "fcntl",
    "statx",
    "newfstatat",
    "fstat",
    "getdents64",
    "readlink",
    "getcwd",
];
const UNSEEN: [&str; 2] = ["EIO", "EACCES"];

/// Calls that change files, and the ways in which they fail.
const CHANGING: [&str; 22] = [
    "open",
    "openat",
    "write",
    "pwrite64",
    "writev",
    "fsync",
    "fdatasync",
    "ftruncate",
    "fallocate",
    "linkat",
    "link",
    "rename",
    "renameat",
    "renameat2",
    "mkdir",
    "mkdirat",
    "unlink",
    "unlinkat",
    "rmdir",
    "fchown",
    "fchmod",
    "utimensat",
];
const UNDONE: [&str; 3] = ["EIO", "ENOSPC", "EACCES"];

/// The exit codes of a command that was denied something: failed, bad input, busy. That it was asked
/// wrongly or that nothing was found would be untrue.
const HONEST: [i32; 3] = [1, 65, 75];

/// How many kills and how many errors a sample has.
const KILLS: usize = 14;
const DENIALS: usize = 20;

/// A store, and the command that something happens to.
struct Scene {
    env: TestEnv,
    args: Vec<String>,
    dir: PathBuf,
    body: Option<PathBuf>,
    index: Index,
    may: May,
    /// A file outside the store, and what must stand in it whatever happens.
    words: Option<(PathBuf, &'static str)>,
}

/// Whether the command finds an index.
#[derive(PartialEq, Eq)]
enum Index {
    Kept,
    Deleted,
}

impl Scene {
    /// Three handoffs in two projects, and a save to come.
    fn new() -> Self {
        let scene = Self::empty();
        for (seed, project) in [("1", "."), ("2", "other"), ("3", ".")] {
            let text = format!("## Current State\n\nBody {seed} stays.\n");
            let args = ["save", "--project", project, "--name", "state"];
            scene.env.segue(&args).seed(seed).stdin(text).ok();
        }
        scene
    }

    /// Nothing yet, and the first save to come.
    fn empty() -> Self {
        let env = TestEnv::new();
        let body: String = (0..64).map(|n| format!("Line {n:02} of a body of 2 KiB.\n")).collect();
        let file = env.dir("in").join("body.md");
        put(&file, &body);
        Self {
            args: words(&["save", "--title", "The one at risk"]),
            dir: env.work.clone(),
            body: Some(file),
            index: Index::Kept,
            may: May::Add { head: "title: The one at risk".to_owned(), body: body.into_bytes() },
            words: None,
            env,
        }
    }

    fn without_index() -> Self {
        Self { index: Index::Deleted, ..Self::new() }
    }

    fn in_a_repository() -> Self {
        let mut scene = Self::new();
        scene.dir = scene.env.repo("repo");
        put(&scene.dir.join("new.txt"), "not committed");
        scene
    }

    /// A workspace whose HANDOFF.md has words and a block that will be made anew.
    fn snapshot() -> Self {
        let mut scene = Self::new();
        let file = scene.env.work.join("HANDOFF.md");
        put(&file, "# HANDOFF.md\n\n## What's Next\n- words that stay\n");
        scene.env.segue(&["snapshot"]).seed("8").run();
        scene.words = Some((file, "## What's Next\n- words that stay\n"));
        // Or nothing would be new.
        put(&scene.env.work.join("SOUL.md"), "# Who I Am\n");
        let body = b"- Project type: unknown\n".to_vec();
        scene.acting(&["snapshot"], May::Add { head: "mode: build".to_owned(), body })
    }

    /// What is wrong with the file outside the store.
    fn objection(&self) -> Option<String> {
        let (path, words) = self.words.as_ref()?;
        let text = fs::read_to_string(path).unwrap_or_default();
        let whole = text.ends_with(words)
            && text.matches("<!-- segue:begin -->").count() == 1
            && text.matches("<!-- segue:end -->").count() == 1;
        (!whole).then(|| format!("{} is {text:?}", path.display()))
    }

    /// Two that expired, of a month and tag that has an archive already.
    fn gc() -> Self {
        let scene = Self::new();
        let old = |seed: &str, day: &str| {
            let args = ["save", "--name", "old", "--ttl", "1h"];
            let text = format!("Old body {seed}.\n");
            scene.env.segue(&args).at(day).seed(seed).stdin(text).ok();
        };
        old("4", "2026-11-16T10:00:00Z");
        scene.env.segue(&["gc"]).at("2026-11-17T10:00:00Z").ok();
        old("5", "2026-11-18T10:00:00Z");
        old("6", "2026-11-18T11:00:00Z");
        scene.acting(&["gc"], May::Nothing)
    }

    /// The newest one, which layer 2 is about.
    fn forget() -> Self {
        let scene = Self::new();
        let id = list(&scene.env).unwrap()[0].id.clone();
        scene.acting(&["forget", "--yes", &id], May::Remove(id.clone()))
    }

    /// One that is archived together with others.
    fn forget_archived() -> Self {
        let scene = Self::gc();
        scene.env.segue(&["gc"]).at("2026-12-01T10:00:00Z").ok();
        let items = list(&scene.env).unwrap();
        let id = &items.iter().find(|item| item.archived).unwrap().id;
        scene.acting(&["forget", "--yes", id], May::Remove(id.clone()))
    }

    fn edit() -> Self {
        let may =
            May::Add { head: "title: Another title".to_owned(), body: b"Body 3 stays.\n".to_vec() };
        Self::new().acting(&["edit", "--title", "Another title"], may)
    }

    fn rebuild() -> Self {
        Self::new().acting(&["index", "--rebuild"], May::Nothing)
    }

    /// All of one project becomes part of another.
    fn link() -> Self {
        Self::gc().acting(&["project", "link", "other"], May::Nothing)
    }

    fn acting(mut self, args: &[&str], may: May) -> Self {
        self.args = words(args);
        self.body = None;
        self.may = may;
        self
    }

    /// Looks at the store, and leaves it as the command shall find it.
    fn witness(&self) -> Witness<'_> {
        let witness = Witness::new(&self.env);
        if self.index == Index::Deleted {
            self.env.delete_index();
        }
        witness
    }

    /// The command, run by a tracer.
    fn command(&self, tracer: &[&str]) -> Segue {
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let command = self
            .env
            .segue_under(tracer, &args)
            .dir(&self.dir)
            .at("2026-12-01T10:00:00Z")
            .seed("50");
        match &self.body {
            Some(body) => command.stdin_file(body),
            None => command,
        }
    }

    fn trace(&self) -> Trace {
        self.witness();
        let log = self.env.dir("trace").join("log");
        let ran = self.command(&strace::watching(&log.to_string_lossy())).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        Trace::read(&log)
    }

    /// Runs the command with a fault at one of its calls.
    fn run_with(&self, call: &Call, fault: &str) -> Ran {
        let tracer = strace::striking(call, fault);
        let tracer: Vec<&str> = tracer.iter().map(String::as_str).collect();
        self.command(&tracer).run()
    }
}

fn words(args: &[&str]) -> Vec<String> {
    args.iter().map(|&word| word.to_owned()).collect()
}

/// What came of all faults of a scene.
#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    /// Runs that ended by themselves: the call was a child's, or did not come this time.
    ended: usize,
    denials: usize,
    /// Denied a call and done nevertheless.
    done: usize,
    wrong: Vec<String>,
}

/// Kills and denies the command of a scene, call by call; `offset` chooses the sample.
fn ordeal(name: &str, offset: usize, scene: fn() -> Scene) {
    let first = scene();
    if !strace::works(&first.env) {
        return;
    }
    let trace = first.trace();
    let mut tally = Tally::default();
    for nth in sample(trace.all.len(), KILLS, offset) {
        kill(&scene(), &trace.all[nth], &mut tally);
    }
    let failures: Vec<(&Call, &str)> = trace.own.iter().flat_map(failures).collect();
    for nth in sample(failures.len(), DENIALS, offset) {
        let (call, error) = failures[nth];
        deny(&scene(), call, error, &mut tally);
    }
    println!(
        "{name}: {} calls, {} kills ({} ended by themselves), {} denials ({} done nevertheless), {} wrong",
        trace.all.len(),
        tally.kills,
        tally.ended,
        tally.denials,
        tally.done,
        tally.wrong.len()
    );
    assert!(tally.wrong.is_empty(), "{name}: {}", tally.wrong.join("\n"));
    assert!(tally.kills > tally.ended && tally.denials >= tally.done);
}

/// The ways in which a call can fail.
fn failures(call: &Call) -> impl Iterator<Item = (&Call, &'static str)> {
    let name = call.name.as_str();
    let errors: &[&str] = match () {
        () if CHANGING.contains(&name) => &UNDONE,
        () if LOOKING.contains(&name) => &UNSEEN,
        () => &[],
    };
    errors.iter().map(move |error| (call, *error))
}

/// Numbers below `count`: all of them, or about as many as wanted, evenly spread.
fn sample(count: usize, wanted: usize, offset: usize) -> Vec<usize> {
    let stride = if strace::all_faults() { 1 } else { (count / wanted).max(1) };
    (offset % stride..count).step_by(stride).collect()
}

fn kill(scene: &Scene, call: &Call, tally: &mut Tally) {
    let Call { name, nth } = call;
    let witness = scene.witness();
    let ran = scene.run_with(call, "signal=KILL");
    tally.kills += 1;
    tally.ended += usize::from(ran.code == 0);
    let said = if ran.code == 0 || (!ran.stdout.is_empty() && scene.args[0] == "save") {
        Said::Done
    } else {
        Said::Nothing
    };
    let outside = scene.objection();
    for objection in outside.into_iter().chain(witness.objections(&scene.may, said)) {
        tally.wrong.push(format!("killed at {name} {nth}: {objection}"));
    }
}

fn deny(scene: &Scene, call: &Call, error: &str, tally: &mut Tally) {
    let witness = scene.witness();
    let ran = scene.run_with(call, &format!("error={error}"));
    tally.denials += 1;
    tally.done += usize::from(ran.code == 0);
    let mut wrong = Vec::new();
    let errors = ran.stderr.lines().filter(|line| line.starts_with("error: "));
    match (ran.code, errors.count()) {
        (0, 0) => {}
        (code, 1) if HONEST.contains(&code) => {}
        (code, _) => wrong.push(format!("exit {code}: {}", ran.stderr)),
    }
    if ran.code == -1 || call.name != "unlink" {
        for path in leftovers(&scene.env) {
            wrong.push(format!("{} is left", path.display()));
        }
    }
    let said = if ran.code == 0 { Said::Done } else { Said::Nothing };
    wrong.extend(scene.objection());
    wrong.extend(witness.objections(&scene.may, said));
    for objection in wrong {
        let Call { name, nth } = call;
        tally.wrong.push(format!("{name} {nth} {error}: {objection}"));
    }
}

#[test]
fn a_save_into_a_store() {
    ordeal("save", 0, Scene::new);
}

#[test]
fn the_first_save_of_all() {
    ordeal("first save", 3, Scene::empty);
}

#[test]
fn a_save_without_an_index() {
    ordeal("save without index", 7, Scene::without_index);
}

#[test]
fn a_save_in_a_repository() {
    ordeal("save in a repository", 11, Scene::in_a_repository);
}

#[test]
fn a_snapshot_of_a_workspace() {
    ordeal("snapshot", 8, Scene::snapshot);
}

#[test]
fn an_archiving_of_what_expired() {
    ordeal("gc", 5, Scene::gc);
}

#[test]
fn a_removal_for_good() {
    ordeal("forget", 2, Scene::forget);
}

#[test]
fn a_removal_from_an_archive() {
    ordeal("forget archived", 9, Scene::forget_archived);
}

#[test]
fn an_edit_of_a_title() {
    ordeal("edit", 13, Scene::edit);
}

#[test]
fn a_rebuild_of_the_index() {
    ordeal("index --rebuild", 4, Scene::rebuild);
}

#[test]
fn a_link_of_two_projects() {
    ordeal("project link", 6, Scene::link);
}

#[test]
fn a_handoff_that_lies_in_two_places_is_one_and_is_forgotten_in_both() {
    let scene = Scene::gc();
    let env = &scene.env;
    let expired = list(env).unwrap().remove(0);
    let file = expired.path;
    let text = fs::read(&file).unwrap();
    // As if killed between the archive and the file, and between the memories of a link.
    env.segue(&["gc"]).at("2026-12-01T10:00:00Z").ok();
    put(&file, &text);
    let other = files_below(&env.home.join("projects"));
    let other = other.iter().find(|path| path.to_string_lossy().contains("/other-"));
    put(&other.unwrap().with_file_name("layer1/2026-11").join(file.file_name().unwrap()), &text);
    let ids = || -> Vec<String> { list(env).unwrap().into_iter().map(|item| item.id).collect() };
    assert_eq!(ids().iter().filter(|id| **id == expired.id).count(), 1);
    assert_eq!(list(env).unwrap().iter().filter(|item| item.archived).count(), 2);
    assert!(env.segue(&["forget", "--yes", &expired.id]).run().code == 0);
    for _ in 0..2 {
        assert!(!ids().contains(&expired.id));
        env.segue(&["show", &expired.id]).fails(66);
        env.delete_index();
    }
}

/// What a witness says after somebody has meddled with the store.
fn after<T>(meddle: impl Fn(&Scene, &PathBuf) -> T) -> String {
    let scene = Scene::new();
    let witness = Witness::new(&scene.env);
    assert_eq!(witness.objections(&May::Nothing, Said::Nothing), [""; 0]);
    let witness = Witness::new(&scene.env);
    let files = scene.env.handoff_files();
    let file = files.iter().find(|path| path.to_string_lossy().contains("/work-"));
    let _meddled = meddle(&scene, file.unwrap());
    let may = May::Add { head: String::new(), body: Vec::new() };
    witness.objections(&may, Said::Nothing).join("\n")
}

#[test]
fn the_witness_objects_to_what_is_lost_or_half_written() {
    let lost = after(|_, file| fs::remove_file(file).unwrap());
    assert!(lost.contains("is lost"), "{lost}");
    let cut = after(|_, file| {
        let text = fs::read(file).unwrap();
        put(file, &text[..text.len() - 10]);
    });
    assert!(cut.contains("is not what it was"), "{cut}");
    let no_head = after(|_, file| put(&file.with_file_name("x.md"), "---\nsegue: 1\n"));
    assert!(no_head.contains("list failed"), "{no_head}");
    let state = after(|_, file| {
        let memory = file.ancestors().nth(3).unwrap();
        put(&memory.join("layer2/current-state.md"), "<!-- segue |");
    });
    assert!(state.contains("layer2/current-state.md is not a whole"), "{state}");
    let foreign = after(|scene, _| {
        for seed in ["70", "71"] {
            scene.env.segue(&["save", "--title", "x"]).seed(seed).run();
        }
    });
    assert!(foreign.contains("2 handoffs came from nowhere"), "{foreign}");
    let held = after(|_, file| {
        let lock = file.ancestors().nth(3).unwrap().join(".lock");
        let lock = fs::File::open(lock).unwrap();
        lock.lock().unwrap();
        lock
    });
    assert!(held.contains("the next save failed (75)"), "{held}");
}
