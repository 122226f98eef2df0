//! The roofline: kernels as letters under the roof, and what the letters are.

mod legend;
mod plot;
mod table;

use super::lab::{bound_role, bound_word, short_name};
use super::pen::{Pen, clip, width};
use super::theme::Role;
use super::{cards, frame, kernels};
use app::State;
use app::figure;
use app::machine::{Ceilings, Source, flop_rate};
use app::roofline::{Ran, Roofs, Spot};
use plan::cost::{Bound, KernelCost};
use plan::model::Dtype;
use plan::units::figure::Clock;
use plan::units::significant;

/// Columns of the plot with its axis where the list stands beside it.
const PLOT: u16 = 55;

/// Draws the page.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height().saturating_sub(1);
    let table = state.roofline.table(pen.ascii());
    if state.shared.two_panes() {
        let (left, bottom) = (frame::LEFT, last - 2);
        frame::panes(pen, left + 1, bottom);
        let (room, height) = (pen.width() - left - 2, bottom - 3);
        title(state, &mut pen.part(0, 3, left, 1));
        let mut body = pen.part(0, 5, left, height - 2);
        match table {
            true => table::draw(state, &mut body),
            false => plot::draw(state, &mut body.part(0, 0, left - 1, height - 2)),
        }
        let mut beside = pen.part(left + 2, 3, room, height);
        match table {
            true => kernels::detail(state, &mut beside),
            false => legend::wide(state, &mut beside),
        }
    } else {
        let height = last - 3;
        title(state, &mut pen.part(0, 1, frame::LEFT, 1));
        if table {
            table::draw(state, &mut pen.part(0, 2, frame::LEFT, height));
        } else {
            plot::draw(state, &mut pen.part(0, 2, PLOT, height));
            let x = PLOT + 1;
            legend::narrow(state, &mut pen.part(x, 2, frame::LEFT - x, height));
        }
        if pen.width() >= 104 {
            let room = pen.width() - frame::LEFT - 2;
            kernels::detail(state, &mut pen.part(frame::LEFT + 1, 1, room, last - 2));
        }
    }
    match &state.roofline.field {
        Some(field) => {
            let (before, behind) = field.halves();
            let x = pen.put(1, last - 1, "Your own point, FLOP/B: ", Role::Accent);
            let x = pen.put(x, last - 1, &before, Role::Text);
            let x = pen.cursor(x, last - 1);
            pen.put(x, last - 1, &behind, Role::Text);
            // Why what was typed is none stands above it.
            if state.shared.notes.shown().is_some() {
                let mut above = pen.part(0, last - 2, pen.width(), 1);
                above.clear();
                frame::message(state, "", "", &mut above, 0);
            }
        }
        None => frame::message(state, &hint(state), "", pen, last - 1),
    }
    cards::draw(state, pen);
}

/// What is drawn, and whose roof it is.
fn title(state: &State, pen: &mut Pen<'_>) {
    let roofs = &state.roofline.view().roofs;
    let Some(c) = &roofs.roof else {
        pen.put(1, 0, "No roof is known yet: R measures one.", Role::Warn);
        return;
    };
    let dtype = state.shared.bench.setup().dtype;
    let role = match c.source {
        Source::Measured => Role::Measured,
        _ => Role::Text,
    };
    let roof = format!("Roof: {} {}", source(c), peaks(c, dtype));
    let unit = flop_rate(c.fp32).1;
    let lefts = [
        format!("{unit} attainable, log-log"),
        format!("{unit}, log-log"),
        unit.to_owned(),
    ];
    let room = usize::from(pen.width()) - 2;
    // A table has no axes.
    let plotted = !state.roofline.table(pen.ascii());
    let fits = |left: &&String| plotted && width(left) + 2 + width(&roof) <= room;
    let left = lefts.iter().find(fits);
    let end = left.map_or(0, |l| pen.put(1, 0, l, Role::Dim));
    let roof = clip(&roof, room);
    let x = (pen.width() - 1).saturating_sub(width(&roof) as u16);
    pen.put(x.max(end + 1), 0, &roof, role);
}

/// Whose roof, and where it comes from: `H200 measured @`.
fn source(c: &Ceilings) -> String {
    let of = &c.of;
    match c.source {
        Source::Measured => format!("{of} measured @"),
        Source::DataSheet => format!("{of} data sheet"),
        Source::Recorded => format!("{of} recorded"),
    }
}

/// Peaks and bandwidth: `51 TFLOP/s fp32, 4286 GB/s`.
fn peaks(c: &Ceilings, dtype: Dtype) -> String {
    let parts = Roofs::parts(c, dtype);
    let alone = parts.len() < 2;
    let rates: Vec<String> = parts
        .iter()
        .map(|(product, roof)| {
            let unit = match (alone, product) {
                // What is measured here is a product in fp32; this computer has no
                // faster one for bf16.
                (true, _) if c.source == Source::Measured => Dtype::Fp32.name(),
                (true, _) => dtype.name(),
                (false, true) => "products",
                (false, false) => "others",
            };
            format!("{} {unit}", rate(roof.flops_per_second))
        })
        .collect();
    format!("{}, {:.0} GB/s", rates.join(", "), c.bandwidth / 1e9)
}

/// FLOP/s as a person writes them: `51 TFLOP/s`, `3.39 TFLOP/s`.
fn rate(flops: f64) -> String {
    let (value, unit) = flop_rate(flops);
    let text = match value {
        v if v >= 99.95 => figure::fixed(v, 0),
        v if v >= 9.995 => figure::fixed(v, 1),
        v => figure::fixed(v, 2),
    };
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text} {unit}")
}

/// The priced kernel of a spot.
fn kernel<'s>(state: &'s State, spot: &Spot) -> Option<&'s KernelCost> {
    state.shared.bench.cost().block.kernels.get(spot.kernel)
}

/// The colour of a kernel's letter.
fn role(state: &State, spot: &Spot) -> Role {
    bound_role(bound(state, spot))
}

/// The side of the roof that a kernel meets.
fn bound(state: &State, spot: &Spot) -> Option<Bound> {
    let roof = state.roofline.view().roofs.roof.as_ref()?;
    let side = spot.under(roof, state.shared.bench.setup().dtype)?;
    Some(side.bound)
}

/// The part of a floor in the time that a kernel took.
fn of_roof(floor: f64, ran: Ran) -> String {
    match floor / ran.seconds {
        // Faster than memory allows: the data sat in a cache.
        part if part > 1.0 => ">100 %".to_owned(),
        part => figure::percent(part),
    }
}

/// The kernel under the cursor in a sentence, where no message stands.
fn hint(state: &State) -> String {
    let view = state.roofline.view();
    let Some((spot, kernel)) = view.spot().and_then(|s| Some((s, kernel(state, s)?))) else {
        return String::new();
    };
    let name = short_name(kernel, 14, state.shared.look.ascii);
    let dtype = state.shared.bench.setup().dtype;
    let side = view.roofs.roof.as_ref().and_then(|c| spot.under(c, dtype));
    let Some(side) = side else {
        return format!(
            "{name}: {} FLOP/B =. No roof is known for it.",
            spot.printed()
        );
    };
    if let Some(own) = view.own {
        let word = bound_word(Some(side.bound));
        let (is, said) = (spot.printed(), significant(own, 4));
        return format!("{name}: {is} FLOP/B =, {word}. Your point ? is at {said} FLOP/B.");
    }
    // In the unit of the lab: that of the largest kernel.
    let kernels = &state.shared.bench.cost().block.kernels;
    let largest = kernels.iter().map(KernelCost::bytes).max();
    let column = figure::byte_column(largest.unwrap_or(0));
    let bytes = figure::bytes(column, kernel.bytes());
    let bytes = format!("{bytes} {}", column.unit().symbol());
    let flops = figure::flops(kernel.flops);
    let word = bound_word(Some(side.bound));
    let (floor, works, other, rest) = match side.bound {
        Bound::Memory => (side.byte_seconds, bytes, "FLOPs", side.flop_seconds),
        Bound::Compute => (side.flop_seconds, flops, "bytes", side.byte_seconds),
    };
    let time = |seconds: f64| {
        let clock = Clock::of(seconds);
        format!("{} {}", clock.fine(seconds), clock.unit)
    };
    if let Some(ran) = spot.ran {
        return format!(
            "{name}: {word}. Floor {} =: {} of its {} @.",
            time(floor),
            of_roof(side.floor, ran),
            time(ran.seconds)
        );
    }
    let said = format!("{name}: {word}. Floor {} = for {works}", time(floor));
    let rest = time(rest);
    let whole = format!("{said}; its {other} take {rest}.");
    match width(&whole) < usize::from(frame::LEFT) {
        true => whole,
        false => format!("{said}; {other} {rest}."),
    }
}
