//! Launches of attention: its three ops apart, flash attention for prefill, and
//! attention with its keys split over blocks for decode.

use super::rows::{blocks, launch};
use super::{Group, Lowering};
use crate::gpu::catalogue::Lacks;
use crate::gpu::program::{Arg, Grid, Launch};
use crate::gpu::source::CompileUnit;
use plan::kernels::Variant;
use plan::model::TensorKind;

/// Rows of a softmax block: a warp each.
const SOFTMAX_ROWS: u64 = 4;

/// With at most so many queries per sequence over a longer context, keys are
/// split over blocks: a tile of queries would be mostly empty.
const DECODE_QUERIES: u64 = 16;

/// Query heads of a kv head that one block of `flash_decode` serves at most:
/// with more, registers run out and fewer blocks share the work.
const DECODE_GROUP: u64 = 4;

/// Threads of a block of `flash_decode`, and keys that each of its streams has
/// under way (SPLIT_THREADS and DEPTH of `tile/attention_decode.cu`).
const DECODE_THREADS: u64 = 128;
const DECODE_DEPTH: u64 = 4;

/// Most splits of the keys: joining them costs about as much as reading.
const DECODE_SPLITS: u64 = 16;

/// qk: a block per query tile and strip of key tiles.
pub(super) fn qk(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let tiles = Tiles::choose(lowering, Tiles::qk_shared, lowering.head_width()? <= 64)?;
    let blocks_x = tiles.query_tiles(lowering);
    let (q, k) = (TensorKind::Qr, TensorKind::Kr);
    let args = [q, k, TensorKind::Sc].map(|kind| lowering.activation(kind, group.layer));

    let unit = tiles.unit(lowering, group, &[])?;
    let mut launch = launch(lowering, group, unit);
    let wanted = (u64::from(lowering.setup.target.sms) * 6).div_ceil(blocks_x);
    let strips = wanted.clamp(1, lowering.shape().context.div_ceil(tiles.keys));
    launch.grid = match blocks(blocks_x)? {
        Grid::Blocks([x, _, z]) => Grid::Blocks([x, strips.min(u64::from(u16::MAX)) as u32, z]),
        grid @ Grid::Resident { .. } => grid,
    };
    launch.threads = tiles.threads(lowering);
    launch.shared = tiles.qk_shared() as u32;
    launch.args = args.map(Arg::Buffer).to_vec();
    launch.args.extend(sizes(lowering)?);
    Ok(launch)
}

/// softmax: a warp per row.
pub(super) fn softmax(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let shape = lowering.shape();
    let rows = shape.batch * lowering.model().heads * shape.seq;
    let whole = (shape.context * lowering.elem()).is_multiple_of(16);
    let unit = lowering
        .unit(group.family, Variant::Plain, &["tile/row.cu"])?
        .define("WHOLE", u32::from(whole));
    let tensors =
        [TensorKind::Sc, TensorKind::Pr].map(|kind| lowering.activation(kind, group.layer));
    let mut launch = launch(lowering, group, unit);
    launch.grid = blocks(rows.div_ceil(SOFTMAX_ROWS))?;
    launch.threads = SOFTMAX_ROWS as u32 * lowering.setup.target.warp;
    launch.args = tensors.map(Arg::Buffer).to_vec();
    launch.args.extend([
        lowering.int(rows)?,
        lowering.int(shape.seq)?,
        lowering.int(shape.context)?,
        Arg::F32(scale(lowering)),
    ]);
    Ok(launch)
}

/// pv: a block per query tile.
pub(super) fn pv(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let tiles = Tiles::choose(lowering, Tiles::pv_shared, true)?;
    let tensors = [TensorKind::Pr, TensorKind::V, TensorKind::Att];
    let args = tensors.map(|kind| lowering.activation(kind, group.layer));
    let unit = tiles.unit(lowering, group, &[])?;
    let mut launch = launch(lowering, group, unit);
    launch.grid = blocks(tiles.query_tiles(lowering))?;
    launch.threads = tiles.threads(lowering);
    launch.shared = tiles.pv_shared() as u32;
    launch.args = args.map(Arg::Buffer).to_vec();
    launch.args.extend(sizes(lowering)?);
    Ok(launch)
}

/// qk, softmax and pv in one kernel.
pub(super) fn flash(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let shape = lowering.shape();
    if shape.seq == 1 || (shape.seq <= DECODE_QUERIES && shape.context > shape.seq) {
        return flash_decode(lowering, group);
    }
    let tiles = Tiles::of_flash(lowering)?;
    let unit = tiles.unit(lowering, group, &["tile/attention.cu"])?;
    let mut launch = launch(lowering, group, unit);
    launch.grid = blocks(tiles.query_tiles(lowering))?;
    launch.threads = tiles.threads(lowering);
    launch.shared = tiles.flash_shared() as u32;
    launch.args = attention(lowering, group).to_vec();
    launch.args.extend(sizes(lowering)?);
    launch.args.push(Arg::F32(scale(lowering)));
    Ok(launch)
}

/// Attention of few queries: blocks share the keys, the last of them joins.
fn flash_decode(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let (model, shape) = (lowering.model(), lowering.shape());
    let head = lowering.head_width()?;
    let sharing = model.heads / model.kv_heads;
    let together = sharing.next_power_of_two().min(DECODE_GROUP);
    let groups = model.kv_heads * sharing.div_ceil(together);
    let rows = lowering.rows();

    // A block takes at least one round of keys; there are about two blocks per
    // multiprocessor.
    let round = DECODE_THREADS * 16 / (head * lowering.elem()) * DECODE_DEPTH;
    let room = (2 * u64::from(lowering.setup.target.sms)).div_ceil(groups * rows);
    let splits = shape
        .context
        .div_ceil(round)
        .min(room)
        .clamp(1, DECODE_SPLITS);

    let parts = rows * model.heads * splits * (head + 4) * 4;
    let partial = lowering.scratch("parts of attention", parts);
    let done = lowering.zeroed("splits that are done", rows * groups * 4);
    let unit = lowering
        .unit(group.family, Variant::Decode, &["tile/attention_decode.cu"])?
        .define("HEAD", head)
        .define("GROUP", together)
        .define("SPLIT_THREADS", DECODE_THREADS)
        .define("DEPTH", DECODE_DEPTH);

    let mut launch = launch(lowering, group, unit);
    let [y, z] = [groups, rows].map(u16::try_from);
    let (Ok(y), Ok(z)) = (y, z) else {
        return Err(Lacks::new(format!(
            "decode attention of {rows} rows and {groups} groups of heads (65 535 of each fit)"
        )));
    };
    launch.grid = Grid::Blocks([splits as u32, y.into(), z.into()]);
    launch.threads = DECODE_THREADS as u32;
    launch.args = attention(lowering, group).to_vec();
    launch.args.extend([
        Arg::Buffer(partial),
        Arg::Buffer(done),
        lowering.int(splits)?,
    ]);
    launch.args.extend(sizes(lowering)?);
    launch.args.push(Arg::F32(scale(lowering)));
    Ok(launch)
}

/// What multiplies: `tile/attention_*.cu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Units {
    /// Multiply-add, any GPU, fp32 and bf16.
    Plain,
    /// `mma.sync`: bf16 from sm_80 on.
    Mma,
    /// `wgmma`: bf16 on sm_90a, heads of 64 and 128.
    Hopper,
    /// MFMA: bf16 on AMD's CDNA.
    Mfma,
}

/// Tiles of queries and keys that `tile/attention_*.cu` are compiled for, and
/// the shared memory that follows.
#[derive(Debug, Clone, Copy)]
struct Tiles {
    units: Units,
    head: u64,
    queries: u64,
    keys: u64,
    /// Slabs of 16 queries of a warp, on matrix units.
    slabs: u64,
    /// Blocks of flash that one multiprocessor is to hold, on Hopper's units.
    blocks: u64,
}

impl Tiles {
    /// Tiles of flash attention.
    fn of_flash(lowering: &Lowering<'_>) -> Result<Self, Lacks> {
        let mut tiles = Self::choose(lowering, Self::flash_shared, lowering.head_width()? <= 64)?;
        if tiles.units == Units::Mma && lowering.setup.target.is_hopper() && tiles.head >= 64 {
            tiles.units = Units::Hopper;
            (tiles.queries, tiles.slabs) = (64, 1);
            // Where all blocks run at the same time, the longest decides: it
            // waits less often with twice the keys. Where there are many, four
            // of them at a time hide each other's waits.
            let at_once = tiles.query_tiles(lowering) <= 2 * u64::from(lowering.setup.target.sms);
            if tiles.head == 64 && at_once && lowering.shape().context >= 256 {
                tiles.keys = 128;
            } else if tiles.head == 64 {
                tiles.blocks = 4;
            }
        }
        Ok(tiles)
    }

    /// The largest tiles whose shared memory, as `shared` says, one block may
    /// have. With `double`, warps on matrix units take two slabs of queries
    /// where that leaves enough blocks.
    fn choose(
        lowering: &Lowering<'_>,
        shared: fn(&Self) -> u64,
        double: bool,
    ) -> Result<Self, Lacks> {
        let head = lowering.head_width()?;
        let target = lowering.setup.target;
        let units = match lowering.is_bf16() {
            true if target.sm() >= 800 => Units::Mma,
            true if target.has_mfma() => Units::Mfma,
            _ => Units::Plain,
        };
        let sizes: &[(u64, u64, u64)] = match (units, head) {
            (Units::Plain, 128) => &[(64, 32, 1), (32, 32, 1)],
            (Units::Plain, _) => &[(64, 64, 1), (64, 32, 1), (32, 32, 1)],
            (Units::Mfma, _) => &[(64, 64, 1), (64, 32, 1)],
            _ => &[(128, 64, 2), (64, 64, 1)],
        };
        let enough = u64::from(target.sms) * 3 / 2;
        let limit = u64::from(target.shared_per_block);
        sizes
            .iter()
            .map(|&(queries, keys, slabs)| Self {
                units,
                head,
                queries,
                keys,
                slabs,
                blocks: 1,
            })
            .filter(|tiles| tiles.slabs == 1 || double && tiles.query_tiles(lowering) >= enough)
            .find(|tiles| shared(tiles) <= limit)
            .ok_or_else(|| {
                Lacks::new(format!(
                    "attention with heads of width {head} in {limit} bytes of shared memory"
                ))
            })
    }

    /// A unit on these tiles: the tile products, then `files`, then the kernel.
    fn unit(
        &self,
        lowering: &Lowering<'_>,
        group: &Group<'_>,
        files: &[&'static str],
    ) -> Result<CompileUnit, Lacks> {
        let mut all = match self.units {
            Units::Plain => vec!["tile/attention_plain.cu"],
            Units::Mma => vec![
                "prefix/matrix.cu",
                "tile/attention_tiles.cu",
                "tile/attention_lanes.cu",
                "tile/attention_mma.cu",
            ],
            Units::Hopper => vec![
                "prefix/matrix.cu",
                "prefix/hopper.cu",
                "tile/attention_tiles.cu",
                "tile/attention_lanes.cu",
                "tile/attention_hopper.cu",
            ],
            Units::Mfma => vec![
                "prefix/matrix.cu",
                "prefix/mfma.cu",
                "tile/attention_tiles.cu",
                "tile/attention_mfma.cu",
            ],
        };
        all.extend(files);
        let unit = lowering
            .unit(group.family, Variant::Plain, &all)?
            .define("HEAD", self.head)
            .define("QUERIES", self.queries)
            .define("KEYS", self.keys);
        Ok(match self.units {
            Units::Plain | Units::Mfma => unit,
            Units::Mma => unit.define("SLABS", self.slabs),
            Units::Hopper => unit.define("BLOCKS", self.blocks),
        })
    }

    /// TEAM: a warp per slabs of 16 queries on matrix units, else 128 threads.
    fn threads(&self, lowering: &Lowering<'_>) -> u32 {
        match self.units {
            Units::Plain => 128,
            Units::Mma | Units::Hopper | Units::Mfma => {
                (self.queries / (16 * self.slabs)) as u32 * lowering.setup.target.warp
            }
        }
    }

    /// Tiles of queries of all heads and sequences.
    fn query_tiles(&self, lowering: &Lowering<'_>) -> u64 {
        let shape = lowering.shape();
        shape.batch * lowering.model().heads * shape.seq.div_ceil(self.queries)
    }

    /// Whether tiles are of bf16, with the next ones under way (STAGES 2).
    fn on_matrix(&self) -> bool {
        self.units != Units::Plain
    }

    /// STAGES.
    fn stages(&self) -> u64 {
        if self.on_matrix() { 2 } else { 1 }
    }

    /// QUERY_BYTES and KEY_BYTES.
    fn rows_bytes(&self, rows: u64) -> u64 {
        if self.on_matrix() {
            rows * self.head * 2
        } else {
            rows * (self.head + 4) * 4
        }
    }

    /// A tile of weights or scores in shared memory.
    fn weight_bytes(&self) -> u64 {
        if self.on_matrix() {
            self.queries * self.keys * 2
        } else {
            self.queries * (self.keys + 4) * 4
        }
    }

    /// ATTENTION_SHARED.
    fn flash_shared(&self) -> u64 {
        let weights = if self.on_matrix() {
            0
        } else {
            self.weight_bytes()
        };
        self.rows_bytes(self.queries) + self.stages() * 2 * self.rows_bytes(self.keys) + weights
    }

    /// Queries, keys, and a tile of scores (SCORE_BYTES) where they leave through
    /// shared memory.
    fn qk_shared(&self) -> u64 {
        let scores = match self.units {
            Units::Plain | Units::Mfma => 0,
            Units::Mma | Units::Hopper => self.weight_bytes(),
        };
        self.rows_bytes(self.queries) + self.stages() * self.rows_bytes(self.keys) + scores
    }

    /// Weights and values.
    fn pv_shared(&self) -> u64 {
        self.stages() * (self.weight_bytes() + self.rows_bytes(self.keys))
    }
}

/// q, k, v, att.
fn attention(lowering: &mut Lowering<'_>, group: &Group<'_>) -> [Arg; 4] {
    use TensorKind::{Att, Kr, Qr, V};
    [Qr, Kr, V, Att].map(|kind| Arg::Buffer(lowering.activation(kind, group.layer)))
}

/// batch, heads, kv_heads, seq, context, cap.
fn sizes(lowering: &Lowering<'_>) -> Result<[Arg; 6], Lacks> {
    let (model, shape) = (lowering.model(), lowering.shape());
    Ok([
        lowering.int(shape.batch)?,
        lowering.int(model.heads)?,
        lowering.int(model.kv_heads)?,
        lowering.int(shape.seq)?,
        lowering.int(shape.context)?,
        lowering.int(lowering.cap())?,
    ])
}

/// 1 / sqrt(d).
fn scale(lowering: &Lowering<'_>) -> f32 {
    (1.0 / (lowering.model().head_width() as f64).sqrt()) as f32
}
