//! Links that are a secret themselves: those that show a secret once, and those that let one in.

use super::alphabet::{is_word, span};
use super::judge::is_placeholder;
use super::mark::has_mark;
use super::random::{is_random, starts_with};
use super::scan::Scan;

/// Hosts and paths of links that show what they hold once. Everything after is the secret. A new one is a new row.
const ONCE: &[&str] = &[
    "onetimesecret.com/secret/",
    "onetimesecret.com/private/",
    "privnote.com/",
    "pwpush.com/p/",
    "pwpush.com/f/",
    "password.link/",
    "yopass.se/#/s/",
    "yopass.se/#/c/",
    "1ty.me/",
    "scrt.link/s#",
    "scrt.link/l#",
    "send.bitwarden.com/#",
    "vault.bitwarden.com/#/send/",
    "share.1password.com/s#",
    "share.doppler.com/s/",
    "secretnote.",
    "quickforget.com/s/",
    "burnernote.com/",
    "temp.pm/",
    "tmwsd.ws/",
    "noteshred.com/",
    "enclosed.cc/",
    "wormhole.app/",
    "send.vis.ee/download/",
    "keybase.io/_/",
    "snappass.pinterest.com/",
    "vanish.so/",
    "cryptgeon.org/note/",
    "privatebin.net/?",
    "secret.oncehub.com/s/",
    "safenote.co/r/",
    "read.amazon.com/secret/",
    "sharesecret.",
    "eu.onetimesecret.com/secret/",
    "us.onetimesecret.com/secret/",
    "ca.onetimesecret.com/secret/",
    "uk.onetimesecret.com/secret/",
];

/// Parts of a path after which a random part lets one in.
const LETS_IN: &[&str] = &[
    "reset",
    "reset-password",
    "reset_password",
    "resetpassword",
    "password-reset",
    "password_reset",
    "passwordreset",
    "forgot-password",
    "forgot_password",
    "forgotpassword",
    "recover",
    "recovery",
    "set-password",
    "new-password",
    "choose-password",
    "change-password",
    "magic",
    "magic-link",
    "magic_link",
    "magiclink",
    "magic-login",
    "login-link",
    "email-login",
    "one-time-login",
    "onetime",
    "one-time",
    "otl",
    "invite",
    "invitation",
    "invitations",
    "accept-invite",
    "accept-invitation",
    "activate",
    "activation",
    "confirm",
    "confirmation",
    "confirm-email",
    "verify",
    "verify-email",
    "verification",
    "email-verification",
    "unlock",
    "sso",
    "passwordless",
    "signin-link",
    "uidb64",
    "secret",
    "secrets",
    "share-secret",
];

const LONGEST: usize = 2000;

/// At the host of an address. Says where the secret ends.
pub(super) fn look(scan: &mut Scan<'_>, start: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let rest = bytes.get(start..)?;
    let once = ONCE.iter().find(|place| starts_with(rest, place));
    if let Some(place) = once {
        let from = start + place.len();
        let length = span(&bytes[from..], LONGEST, |byte| {
            is_word(byte)
                || matches!(byte, b'/' | b'-' | b'=' | b'#' | b'&' | b'%' | b'~' | b'?' | b'+')
        });
        let text = &bytes[from..from + length];
        let telling = text.split(|byte| matches!(byte, b'/' | b'#' | b'?')).any(is_key);
        if telling && !is_placeholder(text) && !has_mark(text) {
            scan.hit("one-time link", from..from + length);
            return Some(from + length);
        }
        return None;
    }
    let path = span(rest, 300, |byte| {
        !matches!(byte, b'/' | b' ' | b'\n' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'?')
    });
    (rest.get(path) == Some(&b'/')).then(|| lets_in(scan, start + path)).flatten()
}

/// A random part or parameter after a part that says that it lets one in.
fn lets_in(scan: &mut Scan<'_>, from: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let part = |byte: u8| {
        is_word(byte)
            || matches!(byte, b'-' | b'.' | b'~' | b'%' | b'+' | b':' | b'@' | b'$' | b'!')
    };
    let mut at = from;
    let mut opened = false;
    let mut last = None;
    while at < bytes.len() && at - from < LONGEST {
        let sign = bytes[at];
        if !matches!(sign, b'/' | b'?' | b'&' | b'#' | b'=' | b';') {
            break;
        }
        let start = at + 1;
        let length = span(&bytes[start..], LONGEST, part);
        let end = start + length - usize::from(length > 0 && bytes[start + length - 1] == b'.');
        let text = &bytes[start..end];
        if opened && sign != b'?' && sign != b'&' && is_key(text) && !is_placeholder(text) {
            scan.known_or("one-time link", start..end);
            last = Some(end);
        } else {
            opened |= LETS_IN.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
        }
        at = start + length;
    }
    last
}

/// Long and random, or an id that is.
fn is_key(text: &[u8]) -> bool {
    text.len() >= 8 && is_random(text, 8)
}
