//! Shapes that are known by something else than how they begin.

use super::alphabet::{Alphabet, is_word, span, span_back};
use super::codes;
use super::random::{is_hex, is_made_up, is_random};
use super::scan::Scan;

/// Looks at the word from `at` to `end`; says where to go on if a secret was found.
#[inline]
pub(super) fn look(scan: &mut Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let length = end - at;
    let bytes = scan.bytes;
    let next = bytes.get(end).copied();
    match length {
        4 if next == Some(b':') && &bytes[at..end] == b"WIFI" => wifi(scan, end),
        4..=5 if next == Some(b':') && at > 0 && bytes[at - 1] == b':' => pgpass(scan, at, end),
        6 if next == Some(b'-') => recovery_key(scan, at),
        8..=13 if next == Some(b':') => telegram(scan, at, end),
        14 if next == Some(b'.') => terraform(scan, at, end),
        32 if next == Some(b':') => ntlm(scan, at, end),
        32 if next == Some(b'-') => mailchimp(scan, at, end),
        40 => suffixed(scan, at, end),
        56 => stellar(scan, at, end),
        76..=84 => azure_key(scan, at, end),
        _ => None,
    }
}

/// `123456-…`, eight groups.
fn recovery_key(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
    let range = codes::bitlocker(scan.bytes, at)?;
    let end = range.end;
    scan.hit("recovery key", range);
    Some(end)
}

/// `123456789:AA…`, a bot of Telegram; `/bot` may stand before it in an address.
fn telegram(scan: &mut Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let at = if bytes[at..end].starts_with(b"bot") { at + 3 } else { at };
    let body = bytes.get(end + 1..end + 36)?;
    let word = |byte: &u8| is_word(*byte) || *byte == b'-';
    let digits = (8..=10).contains(&(end - at)) && bytes[at..end].iter().all(u8::is_ascii_digit);
    let whole = body.iter().all(word) && !bytes.get(end + 36).is_some_and(word);
    if !digits || !body.starts_with(b"AA") || !whole || is_made_up(body) {
        return None;
    }
    scan.hit("telegram bot token", at..end + 36);
    Some(end + 36)
}

/// `LM:NT:::`, hashes of passwords of Windows.
fn ntlm(scan: &mut Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let stop = end + 33;
    let second = bytes.get(end + 1..stop)?;
    let hashes = is_hex(&bytes[at..end]) && is_hex(second) && bytes[stop..].starts_with(b":::");
    hashes.then(|| scan.hit("password hash", at..stop))?;
    Some(stop)
}

/// Fourteen characters, `.atlasv1.`, and the rest.
fn terraform(scan: &mut Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let body = bytes.get(end..)?.strip_prefix(b".atlasv1.")?;
    let length = span(body, 80, |byte| Alphabet::Base64Url.has(byte));
    if length < 60 || is_made_up(&body[..length]) {
        return None;
    }
    let end = end + ".atlasv1.".len() + length;
    scan.hit("terraform cloud token", at..end);
    Some(end)
}

/// 32 hexadecimal digits and the data centre: `-us14`.
fn mailchimp(scan: &mut Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let centre = bytes.get(end..)?.strip_prefix(b"-us")?;
    let digits = span(centre, 3, |byte| byte.is_ascii_digit());
    let key = &bytes[at..end];
    if !matches!(digits, 1 | 2) || !is_hex(key) || is_made_up(key) {
        return None;
    }
    scan.hit("mailchimp key", at..end + 3 + digits);
    Some(end + 3 + digits)
}

/// Forty characters that end in a sign of the provider.
fn suffixed(scan: &mut Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let word = &scan.bytes[at..end];
    let kind = if word.ends_with(b"NRAL") {
        "new relic license key"
    } else if word.ends_with(b"_mmk") {
        "maxmind key"
    } else {
        return None;
    };
    (!is_made_up(word)).then(|| scan.hit(kind, at..end))?;
    Some(end)
}

/// Keys of Azure have a sign after 52 characters, or one near the end.
fn azure_key(scan: &mut Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let word = &scan.bytes[at..end];
    let kind = if word.get(76..80) == Some(b"AZDO") {
        "azure devops token"
    } else if word.get(52..57) == Some(b"JQQJ9") {
        "azure key"
    } else {
        return None;
    };
    (!is_made_up(word)).then(|| scan.hit(kind, at..end))?;
    Some(end)
}

/// A version and 55 characters of base32: `S…`, the seed of an account of Stellar.
fn stellar(scan: &mut Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let word = &scan.bytes[at..end];
    let base32 = |byte: &u8| byte.is_ascii_uppercase() || (b'2'..=b'7').contains(byte);
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    (word[0] == b'S' && digits >= 3 && word.iter().all(base32) && !is_made_up(word))
        .then(|| scan.hit("stellar seed", at..end))?;
    Some(end)
}

/// Marks in keys of Azure: the mark, where in the key it stands, and how long that is without `=`.
const AZURE_MARKS: &[(&[u8], usize, usize)] = &[
    (b"AzFu", 44, 54),
    (b"AzFu", 44, 52),
    (b"AzSe", 42, 52),
    (b"AzCa", 33, 43),
    (b"ACDb", 76, 86),
    (b"+ACR", 42, 52),
    (b"+ASt", 76, 86),
    (b"+ABa", 76, 86),
    (b"+ASb", 33, 43),
    (b"+AEh", 33, 43),
    (b"AIoT", 33, 43),
];

/// Whether one of these stands in a word.
#[inline]
pub(super) fn may_be_azure(word: &[u8]) -> bool {
    word.array_windows::<4>().any(|part| AZURE_MARKS.iter().any(|(mark, ..)| mark == part))
}

/// A key of Azure around this place in it.
pub(super) fn azure_marked(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let start = at - span_back(&bytes[..at], 90, part);
    let end = at + span(&bytes[at..], 90, part);
    let key = &bytes[start..end];
    let marked = AZURE_MARKS
        .iter()
        .any(|(mark, place, length)| key.len() == *length && key[*place..].starts_with(mark));
    if !marked || is_made_up(key) || !is_random(key, 24) {
        return None;
    }
    let end = end + span(&bytes[end..], 2, |byte| byte == b'=');
    scan.hit("azure key", start..end);
    Some(end)
}

/// At the `@` of `bob@host.org:PASSWORD`, which ends its line and begins it, or follows one field with a host.
pub(super) fn mail_login(scan: &mut Scan<'_>, at: usize) {
    let bytes = scan.bytes;
    let part = |byte: u8| is_word(byte) || matches!(byte, b'-' | b'.');
    let domain = at + 1 + span(&bytes[at + 1..], 80, part);
    if bytes.get(domain) != Some(&b':') || !bytes[at..domain].contains(&b'.') {
        return;
    }
    let start = domain + 1;
    let end = start + span(&bytes[start..], 80, |byte| byte.is_ascii_graphic());
    let text = &bytes[start..end];
    let line = &bytes[at - span_back(&bytes[..at], 160, |byte| byte != b'\n')..at];
    let mut fields = line.rsplit(|byte| matches!(byte, b' ' | b':'));
    let user = fields.next().unwrap_or_default();
    let host = &line[..line.len() - user.len()].trim_ascii_end();
    let alone = host.is_empty()
        || host.contains(&b'.') && !host.iter().any(|byte| matches!(byte, b' ' | b'\t' | b'/'));
    // `git@host.org:path`.
    let path = user == b"git" || text.iter().any(|byte| matches!(byte, b'/' | b'.' | b'~'));
    let digit = text.iter().any(u8::is_ascii_digit);
    if alone
        && !path
        && digit
        && !user.is_empty()
        && user.iter().all(|byte| part(*byte) || *byte == b'+')
        && matches!(bytes.get(end), None | Some(b'\n' | b'\r'))
        && (super::random::kinds_of_characters(text) >= 3 || is_random(text, 8))
    {
        super::tool::take(scan, start, end);
    }
}

/// At the `@` of `user:password@tcp(host:3306)/db`.
pub(super) fn go_source(scan: &mut Scan<'_>, at: usize) {
    let bytes = scan.bytes;
    let part = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'`' | b'\'' | b'\\');
    let start = at - span_back(&bytes[..at], 200, part);
    if let Some(colon) = bytes[start..at].iter().position(|byte| *byte == b':') {
        super::tool::take(scan, start + colon + 1, at);
    }
}

/// `WIFI:T:WPA;S:office;P:…;;`, as codes for telephones have it.
fn wifi(scan: &mut Scan<'_>, end: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let line = &bytes[end..end + span(&bytes[end..], 200, |byte| byte != b'\n')];
    let found = line.windows(3).position(|part| matches!(part, [b':' | b';', b'P', b':']))? + 3;
    let length = span(&line[found..], 200, |byte| byte != b';');
    super::tool::take(scan, end + found, end + found + length);
    Some(end + found + length)
}

/// At the `~` of `…8Q~…`: three characters before, 31 to 34 after.
pub(super) fn azure_secret(scan: &mut Scan<'_>, at: usize) {
    let bytes = scan.bytes;
    let part = |byte: u8| is_word(byte) || matches!(byte, b'.' | b'-' | b'~');
    if at < 5 || bytes[at - 1] != b'Q' || !bytes[at - 2].is_ascii_digit() {
        return;
    }
    let before = span_back(&bytes[..at], 6, part);
    let after = span(&bytes[at + 1..], 40, part);
    let range = at - 5..at + 1 + after;
    if before == 5 && (31..=34).contains(&after) && !is_made_up(&bytes[range.clone()]) {
        scan.hit("azure client secret", range);
    }
}

/// At the port of `host:5432:database:user:password`, alone on its line.
fn pgpass(scan: &mut Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let bytes = scan.bytes;
    if !bytes[at..end].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let host = span_back(&bytes[..at - 1], 100, |byte| {
        is_word(byte) || matches!(byte, b'.' | b'-' | b'*')
    });
    let begins = (at - 1 - host)
        .checked_sub(1)
        .is_none_or(|before| matches!(bytes[before], b'\n' | b'"' | b'`' | b'\'' | b' '));
    let rest = &bytes[end + 1..];
    let line = &rest[..span(rest, 200, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'"' | b'`' | b'\'' | b'\\')
    })];
    let ends = rest
        .get(line.len())
        .is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b'"' | b'`' | b'\'' | b'\\'));
    let mut fields = line.splitn(3, |byte| *byte == b':');
    let (Some(database), Some(user), Some(password)) =
        (fields.next(), fields.next(), fields.next())
    else {
        return None;
    };
    let named = |field: &[u8]| {
        !field.is_empty()
            && field.iter().all(|byte| is_word(*byte) || matches!(byte, b'-' | b'*' | b'.'))
    };
    let lettered =
        |field: &[u8]| field.iter().any(|byte| byte.is_ascii_alphabetic() || *byte == b'*');
    // An address of IPv6.
    let whole = &bytes[at - 1 - host..end + 1 + line.len()];
    let address = whole.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b':')
        && whole.split(|byte| *byte == b':').all(|group| group.len() <= 4);
    if host == 0
        || address
        || !begins
        || !ends
        || !named(database)
        || !named(user)
        || !lettered(user)
        || !lettered(database)
        || password.len() < 6
    {
        return None;
    }
    if super::judge::is_placeholder(password)
        || super::judge::is_reference(password)
        || super::random::kinds_of_characters(password) < 2
    {
        return None;
    }
    let stop = end + 1 + line.len();
    scan.hit("password", stop - password.len()..stop);
    Some(stop)
}
