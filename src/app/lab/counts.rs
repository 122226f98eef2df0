//! What a run counted of the plan: of the box under the cursor, and in words.

use crate::bench::Bench;
use crate::ribbon::{Group, kernel_of, kernels_of, selected};
use crate::runs::Runs;
use crate::shared::Shared;
use plan::cost::{Cost, KernelCost};
use plan::run::{BytesReport, KernelReport, Report};
use plan::units::figure::fitted;
use study::lab::counted::{of_kernel, of_kernels, surplus};

/// The report of the plan, where it counted kernel by kernel.
pub fn counted<'r>(bench: &Bench, runs: &'r Runs) -> Option<&'r Report> {
    runs.of(bench.setup(), bench.cut())
        .filter(|report| !report.kernels.is_empty())
}

/// What was counted of a kernel of the plan.
pub fn counted_kernel<'r>(
    bench: &Bench,
    runs: &'r Runs,
    kernel: &KernelCost,
) -> Option<&'r KernelReport> {
    of_kernel(counted(bench, runs)?, kernel)
}

/// Bytes of a box of the ribbon by kind, all of its kernels together.
pub fn box_bytes(report: &Report, cost: &Cost, group: &Group) -> Option<BytesReport> {
    of_kernels(report, kernels_of(cost, group))
}

/// The buffers behind what the kernel under the cursor moves beyond the model.
pub(super) fn said(shared: &Shared) -> Option<String> {
    let group = selected(&shared.bench, shared.slot)?;
    let kernel = kernel_of(shared.bench.cost(), &group)?;
    let counted = counted_kernel(&shared.bench, &shared.runs, kernel)?;
    let text = format!("{}.", surplus(counted)?);
    Some(fitted(&text, shared.size.0))
}
