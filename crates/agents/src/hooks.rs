//! Hooks: what is special about those of each agent.

use std::path::{Path, PathBuf};

use crate::agent::{AGENTS, Agent, detect};
use crate::dialect::Dialect;
use crate::payload::Payload;
use crate::places::Places;
use crate::settings::tree;

/// The hooks of one agent.
pub struct Hooks {
    /// How it calls its events and what it takes for an answer.
    pub dialect: Dialect,
    /// How it asks the user before it runs hooks that are new, if it does.
    pub trust: Option<TrustQuestion>,
    /// The key by which the file with its hooks switches off all of them.
    pub off_setting: Option<&'static str>,
    /// Whether they run in a process that does not see the variables of the user's shell, such as a daemon or an editor.
    pub runs_detached: bool,
    /// The variable in which its hooks, and those of agents that imitate it, find the top of the project.
    pub project_variable: Option<&'static str>,
    /// What shows that it runs a hook which was installed for another agent, if it runs such hooks.
    pub borrows: Option<BorrowedHooks>,
}

/// An agent runs hooks only after the user said that they are trusted.
pub struct TrustQuestion {
    /// What it was told about our hooks in a file.
    pub answer: fn(&Places, &Path) -> HookTrust,
    /// What the user does to answer it.
    pub remedy: &'static str,
}

/// What an agent was told about our hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookTrust {
    /// Nothing, or not to run one of them.
    No,
    /// To trust others in the same places: ours are other hooks than these, or the agent tells hooks
    /// apart in another way than the versions that are known.
    Others,
    /// To trust every one of them as it is.
    Yes,
}

/// An agent runs the hooks of others besides its own.
pub struct BorrowedHooks {
    pub(crate) shown_by: BorrowerMark,
    /// Files in which its own hooks of ours stand, below the user's home or the top of a project.
    pub own_files: &'static [&'static str],
}

/// By what a hook sees that another agent runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BorrowerMark {
    /// By a field of the payload that no other agent sends.
    PayloadField(&'static str),
    /// By its marks in the environment, where the hook was installed for the agent of this word and the
    /// transcript is not that agent's.
    EnvironmentIn(&'static str),
}

impl Hooks {
    /// Hooks without anything special but their dialect.
    pub(crate) const fn plain(dialect: Dialect) -> Self {
        Self {
            dialect,
            trust: None,
            off_setting: None,
            runs_detached: false,
            project_variable: None,
            borrows: None,
        }
    }

    /// Whether settings switch off every hook.
    pub fn are_off(&self, settings: &Path) -> bool {
        let off = std::fs::read_to_string(settings).ok().and_then(|text| {
            let root = tree::parse(&text).ok()??;
            root.get(self.off_setting?)?.value(&text).as_bool()
        });
        off == Some(true)
    }
}

/// The top of the project, as an agent tells its hooks in the environment.
pub fn project_of_hook(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let names = AGENTS.iter().filter_map(|agent| agent.hooks.as_ref()?.project_variable);
    names.filter_map(variable).map(PathBuf::from).next()
}

/// The agent that runs a hook which was installed for another. None if it is the one for which it was
/// installed.
pub fn really_by(
    installed_for: &Agent,
    payload: &Payload,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<&'static Agent> {
    // An agent in the terminal of another would inherit the variables of the outer one, so nothing is
    // made of them where the transcript lies as that of the agent does for which it was installed.
    let own = payload.transcript.as_ref().is_some_and(|path| {
        let named = path.file_stem().and_then(|stem| stem.to_str());
        named.is_some() && named == payload.session.as_deref()
    });
    let by_environment = || {
        if own {
            return None;
        }
        let seen = detect(&variable).map(|(agent, _)| agent)?;
        let mark = seen.hooks.as_ref()?.borrows.as_ref()?.shown_by;
        (mark == BorrowerMark::EnvironmentIn(installed_for.slug)).then_some(seen)
    };
    payload.sender.or_else(by_environment).filter(|agent| *agent != installed_for)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    #[test]
    fn who_runs_the_hooks_of_another_is_seen() {
        let claude = find("claude-code").unwrap();
        let nobody = |_: &str| None;
        let told = r#"{"session_id":"s","cursor_version":"3.1"}"#;
        let payload = Payload::read(told).unwrap();
        let by = |agent: Option<&'static Agent>| agent.map(|agent| agent.slug);
        assert_eq!(by(really_by(claude, &payload, nobody)), Some("cursor"));
        assert_eq!(by(really_by(find("cursor").unwrap(), &payload, nobody)), None);
        let payload = Payload::read(r#"{"session_id":"s"}"#).unwrap();
        assert_eq!(by(really_by(claude, &payload, nobody)), None);
        let copilot = |name: &str| (name == "COPILOT_CLI").then(|| "1".to_owned());
        assert_eq!(by(really_by(claude, &payload, copilot)), Some("copilot-cli"));
        assert_eq!(by(really_by(find("codex").unwrap(), &payload, copilot)), None);
        let told = r#"{"session_id":"s","transcript_path":"/h/.claude/projects/-x/s.jsonl"}"#;
        assert_eq!(by(really_by(claude, &Payload::read(told).unwrap(), copilot)), None);
        let told =
            r#"{"sessionId":"s","transcriptPath":"/h/.copilot/session-state/s/events.jsonl"}"#;
        let payload = Payload::read(told).unwrap();
        assert_eq!(by(really_by(claude, &payload, copilot)), Some("copilot-cli"));
    }
}
