//! The test ground: an own home, a fixed clock, fixed randomness, a cleared environment.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// One user with an empty store and an empty work directory.
pub(crate) struct TestEnv {
    temp: TempDir,
    /// Where commands run unless told otherwise.
    pub(crate) work: PathBuf,
    /// `$SEGUE_HOME`.
    pub(crate) home: PathBuf,
}

/// The time at which every command runs unless told otherwise.
pub(crate) const NOW: &str = "2026-11-15T17:45:00Z";

impl TestEnv {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        let work = root.join("work");
        fs::create_dir(&work).unwrap();
        Self { home: root.join("home/segue"), work, temp }
    }

    /// A directory of its own, beside the work directory.
    pub(crate) fn dir(&self, name: &str) -> PathBuf {
        let dir = fs::canonicalize(self.temp.path()).unwrap().join(name);
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    /// A path beside the work directory at which nothing is yet.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.work.with_file_name(name)
    }

    /// A command with nothing of this process's environment but the path.
    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.temp.path())
            .env("SEGUE_HOME", &self.home)
            .env("TZ", "UTC")
            .env("COLUMNS", "100")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            // A machine under load shall not change what tests see.
            .env("SEGUE_GIT_DEADLINE_MS", "30000")
            .current_dir(&self.work);
        command
    }

    pub(crate) fn segue(&self, args: &[&str]) -> Segue {
        self.segue_under(&[], args)
    }

    /// The program run by another one, such as a tracer, which gets these words first.
    pub(crate) fn segue_under(&self, wrapper: &[&str], args: &[&str]) -> Segue {
        let binary = env!("CARGO_BIN_EXE_segue");
        let words: Vec<&str> = wrapper.iter().copied().chain([binary]).collect();
        self.segue_by(words[0], &[&words[1..], args].concat())
    }

    /// Another binary of the program.
    pub(crate) fn segue_by(&self, binary: impl AsRef<Path>, args: &[&str]) -> Segue {
        let mut command = self.command(binary);
        command.args(args).env("SEGUE_TIMESTAMP", NOW).env("SEGUE_RANDOMNESS_SEED", "1");
        Segue { command, stdin: Stdin::Null, root: fs::canonicalize(self.temp.path()).unwrap() }
    }

    /// Saves a handoff with this title and gives its short id.
    pub(crate) fn saved(&self, args: &[&str]) -> String {
        let all: Vec<&str> = ["save"].iter().chain(args).copied().collect();
        let ran = self.segue(&all).real_randomness().run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout.trim().to_owned()
    }

    pub(crate) fn git(&self, dir: &Path, args: &[&str]) -> String {
        let identity = [
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.org",
            "-c",
            "init.defaultBranch=main",
            "-c",
            "protocol.file.allow=always",
        ];
        let output =
            self.command("git").arg("-C").arg(dir).args(identity).args(args).output().unwrap();
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A repository with one commit.
    pub(crate) fn repo(&self, name: &str) -> PathBuf {
        let dir = self.dir(name);
        self.git(&dir, &["init", "-q"]);
        put(&dir.join("a.txt"), name);
        self.git(&dir, &["add", "."]);
        self.git(&dir, &["commit", "-qm", "first"]);
        dir
    }

    /// Deletes the index, which is only a view.
    pub(crate) fn delete_index(&self) {
        for path in files_below(&self.home) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.parent() == Some(&self.home) && name.starts_with("index.db") {
                fs::remove_file(path).unwrap();
            }
        }
    }

    /// Every file of layer 1 in the whole store.
    pub(crate) fn handoff_files(&self) -> Vec<PathBuf> {
        files_below(&self.home.join("projects"))
            .into_iter()
            .filter(|path| path.to_string_lossy().contains("/layer1/"))
            .collect()
    }
}

/// The machine's clock, for the times of files.
#[expect(clippy::disallowed_methods, reason = "compared with the times of files")]
pub(crate) fn file_time() -> std::time::SystemTime {
    std::time::SystemTime::now()
}

/// Writes a file that is not the store's.
pub(crate) fn put(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path).unwrap().write_all(text.as_ref()).unwrap();
}

pub(crate) fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

enum Stdin {
    Null,
    Bytes(Vec<u8>),
    File(PathBuf),
}

/// One call of the program.
pub(crate) struct Segue {
    pub(crate) command: Command,
    stdin: Stdin,
    root: PathBuf,
}

/// What a call did.
#[derive(Debug)]
pub(crate) struct Ran {
    /// -1 if a signal ended it.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) bytes: Vec<u8>,
}

impl Segue {
    pub(crate) fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.stdin = Stdin::Bytes(bytes.as_ref().to_vec());
        self
    }

    /// With a file as standard input.
    pub(crate) fn stdin_file(mut self, path: &Path) -> Self {
        self.stdin = Stdin::File(path.to_owned());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// At another time than the usual one.
    pub(crate) fn at(self, time: &str) -> Self {
        self.env("SEGUE_TIMESTAMP", time)
    }

    pub(crate) fn seed(self, seed: &str) -> Self {
        self.env("SEGUE_RANDOMNESS_SEED", seed)
    }

    /// With the machine's own randomness.
    pub(crate) fn real_randomness(mut self) -> Self {
        self.command.env_remove("SEGUE_RANDOMNESS_SEED");
        self
    }

    /// With the machine's own clock and randomness.
    pub(crate) fn real_clock(mut self) -> Self {
        self.command.env_remove("SEGUE_TIMESTAMP").env_remove("SEGUE_RANDOMNESS_SEED");
        self
    }

    pub(crate) fn dir(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    pub(crate) fn run(mut self) -> Ran {
        let output = match &self.stdin {
            Stdin::Null => self.command.stdin(Stdio::null()).output().unwrap(),
            Stdin::File(path) => {
                let file = fs::File::open(path).unwrap();
                self.command.stdin(file).output().unwrap()
            }
            Stdin::Bytes(bytes) => {
                self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
                let mut child = self.command.spawn().unwrap();
                // A program that does not read to the end closes the pipe: that is its right.
                let _ = child.stdin.take().unwrap().write_all(bytes);
                child.wait_with_output().unwrap()
            }
        };
        Ran::new(output, &self.root)
    }

    /// Runs it and expects success and silence on standard error; gives standard output.
    pub(crate) fn ok(self) -> String {
        let ran = self.run();
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "stdout: {}", ran.stdout);
        ran.stdout
    }

    /// Runs it and expects success, whatever it says on standard error besides; gives standard output.
    pub(crate) fn ok_with_talk(self) -> String {
        let ran = self.run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout
    }

    /// Runs it and expects this exit code and nothing on standard output; gives standard error.
    pub(crate) fn fails(self, code: i32) -> String {
        let ran = self.run();
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "stderr: {}", ran.stderr);
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("error: ").count(), 1, "one error, once: {}", ran.stderr);
        ran.stderr
    }
}

impl Segue {
    /// As `fails`, for commands that have something to print before they fail.
    pub(crate) fn fails_after_output(self, code: i32) -> String {
        let ran = self.run();
        assert_eq!(ran.code, code, "stderr: {}", ran.stderr);
        assert_eq!(ran.stderr.matches("error: ").count(), 1, "one error, once: {}", ran.stderr);
        ran.stderr
    }

    /// As `fails`, for commands that talk before they fail.
    pub(crate) fn fails_with_talk(self, code: i32) -> String {
        let ran = self.run();
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "stderr: {}", ran.stderr);
        assert_eq!(ran.stderr.matches("error: ").count(), 1, "one error, once: {}", ran.stderr);
        ran.stderr
    }
}

impl Ran {
    fn new(output: Output, root: &Path) -> Self {
        let clean = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes).replace(&*root.to_string_lossy(), "$ROOT")
        };
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: clean(&output.stdout),
            stderr: clean(&output.stderr),
            bytes: output.stdout,
        }
    }
}
