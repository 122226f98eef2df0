//! Who touched global memory in this launch, and what orders the blocks that did.
//!
//! Two blocks race at a place if one of them writes it, neither access is atomic,
//! and nothing makes one wait for the other. Something does if the first block
//! made its writes known (an atomic, a release, a volatile store) and the second
//! looked afterwards (an atomic, an acquire, a volatile load): that is what a grid
//! barrier and a last block do. At which address they meet is not asked, so a race
//! may be missed here, and none is invented.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};

use super::fault::Access;

/// Most bytes of global memory that are watched.
const MOST_BYTES: u64 = 256 << 20;

/// Bits of a mark: the block, what it had made known, the launch.
const BLOCK_BITS: u32 = 18;
const KNOWN_BITS: u32 = 8;
/// A block that made more known than this is trusted.
const MOST_KNOWN: u32 = (1 << KNOWN_BITS) - 1;
const LAST_EPOCH: u32 = (1 << (32 - BLOCK_BITS - KNOWN_BITS)) - 1;

/// Who touched a place last; 0: nobody.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark(u32);

impl Mark {
    fn block(self) -> u32 {
        self.0 & ((1 << BLOCK_BITS) - 1)
    }

    fn known(self) -> u32 {
        self.0 >> BLOCK_BITS & MOST_KNOWN
    }

    fn epoch(self) -> u32 {
        self.0 >> (BLOCK_BITS + KNOWN_BITS)
    }
}

/// The last write and the last read of a place.
#[derive(Default)]
struct Cell {
    writer: AtomicU32,
    reader: AtomicU32,
}

/// The shadow of global memory.
#[derive(Default)]
pub(crate) struct Order {
    /// A cell per granule, by buffer; empty where nothing is watched.
    cells: Vec<Box<[Cell]>>,
    /// log₂ of the bytes of a granule: the smallest access of any kernel so far.
    shift: u32,
    watches: bool,
    epoch: AtomicU32,
    /// When each block made its writes known.
    known: Mutex<Vec<Vec<u64>>>,
    clock: AtomicU64,
}

/// What a block knows of the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    /// Number of the block in its grid.
    pub block: u32,
    /// How often it made its writes known.
    known: u32,
    /// When it looked last.
    looked: u64,
    /// The warp that looked last, and where: buffer and bytes.
    pub polls: Option<(u32, usize, u64)>,
    /// For each other block: how much of what that made known came before.
    seen: Vec<u8>,
}

impl View {
    /// Of another block, which has done nothing yet.
    pub fn restart(&mut self, block: u32) {
        (self.block, self.known, self.looked, self.polls) = (block, 0, 0, None);
        self.seen.clear();
    }
}

/// Somebody else's access that nothing orders before this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Met {
    pub block: u32,
    pub earlier: Access,
    /// Bytes from the beginning of the buffer.
    pub offset: u64,
}

impl Order {
    /// Makes ready for a launch of `blocks` blocks over buffers of these lengths,
    /// by a kernel whose smallest access has `granule` bytes.
    pub fn begin(&mut self, lengths: impl Iterator<Item = u64> + Clone, granule: u32, blocks: u64) {
        let bytes: u64 = lengths.clone().sum();
        self.watches = bytes <= MOST_BYTES && blocks < 1 << BLOCK_BITS && blocks > 1;
        if !self.watches {
            self.cells = Vec::new();
            return;
        }
        let shift = granule.trailing_zeros();
        if self.cells.is_empty() || shift < self.shift {
            (self.shift, self.cells) = (shift, Vec::new());
        }
        let shift = self.shift;
        let wanted: Vec<usize> = lengths.map(|n| (n >> shift) as usize + 1).collect();
        self.cells.truncate(wanted.len());
        for (at, count) in wanted.into_iter().enumerate() {
            let fresh = || (0..count).map(|_| Cell::default()).collect();
            match self.cells.get_mut(at) {
                Some(cells) if cells.len() == count => {}
                Some(cells) => *cells = fresh(),
                None => self.cells.push(fresh()),
            }
        }
        self.renew(blocks);
    }

    /// Forgets who touched what.
    pub fn renew(&self, blocks: u64) {
        if !self.watches {
            return;
        }
        if self.epoch.fetch_add(1, Relaxed) == LAST_EPOCH {
            self.epoch.store(1, Relaxed);
            for cell in self.cells.iter().flatten() {
                cell.writer.store(0, Relaxed);
                cell.reader.store(0, Relaxed);
            }
        }
        if let Ok(mut known) = self.known.lock() {
            known.clear();
            known.resize(blocks as usize, Vec::new());
        }
    }

    /// Whether anything is watched.
    #[inline(always)]
    pub fn watches(&self) -> bool {
        self.watches
    }

    /// A block talks to others: it makes its writes known, looks at theirs, or both.
    pub fn talk(&self, view: &mut View, makes_known: bool, looks: bool) {
        if !self.watches {
            return;
        }
        let now = self.clock.fetch_add(1, SeqCst) + 1;
        if makes_known
            && view.known < MOST_KNOWN
            && let Ok(mut known) = self.known.lock()
            && let Some(times) = known.get_mut(view.block as usize)
        {
            times.push(now);
            view.known += 1;
        }
        if looks {
            view.looked = now;
        }
    }

    /// Notes an access of `bytes` bytes at `offset` of a buffer.
    #[inline(always)]
    pub fn note(
        &self,
        view: &mut View,
        buffer: usize,
        offset: u64,
        bytes: u64,
        access: Access,
    ) -> Result<(), Met> {
        let mine = self.epoch.load(Relaxed) << (BLOCK_BITS + KNOWN_BITS)
            | view.known << BLOCK_BITS
            | view.block;
        let first = (offset >> self.shift) as usize;
        let last = ((offset + bytes - 1) >> self.shift) as usize;
        let cells = self.cells.get(buffer).and_then(|c| c.get(first..=last));
        for (at, cell) in cells.unwrap_or_default().iter().enumerate() {
            let met = if access == Access::Write {
                // Who comes second sees the first, on any number of threads.
                let writer = cell.writer.swap(mine, SeqCst);
                let reader = cell.reader.load(SeqCst);
                self.meets(view, mine, writer, Access::Write)
                    .or_else(|| self.meets(view, mine, reader, Access::Read))
            } else {
                if cell.reader.load(Relaxed) != mine {
                    cell.reader.swap(mine, SeqCst);
                }
                let writer = cell.writer.load(SeqCst);
                self.meets(view, mine, writer, Access::Write)
            };
            if let Some((block, earlier)) = met {
                let offset = ((first + at) as u64) << self.shift;
                return Err(Met {
                    block,
                    earlier,
                    offset,
                });
            }
        }
        Ok(())
    }

    /// Whether an earlier access is another block's, and nothing orders it.
    #[inline(always)]
    fn meets(
        &self,
        view: &mut View,
        mine: u32,
        earlier: u32,
        access: Access,
    ) -> Option<(u32, Access)> {
        let (mark, now) = (Mark(earlier), Mark(mine));
        if earlier == mine || mark.epoch() != now.epoch() || mark.block() == now.block() {
            return None;
        }
        let seen = view.seen.get(mark.block() as usize);
        if seen.is_some_and(|seen| u32::from(*seen) > mark.known()) {
            return None;
        }
        (!self.ordered(view, mark)).then_some((mark.block(), access))
    }

    /// Whether a block made its access known before this one looked.
    #[cold]
    fn ordered(&self, view: &mut View, mark: Mark) -> bool {
        if mark.known() == MOST_KNOWN {
            return true;
        }
        let Ok(known) = self.known.lock() else {
            return true;
        };
        let times = known
            .get(mark.block() as usize)
            .map_or(&[][..], Vec::as_slice);
        let before = times.iter().filter(|time| **time < view.looked).count();
        if view.seen.len() < known.len() {
            view.seen.resize(known.len(), 0);
        }
        if let Some(seen) = view.seen.get_mut(mark.block() as usize) {
            *seen = before.min(MOST_KNOWN as usize) as u8;
        }
        before > mark.known() as usize
    }
}
