//! The desk: one thread that does what is asked, in the order in which it was asked. The protocol goes on
//! beside it, so a `ping` is answered while a call waits for a lock.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use segue_lib::{Env, Segue};
use tokio::sync::{oneshot, watch};

use crate::error::CommandError;
use crate::host;

/// How long the first call waits for the client to say where it works.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long a call that was begun may still take when the desk closes.
const TO_FINISH: Duration = Duration::from_secs(1);

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
        Ok(for_a_model(env))
    }

    /// The same where somebody waits: git has as little time as in `resume`.
    pub(super) fn open_in_a_hurry(&self) -> Result<Segue, CommandError> {
        Ok(for_a_model(host::env_in(self.dir.as_deref())?))
    }
}

/// A model is told of other projects only if it asks for them: the directory may be anybody's.
fn for_a_model(mut env: Env) -> Segue {
    env.here_only = true;
    Segue::new(env)
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
    closing: Arc<watch::Sender<bool>>,
}

/// A call that was taken.
pub(super) struct Call<T> {
    answer: oneshot::Receiver<T>,
    /// Set by whoever is first: the desk that begins it, or the caller that gives it up.
    claimed: Arc<AtomicBool>,
    closing: watch::Receiver<bool>,
}

/// Why a call has no answer: the desk closed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// It was not begun, and never will be.
    NotDone,
    /// It was begun, and did not end in time.
    MayBeDone,
}

impl<T> Call<T> {
    /// The answer, or what became of the call when the desk closed before it.
    pub(super) async fn answer(mut self) -> Result<T, Unanswered> {
        let closed = async {
            if self.closing.wait_for(|closing| *closing).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            biased;
            answer = &mut self.answer => return answer.map_err(|_| Unanswered::NotDone),
            () = closed => {}
        }
        if !self.claimed.swap(true, Ordering::SeqCst) {
            return Err(Unanswered::NotDone);
        }
        let answer = tokio::time::timeout(TO_FINISH, self.answer).await;
        answer.ok().and_then(Result::ok).ok_or(Unanswered::MayBeDone)
    }
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
    Ok((Desk { jobs, closing: Arc::new(watch::Sender::new(false)) }, done))
}

impl Desk {
    /// Asks for something to be done. It is not begun if nobody waits for the answer by then.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Place) -> T + Send + 'static,
    ) -> Call<T> {
        let (reply, answer) = oneshot::channel();
        let claimed = Arc::new(AtomicBool::new(false));
        let (begun, closing) = (Arc::clone(&claimed), self.closing.subscribe());
        let act = move |place: &Place| {
            let wanted = !reply.is_closed() && !*closing.borrow();
            if wanted && !begun.swap(true, Ordering::SeqCst) {
                let _ = reply.send(act(place));
            }
        };
        // If the thread is gone, the answer says so by not coming.
        let _ = self.jobs.send(Job::Do(Box::new(act)));
        Call { answer, claimed, closing: self.closing.subscribe() }
    }

    /// From now on no call is begun: who waits for one is told what became of it.
    pub(super) fn close(&self) {
        self.closing.send_replace(true);
    }

    pub(super) fn is_closed(&self) -> bool {
        *self.closing.borrow()
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
        assert_eq!(first.answer.blocking_recv().unwrap(), Some(PathBuf::from("/x")));
        assert_eq!(second.answer.blocking_recv().unwrap(), Some(PathBuf::from("/x")));
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

    #[tokio::test]
    async fn when_the_desk_closes_each_call_is_told_what_became_of_it() {
        let (desk, done) = open().unwrap();
        let (go, wait) = channel::<()>();
        let (begins, begun) = channel::<()>();
        let running = desk.ask(move |_| {
            let _ = begins.send(());
            wait.recv().unwrap();
            "done"
        });
        let waiting = desk.ask(|_| "never");
        begun.recv().unwrap();
        desk.close();
        assert_eq!(waiting.answer().await, Err(Unanswered::NotDone));
        // What was begun may end within a moment.
        go.send(()).unwrap();
        assert_eq!(running.answer().await, Ok("done"));
        assert_eq!(desk.ask(|_| "late").answer().await, Err(Unanswered::NotDone));
        drop(desk);
        done.await.unwrap();
    }
}
