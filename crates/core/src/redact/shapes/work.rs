//! Tasks, documents, design and customers.

use crate::redact::alphabet::Alphabet::{Base62, Base64Url, Dotted, Hex, Wide, Word};
use crate::redact::shape::{Check, Shape, row};

use super::{is_mixed, is_uuid};

pub(super) const SHAPES: &[Shape] = &[
    row("linear api key", &["lin_api_"], Base62, 40, 40),
    row("linear oauth token", &["lin_oauth_"], Hex, 64, 64),
    row("notion secret", &["secret_"], Base62, 43, 43).with(Check::Other(is_mixed)),
    row("notion token", &["ntn_"], Base62, 43, 50),
    row("figma token", &["figd_"], Base64Url, 40, 44),
    row("figma oauth token", &["figu_", "figo_"], Base64Url, 40, 44),
    row("airtable token", &["pat"], Dotted, 79, 79).with(Check::Parts(b'.', &[14, 64])),
    row("asana token", &["1/", "2/"], Wide, 49, 70).with(Check::Other(is_asana)),
    row("atlassian token", &["ATATT3"], Dotted, 150, 250),
    row("trello token", &["ATTA"], Hex, 64, 72),
    row("dropbox token", &["sl."], Base64Url, 120, 160).with(Check::Other(is_mixed)),
    row("dropbox token", &["sl.u."], Base64Url, 120, 1400),
    row("clickup token", &["pk_"], Word, 36, 44).with(Check::Other(is_clickup)),
    row("typeform token", &["tfp_"], Dotted, 40, 59),
    row("hubspot token", &["pat-na1-", "pat-na2-", "pat-eu1-"], Base64Url, 36, 36)
        .with(Check::Other(is_uuid)),
    row("contentful token", &["CFPAT-"], Base64Url, 43, 43),
    row("okta token", &["00"], Base64Url, 40, 40).with(Check::Other(is_okta)),
    row("unkey root key", &["unkey_"], Base62, 20, 30).with(Check::Other(is_mixed)),
    row("cal.com key", &["cal_live_", "cal_test_"], Hex, 32, 32),
    row("frame.io token", &["fio-u-"], Base64Url, 64, 64),
    row("nightfall key", &["NF-"], Base62, 32, 32).with(Check::Other(is_mixed)),
    row("1password secret key", &["A3-"], Base64Url, 36, 37).with(Check::Other(is_one_password)),
    row("1password service account token", &["ops_eyJ"], Base64Url, 200, 2000),
    row("trigger.dev key", &["tr_prod_", "tr_dev_", "tr_stg_"], Base62, 20, 24),
];

/// Digits, a colon, 32 hexadecimal digits.
fn is_asana(body: &[u8]) -> bool {
    let mut parts = body.split(|byte| *byte == b':');
    let (Some(ids), Some(key), None) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    ids.len() >= 15
        && ids.iter().all(|byte| byte.is_ascii_digit() || *byte == b'/')
        && key.len() == 32
        && key.iter().all(u8::is_ascii_hexdigit)
}

fn is_clickup(body: &[u8]) -> bool {
    let mut parts = body.split(|byte| *byte == b'_');
    let (Some(user), Some(key), None) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    user.iter().all(u8::is_ascii_digit)
        && key.len() == 32
        && key.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Mixed letters and digits: long numbers begin with two zeros too.
fn is_okta(body: &[u8]) -> bool {
    is_mixed(body)
        && body.iter().any(u8::is_ascii_uppercase)
        && body.iter().any(|byte| matches!(byte, b'g'..=b'z'))
        && body.iter().filter(|byte| **byte == b'-').count() < 4
}

fn is_one_password(body: &[u8]) -> bool {
    let parts: Vec<usize> = body.split(|byte| *byte == b'-').map(<[u8]>::len).collect();
    matches!(parts.as_slice(), [6, 11, 5, 5, 5] | [6, 6, 5, 5, 5, 5])
        && body.iter().all(|byte| !byte.is_ascii_lowercase())
}
