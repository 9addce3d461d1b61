//! Install: Segue puts itself into the agents, and out of them again. Files of other programs are
//! changed only where our entries are.

mod asks;
mod decide;
mod diff;
mod file;
mod group;
mod item;
mod setup;
mod status;

use std::path::{Path, PathBuf};

use segue_agents::{
    Agent, Installation, Part, Scope, Wish, find, installation, installations, on_path,
};
use segue_store::{Installed, InstalledPart};

use crate::Error;
use crate::sessions::capture::places;

use group::{Group, join};
use item::{Act, Way, parts};
pub use item::{AskChange, FileChange, InstallFate, InstallItem, InstallOutcome, InstallRequest};
pub use setup::AgentSetup;
pub use status::{AgentStatus, PartStatus, Standing};

/// The agent that people call so, if Segue can be installed in it.
pub fn installable(word: &str) -> Result<&'static Agent, Error> {
    let known = || installations().map(|row| row.agent).collect::<Vec<_>>().join(", ");
    match find(word) {
        Some(agent) if installation(agent.slug).is_some() => Ok(agent),
        Some(agent) => Err(Error::Usage(format!(
            "Segue cannot be installed in {}; it can in {}",
            agent.title,
            known()
        ))),
        None => Err(Error::Usage(format!("there is no agent '{word}'; there are {}", known()))),
    }
}

/// Every agent that Segue can be installed in, by its word.
pub fn installable_agents() -> Vec<&'static str> {
    installations().map(|row| row.agent).collect()
}

impl AgentSetup<'_> {
    /// The agents that are on this machine, each with by what that is seen.
    pub fn found(&self) -> Vec<(&'static str, PathBuf)> {
        let places = places(self.here.env);
        installations().filter_map(|row| Some((row.agent, row.found(&places)?))).collect()
    }

    /// What [`install`](Self::install) would do.
    pub fn plan_install(&self, request: &InstallRequest) -> Result<InstallOutcome, Error> {
        self.walk(request, Way::In, Act::Plan)
    }

    /// Puts Segue into agents. What fails for one file does not stop the others.
    pub fn install(&self, request: &InstallRequest) -> Result<InstallOutcome, Error> {
        self.walk(request, Way::In, Act::Do)
    }

    /// What [`uninstall`](Self::uninstall) would do.
    pub fn plan_uninstall(&self, request: &InstallRequest) -> Result<InstallOutcome, Error> {
        self.walk(request, Way::Out, Act::Plan)
    }

    /// Takes Segue out of agents: a file that nobody touched since is as it was before, from any other
    /// only our entries go.
    pub fn uninstall(&self, request: &InstallRequest) -> Result<InstallOutcome, Error> {
        self.walk(request, Way::Out, Act::Do)
    }

    /// Goes through every file that a request is about. What fails for one does not stop the others.
    fn walk(&self, request: &InstallRequest, way: Way, act: Act) -> Result<InstallOutcome, Error> {
        let _turn = match act {
            Act::Do => Some(self.here.store.install_turn()?),
            Act::Plan => None,
        };
        if self.is_home_of_user(request.scope) {
            return Err(Error::Usage(
                "this is your home directory, not a project: leave out '--scope project'"
                    .to_owned(),
            ));
        }
        if way == Way::In {
            self.is_called_segue(request)?;
        }
        let choice = self.choose_asks(request, way, act)?;
        let top = self.scope_top(request.scope);
        let mut outcome = InstallOutcome::default();
        let mut groups: Vec<Group> = Vec::new();
        // As it is before anything is done.
        let records = self.here.store.all_installed().unwrap_or_default();
        let noted: Vec<String> =
            records.into_iter().flat_map(|record| record.parts).map(|part| part.agent).collect();
        for row in request.agents.iter().filter_map(|agent| installation(agent)) {
            for part in parts(request) {
                let asks = choice.of(row.agent);
                let Some(wish) = self.wish(row, part, request.scope, &request.program, asks) else {
                    continue;
                };
                let elsewhere = match way {
                    Way::In => Vec::new(),
                    Way::Out => self.noted_elsewhere(&wish, request.scope, top.as_deref())?,
                };
                for path in self.chosen(&wish, way).into_iter().chain(elsewhere) {
                    match file::resolved(&path, top.as_deref()) {
                        Ok(target) => join(&mut groups, path, target, &wish, request.scope),
                        // Where nothing was put, nothing has to be taken out.
                        Err(_) if way == Way::Out => {}
                        Err(why) => outcome.items.push(InstallItem {
                            agent: wish.agent,
                            part,
                            path,
                            fate: InstallFate::Failed(why),
                        }),
                    }
                }
            }
        }
        for group in &groups {
            let (items, change) = self.change(group, way, act, &noted);
            outcome.items.extend(items);
            outcome.changes.extend(change);
        }
        if (way, act) == (Way::Out, Act::Do) {
            self.here.store.sweep_made()?;
        }
        let order = |item: &InstallItem| {
            let row = installations().position(|row| row.agent == item.agent);
            (row, item.part)
        };
        outcome.items.sort_by_key(order);
        self.add_notes(request, way, &mut outcome);
        outcome.notes.extend(choice.notes);
        Ok(outcome)
    }

    /// Entries in settings are known again by the name of the program.
    fn is_called_segue(&self, request: &InstallRequest) -> Result<(), Error> {
        let program = self.program(request.scope, &request.program);
        if program.is_called_segue() {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "the program is {}, and what runs it could not be told from other people's: call it 'segue', or put a \
             link of that name on the path",
            request.program.display()
        )))
    }

    /// The files that a wish is about.
    fn chosen(&self, wish: &Wish, way: Way) -> Vec<PathBuf> {
        // Where it was put before, whatever is there now.
        let noted = |path: &&PathBuf| {
            let target = file::resolved(path, None).ok();
            target.and_then(|target| self.here.store.installed(&target)).is_some_and(|record| {
                record
                    .parts
                    .iter()
                    .any(|part| part.agent == wish.agent && part.part == wish.part.word())
            })
        };
        let known: Vec<&PathBuf> = wish.paths.iter().filter(noted).collect();
        match way {
            // The first that is there hides the others.
            Way::In => {
                let there = wish.paths.iter().find(|path| path.exists());
                there.or(wish.paths.first()).cloned().into_iter().collect()
            }
            Way::Out => {
                let mut all: Vec<PathBuf> = known.into_iter().cloned().collect();
                // Without a record the entries themselves say that they are ours.
                match wish.paths.iter().find(|path| path.exists()) {
                    Some(path) if all.is_empty() => all.push(path.clone()),
                    _ => {}
                }
                all
            }
        }
    }

    /// Files that it was put into when a link led elsewhere, or the agent kept its files elsewhere.
    fn noted_elsewhere(
        &self,
        wish: &Wish,
        scope: Scope,
        top: Option<&Path>,
    ) -> Result<Vec<PathBuf>, Error> {
        let now: Vec<PathBuf> =
            wish.paths.iter().filter_map(|path| file::resolved(path, None).ok()).collect();
        let top = top.map(|top| top.canonicalize().unwrap_or_else(|_| top.to_owned()));
        let meant = |record: &Installed| {
            let noted = record.parts.iter().any(|part| {
                (part.agent.as_str(), part.part.as_str(), part.scope.as_str())
                    == (wish.agent, wish.part.word(), scope.word())
            });
            let inside = top.as_ref().is_none_or(|top| record.path.starts_with(top));
            noted && inside && !now.contains(&record.path)
        };
        let records = self.here.store.all_installed()?.into_iter();
        Ok(records.filter(meant).map(|record| record.path).collect())
    }

    /// What is to be known of the store that the hooks of an agent use.
    fn note_of_store(&self, row: &Installation, request: &InstallRequest) -> Option<String> {
        let home = self.store_to_name(row)?;
        let title = find(row.agent)?.title;
        let program = self.program(request.scope, &request.program);
        let shown = home.display();
        Some(match request.scope {
            Scope::Project => format!(
                "hooks of {title} may not see SEGUE_HOME: those of a project then use the default store, not {shown}"
            ),
            Scope::User if program.with_store(home).is_some() => format!(
                "hooks of {title} may not see SEGUE_HOME: they name the store {shown}, whatever a shell says"
            ),
            Scope::User => format!(
                "hooks of {title} may not see SEGUE_HOME, and {shown} cannot stand in a command line: they may use the default store"
            ),
        })
    }

    fn add_notes(&self, request: &InstallRequest, way: Way, outcome: &mut InstallOutcome) {
        let done = |part: Part, agent: Option<&str>| {
            outcome.items.iter().any(|item| {
                let fate = matches!(item.fate, InstallFate::Created | InstallFate::Changed);
                fate && item.part == part && agent.is_none_or(|agent| agent == item.agent)
            })
        };
        let mut notes = Vec::new();
        if way == Way::In {
            for row in installations().filter(|row| done(Part::Hooks, Some(row.agent))) {
                notes.extend(row.after_hooks.map(str::to_owned));
                notes.extend(self.note_of_store(row, request));
            }
            let places = places(self.here.env);
            let real = |path: &Path| path.canonicalize().ok();
            if let Some(found) = on_path(&places, "segue").filter(|_| request.scope == Scope::User)
                && outcome.changed()
                && real(&found) != real(&request.program)
            {
                let (found, now) = (found.display(), request.program.display());
                notes.push(format!("hooks run the 'segue' on the path, {found}, which is not the one that runs now, {now}"));
            }
            if request.scope == Scope::Project && (done(Part::Hooks, None) || done(Part::Mcp, None))
            {
                notes.push("hooks and MCP entries of a project run the 'segue' that each person has on the path".to_owned());
            }
        } else if request.scope == Scope::User {
            let records = self.here.store.all_installed().unwrap_or_default();
            let in_project = |record: &Installed| {
                let of_project = |part: &InstalledPart| part.scope == Scope::Project.word();
                record.parts.iter().any(of_project) && record.path.exists()
            };
            let count = records.iter().filter(|record| in_project(record)).count();
            if count > 0 {
                notes.push(format!("{count} file(s) of projects have it still; 'segue uninstall --scope project' there takes it out"));
            }
        }
        outcome.notes = notes;
    }
}
