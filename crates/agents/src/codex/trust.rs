//! Whether Codex runs our hooks: it does so only after the user said that it trusts them, and asks again
//! whenever a hook is another than the one that was trusted.

use std::fs;
use std::path::Path;

use segue_core::digest;
use serde_json::{Map, Value};

use super::places::root;
use crate::hooks::HookTrust;
use crate::places::Places;
use crate::settings::command::is_hook;

/// Seconds that Codex gives a hook that says nothing of it, and the most that it gives at a session's end.
const TIMEOUT: u64 = 600;
const TIMEOUT_AT_END: u64 = 3;

/// Whether Codex was told to trust every hook of ours in a file. It notes that in its settings: by the
/// file, the event and where in the file the hook stands, with a digest of the hook.
pub(super) fn trust_of_hooks(places: &Places, hooks: &Path) -> HookTrust {
    let Some(home) = root(places) else { return HookTrust::No };
    let read = |path: &Path| fs::read_to_string(path).ok();
    let ours = read(hooks).and_then(|text| own_handlers(&text)).unwrap_or_default();
    let settings = read(&home.join("config.toml"))
        .and_then(|text| text.parse::<toml_edit::DocumentMut>().ok());
    let state = settings.as_ref().and_then(|all| all.get("hooks")?.get("state"));
    let of_one = |own: &Own| {
        let key = format!("{}:{}:{}:{}", hooks.display(), own.event, own.group, own.handler);
        let entry = state?.get(&key)?;
        let off = entry.get("enabled").and_then(toml_edit::Item::as_bool) == Some(false);
        let trusted = entry.get("trusted_hash")?.as_str()?;
        Some(match () {
            () if off => HookTrust::No,
            () if trusted == own.hash => HookTrust::Yes,
            () => HookTrust::Others,
        })
    };
    let each = ours.iter().map(|own| of_one(own).unwrap_or(HookTrust::No));
    each.min().unwrap_or(HookTrust::No)
}

/// A handler of ours: its event as Codex writes it in its settings, its place, and its digest.
#[derive(Debug, PartialEq, Eq)]
struct Own {
    event: String,
    group: usize,
    handler: usize,
    hash: String,
}

fn own_handlers(text: &str) -> Option<Vec<Own>> {
    let file: Value = serde_json::from_str(text).ok()?;
    let mut found = Vec::new();
    for (event, groups) in file.get("hooks")?.as_object()? {
        let event = snake(event);
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = group.get("hooks").and_then(Value::as_array);
            for (handler, one) in handlers.into_iter().flatten().enumerate() {
                let command = one.get("command").and_then(Value::as_str);
                if command.is_some_and(is_hook) {
                    let hash = hash_of(&event, group, one);
                    found.push(Own { event: event.clone(), group: at, handler, hash });
                }
            }
        }
    }
    Some(found)
}

/// The digest by which Codex knows a hook again: of its parts as JSON without spaces, keys in the order
/// of the alphabet, and what is not said as it is by default. Seen in 0.166.0.
fn hash_of(event: &str, group: &Value, handler: &Value) -> String {
    let mut hook = Map::new();
    let given = |key: &str| handler.get(key).filter(|value| !value.is_null()).cloned();
    let timeout = handler.get("timeout").and_then(Value::as_u64).unwrap_or(TIMEOUT).max(1);
    let timeout = if event == "session_end" { timeout.min(TIMEOUT_AT_END) } else { timeout };
    for (key, value) in [
        ("additionalContextLimit", given("additionalContextLimit")),
        ("async", Some(given("async").unwrap_or(false.into()))),
        ("command", given("command")),
        ("statusMessage", given("statusMessage")),
        ("timeout", Some(timeout.into())),
        ("type", given("type")),
    ] {
        hook.extend(value.map(|value| (key.to_owned(), value)));
    }
    let mut identity = Map::new();
    identity.insert("event_name".to_owned(), event.into());
    identity.insert("hooks".to_owned(), Value::Array(vec![hook.into()]));
    // At these there is nothing to match.
    if !matches!(event, "stop" | "user_prompt_submit") {
        let matcher = group.get("matcher").filter(|value| !value.is_null());
        identity.extend(matcher.map(|matcher| ("matcher".to_owned(), matcher.clone())));
    }
    format!("sha256:{}", digest(&Value::Object(identity).to_string()))
}

/// `SessionStart` as `session_start`.
fn snake(event: &str) -> String {
    let mut name = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_hooks_are_found_where_codex_looks_for_their_trust() {
        let text = r#"{"hooks":{"SessionStart":[{"hooks":[{"command":"other"},{"command":"/b/segue hook codex session-start"}]}],
            "Stop":[{"hooks":[{"command":"x"}]},{"hooks":[{"command":"segue hook codex stop"}]}]}}"#;
        let found = own_handlers(text).unwrap();
        let places: Vec<(&str, usize, usize)> =
            found.iter().map(|own| (own.event.as_str(), own.group, own.handler)).collect();
        assert_eq!(places, [("session_start", 0, 1), ("stop", 1, 0)]);
    }

    /// As `codex app-server` of 0.166.0 gives them in its answer to `hooks/list`.
    #[test]
    fn a_hook_has_the_digest_that_codex_gives_it() {
        let text = r#"{"hooks":{
            "SessionStart":[{"hooks":[{"type":"command","command":"/usr/bin/segue hook codex session-start","timeout":10}]}],
            "Stop":[{"matcher":"","hooks":[{"timeout":10,"type":"command","command":"/usr/bin/segue hook codex stop"}]}],
            "SessionEnd":[{"hooks":[{"type":"command","command":"/usr/bin/segue hook codex session-end","timeout":3}]}]}}"#;
        let found = own_handlers(text).unwrap();
        let hashes: Vec<&str> = found.iter().map(|own| &own.hash[7..]).collect();
        assert_eq!(
            hashes,
            [
                "ea05db8a5af872fcf849edcdcb94b7324938df6f05f89bc79879064793f1d43d",
                "818aebca61bdb627f4e0b299b9087eba07ce9f4d7699fa9d455a18484db546b2",
                "79402c5dc106437a8e42127799ce3736e2766b020f04d148e52041ddd479aae5",
            ]
        );
    }

    #[test]
    fn a_hook_that_changed_since_is_not_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join(".codex");
        fs::create_dir(&home).unwrap();
        let places = Places { home: Some(dir.path().to_owned()), vars: |_| None };
        assert_eq!(trust_of_hooks(&places, &home.join("hooks.json")), HookTrust::No);
        let hooks = |command: &str| {
            let handler = format!(r#"{{"type":"command","command":"{command}","timeout":10}}"#);
            format!(r#"{{"hooks":{{"SessionStart":[{{"hooks":[{handler}]}}]}}}}"#)
        };
        let put = |name: &str, text: String| {
            let file = tempfile::NamedTempFile::new_in(&home).unwrap();
            std::io::Write::write_all(&mut file.as_file(), text.as_bytes()).unwrap();
            file.persist(home.join(name)).unwrap();
        };
        put("hooks.json", hooks("/usr/bin/segue hook codex session-start"));
        assert_eq!(trust_of_hooks(&places, &home.join("hooks.json")), HookTrust::No);
        let key = home.join("hooks.json").display().to_string();
        let trusted = |more: &str| {
            let hash = "sha256:ea05db8a5af872fcf849edcdcb94b7324938df6f05f89bc79879064793f1d43d";
            format!("[hooks.state.'{key}:session_start:0:0']\ntrusted_hash = \"{hash}\"\n{more}")
        };
        put("config.toml", trusted(""));
        assert_eq!(trust_of_hooks(&places, &home.join("hooks.json")), HookTrust::Yes);
        put("config.toml", trusted("enabled = false\n"));
        assert_eq!(trust_of_hooks(&places, &home.join("hooks.json")), HookTrust::No);
        put("config.toml", trusted(""));
        put("hooks.json", hooks("/opt/segue hook codex session-start"));
        assert_eq!(trust_of_hooks(&places, &home.join("hooks.json")), HookTrust::Others);
    }
}
