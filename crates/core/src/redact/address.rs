//! Addresses: passwords before the host, webhooks, whose path is the secret, and the path of a remote.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::Redactor;
use super::alphabet::{is_word, span, span_back};
use super::judge::{is_placeholder, is_reference};
use super::link;
use super::mark::has_mark;
use super::random::{is_hex, is_random, starts_with};
use super::scan::Scan;
use super::shapes::is_uuid;

/// Hosts and paths after which everything is secret, and what it is called. A new one is a new row.
const WEBHOOKS: &[(&str, &str)] = &[
    ("hooks.slack.com/services/", "slack webhook"),
    ("hooks.slack.com/workflows/", "slack webhook"),
    ("hooks.slack.com/triggers/", "slack webhook"),
    ("discord.com/api/webhooks/", "discord webhook"),
    ("discordapp.com/api/webhooks/", "discord webhook"),
    ("ptb.discord.com/api/webhooks/", "discord webhook"),
    ("canary.discord.com/api/webhooks/", "discord webhook"),
    ("hooks.slack-gov.com/services/", "slack webhook"),
    ("hooks.zapier.com/hooks/", "zapier webhook"),
    ("maker.ifttt.com/trigger/", "ifttt webhook"),
    ("maker.ifttt.com/use/", "ifttt webhook"),
    ("hook.eu1.make.com/", "make webhook"),
    ("hook.eu2.make.com/", "make webhook"),
    ("hook.us1.make.com/", "make webhook"),
    ("hook.us2.make.com/", "make webhook"),
    ("hook.make.com/", "make webhook"),
    ("hook.integromat.com/", "make webhook"),
    ("outlook.office.com/webhook/", "teams webhook"),
    ("outlook.office365.com/webhook/", "teams webhook"),
    ("chat.googleapis.com/v1/spaces/", "google chat webhook"),
    ("hooks.airtable.com/workflows/", "airtable webhook"),
    ("events.pagerduty.com/integration/", "pagerduty webhook"),
    ("alert.victorops.com/integrations/", "victorops webhook"),
    ("hooks.glip.com/webhook/", "ringcentral webhook"),
    ("connect.pabbly.com/workflow/sendwebhookdata/", "pabbly webhook"),
    ("api.netlify.com/build_hooks/", "netlify build hook"),
    ("api.vercel.com/v1/integrations/deploy/", "vercel deploy hook"),
    ("api.render.com/deploy/", "render deploy hook"),
    ("api.cloudflare.com/client/v4/pages/webhooks/deploy_hooks/", "cloudflare deploy hook"),
    ("webhook.site/", "webhook address"),
    ("hooks.workato.com/webhooks/", "workato webhook"),
    ("flow.zoho.com/", "zoho webhook"),
    ("cliq.zoho.com/", "zoho webhook"),
    ("inbound.workflow86.com/", "workflow webhook"),
    ("smee.io/", "webhook address"),
    ("uptime.betterstack.com/api/v1/heartbeat/", "heartbeat address"),
    ("api.day.app/", "bark address"),
    ("sctapi.ftqq.com/", "serverchan address"),
    ("hooks.nabu.casa/", "home assistant webhook"),
    ("oapi.dingtalk.com/robot/send?access_token=", "dingtalk webhook"),
    ("open.feishu.cn/open-apis/bot/v2/hook/", "feishu webhook"),
    ("open.larksuite.com/open-apis/bot/v2/hook/", "lark webhook"),
    ("qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", "wecom webhook"),
    ("hc-ping.com/", "healthchecks address"),
    ("a.rtmp.youtube.com/live2/", "stream key"),
    ("b.rtmp.youtube.com/live2/", "stream key"),
    ("live.twitch.tv/app/", "stream key"),
    ("live-api-s.facebook.com:443/rtmp/", "stream key"),
];

/// A part of the host of a webhook of Teams.
const OFFICE: &[u8] = b".webhook.office.com/webhookb2/";

/// At `://`.
pub(super) fn look(scan: &mut Scan<'_>, at: usize) -> usize {
    let bytes = scan.bytes;
    let start = at + 3;
    let rest = bytes.get(start..).unwrap_or_default();
    let path = |byte: u8| {
        is_word(byte) || matches!(byte, b'/' | b'-' | b'.' | b'=' | b'@' | b'%' | b'?' | b'&')
    };
    let webhook = WEBHOOKS.iter().find(|(host, _)| starts_with(rest, host));
    if let Some((host, kind)) = webhook {
        let from = start + host.len();
        let length = span(&bytes[from..], 400, path);
        let length =
            length - span_back(&bytes[from..from + length], 8, |byte| matches!(byte, b'.' | b'/'));
        return webhook_path(scan, from, length, kind).unwrap_or(from);
    }
    callback(scan, start);
    let host = span(rest, 300, |byte| {
        byte.is_ascii_graphic()
            && !matches!(
                byte,
                b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b' ' | b','
            )
            || byte >= 0x80
    });
    if rest
        .get(host.saturating_sub(OFFICE.len())..)
        .is_some_and(|rest| rest.windows(OFFICE.len()).take(16).any(|part| part == OFFICE))
    {
        let from = start + host + "/webhookb2/".len();
        let length = span(bytes.get(from..).unwrap_or_default(), 400, path);
        return webhook_path(scan, from, length, "teams webhook").unwrap_or(start);
    }
    let link = link::look(scan, start);
    userinfo(scan, start, host).or(link).unwrap_or(start)
}

/// Hosts that have the key in their path, whatever stands before them.
const KEY_IN_PATH: &[&str] =
    &[".alchemy.com/v2/", ".infura.io/v3/", ".infura.io/ws/v3/", ".quiknode.pro/"];

/// The key in the path of such a host, and the `code` of a callback of OAuth.
fn callback(scan: &mut Scan<'_>, start: usize) {
    let bytes = scan.bytes;
    let length = span(&bytes[start..], 600, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
    });
    let address = &bytes[start..start + length];
    let find = |wanted: &[u8]| address.windows(wanted.len()).position(|part| part == wanted);
    let host =
        KEY_IN_PATH.iter().find_map(|host| Some((find(host.as_bytes())? + host.len(), "api key")));
    let code = || {
        let at = find(b"?code=").or_else(|| find(b"&code="))? + "?code=".len();
        Some((at, "oauth code"))
    };
    // Of what is found in a cache the key is a hash.
    let key = || {
        let at = find(b"?key=").or_else(|| find(b"&key="))? + "?key=".len();
        Some((at, "api key"))
    };
    let callback = host.or_else(code).map(|found| (found, false));
    let key = key().map(|found| (found, true));
    for ((at, kind), unsure) in [callback, key].into_iter().flatten() {
        let value = span(&address[at..], 400, |byte| {
            is_word(byte) || matches!(byte, b'-' | b'.' | b'/' | b'%' | b'~')
        });
        let text = &address[at..at + value];
        let hash = unsure && (is_hex(text) || is_uuid(text) || text.contains(&b'/'));
        if text.len() >= 16 && is_random(text, 16) && !is_placeholder(text) && !hash {
            scan.known_or(kind, start + at..start + at + value);
        }
    }
}

fn webhook_path(scan: &mut Scan<'_>, from: usize, length: usize, kind: &str) -> Option<usize> {
    let text = &scan.bytes[from..from + length];
    // Those of Zapier are short.
    let short = |part: &[u8]| {
        part.len() >= 6
            && part.iter().any(u8::is_ascii_digit)
            && part.iter().any(u8::is_ascii_lowercase)
    };
    let zapier = kind == "zapier webhook" && text.split(|byte| *byte == b'/').any(short);
    if !zapier && (length < 16 || !is_key(text)) || is_placeholder(text) {
        return None;
    }
    scan.hit(kind, from..from + length);
    Some(from + length)
}

/// Whether a part of it is a key. What is only words is an example: `YOUR/WEBHOOK/URL`.
fn is_key(path: &[u8]) -> bool {
    let key = |part: &[u8]| {
        let has = |wanted: fn(&u8) -> bool| part.iter().any(wanted);
        let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
        part.len() >= 10 && (has(u8::is_ascii_digit) || mixed && part.len() >= 16)
    };
    let parts = || path.split(|byte| matches!(byte, b'/' | b'=' | b'&' | b'?'));
    is_random(path, 12)
        || parts().any(key) && !parts().any(|part| part.eq_ignore_ascii_case(b"your"))
}

/// `user:password@host`, or a token instead of both.
fn userinfo(scan: &mut Scan<'_>, start: usize, length: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let mut authority = &bytes[start..start + length];
    let mut host = authority.iter().rposition(|byte| *byte == b'@');
    if host.is_none() && authority.contains(&b':') {
        // A password with a slash or a sharp in it: what is before the `@` of the same word.
        let word = span(&bytes[start..], 300, |byte| {
            byte.is_ascii_graphic()
                && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b',' | b';')
        });
        let whole = &bytes[start..start + word];
        let port =
            authority.iter().position(|byte| *byte == b':').map(|colon| &authority[colon + 1..])?;
        if port.is_empty() || port.iter().all(u8::is_ascii_digit) {
            return None;
        }
        authority = whole;
        host = whole.iter().rposition(|byte| *byte == b'@');
    }
    let host = host?;
    let info = &authority[..host];
    let (from, text, user) = match info.iter().position(|byte| *byte == b':') {
        Some(colon) => (start + colon + 1, &info[colon + 1..], Some(&info[..colon])),
        None => (start, info, None),
    };
    let end = from + text.len();
    if text.len() < 3 || is_placeholder(text) || is_reference(text) || has_mark(text) {
        return None;
    }
    match user {
        Some(user) => {
            // `postgres:postgres` is what databases for tests come with.
            if user.eq_ignore_ascii_case(text)
                || text.first() == Some(&b'$')
                    && text.len() > 1
                    && text[1..].iter().all(|byte| is_word(*byte))
            {
                return None;
            }
            scan.known_or("password", from..end);
        }
        None if is_random(text, 16) => scan.known_or("token", from..end),
        None => return None,
    }
    Some(end)
}

/// How long a part of a remote's path is at least that is no name, but random.
const RANDOM_PART: usize = 20;

/// The path of a remote without what is secret in it. A project is recognised by it, so that only what is built in
/// decides, part by part, and what may be an id has a digest in its mark by which it differs from others.
pub(crate) fn without_path_secrets(path: &str) -> Cow<'_, str> {
    let redactor = Redactor::default();
    let mut parts: Vec<Cow<'_, str>> = path.split('/').map(Cow::Borrowed).collect();
    let mut changed = false;
    for part in &mut parts {
        let redacted = redactor.redact(part);
        let clean = match redacted.found.is_empty() {
            false => redacted.text.into_owned(),
            true if is_random_part(part.as_bytes()) => {
                let digest: [u8; 32] = Sha256::digest(part.as_bytes()).into();
                let [one, two, three, four, ..] = digest;
                format!("[redacted: key x{one:02x}{two:02x}{three:02x}{four:02x}]")
            }
            true => continue,
        };
        *part = Cow::Owned(clean);
        changed = true;
    }
    if changed { Cow::Owned(parts.join("/")) } else { Cow::Borrowed(path) }
}

fn is_random_part(part: &[u8]) -> bool {
    let has = |wanted: fn(&u8) -> bool| part.iter().any(wanted);
    part.len() >= RANDOM_PART
        && part.iter().all(u8::is_ascii_alphanumeric)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && is_random(part, RANDOM_PART)
}
