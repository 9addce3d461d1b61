//! Resume: finds the handoff to go on from, checks it against today's tree, and briefs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use segue_agents::Agent;
use segue_core::{
    Briefing, Check, Conventions, Draft, Facts, Fields, GitState, Handoff, HandoffId, Left, Name,
    OtherHandoff, Rechecked, Selector, Unsaved, constraints,
};
use segue_share::git::{Repo, look};
use segue_store::{Filter, Listed, Scope};

use crate::decide::DECIDED;
use crate::live::{NotSaved, WhereNow, drafts_besides};
use crate::recheck::{RecheckedHandoff, recheck};
use crate::redacted::{redact_draft, redact_out};
use crate::snapshot::{OBSERVED, SNAPSHOT};
use crate::today::{self, Fates, Today};
use crate::workspace::{EDITED, quotes_handoff_file, read_texts, workspace_of};
use crate::{Brings, Captured, Error, ProjectRef, Provenance, Segue, SessionTold};
use segue_core::CAPTURE_BUDGET;

/// So many bytes of a body are briefed from: far more than any budget holds.
const MOST_BRIEFED: usize = 256 * 1024;

/// How many other handoffs are named at most.
const OTHERS: usize = 3;
/// Others that are older than this are history, not candidates.
const CANDIDATE_DAYS: i64 = 14;

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
    fn is_open(&self) -> bool {
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

/// The handoff to go on from, and the others.
#[derive(Default)]
struct Chosen {
    listed: Option<Listed>,
    snapshot: Option<Listed>,
    others: Vec<Listed>,
    more: bool,
    label: String,
    project: Option<segue_core::ProjectId>,
    /// Whether it is of another project, asked for by its id.
    elsewhere: bool,
    /// Whether there is something, all of it expired.
    all_expired: bool,
    warnings: Vec<String>,
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
        let not_saved = self.later_session(request, repo, &mut chosen);
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
            others.extend(live.iter().flat_map(|live| drafts_besides(live, &besides)).take(OTHERS));
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

    /// A session that is later than what was chosen, and has left no handoff. It takes the place of
    /// what was chosen.
    fn later_session(
        &self,
        request: &ResumeRequest,
        repo: Option<&Repo>,
        chosen: &mut Chosen,
    ) -> Option<NotSaved> {
        if !request.is_open() || chosen.all_expired {
            return None;
        }
        // A decision by itself does not say where things stand, however late it was made.
        let says = chosen.listed.as_ref().filter(|listed| !tagged(listed, DECIDED));
        let here = WhereNow {
            branch: repo.and_then(Repo::branch),
            worktree: repo.map(|repo| repo.worktree.clone()),
            any_branch: request.any_branch,
        };
        let left = says.map(|listed| (here.distance(&listed.head.fields), listed.head.created));
        let (project, asking) = (chosen.project.as_ref(), request.asking.as_deref());
        let found = self.not_saved(project, asking, &here, left, request.by_hook)?;
        if let Some(listed) = &chosen.listed {
            chosen.others.insert(0, listed.clone());
            chosen.more |= chosen.others.len() > OTHERS;
            chosen.others.truncate(OTHERS);
        }
        chosen.listed = None;
        chosen.snapshot = None;
        Some(found)
    }

    /// What a handoff out of a session would say. It is not saved, and its id is nobody's.
    pub(crate) fn as_handoff(&self, captured: &Captured) -> Option<Handoff> {
        let session = &captured.session;
        let distilled = self.distilled(session, CAPTURE_BUDGET);
        let created = session.ended.unwrap_or(captured.seen.modified);
        let mut draft = Draft {
            fields: Fields {
                title: Some(distilled.title),
                tool: Some(captured.seen.agent.to_owned()),
                session: Some(captured.id().to_owned()),
                git: GitState { branch: session.branch.clone(), ..GitState::default() },
                ..Fields::default()
            },
            extra: Vec::new(),
            body: distilled.body,
        };
        redact_draft(&self.redactor_out(), &mut draft).ok()?;
        let id = HandoffId::derived(created, captured.id().as_bytes());
        Handoff::parse(draft.render(&id, created)).ok()
    }

    /// The newest of this worktree and branch, else of the project; or what was asked for.
    fn choose(&self, request: &ResumeRequest, repo: Option<&Repo>) -> Result<Chosen, Error> {
        let (place, scope) = self.store_ask(&Scope::Projects, |view| {
            let place = self.place(view, &ProjectRef::Here)?;
            let scope = self.scope_of(view, &ProjectRef::Here, &place)?;
            Ok((place, scope))
        })?;
        let mut chosen = Chosen {
            label: place.label.clone(),
            project: place.project().cloned(),
            ..Chosen::default()
        };
        if let Some(selector @ Selector::Word(_)) = &request.id {
            let listed = self.find(selector)?.listed;
            let from = listed.head.fields.saved_from.project.as_deref();
            chosen.elsewhere = !scope.as_ref().is_some_and(|scope| match scope {
                Scope::Parts(parts) => parts.iter().any(|part| {
                    part.memory == listed.project
                        && part.saved_from.as_ref().is_none_or(|own| from == Some(own.as_str()))
                }),
                _ => false,
            });
            chosen.listed = Some(listed);
            return Ok(chosen);
        }
        if let Some(scope) = &scope {
            self.choose_here(request, repo, scope, &mut chosen)?;
        }
        match (&chosen.listed, &request.name, &request.branch) {
            (None, Some(name), _) => {
                Err(self.nothing(&ProjectRef::Here, Some(name.as_str()), scope.as_ref())?)
            }
            (None, None, Some(branch)) => Err(Error::NoBranch(branch.clone())),
            _ => Ok(chosen),
        }
    }

    /// Chooses among what is here.
    fn choose_here(
        &self,
        request: &ResumeRequest,
        repo: Option<&Repo>,
        scope: &Scope,
        chosen: &mut Chosen,
    ) -> Result<(), Error> {
        let any = Filter { limit: Some(1), ..Filter::default() };
        let offered = Filter { offered_at: Some(self.env.now()), ..any.clone() };
        // A decision by itself does not say where things stand.
        let without = |tag: &str| Filter {
            without_tags: vec![tag.to_owned(), DECIDED.to_owned()],
            ..offered.clone()
        };
        let narrow = |filter: Filter| Filter {
            branch: repo.map(Repo::branch),
            worktree: repo.map(|repo| repo.worktree.clone()),
            ..filter
        };
        // From the narrowest question to the widest. What somebody saved comes before snapshots: what
        // those know is HANDOFF.md's, which is told as it stands, and git's, which is asked.
        let on = |branch: Option<String>| Filter { branch: Some(branch), ..without(SNAPSHOT) };
        let filters: Vec<Filter> = if let Some(name) = &request.name {
            vec![Filter { name: Some(name.as_str().to_owned()), ..offered.clone() }]
        } else if let Some(branch) = &request.branch {
            let any = Filter { branch: Some(Some(branch.clone())), ..offered.clone() };
            vec![on(Some(branch.clone())), any]
        } else if request.id.is_some() {
            // `latest`, in so many words, is the one saved last.
            vec![offered.clone()]
        } else if request.any_branch {
            vec![without(SNAPSHOT), without(OBSERVED), offered.clone()]
        } else {
            let here = vec![narrow(without(SNAPSHOT)), narrow(without(OBSERVED))];
            let branch = repo.and_then(Repo::branch).map(|branch| on(Some(branch)));
            let project = vec![without(SNAPSHOT), without(OBSERVED), offered.clone()];
            here.into_iter().chain(branch).chain(project).collect()
        };
        let wide =
            Filter { without_tags: vec![SNAPSHOT.to_owned()], limit: Some(40), ..offered.clone() };
        let (listed, newest, around, bad) = self.store.ask(scope, |view| {
            let mut listed = None;
            for filter in &filters {
                listed = view.listed(scope, filter)?.pop();
                if listed.is_some() {
                    break;
                }
            }
            let newest = view.listed(scope, &narrow(offered.clone()))?.pop();
            Ok((listed, newest, view.listed(scope, &wide)?, view.bad_files(scope)?))
        })?;
        chosen.snapshot = newest.filter(|newest| {
            let after = |listed: &Listed| newest.head.created > listed.head.created;
            tagged(newest, SNAPSHOT) && listed.as_ref().is_some_and(after)
        });
        chosen.warnings.extend(
            bad.iter().map(|file| format!("cannot read {}: {}", file.path.display(), file.reason)),
        );
        match &listed {
            Some(listed) => {
                let mut others = self.candidates(chosen.project.as_ref(), listed, around);
                chosen.more = others.len() > OTHERS;
                others.truncate(OTHERS);
                chosen.others = others;
            }
            None => {
                chosen.all_expired =
                    !self.store.ask(scope, |view| view.listed(scope, &any))?.is_empty();
            }
        }
        chosen.listed = listed;
        Ok(())
    }

    /// The newest of every other branch, worktree, name and project, and what another session left
    /// here at about the same time.
    fn candidates(
        &self,
        own_project: Option<&segue_core::ProjectId>,
        chosen: &Listed,
        around: Vec<Listed>,
    ) -> Vec<Listed> {
        let place = |listed: &Listed| {
            let fields = &listed.head.fields;
            // What is here and lies in the user's trees is this project's own.
            let memory = listed.layers.is_none().then(|| listed.project.clone());
            (
                fields.git.branch.clone(),
                fields.saved_from.worktree.clone(),
                fields.name.clone(),
                memory.filter(|memory| Some(memory) != own_project),
            )
        };
        const DAY: i64 = 86_400_000_000;
        let own = place(chosen);
        let fields = &chosen.head.fields;
        let mut seen = vec![];
        let mut found = Vec::new();
        let own_ones = around.iter().filter(|other| other.head.fields.imported.is_none());
        let superseded: HashSet<String> =
            own_ones.flat_map(|other| other.head.fields.supersedes.iter().cloned()).collect();
        for other in around {
            let id = other.head.id.as_str();
            // What came from elsewhere does not say what is out of date here.
            let replaced = fields.imported.is_none()
                && (fields.parent.as_deref() == Some(id)
                    || fields.supersedes.iter().any(|old| old == id));
            let age = self.env.now().micros() - other.head.created.micros();
            let replaced = replaced || superseded.contains(id);
            if other.head.id == chosen.head.id || replaced || age > CANDIDATE_DAYS * DAY {
                continue;
            }
            let at = place(&other);
            // What was decided since is to be known, whoever decided it; what was decided before was.
            let decided = tagged(&other, DECIDED);
            let before = other.head.created < chosen.head.created;
            if decided && before && !tagged(chosen, DECIDED) {
                continue;
            }
            // What somebody wrote between the marks of HANDOFF.md may be what is looked for.
            let edited = tagged(&other, EDITED) && !tagged(chosen, EDITED);
            let beside = edited
                || decided
                || at == own && {
                    let gap = chosen.head.created.micros() - other.head.created.micros();
                    let theirs = &other.head.fields;
                    let same = (&theirs.tool, &theirs.session) == (&fields.tool, &fields.session);
                    gap.abs() < DAY && !same
                };
            if beside || (at != own && !seen.contains(&at)) {
                seen.push(at);
                found.push(other);
            }
        }
        found
    }
}

fn tagged(listed: &Listed, tag: &str) -> bool {
    listed.head.fields.tags.iter().any(|has| has == tag)
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
