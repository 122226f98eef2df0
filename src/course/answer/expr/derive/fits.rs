//! What fits on a unit of a GPU, and what a wall costs.

use super::super::ast::Node;
use super::super::lookup::{most_registers, price_sides};
use super::{Derivation, Step, spelled, step};
use crate::answer::setup::Setup;
use plan::cost::{self, Vendor};
use plan::model::OpKind;
use plan::units::{Quantity, group_thousands, significant};

impl Derivation<'_> {
    /// The four limits on the blocks of a kernel, and the warps of the fewest.
    pub(super) fn occupancy(&self, gpu: &str, asked: [&Node; 3], setup: &Setup) -> Option<Step> {
        let gpu = self.sheet(gpu)?;
        let whole = |node| self.eval.whole(node, setup).ok();
        let [registers, threads, shared] = asked.map(whole);
        let found = cost::occupancy(gpu, registers?, threads?, shared?).ok()?;
        let words = gpu.vendor.words();
        let many = |n: u64| group_thousands(i128::from(n));
        let by_shared = match found.by_shared {
            u64::MAX => "any number".to_owned(),
            blocks => many(blocks),
        };
        Some(Step {
            text: format!(
                "blocks that fit: {} by registers, {} by threads, {by_shared} by {}, {} by the limit on blocks; the fewest, {}, have {} of {} {}s",
                many(found.by_registers),
                many(found.by_threads),
                words.shared,
                many(found.by_blocks),
                many(found.blocks),
                many(found.warps),
                many(found.max_warps),
                words.warp,
            ),
            values: vec![Quantity::count(found.blocks), Quantity::count(found.warps)],
        })
    }

    /// The registers of a SIMD, shared by its warps.
    pub(super) fn registers(&self, gpu: &str, warps: &Node, setup: &Setup) -> Option<Step> {
        let gpu = self.sheet(gpu)?;
        let warps = self.eval.whole(warps, setup).ok()?;
        let most = most_registers(gpu, warps, 0).ok()?;
        let words = gpu.vendor.words();
        let many = |n: u64| group_thousands(i128::from(n));
        let simds = gpu.simds_per_cu.max(1);
        let (file, over, granule) = match (gpu.vendor, gpu.vgprs_per_simd_lane) {
            (Vendor::Amd, Some(lane)) => (lane, warps, gpu.reg_alloc_granularity),
            _ => (
                gpu.regs_per_cu / simds,
                warps * gpu.warp_size,
                gpu.reg_alloc_granularity / gpu.warp_size.max(1),
            ),
        };
        let share = significant(file as f64 / over as f64, 4);
        let end = match most == gpu.max_regs_per_thread {
            true => format!("a thread has {} at most", many(most)),
            false => format!("in granules of {} per thread {}", many(granule), many(most)),
        };
        Some(step(format!(
            "{} registers over {}, {warps} {}s at a time: {share}; {end}",
            many(file),
            many(over),
            words.warp,
        )))
    }

    /// The bytes of V1's block with a wall and without.
    pub(super) fn wall(&self, a: OpKind, b: OpKind, setup: &Setup) -> Option<Step> {
        let (with, without) = price_sides(a, b, setup, 0).ok()?;
        Some(Step {
            text: format!(
                "the wall between {} and {}: the block of V1 moves {} with it, {} without it",
                a.name(),
                b.name(),
                spelled(&with),
                spelled(&without)
            ),
            values: vec![with, without],
        })
    }
}
