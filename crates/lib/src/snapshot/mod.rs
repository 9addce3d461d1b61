//! Snapshot: a handoff from what can be seen, and from what stands in HANDOFF.md.

mod request;
mod see_git;
mod session;

use std::path::{Path, PathBuf};

use segue_core::{
    HANDOFF, HandoffFile, HandoffKind, ItemSource, ItemSources, LastWords, MAX_HANDOFF_BYTES, Seen,
    SeenGit, Tag, project_types,
};
use segue_share::git::Repo;
use segue_store::{Filter, Listed, read_workspace_file};

use crate::Error;
use crate::drafts::Drafts;
use crate::handoffs::{
    Fixed, LOOKED_AT, OBSERVED, OWN_WORDS, SNAPSHOT, SaveOutcome, SaveRequest, TRANSCRIPT, is_made,
};
use crate::here::GitStateAnswer;
use crate::sessions::Captured;
use crate::sessions::redacted_session::taken_out;
use crate::workspace::{Workspace, see_also};
pub use request::SnapshotRequest;
use see_git::Commits;
pub use see_git::Snapshots;
use session::CapturedSession;

/// A snapshot.
#[derive(Debug)]
#[non_exhaustive]
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

impl Snapshots<'_> {
    /// Takes a snapshot of the directory.
    pub fn take(&self, request: &SnapshotRequest) -> Result<SnapshotOutcome, Error> {
        let taken = self.take_as(request, None)?;
        // The session that goes on here is not over; the one that was captured is told.
        Drafts::of(&self.here).catch_up(request.session.as_deref());
        Ok(taken)
    }

    /// Takes a snapshot, under an id that is fixed already if one is given.
    pub(crate) fn take_as(
        &self,
        request: &SnapshotRequest,
        fixed: Option<&Fixed>,
    ) -> Result<SnapshotOutcome, Error> {
        let dir = self.here.directory()?;
        let repo = self.here.repo();
        let file = Workspace::of(&self.here);
        let workspace = &file.root;
        let mut warnings = Vec::new();
        let is_refreshable = file.is_refreshable(&mut warnings)?;
        let newest = self.handoffs.newest_with_content()?;
        // What somebody wrote between the marks comes first, and is older than what is seen now.
        let edited = match is_refreshable {
            true => file.save_edited_block(&mut warnings)?,
            false => None,
        };
        let words = match is_refreshable {
            true => self.words_of(workspace, &mut warnings)?,
            false => Some(String::new()),
        };
        let captured = match &request.captured {
            Some(captured) => Some(captured.clone()),
            None => self.capture_for(request, &mut warnings)?,
        };
        self.log_session(captured.as_ref(), request);
        // A run's snapshot has an id, and so a time, before anything is captured: only a session of now has
        // that time.
        let capture = captured.as_ref().and_then(|one| self.describe_session(one, request));
        let capture = capture.filter(|capture| fixed.is_none() || capture.is_of_now());
        warnings.extend(capture.as_ref().and_then(|capture| taken_out(&capture.distilled.body)));
        let (seen_git, asked) = match &capture {
            None => self.see_git(dir, workspace, self.here.discovery(), Commits::Recent),
            Some(capture) => self.see_session_git(capture, workspace),
        };
        match &seen_git {
            SeenGit::Tree(_) => tracing::info!("git: asked for the state of the tree"),
            SeenGit::Broken(_) => tracing::info!("git: asked, and gave no answer"),
            _ if capture.is_some() => {
                tracing::info!("git: the state is what the transcript shows, not that of now");
            }
            _ => tracing::info!("git: not asked, there is no work tree"),
        }
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
        let told = self.session_text(capture.as_ref(), answer);
        let (told, told_sources) = told.unzip();
        let told_sources = told_sources.unwrap_or_default();
        let seen_sections = seen.sections();
        let sections = match &told {
            Some(told) if shows_git => format!("{told}\n{seen_sections}"),
            Some(told) => told.clone(),
            None => seen_sections.clone(),
        };
        let body = match (words.is_empty(), has_own_words) {
            (true, _) => sections.clone(),
            // The agent's words come first.
            (false, true) => format!("{sections}\n{words}"),
            (false, false) => format!("{words}\n{sections}"),
        };
        if request.only_if_new && self.nothing_new(&body, asked.as_ref(), capture.as_ref())? {
            let document = document(workspace).unwrap_or(sections);
            return Ok(SnapshotOutcome { saved: None, refreshed: None, document, warnings });
        }
        let session = captured.as_ref().map(|one| one.id().to_owned());
        let kind = match has_own_words {
            true => HandoffKind::Handoff,
            false if observed => HandoffKind::Snapshot,
            false if told.is_some() => HandoffKind::Session,
            false => HandoffKind::Handoff,
        };
        let sources = match words.is_empty() {
            true => told_sources,
            false => ItemSources::of_parts(&[
                (told_sources, told.as_deref().unwrap_or_default()),
                (ItemSources::all(ItemSource::Tool), &seen_sections),
                (ItemSources::all(ItemSource::Repository), &words),
            ]),
        };
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
        let saved = self.handoffs.write(
            &SaveRequest {
                kind,
                body,
                sources,
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
            Drafts::of(&self.here).remove_of(&captured.seen)?;
        }
        let block = block(&saved, &sections, workspace);
        let edited = edited.as_deref();
        let is_older =
            |newest: &Listed| place.is_some_and(|place| newest.head.created > place.ended);
        let refreshed = match (is_refreshable, newest.filter(is_older)) {
            (true, Some(newest)) => {
                let newer = newest.head.id.short();
                warnings.push(format!("{HANDOFF} is left as it is: {newer} is a newer handoff"));
                None
            }
            (true, None) => {
                let (handoff, block) = (&saved.handoff, Some(block.as_str()));
                file.refresh_handoff_file(handoff, block, edited, &mut warnings)
            }
            (false, _) => None,
        };
        let document = refreshed.as_ref().map_or(block, |file| file.text.clone());
        let refreshed = refreshed.map(|file| file.path);
        Ok(SnapshotOutcome { saved: Some(saved), refreshed, document, warnings })
    }

    /// What was made out of the same session, which is replaced by what is made out of it later: by a capture all
    /// but the agent's own words, by these everything.
    fn earlier_of(&self, session: Option<&str>, own_words: bool) -> Result<Vec<String>, Error> {
        let Some(session) = session else { return Ok(Vec::new()) };
        let all = self.handoffs.of_session(session, None)?;
        let is_replaced =
            |id: &str| all.iter().any(|one| one.head.fields.supersedes.iter().any(|old| old == id));
        let earlier = all
            .iter()
            .filter(|listed| is_made(listed) || own_words && listed.head.fields.captured.is_some());
        let ids = earlier.map(|listed| listed.head.id.to_string());
        Ok(ids.filter(|id| !is_replaced(id)).collect())
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
            offered_at: Some(self.here.now()),
            // A session goes on from nothing that was left after it.
            credible_at: Some(self.here.now()),
            until: capture.map(|capture| capture.place.ended),
            kinds: HandoffKind::LATEST.to_vec(),
            without_repeats: true,
            branch,
            worktree: tree.map(|tree| tree.worktree.clone()),
            limit: Some(LOOKED_AT),
            ..Filter::default()
        };
        // What was made out of the same session is no other's words.
        let own = capture.map(|capture| capture.session_id.as_str());
        let is_own = |listed: &Listed| {
            own.is_some() && is_made(listed) && listed.head.fields.session.as_deref() == own
        };
        Ok(self.handoffs.listed(&filter)?.into_iter().find(|listed| !is_own(listed)))
    }

    /// Whether the newest handoff here says the same; of a session, whether the newest of that does.
    fn nothing_new(
        &self,
        body: &str,
        asked: Option<&GitStateAnswer>,
        capture: Option<&CapturedSession>,
    ) -> Result<bool, Error> {
        if let Some(capture) = capture {
            let newest = capture.earlier.iter().max_by_key(|one| one.head.created);
            // What cannot be read says nothing.
            let there = newest.and_then(|newest| self.here.store.read(newest).ok());
            return Ok(there.is_some_and(|there| there.body() == body));
        }
        let now = self.here.now();
        let filter = Filter {
            offered_at: Some(now),
            credible_at: Some(now),
            kinds: [&HandoffKind::LATEST[..], &[HandoffKind::Snapshot]].concat(),
            limit: Some(1),
            ..Filter::default()
        };
        let Some(newest) = self.handoffs.listed(&filter)?.pop() else { return Ok(false) };
        let fields = &newest.head.fields;
        let (branch, head, changed) = match asked.map(|asked| asked.status.as_ref()) {
            Some(Ok(status)) => (status.branch.clone(), status.head.clone(), status.changed()),
            _ => (None, None, Vec::new()),
        };
        if (&fields.git.branch, &fields.git.head, &fields.changed) != (&branch, &head, &changed) {
            return Ok(false);
        }
        let Ok(there) = self.here.store.read(&newest) else { return Ok(false) };
        if is_made(&newest) {
            return Ok(there.body() == body);
        }
        // Somebody left a handoff of their own at this very state, and has said nothing since.
        let words = body.split("## Observed\n").next().unwrap_or("").trim();
        Ok(words.is_empty() || there.body().contains(words))
    }
}

/// The text of HANDOFF.md.
fn document(workspace: &Path) -> Option<String> {
    let there = read_workspace_file(&workspace.join(HANDOFF), MAX_HANDOFF_BYTES).ok()??;
    Some(String::from_utf8_lossy(&there.bytes).into_owned())
}

fn agent_of(captured: Option<&Captured>) -> Option<String> {
    captured.map(|captured| captured.seen.agent.to_owned())
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
