//! Launches, FLOPs, bytes, intensity: what follows from a shape and a cut.

use super::draw::Draw;
use super::scene::Scene;
use super::{Pattern, Question, Topic};
use crate::answer::Setting;
use plan::cost::{GpuDatabase, KernelCost};
use plan::fusion::Boundary;
use plan::model::{Dtype, OpKind};

const fn of(
    id: &'static str,
    topic: Topic,
    make: fn(&mut Draw, &Scene, &GpuDatabase) -> Option<Question>,
) -> Pattern {
    Pattern { id, topic, make }
}

pub(super) const PATTERNS: &[Pattern] = &[
    of("launches.block", Topic::Launches, |_, _, _| {
        Some(
            Question::new(
                "How many kernels does one block of this cut launch?",
                "A launch for each kernel, and the kernels of the cut are listed: count them.",
                "block.launches",
            )
            .exact()
            .slip(
                "block(v1).launches",
                "This is V1, before anything was merged.",
            )
            .slip(
                "forward.launches",
                "This is the whole forward. The question asks for one block.",
            )
            .slip(
                "block.products",
                "These are the kernels that hold a matrix product. The others launch too.",
            )
            .why("block.launches"),
        )
    }),
    of("launches.forward", Topic::Launches, |_, _, _| {
        Some(
            Question::new(
                "How many launches does a whole forward of this cut make?",
                "The kernels of a block, L times, and those around the blocks: embedding, final norm and head.",
                "forward.launches",
            )
            .exact()
            .slip("block.launches * L", "This is the blocks alone. The embedding, the final norm and the head are launches too.")
            .slip("block.launches", "This is one block.")
            .slip("forward(v1).launches", "This is V1, before anything was merged.")
            .why("forward.launches"),
        )
    }),
    of("launches.saved", Topic::Launches, |_, _, _| {
        Some(
            Question::new(
                "What share of the launches of a block does this cut save against V1?",
                "One minus the launches of this cut over those of V1, both of one block. V1 launches every op, RoPE of q and k as one.",
                "1 - block.launches / block(v1).launches",
            )
            .share()
            .slip(
                "block.launches / block(v1).launches",
                "This is the share that is left.",
            )
            .slip(
                "1 - forward.launches / forward(v1).launches",
                "This is the share of a whole forward. The question asks for a block.",
            )
            .why("block.launches"),
        )
    }),
    of("flops.kernel", Topic::Flops, |draw, _, _| {
        let op = Scene::op(draw, OpKind::is_product)?;
        Some(
            Question::new(
                format!("FLOPs of {op}, in one block?"),
                "A product of m×k by k×n is 2·m·k·n operations. Those of attention are made for each of the H heads.",
                format!("kernel(v1, {op}).flops"),
            )
            .counted("FLOP")
            .slip(
                format!("kernel(v1, {op}).flops * L"),
                "This is all layers. The question asks for one block.",
            )
            .why_v1(format!("kernel.{op}.flops")),
        )
    }),
    of("flops.other", Topic::Flops, |draw, _, _| {
        let op = Scene::op(draw, |op| !op.is_product())?;
        Some(
            Question::new(
                format!("FLOPs of {op}, in one block?"),
                "How many elements does it work on, and what is done to each? Page 90 counts it op by op, in letters.",
                format!("kernel(v1, {op}).flops"),
            )
            .counted("FLOP")
            .slip(format!("kernel(v1, {op}).written_bytes / a"), "This is one operation per element that is written. Count what the op does to each.")
            .why_v1(format!("kernel.{op}.flops")),
        )
    }),
    of("flops.products", Topic::Flops, |_, _, _| {
        Some(
            Question::new(
                "FLOPs of all matrix products of one block?",
                "q, k, v and o, qk and pv, gate, up and down: each is 2·m·k·n, two operations for a multiplication and its addition.",
                "block(v1).gemm_flops",
            )
            .counted("FLOP")
            .slip("block(v1).gemm_flops - sum(qk pv).flops", "The two products of attention, qk and pv, have no weight and are products all the same.")
            .slip("block(v1).gemm_flops * L", "This is all layers. The question asks for one block.")
            .slip("block(v1).gemm_flops - kernel(v1, gate).flops", "SwiGLU has three products: gate, up and down.")
            .why_v1("block.gemm_flops"),
        )
    }),
    of("bytes.kernel", Topic::Bytes, |draw, _, _| {
        let op = Scene::op(draw, |_| true)?;
        Some(
            Question::new(
                format!("Bytes that the kernel {op} moves in V1?"),
                "What it reads of activations, its weights once, and what it writes: elements, times the bytes of one.",
                format!("kernel(v1, {op}).bytes"),
            )
            .counted("B")
            .slip(
                format!("kernel(v1, {op}).bytes / a * 1 B"),
                "This is the number of elements. Multiply by the bytes of one.",
            )
            .slip(
                format!("kernel(v1, {op}).read_bytes"),
                "This is what it reads of activations. What it writes counts too, and so do weights where it has any.",
            )
            .slip(
                format!("kernel(v1, {op}).bytes - kernel(v1, {op}).written_bytes"),
                "This is everything that it reads. What it writes counts too.",
            )
            .under(
                vec![Setting::NoWeights(true)],
                "This leaves out the weights; a kernel reads each of them once.",
            )
            .why_v1(format!("kernel.{op}.bytes")),
        )
    }),
    of("bytes.merged", Topic::Bytes, |draw, scene, _| {
        let kernel = scene.merged(draw)?;
        let (ops, first) = (listed(kernel), *kernel.ops.first()?);
        Some(
            Question::new(
                format!("Bytes that the kernel of {ops} moves in this cut?"),
                "What comes from other kernels, each tensor once, the weights, and what other kernels still need of what it makes. The rest stays inside.",
                format!("kernel({first}).bytes"),
            )
            .counted("B")
            .slip(format!("sum({}).bytes", kernel.ops.join(" ")), "This is what its ops move as kernels of their own. What stays inside a kernel does not travel.")
            .under(vec![Setting::NoWeights(true)], "This leaves out the weights; merging does not remove them.")
            .why(format!("kernel.{first}.bytes")),
        )
    }),
    of("bytes.saved", Topic::Bytes, |_, _, _| {
        Some(
            Question::new(
                "What share of the bytes of a block does this cut save against V1?",
                "One minus the bytes of this cut over those of V1, both of one block. Ask of each wall that is down which trips it ended.",
                "1 - block.bytes / block(v1).bytes",
            )
            .share()
            .slip(
                "block.bytes / block(v1).bytes",
                "This is the share that is left.",
            )
            .slip(
                "1 - block.launches / block(v1).launches",
                "This is the share of the launches.",
            )
            .slip(
                "1 - forward.bytes / forward(v1).bytes",
                "This is the share of a whole forward. The question asks for a block.",
            )
            .under(
                vec![Setting::NoWeights(true)],
                "This leaves the weights out of both sides. They are read in any cut.",
            )
            .why("block.bytes"),
        )
    }),
    of("bytes.wall", Topic::Bytes, |draw, _, _| {
        let walls: Vec<Boundary> = Boundary::of_block()
            .filter(|w| *w != Boundary::CROSS)
            .collect();
        let (a, b) = draw.pick(&walls)?.sides()?;
        if [a, b]
            .iter()
            .any(|op| matches!(op, OpKind::RopeQ | OpKind::RopeK))
        {
            return None;
        }
        let (a, b) = (a.name(), b.name());
        Some(
            Question::new(
                format!("V1, and the wall between {a} and {b} is taken down: how many bytes does that save?"),
                "Which tensor crosses this wall, or is read on both of its sides? Count each trip that is needed no more.",
                format!("price({a}, {b})"),
            )
            .counted("B")
            .slip(format!("2 * price({a}, {b})"), "This counts the tensor twice as often as it stops travelling. Is it still needed elsewhere?")
            .slip(format!("price({a}, {b}) / 2"), "This counts one way. A tensor that nobody else needs is neither written nor read.")
            .why_v1("block.bytes"),
        )
    }),
    of("intensity.kernel", Topic::Intensity, |draw, scene, _| {
        let op = Scene::op(draw, |_| true)?;
        Some(
            intensity(
                scene,
                format!("Intensity of the kernel {op} in V1, in FLOP per byte?"),
                "Operations over bytes: all that it reads, the weights included, and all that it writes.",
                format!("kernel(v1, {op}).intensity"),
            )
            .why_v1(format!("kernel.{op}.intensity")),
        )
    }),
    of("intensity.block", Topic::Intensity, |_, scene, _| {
        Some(
            intensity(
                scene,
                "Intensity of one block of this cut, in FLOP per byte?",
                "Operations over bytes. Merging leaves the operations as they are; the bytes are those of this cut, weights included.",
                "block.intensity",
            )
            .slip(
                "block(v1).intensity",
                "This is V1. The cut moves fewer bytes.",
            )
            .why("block.intensity"),
        )
    }),
];

fn other(dtype: Dtype) -> Dtype {
    match dtype {
        Dtype::Fp32 => Dtype::Bf16,
        Dtype::Bf16 => Dtype::Fp32,
    }
}

/// `qk, softmax and pv`.
fn listed(kernel: &KernelCost) -> String {
    match kernel.ops.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => kernel.ops.concat(),
    }
}

/// A question for an intensity, with the other ways of counting one.
fn intensity(
    scene: &Scene,
    ask: impl Into<String>,
    hint: &str,
    answer: impl Into<String>,
) -> Question {
    Question::new(ask, hint, answer)
        .unit("FLOP/B")
        .under(
            vec![Setting::NoWeights(true)],
            "The weights are missing below the line.",
        )
        .under(
            vec![Setting::Dtype(other(scene.dtype))],
            "This is the intensity for the other element type.",
        )
        .under(
            vec![Setting::Macs(true)],
            "This counts a multiply-accumulate as one operation.",
        )
}
