//! Signals that would end the process where an error says more.

/// A write beyond the limit of the size of files fails, and whoever wrote says so and cleans up. Programs that are
/// started have the system's own behaviour again.
#[cfg(unix)]
pub(crate) fn fail_writes_beyond_limit() {
    let seen = std::sync::Arc::default();
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
}

#[cfg(not(unix))]
pub(crate) fn fail_writes_beyond_limit() {}
