//! What an agent tells a hook on its standard input: which session it is, and where.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::agent::{AGENTS, Agent};
use crate::dialect::Source;
use crate::hooks::BorrowerMark;
use crate::json::{Raw, is_true, list, read, shaped, text, wire};

/// The session that a hook is about, in whichever dialect it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    pub session: Option<String>,
    pub transcript: Option<PathBuf>,
    pub cwd: Option<PathBuf>,
    /// The event, as the agent calls it.
    pub event: Option<String>,
    /// Why a session begins, as the agent calls it: `startup`, `resume`, `clear`, `compact`.
    pub source: Option<String>,
    /// Whether the agent goes on because a hook did not let it stop.
    pub stop_hook_active: bool,
    /// The agent, where a field shows that only this one can have sent it.
    pub sender: Option<&'static Agent>,
}

impl Payload {
    /// Whether a session begins that was not there before.
    pub fn is_first_start(&self) -> bool {
        Source::of(self.source.as_deref()) == Source::Startup
    }

    /// Reads a payload. None if it is no object.
    pub fn read(told: &str) -> Option<Self> {
        wire! {
            struct Told<'a> {
                session_id,
                session_id_camel = "sessionId",
                session_id_upper = "sessionID",
                conversation_id,
                task_id = "taskId",
                context = "sessionContext",
                transcript_path,
                transcript_path_camel = "transcriptPath",
                cwd,
                directory,
                workspace_roots,
                workspace_roots_camel = "workspaceRoots",
                hook_event_name,
                hook_name = "hookName",
                source,
                stop_hook_active,
                stop_hook_active_camel = "stopHookActive",
            }

            struct Context<'a> {
                root = "rootSessionId",
            }
        }
        let payload = told.trim_start_matches('\u{feff}').trim();
        let told: Told<'_> = read(payload)?;
        let first = |all: &[Raw<'_>]| {
            let said = all.iter().find_map(|raw| text(*raw).filter(|text| !text.is_empty()));
            said.map(|text| text.into_owned())
        };
        let context = shaped::<Context<'_>>(told.context).and_then(|context| context.root);
        let roots = [told.workspace_roots, told.workspace_roots_camel];
        let root = roots.into_iter().find_map(|roots| list::<String>(roots).into_iter().next());
        Some(Self {
            session: first(&[
                told.session_id,
                told.session_id_camel,
                told.session_id_upper,
                context,
                told.conversation_id,
                told.task_id,
            ]),
            transcript: first(&[told.transcript_path, told.transcript_path_camel])
                .map(PathBuf::from),
            cwd: first(&[told.cwd, told.directory]).or(root).map(PathBuf::from),
            event: first(&[told.hook_event_name, told.hook_name]),
            source: first(&[told.source]),
            stop_hook_active: is_true(told.stop_hook_active)
                || is_true(told.stop_hook_active_camel),
            sender: sender_of(payload),
        })
    }
}

/// The agent that alone sends one of the fields.
fn sender_of(payload: &str) -> Option<&'static Agent> {
    let has = |field: &str| {
        // Payloads can be long, and hardly any has it.
        payload.contains(field)
            && read::<BTreeMap<String, Raw<'_>>>(payload)
                .is_some_and(|fields| fields.get(field).is_some_and(Option::is_some))
    };
    AGENTS.iter().find(|agent| {
        let borrows = agent.hooks.as_ref().and_then(|hooks| hooks.borrows.as_ref());
        matches!(borrows.map(|one| one.shown_by), Some(BorrowerMark::PayloadField(field)) if has(field))
    })
}

#[cfg(test)]
mod tests {
    use super::Payload;

    #[test]
    fn an_agent_that_a_hook_kept_going_says_so() {
        let active = |told: &str| Payload::read(told).unwrap().stop_hook_active;
        assert!(active(r#"{"stop_hook_active":true}"#));
        assert!(active(r#"{"stopHookActive":true}"#));
        assert!(!active(r#"{"stop_hook_active":false}"#) && !active("{}"));
    }

    #[test]
    fn every_dialect_names_its_session() {
        for (told, session, transcript, cwd, event) in [
            (
                r#"{"session_id":"a-1","transcript_path":"/t/a-1.jsonl","cwd":"/w","hook_event_name":"Stop"}"#,
                Some("a-1"),
                Some("/t/a-1.jsonl"),
                Some("/w"),
                Some("Stop"),
            ),
            (
                r#"{"sessionId":"b-2","timestamp":1,"cwd":"/w","toolArgs":{"session_id":"no"}}"#,
                Some("b-2"),
                None,
                Some("/w"),
                None,
            ),
            (
                r#"{"taskId":"t","sessionContext":{"rootSessionId":"c_3"},"workspaceRoots":["/w","/x"],"hookName":"tool_result"}"#,
                Some("c_3"),
                None,
                Some("/w"),
                Some("tool_result"),
            ),
            (
                r#"{"conversation_id":"d","workspace_roots":["/w"],"transcript_path":null}"#,
                Some("d"),
                None,
                Some("/w"),
                None,
            ),
            (r#"{"session_id":7,"cwd":{}}"#, None, None, None, None),
        ] {
            let read = Payload::read(told).unwrap();
            assert_eq!(read.session.as_deref(), session, "{told}");
            assert_eq!(read.transcript.as_deref().and_then(|path| path.to_str()), transcript);
            assert_eq!(read.cwd.as_deref().and_then(|path| path.to_str()), cwd, "{told}");
            assert_eq!(read.event.as_deref(), event, "{told}");
        }
        for told in ["", "[]", "{", "7", "{\"session_id\":\"x\"} y"] {
            assert_eq!(Payload::read(told), None, "{told}");
        }
    }
}
