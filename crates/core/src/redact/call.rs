//! Calls that take a name and a password, or a key: `NetworkCredential("bob", "…")`, `jwt.sign(payload, "…")`,
//! `set_password("bob", "…")`.

use super::alphabet::{span, span_back};
use super::judge::{is_placeholder, is_reference};
use super::lexicon::Lexicon;
use super::mark::has_mark;
use super::name::Class;
use super::random::{contains_any, is_made_up, is_random, kinds_of_characters, starts_with};
use super::scan::Scan;
use super::value::{Link, Named, Value};
use super::verdict::{self, OF_NAMES};

/// A call, the number of the argument that is secret, from 0, and how many letters are one without digits or signs;
/// 0 if they never are. A new one is a new row.
const CALLS: &[(&[u8], usize, usize)] = &[
    (b"NetworkCredential", 1, 4),
    (b"UsernamePasswordCredentials", 1, 4),
    (b"UsernamePasswordCredential", 1, 0),
    (b"PasswordAuthentication", 1, 4),
    (b"SetBasicAuth", 1, 4),
    (b"setBasicAuth", 1, 4),
    (b"basicAuth", 1, 4),
    (b"BasicAuth", 1, 4),
    (b"basic_auth", 1, 4),
    (b"HTTPBasicAuth", 1, 4),
    (b"HTTPDigestAuth", 1, 4),
    (b"auth", 1, 4),
    (b"login", 1, 6),
    (b"Login", 1, 6),
    (b"log_in", 1, 6),
    (b"authenticate", 1, 6),
    (b"getConnection", 2, 0),
    (b"connect", 2, 0),
    (b"mysqli_connect", 2, 0),
    (b"mysqli", 2, 0),
    (b"PDO", 2, 0),
    (b"sign", 1, 0),
    (b"verify", 1, 0),
    (b"createHmac", 1, 0),
    (b"createCipheriv", 1, 0),
    (b"createDecipheriv", 1, 0),
    (b"encrypt", 1, 0),
    (b"decrypt", 1, 0),
    (b"decode", 1, 0),
    (b"New", 1, 0),
    (b"Fernet", 0, 0),
    (b"cookieParser", 0, 0),
    (b"unsafePlainText", 0, 0),
    (b"algoliasearch", 1, 0),
    (b"Client", 1, 0),
    (b"hash", 0, 0),
    (b"hashSync", 0, 0),
    (b"new", 0, 0),
    (b"Sequelize", 2, 0),
    (b"connect", 3, 0),
    (b"mysql_real_connect", 3, 0),
    (b"create_superuser", 2, 0),
    (b"create_user", 2, 0),
    (b"ftp_login", 2, 6),
    (b"FTP", 2, 0),
    (b"begin", 1, 0),
    (b"Credentials", 3, 0),
    (b"Credentials", 1, 0),
];

const NAMES: Lexicon = {
    let mut names = Lexicon::empty();
    let mut at = 0;
    while at < CALLS.len() {
        names = names.with(CALLS[at].0);
        at += 1;
    }
    names
};

const LONGEST: usize = 400;

#[inline]
pub(super) fn is_call(word: &[u8]) -> bool {
    NAMES.may_have(word) && CALLS.iter().any(|(call, ..)| *call == word)
}

/// What stands before names that are also those of other calls.
const ONLY_OF: &[(&[u8], &[&str])] = &[
    (b"hash", &["bcrypt.", "argon2.", "Bcrypt."]),
    (b"hashSync", &["bcrypt.", "bcryptjs."]),
    (b"new", &["hmac.", "HMAC."]),
    (b"New", &["hmac."]),
    (b"begin", &["WiFi.", "wifi."]),
];

/// Looks at the arguments of the call whose name ends here.
pub(super) fn look(scan: &mut Scan<'_>, word: &[u8], end: usize) {
    let before = &scan.bytes[..end - word.len()];
    let mut only = ONLY_OF.iter().filter(|(call, _)| *call == word);
    if only.any(|(_, owners)| !owners.iter().any(|owner| before.ends_with(owner.as_bytes()))) {
        return;
    }
    for (_, place, letters) in CALLS.iter().filter(|(call, ..)| *call == word) {
        look_at(scan, word, end, *place, *letters);
    }
}

/// At `toCharArray` of `"X".toCharArray()`.
pub(super) fn characters(scan: &mut Scan<'_>, at: usize) {
    let bytes = scan.bytes;
    let Some(text) = bytes[..at].strip_suffix(b"\".") else { return };
    let start = text.len() - span_back(text, 100, |byte| byte != b'"' && byte != b'\n');
    if is_secret(b"", &bytes[start..text.len()]) && !is_made_up(&bytes[start..text.len()]) {
        scan.known_or("password", start..text.len());
    }
}

fn look_at(scan: &mut Scan<'_>, word: &[u8], end: usize, place: usize, letters: usize) {
    let bytes = scan.bytes;
    let rest = &bytes[end..];
    // `auth=("bob", "…")`, `[NetworkCredential]::new("bob", "…")`.
    let opening = ["(", "=(", " = (", "]::new(", "::new(", ": (", ": [", "=[", " = ["]
        .iter()
        .find(|sign| rest.starts_with(sign.as_bytes()));
    let Some(opening) = opening else { return };
    // `auth("user", "admin")` asks for a role.
    let tells = word != b"auth" || opening.ends_with("= (") || *opening == "=(";
    let letters = if tells { letters } else { 0 };
    let mut user: &[u8] = b"";
    let mut at = end + opening.len();
    let line = at + span(&bytes[at..], LONGEST, |byte| byte != b'\n');
    for number in 0..=place {
        at += span(&bytes[at..line], 8, |byte| byte == b' ');
        let Some((start, stop, next)) = argument(bytes, at, line) else { return };
        if number == place {
            if let (Some(start), Some(stop)) = (start, stop)
                && (is_secret(word, &bytes[start..stop])
                    || letters > 0
                        && !user.is_empty()
                        && is_last(bytes, stop)
                        && is_word_password(&bytes[start..stop], letters, user))
            {
                scan.known_or(
                    if is_signature(word) { "signing key" } else { "password" },
                    start..stop,
                );
            }
            return;
        }
        if bytes.get(next) != Some(&b',') {
            return;
        }
        if let (Some(start), Some(stop)) = (start, stop) {
            user = &bytes[start..stop];
        }
        at = next + 1;
    }
}

/// Whether the argument is the last one whose string ends here.
fn is_last(bytes: &[u8], stop: usize) -> bool {
    let after = stop + span(&bytes[stop..], 5, |byte| b"\\\"'`".contains(&byte));
    bytes[after..].starts_with(b")") || bytes[after..].starts_with(b".toCharArray()")
}

/// A word as a password, where nothing else can stand.
fn is_word_password(text: &[u8], least: usize, user: &[u8]) -> bool {
    text.len() >= least
        && text.iter().all(u8::is_ascii_lowercase)
        && text != user
        && !is_placeholder(text)
        && !contains_any(text, OF_NAMES)
}

/// What calls do that are named after a password and take it not: `getPassword("service", "account")`.
const READING: [&str; 13] = [
    "get", "find", "has", "is", "ask", "prompt", "read", "fetch", "load", "lookup", "delete",
    "remove", "forgot",
];

/// What those do that take more of them than one.
const COMPARING: [&str; 7] = ["change", "check", "compare", "hash", "match", "update", "verify"];

/// Whether a call begins with one of these: `get_password`, `getPassword`.
fn does(name: &[u8], verbs: &[&str]) -> bool {
    let name = name.rsplit(|byte| *byte == b'.').next().unwrap_or(name);
    verbs.iter().any(|verb| {
        starts_with(name, verb)
            && name.get(verb.len()).is_some_and(|next| *next == b'_' || next.is_ascii_uppercase())
    })
}

/// Whether the first argument of a call that is named after a password may be a word that is none:
/// `set_password("service", "…")`.
pub(super) fn is_other_word(bytes: &[u8], named: &Named, value: Value) -> bool {
    let name = &bytes[named.start..named.end];
    value.link == Link::Call
        && bytes[value.start..value.end].iter().all(u8::is_ascii_alphabetic)
        && (does(name, &READING)
            || !does(name, &COMPARING) && next_string(bytes, value.end).is_some())
}

/// Looks at the arguments after the first of a call that is named after a password.
pub(super) fn further(scan: &mut Scan<'_>, named: &Named) {
    let bytes = scan.bytes;
    let name = &bytes[named.start..named.end];
    if bytes.get(named.end) != Some(&b'(')
        || named.meaning.class() != Class::Password
        || does(name, &READING)
    {
        return;
    }
    let line = named.end + span(&bytes[named.end..], LONGEST, |byte| byte != b'\n');
    let Some((_, Some(first), _)) = argument(bytes, named.end + 1, line) else { return };
    let mut at = first;
    for _ in 0..3 {
        let Some((start, stop)) = next_string(bytes, at) else { return };
        let value = Value { start, end: stop, quoted: true, link: Link::Call };
        let telling = is_last(bytes, stop) || bytes[start..stop].iter().any(u8::is_ascii_digit);
        if telling && verdict::is_secret(bytes, named, value) {
            scan.known_or("password", start..stop);
        }
        at = stop;
    }
}

/// The string after the one that ends here, if it is the next argument.
fn next_string(bytes: &[u8], stop: usize) -> Option<(usize, usize)> {
    let after = stop + span(&bytes[stop..], 5, |byte| b"\\\"'`".contains(&byte));
    let next = bytes[after..].strip_prefix(b",")?;
    let at = bytes.len() - next.len() + span(next, 8, |byte| byte == b' ');
    let line = at + span(&bytes[at..], LONGEST, |byte| byte != b'\n');
    let (start, stop, _) = argument(bytes, at, line)?;
    Some((start?, stop?))
}

/// What stands in the quotes of an argument, if it is a string, and where the argument ends.
fn argument(bytes: &[u8], at: usize, line: usize) -> Option<(Option<usize>, Option<usize>, usize)> {
    let wraps = span(&bytes[at..line], 24, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'.' | b'(' | b'[' | b']')
    });
    let at = if bytes.get(at + wraps).is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`')) {
        at + wraps
    } else {
        at
    };
    let slashes = span(&bytes[at..line], 4, |byte| byte == b'\\');
    let mark = *bytes[..line].get(at + slashes)?;
    if matches!(mark, b'"' | b'\'' | b'`') {
        let start = at + slashes + 1;
        let length = span(&bytes[start..line], LONGEST, |byte| byte != mark);
        let stop = start + length - slashes.min(length);
        let after = start + length + 1;
        let next = after + span(bytes.get(after..line)?, 3, |byte| byte == b')');
        return Some((
            Some(start),
            Some(stop),
            if bytes.get(after) == Some(&b',') { after } else { next },
        ));
    }
    let length =
        span(&bytes[at..line], LONGEST, |byte| !matches!(byte, b',' | b')' | b'(' | b'{' | b';'));
    Some((None, None, at + length))
}

fn is_signature(word: &[u8]) -> bool {
    matches!(
        word,
        b"sign"
            | b"verify"
            | b"createHmac"
            | b"createCipheriv"
            | b"createDecipheriv"
            | b"encrypt"
            | b"decrypt"
            | b"decode"
            | b"New"
            | b"Fernet"
            | b"cookieParser"
            | b"algoliasearch"
            | b"Client"
            | b"new"
    )
}

fn is_secret(word: &[u8], text: &[u8]) -> bool {
    if text.len() < 6
        || text.contains(&b' ')
        || is_placeholder(text)
        || is_reference(text)
        || has_mark(text)
        || text.iter().any(|byte| matches!(byte, b'/' | b'@')) && !is_random(text, 12)
    {
        return false;
    }
    let digit = text.iter().any(u8::is_ascii_digit);
    match is_signature(word) {
        true => text.len() >= 16 && is_random(text, 16),
        false => digit && kinds_of_characters(text) >= 3 || is_random(text, 8),
    }
}
