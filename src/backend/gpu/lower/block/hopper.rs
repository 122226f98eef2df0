//! The one-launch kernel of Hopper (`kernels/hopper/block.cu`): for which shapes,
//! with which tiles, and its arguments.

mod tiles;

use super::super::{Group, Lowering};
use super::{begun, ends, layers, sizes};
use crate::gpu::catalogue::Lacks;
use crate::gpu::program::{Arg, BufferId, Contents, Grid, Launch, TensorMap};
use plan::cost::Vendor;
use plan::kernels::Variant;
use plan::model::{TensorKind, WeightKind};
use tiles::{Products, STEP, Team, Tile, candidates, teams};

/// Slots of the ring, which has all shared memory: fewer and larger ones cost
/// fewer waits, and a slot takes several steps of a narrow tile.
const SLOTS: u64 = 4;

/// Registers of a thread that copies, and of one that multiplies.
const REGISTERS: (u32, u32) = (40, 232);

/// Slots of weights that are asked for while the kernel still waits for the other
/// blocks.
const EARLY: u64 = 3;

/// Shared memory that is no slot: alignment, and what the kernel declares itself.
const ASIDE: u64 = 2048;

/// From so many sequences on a decode step is quicker here than in `block_decode`,
/// whose time grows with them. On an H200, µs for 3, 4, 5 and 8 sequences there, and
/// here: 22 layers of 2048: 853, 932, 1104, 3248, here 1300; 12 of 1024: 315, 350, –,
/// 1004, here 415; 8 of 512: 177, 200, –, 274, here 177.
fn least_sequences(hidden: u64) -> u64 {
    if hidden <= 512 { 4 } else { 6 }
}

/// How the kernel is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    head: u64,
    /// Rows of a tile: 128, or 64 with two stretches of columns.
    rows: u64,
    team: Team,
    qkv: Tile,
    out: Tile,
    ffn: Tile,
    slot: u64,
}

/// The cut for this shape.
///
/// # Errors
/// Why the kernel does not take it: another device, fp32, one new token of very few
/// sequences, rows that are not whole 16 bytes.
pub(super) fn cut(lowering: &Lowering<'_>, group: &Group<'_>) -> Result<Cut, String> {
    let (model, shape) = (lowering.model(), lowering.shape());
    let target = lowering.setup.target;
    let head = model.head_width();
    if target.vendor != Vendor::Nvidia || !target.is_hopper() {
        return Err(format!(
            "it needs sm_90a (bulk copies and wgmma), this device is {}",
            target.arch
        ));
    }
    if !lowering.is_bf16() {
        return Err("it multiplies bf16, this is fp32".to_owned());
    }
    if !matches!(head, 32 | 64 | 128) {
        return Err(format!("its heads are 32, 64 or 128 wide, these {head}"));
    }
    if shape.seq == 1 && shape.batch < least_sequences(model.hidden) {
        return Err(format!(
            "one new token each of fewer than {} sequences is quicker without it",
            least_sequences(model.hidden)
        ));
    }
    let rows = [
        ("hidden", model.hidden),
        ("ffn", model.ffn),
        (
            "vocab",
            if group.layer.is_none() {
                model.vocab
            } else {
                0
            },
        ),
    ];
    if let Some((name, n)) = rows.iter().find(|(_, n)| !n.is_multiple_of(8)) {
        return Err(format!(
            "its copies are whole 16 bytes, and {name} {n} is no multiple of 8"
        ));
    }
    let cuts = teams(lowering).flat_map(|team| {
        let rows = team.heights(lowering).iter();
        rows.filter_map(move |rows| of_team(lowering, head, team, *rows))
    });
    let best = cuts.min_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, cut)| cut).ok_or_else(|| {
        format!(
            "its ring does not fit in {} bytes of shared memory",
            target.shared_per_block
        )
    })
}

/// The best cut for such teams, and its microseconds a layer by the model.
fn of_team(lowering: &Lowering<'_>, head: u64, team: Team, rows: u64) -> Option<(f64, Cut)> {
    let (model, target) = (lowering.model(), lowering.setup.target);
    let room = u64::from(target.shared_per_block).checked_sub(ASIDE)?;
    let slot = (room / SLOTS - 16) / 1024 * 1024;
    let fits = |t: &Tile| t.step_bytes(rows) <= slot;
    let keys_fit = 4 * keys(head) * head <= slot;
    let mut whole = 0.0;
    let mut choose = |columns: u64, k: &[u64], tiles: &dyn Fn(Tile) -> bool| {
        let time = |t: &Tile| t.time(lowering, rows, team, &Products { columns, k });
        let best = candidates()
            .filter(|t| tiles(*t) && fits(t) && (rows == 128 || !t.turns))
            .min_by(|a, b| time(a).total_cmp(&time(b)))?;
        whole += time(&best);
        Some(best)
    };
    let (width, all) = (model.hidden, model.hidden + 2 * model.kv_width());
    let qkv = choose(all, &[width], &|t| t.n <= 128)?;
    let out = choose(width, &[width, model.ffn], &|t| !t.turns)?;
    let ffn = choose(2 * model.ffn, &[width], &|t| t.split == 1)?;
    let cut = Cut {
        head,
        rows,
        team,
        qkv,
        out,
        ffn,
        slot,
    };
    keys_fit.then_some((whole + team.besides(), cut))
}

/// Keys of a step of attention. Its two products must differ in shape
/// (`kernels/tile/block_attention.cu`).
const fn keys(head: u64) -> u64 {
    if head == 128 { 64 } else { 128 }
}

impl Cut {
    /// Builds the launch.
    pub(super) fn launch(
        self,
        lowering: &mut Lowering<'_>,
        group: &Group<'_>,
    ) -> Result<Launch, Lacks> {
        let (model, shape) = (lowering.model(), lowering.shape());
        let (rows, width) = (lowering.rows(), model.hidden);
        let ends = ends(lowering, group, true)?;
        let [table, count, ids, embedding, _, x] = ends[..] else {
            return Err(Lacks::new(format!("{} without its ends", group.name)));
        };
        let between = [
            ("qr between phases", width),
            ("att between phases", width),
            ("h between phases", width),
            ("m between phases", model.ffn),
        ]
        .map(|(name, width)| lowering.scratch(name, rows * width * lowering.elem()));
        let [_, att, h, m] = between;
        let x_rows = lowering.activation(TensorKind::X, group.layer);
        let lefts = [(x_rows, width), (att, width), (h, width), (m, model.ffn)];
        let logits = if group.layer.is_none() {
            Arg::Buffer(lowering.activation(TensorKind::Logits, None))
        } else {
            Arg::Null
        };
        let maps = self.maps(lowering, group, lefts);

        let mut args = vec![table, count, ids, embedding, x, maps, logits];
        args.extend(between.into_iter().map(Arg::Buffer));
        // Slots in fours.
        let sums = rows * width.div_ceil(4 * self.out.n) * 4 * 4;
        for name in [
            "sums of squares of x in tiles",
            "sums of squares of h in tiles",
        ] {
            args.push(Arg::Buffer(lowering.scratch(name, sums)));
        }
        let (mut partial, mut partners) = (16, 8);
        for (tile, columns) in [(self.qkv, width + 2 * model.kv_width()), (self.out, width)] {
            if tile.split > 1 {
                let tasks = tile.tasks(lowering, self.rows, self.team, columns);
                let tasks = tasks * self.team.count(lowering);
                partial = partial.max(tasks * 2 * 64 * tile.n * 4);
                partners = partners.max(tasks / tile.split * 8);
            }
        }
        args.push(Arg::Buffer(lowering.scratch("sums of partners", partial)));
        args.push(Arg::Buffer(lowering.zeroed("partners", partners)));
        args.push(Arg::Buffer(
            lowering.zeroed("grid barrier", 128 * self.team.count(lowering)),
        ));
        args.extend([lowering.int(shape.batch)?, lowering.int(shape.seq)?]);
        args.extend(sizes(lowering)?);
        args.push(begun(group));

        let unit = lowering
            .unit(
                group.family,
                Variant::Hopper,
                &[
                    "prefix/matrix.cu",
                    "prefix/hopper.cu",
                    "prefix/hopper_block.cu",
                    "prefix/grid.cu",
                    "tile/rotary.cu",
                    "tile/items_hopper.cu",
                    "tile/layer.cu",
                    "tile/block_ring.cu",
                    "tile/block_products.cu",
                    "tile/block_epilogues.cu",
                    "tile/block_attention.cu",
                ],
            )?
            .define("HEAD", self.head)
            .define("KEYS", keys(self.head))
            .define("ROWS", self.rows)
            .define("QKV_N", self.qkv.n)
            .define("QKV_SPLIT", self.qkv.split)
            .define("OUT_N", self.out.n)
            .define("OUT_SPLIT", self.out.split)
            .define("FFN_N", self.ffn.n)
            .define("FFN_TURNS", u32::from(self.ffn.turns))
            .define("SLOTS", SLOTS)
            .define("SLOT_BYTES", self.slot)
            .define("EARLY", EARLY)
            .define("QKV_TURNS", u32::from(self.qkv.turns))
            .define("TEAM", self.team.sequences.map_or(0, |_| self.team.blocks))
            .define("TEAM_SEQUENCES", self.team.sequences.unwrap_or(0))
            .define("GIVE", REGISTERS.0)
            .define("TAKE", REGISTERS.1);
        let mut launch = group.launch(unit);
        launch.grid = Grid::Resident { per_sm: 1 };
        launch.threads = 384;
        launch.shared = (1024 + SLOTS * (self.slot + 16)) as u32;
        launch.cooperative = true;
        launch.overlap = true;
        launch.args = args;
        Ok(launch)
    }

    /// The table of tensor maps in the order of `kernels/hopper/block.cu`.
    fn maps(
        self,
        lowering: &mut Lowering<'_>,
        group: &Group<'_>,
        lefts: [(BufferId, u64); 4],
    ) -> Arg {
        use WeightKind::{Down, FinalNorm, Gate, K, LmHead, Norm1, Norm2, O, Q, Up, V};
        let (model, shape) = (lowering.model(), lowering.shape());
        let matrix = |buffer, rows, columns: u64, box_rows: u64| TensorMap {
            buffer,
            offset: 0,
            rows,
            columns,
            stride: columns * 2,
            box_rows: box_rows as u32,
            box_columns: STEP as u32,
            group: 0,
        };
        let rows = lowering.rows();
        let lefts = lefts.map(|(buffer, columns)| matrix(buffer, rows, columns, self.rows));
        let [x, ..] = lefts;
        let mut maps = lefts.to_vec();
        maps.push(if group.layer.is_none() {
            let head = lowering.weight_times_gamma(LmHead, FinalNorm, None);
            matrix(head, model.vocab, model.hidden, self.ffn.n / 2)
        } else {
            x // not used
        });
        let box_columns = self.head.min(STEP);
        for layer in layers(lowering, group) {
            let layer = Some(layer);
            for (kind, gamma) in [
                (Q, Some(Norm1)),
                (K, Some(Norm1)),
                (V, Some(Norm1)),
                (O, None),
                (Gate, Some(Norm2)),
                (Up, Some(Norm2)),
                (Down, None),
            ] {
                let buffer = match gamma {
                    Some(gamma) => lowering.weight_times_gamma(kind, gamma, layer),
                    None => lowering.weight(kind, layer),
                };
                let (rows, columns) = match kind {
                    K | V => (model.kv_width(), model.hidden),
                    Gate | Up => (model.ffn, model.hidden),
                    Down => (model.hidden, model.ffn),
                    _ => (model.hidden, model.hidden),
                };
                let whole_heads = self.qkv.n.is_multiple_of(self.head);
                maps.push(match kind {
                    Q | K | V if whole_heads => matrix(buffer, rows, columns, self.head),
                    Q | K | V => TensorMap {
                        group: self.head / 2,
                        ..matrix(buffer, rows, columns, 8)
                    },
                    Gate | Up => matrix(buffer, rows, columns, self.ffn.n / 2),
                    _ => matrix(buffer, rows, columns, self.out.n),
                });
            }
            for kind in [TensorKind::Kr, TensorKind::V] {
                let buffer = lowering.activation(kind, layer);
                for sequence in 0..shape.batch {
                    maps.push(TensorMap {
                        offset: sequence * lowering.cap() * model.kv_width() * 2,
                        box_columns: box_columns as u32,
                        ..matrix(buffer, shape.context, model.kv_width(), keys(self.head))
                    });
                }
            }
        }
        let name = match group.layer {
            Some(layer) => format!("tensor maps of block {layer}"),
            None => "tensor maps of all blocks".to_owned(),
        };
        let bytes = maps.len() as u64 * 128;
        Arg::Buffer(lowering.buffer(&name, bytes, Contents::TensorMaps(maps)))
    }
}
