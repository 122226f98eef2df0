//! Hopper variants of the matrix products: when they apply, which tile, tensor
//! maps, geometry.
//!
//! `gemm.rs` builds a launch with its arguments in the order of the table of
//! kernels, plain pointers for the left operand and the weights; [`variant`] puts
//! tensor maps in their place and the Hopper unit in the launch. Kernels:
//! `kernels/hopper/`, main loop and tiles: `kernels/tile/gemm_hopper.cu`.

use super::{Group, Lowering};
use crate::gpu::catalogue::Lacks;
use crate::gpu::program::{Arg, Grid, Launch, Target, TensorMap};
use crate::gpu::source::CompileUnit;
use plan::cost::Vendor;
use plan::kernels::Variant;
use plan::run::Settings;

/// Elements of a step along k: 128 bytes of bf16, the width of the swizzle.
const STEP: u64 = 64;

/// Stages begin at a multiple of so many bytes, as the swizzle asks; so many are
/// set aside for it.
const ALIGNMENT: u32 = 1024;

/// Which kernel, with what is compiled into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `gemm`: weights n.
    Gemm,
    /// `gemm_residual`: weights n.
    Residual,
    /// `qkv`: weights d, dkv, dkv.
    Qkv {
        /// Rows are normalised by their sums of squares.
        norm: bool,
        /// q and k are turned by their position; the width of a head.
        rope: Option<u64>,
    },
    /// `gate_up`: weights ffn, ffn.
    GateUp {
        /// Rows are normalised by their sums of squares.
        norm: bool,
        /// Only silu(g)·u is stored.
        swiglu: bool,
    },
}

impl Kind {
    /// The kernel as settings name it.
    const fn name(self) -> &'static str {
        match self {
            Self::Gemm => "gemm",
            Self::Residual => "gemm_residual",
            Self::Qkv { .. } => "qkv",
            Self::GateUp { .. } => "gate_up",
        }
    }
}

/// Products of the same rows, as far as the choice of a tile needs to know.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product<'p> {
    /// Which kernel.
    pub kind: Kind,
    /// Rows of the left operand.
    pub rows: u64,
    /// Rows of each weight, in the order of the arguments.
    pub weights: &'p [u64],
    /// Length of the sums.
    pub k: u64,
}

/// How a kernel is cut: the definitions of `kernels/tile/gemm_hopper.cu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tile {
    /// Rows.
    m: u64,
    /// Columns.
    n: u64,
    /// Consumer warpgroups.
    groups: u32,
    /// Whether each warpgroup has a tile of its own and they take turns.
    turns: bool,
    /// Steps along k that are in flight.
    stages: u32,
    /// Whether q, k and v come in boxes of eight rows.
    scatter: bool,
}

/// The tiles from which one is chosen, in which [`Tile::time`] finds the quickest.
const TILES: [Tile; 14] = [
    Tile::shared(64, 32, 1),
    Tile::shared(64, 64, 1),
    Tile::shared(64, 96, 1),
    Tile::shared(64, 128, 1),
    Tile::shared(128, 64, 2),
    Tile::shared(128, 80, 2),
    Tile::shared(128, 96, 2),
    Tile::shared(128, 112, 2),
    Tile::shared(128, 128, 2),
    Tile::shared(128, 256, 2),
    Tile::turns(64, 256),
    Tile::turns(128, 128),
    Tile::turns(128, 176),
    Tile::turns(128, 192),
];

// What an H200 takes, in microseconds: one element of a tile over one step along
// k; one row or column of it fetched for one step; one request of the copy engine;
// a step however small; one element stored; the launch and the first stage's way.
// Fitted to 18 shapes times 14 tiles: the tile that is chosen by them was within
// 2 % of the quickest at 17 of the shapes, within 6 % at the other.
const PRODUCT: f64 = 2.15e-5;
const FETCH: f64 = 1.14e-3;
const REQUEST: f64 = 2.6e-2;
const STEP_LEAST: f64 = 5.2e-2;
const STORE: f64 = 6.8e-5;
const START: f64 = 2.84;

/// Up to so many rows the tiles of `mma.sync` and the matrix-vector kernels do
/// less for nothing.
const FEW_ROWS: u64 = 32;

/// The quickest tile for products on this device; `None` where the Hopper kernels
/// do not take them: another device, fp32, few rows, rows that are not whole
/// 16 bytes.
///
/// # Errors
/// Settings that these products cannot have.
pub(super) fn tile(
    lowering: &mut Lowering<'_>,
    product: &Product<'_>,
) -> Result<Option<Tile>, Lacks> {
    let target = lowering.setup.target;
    let whole = |n: &u64| n.is_multiple_of(8);
    let takes = target.vendor == Vendor::Nvidia
        && target.is_hopper()
        && lowering.is_bf16()
        && product.rows > FEW_ROWS
        && whole(&product.k)
        && product.weights.iter().all(whole);
    if !takes {
        return Ok(None);
    }
    let set = lowering.set(product.kind.name(), TURNS, |s| set(target, product, s))?;
    Ok(set.or_else(|| choose(target, product)))
}

/// The setting that says whether warpgroups take turns.
const TURNS: &str = "turns";

/// The tile of these settings; `None` where there is none, or no room for its stages.
fn set(target: &Target, product: &Product<'_>, settings: &Settings) -> Option<Tile> {
    let get = |name: &str| settings.get(name);
    let (m, n, turns) = (get("m")?, get("n")?, get(TURNS)? == 1);
    let ways = TILES.iter().flat_map(|t| t.for_kind(product));
    let of = ways
        .filter(|t| (t.m, t.n, t.turns) == (m.into(), n.into(), turns))
        .map(|t| t.with_stages(target))
        .min_by(|a, b| a.time(target, product).total_cmp(&b.time(target, product)))?;
    let stages = get("stages").unwrap_or(of.stages);
    (2..=of.stages)
        .contains(&stages)
        .then_some(Tile { stages, ..of })
}

fn choose(target: &Target, product: &Product<'_>) -> Option<Tile> {
    TILES
        .iter()
        .flat_map(|t| t.for_kind(product))
        .map(|t| t.with_stages(target))
        .filter(|t| t.stages >= 2)
        .min_by(|a, b| a.time(target, product).total_cmp(&b.time(target, product)))
}

/// Puts the Hopper variant into a launch whose arguments are those of the plain
/// one: tensor maps for the left operand and the weights, unit and geometry. Where
/// the Hopper kernels do not take the products, the launch stays as it is.
///
/// # Errors
/// A family without such a kernel.
pub(super) fn variant(
    lowering: &mut Lowering<'_>,
    group: &Group<'_>,
    launch: Launch,
    product: &Product<'_>,
) -> Result<Launch, Lacks> {
    let Some(tile) = tile(lowering, product)? else {
        return Ok(launch);
    };
    let box_rows = tile.box_rows(product.kind);
    let rows = std::iter::once((product.rows, tile.m))
        .chain(product.weights.iter().map(|n| (*n, box_rows)));
    let mut args = launch.args;
    for (arg, (rows, box_rows)) in args.iter_mut().zip(rows) {
        let (buffer, offset) = match *arg {
            Arg::Buffer(buffer) => (buffer, 0),
            Arg::At(buffer, offset) => (buffer, offset),
            _ => continue,
        };
        *arg = Arg::Map(TensorMap {
            buffer,
            offset,
            rows,
            columns: product.k,
            stride: product.k * 2,
            box_rows: box_rows as u32,
            box_columns: STEP as u32,
            group: 0,
        });
    }
    let blocks = tile
        .tiles(product)
        .min(u64::from(lowering.setup.target.sms));
    Ok(Launch {
        unit: tile.unit(lowering, group, product.kind)?,
        grid: Grid::Blocks([blocks as u32, 1, 1]),
        threads: tile.threads(),
        shared: tile.shared_bytes(),
        overlap: true,
        args,
        ..launch
    })
}

impl Tile {
    /// A tile that all warpgroups share.
    const fn shared(m: u64, n: u64, groups: u32) -> Self {
        Self {
            m,
            n,
            groups,
            turns: false,
            stages: 0,
            scatter: false,
        }
    }

    /// Tiles of one warpgroup each, two of which take turns.
    const fn turns(m: u64, n: u64) -> Self {
        Self {
            m,
            n,
            groups: 2,
            turns: true,
            stages: 0,
            scatter: false,
        }
    }

    /// The tile as far as the kernel can be cut so: whole boxes, registers that
    /// suffice, and for q, k, v as a stretch of one weight or in boxes of eight.
    fn for_kind(self, product: &Product<'_>) -> Vec<Self> {
        // A lane of a turn of 128 rows holds 2 x n / 2 sums: no room for the residual
        // beside them, and its angles take longer than the other group's products.
        let full = self.turns && self.m == 128;
        let scatter = Self {
            scatter: true,
            ..self
        };
        let dealt = product.weights.iter().all(|n| n.is_multiple_of(16)) && !self.turns;
        match product.kind {
            Kind::Gemm | Kind::GateUp { .. } => vec![self],
            Kind::Residual if full => vec![],
            Kind::Residual => vec![self],
            Kind::Qkv { rope: None, .. } if dealt => vec![self, scatter],
            Kind::Qkv { rope: None, .. } => vec![self],
            Kind::Qkv {
                rope: Some(head), ..
            } => {
                let mut ways = vec![];
                if self.n.is_multiple_of(head) && !full {
                    ways.push(self);
                }
                if dealt && self.n <= 128 {
                    ways.push(scatter);
                }
                ways
            }
        }
    }

    /// As many stages as fit, eight at most: beyond that nothing gets faster.
    fn with_stages(mut self, target: &Target) -> Self {
        // 512 bytes for what a kernel declares itself.
        let limit = target.shared_per_block.saturating_sub(ALIGNMENT + 512);
        self.stages = (limit / self.stage_bytes()).min(8);
        self
    }

    /// Bytes of one stage, `STEP` elements of each row and column, and its two
    /// barriers.
    const fn stage_bytes(&self) -> u32 {
        ((self.m + self.n) * STEP * 2) as u32 + 16
    }

    /// Dynamic shared memory of a block.
    const fn shared_bytes(&self) -> u32 {
        ALIGNMENT + self.stages * self.stage_bytes()
    }

    /// Threads of a block: the producer is a warpgroup where two warpgroups
    /// multiply, which takes its registers, else a warp.
    const fn threads(&self) -> u32 {
        self.groups * 128 + if self.groups == 2 { 128 } else { 32 }
    }

    /// Rows of a weight that one request of the copy engine fetches.
    const fn box_rows(&self, kind: Kind) -> u64 {
        match kind {
            Kind::GateUp { .. } => self.n / 2,
            Kind::Qkv { .. } if self.scatter => 8,
            _ => self.n,
        }
    }

    /// Column tiles of a result `n` wide: the slots per row of its sums of squares.
    pub const fn slots(&self, n: u64) -> u32 {
        n.div_ceil(self.n) as u32
    }

    /// Tiles in all.
    fn tiles(&self, product: &Product<'_>) -> u64 {
        let all: u64 = product.weights.iter().sum();
        let columns = match product.kind {
            Kind::GateUp { .. } => (all / 2).div_ceil(self.n / 2),
            Kind::Qkv { .. } if self.scatter => all.div_ceil(self.n),
            _ => product.weights.iter().map(|n| n.div_ceil(self.n)).sum(),
        };
        product.rows.div_ceil(self.m) * columns
    }

    /// Microseconds by the model: the fullest multiprocessor's tiles one after
    /// another.
    fn time(&self, target: &Target, product: &Product<'_>) -> f64 {
        let (m, n) = (self.m as f64, self.n as f64);
        let each = self.tiles(product).div_ceil(u64::from(target.sms.max(1))) as f64;
        let steps = product.k.div_ceil(STEP) as f64;
        let requests = if self.scatter { n / 8.0 } else { 1.0 };
        let step = (m * n * PRODUCT)
            .max((m + n) * FETCH)
            .max(requests * REQUEST)
            .max(STEP_LEAST);
        let (products, store) = (steps * step, m * n * STORE);
        if self.turns {
            // One group stores while the other multiplies, as far as there is time.
            START + each * products.max((products + store) / 2.0) + store
        } else {
            START + each * (products + store / f64::from(self.groups))
        }
    }

    /// The unit with this tile compiled in.
    fn unit(
        &self,
        lowering: &Lowering<'_>,
        group: &Group<'_>,
        kind: Kind,
    ) -> Result<CompileUnit, Lacks> {
        let mut files = vec!["prefix/matrix.cu", "prefix/hopper.cu"];
        if let Kind::Qkv { rope: Some(_), .. } = kind {
            files.push("tile/rotary.cu");
        }
        files.extend([
            "tile/gemm_hopper.cu",
            "tile/items_hopper.cu",
            "tile/store_hopper.cu",
        ]);
        let unit = lowering
            .unit(group.family, Variant::Hopper, &files)?
            .define("TILE_M", self.m)
            .define("TILE_N", self.n)
            .define("STAGES", self.stages)
            .define("GROUPS", self.groups)
            .define("TURNS", u32::from(self.turns));
        Ok(match kind {
            Kind::Gemm | Kind::Residual => unit,
            Kind::Qkv { norm, rope } => {
                let unit = unit
                    .define("NORM", u32::from(norm))
                    .define("ROPE", u32::from(rope.is_some()))
                    .define("SCATTER", u32::from(self.scatter));
                match rope {
                    Some(head) => unit.define("HEAD", head),
                    None => unit,
                }
            }
            Kind::GateUp { norm, swiglu } => unit
                .define("NORM", u32::from(norm))
                .define("SWIGLU", u32::from(swiglu)),
        })
    }
}

#[cfg(test)]
mod tests;
