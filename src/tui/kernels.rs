//! The kernels of the plan as a list, and one of them in detail: what a larger
//! terminal shows beside the lab.

use super::lab::{bound_role, bound_word, short_name};
use super::pen::{Pen, clip};
use super::theme::Role;
use crate::app::State;
use crate::app::figure;
use crate::app::lab::{bound, kernel_of, selected};
use crate::cost::{Direction, KernelCost};
use crate::units::{Column, Quantity};

/// FLOPs in one unit for a whole column, that of its largest.
fn flop_column(largest: u64) -> Column {
    Column::fit(&[Quantity::flop(largest.max(1_000_000))]).decimals(3)
}

/// Every kernel of the block: FLOP, bytes, intensity, floor, side of the roof.
pub fn list(state: &State, pen: &mut Pen<'_>) {
    if pen.height() < 3 {
        return;
    }
    let cost = state.bench.cost();
    let kernels = &cost.block.kernels;
    let largest = kernels.iter().map(KernelCost::bytes).max().unwrap_or(0);
    let column = figure::byte_column(largest);
    let dtype = state.bench.setup().dtype;
    pen.rule(0, pen.width(), 0);
    pen.put(1, 0, " kernels of a block ", Role::Dim);
    let flops = flop_column(kernels.iter().map(|k| k.flops).max().unwrap_or(0));
    let heads = [
        (34, &format!("{} =", flops.unit().symbol()) as &str),
        (46, &format!("{} =", column.unit().symbol()) as &str),
        (57, "FLOP/B ="),
        (67, "floor µs"),
    ];
    for (edge, head) in heads {
        pen.right(edge, 1, head, Role::Dim);
    }
    let here = selected(&state.bench, state.lab.slot)
        .and_then(|g| kernel_of(cost, &g))
        .and_then(|k| kernels.iter().position(|other| std::ptr::eq(other, k)))
        .unwrap_or(0);
    let room = usize::from(pen.height()) - 2;
    let first = here
        .saturating_sub(room / 2)
        .min(kernels.len().saturating_sub(room));
    for (i, kernel) in kernels.iter().enumerate().skip(first).take(room) {
        let y = (i - first) as u16 + 2;
        if i == here {
            pen.put(0, y, "►", Role::Accent);
        }
        let ascii = pen.ascii();
        pen.put(
            1,
            y,
            &clip(&short_name(kernel, 20, ascii), 20),
            if i == here { Role::Accent } else { Role::Text },
        );
        let of_kernel = flops.number(&Quantity::flop(kernel.flops));
        pen.right(34, y, &of_kernel, Role::Modelled);
        pen.right(
            46,
            y,
            &figure::bytes(column, kernel.bytes()),
            Role::Modelled,
        );
        let intensity = format!("{:.2}", kernel.intensity());
        pen.right(57, y, &intensity, Role::Modelled);
        let floor = state.machine.ceilings.as_ref().and_then(|c| {
            let roof = c.roof(dtype, kernel.has_product())?;
            Some(roof.floor_seconds(kernel.flops, kernel.bytes()))
        });
        let floor = floor.map_or("–".to_owned(), |s| format!("{:.3}", s * 1e6));
        pen.right(67, y, &floor, Role::Modelled);
        let side = bound(&state.machine, kernel, dtype);
        pen.put(
            69,
            y,
            bound_word(side).trim_end_matches("-bound"),
            bound_role(side),
        );
    }
}

/// The kernel under `▼`: its FLOPs and bytes term by term, what stays inside.
pub fn detail(state: &State, pen: &mut Pen<'_>) {
    let cost = state.bench.cost();
    let Some(kernel) = selected(&state.bench, state.lab.slot).and_then(|g| kernel_of(cost, &g))
    else {
        return;
    };
    let edge = pen.width().saturating_sub(1);
    let room = usize::from(edge) - 1;
    let ascii = pen.ascii();
    pen.put(
        1,
        0,
        &clip(&short_name(kernel, room, ascii), room),
        Role::Strong,
    );
    let side = bound(&state.machine, kernel, state.bench.setup().dtype);
    let summary = format!("{:.2} FLOP/B =, {}", kernel.intensity(), bound_word(side));
    pen.put(1, 1, &summary, bound_role(side));
    let mut y = 3;
    let bottom = pen.height();
    let mut section = |pen: &mut Pen<'_>, title: &str, total: &str, lines: Vec<[String; 3]>| {
        if y + 1 >= bottom {
            return;
        }
        pen.put(1, y, title, Role::Dim);
        pen.right(edge, y, total, Role::Modelled);
        y += 1;
        for [name, formula, value] in lines {
            if y >= bottom {
                return;
            }
            pen.put(2, y, &clip(&name, 9), Role::Text);
            // Where there is no room for a formula there is none.
            if room >= 34 {
                pen.put(12, y, &clip(&formula, room.saturating_sub(21)), Role::Dim);
            }
            pen.right(edge, y, &value, Role::Modelled);
            y += 1;
        }
        y += 1;
    };
    let column = flop_column(kernel.flops);
    let flops = kernel
        .flop_terms
        .iter()
        .map(|t| {
            [
                t.op.name().to_owned(),
                t.product.to_string(),
                column.number(&Quantity::flop(t.flops)),
            ]
        })
        .collect();
    let total = column.number(&Quantity::flop(kernel.flops));
    let total = format!("{total} {} =", column.unit().symbol());
    section(pen, "FLOPs", &total, flops);
    let column = figure::byte_column(
        cost.block
            .kernels
            .iter()
            .map(KernelCost::bytes)
            .max()
            .unwrap_or(0),
    );
    let unit = column.unit().symbol();
    let moved = kernel
        .moved
        .iter()
        .map(|m| {
            let verb = match m.direction {
                Direction::Read => "in",
                Direction::Weight => "wts",
                Direction::Write => "out",
            };
            [
                format!("{verb:<4}{}", m.name),
                format!("{}·{}", m.elements, m.element_bytes),
                figure::bytes(column, m.bytes),
            ]
        })
        .collect();
    let total = format!("{} {unit} =", figure::bytes(column, kernel.bytes()));
    section(pen, "bytes", &total, moved);
    if kernel.phases > 1 {
        let waits = figure::counted(kernel.phases - 1, "wait", "waits");
        let text = format!("{waits} of the whole grid inside");
        section(pen, &text, "", Vec::new());
    }
}

/// Names and bytes of kernels, as many as there is room for.
pub fn short(kernels: &[KernelCost], pen: &mut Pen<'_>) {
    let largest = kernels.iter().map(KernelCost::bytes).max().unwrap_or(0);
    let column = figure::byte_column(largest);
    let head = format!("{} =", column.unit().symbol());
    pen.right(26, 0, &head, Role::Dim);
    pen.right(36, 0, "FLOP/B =", Role::Dim);
    let ascii = pen.ascii();
    for (i, kernel) in kernels.iter().enumerate() {
        let y = i as u16 + 1;
        pen.put(1, y, &clip(&short_name(kernel, 16, ascii), 16), Role::Text);
        pen.right(
            26,
            y,
            &figure::bytes(column, kernel.bytes()),
            Role::Modelled,
        );
        let intensity = format!("{:.2}", kernel.intensity());
        pen.right(36, y, &intensity, Role::Modelled);
    }
}
