//! What every process that we start has in common: an end that is waited for only so long.

use std::io::Read;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Output past this is not read: no question that we ask has a longer answer.
pub(crate) const MAX_OUTPUT: u64 = 64 * 1024 * 1024;

/// How waiting for a process ended.
pub(crate) enum Waited {
    Ended(ExitStatus),
    TooLate,
    /// The caller did not want to wait any more.
    Stopped,
}

/// How it ended; `None` if it has not by then.
pub(crate) fn ended(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    match wait_for(child, until, &|| false) {
        Waited::Ended(status) => Some(status),
        _ => None,
    }
}

/// As `ended`, asking again and again whether to go on.
pub(crate) fn wait_for(child: &mut Child, until: Instant, stop: &dyn Fn() -> bool) -> Waited {
    let mut pause = Duration::from_micros(50);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Waited::Ended(status),
            Ok(None) if stop() => return Waited::Stopped,
            Ok(None) if Instant::now() < until => thread::sleep(pause),
            _ => return Waited::TooLate,
        }
        // What does not end at once takes its time.
        pause = (pause * 5 / 4).min(Duration::from_millis(20));
    }
}

/// Reads a pipe to its end, in a thread of its own.
pub(crate) fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    if let Some(pipe) = pipe {
        // Without a thread there is no answer, which is told like one that came too late.
        let _ = thread::Builder::new().spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.take(MAX_OUTPUT).read_to_end(&mut bytes);
            let _ = sender.send(bytes);
        });
    }
    receiver
}
