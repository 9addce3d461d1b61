//! Whether Codex runs our hooks: it does so only after the user said that it trusts them.

use std::fs;
use std::path::Path;

use super::places::root;
use crate::Places;

/// Whether Codex was told to trust every hook of ours: it notes that in its settings, by the file, the
/// event and where in the file the hook stands.
pub fn codex_trusts(places: &Places) -> bool {
    let Some(home) = root(places) else { return false };
    let hooks = home.join("hooks.json");
    let read = |path: &Path| fs::read_to_string(path).ok();
    let Some(ours) = read(&hooks).and_then(|text| own_handlers(&text)) else { return false };
    let settings = read(&home.join("config.toml"))
        .and_then(|text| text.parse::<toml_edit::DocumentMut>().ok());
    let Some(settings) = settings else { return false };
    let state = settings.get("hooks").and_then(|hooks| hooks.get("state"));
    let trusted = |(event, group, handler): &(String, usize, usize)| {
        let key = format!("{}:{event}:{group}:{handler}", hooks.display());
        let entry = state.and_then(|state| state.get(&key));
        let off = entry.and_then(|entry| entry.get("enabled")?.as_bool()) == Some(false);
        !off && entry.is_some_and(|entry| entry.get("trusted_hash").is_some())
    };
    !ours.is_empty() && ours.iter().all(trusted)
}

/// Our handlers in a file of hooks: event as Codex writes it in its settings, group, handler.
fn own_handlers(text: &str) -> Option<Vec<(String, usize, usize)>> {
    let file: serde_json::Value = serde_json::from_str(text).ok()?;
    let mut found = Vec::new();
    for (event, groups) in file.get("hooks")?.as_object()? {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = group.get("hooks").and_then(|hooks| hooks.as_array());
            for (handler, one) in handlers.into_iter().flatten().enumerate() {
                let command = one.get("command").and_then(|command| command.as_str());
                if command.is_some_and(|command| command.contains(" hook codex ")) {
                    found.push((snake(event), at, handler));
                }
            }
        }
    }
    Some(found)
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
        assert_eq!(found, [("session_start".to_owned(), 0, 1), ("stop".to_owned(), 1, 0)]);
    }
}
