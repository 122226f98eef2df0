//! A floor unfolded: of each kernel the larger of two times.

use super::{Figure, Made, Why, WhyUnit, alike};
use crate::cost::{Bound, KernelCost, Priced, Roof};
use crate::units::significant;

/// Unfolds the floor of kernels that run one after another, each under its roof; `None` where
/// a kernel has none. `what` they are: `the forward`. `of` whose roof it is.
pub fn why_floor(
    priced: &Priced,
    what: &str,
    of: &str,
    roof: impl Fn(&KernelCost) -> Option<Roof>,
) -> Option<Why> {
    let mut sum = 0.0;
    let mut terms = Vec::new();
    for (kernel, times) in alike(priced) {
        let each = of_kernel(kernel, roof(kernel)?);
        let Figure::Real(one) = each.value else {
            return None;
        };
        sum += one * times as f64;
        terms.push(match times {
            1 => each,
            _ => Why::times(&kernel.name, Figure::Real(one * times as f64), times, each),
        });
    }
    let mut why = Why::sum(format!("floor of {what}"), 0, WhyUnit::Micros, terms);
    why.value = Figure::Real(sum);
    Some(why.noted(format!("roof: {of}")))
}

/// A rate with the prefix that people give it: `4,286 G`, `51.00 T`.
fn scaled(per_second: f64) -> String {
    match per_second < 1e13 {
        true => format!("{} G", significant(per_second / 1e9, 4)),
        false => format!("{} T", significant(per_second / 1e12, 4)),
    }
}

fn of_kernel(kernel: &KernelCost, roof: Roof) -> Why {
    let (flops, bytes) = (kernel.flops, kernel.bytes());
    let side = |what: &str, over: &str, work: u64, per_second: f64, unit: &str| Why {
        value: Figure::Real(1e6 * work as f64 / per_second),
        formula: format!("{what} / {over}"),
        numbers: format!("{work} / {}{unit}/s", scaled(per_second)),
        ..Why::sum(what, 0, WhyUnit::Micros, Vec::new())
    };
    let sides = vec![
        side("FLOPs", "peak", flops, roof.flops_per_second, "FLOP"),
        side("bytes", "bandwidth", bytes, roof.bytes_per_second, "B"),
    ];
    let larger = match roof.bound(flops, bytes) {
        Bound::Compute => "FLOPs / peak",
        Bound::Memory => "bytes / bandwidth",
    };
    Why {
        value: Figure::Real(1e6 * roof.floor_seconds(flops, bytes)),
        formula: format!("the larger: {larger}"),
        made: Made::Larger,
        ..Why::sum(kernel.name.clone(), 0, WhyUnit::Micros, sides)
    }
}
