//! From statements to handlers: every entry of a module becomes a [`Kernel`].
//!
//! 1. `body` walks the statements (calls are expanded in place) and makes a
//!    list of `draft::Item`s, each instruction with its handler;
//! 2. `flow` cuts the list into basic blocks and finds where branches meet;
//! 3. `rows` gives registers their rows: registers that never live at the same
//!    time share one, so that a warp's state stays in the processor's cache.

mod arith;
mod body;
mod code;
mod compare;
mod control;
mod convert;
mod draft;
mod exchange;
mod finish;
mod flow;
mod hopper;
mod memory;
mod operand;
mod param;
mod rows;
mod symbols;

use super::exec::Isa;
use super::program::{GlobalVariable, Kernel, Program};
use super::ptx::{Function, Module, PtxError, Space};

/// Decodes all entries of a module.
pub(crate) fn lower(module: &Module) -> Result<Program, PtxError> {
    let isa = Isa::detect();
    let kernels = module
        .functions
        .iter()
        .filter(|function| function.entry)
        .map(|function| kernel(module, function, isa))
        .collect::<Result<_, _>>()?;
    let globals = module
        .variables
        .iter()
        .filter(|variable| matches!(variable.space, Space::Global | Space::Const))
        .map(|variable| {
            let mut bytes = variable.init.clone();
            bytes.resize(variable.size as usize, 0);
            GlobalVariable {
                name: variable.name.clone(),
                bytes,
            }
        })
        .collect();
    Ok(Program {
        kernels,
        globals,
        places: module.places.clone(),
        files: module.files.clone(),
        id: 0,
    })
}

fn kernel(module: &Module, function: &Function, isa: Isa) -> Result<Kernel, PtxError> {
    let mut lower = body::Lower::new(module, function, isa)?;
    lower.entry()?;
    finish::finish(lower)
}
