//! What a live block shows, worked out once: the terminal, plain text and a page
//! draw the same cells.

use crate::answer::{Env, Value};
use crate::block::{Block, Cell, Series, swept};
use crate::fields::{Phrase, Typed};
use crate::number::{Inline, fill};
use plan::cost::{Bound, Cost, Gpu, Priced, bound, price, ridge};
use plan::fusion::Cut;
use plan::model::{Dtype, OpKind};
use plan::units::{Column, Dimension, Quantity, Spec, Unit, format_in};

/// The GPU of a roofline that names none.
const USUAL: &str = "h200";

/// Text in rows; every row as long as the head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Heads of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// A line below.
    pub foot: String,
    /// A cell has no value and says why in its place.
    pub unshown: bool,
}

/// What the model does not know: the machine and what ran on it.
pub trait Facts {
    /// The least seconds that a plan takes under this machine's roof.
    fn floor(&self, priced: &Priced, dtype: Dtype) -> Option<f64>;
    /// Whose roof that is, or why there is none, in a sentence.
    fn roof(&self) -> String;
    /// Launches and median microseconds of a forward that was run with a cut.
    fn ran(&self, cut: Cut) -> Option<Ran>;
}

/// What of a run is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ran {
    /// Launches, counted.
    pub launches: u64,
    /// The median, where times were taken.
    pub micros: Option<f64>,
}

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name; empty where there is only one.
    pub name: String,
    /// One value per value of the parameter, in the chart's unit.
    pub values: Vec<f64>,
    /// The same as text.
    pub said: Vec<String>,
}

/// A chart ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The parameter.
    pub x: String,
    /// Its values.
    pub at: Vec<f64>,
    /// Unit of the values, as heads write it.
    pub unit: String,
    /// The lines.
    pub lines: Vec<Line>,
    /// The parameter's axis is logarithmic.
    pub log_x: bool,
    /// The values' axis is logarithmic.
    pub log_y: bool,
}

/// The cells of a `table`, `compare`, `roofline` or `chart` block; None of other
/// blocks.
///
/// # Errors
/// A sentence: a shape or a GPU that cannot be, a series that yields no number. An
/// expression of a cell that cannot be evaluated says so in its cell.
pub fn grid(block: &Block, env: &Env<'_>, facts: &dyn Facts) -> Option<Result<Grid, String>> {
    Some(match block {
        Block::Table { columns, rows } => Ok(table(env, columns, rows)),
        Block::Compare {
            plans,
            metrics,
            forward,
        } => compare(env, plans, metrics, *forward, facts),
        Block::Roofline { plan, gpus, mark } => roofline(env, plan.as_ref(), gpus, mark),
        Block::Chart { .. } => chart(block, env)?.map(|chart| chart.grid()),
        _ => return None,
    })
}

fn table(env: &Env<'_>, columns: &[Phrase], rows: &[Vec<Cell>]) -> Grid {
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
    Grid {
        head: columns.iter().map(|c| fill(&c.text, shown)).collect(),
        rows: rows.iter().map(|r| r.iter().map(cell).collect()).collect(),
        foot: String::new(),
        unshown: unshown.get(),
    }
}

/// A row per metric, a column per plan.
fn compare(
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
                row("peak of activations", &peaks.collect::<Vec<_>>(), None)
            }
            "floor" => {
                foot = facts.roof();
                let micros = |part: &Priced| {
                    let floor = facts.floor(part, config.dtype);
                    floor.map_or("–".to_owned(), |s| format!("{:.2}", s * 1e6))
                };
                labelled("floor µs =", parts.iter().map(micros))
            }
            "time" => times(&costs, facts),
            _ => row("bytes", &of(&|p| Quantity::bytes(p.bytes())), None),
        });
    }
    // What was run is shown, asked for or not.
    if costs.iter().any(|c| facts.ran(c.config.cut).is_some()) {
        let cell = |c: &Cost| match facts.ran(c.config.cut) {
            None => "·".to_owned(),
            Some(ran) => ran.launches.to_string(),
        };
        rows.push(labelled("launches, forward #", costs.iter().map(cell)));
        if !metrics.iter().any(|m| m == "time") {
            rows.push(times(&costs, facts));
        }
    }
    Ok(Grid {
        head,
        rows,
        foot,
        unshown: false,
    })
}

fn labelled(label: &str, cells: impl Iterator<Item = String>) -> Vec<String> {
    std::iter::once(label.to_owned()).chain(cells).collect()
}

/// Measured times; `·` where nothing was run, `–` where a run took none.
fn times(costs: &[Cost], facts: &dyn Facts) -> Vec<String> {
    let cell = |cost: &Cost| match facts.ran(cost.config.cut) {
        None => "·".to_owned(),
        Some(ran) => ran.micros.map_or("–".to_owned(), |t| format!("{t:.1}")),
    };
    labelled("time µs, forward @", costs.iter().map(cell))
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

/// A row per kernel, by intensity, a column per GPU, and their ridges.
fn roofline(
    env: &Env<'_>,
    plan: Option<&Typed<Cut>>,
    gpus: &[Phrase],
    mark: &[Typed<OpKind>],
) -> Result<Grid, String> {
    let config = &env.setup.config;
    let cut = plan.map_or(config.cut, |plan| plan.value);
    let cost = price(&config.with_cut(cut)).map_err(|e| e.to_string())?;
    let ids: Vec<&str> = match gpus {
        [] => vec![USUAL],
        some => some.iter().map(Phrase::as_str).collect(),
    };
    let gpus: Vec<&Gpu> = ids
        .into_iter()
        .map(|id| env.gpus.get(id).map_err(|e| e.to_string()))
        .collect::<Result<_, _>>()?;
    let mut head = vec!["kernel".to_owned(), "FLOP/B =".to_owned()];
    let names = gpus.iter().map(|g| g.id.to_uppercase());
    head.extend(names.map(|name| name.replace('_', "\u{a0}")));
    let wanted =
        |ops: &[&str]| mark.is_empty() || mark.iter().any(|m| ops.contains(&m.value.name()));
    let mut rows: Vec<(f64, Vec<String>)> = Vec::new();
    for kernel in cost.block.kernels.iter().filter(|k| wanted(&k.ops)) {
        let mut cells = vec![kernel.ops.join(" "), format!("{:.2}", kernel.intensity())];
        cells.extend(gpus.iter().map(|g| match bound(kernel, g, config.dtype) {
            Ok(Bound::Memory) => "memory".to_owned(),
            Ok(Bound::Compute) => "compute".to_owned(),
            Err(_) => "–".to_owned(),
        }));
        rows.push((kernel.intensity(), cells));
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut rows: Vec<Vec<String>> = rows.into_iter().map(|(_, cells)| cells).collect();
    let ridges = gpus.iter().map(|g| {
        let ridge = ridge(g, config.dtype);
        ridge.map_or("–".to_owned(), |r| format!("{r:.2}"))
    });
    rows.push(
        ["ridge".to_owned(), String::new()]
            .into_iter()
            .chain(ridges)
            .collect(),
    );
    Ok(Grid {
        head,
        rows,
        foot: format!("{}, per block; roofs from the data sheets.", cut.title()),
        unshown: false,
    })
}

/// The points of a `chart` block; None of other blocks.
///
/// # Errors
/// A sentence: a setting or an expression that cannot be evaluated.
pub fn chart(block: &Block, env: &Env<'_>) -> Option<Result<Chart, String>> {
    let Block::Chart {
        x,
        range,
        unit,
        series,
        log,
    } = block
    else {
        return None;
    };
    Some(
        points(env, x, range, series, unit.as_ref()).map(|mut chart| {
            let mut values = chart.lines.iter().flat_map(|line| &line.values);
            let positive = values.all(|v| *v > 0.0);
            // Shares live between nothing and all: their axis stays straight.
            chart.log_y = *log && positive && chart.unit != Unit::PERCENT.symbol();
            chart.log_x = *log && range.iter().all(|v| *v > 0.0);
            chart
        }),
    )
}

fn points(
    env: &Env<'_>,
    x: &str,
    range: &[f64],
    series: &[Series],
    unit: Option<&Typed<Spec>>,
) -> Result<Chart, String> {
    let mut found: Vec<(String, Vec<Quantity>)> = Vec::new();
    for one in series {
        let mut values = Vec::new();
        for at in range {
            let here = env.with(&swept(x, *at));
            match one.y.value.evaluate(&here).map_err(|e| e.to_string())? {
                Value::Quantity(q) => values.push(q),
                other => {
                    let y = one.y.as_str();
                    return Err(format!("“{y}” yields {other}, which is no number"));
                }
            }
        }
        found.push((one.name.clone(), values));
    }
    let all: Vec<Quantity> = found.iter().flat_map(|(_, v)| v.iter().copied()).collect();
    let (unit, decimals) = match unit {
        Some(spec) => (spec.value.unit, spec.value.decimals),
        None => (Column::fit(&all).unit(), None),
    };
    let mut lines = Vec::new();
    for (name, values) in found {
        let said = values.iter().map(|q| format_in(q, unit, decimals));
        lines.push(Line {
            name,
            said: said.collect::<Result<_, _>>().map_err(|e| e.message)?,
            values: values.iter().map(|q| q.in_unit(unit)).collect(),
        });
    }
    Ok(Chart {
        x: x.to_owned(),
        at: range.to_vec(),
        unit: unit.symbol().to_owned(),
        lines,
        log_x: false,
        log_y: false,
    })
}

impl Chart {
    /// A row per value of the parameter, a column per line.
    pub fn grid(&self) -> Grid {
        let name = |line: &Line| match line.name.as_str() {
            "" => format!("{} =", self.unit).trim_start().to_owned(),
            name => name.to_owned(),
        };
        let row = |(i, at): (usize, &f64)| {
            let cells = self
                .lines
                .iter()
                .filter_map(|line| line.said.get(i).cloned());
            std::iter::once(at.to_string()).chain(cells).collect()
        };
        Grid {
            head: labelled(&self.x, self.lines.iter().map(name)),
            rows: self.at.iter().enumerate().map(row).collect(),
            foot: String::new(),
            unshown: false,
        }
    }
}
