//! Numbers in rows: `table`, `compare` and `roofline` blocks.

use super::{env, start};
use crate::machine::Ceilings;
use crate::setup::Setup;
use crate::state::State;
use crate::study::bench_setup;
use course::{Block, Cell, Lesson, Live};
use plan::cost::{Bound, Cost, Gpu, Priced, bound, price, ridge};
use plan::units::{Column, Quantity, Unit};

/// Text in rows; every row as long as the head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Heads of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// A line below.
    pub foot: String,
}

/// The cells of a `table` block.
///
/// # Errors
/// A setting that cannot be. An expression that cannot be evaluated says so in
/// its own cell.
pub fn table(state: &State, lesson: &Lesson, live: &Live) -> Result<Grid, String> {
    let Ok(Block::Table { columns, rows }) = &live.content else {
        return Err("this block is no table".to_owned());
    };
    let env = env(state, lesson, &live.setup)?;
    let cell = |cell: &Cell| match cell {
        Cell::Text(text) => text.text.clone(),
        Cell::Number(inline) => inline.show(&env).unwrap_or_else(|(_, why)| why),
    };
    Ok(Grid {
        head: columns.iter().map(|c| c.text.clone()).collect(),
        rows: rows.iter().map(|r| r.iter().map(cell).collect()).collect(),
        foot: String::new(),
    })
}

/// The cells of a `compare` block: a row per metric, a column per plan.
///
/// # Errors
/// A setting, a plan or a shape that cannot be.
pub fn compare(state: &State, lesson: &Lesson, live: &Live) -> Result<Grid, String> {
    let Ok(Block::Compare {
        plans,
        metrics,
        forward,
    }) = &live.content
    else {
        return Err("this block compares nothing".to_owned());
    };
    let config = env(state, lesson, &live.setup)?.setup.config;
    let setup = bench_setup(&config, state.bench.setup().seed);
    let mut costs: Vec<Cost> = Vec::new();
    for plan in plans {
        costs.push(price(&setup.config(plan.value)).map_err(|e| e.to_string())?);
    }
    let mut head = vec![if *forward { "per forward" } else { "per block" }.to_owned()];
    head.extend(costs.iter().map(|c| c.config.cut.title()));
    let part = |c: &Cost| {
        let priced: &Priced = if *forward { &c.forward } else { &c.block };
        priced.clone()
    };
    let parts: Vec<Priced> = costs.iter().map(part).collect();
    let ceilings = state.machine.ceilings.as_ref();
    let mut foot = String::new();
    let mut rows: Vec<Vec<String>> = metrics
        .iter()
        .map(|metric| {
            let of = |f: &dyn Fn(&Priced) -> Quantity| -> Vec<Quantity> {
                parts.iter().map(f).collect()
            };
            match metric.as_str() {
                "launches" => row("launches =", &of(&|p| Quantity::count(p.launches())), None),
                "flops" => row("FLOPs", &of(&|p| Quantity::flop(p.flops)), None),
                "weight_bytes" => row(
                    "of it weights",
                    &of(&|p| Quantity::bytes(p.weight_bytes)),
                    None,
                ),
                "intensity" => row(
                    "FLOP/B =",
                    &of(&|p| Quantity::new(p.intensity(), plan::units::Dimension::FlopPerByte)),
                    Some((Unit::NONE, 2)),
                ),
                "peak" => {
                    let peaks: Vec<Quantity> = costs
                        .iter()
                        .map(|c| Quantity::bytes(c.peak.bytes))
                        .collect();
                    row("peak of activations", &peaks, None)
                }
                "floor" => {
                    foot = floor_note(ceilings);
                    floor_row(ceilings, &parts, &costs)
                }
                "time" => measured(state, &setup, &costs, Shown::Time),
                _ => row("bytes", &of(&|p| Quantity::bytes(p.bytes())), None),
            }
        })
        .collect();
    // What was run is shown, asked for or not.
    let ran = |c: &Cost| state.runs.of(&setup, c.config.cut).is_some();
    if costs.iter().any(ran) {
        rows.push(measured(state, &setup, &costs, Shown::Launches));
        if !metrics.iter().any(|m| m == "time") {
            rows.push(measured(state, &setup, &costs, Shown::Time));
        }
    }
    Ok(Grid { head, rows, foot })
}

/// What of a run is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Launches,
    Time,
}

/// A row of what runs showed; `·` where none was made, `–` where it does not
/// say.
fn measured(state: &State, setup: &Setup, costs: &[Cost], shown: Shown) -> Vec<String> {
    let label = match shown {
        Shown::Launches => "launches, forward #",
        Shown::Time => "time µs, forward @",
    };
    let cell = |cost: &Cost| match state.runs.of(setup, cost.config.cut) {
        None => "·".to_owned(),
        Some(report) if shown == Shown::Launches => report.launches.counted.to_string(),
        Some(report) => match &report.time_us {
            Some(time) => format!("{:.1}", time.median),
            None => "–".to_owned(),
        },
    };
    let mut cells = vec![label.to_owned()];
    cells.extend(costs.iter().map(cell));
    cells
}

/// A row in one unit, which stands in its label.
fn row(label: &str, values: &[Quantity], fixed: Option<(Unit, u8)>) -> Vec<String> {
    let mut cells = Vec::with_capacity(values.len() + 1);
    match fixed {
        Some((_, decimals)) => {
            cells.push(label.to_owned());
            let places = usize::from(decimals);
            cells.extend(values.iter().map(|q| format!("{:.places$}", q.value())));
        }
        None => {
            let column = Column::fit(values);
            let unit = column.unit().symbol();
            let label = if unit.is_empty() {
                label.to_owned()
            } else {
                format!("{label}, {unit} =")
            };
            cells.push(label);
            cells.extend(column.cells(values).iter().map(|c| c.trim().to_owned()));
        }
    }
    cells
}

fn floor_row(ceilings: Option<&Ceilings>, parts: &[Priced], costs: &[Cost]) -> Vec<String> {
    let mut cells = vec!["floor µs =".to_owned()];
    cells.extend(parts.iter().zip(costs).map(|(part, cost)| {
        let floor = ceilings.and_then(|c| c.floor(part, cost.config.dtype));
        floor.map_or("–".to_owned(), |s| format!("{:.2}", s * 1e6))
    }));
    cells
}

fn floor_note(ceilings: Option<&Ceilings>) -> String {
    match ceilings {
        Some(c) => format!("Floors under the roof of {}.", c.of),
        None => "Floors need a roof; Doctor says why there is none.".to_owned(),
    }
}

/// The cells of a `roofline` block: a row per kernel, a column per GPU.
///
/// # Errors
/// A setting, a plan, a shape or a GPU that cannot be.
pub fn roofline(state: &State, lesson: &Lesson, live: &Live) -> Result<Grid, String> {
    let Ok(Block::Roofline { gpus, mark, .. }) = &live.content else {
        return Err("this block is no roofline".to_owned());
    };
    let (setup, cut) = start(state, lesson, live)?;
    let cost = price(&setup.config(cut)).map_err(|e| e.to_string())?;
    let database = state
        .study
        .gpus
        .as_ref()
        .ok_or("the course is still being loaded")?;
    let named: Vec<&str> = match gpus.as_slice() {
        [] => vec!["h200"],
        some => some.iter().map(|g| g.text.as_str()).collect(),
    };
    let gpus: Vec<&Gpu> = named
        .iter()
        .map(|id| database.get(id).map_err(|e| e.to_string()))
        .collect::<Result<_, _>>()?;
    let mut head = vec!["kernel".to_owned(), "FLOP/B =".to_owned()];
    head.extend(
        gpus.iter()
            .map(|g| g.id.to_uppercase().replace('_', "\u{a0}")),
    );
    let wanted =
        |ops: &[&str]| mark.is_empty() || mark.iter().any(|m| ops.contains(&m.value.name()));
    let dtype = setup.dtype;
    let mut rows: Vec<(f64, Vec<String>)> = Vec::new();
    for kernel in cost.block.kernels.iter().filter(|k| wanted(&k.ops)) {
        let mut cells = vec![kernel.ops.join(" "), format!("{:.2}", kernel.intensity())];
        cells.extend(gpus.iter().map(|g| match bound(kernel, g, dtype) {
            Ok(Bound::Memory) => "memory".to_owned(),
            Ok(Bound::Compute) => "compute".to_owned(),
            Err(_) => "–".to_owned(),
        }));
        rows.push((kernel.intensity(), cells));
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut ridges = vec!["ridge".to_owned(), String::new()];
    ridges.extend(
        gpus.iter()
            .map(|g| ridge(g, dtype).map_or("–".to_owned(), |r| format!("{r:.2}"))),
    );
    let mut rows: Vec<Vec<String>> = rows.into_iter().map(|(_, cells)| cells).collect();
    rows.push(ridges);
    Ok(Grid {
        head,
        rows,
        foot: format!("{}, per block; roofs from the data sheets.", cut.title()),
    })
}
