//! How Segue is doing in each agent: what is installed, what fired, how long it took.

use std::fs;
use std::path::{Path, PathBuf};

use segue_agents::{Agent, HookTrust, Launch, Part, Places, Scope, TrustQuestion, find, on_path};
use segue_core::Timestamp;
use segue_store::Asks;

use super::install::{AgentSetup, AgentStatus, PartStatus, Standing};
use crate::hook::HookFired;
use crate::hook::log::hooks_fired;
use crate::maintenance::Health;
use crate::sessions::capture::places;

/// How far up from a program its package is looked for.
const ABOVE: usize = 5;

/// How Segue is doing in one agent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentHealth {
    /// The agent.
    pub agent: &'static Agent,
    /// Whether it is on this machine.
    pub found: bool,
    /// Its version, as its package says. No agent is started for this.
    pub version: Option<String>,
    /// What is installed, and for whom.
    pub installed: Vec<(Part, Scope)>,
    /// What is there in another shape than it would be put in now.
    pub old: Vec<(Part, Scope)>,
    /// Whether the agent runs our hooks, where it asks for trust first.
    pub trusted: Option<bool>,
    /// When it is asked for handoffs in its own words.
    pub asks: Asks,
    /// When a hook last fired, and which.
    pub fired: Option<HookFired>,
    /// The last time that one failed.
    pub failed: Option<HookFired>,
    /// How long hooks took, half of them and nearly all, in milliseconds; of how many that is.
    pub took: Option<(f64, f64, usize)>,
    /// How it is.
    pub health: Health,
    /// What to do.
    pub hint: Option<String>,
}

impl AgentSetup<'_> {
    /// How Segue is doing in each agent that is here, or was.
    pub fn health(&self, program: &Path) -> Vec<AgentHealth> {
        let fired = hooks_fired(self.here.store);
        let all = self.status(program).into_iter();
        let mut seen: Vec<AgentHealth> =
            all.filter_map(|status| self.health_in(&status, &fired)).collect();
        // Skills and instructions are in files that several agents read, whether or not they are here.
        let own = |(part, _): &(Part, Scope)| matches!(part, Part::Hooks | Part::Mcp);
        seen.retain(|one| {
            let mut parts = one.installed.iter().chain(&one.old);
            one.found || one.fired.is_some() || parts.any(own)
        });
        seen
    }

    fn health_in(&self, status: &AgentStatus, fired: &[HookFired]) -> Option<AgentHealth> {
        let agent = find(status.agent)?;
        let with = |standing: &Standing| -> Vec<(Part, Scope)> {
            let those = status.parts.iter().filter(|part| part.standing == *standing);
            those.map(|part| (part.part, part.scope)).collect()
        };
        let (mut installed, old) = (with(&Standing::Installed), with(&Standing::Old));
        // What somebody changed is there, and theirs.
        installed.extend(with(&Standing::Edited));
        let unreadable = status.parts.iter().find_map(|part| match &part.standing {
            Standing::Unreadable(why) => Some((part.path.clone()?, why.clone())),
            _ => None,
        });
        let of: Vec<&HookFired> = fired.iter().filter(|one| one.agent == agent.slug).collect();
        let failed = of.iter().rev().find(|one| one.is_failure()).map(|one| (*one).clone());
        let last = of.last().map(|one| (*one).clone());
        let question = agent.hooks.as_ref().and_then(|hooks| hooks.trust.as_ref());
        let trust = question.and_then(|question| {
            hook_trust(question, &places(self.here.env), status, last.as_ref())
        });
        let remedy = question.map_or("", |question| question.remedy);
        // One that failed last still fails; others are history.
        let failing = last.as_ref().is_some_and(HookFired::is_failure);
        let slug = agent.slug;
        let (health, hint) = if let Some((path, why)) = unreadable {
            let path = path.display();
            (Health::Warning, Some(format!("{path} cannot be read: {why}; mend it by hand")))
        } else if !old.is_empty() {
            (Health::Warning, Some(format!("segue install {slug}")))
        } else if trust == Some(HookTrust::No) {
            (Health::Warning, Some(remedy.to_owned()))
        } else if trust == Some(HookTrust::Others) {
            let hint = format!("its hooks changed since they were trusted: {remedy}");
            (Health::Warning, Some(hint))
        } else if failing {
            let home = self.here.env.home.display();
            (Health::Warning, Some(format!("every time is in {home}/hooks.log")))
        } else if let Some((path, setting)) = hooks_off(agent, status) {
            let path = path.display();
            (Health::Warning, Some(format!("{path} says {setting}, so no hook runs")))
        } else if lacks_hooks(status, &installed) {
            (Health::Good, Some(format!("segue install {slug}")))
        } else {
            (Health::Good, None)
        };
        Some(AgentHealth {
            agent,
            found: status.found.is_some(),
            version: version_of(&places(self.here.env), agent),
            installed,
            old,
            trusted: trust.map(|trust| trust == HookTrust::Yes),
            asks: status.asks,
            took: took(&of),
            fired: last,
            failed,
            health,
            hint,
        })
    }
}

/// Whether an agent that asks for trust runs our hooks as they are now; `None` where there are none.
fn hook_trust(
    question: &TrustQuestion,
    places: &Places,
    status: &AgentStatus,
    last: Option<&HookFired>,
) -> Option<HookTrust> {
    let is_in = |one: &&PartStatus| {
        let there = matches!(one.standing, Standing::Installed | Standing::Old);
        one.part == Part::Hooks && there
    };
    let files = status.parts.iter().filter(is_in).filter_map(|one| one.path.as_deref());
    let trust = files.map(|file| match (question.answer)(places, file) {
        // Whatever the digests say: it ran them as they are.
        HookTrust::Others if last.is_some_and(|last| is_later(last, file)) => HookTrust::Yes,
        trust => trust,
    });
    trust.min()
}

/// The version that an agent's package says it has.
fn version_of(places: &Places, agent: &Agent) -> Option<String> {
    let names = Launch::of(agent)?.programs;
    let program = names.iter().find_map(|name| on_path(places, name))?;
    let real = fs::canonicalize(program).ok()?;
    let of_package = real.ancestors().skip(1).take(ABOVE).find_map(|dir| {
        let text = fs::read_to_string(dir.join("package.json")).ok()?;
        let package: serde_json::Value = serde_json::from_str(&text).ok()?;
        // Any directory above may have one.
        let name = package.get("name")?.as_str()?;
        let is_its = names.iter().any(|program| name.contains(program));
        is_its.then_some(package.get("version")?.as_str()?.to_owned())
    });
    // Some lie in a directory or a file that is called by it.
    let mut dirs = real.ancestors().take(ABOVE).filter_map(|path| path.file_name()?.to_str());
    of_package.or_else(|| dirs.find(|name| is_version(name)).map(str::to_owned))
}

/// The file in which the user has switched off all hooks of an agent, and the setting that does it.
fn hooks_off(agent: &Agent, status: &AgentStatus) -> Option<(PathBuf, &'static str)> {
    let hooks = agent.hooks.as_ref()?;
    let setting = hooks.off_setting?;
    let is_in = |one: &&PartStatus| one.part == Part::Hooks && one.standing == Standing::Installed;
    let mut files = status.parts.iter().filter(is_in).filter_map(|one| one.path.clone());
    Some((files.find(|path| hooks.are_off(path))?, setting))
}

/// Whether an agent that is here could have our hooks and has not.
fn lacks_hooks(status: &AgentStatus, installed: &[(Part, Scope)]) -> bool {
    let has_none = |one: &PartStatus| one.part == Part::Hooks && one.standing == Standing::None;
    let user = status.parts.iter().find(|one| one.scope == Scope::User);
    let cannot = user.is_some_and(has_none);
    let wanted = if cannot { Part::Mcp } else { Part::Hooks };
    status.found.is_some() && !installed.iter().any(|(part, _)| *part == wanted)
}

/// Whether a hook fired after its file was last written.
fn is_later(fired: &HookFired, file: &Path) -> bool {
    let written = fs::metadata(file).and_then(|meta| meta.modified()).ok();
    written.is_some_and(|at| fired.at > Timestamp::from(at))
}

fn is_version(name: &str) -> bool {
    let numbers = name
        .split('.')
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    numbers && name.matches('.').count() == 2
}

/// How long hooks took: half of them at most the first, nearly all at most the second.
fn took(fired: &[&HookFired]) -> Option<(f64, f64, usize)> {
    let mut times: Vec<f64> = fired.iter().map(|one| one.ms).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times.get((times.len() * share / 100).min(times.len() - 1)).copied();
    if times.is_empty() { None } else { Some((at(50)?, at(99)?, times.len())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_version_only_with_three_numbers() {
        assert!(is_version("2.1.325"));
        for name in ["2.1", "v2.1.3", "bin", "2..1", "1.2.3.4"] {
            assert!(!is_version(name), "{name}");
        }
    }

    #[test]
    fn half_and_nearly_all() {
        let fired = |ms: f64| HookFired {
            at: Timestamp::EPOCH,
            agent: String::new(),
            event: String::new(),
            ms,
            how: String::new(),
            remark: String::new(),
        };
        let all: Vec<HookFired> = (1..=100).map(|ms| fired(f64::from(ms))).collect();
        let all: Vec<&HookFired> = all.iter().collect();
        assert_eq!(took(&all), Some((51.0, 100.0, 100)));
        assert_eq!(took(&all[..1]), Some((1.0, 1.0, 1)));
        assert_eq!(took(&[]), None);
    }
}
