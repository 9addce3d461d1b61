//! Messages and mail.

use crate::redact::alphabet::Alphabet::{
    Base62, Base64, Base64Url, Dotted, Hex, Small, Wide, Word,
};
use crate::redact::shape::{Check, Shape, row};

use super::is_mixed;

pub(super) const SHAPES: &[Shape] = &[
    row("slack bot token", &["xoxb-"], Base64Url, 24, 120).with(Check::Other(is_mixed)),
    row("slack user token", &["xoxp-"], Base64Url, 24, 160).with(Check::Other(is_mixed)),
    row("slack workspace token", &["xoxa-", "xoxr-"], Base64Url, 24, 160)
        .with(Check::Other(is_mixed)),
    row("slack legacy token", &["xoxs-", "xoxo-"], Base64Url, 24, 160).with(Check::Other(is_mixed)),
    row("slack browser token", &["xoxc-"], Base64Url, 24, 200).with(Check::Other(is_mixed)),
    row("slack browser cookie", &["xoxd-"], Wide, 24, 400).with(Check::Other(is_mixed)),
    row("slack configuration token", &["xoxe-", "xoxe.xoxp-", "xoxe.xoxb-"], Base64Url, 24, 300)
        .with(Check::Other(is_mixed)),
    row("slack app token", &["xapp-"], Base64Url, 40, 160).with(Check::Other(is_mixed)),
    row("discord bot token", DIGITS_IN_BASE64, Dotted, 50, 80).with(Check::Other(is_discord)),
    row("discord user token", &["mfa."], Base64Url, 84, 84),
    row("twilio api key", &["SK"], Hex, 32, 32),
    row("sendgrid key", &["SG."], Dotted, 66, 66).with(Check::Parts(b'.', &[22, 43])),
    row("mailgun key", &["key-"], Hex, 32, 32),
    row("mailersend token", &["mlsn."], Hex, 64, 64),
    row("brevo key", &["xkeysib-", "xsmtpsib-"], Base64Url, 81, 81)
        .with(Check::Parts(b'-', &[64, 16])),
    row("resend key", &["re_"], Word, 30, 40).with(Check::Other(is_resend)),
    row("mapbox secret token", &["sk.eyJ"], Dotted, 60, 200),
    row("intercom token", &["dG9rO"], Base64, 50, 90),
    row("telnyx key", &["KEY"], Word, 55, 55).with(Check::Parts(b'_', &[32, 22])),
    row("twitch token", &["oauth:"], Small, 30, 30).with(Check::Other(is_mixed)),
    row("facebook token", &["EAA"], Base62, 80, 400).with(Check::Other(is_mixed)),
    row("instagram token", &["IGQ"], Base64Url, 100, 300),
    row("twitter bearer token", &["AAAAAAAAAAAAAAAAAAAA"], Wide, 60, 150)
        .with(Check::Other(is_twitter)),
];

/// How the numbers begin that Discord's tokens begin with.
const DIGITS_IN_BASE64: &[&str] = &["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"];

fn is_discord(body: &[u8]) -> bool {
    let mut parts = body.split(|byte| *byte == b'.').map(<[u8]>::len);
    matches!(
        (parts.next(), parts.next(), parts.next(), parts.next()),
        (Some(20..=28), Some(6), Some(27..=42), None)
    )
}

fn is_resend(body: &[u8]) -> bool {
    let mut parts = body.split(|byte| *byte == b'_').map(<[u8]>::len);
    matches!((parts.next(), parts.next(), parts.next()), (Some(8..=9), Some(20..=30), None))
}

/// Zeros in base64 begin as these tokens do, but have no sign that is escaped for addresses.
fn is_twitter(body: &[u8]) -> bool {
    body.contains(&b'%') && is_mixed(body)
}
