//! What a launch computes once: the shape of blocks, the constant rows.

use crate::block::{BARRIERS, BlockState, Reduction, State, Warp};
use crate::cache::Cache;
use crate::exec::Row;
use crate::exec::group::Products;
use crate::exec::pipeline::Copies;
use crate::exec::turn::WARP;
use crate::machine::LaunchRequest;
use crate::memory::{POISON, SECTOR};
use crate::order::View;
use crate::program::{Class, Constant, Special};
use crate::run::Launch;
use crate::tally::Tally;
use crate::watch::Watch;

/// Everything that blocks of a launch have in common.
pub(crate) struct Setup<'a> {
    pub launch: &'a Launch<'a>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    variables: &'a [u64],
    cache_bytes: Option<u64>,
}

impl<'a> Setup<'a> {
    pub fn new(
        launch: &'a Launch<'a>,
        request: &LaunchRequest<'_>,
        variables: &'a [u64],
        cache_bytes: Option<u64>,
    ) -> Setup<'a> {
        Setup {
            launch,
            grid: request.grid,
            block: request.block,
            dynamic_shared: request.shared,
            variables,
            cache_bytes,
        }
    }

    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    pub fn warps(&self) -> usize {
        (self.threads() as usize).div_ceil(WARP)
    }

    /// Where block `number` lies in the grid; x runs fastest.
    pub fn index(&self, number: u64) -> [u32; 3] {
        let (x, y) = (u64::from(self.grid[0]), u64::from(self.grid[1]));
        [
            (number % x) as u32,
            (number / x % y) as u32,
            (number / (x * y)) as u32,
        ]
    }

    pub fn number(&self, index: [u32; 3]) -> u64 {
        let [x, y, z] = index.map(u64::from);
        (z * u64::from(self.grid[1]) + y) * u64::from(self.grid[0]) + x
    }

    pub fn shared_bytes(&self) -> u32 {
        self.launch.kernel.static_shared + self.dynamic_shared
    }

    /// Memory for one block.
    pub fn state(&self) -> BlockState {
        let (kernel, warps) = (self.launch.kernel, self.warps());
        let shared = self.shared_bytes();
        let watched = if self.launch.check { shared } else { 0 };
        BlockState {
            index: [0; 3],
            view: View::default(),
            shared: vec![POISON; (shared as usize).div_ceil(16) * 4],
            shared_bytes: shared,
            local: vec![vec![POISON; kernel.local_bytes as usize / 4 * WARP]; warps],
            local_bytes: u64::from(kernel.local_bytes),
            watch: Watch::new(watched, kernel.granule, warps),
            copies: vec![Copies::default(); warps],
            arrivals: Vec::new(),
            flights: Vec::new(),
            products: vec![Products::default(); warps],
            awaits: vec![None; warps],
            moves: 0,
            arrived: [0; BARRIERS],
            reductions: [Reduction::default(); BARRIERS],
        }
    }

    /// Whether instruction `at` of the code is a store.
    pub fn stores(&self, at: u32) -> bool {
        let kernel = self.launch.kernel;
        let inst = kernel.code.get(at as usize);
        let info = inst.and_then(|inst| kernel.info.get(inst.at as usize));
        info.is_some_and(|info| info.class == Class::GlobalStore)
    }

    /// Counts of nothing yet.
    pub fn tally(&self) -> Tally {
        let (kernel, global) = (self.launch.kernel, self.launch.global);
        let (blocks, sites) = (kernel.blocks.len(), kernel.info.len());
        let mut tally = Tally::new(
            blocks,
            sites,
            global.buffers.len(),
            global.sectors,
            self.launch.count,
        );
        if self.simulates_cache() {
            tally.cache = self.cache_bytes.map(|bytes| Box::new(Cache::new(bytes)));
        }
        tally
    }

    /// Whether memory may be larger than the cache that is asked for: where it is
    /// not, only first uses miss, and no simulation is needed to know them.
    pub fn simulates_cache(&self) -> bool {
        let memory = self.launch.global.sectors * SECTOR;
        self.launch.count && self.cache_bytes.is_some_and(|cache| memory > cache)
    }

    /// The warps of a block, with every row that is the same in all blocks.
    pub fn new_warps(&self) -> Vec<Warp> {
        let kernel = self.launch.kernel;
        (0..self.warps() as u32)
            .map(|number| {
                let mut rows = vec![Row([0; WARP]); kernel.rows as usize];
                for (row, constant) in &kernel.constants {
                    self.fill(&mut rows, *row, *constant, number, [0; 3]);
                }
                Warp {
                    number,
                    rows,
                    preds: vec![0; kernel.preds as usize],
                    stack: Vec::new(),
                    live: 0,
                    state: State::Done,
                }
            })
            .collect()
    }

    /// Writes one constant into a warp's rows.
    pub fn fill(&self, rows: &mut [Row], row: u32, constant: Constant, warp: u32, block: [u32; 3]) {
        let value = |lane: u32| -> (u64, bool) {
            match constant {
                Constant::Bits32(bits) => (u64::from(bits), false),
                Constant::Bits64(bits) => (bits, true),
                Constant::Param {
                    offset,
                    bytes,
                    signed,
                    wide,
                } => (self.param(offset, bytes, signed), wide),
                Constant::Special { which, wide } => {
                    (u64::from(self.special(which, warp, lane, block)), wide)
                }
                Constant::Global { variable, offset } => {
                    let base = self
                        .variables
                        .get(variable as usize)
                        .copied()
                        .unwrap_or_default();
                    (base.wrapping_add(offset as u64), true)
                }
            }
        };
        for lane in 0..WARP as u32 {
            let (value, wide) = value(lane);
            // A 64-bit register's lanes lie two words apart, over two rows.
            let words: &[(u32, u32)] = if wide {
                &[
                    (2 * lane, value as u32),
                    (2 * lane + 1, (value >> 32) as u32),
                ]
            } else {
                &[(lane, value as u32)]
            };
            for (word, bits) in words {
                let place = rows.get_mut((row + word / WARP as u32) as usize);
                if let Some(place) =
                    place.and_then(|row| row.0.get_mut((word % WARP as u32) as usize))
                {
                    *place = *bits;
                }
            }
        }
    }

    fn param(&self, offset: u32, bytes: u32, signed: bool) -> u64 {
        let word = |at: u32| u64::from(self.launch.params.get(at as usize).copied().unwrap_or(0));
        let at = offset / 4;
        let value = (word(at + 1) << 32 | word(at)) >> (8 * (offset % 4));
        let spare = 64 - 8 * bytes.clamp(1, 8);
        if signed {
            ((value << spare) as i64 >> spare) as u64
        } else {
            value << spare >> spare
        }
    }

    fn special(&self, which: Special, warp: u32, lane: u32, block: [u32; 3]) -> u32 {
        let thread = warp * WARP as u32 + lane;
        let of = |extent: [u32; 3], axis: u8| extent.get(axis as usize).copied().unwrap_or(0);
        match which {
            Special::Thread(axis) => {
                let [x, y, _] = self.block;
                of([thread % x, thread / x % y, thread / (x * y)], axis)
            }
            Special::Block(axis) => of(block, axis),
            Special::BlockSize(axis) => of(self.block, axis),
            Special::GridSize(axis) => of(self.grid, axis),
            Special::Lane => lane,
            Special::Warp => warp,
            Special::Warps => self.warps() as u32,
            Special::LaneMask(mask) => mask.of(lane),
            Special::DynamicShared => self.dynamic_shared,
            Special::TotalShared => self.shared_bytes(),
            Special::Zero => 0,
        }
    }
}
