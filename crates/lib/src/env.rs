//! The world as the library sees it: passed in, never looked up.

use std::cell::Cell;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use segue_core::Timestamp;
use segue_share::git::Git;
use segue_share::vault::Network;

/// Where things are, what time it is, where randomness comes from.
pub struct Env {
    /// The store's home.
    pub home: PathBuf,
    /// The directory that commands are about.
    pub dir: PathBuf,
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
    /// Looks up a variable of the environment, by which agents say where they keep things.
    pub vars: fn(&str) -> Option<OsString>,
    /// Whether somebody waits who cannot, such as an agent for its hook.
    pub hurried: bool,
    now: Box<dyn Fn() -> SystemTime>,
    random: Box<dyn Fn() -> u32>,
    pub(crate) file_clock: fn() -> i64,
    /// When the use case that is going on first asked git.
    git_begun: Cell<Option<Instant>>,
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
            dir: dir.into(),
            user_home: None,
            git_program: PathBuf::from("git"),
            git_deadline: Duration::from_secs(2),
            config: None,
            network: Network::default(),
            progress: |_, _, _| {},
            vars: |_| None,
            hurried: false,
            now: Box::new(now),
            random: Box::new(random),
            file_clock,
            git_begun: Cell::new(None),
        }
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        (self.now)().into()
    }

    /// 32 random bits.
    pub fn random(&self) -> u32 {
        (self.random)()
    }

    /// A use case begins: git has its whole time again.
    pub(crate) fn begin(&self) {
        self.git_begun.set(None);
    }

    /// Git, with what is left of its time. All questions of one use case share it.
    pub(crate) fn git(&self) -> Git {
        let begun = self.git_begun.get().unwrap_or_else(Instant::now);
        self.git_begun.set(Some(begun));
        let deadline = self.git_deadline.saturating_sub(begun.elapsed());
        Git { program: self.git_program.clone(), deadline }
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
