//! The numbers behind a page as rows, for a spreadsheet: bytes and FLOPs whole, no
//! commas.

use super::machine::Ceilings;
use super::shared::Shared;
use course::present::Grid;

/// The kernels of the plan's block, what they compute and move, and their side of a
/// roof where there is one.
pub(super) fn kernels(shared: &Shared, roof: Option<&Ceilings>) -> Grid {
    let cost = shared.bench.cost();
    let dtype = shared.bench.setup().dtype;
    let head = [
        "kernel",
        "FLOP",
        "B read",
        "B weights",
        "B written",
        "FLOP/B",
    ];
    let side = roof.map(|roof| format!("bound under {}", roof.of));
    let head = head.map(str::to_owned).into_iter().chain(side);
    let row = |kernel: &plan::cost::KernelCost| {
        let numbers = [
            kernel.flops,
            kernel.read_bytes,
            kernel.weight_bytes,
            kernel.written_bytes,
        ];
        let bound = roof.map(|roof| {
            roof.bound(kernel, dtype)
                .map_or("", |b| b.name())
                .to_owned()
        });
        std::iter::once(kernel.ops.join(" "))
            .chain(numbers.map(|n| n.to_string()))
            .chain([kernel.intensity().to_string()])
            .chain(bound)
            .collect()
    };
    Grid {
        head: head.collect(),
        rows: cost.block.kernels.iter().map(row).collect(),
        ..Grid::default()
    }
}
