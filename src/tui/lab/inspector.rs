//! The kernel under the cursor in a few columns.

use super::{bound_role, bound_word, largest};
use crate::tui::pen::{Pen, clip, width};
use crate::tui::theme::Role;
use app::State;
use app::figure;
use app::lab::{Kind, box_bytes, counted, counted_kernel};
use app::ribbon::{BoxCost, Group, bound, kernel_of, selected};
use plan::cost::KernelCost;
use plan::run::BytesReport;
use study::lab::counted::short_surplus;

/// The kernel under `▼`, in the fourteen columns right of the ribbon.
pub(super) fn inspector(state: &State, pen: &mut Pen<'_>) {
    let Some(group) = selected(&state.shared.bench, state.shared.slot) else {
        return;
    };
    let Some(kernel) = kernel_of(state.shared.bench.cost(), &group) else {
        return;
    };
    let sum = BoxCost::of(state.shared.bench.cost(), &group);
    let column = figure::byte_column(largest(state));
    let unit = column.unit().symbol();
    let part = |bytes: u64| {
        if bytes == 0 {
            "–".to_owned()
        } else {
            figure::bytes(column, bytes)
        }
    };
    let x = 66;
    pen.put(
        x,
        2,
        &clip(&short_name(kernel, 14, pen.ascii()), 14),
        Role::Strong,
    );
    if state.lab.kind == Kind::Issued {
        return kinds(state, &group, kernel, column, &mut pen.part(x, 3, 14, 7));
    }
    pen.put(x, 3, &figure::flops(sum.flops), Role::Modelled);
    let bytes = format!("{} {unit} =", figure::bytes(column, sum.bytes()));
    pen.put(x, 4, &bytes, Role::Modelled);
    for (y, label, bytes) in [
        (5, "in", sum.read),
        (6, "wts", sum.weights),
        (7, "out", sum.written),
    ] {
        pen.put(x + 1, y, label, Role::Dim);
        pen.put(x + 6, y, &part(bytes), Role::Modelled);
    }
    let intensity = format!("{} FLOP/B", figure::fixed(sum.intensity(), 2));
    pen.put(x, 8, &intensity, Role::Modelled);
    let side = bound(
        &state.shared.machine,
        kernel,
        state.shared.bench.setup().dtype,
    );
    pen.put(x, 9, bound_word(side), bound_role(side));
}

/// The bytes of the kernel under `▼` by kind, and the buffer that a surplus is
/// due to.
fn kinds(
    state: &State,
    group: &Group,
    kernel: &KernelCost,
    whole: plan::units::Column,
    pen: &mut Pen<'_>,
) {
    let report = counted(&state.shared.bench, &state.shared.runs);
    let bytes = report.and_then(|r| box_bytes(r, state.shared.bench.cost(), group));
    let bytes = bytes.unwrap_or(BytesReport {
        modelled: Some(BoxCost::of(state.shared.bench.cost(), group).bytes()),
        ..BytesReport::default()
    });
    // Behind another device's cache it would be another number.
    let runs = &state.shared.runs;
    let estimated = report.and_then(|report| runs.estimated(report));
    let estimated = estimated.and(bytes.estimated_dram);
    let dram = match bytes.measured_dram {
        Some(measured) => ("DRAM   @", Some(measured), Role::Measured),
        None => ("DRAM   =", estimated, Role::Modelled),
    };
    let rows = [
        ("model  =", bytes.modelled, Role::Modelled),
        ("issued #", bytes.issued, Role::Issued),
        ("compul.#", bytes.compulsory, Role::Issued),
        dram,
    ];
    // A number has a blank before it.
    let fits = |column: &plan::units::Column| {
        let values = rows.iter().filter_map(|(_, bytes, _)| *bytes);
        values.map(|b| figure::bytes(*column, b).len()).max() <= Some(5)
    };
    let mut columns = (0..=3).rev().map(|decimals| whole.decimals(decimals));
    let column = columns.find(fits).unwrap_or(whole.decimals(0));
    for (y, (label, bytes, role)) in (0..).zip(rows) {
        pen.put(0, y, label, Role::Dim);
        let value = bytes.map_or("–".to_owned(), |b| figure::bytes(column, b));
        pen.right(14, y, &value, role);
    }
    let said =
        counted_kernel(&state.shared.bench, &state.shared.runs, kernel).and_then(short_surplus);
    if let Some(said) = said {
        pen.put(0, 5, &clip(&said, 14), Role::Text);
    }
}

/// A kernel's name in few columns: `q·k·v`, `gate…mul`, `block, 17 ops`: as
/// many as it has names on the ribbon, RoPE of q and of k under one.
pub fn short_name(kernel: &KernelCost, room: usize, ascii: bool) -> String {
    // A group is joined by `+` where `·` cannot be drawn.
    let joint = if ascii { "+" } else { "·" };
    if kernel.name == "block" || kernel.name == "forward" {
        return format!("{}, {} ops", kernel.name, kernel.ops.len());
    }
    let name = kernel.ops.join(joint);
    if width(&name) <= room {
        return name;
    }
    match (kernel.ops.first(), kernel.ops.last()) {
        (Some(first), Some(last)) if ascii => format!("{first}..{last}"),
        (Some(first), Some(last)) => format!("{first}…{last}"),
        _ => name,
    }
}
