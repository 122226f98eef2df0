//! The quantities of a subject: kernels found, fields summed, slips applied.

use super::ast::{Extent, Field, Subject};
use super::error::ExprError;
use crate::answer::setup::Setup;
use plan::cost::{self, Config, Cost, KernelCost, Priced};
use plan::fusion::Cut;
use plan::model::{BLOCK_OPS, OpKind, Symbol};
use plan::units::{Dimension, Quantity};
use std::cell::RefCell;
use std::rc::Rc;

type Result<T> = std::result::Result<T, ExprError>;

/// The kernels of a subject, with the setup under which they were priced.
pub(super) struct Found {
    pub setup: Setup,
    pub priced: Priced,
}

/// What a bare plan stands for: `save(v1, v2)` is about a block,
/// `floor(v1, h200)` about a forward.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bare {
    Block,
    Forward,
}

fn fault(column: usize) -> impl Fn(cost::CostError) -> ExprError {
    move |e| ExprError {
        column,
        message: e.to_string(),
    }
}

/// Prices a configuration; without `layers` with one layer only, which leaves
/// the block and the ops around the blocks as they are and the forward short.
pub(super) fn cost(
    setup: &Setup,
    plan: Option<Cut>,
    layers: bool,
    column: usize,
) -> Result<Rc<Cost>> {
    let mut config: Config = setup.config.clone();
    config.cut = plan.unwrap_or(config.cut);
    if !layers {
        config.model.check().map_err(|e| ExprError {
            column,
            message: e.to_string(),
        })?;
        config.model.layers = 1;
    }
    known(config).map_err(fault(column))
}

/// Prices that are remembered: more than the plans of an exercise.
const KNOWN: usize = 64;

/// The price of a configuration. The expressions of a course ask for the same few again and
/// again, on every device and for every slip: the latest are remembered.
fn known(config: Config) -> std::result::Result<Rc<Cost>, cost::CostError> {
    thread_local!(static LATEST: RefCell<Vec<Rc<Cost>>> = const { RefCell::new(Vec::new()) });
    LATEST.with_borrow_mut(|latest| {
        let at = latest.iter().position(|cost| cost.config == config);
        let cost = match at {
            Some(at) => latest.remove(at),
            None => Rc::new(cost::price(&config)?),
        };
        latest.truncate(KNOWN - 1);
        latest.insert(0, Rc::clone(&cost));
        Ok(cost)
    })
}

pub(super) fn find(outer: &Setup, subject: &Subject, bare: Bare) -> Result<Found> {
    let setup = outer.with(&subject.settings);
    let column = subject.column;
    let whole = subject.extent == Extent::Forward
        || (subject.extent == Extent::Plan && bare == Bare::Forward);
    let cost = cost(&setup, subject.plan, whole, column)?;
    let priced = match &subject.extent {
        Extent::Forward => forward(&setup, &cost, column)?,
        Extent::Plan if bare == Bare::Forward => forward(&setup, &cost, column)?,
        Extent::Block | Extent::Plan => cost.block.clone(),
        Extent::Kernel(op) => some(&cost, &[*op], true, column)?,
        Extent::Group(ops) => some(&cost, ops, false, column)?,
    };
    Ok(Found { setup, priced })
}

/// A forward; under `no_head` without the kernel that is the LM head.
fn forward(setup: &Setup, cost: &Cost, column: usize) -> Result<Priced> {
    if !setup.slips.no_head {
        return Ok(cost.forward.clone());
    }
    let head = OpKind::LmHead.name();
    let kernels = cost
        .forward
        .kernels
        .iter()
        .filter(|k| k.ops != [head])
        .cloned()
        .collect();
    Priced::of(kernels).map_err(fault(column))
}

/// The kernels of a block that hold any of `ops` (or the first of them); ops
/// outside the blocks are looked for in the forward.
fn some(cost: &Cost, ops: &[OpKind], first: bool, column: usize) -> Result<Priced> {
    let outside: Vec<OpKind> = ops
        .iter()
        .copied()
        .filter(|op| !BLOCK_OPS.contains(op))
        .collect();
    let mut kernels: Vec<KernelCost> = cost
        .block
        .kernels
        .iter()
        .filter(|k| ops.iter().any(|op| holds(k, *op)))
        .cloned()
        .collect();
    let around = cost
        .forward
        .kernels
        .iter()
        .filter(|k| outside.iter().any(|op| holds(k, *op)));
    kernels.extend(around.cloned());
    if first {
        kernels.truncate(1);
    }
    Priced::of(kernels).map_err(fault(column))
}

fn holds(kernel: &KernelCost, op: OpKind) -> bool {
    let rope = matches!(op, OpKind::RopeQ | OpKind::RopeK);
    kernel
        .ops
        .iter()
        .any(|name| *name == op.name() || (rope && *name == "rope"))
}

/// Bytes moved between chip and memory for one term of the subject.
pub(super) fn field(found: &Found, field: Field, column: usize) -> Result<Quantity> {
    let (priced, slips) = (&found.priced, found.setup.slips);
    Ok(match field {
        Field::Launches => Quantity::count(priced.launches()),
        Field::Products => Quantity::count(priced.products()),
        Field::WeightProducts => Quantity::count(priced.weight_products()),
        Field::Flops => flops(found, priced.flops, column)?,
        Field::GemmFlops => flops(found, priced.gemm_flops, column)?,
        Field::Bytes => bytes(found, priced.bytes() - unweighted(found)),
        Field::WeightBytes => bytes(found, priced.weight_bytes - unweighted(found)),
        Field::ReadBytes => bytes(found, priced.read_bytes),
        Field::WrittenBytes => bytes(found, priced.written_bytes),
        Field::Intensity => {
            let work = flops(found, priced.flops, column)?;
            let moved = Quantity::bytes(priced.bytes() - unweighted(found));
            return work.over(moved).map_err(|e| ExprError {
                column,
                message: e.to_string(),
            });
        }
        Field::Barriers => {
            let waits = |k: &KernelCost| k.phases.saturating_sub(1);
            Quantity::count(priced.kernels.iter().map(waits).sum())
        }
        // Every op makes one tensor, RoPE one of q and one of k.
        Field::Tensors => {
            let made = |k: &KernelCost| {
                k.ops
                    .iter()
                    .map(|op| 1 + u64::from(*op == "rope"))
                    .sum::<u64>()
            };
            Quantity::count(priced.kernels.iter().map(made).sum())
        }
        Field::Name | Field::Ops => {
            return Err(ExprError {
                column,
                message: "a name is not a number".to_owned(),
            });
        }
    })
    .map(|q: Quantity| {
        if slips.mib && q.dimension() == Dimension::Bytes {
            mebi(q)
        } else {
            q
        }
    })
}

/// Weight bytes that do not count under `no_weights`.
fn unweighted(found: &Found) -> u64 {
    if found.setup.slips.no_weights {
        found.priced.weight_bytes
    } else {
        0
    }
}

fn bytes(_: &Found, n: u64) -> Quantity {
    Quantity::bytes(n)
}

/// The number of MiB, called MB.
fn mebi(q: Quantity) -> Quantity {
    Quantity::new(q.value() * 1e6 / 1_048_576.0, Dimension::Bytes)
}

/// FLOPs under the slips: attention products times H, a multiply-accumulate as one.
fn flops(found: &Found, n: u64, column: usize) -> Result<Quantity> {
    let too_large = || ExprError {
        column,
        message: "the FLOPs do not fit in 64 bits".to_owned(),
    };
    let slips = &found.setup.slips;
    let of = |counted: fn(OpKind) -> bool| -> u64 {
        let kernels = found.priced.kernels.iter();
        let terms = kernels.flat_map(|k| &k.flop_terms);
        terms.filter(|t| counted(t.op)).map(|t| t.flops).sum()
    };
    // Of a product every other operation is the addition of a multiply-accumulate.
    let parts = if slips.macs { 2 } else { 1 };
    let products = of(OpKind::is_product);
    let mut n = n.saturating_sub(products - products / parts);
    if slips.no_heads {
        let sizes = found.setup.config.sizes().map_err(fault(column))?;
        let attention = of(|op| matches!(op, OpKind::Qk | OpKind::Pv)) / parts;
        let more = attention
            .checked_mul(sizes.get(Symbol::Heads) - 1)
            .ok_or_else(too_large)?;
        n = n.checked_add(more).ok_or_else(too_large)?;
    }
    Ok(Quantity::flop(n))
}
