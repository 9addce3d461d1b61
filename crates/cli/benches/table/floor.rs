//! The floor under a save and under a run: a process that does their writes and syncs and nothing
//! else.
//!
//! The same system calls as the store's: a file without a name that is linked once it is whole, then
//! layer 2 by a rename, each followed by a sync of its directory.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

use crate::Failure;
use crate::ground::BODY_BYTES;

pub(crate) const MODE: &str = "floor";

pub(crate) const RUN: &str = "floor-run";
pub(crate) const IMPORT: &str = "floor-import";

/// Sizes of an input in the queue and of a checkpoint of three steps.
const INPUT: usize = 170;
const CHECKPOINT: usize = 1300;
/// Size of the proof of one handoff.
const PROOF: usize = 350;

/// The input into the queue, the checkpoint, the note, the checkpoint, layer 2, the checkpoint, and
/// once more for the last step.
pub(crate) fn run(mut words: impl Iterator<Item = String>) -> Result<(), Failure> {
    let dir = words.next().ok_or("floor needs a directory")?;
    let dir = Path::new(&dir);
    let bytes = [b'x'; BODY_BYTES];
    let checkpoint = || replace(&dir.join("run"), &bytes[..CHECKPOINT]);
    // The checkpoint that the plan names is written as the run begins and as it ends, unsynced.
    let view = || -> Result<(), Failure> {
        let temp = dir.join(".tmp-view");
        File::create_new(&temp)?.write_all(&bytes[..CHECKPOINT / 2])?;
        Ok(fs::rename(temp, dir.join("view.json"))?)
    };
    let queued = link_new(&dir.join("queue"), &bytes[..INPUT])?;
    checkpoint()?;
    view()?;
    fs::remove_file(queued)?;
    link_new(&dir.join("layer1"), &bytes[..256])?;
    checkpoint()?;
    replace(&dir.join("layer2"), &bytes[..256])?;
    checkpoint()?;
    checkpoint()?;
    view()
}

/// The proof, the handoff, layer 2.
pub(crate) fn import(mut words: impl Iterator<Item = String>) -> Result<(), Failure> {
    let dir = words.next().ok_or("floor needs a directory")?;
    let dir = Path::new(&dir);
    let bytes = [b'x'; BODY_BYTES];
    link_new(&dir.join("proofs"), &bytes[..PROOF])?;
    link_new(&dir.join("layer1"), &bytes)?;
    replace(&dir.join("layer2"), &bytes)
}

pub(crate) fn save(mut words: impl Iterator<Item = String>) -> Result<(), Failure> {
    let dir = words.next().ok_or("floor needs a directory")?;
    let dir = Path::new(&dir);
    let bytes = [b'x'; BODY_BYTES];
    link_new(&dir.join("layer1"), &bytes)?;
    replace(&dir.join("layer2"), &bytes)
}

fn link_new(dir: &Path, bytes: &[u8]) -> Result<PathBuf, Failure> {
    use std::os::fd::AsRawFd;
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let mut file = File::from(open(dir, flags, Mode::RUSR | Mode::WUSR)?);
    file.write_all(bytes)?;
    file.sync_all()?;
    let by_fd = format!("/proc/self/fd/{}", file.as_raw_fd());
    let name = dir.join(format!("{}.md", std::process::id()));
    linkat(CWD, by_fd, CWD, &name, AtFlags::SYMLINK_FOLLOW)?;
    File::open(dir)?.sync_all()?;
    Ok(name)
}

fn replace(dir: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let temp = dir.join(format!(".tmp-{}", std::process::id()));
    let mut file = File::create_new(&temp)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temp, dir.join("current-state.md"))?;
    Ok(File::open(dir)?.sync_all()?)
}
