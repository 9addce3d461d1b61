//! Reads a transcript that grows line by line: what is new since the last time, whatever its size.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use ruzstd::decoding::StreamingDecoder;
use segue_core::session::{Recorder, Session};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::subagents::Subagents;

/// A longer line is passed over: pictures and copies of requests, never what somebody said.
const LONGEST_LINE: usize = 8 << 20;
/// Bytes read at once.
const CHUNK: usize = 256 << 10;
/// Bytes before the offset by which a file is known again.
const KNOWN_BY: u64 = 64;
/// A transcript that is a single value is read into memory up to here.
const LARGEST_VALUE: u64 = 64 << 20;
/// Bytes that come out of a packed transcript at most.
const LARGEST_UNPACKED: u64 = 4 << 30;
/// How a packed file begins.
const PACKED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// What a line was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It was understood, whether or not it said anything.
    Whole,
    /// It is no record.
    Damaged,
}

/// A session as far as it was read. Can be kept and gone on with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Capture {
    pub recorder: Recorder,
    /// The session that is meant, where a file holds many.
    #[serde(default)]
    pub(crate) session: Option<String>,
    /// How far it cannot change any more, where its last records still may.
    #[serde(default)]
    pub(crate) settled: Option<Box<Settled>>,
    /// The subagents that it started, as far as they were read.
    #[serde(default, skip_serializing_if = "Subagents::is_empty")]
    pub(crate) subagents: Subagents,
    /// Bytes that are read at once at most: the rest is for the next time.
    #[serde(skip)]
    pub(crate) most: Option<u64>,
    /// Whether that left something unread.
    #[serde(skip)]
    pub(crate) cut: bool,
    /// Bytes that were read.
    offset: u64,
    /// A digest of the last of these: what stands there may be a secret.
    before: Vec<u8>,
}

/// The part of a session that cannot change any more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Settled {
    pub(crate) recorder: Recorder,
    /// Messages in it, the last of them, and the parts of that.
    pub(crate) messages: usize,
    pub(crate) last: String,
    pub(crate) parts: u64,
}

impl Capture {
    pub fn new(agent: &str) -> Self {
        Self { recorder: Recorder::new(agent), ..Self::default() }
    }

    /// Of one session, where a file holds many.
    pub fn of(agent: &str, session: &str) -> Self {
        Self { session: Some(session.to_owned()), ..Self::new(agent) }
    }

    /// What is known of the session, with what its subagents did.
    pub fn session(&self) -> Session {
        let mut session = self.recorder.session().clone();
        self.subagents.add_to(&mut session);
        session
    }

    pub fn into_session(self) -> Session {
        let mut session = self.recorder.into_session();
        self.subagents.add_to(&mut session);
        session
    }

    fn begin_anew(&mut self) {
        let (session, most) = (self.session.take(), self.most);
        *self = Self { recorder: self.recorder.anew(), session, most, ..Self::default() };
    }

    /// From here on about so many bytes are read at once.
    pub fn read_at_most(&mut self, bytes: u64) {
        self.most = Some(bytes);
    }

    /// Whether something is left for the next time.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Bytes that were read.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// Reads the lines that were not read yet. A file that was rewritten is read from its beginning.
pub(crate) fn read_lines(
    path: &Path,
    capture: &mut Capture,
    take: &mut dyn FnMut(&str, &mut Recorder) -> Taken,
) -> io::Result<()> {
    let mut file = File::open(path)?;
    if !is_same(&mut file, capture)? {
        capture.begin_anew();
    }
    if is_packed(&mut file)? {
        // Nothing is written to it any more: the same is the whole.
        let length = file.metadata()?.len();
        if capture.offset == length {
            return Ok(());
        }
        file.seek(SeekFrom::Start(0))?;
        let most = capture.most.take();
        take_lines(&mut unpacked(file)?, capture, take)?;
        (capture.offset, capture.most) = (length, most);
        capture.before = last_bytes(&mut File::open(path)?, length)?;
        return Ok(());
    }
    file.seek(SeekFrom::Start(capture.offset))?;
    take_lines(&mut file, capture, take)?;
    capture.before = last_bytes(&mut file, capture.offset)?;
    Ok(())
}

fn take_lines(
    file: &mut dyn Read,
    capture: &mut Capture,
    take: &mut dyn FnMut(&str, &mut Recorder) -> Taken,
) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    // What lies in the buffer and is no whole line yet.
    let (mut start, mut end) = (0, 0);
    // Whether what follows belongs to a line that is too long.
    let mut skipping = false;
    let began = capture.offset;
    capture.cut = false;
    loop {
        // The offset is behind a whole line, where whoever goes on begins.
        if !skipping && capture.most.is_some_and(|most| capture.offset - began >= most) {
            capture.cut = true;
            return Ok(());
        }
        if end == buffer.len() {
            buffer.copy_within(start..end, 0);
            (start, end) = (0, end - start);
            if end == buffer.len() {
                if buffer.len() >= LONGEST_LINE {
                    capture.offset += end as u64;
                    (end, skipping) = (0, true);
                } else {
                    buffer.resize(buffer.len() * 2, 0);
                }
            }
        }
        let got = match file.read(&mut buffer[end..]) {
            Ok(0) => break,
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut from = end;
        end += got;
        while let Some(at) = memchr::memchr(b'\n', &buffer[from..end]) {
            let line = &buffer[start..from + at];
            capture.offset += line.len() as u64 + 1;
            if std::mem::take(&mut skipping) {
                capture.recorder.next_record();
                capture.recorder.damaged();
            } else {
                take_line(line, &mut capture.recorder, take);
            }
            start = from + at + 1;
            from = start;
        }
    }
    // A last line without an end is torn, or its writer writes none.
    let rest = &buffer[start..end];
    if !rest.is_empty() && !skipping && is_whole(rest) {
        capture.offset += rest.len() as u64;
        take_line(rest, &mut capture.recorder, take);
    }
    Ok(())
}

/// Reads a transcript that is a single value, anew if it changed. `take` counts its records.
pub(crate) fn read_whole(
    path: &Path,
    capture: &mut Capture,
    take: &mut dyn FnMut(&str, &mut Recorder) -> Taken,
) -> io::Result<()> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    if is_same(&mut file, capture)? && capture.offset == length {
        return Ok(());
    }
    if length > LARGEST_VALUE {
        let reason = format!("it has {length} bytes, and a single value may have {LARGEST_VALUE}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    capture.begin_anew();
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    (&file).take(LARGEST_VALUE).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    if !text.is_empty() && take(text, &mut capture.recorder) == Taken::Damaged {
        capture.recorder.next_record();
        capture.recorder.damaged();
    }
    capture.offset = bytes.len() as u64;
    capture.before = last_bytes(&mut file, capture.offset)?;
    Ok(())
}

fn is_packed(file: &mut File) -> io::Result<bool> {
    let mut begins = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(PACKED.len() as u64).read_to_end(&mut begins)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(begins == PACKED)
}

/// A file from its beginning, as it was before it was packed with zstd, if it was.
pub(crate) fn unpacked(mut file: File) -> io::Result<Box<dyn Read>> {
    if !is_packed(&mut file)? {
        return Ok(Box::new(file));
    }
    let unpacked = StreamingDecoder::new(BufReader::new(file));
    let unpacked = unpacked.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok(Box::new(unpacked.take(LARGEST_UNPACKED)))
}

fn take_line(
    line: &[u8],
    recorder: &mut Recorder,
    take: &mut dyn FnMut(&str, &mut Recorder) -> Taken,
) {
    let line = trimmed(line);
    if line.is_empty() {
        return;
    }
    recorder.next_record();
    // Checking is several times as fast as replacing, and almost every line is text.
    let line = match std::str::from_utf8(line) {
        Ok(line) => Cow::Borrowed(line),
        Err(_) => String::from_utf8_lossy(line),
    };
    if take(&line, recorder) == Taken::Whole {
        return;
    }
    // Two writers at once leave two records on one line.
    let pieces = records_in(&line);
    if pieces.len() < 2 {
        recorder.damaged();
        return;
    }
    for (at, piece) in pieces.into_iter().enumerate() {
        if at > 0 {
            recorder.next_record();
        }
        if take(piece, recorder) == Taken::Damaged {
            recorder.damaged();
        }
    }
}

/// The records that stand one after the other on a line; the last may be torn.
fn records_in(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line.trim();
    while rest.starts_with('{') {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        if !matches!(values.next(), Some(Ok(_))) {
            break;
        }
        let (piece, next) = rest.split_at(values.byte_offset());
        pieces.push(piece);
        rest = next.trim_start();
    }
    if !rest.is_empty() && !pieces.is_empty() {
        pieces.push(rest);
    }
    pieces
}

/// A line without what is no part of its record: a byte order mark, blanks, and the zeros that a
/// machine that lost its power leaves where something was to be written.
fn trimmed(line: &[u8]) -> &[u8] {
    let mut line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let is_nothing = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    while let [first, rest @ ..] = line
        && is_nothing(first)
    {
        line = rest;
    }
    while let [rest @ .., last] = line
        && is_nothing(last)
    {
        line = rest;
    }
    line
}

/// Whether a line is a whole record. The beginning of a number or a word may be one, too.
fn is_whole(line: &[u8]) -> bool {
    let line = trimmed(line);
    line.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// Whether a file goes on where it was left.
fn is_same(file: &mut File, capture: &Capture) -> io::Result<bool> {
    if capture.offset == 0 {
        return Ok(false);
    }
    let long_enough = file.metadata()?.len() >= capture.offset;
    Ok(long_enough && last_bytes(file, capture.offset)? == capture.before)
}

/// What the bytes before an offset are known by.
fn last_bytes(file: &mut File, offset: u64) -> io::Result<Vec<u8>> {
    let count = offset.min(KNOWN_BY);
    file.seek(SeekFrom::Start(offset - count))?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes)?;
    Ok(Sha256::digest(&bytes)[..16].to_vec())
}

#[cfg(test)]
mod tests {
    use super::{Capture, Taken, is_whole, read_lines, records_in, trimmed};

    #[test]
    fn a_long_transcript_is_read_in_parts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.jsonl");
        let line = format!("{{\"a\":\"{}\"}}\n", "x".repeat(1_000));
        let mut file = std::fs::File::create_new(&path).unwrap();
        std::io::Write::write_all(&mut file, line.repeat(2_000).as_bytes()).unwrap();
        let mut capture = Capture::new("x");
        capture.read_at_most(500_000);
        let mut lines = 0;
        let mut take = |_: &str, _: &mut super::Recorder| {
            lines += 1;
            Taken::Whole
        };
        let mut times = 0;
        while capture.offset() < std::fs::metadata(&path).unwrap().len() {
            read_lines(&path, &mut capture, &mut take).unwrap();
            times += 1;
        }
        assert_eq!(lines, 2_000);
        // Whoever comes to the end by chance learns that with the next look.
        read_lines(&path, &mut capture, &mut |_, _| Taken::Whole).unwrap();
        assert!(!capture.is_cut());
        assert!(times > 2 && times < 6, "{times}");
    }

    #[test]
    fn a_record_is_whole_only_with_its_end() {
        for line in ["{}", " {\"a\":1}\r", "\u{feff}{}", "\0\0{\"a\":[{}]}\0"] {
            assert!(is_whole(line.as_bytes()), "{line:?}");
        }
        for line in ["", "{", "{\"a\":1", "12", "null", "\"a\"", "{}{", "\0"] {
            assert!(!is_whole(line.as_bytes()), "{line:?}");
        }
    }

    #[test]
    fn records_on_one_line_are_told_apart() {
        for (line, pieces) in [
            ("{\"a\":\"}{\"} {\"b\":1}", &["{\"a\":\"}{\"}", "{\"b\":1}"][..]),
            ("{}{}{\"to", &["{}", "{}", "{\"to"]),
            ("{}", &["{}"]),
            ("{\"torn\":", &[]),
            ("text", &[]),
        ] {
            assert_eq!(records_in(line), pieces, "{line}");
        }
    }

    #[test]
    fn zeros_around_a_record_are_no_part_of_it() {
        assert_eq!(trimmed(b"\0\0 {\"a\":\"\0\"}\r\0"), b"{\"a\":\"\0\"}");
        assert_eq!(trimmed(b"\0 \0"), b"");
    }
}
