//! Matrix products: one product, three side by side (q k v), two (gate, up),
//! one with the residual added. Arguments are the same for every variant; the
//! variant and its tile follow from device, dtype and shape.

mod tiles;

pub(super) use self::tiles::Dealt;
use self::tiles::{BLOCKS, Request, Tile};
use super::hopper::{self, Kind, Product};
use super::rows::{blocks, nodes, read, weight};
use super::{Group, LibraryGemm, Lowering};
use crate::gpu::catalogue::Lacks;
use crate::gpu::program::{Arg, Launch};
use plan::kernels::Variant;
use plan::model::{Node, OpKind, TensorKind, WeightId, WeightKind};

/// A portable kernel that is chosen: its tile and what is defined for its unit.
struct Choice {
    tile: Tile,
    aligned: bool,
    wide: bool,
    tiles: u64,
}

/// One product; its rows may go to the cache.
pub(super) fn product(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let [node] = nodes(lowering, group)?;
    let k = input_width(lowering, node)?;
    let to = lowering.written(node.writes);
    let choice = choose(lowering, group, &[to.width], &[to.width], k)?;
    let mut launch = launch(lowering, group, &choice, &[])?;
    launch.args = vec![
        read(lowering, node, 0)?,
        weight(lowering, node)?,
        Arg::Buffer(to.buffer),
        lowering.int(lowering.rows())?,
        lowering.int(to.width)?,
        lowering.int(k)?,
        lowering.int(to.seq)?,
        lowering.int(to.cap)?,
        lowering.int(to.past)?,
    ];
    let product = Product {
        kind: Kind::Gemm,
        rows: lowering.rows(),
        weights: &[to.width],
        k,
    };
    hopper::variant(lowering, group, launch, &product)
}

/// A product and the residual: `o+res1`, `down+res2`.
pub(super) fn product_residual(
    lowering: &mut Lowering<'_>,
    group: &Group<'_>,
) -> Result<Launch, Lacks> {
    let [node, add]: [&Node; 2] = nodes(lowering, group)?;
    let k = input_width(lowering, node)?;
    let n = lowering.width(lowering.setup.graph.tensor_at(node.writes).kind);
    // The residual is the operand that the product did not make.
    let other = add.reads.iter().position(|id| *id != node.writes);
    let other = other.ok_or_else(|| Lacks::new(&group.name))?;
    let choice = choose(lowering, group, &[n], &[n], k)?;
    let product = Product {
        kind: Kind::Residual,
        rows: lowering.rows(),
        weights: &[n],
        k,
    };
    let slots = match hopper::tile(lowering, &product)? {
        Some(tile) => u64::from(tile.slots(n)),
        None => choice.tile.columns(&[n]),
    };
    let slots = u32::try_from(slots).map_err(|_| Lacks::new(&group.name))?;
    let mut launch = launch(lowering, group, &choice, &[])?;
    launch.args = vec![
        read(lowering, node, 0)?,
        weight(lowering, node)?,
        read(lowering, add, other)?,
        Arg::Buffer(lowering.tensor(add.writes)),
        lowering.row_sums_out(add.writes, slots),
        lowering.int(lowering.rows())?,
        lowering.int(n)?,
        lowering.int(k)?,
    ];
    hopper::variant(lowering, group, launch, &product)
}

/// Queries, keys and values, with the norm before and RoPE after where the
/// ops say so.
pub(super) fn qkv(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let norm = group.takes_row_sums();
    let rope = group.has(OpKind::RopeQ);
    let (d, dkv) = (lowering.model().hidden, lowering.model().kv_width());
    let x = input(lowering, group, OpKind::Q)?;
    let [ssq, slots] = row_sums(lowering, group, norm)?;
    let choice = choose(lowering, group, &[d, dkv, dkv], &[d, dkv], d)?;
    let mut defines = vec![("NORM", u64::from(norm)), ("ROPE", u64::from(rope))];
    if rope {
        defines.push(("HEAD", lowering.head_width()?));
    }
    let mut launch = launch(lowering, group, &choice, &defines)?;

    let [q, k] = if rope {
        [TensorKind::Qr, TensorKind::Kr]
    } else {
        [TensorKind::Q, TensorKind::K]
    };
    let [q, k, v] = [q, k, TensorKind::V].map(|kind| lowering.activation(kind, group.layer));
    let seq = lowering.shape().seq;
    let cache = (lowering.cap(), lowering.past());
    // Keys go to the cache when they have been turned; before, they are rows.
    let (cap_k, past_k) = if rope { cache } else { (seq, 0) };
    launch.args = vec![
        x,
        factor(lowering, group, WeightKind::Q, WeightKind::Norm1, norm),
        factor(lowering, group, WeightKind::K, WeightKind::Norm1, norm),
        factor(lowering, group, WeightKind::V, WeightKind::Norm1, norm),
        Arg::Buffer(q),
        Arg::Buffer(k),
        Arg::Buffer(v),
        ssq,
        slots,
        Arg::F32(lowering.model().norm_eps as f32),
        lowering.int(lowering.rows())?,
        lowering.int(d)?,
        lowering.int(dkv)?,
        lowering.int(seq)?,
        lowering.int(cap_k)?,
        lowering.int(past_k)?,
        lowering.int(cache.0)?,
        lowering.int(cache.1)?,
        lowering.int(lowering.past())?,
        Arg::F32(lowering.model().rope_theta as f32),
    ];
    let product = Product {
        kind: Kind::Qkv {
            norm,
            rope: rope.then(|| lowering.model().head_width()),
        },
        rows: lowering.rows(),
        weights: &[d, dkv, dkv],
        k: d,
    };
    hopper::variant(lowering, group, launch, &product)
}

/// Gate and up, with the norm before and SwiGLU after where the ops say so.
pub(super) fn gate_up(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let norm = group.takes_row_sums();
    let swiglu = group.has(OpKind::Mul);
    let (d, ffn) = (lowering.model().hidden, lowering.model().ffn);
    let x = input(lowering, group, OpKind::Gate)?;
    let [ssq, slots] = row_sums(lowering, group, norm)?;
    // With SwiGLU a tile is half gate, half up; else it is one of them.
    let widths: &[u64] = if swiglu { &[2 * ffn] } else { &[ffn, ffn] };
    let choice = choose(lowering, group, widths, &[ffn], d)?;
    let defines = [("NORM", u64::from(norm)), ("SWIGLU", u64::from(swiglu))];
    let mut launch = launch(lowering, group, &choice, &defines)?;
    let (g, u) = if swiglu {
        (lowering.activation(TensorKind::M, group.layer), Arg::Null)
    } else {
        let u = lowering.activation(TensorKind::U, group.layer);
        (
            lowering.activation(TensorKind::G, group.layer),
            Arg::Buffer(u),
        )
    };
    launch.args = vec![
        x,
        factor(lowering, group, WeightKind::Gate, WeightKind::Norm2, norm),
        factor(lowering, group, WeightKind::Up, WeightKind::Norm2, norm),
        Arg::Buffer(g),
        u,
        ssq,
        slots,
        Arg::F32(lowering.model().norm_eps as f32),
        lowering.int(lowering.rows())?,
        lowering.int(ffn)?,
        lowering.int(d)?,
    ];
    let product = Product {
        kind: Kind::GateUp { norm, swiglu },
        rows: lowering.rows(),
        weights: &[ffn, ffn],
        k: d,
    };
    hopper::variant(lowering, group, launch, &product)
}

/// The library's product in place of a kernel of ours; `None` where it cannot
/// be one (rows that do not lie one after another in the result).
pub(super) fn library(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Option<LibraryGemm> {
    let [node]: [&Node; 1] = nodes(lowering, group).ok()?;
    let to = lowering.written(node.writes);
    if to.seq != to.cap && to.rows > to.seq {
        return None;
    }
    let WeightId { kind, layer } = node.weight?;
    Some(LibraryGemm {
        kernel: group.index,
        name: group.name.clone(),
        a: lowering.tensor(*node.reads.first()?),
        w: lowering.weight(kind, layer),
        c: (to.buffer, to.past * to.width * lowering.elem()),
        m: to.rows,
        n: to.width,
        k: input_width(lowering, node).ok()?,
        written: vec![to],
    })
}

/// Chooses way and tile for matrices of these widths; `outputs` are the widths
/// of the rows that are stored.
///
/// # Errors
/// Settings that this product cannot have.
fn choose(
    lowering: &mut Lowering<'_>,
    group: &Group<'_>,
    widths: &[u64],
    outputs: &[u64],
    k: u64,
) -> Result<Choice, Lacks> {
    let request = Request {
        target: lowering.setup.target,
        elem: lowering.elem(),
        m: lowering.rows(),
        widths,
        k,
    };
    let set = lowering.set(group.family.name(), BLOCKS, |s| request.set(s))?;
    let tile = set.unwrap_or_else(|| request.choose());
    Ok(Choice {
        tile,
        aligned: request.aligned(),
        wide: request.wide(outputs),
        tiles: tile.tiles(request.m, widths),
    })
}

/// A launch of the group's kernel with the chosen tile, without arguments.
fn launch(
    lowering: &Lowering<'_>,
    group: &Group<'_>,
    choice: &Choice,
    defines: &[(&'static str, u64)],
) -> Result<Launch, Lacks> {
    let tile = &choice.tile;
    let mut files = tile.files().to_vec();
    if defines.iter().any(|(name, _)| *name == "HEAD") {
        files.push("tile/rotary.cu");
    }
    files.push("tile/epilogue.cu");
    let mut unit = tile.define(lowering.unit(group.family, Variant::Plain, &files)?);
    if !choice.aligned {
        unit = unit.define("ALIGNED", 0);
    }
    if !choice.wide {
        unit = unit.define("WIDE", 0);
    }
    for (name, value) in defines {
        unit = unit.define(name, value);
    }
    let mut launch = group.launch(unit);
    launch.grid = blocks(choice.tiles)?;
    launch.threads = tile.threads(lowering.setup.target.warp);
    launch.shared = tile.shared();
    launch.overlap = true;
    Ok(launch)
}

/// Elements of a row of what a product reads.
fn input_width(lowering: &Lowering<'_>, node: &Node) -> Result<u64, Lacks> {
    let id = node.reads.first().copied();
    let id = id.ok_or_else(|| Lacks::new(format!("{} without its operand", node.op.name())))?;
    Ok(lowering.width(lowering.setup.graph.tensor_at(id).kind))
}

/// The group's input: what its first op reads, be it the norm or `op`.
fn input(lowering: &mut Lowering<'_>, group: &Group<'_>, op: OpKind) -> Result<Arg, Lacks> {
    let node = lowering.setup.graph.nodes.get(group.kernel.ops.start);
    let node = node.ok_or_else(|| Lacks::new(op.name()))?;
    read(lowering, node, 0)
}

/// The arguments `ssq` and `slots` of a fused norm; null and 0 without one.
fn row_sums(lowering: &mut Lowering<'_>, group: &Group<'_>, norm: bool) -> Result<[Arg; 2], Lacks> {
    let node = lowering.setup.graph.nodes.get(group.kernel.ops.start);
    match node.and_then(|n| n.reads.first()) {
        Some(x) if norm => lowering.row_sums_in(*x),
        _ => Ok([Arg::Null, Arg::I32(0)]),
    }
}

/// A product's weight, with the norm's gamma in it where the norm is fused.
fn factor(
    lowering: &mut Lowering<'_>,
    group: &Group<'_>,
    kind: WeightKind,
    gamma: WeightKind,
    norm: bool,
) -> Arg {
    Arg::Buffer(if norm {
        lowering.weight_times_gamma(kind, gamma, group.layer)
    } else {
        lowering.weight(kind, group.layer)
    })
}

#[cfg(test)]
mod tests;
