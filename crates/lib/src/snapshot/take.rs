//! Takes a snapshot: looks, compares with the last one, composes, saves.

use std::path::Path;

use segue_agents::find as find_agent;
use segue_core::{
    HANDOFF, HandoffFile, HandoffKind, ItemSource, ItemSources, LastWords, MAX_HANDOFF_BYTES, Seen,
    SeenGit, SeenTree, SessionSummary, SnapshotSummary, Tag, failing_checks, next_items,
    project_types,
};
use segue_share::git::Repo;
use segue_store::{Filter, Listed, read_workspace_file};

use super::document::block;
use super::outcome::SnapshotOutcome;
use super::request::SnapshotRequest;
use super::see_git::{Commits, Snapshots};
use super::session::CapturedSession;
use super::sources::SnapshotSources;
use crate::Error;
use crate::drafts::Drafts;
use crate::handoffs::{
    Fixed, LOOKED_AT, OBSERVED, OWN_WORDS, SNAPSHOT, SaveRequest, TRANSCRIPT, is_made,
};
use crate::here::GitStateAnswer;
use crate::sessions::Captured;
use crate::sessions::redacted_session::taken_out;
use crate::workspace::Workspace;

/// What git said, and its answer as it is written down.
type GitNow = (SeenGit, Option<GitStateAnswer>);

impl Snapshots<'_> {
    /// Takes a snapshot of the directory, unless nothing is new since the last one. Sessions that ended without a
    /// handoff get theirs, too.
    pub fn take(&self, request: &SnapshotRequest) -> Result<SnapshotOutcome, Error> {
        let taken = self.take_if_new(request)?;
        // The session that goes on here is not over; the one that was captured has its handoff.
        Drafts::of(&self.here).catch_up(request.session.as_deref());
        Ok(taken)
    }

    fn take_if_new(&self, request: &SnapshotRequest) -> Result<SnapshotOutcome, Error> {
        let mut warnings = Vec::new();
        let mut sources = self.gather(request, &mut warnings)?;
        let (dir, workspace) = (self.here.directory()?, &sources.file.root);
        // Git is asked everything at once, also where its state turns out to be the same.
        let now = self.see_git(dir, workspace, self.here.discovery(), Commits::Recent);
        let tree = self.tree_contents(dir, workspace);
        let state = self.state_of(request, &sources, &tree);
        // The session of the state, even if this snapshot turns out to be of the tree alone.
        let session = sources.captured.clone();
        // An edited block was saved by itself and is made anew.
        if sources.edited.is_none() {
            let mut existing = self.unchanged_since(&state, session.as_ref(), request.by_itself)?;
            let is_needed = existing.is_none();
            if is_needed {
                self.leave_out_captured(request, &mut sources, &mut warnings)?;
            }
            if is_needed && request.by_itself && sources.capture.is_none() {
                let words = sources.words.as_deref().unwrap_or_default();
                existing = self.saved_at_this_state(words, &tree)?;
            }
            if let Some(existing) = existing {
                warnings.extend(tree.problem.map(|why| format!("git gave no answer: {why}")));
                return Ok(self.nothing_new(existing, &sources, warnings));
            }
        } else {
            self.leave_out_captured(request, &mut sources, &mut warnings)?;
        }
        let outcome = self.save(request, sources, Some(now), None, warnings)?;
        if let Err(error) = self.note_state(&outcome.snapshot, state, session.as_ref()) {
            tracing::info!("what the snapshot was taken of could not be noted: {error}");
        }
        Ok(outcome)
    }

    /// Takes a snapshot under an id that is fixed already.
    pub(crate) fn take_as(
        &self,
        request: &SnapshotRequest,
        fixed: &Fixed,
    ) -> Result<SnapshotOutcome, Error> {
        let mut warnings = Vec::new();
        let mut sources = self.gather(request, &mut warnings)?;
        self.leave_out_captured(request, &mut sources, &mut warnings)?;
        // It has a time before anything is captured: only a session of now has that time.
        if sources.capture.as_ref().is_some_and(|capture| !capture.is_of_now()) {
            sources.capture = None;
            sources.told = self.session_text(None, request.own_words.as_deref());
        }
        self.save(request, sources, None, Some(fixed), warnings)
    }

    /// Everything that a snapshot is made out of, but for git's state.
    fn gather(
        &self,
        request: &SnapshotRequest,
        warnings: &mut Vec<String>,
    ) -> Result<SnapshotSources<'_>, Error> {
        self.here.directory()?;
        let file = Workspace::of(&self.here);
        let is_refreshable = file.is_refreshable(warnings)?;
        let newest = self.handoffs.newest_with_content()?;
        // What somebody wrote between the marks comes first, and is older than what is seen now.
        let edited = match is_refreshable {
            true => file.save_edited_block(warnings)?,
            false => None,
        };
        let words = match is_refreshable {
            true => self.words_of(&file.root, warnings)?,
            false => Some(String::new()),
        };
        let captured = match &request.captured {
            Some(captured) => Some(captured.clone()),
            None => self.session_for(request, warnings)?,
        };
        self.log_session(captured.as_ref(), request);
        let capture = captured.as_ref().and_then(|one| self.describe_session(one, request));
        let told = self.session_text(capture.as_ref(), request.own_words.as_deref());
        Ok(SnapshotSources { file, is_refreshable, newest, edited, words, captured, capture, told })
    }

    /// Leaves out a session that a handoff has all of already: then the snapshot is of git's state alone.
    fn leave_out_captured(
        &self,
        request: &SnapshotRequest,
        sources: &mut SnapshotSources<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<(), Error> {
        let Some(captured) = &sources.captured else { return Ok(()) };
        let Some(earlier) = self.captured_before(captured, request)? else { return Ok(()) };
        let (id, session) = (earlier.head.id.short(), captured.id());
        tracing::info!("session {session}: not taken, the handoff {id} has all of it");
        warnings.push(format!(
            "the session is kept already as {id} and has not gone on: this snapshot has git's state only"
        ));
        (sources.captured, sources.capture) = (None, None);
        sources.told = self.session_text(None, request.own_words.as_deref());
        Ok(())
    }

    /// Saves a snapshot, under an id that is fixed already if one is given.
    fn save(
        &self,
        request: &SnapshotRequest,
        sources: SnapshotSources<'_>,
        now: Option<GitNow>,
        fixed: Option<&Fixed>,
        mut warnings: Vec<String>,
    ) -> Result<SnapshotOutcome, Error> {
        let has_own_words = sources.has_own_words(request);
        let SnapshotSources {
            file,
            is_refreshable,
            newest,
            edited,
            words,
            captured,
            capture,
            told,
        } = sources;
        let dir = self.here.directory()?;
        let workspace = &file.root;
        warnings.extend(capture.as_ref().and_then(|capture| taken_out(&capture.distilled.body)));
        let (seen_git, asked) =
            self.look_at_git(now, workspace, capture.as_ref(), &mut warnings)?;
        let last = self.last_words(self.here.repo(), &seen_git, capture.as_ref())?;
        let saved_words = capture.as_ref().and_then(|capture| capture.saved_words.as_ref());
        let is_of_session = words.as_ref().is_some_and(String::is_empty);
        let words = words.unwrap_or_default();
        // Where nobody said anything, it is never the latest: also if HANDOFF.md could not be read.
        let observed = words.is_empty() && capture.is_none() && !has_own_words;
        let seen = Seen {
            types: project_types(|name| dir.join(name).exists()),
            git: seen_git,
            before: last.as_ref().filter(|_| observed).map(last_words),
        };
        let shows_git = capture.as_ref().is_none_or(|capture| capture.shows_git);
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
        let session = captured.as_ref().map(|one| one.id().to_owned());
        let kind = match has_own_words {
            true => HandoffKind::Handoff,
            false if observed => HandoffKind::Snapshot,
            false if told.is_some() => HandoffKind::Session,
            false => HandoffKind::Handoff,
        };
        let summary = SnapshotSummary {
            session: capture.as_ref().map(|capture| session_summary(capture, has_own_words)),
            has_file_words: !words.is_empty(),
            open_steps: next_items(&body).len(),
            git: shows_git.then(|| seen.git.in_short()),
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
        let handoff_file = refreshed.map(|file| file.path);
        let captured = Some(summary);
        Ok(SnapshotOutcome { snapshot: saved, captured, handoff_file, document, warnings })
    }

    /// What git says: of now, or of a session as far as its transcript shows it.
    fn look_at_git(
        &self,
        now: Option<GitNow>,
        workspace: &Path,
        capture: Option<&CapturedSession>,
        warnings: &mut Vec<String>,
    ) -> Result<GitNow, Error> {
        let dir = self.here.directory()?;
        let (seen_git, asked) = match (capture, now) {
            (None, Some(now)) => now,
            (None, None) => self.see_git(dir, workspace, self.here.discovery(), Commits::Recent),
            // A session names the commits that it made itself.
            (Some(capture), Some((SeenGit::Tree(tree), asked)))
                if capture.shows_git && capture.place.directory() == dir =>
            {
                (SeenGit::Tree(SeenTree { commits: None, ..tree }), asked)
            }
            (Some(capture), _) => self.see_session_git(capture, workspace),
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
        Ok((seen_git, asked))
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
}

fn session_summary(capture: &CapturedSession, has_own_words: bool) -> SessionSummary {
    let session = &capture.session;
    let agent = find_agent(&session.agent).map_or(session.agent.as_str(), |agent| agent.title);
    SessionSummary {
        agent: agent.to_owned(),
        turns: session.turns,
        failing_checks: failing_checks(session),
        has_own_words,
    }
}

fn agent_of(captured: Option<&Captured>) -> Option<String> {
    captured.map(|captured| captured.seen.agent.to_owned())
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
