//! Why MemoryVault gave no answer, in words that never hold the API key.

use std::time::Duration;

/// Why a text could not be stored or fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    #[error("{url} cannot be used for MemoryVault: {why}")]
    BadUrl { url: String, why: &'static str },
    #[error("the API key for MemoryVault is empty or has a character that no key has")]
    BadKey,
    #[error("the proxy in the environment is not one that can be used")]
    BadProxy,
    #[error("{host} refused the API key ({status}{detail})")]
    Refused { host: String, status: u16, detail: String },
    #[error("{host} redirects to {to}, which is not followed")]
    Redirected { host: String, to: String },
    #[error("cannot connect to {host}: {reason}")]
    NoConnection { host: String, reason: String },
    #[error("no safe connection to {host}: {reason}")]
    Untrusted { host: String, reason: String },
    #[error("{host} did not answer within {}", seconds(.after))]
    TimedOut { host: String, after: Duration },
    #[error("the answer of {host} was cut off")]
    CutOff { host: String },
    #[error("the answer of {host} is too large")]
    TooLarge { host: String },
    #[error("the answer of {host} is not understood")]
    NotUnderstood { host: String },
    #[error("{host} cannot answer now ({status}{detail})")]
    Trouble { host: String, status: u16, detail: String },
    #[error("{host} did not take it ({status}{detail})")]
    Rejected { host: String, status: u16, detail: String },
}

impl VaultError {
    /// Whether the same call may well succeed a moment later.
    pub(super) fn passes(&self) -> bool {
        matches!(self, Self::NoConnection { .. } | Self::CutOff { .. } | Self::Trouble { .. })
    }
}

fn seconds(after: &Duration) -> String {
    if after.subsec_millis() == 0 {
        format!("{} s", after.as_secs())
    } else {
        format!("{} ms", after.as_millis())
    }
}
