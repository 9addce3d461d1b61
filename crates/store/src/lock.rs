//! Locks of the operating system: a dead process leaves none behind.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

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
        let tried = match kind {
            Kind::Shared => file.try_lock_shared(),
            Kind::Exclusive => file.try_lock(),
        };
        let locked = match tried {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => match wait(file, kind, patience) {
                Some(locked) => locked,
                None => {
                    return Err(StoreError::Busy { path: path.to_owned() });
                }
            },
            // A file system without locks: one writer at a time is then up to the user.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(file)
            }
            Err(TryLockError::Error(error)) => Err(error),
        };
        Ok(Self { _file: locked.at("lock", path)? })
    }
}

/// Waits for a lock that another has; `None` if patience ends first.
///
/// The system lets those who wait have it in turn, while trying again and again lets newcomers
/// overtake until somebody starves. Its waiting has no end, so a thread does it.
fn wait(file: File, kind: Kind, patience: Duration) -> Option<io::Result<File>> {
    let (sender, receiver) = channel();
    let waiting = move || {
        let locked = loop {
            let locked = match kind {
                Kind::Shared => file.lock_shared(),
                Kind::Exclusive => file.lock(),
            };
            if !matches!(&locked, Err(error) if error.kind() == io::ErrorKind::Interrupted) {
                break locked;
            }
        };
        // If nobody waits any more, the file is dropped here and the lock with it.
        let _ = sender.send(locked.map(|()| file));
    };
    match thread::Builder::new().spawn(waiting) {
        Ok(_) => receiver.recv_timeout(patience).ok(),
        Err(error) => Some(Err(error)),
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

    #[test]
    fn one_who_waits_gets_the_lock_and_one_who_gave_up_does_not_keep_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".lock");
        let held = Lock::take(&path, Kind::Exclusive, Duration::ZERO).unwrap();
        assert!(Lock::take(&path, Kind::Exclusive, Duration::from_millis(5)).is_err());
        thread::scope(|scope| {
            let waits = scope.spawn(|| Lock::take(&path, Kind::Exclusive, PATIENCE).is_ok());
            thread::sleep(Duration::from_millis(20));
            drop(held);
            assert!(waits.join().unwrap());
        });
        let _again = Lock::take(&path, Kind::Exclusive, PATIENCE).unwrap();
    }
}
