//! Transcripts of our own making in `cases/<agent>/<case>/`, each with the facts that it shows, and
//! what holds for every one of them. `SEGUE_UPDATE_CASES=1` writes the facts anew.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]
#![expect(clippy::disallowed_macros, reason = "a test that is skipped says so")]
#![expect(
    clippy::disallowed_methods,
    reason = "transcripts are written as their agents write them, and a variable asks for new facts"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use segue_agents::{Capture, Transcripts, transcripts};
use segue_core::session::Session;
use segue_core::{DistilRequest, Tokenizer, distil, estimate_tokens};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

const FACTS: &str = "facts.json";
/// Agents whose sessions are no files of lines.
const WITHOUT_CASES: &[&str] = &["opencode"];
const EVERY_AGENT_HAS: &[&str] = &["format", "drift", "damage"];

/// A case, laid out where it can be written to.
struct Case {
    name: String,
    row: &'static Transcripts,
    facts: PathBuf,
    bytes: Vec<u8>,
    path: PathBuf,
    _dir: tempfile::TempDir,
}

impl Case {
    fn read_of(&self, bytes: &[u8]) -> Capture {
        fs::write(&self.path, bytes).unwrap();
        self.row.read(&self.path).unwrap()
    }

    fn session_of(&self, bytes: &[u8]) -> Session {
        self.read_of(bytes).recorder.into_session()
    }

    fn session(&self) -> Session {
        self.session_of(&self.bytes)
    }

    /// Whether it grows line by line. Else it is a single value, which is written anew each time.
    fn is_lines(&self) -> bool {
        self.path.extension().is_some_and(|end| end == "jsonl")
    }

    /// Where its lines begin, and where the last one ends.
    fn line_ends(&self) -> Vec<usize> {
        let ends = self.bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let mut all: Vec<usize> = ends.map(|(at, _)| at + 1).collect();
        if all.last() != Some(&self.bytes.len()) {
            all.push(self.bytes.len());
        }
        all
    }
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let (dirs, mut files): (Vec<_>, Vec<_>) =
        entries(dir).into_iter().partition(|path| path.is_dir());
    files.extend(dirs.iter().flat_map(|dir| files_below(dir)));
    files
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// Every case. Its transcript is the one file of JSON; others are what the agent has beside it.
fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for agent in entries(&root()) {
        let row = Transcripts::of(&name(&agent)).unwrap();
        for case in entries(&agent) {
            let dir = tempfile::tempdir().unwrap();
            let mut transcript = None;
            for file in files_below(&case) {
                let to = dir.path().join(file.strip_prefix(&case).unwrap());
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::copy(&file, &to).unwrap();
                let is_json = file.extension().is_some_and(|end| end == "jsonl" || end == "json");
                if is_json && name(&file) != FACTS {
                    assert!(transcript.replace(to).is_none(), "{} has two", case.display());
                }
            }
            let path = transcript.unwrap();
            let bytes = fs::read(&path).unwrap();
            let name = format!("{}/{}", name(&agent), name(&case));
            all.push(Case { name, row, facts: case.join(FACTS), bytes, path, _dir: dir });
        }
    }
    all
}

/// Writes one thing a line: what a field holds, or each of the things that it holds.
#[derive(Default)]
struct OneALine {
    depth: usize,
    empty: bool,
}

impl OneALine {
    fn opens(&mut self) {
        self.depth += 1;
        self.empty = true;
    }

    fn closes<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        if self.depth < 2 && !self.empty {
            self.line(writer)?;
        }
        self.empty = false;
        Ok(())
    }

    fn next<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.empty = false;
        match (first, self.depth <= 2) {
            (true, true) => self.line(writer),
            (true, false) => Ok(()),
            (false, true) => writer.write_all(b",").and_then(|()| self.line(writer)),
            (false, false) => writer.write_all(b", "),
        }
    }

    fn line<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        write!(writer, "\n{}", "  ".repeat(self.depth))
    }
}

impl Formatter for OneALine {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.opens();
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.closes(writer)?;
        writer.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.next(writer, first)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.opens();
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.closes(writer)?;
        writer.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.next(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

/// The facts as they are kept beside a transcript.
fn facts(session: &Session) -> String {
    let mut out = Vec::new();
    session.serialize(&mut Serializer::with_formatter(&mut out, OneALine::default())).unwrap();
    String::from_utf8(out).unwrap() + "\n"
}

/// The lines in which two differ.
fn difference(wanted: &str, is: &str) -> Vec<String> {
    let only_in = |one: &str, other: &str, mark: &str| -> Vec<String> {
        let lines = one.lines().filter(|line| !other.lines().any(|known| known == *line));
        lines.map(|line| format!("{mark} {line}")).collect()
    };
    [only_in(wanted, is, "-"), only_in(is, wanted, "+")].concat()
}

#[track_caller]
fn assert_same(is: &Session, wanted: &Session, what: &str) {
    let differs = || difference(&facts(wanted), &facts(is)).join("\n");
    assert!(is == wanted, "{what}:\n{}", differs());
}

#[test]
fn every_case_shows_its_facts() {
    let update = std::env::var_os("SEGUE_UPDATE_CASES").is_some();
    let mut wrong = Vec::new();
    for case in cases() {
        let session = case.session();
        let is = facts(&session);
        assert_eq!(serde_json::from_str::<Session>(&is).unwrap(), session, "{}", case.name);
        if update {
            fs::write(&case.facts, &is).unwrap();
        }
        let kept = fs::read_to_string(&case.facts).unwrap_or_default().replace('\r', "");
        if kept != is {
            wrong.push(format!("{}:", case.name));
            wrong.extend(difference(&kept, &is));
        }
    }
    assert!(wrong.is_empty(), "SEGUE_UPDATE_CASES=1 takes what is:\n{}", wrong.join("\n"));
}

#[test]
fn every_agent_has_its_cases() {
    let names: Vec<String> = cases().into_iter().map(|case| case.name).collect();
    for row in transcripts().filter(|row| !WITHOUT_CASES.contains(&row.agent)) {
        for case in EVERY_AGENT_HAS {
            let name = format!("{}/{case}", row.agent);
            assert!(names.contains(&name), "there is no {name}");
        }
    }
}

#[test]
fn every_case_is_taken_for_its_agents() {
    for case in cases() {
        let row = Transcripts::of_file(&case.path).unwrap();
        assert_eq!(row.map(|row| row.agent), Some(case.row.agent), "{}", case.name);
    }
}

/// Reads a case while it grows to these lengths.
fn read_growing(case: &Case, lengths: &[usize]) -> Session {
    let mut capture = Capture::new(case.row.agent);
    for length in lengths {
        fs::write(&case.path, &case.bytes[..*length]).unwrap();
        case.row.read_on(&case.path, &mut capture).unwrap();
        // As a process that ends and another that goes on.
        let kept = serde_json::to_string(&capture).unwrap();
        capture = serde_json::from_str(&kept).unwrap();
    }
    capture.recorder.into_session()
}

#[test]
fn reading_in_pieces_is_reading_at_once() {
    for case in cases() {
        let (whole, length) = (case.session(), case.bytes.len());
        let mut lengths = Vec::new();
        for (number, ends) in case.line_ends().into_iter().enumerate() {
            let begins = lengths.last().copied().unwrap_or_default();
            // Somewhere inside of the line, before its end, and with it.
            let inside = (ends - begins) * (number % 7) / 7;
            lengths.extend([begins + inside, ends - 1, ends]);
        }
        assert_same(&read_growing(&case, &lengths), &whole, &case.name);
        for cut in lengths.iter().step_by(lengths.len() / 12 + 1).chain(&[1, length - 1]) {
            let read = read_growing(&case, &[*cut, length]);
            assert_same(&read, &whole, &format!("{} cut at {cut}", case.name));
        }
    }
}

#[test]
fn other_line_ends_change_nothing() {
    for case in cases() {
        let mut bytes = Vec::new();
        for byte in &case.bytes {
            if *byte == b'\n' {
                bytes.push(b'\r');
            }
            bytes.push(*byte);
        }
        assert_same(&case.session_of(&bytes), &case.session(), &case.name);
    }
}

#[test]
fn a_torn_last_line_costs_only_itself() {
    for case in cases().into_iter().filter(Case::is_lines) {
        let ends = case.line_ends();
        for lines in ends.windows(2).rev().take(3) {
            let (begins, long) = (lines[0], lines[1] - lines[0]);
            let before = case.session_of(&case.bytes[..begins]);
            for torn in [1, long / 3, long / 2, long.saturating_sub(3)] {
                let torn = begins + torn.min(long - 1);
                let read = case.session_of(&case.bytes[..torn]);
                assert_same(&read, &before, &format!("{} torn at {torn}", case.name));
            }
        }
    }
}

/// What a session is told in keeps the budget.
fn is_told(session: &Session, what: &str) {
    for budget in [1_500, 200] {
        let told = distil(session, &DistilRequest { root: session.cwd.as_deref(), budget });
        let tokens = estimate_tokens(&told.body, Tokenizer::O200k);
        assert!(tokens <= budget, "{what}: {tokens} tokens of {budget}");
    }
}

#[test]
fn every_case_is_told_within_its_budget() {
    for case in cases() {
        is_told(&case.session(), &case.name);
    }
}

#[test]
fn every_recording_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/transcripts");
    if !root.is_dir() {
        println!("skipped: no recordings in {}", root.display());
        return;
    }
    let mut read: BTreeMap<&str, u32> = BTreeMap::new();
    for path in files_below(&root) {
        let what = path.display().to_string();
        let of = Transcripts::of_file(&path).unwrap();
        *read.entry(of.map_or("nobody", |row| row.agent)).or_default() += 1;
        // Also by those who did not write it.
        for row in transcripts() {
            let session = match row.read(&path) {
                Ok(capture) => capture.recorder.into_session(),
                Err(error) => {
                    assert!(of.is_none_or(|of| of.agent != row.agent), "{what}: {error}");
                    continue;
                }
            };
            assert!(session.damaged <= session.records, "{what}");
            is_told(&session, &what);
        }
    }
    println!("recordings read: {read:?}");
    assert!(read.values().sum::<u32>() > 100, "{read:?}");
}
