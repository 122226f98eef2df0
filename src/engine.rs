//! Runs away from the screen: worker, cancel, progress.
//!
//! One thread, one slot: a request that waits is replaced by a newer one, a
//! request that runs is only ever stopped by [`Worker::cancel`]. The worker
//! knows no backend: it is given a function that answers requests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::run::{Observer, Phase, Progress, Report, Request, RunError};

/// Answers requests: what a backend does, whichever it is.
pub type Runner =
    dyn Fn(&Request, &dyn Observer) -> Result<Report, RunError> + Send + Sync + 'static;

/// What the worker tells, with the number that the request came with.
#[derive(Debug)]
pub enum News {
    /// How far it is.
    Progress(u64, Progress),
    /// It has ended.
    Done(u64, Result<Report, RunError>),
}

/// Least time between two progress reports of one phase.
const BETWEEN: Duration = Duration::from_millis(50);

#[derive(Default)]
struct Slot {
    waiting: Option<(u64, Request)>,
    closed: bool,
}

#[derive(Default)]
struct Shared {
    slot: Mutex<Slot>,
    filled: Condvar,
    cancel: AtomicBool,
}

impl Shared {
    fn slot(&self) -> MutexGuard<'_, Slot> {
        // The slot is consistent after every statement: a panic elsewhere
        // leaves nothing half done in it.
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread that runs requests. Dropping it lets the thread end after the
/// run in progress, which is told to stop.
pub struct Worker {
    shared: Arc<Shared>,
}

impl Worker {
    /// Starts the thread. `tell` is called from it.
    pub fn new(runner: Arc<Runner>, tell: impl Fn(News) + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        thread::spawn(move || {
            while let Some((ticket, request)) = next(&theirs) {
                let watch = Watch {
                    ticket,
                    cancel: &theirs.cancel,
                    tell: &tell,
                    last: Mutex::new(None),
                };
                let result = catch_unwind(AssertUnwindSafe(|| runner(&request, &watch)))
                    .unwrap_or_else(|panic| Err(RunError::failed(panicked(&*panic))));
                tell(News::Done(ticket, result));
            }
        });
        Worker { shared }
    }

    /// Hands a request over. One that waits is replaced and never answered.
    pub fn start(&self, ticket: u64, request: Request) {
        self.shared.cancel.store(false, Ordering::SeqCst);
        self.shared.slot().waiting = Some((ticket, request));
        self.shared.filled.notify_one();
    }

    /// Asks the run in progress to stop; what waits is dropped.
    pub fn cancel(&self) {
        self.shared.slot().waiting = None;
        self.shared.cancel.store(true, Ordering::SeqCst);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.cancel();
        self.shared.slot().closed = true;
        self.shared.filled.notify_one();
    }
}

/// Waits for a request; `None` when the worker is closed.
fn next(shared: &Shared) -> Option<(u64, Request)> {
    let mut slot = shared.slot();
    loop {
        if let Some(job) = slot.waiting.take() {
            return Some(job);
        }
        if slot.closed {
            return None;
        }
        slot = shared
            .filled
            .wait(slot)
            .unwrap_or_else(PoisonError::into_inner);
    }
}

/// What a panic said, as a sentence.
fn panicked(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no word of why");
    format!("the run ended in a fault of this program: {said}. Nothing was recorded.")
}

struct Watch<'a, F: Fn(News) + Sync> {
    ticket: u64,
    cancel: &'a AtomicBool,
    tell: &'a F,
    last: Mutex<Option<(Instant, Phase)>>,
}

impl<F: Fn(News) + Sync> Observer for Watch<'_, F> {
    fn progress(&self, progress: Progress) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let soon = last
            .as_ref()
            .is_some_and(|(at, phase)| *phase == progress.phase && at.elapsed() < BETWEEN);
        if !soon {
            *last = Some((Instant::now(), progress.phase));
            (self.tell)(News::Progress(self.ticket, progress));
        }
    }

    fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Config;
    use crate::fusion::Version;
    use std::sync::mpsc;

    fn request() -> Request {
        Request::new(Config::preset("workshop", Version::V1.cut()).unwrap())
    }

    fn ended(news: &mpsc::Receiver<News>) -> (u64, Result<Report, RunError>) {
        loop {
            if let News::Done(ticket, result) = news.recv_timeout(Duration::from_secs(20)).unwrap()
            {
                return (ticket, result);
            }
        }
    }

    #[test]
    fn a_fault_of_a_run_is_an_error_and_the_worker_goes_on() {
        let (to, news) = mpsc::channel();
        let worker = Worker::new(
            Arc::new(|_: &Request, _: &dyn Observer| panic!("tile 3 is missing")),
            move |n| to.send(n).unwrap(),
        );
        for ticket in [1, 2] {
            worker.start(ticket, request());
            let (answered, result) = ended(&news);
            assert_eq!(answered, ticket);
            let error = result.unwrap_err().to_string();
            assert!(error.contains("tile 3 is missing"), "{error}");
        }
    }

    #[test]
    fn a_cancelled_run_hears_of_it() {
        let (to, news) = mpsc::channel();
        let (began, has_begun) = mpsc::channel();
        let began = Mutex::new(began);
        let worker = Worker::new(
            Arc::new(move |_: &Request, watch: &dyn Observer| {
                began.lock().unwrap().send(()).unwrap();
                while !watch.cancelled() {
                    thread::yield_now();
                }
                Err(RunError::cancelled(3, 30))
            }),
            move |n| to.send(n).unwrap(),
        );
        worker.start(7, request());
        has_begun.recv_timeout(Duration::from_secs(20)).unwrap();
        worker.cancel();
        let (ticket, result) = ended(&news);
        assert_eq!(ticket, 7);
        assert!(result.unwrap_err().to_string().contains("after 3 of 30"));
    }

    #[test]
    fn the_newest_of_two_waiting_requests_is_run() {
        let (to, news) = mpsc::channel();
        let (go, gate) = mpsc::channel::<()>();
        let (began, has_begun) = mpsc::channel();
        let (gate, began) = (Mutex::new(gate), Mutex::new(began));
        let worker = Worker::new(
            Arc::new(move |_: &Request, _: &dyn Observer| {
                began.lock().unwrap().send(()).unwrap();
                gate.lock().unwrap().recv().unwrap();
                Err(RunError::failed("as planned"))
            }),
            move |n| to.send(n).unwrap(),
        );
        worker.start(1, request());
        has_begun.recv_timeout(Duration::from_secs(20)).unwrap();
        worker.start(2, request());
        worker.start(3, request());
        go.send(()).unwrap();
        go.send(()).unwrap();
        assert_eq!(ended(&news).0, 1);
        assert_eq!(ended(&news).0, 3);
    }
}
