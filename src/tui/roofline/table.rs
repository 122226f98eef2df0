//! The same in numbers: FLOP, bytes, intensity, floor, and what sets it.

use super::{bound, kernel, role};
use crate::tui::lab::{bound_word, short_name};
use crate::tui::pen::{Pen, clip};
use crate::tui::theme::Role;
use app::State;
use app::figure;
use app::machine::Ceilings;
use app::mouse::Target;
use app::roofline::{Roofs, Spot};
use plan::units::figure::Clock;
use plan::units::{Column, Quantity};

/// Right edges of FLOP, bytes, intensity, floor.
const EDGES: [u16; 4] = [29, 39, 49, 59];
/// Left edges of what sets the floor, here and on the what-if GPU.
const BOUND: [u16; 2] = [61, 70];

/// Right edge of what a kernel took.
const RAN: u16 = 79;

/// Draws the table: a row per kernel, and the block.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let view = state.roofline.view();
    let block = &state.shared.bench.cost().block;
    let dtype = state.shared.bench.setup().dtype;
    let flops = Column::fit(&[Quantity::flop(block.flops.max(1_000_000))]).decimals(3);
    let bytes = figure::byte_column(block.bytes());
    let side = |s: &Spot| view.roofs.roof.as_ref().and_then(|c| s.under(c, dtype));
    // Beside a what-if GPU there is no room for what was measured here.
    let ran = |s: &Spot| s.ran.filter(|_| view.roofs.what_if.is_none());
    // The block takes no less than the longest of its kernels.
    let floors = view.spots.iter().filter_map(|s| Some(side(s)?.floor));
    let floors = Clock::of(whole(state).unwrap_or(floors.fold(0.0, f64::max)));
    let took = view.spots.iter().filter_map(|s| Some(ran(s)?.seconds));
    let took = Clock::of(took.fold(0.0, f64::max));
    let heads = [
        format!("{} =", flops.unit().symbol()),
        format!("{} =", bytes.unit().symbol()),
        "FLOP/B =".to_owned(),
        format!("floor {}", floors.unit),
    ];
    for (edge, head) in EDGES.into_iter().zip(&heads) {
        pen.right(edge, 0, head, Role::Dim);
    }
    pen.put(BOUND[0], 0, "bound", Role::Dim);
    if let Some(c) = &view.roofs.what_if {
        pen.put(BOUND[1], 0, &clip(&c.of, 10), Role::Dim);
    } else if view.spots.iter().any(|s| ran(s).is_some()) {
        pen.right(RAN, 0, &format!("ran {} @", took.unit), Role::Dim);
    }
    let room = usize::from(pen.height()).saturating_sub(2);
    let first = (view.here + 1).saturating_sub(room);
    let shown = view.spots.iter().enumerate().skip(first).take(room);
    for (y, (at, spot)) in (1..).zip(shown) {
        let Some(kernel) = kernel(state, spot) else {
            continue;
        };
        pen.spot(0, y, pen.width(), Target::Row(at));
        pen.put(1, y, &spot.letter.to_string(), role(state, spot));
        let label = short_name(kernel, 16, pen.ascii());
        pen.put(3, y, &clip(&label, 17), Role::Text);
        let cells = [
            flops.number(&Quantity::flop(kernel.flops)),
            figure::bytes(bytes, kernel.bytes()),
            spot.printed(),
            side(spot).map_or("–".to_owned(), |s| floors.fine(s.floor)),
        ];
        for (edge, cell) in EDGES.into_iter().zip(&cells) {
            pen.right(edge, y, cell, Role::Modelled);
        }
        let word = bound_word(bound(state, spot));
        pen.put(
            BOUND[0],
            y,
            word.trim_end_matches("-bound"),
            role(state, spot),
        );
        if let Some(c) = &view.roofs.what_if {
            let other = spot.under(c, dtype).map(|s| s.bound);
            let word = bound_word(other).trim_end_matches("-bound");
            let role = crate::tui::lab::bound_role(other);
            pen.put(BOUND[1], y, word, role);
        }
        if let Some(ran) = ran(spot) {
            pen.right(RAN, y, &took.fine(ran.seconds), Role::Measured);
        }
        if at == view.here {
            pen.put(0, y, "►", Role::Accent);
            pen.reverse(1, y, BOUND[0] - 2);
        }
    }
    let y = 1 + view.spots.len().min(room) as u16;
    total(state, [flops, bytes], floors, y, pen);
}

/// Seconds of the block under the roof.
fn whole(state: &State) -> Option<f64> {
    let roof = state.roofline.view().roofs.roof.as_ref()?;
    let bench = &state.shared.bench;
    roof.floor(&bench.cost().block, bench.setup().dtype)
}

/// The block: sums, and the ridge of each roof: below it memory is the bound.
fn total(state: &State, [flops, bytes]: [Column; 2], floors: Clock, y: u16, pen: &mut Pen<'_>) {
    let view = state.roofline.view();
    let cost = state.shared.bench.cost();
    let dtype = state.shared.bench.setup().dtype;
    let roofs = &view.roofs;
    let kernels = cost.block.kernels.len() as u64;
    let label = format!("block, {}", figure::counted(kernels, "kernel", "kernels"));
    pen.put(1, y, &label, Role::Strong);
    let cells = [
        flops.number(&Quantity::flop(cost.block.flops)),
        figure::bytes(bytes, cost.block.bytes()),
        figure::fixed(cost.block.intensity(), 3),
        whole(state).map_or("–".to_owned(), |s| floors.fine(s)),
    ];
    for (edge, cell) in EDGES.into_iter().zip(&cells) {
        pen.right(edge, y, cell, Role::Modelled);
    }
    // In 16 bit there are two; that of products is named on the plot.
    let ridge = |c: &Ceilings| match Roofs::parts(c, dtype).as_slice() {
        [(_, roof)] => Some(figure::fixed(roof.ridge(), 2)),
        _ => None,
    };
    let [own, other] = [&roofs.roof, &roofs.what_if].map(|c| c.as_ref().and_then(ridge));
    let text = match (own, other) {
        (Some(own), None) if roofs.what_if.is_none() => format!("ridge {own} FLOP/B"),
        (Some(own), None) => format!("ridge {own}"),
        (Some(own), Some(other)) => format!("ridge {own}, {other}"),
        (None, Some(other)) => format!("ridge {}, {other}", figure::NOT_HAD),
        (None, None) => return,
    };
    pen.put(BOUND[0], y, &text, Role::Modelled);
}
