//! Qwen Code: one JSONL file a session; records like Claude Code's around messages like Gemini's.

mod answers;
mod places;
mod prompt;
mod record;

use segue_core::GO_ON;
use serde_json::json;

use crate::agent::{Agent, Environment, Ways};
use crate::dialect::{AgentEvent, Dialect, HookEvent, Shape};
use crate::hooks::Hooks;
use crate::installation::entry::{self, Entry, UserFile};
use crate::installation::{Content, Installation};
use crate::launch::{self, Launch, Start, Way};
use crate::lines::read_lines;
use crate::settings::command::Program;
use crate::settings::json::Nesting;
use crate::transcript::Transcripts;

const SLUG: &str = "qwen-code";

pub(crate) const AGENT: Agent = Agent {
    slug: SLUG,
    title: "Qwen Code",
    aliases: &["qwen"],
    environment: Environment {
        marks: &["QWEN_CODE_SESSION_ID", "QWEN_CODE_PROJECT_DIR", "QWEN_CODE"],
        session: Some("QWEN_CODE_SESSION_ID"),
        rank: 0,
    },
    ways: Ways {
        instructions: "QWEN.md",
        mentions: true,
        start: Some(r#"qwen -i "$(segue resume --target qwen-code)""#),
        again: Some("qwen --resume "),
        ..Ways::PLAIN
    },
    launch: Some(Launch {
        programs: &["qwen"],
        talk: Start::by(Way::Argument(&["-i"])),
        once: Start::by(Way::Input(&[GO_ON])),
        reads: Some("--include-directories"),
        resumed: &["--resume", launch::SESSION_ID, "-p", launch::PROMPT],
    }),
    hooks: Some(Hooks::plain(Dialect { blocks_stop: true, ..Dialect::plain(EVENTS) })),
    transcripts: Some(Transcripts {
        agent: SLUG,
        is_one,
        is_database: None,
        read: |path, capture| read_lines(path, capture, &mut record::take),
        subagents: None,
        in_file: None,
        own_places: places::own_places,
        of_id: places::of_id,
        newest_in: places::newest_in,
        // What it leaves while it runs stays when it dies.
        live: |_, _| None,
    }),
    installation: Some(Installation {
        agent: SLUG,
        programs: &["qwen"],
        root: places::root,
        hooks: Entry {
            user: &[UserFile::InRoot("settings.json")],
            project: &[".qwen/settings.json"],
            content: |program| hooks(program, false),
        },
        prompt_hooks: Some(|program| hooks(program, true)),
        mcp: Entry {
            user: &[UserFile::InRoot("settings.json")],
            project: &[".qwen/settings.json"],
            content: entry::plain_server,
        },
        skill: Entry::skill(
            &[UserFile::InRoot("skills/segue/SKILL.md")],
            &[".qwen/skills/segue/SKILL.md"],
        ),
        instructions: Entry::instructions(&[UserFile::InRoot("QWEN.md")], &["QWEN.md"]),
        after_hooks: None,
    }),
    mcp_clients: &["qwen-cli-mcp-client"],
    ..Agent::PLAIN
};

const EVENTS: &[AgentEvent] = &[
    AgentEvent::answered("SessionStart", HookEvent::SessionStart, Shape::Specific),
    AgentEvent::answered("UserPromptSubmit", HookEvent::Prompt, Shape::Specific),
    AgentEvent::silent("Stop", HookEvent::Stop),
    AgentEvent::silent("PreCompact", HookEvent::PreCompact),
    AgentEvent::silent("SessionEnd", HookEvent::SessionEnd),
];

fn hooks(program: &Program, at_prompts: bool) -> Content {
    let handlers = entry::hooks(Nesting::Groups, EVENTS, at_prompts, |event| {
        let command = entry::line(program, SLUG, event);
        json!({"type": "command", "command": command, "timeout": 10_000})
    });
    entry::of_json(vec![handlers])
}

/// Whether a record is of this agent, by what stands in its first bytes.
pub(crate) fn is_one(head: &str) -> bool {
    // As some programs write it that copy records.
    let plain = head.replace("\": ", "\":").replace(", \"", ",\"");
    let head = plain.as_str();
    let message = ["user", "model"]
        .iter()
        .any(|role| head.contains(&format!("\"message\":{{\"role\":\"{role}\",\"parts\":")));
    let system = head.contains("\"type\":\"system\"") && head.contains("\"systemPayload\":{");
    head.contains("\"sessionId\":\"") && head.contains("\"timestamp\":\"") && (message || system)
}

#[cfg(test)]
mod tests {
    use super::is_one;

    #[test]
    fn a_transcript_is_known_by_its_first_record_however_it_is_spaced() {
        let record = r#"{"uuid": "u", "parentUuid": null, "sessionId": "s", "timestamp": "t", "type": "user", "provenance": "real_user", "message": {"role": "user", "parts": [{"text": "Fix it."}]}}"#;
        assert!(is_one(record));
        assert!(!crate::claude::is_one(record));
        let compact = record.replace("\": ", "\":").replace(", \"", ",\"");
        assert!(is_one(&compact));
    }
}
