//! What the parts of a forward cost on one machine, found from timed forwards, and the
//! time of any other that follows from it.
//!
//! A kernel takes its launch, its waits of the whole grid, and the longer of what it
//! computes and what it moves, rounded where the two are near. A product takes its FLOPs
//! at the rate of wide products, but no less than its sum takes element after element, nor
//! than its weight takes to pass by; a forward has a beginning and an end of its own. What
//! these cost is fitted to forwards of many shapes at once ([`fit`]), never typed.
//!
//! | module | holds |
//! |---|---|
//! | `work` | what a forward asks for, as the numbers that its time is a function of |
//! | `fit` | least squares through the logarithms of times |
//! | `design` | the forwards that a machine is asked for |

mod design;
mod fit;
mod work;

pub(crate) use design::title;
pub use design::{Extent, held_out, points};
pub use fit::fit;
pub use work::{Kernel, Tiles, Work};

use serde::{Deserialize, Serialize};

use plan::cost::Config;
use plan::model::Dtype;
use plan::run::median;

/// Seconds that each part costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// A forward's beginning and end.
    pub start: f64,
    /// A launch.
    pub launch: f64,
    /// A wait of the whole grid inside a kernel.
    pub wait: f64,
    /// A FLOP of a wide product.
    pub product: f64,
    /// An element of the summed dimension of a product that is too small to fill the machine.
    pub step: f64,
    /// An element of a weight that passes by.
    pub weight: f64,
    /// A FLOP of scores and weighted values.
    pub attention: f64,
    /// A FLOP of everything else.
    pub other: f64,
    /// A byte, where all that a forward touches stays in a cache.
    pub near: f64,
    /// A byte, where it does not.
    pub far: f64,
    /// How many times as long products take in a kernel that waits.
    pub merged: f64,
}

impl Costs {
    /// How many there are.
    pub const COUNT: usize = 11;

    /// As a list, in the order of the fields.
    pub const fn list(&self) -> [f64; Self::COUNT] {
        [
            self.start,
            self.launch,
            self.wait,
            self.product,
            self.step,
            self.weight,
            self.attention,
            self.other,
            self.near,
            self.far,
            self.merged,
        ]
    }

    /// From such a list.
    pub const fn of(list: [f64; Self::COUNT]) -> Self {
        let [
            start,
            launch,
            wait,
            product,
            step,
            weight,
            attention,
            other,
            near,
            far,
            merged,
        ] = list;
        Self {
            start,
            launch,
            wait,
            product,
            step,
            weight,
            attention,
            other,
            near,
            far,
            merged,
        }
    }

    /// Seconds of a kernel; `small`: all that the forward touches stays in a cache.
    pub fn kernel(&self, kernel: &Kernel, small: bool) -> f64 {
        let merged = if kernel.waits > 0.0 { self.merged } else { 1.0 };
        let product = |p: &[f64; 3]| {
            let [flops, length, weight] = *p;
            longer(&[
                flops * self.product * merged,
                length * self.step,
                weight * self.weight,
            ])
        };
        let computed = kernel.products.iter().map(product).sum::<f64>()
            + kernel.attention * self.attention
            + kernel.other * self.other;
        let byte = if small { self.near } else { self.far };
        self.launch + self.wait * kernel.waits + longer(&[computed, kernel.bytes * byte])
    }
}

/// The largest of some times, rounded where several are near: the third root of the sum
/// of cubes, at most 1.44 times the largest of three.
fn longer(times: &[f64]) -> f64 {
    let most = times.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return 0.0;
    }
    let sum: f64 = times.iter().map(|t| (t / most).powi(3)).sum();
    most * sum.cbrt()
}

/// One forward that was timed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// What it was.
    pub title: String,
    /// Seconds that it took.
    pub seconds: f64,
    /// Seconds by a fit that did not see it.
    pub predicted: f64,
}

impl Seen {
    /// How far off the prediction was, as a share of what was measured.
    pub fn error(&self) -> f64 {
        (self.predicted / self.seconds - 1.0).abs()
    }
}

/// A machine, calibrated for one element type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The backend.
    pub backend: String,
    /// The device as a report names it.
    pub device: String,
    /// The element type.
    pub dtype: Dtype,
    /// What the parts cost.
    pub costs: Costs,
    /// Bytes up to which all that a forward touches counts as near.
    pub near_bytes: f64,
    /// The forwards that it was fitted to, each with the prediction of a fit without it.
    pub seen: Vec<Seen>,
    /// FLOPs and bytes of the forwards, the least and the most.
    pub flops: [f64; 2],
    /// The same of bytes.
    pub bytes: [f64; 2],
    /// What disturbed the times of the forwards, where something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbed: Option<String>,
}

/// A predicted time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// Seconds.
    pub seconds: f64,
    /// Nine of ten are above it.
    pub low: f64,
    /// Nine of ten are below it.
    pub high: f64,
}

impl Calibration {
    /// What a configuration asks of this machine.
    ///
    /// # Errors
    /// A sentence: it cannot be priced.
    pub fn work(&self, config: &Config) -> Result<Work, String> {
        Work::of(config, Tiles::of(&self.backend))
    }

    /// Seconds of a forward.
    pub fn seconds(&self, work: &Work) -> f64 {
        let small = work.touched <= self.near_bytes;
        let kernels = work.kernels.iter();
        let sum: f64 = kernels
            .map(|(kernel, times)| times * self.costs.kernel(kernel, small))
            .sum();
        self.costs.start + sum
    }

    /// The time of a configuration with the interval in which eight of ten lie, by the
    /// errors of fits that did not see what they predicted.
    ///
    /// # Errors
    /// A sentence: a configuration that cannot be priced, or another element type.
    pub fn predict(&self, config: &Config) -> Result<Predicted, String> {
        if config.dtype != self.dtype {
            return Err(format!(
                "{} was calibrated for {}, and {} is asked",
                self.device,
                self.dtype.name(),
                config.dtype.name()
            ));
        }
        let seconds = self.seconds(&self.work(config)?);
        let mut off: Vec<f64> = self
            .seen
            .iter()
            .map(|s| (s.seconds / s.predicted).ln())
            .filter(|x| x.is_finite())
            .collect();
        off.sort_by(f64::total_cmp);
        // Of n errors and the next, one in ten is below the k-th: k = (n + 1) / 10.
        let outer = ((off.len() + 1) / 10).saturating_sub(1);
        let low = off.get(outer).copied().unwrap_or(0.0);
        let high = off
            .get(off.len().saturating_sub(1 + outer))
            .copied()
            .unwrap_or(0.0);
        Ok(Predicted {
            seconds,
            low: seconds * low.min(0.0).exp(),
            high: seconds * high.max(0.0).exp(),
        })
    }

    /// The median error of predictions of what the fit had not seen.
    pub fn median_error(&self) -> Option<f64> {
        let errors: Vec<f64> = self.seen.iter().map(Seen::error).collect();
        median(&errors)
    }

    /// A word of doubt where something disturbed it.
    pub fn doubt(&self) -> Option<String> {
        let why = self.disturbed.as_ref()?;
        Some(format!(
            "The calibration was disturbed @: {why}. study predict --calibrate makes another."
        ))
    }

    /// Whether a forward is more than twice as large, or less than half as large, as what
    /// was timed.
    pub fn outside(&self, work: &Work) -> bool {
        let beyond =
            |value: f64, [least, most]: [f64; 2]| value > 2.0 * most || 2.0 * value < least;
        beyond(work.flops, self.flops) || beyond(work.bytes, self.bytes)
    }
}

#[cfg(test)]
mod tests;
