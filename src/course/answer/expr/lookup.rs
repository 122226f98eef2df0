//! Letters, walls and data sheets.

use super::ast::Symbol as Letter;
use super::check::GPU_FIELDS;
use super::error::ExprError;
use super::eval::arithmetic;
use super::price::cost;
use crate::answer::setup::Setup;
use plan::cost::{self, Direction, Gpu, OccupancyLimit};
use plan::fusion::{Boundary, Cut, Version};
use plan::model::{BLOCK_OPS, Dtype, OpKind, Symbol};
use plan::units::{Dimension, Quantity};

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
    let (apart, joined) = price_sides(a, b, setup, column)?;
    apart.minus(joined).map_err(|e| arithmetic(e, column))
}

/// The bytes of V1's block with a wall and without it.
pub(super) fn price_sides(
    a: OpKind,
    b: OpKind,
    setup: &Setup,
    column: usize,
) -> Result<(Quantity, Quantity)> {
    let left = if a == OpKind::RopeQ && b != OpKind::RopeK {
        OpKind::RopeK
    } else {
        a
    };
    let Some(wall) = Boundary::between(left, b) else {
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
    Ok((Quantity::bytes(apart), Quantity::bytes(joined)))
}

/// A name of a GPU, or what its vendor calls a part of it.
pub(super) fn gpu_word<'g>(gpu: &'g Gpu, key: &str) -> Option<&'g str> {
    let words = gpu.vendor.words();
    Some(match key {
        "name" => &gpu.name,
        "short" => &gpu.short,
        "warp_word" => words.warp,
        "unit_word" => words.unit,
        "shared_word" => words.shared,
        "matrix_word" => words.matrix,
        _ => return None,
    })
}

pub(super) fn gpu_fact(gpu: &Gpu, key: &str, column: usize) -> Result<Quantity> {
    let peak = |dtype, product| gpu.peak_flops(dtype, product);
    let value = match key {
        "fp32" => peak(Dtype::Fp32, true),
        "bf16" => peak(Dtype::Bf16, true),
        "tf32" => gpu.tf32_tflops.map(|t| t * 1e12),
        "matrix_fp32" => gpu.fp32_matrix_tflops.map(|t| t * 1e12),
        "fp16" => Some(gpu.fp16_tflops * 1e12),
        "fp8" => gpu.fp8_tflops.map(|t| t * 1e12),
        "fp64" => Some(gpu.fp64_tflops * 1e12),
        "bandwidth" => Some(gpu.bandwidth()),
        "host" => gpu.host_bandwidth(),
        "memory" => Some(gpu.memory_gb * 1e9),
        "l2" => Some(gpu.l2_mb * 1_048_576.0),
        "shared" => Some((gpu.shared_kb_per_cu * 1024) as f64),
        "registers" => Some(gpu.regs_per_cu as f64),
        // gfx908 has a second file for accumulation, as large as the first.
        "regfile" => Some({
            let files = 1 + u64::from(gpu.agprs_per_simd_lane.is_some());
            (4 * files * gpu.regs_per_cu) as f64
        }),
        "units" => Some(gpu.compute_units as f64),
        "warp" => Some(gpu.warp_size as f64),
        "threads" => Some(gpu.max_threads_per_cu as f64),
        "block_threads" => Some(gpu.max_threads_per_block as f64),
        "blocks" => Some(gpu.max_blocks_per_cu as f64),
        "simds" => Some(gpu.simds_per_cu as f64),
        "dies" => Some(gpu.dies_per_package.unwrap_or(1) as f64),
        "register_cap" => Some(gpu.max_regs_per_thread as f64),
        "l3" => Some(gpu.l3_mb * 1_048_576.0),
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

/// What stops one more block, in a word.
pub(super) fn limit(limit: OccupancyLimit) -> &'static str {
    match limit {
        OccupancyLimit::Registers => "registers",
        OccupancyLimit::Threads => "threads",
        OccupancyLimit::Shared => "shared",
        OccupancyLimit::Blocks => "blocks",
    }
}

/// The most registers per thread with which `warps` warps of one SIMD (AMD) or
/// sub-partition (NVIDIA) are resident, as far as registers decide.
pub(super) fn most_registers(gpu: &Gpu, warps: u64, column: usize) -> Result<u64> {
    let holds = |registers: u64| {
        let one_warp = cost::occupancy(gpu, registers, gpu.warp_size, 0);
        // A block of one warp, so that blocks are warps.
        one_warp.is_ok_and(|o| o.by_registers / gpu.simds_per_cu.max(1) >= warps)
    };
    let most = (1..=gpu.max_regs_per_thread).rev().find(|n| holds(*n));
    most.ok_or_else(|| ExprError {
        column,
        message: format!("{} cannot hold {warps} warps per SIMD", gpu.name),
    })
}

/// Kernels of a block that read a tensor made in it, or its input.
pub(super) fn readers(
    tensor: &str,
    plan: Option<Cut>,
    setup: &Setup,
    column: usize,
) -> Result<Quantity> {
    let block = &cost(setup, plan, false, column)?.block;
    let all = || block.kernels.iter().flat_map(|k| &k.moved);
    if !all().any(|m| m.name == tensor && m.direction != Direction::Weight) {
        let mut names: Vec<&str> = all()
            .filter(|m| m.direction != Direction::Weight)
            .map(|m| m.name)
            .collect();
        names.sort_unstable();
        names.dedup();
        return Err(ExprError {
            column,
            message: format!(
                "no kernel of this plan reads or writes “{tensor}”; there are {}",
                names.join(" ")
            ),
        });
    }
    let reads = |k: &&cost::KernelCost| {
        let read = |m: &cost::Moved| m.direction == Direction::Read && m.name == tensor;
        k.moved.iter().any(read)
    };
    let readers = block.kernels.iter().filter(reads).count();
    Ok(Quantity::count(readers as u64))
}
