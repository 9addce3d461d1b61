//! What a plan may do: where it may write, and what it may do before its repository is trusted.

use std::path::Path;

use super::ground::Ground;
use super::plain_path::plain;
use super::plan::{Step, StepKind};
use super::plan_file::PlanFile;
use crate::Error;
use crate::here::{Here, Trust, trust_of};

/// Refuses places that nobody's plan may write to: git's own directories, and what is ours.
pub(super) fn allow_place(here: &Here<'_>, place: &Path) -> Result<(), Error> {
    let refuse = |why: &str| Err(Error::BadPlace { path: place.to_owned(), why: why.to_owned() });
    let home = std::fs::canonicalize(&here.env.home).unwrap_or_else(|_| here.env.home.clone());
    if place.components().any(|part| part.as_os_str() == ".git") {
        return refuse("it is git's own");
    }
    if lies_in(place, &home) {
        return refuse("Segue's home is for Segue alone");
    }
    Ok(())
}

/// What a plan that lies in a repository may do before somebody has said `segue trust` there:
/// write into its own tree, and publish the memory to a remote that this clone has by name.
pub(super) fn allow(
    here: &Here<'_>,
    file: &PlanFile,
    ground: &Ground<'_>,
    view: Option<&Path>,
) -> Result<(), Error> {
    let path = std::fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
    let dir = path.parent().unwrap_or(Path::new("."));
    let Some(repo) = here.claimed_repo_at(dir) else { return Ok(()) };
    if trust_of(here.store, &repo) == Trust::Yes {
        return Ok(());
    }
    let top = &repo.top;
    let refuse = |what: String| Err(Error::Untrusted { what, top: top.clone() });
    let command = |step: &&Step<'_>| matches!(step.kind(), Some(StepKind::Command { .. }));
    if let Some(step) = file.plan.steps.iter().find(command) {
        return refuse(format!("its step '{}' runs a command", step.name));
    }
    for step in &file.plan.steps {
        let Some(StepKind::Publish(to) | StepKind::Push(to)) = step.kind() else { continue };
        if to.nowhere {
            continue;
        }
        let url = |remote: &&str| remote.contains(['/', ':', '\\']);
        if let Some(remote) = to.remote.as_deref().filter(url) {
            let remote = segue_share::git::without_credentials(remote);
            return refuse(format!("it publishes to '{remote}', which is no remote of yours"));
        }
        let from = to.repo_dir.as_deref().map(|dir| here.env.expand_from(&ground.root, dir));
        if let Some(dir) = from.filter(|dir| !lies_in(dir, top)) {
            return refuse(format!("it publishes from {}", dir.display()));
        }
        let memory = ground.memory_dir().map(plain);
        for path in &to.paths {
            let full = plain(&here.env.expand_from(top, path));
            if !memory.as_ref().is_some_and(|memory| full.starts_with(memory)) {
                return refuse(format!("it publishes '{path}' besides the memory"));
            }
        }
    }
    for place in ground.memory_dir().into_iter().chain(view) {
        let shared = top.join(".segue");
        if !lies_in(place, top) || lies_in(place, &shared) || place.starts_with(&shared) {
            return refuse(format!("it writes to {}", place.display()));
        }
    }
    Ok(())
}

/// Whether a path lies in a directory, links in what exists of it resolved.
fn lies_in(path: &Path, dir: &Path) -> bool {
    let there = path.ancestors().find_map(|part| {
        let real = std::fs::canonicalize(part).ok()?;
        Some((real, path.strip_prefix(part).ok()?.to_owned()))
    });
    let Some((real, rest)) = there else { return false };
    let up = rest.components().any(|part| matches!(part, std::path::Component::ParentDir));
    !up && real.join(rest).starts_with(dir)
}
