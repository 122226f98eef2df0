//! What the lab says: of a change, and of what the cursor is on.

use super::Hint;
use crate::bench::{Bench, Switch};
use crate::figure;
use crate::machine::Machine;
use plan::cost::{Cost, CostError, Direction};
use plan::fusion::{Boundary, Fusion, Version};

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

/// The line about what the cursor is on.
pub fn hint(bench: &Bench, machine: &Machine, fusion: Fusion) -> Result<Hint, CostError> {
    let name = fusion.name();
    let cost = bench.cost();
    let column = figure::byte_column(bench.v1().block.bytes());
    let unit = column.unit().symbol();
    if bench.switch(fusion) != Switch::Off {
        if bench.cut().is_joined(Boundary::CROSS) && fusion == Fusion::NormResidual {
            return Ok(Hint {
                text: "► res2 runs together with norm1 of the next block; “prev.” is that same launch."
                    .into(),
                aside: String::new(),
            });
        }
        let without = bench.price_of(bench.flipped(fusion))?;
        let gone = without.block.bytes().saturating_sub(cost.block.bytes());
        let tensors = written(&without).saturating_sub(written(cost));
        let gone = format!("{} {unit}", figure::bytes(column, gone));
        let what = match tensors {
            0 => format!("reads of {gone} are gone."),
            1 => format!("its write and its read, {gone}, are gone."),
            _ => format!("writes and reads of {gone} are gone."),
        };
        let head = format!("{name} on: {};", fusion.summary());
        let text = format!("{head} {what}");
        // The message row of 80 columns holds 79.
        let text = if text.chars().count() <= 79 {
            text
        } else {
            format!("{head} {gone} are gone.")
        };
        return Ok(Hint {
            text,
            aside: String::new(),
        });
    }
    let next = Version::WORKSHOP
        .iter()
        .position(|v| v.cut() == bench.cut())
        .and_then(|i| Version::WORKSHOP.get(i + 1))
        .map_or(String::new(), |v| format!("v goes to {}", v.title()));
    if let Some(backend) = machine.backend()
        && let Some(lacking) = backend.lacks.first()
    {
        return Ok(Hint {
            text: format!(
                "* {}: {} has no kernel for it; it is priced, not run.",
                lacking.name(),
                backend.name
            ),
            aside: next,
        });
    }
    let with = bench.price_of(bench.cut().fuse(fusion))?;
    let less = cost.block.bytes().saturating_sub(with.block.bytes());
    Ok(Hint {
        text: format!(
            "{name}: {}: {} {unit} less =.",
            fusion.summary(),
            figure::bytes(column, less)
        ),
        aside: next,
    })
}

/// Tensors that the kernels of a block write.
fn written(cost: &Cost) -> usize {
    cost.block
        .kernels
        .iter()
        .flat_map(|k| &k.moved)
        .filter(|m| m.direction == Direction::Write)
        .count()
}
