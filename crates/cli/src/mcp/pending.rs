//! Requests that have no answer yet.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// Requests that have no answer yet, by their ids as text.
#[derive(Debug, Default)]
pub(super) struct PendingRequests {
    ids: Mutex<HashSet<String>>,
    answered: Notify,
}

impl PendingRequests {
    pub(super) fn add(&self, id: &impl ToString) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_string());
    }

    /// A request was answered, or nobody waits for its answer any more.
    pub(super) fn remove(&self, id: &impl ToString) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).remove(&id.to_string());
        self.answered.notify_waiters();
    }

    /// Ends when every request is answered.
    pub(super) async fn all_answered(&self) {
        loop {
            let answered = self.answered.notified();
            if self.ids.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                return;
            }
            answered.await;
        }
    }
}
