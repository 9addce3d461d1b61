//! Which claims of a handoff may no longer be true, because what they stand on has changed.

use crate::part::Part;
use crate::section::intro;
use crate::{Block, BlockKind, blocks, sections};

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
pub struct TreeFate {
    /// In a few words, why what was observed then may not hold now; `None` if nothing changed.
    pub moved: Option<String>,
    /// The commit that is checked out.
    pub head: Option<String>,
}

/// A claim that should be verified before it is relied on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// Where the claim stands.
    pub part: Part,
    /// The claim's block as it stands.
    pub claim: String,
    /// Why it is in doubt.
    pub reason: String,
    /// The files that are the reason.
    pub files: Vec<String>,
}

/// The claims of a body whose ground has moved.
pub fn doubts(body: &str, tree: &TreeFate, fate: &dyn Fn(&str) -> Option<FileFate>) -> Vec<Doubt> {
    let mut found = Vec::new();
    for Claim { part, block, .. } in claims(body) {
        if part == Part::Seen || block.is_done() {
            continue;
        }
        let mut reasons = Vec::new();
        let mut files = Vec::new();
        for file in named_files(block.text) {
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
        if let Some(why) = observed_elsewhere(part, block.text, tree) {
            reasons.push(why);
        }
        if !reasons.is_empty() {
            let more = reasons.len().saturating_sub(3);
            reasons.truncate(3);
            let mut reason = reasons.join(", ");
            if more > 0 {
                reason.push_str(&format!(" and {more} more"));
            }
            found.push(Doubt { part, claim: block.text.trim().to_owned(), reason, files });
        }
    }
    found
}

/// A block of a body that says something.
pub(crate) struct Claim<'a> {
    pub(crate) part: Part,
    /// The heading that it stands under; empty before the first one.
    pub(crate) section: &'a str,
    pub(crate) block: Block<'a>,
}

/// The claims of a body, in order.
pub(crate) fn claims(body: &str) -> Vec<Claim<'_>> {
    let mut all = vec![(Part::State, "", intro(body))];
    let found = sections(body);
    all.extend(found.iter().map(|section| (Part::of(section.title), section.title, section.text)));
    let mut claims = Vec::new();
    for (part, section, text) in all {
        let says = |block: &Block<'_>| !block.is_placeholder() && block.kind != BlockKind::Heading;
        let said = blocks(text).into_iter().filter(says);
        claims.extend(said.map(|block| Claim { part, section, block }));
    }
    claims
}

/// Why a check, or a claim that was observed at a commit, may not hold on today's tree.
fn observed_elsewhere(part: Part, text: &str, tree: &TreeFate) -> Option<String> {
    let at = observed_at(text);
    if let (Some(at), Some(head)) = (at, &tree.head)
        && !head.starts_with(at)
    {
        return Some(format!("observed at `{at}`, not at today's commit"));
    }
    let moved = tree.moved.as_ref()?;
    (part == Part::Checks || at.is_some()).then(|| format!("{moved} it was checked"))
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
    let marks = |c: char| c.is_whitespace() || "`\"'()[]<>,;|*".contains(c);
    for word in text.split(marks) {
        let word = word.trim_end_matches(['.', ':', '!', '?']).trim_start_matches('@');
        // `src/auth.rs:42` and `src/auth.rs#L42` are about the file.
        let word = word.split('#').next().unwrap_or(word);
        let path = match word.split_once(':') {
            Some((path, line)) if line.starts_with(|c: char| c.is_ascii_digit()) => path,
            Some(_) => continue,
            None => word,
        };
        let path = path.strip_prefix("./").unwrap_or(path);
        let outside = path.starts_with(['/', '~', '$', '-', '\\']) || path.contains("..");
        if path.len() < 3 || outside || path.contains(['$', '{', '=', '%', '\\']) {
            continue;
        }
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
        let extension = last.rsplit_once('.').map(|(_, extension)| extension).filter(|ext| {
            (1..=5).contains(&ext.len())
                && ext.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && ext.starts_with(|c: char| c.is_ascii_alphabetic())
        });
        let nested = path.contains('/');
        if extension.is_none() && !nested {
            continue;
        }
        // The first part of an address looks like a directory with a dot in its name.
        let address = path
            .split('/')
            .next()
            .is_some_and(|first| nested && first.contains('.') && !first.starts_with('.'));
        let surely = nested && extension.is_some() && !address;
        if !found.iter().any(|file| file.path == path) {
            found.push(NamedFile { path: path.to_owned(), surely });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(paths("/etc/passwd ~/x.md ../up.rs $HOME/a.rs --flag=a.rs"), [""; 0]);
        assert!(!named_files("example.org/a.html")[0].surely);
    }

    #[test]
    fn claims_on_moved_ground_are_doubted() {
        let body = "Parser is in `src/parse.rs`.\n\n## Current State\n- `src/auth.rs` is done\n- docs fine\n\n## Files of Note\n- src/old.rs\n- src/never.rs\n\n## Next Steps\n- write src/new.rs\n- fix `src/auth.rs`\n- [x] did src/auth.rs\n\n## Checks\n- `cargo test` exit 0\n\n## Key Decisions\n- Tokio it is *(observed: exit 0 at 3f2a9c1)*\n";
        let fate = |path: &str| match path {
            "src/auth.rs" => Some(FileFate::Changed),
            "src/parse.rs" => Some(FileFate::Renamed("src/parser.rs".into())),
            "src/old.rs" => Some(FileFate::Gone),
            "src/never.rs" | "src/new.rs" => Some(FileFate::Missing),
            _ => None,
        };
        let tree =
            TreeFate { moved: Some("2 commits since".into()), head: Some("9999999aaaa".into()) };
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
