//! The process: environment variables, clock, randomness. The one file that looks them up.

use std::cell::Cell;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use etcetera::BaseStrategy;
use segue_lib::sharing::Network;
use segue_lib::{Env, Timestamp};

use crate::error::CommandError;

/// Where the store is; default: the platform's data directory.
pub(crate) const HOME: &str = "SEGUE_HOME";
/// A fixed time instead of the clock's, for tests and reproducible demonstrations.
pub(crate) const TIMESTAMP: &str = "SEGUE_TIMESTAMP";
/// A fixed seed instead of the system's randomness, for the same.
pub(crate) const SEED: &str = "SEGUE_RANDOMNESS_SEED";
/// The API key for MemoryVault.
pub(crate) const VAULT_KEY: &str = "MEMORYVAULT_API_KEY";
/// Another address than MemoryVault's own.
pub(crate) const VAULT_URL: &str = "MEMORYVAULT_URL";

/// Set by `continue` for the agent that it starts, which has the briefing already.
pub(crate) const CONTINUED: &str = "SEGUE_CONTINUED";

/// The id of the handoff that it was started with; empty if there is none in the store.
pub(crate) const CONTINUED_FROM: &str = "SEGUE_CONTINUED_FROM";

/// The project that the directory is for this process, by label or id.
pub(crate) const PROJECT: &str = "SEGUE_PROJECT";

/// How long git may take, in milliseconds, instead of each command's own measure.
pub(crate) const GIT_DEADLINE: &str = "SEGUE_GIT_DEADLINE_MS";

/// How much is said of what was chosen and why: `info` or `debug`.
pub(crate) const LOG: &str = "SEGUE_LOG";

/// A variable's value, unless it is empty or not Unicode.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// A secret that a variable holds; an empty one is told from one that is not set.
pub(crate) fn secret(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// The home of the store as the command line of a hook names it.
static NAMED_HOME: OnceLock<PathBuf> = OnceLock::new();

/// From here on the store is the one that the command line names.
pub(crate) fn use_home(home: PathBuf) {
    let _ = NAMED_HOME.set(home);
}

/// The home of the store where no variable says otherwise.
fn default_home() -> Option<PathBuf> {
    match cfg!(windows) {
        true => Some(etcetera::choose_base_strategy().ok()?.data_dir().join("segue")),
        false => Some(user_home()?.join(".local/share/segue")),
    }
}

/// The home of the store, and where that was said.
pub(crate) fn home() -> Result<(PathBuf, &'static str), CommandError> {
    if let Some(home) = NAMED_HOME.get().filter(|home| home.is_absolute()) {
        return Ok((home.clone(), "from the command line of the hook"));
    }
    if let Some(home) = env::var_os(HOME).filter(|home| !home.is_empty()) {
        let home = PathBuf::from(home);
        // Each directory would have a store of its own, and nobody would find what is in it.
        if !home.is_absolute() {
            let told = format!("SEGUE_HOME is not an absolute path: {}", home.display());
            return Err(CommandError::usage(told)
                .hinted("give the whole path, such as SEGUE_HOME=\"$HOME/.local/share/segue\""));
        }
        return Ok((home, "from SEGUE_HOME"));
    }
    match etcetera::choose_base_strategy() {
        // The same for the home of the user. A relative XDG_DATA_HOME is ignored, as its specification says.
        Ok(dirs) if !dirs.data_dir().is_absolute() => {
            let told = format!("HOME is not an absolute path: {}", dirs.home_dir().display());
            Err(CommandError::usage(told)
                .hinted("give the whole path, or set SEGUE_HOME to a directory of your own"))
        }
        Ok(dirs) => Ok((dirs.data_dir().join("segue"), "the platform's data directory")),
        Err(_) => Err(CommandError::usage("cannot find your home directory")
            .hinted("set SEGUE_HOME to a directory of your own")),
    }
}

/// The world as the library gets it.
pub(crate) fn env() -> Result<Env, CommandError> {
    let mut env = env_as_it_is()?;
    env.project = project()?;
    env.here_only = is_in_agent();
    if let Some(deadline) = git_deadline()? {
        env.git_deadline = deadline;
    }
    Ok(env)
}

/// The project that the directory is for this process. A name that is no text is not passed over: what is saved would
/// go elsewhere.
fn project() -> Result<Option<String>, CommandError> {
    match env::var(PROJECT) {
        Err(env::VarError::NotUnicode(_)) => {
            Err(CommandError::usage(format!("{PROJECT} is not UTF-8"))
                .hinted("give the label or the id of a project, or unset it"))
        }
        named => Ok(named.ok().filter(|named| !named.is_empty())),
    }
}

/// The same without what the user said of this process, for who only notes something.
pub(crate) fn env_as_it_is() -> Result<Env, CommandError> {
    let (home, _) = home()?;
    let dir = env::current_dir().map_err(|error| {
        CommandError::failed(format!("cannot find the current directory: {error}"))
            .hinted("it may have been removed: cd to another one")
    })?;
    let fixed = match variable(TIMESTAMP) {
        None => None,
        Some(text) => {
            let at: Timestamp = text
                .parse()
                .map_err(|_| CommandError::usage(format!("{TIMESTAMP} is not a time: {text}")))?;
            Some(UNIX_EPOCH + Duration::from_micros(at.micros().unsigned_abs()))
        }
    };
    let mut env = Env::new(home, dir, move || fixed.unwrap_or_else(now), randomness()?);
    env.progress = crate::ui::tell_progress;
    env.vars = |name| env::var_os(name);
    env.config = etcetera::choose_base_strategy()
        .ok()
        .map(|dirs| dirs.config_dir().join("segue").join("config.toml"));
    env.user_home = user_home();
    env.default_home = default_home();
    Ok(env)
}

/// Variables by which programs of agents say that they are, beside those that one agent alone sets.
const OF_AGENTS: [&str; 4] = ["AI_AGENT", "AGENT", "AUGMENT_AGENT", CONTINUED];

/// Whether an agent started this process.
pub(crate) fn is_in_agent() -> bool {
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    OF_AGENTS.iter().any(is_set) || segue_lib::agents::detect_agent(variable).is_some()
}

/// The user's home directory.
pub(crate) fn user_home() -> Option<PathBuf> {
    etcetera::home_dir().ok()
}

/// The program that runs now.
pub(crate) fn program() -> Result<PathBuf, CommandError> {
    env::current_exe()
        .map_err(|error| CommandError::failed(format!("cannot find this program: {error}")))
}

/// Whether a program of this name is on the search path.
pub(crate) fn is_on_path(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .any(|dir| dir.join(name).with_extension(env::consts::EXE_EXTENSION).is_file())
}

/// The deadline for git that the user set.
fn git_deadline() -> Result<Option<Duration>, CommandError> {
    let Some(text) = variable(GIT_DEADLINE) else { return Ok(None) };
    match text.parse() {
        Ok(milliseconds) if milliseconds > 0 => Ok(Some(Duration::from_millis(milliseconds))),
        _ => Err(CommandError::usage(format!(
            "{GIT_DEADLINE} is not a number of milliseconds: {text}"
        ))),
    }
}

/// As `env`, for another directory, with a deadline for git that suits a command somebody waits for.
pub(crate) fn env_in(dir: Option<&Path>) -> Result<Env, CommandError> {
    let mut env = env()?;
    if let Some(dir) = dir {
        env.dir = env.dir.join(dir);
    }
    if variable(GIT_DEADLINE).is_none() {
        env.git_deadline = Duration::from_millis(300);
    }
    env.network = network();
    Ok(env)
}

/// The proxy for https, under the names that other programs read too.
fn network() -> Network {
    let first = |names: &[&str]| names.iter().find_map(|name| variable(name));
    Network {
        proxy: first(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
        no_proxy: first(&["no_proxy", "NO_PROXY"]),
        ..Network::default()
    }
}

fn randomness() -> Result<Box<dyn Fn() -> u32>, CommandError> {
    let Some(seed) = variable(SEED) else {
        return Ok(Box::new(|| {
            let since = now().duration_since(UNIX_EPOCH);
            getrandom::u32().unwrap_or_else(|_| since.map_or(1, |since| since.subsec_nanos()))
        }));
    };
    let seed: u64 = seed
        .parse()
        .map_err(|_| CommandError::usage(format!("{SEED} is not a whole number: {seed}")))?;
    let state = Cell::new(seed);
    // SplitMix64: enough to tell ids apart, and the same everywhere.
    Ok(Box::new(move || {
        state.set(state.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut z = state.get();
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 32) as u32
    }))
}

#[expect(clippy::disallowed_methods, reason = "the one place that asks the clock")]
fn now() -> SystemTime {
    SystemTime::now()
}
