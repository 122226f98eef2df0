//! What the lab says of what the cursor is on.

use super::Hint;
use crate::bench::{Bench, Switch};
use crate::machine::Machine;
use plan::cost::{Cost, CostError, Direction, Priced};
use plan::fusion::{Boundary, Fusion, Version};
use plan::units::figure;
use study::lab::Scope;

/// Columns of the message row in a terminal of 80.
const ROOM: usize = 79;

/// The line about what the cursor is on.
pub fn hint(bench: &Bench, machine: &Machine, fusion: Fusion) -> Result<Hint, CostError> {
    let text = |text: String| Hint {
        text,
        aside: String::new(),
    };
    let name = fusion.name();
    let cost = bench.cost();
    if bench.switch(fusion) != Switch::Off {
        let on = bench.cut().largest_fusions();
        if let Some(larger) = on.into_iter().find(|larger| larger.implies(fusion)) {
            // What comes back without it is the larger one's doing.
            return Ok(text(format!(
                "{name} on, inside {}: {}.",
                larger.name(),
                fusion.summary()
            )));
        }
        let shares = cost.shares_launch();
        if fusion == Fusion::NormResidual && !shares && bench.cut().is_joined(Boundary::CROSS) {
            return Ok(text(
                "► res2 runs together with norm1 of the next block; “prev.” is that same launch."
                    .into(),
            ));
        }
        let without = bench.price_of(bench.flipped(fusion))?;
        let scope = Scope::of_change(&without, cost);
        let less = less(scope, bench.v1(), &without, cost);
        let of = match scope {
            Scope::Block => "a block",
            Scope::Forward => "the forward",
        };
        let written = |cost: &Cost| written(scope.of(cost));
        let does = match written(&without).saturating_sub(written(cost)) {
            0 => "reads",
            _ => "writes and reads",
        };
        let [long, short] = summaries(fusion, cost);
        let head = format!("{name} on: {long};");
        return Ok(text(fitting([
            format!("{head} {of} {does} {less} less."),
            format!("{head} {of} moves {less} less."),
            format!("{head} {} {less} less.", scope.name()),
            format!("{name} on: {short}; {} {less} less.", scope.name()),
            format!("{name} on: {of} {does} {less} less."),
        ])));
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
    let scope = Scope::of_change(cost, &with);
    let (of, less) = (scope.name(), less(scope, bench.v1(), cost, &with));
    let [long, short] = summaries(fusion, &with);
    Ok(Hint {
        text: fitting([
            format!("{name}: {long}: {of} {less} less =."),
            format!("{name}: {short}: {of} {less} less =."),
            format!("{name}: {of} {less} less =."),
        ]),
        aside: next,
    })
}

/// What a fusion makes of a plan, in more words and in fewer: `block` is a kernel for all
/// blocks where each is joined to the next.
fn summaries(fusion: Fusion, plan: &Cost) -> [String; 2] {
    let layers = plan.config.model.layers;
    match fusion == Fusion::Block && plan.shares_launch() && layers > 1 {
        true => {
            let short = format!("all {layers} blocks in one kernel");
            [format!("{short} (res2 joins norm1)"), short]
        }
        false => [fusion.summary(), fusion.summary()].map(str::to_owned),
    }
}

/// The first of these that the row holds, or the last.
fn fitting<const N: usize>(texts: [String; N]) -> String {
    let fits = texts.iter().find(|text| text.chars().count() <= ROOM);
    fits.or(texts.last()).cloned().unwrap_or_default()
}

/// What `to` moves less than `from`, with its unit.
fn less(scope: Scope, v1: &Cost, from: &Cost, to: &Cost) -> String {
    let column = figure::byte_column(scope.of(v1).bytes());
    let less = scope.of(from).bytes().saturating_sub(scope.of(to).bytes());
    format!("{} {}", figure::bytes(column, less), column.unit().symbol())
}

/// Tensors that the kernels write.
fn written(part: &Priced) -> usize {
    part.kernels
        .iter()
        .flat_map(|k| &k.moved)
        .filter(|m| m.direction == Direction::Write)
        .count()
}
