//! List: what there is, newest first.

use std::collections::HashMap;

use segue_core::{HandoffKind, Name, Timestamp};
use segue_store::{BadFile, Filter, Listed, Scope};

use super::Handoffs;
use crate::here::Brings;
use crate::{Error, ProjectRef};

/// What to list.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListRequest {
    /// Which project's.
    pub project: ProjectRef,
    /// Every project's.
    pub all_projects: bool,
    /// Also what has expired or is archived.
    pub expired: bool,
    /// Only ids that begin so, in the whole store.
    pub id: Option<String>,
    /// Only of this agent.
    pub tool: Option<String>,
    /// Only with this text in title, name, summary or next steps.
    pub query: Option<String>,
    /// Only since then.
    pub since: Option<Timestamp>,
    /// Only with all of these tags.
    pub tags: Vec<String>,
    /// Only of this name.
    pub name: Option<Name>,
    /// Only of these kinds.
    pub kinds: Vec<HandoffKind>,
    /// Of every kind. Else notes and closings are left out, and snapshots where something else is.
    pub all_kinds: bool,
    /// At most so many.
    pub limit: Option<u64>,
    /// Not what is dated further ahead than clocks differ: that is never the latest.
    pub latest: bool,
}

/// What a list found besides the handoffs themselves.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ListOutcome {
    /// How many were given.
    pub count: u64,
    /// Whether nothing is here and the whole store was listed instead.
    pub elsewhere: bool,
    /// Whether there are more than the limit.
    pub more: bool,
    /// Whether something fits that has expired or is archived, and nothing else does.
    pub hidden: bool,
    /// Whether something fits that is of a kind which has to be asked for, and nothing else does.
    pub other_kinds: bool,
    /// Files that could not be read and are not in the list.
    pub bad: Vec<BadFile>,
    /// A memory that the repository brings and that is not used.
    pub brings: Option<Brings>,
}

impl Handoffs<'_> {
    /// Gives the handoffs one by one, newest first. `each` stops the list by returning `false`.
    pub fn list(
        &self,
        request: &ListRequest,
        each: &mut dyn FnMut(Listed) -> bool,
    ) -> Result<ListOutcome, Error> {
        self.in_project(&request.project)?.list_here(request, each)
    }

    /// The same, where the directory is that of the project already.
    fn list_here(
        &self,
        request: &ListRequest,
        each: &mut dyn FnMut(Listed) -> bool,
    ) -> Result<ListOutcome, Error> {
        let whole = request.all_projects || request.id.is_some();
        let (scope, elsewhere) = match self.scope_or_all(&request.project, whole) {
            Err(Error::NoProject(_)) => (None, false),
            other => other?,
        };
        let is_label = request.project.is_label();
        let brings = if is_label { None } else { self.here.shared().brings().cloned() };
        let Some(scope) = scope else {
            return Ok(ListOutcome { elsewhere, brings, ..ListOutcome::default() });
        };
        let mut filter = Filter {
            offered_at: (!request.expired).then(|| self.here.now()),
            credible_at: request.latest.then(|| self.here.now()),
            id_prefix: request.id.clone(),
            tool: request.tool.clone(),
            query: request.query.clone(),
            since: request.since,
            tags: request.tags.clone(),
            name: request.name.clone().map(String::from),
            kinds: request.kinds.clone(),
            // More than asked for, because some are not shown, and one more tells that there are more.
            limit: request.limit.map(|limit| limit.saturating_mul(2).saturating_add(16)),
            ..Filter::default()
        };
        let is_by_kind = request.kinds.is_empty() && !request.all_kinds && request.id.is_none();
        if is_by_kind {
            self.narrow_to_listed(&scope, request, &mut filter)?;
        }
        let mut outcome = ListOutcome { elsewhere, brings, ..ListOutcome::default() };
        loop {
            let (seen, stopped) = self.given(request, &scope, &filter, &mut outcome, each)?;
            // So many were not shown that there may be others behind them.
            let window = filter.limit.filter(|window| seen >= *window && !stopped && !outcome.more);
            let Some(window) = window else { break };
            filter.limit = Some(window.saturating_mul(8));
        }
        if outcome.count == 0 {
            let is_there = |filter: Filter| -> Result<bool, Error> {
                let filter = Filter { limit: Some(1), ..filter };
                let found = self.here.store.ask_on(&scope, |view| view.listed(&scope, &filter))?;
                Ok(!found.is_empty())
            };
            if !request.expired {
                outcome.hidden = is_there(Filter { offered_at: None, ..filter.clone() })?;
            }
            if is_by_kind {
                outcome.other_kinds =
                    is_there(Filter { kinds: Vec::new(), snapshots_alone: false, ..filter })?;
            }
        }
        Ok(outcome)
    }

    /// Leaves out what nobody wants to see who asks for handoffs.
    fn narrow_to_listed(
        &self,
        scope: &Scope,
        request: &ListRequest,
        filter: &mut Filter,
    ) -> Result<(), Error> {
        if request.latest {
            filter.kinds = HandoffKind::LATEST.to_vec();
        } else {
            filter.kinds = HandoffKind::LISTED.to_vec();
        }
        // Of several projects each has something to show.
        if *scope == Scope::All {
            filter.kinds.push(HandoffKind::Snapshot);
            filter.snapshots_alone = true;
            return Ok(());
        }
        let others = Filter {
            offered_at: filter.offered_at,
            kinds: HandoffKind::LATEST.to_vec(),
            limit: Some(1),
            ..Filter::default()
        };
        if self.here.store.ask_on(scope, |view| view.listed(scope, &others))?.is_empty() {
            filter.kinds.push(HandoffKind::Snapshot);
        }
        Ok(())
    }

    /// Gives those that fit and were not given yet; how many were looked at, and whether somebody said stop.
    fn given(
        &self,
        request: &ListRequest,
        scope: &Scope,
        filter: &Filter,
        outcome: &mut ListOutcome,
        each: &mut dyn FnMut(Listed) -> bool,
    ) -> Result<(u64, bool), Error> {
        let mut seen = 0;
        let listed = self.here.store.ask_on(scope, |view| {
            // An index that breaks in the middle is rebuilt and asked again: what was given already is
            // passed over.
            let mut skip = outcome.count;
            seen = 0;
            outcome.bad = view.bad_files(scope)?;
            // What a session left is replaced by what it leaves later, which comes first here.
            let mut replaced: HashMap<String, Option<String>> = HashMap::new();
            view.list(scope, filter, &mut |listed| {
                seen += 1;
                let fields = &listed.head.fields;
                let by_itself = fields.kind == HandoffKind::Session;
                let later = replaced.get(listed.head.id.as_str());
                // The words of a session are in what it left later.
                let has_it = later.is_some_and(|session| {
                    by_itself || session.is_some() && *session == fields.session
                });
                let by = fields.session.clone().filter(|_| by_itself);
                replaced.extend(fields.supersedes.iter().map(|old| (old.clone(), by.clone())));
                if has_it && request.id.is_none() {
                    return Ok(());
                }
                if skip > 0 {
                    skip -= 1;
                    return Ok(());
                }
                if request.limit.is_some_and(|limit| outcome.count >= limit) {
                    outcome.more = true;
                    return Ok(());
                }
                outcome.count += 1;
                if each(listed) { Ok(()) } else { Err(segue_store::StoreError::Stopped) }
            })
        });
        match listed {
            Ok(()) => Ok((seen, false)),
            Err(segue_store::StoreError::Stopped) => Ok((seen, true)),
            Err(other) => Err(other.into()),
        }
    }

    /// What to look through, and whether it is the whole store because nothing is here. An error if that is
    /// not for who asks.
    pub(crate) fn scope_or_all(
        &self,
        project: &ProjectRef,
        whole: bool,
    ) -> Result<(Option<Scope>, bool), Error> {
        if whole {
            tracing::info!("handoffs of all projects, as asked");
            return Ok((Some(Scope::All), false));
        }
        let scope = self.here.ask(&Scope::Projects, |view| self.here.scope(view, project))?;
        if let ProjectRef::Given(word) = project {
            tracing::info!("handoffs of the project '{word}', as asked");
            return Ok((scope, false));
        }
        let any = Filter { limit: Some(1), ..Filter::default() };
        match scope {
            Some(scope)
                if !self
                    .here
                    .store
                    .ask_on(&scope, |view| view.listed(&scope, &any))?
                    .is_empty() =>
            {
                tracing::info!("handoffs of this directory's project");
                Ok((Some(scope), false))
            }
            _ => {
                let any_elsewhere =
                    || self.here.store.ask(&Scope::All, |view| view.listed(&Scope::All, &any));
                if self.here.env.here_only && !any_elsewhere()?.is_empty() {
                    return Err(Error::NothingHere);
                }
                tracing::info!("handoffs of all projects: nothing is here");
                Ok((Some(Scope::All), true))
            }
        }
    }
}
