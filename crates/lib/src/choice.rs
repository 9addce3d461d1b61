//! Which handoff to go on from, and which others could have been meant.

use std::collections::HashSet;

use segue_core::Selector;
use segue_share::git::Repo;
use segue_store::{Filter, Listed, Scope, StoreError, View};

use crate::decide::DECIDED;
use crate::nearness::{LeftAt, WhereNow, preferred};
use crate::snapshot::{OBSERVED, SNAPSHOT};
use crate::workspace::EDITED;
use crate::{Error, ProjectRef, ResumeRequest, Segue};

/// How many other handoffs are named at most.
pub(crate) const OTHERS: usize = 3;
/// Others that are older than this are history, not candidates.
const CANDIDATE_DAYS: i64 = 14;

/// The handoff to go on from, and the others.
#[derive(Default)]
pub(crate) struct Chosen {
    pub(crate) listed: Option<Listed>,
    pub(crate) snapshot: Option<Listed>,
    pub(crate) others: Vec<Listed>,
    pub(crate) more: bool,
    pub(crate) label: String,
    pub(crate) project: Option<segue_core::ProjectId>,
    /// Whether it is of another project, asked for by its id.
    pub(crate) elsewhere: bool,
    /// Whether there is something, all of it expired.
    pub(crate) all_expired: bool,
    pub(crate) warnings: Vec<String>,
}

impl Segue {
    /// The newest of this worktree and branch, else of the project; or what was asked for.
    pub(crate) fn choose(
        &self,
        request: &ResumeRequest,
        repo: Option<&Repo>,
    ) -> Result<Chosen, Error> {
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
        let now = self.env.now();
        let any = Filter { limit: Some(1), ..Filter::default() };
        let offered = Filter { offered_at: Some(now), credible_at: Some(now), ..any.clone() };
        let questions = Questions::new(request, repo, &offered);
        let wide = Filter { without_bare_snapshots: true, limit: Some(40), ..offered.clone() };
        let ahead = Filter { since: Some(now.latest_credible().next()), ..any.clone() };
        let newest_here = questions.narrow(offered.clone());
        let (found, newest, around, ahead, bad) = self.store.ask(scope, |view| {
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
                let mut others = self.candidates(chosen.project.as_ref(), listed, around);
                // What is of here and not gone on from is named, however old it is.
                others.retain(|other| {
                    !passed_over.iter().any(|passed| passed.head.id == other.head.id)
                });
                others.splice(0..0, passed_over);
                chosen.more = others.len() > OTHERS;
                others.truncate(OTHERS);
                chosen.others = others;
            }
            None => {
                let credible = Filter { credible_at: Some(now), ..any };
                chosen.all_expired =
                    !self.store.ask(scope, |view| view.listed(scope, &credible))?.is_empty();
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

/// What is asked of the index for one request.
struct Questions<'a> {
    request: &'a ResumeRequest,
    repo: Option<&'a Repo>,
    /// What is offered at all, the newest of it.
    offered: &'a Filter,
}

impl<'a> Questions<'a> {
    fn new(request: &'a ResumeRequest, repo: Option<&'a Repo>, offered: &'a Filter) -> Self {
        Self { request, repo, offered }
    }

    /// In which something was said. A decision by itself does not say where things stand. What a snapshot knows is
    /// HANDOFF.md's, which is told as it stands, and git's, which is asked; unless a session was captured in it.
    fn with_content(&self) -> Filter {
        let without_tags = vec![DECIDED.to_owned()];
        Filter { without_tags, without_bare_snapshots: true, ..self.offered.clone() }
    }

    /// The same, and snapshots with words of HANDOFF.md.
    fn with_words(&self) -> Filter {
        let without_tags = vec![OBSERVED.to_owned(), DECIDED.to_owned()];
        Filter { without_tags, ..self.offered.clone() }
    }

    /// Only what was left on this branch and in this worktree.
    fn narrow(&self, filter: Filter) -> Filter {
        Filter {
            branch: self.repo.map(Repo::branch),
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
            Some(vec![Filter { name: Some(name.as_str().to_owned()), ..self.offered.clone() }])
        } else if let Some(branch) = &request.branch {
            let any = Filter { branch: Some(Some(branch.clone())), ..self.offered.clone() };
            Some(vec![on(branch.clone()), any])
        } else if request.id.is_some() {
            // `latest`, in so many words, is the newest.
            Some(vec![self.offered.clone()])
        } else if request.any_branch {
            Some(vec![self.with_content(), self.with_words(), self.offered.clone()])
        } else {
            None
        };
        if let Some(filters) = asked_for {
            return Ok((first(&filters)?, Vec::new()));
        }
        let mut found: Vec<(u8, Listed)> = Vec::new();
        let branch = self.repo.and_then(Repo::branch).map(on);
        let levels = [
            vec![self.narrow(self.with_content()), self.narrow(self.with_words())],
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
            return Ok((first(&[self.with_words(), self.offered.clone()])?, Vec::new()));
        };
        let (distance, listed) = found.swap_remove(best);
        let nearer = found.into_iter().filter(|(other, _)| *other < distance);
        Ok((Some(listed), nearer.map(|(_, listed)| listed).collect()))
    }
}

/// Where somebody is who asks.
pub(crate) fn where_now(request: &ResumeRequest, repo: Option<&Repo>) -> WhereNow {
    WhereNow {
        branch: repo.and_then(Repo::branch),
        worktree: repo.map(|repo| repo.worktree.clone()),
        any_branch: request.any_branch,
    }
}

/// Whether it is a snapshot that no session was captured in.
fn is_bare_snapshot(listed: &Listed) -> bool {
    tagged(listed, SNAPSHOT) && listed.head.fields.captured.is_none()
}

pub(crate) fn tagged(listed: &Listed, tag: &str) -> bool {
    listed.head.fields.tags.iter().any(|has| has == tag)
}
