//! Figures of merit of a run, as reports of programs have them: tokens per second, memory
//! held beside what the model says, model FLOPs utilisation by both conventions, time by
//! component, and the kernels that take most of it. One value for shell and pages; `shown`
//! is how both write it.

mod shown;
mod times;

pub use shown::{NAME, Row, Table, apart, cached, hotspots, rows, sources};
pub use times::{ComponentTime, Hotspot, Times};

use crate::profile::framework::utilisation;
use plan::cost::{Cost, Gpu, GpuDatabase, KernelCost, Roof};
use plan::model::Dtype;
use plan::run::{BackendKind, LookUps, Report};
use serde::Serialize;

/// The roofs of the device that ran.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofs {
    /// Whose they are, and where they come from: `H200, data sheet`.
    pub of: String,
    /// Over kernels that hold a matrix product.
    pub products: Roof,
    /// Over the others.
    pub others: Roof,
}

impl Roofs {
    /// Those of a GPU's data sheet; none where it lacks the element type.
    pub fn of_gpu(gpu: &Gpu, dtype: Dtype) -> Option<Self> {
        Some(Self {
            of: format!("{}, data sheet", gpu.short),
            products: Roof::of(gpu, dtype, true).ok()?,
            others: Roof::of(gpu, dtype, false).ok()?,
        })
    }

    /// Those of the GPU that a report is of, by its data sheet; none where a CPU ran it, or
    /// a GPU that the database does not hold.
    pub fn of_report(report: &Report, gpus: &GpuDatabase, dtype: Dtype) -> Option<Self> {
        let kind = BackendKind::parse(&report.backend).ok()?;
        let gpu = gpus.named_in(&report.device).filter(|_| kind.is_gpu())?;
        Self::of_gpu(gpu, dtype)
    }

    /// What a kernel takes at least, in seconds.
    pub fn floor(&self, kernel: &KernelCost) -> f64 {
        self.over(kernel)
            .floor_seconds(kernel.flops, kernel.bytes())
    }

    /// What its bytes alone take, in seconds.
    fn moved(&self, kernel: &KernelCost) -> f64 {
        self.over(kernel).floor_seconds(0, kernel.bytes())
    }

    fn over(&self, kernel: &KernelCost) -> Roof {
        match kernel.has_product() {
            true => self.products,
            false => self.others,
        }
    }
}

/// The figures of one run. Times are of a whole forward.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct Merit {
    /// Tokens of all sequences that a forward takes in, over its median time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_second: Option<f64>,
    /// The median deviation of the time, as tokens per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_second_mad: Option<f64>,
    /// Bytes that were held while it ran, counted; a report has them as `held_bytes`.
    #[serde(skip)]
    pub held_bytes: Option<u64>,
    /// Bytes held by the model: weights, cache, peak of the activations.
    pub held_bytes_modelled: u64,
    /// Whose roofs shares are of, and where they come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roof: Option<String>,
    /// Share of the peak of that roof, all FLOPs of the model counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_flops_utilisation: Option<f64>,
    /// The same with two FLOPs for each weight and token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_flops_utilisation_of_weights: Option<f64>,
    /// Share of what the L2 was asked for that it held, by the device's counters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l2_hit_rate: Option<f64>,
    /// Kernel by kernel, where that was recorded.
    #[serde(flatten)]
    pub times: Option<Times>,
}

impl Merit {
    /// The figures of a run of the plan that `cost` prices, under the roofs of the device
    /// that ran it.
    pub fn of(report: &Report, cost: &Cost, roofs: Option<&Roofs>) -> Self {
        let shape = &cost.config.shape;
        let timed = report.time_us.as_ref().filter(|t| t.median > 0.0);
        let rate = timed.map(|t| (shape.batch * shape.seq) as f64 / (1e-6 * t.median));
        let seconds = timed.map(|t| 1e-6 * t.median);
        let shares = seconds.zip(roofs).map(|(seconds, roofs)| {
            utilisation(cost, roofs.products.flops_per_second, seconds).map(Some)
        });
        let [all, of_weights] = shares.unwrap_or_default();
        Self {
            tokens_per_second: rate,
            tokens_per_second_mad: timed.zip(rate).map(|(t, rate)| rate * t.mad / t.median),
            held_bytes: report.held_bytes,
            held_bytes_modelled: cost.held(),
            roof: roofs.map(|roofs| roofs.of.clone()),
            model_flops_utilisation: all,
            model_flops_utilisation_of_weights: of_weights,
            l2_hit_rate: report.bytes.l2.and_then(LookUps::rate),
            times: Times::of(report, cost, roofs),
        }
    }
}

#[cfg(test)]
mod tests;
