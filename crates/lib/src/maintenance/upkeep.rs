//! The store as a whole, to be looked after.

use segue_store::Store;

use crate::Env;

/// Looks after the whole store: what has expired, what killed processes left, and the index.
#[derive(Clone, Copy)]
pub struct Maintenance<'s> {
    pub(super) env: &'s Env,
    pub(super) store: &'s Store,
}

impl<'s> Maintenance<'s> {
    pub(crate) fn new(env: &'s Env, store: &'s Store) -> Self {
        Self { env, store }
    }
}
