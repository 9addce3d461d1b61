//! Resume: finds the handoff to go on from, checks it against today's tree, and briefs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use segue_agents::Agent;
use segue_core::{
    Briefing, Check, Conventions, Draft, Facts, Fields, GitState, Handoff, HandoffId, Left, Name,
    OtherHandoff, Rechecked, SavedFrom, Selector, Unsaved, constraints,
};
use segue_share::git::{Repo, discover, look};
use segue_store::Listed;

use crate::choice::{Chosen, OTHERS, tagged, where_now};
use crate::decide::DECIDED;
use crate::live::{NotSaved, UnsavedSessions, drafts_besides};
use crate::nearness::LeftAt;
use crate::recheck::{RecheckedHandoff, recheck};
use crate::redacted::{redact_draft, redact_out};
use crate::today::{self, Fates, Today};
use crate::workspace::{quotes_handoff_file, read_texts, workspace_of};
use crate::{Brings, Captured, Error, ProjectRef, Provenance, Segue, SessionTold};
use segue_core::CAPTURE_BUDGET;

/// So many bytes of a body are briefed from: far more than any budget holds.
const MOST_BRIEFED: usize = 256 * 1024;

/// What to be briefed on, and how.
#[derive(Clone, Debug)]
pub struct ResumeRequest {
    /// Tokens that the briefing may have.
    pub budget: usize,
    /// The agent that will read it.
    pub target: Option<&'static Agent>,
    /// This handoff instead of the newest.
    pub id: Option<Selector>,
    /// The newest of this name.
    pub name: Option<Name>,
    /// The newest of this branch.
    pub branch: Option<String>,
    /// The newest of the project, whatever its branch.
    pub any_branch: bool,
    /// How long a command may take that is run again.
    pub check_limit: Duration,
    /// The session that asks, by its agent's id: it is not what was left.
    pub asking: Option<String>,
    /// Whether a hook asks: what is read of sessions is kept.
    pub by_hook: bool,
    /// Whether the agent that will read it is running and asks: nothing tells how to start it.
    pub from_inside: bool,
}

impl ResumeRequest {
    /// Whether no handoff in particular is asked for.
    pub(crate) fn is_open(&self) -> bool {
        self.id.is_none() && self.name.is_none() && self.branch.is_none()
    }
}

/// A briefing and what it was made from.
#[derive(Debug)]
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
    /// What git says today.
    pub git: segue_core::GitToday,
    /// What the checks gave that were run again.
    pub rechecked: Vec<Rechecked>,
    /// What the user said to hold, as far as the handoff is of this machine.
    pub(crate) constraints: Vec<String>,
    /// The project's label.
    pub project: String,
    /// The directory that it is about.
    pub dir: PathBuf,
    /// What could not be read.
    pub warnings: Vec<String>,
    /// A memory that the repository brings and that is not used.
    pub brings: Option<Brings>,
}

impl Segue {
    /// Briefs the next session. `ask` is asked before a command of the handoff's checks is run
    /// again; without it none is.
    pub fn resume(
        &self,
        request: &ResumeRequest,
        ask: Option<&mut dyn FnMut(&Check) -> bool>,
    ) -> Result<ResumeOutcome, Error> {
        self.env.begin();
        let dir = self.directory_of(&ProjectRef::Here)?;
        let found = look(&dir);
        let repo = found.repo();
        let mut chosen = self.choose(request, repo)?;
        let mut warnings = std::mem::take(&mut chosen.warnings);
        let handoff = match &chosen.listed {
            Some(listed) => {
                let read = briefable(self.store.read(listed)?);
                Some(redact_out(&self.redactor_out(), read))
            }
            None => None,
        };
        let unsaved = self.later_session(request, repo, &mut chosen);
        let not_saved = unsaved.chosen;
        let handoff = match &not_saved {
            Some(found) => Some(redact_out(&self.redactor_out(), briefable(found.handoff.clone()))),
            None => handoff,
        };
        if let Some(handoff) = &handoff {
            warnings.extend(
                handoff
                    .problems
                    .iter()
                    .map(|problem| format!("the handoff {}: {problem}", handoff.head.id.short())),
            );
            if handoff.head.version.is_newer() {
                warnings.push(
                    "the handoff is of a newer format; parts of it may not be understood"
                        .to_owned(),
                );
            }
        }
        let then = handoff.as_ref().and_then(|handoff| handoff.head.fields.git.head.as_deref());
        let today = today::ask(&self.env, &found, then, self.ahead.take());
        let workspace = workspace_of(&dir, repo);
        let fates = Fates::new(&workspace, repo, handoff.as_ref(), &today);
        let texts = read_texts(&workspace, repo, &mut warnings);
        let saved_in = handoff.as_ref().and_then(|handoff| saved_in(handoff, repo));
        let saved_in = saved_in.unwrap_or_else(|| dir.clone());
        let may_be_run = handoff.as_ref().map(|handoff| RecheckedHandoff {
            handoff,
            dir: &saved_in,
            is_elsewhere: chosen.elsewhere,
            is_in_tree: chosen.listed.as_ref().is_some_and(|listed| listed.layers.is_some()),
        });
        let words = texts.words.as_ref().map(|file| file.text.as_str());
        let rechecked = ask.map_or_else(Vec::new, |ask| {
            recheck(may_be_run.as_ref(), words, request.check_limit, ask)
        });
        let unfinished = self.unfinished_run().map(|unfinished| {
            format!("{} `{}` goes on with it.", unfinished.what, unfinished.command)
        });
        let mut others: Vec<OtherHandoff> = chosen.others.iter().map(other).collect();
        if request.is_open() {
            let told = not_saved.as_ref().map(|told| told.session.as_str());
            let besides = [request.asking.as_deref(), told];
            let live = chosen.project.as_ref().map(|project| self.store.live(project));
            let drafts = live.iter().flat_map(|live| drafts_besides(live, &besides)).take(OTHERS);
            let mut sessions: Vec<OtherHandoff> = drafts.collect();
            let is_new =
                |other: &OtherHandoff| !sessions.iter().any(|draft| draft.session == other.session);
            let newer: Vec<OtherHandoff> = unsaved.newer.into_iter().filter(is_new).collect();
            sessions.extend(newer);
            others.extend(sessions);
        }
        let inherited = handoff.as_ref().map(users_constraints).unwrap_or_default();
        let provenance = handoff.as_ref().and_then(|handoff| self.provenance().of_handoff(handoff));
        let briefing = self.brief(Gathered {
            provenance: provenance.as_ref().map(Provenance::told),
            not_saved: not_saved.as_ref(),
            request,
            chosen: &chosen,
            handoff: handoff.as_ref(),
            today: &today,
            fates: &fates,
            texts,
            others: others.clone(),
            unfinished,
            rechecked: rechecked.clone(),
        });
        Ok(ResumeOutcome {
            briefing,
            handoff: handoff.zip(chosen.listed),
            session: not_saved.map(NotSaved::told),
            provenance,
            others,
            git: today.git,
            rechecked,
            constraints: inherited,
            project: chosen.label,
            brings: self.brings(repo),
            dir,
            warnings,
        })
    }

    fn brief(&self, gathered: Gathered<'_>) -> Briefing {
        let Gathered { request, chosen, handoff, today, fates, .. } = gathered;
        let now = self.env.now();
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
                unsaved: gathered.not_saved.map(|found| Unsaved {
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
            snapshot: chosen.snapshot.as_ref().map(other),
            others: gathered.others,
            more_others: chosen.more,
            git: today.git.clone(),
            workspace: gathered.texts,
            fate: &fate,
            tree_changed: fates.tree_changed(),
            unfinished: gathered.unfinished,
            rechecked: gathered.rechecked,
            conventions,
            budget: request.budget,
        }
        .brief()
    }

    /// What sessions would leave that have left no handoff. One of them may take the place of what was
    /// chosen.
    fn later_session(
        &self,
        request: &ResumeRequest,
        repo: Option<&Repo>,
        chosen: &mut Chosen,
    ) -> UnsavedSessions {
        if !request.is_open() || chosen.all_expired {
            return UnsavedSessions::default();
        }
        // A decision by itself does not say where things stand, however late it was made.
        let says = chosen.listed.as_ref().filter(|listed| !tagged(listed, DECIDED));
        let here = where_now(request, repo);
        let left = says.map(|listed| LeftAt {
            distance: here.distance(&listed.head.fields),
            created: listed.head.created,
        });
        let (project, asking) = (chosen.project.as_ref(), request.asking.as_deref());
        let found = self.not_saved(project, asking, &here, left, request.by_hook);
        if found.chosen.is_some() {
            if let Some(listed) = &chosen.listed {
                chosen.others.insert(0, listed.clone());
                chosen.more |= chosen.others.len() > OTHERS;
                chosen.others.truncate(OTHERS);
            }
            chosen.listed = None;
            chosen.snapshot = None;
        }
        found
    }

    /// What a handoff out of a session would say. It is not saved, and its id is nobody's.
    pub(crate) fn as_handoff(&self, captured: &Captured) -> Option<Handoff> {
        let session = &captured.session;
        let distilled = self.distilled(session, CAPTURE_BUDGET);
        let place = self.session_place(captured, discover(&self.env.dir).as_ref(), false);
        let status = self.state_by_transcript(&place, session).status.unwrap_or_default();
        let mut draft = Draft {
            fields: Fields {
                title: Some(distilled.title),
                tool: Some(captured.seen.agent.to_owned()),
                session: Some(captured.id().to_owned()),
                saved_from: SavedFrom {
                    project: None,
                    dir: place.dir_in_repo(),
                    worktree: place.worktree(),
                },
                changed: status.changed(),
                git: GitState { branch: status.branch, head: status.head, remote: None },
                ..Fields::default()
            },
            extra: Vec::new(),
            body: distilled.body,
        };
        let created = place.ended;
        redact_draft(&self.redactor_out(), &mut draft).ok()?;
        let id = HandoffId::derived(created, captured.id().as_bytes());
        Handoff::parse(draft.render(&id, created)).ok()
    }
}

/// What a handoff says that the user said to hold. What came from elsewhere or out of a file of the
/// repository the user did not say.
fn users_constraints(handoff: &Handoff) -> Vec<String> {
    let fields = &handoff.head.fields;
    match fields.imported.is_some() || quotes_handoff_file(fields) {
        true => Vec::new(),
        false => constraints(handoff.body()).into_iter().map(str::to_owned).collect(),
    }
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
    not_saved: Option<&'a NotSaved>,
    provenance: Option<String>,
    today: &'a Today,
    fates: &'a Fates,
    texts: segue_core::WorkspaceTexts,
    others: Vec<OtherHandoff>,
    unfinished: Option<String>,
    rechecked: Vec<Rechecked>,
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
    Handoff::parse(format!("{}{rest}", &source[..end])).unwrap_or(handoff)
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

/// Whether an id of a session can stand in a command line as it is.
pub(crate) fn is_plain(session: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    session.bytes().all(plain) && !session.starts_with('-')
}

/// The command with which the target goes on in the very session that left the handoff.
fn again(target: Option<&'static Agent>, handoff: &Handoff) -> Option<String> {
    let fields = &handoff.head.fields;
    let (target, session) = (target?, fields.session.as_deref()?);
    let same = segue_agents::find(fields.tool.as_deref()?).is_some_and(|agent| agent == target);
    let here = fields.imported.is_none();
    (same && is_plain(session) && here)
        .then(|| target.ways.again.map(|again| format!("{again}{session}")))
        .flatten()
}
