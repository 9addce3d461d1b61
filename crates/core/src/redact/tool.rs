//! Commands that take a password in a short flag, and `.netrc`, which takes it after a blank.

use super::alphabet::{span, span_back};
use super::header;
use super::judge::{is_placeholder, is_reference};
use super::lexicon::Lexicon;
use super::mark::has_mark;
use super::random::{is_random, kinds_of_characters};
use super::scan::Scan;
use super::tools::{TOOLS, Takes};
use super::value::{Link, Named, Value};

use super::tools::Takes::{
    After, AtHost, Attached, Cookies, Flag, Net, PairAfter, Place, Prefixed, Prints, Quoted,
    Random, Slash, UserPair,
};

const NAMES: Lexicon = {
    let mut names = Lexicon::empty();
    let mut at = 0;
    while at < TOOLS.len() {
        names = names.with(TOOLS[at].0);
        at += 1;
    }
    names
};

#[inline]
pub(super) fn is_tool(word: &[u8]) -> bool {
    NAMES.may_have(word) && TOOLS.iter().any(|(tool, _)| *tool == word)
}

const LONGEST: usize = 2000;
/// So many commands that run others are looked at in a line.
const MOST_NESTED: usize = 3;

/// As `look`; in `docker exec db mysql -pX` the other command is looked at too, of which there are `nested` already.
pub(super) fn look_nested(
    scan: &mut Scan<'_>,
    word: &[u8],
    from: usize,
    nested: usize,
) -> (usize, usize) {
    let end = look(scan, word, from);
    match matches!(word, b"docker" | b"podman") && nested < MOST_NESTED {
        true => (from, nested + 1),
        false => (end, nested),
    }
}

/// Where the arguments begin of a command whose name ends here, also in a list: `["mysql", "-p", "X"]`.
pub(super) fn begins(bytes: &[u8], end: usize) -> Option<usize> {
    match bytes[end..] {
        [b' ', ..] => Some(end),
        [b'"', b',', b' ', b'"', ..] | [b'\'', b',', b' ', b'\'', ..] => Some(end + 1),
        [b'"' | b'\'', b',', b' ', b'[', ..] => Some(end + 4),
        _ => None,
    }
}

/// Looks through the arguments of a command, up to the end of its line, which is returned.
fn look(scan: &mut Scan<'_>, word: &[u8], from: usize) -> usize {
    let bytes = scan.bytes;
    let line = span(&bytes[from..], LONGEST, |byte| !matches!(byte, b'\n' | b'|' | b';'));
    let end = from + line;
    for (_, takes) in TOOLS.iter().filter(|(tool, _)| *tool == word) {
        match *takes {
            Attached(flag) => flagged(scan, from, end, None, flag, false),
            Flag(flag) => flagged(scan, from, end, None, flag, true),
            After(word, flag) => flagged(scan, from, end, Some(word), flag, true),
            UserPair(separator) => pairs(scan, from, end, separator),
            Prefixed(prefix) => prefixed(scan, from, end, prefix),
            Place(words, place) => placed(scan, from, end, words, place),
            Slash => slash(scan, from, end),
            Quoted => secure_string(scan, from, end),
            Net => net(scan, from, end),
            AtHost => at_host(scan, from, end),
            Cookies => cookies(scan, from, end),
            Prints(word) => printed(scan, from, end, word),
            PairAfter(word) | Random(word) => after_word(scan, from, end, word, *takes),
        }
    }
    end
}

/// The arguments of a command, each with where it begins and ends.
fn arguments(bytes: &[u8], from: usize, end: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut at = from;
    std::iter::from_fn(move || {
        loop {
            let (start, stop) = argument(bytes, at, end)?;
            at = after_argument(bytes, stop);
            // In a list of strings commas stand between.
            if &bytes[start..stop] != b"," {
                return Some((start, stop));
            }
        }
    })
}

fn flagged(
    scan: &mut Scan<'_>,
    from: usize,
    end: usize,
    word: Option<&[u8]>,
    flag: &[u8],
    apart: bool,
) {
    let bytes = scan.bytes;
    let (mut armed, mut seen) = (false, word.is_none());
    for (start, stop) in arguments(bytes, from, end) {
        let text = &bytes[start..stop];
        seen |= Some(text) == word;
        if !seen {
            continue;
        }
        if armed {
            armed = false;
            take(scan, start, stop);
        } else if text == flag {
            armed = apart;
        } else if text.starts_with(flag) && text.len() > flag.len() + 2 {
            let quote = usize::from(matches!(text[flag.len()], b'"' | b'\''));
            take(scan, start + flag.len() + quote, stop - quote);
        }
    }
}

/// Pairs, or what is random, among the arguments after a word.
fn after_word(scan: &mut Scan<'_>, from: usize, end: usize, word: &[u8], takes: Takes) {
    let bytes = scan.bytes;
    let is_word = |(start, stop): &(usize, usize)| bytes[*start..*stop].ends_with(word);
    for (start, stop) in
        arguments(bytes, from, end).skip_while(|argument| !is_word(argument)).skip(1)
    {
        match takes {
            PairAfter(_) => user_pair(scan, start, stop),
            _ if is_random(&bytes[start..stop], 24) => take_as(scan, "token", start, stop),
            _ => {}
        }
    }
}

fn pairs(scan: &mut Scan<'_>, from: usize, end: usize, separator: u8) {
    let bytes = scan.bytes;
    let mut armed = false;
    for (start, stop) in arguments(bytes, from, end) {
        let text = &bytes[start..stop];
        let flag =
            matches!(text, b"-u" | b"-U" | b"--user" | b"--proxy-user" | b"-a" | b"--auth" | b"-A");
        let attached = ["--user=", "--proxy-user=", "--auth=", "-u", "-U"]
            .iter()
            .find(|flag| text.starts_with(flag.as_bytes()));
        if std::mem::replace(&mut armed, flag) {
            pair(scan, start, stop, separator);
        } else if let Some(attached) = attached.filter(|_| !flag) {
            pair(scan, start + attached.len(), stop, separator);
        }
    }
}

/// At `-u NAME:PASSWORD` of a command that is not known: only what cannot be anything else.
pub(super) fn any_pair(scan: &mut Scan<'_>, at: usize) {
    let bytes = scan.bytes;
    let end = at + span(&bytes[at..], 300, |byte| byte != b'\n');
    let before = at.checked_sub(1).map(|before| bytes[before]);
    let Some((start, stop)) = argument(bytes, at + 2, end).filter(|_| before == Some(b' ')) else {
        return;
    };
    user_pair(scan, start, stop);
}

/// After the `=` of `--user=NAME:PASSWORD`.
pub(super) fn user_flag(scan: &mut Scan<'_>, at: usize) {
    let end = at + span(&scan.bytes[at..], 300, |byte| byte != b'\n');
    if let Some((start, stop)) = argument(scan.bytes, at, end) {
        user_pair(scan, start, stop);
    }
}

/// `NAME:PASSWORD`, where it may also be `UID:GID` or a pair of words.
pub(super) fn user_pair(scan: &mut Scan<'_>, start: usize, stop: usize) {
    let text = &scan.bytes[start..stop];
    let Some(colon) = text.iter().position(|byte| *byte == b':') else { return };
    let password = &text[colon + 1..];
    let digit = password.iter().any(u8::is_ascii_digit);
    let telling = digit && kinds_of_characters(password) >= 2 || is_random(password, 8);
    if colon > 0 && password.len() >= 6 && telling && !text[..colon].contains(&b'/') {
        take(scan, start + colon + 1, stop);
    }
}

fn prefixed(scan: &mut Scan<'_>, from: usize, end: usize, prefix: &[u8]) {
    let bytes = scan.bytes;
    for (start, stop) in arguments(bytes, from, end) {
        if bytes[start..stop].starts_with(prefix) {
            let start = start + prefix.len();
            let quote = usize::from(matches!(bytes.get(start), Some(b'"' | b'\'')));
            take(scan, start + quote, stop);
        }
    }
}

/// The argument at a place after some words, flags not counted.
fn placed(scan: &mut Scan<'_>, from: usize, end: usize, words: &[&[u8]], place: usize) {
    let bytes = scan.bytes;
    let in_prose = words.is_empty() || matches!(words, [b"PLAIN"]);
    let words_of = words;
    let mut words = words.iter();
    let mut next = words.next();
    let mut left = place;
    for (start, stop) in arguments(bytes, from, end) {
        let text = &bytes[start..stop];
        match next {
            Some(word) if *word == text => next = words.next(),
            Some(_) => {}
            None if text.starts_with(b"-") => {}
            // The next command of `steamcmd`.
            None if text.starts_with(b"+") && words_of == [b"+login"] => return,
            None if left == 0 => {
                // A sentence about the command.
                let told = &bytes[start..stop];
                let quote = start.checked_sub(1).map_or(b' ', |before| bytes[before]);
                let sql = !matches!(words_of, [b"BY" | b"by"])
                    || quote == b'\''
                    || quote == b'"' && words_of == [b"BY"];
                if sql && (!in_prose || kinds_of_characters(told) >= 2) {
                    take(scan, start, stop);
                }
                return;
            }
            None => left -= 1,
        }
    }
}

/// After `jdbc:oracle:thin:`.
pub(super) fn oracle(scan: &mut Scan<'_>, from: usize) {
    let end = from + span(&scan.bytes[from..], 300, |byte| byte.is_ascii_graphic());
    slash(scan, from, end);
}

/// `scott/PASSWORD@db`, the first argument that looks so.
fn slash(scan: &mut Scan<'_>, from: usize, end: usize) {
    let bytes = scan.bytes;
    for (start, stop) in arguments(bytes, from, end) {
        let text = &bytes[start..stop];
        let Some(at) = text.iter().position(|byte| *byte == b'/') else { continue };
        let host = text.iter().rposition(|byte| *byte == b'@').filter(|host| *host > at);
        let password = &text[at + 1..];
        let clear =
            host.is_some() || password.iter().any(u8::is_ascii_digit) && !password.contains(&b'.');
        if at > 0 && clear && text[..at].iter().all(u8::is_ascii_alphanumeric) {
            return take(scan, start + at + 1, host.map_or(stop, |host| start + host));
        }
    }
}

/// After `ConvertTo-`: its text, which may follow `-String`.
fn secure_string(scan: &mut Scan<'_>, from: usize, end: usize) {
    let bytes = scan.bytes;
    let start = from - "SecureString".len();
    if !bytes[..start].ends_with(b"ConvertTo-") {
        return;
    }
    let plain = bytes[from..end].windows(12).any(|part| part == b"-AsPlainText");
    // `'PW' | ConvertTo-SecureString`.
    let before = bytes[..start - "ConvertTo-".len()].trim_ascii_end();
    if let Some(text) = before.strip_suffix(b"|").map(<[u8]>::trim_ascii_end)
        && let Some((mark @ (b'"' | b'\''), inner)) = text.split_last()
    {
        let length = span_back(inner, 200, |byte| byte != *mark && byte != b'\n');
        return take(scan, inner.len() - length, inner.len());
    }
    let text = arguments(bytes, from, end).find(|(start, _)| bytes.get(*start) != Some(&b'-'));
    if let Some((start, stop)) = text.filter(|_| plain) {
        take(scan, start, stop);
    }
}

/// `net use Z: \\server\share PASSWORD /user:NAME`, also with the name before it, and
/// `net user NAME PASSWORD /add`.
fn net(scan: &mut Scan<'_>, from: usize, end: usize) {
    let bytes = scan.bytes;
    let mut all = arguments(bytes, from, end);
    // A quotation mark at the end of the text opens an argument of which nothing is there.
    let is_option = |(start, _): &(usize, usize)| bytes.get(*start) == Some(&b'/');
    let is_value = |argument: &(usize, usize)| !is_option(argument);
    let Some((start, stop)) = all.next() else { return };
    let value = match &bytes[start..stop].to_ascii_lowercase()[..] {
        b"use" => {
            let share = all.find(|(start, stop)| bytes[*start..*stop].starts_with(b"\\\\"));
            share.and_then(|_| all.find(is_value))
        }
        b"user" => {
            let values: Vec<_> = all.collect();
            let adds = values.iter().any(is_option);
            values
                .into_iter()
                .filter(is_value)
                .nth(1)
                .filter(|(start, stop)| adds || kinds_of_characters(&bytes[*start..*stop]) >= 3)
        }
        _ => None,
    };
    if let Some((start, stop)) = value {
        take(scan, start, stop);
    }
}

/// `app:PASSWORD@db`.
fn at_host(scan: &mut Scan<'_>, from: usize, end: usize) {
    let bytes = scan.bytes;
    for (start, stop) in arguments(bytes, from, end) {
        let text = &bytes[start..stop];
        let colon = text.iter().position(|byte| *byte == b':');
        let host = text.iter().rposition(|byte| *byte == b'@');
        if let (Some(colon), Some(host)) = (colon, host)
            && colon < host
            && !text[colon..].starts_with(b"://")
        {
            let quote = span(&text[colon + 1..], 1, |byte| matches!(byte, b'"' | b'\''));
            return take(scan, start + colon + 1 + quote, start + host);
        }
    }
}

fn cookies(scan: &mut Scan<'_>, from: usize, end: usize) {
    let bytes = scan.bytes;
    let mut armed = false;
    for (start, stop) in arguments(bytes, from, end) {
        let flag = matches!(&bytes[start..stop], b"-b" | b"--cookie");
        if std::mem::replace(&mut armed, flag) {
            header::cookie_pairs(scan, start, stop);
        }
    }
}

/// What stands alone on the line after a command that prints a secret.
fn printed(scan: &mut Scan<'_>, from: usize, end: usize, word: &[u8]) {
    let bytes = scan.bytes;
    if bytes.get(end) != Some(&b'\n')
        || !arguments(bytes, from, end).any(|(s, e)| &bytes[s..e] == word)
    {
        return;
    }
    let start = end + 1;
    let stop = start + span(&bytes[start..], 200, |byte| byte.is_ascii_graphic());
    let text = &bytes[start..stop];
    let telling = kinds_of_characters(text) >= 3 || is_random(text, 8);
    if matches!(bytes.get(stop), None | Some(b'\n' | b'\r')) && text.len() >= 6 && telling {
        take(scan, start, stop);
    }
}

/// The next argument, without its quotes.
pub(super) fn argument(bytes: &[u8], from: usize, end: usize) -> Option<(usize, usize)> {
    let start = from + span(bytes.get(from..end)?, LONGEST, |byte| byte.is_ascii_whitespace());
    let first = *bytes.get(start).filter(|_| start < end)?;
    // `\"…\"`, in a string of JSON.
    let slashes = span(&bytes[start..end], 4, |byte| byte == b'\\');
    if slashes > 0
        && matches!(bytes.get(start + slashes), Some(b'"' | b'\''))
        && start + slashes < end
    {
        let opening = &bytes[start..=start + slashes];
        let inner = &bytes[start + slashes + 1..end];
        let length =
            inner.windows(opening.len()).position(|part| part == opening).unwrap_or(inner.len());
        return Some((start + slashes + 1, start + slashes + 1 + length));
    }
    if matches!(first, b'"' | b'\'') {
        let length = span(&bytes[start + 1..end], LONGEST, |byte| byte != first);
        return Some((start + 1, start + 1 + length));
    }
    let length =
        span(&bytes[start..end], LONGEST, |byte| !byte.is_ascii_whitespace() && byte != b'`');
    // The end of a string that holds the whole command.
    let text = &bytes[start..start + length];
    let closes = |at: &usize| match text[*at] {
        // `\\\\nas\\share` has no line ends.
        b'\\' if text.starts_with(b"\\\\") => text.get(at + 1) == Some(&b'"'),
        b'\\' => matches!(text.get(at + 1), Some(b'"' | b'n' | b'r')),
        b'"' | b'\'' => {
            !text[..*at].contains(&text[*at])
                && text.get(at + 1).is_none_or(|next| b",}])\\".contains(next))
        }
        _ => false,
    };
    let length = (1..length).find(closes).unwrap_or(length);
    Some((start, start + length.max(1)))
}

/// Where to look for the next one: after its quotation mark, too.
pub(super) fn after_argument(bytes: &[u8], stop: usize) -> usize {
    stop + 1 + span(&bytes[stop.min(bytes.len())..], 4, |byte| byte == b'\\')
}

fn pair(scan: &mut Scan<'_>, start: usize, end: usize, separator: u8) {
    if let Some(at) = scan.bytes[start..end].iter().position(|byte| *byte == separator) {
        take(scan, start + at + 1, end);
    }
}

pub(super) fn take(scan: &mut Scan<'_>, start: usize, end: usize) {
    take_as(scan, "password", start, end);
}

pub(super) fn take_as(scan: &mut Scan<'_>, kind: &str, start: usize, end: usize) {
    let Some(text) = scan.bytes.get(start..end) else { return };
    let end =
        end - usize::from(text.ends_with(b"\"") || text.ends_with(b"'") || text.ends_with(b"`"));
    let Some(text) = scan.bytes.get(start..end) else { return };
    if text.len() < 4
        || text.starts_with(b"-")
        || text.contains(&b' ')
        || [".txt", ".lst", ".list", ".json", ".pem"]
            .iter()
            .any(|end| text.ends_with(end.as_bytes()))
        || is_placeholder(text)
        || is_reference(text)
        || has_mark(text)
    {
        return;
    }
    scan.known_or(kind, start..end);
}

/// `machine … login … password …`, also on lines of their own.
pub(super) fn is_netrc(bytes: &[u8], named: &Named, value: Value) -> bool {
    let name = &bytes[named.start..named.end];
    let text = &bytes[value.start..value.end];
    let before = &bytes[named.start.saturating_sub(200)..named.start];
    let has = |word: &[u8]| before.windows(word.len()).any(|part| part == word);
    name == b"password"
        && value.link == Link::Blank
        && has(b"login ")
        && has(b"machine ")
        && text.len() >= 4
        && !is_placeholder(text)
        && !is_reference(text)
        && !has_mark(text)
}
