//! Metrics, logs, errors and who is on call.

use crate::redact::alphabet::Alphabet::{
    Base62, Base64, Base64Url, Capitals, Dotted, Hex, Wide, Word,
};
use crate::redact::shape::{Check, Shape, row};

use super::{is_mixed, is_uuid};

pub(super) const SHAPES: &[Shape] = &[
    row("new relic user key", &["NRAK-"], Capitals, 27, 27),
    row("new relic insert key", &["NRII-"], Base64Url, 32, 32),
    row("new relic query key", &["NRIQ-"], Base64Url, 32, 32),
    row("grafana service account token", &["glsa_"], Word, 41, 41)
        .with(Check::Parts(b'_', &[32, 8])),
    row("grafana cloud token", &["glc_eyJ"], Base64, 40, 500),
    row("grafana api key", &["eyJrIjoi"], Base64, 60, 500),
    row("sentry organisation token", &["sntrys_eyJ"], Wide, 60, 600),
    row("sentry user token", &["sntryu_"], Hex, 64, 64),
    row("sentry app token", &["sntrya_", "sntryi_"], Hex, 64, 64),
    row("honeycomb key", &["hcaik_", "hcxik_", "hcamk_", "hcxmk_", "hcbik_"], Base62, 50, 64),
    row("dynatrace token", &["dt0c01."], Dotted, 89, 89).with(Check::Parts(b'.', &[24, 64])),
    row("axiom token", &["xaat-", "xapt-"], Base64Url, 36, 36).with(Check::Other(is_uuid)),
    row("posthog personal key", &["phx_"], Base62, 40, 52),
    row("posthog secret key", &["phs_"], Base62, 40, 52),
    row("checkly key", &["cu_"], Hex, 32, 32),
    row("statsig secret", &["secret-"], Base62, 43, 43).with(Check::Other(is_mixed)),
    row("stytch secret", &["secret-live-", "secret-test-"], Dotted, 36, 48),
    row("elastic key", &["essu_"], Base64, 40, 120),
];
