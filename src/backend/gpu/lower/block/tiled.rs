//! Everything else: products in tiles, shared out over blocks that stay.

use super::{begun, ends, sizes};
use crate::gpu::catalogue::Lacks;
use crate::gpu::lower::{Group, Lowering, gemm};
use crate::gpu::program::{Arg, Grid, Launch};
use plan::cost::Vendor;
use plan::kernels::Variant;
use plan::model::{TensorKind, WeightKind};

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

pub(super) fn tiles(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
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
