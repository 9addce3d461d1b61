//! Where Segue puts itself into an agent.

pub(crate) mod content;
pub(crate) mod entry;

use std::env;
use std::path::{Path, PathBuf};

pub use content::{Content, Presence};
use entry::{Entry, UserFile};

use crate::Places;
use crate::agent::AGENTS;
use crate::settings::command::Program;

/// A part of what is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Hooks,
    Mcp,
    Skill,
    Instructions,
}

impl Part {
    pub const ALL: [Self; 4] = [Self::Hooks, Self::Mcp, Self::Skill, Self::Instructions];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hooks => "hooks",
            Self::Mcp => "mcp",
            Self::Skill => "skill",
            Self::Instructions => "instructions",
        }
    }
}

/// For whom it is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everywhere, for this user.
    User,
    /// In one project, for everybody who works there.
    Project,
}

impl Scope {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// What is put into one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// The agent, by its word.
    pub agent: &'static str,
    pub part: Part,
    /// The file: the first of these that is there, else the first.
    pub paths: Vec<PathBuf>,
    pub content: Content,
}

/// Where Segue goes into one agent.
pub struct Installation {
    /// The agent, by its word.
    pub agent: &'static str,
    /// Programs by which it is started.
    pub programs: &'static [&'static str],
    /// The directory that it keeps for the user.
    pub(crate) root: fn(&Places) -> Option<PathBuf>,
    pub(crate) hooks: Entry,
    /// The hooks with one for the user's prompts, if the agent can have that.
    pub(crate) prompt_hooks: Option<fn(&Program) -> Content>,
    pub(crate) mcp: Entry,
    pub(crate) skill: Entry,
    pub(crate) instructions: Entry,
    /// What has to be done by hand once its hooks are there.
    pub after_hooks: Option<&'static str>,
}

impl Installation {
    fn entry(&self, part: Part) -> &Entry {
        match part {
            Part::Hooks => &self.hooks,
            Part::Mcp => &self.mcp,
            Part::Skill => &self.skill,
            Part::Instructions => &self.instructions,
        }
    }

    /// Whether there is such a part in a scope.
    pub fn has(&self, part: Part, scope: Scope) -> bool {
        let entry = self.entry(part);
        match scope {
            Scope::User => !entry.user.is_empty(),
            Scope::Project => !entry.project.is_empty(),
        }
    }

    /// Whether its hooks can add something to a prompt of the user's.
    pub fn hooks_prompts(&self) -> bool {
        self.prompt_hooks.is_some()
    }

    /// What a part is and where it goes. `project` is the top of the project, if the scope is one.
    pub fn wish(
        &self,
        part: Part,
        project: Option<&Path>,
        places: &Places,
        program: &Program,
    ) -> Option<Wish> {
        self.wish_with(part, project, places, program, false)
    }

    /// As `wish`; with hooks for the user's prompts, if that is so.
    pub fn wish_with(
        &self,
        part: Part,
        project: Option<&Path>,
        places: &Places,
        program: &Program,
        at_prompts: bool,
    ) -> Option<Wish> {
        let entry = self.entry(part);
        let paths: Vec<PathBuf> = match project {
            Some(top) => entry.project.iter().map(|path| top.join(path)).collect(),
            None => {
                let of = |file: &UserFile| match file {
                    UserFile::InRoot(path) => Some((self.root)(places)?.join(path)),
                    UserFile::InHome(path) => Some(places.home.as_ref()?.join(path)),
                    UserFile::Found(path) => path(places),
                };
                entry.user.iter().filter_map(of).collect()
            }
        };
        let with_prompts = self.prompt_hooks.filter(|_| at_prompts && part == Part::Hooks);
        let content = with_prompts.unwrap_or(entry.content)(program);
        (!paths.is_empty()).then_some(Wish { agent: self.agent, part, paths, content })
    }

    /// By what the agent is seen on this machine: its program, else its directory.
    pub fn found(&self, places: &Places) -> Option<PathBuf> {
        let program = self.programs.iter().find_map(|name| on_path(places, name));
        program.or_else(|| (self.root)(places).filter(|root| root.is_dir()))
    }
}

/// Those of every agent that Segue can be installed in.
pub fn installations() -> impl Iterator<Item = &'static Installation> {
    AGENTS.iter().filter_map(|agent| agent.installation.as_ref())
}

/// That of an agent, by its word.
pub fn installation(agent: &str) -> Option<&'static Installation> {
    installations().find(|row| row.agent == agent)
}

/// A program as it is found on the path: not where its links lead, which changes with every update.
pub fn on_path(places: &Places, name: &str) -> Option<PathBuf> {
    let path = places.var("PATH")?;
    let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat"] } else { &[""] };
    let dirs = env::split_paths(&path).filter(|dir| dir.is_absolute());
    let mut files =
        dirs.flat_map(|dir| endings.iter().map(move |ending| dir.join(format!("{name}{ending}"))));
    files.find(|file| is_program(file))
}

fn is_program(path: &Path) -> bool {
    let Ok(meta) = path.metadata() else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    meta.is_file() && may_run
}

/// The text of the skill.
pub const SKILL: &str = include_str!("texts/SKILL.md");
/// The text for the files in which agents are instructed.
pub const INSTRUCTIONS: &str = include_str!("texts/instructions.md");
