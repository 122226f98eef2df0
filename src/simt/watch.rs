//! The shadow of shared memory: who touched each place since the last barrier.
//!
//! Two accesses to one place race if different threads made them, one is a
//! write, and nothing orders them. A block barrier orders everything;
//! `__syncwarp` orders the lanes of its warp. That a warp happens to run in
//! lockstep orders nothing: hardware since Volta does not promise it.

mod mark;

use super::exec::turn::WARP;
use super::fault::{Access, Memory, Problem, RaceSide};
use mark::{LAST_EPOCH, Mark};

/// The last write and the last reads of a place.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    writer: Mark,
    reader: Mark,
}

/// Shadow of one block's shared memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    cells: Vec<Cell>,
    /// log₂ of the bytes of a cell: the smallest access of the kernel.
    shift: u32,
    epoch: u32,
    warp_epochs: Vec<u32>,
    bytes: u64,
}

/// Who reads a place with one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// One lane.
    Lane,
    /// Several lanes of a warp.
    Crowd,
    /// The warp as one (`ldmatrix`): no lane goes on before all have read, so the
    /// warp's own later writes need no `__syncwarp`.
    Warp,
}

/// What a lane did wrong.
pub(crate) type Caught = Box<Problem>;

impl Watch {
    /// A shadow of `bytes` in cells of `granule` bytes; 0 bytes where nothing is watched.
    pub fn new(bytes: u32, granule: u32, warps: usize) -> Watch {
        Watch {
            cells: vec![Cell::default(); bytes.div_ceil(granule) as usize],
            shift: granule.trailing_zeros(),
            epoch: 1,
            warp_epochs: vec![1; warps],
            bytes: u64::from(bytes),
        }
    }

    /// Forgets everything: the next block begins.
    pub fn restart(&mut self) {
        self.cells.fill(Cell::default());
        self.epoch = 1;
        self.warp_epochs.fill(1);
    }

    /// All threads passed a barrier.
    pub fn barrier(&mut self) {
        self.epoch += 1;
        self.wrap();
    }

    /// The lanes of a warp waited for each other.
    pub fn sync_warp(&mut self, warp: u32) {
        if let Some(epoch) = self.warp_epochs.get_mut(warp as usize) {
            *epoch += 1;
        }
        self.wrap();
    }

    fn wrap(&mut self) {
        let latest = self
            .warp_epochs
            .iter()
            .copied()
            .max()
            .unwrap_or(0)
            .max(self.epoch);
        if latest > LAST_EPOCH {
            // Marks of the current epoch are lost: a race may be missed here, never invented.
            for cell in &mut self.cells {
                (cell.writer, cell.reader) = (cell.writer.forget(), Mark::default());
            }
            self.epoch = 1;
            self.warp_epochs.fill(1);
        }
    }

    fn cells(&self, offset: u32, bytes: u32) -> std::ops::Range<usize> {
        (offset >> self.shift) as usize..((offset + bytes - 1) >> self.shift) as usize + 1
    }

    /// The mark that a lane leaves now.
    #[inline(always)]
    pub fn stamp(&self, warp: u32) -> Mark {
        let warp_epoch = self
            .warp_epochs
            .get(warp as usize)
            .copied()
            .unwrap_or_default();
        Mark::new(0, self.epoch, warp_epoch)
    }

    /// A read by `lane`, perhaps together with other lanes of its warp.
    #[inline(always)]
    pub fn read(
        &mut self,
        stamp: Mark,
        (warp, lane): (u32, u32),
        offset: u32,
        bytes: u32,
        with: Readers,
    ) -> Result<(), Caught> {
        let mine = match with {
            Readers::Lane => stamp.of(warp * WARP as u32 + lane),
            Readers::Crowd => stamp.of_many(warp),
            Readers::Warp => stamp.of_many(warp).ordered_in_warp(),
        };
        for at in self.cells(offset, bytes) {
            let Some(cell) = self.cells.get_mut(at) else {
                continue;
            };
            if cell.writer.is_past(stamp) {
                cell.reader = cell.reader.joined(mine, warp);
                continue;
            }
            self.judge(stamp, warp, lane, at, bytes, Access::Read)?;
            if with != Readers::Lane {
                // Perhaps this lane wrote it; its neighbour then did not.
                self.judge(stamp, warp, lane ^ 1, at, bytes, Access::Read)?;
            }
            if let Some(cell) = self.cells.get_mut(at) {
                cell.reader = cell.reader.joined(mine, warp);
            }
        }
        Ok(())
    }

    /// Whether `lane` may do this to every cell of the range.
    #[inline(always)]
    pub fn check(
        &self,
        stamp: Mark,
        (warp, lane): (u32, u32),
        offset: u32,
        bytes: u32,
        access: Access,
    ) -> Result<(), Caught> {
        for at in self.cells(offset, bytes) {
            let Some(cell) = self.cells.get(at) else {
                continue;
            };
            let quiet = cell.writer.is_old(stamp) && cell.reader.is_old(stamp);
            if !quiet || access == Access::Atomic {
                self.judge(stamp, warp, lane, at, bytes, access)?;
            }
        }
        Ok(())
    }

    /// Notes a write by `lane`; one that has not arrived cannot be read yet.
    #[inline(always)]
    pub fn wrote(
        &mut self,
        stamp: Mark,
        (warp, lane): (u32, u32),
        offset: u32,
        bytes: u32,
        atomic: bool,
        arrived: bool,
    ) {
        let thread = stamp.of(warp * WARP as u32 + lane);
        let mine = if arrived {
            thread.written(atomic)
        } else {
            thread
        };
        let range = self.cells(offset, bytes);
        for cell in self.cells.get_mut(range).unwrap_or_default() {
            cell.writer = mine;
        }
    }

    /// The whole question for one cell.
    fn judge(
        &self,
        stamp: Mark,
        warp: u32,
        lane: u32,
        at: usize,
        bytes: u32,
        access: Access,
    ) -> Result<(), Caught> {
        let Some(cell) = self.cells.get(at) else {
            return Ok(());
        };
        let thread = warp * WARP as u32 + lane;
        let address = u64::from((at as u32) << self.shift);
        let ordered = |mark: Mark| {
            mark.is_old(stamp)
                || mark.thread() == Some(thread)
                || mark.warp() == Some(warp) && mark.warp_epoch() != stamp.warp_epoch()
                || mark.is_atomic() && access == Access::Atomic
        };
        let against = |mark: Mark, earlier: Access| {
            let earlier = RaceSide {
                thread: mark.thread(),
                access: earlier,
            };
            let same_warp = mark.warp() == Some(warp);
            Err(Box::new(Problem::Race {
                address,
                now: access,
                earlier,
                same_warp,
            }))
        };
        if !ordered(cell.writer) {
            let atomic = cell.writer.is_atomic();
            return against(
                cell.writer,
                if atomic {
                    Access::Atomic
                } else {
                    Access::Write
                },
            );
        }
        if access != Access::Read && !ordered(cell.reader) {
            return against(cell.reader, Access::Read);
        }
        if access != Access::Write && !cell.writer.is_written() {
            let memory = Memory::Shared { bytes: self.bytes };
            let offset = address as i64;
            return Err(Box::new(Problem::NeverWritten {
                address,
                bytes,
                memory,
                offset,
            }));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
