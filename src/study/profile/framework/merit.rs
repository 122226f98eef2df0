//! A framework's launches beside the plan that joins the same ops, and the figures that
//! reports of programs have: tokens per second, model FLOPs utilisation.

use std::collections::BTreeMap;

use plan::cost::{Cost, CostError, Gpu, KernelCost, kernel_floor_seconds};
use plan::model::OpKind;

use super::{Breakdown, Part};

/// What the plan has for a part, in one forward.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Planned {
    /// Launches.
    pub launches: u64,
    /// What they take at least, in seconds.
    pub floor_seconds: f64,
}

/// The part that an op of the plan is, launched alone.
pub fn part_of(op: OpKind) -> Part {
    match op {
        OpKind::Embed => Part::Embed,
        OpKind::Norm1 | OpKind::Norm2 | OpKind::FinalNorm => Part::Norm,
        OpKind::Q | OpKind::K | OpKind::V => Part::Qkv,
        OpKind::RopeQ | OpKind::RopeK => Part::Rope,
        OpKind::Qk => Part::Qk,
        OpKind::Softmax => Part::Softmax,
        OpKind::Pv => Part::Pv,
        OpKind::O => Part::O,
        OpKind::Res1 | OpKind::Res2 => Part::Residual,
        OpKind::Gate | OpKind::Up => Part::GateUp,
        OpKind::Silu | OpKind::Mul => Part::SiluMul,
        OpKind::Down => Part::Down,
        OpKind::LmHead => Part::LmHead,
    }
}

/// The part that a kernel of a plan is.
fn part(kernel: &KernelCost) -> Option<Part> {
    let ops: Vec<OpKind> = kernel
        .ops
        .iter()
        .filter_map(|op| OpKind::parse(op))
        .collect();
    let flash = ops.contains(&OpKind::Qk) && ops.contains(&OpKind::Softmax);
    Some(match ops.first()? {
        OpKind::Qk if flash => Part::Attention,
        op => part_of(*op),
    })
}

/// The plan's launches and floors by part.
///
/// # Errors
/// An element type that the GPU lacks.
pub fn planned(cost: &Cost, gpu: &Gpu) -> Result<BTreeMap<Part, Planned>, CostError> {
    let mut all: BTreeMap<Part, Planned> = BTreeMap::new();
    for kernel in &cost.forward.kernels {
        let Some(part) = part(kernel) else { continue };
        let sums = all.entry(part).or_default();
        sums.launches += 1;
        sums.floor_seconds += kernel_floor_seconds(kernel, gpu, cost.config.dtype)?;
    }
    Ok(all)
}

/// How fast the program was, of the model and shape that were named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merit {
    /// Tokens per second, from the starts of forwards.
    pub tokens_per_second: f64,
    /// Share of the peak of the element type, all FLOPs of the model counted.
    pub utilisation: Option<f64>,
    /// The same with two FLOPs for each weight and token, attention left out.
    pub of_weights: Option<f64>,
    /// Whether a step is three forwards' work: backward is counted as two.
    pub training: bool,
}

/// Slowest over fastest forward up to which they are taken for the same work.
const ALIKE: f64 = 1.5;

/// The figures; none where forwards differ, or there is only one.
pub fn merit(found: &Breakdown, cost: &Cost, gpu: &Gpu) -> Option<Merit> {
    let seconds = found.period_ns? * 1e-9;
    if seconds <= 0.0 || !found.alike() {
        return None;
    }
    let training = found.rows.iter().any(|row| row.part == Part::Backward);
    let shape = &cost.config.shape;
    let tokens = shape.batch as f64 * shape.seq as f64;
    let work = if training { 3.0 } else { 1.0 };
    let peak = gpu.peak_flops(cost.config.dtype, true);
    let shares = peak.map(|peak| utilisation(cost, peak, seconds / work).map(Some));
    let [utilisation, of_weights] = shares.unwrap_or_default();
    Some(Merit {
        tokens_per_second: tokens / seconds,
        utilisation,
        of_weights,
        training,
    })
}

/// Shares of a peak in FLOP/s of a forward in so many seconds: all FLOPs of the model
/// counted, and two for each weight and token.
pub fn utilisation(cost: &Cost, peak: f64, seconds: f64) -> [f64; 2] {
    let shape = &cost.config.shape;
    let tokens = shape.batch as f64 * shape.seq as f64;
    // The embedding is looked up: it counts once, as the head.
    let of_weights = 2.0 * cost.parameters.0 as f64 * tokens;
    [cost.forward.flops as f64, of_weights].map(|flops| flops / seconds / peak)
}

impl Breakdown {
    /// Whether all forwards did about the same: a prompt and the tokens behind it did not.
    pub fn alike(&self) -> bool {
        let least = self
            .forward_ns
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min);
        let most = self.forward_ns.iter().copied().fold(0.0, f64::max);
        self.builds().len() == 1 && most <= ALIKE * least
    }
}
