//! Compact: moves a month's old handoffs into one archive per tag, whole.

use segue_core::{HandoffId, Head, ProjectId, Timestamp};
use segue_store::{Listed, Scope, Standing};

use super::gc::archive_listed;
use crate::Error;
use crate::here::Here;
use crate::maintenance::GcOutcome;

/// Younger handoffs stay, unless something else is said.
pub const COMPACT_AFTER_DAYS: u64 = 60;

/// What is old enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompactRequest {
    /// Everything of a month such as `2026-09`.
    Month(String),
    /// Everything that is older than so many seconds.
    OlderThan(u64),
}

impl Default for CompactRequest {
    fn default() -> Self {
        Self::OlderThan(COMPACT_AFTER_DAYS * 86_400)
    }
}

impl CompactRequest {
    fn wants(&self, head: &Head, now: Timestamp) -> bool {
        match self {
            Self::Month(month) => head.created.month() == *month,
            Self::OlderThan(seconds) => {
                let span = i64::try_from(*seconds).unwrap_or(i64::MAX).saturating_mul(1_000_000);
                head.written() < now.saturating_sub_micros(span)
            }
        }
    }
}

/// What `compact` would do.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct CompactPlan {
    /// What goes into archives, oldest first.
    pub targets: Vec<Listed>,
    /// What is old enough and stays, because it is the newest, or the newest of its name.
    pub current: Vec<Listed>,
}

impl CompactPlan {
    /// The ids of what goes into archives, each once: a handoff can lie in two memories.
    pub fn ids(&self) -> Vec<String> {
        let mut ids: Vec<String> =
            self.targets.iter().map(|listed| listed.head.id.to_string()).collect();
        ids.dedup();
        ids
    }
}

/// What moves old handoffs of the memories here into archives.
#[derive(Debug)]
pub struct Compaction<'s> {
    here: Here<'s>,
}

impl<'s> Compaction<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }
}

impl Compaction<'_> {
    /// What is old enough in the memories of this directory's project.
    pub fn plan(&self, request: &CompactRequest) -> Result<CompactPlan, Error> {
        // What is to be changed has to be known to the store.
        self.here.attach_memory_of_known_project()?;
        let memories: Vec<ProjectId> = match self.here.own_scope()? {
            Some(Scope::Parts(parts)) => parts
                .into_iter()
                .filter(|part| part.saved_from.is_none())
                .map(|part| part.memory)
                .collect(),
            _ => Vec::new(),
        };
        self.plan_in(&memories, request, false)
    }

    /// What is old enough in one memory.
    pub(crate) fn plan_of(
        &self,
        memory: &ProjectId,
        request: &CompactRequest,
    ) -> Result<CompactPlan, Error> {
        self.plan_in(std::slice::from_ref(memory), request, true)
    }

    fn plan_in(
        &self,
        memories: &[ProjectId],
        request: &CompactRequest,
        even_foreign: bool,
    ) -> Result<CompactPlan, Error> {
        let mut all = Vec::new();
        if !memories.is_empty() {
            let view = self.here.store.writer_view()?;
            for memory in memories {
                let locked = self.here.store.lock(&view, memory)?;
                // What is not read from is not worked on either, unless a run's plan says so.
                if !even_foreign && locked.standing()? != Standing::Trusted {
                    continue;
                }
                all.extend(locked.handoffs()?);
            }
        }
        all.sort_by_key(|listed| (listed.head.created, listed.head.id.clone()));
        let now = self.here.now();
        let mut plan = CompactPlan::default();
        let current = current(&all, now);
        for listed in all {
            if !request.wants(&listed.head, now) {
                continue;
            }
            if current.contains(&listed.head.id) {
                plan.current.push(listed);
            } else {
                plan.targets.push(listed);
            }
        }
        Ok(plan)
    }

    /// Does what was planned.
    pub fn archive(&self, plan: &CompactPlan) -> Result<GcOutcome, Error> {
        archive_listed(self.here.store, plan.targets.iter(), &|_| true)
    }
}

/// What somebody who asks without an id is given: the newest, and the newest of each name. What has
/// expired is given to nobody, what is dated ahead only by its id.
fn current(all: &[Listed], now: Timestamp) -> Vec<HandoffId> {
    let mut found: Vec<HandoffId> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    let mut newest = true;
    for listed in all.iter().rev() {
        let fields = &listed.head.fields;
        if fields.expires.is_some_and(|at| at <= now) || listed.head.created.is_ahead_of(now) {
            continue;
        }
        let first_of_name = fields.name.as_deref().is_some_and(|name| {
            let first = !names.contains(&name);
            names.push(name);
            first
        });
        if newest || first_of_name {
            found.push(listed.head.id.clone());
        }
        newest = false;
    }
    found
}
