//! Rooflines and occupancy: what follows from a data sheet.

use super::draw::Draw;
use super::scene::Scene;
use super::{Pattern, Question, Topic};
use crate::answer::Setting;
use plan::cost::{Gpu, GpuDatabase, Vendor, occupancy};
use plan::model::Dtype;
use plan::units::{Dimension, Quantity, format, group_thousands};

const fn of(
    id: &'static str,
    topic: Topic,
    make: fn(&mut Draw, &Scene, &GpuDatabase) -> Option<Question>,
) -> Pattern {
    Pattern { id, topic, make }
}

pub(super) const PATTERNS: &[Pattern] = &[
    of("roofline.ridge", Topic::Roofline, |draw, scene, gpus| {
        let gpu = gpu(draw, scene.dtype, gpus)?;
        let (id, dtype) = (&gpu.id, scene.dtype.name());
        let mut question = Question::new(
            format!("Ridge of this GPU for matrix products in {dtype}, in FLOP per byte?"),
            "The peak that these products can use, over the bandwidth, both in base units.",
            format!("ridge({id}, {dtype})"),
        )
        .unit("FLOP/B")
        .given(sheet(gpu));
        if gpu.bf16_tflops.is_some() {
            let other = match scene.dtype {
                Dtype::Fp32 => "bf16",
                Dtype::Bf16 => "fp32",
            };
            question = question.slip(
                format!("ridge({id}, {other})"),
                "This is the ridge of the other element type: the peak differs.",
            );
        }
        question = question.slip(
            format!("1000 * ridge({id}, {dtype})"),
            "A factor of a thousand: TFLOP/s over GB/s. Write both without prefixes.",
        );
        question.shaped = false;
        Some(question)
    }),
    of("roofline.bound", Topic::Roofline, |draw, scene, gpus| {
        let (gpu, op) = (gpu(draw, scene.dtype, gpus)?, Scene::op(draw, |_| true)?);
        Some(
            Question::new(
                format!("On this GPU the kernel {op} of V1 is bound by"),
                "Is its intensity below or above the ridge, the peak that it can use over the bandwidth?",
                format!("bound(kernel(v1, {op}), {})", gpu.id),
            )
            .choice(["memory", "compute"])
            .given(sheet(gpu))
            .why_v1(format!("kernel.{op}.intensity")),
        )
    }),
    of("roofline.floor", Topic::Roofline, |draw, scene, gpus| {
        let (gpu, op) = (gpu(draw, scene.dtype, gpus)?, Scene::op(draw, |_| true)?);
        let id = &gpu.id;
        let kernel = format!("kernel(v1, {op})");
        let peak = match (scene.dtype, Scene::is_product(op)) {
            (Dtype::Bf16, true) => "bf16",
            _ => "fp32",
        };
        Some(
            Question::new(
                format!("Roofline floor of the kernel {op} of V1 on this GPU?"),
                "Two times, bytes over bandwidth and operations over the peak that it can use. The floor is the longer one.",
                format!("floor({kernel}, {id})"),
            )
            .unit("us")
            .slip(format!("{kernel}.flops / gpu({id}).{peak}"), "This is the time of the operations. The bytes take longer, and the floor is the larger of the two.")
            .slip(format!("{kernel}.bytes / gpu({id}).bandwidth"), "This is the time of the bytes. The operations take longer, and the floor is the larger of the two.")
            .slip(format!("{kernel}.bytes / gpu({id}).bandwidth + {kernel}.flops / gpu({id}).{peak}"), "This adds the two times. On the roofline they overlap: the larger one counts.")
            .under(vec![Setting::NoWeights(true)], "This leaves out the bytes of the weights.")
            .given(sheet(gpu))
            .why_v1(format!("kernel.{op}.bytes")),
        )
    }),
    of("roofline.memory", Topic::Roofline, |draw, scene, gpus| {
        let gpu = gpu(draw, scene.dtype, gpus)?;
        let id = &gpu.id;
        Some(
            Question::new(
                "How many kernels of one block of this cut are memory-bound on this GPU?",
                "Go along the kernels of the cut: memory-bound are those whose intensity is below the ridge of their peak.",
                format!("mem(block, {id})"),
            )
            .exact()
            .slip("block.launches", "These are all kernels of the block.")
            .slip(
                format!("block.launches - mem(block, {id})"),
                "These are the compute-bound ones.",
            )
            .slip(
                format!("mem(v1, {id})"),
                "This is V1. A merged kernel has another intensity than its parts.",
            )
            .given(sheet(gpu))
            .why("block.intensity"),
        )
    }),
    of("occupancy.share", Topic::Occupancy, |draw, _, gpus| {
        let kernel = Launch::draw(draw, gpus)?;
        let (call, gpu, registers, threads) =
            (kernel.call(), kernel.gpu, kernel.registers, kernel.threads);
        let (id, warp) = (&gpu.id, gpu.vendor.words().warp);
        Some(
            kernel
                .question(
                    &format!("What share of the {warp}s that the unit can hold is resident (occupancy)?"),
                &format!(" Then their {warp}s over the most that the unit can hold."),
                    &call,
                )
                .share()
                .slip(
                    format!("min(1, floor_int(gpu({id}).registers / ({registers} * {threads})) * {threads} / gpu({id}).threads)"),
                    format!("This divides the registers by those of a block. They are given out per {warp} in granules, and {warp}s are spread over the SIMDs."),
                )
                .slip(
                    format!("min(1, gpu({id}).registers / {registers} / gpu({id}).threads)"),
                    "This counts threads, as if a part of a block could be resident. Whole blocks are.",
                ),
        )
    }),
    of("occupancy.blocks", Topic::Occupancy, |draw, _, gpus| {
        let kernel = Launch::draw(draw, gpus)?;
        let call = format!("{}.blocks", kernel.call());
        let (gpu, threads) = (kernel.gpu, kernel.threads);
        let id = &gpu.id;
        Some(
            kernel
                .question("How many blocks of it are resident on one unit?", "", &call)
                .exact()
                .slip(
                    format!("floor_int(gpu({id}).threads / {threads})"),
                    "This is the limit by threads alone. Registers or shared memory stop earlier.",
                )
                .slip(
                    format!("{}.warps", kernel.call()),
                    format!(
                        "These are the resident {}s. The question asks for blocks.",
                        gpu.vendor.words().warp
                    ),
                ),
        )
    }),
    of("occupancy.limit", Topic::Occupancy, |draw, _, gpus| {
        let kernel = Launch::draw(draw, gpus)?;
        let o = occupancy(kernel.gpu, kernel.registers, kernel.threads, kernel.shared).ok()?;
        let limits = [o.by_registers, o.by_threads, o.by_shared, o.by_blocks];
        // Where two limits are reached at once, either would be right.
        if limits.iter().filter(|n| **n == o.blocks).count() != 1 {
            return None;
        }
        let call = format!("{}.limit", kernel.call());
        Some(
            kernel
                .question("What stops one more block from being resident?", "", &call)
                .choice(["registers", "threads", "shared", "blocks"]),
        )
    }),
    of("occupancy.registers", Topic::Occupancy, |draw, _, gpus| {
        let gpu = draw.pick(gpus.all())?;
        let most = gpu.max_threads_per_cu / gpu.warp_size / gpu.simds_per_cu.max(1);
        let warps = *draw.pick(&[2, 3, 4, 5, 6, 8, 12])?;
        if warps > most {
            return None;
        }
        let id = &gpu.id;
        let mut question = Question::new(
            format!(
                "How many registers may a thread have at most so that {warps} {}s per SIMD can be resident?",
                gpu.vendor.words().warp
            ),
            format!(
                "The registers of a SIMD over its {}s and over the threads of one; then down to what the granules allow.",
                gpu.vendor.words().warp
            ),
            format!("most_registers({id}, {warps})"),
        )
        .exact()
        .given(unit(gpu))
        .slip(
            format!("floor_int(gpu({id}).registers / gpu({id}).simds / gpu({id}).warp / {warps})"),
            "This leaves out the granule in which registers are given out.",
        );
        question.shaped = false;
        Some(question)
    }),
];

/// A GPU with a peak for this element type.
fn gpu<'g>(draw: &mut Draw, dtype: Dtype, gpus: &'g GpuDatabase) -> Option<&'g Gpu> {
    let able: Vec<&Gpu> = gpus
        .all()
        .iter()
        .filter(|gpu| gpu.peak_flops(dtype, true).is_some())
        .collect();
    draw.pick(&able).copied()
}

/// What a roofline needs of a data sheet.
fn sheet(gpu: &Gpu) -> String {
    let rate = |tera: f64| format(&Quantity::new(tera * 1e12, Dimension::FlopPerSecond));
    let matrix = gpu
        .bf16_tflops
        .map_or(String::new(), |t| format!(", bf16 products {}", rate(t)));
    format!(
        "{}, data sheet: fp32 {}{matrix}, memory {}.",
        gpu.name,
        rate(gpu.fp32_tflops),
        format(&Quantity::new(gpu.bandwidth(), Dimension::BytesPerSecond))
    )
}

/// What occupancy needs of a data sheet.
fn unit(gpu: &Gpu) -> String {
    let many = |n: u64| group_thousands(i128::from(n));
    let words = gpu.vendor.words();
    let (granule, file) = match gpu.vendor {
        Vendor::Nvidia => (
            format!("{} registers per warp", gpu.reg_alloc_granularity),
            format!("{} registers", many(gpu.regs_per_cu)),
        ),
        Vendor::Amd => (
            format!("{} registers per lane", gpu.reg_alloc_granularity),
            gpu.vgprs_per_simd_lane.map_or_else(
                || format!("{} registers", many(gpu.regs_per_cu)),
                |n| format!("{n} registers per lane and SIMD"),
            ),
        ),
    };
    // The limit on blocks is one of barriers on AMD, and a single warp needs none.
    let single = match gpu.vendor {
        Vendor::Amd => " (blocks of one wave do not count)",
        Vendor::Nvidia => "",
    };
    // Whole KiB are asked for: a granule matters where they are no multiple of it.
    let portion = match gpu.shared_alloc_granularity_b {
        bytes if 1024 % bytes.max(1) == 0 => String::new(),
        bytes => format!(", given out in granules of {} bytes", many(bytes)),
    };
    let reserved =
        gpu.shared_reserved_b
            .filter(|bytes| *bytes > 0)
            .map_or(String::new(), |bytes| {
                format!(
                    ", of which each block takes {} KiB more than it asks for",
                    bytes / 1024
                )
            });
    format!(
        "{}, one unit: {file}, given out in granules of {granule}; {} SIMDs, {}s of {}, {} threads and {} blocks{single} at most; {} KiB {}{portion}{reserved}.",
        gpu.name,
        gpu.simds_per_cu,
        words.warp,
        gpu.warp_size,
        many(gpu.max_threads_per_cu),
        gpu.max_blocks_per_cu,
        gpu.shared_kb_per_cu,
        words.shared
    )
}

/// A kernel as occupancy sees it.
struct Launch<'g> {
    gpu: &'g Gpu,
    registers: u64,
    threads: u64,
    shared: u64,
}

impl<'g> Launch<'g> {
    fn draw(draw: &mut Draw, gpus: &'g GpuDatabase) -> Option<Self> {
        let launch = Self {
            gpu: draw.pick(gpus.all())?,
            registers: *draw.pick(&[32, 40, 48, 64, 72, 96, 128, 168])?,
            threads: *draw.pick(&[64, 128, 192, 256, 384, 512])?,
            shared: 1024 * *draw.pick(&[0, 0, 8, 16, 24, 32, 48])?,
        };
        let fits = occupancy(launch.gpu, launch.registers, launch.threads, launch.shared);
        fits.ok().filter(|o| o.blocks > 0).map(|_| launch)
    }

    fn call(&self) -> String {
        let (id, r, t, s) = (&self.gpu.id, self.registers, self.threads, self.shared);
        format!("occ({id}, {r}, {t}, {s})")
    }

    /// `then`: what is left to do once the number of blocks is known.
    fn question(&self, ask: &str, then: &str, answer: &str) -> Question {
        let words = self.gpu.vendor.words();
        let hint = format!(
            "How many whole blocks fit by registers, by threads, by {}, by the limit on blocks? Registers are given out per {} in granules. The fewest decide.{then}",
            words.shared, words.warp
        );
        let mut question = Question::new(ask, hint, answer).given(unit(self.gpu)).given(format!(
            "A kernel with {} registers per thread, {} threads per block and {} KiB of {} per block.",
            self.registers,
            self.threads,
            self.shared / 1024,
            self.gpu.vendor.words().shared
        ));
        question.shaped = false;
        question
    }
}
