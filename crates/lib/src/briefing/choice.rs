//! Which handoff to go on from, and which others could have been meant.

use std::collections::HashSet;

use segue_core::{
    Handoff, HandoffId, HandoffKind, ItemSource, ItemSources, ProjectId, Selector, Timestamp,
    UnreadableHandoff,
};
use segue_share::git::Repo;
use segue_store::{BadFile, Filter, Listed, Scope, StoreError, View};

use crate::briefing::ResumeRequest;
use crate::briefing::nearness::{LeftAt, WhereNow, preferred};
use crate::handoffs::{Found, Handoffs, is_bare_snapshot};
use crate::here::Here;
use crate::state::LoadedState;
use crate::{Error, ProjectRef};

/// How many other handoffs are named at most.
pub(crate) const OTHERS: usize = 3;
/// Handoffs that cannot be read and are passed over at most.
const MOST_UNREADABLE: usize = 20;
/// Others that are older than this are history, not candidates.
const CANDIDATE_DAYS: i64 = 14;

/// The handoff to go on from, and the others.
#[derive(Default)]
pub(crate) struct Chosen {
    pub(crate) listed: Option<Listed>,
    /// The same, read.
    pub(crate) handoff: Option<Handoff>,
    /// What is or may be newer and cannot be read.
    pub(crate) unreadable: Vec<UnreadableHandoff>,
    pub(crate) snapshot: Option<Listed>,
    pub(crate) others: Vec<Listed>,
    pub(crate) more: bool,
    pub(crate) label: String,
    pub(crate) project: Option<ProjectId>,
    /// Whether it is of another project, asked for by its id.
    pub(crate) elsewhere: bool,
    /// Whether there is something, all of it expired.
    pub(crate) all_expired: bool,
    pub(crate) warnings: Vec<String>,
    /// The state of the project, where it is about that and not about one handoff.
    pub(crate) state: Option<LoadedState>,
}

impl Chosen {
    /// A session that left nothing is gone on from instead of the handoff.
    pub(crate) fn pass_over(&mut self) {
        if let Some(listed) = self.listed.take() {
            self.others.insert(0, listed);
            self.more |= self.others.len() > OTHERS;
            self.others.truncate(OTHERS);
        }
        self.snapshot = None;
        self.handoff = None;
    }
}

/// The newest of this worktree and branch, else of the project; or what was asked for.
pub(crate) fn choose(here: &Here<'_>, request: &ResumeRequest) -> Result<Chosen, Error> {
    let scope = here.own_scope()?;
    let place = here.known_place()?;
    let (label, project) = (place.label.clone(), place.project().cloned());
    let mut chosen = Chosen { label, project, ..Chosen::default() };
    let handoffs = Handoffs::of(here);
    if let Some(selector @ Selector::Word(_)) = &request.id {
        let Found { listed, handoff, .. } = handoffs.find(selector)?;
        let kind = listed.head.fields.kind;
        if !kind.can_be_latest() && kind != HandoffKind::Snapshot {
            return Err(Error::NothingToGoOnFrom { id: listed.head.id, kind });
        }
        chosen.elsewhere = !handoffs.is_of_here(&listed)?;
        chosen.handoff = Some(handoff);
        chosen.listed = Some(listed);
        return Ok(chosen);
    }
    chosen.state = match request.is_of_state() {
        true if request.branch.is_some() => LoadedState::on_branch(here, request.branch.clone())?,
        true => LoadedState::recent(here)?,
        false => None,
    };
    if let Some(scope) = &scope {
        choose_readable(here, request, scope, &mut chosen)?;
    }
    match (&chosen.listed, &request.name, &request.branch) {
        (None, Some(name), _) => {
            Err(handoffs.nothing(&ProjectRef::Here, Some(name.as_str()), scope.as_ref())?)
        }
        (None, None, Some(branch)) => Err(Error::NoBranch(branch.clone())),
        _ => Ok(chosen),
    }
}

/// Chooses among what is here the first that can be read. A file that was damaged in place still stands in the index.
fn choose_readable(
    here: &Here<'_>,
    request: &ResumeRequest,
    scope: &Scope,
    chosen: &mut Chosen,
) -> Result<(), Error> {
    let mut except = Vec::new();
    let mut unreadable = Vec::new();
    let bad = loop {
        let (label, project) = (chosen.label.clone(), chosen.project.clone());
        let state = chosen.state.take();
        *chosen = Chosen { label, project, state, ..Chosen::default() };
        // A session that only asked something is gone on from only where nothing else is.
        let idle = chosen.state.as_ref().map(LoadedState::idle).unwrap_or_default();
        let with_idle = [&except[..], &idle].concat();
        let mut bad = choose_here(here, request, scope, &with_idle, chosen)?;
        if chosen.listed.is_none() && !idle.is_empty() {
            bad = choose_here(here, request, scope, &except, chosen)?;
        }
        let Some(listed) = &chosen.listed else { break bad };
        let error = match here.store.read(listed) {
            Ok(handoff) => {
                chosen.handoff = Some(handoff);
                break bad;
            }
            Err(error) => error,
        };
        if !error.is_of_file() || except.len() >= MOST_UNREADABLE {
            return Err(error.into());
        }
        let (short, path) = (listed.head.id.short().to_owned(), listed.path.display().to_string());
        unreadable.push(UnreadableHandoff { short: Some(short), path, reason: error.reason() });
        except.push(listed.head.id.clone());
    };
    let created = chosen.listed.as_ref().map(|listed| listed.head.created);
    let newer = bad.iter().filter(|file| may_be_newer(file, created)).map(|file| {
        let (path, reason) = (file.path.display().to_string(), file.reason.clone());
        UnreadableHandoff { short: None, path, reason }
    });
    chosen.unreadable = unreadable.into_iter().chain(newer).collect();
    Ok(())
}

/// Whether a file that cannot be read was left on the day of a handoff or later, by the day in its name.
fn may_be_newer(file: &BadFile, created: Option<Timestamp>) -> bool {
    let name = file.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let day = name.as_deref().and_then(|name| name.rsplit_once('-')).map(|(before, _)| before);
    let is_since = |created: Timestamp| {
        let since = created.day();
        day.and_then(|before| before.get(before.len().checked_sub(since.len())?..))
            .is_some_and(|day| *day >= *since)
    };
    created.is_none_or(is_since)
}

/// Chooses among what is here, but for some. Gives the files that cannot be read.
fn choose_here(
    here: &Here<'_>,
    request: &ResumeRequest,
    scope: &Scope,
    except: &[HandoffId],
    chosen: &mut Chosen,
) -> Result<Vec<BadFile>, Error> {
    let now = here.now();
    let any = Filter { limit: Some(1), except: except.to_vec(), ..Filter::default() };
    let offered = Filter { offered_at: Some(now), credible_at: Some(now), ..any.clone() };
    let base = chosen.state.as_ref().filter(|_| request.is_open() && !request.any_branch);
    let base = base.and_then(LoadedState::base).filter(|base| !except.contains(base));
    let questions = Questions { base, ..Questions::new(request, here, &offered) };
    let wide = Filter { limit: Some(40), ..Questions::something_said(&offered) };
    let ahead = Filter { since: Some(now.latest_credible().next()), ..any.clone() };
    let any_kind = [&HandoffKind::LATEST[..], &[HandoffKind::Snapshot]].concat();
    let newest_here = questions.narrow(Filter { kinds: any_kind.clone(), ..offered.clone() });
    let (found, newest, around, ahead, bad) = here.store.ask_on(scope, |view| {
        let found = questions.ask(view, scope)?;
        let newest = view.listed(scope, &newest_here)?.pop();
        let around = view.listed(scope, &wide)?;
        let ahead = view.listed(scope, &ahead)?.pop();
        Ok((found, newest, around, ahead, view.bad_files(scope)?))
    })?;
    let (listed, passed_over) = found;
    chosen.snapshot = newest.filter(|newest| {
        let after = |listed: &Listed| newest.head.created > listed.head.created;
        is_bare_snapshot(newest) && listed.as_ref().is_some_and(after)
    });
    chosen.warnings.extend(
        bad.iter().map(|file| format!("cannot read {}: {}", file.path.display(), file.reason)),
    );
    chosen.warnings.extend(ahead.as_ref().map(|ahead| {
        format!(
            "the handoff {} is dated {}, later than this machine's clock, and is passed over",
            ahead.head.id.short(),
            ahead.head.created.whole_second().short()
        )
    }));
    match &listed {
        Some(listed) => {
            let mut others = candidates(chosen.project.as_ref(), listed, around, now);
            // What is of here and not gone on from is named, however old it is.
            others
                .retain(|other| !passed_over.iter().any(|passed| passed.head.id == other.head.id));
            others.splice(0..0, passed_over);
            // Decisions that hold are in the state.
            if chosen.state.is_some() {
                others.retain(|other| other.head.fields.kind != HandoffKind::Decision);
            }
            chosen.more = others.len() > OTHERS;
            others.truncate(OTHERS);
            chosen.others = others;
        }
        None => {
            let credible = Filter { credible_at: Some(now), kinds: any_kind, ..any };
            chosen.all_expired =
                !here.store.ask(scope, |view| view.listed(scope, &credible))?.is_empty();
        }
    }
    chosen.listed = listed;
    Ok(bad)
}

/// The newest of every other branch, worktree, name and project, and what another session left
/// here at about the same time.
fn candidates(
    own_project: Option<&ProjectId>,
    chosen: &Listed,
    around: Vec<Listed>,
    now: Timestamp,
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
        let age = now.micros() - other.head.created.micros();
        let replaced = replaced || superseded.contains(id);
        if other.head.id == chosen.head.id || replaced || age > CANDIDATE_DAYS * DAY {
            continue;
        }
        let at = place(&other);
        // What was decided since is to be known, whoever decided it; what was decided before was.
        let decided = other.head.fields.kind == HandoffKind::Decision;
        let before = other.head.created < chosen.head.created;
        if decided && before && fields.kind != HandoffKind::Decision {
            continue;
        }
        // What somebody wrote between the marks of HANDOFF.md may be what is looked for.
        let edited = is_of_repository(&other) && !is_of_repository(chosen);
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

/// What is asked of the index for one request.
struct Questions<'a> {
    request: &'a ResumeRequest,
    repo: Option<&'a Repo>,
    /// The branch that is checked out.
    branch: Option<String>,
    /// The branch that is asked for.
    asked_for: Option<String>,
    /// What is offered at all, the newest of it.
    offered: &'a Filter,
    /// The newest work in the own lane.
    base: Option<HandoffId>,
}

impl<'a> Questions<'a> {
    fn new(request: &'a ResumeRequest, here: &'a Here<'_>, offered: &'a Filter) -> Self {
        // As it is stored.
        let asked_for = request.branch.clone().map(|branch| here.without_secrets(branch));
        Self { request, repo: here.repo(), branch: here.branch(), asked_for, offered, base: None }
    }

    /// In which something was said. A decision by itself does not say where things stand. What a snapshot knows is
    /// HANDOFF.md's, which is told as it stands, and git's, which is asked; unless a session was captured in it.
    fn with_content(&self) -> Filter {
        Filter { without_repeats: true, ..self.with_words() }
    }

    /// The same, and snapshots with words of HANDOFF.md.
    fn with_words(&self) -> Filter {
        Filter { kinds: HandoffKind::BASE.to_vec(), ..self.offered.clone() }
    }

    /// In which anything was said, be it a decision.
    fn something_said(offered: &Filter) -> Filter {
        Filter { kinds: HandoffKind::LATEST.to_vec(), without_repeats: true, ..offered.clone() }
    }

    /// What can be the latest; only where there is nothing of that, a snapshot can.
    fn latest(&self, filter: &Filter) -> [Filter; 2] {
        [&HandoffKind::LATEST[..], &[HandoffKind::Snapshot]]
            .map(|kinds| Filter { kinds: kinds.to_vec(), ..filter.clone() })
    }

    /// Only what was left on this branch and in this worktree.
    fn narrow(&self, filter: Filter) -> Filter {
        Filter {
            branch: self.repo.map(|_| self.branch.clone()),
            worktree: self.repo.map(|repo| repo.worktree.clone()),
            ..filter
        }
    }

    /// The handoff to go on from, and what is nearer and was passed over because it is much older.
    fn ask(&self, view: &View, scope: &Scope) -> Result<(Option<Listed>, Vec<Listed>), StoreError> {
        let first = |filters: &[Filter]| -> Result<Option<Listed>, StoreError> {
            for filter in filters {
                if let Some(found) = view.listed(scope, filter)?.pop() {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        };
        let request = self.request;
        let on = |branch: String| Filter { branch: Some(Some(branch)), ..self.with_content() };
        let asked_for = if let Some(name) = &request.name {
            let name = Some(name.as_str().to_owned());
            Some(self.latest(&Filter { name, ..self.offered.clone() }).to_vec())
        } else if let Some(branch) = &self.asked_for {
            let any = Filter { branch: Some(Some(branch.clone())), ..self.offered.clone() };
            let [latest, snapshot] = self.latest(&any);
            Some(vec![on(branch.clone()), latest, snapshot])
        } else if request.id.is_some() {
            // `latest`, in so many words, is the newest.
            Some(self.latest(self.offered).to_vec())
        } else if request.any_branch {
            let [latest, snapshot] = self.latest(self.offered);
            Some(vec![self.with_content(), self.with_words(), latest, snapshot])
        } else {
            None
        };
        if let Some(filters) = asked_for {
            return Ok((first(&filters)?, Vec::new()));
        }
        let mut found: Vec<(u8, Listed)> = Vec::new();
        let branch = self.branch.clone().map(on);
        let of_lane = self
            .base
            .iter()
            .map(|base| Filter { id_prefix: Some(base.to_string()), ..self.offered.clone() });
        let narrow = [self.narrow(self.with_content()), self.narrow(self.with_words())];
        let levels = [
            of_lane.chain(narrow).collect(),
            branch.into_iter().collect(),
            vec![self.with_content()],
        ];
        for (distance, filters) in (0..).zip(levels) {
            let listed = first(&filters)?;
            let is_new =
                |one: &Listed| !found.iter().any(|(_, known)| known.head.id == one.head.id);
            found.extend(listed.filter(is_new).map(|listed| (distance, listed)));
        }
        let left = |(distance, listed): &(u8, Listed)| LeftAt {
            distance: *distance,
            created: listed.head.created,
        };
        let Some(best) = preferred(&found.iter().map(left).collect::<Vec<_>>()) else {
            let [latest, snapshot] = self.latest(self.offered);
            return Ok((first(&[self.with_words(), latest, snapshot])?, Vec::new()));
        };
        let (distance, listed) = found.swap_remove(best);
        let nearer = found.into_iter().filter(|(other, _)| *other < distance);
        Ok((Some(listed), nearer.map(|(_, listed)| listed).collect()))
    }
}

/// Whether all that it says stood in a file of the repository.
fn is_of_repository(listed: &Listed) -> bool {
    listed.head.fields.sources == ItemSources::all(ItemSource::Repository)
}

/// Where somebody is who asks.
pub(crate) fn where_now(request: &ResumeRequest, here: &Here<'_>) -> WhereNow {
    WhereNow {
        branch: here.branch(),
        worktree: here.repo().map(|repo| repo.worktree.clone()),
        any_branch: request.any_branch,
    }
}
