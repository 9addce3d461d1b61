//! Resume: finds the handoff to go on from, checks it against today's tree, and briefs.

use std::path::{Path, PathBuf};

use segue_agents::Agent;
use segue_core::{
    Briefing, Check, Conventions, Facts, Handoff, HandoffKind, IdleSession, ItemSource, Left,
    OtherHandoff, Rechecked, Redactor, StandingRule, StateItemKind, StateView, Timestamp,
    UnreadableHandoff, Unsaved, WorkspaceTexts, inherited_rules,
};
use segue_share::git::Repo;
use segue_store::Listed;

use crate::Error;
use crate::briefing::ResumeRequest;
use crate::briefing::choice::{Chosen, OTHERS, choose, where_now};
use crate::briefing::fates::Fates;
use crate::briefing::nearness::LeftAt;
use crate::briefing::recheck::{RecheckedHandoff, recheck};
use crate::briefing::today::{self, Today};
use crate::drafts::{Drafts, SessionTold, UnsavedSearch, UnsavedSession, UnsavedSessions};
use crate::handoffs::is_made;
use crate::here::{Brings, Here};
use crate::redacted::{clean, redact_out};
use crate::run::Runs;
use crate::sessions::capture::{CompletedWords, is_plain_id};
use crate::sharing::{Provenance, ProvenanceReader};
use crate::state::LoadedState;
use crate::workspace::Workspace;

/// So many bytes of a body are briefed from: far more than any budget holds.
const MOST_BRIEFED: usize = 256 * 1024;

/// A briefing and what it was made from.
#[derive(Debug)]
#[non_exhaustive]
pub struct ResumeOutcome {
    /// The briefing.
    pub briefing: Briefing,
    /// The handoff that it is about.
    pub handoff: Option<(Handoff, Listed)>,
    /// Where the last session left no handoff: that session.
    pub session: Option<SessionTold>,
    /// Where that comes from, if it was not made here.
    pub provenance: Option<Provenance>,
    /// Others that could have been meant.
    pub others: Vec<OtherHandoff>,
    /// What should have been told and cannot be read.
    pub unreadable: Vec<UnreadableHandoff>,
    /// What git says today.
    pub git: segue_core::GitToday,
    /// What the checks gave that were run again.
    pub rechecked: Vec<Rechecked>,
    /// What the user said to hold, as far as the handoff is of this machine.
    pub(crate) rules: Vec<StandingRule>,
    /// The project's label.
    pub project: String,
    /// The directory that it is about.
    pub dir: PathBuf,
    /// What could not be read.
    pub warnings: Vec<String>,
    /// A memory that the repository brings and that is not used.
    pub brings: Option<Brings>,
}

/// Who briefs the next session of a directory.
#[derive(Debug)]
pub struct Briefer<'s> {
    here: Here<'s>,
    drafts: Drafts<'s>,
}

impl<'s> Briefer<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone(), drafts: Drafts::of(here) }
    }
}

impl Briefer<'_> {
    /// Briefs the next session. `ask` is asked before a command of the handoff's checks is run again; without it
    /// none is. Writes nothing.
    pub fn resume(
        &self,
        request: &ResumeRequest,
        ask: Option<&mut dyn FnMut(&Check) -> bool>,
    ) -> Result<ResumeOutcome, Error> {
        self.here.directory()?;
        let chosen = choose(&self.here, request)?;
        let unsaved =
            self.find_unsaved(request, &chosen, &|search| self.drafts.find_unsaved(search));
        self.brief_on(request, chosen, unsaved, ask)
    }

    /// Briefs a session for its hook: what is read of other sessions on the way is kept as live drafts.
    pub(crate) fn resume_and_keep(&self, request: &ResumeRequest) -> Result<ResumeOutcome, Error> {
        self.here.directory()?;
        let chosen = choose(&self.here, request)?;
        let unsaved = self
            .find_unsaved(request, &chosen, &|search| self.drafts.keep_and_find_unsaved(search));
        self.brief_on(request, chosen, unsaved, None)
    }

    /// What sessions would leave that have left no handoff.
    fn find_unsaved(
        &self,
        request: &ResumeRequest,
        chosen: &Chosen,
        find: &dyn Fn(&UnsavedSearch<'_>) -> UnsavedSessions,
    ) -> UnsavedSessions {
        if !request.is_open() || chosen.all_expired {
            return UnsavedSessions::default();
        }
        // A decision by itself does not say where things stand, however late it was made.
        let says = chosen.listed.as_ref().filter(|listed| listed.head.fields.kind.is_base());
        let here = where_now(request, &self.here);
        let left = says.map(|listed| LeftAt {
            distance: here.distance(&listed.head.fields),
            created: listed.head.created,
        });
        let words = says.filter(|listed| !is_made(listed) && listed.head.fields.captured.is_none());
        let words_of = words.and_then(|listed| listed.head.fields.session.as_deref());
        let idle = chosen.state.as_ref().map(LoadedState::idle).unwrap_or_default();
        let left_is_idle = says.is_some_and(|listed| idle.contains(&listed.head.id));
        let asking = request.asking.as_deref();
        find(&UnsavedSearch { asking, here, left, left_is_idle, words_of })
    }

    /// Makes the briefing out of what was chosen.
    fn brief_on(
        &self,
        request: &ResumeRequest,
        mut chosen: Chosen,
        unsaved: UnsavedSessions,
        ask: Option<&mut dyn FnMut(&Check) -> bool>,
    ) -> Result<ResumeOutcome, Error> {
        let here = &self.here;
        let mut warnings = std::mem::take(&mut chosen.warnings);
        let handoff = self.read_handoff(&mut chosen, &unsaved)?;
        log_choice(request, here, &chosen, unsaved.chosen.as_ref());
        warnings.extend(handoff.iter().flat_map(warnings_of));
        let today = today::ask(here, handoff.as_ref().map(|handoff| &handoff.head.fields.git));
        let workspace = Workspace::of(here);
        let fates = today::fates(&workspace.root, here.repo(), handoff.as_ref(), &today);
        let texts = workspace.read_texts(&mut warnings);
        let rechecked = match ask {
            Some(ask) => self.recheck(request, &chosen, handoff.as_ref(), &texts, ask)?,
            None => Vec::new(),
        };
        let texts = without_secrets(&here.redactor_out(), texts);
        let others = self.others(request, &chosen, &unsaved);
        let state = chosen.state.take();
        let view = state.as_ref().map(LoadedState::view);
        let provenance = ProvenanceReader::of(here.store);
        let provenance = handoff.as_ref().and_then(|handoff| provenance.of_handoff(handoff));
        let gathered = Gathered {
            provenance: provenance.as_ref().map(Provenance::told),
            unsaved: unsaved.chosen.as_ref(),
            request,
            chosen: &chosen,
            handoff: handoff.as_ref(),
            today: &today,
            fates: &fates,
            texts,
            others: others.clone(),
            unfinished: Runs::of(here).unfinished().map(|unfinished| {
                format!("{} `{}` goes on with it.", unfinished.what, unfinished.command)
            }),
            rechecked: rechecked.clone(),
            state: view.as_ref(),
            asked: asked_since(view.as_ref(), &unsaved),
        };
        let rules = rules_of(handoff.as_ref(), view.as_ref());
        let briefing = brief(gathered, here.now());
        log_left_out(&briefing);
        Ok(ResumeOutcome {
            briefing,
            rules,
            handoff: handoff.zip(chosen.listed),
            unreadable: chosen.unreadable,
            session: unsaved.chosen.map(UnsavedSession::told),
            provenance,
            others,
            git: today.git,
            rechecked,
            project: chosen.label,
            brings: here.shared().brings().cloned(),
            dir: here.directory()?.to_owned(),
            warnings,
        })
    }

    /// Reads what to go on from, as far as a briefing can be about it. A session that left nothing may take the
    /// place of the handoff that was chosen.
    fn read_handoff(
        &self,
        chosen: &mut Chosen,
        unsaved: &UnsavedSessions,
    ) -> Result<Option<Handoff>, Error> {
        let handoff = match (&unsaved.chosen, &chosen.listed) {
            (Some(unsaved), _) => unsaved.handoff.clone(),
            (None, Some(listed)) => {
                let handoff = match chosen.handoff.take() {
                    Some(handoff) => handoff,
                    None => self.here.store.read(listed)?,
                };
                let checked = unsaved.checked.as_ref().filter(|words| words.of == handoff.head.id);
                match checked {
                    Some(checked) => with_words(handoff, &checked.words),
                    None => handoff,
                }
            }
            (None, None) => return Ok(None),
        };
        if unsaved.chosen.is_some() {
            chosen.pass_over();
        }
        redact_out(&self.here.redactor_out(), briefable(handoff)).map(Some)
    }

    /// Runs the checks of the handoff again, those that may be run.
    fn recheck(
        &self,
        request: &ResumeRequest,
        chosen: &Chosen,
        handoff: Option<&Handoff>,
        texts: &WorkspaceTexts,
        ask: &mut dyn FnMut(&Check) -> bool,
    ) -> Result<Vec<Rechecked>, Error> {
        let saved_in = handoff.and_then(|handoff| saved_in(handoff, self.here.repo()));
        let saved_in = match saved_in {
            Some(dir) => dir,
            None => self.here.directory()?.to_owned(),
        };
        let may_be_run = handoff.map(|handoff| RecheckedHandoff {
            handoff,
            dir: &saved_in,
            is_elsewhere: chosen.elsewhere,
            is_in_tree: chosen.listed.as_ref().is_some_and(|listed| listed.layers.is_some()),
        });
        let words = texts.words.as_ref().map(|file| file.text.as_str());
        Ok(recheck(may_be_run.as_ref(), words, request.check_limit, ask))
    }

    /// What else could have been meant: other handoffs, and sessions that left none.
    fn others(
        &self,
        request: &ResumeRequest,
        chosen: &Chosen,
        unsaved: &UnsavedSessions,
    ) -> Vec<OtherHandoff> {
        let told = unsaved.chosen.as_ref().map(|told| told.session.as_str());
        let is_told = |listed: &&Listed| {
            let fields = &listed.head.fields;
            // A decision of it says something else.
            let says_where = fields.kind.is_base() || fields.kind == HandoffKind::Snapshot;
            told.is_some() && says_where && fields.session.as_deref() == told
        };
        let listed = chosen.others.iter().filter(|listed| !is_told(listed));
        let mut others: Vec<OtherHandoff> = listed.map(other).collect();
        if !request.is_open() {
            return others;
        }
        let besides = [request.asking.as_deref(), told];
        let live = self.drafts.files().ok().flatten();
        let drafts =
            live.iter().flat_map(|live| self.drafts.drafts_besides(live, &besides)).take(OTHERS);
        let mut sessions: Vec<OtherHandoff> = drafts.collect();
        let is_new =
            |other: &&OtherHandoff| !sessions.iter().any(|draft| draft.session == other.session);
        let newer: Vec<OtherHandoff> = unsaved.newer.iter().filter(is_new).cloned().collect();
        sessions.extend(newer);
        let chosen_id = chosen.listed.as_ref().map(|listed| listed.head.id.short());
        for session in sessions {
            // One that has left a handoff and went on is told by that.
            let left = session.session.as_deref().and_then(|id| self.drafts.newest_left_by(id));
            let one = left.as_ref().map_or(session, other);
            let is_known = one.session.is_none()
                && (chosen_id == Some(one.short.as_str())
                    || others.iter().any(|known| known.short == one.short));
            if !is_known {
                others.push(one);
            }
        }
        others
    }
}

/// What the user said to hold: the rules of the handoff that nobody has taken back, and those of the project.
fn rules_of(handoff: Option<&Handoff>, view: Option<&StateView<'_>>) -> Vec<StandingRule> {
    let mut rules = handoff.map(inherited_rules).unwrap_or_default();
    let Some(view) = view else { return rules };
    let known = view.items.iter().filter(|viewed| {
        viewed.kind() == StateItemKind::Rule && viewed.item.source == ItemSource::User
    });
    let (open, closed): (Vec<_>, Vec<_>) = known.partition(|viewed| viewed.is_open());
    rules.retain(|rule| !closed.iter().any(|viewed| viewed.item.text == rule.text));
    for viewed in open {
        let text = &viewed.item.text;
        if !rules.iter().any(|rule| rule.text == *text) {
            rules.extend(viewed.item.standing_rule());
        }
    }
    rules
}

/// The sessions that only asked something, the oldest first.
fn asked_since(view: Option<&StateView<'_>>, unsaved: &UnsavedSessions) -> Vec<IdleSession> {
    let saved = view.into_iter().flat_map(|view| view.idle.iter().copied().cloned());
    let mut asked: Vec<IdleSession> = saved.collect();
    asked.extend(unsaved.idle.iter().map(IdleSession::of));
    asked.sort_by(|one, other| one.stamp.cmp(&other.stamp));
    asked
}

/// Says which handoff was chosen, and why.
fn log_choice(
    request: &ResumeRequest,
    here: &Here<'_>,
    chosen: &Chosen,
    unsaved: Option<&UnsavedSession>,
) {
    match (unsaved, &chosen.listed) {
        (Some(unsaved), _) => {
            tracing::info!(
                "session {}: newer than any handoff here, and not saved",
                unsaved.session
            );
        }
        (None, Some(listed)) => {
            let short = listed.head.id.short();
            let why = match where_now(request, here).distance(&listed.head.fields) {
                _ if chosen.elsewhere => "asked for by its id, of another project",
                _ if request.id.is_some() => "asked for by its id",
                _ if request.name.is_some() => "the newest of this name",
                _ if request.branch.is_some() => "the newest of the branch that was asked for",
                _ if request.any_branch => "the newest of any branch",
                0 => "the newest of this worktree and branch",
                1 => "the newest of this branch, from another worktree",
                _ => "the newest of the project, from another branch",
            };
            tracing::info!("handoff {short}: {why}");
        }
        (None, None) if chosen.all_expired => tracing::info!("no handoff: all have expired"),
        (None, None) => tracing::info!("no handoff: nothing is here"),
    }
    for other in &chosen.others {
        tracing::debug!("passed over: handoff {}, {}", other.head.id.short(), other.title);
    }
}

/// The files of the workspace as a briefing tells them.
fn without_secrets(redactor: &Redactor, mut texts: WorkspaceTexts) -> WorkspaceTexts {
    let WorkspaceTexts { soul, memory, words, instructions } = &mut texts;
    let files = [soul, memory, words].into_iter().flatten().chain(instructions);
    files.for_each(|file| clean(redactor, &mut file.text));
    texts
}

/// Says what did not fit into a briefing.
fn log_left_out(briefing: &Briefing) {
    for part in briefing.parts.iter().filter(|part| !part.left_out.is_empty()) {
        tracing::info!("left out of the briefing: {} of {}", part.left_out.len(), part.key);
        for item in &part.left_out {
            tracing::debug!("left out of {}: {item}", part.key);
        }
    }
}

/// What is wrong with a handoff, though it can be read.
fn warnings_of(handoff: &Handoff) -> Vec<String> {
    let short = handoff.head.id.short();
    let problems = handoff.problems.iter();
    let mut warnings: Vec<String> =
        problems.map(|problem| format!("the handoff {short}: {problem}")).collect();
    if handoff.head.version.is_newer() {
        let text = "the handoff is of a newer format; parts of it may not be understood";
        warnings.push(text.to_owned());
    }
    warnings
}

fn brief(gathered: Gathered<'_>, now: Timestamp) -> Briefing {
    let Gathered { request, chosen, handoff, today, fates, .. } = gathered;
    let left = handoff.map(|handoff| {
        let fields = &handoff.head.fields;
        let by = fields
            .tool
            .as_deref()
            .map(|tool| segue_agents::find(tool).map_or(tool, |agent| agent.title));
        Left {
            handoff,
            by,
            expired: fields.expires.filter(|at| *at <= now),
            elsewhere: chosen
                .listed
                .as_ref()
                .filter(|_| chosen.elsewhere)
                .map(|listed| listed.label.as_str()),
            again: again(request.target, handoff).filter(|_| !request.from_inside),
            signed: gathered.provenance.clone(),
            unsaved: gathered.unsaved.map(|found| Unsaved {
                session: &found.session,
                going_on: found.going_on,
                kept: found.kept,
            }),
        }
    });
    let ways = request.target.map(|agent| &agent.ways);
    let conventions = Conventions {
        agent: request.target.map(|agent| agent.title),
        instructions: ways.map(|ways| ways.instructions),
        mentions: ways.is_some_and(|ways| ways.mentions),
        labels: ways.is_some_and(|ways| ways.labels),
        start: ways.and_then(|ways| ways.start).filter(|_| !request.from_inside),
    };
    let fate = |path: &str| fates.of(path);
    Facts {
        now,
        project: &chosen.label,
        left,
        all_expired: chosen.all_expired,
        unreadable: chosen.unreadable.clone(),
        snapshot: chosen.snapshot.as_ref().map(other),
        others: gathered.others,
        more_others: chosen.more,
        git: today.git.clone(),
        workspace: gathered.texts,
        fate: &fate,
        tree_changed: fates.tree_changed(),
        unfinished: gathered.unfinished,
        rechecked: gathered.rechecked,
        state: gathered.state,
        asked: gathered.asked,
        conventions,
        budget: request.budget,
    }
    .brief()
}

/// The directory that a handoff was saved in, if this work tree has it.
fn saved_in(handoff: &Handoff, repo: Option<&Repo>) -> Option<PathBuf> {
    let inside = Path::new(handoff.head.fields.saved_from.dir.as_deref()?);
    let plain = inside
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
    let place = repo?.top.join(inside);
    (plain && place.is_dir()).then_some(place)
}

/// What a briefing is made from, gathered.
struct Gathered<'a> {
    request: &'a ResumeRequest,
    chosen: &'a Chosen,
    handoff: Option<&'a Handoff>,
    unsaved: Option<&'a UnsavedSession>,
    provenance: Option<String>,
    today: &'a Today,
    fates: &'a Fates<'a>,
    texts: WorkspaceTexts,
    others: Vec<OtherHandoff>,
    unfinished: Option<String>,
    rechecked: Vec<Rechecked>,
    state: Option<&'a StateView<'a>>,
    asked: Vec<IdleSession>,
}

/// The handoff with its words as they were checked, if it can have them. What came from elsewhere stays that.
fn with_words(handoff: Handoff, words: &CompletedWords) -> Handoff {
    let source = handoff.source();
    let head = &source[..source.len() - handoff.body().len()];
    let Ok(mut whole) = handoff.with_source(format!("{head}{}\n", words.body.trim_end())) else {
        return handoff;
    };
    // Segue added what the session shows, as when it captures one.
    whole.head.fields.kind = HandoffKind::Session;
    if whole.head.fields.sources.rest() != Some(ItemSource::Imported) {
        whole.head.fields.sources = words.sources.clone();
    }
    whole
}

/// The handoff with as much of its body as a briefing can be about.
fn briefable(handoff: Handoff) -> Handoff {
    let source = handoff.source();
    let body_at = source.len() - handoff.body().len();
    if handoff.body().len() <= MOST_BRIEFED {
        return handoff;
    }
    let end = source.as_bytes()[..body_at + MOST_BRIEFED]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(body_at, |at| at + 1);
    let end = end.max(body_at);
    let rest = format!(
        "\nThe rest is too long for a briefing: `segue show {}`.\n",
        handoff.head.id.short()
    );
    handoff.with_source(format!("{}{rest}", &source[..end])).unwrap_or(handoff)
}

fn other(listed: &Listed) -> OtherHandoff {
    OtherHandoff {
        short: listed.head.id.short().to_owned(),
        session: None,
        title: listed.title.clone(),
        created: listed.head.created,
        branch: listed.head.fields.git.branch.clone(),
        worktree: listed.head.fields.saved_from.worktree.clone(),
    }
}

/// The command with which the target goes on in the very session that left the handoff.
fn again(target: Option<&'static Agent>, handoff: &Handoff) -> Option<String> {
    let fields = &handoff.head.fields;
    let (target, session) = (target?, fields.session.as_deref()?);
    let same = segue_agents::find(fields.tool.as_deref()?).is_some_and(|agent| agent == target);
    let here = fields.imported.is_none();
    (same && is_plain_id(session) && here)
        .then(|| target.ways.again.map(|again| format!("{again}{session}")))
        .flatten()
}
