//! The desk: one thread that does what is asked, in the order in which it was asked. The protocol goes on
//! beside it, so a `ping` is answered while a call waits for a lock.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use segue_lib::Segue;
use tokio::sync::oneshot;

use crate::error::CommandError;
use crate::host;

/// How long the first call waits for the client to say where it works.
const PATIENCE: Duration = Duration::from_secs(1);

/// Where the client works.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// A directory that the client named; else the process's own.
    dir: Option<PathBuf>,
}

impl Place {
    /// Segue for one call, as each command opens it for itself.
    pub(super) fn open(&self) -> Result<Segue, CommandError> {
        let mut env = host::env()?;
        if let Some(dir) = &self.dir {
            env.dir.clone_from(dir);
        }
        Ok(Segue::new(env))
    }

    /// The same where somebody waits: git has as little time as in `resume`.
    pub(super) fn open_in_a_hurry(&self) -> Result<Segue, CommandError> {
        Ok(Segue::new(host::env_in(self.dir.as_deref())?))
    }
}

type Act = Box<dyn FnOnce(&Place) + Send>;

enum Job {
    Do(Act),
    /// The client was asked where it works; what it says comes from there.
    WorksIn(Receiver<Option<PathBuf>>),
}

/// What takes calls.
#[derive(Clone)]
pub(super) struct Desk {
    jobs: Sender<Job>,
}

/// Ends when everything that was asked is done and nobody can ask any more.
pub(super) type Done = oneshot::Receiver<()>;

/// Opens the desk.
pub(super) fn open() -> Result<(Desk, Done), CommandError> {
    let (jobs, work) = channel();
    let (end, done) = oneshot::channel();
    let started = thread::Builder::new().name("desk".to_owned()).spawn(move || {
        work_off(&work);
        let _ = end.send(());
    });
    started.map_err(|error| CommandError::failed(format!("cannot start a thread: {error}")))?;
    Ok((Desk { jobs }, done))
}

impl Desk {
    /// Asks for something to be done. It is not begun if nobody waits for the answer by then.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Place) -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (reply, answer) = oneshot::channel();
        let act = move |place: &Place| {
            if !reply.is_closed() {
                let _ = reply.send(act(place));
            }
        };
        // If the desk is closed, the answer says so by not coming.
        let _ = self.jobs.send(Job::Do(Box::new(act)));
        answer
    }

    /// What comes after this is done where the client says that it works.
    pub(super) fn will_be_told_where(&self) -> Sender<Option<PathBuf>> {
        let (tell, told) = channel();
        let _ = self.jobs.send(Job::WorksIn(told));
        tell
    }
}

fn work_off(work: &Receiver<Job>) {
    let mut place = Place::default();
    let mut asked: Option<(Receiver<Option<PathBuf>>, Duration)> = None;
    for job in work {
        match job {
            Job::WorksIn(told) => asked = Some((told, PATIENCE)),
            Job::Do(act) => {
                if let Some((told, patience)) = asked.take() {
                    match told.recv_timeout(patience) {
                        Ok(dir) => place.dir = dir.or(place.dir),
                        // It may still come; nobody waits for it a second time.
                        Err(RecvTimeoutError::Timeout) => asked = Some((told, Duration::ZERO)),
                        Err(RecvTimeoutError::Disconnected) => {}
                    }
                }
                act(&place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_done_in_order_and_where_the_client_works() {
        let (desk, done) = open().unwrap();
        let tell = desk.will_be_told_where();
        let dir = |place: &Place| place.dir.clone();
        let first = desk.ask(dir);
        tell.send(Some(PathBuf::from("/x"))).unwrap();
        let second = desk.ask(dir);
        assert_eq!(first.blocking_recv().unwrap(), Some(PathBuf::from("/x")));
        assert_eq!(second.blocking_recv().unwrap(), Some(PathBuf::from("/x")));
        drop(desk);
        done.blocking_recv().unwrap();
    }

    #[test]
    fn what_nobody_waits_for_is_not_begun() {
        let (desk, done) = open().unwrap();
        let (go, wait) = channel::<()>();
        let (seen, look) = channel::<&str>();
        let other = seen.clone();
        let (begins, begun) = channel::<()>();
        let running = desk.ask(move |_| {
            let _ = begins.send(());
            let _ = wait.recv();
            let _ = seen.send("first");
        });
        begun.recv().unwrap();
        drop(desk.ask(move |_| other.send("second")));
        go.send(()).unwrap();
        drop((running, desk));
        done.blocking_recv().unwrap();
        assert_eq!(look.iter().collect::<Vec<_>>(), ["first"]);
    }
}
