//! What goes into an agent, and into which files: the kinds of entries that agents share.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::content::{Content, Kind};
use super::{INSTRUCTIONS, SKILL};
use crate::dialect::{AgentEvent, HookEvent};
use crate::places::Places;
use crate::settings::command::Program;
use crate::settings::json::{self, Nesting};

/// Where skills lie that several agents read.
const SHARED_SKILL: &str = ".agents/skills/segue/SKILL.md";

/// The end of a file of ours that is Markdown.
pub(crate) const MARKED: &str = "\n<!-- made by 'segue install' -->\n";

/// One part of what is installed: where it goes in each scope, and what it is. No file: it does not exist
/// there.
pub(crate) struct Entry {
    pub(crate) user: &'static [UserFile],
    pub(crate) project: &'static [&'static str],
    pub(crate) content: fn(&Program) -> Content,
}

/// A file of the user's.
pub(crate) enum UserFile {
    /// In the agent's own directory.
    InRoot(&'static str),
    /// Below the user's home.
    InHome(&'static str),
    /// Wherever the agent has it.
    Found(fn(&Places) -> Option<PathBuf>),
}

impl Entry {
    /// A part that the agent does not have.
    pub(crate) const NONE: Self = Self { user: &[], project: &[], content: skill };

    /// The skill in the directories that several agents read.
    pub(crate) const SHARED_SKILL: Self =
        Self { user: &[UserFile::InHome(SHARED_SKILL)], ..Self::SHARED_PROJECT_SKILL };

    /// The same for an agent that reads only that of a project.
    pub(crate) const SHARED_PROJECT_SKILL: Self =
        Self { user: &[], project: &[SHARED_SKILL], content: skill };

    /// The skill in directories of the agent's own.
    pub(crate) const fn skill(user: &'static [UserFile], project: &'static [&'static str]) -> Self {
        Self { user, project, content: skill }
    }

    /// Instructions as a block in files that say more.
    pub(crate) const fn instructions(
        user: &'static [UserFile],
        project: &'static [&'static str],
    ) -> Self {
        Self { user, project, content: |_| Content(Kind::Block(INSTRUCTIONS)) }
    }
}

fn skill(_: &Program) -> Content {
    whole(SKILL.to_owned())
}

/// A whole file.
pub(crate) fn whole(text: String) -> Content {
    Content(Kind::Whole { text, around: None, program: false })
}

/// A file that names the program in one place.
pub(crate) fn naming(template: &str, place: &str, word: &str, program: bool) -> Content {
    let (before, behind) = template.split_once(place).unwrap_or((template, ""));
    let around = Some((before.to_owned(), behind.to_owned()));
    Content(Kind::Whole { text: format!("{before}{word}{behind}"), around, program })
}

/// Entries in a file that is JSON.
pub(crate) fn of_json(entries: Vec<json::Entry>) -> Content {
    Content(Kind::Json(entries))
}

/// The MCP server below `mcpServers`, with what else the agent wants to know of it.
pub(crate) fn server(mut value: Value, program: &Program) -> Content {
    value["command"] = program.word().into();
    value["args"] = json!(["mcp"]);
    of_json(vec![json::Entry::Server { under: "mcpServers", value }])
}

/// The same with nothing else.
pub(crate) fn plain_server(program: &Program) -> Content {
    server(json!({}), program)
}

/// A member without which files of some agents are not read.
pub(crate) fn version() -> json::Entry {
    json::Entry::Needed { key: "version", value: json!(1) }
}

/// The command line of a hook: words that mean the same in any shell, and without one as long as no path is quoted.
pub(crate) fn line(program: &Program, agent: &str, event: HookEvent) -> String {
    format!("{} hook {agent} {}{}", program.quoted(), event.word(), program.store_flag())
}

/// A handler for each event, those of the user's prompts only if they are asked for.
pub(crate) fn hooks(
    nesting: Nesting,
    events: &[AgentEvent],
    at_prompts: bool,
    handler: impl Fn(HookEvent) -> Value,
) -> json::Entry {
    let wanted = events.iter().filter(|event| at_prompts || event.means != HookEvent::Prompt);
    let handlers = wanted.map(|event| (event.name, handler(event.means))).collect();
    json::Entry::Hooks { nesting, handlers }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::installation::{Part, Presence, Scope, installations};

    #[test]
    fn every_row_is_an_agent_and_what_it_has_goes_in_and_out() {
        let places = Places { home: Some("/home/u".into()), vars: |_| None };
        for row in installations() {
            assert!(crate::find(row.agent).is_some_and(|agent| agent.slug == row.agent));
            for program in [Program::on_path(), Program::at("/a b/it's/segue".as_ref())] {
                for part in Part::ALL {
                    for (scope, top) in [(Scope::User, None), (Scope::Project, Some("/p".as_ref()))]
                    {
                        let wish = row.wish(part, top, &places, &program);
                        assert_eq!(wish.is_some(), row.has(part, scope), "{}", row.agent);
                        let Some(wish) = wish else { continue };
                        let put = wish.content.put("").unwrap();
                        assert_eq!(wish.content.put(&put).unwrap(), put);
                        assert_eq!(wish.content.is_in(&put).unwrap(), Presence::Yes, "{put}");
                        assert_eq!(wish.content.is_in("").unwrap(), Presence::No);
                        assert_eq!(wish.content.take(&put, Some("")).unwrap(), "", "{put}");
                    }
                }
            }
        }
    }

    #[test]
    fn hooks_for_prompts_come_and_go() {
        let places = Places { home: Some("/home/u".into()), vars: |_| None };
        let program = Program::on_path();
        for row in installations().filter(|row| row.hooks_prompts()) {
            let wish = |with| row.wish_with(Part::Hooks, None, &places, &program, with).unwrap();
            let (plain, asking) = (wish(false).content, wish(true).content);
            let put = asking.put("").unwrap();
            assert!(put.contains(&format!("hook {} prompt", row.agent)), "{put}");
            assert_eq!(asking.is_in(&put).unwrap(), Presence::Yes);
            assert_eq!(plain.put(&put).unwrap(), plain.put("").unwrap(), "{}", row.agent);
            assert_eq!(plain.take(&put, Some("")).unwrap(), "");
        }
    }

    #[test]
    fn texts_for_agents_are_short() {
        for (text, most) in [(SKILL, 300), (INSTRUCTIONS, 90)] {
            let words = text.split_whitespace().count();
            assert!(words <= most, "{words}");
        }
    }
}
