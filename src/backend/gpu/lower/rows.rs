//! Launches of the row kernels: embed, norms, RoPE, residuals, element-wise ops.
//! All are bound by memory; geometry is there to keep enough bytes under way.

use super::{Group, Lowering};
use crate::gpu::catalogue::Lacks;
use crate::gpu::program::{Arg, Grid, Launch};
use crate::gpu::source::CompileUnit;
use plan::kernels::Variant;
use plan::model::{Node, OpKind, TensorKind, WeightId};

/// Packs of 16 bytes of a row that one thread takes at most (HELD in
/// `tile/row.cu`: what a norm keeps in registers between its two passes).
const PACKS_PER_THREAD: u64 = 4;

/// Rows per multiprocessor from which threads take so many; with fewer rows
/// there are threads to spare, and two packs each come back sooner.
const MANY_ROWS: u64 = 16;

/// Rows of a block whose warps take a row each.
const ROWS_PER_BLOCK: u64 = 4;

/// Threads of a block of an element-wise kernel: each takes one pack.
const ELEMENTWISE_THREADS: u32 = 256;

pub(super) fn embed(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let [node] = nodes(lowering, group)?;
    let width = lowering.model().hidden;
    let (ids, table) = (read(lowering, node, 0)?, weight(lowering, node)?);
    let (x, sums) = (
        lowering.tensor(node.writes),
        lowering.row_sums_out(node.writes, 1),
    );
    let mut launch = per_row(lowering, group, width)?;
    launch.args = vec![
        ids,
        table,
        Arg::Buffer(x),
        sums,
        lowering.int(lowering.rows())?,
        lowering.int(width)?,
    ];
    Ok(launch)
}

pub(super) fn norm(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let [node] = nodes(lowering, group)?;
    let width = lowering.model().hidden;
    let (x, gamma) = (read(lowering, node, 0)?, weight(lowering, node)?);
    let y = lowering.tensor(node.writes);
    let mut launch = per_row(lowering, group, width)?;
    launch.args = vec![
        x,
        gamma,
        Arg::Buffer(y),
        lowering.int(lowering.rows())?,
        lowering.int(width)?,
        Arg::F32(lowering.model().norm_eps as f32),
    ];
    Ok(launch)
}

pub(super) fn residual(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let [node] = nodes(lowering, group)?;
    let width = lowering.model().hidden;
    let (a, b) = (read(lowering, node, 0)?, read(lowering, node, 1)?);
    let (y, sums) = (
        lowering.tensor(node.writes),
        lowering.row_sums_out(node.writes, 1),
    );
    let mut launch = per_row(lowering, group, width)?;
    launch.args = vec![
        a,
        b,
        Arg::Buffer(y),
        sums,
        lowering.int(lowering.rows())?,
        lowering.int(width)?,
    ];
    Ok(launch)
}

pub(super) fn residual_norm(
    lowering: &mut Lowering<'_>,
    group: &Group<'_>,
) -> Result<Launch, Lacks> {
    let [add, norm] = nodes(lowering, group)?;
    let width = lowering.model().hidden;
    let (a, b) = (read(lowering, add, 0)?, read(lowering, add, 1)?);
    let gamma = weight(lowering, norm)?;
    let h = if group.kernel.writes.contains(&add.writes) {
        Arg::Buffer(lowering.tensor(add.writes))
    } else {
        Arg::Null
    };
    let n = lowering.tensor(norm.writes);
    let mut launch = per_row(lowering, group, width)?;
    launch.args = vec![
        a,
        b,
        gamma,
        h,
        Arg::Buffer(n),
        lowering.int(lowering.rows())?,
        lowering.int(width)?,
        Arg::F32(lowering.model().norm_eps as f32),
    ];
    Ok(launch)
}

/// RoPE of queries, of keys, or of both: a block per token.
pub(super) fn rope(lowering: &mut Lowering<'_>, group: &Group<'_>) -> Result<Launch, Lacks> {
    let model = lowering.model();
    let head = lowering.head_width()?;
    let rows = lowering.rows();
    let of = |op, heads| if group.has(op) { heads } else { 0 };
    let heads = of(OpKind::RopeQ, model.heads);
    let kv_heads = of(OpKind::RopeK, model.kv_heads);
    let mut pair = |from: TensorKind, to: TensorKind, heads: u64| {
        if heads == 0 {
            return [Arg::Null, Arg::Null];
        }
        [from, to].map(|kind| Arg::Buffer(lowering.activation(kind, group.layer)))
    };
    let [q, qr] = pair(TensorKind::Q, TensorKind::Qr, heads);
    let [k, kr] = pair(TensorKind::K, TensorKind::Kr, kv_heads);

    let unit = lowering
        .unit(group.family, Variant::Plain, &["tile/rotary.cu"])?
        .define("HEAD", head);
    let packs = (heads + kv_heads) * head / 2 * lowering.elem() / 16;
    let mut launch = launch(lowering, group, unit);
    launch.grid = blocks(rows)?;
    launch.threads = warps(lowering, packs, 256);
    launch.args = vec![
        q,
        k,
        qr,
        kr,
        lowering.int(rows)?,
        lowering.int(heads)?,
        lowering.int(kv_heads)?,
        lowering.int(lowering.shape().seq)?,
        lowering.int(lowering.cap())?,
        lowering.int(lowering.past())?,
        Arg::F32(model.rope_theta as f32),
    ];
    Ok(launch)
}

/// silu, mul, or both: a thread per pack of 16 bytes. The last of the tensors is
/// written.
pub(super) fn elementwise(
    lowering: &mut Lowering<'_>,
    group: &Group<'_>,
    tensors: &[TensorKind],
) -> Result<Launch, Lacks> {
    let n = lowering.rows() * lowering.model().ffn;
    let packs = (n * lowering.elem()).div_ceil(16);
    let unit = lowering.unit(group.family, Variant::Plain, &["tile/elementwise.cu"])?;
    let mut launch = launch(lowering, group, unit);
    launch.grid = blocks(packs.div_ceil(u64::from(ELEMENTWISE_THREADS)))?;
    launch.threads = ELEMENTWISE_THREADS;
    launch.args = tensors
        .iter()
        .map(|kind| Arg::Buffer(lowering.activation(*kind, group.layer)))
        .collect();
    let n = i64::try_from(n).map_err(|_| Lacks::new(format!("a tensor of {n} elements")))?;
    launch.args.push(Arg::I64(n));
    Ok(launch)
}

/// A launch of one of these kernels: all call `grid_wait`, so that they may start
/// while the kernel in front of them ends.
pub(super) fn launch(lowering: &Lowering<'_>, group: &Group<'_>, unit: CompileUnit) -> Launch {
    Launch {
        overlap: lowering.setup.target.sm() >= 900,
        ..group.launch(unit)
    }
}

/// A launch whose rows have `width` elements: a block per row, or a warp per
/// row where a warp holds one.
fn per_row(lowering: &Lowering<'_>, group: &Group<'_>, width: u64) -> Result<Launch, Lacks> {
    let warp = u64::from(lowering.setup.target.warp);
    let sms = u64::from(lowering.setup.target.sms);
    let rows = lowering.rows();
    let packs = (width * lowering.elem()).div_ceil(16);
    let whole = (width * lowering.elem()).is_multiple_of(16);
    let narrow = packs <= warp * PACKS_PER_THREAD && rows > sms * ROWS_PER_BLOCK;
    let unit = lowering
        .unit(group.family, Variant::Plain, &["tile/row.cu"])?
        .define("NARROW", u32::from(narrow))
        .define("WHOLE", u32::from(whole));
    let mut launch = launch(lowering, group, unit);
    if narrow {
        launch.grid = blocks(rows.div_ceil(ROWS_PER_BLOCK))?;
        launch.threads = (warp * ROWS_PER_BLOCK) as u32;
    } else {
        launch.grid = blocks(rows)?;
        let each = if rows < sms * MANY_ROWS {
            PACKS_PER_THREAD / 2
        } else {
            PACKS_PER_THREAD
        };
        launch.threads = warps(lowering, packs.div_ceil(each), 1024);
    }
    Ok(launch)
}

/// `threads` rounded up to whole warps, at most `most`.
fn warps(lowering: &Lowering<'_>, threads: u64, most: u64) -> u32 {
    let warp = u64::from(lowering.setup.target.warp);
    threads.div_ceil(warp).max(1).saturating_mul(warp).min(most) as u32
}

/// A grid of so many blocks in one dimension.
pub(super) fn blocks(count: u64) -> Result<Grid, Lacks> {
    match u32::try_from(count) {
        Ok(count) if i32::try_from(count).is_ok() => Ok(Grid::Blocks([count.max(1), 1, 1])),
        _ => Err(Lacks::new(format!(
            "a grid of {count} blocks (less than 2³¹ fit)"
        ))),
    }
}

/// The nodes of the group's ops.
pub(super) fn nodes<'a, const N: usize>(
    lowering: &Lowering<'a>,
    group: &Group<'_>,
) -> Result<[&'a Node; N], Lacks> {
    let graph = lowering.setup.graph;
    let nodes: Vec<&Node> = group
        .kernel
        .ops
        .clone()
        .filter_map(|i| graph.nodes.get(i))
        .collect();
    nodes.try_into().map_err(|_| Lacks::new(&group.name))
}

/// The buffer of the `which`th tensor that a node reads.
pub(super) fn read(lowering: &mut Lowering<'_>, node: &Node, which: usize) -> Result<Arg, Lacks> {
    let id = node.reads.get(which).copied();
    let id = id.ok_or_else(|| Lacks::new(format!("{} without its operand", node.op.name())))?;
    Ok(Arg::Buffer(lowering.tensor(id)))
}

/// The buffer of a node's weight.
pub(super) fn weight(lowering: &mut Lowering<'_>, node: &Node) -> Result<Arg, Lacks> {
    let WeightId { kind, layer } = node
        .weight
        .ok_or_else(|| Lacks::new(format!("{} without a weight", node.op.name())))?;
    Ok(Arg::Buffer(lowering.weight(kind, layer)))
}

#[cfg(test)]
mod tests;
