//! Locks of the operating system: a dead process leaves none behind.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{IoContext, StoreError};
use crate::platform;

/// How long a writer waits for another before it says "busy".
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// A held lock; dropping it lets go.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Shared,
    Exclusive,
}

impl Lock {
    /// Takes the lock on this file, which is created if need be.
    pub(crate) fn take(path: &Path, kind: Kind, patience: Duration) -> Result<Self, StoreError> {
        let file = platform::open_or_create(path).at("open", path)?;
        let until = Instant::now() + patience;
        let mut pause = Duration::from_micros(100);
        loop {
            let tried = match kind {
                Kind::Shared => file.try_lock_shared(),
                Kind::Exclusive => file.try_lock(),
            };
            match tried {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(4));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::Busy { path: path.to_owned() });
                }
                // A file system without locks: one writer at a time is then up to the user.
                Err(TryLockError::Error(error))
                    if error.kind() == std::io::ErrorKind::Unsupported =>
                {
                    return Ok(Self { _file: file });
                }
                Err(TryLockError::Error(source)) => {
                    return Err(StoreError::Io { what: "lock", path: path.to_owned(), source });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_is_busy_and_a_dropped_one_is_free() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".lock");
        let held = Lock::take(&path, Kind::Exclusive, Duration::ZERO).unwrap();
        assert!(matches!(
            Lock::take(&path, Kind::Shared, Duration::from_millis(5)),
            Err(StoreError::Busy { .. })
        ));
        drop(held);
        let _one = Lock::take(&path, Kind::Shared, Duration::ZERO).unwrap();
        let _two = Lock::take(&path, Kind::Shared, Duration::ZERO).unwrap();
        assert!(Lock::take(&path, Kind::Exclusive, Duration::ZERO).is_err());
    }
}
