//! Where the measured processes run: a pinned environment, a directory without git, a small repository.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::Failure;

/// Bytes of the body that is saved, and of each handoff in the stores.
pub(crate) const BODY_BYTES: usize = 2048;

/// Directories of one measurement.
pub(crate) struct Ground {
    /// Outside any repository; the target directory may lie inside one.
    _temp: TempDir,
    /// A directory of a project, without git.
    pub(crate) plain: PathBuf,
    /// A small repository with a commit and a changed file.
    pub(crate) repo: PathBuf,
    /// A body of 2 KB.
    pub(crate) body: PathBuf,
    user_home: PathBuf,
    /// On the disk that the target directory is on: here lie the stores.
    pub(crate) disk: PathBuf,
}

impl Ground {
    pub(crate) fn lay() -> Result<Self, Failure> {
        let temp = tempfile::tempdir()?;
        let root = fs::canonicalize(temp.path())?;
        let disk = Path::new(env!("CARGO_TARGET_TMPDIR")).join("table");
        match fs::remove_dir_all(&disk) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let ground = Self {
            plain: root.join("plain"),
            repo: root.join("repo"),
            body: root.join("body.md"),
            user_home: root.join("home"),
            disk,
            _temp: temp,
        };
        for dir in [&ground.plain, &ground.repo, &ground.user_home, &ground.disk] {
            fs::create_dir_all(dir)?;
        }
        put(&ground.body, &crate::store::body(0))?;
        ground.lay_repo()?;
        Ok(ground)
    }

    fn lay_repo(&self) -> Result<(), Failure> {
        for n in 0..20 {
            put(&self.repo.join(format!("part{n}.txt")), "first\n")?;
        }
        for words in [
            "init -q -b main",
            "config user.name Bench",
            "config user.email bench@localhost",
            "add .",
            "commit -q -m First",
        ] {
            let mut git = self.command("git", &self.repo, &self.user_home);
            if !git.args(words.split(' ')).status()?.success() {
                return Err(format!("git {words} failed").into());
            }
        }
        put(&self.repo.join("part3.txt"), "second\n")
    }

    /// A program in a directory, with nothing of the caller's environment but where programs are.
    pub(crate) fn command(&self, program: &str, dir: &Path, store: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.user_home)
            .env("TZ", "UTC")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("SEGUE_HOME", store)
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    /// As `command`, with the body on standard input.
    pub(crate) fn fed(&self, program: &str, dir: &Path, store: &Path) -> Result<Command, Failure> {
        let mut command = self.command(program, dir, store);
        command.stdin(File::open(&self.body)?);
        Ok(command)
    }
}

/// Writes a file of the ground; nothing here has to outlive a crash.
pub(crate) fn put(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(File::create(path)?.write_all(text.as_bytes())?)
}
