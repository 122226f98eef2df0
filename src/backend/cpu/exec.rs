//! Running a compiled plan: launches, passes, tiles.

use std::sync::atomic::{AtomicU64, Ordering};

use super::attend::ScratchPlan;
use super::bound::Bound;
use super::errors::defect;
use super::memory::Buffer;
use super::pool::{Failed, Pool};
use super::step::{Compiled, Launch, Pass};
use plan::run::{Observer, RunError};

/// The memory of all workers: one arena and one attention scratch each.
#[derive(Debug)]
pub(super) struct Workers {
    pub memory: Buffer,
    arena: usize,
    scratch: ScratchPlan,
}

impl Workers {
    /// Elements that `threads` workers need; `None` if not addressable.
    pub fn elements(arena: usize, scratch: ScratchPlan, threads: usize) -> Option<usize> {
        Self::each(arena, scratch)?.checked_mul(threads)
    }

    fn each(arena: usize, scratch: ScratchPlan) -> Option<usize> {
        // A page apart, so that workers share no line and no page.
        arena
            .checked_add(scratch.len)?
            .checked_next_multiple_of(1024)
    }

    pub fn new(memory: Buffer, arena: usize, scratch: ScratchPlan) -> Self {
        Self {
            memory,
            arena,
            scratch,
        }
    }

    /// The arena of worker `index`.
    fn arena(&self, index: usize) -> *mut f32 {
        let each = Self::each(self.arena, self.scratch).unwrap_or(0);
        self.memory.f32().wrapping_add(index * each)
    }

    /// The scratch of worker `index`.
    fn scratch(&self, index: usize) -> (*mut f32, ScratchPlan) {
        (self.arena(index).wrapping_add(self.arena), self.scratch)
    }
}

/// A run in progress: where launches are counted and the time is taken.
pub(super) struct Running<'a> {
    pub bound: Bound<'a>,
    pub workers: &'a Workers,
    pub pool: &'a mut Pool,
    pub observer: &'a dyn Observer,
    /// Kernels started so far.
    pub launches: &'a AtomicU64,
}

impl Running<'_> {
    /// Starts one kernel and waits for it.
    ///
    /// # Errors
    /// Cancelled, or a defect.
    pub fn launch(&mut self, compiled: &Compiled, launch: &Launch) -> Result<(), RunError> {
        self.launches.fetch_add(1, Ordering::Relaxed);
        for pass in compiled
            .passes
            .get(launch.passes.clone())
            .unwrap_or_default()
        {
            self.pass(pass)
                .map_err(|Failed| defect(format!("kernel {} failed", launch.name)))?;
            if self.observer.cancelled() {
                return Err(RunError::cancelled(0, 0));
            }
        }
        Ok(())
    }

    fn pass(&mut self, pass: &Pass) -> Result<(), Failed> {
        let (bound, workers, observer) = (&self.bound, self.workers, self.observer);
        let tiles = bound.dims.tiles();
        if tiles >= self.pool.threads() {
            return self.pool.run(tiles, &|chunk, worker| {
                if observer.cancelled() {
                    return;
                }
                let tile = bound.dims.tile_at(chunk);
                for step in &pass.steps {
                    // SAFETY: the arena and scratch are this worker's; a tile
                    // is one chunk, and chunks write their own rows.
                    unsafe {
                        bound.step(
                            step,
                            tile,
                            0..bound.parts(step),
                            workers.arena(worker),
                            workers.scratch(worker),
                        );
                    }
                }
            });
        }
        // Fewer tiles than threads: several threads share a tile, step by
        // step, each with some of the columns or heads. The arena is the
        // tile's, the scratch the worker's.
        for step in &pass.steps {
            let parts = bound.parts(step);
            let shares = parts.min((2 * self.pool.threads()).div_ceil(tiles));
            self.pool.run(tiles * shares, &|chunk, worker| {
                if observer.cancelled() {
                    return;
                }
                let (index, share) = (chunk / shares, chunk % shares);
                let range = parts * share / shares..parts * (share + 1) / shares;
                // SAFETY: there are fewer tiles than arenas; shares of a step
                // write different columns.
                unsafe {
                    bound.step(
                        step,
                        bound.dims.tile_at(index),
                        range,
                        workers.arena(index),
                        workers.scratch(worker),
                    );
                }
            })?;
        }
        Ok(())
    }
}
