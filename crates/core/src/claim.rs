//! Which claims of a handoff may no longer be true, because what they stand on has changed.

use crate::part::Part;
use crate::section::{intro, says_nothing};
use crate::{Block, BlockKind, Fields, HandoffKind, ItemSource, blocks, sections};

/// What became of a file since the handoff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFate {
    Changed,
    Renamed(String),
    /// It was there when the handoff was left.
    Gone,
    /// It is not there, and whether it ever was is not known.
    Missing,
}

/// What became of the tree as a whole since the handoff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TreeFate {
    /// In a few words, why what was observed then may not hold now; `None` if nothing changed.
    pub(crate) moved: Option<String>,
    /// The commit that is checked out, and the one of then.
    pub(crate) head: Option<String>,
    pub(crate) then: Option<String>,
}

/// A claim that should be verified before it is relied on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// Where the claim stands.
    pub(crate) part: Part,
    /// The claim's block as it stands.
    pub(crate) claim: String,
    /// Why it is in doubt.
    pub(crate) reason: String,
    /// The files that are the reason.
    pub(crate) files: Vec<String>,
}

/// Why one claim may no longer be true.
pub(crate) fn doubt(
    part: Part,
    text: &str,
    tree: &TreeFate,
    fate: &dyn Fn(&str) -> Option<FileFate>,
) -> Option<Doubt> {
    let mut reasons = Vec::new();
    let mut files = Vec::new();
    for file in named_files(text) {
        let why = match fate(&file.path) {
            Some(FileFate::Changed) => "changed since".to_owned(),
            Some(FileFate::Renamed(to)) => format!("is now {}", crate::code_span(&to)),
            Some(FileFate::Gone) => "is gone".to_owned(),
            // A step may be about a file still to be made, and not every word is a file.
            Some(FileFate::Missing) if part != Part::Next && file.surely => {
                "is not there".to_owned()
            }
            _ => continue,
        };
        reasons.push(format!("{} {why}", crate::code_span(&file.path)));
        files.push(file.path);
    }
    reasons.extend(observed_elsewhere(part, text, tree));
    if reasons.is_empty() {
        return None;
    }
    let more = reasons.len().saturating_sub(3);
    reasons.truncate(3);
    let mut reason = reasons.join(", ");
    if more > 0 {
        reason.push_str(&format!(" and {more} more"));
    }
    Some(Doubt { part, claim: text.trim().to_owned(), reason, files })
}

/// What becomes of the sections in which a snapshot keeps what it saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// A briefing looks for itself.
    Skipped,
    /// Nobody took a snapshot: whoever chose such a heading has something to say.
    Told,
}

impl Seen {
    /// How to read a handoff with this head. Behind the words of an agent that were completed out of its session
    /// stands what was seen then, too.
    pub(crate) fn of(fields: &Fields) -> Self {
        let is_made = matches!(fields.kind, HandoffKind::Session | HandoffKind::Snapshot);
        let is_seen = is_made || fields.captured.is_some() || fields.sources.has(ItemSource::Tool);
        if is_seen { Self::Skipped } else { Self::Told }
    }
}

/// A block of a body that says something.
pub(crate) struct Claim<'a> {
    pub(crate) part: Part,
    /// The heading that it stands under; empty before the first one.
    pub(crate) section: &'a str,
    /// The heading below that one, if there is one.
    pub(crate) under: Option<&'a str>,
    pub(crate) block: Block<'a>,
}

/// The claims of a body, in order.
pub(crate) fn claims(body: &str, seen: Seen) -> Vec<Claim<'_>> {
    let mut all = vec![(Part::State, "", intro(body))];
    let found = sections(body);
    all.extend(found.iter().map(|section| (Part::of(section.title), section.title, section.text)));
    let mut claims = Vec::new();
    for (part, section, text) in all {
        let part = match (part, seen) {
            (Part::Seen, Seen::Skipped) => continue,
            (Part::Seen, Seen::Told) => Part::Other,
            (part, _) => part,
        };
        let mut under = None;
        let first = claims.len();
        for block in blocks(text) {
            match block.kind {
                BlockKind::Heading => under = Some(block.words()),
                _ if block.is_placeholder() => {}
                _ => claims.push(Claim { part, section, under, block }),
            }
        }
        // That nothing is left is where things stand, and no step.
        if part == Part::Next
            && let [only] = &mut claims[first..]
            && says_nothing(only.block.words())
        {
            (only.part, only.under) = (Part::State, Some(section));
        }
    }
    claims
}

/// Why a check, or a claim that was observed at a commit, may not hold on today's tree.
fn observed_elsewhere(part: Part, text: &str, tree: &TreeFate) -> Option<String> {
    let at = observed_at(text);
    // On the same files it still holds, whatever the commit is called.
    let moved = tree.moved.as_ref();
    let then = |at: &str| tree.then.as_ref().is_some_and(|then| then.starts_with(at));
    match (at, &tree.head) {
        (Some(at), _) if moved.is_none() && then(at) => None,
        (Some(at), Some(head)) if !head.starts_with(at) => {
            Some(format!("observed at `{at}`, not at today's commit"))
        }
        _ if part == Part::Checks || at.is_some() => Some(format!("{} it was checked", moved?)),
        _ => None,
    }
}

/// The commit in evidence such as `*(observed: exit 0 at 3f2a9c1)*`.
fn observed_at(text: &str) -> Option<&str> {
    let (_, rest) = text.rsplit_once("(observed")?;
    let evidence = rest.split(')').next()?;
    let (_, commit) = evidence.rsplit_once(" at ")?;
    let commit = commit.trim().trim_matches('`');
    let hex = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex.then_some(commit)
}

/// A file that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedFile {
    pub(crate) path: String,
    /// Whether nothing but a file of the tree can be meant.
    pub(crate) surely: bool,
}

/// What in a text could be the path of a file in the tree, each once.
pub(crate) fn named_files(text: &str) -> Vec<NamedFile> {
    let mut found: Vec<NamedFile> = Vec::new();
    let mut add = |file: NamedFile| {
        if !found.iter().any(|known| known.path == file.path) {
            found.push(file);
        }
    };
    let marks = |c: char| c.is_whitespace() || "\"'()[]<>,;|*".contains(c);
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            // In code marks a path may have blanks and brackets in it, and a bare word may be a file.
            for word in std::iter::once(part.trim()).chain(part.split_whitespace()) {
                expanded(word).iter().filter_map(|word| named(word, true)).for_each(&mut add);
            }
            continue;
        }
        // Commas part words, but not within braces.
        for word in part.split(|c: char| marks(c) && c != ',') {
            let words = match word.contains('{') {
                true => expanded(word),
                false => word.split(',').map(str::to_owned).collect(),
            };
            words.iter().filter_map(|word| named(word, false)).for_each(&mut add);
        }
    }
    found
}

/// `src/{a,b}.rs` as the two that it means.
fn expanded(word: &str) -> Vec<String> {
    let parts = word.split_once('{').and_then(|(before, rest)| {
        let (inside, after) = rest.split_once('}')?;
        Some((before, inside, after))
    });
    match parts {
        Some((before, inside, after)) if inside.contains(',') && inside.len() < 200 => {
            inside.split(',').map(|part| format!("{before}{}{after}", part.trim())).collect()
        }
        _ => vec![word.to_owned()],
    }
}

/// Files without an ending that people name in prose.
const BARE_FILES: [&str; 12] = [
    "Makefile",
    "Dockerfile",
    "Containerfile",
    "Justfile",
    "justfile",
    "Rakefile",
    "Gemfile",
    "Procfile",
    "Vagrantfile",
    "Jenkinsfile",
    "LICENSE",
    "CODEOWNERS",
];

/// The file that a word names, if it may.
fn named(word: &str, code: bool) -> Option<NamedFile> {
    let word = word.trim_end_matches(['.', ':', '!', '?', ',']).trim_start_matches('@');
    if word.contains("://") {
        return None;
    }
    // `src/auth.rs:42`, `src/auth.rs::parse` and `src/auth.rs#L42` are about the file.
    let path = word.split(['#', ':']).next().unwrap_or(word);
    let path = path.strip_prefix("./").unwrap_or(path);
    let odd = path.starts_with(['~', '$', '-', '\\'])
        || path.contains(['$', '{', '=', '%', '\\', '*', '<', '>']);
    if path.len() < 3 || path.len() > 300 || odd || path.split('/').any(|part| part == "..") {
        return None;
    }
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    let extension = last.rsplit_once('.').map(|(_, extension)| extension).filter(|ext| {
        (1..=10).contains(&ext.len())
            && ext.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ext.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let nested = path.contains('/');
    let blank = path.contains(char::is_whitespace);
    // A word alone is a file only if it is marked as code, or nothing else is called so.
    let bare = extension.is_none() && !nested;
    if bare && (blank || !(code || BARE_FILES.contains(&path))) {
        return None;
    }
    // The first part of an address looks like a directory with a dot in its name.
    let address = path
        .split('/')
        .next()
        .is_some_and(|first| nested && first.contains('.') && !first.starts_with('.'));
    let surely = nested && extension.is_some() && !address && !blank;
    Some(NamedFile { path: path.to_owned(), surely })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The claims of a body whose ground has moved.
    fn doubts(body: &str, tree: &TreeFate, fate: &dyn Fn(&str) -> Option<FileFate>) -> Vec<Doubt> {
        let claims = claims(body, Seen::Skipped);
        let open = claims.iter().filter(|claim| claim.part != Part::Next || !claim.block.is_done());
        open.filter_map(|claim| doubt(claim.part, claim.block.text, tree, fate)).collect()
    }

    fn paths(text: &str) -> Vec<String> {
        named_files(text).into_iter().map(|file| file.path).collect()
    }

    #[test]
    fn files_are_found_in_prose() {
        assert_eq!(
            paths("Fix `src/auth.rs:42`, then ./tests/b.py and (lib.rs). See @docs/x.md#L3!"),
            ["src/auth.rs", "tests/b.py", "lib.rs", "docs/x.md"]
        );
        assert_eq!(
            paths("in src/auth/ we have and/or v1.2 at https://x.org/a.html"),
            ["src/auth/", "and/or"]
        );
        assert_eq!(paths("~/x.md ../up.rs $HOME/a.rs --flag=a.rs"), [""; 0]);
        assert_eq!(
            paths(
                "`my dir/a b.rs`, Makefile, schema.graphql, src/{auth,list}.rs and src/x.rs::new"
            ),
            [
                "my dir/a b.rs",
                "dir/a",
                "b.rs",
                "Makefile",
                "schema.graphql",
                "src/auth.rs",
                "src/list.rs",
                "src/x.rs"
            ]
        );
        assert!(!named_files("example.org/a.html")[0].surely);
    }

    #[test]
    fn claims_on_moved_ground_are_doubted() {
        let body = "Parser is in `src/parse.rs`.\n\n## Current State\n- `src/auth.rs` is done\n- docs fine\n\n## Files of Note\n- src/old.rs\n- src/never.rs\n\n## Next Steps\n- write src/new.rs\n- fix `src/auth.rs`\n- [x] did src/auth.rs\n\n## Observed\n- src/auth.rs was seen\n\n## Checks\n- `cargo test` exit 0\n\n## Key Decisions\n- Tokio it is *(observed: exit 0 at 3f2a9c1)*\n";
        let fate = |path: &str| match path {
            "src/auth.rs" => Some(FileFate::Changed),
            "src/parse.rs" => Some(FileFate::Renamed("src/parser.rs".into())),
            "src/old.rs" => Some(FileFate::Gone),
            "src/never.rs" | "src/new.rs" => Some(FileFate::Missing),
            _ => None,
        };
        let tree = TreeFate {
            moved: Some("2 commits since".into()),
            head: Some("9999999aaaa".into()),
            then: None,
        };
        let found = doubts(body, &tree, &fate);
        let shown: Vec<String> =
            found.iter().map(|d| format!("{} | {}", d.claim, d.reason)).collect();
        assert_eq!(
            shown,
            [
                "Parser is in `src/parse.rs`. | `src/parse.rs` is now `src/parser.rs`",
                "- `src/auth.rs` is done | `src/auth.rs` changed since",
                "- src/old.rs | `src/old.rs` is gone",
                "- src/never.rs | `src/never.rs` is not there",
                "- fix `src/auth.rs` | `src/auth.rs` changed since",
                "- `cargo test` exit 0 | 2 commits since it was checked",
                "- Tokio it is *(observed: exit 0 at 3f2a9c1)* | observed at `3f2a9c1`, not at today's commit",
            ]
        );
        assert_eq!(doubts(body, &TreeFate::default(), &|_| None), []);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text: String) {
            let _ = doubts(&text, &TreeFate::default(), &|_| Some(FileFate::Changed));
        }
    }
}
