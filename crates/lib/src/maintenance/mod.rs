//! The store is looked after.

pub(crate) mod compact;
pub(crate) mod doctor;
pub(crate) mod gc;
pub(crate) mod index;
pub(crate) mod project;
pub(crate) mod scrub;
