//! What one worker counts while it executes blocks of one kernel.

use super::cache::Cache;
use super::exec::pattern::{Deltas, Pattern};

/// Counts of one memory instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct SiteTally {
    /// Times that a warp executed it with at least one lane.
    pub requests: u64,
    /// Lanes that took part.
    pub lanes: u64,
    /// Sectors of global memory, or passes through the banks of shared memory.
    pub parts: u64,
    /// What `parts` would be at best for these lanes and this width.
    pub ideal: u64,
    /// The last pattern of addresses that was met here.
    pub pattern: Option<Box<Pattern>>,
    /// Those before it: each warp of a block has its own.
    others: Vec<Box<Pattern>>,
}

/// Patterns that are remembered beside the last.
const OTHERS: usize = 8;

impl SiteTally {
    /// Takes the pattern of these lanes out, where it was met before; it is put
    /// back as the last one.
    #[inline(always)]
    pub fn known(&mut self, mask: u32, phase: u32, deltas: &Deltas) -> Option<Box<Pattern>> {
        match self.pattern.take() {
            Some(last) if last.fits(mask, phase, deltas) => Some(last),
            last => self.older(last, mask, phase, deltas),
        }
    }

    fn older(
        &mut self,
        last: Option<Box<Pattern>>,
        mask: u32,
        phase: u32,
        deltas: &Deltas,
    ) -> Option<Box<Pattern>> {
        let at = self
            .others
            .iter()
            .position(|other| other.fits(mask, phase, deltas));
        let found = at.map(|at| self.others.swap_remove(at));
        if let Some(last) = last {
            if self.others.len() == OTHERS {
                self.others.swap_remove(0);
            }
            self.others.push(last);
        }
        found
    }
}

/// Counts of one basic block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockTally {
    /// Times that a warp entered it.
    pub runs: u64,
    /// Lanes with which it did.
    pub lanes: u64,
    /// Times that its final branch split the warp.
    pub divergent: u64,
}

/// Issued traffic with one buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BufferTally {
    pub read: u64,
    pub written: u64,
    pub read_sectors: u64,
    pub written_sectors: u64,
}

/// Bits of [`Tally::touched`]: the sector was read, was written, was read before
/// this worker wrote it.
pub(crate) const READ: u8 = 1;
pub(crate) const WRITTEN: u8 = 2;
pub(crate) const READ_FIRST: u8 = 4;

#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub blocks: Vec<BlockTally>,
    pub sites: Vec<SiteTally>,
    pub buffers: Vec<BufferTally>,
    /// For each sector of memory: read, written.
    pub touched: Vec<u8>,
    /// Warp instructions so far.
    pub steps: u64,
    /// Barriers that blocks passed.
    pub barriers: u64,
    /// The cache whose misses are estimated, where memory may be larger than it.
    pub cache: Option<Box<Cache>>,
}

impl Tally {
    pub fn new(blocks: usize, sites: usize, buffers: usize, sectors: u64, count: bool) -> Tally {
        Tally {
            blocks: vec![BlockTally::default(); blocks],
            sites: vec![SiteTally::default(); sites],
            buffers: if count {
                vec![BufferTally::default(); buffers]
            } else {
                Vec::new()
            },
            touched: if count {
                vec![0; sectors as usize]
            } else {
                Vec::new()
            },
            steps: 0,
            barriers: 0,
            cache: None,
        }
    }

    /// Notes the use of a sector, numbered over all buffers.
    #[inline(always)]
    pub fn touch(&mut self, sector: u64, how: u8) {
        if let Some(seen) = self.touched.get_mut(sector as usize) {
            let first = if *seen == 0 && how & READ != 0 {
                READ_FIRST
            } else {
                0
            };
            *seen |= how | first;
        }
        if let Some(cache) = &mut self.cache {
            cache.touch(sector, how);
        }
    }

    /// Adds what another worker counted.
    pub fn merge(&mut self, other: Tally) {
        for (mine, theirs) in self.blocks.iter_mut().zip(other.blocks) {
            mine.runs += theirs.runs;
            mine.lanes += theirs.lanes;
            mine.divergent += theirs.divergent;
        }
        for (mine, theirs) in self.sites.iter_mut().zip(other.sites) {
            mine.requests += theirs.requests;
            mine.lanes += theirs.lanes;
            mine.parts += theirs.parts;
            mine.ideal += theirs.ideal;
        }
        for (mine, theirs) in self.buffers.iter_mut().zip(other.buffers) {
            mine.read += theirs.read;
            mine.written += theirs.written;
            mine.read_sectors += theirs.read_sectors;
            mine.written_sectors += theirs.written_sectors;
        }
        for (mine, theirs) in self.touched.iter_mut().zip(other.touched) {
            *mine |= theirs;
        }
        self.steps += other.steps;
        self.barriers += other.barriers;
    }
}
