//! *Here*: the directory that a command is about, and what follows from it. Each part is looked up when
//! it is first needed, and once.
//!
//! What does not change while a process runs (the directory, its repository, the configuration) is looked
//! up once a process; what a use case may change (project, scope, git's answers) once a use case, which
//! begins with a noun of [`Segue`](crate::Segue). Looking never writes: what does stands in `register.rs`.

mod brake;
mod directory;
mod git_answers;
mod join;
mod look_up;
mod note;
mod paused;
mod place;
mod project_ref;
mod register;
mod scope;
mod similar;
mod trusted;

pub(crate) use brake::{Brake, PAUSE, pulled};
pub(crate) use directory::{Here, Tree};
pub(crate) use git_answers::GitStateAnswer;
pub use note::DirectoryNote;
pub(crate) use note::NOT_KNOWN_THERE;
pub use paused::Paused;
pub(crate) use place::{Place, path_key};
pub use project_ref::ProjectRef;
pub(crate) use register::Target;
pub use similar::SimilarProject;
pub(crate) use similar::similar_pairs;
pub use trusted::{Brings, NotUsed, Trust};
pub(crate) use trusted::{SHARED, Shared, trust_of};
