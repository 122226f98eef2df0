//! The worker thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use plan::run::{Observer, Progress, Report, Request, RunError};

/// What the worker says. Each carries the ticket that [`Worker::submit`] took.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A run has begun.
    Started(u64),
    /// It got this far.
    Progress(u64, Progress),
    /// It has ended.
    Done(u64, Result<Box<Report>, RunError>),
}

#[derive(Default)]
struct Slot {
    waiting: Option<(u64, Request)>,
    closed: bool,
}

#[derive(Default)]
struct Shared {
    slot: Mutex<Slot>,
    wake: Condvar,
    cancel: AtomicBool,
}

impl Shared {
    /// The slot; a poisoned lock still holds a whole value.
    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One thread that runs one request at a time. A newer request replaces the one
/// that waits, never the one that runs. The thread sleeps when there is nothing
/// to do and ends when the worker is dropped.
pub struct Worker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Watch<'w, N> {
    ticket: u64,
    shared: &'w Shared,
    notify: &'w N,
}

impl<N: Fn(Event) + Send + Sync> Observer for Watch<'_, N> {
    fn progress(&self, progress: Progress) {
        (self.notify)(Event::Progress(self.ticket, progress));
    }

    fn cancelled(&self) -> bool {
        self.shared.cancel.load(Ordering::Relaxed)
    }
}

impl Worker {
    /// Starts the thread. `run` computes a request (it may keep state, such as
    /// packed weights); `notify` is called from the worker's thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start<R, N>(mut run: R, notify: N) -> std::io::Result<Self>
    where
        R: FnMut(&Request, &dyn Observer) -> Result<Report, RunError> + Send + 'static,
        N: Fn(Event) + Send + Sync + 'static,
    {
        let shared = Arc::new(Shared::default());
        let inner = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("engine".to_owned())
            .spawn(move || {
                while let Some((ticket, request)) = next(&inner) {
                    notify(Event::Started(ticket));
                    let watch = Watch {
                        ticket,
                        shared: &inner,
                        notify: &notify,
                    };
                    let result = catch_unwind(AssertUnwindSafe(|| run(&request, &watch)))
                        .unwrap_or_else(|_| {
                            Err(RunError::failed(
                                "the run ended unexpectedly; your plan and your answers are as they were",
                            ))
                        });
                    notify(Event::Done(ticket, result.map(Box::new)));
                }
            })?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Hands in a request; one that waits is replaced and never runs.
    pub fn submit(&self, ticket: u64, request: Request) {
        self.shared.lock().waiting = Some((ticket, request));
        self.shared.wake.notify_one();
    }

    /// Stops the run under way and drops the one that waits.
    pub fn cancel(&self) {
        let mut slot = self.shared.lock();
        slot.waiting = None;
        self.shared.cancel.store(true, Ordering::Relaxed);
    }
}

/// Sleeps until there is a request; `None` when the worker is gone.
fn next(shared: &Shared) -> Option<(u64, Request)> {
    let mut slot = shared.lock();
    loop {
        if slot.closed {
            return None;
        }
        if let Some(job) = slot.waiting.take() {
            shared.cancel.store(false, Ordering::Relaxed);
            return Some(job);
        }
        slot = shared
            .wake
            .wait(slot)
            .unwrap_or_else(PoisonError::into_inner);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.cancel.store(true, Ordering::Relaxed);
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::cost::Config;
    use plan::fusion::Cut;
    use std::sync::mpsc;

    fn request() -> Request {
        Request::new(Config::preset("workshop", Cut::v1()).unwrap())
    }

    fn endless(_: &Request, watch: &dyn Observer) -> Result<Report, RunError> {
        while !watch.cancelled() {
            std::thread::yield_now();
        }
        Err(RunError::cancelled(0, 30))
    }

    fn done(events: &mpsc::Receiver<Event>) -> (u64, String) {
        loop {
            if let Event::Done(ticket, result) = events.recv().unwrap() {
                return (ticket, result.unwrap_err().to_string());
            }
        }
    }

    #[test]
    fn a_run_stops_when_told_to_and_the_newest_request_is_next() {
        let (tx, events) = mpsc::channel();
        let worker = Worker::start(endless, move |e| tx.send(e).unwrap()).unwrap();
        worker.submit(1, request());
        assert_eq!(events.recv().unwrap(), Event::Started(1));
        worker.submit(2, request());
        worker.submit(3, request());
        worker.cancel();
        assert_eq!(done(&events).0, 1);
        worker.submit(4, request());
        assert_eq!(
            events.recv().unwrap(),
            Event::Started(4),
            "2 and 3 were dropped"
        );
        worker.cancel();
        assert_eq!(done(&events).0, 4);
    }

    #[test]
    fn a_panic_ends_the_run_not_the_worker() {
        let (tx, events) = mpsc::channel();
        let worker = Worker::start(
            |_: &Request, _: &dyn Observer| std::panic::resume_unwind(Box::new("defect")),
            move |e| tx.send(e).unwrap(),
        )
        .unwrap();
        for ticket in [1, 2] {
            worker.submit(ticket, request());
            let (which, message) = done(&events);
            assert_eq!(which, ticket);
            assert!(message.contains("ended unexpectedly"), "{message}");
        }
    }
}
