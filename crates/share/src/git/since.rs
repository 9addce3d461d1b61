//! What happened since an earlier commit: which commits came, and which files differ now.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::time::Instant;

use super::history::{Commit, FileChange, is_object_name, without_ours};
use super::net_change::{Blob, BlobChange, NetChange, Side};
use super::{Git, GitError, at_once};

/// So many commits are read with what each of them changed, in one process. Where there are more, they are
/// counted, and the two trees are compared.
const READ: usize = 100;

/// A commit to look back to, and what is known without git.
#[derive(Clone, Copy, Debug)]
pub struct EarlierCommit<'a> {
    /// Its name, out of some file.
    pub commit: &'a str,
    /// The commit that is checked out, if files say it.
    pub head: Option<&'a str>,
    /// Whether it was made on another branch than is checked out: a merge may have brought it here.
    pub is_of_another_branch: bool,
}

/// What lies between an earlier commit and HEAD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The newest commits that HEAD has and the earlier one has not.
    pub commits: Vec<Commit>,
    /// How many there are.
    pub ahead: u64,
    /// How many the earlier one has and HEAD has not: the history was changed, or another branch
    /// is checked out.
    pub behind: u64,
    /// Files that differ between the two.
    pub files: Vec<FileChange>,
}

impl Git {
    /// What happened between a commit and HEAD, with the newest commits by name, so many at most. `None` if
    /// the commit is not in this clone.
    pub fn since(
        &self,
        dir: &Path,
        earlier: &EarlierCommit<'_>,
        count: usize,
    ) -> Result<Option<History>, GitError> {
        if !is_object_name(earlier.commit) {
            return Ok(None);
        }
        let begun = Instant::now();
        let log = self.log_with_changes(dir, earlier);
        // One deadline for all of it.
        let rest = Self { deadline: self.deadline.saturating_sub(begun.elapsed()), ..self.clone() };
        let log = match log {
            Ok(log) if log.len() <= READ => log,
            Ok(_) => return rest.count_and_compare(dir, earlier.commit, count),
            Err(GitError::Failed { message, .. }) if is_of_unknown_commit(&message) => {
                return Ok(None);
            }
            // An older git does not know how to do that, and a partial clone lacks what it needs.
            Err(GitError::Failed { .. }) => {
                return rest.count_and_compare(dir, earlier.commit, count);
            }
            Err(error) => return Err(error),
        };
        if log.is_empty() {
            return Ok(Some(History::default()));
        }
        let files = match net_change(&log, earlier) {
            Some(net) => net.files().into_iter().filter_map(without_ours).collect(),
            None => rest.changes(dir, earlier.commit)?,
        };
        let ahead = log.iter().filter(|logged| logged.is_ahead).count() as u64;
        let behind = log.len() as u64 - ahead;
        let newest = log.into_iter().filter(|logged| logged.is_ahead).take(count);
        let commits = newest.map(|logged| logged.commit).collect();
        Ok(Some(History { commits, ahead, behind, files }))
    }

    /// The commits that only one of the two has, with what each changed. One more than can be used, if there
    /// are so many.
    fn log_with_changes(
        &self,
        dir: &Path,
        earlier: &EarlierCommit<'_>,
    ) -> Result<Vec<LoggedCommit>, GitError> {
        let count = format!("--max-count={}", READ + 1);
        // What a merge brought costs little. What it left behind on the branch that it took in can be
        // everything else, and is needed only by who comes from there.
        let merges = match earlier.is_of_another_branch {
            true => "--diff-merges=separate",
            false => "--diff-merges=first-parent",
        };
        let both = format!("{}...HEAD", earlier.commit);
        let args = [
            "log",
            "-z",
            "--no-show-signature",
            "--no-color",
            "--no-decorate",
            "--encoding=UTF-8",
            "--format=%m%H%x09%P%x09%h%x09%s",
            "--raw",
            "--find-renames",
            "--no-relative",
            "--no-ext-diff",
            "--no-textconv",
            merges,
            &count,
            &both,
            "--",
        ];
        let log = parse_log(&self.read(dir, &args)?)?;
        Ok(match earlier.is_of_another_branch {
            true => log,
            false => log.into_iter().map(LoggedCommit::with_first_parent).collect(),
        })
    }

    /// The same by questions of their own, which cost the same however long the history is.
    fn count_and_compare(
        &self,
        dir: &Path,
        commit: &str,
        count: usize,
    ) -> Result<Option<History>, GitError> {
        let begun = Instant::now();
        let both = format!("{commit}...HEAD");
        let counts = match self.read(dir, &["rev-list", "--left-right", "--count", &both]) {
            Ok(output) => output,
            Err(GitError::Failed { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let counts = String::from_utf8_lossy(&counts).into_owned();
        let mut numbers = counts.split_whitespace().map(str::parse::<u64>);
        let (Some(Ok(behind)), Some(Ok(ahead))) = (numbers.next(), numbers.next()) else {
            return Err(GitError::Unexpected(counts));
        };
        if (behind, ahead) == (0, 0) {
            return Ok(Some(History::default()));
        }
        let rest = Self { deadline: self.deadline.saturating_sub(begun.elapsed()), ..self.clone() };
        let range = format!("{commit}..HEAD");
        let (commits, files) =
            at_once(|| rest.commits(dir, &range, count), || rest.changes(dir, commit));
        Ok(Some(History { commits: commits?, ahead, behind, files: files? }))
    }
}

/// Whether git says that it does not have the commit. It is asked in the language of its sources.
fn is_of_unknown_commit(message: &str) -> bool {
    ["Invalid symmetric difference", "ambiguous argument", "bad object", "bad revision"]
        .iter()
        .any(|said| message.contains(said))
}

/// A commit that only one of the two has.
#[derive(Debug, PartialEq, Eq)]
struct LoggedCommit {
    /// Whether HEAD has it.
    is_ahead: bool,
    id: String,
    parents: Vec<String>,
    commit: Commit,
    /// What differs from its parents, in their order.
    changes: Vec<Vec<BlobChange>>,
}

impl LoggedCommit {
    /// The same, seen from its first parent only.
    fn with_first_parent(mut self) -> Self {
        self.parents.truncate(1);
        self
    }

    /// Its parents, with what differs from each. None where a difference was not told, because it is empty:
    /// then it is not clear which parent the others are of.
    fn edges(&self) -> impl Iterator<Item = (&str, &[BlobChange])> {
        let is_clear = self.parents.len() == self.changes.len();
        let parents = self.parents.iter().filter(move |_| is_clear);
        parents.zip(&self.changes).map(|(parent, changes)| (parent.as_str(), &changes[..]))
    }
}

/// Reads the output of one call.
fn parse_log(output: &[u8]) -> Result<Vec<LoggedCommit>, GitError> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut log: Vec<LoggedCommit> = Vec::new();
    while let Some(field) = fields.next() {
        // A line end lies between a commit and its changes.
        let field = String::from_utf8_lossy(field.strip_prefix(b"\n").unwrap_or(field));
        let unexpected = || GitError::Unexpected(field.chars().take(60).collect());
        let mut path = || {
            let path = fields.next().filter(|path| !path.is_empty()).ok_or_else(unexpected)?;
            Ok::<_, GitError>(String::from_utf8_lossy(path).into_owned())
        };
        match field.chars().next() {
            None => {}
            Some(mark @ ('<' | '>')) => {
                let mut parts = field[1..].splitn(4, '\t');
                let mut part = || parts.next().map(str::to_owned).ok_or_else(unexpected);
                let (id, parents, short, subject) = (part()?, part()?, part()?, part()?);
                match log.last_mut().filter(|last| last.id == id) {
                    Some(last) => last.changes.push(Vec::new()),
                    None => log.push(LoggedCommit {
                        is_ahead: mark == '>',
                        id,
                        parents: parents.split_whitespace().map(str::to_owned).collect(),
                        commit: Commit { id: short, subject: subject.trim().to_owned() },
                        changes: vec![Vec::new()],
                    }),
                }
            }
            Some(':') => {
                let mut words = field[1..].split(' ').map(str::to_owned);
                let mut word = || words.next().ok_or_else(unexpected);
                let (old_mode, new_mode) = (word()?, word()?);
                let old = Blob { mode: old_mode, id: word()? };
                let new = Blob { mode: new_mode, id: word()? };
                let kind = word()?.chars().next().ok_or_else(unexpected)?;
                let from = path()?;
                let to = if matches!(kind, 'R' | 'C') { path()? } else { from.clone() };
                let old = (!matches!(kind, 'A' | 'C')).then_some(Side { path: from, blob: old });
                let new = (kind != 'D').then_some(Side { path: to, blob: new });
                let changes = log.last_mut().and_then(|last| last.changes.last_mut());
                changes.ok_or_else(unexpected)?.push(BlobChange { old, new });
            }
            Some(_) => return Err(unexpected()),
        }
    }
    Ok(log)
}

/// How the trees of the two differ, by the changes on a way from one to the other: back over commits that HEAD
/// does not have, on over those that it has. `None` where the commits do not show such a way.
fn net_change(log: &[LoggedCommit], earlier: &EarlierCommit<'_>) -> Option<NetChange> {
    let mut ways: HashMap<&str, Vec<Step<'_>>> = HashMap::new();
    for logged in log {
        for (parent, changes) in logged.edges() {
            let on = Step { to: &logged.id, changes, is_back: false };
            ways.entry(parent).or_default().push(on);
            let back = Step { to: parent, changes, is_back: true };
            ways.entry(&logged.id).or_default().push(back);
        }
    }
    let head = earlier.head.or_else(|| tip(log))?;
    let start = ways.keys().copied().find(|id| id.starts_with(earlier.commit))?;
    // The shortest way: how each commit was reached, and from where.
    let mut reached: HashMap<&str, Option<(&str, Step<'_>)>> = HashMap::from([(start, None)]);
    let mut waiting = VecDeque::from([start]);
    while let Some(at) = waiting.pop_front() {
        if at == head {
            break;
        }
        for step in ways.get(at).into_iter().flatten() {
            if !reached.contains_key(step.to) {
                reached.insert(step.to, Some((at, *step)));
                waiting.push_back(step.to);
            }
        }
    }
    let mut steps = Vec::new();
    let mut at = head;
    while let Some((from, step)) = *reached.get(at)? {
        steps.push(step);
        at = from;
    }
    let mut net = NetChange::default();
    for step in steps.into_iter().rev() {
        if step.is_back {
            net.apply_reversed(step.changes);
        } else {
            net.apply(step.changes);
        }
    }
    Some(net)
}

/// From one commit to the next.
#[derive(Clone, Copy)]
struct Step<'a> {
    to: &'a str,
    changes: &'a [BlobChange],
    /// Whether it leads from a commit to its parent.
    is_back: bool,
}

/// The commit that no other is made on, among those that HEAD has.
fn tip(log: &[LoggedCommit]) -> Option<&str> {
    let ahead = || log.iter().filter(|logged| logged.is_ahead);
    let parents: HashSet<&String> = ahead().flat_map(|logged| &logged.parents).collect();
    ahead().find(|logged| !parents.contains(&logged.id)).map(|logged| logged.id.as_str())
}
