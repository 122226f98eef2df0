//! The `staircase` block: from V1, one fusion more at each step.

use super::{Piece, Weight, study};
use crate::answer::Env;
use crate::fields::Typed;
use ::study::lab::Scope;
use ::study::lab::staircase::{Staircase, usual};
use plan::fusion::Fusion;

/// What each step costs and saves, on the roof of the course's device.
pub(super) fn staircase(
    env: &Env<'_>,
    order: &[Typed<Fusion>],
    forward: bool,
) -> Result<Vec<Piece>, String> {
    let config = &env.setup.config;
    let gpu = env.gpus.get(env.setup.gpu).map_err(|e| e.to_string())?;
    let scope = match forward {
        true => Scope::Forward,
        false => Scope::Block,
    };
    let steps: Vec<Fusion> = match order {
        [] => usual(),
        order => order.iter().map(|fusion| fusion.value).collect(),
    };
    let stairs = Staircase::new(config, &steps, gpu, scope).map_err(|e| e.to_string())?;
    let mut pieces = study::found(&stairs.findings());
    // There is one table: its name says nothing.
    pieces.retain(|piece| !matches!(piece, Piece::Words(Weight::Place, _)));
    let names: Vec<&str> = steps.into_iter().map(Fusion::name).collect();
    let order = match order {
        [] => String::new(),
        _ => format!(" --order {}", names.join(",")),
    };
    let block = if forward { "" } else { " --block" };
    let rest = format!("--staircase{order}{block}");
    pieces.push(Piece::run("compare", config, &rest));
    Ok(pieces)
}
