//! The agents: set up, started and asked.

mod agent_health;
mod ask;
mod continue_in;
mod install;
mod launcher;
mod start_note;

pub use agent_health::AgentHealth;
pub use ask::{ASKED, AskFailure, AskPlan, AskProblem, AskableSession};
pub use continue_in::{ContinuePlan, ContinueRequest};
pub use install::{
    AgentSetup, AgentStatus, AskChange, FileChange, InstallFate, InstallItem, InstallOutcome,
    InstallRequest, PartStatus, Standing, installable, installable_agents,
};
pub use launcher::Launcher;
pub use segue_agents::{
    AGENTS, Agent, Part, Place as PromptPlace, SKILL, Scope, Word, agent_of, agent_of_mcp_client,
    briefs_at_prompt, detect as detect_agent, find as find_agent, project_of_hook, really_by,
};
pub use segue_store::Asks;
pub(crate) use start_note::StartNote;
