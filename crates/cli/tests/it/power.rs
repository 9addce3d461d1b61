//! The power fails while handoffs are saved: what was acknowledged is there when it comes back.
//!
//! A real file system in an image is shut down without flushing its log, and mounted again. That this
//! does lose what was not synced is shown by a file written without a sync just before.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::ground::TestEnv;
use crate::mount::{Mount, works};
use crate::strace::all_faults;
use crate::witness::{May, Said, Witness, list, show};

const CUTS: u64 = 50;

/// What came of all cuts of one kind of file system.
#[derive(Debug, Default)]
struct Tally {
    acknowledged: usize,
    /// Saves that the cut came into.
    failed: usize,
    /// Unsynced files that were lost, as they should be.
    controls_lost: usize,
}

fn cuts(mkfs: &str, size: u64) {
    if !all_faults() {
        println!("skipped: power cuts are tried with SEGUE_TEST_ALL_FAULTS=1");
        return;
    }
    let mut tally = Tally::default();
    for nth in 0..CUTS {
        // Early ones fall into the first save of all, late ones into one of many.
        let wait = Duration::from_millis(5 + nth * 137 % 1200);
        if !cut(mkfs, size, wait, &mut tally) {
            println!("skipped: {mkfs}, xfs_io or mounting an image is not possible here");
            return;
        }
    }
    println!("{mkfs}: {CUTS} power cuts, {tally:?}");
    assert!(tally.acknowledged as u64 > CUTS && tally.failed > 0);
    assert!(tally.controls_lost > 0, "the cuts lose nothing: they prove nothing");
}

/// One power cut after a while; whether one is possible here.
fn cut(mkfs: &str, size: u64, wait: Duration, tally: &mut Tally) -> bool {
    let mut env = TestEnv::new();
    let image = env.dir("disk").join("image");
    fs::File::create(&image).unwrap().set_len(size).unwrap();
    let disk = env.dir("mnt");
    let made =
        works(Command::new(mkfs).arg("-q").arg(&image)) && works(Command::new("xfs_io").arg("-V"));
    let Some(mount) = made.then(|| Mount::image(&image, &disk)).flatten() else {
        return false;
    };
    env.home = disk.join("segue");
    let over = AtomicBool::new(false);
    let (ids, failed) = thread::scope(|scope| {
        let saves = scope.spawn(|| save_until(&env, &over));
        thread::sleep(wait);
        fs::File::create(disk.join("control"))
            .and_then(|mut file| file.write_all(b"not synced"))
            .unwrap();
        mount.cut_power();
        over.store(true, Ordering::Relaxed);
        saves.join().unwrap()
    });
    drop(mount);
    let _mount = Mount::image(&image, &disk).unwrap();
    tally.acknowledged += ids.len();
    tally.failed += failed;
    tally.controls_lost += usize::from(is_lost(&disk.join("control")));
    for (nth, id) in ids.iter().enumerate() {
        let raw = show(&env, id).unwrap();
        assert!(raw.ends_with(body(nth).as_bytes()), "{id} is not whole");
    }
    let listed = list(&env).unwrap().len();
    assert!(listed == ids.len() || listed == ids.len() + failed.min(1), "{listed} listed");
    let wrong = Witness::new(&env).objections(&May::Nothing, Said::Nothing);
    assert_eq!(wrong, [""; 0]);
    true
}

fn body(nth: usize) -> String {
    format!("Body {nth}.\n").repeat(300)
}

/// Saves until it fails or is told to stop; the ids that were printed, and how many saves failed.
fn save_until(env: &TestEnv, over: &AtomicBool) -> (Vec<String>, usize) {
    let mut ids = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let ran = env.segue(&["save"]).real_clock().stdin(body(ids.len())).run();
        if ran.code != 0 {
            assert_eq!(ran.code, 1, "{}", ran.stderr);
            return (ids, 1);
        }
        ids.push(ran.stdout.trim().to_owned());
    }
    (ids, 0)
}

fn is_lost(path: &Path) -> bool {
    fs::read(path).map_or(true, |text| text != b"not synced")
}

#[test]
fn power_cuts_on_ext4() {
    cuts("mkfs.ext4", 64 << 20);
}

#[test]
fn power_cuts_on_xfs() {
    cuts("mkfs.xfs", 320 << 20);
}
