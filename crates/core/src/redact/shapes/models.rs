//! Language models and what is built around them.

use crate::redact::alphabet::Alphabet::{Base62, Base64Url, Hex, Small, Word};
use crate::redact::shape::{Check, Shape, row};

use super::{is_mixed, is_uuid};

pub(super) const SHAPES: &[Shape] = &[
    row("anthropic api key", &["sk-ant-api03-"], Base64Url, 80, 120),
    row("anthropic admin key", &["sk-ant-admin01-"], Base64Url, 80, 120),
    row("anthropic oauth token", &["sk-ant-oat01-", "sk-ant-ort01-"], Base64Url, 60, 140),
    row("anthropic session key", &["sk-ant-sid01-", "sk-ant-sid02-"], Base64Url, 60, 200),
    row("anthropic key", &["sk-ant-"], Base64Url, 60, 200).with(Check::Other(is_mixed)),
    row("openai project key", &["sk-proj-"], Base64Url, 40, 200).with(Check::Other(is_mixed)),
    row("openai service account key", &["sk-svcacct-"], Base64Url, 40, 200)
        .with(Check::Other(is_mixed)),
    row("openai admin key", &["sk-admin-"], Base64Url, 40, 200).with(Check::Other(is_mixed)),
    row("openai api key", &["sk-"], Base62, 48, 51).with(Check::Other(is_openai)),
    row("openrouter key", &["sk-or-v1-"], Hex, 64, 64),
    row("langfuse secret key", &["sk-lf-"], Base64Url, 36, 36).with(Check::Other(is_uuid)),
    row("helicone key", &["sk-helicone-"], Base64Url, 24, 60).with(Check::Other(is_mixed)),
    // DeepSeek, Stability and others that took over the prefix.
    row("api key", &["sk-"], Base62, 32, 64).with(Check::Other(is_mixed)),
    row("hugging face token", &["hf_"], Base62, 34, 40),
    row("hugging face organisation token", &["api_org_"], Base62, 34, 34),
    row("replicate token", &["r8_"], Base62, 37, 40),
    row("groq key", &["gsk_"], Base62, 48, 56),
    row("xai key", &["xai-"], Base62, 80, 80),
    row("perplexity key", &["pplx-"], Base62, 40, 56),
    row("together key", &["tgp_v1_"], Base64Url, 43, 43),
    row("fireworks key", &["fw_"], Base62, 22, 28).with(Check::Other(is_mixed)),
    row("elevenlabs key", &["sk_"], Hex, 48, 48),
    row("langsmith key", &["lsv2_pt_", "lsv2_sk_"], Word, 43, 43)
        .with(Check::Parts(b'_', &[32, 10])),
    row("pinecone key", &["pcsk_"], Word, 60, 90),
    row("nvidia key", &["nvapi-"], Base64Url, 60, 70),
    row("voyage key", &["pa-"], Base64Url, 43, 43).with(Check::Other(is_mixed)),
    row("tavily key", &["tvly-"], Base64Url, 32, 44).with(Check::Other(is_mixed)),
    row("firecrawl key", &["fc-"], Hex, 32, 32),
    row("jina key", &["jina_"], Base64Url, 50, 70),
    row("cerebras key", &["csk-"], Small, 48, 48),
    row("e2b key", &["e2b_"], Hex, 40, 40),
    row("browserbase key", &["bb_live_", "bb_test_"], Base64Url, 24, 32)
        .with(Check::Other(is_mixed)),
    row("runpod key", &["rpa_"], Base62, 40, 48).with(Check::Other(is_mixed)),
    row("brave key", &["BSA"], Base64Url, 28, 28).with(Check::Other(is_brave)),
    row("llamacloud key", &["llx-"], Base62, 48, 48),
];

/// Digits, and letters of both kinds.
fn is_brave(body: &[u8]) -> bool {
    is_mixed(body)
        && body.iter().any(u8::is_ascii_uppercase)
        && body.iter().any(u8::is_ascii_lowercase)
        && crate::redact::random::is_random(body, 16)
}

/// `OpenAI` in base64 stands in the middle of the old keys.
fn is_openai(body: &[u8]) -> bool {
    body.windows(8).any(|part| part == b"T3BlbkFJ")
}
