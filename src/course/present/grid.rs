//! Numbers in rows: the `table` and `compare` blocks.

use super::{Facts, Ran};
use crate::answer::Env;
use crate::block::Cell;
use crate::fields::Phrase;
use crate::fields::Typed;
use crate::number::{Inline, fill};
use plan::cost::{Cost, Priced, price};
use plan::fusion::Cut;
use plan::units::figure::{Clock, of_run};
use plan::units::{Column, Dimension, Quantity};

/// Text in rows; every row as long as the head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Heads of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// A line below.
    pub foot: String,
    /// A row is of one unit, and no column is.
    pub by_row: bool,
    /// A cell has no value and says why in its place.
    pub unshown: bool,
}

/// The cells of a `table` block.
pub(super) fn table(env: &Env<'_>, columns: &[Phrase], rows: &[Vec<Cell>]) -> Grid {
    let unshown = std::cell::Cell::new(false);
    let shown = |inline: &Inline| {
        inline.show(env).unwrap_or_else(|(_, say)| {
            unshown.set(true);
            format!("({say})")
        })
    };
    let cell = |cell: &Cell| match cell {
        Cell::Text(text) => fill(&text.text, shown),
        Cell::Number(inline) => shown(inline),
    };
    let mut shown_rows: Vec<Vec<String>> = Vec::new();
    for row in rows {
        let row = row.iter().map(cell).collect();
        // A GPU that the author names may be the device of the course, and stands once.
        if !shown_rows.contains(&row) {
            shown_rows.push(row);
        }
    }
    Grid {
        head: columns.iter().map(|c| fill(&c.text, shown)).collect(),
        rows: shown_rows,
        unshown: unshown.get(),
        ..Grid::default()
    }
}

/// A row per metric, a column per plan.
pub(super) fn compare(
    env: &Env<'_>,
    plans: &[Typed<Cut>],
    metrics: &[String],
    forward: bool,
    facts: &dyn Facts,
) -> Result<Grid, String> {
    let config = &env.setup.config;
    let costs: Vec<Cost> = plans
        .iter()
        .map(|plan| price(&config.with_cut(plan.value)).map_err(|e| e.to_string()))
        .collect::<Result<_, _>>()?;
    let mut head = vec![if forward { "per forward" } else { "per block" }.to_owned()];
    head.extend(costs.iter().map(|c| c.config.cut.title()));
    let part = |c: &Cost| if forward { &c.forward } else { &c.block }.clone();
    let parts: Vec<Priced> = costs.iter().map(part).collect();
    let of = |f: &dyn Fn(&Priced) -> Quantity| -> Vec<Quantity> { parts.iter().map(f).collect() };
    let timed = || {
        let ran = costs.iter().map(|cost| facts.ran(&cost.config));
        times(["time ", ", forward @"], &ran.collect::<Vec<_>>())
    };
    let mut foot = String::new();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for metric in metrics {
        rows.push(match metric.as_str() {
            "launches" => row("launches =", &of(&|p| Quantity::count(p.launches())), None),
            "flops" => row("FLOPs", &of(&|p| Quantity::flop(p.flops)), None),
            "weight_bytes" => {
                let weights = of(&|p| Quantity::bytes(p.weight_bytes));
                row("of it weights", &weights, None)
            }
            "intensity" => {
                let values = of(&|p| Quantity::new(p.intensity(), Dimension::FlopPerByte));
                row("FLOP/B =", &values, Some(2))
            }
            "peak" => {
                let peaks = costs.iter().map(|c| Quantity::bytes(c.peak.bytes));
                // A peak is the forward's, whatever the rest is of.
                let label = match forward {
                    true => "peak of activations",
                    false => "peak of the forward",
                };
                row(label, &peaks.collect::<Vec<_>>(), None)
            }
            "floor" => {
                foot = facts.roof();
                let floors = parts.iter().map(|part| facts.floor(part, config.dtype));
                let floors: Vec<Option<f64>> = floors.collect();
                let clock = Clock::of(floors.iter().flatten().copied().fold(0.0, f64::max));
                let cell = |floor: &Option<f64>| {
                    floor.map_or("–".to_owned(), |seconds| clock.number(seconds))
                };
                labelled(&format!("floor {} =", clock.unit), floors.iter().map(cell))
            }
            "time" => timed(),
            _ => row("bytes", &of(&|p| Quantity::bytes(p.bytes())), None),
        });
    }
    // What was run is shown, asked for or not.
    if costs.iter().any(|c| facts.ran(&c.config).is_some()) {
        let cell = |c: &Cost| match facts.ran(&c.config) {
            None => "·".to_owned(),
            Some(ran) => ran.launches.to_string(),
        };
        rows.push(labelled("launches, forward #", costs.iter().map(cell)));
        if !metrics.iter().any(|m| m == "time") {
            rows.push(timed());
        }
    }
    Ok(Grid {
        head,
        rows,
        foot,
        by_row: true,
        unshown: false,
    })
}

pub(super) fn labelled(label: &str, cells: impl Iterator<Item = String>) -> Vec<String> {
    std::iter::once(label.to_owned()).chain(cells).collect()
}

/// Times of forwards in the unit of the longest; `·` where nothing was run, `–` where a run
/// took none. The unit goes into the label, between its words.
pub(super) fn times(label: [&str; 2], runs: &[Option<Ran>]) -> Vec<String> {
    let longest = runs.iter().flatten().filter_map(|ran| ran.micros);
    let clock = Clock::of(1e-6 * longest.fold(0.0, f64::max));
    let cell = |ran: &Option<Ran>| {
        let time = ran.as_ref().map(|ran| ran.micros);
        of_run(time, |micros| clock.rounded(1e-6 * micros))
    };
    labelled(&label.join(clock.unit), runs.iter().map(cell))
}

/// A row in one unit, which stands in its label.
fn row(label: &str, values: &[Quantity], decimals: Option<usize>) -> Vec<String> {
    if let Some(places) = decimals {
        let cell = |q: &Quantity| format!("{:.places$}", q.value());
        return labelled(label, values.iter().map(cell));
    }
    let column = Column::fit(values);
    let label = match column.unit().symbol() {
        "" => label.to_owned(),
        unit => format!("{label}, {unit} ="),
    };
    let cells = column.cells(values);
    labelled(&label, cells.iter().map(|c| c.trim().to_owned()))
}
