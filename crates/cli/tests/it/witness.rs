//! What a user saw in a store, and whether all of it is still so after something went wrong.
//!
//! Looks only through the program and at the files that people read; gives objections rather than
//! failing, so that a test can show that it does object.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::ground::{Ran, TestEnv, files_below};

/// How soon a save must be done after a crash: far less than any lock's patience.
const AT_ONCE: Duration = Duration::from_secs(2);

const LIST: [&str; 4] = ["list", "--json", "--all-projects", "--expired"];

/// What the command that went wrong may have done. Either all of it or none.
#[derive(Clone, Debug)]
pub(crate) enum May {
    Nothing,
    /// One handoff more, that has this line in its head and ends with these bytes.
    Add {
        head: String,
        body: Vec<u8>,
    },
    /// The handoff of this id gone.
    Remove(String),
}

/// Whether the command said that it did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Nothing,
    Done,
}

/// One handoff of a list.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) created: String,
    pub(crate) archived: bool,
    pub(crate) path: PathBuf,
}

/// Every handoff by its id, byte for byte, as it was before.
pub(crate) struct Witness<'a> {
    env: &'a TestEnv,
    pub(crate) seen: BTreeMap<String, Vec<u8>>,
}

impl<'a> Witness<'a> {
    /// Looks at a store that is sound.
    pub(crate) fn new(env: &'a TestEnv) -> Self {
        let raw = |item: &Item| match item.archived {
            true => show(env, &item.id).unwrap(),
            false => fs::read(&item.path).unwrap(),
        };
        let listed = list(env).unwrap().into_iter();
        let seen = listed.map(|item| (item.id.clone(), raw(&item))).collect();
        Self { env, seen }
    }

    /// For a store of which nothing was noted before.
    pub(crate) fn unseeing(env: &'a TestEnv) -> Self {
        let seen = BTreeMap::new();
        Self { env, seen }
    }

    /// What is wrong with the store now. Saves one more handoff on the way.
    pub(crate) fn objections(&self, may: &May, said: Said) -> Vec<String> {
        let mut found = Vec::new();
        match self.look(may, said) {
            Ok(raws) => found.extend(self.half_written(&raws)),
            Err(objection) => found.push(objection),
        }
        found.extend(self.next_save());
        found.extend(self.answers_differ());
        found
    }

    /// Compares the list and every handoff in it with what was there; gives all there is now.
    fn look(&self, may: &May, said: Said) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let mut now = BTreeMap::new();
        for item in list(self.env)? {
            let raw = show(self.env, &item.id)?;
            if now.insert(item.id.clone(), raw).is_some() {
                return Err(format!("{} is listed twice", item.id));
            }
        }
        for (id, raw) in &self.seen {
            match now.get(id) {
                Some(there) if there != raw => return Err(format!("{id} is not what it was")),
                Some(_) => {}
                None if matches!(may, May::Remove(gone) if gone == id) => {
                    if show(self.env, id).is_ok() {
                        return Err(format!("{id} is not listed and yet shown"));
                    }
                }
                None => return Err(format!("{id} is lost")),
            }
        }
        let new: Vec<(&String, &Vec<u8>)> =
            now.iter().filter(|(id, _)| !self.seen.contains_key(*id)).collect();
        match (may, &new[..]) {
            (May::Add { head, body }, [(id, raw)]) => {
                let is_headed = [b"---\nsegue: 1\n", b"---\nsegue: 2\n"]
                    .iter()
                    .any(|head| raw.starts_with(*head));
                let whole = is_headed
                    && raw.ends_with(body)
                    && String::from_utf8_lossy(raw).contains(&format!("\n{head}\n"));
                if !whole {
                    return Err(format!("{id} is there, but not whole"));
                }
            }
            (May::Add { .. }, []) if said == Said::Done => {
                return Err("a handoff that was reported as saved is not there".to_owned());
            }
            (May::Remove(id), []) if said == Said::Done && now.contains_key(id) => {
                return Err(format!("{id} was reported as removed and is there"));
            }
            (_, []) => {}
            (_, more) => return Err(format!("{} handoffs came from nowhere", more.len())),
        }
        Ok(now)
    }

    /// Files that people read and that are not wholly one of these handoffs.
    fn half_written(&self, raws: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
        let mut found = Vec::new();
        for path in visible_markdown(&self.env.home) {
            let text = fs::read(&path).unwrap();
            let place = path.strip_prefix(self.env.home.join("projects")).unwrap();
            let whole = match place.iter().nth(1).and_then(|layer| layer.to_str()) {
                Some("layer1") => raws.values().any(|raw| *raw == text),
                Some("layer2") => raws.iter().any(|(id, raw)| is_state_of(&text, id, raw)),
                Some("layer3") => {
                    text.ends_with(b" -->\n")
                        && raws.iter().all(|(id, raw)| {
                            !holds(&text, format!("<!-- segue:handoff {id} ").as_bytes())
                                || holds(&text, raw)
                        })
                }
                // Put aside as it was; nothing reads it.
                Some("kept") => text.ends_with(b"\n"),
                _ => false,
            };
            if !whole {
                found.push(format!("{} is not a whole handoff", place.display()));
            }
        }
        found
    }

    /// No lock is left behind: the next save works, and at once.
    fn next_save(&self) -> Option<String> {
        let save = |seed: &str| -> Result<Duration, String> {
            let begun = Instant::now();
            let ran = self
                .env
                .segue(&["save", "--title", "the next one"])
                .at("2027-01-15T12:00:00Z")
                .seed(seed)
                .run();
            if ran.code == 0 && ran.stderr.is_empty() {
                Ok(begun.elapsed())
            } else {
                Err(format!("the next save failed ({}): {}", ran.code, ran.stderr))
            }
        };
        // A busy machine can be slow once; whoever waits for a lock is slow again.
        let took = match save("98") {
            Ok(took) if took > AT_ONCE => save("99"),
            other => other,
        };
        match took {
            Ok(took) => (took > AT_ONCE).then(|| format!("the next save took {took:?}")),
            Err(objection) => Some(objection),
        }
    }

    /// The index is a view: without it every answer is the same.
    pub(crate) fn answers_differ(&self) -> Option<String> {
        let ask = || self.env.segue(&LIST).run();
        let with = ask();
        self.env.delete_index();
        let without = ask();
        let lines = |ran: &Ran| -> Vec<String> {
            let all = ran.stdout.lines().chain(ran.stderr.lines());
            all.map(str::to_owned).collect()
        };
        let (with, without) = (lines(&with), lines(&without));
        let only = |these: &[String], those: &[String]| -> String {
            let only = these.iter().filter(|line| !those.contains(line));
            only.map(String::as_str).collect::<Vec<_>>().join("; ")
        };
        (with != without).then(|| {
            format!(
                "the answer changes with the index: [{}] without it: [{}]",
                only(&with, &without),
                only(&without, &with)
            )
        })
    }
}

/// Everything in the store, newest first.
pub(crate) fn list(env: &TestEnv) -> Result<Vec<Item>, String> {
    let ran = env.segue(&LIST).run();
    if ran.code != 0 || ran.stderr.contains("warning: ") || ran.stderr.contains("error: ") {
        return Err(format!("list failed ({}): {}", ran.code, ran.stderr));
    }
    items(&ran)
}

/// The handoffs that a `list --json` printed.
pub(crate) fn items(ran: &Ran) -> Result<Vec<Item>, String> {
    let parsed: serde_json::Value =
        serde_json::from_slice(&ran.bytes).map_err(|error| format!("list --json: {error}"))?;
    let text = |item: &serde_json::Value, key: &str| item[key].as_str().unwrap_or("").to_owned();
    Ok(parsed
        .as_array()
        .ok_or("list --json is no array")?
        .iter()
        .map(|item| Item {
            id: text(item, "id"),
            created: text(item, "created_at"),
            archived: item["archived"] == true,
            path: text(item, "path").into(),
        })
        .collect())
}

/// A whole handoff as the program shows it.
pub(crate) fn show(env: &TestEnv, id: &str) -> Result<Vec<u8>, String> {
    let ran = env.segue(&["show", "--raw", id]).run();
    if ran.code == 0 {
        Ok(ran.bytes)
    } else {
        Err(format!("cannot show {id} ({}): {}", ran.code, ran.stderr))
    }
}

/// Temporary files, which only a killed process may leave.
pub(crate) fn leftovers(env: &TestEnv) -> Vec<PathBuf> {
    let mut found = files_below(&env.home);
    found.retain(|path| path.to_string_lossy().contains("tmp-"));
    found
}

fn visible_markdown(home: &Path) -> Vec<PathBuf> {
    let mut found = files_below(&home.join("projects"));
    found.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.ends_with(".md") && !name.starts_with('.')
    });
    found
}

fn is_state_of(text: &[u8], id: &str, raw: &[u8]) -> bool {
    let first = text.split(|b| *b == b'\n').next().unwrap_or_default();
    let head_end = raw.windows(5).position(|five| five == b"\n---\n");
    let body = head_end.map_or(raw, |at| &raw[at + 5..]);
    holds(first, id.as_bytes()) && text.trim_ascii_end().ends_with(body.trim_ascii_end())
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
