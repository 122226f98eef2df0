//! Letters, walls and data sheets.

use super::ast::Symbol as Letter;
use super::check::GPU_FIELDS;
use super::error::ExprError;
use super::eval::arithmetic;
use super::price::cost;
use crate::answer::setup::Setup;
use crate::cost::Gpu;
use crate::fusion::{Boundary, Version};
use crate::model::{BLOCK_OPS, Dtype, OpKind, Symbol};
use crate::units::{Dimension, Quantity};

type Result<T> = std::result::Result<T, ExprError>;

pub(super) fn symbol(letter: Letter, setup: &Setup, column: usize) -> Result<Quantity> {
    let sizes = setup.config.sizes().map_err(|e| ExprError {
        column,
        message: e.to_string(),
    })?;
    let count = |s: Symbol| Quantity::count(sizes.get(s));
    Ok(match letter {
        Letter::Batch => count(Symbol::Batch),
        Letter::Seq => count(Symbol::Seq),
        Letter::Context => count(Symbol::Context),
        Letter::Hidden => count(Symbol::Hidden),
        Letter::Layers => count(Symbol::Layers),
        Letter::Heads => count(Symbol::Heads),
        Letter::KvHeads => Quantity::count(setup.config.model.kv_heads),
        Letter::HeadWidth => count(Symbol::HeadWidth),
        Letter::KvWidth => count(Symbol::KvWidth),
        Letter::Ffn => count(Symbol::Ffn),
        Letter::Vocab => count(Symbol::Vocab),
        Letter::Pairs => {
            let all = [Symbol::Batch, Symbol::Heads, Symbol::Pairs].map(count);
            let product = all[0].times(all[1]).and_then(|q| q.times(all[2]));
            return product.map_err(|e| arithmetic(e, column));
        }
        Letter::Element => Quantity::bytes(setup.config.dtype.bytes()),
    })
}

/// Bytes of V1 minus V1 with the wall between two neighbouring ops taken down.
pub(super) fn price(a: OpKind, b: OpKind, setup: &Setup, column: usize) -> Result<Quantity> {
    let left = if a == OpKind::RopeQ && b != OpKind::RopeK {
        OpKind::RopeK
    } else {
        a
    };
    let wall = if (left, b) == (OpKind::Res2, OpKind::Norm1) {
        Some(Boundary::CROSS)
    } else {
        Boundary::between(left, b)
    };
    let Some(wall) = wall else {
        let order: Vec<&str> = BLOCK_OPS.iter().map(|op| op.name()).collect();
        let message = format!(
            "{} and {} are not neighbours, so no wall stands between them; the order is {}",
            a.name(),
            b.name(),
            order.join(" ")
        );
        return Err(ExprError { column, message });
    };
    let v1 = Version::V1.cut();
    let bytes = |cut| Ok(cost(setup, Some(cut), false, column)?.block.bytes());
    let (apart, joined): (u64, u64) = (bytes(v1)?, bytes(v1.joined(wall))?);
    Quantity::bytes(apart)
        .minus(Quantity::bytes(joined))
        .map_err(|e| arithmetic(e, column))
}

pub(super) fn gpu_fact(gpu: &Gpu, key: &str, column: usize) -> Result<Quantity> {
    let peak = |dtype, product| gpu.peak_flops(dtype, product);
    let value = match key {
        "fp32" => peak(Dtype::Fp32, true),
        "bf16" => peak(Dtype::Bf16, true),
        "bandwidth" => Some(gpu.bandwidth()),
        "memory" => Some(gpu.memory_gb * 1e9),
        "l2" => Some(gpu.l2_mb * 1_048_576.0),
        "shared" => Some((gpu.shared_kb_per_cu * 1024) as f64),
        "registers" => Some(gpu.regs_per_cu as f64),
        "units" => Some(gpu.compute_units as f64),
        "warp" => Some(gpu.warp_size as f64),
        "threads" => Some(gpu.max_threads_per_cu as f64),
        _ => None,
    };
    let dimension = GPU_FIELDS.iter().find(|(k, _)| *k == key).map(|(_, d)| *d);
    match (value, dimension) {
        (Some(v), Some(d @ (Dimension::Count | Dimension::Bytes))) => {
            Ok(Quantity::whole(v.round() as i128, d))
        }
        (Some(v), Some(d)) => Ok(Quantity::new(v, d)),
        _ => Err(ExprError {
            column,
            message: format!("the database has no {key} of {}", gpu.name),
        }),
    }
}
