//! Which way a product is computed and in which tiles: a table of tiles with
//! what they were measured to take, and the choice of the quickest.

use crate::gpu::program::Target;
use crate::gpu::source::CompileUnit;
use plan::cost::Vendor;
use plan::run::Settings;

/// The setting that says for how many blocks of a multiprocessor registers are limited.
pub(super) const BLOCKS: &str = "blocks";

/// How a tile is computed: which file of `kernels/tile/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// FMA units, fp32 or bf16, any shape.
    Plain,
    /// NVIDIA's matrix units, bf16 with rows of whole 16 bytes.
    Mma,
    /// AMD's, likewise.
    Mfma,
    /// A matrix-vector product: few rows.
    Vector,
}

/// A tile and how its block is arranged: the parameters of `Tiling` in
/// `kernels/tile/columns.cu`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tile {
    /// How it is computed.
    pub way: Way,
    /// Rows of the result.
    pub m: u32,
    /// Columns of the result.
    pub n: u32,
    /// Rows of warps.
    pub warps_m: u32,
    /// Columns of warps.
    pub warps_n: u32,
    /// Groups of warps that share the summed dimension.
    pub slices: u32,
    /// Parts of the summed dimension under way.
    pub stages: u32,
    /// Blocks per multiprocessor that the registers are limited for.
    pub blocks: u32,
    /// Nanoseconds per element of the summed dimension that a tile takes when
    /// its multiprocessor has nothing else to do.
    alone: f64,
    /// The same as a share of a full multiprocessor's time.
    full: f64,
}

/// Tiles on the FMA units. The times are those of fp32 on an H200; for bf16,
/// which is widened first, their order is the same.
const PLAIN: [Tile; 5] = [
    tile(Way::Plain, [128, 128], [2, 2, 1], 3, 2, [107.6, 102.0]),
    tile(Way::Plain, [128, 64], [2, 1, 2], 3, 2, [58.5, 54.4]),
    tile(Way::Plain, [64, 64], [2, 2, 1], 3, 3, [34.7, 28.8]),
    tile(Way::Plain, [32, 32], [1, 1, 4], 3, 4, [12.4, 8.0]),
    tile(Way::Plain, [16, 16], [1, 1, 4], 4, 4, [7.1, 3.2]),
];

/// One more for blocks that stay ([`Dealt`]): as many outputs as two of the fourth, which
/// would be two rounds. Its times are set between its neighbours'.
const BETWEEN: Tile = tile(Way::Plain, [64, 32], [2, 1, 2], 3, 2, [19.0, 15.2]);

/// Tiles on the matrix units, with times on an H200.
const MMA: [Tile; 5] = [
    tile(Way::Mma, [128, 128], [2, 2, 1], 3, 2, [13.2, 14.6]),
    tile(Way::Mma, [128, 64], [2, 2, 1], 3, 3, [7.3, 7.2]),
    tile(Way::Mma, [64, 64], [2, 2, 1], 3, 4, [4.9, 4.0]),
    tile(Way::Mma, [32, 32], [1, 1, 4], 6, 2, [2.1, 1.7]),
    tile(Way::Mma, [16, 32], [1, 1, 4], 6, 2, [1.4, 1.1]),
];

/// Tiles on AMD's matrix units. No device was at hand: the times are those of
/// NVIDIA's tiles of the same size, which puts them in an order.
const MFMA: [Tile; 4] = [
    tile(Way::Mfma, [128, 64], [2, 2, 1], 2, 1, [7.3, 7.2]),
    tile(Way::Mfma, [64, 64], [2, 2, 1], 2, 2, [4.9, 4.0]),
    tile(Way::Mfma, [32, 32], [1, 1, 2], 2, 2, [2.1, 1.7]),
    tile(Way::Mfma, [16, 32], [1, 1, 2], 2, 2, [1.4, 1.1]),
];

/// What a tile takes besides its product, as elements of the summed dimension:
/// the first stages' way, the epilogue. Seen once: the others' are hidden behind
/// their neighbours' products.
const OVERHEAD: f64 = 128.0;

/// Waves of a compute unit for which gfx906's registers are limited: two on each of its four
/// SIMDs leave a lane 128 of 256. By HIPRTC 5.2 every tile needs between 43 and 128, but the
/// largest in bf16 (222), of which local memory holds one block at a time.
const WAVES: u32 = 8;

const fn tile(
    way: Way,
    [m, n]: [u32; 2],
    [warps_m, warps_n, slices]: [u32; 3],
    stages: u32,
    blocks: u32,
    [alone, full]: [f64; 2],
) -> Tile {
    Tile {
        way,
        m,
        n,
        warps_m,
        warps_n,
        slices,
        stages,
        blocks,
        alone,
        full,
    }
}

/// What the choice depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    /// The device.
    pub target: &'a Target,
    /// Bytes of an element: 2 is bf16.
    pub elem: u64,
    /// Rows of the result.
    pub m: u64,
    /// Columns of each matrix that the tiles may not straddle.
    pub widths: &'a [u64],
    /// Length of the sums.
    pub k: u64,
}

impl Request<'_> {
    /// Elements of 16 bytes.
    fn pack(&self) -> u64 {
        16 / self.elem.max(1)
    }

    /// Whether the operands' rows begin on 16 bytes.
    pub fn aligned(&self) -> bool {
        self.k.is_multiple_of(self.pack())
    }

    /// Whether the results' rows do, `widths` being their widths.
    pub fn wide(&self, widths: &[u64]) -> bool {
        widths.iter().all(|n| n.is_multiple_of(self.pack()))
    }

    /// Whether it is a matrix-vector product, which reads W once whatever m is, but
    /// whose arithmetic grows with m: in bf16 the matrix units are ahead from 5 rows on.
    fn is_vector(&self) -> bool {
        self.aligned() && self.m <= if self.elem == 2 { 4 } else { 8 }
    }

    /// The tiles of the table that this product can take.
    fn candidates(&self) -> impl Iterator<Item = Tile> {
        let matrix = self.elem == 2 && self.aligned();
        let candidates: &[Tile] = if matrix && self.target.sm() >= 800 {
            &MMA
        } else if matrix && self.target.has_mfma() {
            &MFMA
        } else {
            &PLAIN
        };
        candidates.iter().map(|t| t.on(self.target))
    }

    fn fits(&self, t: &Tile) -> bool {
        t.shared() <= self.target.shared_per_block && t.is_whole(self.target.warp)
    }

    /// The tile of these settings; `None` where there is none of its rows and columns,
    /// or no room for it.
    pub fn set(&self, settings: &Settings) -> Option<Tile> {
        let (m, n) = (settings.get("m")?, settings.get("n")?);
        let of = self.candidates().find(|t| (t.m, t.n) == (m, n))?;
        let stages = settings.get("stages").unwrap_or(of.stages);
        let set = Tile {
            blocks: settings.get(BLOCKS).unwrap_or(of.blocks),
            ..Tile { stages, ..of }.on(self.target)
        };
        // On AMD's GPUs other numbers of stages would be the same kernel.
        (!self.is_vector() && set.stages == stages && self.fits(&set)).then_some(set)
    }

    /// The quickest tile by the table.
    pub fn choose(&self) -> Tile {
        if self.is_vector() {
            let m = (self.m.max(1) as u32).next_power_of_two();
            let vector = tile(Way::Vector, [m, 16], [1, 8, 1], 4, 2, [0.0, 0.0]);
            return match self.target.has_few_registers() {
                true => vector.on(self.target),
                false => vector,
            };
        }
        let quickest = self
            .candidates()
            .filter(|t| self.fits(t))
            .min_by(|a, b| self.time(a).total_cmp(&self.time(b)));
        // Every device has room for a tile of 32 x 32.
        quickest.unwrap_or_else(|| PLAIN[3].on(self.target))
    }

    /// Nanoseconds by the table: the fullest multiprocessor's tiles one after
    /// another, but no less than one tile takes alone.
    fn time(&self, t: &Tile) -> f64 {
        let tiles = t.tiles(self.m, self.widths);
        let each = tiles.div_ceil(u64::from(self.target.sms.max(1))) as f64;
        self.k as f64 * t.alone.max(each * t.full) + OVERHEAD * t.alone
    }
}

/// A product that the blocks of one launch share out: `block` in fp32.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Dealt<'a> {
    /// The device.
    pub target: &'a Target,
    /// Blocks of a multiprocessor.
    pub per_sm: u32,
    /// Rows of the result.
    pub rows: u64,
    /// Columns of each matrix that the tiles may not straddle.
    pub columns: &'a [u64],
    /// Lengths of the sums: of several products, if they have the same tile.
    pub ks: &'a [u64],
}

impl Dealt<'_> {
    /// The arguments of `Tiling` of the quickest tile of multiply-add units, of those with
    /// four warps. Of as many blocks as a multiprocessor has, each takes its part of what a
    /// full one takes; in the last round some may be alone.
    pub fn quickest(&self) -> Option<[u64; 6]> {
        let fits = |t: &Tile| {
            t.shared() * self.per_sm <= self.target.shared_per_block && t.threads(32) == 128
        };
        let time = |t: &Tile| {
            let (tiles, sms) = (t.tiles(self.rows, self.columns), u64::from(self.target.sms));
            let (sms, per_sm) = (sms.max(1), u64::from(self.per_sm));
            let (rounds, rest) = (tiles / (sms * per_sm), tiles % (sms * per_sm));
            let last = t.alone.max(rest.div_ceil(sms) as f64 * t.full);
            let last = if rest == 0 { 0.0 } else { last };
            let all = (rounds * per_sm) as f64 * t.full + last;
            let ends = OVERHEAD * t.alone * tiles.div_ceil(sms * per_sm) as f64;
            let each = |k: &u64| *k as f64 * all + ends;
            self.ks.iter().map(each).sum::<f64>()
        };
        let all = PLAIN.iter().chain([&BETWEEN]);
        let tiles = all.map(|t| t.on(self.target)).filter(fits);
        let best = tiles.min_by(|a, b| time(a).total_cmp(&time(b)))?;
        Some(
            [
                best.m,
                best.n,
                best.warps_m,
                best.warps_n,
                best.stages,
                best.slices,
            ]
            .map(u64::from),
        )
    }
}

impl Tile {
    /// The tile as a device takes it. AMD's copies do not run by themselves: more
    /// than two stages would hide nothing and take LDS.
    fn on(self, target: &Target) -> Self {
        let stages = match target.vendor {
            Vendor::Nvidia => self.stages,
            Vendor::Amd => 2,
        };
        let staged = Self { stages, ..self };
        if !target.has_few_registers() {
            return staged;
        }
        // For no more blocks than local memory holds, and fewer where registers are short.
        let held = target.shared_per_block / staged.shared().max(1);
        let waves = staged.threads(target.warp) / target.warp.max(1);
        let blocks = held.min(WAVES / waves.max(1)).min(self.blocks).max(1);
        Self { blocks, ..staged }
    }

    /// Columns of tiles over matrices of these widths.
    pub fn columns(&self, widths: &[u64]) -> u64 {
        widths.iter().map(|n| n.div_ceil(u64::from(self.n))).sum()
    }

    /// Tiles in all.
    pub fn tiles(&self, m: u64, widths: &[u64]) -> u64 {
        m.div_ceil(u64::from(self.m)) * self.columns(widths)
    }

    /// Threads of a block.
    pub fn threads(&self, warp: u32) -> u32 {
        self.warps_m * self.warps_n * self.slices * warp
    }

    /// Whether the threads copy whole passes of rows: what `Sources` in
    /// `kernels/tile/product.cu` asserts.
    fn is_whole(&self, warp: u32) -> bool {
        let rows_at_once = self.threads(warp) / 8;
        self.m.is_multiple_of(rows_at_once) && self.n.is_multiple_of(rows_at_once)
    }

    /// Dynamic shared memory in bytes: `Tiling::shared_bytes`.
    pub fn shared(&self) -> u32 {
        let stages = self.stages * (self.m + self.n) * 128;
        let sums = self.m * (self.n + 8) * 4;
        stages.max(sums) + self.m * 4 + self.n * 2
    }

    /// The files of the main loop, and what they need defined.
    pub fn define(&self, unit: CompileUnit) -> CompileUnit {
        unit.define("TILE_M", self.m)
            .define("TILE_N", self.n)
            .define("WARPS_M", self.warps_m)
            .define("WARPS_N", self.warps_n)
            .define("SLICES", self.slices)
            .define("STAGES", self.stages)
            .define("BLOCKS", self.blocks)
    }

    /// Files of `kernels/` in front of the epilogue.
    pub const fn files(&self) -> &'static [&'static str] {
        match self.way {
            Way::Plain => &[
                "prefix/matrix.cu",
                "tile/columns.cu",
                "tile/gemm_plain.cu",
                "tile/product.cu",
            ],
            Way::Mma => &[
                "prefix/matrix.cu",
                "tile/columns.cu",
                "tile/gemm_mma.cu",
                "tile/product.cu",
            ],
            Way::Mfma => &[
                "prefix/matrix.cu",
                "prefix/mfma.cu",
                "tile/columns.cu",
                "tile/gemm_mfma.cu",
                "tile/product.cu",
            ],
            Way::Vector => &["tile/columns.cu", "tile/vector.cu"],
        }
    }
}

#[cfg(test)]
mod tests;
