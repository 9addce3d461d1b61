//! Passwords that a command is given on its standard input: `echo PW | sudo -S`, `chpasswd <<< u:PW`, `<<EOF`, and
//! the answers that `expect` sends.

use std::ops::Range;

use super::alphabet::{is_word, span, span_back};
use super::lexicon::Lexicon;
use super::scan::Scan;
use super::tool::{after_argument, argument, take};

/// What a command reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// A password if this stands in its arguments, or at once.
    Password(&'static [u8]),
    /// `NAME:PASSWORD`.
    Pair,
    /// Not what is read, but what is sent: `send "PW\r"`.
    Sends,
}

/// A new command is a new row.
const READERS: &[(&[u8], Reads)] = &[
    (b"sudo", Reads::Password(b"-S")),
    (b"sudo", Reads::Password(b"-kS")),
    (b"sudo", Reads::Password(b"-Sk")),
    (b"sudo", Reads::Password(b"--stdin")),
    (b"su", Reads::Password(b"")),
    (b"passwd", Reads::Password(b"--stdin")),
    (b"smbpasswd", Reads::Password(b"-s")),
    (b"docker", Reads::Password(b"--password-stdin")),
    (b"podman", Reads::Password(b"--password-stdin")),
    (b"helm", Reads::Password(b"--password-stdin")),
    (b"buildah", Reads::Password(b"--password-stdin")),
    (b"skopeo", Reads::Password(b"--password-stdin")),
    (b"crane", Reads::Password(b"--password-stdin")),
    (b"oras", Reads::Password(b"--password-stdin")),
    (b"gh", Reads::Password(b"--with-token")),
    (b"glab", Reads::Password(b"--stdin")),
    (b"cryptsetup", Reads::Password(b"-")),
    (b"gpg", Reads::Password(b"--passphrase-fd")),
    (b"gpg2", Reads::Password(b"--passphrase-fd")),
    (b"openssl", Reads::Password(b"stdin")),
    (b"vault", Reads::Password(b"-")),
    (b"docker", Reads::Password(b"secret")),
    (b"podman", Reads::Password(b"secret")),
    (b"vercel", Reads::Password(b"env")),
    (b"wrangler", Reads::Password(b"put")),
    (b"openconnect", Reads::Password(b"--passwd-on-stdin")),
    (b"realm", Reads::Password(b"join")),
    (b"vncpasswd", Reads::Password(b"-f")),
    (b"passwd", Reads::Password(b"")),
    (b"kinit", Reads::Password(b"")),
    (b"pw", Reads::Password(b"-h")),
    (b"ecryptfs-add-passphrase", Reads::Password(b"")),
    (b"p4", Reads::Password(b"login")),
    (b"zfs", Reads::Password(b"load-key")),
    (b"zfs", Reads::Password(b"create")),
    (b"anydesk", Reads::Password(b"--set-password")),
    (b"argon2", Reads::Password(b"")),
    (b"bw", Reads::Password(b"unlock")),
    (b"chpasswd", Reads::Pair),
    (b"send", Reads::Sends),
    (b"sendline", Reads::Sends),
];

const WORDS: Lexicon = {
    let mut words = Lexicon::empty();
    let mut at = 0;
    while at < READERS.len() {
        words = words.with(READERS[at].0);
        at += 1;
    }
    words
};

/// How far a pipe reaches back, and the arguments after it.
const FARTHEST: usize = 300;

#[inline]
pub(super) fn is_reader(word: &[u8]) -> bool {
    WORDS.may_have(word) && READERS.iter().any(|(reader, _)| *reader == word)
}

/// Looks at what the command from `at` to `end` reads.
pub(super) fn look(scan: &mut Scan<'_>, at: usize, end: usize) {
    let bytes = scan.bytes;
    let word = &bytes[at..end];
    if word == b"chpasswd" && bytes[end..].starts_with(b":\n") {
        return listed(scan, end + 2);
    }
    let line = end + span(&bytes[end..], FARTHEST, |byte| !matches!(byte, b'\n' | b'|' | b';'));
    for (_, reads) in READERS.iter().filter(|(reader, _)| *reader == word) {
        match reads {
            Reads::Sends => return sent(scan, at, end),
            Reads::Password(flag) if !flag.is_empty() && !has_argument(bytes, end, line, flag) => {}
            _ => {
                let most = match (reads, word) {
                    (Reads::Pair, _) => usize::MAX,
                    // What it reads after its password is a script.
                    (_, b"su") => 0,
                    _ => FEW_LINES,
                };
                let inputs = inputs(scan, at, line, most);
                if inputs.is_empty() {
                    continue;
                }
                for input in inputs {
                    let before = match reads {
                        Reads::Pair => bytes[input.clone()].iter().position(|byte| *byte == b':'),
                        _ => None,
                    };
                    if before.is_some() || !matches!(reads, Reads::Pair) {
                        take(scan, input.start + before.map_or(0, |colon| colon + 1), input.end);
                    }
                }
                return;
            }
        }
    }
}

/// The lines `NAME:PASSWORD` below `chpasswd:`, as cloud-init has them.
fn listed(scan: &mut Scan<'_>, from: usize) {
    if from < scan.document_until {
        return;
    }
    let bytes = scan.bytes;
    let mut at = from;
    while at < bytes.len().min(from + LONGEST_DOCUMENT) && bytes[at] == b' ' {
        let line = &bytes[at..at + span(&bytes[at..], FARTHEST, |byte| byte != b'\n')];
        let start = span(line, FARTHEST, |byte| matches!(byte, b' ' | b'-'));
        let name = start + span(&line[start..], 40, |byte| is_word(byte) || byte == b'-');
        if line.get(name) == Some(&b':') && name > start {
            take(scan, at + name + 1, at + line.len());
        }
        at += line.len() + 1;
    }
    scan.document_until = at;
}

/// A command that is fed a secret, whatever its name, as this part of it says.
pub(super) fn fed(scan: &mut Scan<'_>, at: usize, end: usize) {
    let line =
        end + span(&scan.bytes[end..], FARTHEST, |byte| !matches!(byte, b'\n' | b'|' | b';'));
    for input in inputs(scan, at, line, FEW_LINES) {
        take(scan, input.start, input.end);
    }
}

/// What `<<<` gives to a command.
pub(super) fn given(scan: &mut Scan<'_>, end: usize) {
    let line =
        end + span(&scan.bytes[end..], FARTHEST, |byte| !matches!(byte, b'\n' | b'|' | b';'));
    if let Some(range) = here(scan.bytes, end, line) {
        for input in lines(scan.bytes, range) {
            take(scan, input.start, input.end);
        }
    }
}

/// The lines that a command reads which has a word at `at` and ends with `line`; `most` is how many a document may have.
fn inputs(scan: &mut Scan<'_>, at: usize, line: usize, most: usize) -> Vec<Range<usize>> {
    let bytes = scan.bytes;
    if let Some(lines) = document(scan, at, line, most) {
        return lines;
    }
    let Some(range) = piped(bytes, at).or_else(|| here(bytes, at, line)) else { return Vec::new() };
    first_of_two(bytes, &range).into_iter().chain(lines(bytes, range)).collect()
}

/// A document is read up to here, and one that is a secret has so few lines.
const LONGEST_DOCUMENT: usize = 4000;
const FEW_LINES: usize = 2;

/// The lines of the document that this command reads, or the one before its pipe: `cat <<EOF | docker login …`. Of
/// `NAME=VALUE` only the value.
fn document(scan: &mut Scan<'_>, at: usize, line: usize, most: usize) -> Option<Vec<Range<usize>>> {
    let bytes = scan.bytes;
    let from = at - span_back(&bytes[..at], FARTHEST, |byte| !matches!(byte, b'\n' | b';' | b'&'));
    let find = |part: &[u8]| part.windows(2).position(|sign| sign == b"<<");
    let signs = match find(&bytes[at..line]) {
        Some(signs) => at + signs,
        None => {
            from + find(&bytes[from..at]).filter(|signs| bytes[from + signs..at].contains(&b'|'))?
        }
    };
    // What is written into a file is not read by the command.
    if bytes[from..at].contains(&b'>') || bytes[from..at].ends_with(b"etc/") {
        return None;
    }
    let mut start = signs + 2;
    start += span(&bytes[start..], 1, |byte| matches!(byte, b'-' | b'~'));
    start += span(&bytes[start..], 6, |byte| matches!(byte, b' ' | b'\'' | b'"' | b'\\'));
    let ending = &bytes[start..start + span(&bytes[start..], 32, is_word)];
    // `cout << passwd << endl`.
    if bytes[start - 1] == b' ' && !ending.iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    let first = start + span(&bytes[start..], FARTHEST, |byte| byte != b'\n');
    // In a string of JSON the lines end in `\n`.
    let written = bytes[start..first].windows(2).position(|sign| sign == b"\\n");
    let (mut next, sign): (usize, &[u8]) = match written {
        Some(at) => (start + at, b"\\n"),
        None if bytes.get(first) == Some(&b'\n') => (first, b"\n"),
        None => return None,
    };
    // A text that is all beginnings of long documents is not read on for each.
    let is_long = most > FEW_LINES;
    if is_long && signs < scan.document_until {
        return None;
    }
    let farthest = bytes.len().min(next + LONGEST_DOCUMENT);
    let mut inputs = Vec::new();
    let mut settings = most > 0;
    while next < farthest && !ending.is_empty() && (settings || inputs.len() <= most) {
        next += sign.len();
        let rest = bytes.get(next..farthest)?;
        let length = rest.windows(sign.len()).position(|part| part == sign).unwrap_or(rest.len());
        let left = length - rest[..length].trim_ascii_start().len();
        let text = rest[..length].trim_ascii();
        let more = text.strip_prefix(ending).map(|more| more.first());
        if more.is_some_and(|first| !first.is_some_and(|byte| is_word(*byte))) {
            return Some(inputs);
        }
        if !text.is_empty() {
            let name = span(text, 64, |byte| is_word(byte) && !byte.is_ascii_lowercase());
            let named = name > 0 && text.get(name) == Some(&b'=') && text.len() > name + 4;
            settings &= named;
            let value = if named { name + 1 } else { 0 };
            inputs.push(next + left + value..next + left + text.len());
        }
        next += length;
        if is_long {
            scan.document_until = next;
        }
    }
    None
}

fn has_argument(bytes: &[u8], from: usize, end: usize, wanted: &[u8]) -> bool {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`\\)}".contains(byte);
    let is_it = |word: &[u8]| word == wanted || wanted == b"-" && word.ends_with(b"=-");
    bytes[from..end].split(ends).any(is_it)
}

/// What is written into the pipe that ends before this command.
fn piped(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let from = at.saturating_sub(FARTHEST);
    // `| sudo -S`, also `| /usr/bin/sudo`, and with a variable or `sudo` before it.
    let pipe = from + bytes[from..at].iter().rposition(|byte| *byte == b'|')?;
    let between = &bytes[pipe + 1..at];
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b" /_-.=:@".contains(byte);
    if between.len() > 100 || !between.iter().all(plain) {
        return None;
    }
    let before = &bytes[from..pipe];
    let begin = WRITERS
        .iter()
        .filter_map(|word| {
            let found = before.windows(word.len()).rposition(|part| part == word.as_bytes())?;
            let first = found.checked_sub(1).is_none_or(|at| !before[at].is_ascii_alphanumeric());
            first.then_some(from + found + word.len())
        })
        .max();
    let mut next = match begin {
        Some(begin) => begin,
        None => {
            from + before
                .iter()
                .rposition(|byte| matches!(byte, b'\n' | b';' | b'&'))
                .map_or(0, |at| at + 1)
        }
    };
    let mut last = None;
    while let Some((start, stop)) = argument(bytes, next, pipe) {
        next = after_argument(bytes, stop);
        let text = &bytes[start..stop];
        let is_flag = text.starts_with(b"-") || text.starts_with(b"%s");
        if !is_flag {
            // More than one word is no password, but another command.
            if last.is_some() {
                return None;
            }
            last = Some(start..stop);
        }
    }
    let mut range = last?;
    if begin.is_none() && !matches!(bytes.get(range.start.checked_sub(1)?), Some(b'"' | b'\'')) {
        return None;
    }
    // `(echo PW; echo PW) |`.
    range.end -= usize::from(bytes[range.clone()].ends_with(b")") && before.contains(&b'('));
    Some(range)
}

/// What is written before it in `(echo PW; echo PW) |`.
fn first_of_two(bytes: &[u8], second: &Range<usize>) -> Option<Range<usize>> {
    let from = second.start.saturating_sub(FARTHEST);
    let before = &bytes[from..second.start];
    let open = before.windows(6).rposition(|part| part == b"(echo ")? + 6;
    let length = span(&before[open..], FARTHEST, |byte| !matches!(byte, b';' | b' ' | b'\n'));
    let (start, end) = argument(bytes, from + open, from + open + length)?;
    (end < second.start).then_some(start..end)
}

/// The parts of what is written, which may end in `\n`, or have one between: `echo -e "PW\nPW\n"`.
fn lines(bytes: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let (mut from, mut at) = (range.start, range.start);
    while at < range.end {
        let ends = bytes[at..range.end].starts_with(b"\\n");
        if ends {
            lines.push(from..at);
            from = at + 2;
        }
        at += 1 + usize::from(ends);
    }
    lines.push(from..range.end);
    lines.retain(|line| line.start < line.end);
    lines
}

const WRITERS: [&str; 6] =
    ["cat <<< ", "echo ", "printf ", "print ", "Write-Output ", "printf -- "];

/// What `<<<` gives to the command.
fn here(bytes: &[u8], from: usize, end: usize) -> Option<Range<usize>> {
    let found = bytes[from..end].windows(3).position(|part| part == b"<<<")?;
    let (start, stop) = argument(bytes, from + found + 3, end)?;
    Some(start..stop)
}

/// `send "PW\r"`, `sendline("PW")`, where a password is waited for.
fn sent(scan: &mut Scan<'_>, at: usize, end: usize) {
    let bytes = scan.bytes;
    let before = &bytes[at.saturating_sub(FARTHEST)..at];
    let waits = ["assword", "assphrase", "PIN"]
        .iter()
        .filter_map(|word| before.windows(word.len()).rposition(|part| part == word.as_bytes()))
        .max();
    // Another answer stands between.
    let answered = before.windows(4).rposition(|part| part == b"send");
    if waits.is_none() || answered > waits {
        return;
    }
    let lead = span(&bytes[end..], 8, |byte| matches!(byte, b' ' | b'(' | b'-'));
    let from = end + lead;
    let Some(mark) = bytes.get(from).filter(|mark| lead > 0 && matches!(mark, b'"' | b'\'' | b'{'))
    else {
        return;
    };
    let close = if *mark == b'{' { b'}' } else { *mark };
    let length = span(&bytes[from + 1..], 200, |byte| byte != close && byte != b'\n');
    let text = &bytes[from + 1..from + 1 + length];
    let ending = span_back(text, 8, |byte| matches!(byte, b'\\' | b'r' | b'n'));
    let slash = text[text.len() - ending..].iter().position(|byte| *byte == b'\\');
    let stop = slash.map_or(text.len(), |slash| text.len() - ending + slash);
    if !text.starts_with(b"$") {
        take(scan, from + 1, from + 1 + stop);
    }
}
