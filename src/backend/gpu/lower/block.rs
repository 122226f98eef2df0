//! One launch for a whole block, or for the whole forward: `block_decode` for
//! one new token of a few sequences, `block` for everything else (on Hopper, for
//! bf16, its own variant).

mod decode;
mod hopper;
mod tiled;

use decode::{decode, decode_shared};
use tiled::tiles;

use super::{Group, Lowering};
use crate::gpu::catalogue::Lacks;
use crate::gpu::program::{Arg, BufferId, Contents, Launch};
use plan::cost::Vendor;
use plan::model::{TensorKind, WeightKind};

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

#[cfg(test)]
mod tests;
