//! What a run counted of the plan: of the box under the cursor, and in words.

use super::{kernel_of, kernels_of, selected};
use crate::bench::Bench;
use crate::ribbon::Group;
use crate::runs::Runs;
use crate::state::State;
use plan::cost::{Cost, KernelCost};
use plan::run::{BytesReport, KernelReport, Report};
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
pub(super) fn said(state: &State) -> Option<String> {
    let group = selected(&state.bench, state.lab.slot)?;
    let kernel = kernel_of(state.bench.cost(), &group)?;
    let counted = counted_kernel(&state.bench, &state.runs, kernel)?;
    let text = format!("{}.", surplus(counted)?);
    Some(fitted(&text, state.size.0))
}

/// A sentence that the message row of a terminal holds.
pub fn fitted(text: &str, columns: u16) -> String {
    let room = usize::from(columns.saturating_sub(1));
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let cut: String = text.chars().take(room.saturating_sub(1)).collect();
    format!("{cut}…")
}
