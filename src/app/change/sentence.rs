//! What is said of a change of plan.

use plan::cost::Cost;
use plan::units::figure;
use study::lab::Scope;

/// What was changed, for the sentence about it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Flip,
    Wall,
    Version,
}

/// One sentence about a change of plan: of a block, and where blocks share a launch before
/// or behind it, of the forward.
pub(super) fn changed(before: &Cost, now: &Cost, v1: &Cost, change: Change) -> String {
    let from = if change == Change::Version {
        v1
    } else {
        before
    };
    let scope = Scope::of_change(from, now);
    let column = figure::byte_column(scope.of(v1).bytes());
    let unit = column.unit();
    let (old, new) = (scope.of(from).bytes(), scope.of(now).bytes());
    let arrow = format!(
        "{} {} → {} {} =",
        scope.name(),
        figure::bytes(column, old),
        figure::bytes(column, new),
        unit.symbol()
    );
    let percent = compared(old, new);
    if change == Change::Version {
        let intensity = format!("{} FLOP/B", figure::fixed(scope.of(now).intensity(), 2));
        if now.config.cut == v1.config.cut {
            let bytes = figure::bytes(column, new);
            return format!("V1: block {bytes} {} = · {intensity}", unit.symbol());
        }
        let weights = scope.of(now).weight_bytes;
        if weights * 2 > new {
            return format!(
                "{arrow} {percent} · {} of it are weights · {intensity}",
                figure::bytes(column, weights)
            );
        }
        return format!("{arrow} {percent} than V1 · {intensity}");
    }
    let (peak, v1_peak) = (now.peak.bytes, v1.peak.bytes);
    let as_v1 = if peak == v1_peak { " as V1" } else { "" };
    let peak = format!(
        "peak {} {}{as_v1}",
        figure::bytes(column, peak),
        unit.symbol()
    );
    let kept = |cost: &Cost| {
        !cost
            .block
            .kernels
            .iter()
            .any(|k| k.moved.iter().any(|m| m.name == "sc"))
    };
    let (was, is) = (scope.of(before).launches(), scope.of(now).launches());
    let what = if scope == Scope::Block && kept(now) && !kept(before) {
        "scores stay on chip".to_owned()
    } else if is < was {
        format!("{} less", figure::counted(was - is, "launch", "launches"))
    } else if is > was {
        format!("{} more", figure::counted(is - was, "launch", "launches"))
    } else {
        "launches as before".to_owned()
    };
    format!("{arrow} {percent} · {what} · {peak}")
}

/// How far `new` bytes are from `old` ones, in words.
fn compared(old: u64, new: u64) -> String {
    let part = 100.0 * (1.0 - new as f64 / old.max(1) as f64);
    match new.cmp(&old) {
        std::cmp::Ordering::Less => format!("{:>5} % less", figure::shown(part, 2)),
        std::cmp::Ordering::Equal => "as before".to_owned(),
        std::cmp::Ordering::Greater if new >= 2 * old => {
            format!("{} times", figure::fixed(new as f64 / old.max(1) as f64, 1))
        }
        std::cmp::Ordering::Greater => format!("{:>5} % more", figure::shown(-part, 2)),
    }
}

#[cfg(test)]
mod tests;
