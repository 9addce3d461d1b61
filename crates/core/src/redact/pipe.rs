//! Passwords that a command is given on its standard input: `echo PW | sudo -S`, `chpasswd <<< u:PW`, and the
//! answers that `expect` sends.

use std::ops::Range;

use super::alphabet::{span, span_back};
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
    let line = end + span(&bytes[end..], FARTHEST, |byte| !matches!(byte, b'\n' | b'|' | b';'));
    for (_, reads) in READERS.iter().filter(|(reader, _)| *reader == word) {
        match reads {
            Reads::Sends => return sent(scan, at, end),
            Reads::Password(flag) if !flag.is_empty() && !has_argument(bytes, end, line, flag) => {}
            _ => {
                let found = piped(bytes, at).or_else(|| here(bytes, end, line));
                let Some(range) = found else { continue };
                if matches!(reads, Reads::Pair) {
                    for line in lines(bytes, range) {
                        let colon = bytes[line.clone()].iter().position(|byte| *byte == b':');
                        if let Some(colon) = colon {
                            take(scan, line.start + colon + 1, line.end);
                        }
                    }
                    return;
                }
                return take_lines(scan, range);
            }
        }
    }
}

fn take_lines(scan: &mut Scan<'_>, range: Range<usize>) {
    if let Some(first) = first_of_two(scan.bytes, &range) {
        take(scan, first.start, first.end);
    }
    for line in lines(scan.bytes, range) {
        take(scan, line.start, line.end);
    }
}

/// A command that is fed a secret, whatever its name, as this part of it says.
pub(super) fn fed(scan: &mut Scan<'_>, at: usize, end: usize) {
    let line =
        end + span(&scan.bytes[end..], FARTHEST, |byte| !matches!(byte, b'\n' | b'|' | b';'));
    let found = piped(scan.bytes, at).or_else(|| here(scan.bytes, end, line));
    if let Some(range) = found {
        take_lines(scan, range);
    }
}

/// What `<<<` gives to a command.
pub(super) fn given(scan: &mut Scan<'_>, end: usize) {
    let line =
        end + span(&scan.bytes[end..], FARTHEST, |byte| !matches!(byte, b'\n' | b'|' | b';'));
    if let Some(range) = here(scan.bytes, end, line) {
        take_lines(scan, range);
    }
}

fn has_argument(bytes: &[u8], from: usize, end: usize, wanted: &[u8]) -> bool {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`\\)}".contains(byte);
    bytes[from..end].split(ends).any(|word| word == wanted)
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
