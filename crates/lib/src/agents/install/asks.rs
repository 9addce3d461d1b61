//! Which agents are asked for handoffs in their own words: the user's choice, noted in the store.

use segue_agents::{Dialect, Part, Scope, Transcripts, find, installation};
use segue_store::Asks;

use super::item::{Act, AskChange, InstallRequest, Way, parts};
use super::setup::AgentSetup;
use crate::Error;

/// When the agents of a request are asked, and what the user has to know of it.
#[derive(Debug, Default)]
pub(super) struct AskChoice {
    agents: Vec<(&'static str, Asks)>,
    pub(super) notes: Vec<String>,
}

impl AskChoice {
    pub(super) fn of(&self, agent: &str) -> Asks {
        let row = self.agents.iter().find(|(one, _)| *one == agent);
        row.map_or_else(Asks::default, |(_, asks)| *asks)
    }
}

/// When an agent can be asked: its transcripts have to be read, and it has to take the question.
fn possible(agent: &str) -> Asks {
    let is_read = Transcripts::of(agent).is_some();
    let at_prompts = installation(agent).is_some_and(|row| row.hooks_prompts());
    let at_stop = Dialect::of(agent).is_some_and(|dialect| dialect.blocks_stop);
    Asks { when_full: is_read && at_prompts, at_stop: is_read && at_stop }
}

impl AgentSetup<'_> {
    /// When each agent of a request will be asked, and notes that if it is done. Says which cannot be.
    pub(super) fn choose_asks(
        &self,
        request: &InstallRequest,
        way: Way,
        act: Act,
    ) -> Result<AskChoice, Error> {
        let has_hooks = parts(request).contains(&Part::Hooks);
        if request.asks != AskChange::Leave {
            let why = match (request.scope, has_hooks) {
                (Scope::Project, _) => {
                    "is your own choice, not the project's: leave out '--scope project'"
                }
                (Scope::User, false) => "needs hooks: name '--hooks' too",
                (Scope::User, true) => "",
            };
            if !why.is_empty() {
                return Err(Error::Usage(format!("asking for handoffs {why}")));
            }
        }
        let mut choice = AskChoice::default();
        for agent in &request.agents {
            let before = self.here.store.asks(agent);
            let asks = match (way, request.asks) {
                (Way::Out, _) if has_hooks && request.scope == Scope::User => Asks::default(),
                (Way::Out, _) | (Way::In, AskChange::Leave) => before,
                (Way::In, AskChange::Never) => Asks::default(),
                (Way::In, AskChange::Add(more)) => {
                    let can = possible(agent);
                    let title = find(agent).map_or(*agent, |agent| agent.title);
                    for (wanted, can, when) in [
                        (more.when_full, can.when_full, "when its context is full"),
                        (more.at_stop, can.at_stop, "when it stops"),
                    ] {
                        if wanted && !can {
                            choice.notes.push(format!("{title} cannot be asked {when}"));
                        }
                    }
                    Asks {
                        when_full: before.when_full || more.when_full && can.when_full,
                        at_stop: before.at_stop || more.at_stop && can.at_stop,
                    }
                }
            };
            if asks != before && !asks.is_never() {
                let when = asks.words().join(" and ");
                choice.notes.push(format!(
                    "{agent} will be asked to save a handoff in its own words ({when}); 'segue install {agent} --no-ask' ends that"
                ));
            }
            if act == Act::Do {
                self.here.store.note_asks(agent, asks)?;
            }
            choice.agents.push((*agent, asks));
        }
        Ok(choice)
    }
}
