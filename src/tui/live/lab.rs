//! The `lab` and `ribbon` blocks: the part of the ribbon that is meant, what
//! can be flipped, and what the plan costs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::pen::{Pen, width};
use crate::tui::ribbon;
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;
use app::State;
use app::bench::{Bench, Switch};
use app::figure;
use app::live::{bench, toggles};
use app::mouse::Target;
use app::ribbon::{Group, ROW_END, SLOTS, WIDTHS, groups, slot_of, wall_after};
use app::ribbon::{bound, kernel_of};
use course::{Block, Lesson, Live};
use plan::cost::{CostError, KernelCost, Priced};
use plan::fusion::{Boundary, Fusion, Version};
use plan::model::OpKind;
use plan::units::{Quantity, compact};

/// Rows of a `lab` block.
///
/// # Errors
/// A setting, a plan or a shape that cannot be.
pub fn rows(
    state: &State,
    lesson: &Lesson,
    live: &Live,
    keys: bool,
    columns: usize,
) -> Result<Vec<Row>, String> {
    let bench = bench(&state.reader, &state.shared, lesson, live)?;
    let offered = toggles(live);
    let named = ops(live);
    let mut rows = Vec::new();
    if let Some((first, last)) = range(&named, &offered) {
        let fits = SLOTS.get(first..=last).is_some_and(|s| {
            s.iter().map(|s| usize::from(s.inner()) + 2).sum::<usize>() <= columns
        });
        if fits {
            rows.extend(strip(&bench, first, last, state.shared.look.ascii));
        }
    }
    let cursor = state.reader.block(&lesson.id, live.number).cursor;
    for (i, fusion) in offered.iter().enumerate() {
        let row = toggle(&bench, *fusion, keys && i == cursor, columns);
        let width = row.width();
        rows.push(row.clicked(width, Target::Switch(i)));
    }
    if !rows.is_empty() {
        rows.push(Row::default());
    }
    rows.extend(figures(&bench, &named, columns));
    rows.extend(run(state, live, &bench, columns));
    Ok(rows)
}

/// Ops that the block is about; none: all of the block.
fn ops(live: &Live) -> Vec<OpKind> {
    let Ok(Block::Lab { ops, .. }) = &live.content else {
        return Vec::new();
    };
    let slots = SLOTS.iter().map(|s| s.op);
    let named = |op: &OpKind| ops.iter().any(|o| slot_of(o.value) == slot_of(*op));
    slots.filter(named).collect()
}

/// The slots to draw: those of the named ops, else those that the fusions on
/// offer join; none where that is a whole row of the ribbon.
fn range(ops: &[OpKind], offered: &[Fusion]) -> Option<(usize, usize)> {
    let mut slots: Vec<usize> = ops.iter().filter_map(|op| slot_of(*op)).collect();
    if slots.is_empty() {
        for fusion in offered {
            let walls = fusion.walls();
            for slot in 0..SLOTS.len() - 1 {
                if wall_after(slot).is_some_and(|w: Boundary| walls.is_joined(w)) {
                    slots.extend([slot, slot + 1]);
                }
            }
        }
    }
    let (first, last) = (*slots.iter().min()?, *slots.iter().max()?);
    (last - first <= ROW_END).then_some((first, last))
}

/// Boxes of a few slots: walls, names, walls.
fn strip(bench: &Bench, first: usize, last: usize, ascii: bool) -> Vec<Row> {
    let mut lines = [Row::default(), Row::default(), Row::default()];
    for group in groups(bench.effective_cut()) {
        let (from, to) = (group.first.max(first), group.last.min(last));
        if from > to || group.is_echo() {
            continue;
        }
        let fused = group.fused();
        let role = if fused { Role::Fused } else { Role::Dim };
        let names: Vec<&str> = SLOTS
            .get(from..=to)
            .unwrap_or_default()
            .iter()
            .map(|s| s.label)
            .collect();
        let name = names.join(if ascii { ".." } else { "··" });
        let wall = (if fused { "═" } else { "─" }).repeat(width(&name));
        let [top, middle, bottom] = if fused {
            [["╔", "╗"], ["║", "║"], ["╚", "╝"]]
        } else {
            [["┌", "┐"], ["│", "│"], ["└", "┘"]]
        };
        let [a, b, c] = lines;
        lines = [
            a.and(format!("{}{wall}{}", top[0], top[1]), role),
            b.and(middle[0], role)
                .and(name, Role::Text)
                .and(middle[1], role),
            c.and(format!("{}{wall}{}", bottom[0], bottom[1]), role),
        ];
    }
    lines.into()
}

fn toggle(bench: &Bench, fusion: Fusion, here: bool, columns: usize) -> Row {
    let (sign, role) = match bench.switch(fusion) {
        Switch::Off => ("[ ]", Role::Text),
        Switch::On => ("[x]", Role::Fused),
        Switch::Inside => ("[+]", Role::Fused),
    };
    let row = Row::of(if here { "►" } else { " " }, Role::Accent)
        .and(format!("{sign} {}", fusion.name()), role);
    let summary = fusion.summary();
    if 20 + width(summary) <= columns {
        row.at(20, summary, Role::Dim)
    } else {
        row
    }
}

/// Launches, bytes and intensity of the plan, or of the kernels that hold one
/// of `ops`.
fn figures(bench: &Bench, ops: &[OpKind], columns: usize) -> Vec<Row> {
    let cost = bench.cost();
    let line = |name: &str, part: &Priced, v1: Option<&Priced>| {
        let row = Row::of(name.to_owned(), Role::Dim)
            .at(8, launches(part.launches()), Role::Modelled)
            .at(24, modelled(bench, part.bytes()), Role::Modelled);
        let intensity = format!("{:.2} FLOP/B =", part.intensity());
        let row = if columns >= 39 + width(&intensity) {
            row.at(39, intensity, Role::Modelled)
        } else {
            return row;
        };
        let saved = v1.map_or(String::new(), |v1| {
            figure::saved(v1.bytes() as f64, part.bytes() as f64, 2)
        });
        if saved.is_empty() || columns < 57 + width(&saved) + 5 {
            row
        } else {
            row.at(57, format!("{saved} less"), Role::Text)
        }
    };
    if ops.is_empty() {
        let title = format!("{}  {}", cost.config.cut.title(), bench.setup().title());
        return vec![
            Row::of(title, Role::Strong),
            line("block", &cost.block, Some(&bench.v1().block)),
            line("forward", &cost.forward, Some(&bench.v1().forward)),
        ];
    }
    let holds = |k: &&KernelCost| k.flop_terms.iter().any(|t| ops.contains(&t.op));
    let kernels: Vec<KernelCost> = cost.block.kernels.iter().filter(holds).cloned().collect();
    let part: Result<Priced, CostError> = Priced::of(kernels);
    match part {
        Ok(part) => vec![line("these", &part, None)],
        Err(error) => vec![Row::of(error.to_string(), Role::Bad)],
    }
}

fn launches(n: u64) -> String {
    format!("{} =", figure::counted(n, "launch", "launches"))
}

/// Bytes in the unit of V1's block, the same for every number of a block.
fn bytes(bench: &Bench, n: u64) -> String {
    let column = figure::byte_column(bench.v1().block.bytes());
    let unit = column.unit().symbol();
    format!("{} {unit}", figure::bytes(column, n))
}

fn modelled(bench: &Bench, n: u64) -> String {
    format!("{} =", bytes(bench, n))
}

/// What a run of the whole forward showed, or how to have one.
fn run(state: &State, live: &Live, bench: &Bench, columns: usize) -> Vec<Row> {
    // A block may name the backend that it runs on.
    let backend = match (&live.content, state.shared.machine.backend()) {
        (
            Ok(Block::Lab {
                backend: Some(named),
                ..
            }),
            _,
        ) => format!(" on {}", named.text),
        (_, Some(backend)) => format!(" on {}", backend.name),
        _ => String::new(),
    };
    let setup = bench.setup();
    if let Some(report) = state.shared.runs.of(setup, bench.cut()) {
        let mut row = Row::of("forward", Role::Dim).at(
            8,
            format!(
                "{} #",
                figure::counted(report.launches.counted, "launch", "launches")
            ),
            Role::Issued,
        );
        if let Some(time) = &report.time_us {
            let text = format!("{} @", figure::measured(time.median * 1e-6));
            row = row.at(24, text, Role::Measured);
        } else if let Some(issued) = report.bytes.issued {
            let text = format!("{} # issued", bytes(bench, issued));
            row = row.at(24, text, Role::Issued);
        }
        let v1 = Version::V1.cut();
        let beside = state
            .shared
            .runs
            .of(setup, v1)
            .filter(|_| bench.cut() != v1)
            .and_then(|r| r.time_us.as_ref());
        row = match beside {
            Some(time) => {
                let text = format!("V1 {} @", figure::measured(time.median * 1e-6));
                row.at(39, text, Role::Measured)
            }
            None => row.at(46, format!("on {}", report.backend), Role::Dim),
        };
        return vec![row];
    }
    let text = match state.shared.runs.running() {
        Some(running) if running.cut == bench.cut() && running.setup == *setup => {
            format!("running on {} …", running.backend.name())
        }
        _ => format!("not run yet · r runs it{backend} · Enter opens it in the lab"),
    };
    words(&text, columns, Role::Dim)
}

/// Rows of a `ribbon` block: the ribbon itself where it fits, else the cut as
/// text.
///
/// # Errors
/// A setting, a plan or a shape that cannot be.
pub fn ribbon(
    state: &State,
    lesson: &Lesson,
    live: &Live,
    prices: bool,
    columns: usize,
) -> Result<Vec<Row>, String> {
    let bench = bench(&state.reader, &state.shared, lesson, live)?;
    let cost = bench.cost();
    let mut rows = vec![Row::of(
        format!(
            "{} · {} per block · MB per kernel =",
            cost.config.cut.title(),
            figure::counted(cost.block.launches(), "launch", "launches"),
        ),
        Role::Dim,
    )];
    if columns >= usize::from(WIDTHS[1]) {
        rows.extend(drawn(state, &bench));
    } else {
        rows.extend(words(
            &bench.effective_cut().groups().replace('|', " | "),
            columns,
            Role::Text,
        ));
    }
    if prices {
        rows.extend(gaps(&bench, columns)?);
    }
    Ok(rows)
}

/// The ribbon, drawn into cells.
fn drawn(state: &State, bench: &Bench) -> Vec<Row> {
    let largest = |b: &Bench| {
        let bytes = b.v1().block.kernels.iter().map(KernelCost::bytes).max();
        bytes.unwrap_or(1).max(1)
    };
    let scale = largest(bench);
    let kernels: Vec<ribbon::Kernel> = groups(bench.effective_cut())
        .into_iter()
        .map(|group| kernel(state, bench, group, scale))
        .collect();
    let area = Rect::new(0, 0, WIDTHS[1], ribbon::HEIGHT);
    let mut buffer = Buffer::empty(area);
    ribbon::draw(
        &kernels,
        &mut Pen::new(&mut buffer, area, state.shared.look),
    );
    buffer
        .content
        .chunks(usize::from(WIDTHS[1]))
        .map(|cells| Row {
            spans: Vec::new(),
            cells: cells.to_vec(),
            ..Row::default()
        })
        .collect()
}

fn kernel(state: &State, bench: &Bench, group: Group, scale: u64) -> ribbon::Kernel {
    let found = kernel_of(bench.cost(), &group);
    let column = figure::byte_column(scale);
    let content = found.map_or_else(ribbon::Content::default, |k| {
        let number = compact(Quantity::bytes(k.bytes()).in_unit(column.unit()));
        // Five cells are V1's largest kernel.
        let eighths = (u128::from(k.bytes()) * 80 + u128::from(scale)) / (2 * u128::from(scale));
        let side = bound(&state.shared.machine, k, bench.setup().dtype);
        ribbon::Content {
            number: number.trim().to_owned(),
            kind: Role::Modelled,
            eighths: eighths as u64,
            bound: crate::tui::lab::bound_role(side),
        }
    });
    ribbon::Kernel {
        group,
        content,
        selected: false,
        wall: None,
    }
}

/// What every wall that stands costs: bytes that go when it comes down.
fn gaps(bench: &Bench, columns: usize) -> Result<Vec<Row>, String> {
    let mut text = Vec::new();
    for slot in 0..SLOTS.len() - 1 {
        let Some(wall) = wall_after(slot) else {
            continue;
        };
        if bench.cut().is_joined(wall) {
            continue;
        }
        let without = bench
            .price_of(bench.wall_flipped(wall))
            .map_err(|e| e.to_string())?;
        let less = bench
            .cost()
            .block
            .bytes()
            .saturating_sub(without.block.bytes());
        let (left, right) = (SLOTS[slot].label.trim(), SLOTS[slot + 1].label.trim());
        let cost = modelled(bench, less);
        text.push(format!(
            "{left}|{right}\u{a0}{}",
            cost.replace(' ', "\u{a0}")
        ));
    }
    let mut rows = vec![
        Row::default(),
        Row::of("bytes that go with a wall", Role::Dim),
    ];
    rows.extend(words(&text.join("   "), columns, Role::Modelled));
    Ok(rows)
}
