//! House rule: what Segue knows of an agent stands in the agent's own folder or file. Nobody else names it:
//! other code asks the agent's row.

use std::fs;
use std::path::Path;

use segue_lib::agents::AGENTS;

use crate::ground::files_below;

/// Agents whose words mean something else as well. As a whole text they mean the agent.
const ORDINARY: [&str; 7] = ["amp", "crush", "cursor", "droid", "factory", "goose", "pi"];

/// The texts in a piece of code that is Rust, without those in its comments.
fn texts_in(code: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'', '/', 'r']) {
        let here = &rest[at..];
        let raw = here.strip_prefix('r').map(|behind| behind.trim_start_matches('#'));
        if here.starts_with("//") {
            rest = here.split_once('\n').map_or("", |(_, behind)| behind);
        } else if let Some(text) = raw.and_then(|raw| raw.strip_prefix('"')) {
            let hashes = here.len() - text.len() - 2;
            let (text, behind) = text.split_once(&format!("\"{}", "#".repeat(hashes))).unwrap();
            texts.push(text.to_owned());
            rest = behind;
        } else if let Some(text) = here.strip_prefix('"') {
            let mut escaped = false;
            let end = text.find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let end = end.unwrap();
            texts.push(text[..end].to_owned());
            rest = &text[end + 1..];
        } else {
            let quote = ["'\"'", "'\\\"'", "'\\''", "'\\\\'"];
            let length =
                quote.iter().find(|quote| here.starts_with(**quote)).map_or(1, |q| q.len());
            rest = &here[length..];
        }
    }
    texts
}

/// Whether a text names an agent by one of its words.
fn names(text: &str, word: &str) -> bool {
    let text = text.to_lowercase();
    let is_inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let is_word = |at: usize| {
        !is_inside(text[..at].chars().next_back())
            && !is_inside(text[at + word.len()..].chars().next())
    };
    text == word || !ORDINARY.contains(&word) && text.match_indices(word).any(|(at, _)| is_word(at))
}

#[test]
fn an_agent_is_named_only_in_its_own_folder() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for part in ["cli", "lib", "agents"] {
        let src = crates.join(part).join("src");
        for path in files_below(&src) {
            let inside = path.strip_prefix(&src).unwrap().with_extension("");
            let inside = inside.to_str().unwrap();
            if path.extension().is_none_or(|end| end != "rs") || inside.ends_with("_tests") {
                continue;
            }
            let folder = inside.split(['/', '\\']).next().unwrap();
            let code = fs::read_to_string(&path).unwrap();
            let texts = texts_in(code.split("#[cfg(test)]").next().unwrap());
            for agent in AGENTS {
                let is_own = part == "agents" && agent.slug.split('-').next() == Some(folder);
                let words = || std::iter::once(&agent.slug).chain(agent.aliases);
                let named = texts.iter().find(|text| words().any(|word| names(text, word)));
                if let Some(text) = named.filter(|_| !is_own) {
                    let what = format!("{} names {} in \"{text}\"", path.display(), agent.title);
                    panic!("{what}: a field of its row in crates/agents/src/ is to say that");
                }
            }
        }
    }
}

#[test]
fn every_agent_has_a_folder_or_a_file() {
    let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/src");
    for agent in AGENTS {
        let name = agent.slug.split('-').next().unwrap();
        let own = [agents.join(name).join("mod.rs"), agents.join(format!("{name}.rs"))];
        assert!(own.iter().any(|path| path.is_file()), "{name}");
    }
}

#[test]
fn texts_are_found_in_code() {
    let code = r##"let a = "one\"s"; // "no"
        let b = ('"', '\'', r#"two "x""#, 'r', "three", r"four");"##;
    assert_eq!(texts_in(code), [r#"one\"s"#, r#"two "x""#, "three", "four"]);
    assert!(names("start codex once", "codex") && names("CODEX_HOME", "codex"));
    assert!(!names("codexes", "codex") && !names("the cursor is here", "cursor"));
}
