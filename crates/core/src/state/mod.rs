//! What holds in a project now: a fold over all its handoffs.
//!
//! Each handoff contributes a [`StateEntry`]. A [`Ledger`] takes them in order of time and knows of every item whether
//! it is open, and if not, what closed it. A [`StateView`] says what of that matters in one lane, with what git says
//! of its branches today. Nothing here is stored for good: the same handoffs give the same answers.

mod entry;
mod item;
mod item_text;
mod lane;
mod ledger;
mod step;
mod take_back;
mod view;
mod work;

pub use entry::{ClosingLine, EntryItem, EntryOrigin, Mention, StateEntry};
pub use item::{
    ItemClosing, ItemStatus, Stamp, StateItem, StateItemId, StateItemIdError, StateItemKind,
};
pub use lane::{BranchFate, Lane, LaneFates};
pub use ledger::Ledger;
pub(crate) use take_back::{is_take_back, takes_back};
pub use view::{IdleSession, LaneSummary, StateView, ViewedItem, WorkedBranch};

#[cfg(test)]
mod tests;
