//! Stores to measure on: files written straight into the layout that the store documents, the same
//! ones every time, then indexed by the program itself.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use segue_lib::Timestamp;

use crate::Failure;
use crate::ground::{BODY_BYTES, put};

const PROJECTS: usize = 20;
/// Twelve months that are over, so that a save is the newest on any clock.
const FIRST: i64 = 1_730_419_200_000_000; // 2024-11-01
const SPAN: i64 = 365 * 86_400 * 1_000_000;

/// In the next steps of about ten handoffs of every store, and nowhere else.
pub(crate) const RARE_WORD: &str = "perihelion";
/// The name of every second handoff of the first project.
pub(crate) const COMMON_NAME: &str = "auth-state";
/// The name of one handoff only, the oldest of the first project.
pub(crate) const RARE_NAME: &str = "where-it-began";

/// A generated store.
pub(crate) struct Store {
    pub(crate) home: PathBuf,
    pub(crate) size: usize,
    /// Full id of one in the middle.
    pub(crate) id: String,
}

impl Store {
    /// Writes a store. The first project, which owns `dir`, has a quarter of the handoffs.
    pub(crate) fn generate(home: PathBuf, size: usize, dir: &Path) -> Result<Self, Failure> {
        let projects = home.join("projects");
        for n in 0..PROJECTS {
            let memory = projects.join(memory(n));
            fs::create_dir_all(memory.join("layer1"))?;
            let path =
                if n == 0 { dir.display().to_string() } else { format!("/nowhere/service{n}") };
            let text = format!(
                "segue = 1\nlabel = \"service{n}\"\n\n[[key]]\nkind = \"path\"\nvalue = \"{path}\"\n"
            );
            put(&memory.join("project.toml"), &text)?;
        }
        for n in 0..size {
            let (created, short) = (created(n, size)?, short(n));
            let month = projects.join(memory(owner(n))).join("layer1").join(created.month());
            fs::create_dir_all(&month)?;
            let file = format!("{}-{}-{short:08x}.md", topic(n), created.day());
            put(&month.join(file), &handoff(n, size, created))?;
        }
        let middle = size / 2;
        Ok(Self { home, size, id: id(middle, created(middle, size)?) })
    }

    /// The eight digits by which people name the handoff in the middle.
    pub(crate) fn short(&self) -> &str {
        &self.id[self.id.len() - 8..]
    }
}

fn memory(project: usize) -> String {
    format!("service{project}-{:08x}", 0x5e90_0000 + project)
}

fn owner(n: usize) -> usize {
    if n.is_multiple_of(4) { 0 } else { 1 + n % (PROJECTS - 1) }
}

fn created(n: usize, size: usize) -> Result<Timestamp, Failure> {
    let step = SPAN / i64::try_from(size)?;
    let jitter = i64::try_from(mix(n) % 1_000_000)?;
    let micros = FIRST + step * i64::try_from(n)? + jitter.min(step - 1);
    Ok(Timestamp::from_micros(micros).ok_or("a time out of range")?)
}

/// Different for every handoff, also in its first seven digits, and never all digits.
fn short(n: usize) -> u32 {
    let spread = (n as u32).wrapping_mul(0x9e_3779) & 0x00ff_ffff;
    0xa000_0000 | spread << 4 | (mix(n) & 0xf) as u32
}

fn id(n: usize, created: Timestamp) -> String {
    format!("{}-{:08x}", created.compact(), short(n))
}

fn handoff(n: usize, size: usize, created: Timestamp) -> String {
    let (topic, project) = (topic(n), owner(n));
    let name = match (project, n) {
        (0, 0) => RARE_NAME.to_owned(),
        (0, _) if n.is_multiple_of(8) => COMMON_NAME.to_owned(),
        _ => format!("{topic}-{}", n % 50),
    };
    let mut text = format!(
        "---\nsegue: 1\nid: {}\ncreated: {created}\nproject: service{project}\nname: {name}\n\
         title: Move the {topic} module behind its port\n\
         summary: The {topic} module answers through its port; {} of 12 callers have moved, tests of the rest are open\n\
         tags: [{topic}, port]\ntool: {}\nsaved_from: {{dir: ., worktree: main}}\n\
         git: {{branch: {topic}-port, head: {:040x}, remote: example.org/team/service{project}}}\n\
         changed: [src/{topic}.rs, tests/{topic}.rs]\n---\n",
        id(n, created),
        n % 12,
        ["claude", "codex", "cursor"][n % 3],
        mix(n),
    );
    let body = body(n);
    if n.is_multiple_of((size / 10).max(1)) {
        text.push_str(&body.replacen("next week", RARE_WORD, 1));
    } else {
        text.push_str(&body);
    }
    text
}

/// A body of 2 KB in the recommended shape.
pub(crate) fn body(n: usize) -> String {
    let topic = topic(n);
    let mut text = format!(
        "## Context\n\nThe {topic} module is being moved behind its port so that it can be tested alone.\n\n\
         ## Next Steps\n\n- Move the callers in src/{topic}/legacy.rs\n- Measure a cold start next week\n\
         - Remove the old entry point of {topic}\n\n\
         ## Key Decisions\n\n"
    );
    let mut at = 0;
    while text.len() < BODY_BYTES - 200 {
        at += 1;
        let _ = writeln!(
            text,
            "- Decision {at} of note {n}: {} stays as it is, since {} depends on it",
            TOPICS[(mix(n + at) % 16) as usize],
            TOPICS[(mix(n * 31 + at) % 16) as usize],
        );
    }
    text.push_str("\n## Current State\n\n");
    while text.len() < BODY_BYTES - 1 {
        text.push_str("tests pass; ");
    }
    text.truncate(BODY_BYTES - 1);
    text.push('\n');
    text
}

const TOPICS: [&str; 16] = [
    "auth", "billing", "cache", "docs", "events", "feeds", "gateway", "history", "import", "jobs",
    "keys", "login", "mail", "notes", "orders", "parser",
];

fn topic(n: usize) -> &'static str {
    TOPICS[(mix(n) >> 8) as usize % TOPICS.len()]
}

/// The same number for the same handoff, everywhere: SplitMix64.
fn mix(n: usize) -> u64 {
    let mut z = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
