//! House rule: who may say that the user typed something. Everybody else gets `Typed` from these files, or has
//! text of which nobody vouches for anything.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::ground::files_below;

/// What makes words the user's, and the files that may use it.
const VOUCHERS: [(&str, &[&str]); 2] = [
    (
        "Typed::by_record",
        &[
            "agents/src/claude/answers.rs",
            "agents/src/claude/prompt.rs",
            "agents/src/codex/answers.rs",
            "agents/src/codex/prompt.rs",
            "agents/src/copilot/denial.rs",
            "agents/src/copilot/prompt.rs",
            "agents/src/gemini/answers.rs",
            "agents/src/gemini/prompt.rs",
            "agents/src/opencode/answers.rs",
            "agents/src/opencode/prompt.rs",
            "agents/src/qwen/answers.rs",
            "agents/src/qwen/prompt.rs",
            "core/src/session/recorder/queue.rs",
        ],
    ),
    (
        "Typed::in_own_result",
        &[
            "agents/src/claude/answers.rs",
            "agents/src/copilot/answers.rs",
            "agents/src/copilot/denial.rs",
            "agents/src/gemini/answers.rs",
            "agents/src/opencode/answers.rs",
            "agents/src/qwen/answers.rs",
        ],
    ),
];

/// The code below the crates, without their tests: where each file is, and its text.
fn code() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let files = files_below(crates).into_iter();
    let mut code = Vec::new();
    for path in files.filter(|path| path.extension().is_some_and(|end| end == "rs")) {
        let name = path.strip_prefix(crates).unwrap().to_str().unwrap().replace('\\', "/");
        if name.contains("/src/") {
            let text = fs::read_to_string(&path).unwrap();
            code.push((name, text.split("#[cfg(test)]").next().unwrap().to_owned()));
        }
    }
    code
}

#[test]
fn only_the_prompts_and_answers_of_an_agent_are_said_to_be_the_users() {
    let code = code();
    for (voucher, allowed) in VOUCHERS {
        let users = code.iter().filter(|(_, text)| text.contains(voucher));
        let users: BTreeSet<&str> = users.map(|(name, _)| name.as_str()).collect();
        assert_eq!(users, allowed.iter().copied().collect(), "files with {voucher}");
    }
    // Under another name it would not be seen.
    for (name, text) in code.iter().filter(|(name, _)| !name.ends_with("session/typed.rs")) {
        let hidden = ["Typed as ", "Typed<'_>>::", "Typed::<", "= Typed;", "= Typed<"];
        for way in hidden {
            assert!(!text.contains(way), "{name} has `{way}`: the type is used by its own name");
        }
    }
}
