//! One new token of a few sequences: rows of weights through a ring in shared memory.

use super::{ends, sizes};
use crate::gpu::catalogue::Lacks;
use crate::gpu::lower::{Group, Lowering};
use crate::gpu::program::{Arg, Grid, Launch};
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
pub(super) fn decode_shared(lowering: &Lowering<'_>) -> Option<u32> {
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

pub(super) fn decode(
    lowering: &mut Lowering<'_>,
    group: &Group<'_>,
    shared: u32,
) -> Result<Launch, Lacks> {
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
