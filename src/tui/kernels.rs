//! The kernels of the plan as a list, and one of them in detail: what a larger
//! terminal shows beside the lab.

use super::lab::{bound_role, bound_word, short_name};
use super::pen::{Pen, clip};
use super::theme::Role;
use app::State;
use app::figure;
use app::lab::{Kind, counted, counted_kernel};
use app::ribbon::{bound, kernel_of, selected};
use plan::cost::{Direction, KernelCost};
use plan::run::{KernelReport, Report};
use plan::units::figure::Clock;
use plan::units::{Column, Quantity};
use study::lab::counted::{of_kernel, short_surplus};

/// FLOPs in one unit for a whole column, that of its largest.
fn flop_column(largest: u64) -> Column {
    Column::fit(&[Quantity::flop(largest.max(1_000_000))]).decimals(3)
}

/// Every kernel of the block: FLOP, bytes, intensity, floor, side of the roof;
/// where a run counted them, the kinds of bytes.
pub fn list(state: &State, pen: &mut Pen<'_>) {
    if pen.height() < 3 {
        return;
    }
    if matches!(state.lab.kind, Kind::Bytes | Kind::Issued)
        && let Some(report) = counted(&state.shared.bench, &state.shared.runs)
    {
        return kinds(state, report, pen);
    }
    let cost = state.shared.bench.cost();
    let kernels = &cost.block.kernels;
    let column = figure::byte_column(largest(state));
    let dtype = state.shared.bench.setup().dtype;
    pen.rule(0, pen.width(), 0);
    pen.put(1, 0, " kernels of a block ", Role::Dim);
    let flops = flop_column(kernels.iter().map(|k| k.flops).max().unwrap_or(0));
    let floor = |kernel: &KernelCost| {
        let ceilings = state.shared.machine.ceilings.as_ref()?;
        let roof = ceilings.roof(dtype, kernel.has_product())?;
        Some(roof.floor_seconds(kernel.flops, kernel.bytes()))
    };
    let clock = Clock::of(kernels.iter().filter_map(floor).fold(0.0, f64::max));
    let floors = format!("floor {}", clock.unit);
    let heads = [
        (34, &format!("{} =", flops.unit().symbol()) as &str),
        (46, &format!("{} =", column.unit().symbol()) as &str),
        (57, "FLOP/B ="),
        (67, &floors),
    ];
    for (edge, head) in heads {
        pen.right(edge, 1, head, Role::Dim);
    }
    let (here, first, room) = view(state, pen);
    if kernels.len() > room {
        let shown = format!(" {} to {} of {} ", first + 1, first + room, kernels.len());
        pen.right(pen.width() - 1, 0, &shown, Role::Dim);
    }
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
        let intensity = figure::fixed(kernel.intensity(), 2);
        pen.right(57, y, &intensity, Role::Modelled);
        let floor = floor(kernel).map_or("–".to_owned(), |s| clock.fine(s));
        pen.right(67, y, &floor, Role::Modelled);
        let side = bound(&state.shared.machine, kernel, dtype);
        pen.put(
            69,
            y,
            side.map_or("no roof", |_| bound_word(side))
                .trim_end_matches("-bound"),
            bound_role(side),
        );
    }
}

/// The kernel under `▼` among those of the block, the first that is shown, and
/// for how many there is room.
fn view(state: &State, pen: &Pen<'_>) -> (usize, usize, usize) {
    let cost = state.shared.bench.cost();
    let kernels = &cost.block.kernels;
    let here = selected(&state.shared.bench, state.shared.slot)
        .and_then(|g| kernel_of(cost, &g))
        .and_then(|k| kernels.iter().position(|other| std::ptr::eq(other, k)))
        .unwrap_or(0);
    let room = usize::from(pen.height()) - 2;
    let first = here
        .saturating_sub(room / 2)
        .min(kernels.len().saturating_sub(room));
    (here, first, room)
}

/// Columns of the kinds of bytes: right edge and head.
const KINDS: [(u16, &str); 4] = [
    (28, "modelled ="),
    (38, "issued #"),
    (52, "compulsory #"),
    (65, "DRAM est. ="),
];

/// A number of each kind of a kernel, `–` where it is not known. `estimated`: behind the
/// cache of the present device.
fn cells(
    counted: Option<&KernelReport>,
    estimated: bool,
    modelled: u64,
    column: Column,
) -> [(String, Role); 4] {
    let bytes = counted.map(|k| k.bytes).unwrap_or_default();
    let dram = match bytes.measured_dram {
        Some(measured) => (Some(measured), Role::Measured),
        None => (bytes.estimated_dram.filter(|_| estimated), Role::Modelled),
    };
    let cell = |(bytes, role): (Option<u64>, Role)| {
        let text = bytes.map_or("–".to_owned(), |b| figure::bytes(column, b));
        (text, role)
    };
    [
        (Some(modelled), Role::Modelled),
        (bytes.issued, Role::Issued),
        (bytes.compulsory, Role::Issued),
        dram,
    ]
    .map(cell)
}

/// The largest number among modelled and issued bytes of kernels.
fn most(report: &Report, kernels: &[KernelCost]) -> u64 {
    let issued = |k| of_kernel(report, k).and_then(|k| k.bytes.issued);
    let all = kernels
        .iter()
        .flat_map(|k| [Some(k.bytes()), issued(k)])
        .flatten();
    all.max().unwrap_or(0)
}

/// The head of DRAM's column: the device's own count where there is one.
fn dram_head(report: &Report, estimated: &'static str, measured: &'static str) -> &'static str {
    let known = report
        .kernels
        .iter()
        .any(|k| k.bytes.measured_dram.is_some());
    if known { measured } else { estimated }
}

/// Every kernel of the block with its bytes by kind, and the buffer that a
/// surplus is due to.
fn kinds(state: &State, report: &Report, pen: &mut Pen<'_>) {
    let kernels = &state.shared.bench.cost().block.kernels;
    let column = figure::byte_column(most(report, kernels));
    pen.rule(0, pen.width(), 0);
    let runs = &state.shared.runs;
    let estimated = runs.estimated(report).is_some();
    let behind = match estimated {
        true => format!("· estimated behind the {}'s cache ", runs.behind.of),
        false => String::new(),
    };
    let title = format!(
        " {} of a kernel of the block {behind}",
        column.unit().symbol()
    );
    pen.put(1, 0, &title, Role::Dim);
    for (edge, head) in KINDS {
        let head = match head {
            "DRAM est. =" => dram_head(report, head, "DRAM @"),
            head => head,
        };
        pen.right(edge, 1, head, Role::Dim);
    }
    pen.put(67, 1, "more", Role::Dim);
    let (here, first, room) = view(state, pen);
    let wide = usize::from(pen.width()).saturating_sub(67);
    for (i, kernel) in kernels.iter().enumerate().skip(first).take(room) {
        let y = (i - first) as u16 + 2;
        let role = if i == here { Role::Accent } else { Role::Text };
        if i == here {
            pen.put(0, y, "►", Role::Accent);
        }
        let name = short_name(kernel, 17, pen.ascii());
        pen.put(1, y, &clip(&name, 17), role);
        let counted = of_kernel(report, kernel);
        let cells = cells(counted, estimated, kernel.bytes(), column);
        for ((edge, _), (text, role)) in KINDS.iter().zip(cells) {
            pen.right(*edge, y, &text, role);
        }
        if let Some(said) = counted.and_then(short_surplus) {
            pen.put(67, y, &clip(&said, wide), Role::Text);
        }
    }
}

/// The kernel under `▼`: its FLOPs and bytes term by term, what stays inside.
pub fn detail(state: &State, pen: &mut Pen<'_>) {
    let cost = state.shared.bench.cost();
    let Some(kernel) =
        selected(&state.shared.bench, state.shared.slot).and_then(|g| kernel_of(cost, &g))
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
    let side = bound(
        &state.shared.machine,
        kernel,
        state.shared.bench.setup().dtype,
    );
    let summary = format!("{:.2} FLOP/B =, {}", kernel.intensity(), bound_word(side));
    pen.put(1, 1, &summary, bound_role(side));
    let mut y = 3;
    let bottom = pen.height();
    // Names are cut only where nothing else fits.
    let names = if room >= 60 { 24 } else { 10 };
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
            pen.put(2, y, &clip(&name, names), Role::Text);
            // Where there is no room for a formula there is none.
            if room >= 34 {
                let (x, taken) = (3 + names as u16, names + 12);
                pen.put(x, y, &clip(&formula, room.saturating_sub(taken)), Role::Dim);
            }
            pen.right(edge, y, &value, Role::Modelled);
            y += 1;
        }
        y += 1;
    };
    let counted = counted_kernel(&state.shared.bench, &state.shared.runs, kernel);
    let buffers = counted.map(|counted| buffers(state, counted));
    // What the page is about comes first.
    let first = state.lab.kind == Kind::Issued;
    if let Some((total, lines)) = buffers.clone().filter(|_| first) {
        section(pen, BUFFERS, &total, lines);
    }
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
    let column = figure::byte_column(largest(state));
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
    if let Some((total, lines)) = buffers.filter(|_| !first) {
        section(pen, BUFFERS, &total, lines);
    }
    if kernel.phases > 1 {
        let waits = figure::counted(kernel.phases - 1, "wait", "waits");
        let text = format!("{waits} of the whole grid inside");
        section(pen, &text, "", Vec::new());
    }
}

/// Over the bytes of buffers: those with a `+` the model does not price.
const BUFFERS: &str = "issued, + unpriced";

/// Issued bytes of a kernel by buffer, and what each must move at least; the
/// sum before them.
fn buffers(state: &State, counted: &KernelReport) -> (String, Vec<[String; 3]>) {
    let issued = counted.bytes.issued.unwrap_or(0);
    let column = figure::byte_column(issued.max(largest(state)));
    let lines = counted.buffers.iter().map(|b| {
        let sign = if b.inside { "+ " } else { "  " };
        [
            format!("{sign}{}", plain(&b.name)),
            format!("≥ {}", figure::bytes(column, b.compulsory)),
            figure::bytes(column, b.issued),
        ]
    });
    let unit = column.unit().symbol();
    let total = format!("{} {unit} #", figure::bytes(column, issued));
    (total, lines.collect())
}

/// Bytes of the plan's largest kernel.
fn largest(state: &State) -> u64 {
    let bench = &state.shared.bench;
    let kernels = bench
        .cost()
        .block
        .kernels
        .iter()
        .chain(&bench.v1().block.kernels);
    kernels.map(KernelCost::bytes).max().unwrap_or(0)
}

/// A buffer's name without what the title says: block and phases.
fn plain(name: &str) -> &str {
    let name = name.split(" of block").next().unwrap_or_default();
    name.trim_end_matches(" between phases")
}

/// Columns of the kinds of bytes where there are 38: right edge and head.
const NARROW: [(u16, &str); 4] = [(16, "="), (23, "iss. #"), (30, "comp.#"), (37, "DRAM =")];

/// Names and bytes of kernels by kind, as many as there is room for.
fn short_kinds(kernels: &[KernelCost], report: &Report, estimated: bool, pen: &mut Pen<'_>) {
    let most = most(report, kernels);
    let column = figure::byte_column(most);
    // A column has a blank before it.
    let column = match figure::bytes(column, most).len() {
        ..=6 => column,
        _ => column.decimals(2),
    };
    let unit = column.unit().symbol();
    for (edge, head) in NARROW {
        let head = match head {
            "=" => format!("{unit} ="),
            "DRAM =" => dram_head(report, head, "DRAM @").to_owned(),
            head => head.to_owned(),
        };
        pen.right(edge, 0, &head, Role::Dim);
    }
    for (i, kernel) in kernels.iter().enumerate() {
        let y = i as u16 + 1;
        let name = short_name(kernel, 9, pen.ascii());
        pen.put(1, y, &clip(&name, 9), Role::Text);
        let counted = of_kernel(report, kernel);
        let cells = cells(counted, estimated, kernel.bytes(), column);
        for ((edge, _), (text, role)) in NARROW.iter().zip(cells) {
            pen.right(*edge, y, &text, role);
        }
    }
    // Below: what phases hand to each other, and no model prices.
    let inside = kernels
        .iter()
        .filter_map(|k| of_kernel(report, k))
        .flat_map(KernelReport::inside);
    let from = kernels.len() as u16 + 2;
    let room = pen.height().saturating_sub(from + 1);
    for (i, buffer) in (0..room).zip(inside) {
        if i == 0 {
            pen.put(1, from, "between phases, not priced", Role::Dim);
        }
        let y = from + 1 + i;
        pen.put(2, y, &clip(plain(&buffer.name), 20), Role::Text);
        pen.right(
            30,
            y,
            &figure::bytes(column, buffer.compulsory),
            Role::Issued,
        );
    }
}

/// Names and bytes of kernels, as many as there is room for; by kind where a
/// run counted them.
pub fn short(state: &State, kernels: &[KernelCost], report: Option<&Report>, pen: &mut Pen<'_>) {
    if let Some(report) = report.filter(|r| !r.kernels.is_empty()) {
        let estimated = state.shared.runs.estimated(report).is_some();
        return short_kinds(kernels, report, estimated, pen);
    }
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
        let intensity = figure::fixed(kernel.intensity(), 2);
        pen.right(36, y, &intensity, Role::Modelled);
    }
}
