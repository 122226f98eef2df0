//! What is said of a change of plan.

use plan::cost::Cost;
use plan::units::figure;

/// What was changed, for the sentence about it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Flip,
    Wall,
    Version,
}

/// One sentence about a change of plan.
pub(super) fn changed(before: &Cost, now: &Cost, v1: &Cost, change: Change) -> String {
    let column = figure::byte_column(v1.block.bytes());
    let unit = column.unit();
    let from = if change == Change::Version {
        v1
    } else {
        before
    };
    let (old, new) = (from.block.bytes(), now.block.bytes());
    let arrow = format!(
        "block {} → {} {} =",
        figure::bytes(column, old),
        figure::bytes(column, new),
        unit.symbol()
    );
    let part = 100.0 * (1.0 - new as f64 / old.max(1) as f64);
    let percent = match new.cmp(&old) {
        std::cmp::Ordering::Less => format!("{part:5.2} % less"),
        std::cmp::Ordering::Equal => "as before".to_owned(),
        std::cmp::Ordering::Greater if new >= 2 * old => {
            format!("{:.1} times", new as f64 / old.max(1) as f64)
        }
        std::cmp::Ordering::Greater => format!("{:5.2} % more", -part),
    };
    if change == Change::Version {
        let intensity = format!("{:.2} FLOP/B", now.block.intensity());
        if now.config.cut == v1.config.cut {
            let bytes = figure::bytes(column, new);
            return format!("V1: block {bytes} {} = · {intensity}", unit.symbol());
        }
        if now.block.weight_bytes * 2 > new {
            return format!(
                "{arrow} {percent} · {} of it are weights · {intensity}",
                figure::bytes(column, now.block.weight_bytes)
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
    let (was, is) = (before.block.launches(), now.block.launches());
    let what = if kept(now) && !kept(before) {
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
