//! The world as the library sees it: passed in, never looked up.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use segue_core::Timestamp;
use segue_share::vault::Network;

/// Something that once is enough to look up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The repository of a directory.
    Repository,
    /// The user's configuration.
    Configuration,
}

/// Where things are, what time it is, where randomness comes from.
pub struct Env {
    /// The store's home.
    pub home: PathBuf,
    /// Where it would be if no variable said otherwise, if that is known.
    pub default_home: Option<PathBuf>,
    /// The directory that commands are about.
    pub dir: PathBuf,
    /// The project that the directory is for this process, whatever it is otherwise: a label or an id. A
    /// project that a request names comes first.
    pub project: Option<String>,
    /// The user's home directory, for `~`.
    pub user_home: Option<PathBuf>,
    /// The program to run as git.
    pub git_program: PathBuf,
    /// How long git may take.
    pub git_deadline: Duration,
    /// The user's `config.toml`, whether or not it exists.
    pub config: Option<PathBuf>,
    /// How push and pull use the network.
    pub network: Network,
    /// Is told how far something is that takes long: what it is, how much is done, how much there is.
    pub progress: fn(&'static str, usize, usize),
    /// Is told when something is looked up that once is enough for.
    pub on_lookup: fn(Lookup),
    /// Looks up a variable of the environment, by which agents say where they keep things.
    pub vars: fn(&str) -> Option<OsString>,
    /// Whether somebody waits who cannot, such as an agent for its hook.
    pub hurried: bool,
    /// Whether who asks is told nothing of other projects unless it asks for them, as an agent is.
    pub here_only: bool,
    now: Box<dyn Fn() -> SystemTime>,
    random: Box<dyn Fn() -> u32>,
    pub(crate) file_clock: fn() -> i64,
}

impl Env {
    /// An environment with the user's git and a deadline of two seconds for it.
    pub fn new(
        home: impl Into<PathBuf>,
        dir: impl Into<PathBuf>,
        now: impl Fn() -> SystemTime + 'static,
        random: impl Fn() -> u32 + 'static,
    ) -> Self {
        Self {
            home: home.into(),
            default_home: None,
            dir: dir.into(),
            project: None,
            user_home: None,
            git_program: PathBuf::from("git"),
            git_deadline: Duration::from_secs(2),
            config: None,
            network: Network::default(),
            progress: |_, _, _| {},
            on_lookup: |_| {},
            vars: |_| None,
            hurried: false,
            here_only: false,
            now: Box::new(now),
            random: Box::new(random),
            file_clock,
        }
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        (self.now)().into()
    }

    /// How long ago a moment was; nothing, if it lies ahead.
    pub(crate) fn since(&self, at: Timestamp) -> Duration {
        let micros = self.now().micros() - at.micros();
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    }

    /// A path as somebody wrote it, from a directory on. `~` is the user's home, if that is known.
    pub(crate) fn expand_from(&self, dir: &Path, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        match (path.strip_prefix("~"), self.user_home.as_deref()) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => dir.join(path),
        }
    }

    /// 32 random bits.
    pub fn random(&self) -> u32 {
        (self.random)()
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env")
            .field("home", &self.home)
            .field("dir", &self.dir)
            .finish_non_exhaustive()
    }
}

/// The clock of the file system, which the index compares with the times of files. It is no
/// source of any time that is shown or stored as a handoff's.
#[expect(
    clippy::disallowed_methods,
    reason = "compared with the times that the kernel gives to files, nothing else"
)]
fn file_clock() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}
