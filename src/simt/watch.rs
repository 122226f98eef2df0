//! The shadow of shared memory: who touched each place since the last barrier.
//!
//! Two accesses to one place race if different threads made them, one is a
//! write, and nothing orders them. A block barrier orders everything;
//! `__syncwarp` orders the lanes of its warp. That a warp happens to run in
//! lockstep orders nothing: hardware since Volta does not promise it.

use super::exec::turn::WARP;
use super::fault::{Access, FaultKind, Memory, RaceSide};

/// The last access of a kind: who, and in which epochs. Zero is nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark(u32);

/// Epochs are counted up to here; then the shadow is cleared.
const LAST_EPOCH: u32 = 1023;
/// `who` of several threads of one warp: this plus its number.
const MANY: u32 = 1025;
/// `who` of threads of several warps.
const MANY_WARPS: u32 = 2000;
const ATOMIC: u32 = 1 << 31;

impl Mark {
    fn new(who: u32, epoch: u32, warp_epoch: u32, atomic: bool) -> Mark {
        Mark(who | epoch << 11 | warp_epoch << 21 | if atomic { ATOMIC } else { 0 })
    }
    fn who(self) -> u32 {
        self.0 & 0x7ff
    }
    fn epoch(self) -> u32 {
        self.0 >> 11 & 0x3ff
    }
    fn warp_epoch(self) -> u32 {
        self.0 >> 21 & 0x3ff
    }
    fn atomic(self) -> bool {
        self.0 & ATOMIC != 0
    }
    fn thread(self) -> Option<u32> {
        (1..MANY).contains(&self.who()).then(|| self.who() - 1)
    }
    /// The one warp to which all of them belong.
    fn warp(self) -> Option<u32> {
        match self.who() {
            MANY_WARPS.. => None,
            who @ MANY.. => Some(who - MANY),
            who => Some((who.wrapping_sub(1)) / WARP as u32),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    writer: Mark,
    reader: Mark,
    written: bool,
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
                (cell.writer, cell.reader) = (Mark::default(), Mark::default());
            }
            self.epoch = 1;
            self.warp_epochs.fill(1);
        }
    }

    fn cells(&self, offset: u32, bytes: u32) -> std::ops::Range<usize> {
        (offset >> self.shift) as usize..((offset + bytes - 1) >> self.shift) as usize + 1
    }

    /// Whether `lane` may do this now.
    pub fn check(
        &self,
        warp: u32,
        lane: u32,
        offset: u32,
        bytes: u32,
        access: Access,
    ) -> Result<(), FaultKind> {
        let thread = warp * WARP as u32 + lane;
        let warp_epoch = self
            .warp_epochs
            .get(warp as usize)
            .copied()
            .unwrap_or_default();
        for at in self.cells(offset, bytes) {
            let Some(cell) = self.cells.get(at) else {
                continue;
            };
            let address = u64::from((at as u32) << self.shift);
            let ordered = |mark: Mark| {
                mark.0 == 0
                    || mark.epoch() != self.epoch
                    || mark.thread() == Some(thread)
                    || mark.warp() == Some(warp) && mark.warp_epoch() != warp_epoch
                    || mark.atomic() && access == Access::Atomic
            };
            let against = |mark: Mark, earlier: Access| {
                let earlier = RaceSide {
                    thread: mark.thread(),
                    access: earlier,
                };
                let same_warp = mark.warp() == Some(warp);
                FaultKind::Race {
                    address,
                    now: access,
                    earlier,
                    same_warp,
                }
            };
            if !ordered(cell.writer) {
                let earlier = if cell.writer.atomic() {
                    Access::Atomic
                } else {
                    Access::Write
                };
                return Err(against(cell.writer, earlier));
            }
            if access != Access::Read && !ordered(cell.reader) {
                return Err(against(cell.reader, Access::Read));
            }
            if access != Access::Write && !cell.written {
                let memory = Memory::Shared { bytes: self.bytes };
                let offset = address as i64;
                return Err(FaultKind::NeverWritten {
                    address,
                    bytes,
                    memory,
                    offset,
                });
            }
        }
        Ok(())
    }

    /// Notes that `lane` did it.
    pub fn note(&mut self, warp: u32, lane: u32, offset: u32, bytes: u32, access: Access) {
        let who = warp * WARP as u32 + lane + 1;
        let epoch = self.epoch;
        let warp_epoch = self
            .warp_epochs
            .get(warp as usize)
            .copied()
            .unwrap_or_default();
        let range = self.cells(offset, bytes);
        for cell in self.cells.get_mut(range).unwrap_or_default() {
            if access == Access::Read {
                let old = cell.reader;
                let merged = if old.0 == 0 || old.epoch() != epoch || old.who() == who {
                    who
                } else if old.warp() != Some(warp) {
                    MANY_WARPS
                } else if old.warp_epoch() != warp_epoch {
                    who
                } else {
                    MANY + warp
                };
                cell.reader = Mark::new(merged, epoch, warp_epoch, false);
            } else {
                cell.written = true;
                cell.writer = Mark::new(who, epoch, warp_epoch, access == Access::Atomic);
            }
        }
    }
}
