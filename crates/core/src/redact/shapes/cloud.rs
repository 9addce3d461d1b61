//! Clouds, hosts, databases and what is deployed with.

use crate::redact::alphabet::Alphabet::{
    Base62, Base64, Base64Url, Capitals, Dotted, Hex, Small, Wide, Word,
};
use crate::redact::shape::{Check, Shape, row};

use super::{is_mixed, is_uuid};

pub(super) const SHAPES: &[Shape] = &[
    row("aws access key id", &["AKIA", "ASIA", "ABIA", "ACCA"], Capitals, 16, 16)
        .with(Check::Other(is_base32)),
    row("aws bedrock key", &["ABSK"], Base64, 100, 250),
    row("aws bedrock key", &["bedrock-api-key-"], Base64, 40, 4000),
    row("aws session token", &["IQoJb3JpZ2lu", "FwoGZXIvYXdz"], Base64, 80, 4000),
    row("aws appsync key", &["da2-"], Small, 26, 26).with(Check::Other(is_mixed)),
    row("amazon mws token", &["amzn.mws."], Base64Url, 36, 36).with(Check::Other(is_uuid)),
    row("google api key", &["AIza"], Base64Url, 35, 35),
    row("backblaze key", &["K001", "K002", "K003", "K004", "K005"], Base64, 27, 27)
        .with(Check::Other(is_mixed)),
    row("google api key", &["AQ.Ab8RN6"], Base64Url, 30, 80),
    row("firebase server key", &["AAAA"], Wide, 140, 160).with(Check::Other(is_firebase)),
    row("google oauth secret", &["GOCSPX-"], Base64Url, 28, 28),
    row("google oauth token", &["ya29."], Dotted, 20, 2000),
    row("google refresh token", &["1//0"], Base64Url, 30, 200),
    row("alibaba access key id", &["LTAI"], Base62, 12, 26).with(Check::Other(is_mixed)),
    row("tencent secret id", &["AKID"], Base62, 32, 32).with(Check::Other(is_mixed)),
    row("yandex api key", &["AQVN"], Base64Url, 35, 38),
    row("yandex oauth token", &["y0_"], Base64Url, 50, 60).with(Check::Other(is_mixed)),
    row("cloudflare token", &["cfut_", "cfat_"], Base62, 48, 48),
    row("cloudflare api key", &["cfk_"], Base62, 48, 48),
    row("digitalocean token", &["dop_v1_"], Hex, 64, 64),
    row("digitalocean oauth token", &["doo_v1_"], Hex, 64, 64),
    row("digitalocean refresh token", &["dor_v1_"], Hex, 64, 64),
    row("heroku api key", &["HRKU-AA"], Base64Url, 58, 58),
    row("heroku api key", &["HRKU-"], Base64Url, 36, 36).with(Check::Other(is_uuid)),
    row("netlify token", &["nfp_", "nfc_", "nfo_", "nfu_", "nfb_"], Base62, 36, 36),
    row("vercel blob token", &["vercel_blob_rw_"], Word, 30, 80),
    row("vercel token", &["vcp_", "vca_", "vci_", "vcr_"], Base62, 56, 60),
    row("vercel gateway key", &["vck_"], Base62, 56, 60),
    row("fly.io token", &["fo1_"], Base64Url, 43, 43),
    row("fly.io token", &["fm1r_", "fm1a_", "fm2_"], Base64, 60, 4000),
    row("render api key", &["rnd_"], Base62, 24, 40),
    row("supabase token", &["sbp_"], Hex, 40, 40),
    row("supabase secret key", &["sb_secret_"], Base64Url, 24, 60),
    row("planetscale token", &["pscale_tkn_"], Dotted, 32, 64),
    row("planetscale password", &["pscale_pw_"], Dotted, 32, 64),
    row("planetscale oauth token", &["pscale_oauth_"], Base64Url, 32, 64),
    row("aiven password", &["AVNS_"], Base64Url, 19, 19).with(Check::Other(is_mixed)),
    row("infisical token", &["st."], Dotted, 90, 90).with(Check::Parts(b'.', &[24, 32, 32])),
    row("defined networking key", &["dnkey-"], Base64Url, 79, 79),
    row("netbird token", &["nbp_"], Base62, 36, 36),
    row("cloudflare turnstile secret", &["0x4AAAA"], Base64Url, 28, 32)
        .with(Check::Other(is_mixed)),
    row("neon api key", &["napi_"], Base62, 40, 80),
    row("databricks token", &["dapi"], Base64Url, 32, 34).with(Check::Other(is_databricks)),
    row("mongodb atlas secret", &["mdb_sa_sk_"], Base64Url, 32, 60),
    row("clickhouse cloud key", &["4b1d"], Base62, 38, 38).with(Check::Other(is_mixed)),
    row("cloudflare origin ca key", &["v1.0-"], Base64Url, 171, 171)
        .with(Check::Parts(b'-', &[24, 146])),
    row("pulumi token", &["pul-"], Hex, 40, 40),
    row("prefect key", &["pnu_", "pnb_"], Base62, 36, 36),
    row("vault token", &["hvs.", "hvb.", "hvr."], Base64Url, 24, 300),
    row("doppler token", &["dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], Base62, 40, 44),
    row("doppler service token", &["dp.st."], Dotted, 40, 90),
    row("tailscale key", &["tskey-"], Base64Url, 20, 100).with(Check::Other(is_mixed)),
    row("openshift token", &["sha256~"], Base64Url, 43, 43),
    row("rancher token", &["token-"], Wide, 60, 60).with(Check::Parts(b':', &[5, 54])),
    row("scalingo token", &["tk-us-"], Base64Url, 48, 48),
    row("octopus deploy key", &["API-"], Capitals, 25, 32).with(Check::Other(is_mixed)),
    row("infracost key", &["ico-"], Base62, 32, 32),
    row("xata key", &["xau_"], Base62, 30, 60),
    row("apify token", &["apify_api_"], Base62, 36, 36),
    row("inngest signing key", &["signkey-prod-", "signkey-test-"], Hex, 32, 64),
    row("launchdarkly key", &["sdk-", "api-"], Base64Url, 36, 36).with(Check::Other(is_uuid)),
    row("nuget api key", &["oy2"], Small, 43, 43).with(Check::Other(is_mixed)),
];

/// Seven characters, a colon, and what the tokens of devices begin with.
fn is_firebase(body: &[u8]) -> bool {
    body.get(7..).is_some_and(|rest| rest.starts_with(b":APA91b"))
}

fn is_base32(body: &[u8]) -> bool {
    body.iter().all(|byte| byte.is_ascii_uppercase() || (b'2'..=b'7').contains(byte))
}

fn is_databricks(body: &[u8]) -> bool {
    let (token, rest) = body.split_at(32);
    token.iter().all(u8::is_ascii_hexdigit)
        && is_mixed(token)
        && (rest.is_empty() || matches!(rest, [b'-', b'0'..=b'9']))
}
