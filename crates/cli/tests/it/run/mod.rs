//! Runs: handed over in steps, whatever happens in between.

mod brake;
mod crash;
mod defects;
mod faults;
mod hostile;
mod kept;
mod layers;
mod plans;
mod publish_remote;
mod published;
mod told;

use std::fs;
use std::path::{Path, PathBuf};

use crate::ground::{Segue, TestEnv, files_below, put};

/// A clone with a remote, and a plan of agent-handover's.
pub(super) struct Place {
    pub(super) env: TestEnv,
    pub(super) repo: PathBuf,
    pub(super) remote: PathBuf,
}

/// agent-handover's plan, to the remote's main.
pub(super) const PLAN: &str = "[handover]\ntag = \"refactor\"\n";

impl Place {
    pub(super) fn new() -> Self {
        let env = TestEnv::new();
        let remote = env.beside("remote.git");
        env.git(&env.work, &["init", "-q", "--bare", &remote.to_string_lossy()]);
        let repo = env.repo("repo");
        for (key, value) in [("user.name", "T"), ("user.email", "t@example.org")] {
            env.git(&repo, &["config", key, value]);
        }
        env.git(&repo, &["remote", "add", "origin", &remote.to_string_lossy()]);
        env.git(&repo, &["push", "-q", "origin", "main"]);
        let place = Self { env, repo, remote };
        place.plan(PLAN);
        place
    }

    /// Writes the plan where agent-handover's users have it.
    pub(super) fn plan(&self, text: &str) {
        put(&self.repo.join(".agent-handover/handover.toml"), text);
    }

    /// `segue run` with the plan.
    pub(super) fn run(&self, args: &[&str]) -> Segue {
        let all = ["run", "--config", ".agent-handover/handover.toml"];
        let all: Vec<&str> = all.iter().chain(args).copied().collect();
        self.env.segue(&all).dir(&self.repo).real_clock()
    }

    pub(super) fn segue(&self, args: &[&str]) -> Segue {
        self.env.segue(args).dir(&self.repo).real_clock()
    }

    pub(super) fn check(&self) -> i32 {
        self.segue(&["check"]).run().code
    }

    /// Files of the runs in the store whose path has this in it.
    pub(super) fn run_files(&self, part: &str) -> Vec<PathBuf> {
        let all = files_below(&self.env.home).into_iter();
        all.filter(|path| {
            let path = path.to_string_lossy();
            path.contains("/run/") && path.contains(part)
        })
        .collect()
    }

    /// The texts of the notes in `memory/`.
    pub(super) fn notes(&self) -> Vec<String> {
        texts(&self.repo.join("memory/layer1"))
    }

    pub(super) fn state(&self) -> String {
        fs::read_to_string(self.repo.join("memory/layer2/current-state.md")).unwrap()
    }

    /// Takes the remote away, and gives it back.
    pub(super) fn cut_off(&self) {
        fs::rename(&self.remote, self.remote.with_extension("away")).unwrap();
    }

    pub(super) fn connect(&self) {
        fs::rename(self.remote.with_extension("away"), &self.remote).unwrap();
    }

    /// The files of a branch on the remote.
    pub(super) fn published(&self, branch: &str) -> Vec<String> {
        let tree = self.env.git(&self.remote, &["ls-tree", "-r", "--name-only", branch]);
        tree.lines().map(str::to_owned).collect()
    }

    /// How many commits on a branch of the remote carry a run's trailer.
    pub(super) fn runs_on(&self, branch: &str) -> usize {
        self.env.git(&self.remote, &["log", "--format=%B", branch]).matches("Segue-Run: ").count()
    }
}

/// The texts of all files below.
pub(super) fn texts(dir: &Path) -> Vec<String> {
    files_below(dir).iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}
