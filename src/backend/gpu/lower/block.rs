//! One launch for a whole block, or for the whole forward: `block_decode` for
//! one new token of a few sequences, `block` for everything else (on Hopper, for
//! bf16, its own variant).

mod hopper;

use super::{Group, Lowering, gemm};
use crate::gpu::catalogue::Lacks;
use crate::gpu::program::{Arg, BufferId, Contents, Grid, Launch};
use plan::cost::Vendor;
use plan::kernels::Variant;
use plan::model::{TensorKind, WeightKind};

/// Most sequences of a decode step: columns of the matrix unit's second operand.
const SEQUENCES: u64 = 8;

/// Warps of `block_decode` that compute (WORKERS of `tile/stream.cu`).
const WORKERS: u32 = 8;

/// Slots of the ring that keep memory busy: two tiles.
const SLOTS: u64 = 32;

/// Sums of a warp that wait to be added up (PASS_SUMS of `tile/phases.cu`).
const PASS_SUMS: u64 = 8 * 16 + 2;

/// Bytes in front of the words that blocks exchange (EXCHANGE_HEAD there).
const EXCHANGE_HEAD: u64 = 128;

/// Parts over which the keys of a head are spread at most.
const SPLITS: u64 = 4;

/// Launches a block or the forward.
pub(super) fn block(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    lowering.head_width()?;
    let why = match hopper::cut(lowering, group) {
        Ok(cut) => return cut.launch(lowering, group),
        Err(why) => why,
    };
    let launch = match decode_shared(lowering) {
        Some(shared) => decode(lowering, group, shared)?,
        None => tiles(lowering, group)?,
    };
    if lowering.setup.target.vendor == Vendor::Nvidia {
        lowering.note(format!(
            "Hopper's own block kernel does not run: {why}; {} does",
            launch.unit.entry
        ));
    }
    Ok(launch)
}

/// The blocks that a group computes.
fn layers(lowering: &Lowering<'_>, group: &Group<'_>) -> std::ops::Range<u32> {
    match group.layer {
        Some(layer) => layer..layer + 1,
        None => 0..u32::try_from(lowering.model().layers).unwrap_or(u32::MAX),
    }
}

/// The addresses of the group's layers: `Layer` of `tile/layer.cu`. With
/// `folded`, norms are multiplied into the weights behind them.
fn table(lowering: &mut Lowering<'_>, group: &Group<'_>, folded: bool) -> Arg {
    use WeightKind::{Down, Gate, K, Norm1, Norm2, O, Q, Up, V};
    let mut addresses = Vec::new();
    for layer in layers(lowering, group) {
        let layer = Some(layer);
        for kind in [Norm1, Q, K, V, O, Norm2, Gate, Up, Down] {
            let gamma = match kind {
                Q | K | V => Some(Norm1),
                Gate | Up => Some(Norm2),
                _ => None,
            };
            addresses.push(match gamma.filter(|_| folded) {
                Some(gamma) => lowering.weight_times_gamma(kind, gamma, layer),
                None => lowering.weight(kind, layer),
            });
        }
        for kind in [TensorKind::Kr, TensorKind::V] {
            addresses.push(lowering.activation(kind, layer));
        }
    }
    let name = match group.layer {
        Some(layer) => format!("addresses of block {layer}"),
        None => "addresses of all blocks".to_owned(),
    };
    let bytes = addresses.len() as u64 * 8;
    let addresses: Vec<(BufferId, u64)> = addresses.into_iter().map(|id| (id, 0)).collect();
    Arg::Buffer(lowering.buffer(&name, bytes, Contents::Addresses(addresses)))
}

/// Layers, their number, ids, embedding, x and y: the arguments with which both
/// kernels begin. A forward has ids and embedding in place of x.
fn ends(lowering: &mut Lowering<'_>, group: &Group<'_>, folded: bool) -> Result<Vec<Arg>, Lacks> {
    let count = layers(lowering, group).len() as u64;
    let table = table(lowering, group, folded);
    let x = Arg::Buffer(lowering.activation(TensorKind::X, group.layer));
    let mut args = vec![table, lowering.int(count)?];
    if group.layer.is_some() {
        args.extend([Arg::Null, Arg::Null, x, x]);
    } else {
        args.extend([
            Arg::Buffer(lowering.activation(TensorKind::Ids, None)),
            Arg::Buffer(lowering.weight(WeightKind::Embedding, None)),
            Arg::Null,
            x,
        ]);
    }
    Ok(args)
}

/// Whether the launch in front was the block before, and left x with its sums.
fn begun(group: &Group<'_>) -> Arg {
    Arg::I32(i32::from(group.layer.is_some_and(|l| l > 0)))
}

// ---- one token of a few sequences ------------------------------------------------

/// Bytes of a row that a warp takes at once (CHUNK_BYTES of `tile/stream.cu`).
fn chunk(lowering: &Lowering<'_>) -> u64 {
    16 * u64::from(lowering.setup.target.warp)
}

/// Bytes of a segment of a row, for all computing warps.
fn segment(lowering: &Lowering<'_>) -> u64 {
    u64::from(WORKERS) * chunk(lowering)
}

/// Shared memory of `block_decode`, where that kernel takes the shape: one new
/// token of at most [`SEQUENCES`] sequences, rows of whole 16 bytes, and room.
fn decode_shared(lowering: &Lowering<'_>) -> Option<u32> {
    let (model, shape) = (lowering.model(), lowering.shape());
    let target = lowering.setup.target;
    let elem = lowering.elem();
    let aligned = |columns: u64| (columns * elem).is_multiple_of(16);
    if shape.seq != 1
        || shape.batch > SEQUENCES
        || !aligned(model.hidden)
        || !aligned(model.ffn)
        || target.warp > 64
    {
        return None;
    }
    // As block_decode lays it out, each part rounded up to 128 bytes.
    let segments = (model.hidden.max(model.ffn) * elem).div_ceil(segment(lowering)) + 1;
    let own_rows = 2 * (model.hidden / 2).div_ceil(u64::from(target.sms.max(1)));
    let workers = u64::from(WORKERS);
    let parts = [
        1024,                                                      // Common
        model.layers * 88,                                         // addresses
        model.head_width() * 4,                                    // turns
        2 * workers * shape.batch * 4,                             // squares
        own_rows * shape.batch * 4,                                // residual
        2 * workers * PASS_SUMS * 4,                               // partial
        segments * workers * shape.batch * (chunk(lowering) + 16), // activations
        512,                                                       // barriers
    ];
    let fixed: u64 = parts.iter().map(|bytes| bytes.next_multiple_of(128)).sum();
    let all = u64::from(target.shared_per_block);
    if streams(lowering) {
        let slot = segment(lowering) + 16;
        (fixed + SLOTS * slot <= all).then_some(target.shared_per_block)
    } else {
        (fixed <= all).then_some(fixed as u32)
    }
}

/// Whether weights come through the ring of bulk copies.
fn streams(lowering: &Lowering<'_>) -> bool {
    lowering.setup.target.sm() >= 900
}

fn decode(lowering: &mut Lowering<'_>, group: &Group<'_>, shared: u32) -> Result<Launch, Lacks> {
    let (model, shape) = (lowering.model(), lowering.shape());
    let heads = shape.batch * model.heads;
    let splits = (u64::from(lowering.setup.target.sms) / heads).clamp(1, SPLITS);
    // Powers of two: 1, 2, 4.
    let splits = 1u64 << splits.ilog2();

    let words = shape.batch
        * (model.hidden + 2 * model.kv_width() + (splits + 2) * model.hidden + model.ffn);
    let bytes = EXCHANGE_HEAD + words * 2 * lowering.elem() + heads * splits * 8;
    let exchange = lowering.zeroed("words between blocks", bytes);

    let mut args = ends(lowering, group, false)?;
    if group.layer.is_none() {
        args.extend([
            Arg::Buffer(lowering.weight(WeightKind::FinalNorm, None)),
            Arg::Buffer(lowering.weight(WeightKind::LmHead, None)),
            Arg::Buffer(lowering.activation(TensorKind::Logits, None)),
        ]);
    } else {
        args.extend([Arg::Null; 3]);
    }
    args.push(Arg::Buffer(exchange));
    args.push(lowering.int(shape.batch)?);
    args.extend(sizes(lowering)?);
    args.push(Arg::U32(shared));

    let unit = lowering
        .unit(
            group.family,
            Variant::Decode,
            &[
                "prefix/matrix.cu",
                "prefix/grid.cu",
                "prefix/bulk.cu",
                "tile/rotary.cu",
                "tile/layer.cu",
                "tile/stream.cu",
                "tile/phases.cu",
                "tile/decode_attention.cu",
            ],
        )?
        .define("HEAD", model.head_width())
        .define("SPLITS", splits);
    let mut launch = group.launch(unit);
    launch.grid = Grid::Resident { per_sm: 1 };
    launch.threads = (WORKERS + u32::from(streams(lowering))) * lowering.setup.target.warp;
    launch.shared = shared;
    launch.cooperative = true;
    launch.args = args;
    Ok(launch)
}

/// width, heads, kv_heads, ffn, vocab, cap, past, eps, theta, scale.
fn sizes(lowering: &Lowering<'_>) -> Result<Vec<Arg>, Lacks> {
    let model = lowering.model();
    let mut args = Vec::new();
    for size in [
        model.hidden,
        model.heads,
        model.kv_heads,
        model.ffn,
        model.vocab,
        lowering.cap(),
        lowering.past(),
    ] {
        args.push(lowering.int(size)?);
    }
    args.extend([
        Arg::F32(model.norm_eps as f32),
        Arg::F32(model.rope_theta as f32),
        Arg::F32((1.0 / (model.head_width() as f64).sqrt()) as f32),
    ]);
    Ok(args)
}

// ---- any number of rows --------------------------------------------------------------

/// The tile of a product of `block` (`Tiling` of `tile/columns.cu`); its threads are
/// attention's.
#[derive(Debug, Clone, Copy)]
struct Tile {
    m: u64,
    n: u64,
    warps: [u64; 2],
    stages: u64,
    slices: u64,
}

impl Tile {
    /// The large one where its tiles of `[rows][hidden]` keep a third of the
    /// multiprocessors busy: at 64 tiles on an H200's 132 it took 121 to 127 µs
    /// for the workshop model, the small one 137.
    fn choose(lowering: &Lowering<'_>, units: Units) -> Self {
        let target = lowering.setup.target;
        let tiles = lowering.rows().div_ceil(64) * lowering.model().hidden.div_ceil(64);
        let large = tiles * 3 > u64::from(target.sms);
        // Warps, and groups of them that share the sums. Four warps; two waves of
        // 64 where attention's team is 128 threads.
        let (warps, slices) = match (units, target.warp, large) {
            (Units::Mfma, _, _) | (_, 32, true) => ([2, 2], 1),
            (_, _, true) => ([2, 1], 1),
            (_, warp, false) => ([1, 1], 128 / u64::from(warp)),
        };
        let side = if large { 64 } else { 32 };
        Self {
            m: side,
            n: side,
            warps,
            // As `on` of the products' tiles.
            stages: if target.vendor == Vendor::Amd { 2 } else { 3 },
            slices,
        }
    }

    fn threads(self, warp: u32) -> u64 {
        self.warps[0] * self.warps[1] * self.slices * u64::from(warp)
    }

    /// `Tiling::shared_bytes`.
    fn shared(self) -> u64 {
        let stages = self.stages * (self.m + self.n) * 128;
        let sums = self.m * (self.n + 8) * 4;
        stages.max(sums) + self.m * 4 + self.n * 2
    }

    /// The arguments of `Tiling`.
    fn arguments(self) -> String {
        let Self {
            m,
            n,
            warps: [rows, columns],
            stages,
            slices,
        } = self;
        format!("{m},{n},{rows},{columns},{stages},{slices}")
    }
}

/// A tile for each kind of product.
#[derive(Debug, Clone, Copy)]
struct Tiles {
    qkv: Tile,
    /// o and down.
    out: Tile,
    /// Gate and up; and logits.
    ffn: Tile,
    /// Not one for all.
    each_its_own: bool,
}

impl Tiles {
    /// One tile for all, but in fp32 on Hopper, where each has the one that is the
    /// quickest by what the kernels of the products were measured to take.
    fn choose(lowering: &Lowering<'_>, units: Units) -> Self {
        let target = lowering.setup.target;
        let one = Tile::choose(lowering, units);
        if units != Units::Plain || lowering.is_bf16() || !target.is_hopper() {
            return Self {
                qkv: one,
                out: one,
                ffn: one,
                each_its_own: false,
            };
        }
        let model = lowering.model();
        let (width, kv, ffn) = (model.hidden, model.kv_width(), model.ffn);
        let quickest = |columns: &[u64], ks: &[u64]| {
            let dealt = gemm::Dealt {
                target,
                per_sm: PER_SM,
                rows: lowering.rows(),
                columns,
                ks,
            };
            let tile = |[m, n, rows, columns, stages, slices]: [u64; 6]| Tile {
                m,
                n,
                warps: [rows, columns],
                stages,
                slices,
            };
            dealt.quickest().map_or(one, tile)
        };
        Self {
            qkv: quickest(&[width, kv, kv], &[width]),
            out: quickest(&[width], &[width, ffn]),
            ffn: quickest(&[2 * ffn], &[width]),
            each_its_own: true,
        }
    }

    fn shared(self) -> u64 {
        let all = [self.qkv, self.out, self.ffn].map(Tile::shared);
        all.into_iter().fold(0, u64::max)
    }
}

/// What multiplies: the files of `tile/` for products and attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Units {
    Plain,
    Mma,
    Mfma,
}

impl Units {
    fn files(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &["tile/gemm_plain.cu", "tile/attention_plain.cu"],
            Self::Mma => &[
                "tile/gemm_mma.cu",
                "tile/attention_tiles.cu",
                "tile/attention_lanes.cu",
                "tile/attention_mma.cu",
            ],
            Self::Mfma => &[
                "tile/gemm_mfma.cu",
                "tile/attention_tiles.cu",
                "tile/attention_mfma.cu",
            ],
        }
    }

    /// QUERIES and KEYS of attention: the first that fits is taken.
    fn attention(self, head: u64) -> &'static [(u64, u64)] {
        match (self, head) {
            (Self::Mma, _) => &[(64, 64)],
            (Self::Mfma, _) => &[(64, 64), (64, 32)],
            (Self::Plain, 128) => &[(64, 32), (32, 32)],
            (Self::Plain, _) => &[(64, 64), (64, 32), (32, 64), (32, 32)],
        }
    }

    /// ATTENTION_SHARED of `tile/attention.cu`.
    fn attention_shared(self, head: u64, (queries, keys): (u64, u64)) -> u64 {
        match self {
            Self::Plain => (queries + 2 * keys) * (head + 4) * 4 + queries * (keys + 4) * 4,
            Self::Mma | Self::Mfma => (queries + 2 * 2 * keys) * head * 2,
        }
    }
}

/// Blocks of `block` per multiprocessor: what registers allow.
const PER_SM: u32 = 2;

fn tiles(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let (model, shape) = (lowering.model(), lowering.shape());
    let target = lowering.setup.target;
    let pack = 16 / lowering.elem();
    let aligned = model.hidden.is_multiple_of(pack) && model.ffn.is_multiple_of(pack);
    let units = match lowering.is_bf16() && aligned {
        true if target.sm() >= 800 => Units::Mma,
        true if target.has_mfma() => Units::Mfma,
        _ => Units::Plain,
    };
    let wide = aligned && model.vocab.is_multiple_of(pack);
    let tiles = Tiles::choose(lowering, units);
    let head = model.head_width();
    let needs = |part: &(u64, u64)| tiles.shared().max(units.attention_shared(head, *part));
    let fits = |part: &&(u64, u64)| needs(part) <= u64::from(target.shared_per_block);
    // With half as many queries to a tile each block has one, where there would be fewer
    // tiles than multiprocessors.
    let few = tiles.each_its_own
        && 2 * shape.batch * model.heads * shape.seq.div_ceil(64) <= u64::from(PER_SM * target.sms);
    let parts = units.attention(head).iter();
    // 64 keys at once do not fit the registers of gfx906 beside a product's tile of bf16.
    let held = |part: &&(u64, u64)| part.1 == 32 || !target.has_few_registers();
    let mut parts = parts.filter(|part| !few || part.0 == 32).filter(held);
    let Some(part) = parts.find(fits) else {
        return Err(Lacks::new(format!(
            "{} in {} bytes of shared memory",
            group.name, target.shared_per_block
        )));
    };
    let (queries, keys) = *part;
    let shared = needs(part);

    let rows = lowering.rows();
    let ends = ends(lowering, group, true)?;
    let [table, count, ids, embedding, _, x] = ends[..] else {
        return Err(Lacks::new(format!("{} without its ends", group.name)));
    };
    let mut args = vec![table, count, ids, embedding, x];
    if group.layer.is_none() {
        let head = lowering.weight_times_gamma(WeightKind::LmHead, WeightKind::FinalNorm, None);
        let logits = lowering.activation(TensorKind::Logits, None);
        args.extend([Arg::Buffer(head), Arg::Buffer(logits)]);
    } else {
        args.extend([Arg::Null; 2]);
    }
    let width = model.hidden;
    for (name, width) in [
        ("qr between phases", width),
        ("att between phases", width),
        ("h between phases", width),
        ("m between phases", model.ffn),
    ] {
        args.push(Arg::Buffer(
            lowering.scratch(name, rows * width * lowering.elem()),
        ));
    }
    let sums = rows * width.div_ceil(tiles.out.n) * 4;
    for name in [
        "sums of squares of x in tiles",
        "sums of squares of h in tiles",
    ] {
        args.push(Arg::Buffer(lowering.scratch(name, sums)));
    }
    args.push(Arg::Buffer(lowering.zeroed("grid barrier", 4)));
    args.extend([lowering.int(shape.batch)?, lowering.int(shape.seq)?]);
    args.extend(sizes(lowering)?);
    args.push(begun(group));

    let mut files = vec!["prefix/matrix.cu", "prefix/grid.cu", "tile/columns.cu"];
    if units == Units::Mfma {
        files.push("prefix/mfma.cu");
    }
    files.extend(units.files());
    files.extend([
        "tile/product.cu",
        "tile/rotary.cu",
        "tile/epilogue.cu",
        "tile/attention.cu",
        "tile/layer.cu",
    ]);
    let mut unit = lowering
        .unit(group.family, Variant::Plain, &files)?
        .define("HEAD", head)
        .define("QUERIES", queries)
        .define("TEAMS", 1)
        .define("KEYS", keys)
        .define("QKV_TILE", tiles.qkv.arguments())
        .define("OUT_TILE", tiles.out.arguments())
        .define("FFN_TILE", tiles.ffn.arguments())
        .define("BLOCKS", PER_SM);
    if tiles.each_its_own {
        unit = unit
            .define("PACKS_AT_ONCE", 1)
            .define("RESIDUAL_AT_ONCE", 8);
    }
    if !aligned {
        unit = unit.define("ALIGNED", 0);
    }
    if !wide {
        unit = unit.define("WIDE", 0);
    }
    let mut launch = group.launch(unit);
    launch.grid = Grid::Resident { per_sm: PER_SM };
    launch.threads = tiles.qkv.threads(target.warp) as u32;
    launch.shared = shared as u32;
    launch.cooperative = true;
    launch.args = args;
    Ok(launch)
}

#[cfg(test)]
mod tests;
