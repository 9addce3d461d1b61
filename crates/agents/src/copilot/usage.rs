//! Tokens that a session of Copilot CLI used.

use std::collections::BTreeMap;

use segue_core::session::Recorder;

use crate::json::{Raw, Value, number, shaped, text, wire};

wire! {
    #[derive(Default)]
    #[serde(rename_all = "camelCase")]
    struct Usage<'a> {
        input_tokens,
        output_tokens,
        max_prompt_tokens,
        api_call_id,
    }
}

/// What one answer took. What was read from a cache is part of the input.
pub(super) fn used_by(usage: Raw<'_>, event: Raw<'_>, recorder: &mut Recorder) {
    let Some(usage) = shaped::<Usage<'_>>(usage) else { return };
    if let Some(id) = text(usage.api_call_id).or_else(|| text(event)) {
        let count = |tokens| number(tokens).unwrap_or(0);
        recorder.tokens(&id, count(usage.input_tokens), count(usage.output_tokens));
        number(usage.max_prompt_tokens).iter().for_each(|most| recorder.context_window(*most));
    }
}

/// What the session took up to its end: some versions say only that.
pub(super) fn used_in_all(data: Raw<'_>, recorder: &mut Recorder) {
    wire! {
        #[derive(Default)]
        #[serde(rename_all = "camelCase")]
        struct Shutdown<'a> {
            accounting_snapshot,
            model_metrics,
        }

        struct Metrics<'a> {
            usage,
        }
    }
    let said: Shutdown<'_> = shaped(data).unwrap_or_default();
    let inside: Shutdown<'_> = shaped(said.accounting_snapshot).unwrap_or_default();
    let models = said.model_metrics.or(inside.model_metrics);
    let models: BTreeMap<String, Value<'_>> = shaped(models).unwrap_or_default();
    let (mut input, mut output) = (0_u64, 0_u64);
    for metrics in models.into_values() {
        let usage = shaped::<Metrics<'_>>(Some(metrics)).and_then(|one| shaped(one.usage));
        let usage: Usage<'_> = usage.unwrap_or_default();
        input = input.saturating_add(number(usage.input_tokens).unwrap_or(0));
        output = output.saturating_add(number(usage.output_tokens).unwrap_or(0));
    }
    recorder.tokens_in_all(input, output);
}
