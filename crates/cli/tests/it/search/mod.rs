//! `segue search` as people and agents use it: what it finds, what it says of it, what it survives.

mod bad_input;
mod damaged;
mod finding;
mod fresh;
mod holds;
mod killed;
mod mended;
mod narrowed;
mod passages;
mod races;

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use crate::ground::{Ran, Segue, TestEnv};

/// When nothing else is said of when a handoff was saved.
const BEFORE: &str = "2026-11-10T10:00:00Z";

/// Saves a handoff and gives its short id.
fn save(env: &TestEnv, at: &str, args: &[&str], body: &str) -> String {
    static SEED: AtomicU32 = AtomicU32::new(100);
    let seed = SEED.fetch_add(1, Ordering::Relaxed).to_string();
    let args: Vec<&str> = ["save"].iter().chain(args).copied().collect();
    let ran = env.segue(&args).at(at).seed(&seed).stdin(body).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout.trim().to_owned()
}

/// A search: the query and its flags, which stand before it on the command line.
fn command(env: &TestEnv, args: &[&str]) -> Segue {
    let (query, flags) = args.split_first().unwrap();
    env.segue(&[&["search"], flags, &[*query]].concat())
}

fn run(env: &TestEnv, args: &[&str]) -> Ran {
    command(env, args).run()
}

/// The hits as objects; whatever was searched for, the command succeeds.
fn hits(env: &TestEnv, args: &[&str]) -> Vec<Value> {
    parsed(&run(env, &[args, &["--json"]].concat()))
}

fn parsed(ran: &Ran) -> Vec<Value> {
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// The short ids of what was found, best first.
fn found(env: &TestEnv, args: &[&str]) -> Vec<String> {
    hits(env, args).iter().map(short).collect()
}

fn short(hit: &Value) -> String {
    hit["id"].as_str().unwrap().rsplit('-').next().unwrap().to_owned()
}

/// The same, in an order in which they can be compared.
fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}

/// A search in one line, without the scores: what it found, where, and what it said besides.
fn told(env: &TestEnv, args: &[&str]) -> String {
    let ran = run(env, &[args, &["--json"]].concat());
    let hits = if ran.code == 0 { parsed(&ran) } else { Vec::new() };
    let place =
        |passage: &Value| format!("{}:{} {}", passage["section"], passage["line"], passage["text"]);
    let hits: Vec<String> = hits
        .iter()
        .map(|hit| {
            let passages = hit["passages"].as_array().unwrap().iter().map(place);
            let passages: Vec<String> = passages.collect();
            format!("{} {} {:?} {passages:?}", short(hit), hit["archived"], superseded(hit))
        })
        .collect();
    format!("{args:?}: {} {hits:?} {}", ran.code, ran.stderr)
}

/// Why a hit no longer holds, and the short id of what does.
fn superseded(hit: &Value) -> Option<(String, String)> {
    let by = &hit["superseded_by"];
    let because = by["because"].as_str()?;
    Some((short(by), because.to_owned()))
}

/// The matches of a passage, cut out of its text by characters.
fn marked(passage: &Value) -> Vec<String> {
    let text: Vec<char> = passage["text"].as_str().unwrap().chars().collect();
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let marks = passage["marks"].as_array().unwrap();
    marks.iter().map(|mark| text[number(&mark[0])..number(&mark[1])].iter().collect()).collect()
}

/// Whether a word is anywhere in the bytes of the index.
fn index_has(env: &TestEnv, word: &str) -> bool {
    let files = fs::read_dir(&env.home).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("index.db"))
        .filter(|path| path.is_file())
        .any(|path| {
            let bytes = fs::read(path).unwrap();
            bytes.windows(word.len()).any(|window| window == word.as_bytes())
        })
}
