//! The `chart` block: expressions over a swept parameter.

use super::grid::{Grid, labelled};
use crate::answer::{Env, Value};
use crate::block::{Block, Series, swept};
use crate::fields::Typed;
use crate::number::{Inline, fill};
use plan::units::{Column, Quantity, Spec, Unit, format_in, significant};

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name; empty where there is only one.
    pub name: String,
    /// One value per value of the parameter, in the chart's unit; none is NaN.
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

/// The points of a `chart` block.
pub(super) fn chart(block: &Block, env: &Env<'_>) -> Result<Chart, String> {
    let Block::Chart {
        x,
        range,
        unit,
        series,
        log,
    } = block
    else {
        return Err("this block is no chart".to_owned());
    };
    let mut chart = points(env, x, range, series, unit.as_ref())?;
    let mut values = chart.lines.iter().flat_map(|line| &line.values);
    let positive = values.all(|v| *v > 0.0);
    // Shares live between nothing and all: their axis stays straight.
    chart.log_y = *log && positive && chart.unit != Unit::PERCENT.symbol();
    chart.log_x = *log && range.iter().all(|v| *v > 0.0);
    Ok(chart)
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
            match one.y.value.evaluate(&here).map_err(|e| e.message)? {
                Value::Quantity(q) => values.push(q),
                other => {
                    let y = one.y.as_str();
                    return Err(format!("“{y}” yields {other}, which is no number"));
                }
            }
        }
        let shown = |inline: &Inline| {
            inline
                .show(env)
                .unwrap_or_else(|(_, say)| format!("({say})"))
        };
        found.push((fill(&one.name.text, shown), values));
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
            let at = match at.fract() == 0.0 {
                true => plan::units::group_thousands(*at as i128),
                false => significant(*at, 4),
            };
            std::iter::once(at).chain(cells).collect()
        };
        Grid {
            head: labelled(&self.x, self.lines.iter().map(name)),
            rows: self.at.iter().enumerate().map(row).collect(),
            ..Grid::default()
        }
    }
}
