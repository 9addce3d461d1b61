//! The files of a workspace: SOUL.md (who you are), MEMORY.md (what you know), HANDOFF.md.

use crate::section::intro;
use crate::{BlockKind, Timestamp, blocks, sections};

/// Who the agent of a workspace is.
pub const SOUL: &str = "SOUL.md";
/// What it knows.
pub const MEMORY: &str = "MEMORY.md";
/// Where its last session stopped.
pub const HANDOFF: &str = "HANDOFF.md";

/// What a new SOUL.md says.
pub fn soul_template(name: &str, workspace: &str, now: Timestamp) -> String {
    format!(
        "# SOUL.md — Who I Am\n\n\
         ## Identity\n\
         - **Name**: {name}\n\
         - **Purpose**: [What you are here for]\n\
         - **Style**: [How you speak and work]\n\n\
         ## Values\n\
         - [What matters most]\n\
         - [What you never trade away]\n\
         - [What you choose when two goods collide]\n\n\
         ## Context\n\
         - **Human**: [Whom you work with]\n\
         - **Workspace**: {workspace}\n\
         - **Created**: {}\n\n\
         ## Instructions for Future Me\n\
         This file says who you are, MEMORY.md what you know, HANDOFF.md where you stopped.\n\
         `segue resume` tells all three in one short text; `segue save` leaves the next handoff.\n",
        now.whole_second().short()
    )
}

/// What a new MEMORY.md says.
pub fn memory_template(now: Timestamp) -> String {
    format!(
        "# MEMORY.md — What I Know\n\n\
         ## Project State\n\
         - [Where the project stands]\n\n\
         ## Patterns That Work\n\
         - [What has proved itself here]\n\n\
         ## Patterns That Failed\n\
         - [What was tried and why it did not work]\n\n\
         ## Key Relationships\n\
         - [People, agents and systems that matter]\n\n\
         ## Important Files\n\
         - [Which file does what]\n\n\
         ## Last Updated\n\
         {}\n",
        now.whole_second().short()
    )
}

/// What SOUL.md says of its owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Soul {
    pub name: Option<String>,
    pub purpose: Option<String>,
}

/// Reads name and purpose out of a SOUL.md; what a template left open counts as absent.
pub fn read_soul(text: &str) -> Soul {
    let mut soul = Soul::default();
    let items = blocks(text).into_iter().filter(|block| block.kind == BlockKind::Item);
    for words in items.map(|block| block.words()) {
        let Some((key, value)) = words.strip_prefix("**").and_then(|rest| rest.split_once("**"))
        else {
            continue;
        };
        let value = value.trim_start_matches(':').trim();
        let open = value.is_empty() || (value.starts_with('[') && value.ends_with(']'));
        let slot = match key.trim_end_matches(':').to_lowercase().as_str() {
            "name" => &mut soul.name,
            "purpose" => &mut soul.purpose,
            _ => continue,
        };
        if slot.is_none() && !open {
            *slot = Some(value.to_owned());
        }
    }
    soul
}

/// The facts of a MEMORY.md: under which heading, and the words. What a template left open and the
/// date at its end are none.
pub fn memory_facts(text: &str) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut add = |heading: &str, text: &str| {
        for block in blocks(text) {
            if block.kind != BlockKind::Heading && !block.is_placeholder() {
                facts.push((heading.to_owned(), block.text.trim().to_owned()));
            }
        }
    };
    add("", intro(text));
    for section in &sections(text) {
        if !section.title.eq_ignore_ascii_case("last updated") {
            add(section.title, section.text);
        }
    }
    facts
}

/// What kinds of project the files at the top of a directory show, in a fixed order.
pub fn project_types(has: impl Fn(&str) -> bool) -> Vec<&'static str> {
    const MARKERS: [(&str, &[&str]); 12] = [
        ("rust", &["Cargo.toml"]),
        ("node", &["package.json"]),
        ("deno", &["deno.json", "deno.jsonc"]),
        ("python", &["pyproject.toml", "setup.py", "requirements.txt"]),
        ("go", &["go.mod"]),
        ("java", &["pom.xml", "build.gradle", "build.gradle.kts"]),
        ("ruby", &["Gemfile"]),
        ("php", &["composer.json"]),
        ("elixir", &["mix.exs"]),
        ("c/c++", &["CMakeLists.txt", "meson.build"]),
        ("docker", &["Dockerfile", "docker-compose.yml", "compose.yaml"]),
        ("fly.io", &["fly.toml"]),
    ];
    let found = MARKERS.iter().filter(|(_, files)| files.iter().any(|file| has(file)));
    found.map(|(kind, _)| *kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-11-15T17:45:00.5Z".parse().unwrap()
    }

    #[test]
    fn a_template_says_nothing_of_its_own() {
        let soul = read_soul(&soul_template("Aria", "/work", now()));
        assert_eq!(soul, Soul { name: Some("Aria".into()), purpose: None });
        assert_eq!(memory_facts(&memory_template(now())), []);
    }

    #[test]
    fn facts_keep_their_headings() {
        let text = "# MEMORY.md\nloose\n## Project State\n- a\n  b\n- [Where the project stands]\n### Deep\ntext\n## Last Updated\n2026\n";
        let facts = memory_facts(text);
        let shown: Vec<_> = facts.iter().map(|(h, t)| (h.as_str(), t.as_str())).collect();
        assert_eq!(
            shown,
            [("", "loose"), ("Project State", "- a\n  b"), ("Project State", "text")]
        );
    }

    #[test]
    fn types_come_in_one_order_a4() {
        let all = ["fly.toml", "go.mod", "package.json", "Dockerfile", "Cargo.toml", "setup.py"];
        let types = project_types(|name| all.contains(&name));
        assert_eq!(types, ["rust", "node", "python", "go", "docker", "fly.io"]);
        assert!(project_types(|_| false).is_empty());
    }
}
