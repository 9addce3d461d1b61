//! Snapshot: a handoff from what can be seen, and from what stands in HANDOFF.md.

mod session;

use std::path::{Path, PathBuf};

use segue_core::{
    CommitLine, HANDOFF, HandoffFile, LastWords, MAX_HANDOFF_BYTES, Seen, SeenChange, SeenGit,
    SeenTree, Tag, Timestamp, project_types,
};
use segue_share::git::{Discovery, FileStat, GitError, Repo, Status, at_once, look};
use segue_store::{Filter, Listed, read_workspace_file};

use crate::decide::DECIDED;
use crate::live::SESSION;
use crate::redacted_session::taken_out;
use crate::save::{Asked, Fixed};
use crate::today::told;
use crate::workspace::{see_also, workspace_of};
use crate::{Captured, Error, ProjectRef, SaveOutcome, SaveRequest, Segue, SessionRef};
use session::CapturedSession;

/// The tag of every snapshot.
pub(crate) const SNAPSHOT: &str = "snapshot";
/// The tag of a snapshot in which nobody said anything: `resume` looks past it for words.
pub(crate) const OBSERVED: &str = "observed";
/// The tag of a snapshot that has nothing of HANDOFF.md: what is said in it is out of a session.
pub(crate) const TRANSCRIPT: &str = "transcript";

/// The tag of a handoff in an agent's own words, with what its session shows besides.
pub(crate) const OWN_WORDS: &str = "own-words";

const COMMITS: usize = 10;
/// Handoffs that are looked at for one of the same session.
const LOOKED_AT: u64 = 20;
const MOST_LOOKED_AT: u64 = 2_000;

/// A snapshot is of the current directory.
const HERE: ProjectRef = ProjectRef::Here;

/// What kind of snapshot to take.
#[derive(Clone, Debug, Default)]
pub struct SnapshotRequest {
    /// What kind of work it was.
    pub mode: Option<String>,
    /// The agent that leaves it.
    pub tool: Option<String>,
    /// The agent's own session id.
    pub session: Option<String>,
    /// The session that it is made out of.
    pub from: SessionRef,
    /// That session, if it was read already.
    pub captured: Option<Captured>,
    /// What its agent answered when it was asked for a handoff.
    pub own_words: Option<String>,
    /// Save nothing if everything is as the last handoff here says.
    pub only_if_new: bool,
}

/// A snapshot.
#[derive(Debug)]
pub struct SnapshotOutcome {
    /// The handoff; `None` if there was nothing new.
    pub saved: Option<SaveOutcome>,
    /// HANDOFF.md, if it was made anew.
    pub refreshed: Option<PathBuf>,
    /// The whole document: HANDOFF.md, or what it would say.
    pub document: String,
    /// What did not go as it should.
    pub warnings: Vec<String>,
}

impl Segue {
    /// Takes a snapshot of the directory.
    pub fn snapshot(&self, request: &SnapshotRequest) -> Result<SnapshotOutcome, Error> {
        self.snapshot_as(request, None)
    }

    /// As `snapshot`, under an id that is fixed already.
    pub(crate) fn snapshot_as(
        &self,
        request: &SnapshotRequest,
        fixed: Option<&Fixed>,
    ) -> Result<SnapshotOutcome, Error> {
        self.env.begin();
        let dir = self.directory_of(&ProjectRef::Here)?;
        let found = look(&dir);
        let repo = found.repo();
        let workspace = workspace_of(&dir, repo);
        let mut warnings = Vec::new();
        let file = self.refreshable(&dir, repo, &mut warnings)?;
        let newest = self.newest_with_content()?;
        // What somebody wrote between the marks comes first, and is older than what is seen now.
        let edited = match &file {
            Some(_) => self.save_edited_block(&HERE, &workspace, &mut warnings)?,
            None => None,
        };
        let words = match &file {
            Some(_) => self.words_of(&workspace, &mut warnings)?,
            None => Some(String::new()),
        };
        let captured = match &request.captured {
            Some(captured) => Some(captured.clone()),
            None => self.capture_for(request, &mut warnings)?,
        };
        // A run's snapshot has an id, and so a time, before anything is captured: only a session of now has
        // that time.
        let capture = captured.as_ref().and_then(|one| self.describe_session(one, repo, request));
        let capture = capture.filter(|capture| fixed.is_none() || capture.is_of_now());
        warnings.extend(capture.as_ref().and_then(|capture| taken_out(&capture.distilled.body)));
        let (seen_git, asked) = match &capture {
            None => self.see_git(&dir, &workspace, &found, Commits::Recent),
            Some(capture) => self.see_session_git(capture, repo, &workspace),
        };
        match &seen_git {
            SeenGit::Broken(why) => warnings.push(format!("git gave no answer: {why}")),
            SeenGit::Tree(tree) => warnings.extend(tree.gaps.iter().cloned()),
            _ => {}
        }
        let last = self.last_words(repo, &seen_git, capture.as_ref())?;
        let answer = request.own_words.as_deref();
        let saved_words = capture.as_ref().and_then(|capture| capture.saved_words.as_ref());
        let has_own_words = answer.is_some() || saved_words.is_some();
        let is_of_session = words.as_ref().is_some_and(String::is_empty);
        // What could not be read may have words in it.
        let observed = is_of_session && capture.is_none() && !has_own_words;
        let words = words.unwrap_or_default();
        let seen = Seen {
            types: project_types(|name| dir.join(name).exists()),
            git: seen_git,
            before: last.as_ref().filter(|_| observed).map(last_words),
        };
        let shows_git = capture.as_ref().is_none_or(|capture| capture.shows_git);
        let sections = match self.session_text(capture.as_ref(), answer) {
            Some(told) if shows_git => format!("{told}\n{}", seen.sections()),
            Some(told) => told,
            None => seen.sections(),
        };
        let body = match (words.is_empty(), has_own_words) {
            (true, _) => sections.clone(),
            // The agent's words come first.
            (false, true) => format!("{sections}\n{words}"),
            (false, false) => format!("{words}\n{sections}"),
        };
        if request.only_if_new && self.nothing_new(&body, asked.as_ref(), capture.as_ref())? {
            let document = self.document(&workspace).unwrap_or(sections);
            return Ok(SnapshotOutcome { saved: None, refreshed: None, document, warnings });
        }
        let session = captured.as_ref().map(|one| one.id().to_owned());
        let tags = match has_own_words {
            true => vec![OWN_WORDS],
            false if observed => vec![SNAPSHOT, OBSERVED],
            false if is_of_session => vec![SNAPSHOT, TRANSCRIPT],
            false => vec![SNAPSHOT],
        };
        let fields = saved_words.map(|saved| &saved.head.fields);
        let mut supersedes = self.earlier_of(session.as_deref(), has_own_words)?;
        supersedes.extend(saved_words.map(|saved| saved.head.id.to_string()));
        supersedes.sort();
        supersedes.dedup();
        let place = capture.as_ref().filter(|_| fixed.is_none()).map(|capture| &capture.place);
        let title = fields.and_then(|fields| fields.title.clone());
        let title =
            title.or_else(|| capture.as_ref().map(|capture| capture.distilled.title.clone()));
        let saved = self.save_retrying(
            &SaveRequest {
                body,
                title: Some(title.unwrap_or_else(|| seen.title())),
                name: fields.and_then(|fields| fields.name.as_deref()?.parse().ok()),
                tags: tags.iter().map(|tag| tag.parse::<Tag>()).collect::<Result<_, _>>()?,
                tool: agent_of(captured.as_ref()).or_else(|| request.tool.clone()),
                session: session.clone().or_else(|| request.session.clone()),
                supersedes,
                mode: request.mode.clone(),
                parent: last.map(|listed| listed.head.id.to_string()),
                ..SaveRequest::default()
            },
            asked.as_ref(),
            place,
            fixed,
        )?;
        warnings.extend(saved.warnings.iter().cloned());
        if let Some(captured) = captured.as_ref().filter(|_| has_own_words) {
            // What the session said itself is not told a second time out of its transcript.
            self.drop_live_draft(&captured.seen)?;
        }
        let block = block(&saved, &sections, &workspace);
        let edited = edited.as_deref();
        let is_older =
            |newest: &Listed| place.is_some_and(|place| newest.head.created > place.ended);
        let refreshed = match (file, newest.filter(is_older)) {
            (Some(_), Some(newest)) => {
                let newer = newest.head.id.short();
                warnings.push(format!("{HANDOFF} is left as it is: {newer} is a newer handoff"));
                None
            }
            (Some(file), None) => {
                let (handoff, block) = (&saved.handoff, Some(block.as_str()));
                self.refresh_handoff_file(&HERE, &file, handoff, block, edited, &mut warnings)
            }
            (None, _) => None,
        };
        let document = refreshed.as_ref().map_or(block, |file| file.text.clone());
        let refreshed = refreshed.map(|file| file.path);
        Ok(SnapshotOutcome { saved: Some(saved), refreshed, document, warnings })
    }

    /// The newest handoff here in which something was said.
    fn newest_with_content(&self) -> Result<Option<Listed>, Error> {
        let filter = Filter {
            offered_at: Some(self.env.now()),
            credible_at: Some(self.env.now()),
            without_bare_snapshots: true,
            limit: Some(1),
            ..Filter::default()
        };
        Ok(self.list_of(&HERE, &filter)?.pop())
    }

    /// Whether a handoff was written after a moment. A date that lies ahead shows nothing.
    pub(crate) fn was_written_after(&self, listed: &Listed, moment: Timestamp) -> bool {
        let written = listed.head.written();
        written >= moment && !written.is_ahead_of(self.env.now())
    }

    /// Handoffs that were left by a session or made out of it. A decision by itself is none: the session
    /// still has to say where things stand.
    pub(crate) fn handoffs_of(
        &self,
        session: &str,
        began: Option<Timestamp>,
    ) -> Result<Vec<Listed>, Error> {
        // A session leaves nothing before it begins; where that is not known, the newest are looked at.
        let limit = if began.is_some() { MOST_LOOKED_AT } else { LOOKED_AT };
        let filter = Filter { since: began, limit: Some(limit), ..Filter::default() };
        let mut all = self.list_of(&HERE, &filter)?;
        all.retain(|listed| {
            let fields = &listed.head.fields;
            fields.session.as_deref() == Some(session)
                && !fields.tags.iter().any(|tag| tag == DECIDED)
        });
        Ok(all)
    }

    /// Handoffs that were left here after a moment, newest first.
    pub(crate) fn handoffs_since(&self, since: Timestamp) -> Result<Vec<Listed>, Error> {
        let filter = Filter {
            offered_at: Some(self.env.now()),
            credible_at: Some(self.env.now()),
            limit: Some(LOOKED_AT),
            ..Filter::default()
        };
        let mut all = self.list_of(&HERE, &filter)?;
        all.retain(|listed| listed.head.created > since);
        Ok(all)
    }

    /// The last snapshot of the same session, which a later one replaces. The agent's own words replace
    /// the last of everything that was made out of the session.
    fn earlier_of(&self, session: Option<&str>, own_words: bool) -> Result<Vec<String>, Error> {
        let Some(session) = session else { return Ok(Vec::new()) };
        let all = self.handoffs_of(session, None)?;
        let replaced: &[&str] =
            if own_words { &[SNAPSHOT, SESSION, OWN_WORDS] } else { &[SNAPSHOT] };
        let newest = |tag: &&str| {
            let tagged = |listed: &&Listed| listed.head.fields.tags.iter().any(|own| own == tag);
            all.iter().find(tagged).map(|listed| listed.head.id.to_string())
        };
        let mut ids: Vec<String> = replaced.iter().filter_map(newest).collect();
        ids.sort();
        ids.dedup();
        Ok(ids)
    }

    /// What people and agents wrote into HANDOFF.md; `None` if it is not of a kind that can be taken.
    fn words_of(
        &self,
        workspace: &Path,
        warnings: &mut Vec<String>,
    ) -> Result<Option<String>, Error> {
        let path = workspace.join(HANDOFF);
        let there = read_workspace_file(&path, MAX_HANDOFF_BYTES / 2)?;
        let Some(there) = there else { return Ok(Some(String::new())) };
        if there.is_cut() {
            warnings.push(format!(
                "{} is too large: its words are not in the snapshot, the file is left as it is",
                path.display()
            ));
            return Ok(None);
        }
        match HandoffFile::parse(&there.bytes) {
            Ok(file) => Ok(Some(file.words())),
            Err(error) => {
                warnings.push(format!("{} is left as it is: {error}", path.display()));
                Ok(None)
            }
        }
    }

    fn document(&self, workspace: &Path) -> Option<String> {
        let there = read_workspace_file(&workspace.join(HANDOFF), MAX_HANDOFF_BYTES).ok()??;
        Some(String::from_utf8_lossy(&there.bytes).into_owned())
    }

    fn see_git(
        &self,
        dir: &Path,
        workspace: &Path,
        found: &Discovery,
        log: Commits,
    ) -> (SeenGit, Option<Asked>) {
        let repo = match found {
            Discovery::None => return (SeenGit::None, None),
            Discovery::Bare => return (SeenGit::Bare, None),
            Discovery::Broken(path) => {
                let why = format!("{} is not a repository", path.display());
                return (SeenGit::Broken(why), None);
            }
            Discovery::Repo(repo) => repo,
        };
        let git = self.env.git();
        let ((status, origin), (commits, stats)) = at_once(
            || at_once(|| git.status(dir, repo), || git.origin(dir)),
            || {
                let recent = || match log {
                    Commits::Recent => git.recent_commits(dir, COMMITS).map(Some),
                    Commits::None => Ok(None),
                };
                at_once(recent, || git.uncommitted_stat(dir, repo))
            },
        );
        let mut status = match status {
            Ok(status) => status,
            Err(error) => {
                let seen = SeenGit::Broken(told(&error));
                return (
                    seen,
                    Some(Asked { status: Err(error), origin: origin.ok().flatten(), remote: None }),
                );
            }
        };
        // HANDOFF.md is a view, and it changes with every snapshot.
        let view = workspace.join(HANDOFF);
        status.entries.retain(|entry| repo.top.join(&entry.path) != view);
        let seen = SeenGit::Tree(tree(repo, &status, commits, stats));
        (seen, Some(Asked { status: Ok(status), origin: origin.ok().flatten(), remote: None }))
    }

    /// The newest handoff of this branch in which somebody said something and nobody took it back:
    /// words of HANDOFF.md that are not there any more are history.
    fn last_words(
        &self,
        repo: Option<&Repo>,
        git: &SeenGit,
        capture: Option<&CapturedSession>,
    ) -> Result<Option<Listed>, Error> {
        let branch = match (git, capture) {
            (SeenGit::Tree(tree), _) => Some(tree.branch.clone()),
            (_, Some(capture)) => Some(capture.session.branch.clone()),
            _ => None,
        };
        let tree = match capture {
            Some(capture) => capture.place.tree.as_ref(),
            None => repo,
        };
        let filter = Filter {
            offered_at: Some(self.env.now()),
            // A session goes on from nothing that was left after it.
            credible_at: Some(self.env.now()),
            until: capture.map(|capture| capture.place.ended),
            without_tags: vec![SNAPSHOT.to_owned()],
            branch,
            worktree: tree.map(|tree| tree.worktree.clone()),
            limit: Some(1),
            ..Filter::default()
        };
        Ok(self.list_of(&HERE, &filter)?.pop())
    }

    /// Whether the newest handoff here says the same; of a session, whether the newest of that does.
    fn nothing_new(
        &self,
        body: &str,
        asked: Option<&Asked>,
        capture: Option<&CapturedSession>,
    ) -> Result<bool, Error> {
        if let Some(capture) = capture {
            let newest = capture.earlier.iter().max_by_key(|one| one.head.created);
            let there = newest.map(|newest| self.store.read(newest)).transpose()?;
            return Ok(there.is_some_and(|there| there.body() == body));
        }
        let now = self.env.now();
        let filter = Filter {
            offered_at: Some(now),
            credible_at: Some(now),
            limit: Some(1),
            ..Filter::default()
        };
        let Some(newest) = self.list_of(&HERE, &filter)?.pop() else { return Ok(false) };
        let fields = &newest.head.fields;
        let (branch, head, changed) = match asked.map(|asked| &asked.status) {
            Some(Ok(status)) => (status.branch.clone(), status.head.clone(), status.changed()),
            _ => (None, None, Vec::new()),
        };
        if (&fields.git.branch, &fields.git.head, &fields.changed) != (&branch, &head, &changed) {
            return Ok(false);
        }
        let there = self.store.read(&newest)?;
        if fields.tags.iter().any(|tag| tag == SNAPSHOT) {
            return Ok(there.body() == body);
        }
        // Somebody left a handoff of their own at this very state, and has said nothing since.
        let words = body.split("## Observed\n").next().unwrap_or("").trim();
        Ok(words.is_empty() || there.body().contains(words))
    }

    /// Handoffs of a project, without looking elsewhere.
    fn list_of(&self, project: &ProjectRef, filter: &Filter) -> Result<Vec<Listed>, Error> {
        let scope =
            self.store_ask(&segue_store::Scope::Projects, |view| self.scope(view, project))?;
        match scope {
            Some(scope) => Ok(self.store.ask(&scope, |view| view.listed(&scope, filter))?),
            None => Ok(Vec::new()),
        }
    }

    /// The body of a project's newest handoff.
    pub(crate) fn latest_body(&self, project: &ProjectRef) -> Result<Option<String>, Error> {
        let credible_at = Some(self.env.now());
        let filter = Filter { credible_at, limit: Some(1), ..Filter::default() };
        match self.list_of(project, &filter)?.pop() {
            Some(newest) => Ok(Some(self.store.read(&newest)?.body().to_owned())),
            None => Ok(None),
        }
    }
}

/// Which commits a snapshot names. A session names those that it made itself.
#[derive(Clone, Copy)]
enum Commits {
    Recent,
    None,
}

fn commit_line(commit: segue_share::git::Commit) -> CommitLine {
    CommitLine { id: commit.id, subject: commit.subject }
}

fn agent_of(captured: Option<&Captured>) -> Option<String> {
    captured.map(|captured| captured.seen.agent.to_owned())
}

fn tree(
    repo: &Repo,
    status: &Status,
    commits: Result<Option<Vec<segue_share::git::Commit>>, GitError>,
    stats: Result<Vec<FileStat>, GitError>,
) -> SeenTree {
    let mut gaps = Vec::new();
    let commits = commits.unwrap_or_else(|error| {
        gaps.push(told(&error));
        Some(Vec::new())
    });
    let stats = match stats {
        Ok(stats) => stats,
        // Before the first commit there is nothing to count against.
        Err(GitError::Failed { .. }) if status.head.is_none() => Vec::new(),
        Err(error) => {
            gaps.push(told(&error));
            Vec::new()
        }
    };
    let lines =
        |path: &str| stats.iter().find(|stat| stat.path == path).and_then(|stat| stat.lines);
    SeenTree {
        branch: status.branch.clone(),
        head: status.head.clone(),
        operation: repo.operation(),
        commits: commits.map(|commits| commits.into_iter().map(commit_line).collect()),
        changes: status
            .entries
            .iter()
            .map(|entry| SeenChange {
                code: entry.code.clone(),
                path: entry.path.clone(),
                lines: lines(&entry.path),
            })
            .collect(),
        more: status.more,
        gaps,
    }
}

/// What HANDOFF.md says of a snapshot: what was seen. The words stand in the file already.
fn block(saved: &SaveOutcome, sections: &str, workspace: &Path) -> String {
    let head = &saved.handoff.head;
    let mut out = format!("## Last Session\n- **When**: {}\n", head.created.whole_second().short());
    if let Some(mode) = &head.fields.mode {
        out.push_str(&format!("- **Mode**: {}\n", segue_core::visible_line(mode)));
    }
    if let Some(tool) = &head.fields.tool {
        out.push_str(&format!("- **Agent**: {}\n", segue_core::visible_line(tool)));
    }
    out.push_str(&format!(
        "- **Handoff**: `{}` (`segue resume` tells where you stand)\n",
        head.id.short()
    ));
    out.push('\n');
    out.push_str(sections);
    out.push('\n');
    out.push_str(&see_also(workspace));
    out
}

/// What is told of the last handoff. The words of one from elsewhere do not become our own.
fn last_words(listed: &Listed) -> LastWords {
    let foreign = listed.head.fields.imported.is_some();
    LastWords {
        short: listed.head.id.short().to_owned(),
        title: if foreign { "an imported handoff".to_owned() } else { listed.title.clone() },
        created: listed.head.created,
        next: if foreign { Vec::new() } else { listed.next.clone() },
    }
}
