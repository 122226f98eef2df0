//! Occupancy: how many blocks and warps of a kernel fit on one SM or CU
//! (cost model, "Occupancy"; NVIDIA's `cuda_occupancy.h`, LLVM's AMDGPU target).

use super::{CostError, Gpu, Vendor};

/// What stops one more block from fitting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OccupancyLimit {
    /// Registers.
    Registers,
    /// Threads or waves.
    Threads,
    /// Shared memory or LDS.
    Shared,
    /// The number of blocks.
    Blocks,
}

/// Resident blocks and warps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Occupancy {
    /// Blocks that fit by registers.
    pub by_registers: u64,
    /// Blocks that fit by threads (waves).
    pub by_threads: u64,
    /// Blocks that fit by shared memory.
    pub by_shared: u64,
    /// Blocks that fit by their own number.
    pub by_blocks: u64,
    /// Blocks that fit: the least of the four.
    pub blocks: u64,
    /// Warps (waves) that these blocks have.
    pub warps: u64,
    /// Warps that the SM or CU holds at most.
    pub max_warps: u64,
    /// The first of the limits that is reached.
    pub limit: OccupancyLimit,
}

impl Occupancy {
    /// Share of the warps that the SM or CU could hold, 0 to 1.
    pub fn fraction(&self) -> f64 {
        self.warps as f64 / self.max_warps as f64
    }
}

/// Occupancy of blocks of `threads` threads with `registers` 32-bit registers
/// per thread and `shared` bytes of shared memory per block. On gfx908
/// `registers` is the larger of vector and accumulation registers, on gfx90a
/// and later their sum.
///
/// # Errors
/// A block that cannot be launched on this GPU at all.
pub fn occupancy(
    gpu: &Gpu,
    registers: u64,
    threads: u64,
    shared: u64,
) -> Result<Occupancy, CostError> {
    if threads == 0 || registers == 0 {
        return Err(CostError::new(
            "a block has at least 1 thread with 1 register",
        ));
    }
    if threads > gpu.max_threads_per_block {
        return Err(CostError::new(format!(
            "{threads} threads: {} allows {} per block",
            gpu.name, gpu.max_threads_per_block
        )));
    }
    if registers > gpu.max_regs_per_thread {
        return Err(CostError::new(format!(
            "{registers} registers: {} has {} per thread, the rest spills to memory",
            gpu.name, gpu.max_regs_per_thread
        )));
    }
    if shared > gpu.shared_kb_per_block * 1024 {
        return Err(CostError::new(format!(
            "{shared} B of shared memory: {} allows {} KiB per block",
            gpu.name, gpu.shared_kb_per_block
        )));
    }
    let warps_per_block = threads.div_ceil(gpu.warp_size);
    let max_warps = gpu.max_threads_per_cu / gpu.warp_size;
    let by_registers = match gpu.vendor {
        // Registers are given out per warp in units; warps are spread evenly
        // over the sub-partitions, so their number is rounded down.
        Vendor::Nvidia => {
            let unit = gpu.reg_alloc_granularity;
            let per_warp = (registers * gpu.warp_size).div_ceil(unit) * unit;
            let warps = gpu.regs_per_cu / per_warp;
            warps / gpu.simds_per_cu * gpu.simds_per_cu / warps_per_block
        }
        // Each SIMD lane has its file; waves per SIMD times SIMDs. How many a SIMD can hold
        // is a limit of its own.
        Vendor::Amd => {
            let unit = gpu.reg_alloc_granularity;
            let file = gpu
                .vgprs_per_simd_lane
                .unwrap_or(gpu.regs_per_cu / gpu.simds_per_cu / gpu.warp_size);
            let waves = file / (registers.div_ceil(unit) * unit);
            waves * gpu.simds_per_cu / warps_per_block
        }
    };
    let by_threads = max_warps / warps_per_block;
    let unit = gpu.shared_alloc_granularity_b;
    let per_block = shared.div_ceil(unit) * unit + gpu.shared_reserved_b.unwrap_or(0);
    let by_shared = (gpu.shared_kb_per_cu * 1024)
        .checked_div(per_block)
        .unwrap_or(u64::MAX);
    // AMD's cap is on barriers: blocks of one wave need none.
    let by_blocks = if gpu.vendor == Vendor::Amd && warps_per_block == 1 {
        max_warps
    } else {
        gpu.max_blocks_per_cu
    };
    let limits = [
        (by_registers, OccupancyLimit::Registers),
        (by_shared, OccupancyLimit::Shared),
        (by_threads, OccupancyLimit::Threads),
        (by_blocks, OccupancyLimit::Blocks),
    ];
    let (blocks, limit) = limits
        .into_iter()
        .min_by_key(|(blocks, _)| *blocks)
        .unwrap_or((0, OccupancyLimit::Blocks));
    Ok(Occupancy {
        by_registers,
        by_threads,
        by_shared,
        by_blocks,
        blocks,
        warps: blocks * warps_per_block,
        max_warps,
        limit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::GpuDatabase;

    #[test]
    fn the_table_of_the_cost_model_page() {
        let database = GpuDatabase::embedded().unwrap();
        // registers, threads, then (blocks, percent) on Hopper, gfx90a, gfx908.
        let table = [
            (32, 256, [(8, 100.0), (8, 100.0), (8, 80.0)]),
            (64, 128, [(8, 50.0), (16, 100.0), (8, 40.0)]),
            (48, 192, [(6, 56.25), (10, 93.75), (6, 45.0)]),
            (128, 256, [(2, 25.0), (4, 50.0), (2, 20.0)]),
        ];
        for (registers, threads, expected) in table {
            for (id, (blocks, percent)) in ["h200", "mi210", "mi100"].iter().zip(expected) {
                let gpu = database.get(id).unwrap();
                let o = occupancy(gpu, registers, threads, 0).unwrap();
                assert_eq!(o.blocks, blocks, "{registers} x {threads} on {id}");
                assert!((o.fraction() * 100.0 - percent).abs() < 1e-9, "{id}");
            }
        }
    }

    #[test]
    fn three_blocks_of_64_kib_fit_a_hopper_sm() {
        // 228 KiB / (64 + 1) KiB = 3.5, rounded down (exercise ex35, key smem).
        let database = GpuDatabase::embedded().unwrap();
        let o = occupancy(database.get("h200").unwrap(), 32, 128, 64 * 1024).unwrap();
        assert_eq!((o.blocks, o.limit), (3, OccupancyLimit::Shared));
    }

    #[test]
    fn registers_that_hold_more_waves_than_a_part_takes_do_not_limit() {
        // A lane's 512 registers hold 32 waves of 16; a part takes 8 (gfx942). Of 64 they
        // hold 8, of 72 seven.
        let database = GpuDatabase::embedded().unwrap();
        let of = |id: &str, registers| {
            let o = occupancy(database.get(id).unwrap(), registers, 256, 0).unwrap();
            (o.blocks, o.limit)
        };
        assert_eq!(of("mi300a", 16), (8, OccupancyLimit::Threads));
        assert_eq!(of("mi300a", 48), (8, OccupancyLimit::Threads));
        assert_eq!(of("mi300a", 72), (7, OccupancyLimit::Registers));
        // The rule caps waves where threads do: the data sheets agree with themselves.
        for gpu in database.all() {
            if let Some(waves) = gpu.max_waves_per_simd {
                assert_eq!(
                    waves * gpu.simds_per_cu * gpu.warp_size,
                    gpu.max_threads_per_cu
                );
            }
        }
    }

    #[test]
    fn blocks_that_cannot_be_are_refused() {
        let database = GpuDatabase::embedded().unwrap();
        let h200 = database.get("h200").unwrap();
        for (r, t, s, says) in [
            (1216, 64, 0, "spills"),
            (32, 2048, 0, "1024 per block"),
            (32, 64, 1 << 20, "227 KiB per block"),
            (32, 0, 0, "at least 1 thread"),
        ] {
            let e = occupancy(h200, r, t, s).unwrap_err().to_string();
            assert!(e.contains(says), "{e}");
        }
    }
}
