//! Tokens that a session of Copilot CLI used.

use std::collections::BTreeMap;

use segue_core::session::Recorder;
use serde::Deserialize;

use crate::json::{Raw, Value, number, shaped, text};

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage<'a> {
    #[serde(borrow)]
    input_tokens: Raw<'a>,
    #[serde(borrow)]
    output_tokens: Raw<'a>,
    #[serde(borrow)]
    max_prompt_tokens: Raw<'a>,
    #[serde(borrow)]
    api_call_id: Raw<'a>,
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
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Shutdown<'a> {
        #[serde(borrow)]
        accounting_snapshot: Raw<'a>,
        #[serde(borrow)]
        model_metrics: Raw<'a>,
    }
    #[derive(Deserialize)]
    struct Metrics<'a> {
        #[serde(borrow)]
        usage: Raw<'a>,
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
