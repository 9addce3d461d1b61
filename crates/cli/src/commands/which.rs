//! How a command line says which handoff it means.

use clap::Args;
use segue_lib::handoffs::{Found, Name, Selector};
use segue_lib::{Error, ProjectRef, Segue};

use crate::error::CommandError;

/// A selector, a name, a project; nothing means the latest here.
#[derive(Args, Debug)]
pub(crate) struct Which {
    /// Which one [default: latest]
    #[arg(value_name = "SELECTOR")]
    selector: Option<String>,
    /// The same as SELECTOR
    #[arg(long, value_name = "SELECTOR", conflicts_with = "selector")]
    id: Option<String>,
    /// The newest of this name
    #[arg(long)]
    name: Option<String>,
    /// With --name, or for the latest: of this project, a label or a path
    #[arg(long)]
    project: Option<String>,
}

impl Which {
    /// Whether a whole project is meant rather than one handoff of it.
    pub(crate) fn is_project(&self) -> bool {
        self.project.is_some()
            && self.selector.is_none()
            && self.id.is_none()
            && self.name.is_none()
    }

    /// The project that was named.
    pub(crate) fn project(&self) -> ProjectRef {
        super::project_ref(self.project.as_deref())
    }

    /// The handoff that is meant, to read it. A selector beats a name.
    pub(crate) fn find(&self, segue: &Segue) -> Result<Found, CommandError> {
        self.find_by(segue, |project, name| Ok(segue.handoffs().newest(project, name)?))
    }

    /// The handoff that is meant, to pass it on: without an id it is never of another project than is meant.
    pub(crate) fn find_here(&self, segue: &Segue) -> Result<Found, CommandError> {
        self.find_by(segue, |project, name| match segue.handoffs().newest_of(project, name) {
            Err(error @ Error::NothingHere) => Err(CommandError::from(error)
                .hinted("--project names another project whose handoffs are meant")),
            found => Ok(found?),
        })
    }

    fn find_by(
        &self,
        segue: &Segue,
        newest: impl Fn(&ProjectRef, Option<&str>) -> Result<Found, CommandError>,
    ) -> Result<Found, CommandError> {
        let project = self.project();
        let selector = self.selector.as_deref().or(self.id.as_deref());
        let selector: Option<Selector> =
            selector.map(str::parse).transpose().map_err(Error::from)?;
        Ok(match (selector, &self.name) {
            (Some(selector @ Selector::Word(_)), _) => segue.handoffs().find(&selector)?,
            (_, Some(name)) => {
                let name: Name = name.parse().map_err(Error::from)?;
                newest(&project, Some(name.as_str()))?
            }
            (_, None) => newest(&project, None)?,
        })
    }
}
