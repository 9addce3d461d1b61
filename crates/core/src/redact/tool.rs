//! Commands that take a password in a short flag, and `.netrc`, which takes it after a blank.

use super::alphabet::span;
use super::judge::{is_placeholder, is_reference};
use super::mark::has_mark;
use super::scan::Scan;
use super::value::{Link, Named, Value};

/// How a command takes its password.
#[derive(Debug, Clone, Copy)]
enum Takes {
    /// `-pPASSWORD`; alone it asks.
    Attached(&'static [u8]),
    /// `-p PASSWORD` or `-pPASSWORD`.
    Flag(&'static [u8]),
    /// `-u NAME:PASSWORD`.
    UserPair(u8),
    /// The same flag, but only with this word before it.
    After(&'static [u8], &'static [u8]),
    /// `pass:PASSWORD`.
    Prefixed(&'static [u8]),
}

/// A new command is a new row.
const TOOLS: &[(&[u8], Takes)] = &[
    (b"mysql", Takes::Attached(b"-p")),
    (b"mysqldump", Takes::Attached(b"-p")),
    (b"mysqladmin", Takes::Attached(b"-p")),
    (b"mysqlimport", Takes::Attached(b"-p")),
    (b"mariadb", Takes::Attached(b"-p")),
    (b"7z", Takes::Attached(b"-p")),
    (b"sshpass", Takes::Flag(b"-p")),
    (b"cli", Takes::Flag(b"-a")),
    (b"mongo", Takes::Flag(b"-p")),
    (b"mongosh", Takes::Flag(b"-p")),
    (b"mongodump", Takes::Flag(b"-p")),
    (b"mongorestore", Takes::Flag(b"-p")),
    (b"mongoexport", Takes::Flag(b"-p")),
    (b"mongoimport", Takes::Flag(b"-p")),
    (b"ldapsearch", Takes::Flag(b"-w")),
    (b"ldapadd", Takes::Flag(b"-w")),
    (b"ldapmodify", Takes::Flag(b"-w")),
    (b"ldapwhoami", Takes::Flag(b"-w")),
    (b"zip", Takes::Flag(b"-P")),
    (b"unzip", Takes::Flag(b"-P")),
    (b"sqlcmd", Takes::Flag(b"-P")),
    (b"bcp", Takes::Flag(b"-P")),
    (b"mosquitto_pub", Takes::Flag(b"-P")),
    (b"mosquitto_sub", Takes::Flag(b"-P")),
    (b"docker", Takes::After(b"login", b"-p")),
    (b"podman", Takes::After(b"login", b"-p")),
    (b"helm", Takes::After(b"login", b"-p")),
    (b"az", Takes::After(b"login", b"-p")),
    (b"twine", Takes::After(b"upload", b"-p")),
    (b"curl", Takes::UserPair(b':')),
    (b"http", Takes::UserPair(b':')),
    (b"smbclient", Takes::UserPair(b'%')),
    (b"openssl", Takes::Prefixed(b"pass:")),
];

/// Which lengths names of commands have, by five bits of their first letter.
const LENGTHS: [u16; 32] = {
    let mut table = [0; 32];
    let mut at = 0;
    while at < TOOLS.len() {
        let tool = TOOLS[at].0;
        table[(tool[0] & 31) as usize] |= 1 << tool.len();
        at += 1;
    }
    table
};

fn takes(word: &[u8]) -> Option<Takes> {
    TOOLS.iter().find(|(tool, _)| *tool == word).map(|(_, takes)| *takes)
}

#[inline]
pub(super) fn is_tool(word: &[u8]) -> bool {
    word.len() < 16
        && LENGTHS[usize::from(word[0] & 31)] & (1 << word.len()) != 0
        && takes(word).is_some()
}

const LONGEST: usize = 2000;

/// Looks through the arguments of a command, up to the end of its line, which is returned.
pub(super) fn look(scan: &mut Scan<'_>, word: &[u8], from: usize) -> usize {
    let bytes = scan.bytes;
    let line = span(&bytes[from..], LONGEST, |byte| !matches!(byte, b'\n' | b'|' | b';'));
    let end = from + line;
    let Some(takes) = takes(word) else { return end };
    let (mut armed, mut seen) = (false, false);
    let mut at = from;
    while let Some((start, stop)) = argument(bytes, at, end) {
        at = stop + 1;
        let text = &bytes[start..stop];
        let flag = match takes {
            Takes::Attached(flag) | Takes::Flag(flag) => flag,
            Takes::After(word, flag) => {
                seen |= text == word;
                flag
            }
            Takes::UserPair(separator) => {
                if std::mem::replace(
                    &mut armed,
                    matches!(text, b"-u" | b"-U" | b"--user" | b"--proxy-user" | b"-a"),
                ) {
                    pair(scan, start, stop, separator);
                }
                continue;
            }
            Takes::Prefixed(prefix) => {
                if text.starts_with(prefix) {
                    take(scan, start + prefix.len(), stop);
                }
                continue;
            }
        };
        if matches!(takes, Takes::After(..)) && !seen {
            continue;
        }
        if armed {
            armed = false;
            take(scan, start, stop);
        } else if text == flag {
            armed = !matches!(takes, Takes::Attached(_));
        } else if text.starts_with(flag) && text.len() > flag.len() + 2 {
            let quote = usize::from(matches!(text[flag.len()], b'"' | b'\''));
            take(scan, start + flag.len() + quote, stop - quote);
        }
    }
    end
}

/// The next argument, without its quotes.
fn argument(bytes: &[u8], from: usize, end: usize) -> Option<(usize, usize)> {
    let start = from + span(bytes.get(from..end)?, LONGEST, |byte| byte.is_ascii_whitespace());
    let first = *bytes.get(start).filter(|_| start < end)?;
    if matches!(first, b'"' | b'\'') {
        let length = span(&bytes[start + 1..end], LONGEST, |byte| byte != first);
        return Some((start + 1, start + 1 + length));
    }
    let length =
        span(&bytes[start..end], LONGEST, |byte| !byte.is_ascii_whitespace() && byte != b'`');
    Some((start, start + length.max(1)))
}

fn pair(scan: &mut Scan<'_>, start: usize, end: usize, separator: u8) {
    if let Some(at) = scan.bytes[start..end].iter().position(|byte| *byte == separator) {
        take(scan, start + at + 1, end);
    }
}

fn take(scan: &mut Scan<'_>, start: usize, end: usize) {
    let Some(text) = scan.bytes.get(start..end) else { return };
    let end =
        end - usize::from(text.ends_with(b"\"") || text.ends_with(b"'") || text.ends_with(b"`"));
    let Some(text) = scan.bytes.get(start..end) else { return };
    if text.len() < 4
        || text.starts_with(b"-")
        || text.contains(&b' ')
        || is_placeholder(text)
        || is_reference(text)
        || has_mark(text)
    {
        return;
    }
    scan.known_or("password", start..end);
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
