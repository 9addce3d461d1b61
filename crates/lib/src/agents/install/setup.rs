//! Segue in the agents of this machine, as seen from a directory.

use std::path::{Path, PathBuf};

use segue_agents::{Installation, Part, Program, Scope, Wish, find, on_path};
use segue_store::Asks;

use crate::here::Here;
use crate::sessions::capture::places;

/// Where agents keep their files, and what Segue would have in them.
#[derive(Debug)]
pub struct AgentSetup<'s> {
    pub(crate) here: Here<'s>,
}

impl<'s> AgentSetup<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }
}

impl AgentSetup<'_> {
    /// The top of the project, if the scope is one.
    pub(super) fn scope_top(&self, scope: Scope) -> Option<PathBuf> {
        let here = &self.here;
        let top = || here.claimed_repo().map_or(here.dir(), |repo| &repo.top).to_owned();
        (scope == Scope::Project).then(top)
    }

    /// The program that entries of a scope name.
    pub(super) fn program(&self, scope: Scope, running: &Path) -> Program {
        match scope {
            Scope::Project => Program::on_path(),
            Scope::User => {
                let found = on_path(&places(self.here.env), "segue");
                Program::at(&found.unwrap_or_else(|| running.to_owned()))
            }
        }
    }

    /// The store, where its hooks have to be told which it is: they do not see the variable that says so.
    pub(super) fn store_to_name(&self, row: &Installation) -> Option<&Path> {
        let env = self.here.env;
        let is_named = env.default_home.as_ref().is_some_and(|default| *default != env.home);
        let hooks = find(row.agent)?.hooks.as_ref()?;
        (is_named && hooks.runs_detached).then_some(env.home.as_path())
    }

    /// Whether the top of a project is the user's home, where its files are the user's own.
    pub(super) fn is_home_of_user(&self, scope: Scope) -> bool {
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        let home = places(self.here.env).home.map(real);
        home.is_some() && self.scope_top(scope).map(real) == home
    }

    /// What a part of Segue would be in an agent; `None` where the agent has no such part.
    pub(super) fn wish(
        &self,
        row: &Installation,
        part: Part,
        scope: Scope,
        running: &Path,
        asks: Asks,
    ) -> Option<Wish> {
        let places = places(self.here.env);
        let mut program = self.program(scope, running);
        if scope == Scope::User
            && let Some(home) = self.store_to_name(row)
        {
            program = program.clone().with_store(home).unwrap_or(program);
        }
        // What stands in a project is for everybody; the choice is one person's.
        let at_prompts = asks.when_full && scope == Scope::User;
        row.wish_with(part, self.scope_top(scope).as_deref(), &places, &program, at_prompts)
    }
}
