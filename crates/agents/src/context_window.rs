//! How many tokens fit into the context of a model, for transcripts that do not say so.
//!
//! As of 2026-11-18, from the models' catalogue of pi-ai 0.87, the models.json of Codex and the tokenLimits.ts of
//! Gemini CLI. Where a provider offers two sizes of a model the smaller one stands here: a question that comes
//! early costs a line, one that comes too late costs the session.

/// The beginning of a model's name, and its window. The first that fits counts.
const WINDOWS: &[(&str, u64)] = &[
    ("claude-opus-4-5", 200_000),
    ("claude-opus-4-1", 200_000),
    ("claude-opus-4-2", 200_000),
    ("claude-opus-4", 1_000_000),
    ("claude-opus-5", 1_000_000),
    ("claude-sonnet-5", 1_000_000),
    ("claude-sonnet-4", 200_000),
    ("claude-haiku-4", 200_000),
    ("claude-fable-5", 1_000_000),
    ("gpt-5", 272_000),
    ("gpt-6", 272_000),
    ("gpt-4.1", 1_047_576),
    ("o3", 200_000),
    ("o4-mini", 200_000),
    ("gemini-2.5", 1_048_576),
    ("gemini-3", 1_048_576),
    ("kimi-k2", 262_144),
    ("kimi-k3", 1_048_576),
    ("glm-4.7", 204_800),
    ("glm-5", 1_000_000),
    ("grok-4", 500_000),
    ("deepseek-v4", 1_000_000),
];

/// The context window of a model; `None` if it is not known.
pub fn context_window(model: &str) -> Option<u64> {
    // Some agents name the provider first.
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    if name.ends_with("[1m]") {
        return Some(1_000_000);
    }
    WINDOWS.iter().find(|(begin, _)| name.starts_with(begin)).map(|(_, window)| *window)
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
            ("somebody-s-own", None),
            ("", None),
        ] {
            assert_eq!(context_window(model), window, "{model}");
        }
    }
}
