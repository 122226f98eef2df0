//! Ridge, floor and bound (cost model, "Roofline"; Williams, Waterman and
//! Patterson, "Roofline", CACM 52(4), 2009).

use super::{CostError, Gpu, KernelCost, Priced};
use crate::model::Dtype;

/// The roof over one kernel: FLOP/s of its unit, and B/s of memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Roof {
    /// FLOP/s.
    pub flops_per_second: f64,
    /// B/s.
    pub bytes_per_second: f64,
}

/// Which side of the roof a kernel meets first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Its bytes take longer than its FLOPs.
    Memory,
    /// Its FLOPs take at least as long as its bytes.
    Compute,
}

impl Bound {
    /// `memory` or `compute`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Compute => "compute",
        }
    }
}

impl Roof {
    /// The roof of a GPU over kernels with or without a matrix product.
    ///
    /// # Errors
    /// When the GPU has no peak for the type.
    pub fn of(gpu: &Gpu, dtype: Dtype, product: bool) -> Result<Self, CostError> {
        let flops_per_second = gpu.peak_flops(dtype, product).ok_or_else(|| {
            CostError::new(format!(
                "{} has no {} peak in the GPU database; use fp32, or another GPU",
                gpu.name,
                dtype.name()
            ))
        })?;
        Ok(Self {
            flops_per_second,
            bytes_per_second: gpu.bandwidth(),
        })
    }

    /// FLOP/B at which both sides take equally long.
    pub fn ridge(&self) -> f64 {
        self.flops_per_second / self.bytes_per_second
    }

    /// FLOP/s that work of this intensity (FLOP/B) reaches at most.
    pub fn attainable(&self, intensity: f64) -> f64 {
        self.flops_per_second.min(self.bytes_per_second * intensity)
    }

    /// Seconds that the work takes at least.
    pub fn floor_seconds(&self, flops: u64, bytes: u64) -> f64 {
        (flops as f64 / self.flops_per_second).max(bytes as f64 / self.bytes_per_second)
    }

    /// Which side is met first.
    pub fn bound(&self, flops: u64, bytes: u64) -> Bound {
        if (flops as f64 / self.flops_per_second) < bytes as f64 / self.bytes_per_second {
            Bound::Memory
        } else {
            Bound::Compute
        }
    }
}

/// The ridge of a GPU for matrix products of a type, in FLOP/B.
///
/// # Errors
/// When the GPU has no peak for the type.
pub fn ridge(gpu: &Gpu, dtype: Dtype) -> Result<f64, CostError> {
    Ok(Roof::of(gpu, dtype, true)?.ridge())
}

/// The floor of one kernel in seconds: max(FLOPs / peak, bytes / bandwidth).
///
/// # Errors
/// When the GPU has no peak for the type.
pub fn kernel_floor_seconds(
    kernel: &KernelCost,
    gpu: &Gpu,
    dtype: Dtype,
) -> Result<f64, CostError> {
    let roof = Roof::of(gpu, dtype, kernel.has_product())?;
    Ok(roof.floor_seconds(kernel.flops, kernel.bytes()))
}

/// The floor of kernels that run one after another: the sum of their floors.
/// Launch cost is not in it.
///
/// # Errors
/// When the GPU has no peak for the type.
pub fn floor_seconds(priced: &Priced, gpu: &Gpu, dtype: Dtype) -> Result<f64, CostError> {
    priced
        .kernels
        .iter()
        .try_fold(0.0, |sum, k| Ok(sum + kernel_floor_seconds(k, gpu, dtype)?))
}

/// Which side of its roof a kernel meets first.
///
/// # Errors
/// When the GPU has no peak for the type.
pub fn bound(kernel: &KernelCost, gpu: &Gpu, dtype: Dtype) -> Result<Bound, CostError> {
    let roof = Roof::of(gpu, dtype, kernel.has_product())?;
    Ok(roof.bound(kernel.flops, kernel.bytes()))
}
