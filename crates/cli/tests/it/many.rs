//! Many processes at one store: none waits in vain, none loses a handoff, none sees half of one.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::ground::{TestEnv, put};
use crate::strace::all_faults;
use crate::witness::{Item, May, Said, Witness, items, list};

/// How many processes run at a time.
const AT_ONCE: usize = 64;

/// Runs so many saves, 64 processes at a time, and gives the ids that they printed.
fn save_many(
    env: &TestEnv,
    count: usize,
    args: impl Fn(usize) -> Vec<String> + Sync,
) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut ids = Vec::new();
        loop {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            if nth >= count {
                return ids;
            }
            let args = args(nth);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            ids.push(saved_when_free(env, &args, &format!("Body {nth}.\n")));
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        let ids = workers.into_iter().flat_map(|one| one.join().unwrap());
        ids.collect()
    })
}

/// Saves again as long as the memory is busy, which is refused after some time and leaves nothing.
fn saved_when_free(env: &TestEnv, args: &[&str], body: &str) -> String {
    loop {
        let ran = env.segue(args).real_clock().stdin(body).run();
        match ran.code {
            75 => assert_eq!(ran.stdout, ""),
            _ => {
                assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
                return ran.stdout.trim().to_owned();
            }
        }
    }
}

fn words(args: &[&str]) -> Vec<String> {
    args.iter().map(|&word| word.to_owned()).collect()
}

/// Everything saved is there once, in the files and in the list, with and without the index.
fn assert_all_there(env: &TestEnv, ids: &[String]) {
    let files = env.handoff_files();
    assert_eq!(files.len(), ids.len());
    let distinct: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
    let listed = list(env).unwrap();
    let shorts: BTreeSet<String> =
        listed.iter().map(|item| item.id[item.id.len() - 8..].to_owned()).collect();
    assert_eq!(listed.len(), ids.len());
    assert_eq!(shorts, ids.iter().cloned().collect());
    assert!(listed.iter().all(|item| files.contains(&item.path)));
    // Two memories may give out the same moment; then the greater id is the newer one.
    let moment = |item: &Item| (item.created.clone(), item.id.clone());
    assert!(listed.is_sorted_by(|newer, older| moment(newer) > moment(older)));
    let newest = env.segue(&["show", "--raw", "latest"]).real_clock().ok();
    assert!(newest.contains(&format!("\nid: {}\n", listed[0].id)));
    assert_eq!(Witness::unseeing(env).answers_differ(), None);
    env.segue(&["index", "--rebuild"]).ok();
    assert_eq!(list(env).unwrap().len(), ids.len());
}

#[test]
fn a_thousand_saves_by_sixty_four_at_once() {
    let env = TestEnv::new();
    let ids = save_many(&env, 1000, |nth| words(&["save", "--title", &format!("Save {nth}")]));
    assert_all_there(&env, &ids);
    // One memory never gives out a moment twice.
    let listed = list(&env).unwrap();
    assert!(listed.is_sorted_by(|newer, older| newer.created > older.created));
}

#[test]
fn saves_into_several_projects_while_others_read() {
    let env = TestEnv::new();
    env.saved(&["--title", "there is something to read"]);
    let over = AtomicBool::new(false);
    let reads = AtomicUsize::new(0);
    let read = || {
        let mut before = 0;
        while !over.load(Ordering::Relaxed) {
            let ran = env.segue(&["list", "--json", "--all-projects"]).real_clock().run();
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
            let found = items(&ran).unwrap().len();
            assert!(found >= before, "{found} handoffs after {before}");
            before = found;
            env.segue(&["show", "latest"]).real_clock().ok();
            reads.fetch_add(2, Ordering::Relaxed);
        }
    };
    let mut ids = thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(read);
        }
        let ids = save_many(&env, 240, |nth| {
            words(&["save", "--project", &format!("label-{}", nth % 6)])
        });
        over.store(true, Ordering::Relaxed);
        ids
    });
    println!("{} reads beside 240 saves", reads.load(Ordering::Relaxed));
    ids.push(list(&env).unwrap().pop().unwrap().id[16..].to_owned());
    assert_all_there(&env, &ids);
}

#[test]
fn sixteen_first_saves_at_once() {
    for _ in 0..if all_faults() { 50 } else { 5 } {
        let env = TestEnv::new();
        let spawn = |nth: usize| {
            env.segue(&["save", "--title", &format!("First {nth}")])
                .real_clock()
                .command
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let children: Vec<Child> = (0..16).map(spawn).collect();
        let ids: Vec<String> = children
            .into_iter()
            .map(|child| {
                let output = child.wait_with_output().unwrap();
                let said = String::from_utf8(output.stderr).unwrap();
                assert_eq!((output.status.code(), said.as_str()), (Some(0), ""));
                String::from_utf8(output.stdout).unwrap().trim().to_owned()
            })
            .collect();
        assert_all_there(&env, &ids);
        assert_eq!(fs::read_dir(env.home.join("projects")).unwrap().count(), 1);
    }
}

/// Numbers that look random and are the same every time.
fn scatter(nth: u64) -> u64 {
    let mixed = (nth + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
}

#[test]
fn what_was_acknowledged_survives_kill_9() {
    let env = TestEnv::new();
    env.saved(&["--title", "before"]);
    let body = env.dir("in").join("body.md");
    put(&body, "A body of some length.\n".repeat(2000));
    // How long a save takes here, so that the kills fall into all of it.
    let begun = Instant::now();
    env.saved(&["--title", "measured"]);
    let mut whole = begun.elapsed().max(Duration::from_millis(5)).as_micros() as u64;
    let witness = Witness::new(&env);
    let count = if all_faults() { 1000 } else { 120 };
    let mut acknowledged = Vec::new();
    let mut killed = 0;
    for nth in 0..count {
        let mut child = env
            .segue(&["save", "--title", "at risk"])
            .real_clock()
            .command
            .stdin(fs::File::open(&body).unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_micros(scatter(nth) % (whole + whole / 4)));
        child.kill().unwrap();
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        killed += usize::from(!child.wait().unwrap().success());
        acknowledged.extend(said.lines().map(str::to_owned));
        // The machine has become slower since it was measured.
        if acknowledged.is_empty() && nth % 20 == 19 {
            whole *= 2;
        }
    }
    println!("{count} kills: {killed} hit, {} saves acknowledged", acknowledged.len());
    assert!(killed > 0 && !acknowledged.is_empty());
    let listed = list(&env).unwrap();
    for id in &acknowledged {
        assert!(listed.iter().any(|item| item.id.ends_with(id)), "{id} is lost");
    }
    let text = fs::read(&body).unwrap();
    for file in env.handoff_files() {
        let raw = fs::read(&file).unwrap();
        assert!(raw.ends_with(&text) || raw.ends_with(b"---\n"), "{file:?}");
    }
    let wrong = Witness::new(&env).objections(&May::Nothing, Said::Nothing);
    assert_eq!(wrong, [""; 0]);
    assert!(
        witness
            .seen
            .iter()
            .all(|(id, raw)| env.segue(&["show", "--raw", id]).ok().as_bytes() == raw)
    );
}

#[test]
fn a_memory_in_use_is_busy_after_a_while_and_nothing_is_lost() {
    let env = TestEnv::new();
    env.saved(&["--title", "before"]);
    let witness = Witness::new(&env);
    let memory = fs::read_dir(env.home.join("projects")).unwrap().next().unwrap();
    let lock = fs::File::open(memory.unwrap().path().join(".lock")).unwrap();
    lock.lock().unwrap();
    let begun = Instant::now();
    let said = env.segue(&["save", "--title", "kept out"]).fails(75);
    let took = begun.elapsed();
    assert!(took > Duration::from_secs(9) && took < Duration::from_secs(20), "{took:?}");
    assert!(said.contains(".lock is in use by another process\nhint: try again"), "{said}");
    // Readers need no lock.
    assert_eq!(list(&env).unwrap().len(), 1);
    lock.unlock().unwrap();
    let wrong = witness.objections(&May::Nothing, Said::Nothing);
    assert_eq!(wrong, [""; 0]);
}
