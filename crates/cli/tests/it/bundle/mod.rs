//! Bundles: from one user to another, by file.

mod conflict;
mod cut_off;
mod defects;
mod from_peers;
mod hostile;
mod keys;
mod mended;
mod secrets;
mod travel;
mod trust;

use std::fs;
use std::path::PathBuf;

use crate::ground::{Segue, TestEnv};

/// Two users with nothing in common but a directory for bundles.
pub(crate) struct Two {
    pub(crate) ana: TestEnv,
    pub(crate) ben: TestEnv,
    pub(crate) post: PathBuf,
}

impl Two {
    pub(crate) fn new() -> Self {
        let ana = TestEnv::new();
        let post = ana.dir("post");
        Self { ana, ben: TestEnv::new(), post }
    }

    /// As `new`, where Ana has a key and Ben trusts it.
    pub(crate) fn trusting() -> Self {
        let two = Self::new();
        two.ana.segue(&["keys", "new", "ana"]).run();
        let file = two.file("ana.pub");
        two.ana.segue(&["keys", "export", "--output", &file]).ok();
        two.ben.segue(&["keys", "trust", &file]).ok();
        two
    }

    /// A path in the directory that both see.
    pub(crate) fn file(&self, name: &str) -> String {
        self.post.join(name).to_string_lossy().into_owned()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.post.join(name)).unwrap()
    }

    /// Ana exports something, signed.
    pub(crate) fn signed(&self, name: &str, more: &[&str]) -> String {
        let file = self.file(name);
        let args = ["export", "--sign-key", "ana", "--output", &file, "--force"];
        let args: Vec<&str> = args.iter().chain(more).copied().collect();
        let ran = self.ana.segue(&args).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        file
    }

    /// Ben imports something.
    pub(crate) fn import(&self, file: &str, more: &[&str]) -> Segue {
        let args: Vec<&str> = ["import", file].iter().chain(more).copied().collect();
        self.ben.segue(&args)
    }
}

/// Saves a handoff and gives its full id.
pub(crate) fn save(env: &TestEnv, title: &str, seed: &str) -> String {
    let args = ["save", "--title", title, "--next", "Go on", "--tool", "codex", "--json"];
    let ran =
        env.segue(&args).seed(seed).stdin(format!("## Current State\n\n{title} stands.\n")).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let value: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    value["id"].as_str().unwrap().to_owned()
}

/// `list --json`.
pub(crate) fn listed(env: &TestEnv, more: &[&str]) -> Vec<serde_json::Value> {
    let args: Vec<&str> =
        ["list", "--json", "--all-projects"].iter().chain(more).copied().collect();
    serde_json::from_str(&env.segue(&args).run().stdout).unwrap()
}
