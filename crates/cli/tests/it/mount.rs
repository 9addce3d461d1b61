//! File systems of our own, small and gone when dropped. Only where one may mount.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A mounted file system.
pub(crate) struct Mount {
    at: PathBuf,
}

impl Mount {
    /// A file system in memory; `None`, said in a line, where one may not mount.
    pub(crate) fn tmpfs(at: &Path, options: &str) -> Option<Self> {
        let args = ["-t", "tmpfs", "-o", options, "segue-test"];
        let mount = Self::new(&args, at);
        if mount.is_none() {
            println!("skipped: mounting a tmpfs is not possible here");
        }
        mount
    }

    /// The file system in an image file.
    pub(crate) fn image(image: &Path, at: &Path) -> Option<Self> {
        Self::new(&["-o", "loop", &image.to_string_lossy()], at)
    }

    fn new(args: &[&str], at: &Path) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let at = at.to_owned();
        works(Command::new("mount").args(args).arg(&at)).then_some(Self { at })
    }

    pub(crate) fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        let mut mount = Command::new("mount");
        assert!(works(mount.args(["-o", &options]).arg(&self.at)), "{options}");
    }

    /// Stops the file system as a power cut does: what was not synced never reaches the disk.
    pub(crate) fn cut_power(&self) {
        let mut shutdown = Command::new("xfs_io");
        assert!(works(shutdown.args(["-x", "-c", "shutdown"]).arg(&self.at)));
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if !works(Command::new("umount").arg(&self.at)) {
            works(Command::new("umount").arg("-l").arg(&self.at));
        }
    }
}

/// Whether a command is there and succeeds.
pub(crate) fn works(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}
