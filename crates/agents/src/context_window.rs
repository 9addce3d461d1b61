//! How many tokens fit into the context of a model, for transcripts that do not say so. The models of an
//! agent's maker stand in the agent's row.
//!
//! As of 2026-11-18, from the models' catalogue of pi-ai 0.87, the models.json of Codex and the tokenLimits.ts of
//! Gemini CLI. Where a provider offers two sizes of a model the smaller one is named: a question that comes
//! early costs a line, one that comes too late costs the session.

use crate::agent::AGENTS;

/// Models whose makers have no agent here: the beginning of a name, and the window.
const OTHER_MODELS: &[(&str, u64)] =
    &[("glm-4.7", 204_800), ("glm-5", 1_000_000), ("grok-4", 500_000), ("deepseek-v4", 1_000_000)];

/// The context window of a model; `None` if it is not known.
pub fn context_window(model: &str) -> Option<u64> {
    // Some agents name the provider first.
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    if name.ends_with("[1m]") {
        return Some(1_000_000);
    }
    let mut all = AGENTS.iter().flat_map(|agent| agent.models).chain(OTHER_MODELS);
    all.find(|(begin, _)| name.starts_with(begin)).map(|(_, window)| *window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_known_by_the_beginning_of_its_name() {
        for (model, window) in [
            ("claude-opus-5-5", Some(1_000_000)),
            ("claude-opus-4-6", Some(1_000_000)),
            ("claude-opus-4-5-20251101", Some(200_000)),
            ("claude-opus-4-20250514", Some(200_000)),
            ("claude-sonnet-4-5-20250929", Some(200_000)),
            ("claude-sonnet-4-5[1m]", Some(1_000_000)),
            ("openai/GPT-5.5-codex", Some(272_000)),
            ("gemini-2.5-pro", Some(1_048_576)),
            ("kimi-k2-turbo", Some(262_144)),
            ("glm-4.7", Some(204_800)),
            ("somebody-s-own", None),
            ("", None),
        ] {
            assert_eq!(context_window(model), window, "{model}");
        }
    }
}
