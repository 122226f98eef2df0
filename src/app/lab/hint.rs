//! What the lab says of what the cursor is on.

use super::Hint;
use crate::bench::{Bench, Switch};
use crate::machine::Machine;
use plan::cost::{Cost, CostError, Direction};
use plan::fusion::{Boundary, Fusion, Version};
use plan::units::figure;

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
        let on = bench.cut().largest_fusions();
        if let Some(larger) = on.into_iter().find(|larger| larger.implies(fusion)) {
            // What comes back without it is the larger one's doing.
            return Ok(Hint {
                text: format!("{name} on, inside {}: {}.", larger.name(), fusion.summary()),
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
