//! Where a measured curve bends, and what the model says there.

use crate::timing::{ALARMS, of_median};
use plan::units::figure::fixed;

/// How the exponent of the time stands to those of FLOPs and bytes.
pub(super) fn beside(low: f64, high: f64, flops: Option<f64>, bytes: Option<f64>) -> String {
    let (Some(flops), Some(bytes)) = (flops, bytes) else {
        return String::new();
    };
    let (least, most) = (flops.min(bytes), flops.max(bytes));
    if high < least {
        format!(
            ", less than FLOPs and bytes ({}): something does not grow with it",
            fixed(least, 2)
        )
    } else if low > most {
        format!(
            ", more than FLOPs and bytes ({}): what a cache held no longer fits",
            fixed(most, 2)
        )
    } else {
        format!("; FLOPs {}, bytes {} =", fixed(flops, 2), fixed(bytes, 2))
    }
}

/// Sizes at which the local exponent of the time changes by more than chance.
pub(super) fn bends(
    x: &[f64],
    flops: &[f64],
    rounds: usize,
    letter: &str,
    in_round: &dyn Fn(usize) -> Vec<f64>,
) -> Vec<String> {
    let local = |y: &[f64], at: usize| -> Option<f64> {
        Some((y.get(at + 1)? / y.get(at)?).ln() / (x.get(at + 1)? / x.get(at)?).ln())
    };
    let corners = x.len().saturating_sub(2);
    let mut said = Vec::new();
    for at in 0..corners {
        let change = |y: &[f64]| Some(local(y, at + 1)? - local(y, at)?);
        let changes: Vec<f64> = (0..rounds)
            .map(|round| change(&in_round(round)).unwrap_or(f64::NAN))
            .collect();
        let found = of_median(&changes, ALARMS / corners as f64);
        let Some(found) = found.filter(|f| f.low > BEND || f.high < -BEND) else {
            continue;
        };
        let below: Vec<f64> = (0..rounds)
            .filter_map(|round| local(&in_round(round), at))
            .collect();
        let (Some(below), Some(size)) = (plan::run::median(&below), x.get(at + 1)) else {
            continue;
        };
        let by_model = change(flops).unwrap_or(0.0);
        let why = match (
            found.middle > 0.0,
            by_model.abs() > found.middle.abs() / 2.0,
        ) {
            (_, true) => "as the FLOPs do",
            (true, false) => {
                "which the FLOPs do not: what was constant is outgrown, or a cache is full"
            }
            (false, false) => "which the FLOPs do not: more work keeps the machine busier",
        };
        said.push(format!(
            "At {letter} = {size} the time bends @: exponent {} below, {} above, {why}.",
            fixed(below, 2),
            fixed(below + found.middle, 2)
        ));
    }
    said
}

/// A change of the local exponent below this is no bend.
const BEND: f64 = 0.15;
