//! Threads that wait for kernels.
//!
//! A kernel of the workshop model takes tens of microseconds, so handing it
//! out must take less than one. Workers spin for a moment after a kernel,
//! because the next one usually follows at once, and park when none does: an
//! idle pool uses no CPU. Work is claimed chunk by chunk from a counter. A
//! worker that wakes up late finds the kernel closed and goes back to waiting;
//! nobody waits for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, Thread};

/// Turns of the waiting loop before a thread parks: some tens of microseconds.
const SPINS: u32 = 2_000;

/// Work of one kernel: called with the chunk and the number of the worker.
type Work<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// In [`Shared::gate`]: the kernel takes workers.
const OPEN: u64 = 1 << 31;
/// In [`Shared::gate`]: one more kernel.
const EPOCH: u64 = 1 << 32;
/// In [`Shared::gate`]: workers inside the kernel.
const INSIDE: u64 = OPEN - 1;

struct Shared {
    /// Kernel number, the open bit, and the number of workers inside.
    gate: AtomicU64,
    /// The kernel, valid while the gate is open or workers are inside.
    work: Mutex<Option<&'static Work<'static>>>,
    /// The next chunk to claim.
    next: AtomicUsize,
    chunks: AtomicUsize,
    stop: AtomicBool,
    failed: AtomicBool,
    /// Who waits for the workers to come out.
    caller: Mutex<Option<Thread>>,
    parked: Vec<AtomicBool>,
}

/// A fixed set of threads, the caller's included.
pub(super) struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

/// A chunk of a kernel panicked: a defect of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failed;

impl Pool {
    /// `threads` threads, of which the caller of [`Pool::run`] is one; as many
    /// as can be started where that is fewer.
    pub fn new(threads: usize) -> Self {
        let others = threads.max(1) - 1;
        let shared = Arc::new(Shared {
            gate: AtomicU64::new(0),
            work: Mutex::new(None),
            next: AtomicUsize::new(0),
            chunks: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            caller: Mutex::new(None),
            parked: (0..others).map(|_| AtomicBool::new(false)).collect(),
        });
        let workers = (0..others)
            .map_while(|index| {
                let shared = Arc::clone(&shared);
                thread::Builder::new()
                    .name(format!("cpu-{}", index + 1))
                    .spawn(move || shared.serve(index))
                    .ok()
            })
            .collect();
        Self { shared, workers }
    }

    /// Threads that work, the caller included.
    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Runs `work(chunk, worker)` for every chunk, each once, and returns when
    /// all are done. `worker` is below [`Pool::threads`] and no two calls with
    /// the same worker overlap.
    ///
    /// # Errors
    /// A call panicked.
    pub fn run(&mut self, chunks: usize, work: &Work<'_>) -> Result<(), Failed> {
        if chunks <= 1 || self.workers.is_empty() {
            for chunk in 0..chunks {
                catch_unwind(AssertUnwindSafe(|| work(chunk, 0))).map_err(|_| Failed)?;
            }
            return Ok(());
        }
        let shared = &*self.shared;
        // SAFETY: only the lifetime changes. The reference is taken back and
        // every worker has left before this function returns.
        let kept = unsafe { std::mem::transmute::<&Work<'_>, &'static Work<'static>>(work) };
        *lock(&shared.work) = Some(kept);
        *lock(&shared.caller) = Some(thread::current());
        shared.next.store(0, Ordering::Relaxed);
        shared.chunks.store(chunks, Ordering::Relaxed);
        // The gate is closed and nobody is inside: next epoch, open.
        let epoch = (shared.gate.load(Ordering::Relaxed) & !(OPEN | INSIDE)).wrapping_add(EPOCH);
        shared.gate.store(epoch | OPEN, Ordering::SeqCst);
        for (parked, worker) in shared.parked.iter().zip(&self.workers).take(chunks - 1) {
            if parked.load(Ordering::SeqCst) {
                worker.thread().unpark();
            }
        }
        shared.claim(kept, 0);
        shared.gate.fetch_and(!OPEN, Ordering::SeqCst);
        let mut spins = 0;
        while shared.gate.load(Ordering::SeqCst) & INSIDE != 0 {
            if spins < SPINS {
                spins += 1;
                std::hint::spin_loop();
            } else {
                thread::park();
            }
        }
        *lock(&shared.work) = None;
        if shared.failed.swap(false, Ordering::SeqCst) {
            return Err(Failed);
        }
        Ok(())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // A worker's panics are caught; there is nothing to learn here.
            drop(worker.join());
        }
    }
}

impl Shared {
    /// A worker's life.
    fn serve(&self, index: usize) {
        let mut seen = 0;
        while let Some(gate) = self.wait(index, seen) {
            seen = gate & !(OPEN | INSIDE);
            if self.enter(seen) {
                // Between enter and leave the caller cannot take the work back.
                let work = *lock(&self.work);
                if let Some(work) = work {
                    self.claim(work, index + 1);
                }
                self.leave();
            }
        }
    }

    /// Waits for a kernel after `seen`; `None` when the pool is dropped.
    fn wait(&self, index: usize, seen: u64) -> Option<u64> {
        let mut spins = 0;
        loop {
            if self.stop.load(Ordering::SeqCst) {
                return None;
            }
            let gate = self.gate.load(Ordering::SeqCst);
            if gate & OPEN != 0 && gate & !(OPEN | INSIDE) != seen {
                return Some(gate);
            }
            if spins < SPINS {
                spins += 1;
                std::hint::spin_loop();
                continue;
            }
            // Say so first, then look again: the caller opens first and then
            // looks who is parked, so one of the two sees the other.
            let parked = self.parked.get(index)?;
            parked.store(true, Ordering::SeqCst);
            let gate = self.gate.load(Ordering::SeqCst);
            let new = gate & OPEN != 0 && gate & !(OPEN | INSIDE) != seen;
            if !new && !self.stop.load(Ordering::SeqCst) {
                thread::park();
            }
            parked.store(false, Ordering::SeqCst);
        }
    }

    /// Goes in, if kernel `epoch` still takes workers.
    fn enter(&self, epoch: u64) -> bool {
        let mut gate = self.gate.load(Ordering::SeqCst);
        while gate & OPEN != 0 && gate & !(OPEN | INSIDE) == epoch {
            match self.gate.compare_exchange_weak(
                gate,
                gate + 1,
                Ordering::SeqCst,
                Ordering::SeqCst,
            ) {
                Ok(_) => return true,
                Err(now) => gate = now,
            }
        }
        false
    }

    /// Comes out; the last one wakes the caller, who may be waiting.
    fn leave(&self) {
        let before = self.gate.fetch_sub(1, Ordering::SeqCst);
        if before & INSIDE == 1
            && before & OPEN == 0
            && let Some(caller) = &*lock(&self.caller)
        {
            caller.unpark();
        }
    }

    fn claim(&self, work: &Work<'_>, worker: usize) {
        let chunks = self.chunks.load(Ordering::Relaxed);
        loop {
            let chunk = self.next.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                return;
            }
            if catch_unwind(AssertUnwindSafe(|| work(chunk, worker))).is_err() {
                self.failed.store(true, Ordering::SeqCst);
            }
        }
    }
}

/// The lock; what it guards is replaced whole, so a poisoned one is as good.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunk_runs_once_whatever_the_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            let mut pool = Pool::new(threads);
            for chunks in [0, 1, 2, 7, 100] {
                let counts: Vec<AtomicUsize> = (0..chunks).map(|_| AtomicUsize::new(0)).collect();
                let highest = AtomicUsize::new(0);
                pool.run(chunks, &|chunk, worker| {
                    counts[chunk].fetch_add(1, Ordering::Relaxed);
                    highest.fetch_max(worker, Ordering::Relaxed);
                })
                .unwrap();
                assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 1));
                assert!(highest.load(Ordering::Relaxed) < threads);
            }
        }
    }

    #[test]
    fn many_kernels_in_a_row_and_after_a_rest() {
        let mut pool = Pool::new(4);
        let total = AtomicUsize::new(0);
        for round in 0..2_000 {
            if round % 500 == 499 {
                // Long enough for the workers to park.
                thread::sleep(std::time::Duration::from_millis(5));
            }
            pool.run(5, &|chunk, _| {
                total.fetch_add(chunk, Ordering::Relaxed);
            })
            .unwrap();
        }
        // 0 + 1 + 2 + 3 + 4 per kernel.
        assert_eq!(total.load(Ordering::Relaxed), 2_000 * 10);
    }

    #[test]
    fn a_panic_in_a_chunk_is_an_error_and_the_pool_lives_on() {
        let mut pool = Pool::new(2);
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let result = pool.run(4, &|chunk, _| assert!(chunk != 2));
        std::panic::set_hook(hook);
        assert_eq!(result, Err(Failed));
        assert_eq!(pool.run(4, &|_, _| {}), Ok(()));
    }
}
